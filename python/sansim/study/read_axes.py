"""The axes of a study file."""

from __future__ import annotations

from typing import cast

from sansim.api import toml_value
from sansim.study import units
from sansim.study.document import (
    BAD_CHECK,
    BAD_VALUE,
    EMPTY_AXIS,
    MISSING_KEY,
    NAMED_TWICE,
    OUT_OF_RANGE,
    UNKNOWN_AXIS,
    WRONG_UNIT,
    ZIP_LENGTHS,
    Item,
    Table,
    suggestion,
)
from sansim.study.model import Axis, AxisValue, Overrides

MOST_VALUES = 10_000
"""Values of an axis."""


def read_settings(table: Table | None) -> Overrides:
    """A table of scenario keys with values. A key may be quoted whole, or written as tables within tables."""
    if table is None:
        return ()
    found: list[tuple[str, str]] = []

    def collect(inner: Table, prefix: str) -> None:
        for key, (at, item) in inner.entries.items():
            path = f"{prefix}{key}"
            # A table is a value where the scenario wants one: { distribution = ... }.
            if item.kind == "table" and not {"distribution"} & set(cast("dict[str, object]", item.plain())):
                deeper = inner.as_table(item, at)
                if deeper is not None:
                    collect(deeper, f"{path}.")
            else:
                found.append((path, override(item)))

    collect(table, "")
    return tuple(found)


def override(item: Item) -> str:
    """A value as the text of an override."""
    try:
        return toml_value(item.plain())
    except TypeError:
        return "''"


def read_axes(study: Table) -> tuple[Axis, ...]:
    """`[axes.NAME]`."""
    return tuple(read_axis(name, table) for name, table in study.tables("axes"))


def read_axis(name: str, table: Table) -> Axis:
    """One axis."""
    findings = table.findings
    label = table.text("label", name)
    unit = table.text("unit")
    if not name.isidentifier():
        help_ = "use letters, digits and _, so that formulas can name it"
        findings.add(BAD_VALUE, table.range, table.path, f"`{name}` cannot be the name of an axis", "", help_)
    single = table.text("key")
    keys = (*table.texts("keys"), *([single] if single else []))
    if table.item("cases") is not None:
        values = read_cases(table)
        if keys:
            message = "the cases of an axis say which keys they set; `key` has no meaning beside them"
            findings.add(BAD_CHECK, table.place("key" if single else "keys"), table.path, message)
    else:
        # `keys = []` sets nothing: such an axis counts through a list of the summary.
        if not keys and table.item("keys") is None:
            table.missing("key", '"workload.size"')
        values = read_range(table, keys) if table.item("from") is not None else read_list(table, keys)
    labels = table.texts("labels")
    if labels and len(labels) != len(values):
        message = f"there are {len(labels)} labels for {len(values)} values"
        findings.add(ZIP_LENGTHS, table.place("labels"), f"{table.path}.labels", message)
    elif labels:
        values = tuple(
            AxisValue(text, value.number, value.overrides) for text, value in zip(labels, values, strict=True)
        )
    unit = unit or unit_of(table, values)
    table.finish()
    if unit and (dimension := units.dimension_of(unit)) is None:
        findings.add(WRONG_UNIT, table.place("unit"), f"{table.path}.unit", f"there is no unit `{unit}`")
    elif unit and dimension is None:
        unit = ""
    return Axis(name, label, unit, values)


def unit_of(table: Table, values: tuple[AxisValue, ...]) -> str:
    """The unit the values were written in, if it is the same one for all."""
    found = set()
    for value in values:
        for _, text in value.overrides[:1]:
            quantity = units.split_quantity(text.strip('"'))
            found.add(quantity[1] if quantity else "")
    if len(found) > 1:
        # 1 KiB to 1 MiB: the smallest unit, which all of them are multiples of.
        return min(found - {""}, key=units.factor_of, default="")
    return found.pop() if found and table.item("cases") is None else ""


