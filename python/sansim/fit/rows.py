"""Rows of measurements: how their values are read, which of them are looked at, and which the fit uses."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

from sansim import _core
from sansim.files import named, read_bytes

OPERATIONS = ("read", "write")
DEEPEST = 65_536
"""The deepest queue of a workload."""
LARGEST_BYTES = 2**32 - 1
"""The largest I/O of a workload."""
LONGEST_NS = 30 * 86_400 * 1e9
"""The longest time that a simulation adds up: 30 days."""
ALL = "all"
"""The rule by which every row is used."""

Row = TypeVar("Row")
Value = TypeVar("Value")


class MeasurementError(ValueError):
    """Measurements that cannot be used; the text says which, why, and what instead, a line for each."""


# ---------------------------------------------------------------- files and rows


def text_of_file(file: str | os.PathLike[str], wanted: str) -> str:
    """The text of a file.

    Raises:
        MeasurementError: It is no text, and so not what is wanted.
        OSError: It cannot be read at all.
    """
    try:
        return read_bytes(file).decode("utf-8-sig")
    except OSError as error:
        raise named(error, file) from None
    except UnicodeDecodeError:
        raise MeasurementError(f"{os.fspath(file)}: {wanted}") from None


class Asked(Protocol):
    """A row of which others may ask the same."""

    @property
    def place(self) -> str:
        """Its place."""

    @property
    def asked(self) -> Hashable:
        """The commands, which two rows may have in common."""


Repeated = TypeVar("Repeated", bound=Asked)


def merged(rows: Iterable[Repeated], measured: str) -> tuple[list[Repeated], list[str]]:
    """Rows of which no two ask the same, and notes about duplicates.

    Several measurements of the same are replaced by their mean: were one used and another predicted, the prediction
    would be no proof of anything.

    Args:
        rows: All rows.
        measured: The field of a row that was measured.
    """
    groups: dict[Hashable, list[Repeated]] = {}
    for row in rows:
        groups.setdefault(row.asked, []).append(row)
    once, notes = [], []
    for group in groups.values():
        first = group[0]
        if len(group) > 1:
            values = [float(getattr(row, measured)) for row in group]
            others = ", ".join(row.place for row in group[1:])
            spread = max(values) / min(values) - 1
            notes.append(f"{first.place} asks the same as {others}; their mean is taken (they differ by {spread:.1%})")
            first = replace(first, **{measured: sum(values) / len(values)})  # type: ignore[type-var]
        once.append(first)
    return once, notes


# ---------------------------------------------------------------- values


def bytes_of(text: str) -> int | None:
    """A size with its unit in bytes; None if it is none."""
    return None if (amount := amount_of(text, "size")) is None else round(amount)


def amount_of(text: str, dimension: str) -> float | None:
    """A quantity in the base unit of its dimension, above 0; None if it is none."""
    parts = _core.split_quantity(text.strip())
    factors = {name: factor for name, measures, factor in _core.unit_factors() if measures == dimension}
    if parts is None or parts[1].strip() not in factors:
        return None
    amount = parts[0] * factors[parts[1].strip()]
    return amount if 0 < amount < float("inf") else None


def needed(values: Mapping[str, str], column: str, read: Callable[[str], Value | None], wanted: str) -> Value:
    """The value of a column.

    Raises:
        MeasurementError: It is not what is wanted.
    """
    text = values.get(column, "")
    value = read(text)
    if value is None:
        raise MeasurementError(f"{column} is {f'`{text}`' if text else 'empty'}; it must be {wanted}")
    return value


def word_of(values: Mapping[str, str], column: str, words: Sequence[str]) -> str:
    """The word in a column."""
    return needed(values, column, lambda text: text.lower() if text.lower() in words else None, " or ".join(words))


def count_of(text: str, most: int = DEEPEST) -> int | None:
    """A whole number from 1 on; None if it is none."""
    return int(text) if text.isascii() and text.isdecimal() and 1 <= int(text[:9]) <= most else None


def rate_of(text: str) -> float | None:
    """A number above 0; None if it is none."""
    try:
        rate = float(text)
    except ValueError:
        return None
    return rate if 0 < rate < float("inf") else None


# ---------------------------------------------------------------- tables

MOST_FAULTS = 10
"""Most faulty lines that are reported."""


def table_lines(text: str, name: str) -> list[tuple[int, str]]:
    """The lines of a table of comma-separated values that say something, with their numbers.

    Raises:
        MeasurementError: There is none.
    """
    lines = [
        (number, line)
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not lines:
        raise MeasurementError(f"{name}: there is nothing in it")
    return lines


def columns_of(line: str) -> list[str]:
    """The names of the columns of a table, which its first line says."""
    return [column.strip().lower() for column in line.split(",")]


def rows_of_lines(
    lines: Sequence[tuple[int, str]], columns: Sequence[str], name: str, read: Callable[[Mapping[str, str], str], Row]
) -> list[tuple[Mapping[str, str], Row]]:
    """The rows in the lines below the names of the columns, by `read`, beside their values.

    Raises:
        MeasurementError: Some cannot be read, or there is none.
    """
    rows: list[tuple[Mapping[str, str], Row]] = []
    faults = []
    for number, line in lines:
        place = f"{name}, line {number}"
        values = dict(zip(columns, (value.strip() for value in line.split(",")), strict=False))
        try:
            rows.append((values, read(values, place)))
        except MeasurementError as error:
            faults.append(f"{place}: {error}")
    if faults:
        more = [f"and {len(faults) - MOST_FAULTS} more lines"] if len(faults) > MOST_FAULTS else []
        raise MeasurementError("\n".join([*faults[:MOST_FAULTS], *more]))
    if not rows:
        raise MeasurementError(f"{name}: below the names of the columns there are no rows")
    return rows


# ---------------------------------------------------------------- which rows


@dataclass(frozen=True)
class Column:
    """By what rows may be chosen."""

    name: str
    of: Callable[[Any], object]
    """The value of a row."""
    words: tuple[str, ...] = ()
    """The words that it may be, if it is one."""
    read: Callable[[str, str], object] | None = None
    """Reads a value that is no word; it is given the name of the column, too."""

    def value(self, text: str) -> object:
        """The value that a text says.

        Raises:
            MeasurementError: It is none.
        """
        if self.read is not None:
            return self.read(text, self.name)
        if text.lower() in self.words:
            return text.lower()
        raise MeasurementError(f"{self.name} is `{text}`; it must be {' or '.join(self.words)}")


def size_of(text: str, column: str) -> int:
    """A size that rows are chosen by.

    Raises:
        MeasurementError: It is none.
    """
    if (size := bytes_of(text)) is None:
        raise MeasurementError(f"{column} is `{text}`; it must be a number with a unit, as 4 KiB")
    return size


def number_of(text: str, column: str) -> int:
    """A number that rows are chosen by.

    Raises:
        MeasurementError: It is none.
    """
    if not text.isdecimal():
        raise MeasurementError(f"{column} is `{text}`; it must be a whole number")
    return int(text)


@dataclass(frozen=True)
class Choice:
    """Rows by the values of a column, as `queue_depth=1,16`."""

    column: Column
    values: frozenset[object]
    text: str

    def has(self, row: object) -> bool:
        """Whether a row is one of them."""
        return self.column.of(row) in self.values


def choice_of(text: str, columns: Sequence[Column]) -> Choice:
    """Reads a choice.

    Raises:
        MeasurementError: It is none; the text says what could stand there.
    """
    name, sign, values = (part.strip() for part in text.partition("="))
    column = next((one for one in columns if one.name == name), None)
    if not sign or column is None:
        names = [one.name for one in columns]
        near = _core.nearest(name, names)
        hint = f"; did you mean {near}?" if near is not None and name != near else ""
        raise MeasurementError(f"`{text}` is not COLUMN=VALUES with one of the columns {', '.join(names)}{hint}")
    return Choice(column, frozenset(column.value(value.strip()) for value in values.split(",")), text)


def chosen(rows: Iterable[Row], choices: Iterable[Choice]) -> list[Row]:
    """The rows that all of the choices have."""
    choices = tuple(choices)
    return [row for row in rows if all(choice.has(row) for choice in choices)]


def used_rows(
    rows: Sequence[Row],
    use: Sequence[str],
    rules: Mapping[str, Callable[[Sequence[Row]], set[Row]]],
    columns: Sequence[Column],
) -> set[Row]:
    """The rows that the fit uses, by a rule or by the values of columns; the first rule if nothing is said.

    Raises:
        MeasurementError: There is no such rule, or no such row.
    """
    words = [ALL, *rules]
    if list(use) == [ALL]:
        return set(rows)
    if len(use) < 2 and (use or words[1:])[0] in rules:
        return rules[(use or words[1:])[0]](rows)
    if set(words) & set(use):
        raise MeasurementError(
            f"{', '.join(f'`{word}`' for word in words[:-1])} and `{words[-1]}` stand alone in --use"
        )
    found = set(chosen(rows, [choice_of(text, columns) for text in use]))
    if not found:
        raise MeasurementError(f"no row has {' and '.join(use)}, so there is nothing to fit to")
    return found
