"""Plots on paper: panels, lines with their intervals, published points, legends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sansim.study.model import Axis, Metric, Plot
from sansim.study.plot.legend import add_legend
from sansim.study.plot.look import (
    BAND,
    HOLLOW,
    LABEL,
    TITLE,
    WIDTH,
    WIDTH_OF_SEVERAL,
    Looks,
    are_numbers,
    fitted,
    plot_style,
    pretty,
)
from sansim.study.plot.scales import set_x, set_y, x_label
from sansim.study.plot.series import Contents, Line, contents, fault
from sansim.study.table.frame import with_unit
from sansim.study.table.text import one_line

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HEIGHT = 3.7
"""Inches: of a single panel."""
HEIGHT_OF_ONE_OF_SEVERAL = 2.55
BESIDE = 0.75
"""Inches: about the width of an axis' ticks and label."""
SPREAD = 0.6
"""Lines over words stand side by side within this share of the place of a word."""
FEW_POINTS = 25
"""With more places markers are smaller."""


def draw(
    plot: Plot,
    axes: Sequence[Axis],
    metrics: Sequence[Metric],
    frame: pl.DataFrame,
    published: pl.DataFrame | None = None,
) -> Figure:
    """Draws a plot of a study.

    Metrics of one unit share a panel; those of different units stand in panels one below the other. Published values
    are hollow markers in the colour of their line. Bands, or bars where a point has no neighbour, are the 95 %
    intervals.

    Args:
        plot: What to draw.
        axes: The axes of the study.
        metrics: The metrics of the study.
        frame: The long frame.
        published: The frame of published values.

    Raises:
        ValueError: It cannot be drawn; the text names the plot and says what to do.
    """
    what = contents(plot, axes, metrics, frame, published)
    check_logarithms(what)
    with plot_style():
        return drawn(what)


def check_logarithms(what: Contents) -> None:
    """Complains about what has no logarithm."""
    plot = what.plot
    for name in plot.log:
        if name not in ("x", "y"):
            raise fault(plot, f"`log` may have 'x' and 'y', not '{name}'")
    if "x" in plot.log:
        if what.x.numbers is None:
            raise fault(plot, f"'{plot.x}' has words and cannot be logarithmic; take \"x\" out of `log`")
        if what.x.numbers[0] <= 0:
            label = what.x.labels[0]
            raise fault(
                plot,
                f"'{plot.x}' has the value {label}, which has no logarithm; take \"x\" out of `log`, or leave the value"
                " out with `at`",
            )
    if "y" in plot.log:
        for line in what.lines:
            for place, value in [*enumerate(line.values), *line.published]:
                if value <= 0:
                    here = f"'{line.metric.name}' is {value:g} at {plot.x} = {what.x.labels[place]}"
                    raise fault(plot, f'{here}, which has no logarithm; take "y" out of `log`')


@dataclass(frozen=True)
class Sheet:
    """How the panels lie on the sheet: rows of panels, and in each a row for every unit."""

    panels: int
    units: int

    @property
    def across(self) -> int:
        """Panels side by side."""
        return {1: 1, 2: 2, 3: 3, 4: 2}.get(self.panels, 3)

    @property
    def down(self) -> int:
        """Rows of axes."""
        return math.ceil(self.panels / self.across) * self.units

    @property
    def single(self) -> bool:
        """Whether there are no two axes."""
        return self.panels == self.units == 1

    def place(self, panel: int, unit: int) -> tuple[int, int]:
        """Row and column of a panel's axes."""
        row, column = divmod(panel, self.across)
        return row * self.units + unit, column

    def lowest(self, panel: int, unit: int) -> bool:
        """Whether nothing stands below."""
        return unit == self.units - 1 and panel + self.across >= self.panels

    @property
    def width(self) -> float:
        """Of the sheet, in inches."""
        return WIDTH if self.across == 1 else WIDTH_OF_SEVERAL

    @property
    def row_height(self) -> float:
        """Of a row of axes with what stands around it, in inches."""
        return HEIGHT if self.single else HEIGHT_OF_ONE_OF_SEVERAL


def drawn(what: Contents) -> Figure:
    """The figure; within the style."""
    from matplotlib.figure import Figure

    sheet = Sheet(len(what.panels), len(what.groups))
    looks = Looks(what)
    figure = Figure(figsize=(sheet.width, sheet.down * sheet.row_height), layout="constrained")
    width = (sheet.width - BESIDE) / sheet.across - 0.1
    height = sheet.row_height - 2 * LABEL / 72 - 0.4
    grid: dict[tuple[int, int], Axes] = {}
    for unit, group in enumerate(what.groups):
        values = shown_values([line for line in what.lines if line.metric in group], "y" in what.plot.log)
        for panel in range(sheet.panels):
            row, column = sheet.place(panel, unit)
            axes = figure.add_subplot(sheet.down, sheet.across, row * sheet.across + column + 1)
            grid[panel, unit] = axes
            set_x(axes, what.x, "x" in what.plot.log, width)
            set_y(axes, values or [0.0], "y" in what.plot.log and bool(values), height)
            lines = [line for line in what.lines if line.panel == panel and line.metric in group]
            for place, line in enumerate(lines):
                draw_line(axes, what, line, looks, (place, len(lines)))
            if sheet.lowest(panel, unit):
                axes.set_xlabel(fitted(x_label(what.x), width, LABEL))
            else:
                axes.tick_params(labelbottom=False)
            if column == 0:
                axes.set_ylabel(fitted(y_label(group), height, LABEL, lines=3))
            else:
                axes.tick_params(labelleft=False)
            if unit == 0 and what.panel_axis:
                axes.set_title(fitted(panel_title(what, panel), width, LABEL, bold=True))
    add_title(figure, what.plot.title, sheet.width)
    takes = add_legend(figure, list(grid.values()), what, looks)
    if takes:
        # The legend stands beside the title, too.
        add_title(figure, what.plot.title, figure.get_figwidth() - takes)
    narrower = width - takes / sheet.across
    for axes in grid.values():
        set_x(axes, what.x, "x" in what.plot.log, narrower)
    # From here on everything stays where it is, whatever the figure is saved as.
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return figure


