"""Axes of a study file that are a range: `from`, `to`, and `step`, `factor` or `points`."""

from __future__ import annotations

import math

from sansim._core import Code
from sansim.study import units
from sansim.study.model import AxisValue
from sansim.study.read.document import Item, Table
from sansim.study.read.values import signed_quantity
from sansim.toml_text import toml_value

MOST_VALUES = 10_000
"""Values of an axis."""
WAYS = ("to", "step", "factor", "points", "spacing")
"""Keys of a range besides `from`."""


def too_many(table: Table, item: Item | None, count: float) -> bool:
    """Notes that an axis has more values than any study needs."""
    if count <= MOST_VALUES:
        return False
    message = f"the axis `{table.path.removeprefix('axes.')}` has more than {MOST_VALUES} values"
    at, path = (table.range, table.path) if item is None else (item.range, item.path)
    table.findings.add(Code.OUT_OF_RANGE, at, path, message)
    return True


def bound(table: Table, key: str) -> tuple[float, str] | None:
    """A number of a range, with its unit if it has one."""
    item = table.item(key)
    if item is None:
        table.missing(key, "10")
        return None
    if item.number is not None:
        return item.number, ""
    quantity = signed_quantity(item)
    if quantity is None:
        table.wrong(item, "a number, or one with its unit")
    return quantity


def read_range(table: Table, keys: tuple[str, ...]) -> tuple[AxisValue, ...]:
    """The values of a range."""
    low, high = bound(table, "from"), bound(table, "to")
    ways = [key for key in ("step", "factor", "points") if table.item(key) is not None]
    spacing = table.word("spacing")
    if len(ways) != 1:
        message = f"the range of `{table.path}` needs one of `step`, `factor` and `points`"
        message += ", not several" if ways else ""
        key = ways[1] if ways else "from"
        table.add(Code.BAD_CHECK, key, message, "", 'for instance factor = 2, or step = "1 m"')
        return ()
    if ways != ["points"]:
        table.has_no_use(("spacing",), "belongs to `points`")
    by = bound(table, ways[0])
    if low is None or high is None or by is None:
        return ()
    unit = low[1]
    for key, (_, other), wanted in (("to", high, unit), (ways[0], by, unit if ways[0] == "step" else "")):
        if units.dimension_of(other) != units.dimension_of(wanted):
            there = units.kind_of(wanted)
            message = f"`{key}` is {units.kind_of(other)}, but {there} is needed"
            help_ = f"`from` is {units.kind_of(unit)}" if key != "factor" and wanted == unit else None
            table.add(Code.WRONG_UNIT, key, message, "", help_)
            return ()
    last = units.converted(high[0], high[1], unit)
    step = units.converted(by[0], by[1], unit) if ways[0] == "step" else by[0]
    log = ways[0] == "factor" or (ways[0] == "points" and spacing == "log")
    if not possible(table, low[0], step, ways[0], log):
        return ()
    if last < low[0]:
        message = f"the axis `{table.path.removeprefix('axes.')}` has no values"
        table.add(Code.EMPTY_AXIS, "to", message, "`to` is less than `from`")
        return ()
    if log and not math.isfinite(last / low[0]):
        table.add(Code.OUT_OF_RANGE, "to", "this is out of all proportion to `from`")
        return ()
    if too_many(table, table.item(ways[0]), length(low[0], last, step, ways[0], log)):
        return ()
    numbers = spread(low[0], last, step, ways[0], log)
    whole = all(entry.kind == "integer" for key in ("from", "to", ways[0]) if (entry := table.item(key)) is not None)
    if whole and not unit:
        numbers = list(dict.fromkeys(float(round(number)) for number in numbers))
    return tuple(range_value(number, unit, keys, whole) for number in numbers)


def possible(table: Table, low: float, step: float, way: str, log: bool) -> bool:
    """Whether a range gets anywhere; if not, that is noted."""
    limits = {"step": (step > 0, "above 0"), "factor": (step > 1, "above 1")}
    fits, limit = limits.get(way, (step >= 1 and step == int(step), "a whole number from 1 on"))
    item = table.item(way)
    if not fits and item is not None:
        table.findings.about(Code.OUT_OF_RANGE, item, f"`{way}` is out of range", f"must be {limit}")
        return False
    if log and low <= 0:
        help_ = 'or write spacing = "linear"' if way == "points" else "or use `step`"
        message = "a range that is multiplied cannot begin at 0 or below"
        table.add(Code.OUT_OF_RANGE, "from", message, "must be above 0", help_)
        return False
    return True


def length(low: float, high: float, step: float, way: str, log: bool) -> float:
    """About how many values a range has, before any of them is made."""
    if way == "points":
        return step
    return (math.log(high) - math.log(low)) / math.log(step) if log else (high - low) / step


def spread(low: float, high: float, step: float, way: str, log: bool) -> list[float]:
    """The numbers of a range. A last one that misses the end by a rounding error counts."""
    if way == "points":
        parts = [number / max(int(step) - 1, 1) for number in range(int(step))]
        numbers = [low * (high / low) ** part if log else low + (high - low) * part for part in parts]
    else:
        # Counted first, so that nothing overflows behind the end.
        count = int(length(low, high, step, way, log) + 1e-9) + 1
        numbers = [low * step**number if log else low + step * number for number in range(count)]
    # 0.3, not 0.30000000000000004.
    return [float(f"{number:.15g}") for number in numbers]


def range_value(number: float, unit: str, keys: tuple[str, ...], whole: bool) -> AxisValue:
    """A value of a range, in words that a person would choose: 1 MiB, not 1024 KiB."""
    bigger = {"B": "KiB", "KiB": "MiB", "MiB": "GiB"}
    base = number * units.factor_of(unit)
    written = unit
    while unit in bigger and number >= 1024 and number % 1024 == 0:
        number, unit = number / 1024, bigger[unit]
    label = f"{units.short(number)} {unit}".strip()
    text = toml_value(label) if unit else toml_value(round(number) if whole else number)
    return AxisValue(label, base, tuple((key, text) for key in keys), written)
