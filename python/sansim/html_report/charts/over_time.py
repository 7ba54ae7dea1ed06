"""Throughput and response time over the measured interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sansim.html_report import events
from sansim.html_report.figures import bins_for, directions, loads, over_time, rates_over_time
from sansim.html_report.looks import Looks, looks_of
from sansim.html_report.style import READS, RUNS, WRITES, Chart, plain_ticks, time_unit, zero_based
from sansim.html_report.topology import micro
from sansim.number_text import MB, duration

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sansim.html_report.folder import RunFolder


IN_A_ROW = 4
"""Entries of a legend beside each other."""
MOST_LOADS = 16
"""With more workloads the lines cannot be distinguished."""


def throughput(runs: Sequence[RunFolder]) -> Chart:
    """Throughput above, response times below."""
    widths = [width(run) for run in runs]
    part = " and ".join(micro(duration(w)) for w in dict.fromkeys(widths))
    what = (
        "Below: mean, range from p10 to p90, and p99 of the I/Os that completed in the part."
        if len(runs) == 1
        else "Below: mean (full) and p99 (thin) of the I/Os that completed in the part."
    )
    caption = f"The measured interval in equal parts of {part}. {what}{events.caption(runs)}"
    return Chart("over-time", "Throughput and response time over time", caption, 3.9, lambda f: draw(f, runs))


def rates(run: RunFolder, name: str, prefix: str, looks: Looks | None = None) -> Chart | None:
    """The rate of each workload and stream; None if there is only one, or more than can be distinguished."""
    found = loads(run)
    if not 1 < len(found) <= MOST_LOADS:
        return None
    shown = looks_of([run]) if looks is None else looks
    title = "I/Os a second of each workload over time"
    part = micro(duration(width(run)))
    caption = f"{prefix}I/Os that completed in each part of {part} of the measured interval, by workload and stream."
    height = 2.25 + 0.17 * -(-len(found) // IN_A_ROW)
    caption += events.caption([run])
    return Chart(name, title, caption, height, lambda figure: draw_rates(figure, run, found, shown))


def draw_rates(figure: Figure, run: RunFolder, found: Sequence[tuple[str, pl.DataFrame]], looks: Looks) -> None:
    """A line for each."""
    axes = figure.subplots()
    bins = bins_for(run.ios.height)
    edges = edges_of(run, bins, events.clock([run])[2])
    for label, ios in found:
        look = looks.of_load(label)
        values = rates_over_time(run, ios, bins)
        # A name that begins with an underscore would be left out.
        shown = label.lstrip("_") or "-"
        axes.stairs(values, edges, baseline=None, color=look.colour, linestyle=look.dashes, label=shown)
    zero_based(axes.yaxis)
    axes.set_ylabel("I/Os a second")
    time_axis(axes, [run])
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=IN_A_ROW)
    events.mark([axes], [run])


def width(run: RunFolder) -> float:
    """Length of a part in ns."""
    begin, end = run.interval
    return (end - begin) / bins_for(run.ios.height)


def edges_of(run: RunFolder, bins: int, size: float) -> list[float]:
    """The borders of equal parts of the measured interval in simulated time, in units of so many seconds."""
    begin, _ = run.interval
    return [(begin + width(run) * i) / 1e9 / size for i in range(bins + 1)]


def time_axis(axes: Axes, runs: Sequence[RunFolder]) -> None:
    """The clock of the scenario from the begin to the end of the measured interval."""
    begin, end, size, _ = events.clock(runs)
    axes.set_xlim(begin / size, end / size)
    axes.set_xlabel(events.axis_label(runs))
    plain_ticks(axes.xaxis)


def draw(figure: Figure, runs: Sequence[RunFolder]) -> None:
    """Two panels with the same time."""
    above, below = figure.subplots(2, 1, sharex=True)
    tables = [over_time(run, bins_for(run.ios.height)) for run in runs]
    second = events.clock(runs)[2]
    edges = [edges_of(run, table.height, second) for run, table in zip(runs, tables, strict=True)]
    highest = max(float(table["p99_ns"].max() or 1) for table in tables)  # type: ignore[arg-type]
    size, unit = time_unit(highest)
    if len(runs) == 1:
        one(above, below, runs[0], tables[0], edges[0], size)
    else:
        for run, table, edge, colour in zip(runs, tables, edges, RUNS, strict=False):
            above.stairs(
                (table["reads"] + table["writes"]).to_numpy() / MB, edge, baseline=None, color=colour, label=run.label
            )
            line(below, table, "mean_ns", edge, size, colour, 1.4, run.label)
            line(below, table, "p99_ns", edge, size, colour, 0.7, None)
    for axes in (above, below):
        zero_based(axes.yaxis)
        if axes.get_legend_handles_labels()[1]:
            # Above the panel, where no line can be under it.
            axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=4)
    above.set_title("throughput")
    above.set_ylabel("MB/s (10⁶)")
    below.set_title("response time")
    below.set_ylabel(f"response time ({unit})")
    time_axis(below, runs)
    events.mark([above, below], runs)


def one(above: Axes, below: Axes, run: RunFolder, table: pl.DataFrame, edges: list[float], size: float) -> None:
    """Both panels of a single run."""
    import numpy as np

    reads, writes = table["reads"].to_numpy() / MB, table["writes"].to_numpy() / MB
    if directions(run):
        above.stairs(reads, edges, fill=True, color=READS, label="reads")
        above.stairs(reads + writes, edges, baseline=reads, fill=True, color=WRITES, label="writes")
    else:
        above.stairs(reads + writes, edges, fill=True, color=READS)
    shown = table.fill_null(float("nan"))
    low, high = shown["p10_ns"].to_numpy() / size, shown["p90_ns"].to_numpy() / size
    below.fill_between(
        edges, np.append(low, low[-1]), np.append(high, high[-1]), step="post", color=READS, alpha=0.2, linewidth=0
    )
    below.fill_between([], [], color=READS, alpha=0.2, linewidth=0, label="p10 to p90")
    line(below, table, "mean_ns", edges, size, READS, 1.4, "mean")
    line(below, table, "p99_ns", edges, size, RUNS[1], 1.0, "p99")


def line(
    axes: Axes,
    table: pl.DataFrame,
    column: str,
    edges: list[float],
    size: float,
    colour: str,
    width: float,
    label: str | None,
) -> None:
    """A line in steps."""
    values = table[column].fill_null(float("nan")).to_numpy() / size
    axes.stairs(values, edges, baseline=None, color=colour, linewidth=width, label=label)
