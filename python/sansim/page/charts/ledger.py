"""Where the time of I/Os goes: stacked bars of means, and cascades of single requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sansim.page.figures import directions, ledger_means
from sansim.page.style import Chart, plain_ticks, segment_colour, segment_hatch, time_unit
from sansim.page.system import System
from sansim.page.topology import micro, shorter
from sansim.report import duration, label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    from sansim.page.folder import RunFolder

IN_LEGEND = 0.002
"""Segments that are less than this share of every bar cannot be seen and are not in the legend."""
WIDE_ENOUGH = 0.065
"""Share of the bar that a segment needs to carry it in writing."""

Bar = tuple[str, Mapping[str, float]]


def bars(runs: Sequence[RunFolder]) -> list[Bar]:
    """The bars: the mean and the slowest percent of each run; of a single run also reads and writes."""
    if len(runs) == 1:
        ledger = runs[0].summary["ledger_ns"]
        kinds = [(f"mean of the {name}", ledger_means(runs[0], write)) for name, write in directions(runs[0])]
        return [("mean of all", ledger["mean"]), *kinds, ("mean of the\nslowest 1 %", ledger["slowest_percent"])]
    parts = (("mean", "mean"), ("slowest 1 %", "slowest_percent"))
    return [(f"{run.label}\n{name}", run.summary["ledger_ns"][key]) for name, key in parts for run in runs]


def ledger(runs: Sequence[RunFolder]) -> Chart:
    """Stacked bars."""
    rows = bars(runs)
    shown = visible(rows, list(dict.fromkeys(name for run in runs for name in run.segments)))
    caption = (
        "Mean time of an I/O in each segment of its path, in the order in which a read meets them; the segments add up"
        " to the response time. Hatched: the I/O waits. Left the times, right the shares of each bar."
        " Segments below 0.2 % of every bar are not in the legend."
    )
    height = 0.75 + 0.46 * len(rows) + 0.19 * -(-len(shown) // 4)
    return Chart("ledger", "Where the time goes", caption, height, lambda f: draw_bars(f, rows, shown))


def visible(rows: Sequence[Bar], segments: Sequence[str]) -> list[str]:
    """Segments that can be seen in a bar, in order."""
    return [n for n in segments if any(spent.get(n, 0) > IN_LEGEND * sum(spent.values()) for _, spent in rows)]


def draw_bars(figure: Figure, rows: Sequence[Bar], shown: list[str]) -> None:
    """A bar a row, from the left in the order of the path: in time, and as shares of its own length."""
    times, shares = figure.subplots(1, 2, sharey=True, width_ratios=(0.47, 0.53))
    longest = max(sum(spent.values()) for _, spent in rows)
    size, unit = time_unit(longest)
    for row, (_, spent) in enumerate(rows):
        total, left = sum(spent.values()), 0.0
        for segment, time in spent.items():
            share = time / total if total else 0.0
            box(times, segment, row, left / size, time / size, 0.72)
            box(shares, segment, row, left / total * 100 if total else 0.0, share * 100, 0.72)
            if share > WIDE_ENOUGH:
                middle = (left + time / 2) / total * 100
                shares.text(middle, row, f"{share * 100:.0f}", fontsize=7, ha="center", va="center", bbox=PAPER)
            left += time
        times.text((left + longest * 0.015) / size, row, micro(duration(total)), fontsize=7.5, va="center")
    times.set_yticks(range(len(rows)), [name for name, _ in rows])
    times.set_ylim(len(rows) - 0.5, -0.5)
    times.set_xlim(0, longest / size * 1.29)
    times.set_xlabel(f"time ({unit})")
    shares.set_xlim(0, 100)
    shares.set_xlabel("share of the time (%)")
    for axes in (times, shares):
        axes.tick_params(axis="y", length=0)
        axes.grid(False, axis="y")
        plain_ticks(axes.xaxis)
    figure.legend(handles=[key(segment) for segment in shown], loc="outside lower center", ncols=4)


PAPER = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.88}


def box(axes: Axes, segment: str, row: float, left: float, width: float, height: float) -> None:
    """A segment of a bar."""
    axes.barh(
        row,
        width,
        left=left,
        height=height,
        color=segment_colour(segment),
        hatch=segment_hatch(segment),
        edgecolor="white",
        linewidth=0.4,
    )


def key(segment: str) -> Patch:
    """An entry of the legend."""
    from matplotlib.patches import Patch

    return Patch(
        label=label(segment), facecolor=segment_colour(segment), hatch=segment_hatch(segment), edgecolor="white"
    )


# ---------------------------------------------------------------- waterfall


def waterfall(
    run: RunFolder, system: System, requests: list[tuple[str, dict[str, Any]]], name: str, prefix: str
) -> Chart:
    """Cascades of some I/Os, a column each."""
    segments = [s for s in run.segments if any(row[f"{s}_ns"] for _, row in requests)]
    caption = (
        f"{prefix}Single I/Os, each on a scale of its own. ios.parquet holds the total time in each segment, not"
        " when it was entered: a segment that was entered several times (loop and wire, for instance) is drawn once, at"
        " its place in the path of a read. The widths are exact, the places are not."
    )
    height = 1.0 + 0.185 * len(segments)
    return Chart(
        name, "Waterfall of single requests", caption, height, lambda f: draw_waterfall(f, system, requests, segments)
    )


def draw_waterfall(
    figure: Figure, system: System, requests: list[tuple[str, dict[str, Any]]], segments: list[str]
) -> None:
    """A row for each segment; each begins where the last ended."""
    from matplotlib.ticker import MaxNLocator

    columns = figure.subplots(1, len(requests), sharey=True, squeeze=False)[0]
    stations = {station.number: station.name for station in system.stations}
    for axes, (why, io) in zip(columns, requests, strict=True):
        size, unit = time_unit(io["response_time_ns"])
        left = 0.0
        for row, segment in enumerate(segments):
            time = io[f"{segment}_ns"] / size
            # A thin line down the cascade, so that a segment too short to be seen has a place.
            axes.plot([left, left], [row - 0.5, row + 0.5], color="#999999", linewidth=0.5)
            box(axes, segment, row, left, time, 0.76)
            left += time
        kind = "write" if io["write"] else "read"
        number = f"I/O {io['io']:,}\n" if "io" in io else ""
        drive = shorter(stations.get(io["drive"], f"station {io['drive']}"), 17)
        axes.text(
            0,
            1.02,
            f"{number}{kind}, {drive}\n{micro(duration(io['response_time_ns']))}",
            transform=axes.transAxes,
            fontsize=7,
            va="bottom",
        )
        axes.set_title(why, fontsize=7.5, pad=31 if number else 22)
        axes.set_xlim(0, left * 1.03 if left else 1)
        axes.set_xlabel(f"time ({unit})")
        axes.xaxis.set_major_locator(MaxNLocator(3))
        plain_ticks(axes.xaxis)
        axes.tick_params(axis="y", length=0)
    columns[0].set_yticks(range(len(segments)), [label(segment) for segment in segments])
    columns[0].set_ylim(len(segments) - 0.5, -0.5)
