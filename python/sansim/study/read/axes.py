"""The axes of a study file."""

from __future__ import annotations

import keyword
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from sansim._core import Code
from sansim.study import units
from sansim.study.keys import above_tables
from sansim.study.model import Axis, AxisValue, Overrides
from sansim.study.read.document import Item, Range, Table, one_of
from sansim.study.read.range import WAYS as RANGE_KEYS
from sansim.study.read.range import read_range, too_many
from sansim.study.read.values import signed_quantity
from sansim.study.suggest import listed
from sansim.toml_text import toml_value

RESERVED = (
    *("point", "metric", "value", "half_width_95", "n", "method", "unit"),
    *("id", "low", "high", "ours", "verdict"),
)
"""Columns of the tables of results, beside which an axis has its own."""


# ---------------------------------------------------------------- what is set


def settings_of(table: Table) -> list[tuple[str, Range, Item]]:
    """The scenario keys of a table, with their places and values: quoted whole, or as tables within tables."""
    found: list[tuple[str, Range, Item]] = []

    def collect(inner: Table, prefix: str) -> None:
        for key, (at, item) in inner.entries.items():
            # A table is a value where the scenario wants one: { distribution = ... }.
            if item.kind == "table" and "distribution" not in cast("dict[str, object]", item.plain()):
                deeper = inner.table(key)
                if deeper is not None:
                    collect(deeper, f"{prefix}{key}.")
            else:
                found.append((f"{prefix}{key}", at, item))

    collect(table, "")
    return found


def read_settings(table: Table | None) -> Overrides:
    """A table of scenario keys with values."""
    if table is None:
        return ()
    found = settings_of(table)
    for path, at, item in found:
        if path in above_tables():
            help_ = f"`{path}` belongs to the study as a whole: write it above the first [table]"
            table.findings.add(Code.UNKNOWN_KEY, at, item.path, f"no scenario has a key `{path}`", "", help_)
    return tuple((path, override(table, item)) for path, _, item in found)


def override(table: Table, item: Item) -> str:
    """A value as the text of an override."""
    try:
        return toml_value(item.plain())
    except TypeError:
        table.findings.about(Code.WRONG_TYPE, item, "a date does not fit here", "no key of a scenario is a date")
        return "''"


# ---------------------------------------------------------------- axes


def read_axes(study: Table, key: str = "axes") -> tuple[Axis, ...]:
    """`[axes.NAME]`. A faulty axis has no values, so that it is reported only once."""
    axes = []
    for name, at, table in study.tables(key):
        before = len(study.findings.found)
        check_name(study, name, at, study.inner(f"{key}.{name}"))
        axis = Axis(name, name, "", ()) if table is None else read_axis(name, table)
        axes.append(axis if len(study.findings.found) == before else replace(axis, values=()))
    names = [axis.name for axis in axes]
    for name, at, _ in study.tables(key):
        if name.removesuffix("_value") != name and name.removesuffix("_value") in names:
            message = f"`{name}` is what the numbers of the axis `{name.removesuffix('_value')}` are called in tables"
            path = study.inner(f"{key}.{name}")
            study.findings.add(Code.BAD_VALUE, at, path, message, "", "give the axis another name")
    return tuple(axes)


def is_name(name: str) -> bool:
    """Whether formulas can call something by this name."""
    return name.isidentifier() and not keyword.iskeyword(name) and unicodedata.normalize("NFKC", name) == name


def check_name(study: Table, name: str, at: Range, path: str) -> None:
    """Notes a name that an axis cannot have."""
    if not is_name(name):
        help_ = "use letters, digits and _, so that formulas can name it; what people read is `label`"
        study.findings.add(Code.BAD_VALUE, at, path, f"`{name}` cannot be the name of an axis", "", help_)
    elif name in RESERVED:
        message = f"`{name}` is a column that every table of results has"
        study.findings.add(
            Code.BAD_VALUE, at, path, message, "", "give the axis another name; what people read is `label`"
        )


def read_axis(name: str, table: Table) -> Axis:
    """One axis."""
    label = table.text("label", name)
    single = table.text("key", example='"workload.size"') if table.has("key") else ""
    keys = tuple(key for _, key in table.texts("keys")) + ((single,) if single else ())
    ways = [way for way in ("values", "cases", "from") if table.has(way)]
    if len(ways) > 1:
        message = f"`{table.path}` says twice what its values are: with `{ways[0]}` and `{ways[1]}`"
        table.add(Code.CONTRADICTION, ways[1], message, "", "leave out one of them")
        values: tuple[AxisValue, ...] = ()
    elif ways == ["cases"]:
        values = read_cases(table)
        table.has_no_use(("key", "keys"), "has no meaning beside `cases`, each of which says what it sets")
    else:
        # `keys = []` sets nothing: such an axis counts through a list of the summary.
        if not table.has("key") and not table.has("keys"):
            table.missing("key", '"workload.size"')
        elif table.has("key") and table.has("keys"):
            table.has_no_use(("key",), "has no meaning beside `keys`")
        values = read_range(table, keys) if ways == ["from"] else read_list(table, keys)
    if "from" not in ways:
        table.has_no_use(RANGE_KEYS, "belongs to a range, which begins with `from`")
    values = with_labels(table, values)
    axis = Axis(name, label, read_axis_unit(table, values), values)
    table.finish()
    return axis


