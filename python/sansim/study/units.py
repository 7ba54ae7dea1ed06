"""Quantities with units, as scenario files write them, as plain numbers in base units.

The base units are ns, bytes, bytes per second, metres and ns per metre; the units themselves come from the scenario
crate, so that a study knows no unit that a scenario does not. Besides them figures that are plain numbers may be shown
in thousands or per cent.
"""

from __future__ import annotations

from functools import cache

from sansim import _core
from sansim.catalogue import figure

PLAIN = "number"
"""The dimension of a figure without a unit."""

PLAIN_UNITS = {"": 1.0, "IOPS": 1.0, "KIOPS": 1000.0, "I/Os": 1.0, "rounds": 1.0}
"""Units of plain numbers that no scenario has: how much one of them is."""

KINDS = {
    "time": "a time",
    "size": "a size",
    "rate": "a rate",
    "length": "a length",
    "propagation": "a delay per length",
    PLAIN: "a plain number",
}
"""The dimensions of units, in words."""

EXAMPLES = {
    "time": '"43.9 us"',
    "size": '"64 KiB"',
    "rate": '"50 MiB/s"',
    "length": '"30 m"',
    "propagation": '"5 ns/m"',
}
"""A quantity of each kind."""


@cache
def factors() -> dict[str, tuple[str, float]]:
    """Every unit: what it measures, and how much of the base unit it is."""
    known = {name: (dimension, factor) for name, dimension, factor in _core.unit_factors()}
    known.update({name: (PLAIN, factor) for name, factor in PLAIN_UNITS.items()})
    return known


def dimension_of(unit: str) -> str | None:
    """The dimension of a unit; None if there is no such unit."""
    known = factors().get(unit)
    return None if known is None else known[0]


def meant(unit: str) -> list[str]:
    """The units that people mean by one that is not known here: of the same magnitude, as `KB` for `kB`."""
    plain = [name for name, (measures, _) in factors().items() if name.lower() == unit.lower() and measures == PLAIN]
    return plain or _core.units_meant(unit) or []


def kind_of(unit: str) -> str:
    """The dimension of a unit, in words."""
    dimension = dimension_of(unit)
    return f"in `{unit}`" if dimension is None else KINDS[dimension]


def factor_of(unit: str) -> float:
    """How much of the base unit a unit is; 1 for an unknown unit, as of a formula's result."""
    known = factors().get(unit)
    return 1.0 if known is None else known[1]


def converted(number: float, unit: str, to: str) -> float:
    """A number in another unit. Where one of them is unknown, or they measure different things, it stays."""
    if unit == to or dimension_of(unit) is None or dimension_of(unit) != dimension_of(to):
        return number
    return number * factor_of(unit) / factor_of(to)


def split_quantity(text: str) -> tuple[float, str] | None:
    """Reads `64 KiB` as 64 and `KiB`; None if it is not a quantity."""
    found = _core.split_quantity(text)
    return found if found is not None and found[1] in factors() else None


def read_quantity(text: str) -> tuple[float, str] | None:
    """Reads `64 KiB` as number in base units and what it measures; None if it is not a quantity."""
    parts = split_quantity(text)
    if parts is None:
        return None
    number, unit = parts
    dimension, factor = factors()[unit]
    return number * factor, dimension


def dimension_of_figure(path: str) -> str | None:
    """The dimension of a figure of a run's summary; None if no run has it."""
    found = figure(path)
    return None if found is None else dimension_of(found.unit) or PLAIN


def unit_of_figure(path: str) -> str:
    """The unit that a study shows a figure in if it names none; empty for a plain number, and if no run has it.

    It is the base unit, but that of the summary for figures in lists: studies had their seconds as they are before
    these were known to be times, and the numbers of a study must not change.
    """
    found = figure(path)
    if found is None or dimension_of(found.unit) in (None, PLAIN):
        return ""
    return found.unit if found.several else base_unit(dimension_of(found.unit) or PLAIN)


def base_of_figure(path: str, value: float) -> float:
    """A figure of the summary in base units."""
    found = figure(path)
    return value if found is None else value * factor_of(found.unit)


def base_unit(dimension: str) -> str:
    """The name of a dimension's base unit."""
    return next((name for name, known in factors().items() if known == (dimension, 1.0) and dimension != PLAIN), "")


def short(number: float) -> str:
    """A number as people write it: no trailing zeros, no exponent where it is not needed."""
    if abs(number) < 1e15 and number == int(number):
        return str(int(number))
    return f"{number:.10g}"
