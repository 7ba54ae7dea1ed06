"""A fabric as a picture: its switches, the links between them, and the nodes at each."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sansim import catalogue
from sansim.components import Component, Inside, Link
from sansim.html_report.drawing import SHEET, Dot, Drawing, Path, Shape, Text, chart_of, shortened
from sansim.html_report.looks import Looks, without_numbers
from sansim.html_report.style import FAINT, INK, Chart

MARGIN = 34.0
ROW = 118.0
"""From a row of switches to the next."""
BOX_HEIGHT = 26.0
NAMED = 58.0
"""With less room than this a switch has no name in its box."""
LETTER = 6.4
"""About the width of a letter in a box."""
NODE, NODES_DOWN = 11.0, 8
"""Room of a node under its switch, and how many stand in a column before the next one begins."""
MOST_NODES = 40
"""More nodes at a switch are counted and not drawn one by one."""
SWITCH = "fabric"
"""The kind whose mark switches have."""
LINK = "#8a8a8a"


def fabric(network: Component, kinds: dict[str, str], name: str, prefix: str, looks: Looks) -> Chart:
    """The chart of a fabric. `kinds` says of which kind each component is."""
    return chart_of(
        draw(network, kinds, looks),
        name,
        "Switches and links",
        f"{prefix}The switches of `{network.name}`, the links between them, and the nodes at each."
        " Switches with nodes stand lowest, the others the higher the further they are from any.",
    )


def draw(network: Component, kinds: dict[str, str], looks: Looks) -> Drawing:
    """Places switches and nodes on the sheet, and joins them."""
    inside = network.inside
    if inside is None:
        raise ValueError(f"`{network.name}` has nothing inside")
    places, lowest = placed(inside)
    shapes = list(links(inside, places))
    for switch, spot in places.items():
        shapes += box(switch.rpartition(".")[2], spot, looks.of(network.name).colour)
    for switch, nodes in nodes_at(inside).items():
        shapes += under(nodes, kinds, places[switch], looks)
    shapes += legend(network, inside, kinds, lowest + 14, looks)
    title = f"{network.name}: {len(inside.places)} switches and {len(inside.links)} links between them"
    return Drawing(SHEET, lowest + 44, shapes, title)


def nodes_at(inside: Inside) -> dict[str, list[tuple[str, str]]]:
    """The nodes at each switch that has some: their names, and as stations have them."""
    at: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for node in inside.nodes:
        at[node.at].append((node.name, node.listed))
    return at


# ---------------------------------------------------------------- where switches stand


@dataclass(frozen=True)
class Spot:
    """The place of a switch."""

    x: float
    y: float
    room: float
    """How much it has from left to right."""
    apart: float
    """How far the next one in its row is."""
    down: float
    """How much its nodes have below it."""
    row: int
    """Its row from the top; nothing goes between switches of one row but by their side, or over them."""

    @property
    def side(self) -> float:
        """Half of its width."""
        return min(0.44 * self.room, 60.0) if self.room >= NAMED else self.half

    @property
    def half(self) -> float:
        """Half of its height: with little room it is a mark without a name."""
        return BOX_HEIGHT / 2 if self.room >= NAMED else min(0.38 * self.room, 8.0)


def placed(inside: Inside) -> tuple[dict[str, Spot], float]:
    """The place of each switch, and the height of all."""
    rows = ranks(inside)
    if len(rows) > 1 or len(inside.places) < 4:
        return in_rows(inside, rows)
    return on_a_grid(inside, grid) if (grid := grid_of(inside)) else in_a_ring(inside)


def in_rows(inside: Inside, rows: list[list[str]]) -> tuple[dict[str, Spot], float]:
    """Switches with nodes lowest, the others above them."""
    wide = SHEET - 2 * MARGIN
    bulge = 46.0 if any(same_row(inside, row) for row in rows) and len(rows) > 1 else 0.0
    top = MARGIN + BOX_HEIGHT / 2 + bulge
    nodes = nodes_at(inside)
    places, lowest = {}, 0.0
    for number, row in enumerate(reversed(rows)):
        room, y = wide / len(row), top + number * ROW
        down = max((tall(len(nodes[switch]), room) for switch in row if switch in nodes), default=0.0)
        for place, switch in enumerate(row):
            places[switch] = Spot(MARGIN + room * (place + 0.5), y, room, room, down, number)
        lowest = max(lowest, y + BOX_HEIGHT / 2 + down)
    return places, lowest


def grid_of(inside: Inside) -> dict[str, tuple[int, int]]:
    """Row and column of each switch, where all names say them and links go to the next one only; nothing otherwise."""
    found = {}
    for place in inside.places:
        if (match := re.search(r"(\d+)_(\d+)$", place)) is None:
            return {}
        found[place] = (int(match[1]), int(match[2]))

    def steps(link: Link) -> int:
        (row, column), (other_row, other_column) = found[link.start], found[link.end]
        return abs(row - other_row) + abs(column - other_column)

    is_grid = len(set(found.values())) == len(found) and all(steps(link) == 1 for link in inside.links)
    return found if is_grid else {}


def on_a_grid(inside: Inside, grid: dict[str, tuple[int, int]]) -> tuple[dict[str, Spot], float]:
    """Switches that all have nodes, in rows and columns."""
    columns = max(column for _, column in grid.values()) + 1
    room = (SHEET - 2 * MARGIN) / columns
    most = max((len(nodes) for nodes in nodes_at(inside).values()), default=0)
    down = tall(most, 0.5 * room)
    step = max(down + BOX_HEIGHT + 26, 0.6 * ROW)
    top = MARGIN + BOX_HEIGHT / 2
    places = {
        switch: Spot(MARGIN + room * (column + 0.5), top + step * row, 0.5 * room, room, down, row)
        for switch, (row, column) in grid.items()
    }
    return places, max(spot.y for spot in places.values()) + BOX_HEIGHT / 2 + down


def in_a_ring(inside: Inside) -> tuple[dict[str, Spot], float]:
    """Switches that all have nodes, in the order of the file."""
    count = len(inside.places)
    across, high = SHEET / 2 - MARGIN - 60, max(150.0, 14.0 * count)
    room = min(2 * math.pi * across / count * 0.7, 130.0)
    down = max((tall(len(nodes), room) for nodes in nodes_at(inside).values()), default=0.0)
    places = {}
    for number, switch in enumerate(inside.places):
        turn = 2 * math.pi * number / count
        x, y = SHEET / 2 + across * math.sin(turn), MARGIN + 20 + high * (1 - math.cos(turn))
        places[switch] = Spot(x, y, room, room, down, number)
    return places, max(spot.y for spot in places.values()) + BOX_HEIGHT / 2 + down


def ranks(inside: Inside) -> list[list[str]]:
    """The switches in rows, those with nodes first, each by how many links it is from one of these."""
    beside = neighbours(inside)
    lowest = set(nodes_at(inside)) or set(inside.places)
    rank = dict.fromkeys(lowest, 0)
    waiting = deque(switch for switch in inside.places if switch in lowest)
    while waiting:
        switch = waiting.popleft()
        for other in beside[switch]:
            if other not in rank:
                rank[other] = rank[switch] + 1
                waiting.append(other)
    rows: list[list[str]] = [[] for _ in range(max(rank.values(), default=0) + 1)]
    for switch in inside.places:
        rows[rank.get(switch, 0)].append(switch)
    # Each row in the order of what is below it, so that few links cross.
    for lower, row in pairwise(rows):
        where = {switch: place / len(lower) for place, switch in enumerate(lower)}

        def middle(switch: str, where: dict[str, float] = where) -> float:
            found = [where[other] for other in beside[switch] if other in where]
            return sum(found) / len(found) if found else 0.5

        row.sort(key=middle)
    return rows


def neighbours(inside: Inside) -> dict[str, list[str]]:
    """The switches that each is linked to."""
    beside: dict[str, list[str]] = defaultdict(list)
    for link in inside.links:
        beside[link.start].append(link.end)
        beside[link.end].append(link.start)
    return beside


def same_row(inside: Inside, row: Sequence[str]) -> bool:
    """Whether switches of a row are linked to each other."""
    within = set(row)
    return any(link.start in within and link.end in within for link in inside.links)


# ---------------------------------------------------------------- what is drawn


def links(inside: Inside, places: dict[str, Spot]) -> Iterator[Shape]:
    """The links between switches; several side by side are one line with their number."""
    several = Counter(tuple(sorted((link.start, link.end))) for link in inside.links)
    for (one, other), count in several.items():
        line = between(places[one], places[other])
        yield Path(line, LINK, 1.3 if count == 1 else 2.6)
        if count > 1:
            x, y = line[len(line) // 2] if len(line) > 2 else middle_of(line)
            yield Text(x + 5, y - 7, f"{count} \N{MULTIPLICATION SIGN}", 10.5, "#555555")


def between(one: Spot, other: Spot) -> tuple[tuple[float, float], ...]:
    """A line from a switch to another one: past those between them if they are in one row."""
    if one.row != other.row:
        upper, lower = (one, other) if one.y <= other.y else (other, one)
        if abs(upper.x - lower.x) < 1 and upper.down:
            # Past its nodes.
            start, end = upper.x + upper.side, lower.x + lower.side
            aside = upper.x + 0.5 * upper.room + 8
            return ((start, upper.y), (aside, upper.y + 12), (aside, lower.y - 12), (end, lower.y))
        return ((upper.x, upper.y + upper.half), (lower.x, lower.y - lower.half))
    left, right = (one, other) if one.x <= other.x else (other, one)
    if right.x - left.x <= 1.2 * left.apart:
        return ((left.x + left.side, left.y), (right.x - right.side, right.y))
    rise = min(18 + 0.12 * (right.x - left.x), 60.0)
    steps = [step / 12 for step in range(13)]
    top = left.y - left.half
    return tuple((left.x + (right.x - left.x) * at, top - 4 * rise * at * (1 - at)) for at in steps)


def middle_of(line: tuple[tuple[float, float], ...]) -> tuple[float, float]:
    """The middle of a straight line."""
    (x, y), (to_x, to_y) = line
    return (x + to_x) / 2, (y + to_y) / 2


def box(name: str, spot: Spot, colour: str) -> Iterator[Shape]:
    """A switch: a box with its name, or a mark that has it under the pointer, in the colour of its network."""
    x, y, tall = spot.x, spot.y, spot.half
    if spot.room < NAMED:
        yield Dot(x, y, tall, colour, "square", name)
        return
    half = spot.side
    corners = ((x - half, y - tall), (x + half, y - tall), (x + half, y + tall), (x - half, y + tall))
    yield Path(corners, colour, 1.8, closed=True, fill="#ffffff")
    most = int(2 * half / LETTER)
    yield Text(x, y, shortened(name, most), 11.5, INK, "middle")


def columns_of(count: int, room: float) -> int:
    """In how many columns so many nodes stand."""
    return max(min(math.ceil(count / NODES_DOWN), int(room / NODE)), 1)


def is_many(count: int, room: float) -> bool:
    """Whether so many nodes are counted and not drawn one by one."""
    return count > MOST_NODES or count / columns_of(count, room) > NODES_DOWN


def tall(count: int, room: float) -> float:
    """How far down the nodes of a switch reach."""
    rows = 2.5 if is_many(count, room) else math.ceil(count / columns_of(count, room))
    return rows * NODE + 12


def under(nodes: Sequence[tuple[str, str]], kinds: dict[str, str], spot: Spot, looks: Looks) -> Iterator[Shape]:
    """The nodes at a switch, hosts first; of many the number of each component."""
    ordered = sorted(nodes, key=lambda node: (not is_host(kind_of(node[1], kinds)), node[1]))
    x, y = spot.x, spot.y + spot.half
    yield Path(((x, y), (x, y + 6)), LINK, 1.3)
    if is_many(len(ordered), spot.room):
        for row, (kind, count) in enumerate(Counter(kind_of(listed, kinds) for _, listed in ordered).items()):
            place = y + 13 + row * (NODE + 4)
            alike = {component_of(listed) for _, listed in ordered if kind_of(listed, kinds) == kind}
            yield symbol(kind, x - 12, place, 4.6, "", colour_of(alike, looks))
            yield Text(x - 4, place, f"{count}", 10.5)
        return
    columns = columns_of(len(ordered), spot.room)
    for number, (name, listed) in enumerate(ordered):
        column, row = number % columns, number // columns
        left = x + (column - (min(columns, len(ordered)) - 1) / 2) * NODE
        yield symbol(kind_of(listed, kinds), left, y + 11 + row * NODE, 4.6, name, looks.of(listed).colour)


def legend(network: Component, inside: Inside, kinds: dict[str, str], y: float, looks: Looks) -> Iterator[Shape]:
    """The symbols: each component with its nodes, or of many components each kind, and the number of switches."""
    nodes = Counter(component_of(node.listed) for node in inside.nodes)
    hosts_first = sorted(nodes, key=lambda name: not is_host(kinds.get(name, "")))
    switches = len(inside.places)
    first = (SWITCH, looks.of(network.name).colour, f"{switches:,} {'switch' if switches == 1 else 'switches'}")
    count = len(inside.links)
    last = f"{count:,} link{'' if count == 1 else 's'} between switches of {network.name}"
    entries = [first]
    for name in hosts_first:
        times = f" \N{MULTIPLICATION SIGN} {nodes[name]:,}" if nodes[name] > 1 else ""
        entries.append((kinds.get(name, ""), looks.of(name).colour, f"{name}{times}"))
    if sum(wide(text) for _, _, text in entries) + wide(last) > SHEET - 2 * MARGIN:
        entries = [first]
        for kind in dict.fromkeys(kinds.get(name, "") for name in hosts_first):
            alike = {name for name in nodes if kinds.get(name, "") == kind}
            number = sum(nodes[name] for name in alike)
            entries.append((kind, colour_of(alike, looks), f"{number:,} {called(kind)[0 if number == 1 else 1]}"))
    x = MARGIN
    for kind, colour, text in entries:
        yield symbol(kind, x, y, 5.5, "", colour)
        yield Text(x + 11, y, text, 12)
        x += wide(text)
    yield Text(x, y, last, 12)


def wide(text: str) -> float:
    """The room of an entry of the legend with its symbol."""
    return 30 + len(text) * LETTER * 1.1


def component_of(listed: str) -> str:
    """The component of a station: `drives` of `drives[3].adapters.left`."""
    return without_numbers(listed).partition(".")[0]


def colour_of(components: set[str], looks: Looks) -> str:
    """The colour of a symbol: that of the component that it means, a faint one if it means several."""
    return looks.of(next(iter(components))).colour if len(components) == 1 else FAINT


def kind_of(listed: str, kinds: dict[str, str]) -> str:
    """The kind of the component of a station."""
    return kinds.get(component_of(listed), "")


def symbol(kind: str, x: float, y: float, size: float, title: str, colour: str) -> Dot:
    """The mark of a switch or a node: the shape of its kind in the colour of its component."""
    known = catalogue.kinds().get(kind)
    return Dot(x, y, size, colour, "circle" if known is None else known.shape, title)


def is_host(kind: str) -> bool:
    """Whether requests go through components of a kind."""
    known = catalogue.kinds().get(kind)
    return known is not None and known.is_host


def called(kind: str) -> tuple[str, str]:
    """The nouns for one member of a kind, and for several."""
    known = catalogue.kinds().get(kind)
    return (kind, kind) if known is None else (known.one, known.several)
