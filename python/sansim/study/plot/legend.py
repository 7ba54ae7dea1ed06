"""The legend of a plot, placed where it covers nothing."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from sansim.doubts import UNSTABLE
from sansim.html_report.style import INK
from sansim.study.plot.look import BAND, BEYOND, HOLLOW, LEGEND, MARKED, Look, Looks, fitted, look_of_points, text_width
from sansim.study.plot.series import Contents
from sansim.study.table.text import one_line

Corner: TypeAlias = Literal["upper left", "lower right", "upper right", "lower left", "center right", "center left"]

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CORNERS: tuple[Corner, ...] = ("upper left", "lower right", "upper right", "lower left", "center right", "center left")
INTERVAL = "95 % interval"
FACTORED = 10
"""With more lines that differ in several things the legend explains colours, markers and dashes one by one."""
MOST_INSIDE = 8
"""Rows of a legend that may stand among the data."""
MOST_BELOW = 5
"""Rows of a legend below the panels; a longer one is on the right."""
WIDEST = 2.2
"""Inches: a label is wrapped beyond this."""
SAMPLE = 2.7
"""Length of the sample of a line, in the size of the letters: long enough to show how it is dashed."""
HANDLE = (SAMPLE + 0.9) * LEGEND / 72
"""Inches: the sample of a line and the gaps around it."""
GAP = 0.15
"""Inches between columns."""
ROW = LEGEND * 1.5 / 72
"""Inches from one row to the next."""


def add_legend(figure: Figure, grid: Sequence[Axes], what: Contents, looks: Looks) -> tuple[bool, float]:
    """Adds the legend where it covers nothing, and makes the figure large enough for it.

    In a single panel, which must have been laid out, it is put into a corner without data, if there is one; else below
    the panels, or on the right if it is long.

    Returns:
        Whether it is outside, and how many inches of the width it takes.
    """
    handles = entries(what, looks)
    if not handles:
        return False, 0.0
    title = fitted(looks.title(), WIDEST, LEGEND) or None
    labels = [str(handle.get_label()) for handle in handles]
    rows = sum(label.count("\n") + 1 for label in labels) + (title.count("\n") + 1 if title else 0)
    if len(grid) == 1 and rows <= MOST_INSIDE and inside(figure, grid[0], handles, title, what):
        return False, 0.0
    width, height = map(float, figure.get_size_inches())
    widest = max(text_width(part, LEGEND) for label in labels for part in label.split("\n")) + HANDLE
    columns = min(max(int((width - 0.2) / (widest + GAP)), 1), len(handles))
    # As many in each column as in any other, as far as that goes.
    columns = math.ceil(len(handles) / math.ceil(len(handles) / columns))
    if math.ceil(len(handles) / columns) <= (MOST_BELOW if len(grid) > 1 else 2):
        figure.legend(handles=handles, title=title, loc="outside lower center", ncols=columns, handlelength=SAMPLE)
        return True, 0.0
    # Where it would be higher than the sheet it gets further columns.
    columns = math.ceil(rows * ROW / max(height - 0.2, ROW))
    takes = columns * (widest + GAP)
    figure.set_figwidth(width + max(takes - WIDEST, 0.0))
    figure.legend(
        handles=handles,
        title=title,
        loc="outside right upper",
        ncols=columns,
        alignment="left",
        handlelength=SAMPLE,
    )
    return True, takes


# ---------------------------------------------------------------- entries


def entries(what: Contents, looks: Looks) -> list[Artist]:
    """The entries of the legend: lines, published points, intervals. Empty if there is only one line."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Artist] = []
    published = any(line.published for line in what.lines)
    if looks.dimensions or published or what.plot.points:
        handles += line_entries(what, looks)
    if published:
        handles.append(sample("published", Look(INK, "o", "none"), hollow=True))
    for number, points in enumerate(what.plot.points):
        handles.append(sample(points.label, look_of_points(number)))
    for text in dict.fromkeys(text for line in what.lines for _, text in line.marks):
        label = fitted(one_line(text).lstrip("_") or "-", WIDEST - HANDLE, LEGEND)
        handles.append(Line2D([], [], label=label, **MARKED))
    if any(line.unstable for line in what.lines):
        handles.append(Line2D([], [], color=INK, label=UNSTABLE, **BEYOND))
    if any(half > 0 for line in what.lines for half in line.half_widths):
        band = Patch(facecolor=INK, alpha=BAND, linewidth=0, label=INTERVAL)
        bar = Line2D([], [], color=INK, linestyle="none", marker="|", markersize=9, label=INTERVAL)
        over_axis = what.x.numbers is not None and not what.x.measured
        banded = over_axis and any(any(line.banded) for line in what.lines)
        handles.append(band if banded else bar)
    return handles


