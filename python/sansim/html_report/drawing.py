"""A few shapes that can be written as SVG by ourselves and drawn by matplotlib for the PNG."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, TypeAlias

from sansim.file_types import SVG_COMMENT
from sansim.html_report.style import WIDTH, Chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHEET = 920.0
"""How wide the sheets of pictures are; letters on them are about 12 high."""
FONT = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"


@dataclass(frozen=True)
class Text:
    """A line of text. `y` is its middle."""

    x: float
    y: float
    text: str
    size: float = 12
    colour: str = "#222222"
    anchor: str = "start"
    """`start`, `middle` or `end`."""
    bold: bool = False


@dataclass(frozen=True)
class Dot:
    """A circle, or a square or a diamond of about the same area."""

    x: float
    y: float
    radius: float
    fill: str
    shape: str = "circle"
    """`circle`, `square` or `diamond`."""
    title: str = ""
    """Shown under the pointer."""


@dataclass(frozen=True)
class Path:
    """A line through points."""

    points: tuple[tuple[float, float], ...]
    colour: str
    width: float = 1.5
    closed: bool = False
    fill: str = "none"


Shape: TypeAlias = Text | Dot | Path


@dataclass(frozen=True)
class Drawing:
    """Shapes on a sheet; the origin is the upper left corner."""

    width: float
    height: float
    shapes: list[Shape]
    title: str
    """Read to those who cannot see it."""


def chart_of(drawing: Drawing, name: str, title: str, caption: str) -> Chart:
    """The drawing as a chart of the page."""

    def on_figure(figure: Figure) -> None:
        axes = figure.add_axes((0, 0, 1, 1))
        figure.set_layout_engine("none")
        to_axes(drawing, axes, points_per_unit=WIDTH * 72 / drawing.width)

    return Chart(
        name=name,
        title=title,
        caption=caption,
        height=WIDTH * drawing.height / drawing.width,
        draw=on_figure,
        svg=lambda standalone: to_svg(drawing, standalone=standalone),
    )


def shortened(text: str, most: int) -> str:
    """A text of so many letters at most."""
    return text if len(text) <= most else text[: max(most - 1, 1)] + "…"


def corners(dot: Dot) -> list[tuple[float, float]]:
    """The corners of a square or a diamond."""
    if dot.shape == "square":
        side = dot.radius * 0.9
        offsets = [(-side, -side), (side, -side), (side, side), (-side, side)]
    else:
        side = dot.radius * 1.25
        offsets = [(0, -side), (side, 0), (0, side), (-side, 0)]
    return [(dot.x + x, dot.y + y) for x, y in offsets]


def arc(x: float, y: float, radius: float, begin: float, end: float) -> tuple[tuple[float, float], ...]:
    """Points on an arc. Angles in radians, clockwise from the top."""
    steps = max(round(abs(end - begin) / 0.03), 2)
    angles = [begin + (end - begin) * i / steps for i in range(steps + 1)]
    return tuple((x + radius * math.sin(a), y - radius * math.cos(a)) for a in angles)


# ---------------------------------------------------------------- SVG


def to_svg(drawing: Drawing, *, standalone: bool) -> str:
    """The drawing as SVG; a file of its own says which language it is in, a part of a page need not."""
    space = ' xmlns="http://www.w3.org/2000/svg"' if standalone else ""
    size = f' width="{number(drawing.width)}" height="{number(drawing.height)}"' if standalone else ""
    lines = [
        f'<svg{space}{size} viewBox="0 0 {number(drawing.width)} {number(drawing.height)}" role="img"'
        f' aria-label="{escape(drawing.title)}" font-family="{FONT}">'
    ]
    if standalone:
        lines.append(SVG_COMMENT)
        lines.append('<rect width="100%" height="100%" fill="#ffffff"/>')
    lines += [element(shape) for shape in drawing.shapes]
    return "\n".join([*lines, "</svg>"]) + "\n"


def number(value: float) -> str:
    """A coordinate, to a hundredth."""
    return f"{round(value, 2) + 0.0:g}" if abs(value) < 1000 else f"{value:.1f}"


def points(pairs: list[tuple[float, float]] | tuple[tuple[float, float], ...]) -> str:
    """Corners as an attribute."""
    return " ".join(f"{number(x)},{number(y)}" for x, y in pairs)


def element(shape: Shape) -> str:
    """An SVG element."""
    match shape:
        case Text():
            weight = ' font-weight="bold"' if shape.bold else ""
            # Not dominant-baseline, which not every program that reads SVG knows.
            base = shape.y + shape.size * 0.36
            return (
                f'<text x="{number(shape.x)}" y="{number(base)}" font-size="{number(shape.size)}"'
                f' fill="{shape.colour}" text-anchor="{shape.anchor}"{weight}>{escape(shape.text)}</text>'
            )
        case Dot():
            inside = f"<title>{escape(shape.title)}</title>" if shape.title else ""
            look = f'fill="{shape.fill}" stroke="#ffffff"'
            if shape.shape == "circle":
                place = f'cx="{number(shape.x)}" cy="{number(shape.y)}" r="{number(shape.radius)}"'
                return f"<circle {place} {look}>{inside}</circle>"
            return f'<polygon points="{points(corners(shape))}" {look}>{inside}</polygon>'
        case Path():
            kind = "polygon" if shape.closed else "polyline"
            look = f'stroke="{shape.colour}" stroke-width="{number(shape.width)}" fill="{shape.fill}"'
            return f'<{kind} points="{points(shape.points)}" {look}/>'


# ---------------------------------------------------------------- matplotlib


def to_axes(drawing: Drawing, axes: Axes, *, points_per_unit: float) -> None:
    """Draws it into axes that fill the figure."""
    axes.set_xlim(0, drawing.width)
    axes.set_ylim(drawing.height, 0)
    axes.set_axis_off()
    for order, shape in enumerate(drawing.shapes):
        to_artist(shape, axes, order, points_per_unit)


def to_artist(shape: Shape, axes: Axes, order: int, scale: float) -> None:
    """Adds a shape; later ones lie on top."""
    from matplotlib.patches import Circle, Polygon

    match shape:
        case Text():
            axes.text(
                shape.x,
                shape.y,
                shape.text,
                fontsize=shape.size * scale,
                color=shape.colour,
                ha={"start": "left", "middle": "center", "end": "right"}[shape.anchor],
                va="center",
                weight="bold" if shape.bold else "normal",
                zorder=order,
            )
        case Dot():
            look = {"facecolor": shape.fill, "edgecolor": "#ffffff", "linewidth": scale, "zorder": order}
            if shape.shape == "circle":
                axes.add_patch(Circle((shape.x, shape.y), shape.radius, **look))
            else:
                axes.add_patch(Polygon(corners(shape), closed=True, **look))
        case Path():
            if shape.closed:
                fill = {"facecolor": shape.fill, "edgecolor": shape.colour, "linewidth": shape.width * scale}
                axes.add_patch(Polygon(list(shape.points), closed=True, zorder=order, **fill))
            else:
                x, y = zip(*shape.points, strict=True)
                axes.plot(x, y, color=shape.colour, linewidth=shape.width * scale, zorder=order)
