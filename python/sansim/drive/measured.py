"""What was measured of a drive: response times by what was asked of it and how much it had to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sansim import _core

OPERATIONS = ("read", "write")
PATTERNS = ("random", "sequential")
CACHE = ("off", "on")
DEEPEST = 65_536
"""The deepest queue of a workload."""
LARGEST_BYTES = 2**32 - 1
"""The largest I/O of a workload."""
LONGEST_NS = 30 * 86_400 * 1e9
"""The longest time that a simulation adds up: 30 days."""


class MeasurementError(ValueError):
    """Measurements that cannot be used; the text says which, why, and what instead, a line for each."""


@dataclass(frozen=True)
class Measured:
    """A row: with so many commands in the drive, all like this, one takes so long in the mean."""

    place: str
    """Where it stands, as `drive.csv, line 4`."""
    write: bool
    sequential: bool
    bytes: int
    queue_depth: int
    response_ns: float
    cache: str | None = None
    """Whether the drive's cache was `on` or `off`; None where nothing is said."""

    @property
    def operation(self) -> str:
        """`read` or `write`."""
        return OPERATIONS[self.write]

    @property
    def pattern(self) -> str:
        """`random` or `sequential`."""
        return PATTERNS[self.sequential]

    @property
    def iops(self) -> float:
        """How many it carries out in a second: the queue depth over the response time (Little)."""
        return self.queue_depth * 1e9 / self.response_ns

    @property
    def asked(self) -> tuple[bool, bool, int, int, str | None]:
        """What was asked, which two rows may have in common."""
        return self.write, self.sequential, self.bytes, self.queue_depth, self.cache


@dataclass(frozen=True)
class Measurements:
    """All rows that can be used, and what is to be known of them."""

    files: tuple[str, ...]
    rows: tuple[Measured, ...]
    left_out: tuple[str, ...] = ()
    """What cannot be used, and why, a sentence each."""
    notes: tuple[str, ...] = ()
    """What is odd about rows that are used, a sentence each."""

    @property
    def name(self) -> str:
        """The files, as a person names them."""
        return ", ".join(self.files)


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


# ---------------------------------------------------------------- which rows


COLUMNS: Mapping[str, Callable[[Measured], object]] = {
    "operation": lambda row: row.operation,
    "pattern": lambda row: row.pattern,
    "size": lambda row: row.bytes,
    "queue_depth": lambda row: row.queue_depth,
    "cache": lambda row: row.cache,
}
"""By what rows may be chosen."""
WORDS: Mapping[str, Sequence[str]] = {"operation": OPERATIONS, "pattern": PATTERNS, "cache": CACHE}


@dataclass(frozen=True)
class Choice:
    """Rows by the values of a column, as `queue_depth=1,16`."""

    column: str
    values: frozenset[object]
    text: str

    def has(self, row: Measured) -> bool:
        """Whether a row is one of them."""
        return COLUMNS[self.column](row) in self.values


def choice_of(text: str) -> Choice:
    """Reads a choice.

    Raises:
        MeasurementError: It is none; the text says what could stand there.
    """
    column, sign, values = (part.strip() for part in text.partition("="))
    if not sign or column not in COLUMNS:
        near = _core.nearest(column, list(COLUMNS))
        hint = f"; did you mean {near}?" if near is not None and column != near else ""
        raise MeasurementError(f"`{text}` is not COLUMN=VALUES with one of the columns {', '.join(COLUMNS)}{hint}")
    return Choice(column, frozenset(value_of(column, value.strip()) for value in values.split(",")), text)


def value_of(column: str, text: str) -> object:
    """The value of a column."""
    if column in WORDS:
        if text.lower() in WORDS[column]:
            return text.lower()
        raise MeasurementError(f"{column} is `{text}`; it must be {' or '.join(WORDS[column])}")
    if column == "size":
        if (size := bytes_of(text)) is None:
            raise MeasurementError(f"size is `{text}`; it must be a number with a unit, as 4 KiB")
        return size
    if not text.isdecimal():
        raise MeasurementError(f"{column} is `{text}`; it must be a whole number")
    return int(text)


def chosen(rows: Iterable[Measured], choices: Iterable[Choice]) -> list[Measured]:
    """The rows that all of the choices have."""
    choices = tuple(choices)
    return [row for row in rows if all(choice.has(row) for choice in choices)]


# ---------------------------------------------------------------- repeated rows


def merged(rows: Iterable[Measured]) -> tuple[list[Measured], list[str]]:
    """Rows of which no two ask the same, and what was said twice.

    Of several measurements of the same the mean is taken: were one used and another predicted, the prediction would
    be no proof of anything.
    """
    groups: dict[object, list[Measured]] = {}
    for row in rows:
        groups.setdefault(row.asked, []).append(row)
    once, notes = [], []
    for group in groups.values():
        first = group[0]
        if len(group) > 1:
            times = [row.response_ns for row in group]
            others = ", ".join(row.place for row in group[1:])
            spread = max(times) / min(times) - 1
            notes.append(f"{first.place} asks the same as {others}; their mean is taken (they differ by {spread:.1%})")
            first = replace(first, response_ns=sum(times) / len(times))
        once.append(first)
    return once, notes