def line_entries(what: Contents, looks: Looks) -> list[Artist]:
    """An entry for each line, or for each label if there are many lines."""
    lines = {tuple(looks.indices(line)): line for line in what.lines}
    if len(lines) <= FACTORED or len(looks.dimensions) < 2:
        return [sample(looks.label(line), looks.of(line)) for line in lines.values()]
    first, *others = looks.dimensions
    colours = [sample(label, Look(looks.colours[n], "", "-")) for n, label in enumerate(first.labels)]
    rest = itertools.product(*(enumerate(dimension.labels) for dimension in others))
    for combination in rest:
        look = looks.look([0, *(index for index, _ in combination)])
        colours.append(sample(", ".join(label for _, label in combination), Look(INK, look.marker, look.dash)))
    return colours


def sample(label: str, look: Look, *, hollow: bool = False) -> Artist:
    """A sample of a line."""
    from matplotlib.lines import Line2D

    marker = HOLLOW if hollow else {"markersize": 4.2, "markeredgewidth": 0}
    # A label that begins with an underscore would be left out.
    text = fitted(one_line(label).lstrip("_") or "-", WIDEST - HANDLE, LEGEND, lines=3)
    return Line2D(
        [], [], color=look.colour, linestyle=look.dash, linewidth=1.4, marker=look.marker, label=text, **marker
    )


# ---------------------------------------------------------------- place


def inside(figure: Figure, axes: Axes, handles: Sequence[Artist], title: str | None, what: Contents) -> bool:
    """Puts the legend into the first corner in which it covers nothing, if there is one."""
    points = covered(axes, what)
    legend = axes.legend(
        handles=list(handles),
        title=title,
        handlelength=SAMPLE,
        frameon=True,
        facecolor="white",
        edgecolor="none",
        framealpha=0.8,
    )
    for corner in CORNERS:
        legend.set_loc(corner)
        box = legend.get_window_extent().padded(0.04 * figure.dpi)
        within = (points[:, 0] > box.x0) & (points[:, 0] < box.x1) & (points[:, 1] > box.y0) & (points[:, 1] < box.y1)
        if not within.any():
            return True
    legend.remove()
    return False


def covered(axes: Axes, what: Contents) -> np.ndarray:
    """Points all along the lines and the edges of their bands, and the crosses at the upper edge, in pixels."""
    import numpy as np

    share = np.linspace(0, 1, 60)[:, None]
    found = [np.empty((0, 2))]
    for line in what.lines:
        positions = what.x.shifted(line)
        values = np.asarray(line.values)
        halves = np.nan_to_num(np.asarray(line.half_widths))
        for edge in (values - halves, values, values + halves):
            # A band that goes down to zero leaves a logarithmic axis.
            edge = np.maximum(edge, axes.get_ylim()[0])
            places = axes.transData.transform(np.column_stack([positions, edge]))
            found += [places, *(a + (b - a) * share for a, b in itertools.pairwise(places))]
        for way in (-1, 1) if line.over else ():
            ends = np.asarray(positions) + way * np.nan_to_num(np.asarray(line.over_half_widths))
            found.append(axes.transData.transform(np.column_stack([ends, values])))
        for at, value in line.published:
            found.append(axes.transData.transform([(what.position_of_published(line, at), value)]))
    for points in what.plot.points:
        found.append(axes.transData.transform(np.column_stack([points.x, points.y])))
    found += [axes.get_xaxis_transform().transform([(position, 1.0)]) for position in what.crosses(what.lines)]
    every = np.concatenate(found)
    # Points over a metric that has no value are nowhere.
    return every[np.isfinite(every).all(axis=1)]
