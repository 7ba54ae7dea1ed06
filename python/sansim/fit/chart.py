"""The picture of every fit: a dot for each row, on the diagonal if it is met; full if used, hollow if predicted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sansim.html_report.style import READS, WRITES, plain_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Dot:
    """A row in the picture."""

    measured: float
    simulated: float
    write: bool
    square: bool
    predicted: bool
    label: str
    """The label of all dots that look like it."""


def draw_dots(axes: Axes, dots: Sequence[Dot], what: str) -> None:
    """Draws them; `what` is measured and simulated, with its unit."""
    groups: dict[tuple[bool, bool, bool], list[Dot]] = {}
    for dot in dots:
        groups.setdefault((dot.write, dot.square, dot.predicted), []).append(dot)
    for (write, square, predicted), mine in sorted(groups.items(), key=lambda group: group[0]):
        colour = WRITES if write else READS
        axes.plot(
            [dot.measured for dot in mine],
            [dot.simulated for dot in mine],
            "s" if square else "o",
            color=colour,
            markerfacecolor="none" if predicted else colour,
            markersize=6,
            linestyle="none",
            label=mine[0].label,
        )
    ends = ends_of(dots)
    axes.plot(ends, ends, color="#222222", linewidth=0.8, linestyle="--", zorder=0)
    for axis, scale, name in ((axes.xaxis, axes.set_xscale, "measured"), (axes.yaxis, axes.set_yscale, "simulated")):
        scale("log")
        plain_ticks(axis)
        axis.set_label_text(f"{name} {what}")
    if dots:
        axes.legend(loc="upper left")


def ends_of(dots: Sequence[Dot]) -> tuple[float, float]:
    """The ends of the diagonal."""
    values = [value for dot in dots for value in (dot.measured, dot.simulated)]
    return (min(values, default=1.0) / 1.3, max(values, default=1.0) * 1.3)
