"""Where the time of I/Os goes: stacked bars of means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sansim.catalogue import line_label
from sansim.html_report.figures import directions, ledger_means
from sansim.html_report.style import Chart, line_colour, line_hatch, plain_ticks, time_unit
from sansim.html_report.topology import micro
from sansim.number_text import duration

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    from sansim.html_report.folder import RunFolder

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
    shown = visible(rows, list(dict.fromkeys(name for run in runs for name in run.lines)))
    caption = (
        "Mean time of an I/O at each place of its path, segment by segment, as a read meets them; they"
        " add up to the response time. Hatched: the I/O waits. Left the times, right the shares of each bar."
        " Segments below 0.2 % of every bar are not in the legend."
    )
    height = 0.75 + 0.46 * len(rows) + 0.19 * -(-len(shown) // 3)
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
        for line, time in spent.items():
            share = time / total if total else 0.0
            box(times, line, row, left / size, time / size, 0.72)
            box(shares, line, row, left / total * 100 if total else 0.0, share * 100, 0.72)
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
    figure.legend(handles=[key(line) for line in shown], loc="outside lower center", ncols=3)


PAPER = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.88}


def box(axes: Axes, line: str, row: float, left: float, width: float, height: float) -> None:
    """A line of the ledger as part of a bar."""
    axes.barh(
        row,
        width,
        left=left,
        height=height,
        color=line_colour(line),
        hatch=line_hatch(line),
        edgecolor="white",
        linewidth=0.4,
    )


def key(line: str) -> Patch:
    """An entry of the legend."""
    from matplotlib.patches import Patch

    return Patch(label=line_label(line), facecolor=line_colour(line), hatch=line_hatch(line), edgecolor="white")
