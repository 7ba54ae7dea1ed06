"""Quantities with units, as scenario files write them, as plain numbers in base units.

The base units are ns, bytes, bytes per second, metres and ns per metre; the units themselves come from the scenario
crate, so that a study knows no unit that a scenario does not. Besides them figures that are plain numbers may be shown
in thousands or per cent.
"""

from __future__ import annotations

import re
from functools import cache

from sansim import _core

PLAIN = "number"
"""What a figure without a unit measures."""

PLAIN_UNITS = {"": 1.0, "%": 0.01, "IOPS": 1.0, "KIOPS": 1000.0} | dict.fromkeys(
    ("I/Os", "word", "words", "rounds"), 1.0
)
"""Units of plain numbers: how much one of them is."""

KINDS = {
    "time": "a time",
    "size": "a size",
    "rate": "a rate",
    "length": "a length",
    "propagation": "a delay per length",
    PLAIN: "a plain number",
}
"""What units measure, in words."""

EXAMPLES = {
    "time": '"43.9 us"',
    "size": '"64 KiB"',
    "rate": '"50 MiB/s"',
    "length": '"30 m"',
    "propagation": '"5 ns/m"',
}
"""A quantity of each kind."""

QUANTITY = re.compile(r"\s*([0-9][0-9_]*(?:\.[0-9]+)?)\s*([^\s0-9].*?)\s*\Z")


@cache
def factors() -> dict[str, tuple[str, float]]:
    """Every unit: what it measures, and how much of the base unit it is."""
    known = {name: (dimension, factor) for name, dimension, factor in _core.unit_factors()}
    known.update({name: (PLAIN, factor) for name, factor in PLAIN_UNITS.items()})
    return known


def dimension_of(unit: str) -> str | None:
    """What a unit measures; None if there is no such unit."""
    known = factors().get(unit)
    return None if known is None else known[0]


def meant(unit: str) -> list[str]:
    """The units that people mean by one that is not known here: of the same magnitude, as `KB` for `kB`."""
    plain = [name for name in PLAIN_UNITS if name and name.lower() == unit.lower()]
    return plain or _core.units_meant(unit) or []


def kind_of(unit: str) -> str:
    """What a unit measures, in words."""
    dimension = dimension_of(unit)
    return f"in `{unit}`" if dimension is None else KINDS[dimension]


def factor_of(unit: str) -> float:
    """How much of the base unit a unit is; 1 for a unit that nobody knows, as of a formula's result."""
    known = factors().get(unit)
    return 1.0 if known is None else known[1]


def converted(number: float, unit: str, to: str) -> float:
    """A number in another unit. Where one of them is unknown, or they measure different things, it stays."""
    if unit == to or dimension_of(unit) is None or dimension_of(unit) != dimension_of(to):
        return number
    return number * factor_of(unit) / factor_of(to)


def split_quantity(text: str) -> tuple[float, str] | None:
    """Reads `64 KiB` as 64 and `KiB`; None if it is not a quantity."""
    found = QUANTITY.match(text)
    if found is None or found.group(2) not in factors():
        return None
    return float(found.group(1).replace("_", "")), found.group(2)


def read_quantity(text: str) -> tuple[float, str] | None:
    """Reads `64 KiB` as number in base units and what it measures; None if it is not a quantity."""
    parts = split_quantity(text)
    if parts is None:
        return None
    number, unit = parts
    dimension, factor = factors()[unit]
    return number * factor, dimension


def dimension_of_figure(path: str) -> str:
    """What a figure of a run's summary measures, which its name says: `response_time_ns.mean`, `bytes_per_second`."""
    for part in path.split("."):
        if part.endswith("_ns"):
            return "time"
        if part.endswith("bytes_per_second"):
            return "rate"
        if part == "bytes" or part.endswith("_bytes"):
            return "size"
    return "time" if path.endswith("_s") else PLAIN


def base_of_figure(path: str, value: float) -> float:
    """A figure of the summary in base units; only seconds are not in them already."""
    parts = path.split(".")
    return value * 1e9 if parts[-1].endswith("_s") and not any(part.endswith("_ns") for part in parts) else value


def base_unit(dimension: str) -> str:
    """The name of a dimension's base unit."""
    return {"time": "ns", "size": "B", "rate": "B/s", "length": "m", "propagation": "ns/m"}.get(dimension, "")


def short(number: float) -> str:
    """A number as people write it: no trailing zeros, no exponent where it is not needed."""
    if abs(number) < 1e15 and number == int(number):
        return str(int(number))
    return f"{number:.10g}"