def with_labels(table: Table, values: tuple[AxisValue, ...]) -> tuple[AxisValue, ...]:
    """The values with the names that `labels` gives them."""
    item = table.item("labels")
    if item is None:
        return values
    labels = [label for _, label in table.texts("labels")]
    if values and len(item.items()) != len(values):
        count = "is 1 label" if len(item.items()) == 1 else f"are {len(item.items())} labels"
        table.findings.about(
            Code.ZIP_LENGTHS, item, f"there {count} for {len(values)} values", "one for each is needed"
        )
    if len(labels) != len(values):
        return ()
    return tuple(replace(value, label=label) for label, value in zip(labels, values, strict=True))


def read_axis_unit(table: Table, values: Sequence[AxisValue]) -> str:
    """`unit`, in which the numbers of the axis are shown; if it is not given, the one in which they are written."""
    written = {value.unit for value in values if value.number is not None}
    unit = table.text("unit").strip()
    item = table.item("unit")
    if not unit or item is None:
        # 1 KiB to 1 MiB: the smallest unit, which all of them are multiples of.
        return min(written - {""}, key=units.factor_of, default="") if len(written) > 1 else "".join(written)
    if units.dimension_of(unit) is None:
        kinds = {units.dimension_of(other) for other in written} or {units.PLAIN}
        known = [name for name in units.factors() if name and units.dimension_of(name) in kinds]
        meant = [name for name in units.meant(unit) if name in known]
        help_ = f"did you mean {one_of(meant)}?" if meant else f"known here: {listed(known)}"
        table.findings.about(Code.WRONG_UNIT, item, f"there is no unit `{unit}`", "", help_)
        return ""
    others = [other for other in written if units.dimension_of(other) != units.dimension_of(unit)]
    if others:
        value = next(value for value in values if value.number is not None and value.unit in others)
        message = f"the axis has values such as `{value.label}`, which cannot be shown in `{unit}`"
        table.findings.about(Code.WRONG_UNIT, item, message)
    return unit


def empty(table: Table) -> None:
    """Notes that an axis has no values."""
    key = next((key for key in ("values", "cases", "from") if table.has(key)), "values")
    name = table.path.removeprefix("axes.")
    help_ = "give at least one value, or take the axis out"
    table.findings.add(Code.EMPTY_AXIS, table.place(key), table.path, f"the axis `{name}` has no values", "", help_)


def read_list(table: Table, keys: tuple[str, ...]) -> tuple[AxisValue, ...]:
    """`values = [...]`."""
    item = table.item("values")
    if item is None:
        message = f"`{table.path}` does not say which values it has"
        help_ = "add values = [...]; or from and to with step, factor or points; or cases = [...]"
        table.findings.add(Code.MISSING_KEY, table.range, table.inner("values"), message, "", help_)
        return ()
    if item.kind != "list":
        table.wrong(item, "a list of values", f"write values = [{table.findings.written(item)}]")
        return ()
    if too_many(table, item, len(item.items())):
        return ()
    found = [list_value(table, part, keys) for part in item.items()]
    if not found:
        empty(table)
    return tuple(found)


def list_value(table: Table, item: Item, keys: tuple[str, ...]) -> AxisValue:
    """One of a list of values."""
    label = str(item.content) if item.kind == "text" else table.findings.written(item)
    number, unit = item.number, ""
    if (quantity := signed_quantity(item)) is not None:
        number, unit = quantity[0] * units.factor_of(quantity[1]), quantity[1]
    text = override(table, item)
    return AxisValue(label, number, tuple((key, text) for key in keys), unit)


def read_cases(table: Table) -> tuple[AxisValue, ...]:
    """`cases = [{ label, set, value }]`: values that set several keys at a time."""
    found = []
    for row in table.rows("cases"):
        label = row.text("label")
        inner = row.table("set")
        if not row.has("set"):
            row.missing("set")
        number, unit = None, ""
        if (item := row.item("value")) is not None:
            number, quantity = item.number, signed_quantity(item)
            if quantity is not None:
                number, unit = quantity[0] * units.factor_of(quantity[1]), quantity[1]
            elif number is None:
                row.wrong(item, "a number, or one with its unit")
        row.finish()
        found.append(AxisValue(label, number, read_settings(inner), unit))
    item = table.item("cases")
    if item is not None and item.kind == "list" and not item.items():
        empty(table)
    return () if item is not None and too_many(table, item, len(found)) else tuple(found)
