"""The system as a graph: components as boxes in columns, commands going from left to right."""

from __future__ import annotations

from sansim.catalogue import kinds
from sansim.components import FRAMES, Component, Graph, named
from sansim.html_report.drawing import SHEET, Drawing, Path, Shape, Text, chart_of, shortened
from sansim.html_report.looks import Looks, looks_of_graph
from sansim.html_report.style import INK, Chart

MARGIN = 14.0
BOX_HEIGHT, DOWN = 44.0, 66.0
LOWEST = 124.0
"""A lower sheet could not be read on a narrow screen."""
WIDEST = 150.0
BETWEEN = 0.26
"""Share of a column that lies between its boxes and those of the next."""
LETTER = {True: 0.66, False: 0.57}
"""About the width of a letter, bold or not, over the size of the font."""
SMALLEST = 8.0
"""Letters that are smaller cannot be read."""
AROUND = 9.0
"""How far the frame around the modules of a controller is from them."""


def graph(system: Graph, name: str, prefix: str, looks: Looks | None = None) -> Chart:
    """The chart of a graph; each box has the colour that its component has in all charts."""
    return chart_of(
        draw(system, looks),
        name,
        "Components and links",
        f"{prefix}The components of the scenario, a group as one; commands go from left to right."
        " Full lines carry frames, dashed ones requests. A shaded frame is a controller, or a pair, with its modules.",
    )


def draw(system: Graph, looks: Looks | None = None) -> Drawing:
    """Places the boxes, each column in the middle of the sheet, and joins them."""
    looks = looks_of_graph(system) if looks is None else looks
    layers = system.layers()
    column = (SHEET - 2 * MARGIN) / max(len(layers), 1)
    wide = min(column * (1 - BETWEEN), WIDEST)
    height = max(max((len(layer) for layer in layers), default=1) * DOWN + 2 * MARGIN, LOWEST)
    places: dict[str, tuple[float, float]] = {}
    shapes: list[Shape] = []
    for number, layer in enumerate(layers):
        top = (height - len(layer) * DOWN) / 2 + DOWN / 2
        for row, component in enumerate(layer):
            places[component.name] = (MARGIN + column * (number + 0.5), top + row * DOWN)
    for start, end, flows in system.ways():
        (x, y), (to_x, to_y) = places[start], places[end]
        side = wide / 2 if to_x >= x else -wide / 2
        line = ((x + side, y), (to_x - side, to_y))
        shapes += [Path(line, "#8a8a8a", 1.6)] if flows == FRAMES else dashed(*line)
    for controller in dict.fromkeys(one.within for one in system.components if one.within is not None):
        within = [one.name for one in system.components if controller in (one.name, one.within)]
        shapes[:0] = frame([places[name] for name in within if name in places], wide)
    for layer in layers:
        for component in layer:
            shapes += box(component, *places[component.name], wide, looks.of(component.name).colour)
    return Drawing(SHEET, height, shapes, f"{len(system.components)} components and {len(system.links)} links")


def box(component: Component, x: float, y: float, wide: float, colour: str) -> list[Shape]:
    """A component: its name, and what it is, in a frame of its colour."""
    left, right, top, bottom = x - wide / 2, x + wide / 2, y - BOX_HEIGHT / 2, y + BOX_HEIGHT / 2
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    shapes: list[Shape] = [Path(corners, colour, 1.8, closed=True, fill="#ffffff")]
    if component.members > 1:
        # Another one behind it.
        behind = ((left + 4, top - 4), (right + 4, top - 4), (right + 4, bottom - 4))
        shapes.insert(0, Path(behind, colour, 1.2))
    name = named(component).replace(" x ", " \N{MULTIPLICATION SIGN} ")
    known = kinds().get(component.kind)
    kind = component.kind if known is None or known.drawn is None else known.one
    shapes.append(line(x, y - 8, name, wide, 12, INK, bold=True))
    shapes.append(line(x, y + 10, kind, wide, 11, "#555555"))
    return shapes


def line(x: float, y: float, text: str, wide: float, size: float, colour: str, *, bold: bool = False) -> Text:
    """A line in a box: in smaller letters if it is long, and cut if these would be too small."""
    room = wide - 8
    fits = room / (LETTER[bold] * max(len(text), 1))
    size = max(min(size, fits), SMALLEST)
    return Text(x, y, shortened(text, int(room / (LETTER[bold] * size))), size, colour, "middle", bold=bold)


def frame(places: list[tuple[float, float]], wide: float) -> list[Shape]:
    """The outline of one controller, with its modules."""
    left, right = (f(x for x, _ in places) + side for f, side in ((min, -wide / 2 - AROUND), (max, wide / 2 + AROUND)))
    half = BOX_HEIGHT / 2 + AROUND
    top, bottom = (f(y for _, y in places) + side for f, side in ((min, -half), (max, half)))
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    return [Path(corners, "#d7e5df", 1.2, closed=True, fill="#eef5f2")]


def dashed(start: tuple[float, float], end: tuple[float, float]) -> list[Shape]:
    """A line in pieces."""
    pieces = 9

    def at(share: float) -> tuple[float, float]:
        return start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share

    return [Path((at(number / pieces), at((number + 1) / pieces)), "#8a8a8a", 1.6) for number in range(0, pieces, 2)]
