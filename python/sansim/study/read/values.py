"""Values in study files: numbers with units, shares, names of axes and of their values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

from sansim._core import Code
from sansim.study import units
from sansim.study.model import Axis, Place
from sansim.study.read.document import Item, Table, one_of
from sansim.study.suggest import listed, suggestion


def signed_quantity(item: Item) -> tuple[float, str] | None:
    """A number with its unit, which may be negative: -3 and `us` for `-3 us`; None if it is none."""
    if item.kind != "text":
        return None
    text = cast(str, item.content).strip()
    negative = text.startswith("-")
    quantity = units.split_quantity(text.removeprefix("-"))
    if quantity is None or not math.isfinite(quantity[0]):
        return None
    return (-quantity[0] if negative else quantity[0]), quantity[1]


def read_number(table: Table, item: Item, unit: str) -> float | None:
    """A number in a unit, or a quantity converted to it.

    Args:
        table: Where mistakes are noted.
        item: The value.
        unit: The unit of a bare number; an unknown unit takes bare numbers only.
    """
    if item.number is not None:
        return item.number
    quantity = signed_quantity(item)
    if quantity is None:
        known = units.dimension_of(unit)
        example = f", as {units.EXAMPLES[known]}" if known in units.EXAMPLES else ""
        table.wrong(item, f"a number, or one with its unit{example}")
        return None
    number, own = quantity
    if units.dimension_of(own) != units.dimension_of(unit):
        measured = f"`{unit}` is needed" if unit else "a plain number is needed"
        table.findings.about(Code.WRONG_UNIT, item, f"`{item.content}` is {units.kind_of(own)}", measured)
        return None
    return units.converted(number, own, unit)


def read_numbers(table: Table, key: str) -> tuple[float, ...]:
    """A list of plain numbers, which the table must have."""
    item = table.item(key)
    if item is None:
        table.missing(key)
        return ()
    found = []
    for part in item.items():
        if part.number is None:
            table.wrong(part, "a number")
        else:
            found.append(part.number)
    if not item.items():
        table.findings.about(Code.BAD_VALUE, item, f"`{key}` has no numbers", "", f"write {key} = {table.example(key)}")
    return tuple(found)


def read_share(table: Table, key: str, example: str, default: float | None = None) -> float:
    """A share, as `"95 %"` or 0.95; without a default, that of the key."""
    item = table.item(key)
    if default is None:
        usual = units.split_quantity(str(table.usual(key)))
        default = 0.0 if usual is None else usual[0] / 100
    if item is None:
        return default
    number = item.number
    if number is None and (quantity := signed_quantity(item)) is not None and quantity[1] == "%":
        number = quantity[0] / 100
    if number is None:
        table.wrong(item, f'a share, as "{example}"')
        return default
    if not 0 <= number <= 1:
        help_ = f'write "{units.short(number)} %" if per cent are meant' if item.number is not None else None
        table.findings.about(
            Code.OUT_OF_RANGE,
            item,
            f"{table.findings.written(item)} is no share",
            "must be between 0 % and 100 %",
            help_,
        )
        return default
    return number


def read_unit(table: Table, default: str) -> str:
    """`unit`. Any text will do, but one by which people mean a unit is a slip."""
    unit = table.text("unit").strip()
    item = table.item("unit")
    if not unit or item is None or item.kind != "text" or units.dimension_of(unit) is not None:
        return unit or default
    meant = units.meant(unit)
    if not meant:
        return unit
    table.findings.about(Code.UNKNOWN_UNIT, item, f"there is no unit `{unit}`", "", f"did you mean {one_of(meant)}?")
    return meant[0]


def must_measure(table: Table, unit: str, natural: str, what: str) -> None:
    """Notes a unit in which something cannot be expressed.

    Args:
        table: The table with the key `unit`.
        unit: The unit.
        natural: What is measured: `time`, `size`; see `sansim.study.units`.
        what: What is measured, in words.
    """
    if units.dimension_of(unit) == natural:
        return
    known = [name for name in units.factors() if name and units.dimension_of(name) == natural]
    what = f"{what} is {units.KINDS[natural]}"
    table.add(Code.WRONG_UNIT, "unit", f"{what}, which `{unit}` does not measure", "", f"units: {', '.join(known)}")


# ---------------------------------------------------------------- axes


def read_axis_name(table: Table, key: str, axes: Sequence[Axis], *, needed: bool = False) -> Axis | None:
    """The name of an axis. It can be needed here even if the key is not required everywhere."""
    needed = needed or table.example(key) is not None
    name = table.text(key, example=(f'"{axes[0].name}"' if axes else '"size"') if needed else None)
    item = table.item(key)
    if item is None or item.kind != "text" or not name.strip():
        return None
    return named_axis(table, item, name, axes)


def read_axis_names(table: Table, key: str, axes: Sequence[Axis]) -> tuple[Axis, ...]:
    """The names of some axes, or of one."""
    found = [named_axis(table, item, name, axes) for item, name in table.texts(key)]
    return tuple(axis for axis in found if axis is not None)


def named_axis(table: Table, item: Item, name: str, axes: Sequence[Axis]) -> Axis | None:
    """The axis with a name; that there is none is noted."""
    axis = next((axis for axis in axes if axis.name == name), None)
    if axis is None:
        help_ = suggestion(name, [axis.name for axis in axes])
        table.findings.about(Code.UNKNOWN_AXIS, item, f"there is no axis `{name}`", "", help_)
    return axis


def read_place(table: Table, key: str, axes: Sequence[Axis]) -> Place:
    """`at = { size = "4 KiB", mix = ["read", "write"] }`."""
    example = f'"{axes[0].labels[0]}"' if axes and axes[0].values else '"4 KiB"'
    inner = table.table(key, f"{{ {axes[0].name if axes else 'size'} = {example} }}")
    if inner is None:
        return {}
    place: dict[str, tuple[str, ...]] = {}
    for name, (at, item) in inner.entries.items():
        axis = next((axis for axis in axes if axis.name == name), None)
        if axis is None:
            help_ = suggestion(name, [axis.name for axis in axes])
            inner.findings.add(Code.UNKNOWN_AXIS, at, item.path, f"there is no axis `{name}`", "", help_)
            continue
        labels = [label for part in item.items() if (label := read_label(axis, part, inner)) is not None]
        if not item.items():
            inner.findings.about(
                Code.BAD_VALUE, item, f"this names no value of `{name}`", "", f"leave out `{name}` for all"
            )
        if labels:
            place[name] = tuple(dict.fromkeys(labels))
    return place


def read_label(axis: Axis, item: Item, table: Table) -> str | None:
    """A value of an axis, by its label, its value or anything that means the same, as 65536 B for 64 KiB."""
    if not axis.values:
        # The error in the axis has been reported.
        return None
    wanted = str(item.content) if item.kind == "text" else table.findings.written(item)
    if wanted in axis.labels:
        return wanted
    for value in axis.values:
        if value.number is not None and same_number(item, value.number, axis.unit):
            return value.label
        if item.kind in ("text", "flag") and any(as_written(text) == wanted for _, text in value.overrides[:1]):
            return value.label
    table.findings.about(
        Code.UNKNOWN_AXIS, item, f"the axis `{axis.name}` has no value `{wanted}`", "", nearest_label(axis, wanted)
    )
    return None


def as_written(override: str) -> str:
    """The text of an override without quotes."""
    return override[1:-1] if override.startswith('"') else override


def same_number(item: Item, number: float, unit: str) -> bool:
    """Whether a value is the same as one of an axis, which is in base units.

    Where the axis has a unit, a bare number would leave open what is meant.
    """
    if item.number is not None:
        return units.dimension_of(unit) == units.PLAIN and math.isclose(item.number, number, rel_tol=1e-12)
    quantity = signed_quantity(item)
    if quantity is None or units.dimension_of(quantity[1]) != units.dimension_of(unit):
        return False
    return math.isclose(quantity[0] * units.factor_of(quantity[1]), number, rel_tol=1e-12)


def nearest_label(axis: Axis, wanted: str) -> str:
    """A suggestion for a wrong label. Numbers that look alike are not near each other, so values are listed."""
    numeric = all(value.number is not None for value in axis.values)
    return f"its values are {listed(list(axis.labels))}" if numeric else suggestion(wanted, axis.labels)


def read_pair(table: Table, key: str, axis: Axis) -> tuple[str, str] | None:
    """Two values of an axis."""
    item = table.item(key)
    if item is None or not axis.values:
        return None
    parts = item.items()
    if item.kind != "list" or len(parts) != 2:
        example = f'["{axis.labels[0]}", "{axis.labels[-1]}"]'
        table.findings.about(
            Code.WRONG_TYPE,
            item,
            f"`{key}` names two values of `{axis.name}`",
            "needs a list of two",
            f"as {key} = {example}",
        )
        return None
    labels = [read_label(axis, part, table) for part in parts]
    return None if labels[0] is None or labels[1] is None else (labels[0], labels[1])