def add_title(figure: Figure, title: str, width: float) -> None:
    """The title above all panels, so many inches wide, with room for it."""
    if not title:
        return
    before = figure.get_suptitle()
    text = fitted(title, width - 0.2, TITLE, lines=3, bold=True)
    figure.suptitle(text, x=0.01, ha="left")
    lines = text.count("\n") - before.count("\n") + (0 if before else 1)
    figure.set_figheight(figure.get_figheight() + lines * TITLE * 1.3 / 72)


def shown_values(lines: Sequence[Line], log: bool) -> list[float]:
    """All numbers that a y axis has to show. On a logarithmic axis a band may go down out of sight."""
    values: list[float] = []
    for line in lines:
        for value, half_width in zip(line.values, line.half_widths, strict=True):
            half = 0.0 if math.isnan(half_width) else half_width
            low = value - half
            values += [value, value + half, value if log and low <= value / 10 else low]
        values += [value for _, value in line.published]
    return [value for value in values if not math.isnan(value)]


def y_label(group: Sequence[Metric]) -> str:
    """What stands beside the axis of some metrics: the words that their labels begin or end with, or the only label."""
    words = [one_line(metric.label).split() for metric in group]
    least = min(map(len, words))
    front = next((n for n in range(least) if len({w[n] for w in words}) > 1), least)
    back = next((n for n in range(least) if len({w[-1 - n] for w in words}) > 1), least)
    common = words[0][:front] if front >= back else words[0][len(words[0]) - back :]
    text = " ".join(common).strip(" ,:;-")
    return with_unit(text[:1].upper() + text[1:], pretty(group[0].unit)).strip()


def panel_title(what: Contents, panel: int) -> str:
    """What stands above a panel; a number says what it is of."""
    label = one_line(what.panels[panel] or "")
    return f"{one_line(what.panel_axis.label)} {label}" if what.panel_axis and are_numbers(what.panels) else label


def draw_line(axes: Axes, what: Contents, line: Line, looks: Looks, place: tuple[int, int]) -> None:
    """A line with markers, its interval and what was published. `place` is its place among so many lines."""
    look = looks.of(line)
    index, count = place
    words = what.x.numbers is None
    # Points over words would cover each other.
    shift = SPREAD * ((index + 0.5) / count - 0.5) if words and count > 1 else 0.0
    x = [position + shift for position in what.x.positions]
    over = 3 + (count - index) * 0.01
    axes.plot(
        x,
        line.values,
        color=look.colour,
        linestyle=look.dash,
        # Words have nothing between them; the line only leads the eye.
        linewidth=0.6 if words else 1.4,
        alpha=0.6 if words else 1.0,
        zorder=over,
    )
    axes.plot(
        x,
        line.values,
        linestyle="none",
        marker=look.marker,
        markersize=4.2 if len(x) <= FEW_POINTS else 2.4,
        markeredgewidth=0,
        color=look.colour,
        zorder=over + 1,
    )
    draw_intervals(axes, x, line, look.colour, bars=words)
    if line.published:
        axes.plot(
            [x[at] for at, _ in line.published],
            [value for _, value in line.published],
            linestyle="none",
            marker=look.marker,
            markeredgecolor=look.colour,
            zorder=over + 2,
            **HOLLOW,
        )


def draw_intervals(axes: Axes, x: Sequence[float], line: Line, colour: str, *, bars: bool) -> None:
    """The 95 % intervals of a line: a band, or bars over words and at points without neighbours."""
    known = [not math.isnan(value + half) for value, half in zip(line.values, line.half_widths, strict=True)]
    single = [
        bars or not any(known[other] for other in (at - 1, at + 1) if 0 <= other < len(known))
        for at in range(len(known))
    ]
    least = axes.get_ylim()[0] if axes.get_yscale() == "log" else -math.inf
    low = [max(value - half, least) for value, half in zip(line.values, line.half_widths, strict=True)]
    high = [value + half for value, half in zip(line.values, line.half_widths, strict=True)]
    if any(k and not s for k, s in zip(known, single, strict=True)):
        axes.fill_between(x, low, high, where=known, color=colour, alpha=BAND, linewidth=0, zorder=2)
    alone = [at for at in range(len(known)) if known[at] and single[at] and line.half_widths[at] > 0]
    if alone:
        spans = [[line.values[at] - low[at] for at in alone], [high[at] - line.values[at] for at in alone]]
        axes.errorbar(
            [x[at] for at in alone],
            [line.values[at] for at in alone],
            yerr=spans,
            fmt="none",
            ecolor=colour,
            elinewidth=1.0,
            capsize=2.5,
            zorder=3,
        )
