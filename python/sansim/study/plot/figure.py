"""Plots on paper: panels, lines with their intervals, published points, legends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sansim.html_report.style import INK
from sansim.study.model import Axis, Metric, Plot
from sansim.study.plot.layout import Grid, add_title, settle, sheet_for
from sansim.study.plot.legend import add_legend
from sansim.study.plot.look import BAND, BEYOND, HOLLOW, MARKED, Looks, look_of_points, plot_style
from sansim.study.plot.scales import set_y
from sansim.study.plot.series import Contents, Line, contents, fault

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
    intervals; over a metric they are bars in both directions.

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
    for points in plot.points:
        for name, values in (("x", points.x), ("y", points.y)):
            if name in plot.log and min(values) <= 0:
                here = f"the points '{points.label}' have {min(values):g} in `{name}`"
                raise fault(plot, f'{here}, which has no logarithm; take "{name}" out of `log`')
    if "x" in plot.log:
        if what.x.numbers is None:
            raise fault(plot, f"'{plot.x}' has words and cannot be logarithmic; take \"x\" out of `log`")
        if what.x.numbers[0] <= 0:
            if what.x.measured:
                raise fault(
                    plot,
                    f"'{plot.over[0]}' is {what.x.numbers[0]:g} at a point, which has no logarithm; "
                    f'take "x" out of `log`',
                )
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


def drawn(what: Contents) -> Figure:
    """The figure; within the style."""
    from matplotlib.figure import Figure

    sheet = sheet_for(what)
    looks = Looks(what)
    figure = Figure(figsize=(sheet.width, sheet.down * (sheet.panel_height + 0.6)), layout="constrained")
    grid: Grid = {}
    log = "y" in what.plot.log
    for unit, group in enumerate(what.groups):
        values = shown_values([line for line in what.lines if line.metric in group], log)
        values += [value for points in what.points(group) for value in points.y]
        for panel in range(sheet.panels):
            row, column = sheet.place(panel, unit)
            axes = figure.add_subplot(sheet.down, sheet.across, row * sheet.across + column + 1)
            axes.tick_params(labelleft=column == 0, labelbottom=sheet.lowest(panel, unit))
            grid[panel, unit] = axes
            # Before the lines are drawn: bands end where the axis does.
            set_y(axes, values or [0.0], log and bool(values), sheet.panel_height)
            here = [line for line in what.lines if line.panel == panel and line.metric in group]
            for line in here:
                draw_line(axes, what, line, looks)
            draw_unstable(axes, what, here, looks)
            draw_points(axes, what, group)
    figure.align_ylabels()
    add_title(figure, what.plot.title, sheet.width)
    if len(grid) == 1:
        # Whether the legend has room inside depends on where everything is.
        settle(figure, grid, what, sheet)
    outside, takes = add_legend(figure, list(grid.values()), what, looks)
    if outside or len(grid) > 1:
        # It may stand beside the title.
        add_title(figure, what.plot.title, figure.get_figwidth() - takes)
        settle(figure, grid, what, sheet)
    # From here on everything stays where it is, whatever the figure is saved as.
    figure.set_layout_engine("none")
    return figure


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


def draw_line(axes: Axes, what: Contents, line: Line, looks: Looks) -> None:
    """A line with markers, its interval and what was published."""
    look = looks.of(line)
    index, count = line.slot
    words = what.x.numbers is None
    # Points over a metric may lie in any order, so that a band would cover itself.
    bars = words or bool(what.x.measured)
    x = what.x.shifted(line)
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
        # A point on the edge is seen whole.
        clip_on=False,
        zorder=over + 1,
    )
    draw_intervals(axes, x, line, look.colour, bars=bars)
    if line.marks:
        places = [place for place, _ in line.marks]
        axes.plot([x[at] for at in places], [line.values[at] for at in places], clip_on=False, zorder=5, **MARKED)
    if line.published:
        axes.plot(
            [what.position_of_published(line, at) for at, _ in line.published],
            [value for _, value in line.published],
            linestyle="none",
            marker=look.marker,
            markeredgecolor=look.colour,
            clip_on=False,
            zorder=over + 2,
            **HOLLOW,
        )


def draw_unstable(axes: Axes, what: Contents, lines: Sequence[Line], looks: Looks) -> None:
    """Crosses at the upper edge where lines have no value because more requests arrive than complete.

    A cross for several lines is in the colour of none.
    """
    for position, crossed in what.crosses(lines).items():
        axes.plot(
            [position],
            [1.0],
            transform=axes.get_xaxis_transform(),
            color=looks.of(crossed[0]).colour if len(crossed) == 1 else INK,
            clip_on=False,
            zorder=5,
            **BEYOND,
        )


def draw_points(axes: Axes, what: Contents, group: Sequence[Metric]) -> None:
    """Points of other sources, in grey tones, joined in their order."""
    for points in what.points(group):
        look = look_of_points(what.plot.points.index(points))
        axes.plot(
            points.x,
            points.y,
            color=look.colour,
            linestyle=look.dash,
            marker=look.marker,
            linewidth=1.0,
            markersize=4.2,
            clip_on=False,
            zorder=2.5,
        )


def draw_intervals(axes: Axes, x: Sequence[float], line: Line, colour: str, *, bars: bool) -> None:
    """The 95 % intervals of a line: a band, or bars over words and at points without neighbours."""
    known, banded = line.known, [at and not bars for at in line.banded]
    least = axes.get_ylim()[0] if axes.get_yscale() == "log" else -math.inf
    low = [max(value - half, least) for value, half in zip(line.values, line.half_widths, strict=True)]
    high = [value + half for value, half in zip(line.values, line.half_widths, strict=True)]
    if any(banded):
        axes.fill_between(x, low, high, where=banded, color=colour, alpha=BAND, linewidth=0, zorder=2)
    alone = [at for at in range(len(x)) if known[at] and not banded[at] and line.half_widths[at] > 0]
    sideways = [at for at, half in enumerate(line.over_half_widths) if half > 0 and not math.isnan(line.values[at])]
    if sideways:
        axes.errorbar(
            [x[at] for at in sideways],
            [line.values[at] for at in sideways],
            xerr=[line.over_half_widths[at] for at in sideways],
            fmt="none",
            ecolor=colour,
            elinewidth=1.0,
            capsize=2.5,
            zorder=3,
        )
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
