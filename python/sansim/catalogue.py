"""The figures of a result: unit, label, meaning. The native part declares them; they are not inferred from names.

A line of the time ledger is a segment at a place: `drives.adapter.dma`. The place is a component, or a part of it, and
may have dots in its name; the segment follows the last dot.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from sansim import _core, percentiles

NO_NUMBERS = frozenset({"word", "flag"})
"""Units of figures that are not numbers."""

ANY = "*"
"""In the path of a figure of the ledger: at whatever place."""

LIMITS = ("_min", "_max")
"""Suffixes of the name of a figure of a group for its least and its greatest member."""


@cache
def figure(path: str) -> _core.Figure | percentiles.PercentileFigure | None:
    """The figure at a path of the summary, whatever the names in it are; None if no scenario has it.

    Percentiles that a run has only on request are figures, too, wherever there is a 99th.
    """
    beside = percentiles.beside_native(path)
    if beside is None:
        return _core.figure(path)
    known = _core.figure(beside)
    return None if known is None else percentiles.described(path, known)


def label_of(path: str) -> str:
    """The label of a figure for people; its path if it is unknown."""
    found = figure(path)
    return path if found is None else found.label


@cache
def figures_of_components() -> Mapping[str, _core.Figure]:
    """The figures that a component can have, by name, in the order in which they are shown."""
    start = f"components.{ANY}."
    found = [figure for figure in _core.figures() if figure.path.startswith(start)]
    return {figure.path.removeprefix(start): figure for figure in found}


def shares() -> Mapping[str, str]:
    """The figures of components that are shares of the time, without those of single members, with their labels."""
    found = figures_of_components().items()
    return {name: one.label for name, one in found if one.unit == "share" and not name.endswith(LIMITS)}


@cache
def quantities(unit: str) -> Mapping[str, _core.Quantity]:
    """The sampled quantities with this unit, `count` or `share`, by name."""
    return {quantity.name: quantity for quantity in _core.quantities() if quantity.unit == unit}


@cache
def kinds() -> Mapping[str, _core.Kind]:
    """The kinds of components by their words, in the order of the registry."""
    return {kind.word: kind for kind in _core.kinds()}


# ---------------------------------------------------------------- the ledger


@cache
def segments() -> Mapping[str, _core.Segment]:
    """The segments of the ledger by name, whatever the place."""
    return {segment.name: segment for segment in _core.segments()}


def place_of(line: str) -> str:
    """The place of a line of the ledger."""
    return line.rpartition(".")[0]


def segment_of(line: str) -> str:
    """The name of the segment of a line of the ledger."""
    return line.rpartition(".")[2]


def segment_label(line: str) -> str:
    """The label of the segment of a line for people; its name in words if this version does not know it."""
    name = segment_of(line)
    known = segments().get(name)
    return name.replace("_", " ") if known is None else known.label


def line_label(line: str) -> str:
    """The label of a line of the ledger for people: its place and its segment."""
    place = place_of(line)
    return f"{place}: {segment_label(line)}" if place else segment_label(line)


def waits(line: str) -> bool:
    """Whether an I/O waits in a line of the ledger. If not, something works for it."""
    known = segments().get(segment_of(line))
    return known is not None and known.waits


def column_of(line: str) -> str:
    """The column of a line in the table of I/Os."""
    return f"{line}_ns"


def meaning_of_column(column: str) -> str:
    """The meaning of a column of the table of I/Os that is a line of the ledger; empty if it is none."""
    known = segments().get(segment_of(column.removesuffix("_ns")))
    return "" if known is None else known.meaning


def split_line(path: str) -> tuple[str, str] | None:
    """The ledger and the line of a figure that is a line of a ledger: `ledger_ns.mean` and `loop.wire`; else None."""
    parts = path.split(".", 2)
    found = figure(path)
    return (f"{parts[0]}.{parts[1]}", parts[2]) if len(parts) == 3 and parts[0] == "ledger_ns" and found else None


def is_at(line: str, wanted: str) -> bool:
    """Whether a line of the ledger is the one that is wanted: the same, or with `*` as its place that segment."""
    return line == wanted or (place_of(wanted) == ANY and segment_of(line) == segment_of(wanted))