def empty(table: Table) -> None:
    """Notes that an axis has no values."""
    at = next((table.place(key) for key in ("values", "cases", "from") if key in table.entries), table.range)
    help_ = "give at least one value, or take the axis out"
    table.findings.add(
        EMPTY_AXIS, at, table.path, f"the axis `{table.path.removeprefix('axes.')}` has no values", "", help_
    )


def read_list(table: Table, keys: tuple[str, ...]) -> tuple[AxisValue, ...]:
    """`values = [...]`."""
    item = table.item("values")
    if item is None:
        table.findings.add(
            MISSING_KEY,
            table.range,
            f"{table.path}.values",
            f"`{table.path}` says nothing about its values",
            "",
            "add values = [...], or from, to and step or factor, or cases = [...]",
        )
        return ()
    if item.kind != "list":
        table.wrong(item, "a list of values", "write values = [...]")
        return ()
    found = []
    for part in item.items():
        written = table.findings.written(part)
        number: float | None = None
        if part.kind in ("integer", "float"):
            number = float(cast(float, part.content))
        elif part.kind == "text":
            written = cast(str, part.content)
            quantity = units.read_quantity(written)
            number = None if quantity is None else quantity[0]
        found.append(AxisValue(written, number, tuple((key, override(part)) for key in keys)))
    if not found:
        empty(table)
    return tuple(found)


def read_cases(table: Table) -> tuple[AxisValue, ...]:
    """`cases = [{ label, set, value }]`: values that set several keys at a time."""
    found = []
    for row in table.rows("cases"):
        label = row.text("label", example='"12 disks"')
        number, inner = row.item("value"), row.table("set")
        if inner is None:
            row.missing("set", '{ "drives.count" = 12 }')
        value: float | None = None
        if number is not None and number.kind in ("integer", "float"):
            value = float(cast(float, number.content))
        elif number is not None and (quantity := units.read_quantity(str(number.content))) is not None:
            value = quantity[0]
        elif number is not None:
            row.wrong(number, "a number or a quantity")
        row.finish()
        found.append(AxisValue(label, value, read_settings(inner)))
    if not found:
        empty(table)
    return tuple(found)


def number_and_unit(table: Table, key: str) -> tuple[float, str] | None:
    """A bound of a range: a number, or a quantity."""
    item = table.item(key)
    if item is None:
        table.missing(key, "10")
        return None
    if item.kind in ("integer", "float"):
        return float(cast(float, item.content)), ""
    quantity = units.split_quantity(str(item.content)) if item.kind == "text" else None
    if quantity is None:
        table.wrong(item, "a number or a quantity")
    return quantity


def read_range(table: Table, keys: tuple[str, ...]) -> tuple[AxisValue, ...]:
    """`from`, `to` and `step`, `factor` or `points`."""
    low, high = number_and_unit(table, "from"), number_and_unit(table, "to")
    ways = [key for key in ("step", "factor", "points") if table.item(key) is not None]
    spacing = table.word("spacing", ("log", "linear"), "log")
    if len(ways) != 1:
        message = f"the range of `{table.path}` needs one of step, factor and points"
        table.findings.add(
            BAD_CHECK, table.place("from"), table.path, message, "", 'for instance factor = 2, or step = "1 m"'
        )
        return ()
    by = number_and_unit(table, ways[0])
    if low is None or high is None or by is None:
        return ()
    unit = low[1]
    for key, (_, other) in (("to", high), ("step", by)):
        if key in table.entries and units.dimension_of(other) != units.dimension_of(unit):
            message = f"`{key}` and `from` are not of the same kind"
            table.findings.add(WRONG_UNIT, table.place(key), f"{table.path}.{key}", message)
            return ()
    last = high[0] * units.factor_of(high[1]) / units.factor_of(unit)
    step = by[0] * units.factor_of(by[1]) / units.factor_of(unit) if ways[0] == "step" else by[0]
    too_small = {"step": step <= 0, "factor": step <= 1, "points": step < 1 or step != int(step)}[ways[0]]
    log = ways[0] == "factor" or (ways[0] == "points" and spacing == "log")
    if too_small or (log and low[0] <= 0):
        message = f"`{ways[0]}` = {units.short(by[0])} leads nowhere from {units.short(low[0])}"
        table.findings.add(OUT_OF_RANGE, table.place(ways[0]), f"{table.path}.{ways[0]}", message)
        return ()
    numbers = spread(low[0], last, step, ways[0], log)
    if len(numbers) > MOST_VALUES:
        message = f"the range has more than {MOST_VALUES} values"
        table.findings.add(OUT_OF_RANGE, table.place(ways[0]), table.path, message)
        return ()
    if not numbers:
        empty(table)
    whole = all(entry.kind == "integer" for key in ("from", "to", ways[0]) if (entry := table.item(key)) is not None)
    return tuple(range_value(round(number) if whole and not unit else number, unit, keys) for number in numbers)


