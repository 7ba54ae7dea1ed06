"""The loop as a picture: a ring with its stations in order, and what they are beside it."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sansim.catalogue import kinds
from sansim.html_report.drawing import SHEET, Dot, Drawing, Path, Shape, Text, arc, chart_of, shortened
from sansim.html_report.looks import Looks
from sansim.html_report.style import INK, Chart
from sansim.html_report.system import Group, Station, System
from sansim.number_text import duration

if TYPE_CHECKING:
    from sansim.html_report.folder import RunFolder

CENTRE_X, RADIUS = 258.0, 138.0
LIST_X = 520.0
LINE, GAP = 18.0, 12.0
NAMED_STATIONS = 24
"""With more stations only the first and the last of a group are named."""
LONGEST_NAME = 16
NAME_SIZE = 11.5
LONGEST_LINE = 56
DENSE = 48
"""From so many stations on the arrows do not fit between two of them."""


def topology(runs: Sequence[RunFolder], systems: Sequence[System], name: str, caption: str, looks: Looks) -> Chart:
    """The chart of a system, or of two with the same ring: differences are shown for both."""
    return chart_of(draw(runs, systems, looks), name, "Topology", caption)


def draw(runs: Sequence[RunFolder], systems: Sequence[System], looks: Looks) -> Drawing:
    """Places everything on the sheet."""
    run, system = runs[0], systems[0]
    beside = [(group, [part for line in lines for part in wrapped(line)]) for group, lines in blocks(runs, systems)]
    tall = sum(LINE * len(lines) + GAP for _, lines in beside)
    height = max(tall + 24, 2 * RADIUS + 84)
    middle = height / 2
    shapes = [*ring(system, middle, looks), *in_the_middle(run, system, middle)]
    y = (height - tall) / 2 + LINE / 2
    for group, lines in beside:
        if group is not None:
            shapes.append(symbol(group, LIST_X - 18, y, 6.5, looks))
        for place, text in enumerate(lines):
            shapes.append(Text(LIST_X, y, text, 13 if place == 0 else 12, bold=place == 0))
            y += LINE
        y += GAP
    return Drawing(SHEET, height, shapes, f"{system.loop}: a ring of {len(system.stations)} stations")


def angle(number: float, stations: int) -> float:
    """The angle of a station: clockwise from the top."""
    return 2 * math.pi * number / max(stations, 1)


def ring(system: System, middle: float, looks: Looks) -> Iterator[Shape]:
    """The loop, the direction of the words, the stations and their names."""
    stations = system.stations
    count = len(stations)
    yield Path(arc(CENTRE_X, middle, RADIUS, 0, 2 * math.pi), "#9a9a9a", 2.0, closed=True)
    radius = min(9.0, 0.4 * 2 * math.pi * RADIUS / max(count, 1))
    for group in system.groups:
        if group.count > 1:
            begin, end = angle(group.first, count), angle(group.first + group.count - 1, count)
            yield Path(arc(CENTRE_X, middle, RADIUS - 19, begin, end), looks.of(group.name).colour, 2.5)
    for turn in (0.125, 0.375, 0.625, 0.875):
        # Between two stations, so that no station hides it, or within the ring.
        place = (math.floor(turn * count) + 0.5) / max(count, 1) * 2 * math.pi
        yield arrow(place, middle, RADIUS if count < DENSE else RADIUS - 19)
    # Groups of one last, so that their neighbours do not cover them.
    for station in sorted(stations, key=lambda s: (s.group.count == 1, s.number)):
        turn = angle(station.number, count)
        x, y = CENTRE_X + RADIUS * math.sin(turn), middle - RADIUS * math.cos(turn)
        # A lone host among many drives should still be seen.
        size = max(radius, 7.0) if station.group.count == 1 else radius
        yield symbol(station.group, x, y, size, looks, station.name)
    yield from names(stations, middle)


def arrow(turn: float, middle: float, radius: float) -> Path:
    """A small arrow head on a circle, pointing clockwise."""

    def at(away: float, shift: float) -> tuple[float, float]:
        return CENTRE_X + away * math.sin(turn + shift), middle - away * math.cos(turn + shift)

    tip, back = 6 / radius, -4 / radius
    return Path((at(radius, tip), at(radius - 5, back), at(radius + 5, back)), "#6f6f6f", 1, True, "#6f6f6f")


def names(stations: list[Station], middle: float) -> Iterator[Shape]:
    """Names outside the ring: of all stations, or of the first and the last of each group.

    A name that would cover another moves outwards, with a line to its station; after three steps it is left out.
    """
    count = len(stations)
    taken: list[tuple[float, float, float, float]] = []
    ends = [s for s in stations if s.index in (0, s.group.count - 1)]
    # The names of groups of one move outwards, between those that begin at their neighbours.
    shown = stations if count <= NAMED_STATIONS else sorted(ends, key=lambda s: (s.group.count == 1, s.number))
    for station in shown:
        turn = angle(station.number, count)
        side, up = math.sin(turn), -math.cos(turn)
        anchor = "middle" if abs(side) < 0.01 else "start" if side > 0 else "end"
        text = shortened(station.name, LONGEST_NAME)
        for step in range(4):
            away = RADIUS + 16 + 15 * step
            x, y = CENTRE_X + away * side, middle + away * up
            place = outline(x, y, text, anchor)
            if not any(overlap(place, other) for other in taken):
                taken.append(place)
                if step:
                    near = RADIUS + 9
                    root = (CENTRE_X + near * side, middle + near * up)
                    yield Path((root, (CENTRE_X + (away - 7) * side, middle + (away - 7) * up)), "#9a9a9a", 0.8)
                yield Text(x, y, text, NAME_SIZE, anchor=anchor)
                break


def outline(x: float, y: float, text: str, anchor: str) -> tuple[float, float, float, float]:
    """About the room that a name takes: left, top, right, bottom."""
    wide = len(text) * NAME_SIZE * 0.62
    left = x - {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
    return left - 2, y - NAME_SIZE * 0.55, left + wide + 2, y + NAME_SIZE * 0.55


def overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    """Whether two rectangles share a point."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def in_the_middle(run: RunFolder, system: System, middle: float) -> Iterator[Text]:
    """The loop's own facts, inside the ring."""
    trip = run.summary["components"].get(system.loop, {}).get("round_trip_ns")
    facts = [*system.facts, *([f"once round {micro(duration(trip))}"] if trip is not None else [])]
    # Inside the ring lines are short.
    lines = [part for fact in facts for part in textwrap.wrap(fact, 28)]
    y = middle - LINE * len(lines) / 2
    yield Text(CENTRE_X, y, shortened(system.loop, 24), 13, INK, "middle", bold=True)
    for place, line in enumerate(lines, start=1):
        yield Text(CENTRE_X, y + place * LINE, shortened(line, 30), 11.5, INK, "middle")


