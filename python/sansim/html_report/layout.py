"""Where the panels of a chart stand: as large as their labels and the legends let them be.

Matplotlib's own way (`constrained`) measures every label twice and took half of the time of a report. Our charts are a
single grid of panels whose labels hardly change with the size of the panel, so measuring them once is enough.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from matplotlib.layout_engine import LayoutEngine

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

PAD = 3.0
"""Points round the sheet and on both sides of every panel."""


class OneGrid(LayoutEngine):
    """Lays out a figure with one grid of panels, each in a cell of its own, and perhaps a legend above or below."""

    _adjust_compatible = True
    _colorbar_gridspec = True

    def execute(self, fig: Figure) -> None:  # type: ignore[explicit-override]
        """Moves the panels to their places."""
        panels = [(axes, spec) for axes in fig.axes if (spec := axes.get_subplotspec()) is not None]
        if not panels:
            return
        grid = panels[0][1].get_gridspec()
        left, right = [0.0] * grid.ncols, [0.0] * grid.ncols
        above, below = [0.0] * grid.nrows, [0.0] * grid.nrows
        for axes, spec in panels:
            inner, outer = axes.bbox, axes.get_tightbbox(for_layout_only=True)
            if outer is None:
                continue
            column, row = spec.colspan.start, spec.rowspan.start
            left[column] = max(left[column], inner.x0 - outer.x0)
            right[column] = max(right[column], outer.x1 - inner.x1)
            above[row] = max(above[row], outer.y1 - inner.y1)
            below[row] = max(below[row], inner.y0 - outer.y0)
        pad = PAD * fig.dpi / 72
        top, bottom = legends(fig, pad)
        columns = cells(fig.bbox.width, 0.0, left, right, shares(grid.get_width_ratios(), grid.ncols), pad)
        rows = cells(fig.bbox.height - bottom, top, above, below, shares(grid.get_height_ratios(), grid.nrows), pad)
        for axes, spec in panels:
            place(fig, axes, columns[spec.colspan.start], rows[spec.rowspan.start])


def legends(fig: Figure, pad: float) -> tuple[float, float]:
    """Pixels that the figure's legends take above and below the panels."""
    top = bottom = 0.0
    for legend in fig.legends:
        box = legend.get_tightbbox()
        if box is not None and box.y0 > fig.bbox.height / 2:
            top = max(top, fig.bbox.height - box.y0 + pad)
        elif box is not None:
            bottom = max(bottom, box.y1 + pad)
    return top, bottom


def shares(ratios: ArrayLike | None, count: int) -> list[float]:
    """Shares of the room that the panels get."""
    import numpy as np

    given = np.ones(count) if ratios is None else np.asarray(ratios, dtype=float)
    return [float(share) for share in given / given.sum()]


def cells(
    end: float, begin: float, before: list[float], after: list[float], parts: list[float], pad: float
) -> list[tuple[float, float]]:
    """Begin and end of the panels along one direction, in pixels; `parts` are their shares of the room."""
    room = end - begin - sum(before) - sum(after) - 2 * pad * len(parts)
    sizes = [max(room, 1.0) * part for part in parts]
    steps = [b + size + a + 2 * pad for b, size, a in zip(before, sizes, after, strict=True)]
    starts = [begin, *(begin + step for step in accumulate(steps))]
    return [(s + pad + b, s + pad + b + size) for s, b, size in zip(starts, before, sizes, strict=False)]


def place(fig: Figure, axes: Axes, across: tuple[float, float], down: tuple[float, float]) -> None:
    """Puts a panel between these pixels, counted from the upper left corner."""
    width, height = fig.bbox.width, fig.bbox.height
    (x0, x1), (y0, y1) = across, down
    axes.set_position((x0 / width, 1 - y1 / height, (x1 - x0) / width, (y1 - y0) / height))
