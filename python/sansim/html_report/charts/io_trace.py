"""The charts of a trace of block I/O: its rate over time and the sizes of its requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sansim.html_report.style import READS, RUNS, WRITES, Chart, plain_ticks, zero_based
from sansim.html_report.topology import micro
from sansim.io_trace import block
from sansim.number_text import MB, duration

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TIME_UNITS = ((2 * 86_400.0, 86_400.0, "days"), (2 * 3_600.0, 3_600.0, "hours"), (0.0, 1.0, "s"))
"""From so many seconds on: a unit in seconds and its name."""


def rate_chart(info: Mapping[str, Any]) -> Chart:
    """Requests a second above, bytes a second below."""
    width = micro(duration(info["rate"]["width_s"] * 1e9))
    caption = f"The whole trace in parts of {width}; the last one may not be full."
    return Chart("rate", "Rate over time", caption, 3.6, lambda figure: draw_rate(figure, info))


def draw_rate(figure: Figure, info: Mapping[str, Any]) -> None:
    """Two panels with the same time."""
    import numpy as np

    above, below = figure.subplots(2, 1, sharex=True)
    seconds, bins = info["rate"]["width_s"], info["rate"]["bins"]
    whole = seconds * len(bins)
    unit, name = next((size, name) for least, size, name in TIME_UNITS if whole >= least)
    edges = [seconds / unit * place for place in range(len(bins) + 1)]
    above.stairs([one["requests"] / seconds for one in bins], edges, fill=True, color=RUNS[0])
    reads, writes = (
        np.array([one[key] for one in bins], dtype=float) / seconds / MB for key in ("bytes_read", "bytes_written")
    )
    below.stairs(reads, edges, fill=True, color=READS, label="read")
    below.stairs(reads + writes, edges, baseline=reads, fill=True, color=WRITES, label="written")
    below.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2)
    for axes in (above, below):
        zero_based(axes.yaxis)
        axes.set_xlim(0, edges[-1])
    above.set_title("requests")
    above.set_ylabel("requests/s")
    below.set_title("data")
    below.set_ylabel("MB/s (10⁶)")
    below.set_xlabel(f"time since the first request ({name})")
    plain_ticks(below.xaxis)


def size_chart(info: Mapping[str, Any]) -> Chart:
    """A bar for each of the most frequent sizes."""
    caption = "Share of all reads and writes."
    if info["other_sizes"]:
        caption += " Sizes that are less frequent are counted as others."
    return Chart("sizes", "Sizes", caption, 2.6, lambda figure: draw_sizes(figure, info))


def draw_sizes(figure: Figure, info: Mapping[str, Any]) -> None:
    """One panel, the smallest size first."""
    axes = figure.subplots()
    sizes = sorted(info["sizes"], key=lambda one: one["bytes"])
    names, shares = [block(one["bytes"]) for one in sizes], [one["share"] * 100 for one in sizes]
    if info["other_sizes"]:
        names.append("others")
        shares.append(info["other_sizes"] / (info["reads"] + info["writes"]) * 100)
    axes.bar(range(len(names)), shares, color=RUNS[0], width=0.7)
    slanted = len(names) > 9
    axes.set_xticks(range(len(names)), names, rotation=45 if slanted else 0, ha="right" if slanted else "center")
    axes.set_xlim(-0.6, max(len(names), 4) - 0.4)
    axes.set_ylabel("reads and writes (%)")
    axes.xaxis.grid(False)
    zero_based(axes.yaxis)