def blocks(runs: Sequence[RunFolder], systems: Sequence[System]) -> Iterator[tuple[Group | None, list[str]]]:
    """The blocks beside the ring: one for each component and one for the workloads."""
    for members in zip(*(system.groups for system in systems), strict=True):
        facts = [group_lines(run, group) for run, group in zip(runs, members, strict=True)]
        yield members[0], together(facts)
    workloads = together([system.workloads for system in systems])
    if workloads:
        yield None, ["workloads" if max(len(system.workloads) for system in systems) > 1 else "workload", *workloads]


def group_lines(run: RunFolder, group: Group) -> list[str]:
    """The lines about a component of a run."""
    used = run.summary["components"].get(group.name, {}).get("utilisation")
    known = kinds().get(group.kind)
    what = group.kind if known is None else known.several if group.count > 1 else known.one
    times = f" \N{MULTIPLICATION SIGN} {group.count}" if group.count > 1 else ""
    where = f"station {group.first}"
    if group.count > 1:
        where = f"stations {group.first} to {group.first + group.count - 1}"
    lines = [f"{group.name}{times}", f"{what}, {where}", *group.facts]
    if used is not None:
        lines.append(f"busy {used * 100:.1f} %" + (" (mean)" if group.count > 1 else ""))
    return lines


def together(sides: Sequence[list[str]]) -> list[str]:
    """The lines of one run, or of two: those in which they differ with both values, `busy 9.0 % | 14.3 %`."""
    first, second = sides[0], sides[-1]
    if len(first) != len(second):
        return [*first, *(f"| {line}" for line in second if line not in first)]
    return [
        one if one == other else f"{one} | {without_start(other, one)}"
        for one, other in zip(first, second, strict=True)
    ]


def without_start(text: str, other: str) -> str:
    """A line without the words with which the other one begins, too."""
    words, others = text.split(" "), other.split(" ")
    same = 0
    while same < min(len(words), len(others)) - 1 and words[same] == others[same]:
        same += 1
    return " ".join(words[same:])


def symbol(group: Group, x: float, y: float, size: float, looks: Looks, title: str = "") -> Dot:
    """The mark of a station: the shape of its kind in the colour of its component."""
    known = kinds().get(group.kind)
    return Dot(x, y, size, looks.of(group.name).colour, "circle" if known is None else known.shape, title)


def wrapped(line: str) -> list[str]:
    """A line in parts that fit, the later ones indented."""
    return [
        shortened(part, LONGEST_LINE)
        for part in textwrap.wrap(line, LONGEST_LINE, subsequent_indent="\N{NO-BREAK SPACE}" * 3)
    ]


def micro(text: str) -> str:
    """Microseconds with their own letter."""
    return text.replace(" us", " µs")


def same_ring(first: System, second: System) -> bool:
    """Whether two systems are the same ring with the same stations, whatever those do."""
    outlines = [[(g.name, g.kind, g.first, g.count) for g in system.groups] for system in (first, second)]
    return first.facts == second.facts and outlines[0] == outlines[1]