def spread(low: float, high: float, step: float, way: str, log: bool) -> list[float]:
    """The numbers of a range. A last one that misses the end by a rounding error counts."""
    if way == "points":
        count = int(step)
        if count == 1 or high < low:
            return [low] if high >= low else []
        parts = [number / (count - 1) for number in range(count)]
        return [low * (high / low) ** part if log else low + (high - low) * part for part in parts]
    numbers: list[float] = []
    while len(numbers) <= MOST_VALUES:
        number = low * step ** len(numbers) if log else low + step * len(numbers)
        if number > high * (1 + 1e-9):
            break
        numbers.append(number)
    return numbers


def range_value(number: float, unit: str, keys: tuple[str, ...]) -> AxisValue:
    """A value of a range, in words that a person would choose: 1 MiB, not 1024 KiB."""
    bigger = {"B": "KiB", "KiB": "MiB", "MiB": "GiB"}
    base = number * units.factor_of(unit)
    while unit in bigger and number >= 1024 and number % 1024 == 0:
        number, unit = number / 1024, bigger[unit]
    label = f"{units.short(number)} {unit}".strip()
    text = toml_value(label) if unit else toml_value(number)
    return AxisValue(label, base, tuple((key, text) for key in keys))


def read_groups(study: Table, axes: tuple[Axis, ...]) -> tuple[tuple[str, ...], ...]:
    """`zip = [["size", "ios"]]`: which axes advance together. The order is that of the file."""
    names = [axis.name for axis in axes]
    lengths = {axis.name: len(axis.values) for axis in axes}
    zipped: list[tuple[str, ...]] = []
    item = study.item("zip")
    parts = item.items() if item is not None else []
    if item is not None and item.kind == "list" and parts and all(part.kind == "text" for part in parts):
        parts = [item]
    for part in parts:
        group: list[str] = []
        for member in part.items():
            name = str(member.content)
            if name not in names:
                help_ = suggestion(name, names)
                study.findings.add(UNKNOWN_AXIS, member.range, "zip", f"there is no axis `{name}`", "", help_)
            elif name in group or any(name in other for other in zipped):
                message = f"the axis `{name}` stands twice in `zip`"
                study.findings.add(NAMED_TWICE, member.range, "zip", message)
            else:
                group.append(name)
        told = ", ".join(f"`{name}` has {lengths[name]}" for name in group)
        if len({lengths[name] for name in group}) > 1:
            message = f"axes that advance together need equally many values: {told}"
            help_ = "give them the same number of values, or take one out of `zip` to get every combination"
            study.findings.add(ZIP_LENGTHS, part.range, "zip", message, "", help_)
        if group:
            zipped.append(tuple(group))
    taken = {name for group in zipped for name in group}
    groups = [*zipped, *((name,) for name in names if name not in taken)]
    return tuple(sorted(groups, key=lambda group: min(names.index(name) for name in group)))
