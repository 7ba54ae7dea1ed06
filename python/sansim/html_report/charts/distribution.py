"""How the response times are distributed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sansim.html_report.figures import directions
from sansim.html_report.style import INK, READS, RUNS, WRITES, Chart, plain_ticks, time_unit, zero_based

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sansim.html_report.folder import RunFolder

BINS = 60
LOGARITHMIC_FROM = 50
"""A scale of powers of ten from this ratio of the longest to the shortest time on."""
MARKED = (0.5, 0.9, 0.99, 0.999)


def response_times(runs: Sequence[RunFolder]) -> Chart:
    """Histogram and cumulative distribution."""
    marks = "Dots mark p50, p90, p99 and p99.9."
    if len(runs) == 1 and directions(runs[0]):
        what = "The histogram stacks reads and writes; the curves show them apart."
    else:
        what = "Left the share of I/Os in each class, right the share that took at most so long."
    return Chart("response-times", "Distribution of response times", f"{what} {marks}", 2.9, lambda f: draw(f, runs))


def draw(figure: Figure, runs: Sequence[RunFolder]) -> None:
    """Two panels side by side."""
    left, right = figure.subplots(1, 2, width_ratios=(1.0, 1.0))
    longest = max(float(run.ios["response_time_ns"].max() or 0) for run in runs)  # type: ignore[arg-type]
    shortest = min(float(run.ios["response_time_ns"].min() or 0) for run in runs)  # type: ignore[arg-type]
    size, unit = time_unit(longest)
    logarithmic = shortest > 0 and longest / shortest >= LOGARITHMIC_FROM
    edges = classes(shortest / size, longest / size, logarithmic)
    histogram(left, runs, edges, size)
    cumulative(right, runs, size)
    for axes in (left, right):
        if logarithmic:
            axes.set_xscale("log")
        axes.set_xlim(edges[0], edges[-1])
        axes.set_xlabel(f"response time ({unit})")
        plain_ticks(axes.xaxis)
        axes.xaxis.set_minor_formatter("")
    zero_based(left.yaxis)
    left.set_ylabel("I/Os (%)")
    right.set_ylim(0, 101.5)
    right.set_ylabel("I/Os at most so long (%)")


def classes(shortest: float, longest: float, logarithmic: bool) -> list[float]:
    """Borders of the histogram's classes, a little wider than the data."""
    if logarithmic:
        low, high = math.log10(shortest) - 0.02, math.log10(longest) + 0.02
        return [10 ** (low + (high - low) * i / BINS) for i in range(BINS + 1)]
    room = max((longest - shortest) * 0.03, longest * 0.01)
    low, high = max(shortest - room, 0.0), longest + room
    return [low + (high - low) * i / BINS for i in range(BINS + 1)]


def series(run: RunFolder, size: float) -> list[tuple[str, str, np.ndarray]]:
    """Name, colour and sorted times of the reads and of the writes; of all if there is one kind only."""
    kinds = directions(run)
    if not kinds:
        return [("all", RUNS[0], run.ios["response_time_ns"].sort().to_numpy() / size)]
    return [
        (name, WRITES if write else READS, run.ios.filter(write=write)["response_time_ns"].sort().to_numpy() / size)
        for name, write in kinds
    ]


def histogram(axes: Axes, runs: Sequence[RunFolder], edges: list[float], size: float) -> None:
    """One run: stacked by direction. Two: outlines over each other."""
    import numpy as np

    if len(runs) == 1:
        below = np.zeros(len(edges) - 1)
        parts = series(runs[0], size)
        for name, colour, times in parts:
            share = np.histogram(times, edges)[0] / runs[0].ios.height * 100
            axes.stairs(below + share, edges, baseline=below, fill=True, color=colour, label=name)
            below = below + share
        if len(parts) > 1:
            legend(axes)
        return
    for run, colour in zip(runs, RUNS, strict=False):
        times = run.ios["response_time_ns"].to_numpy() / size
        share = np.histogram(times, edges)[0] / max(len(times), 1) * 100
        axes.stairs(share, edges, fill=True, color=colour, alpha=0.22)
        axes.stairs(share, edges, color=colour, linewidth=1.3, label=run.label)
    legend(axes)


def legend(axes: Axes) -> None:
    """Above the panel, where no curve can be under it."""
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=3)


def cumulative(axes: Axes, runs: Sequence[RunFolder], size: float) -> None:
    """Curves of all I/Os; with one run also of each direction."""
    parts = series(runs[0], size) if len(runs) == 1 else []
    if len(parts) > 1:
        for name, colour, times in parts:
            curve(axes, times, colour, name, 1.0)
    for run, colour in zip(runs, RUNS if len(runs) > 1 else (INK,), strict=False):
        times = run.ios["response_time_ns"].sort().to_numpy() / size
        curve(axes, times, colour, run.label if len(runs) > 1 else "all", 1.5)
        places = [min(math.ceil(share * len(times)), len(times)) - 1 for share in MARKED]
        axes.plot([times[p] for p in places], [share * 100 for share in MARKED], "o", color=colour, markersize=3.5)
    if len(runs) > 1 or len(parts) > 1:
        legend(axes)


def curve(axes: Axes, times: np.ndarray, colour: str, label: str, width: float) -> None:
    """A cumulative distribution; where it has more steps than can be seen, only some of them."""
    import numpy as np

    shares = np.arange(1, len(times) + 1) / len(times) * 100
    # The last of equal times represents all of them.
    last = np.append(times[1:] != times[:-1], True)
    x, y = times[last], shares[last]
    if len(x) > 600:
        keep = np.unique(np.append(np.searchsorted(y, np.linspace(0, 100, 400)), np.arange(len(y) - 100, len(y))))
        keep = keep[keep < len(y)]
        x, y = x[keep], y[keep]
    axes.step(np.append(x[:1], x), np.append(0, y), where="post", color=colour, linewidth=width, label=label)
