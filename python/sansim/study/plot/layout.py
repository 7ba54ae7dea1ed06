"""How panels lie on the sheet, and what is written around them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from sansim.study.model import Metric
from sansim.study.plot.look import LABEL, TITLE, are_numbers, common_words, fitted, pretty
from sansim.study.plot.scales import GAP, longest_word, set_x, x_label
from sansim.study.plot.series import Contents
from sansim.study.table.frame import with_unit
from sansim.study.table.text import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Grid: TypeAlias = "dict[tuple[int, int], Axes]"
"""The axes of each panel and unit."""

WIDTH = 6.4
"""Inches: the width of one panel with its labels."""
WIDTH_OF_SEVERAL = 7.2
"""Inches: of panels side by side, the text width of an A4 or letter page."""
HEIGHT, HEIGHT_OF_ONE_OF_SEVERAL, HEIGHT_OF_ONE_OF_MANY = 3.0, 1.75, 1.35
"""Inches: of the axes of a single panel, of each of several, of each in many rows."""
SPARE = 4.0
"""Inches by which a sheet is higher than it seems to need, until the labels around the panels have been measured."""
CLOSE = 0.01
"""Inches: what is that near to its size has it."""
MOST_ROUNDS = 5
MANY = 3
"""So many rows are many."""
BESIDE = 0.8
"""Inches: about the width of the ticks and the label of a y axis."""


@dataclass(frozen=True)
class Sheet:
    """How the panels lie on the sheet: rows of panels, and in each a row for every unit."""

    panels: int
    units: int
    across: int
    """Panels side by side."""

    @property
    def down(self) -> int:
        """Rows of axes."""
        return math.ceil(self.panels / self.across) * self.units

    @property
    def width(self) -> float:
        """The width of the sheet, in inches."""
        return WIDTH if self.across == 1 else WIDTH_OF_SEVERAL

    @property
    def panel_width(self) -> float:
        """About that of a panel's axes, in inches."""
        return (self.width - BESIDE) / self.across - 0.1

    @property
    def panel_height(self) -> float:
        """The height of a panel's axes, in inches."""
        if self.panels == self.units == 1:
            return HEIGHT
        return HEIGHT_OF_ONE_OF_SEVERAL if self.down < MANY else HEIGHT_OF_ONE_OF_MANY

    def place(self, panel: int, unit: int) -> tuple[int, int]:
        """Row and column of a panel's axes."""
        row, column = divmod(panel, self.across)
        return row * self.units + unit, column

    def lowest(self, panel: int, unit: int) -> bool:
        """Whether no panel is below."""
        return unit == self.units - 1 and panel + self.across >= self.panels


def sheet_for(what: Contents) -> Sheet:
    """The sheet for a plot. Fewer panels are side by side if the words at their x axes need the room."""
    panels, units = len(what.panels), len(what.groups)
    most = {1: 1, 2: 2, 3: 3, 4: 2}.get(panels, 3)
    sheets = [Sheet(panels, units, across) for across in range(most, 0, -1)]
    if what.x.numbers is None:
        need = (longest_word(what.x.labels) + GAP / 2) * len(what.x.labels)
        return next((sheet for sheet in sheets if sheet.panel_width >= need), sheets[min(1, len(sheets) - 1)])
    return sheets[0]


def settle(figure: Figure, grid: Grid, what: Contents, sheet: Sheet) -> None:
    """Makes the sheet high enough for its panels, and fits ticks and labels to the room that there is."""
    written = sheet.panel_width
    write(grid, what, sheet, written, sheet.panel_height)
    engine = figure.get_layout_engine()
    assert engine is not None
    # Where there is no room left for panels there is no layout to begin with.
    figure.set_figheight(figure.get_figheight() + SPARE)
    # Labels that take more lines change the room that is left.
    for _ in range(MOST_ROUNDS):
        engine.execute(figure)
        boxes = [axes.get_window_extent() for axes in grid.values()]
        width = min(box.width for box in boxes) / figure.dpi
        missing = sheet.panel_height - min(box.height for box in boxes) / figure.dpi
        if abs(missing) < CLOSE and abs(width - written) < CLOSE:
            break
        figure.set_figheight(figure.get_figheight() + missing * sheet.down)
        write(grid, what, sheet, width, sheet.panel_height)
        written = width
    else:
        engine.execute(figure)


def write(grid: Grid, what: Contents, sheet: Sheet, width: float, height: float) -> None:
    """Writes ticks, labels and titles around panels that have so many inches."""
    for (panel, unit), axes in grid.items():
        set_x(axes, what.x, "x" in what.plot.log, width)
        if sheet.lowest(panel, unit):
            axes.set_xlabel(fitted(x_label(what.x), width, LABEL))
        if sheet.place(panel, unit)[1] == 0:
            axes.set_ylabel(fitted(y_label(what.groups[unit]), height, LABEL, lines=3))
        if unit == 0 and what.panel_axis:
            axes.set_title(fitted(panel_title(what, panel), width, LABEL, bold=True))


def add_title(figure: Figure, title: str, width: float) -> None:
    """The title above all panels, so many inches wide."""
    if title:
        figure.suptitle(fitted(title, width - 0.2, TITLE, lines=3, bold=True), x=0.01, ha="left")


def y_label(group: Sequence[Metric]) -> str:
    """The label of the axis of some metrics: the common part of their labels."""
    common, _ = common_words([metric.label for metric in group])
    return with_unit(common[:1].upper() + common[1:], pretty(group[0].unit)).strip()


def panel_title(what: Contents, panel: int) -> str:
    """The title of a panel; a number has the name of its axis."""
    label = one_line(what.panels[panel] or "")
    return f"{one_line(what.panel_axis.label)} {label}" if what.panel_axis and are_numbers(what.panels) else label
