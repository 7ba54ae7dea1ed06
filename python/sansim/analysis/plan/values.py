"""Values of plans and catalogues: prices, power, times, numbers of parts, keys of a scenario."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import cast

from sansim import _core
from sansim._core import Code
from sansim.analysis.plan.model import Settings
from sansim.study.read.document import Findings, Item, Table, check_format
from sansim.study.read.values import read_number
from sansim.study.suggest import suggestion
from sansim.toml_text import toml_value

FORM = "plan"
"""No study has tables of this form, so any key may be asked for."""
MOST_COUNT = 100_000
WATTS = {"W": 1.0, "kW": 1000.0}


def opened(path: Path) -> Table:
    """The top level of a file; raises ScenarioError."""
    text = _core.read_text(path)
    document = _core.Document.parse(text, str(path))
    table = Table(Findings(document, text.encode()), document.root(), "", None, FORM)
    check_format(table)
    return table


def known(table: Table, keys: Iterable[str]) -> None:
    """Notes keys that a table does not have."""
    for key, (at, item) in table.written.items():
        if key not in keys:
            owner = f"`{table.path}`" if table.path else "a plan"
            table.findings.add(
                Code.UNKNOWN_KEY,
                at,
                item.path,
                f"{owner} has no key `{key}`",
                "unknown key",
                suggestion(key, list(keys)),
            )


def inner_tables(table: Table, key: str) -> list[tuple[str, Table]]:
    """The tables within a table, by name."""
    outer = table.table(key)
    if outer is None:
        return []
    found = [(name, outer.table(name)) for name in outer.written]
    return [(name, inner) for name, inner in found if inner is not None]


def read_money(table: Table, key: str, currency: str | None) -> float | None:
    """A price: a number, or one with the currency behind it."""
    item = table.item(key)
    if item is None:
        if currency is None:
            table.missing(key, "120")
        return None
    number = item.number
    if number is None and currency is not None and (quantity := with_unit(item)) is not None:
        number, unit = quantity
        if unit != currency:
            table.findings.about(
                Code.WRONG_UNIT, item, f"`{item.content}` is not in {currency}", f"the catalogue is in {currency}"
            )
            return None
    if number is None:
        table.wrong(item, "a number, in the currency of the catalogue")
        return None
    if number < 0:
        table.findings.about(Code.OUT_OF_RANGE, item, f"`{number:g}` is less than nothing", "must be 0 or more")
        return None
    return number


def with_unit(item: Item) -> tuple[float, str] | None:
    """A number and its suffix, whatever that is; None if it is none."""
    return _core.split_quantity(str(item.content).strip()) if item.kind == "text" else None


def read_power(table: Table, key: str) -> float | None:
    """A power, as `"12 W"`."""
    item = table.item(key)
    if item is None:
        return None
    quantity = with_unit(item)
    if quantity is None or quantity[1] not in WATTS or quantity[0] < 0:
        table.wrong(item, 'a power, as "12 W"')
        return None
    return quantity[0] * WATTS[quantity[1]]


def read_settings(table: Table, key: str) -> Settings:
    """Keys of a scenario with values. Tables within are paths, as in `--set`."""
    item = table.item(key)
    if item is None:
        return ()
    inner = table.table(key)
    return () if inner is None else tuple(settings_in(inner.written.values(), inner.path))


def settings_in(members: Iterable[tuple[tuple[int, int], Item]], within: str) -> list[tuple[str, str]]:
    """Each key with the TOML text of its value."""
    return [(item.path.removeprefix(f"{within}."), toml_value(item.plain())) for _, item in members]


def read_counts(table: Table, key: str, parts: Iterable[str]) -> dict[str, int]:
    """Parts with how many."""
    inner = table.table(key)
    found = {}
    for name, (at, item) in {} if inner is None else inner.written.items():
        if inner is not None and not is_part(inner, at, item, name, parts):
            continue
        number = whole(item)
        if number is None:
            table.wrong(item, "a whole number")
        else:
            found[name] = number
    return found


def whole(item: Item) -> int | None:
    """A whole number from zero on; None if it is none."""
    if item.kind != "integer":
        return None
    number = cast(int, item.content)
    return number if 0 <= number <= MOST_COUNT else None


def is_part(table: Table, at: tuple[int, int], item: Item, name: str, parts: Iterable[str]) -> bool:
    """Whether a name is that of a part; notes it if not."""
    names = list(parts)
    # If there is no catalogue at all that is said, and not again at each name.
    if name not in names and names:
        table.findings.add(
            Code.UNKNOWN_NAME, at, item.path, f"the catalogue has no part `{name}`", "", suggestion(name, names)
        )
    return name in names


def read_numbers(table: Table, key: str) -> list[int]:
    """A list of whole numbers, in which `"4..12"` means all from 4 to 12."""
    item = table.item(key)
    found: list[int] = []
    for part in [] if item is None else item.items():
        first, dots, last = str(part.content).partition("..")
        if (number := whole(part)) is not None:
            found.append(number)
        elif part.kind == "text" and dots and first.strip().isdigit() and last.strip().isdigit():
            low, high = int(first), int(last)
            if low > high or high > MOST_COUNT:
                table.findings.about(
                    Code.CONTRADICTION, part, f"there is no number from {low} to {high}", "the first is the smaller one"
                )
            else:
                found.extend(range(low, high + 1))
        else:
            table.wrong(part, 'whole numbers, or "4..12" for all from 4 to 12')
    return found


def read_time(table: Table, key: str) -> float | None:
    """A time in ns."""
    item = table.item(key)
    if item is None:
        return None
    if item.number is not None:
        table.findings.about(
            Code.MISSING_UNIT, item, f"`{key}` needs a unit", "", f'write "{item.number:g} ms" if ms are meant'
        )
        return None
    return above_zero(table, item, read_number(table, item, "ns"))


def read_positive(table: Table, key: str, unit: str) -> float | None:
    """A number above zero."""
    item = table.item(key)
    return None if item is None else above_zero(table, item, read_number(table, item, unit))


def above_zero(table: Table, item: Item, number: float | None) -> float | None:
    """A number if it is above zero."""
    if number is not None and number <= 0:
        table.findings.about(Code.OUT_OF_RANGE, item, f"{table.findings.written(item)} is not above zero")
        return None
    return number


def scaled(value: object, factor: float) -> str | None:
    """A value of a scenario made larger by a factor, as TOML; None of what is no number.

    Whole numbers stay whole, so that a queue depth of 2 is 2 for a while.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return str(round(value * factor))
    if isinstance(value, float):
        return repr(value * factor)
    quantity = _core.split_quantity(value) if isinstance(value, str) else None
    return None if quantity is None else toml_value(f"{quantity[0] * factor:.9g}{joined(quantity[1])}")


def joined(unit: str) -> str:
    """A unit behind its number: `/s` without a gap."""
    return unit if unit.startswith("/") else f" {unit}"
