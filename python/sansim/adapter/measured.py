"""Measurements of an adapter: I/Os per second by kind of command and queue depth."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sansim import _core
from sansim.fit.rows import (
    DEEPEST,
    LARGEST_BYTES,
    LONGEST_NS,
    OPERATIONS,
    Column,
    MeasurementError,
    amount_of,
    bytes_of,
    columns_of,
    count_of,
    merged,
    needed,
    number_of,
    rate_of,
    rows_of_lines,
    size_of,
    table_lines,
    text_of_file,
    word_of,
)

MOST_PORTS = 16
MOST_DEVICES = 126
KNOWN = (
    "operation",
    "size",
    "queue_depth",
    "outstanding",
    "iops",
    "bandwidth",
    "response_time",
    "ports",
    "devices",
)
RATES = ("iops", "bandwidth", "response_time")
MEANT: Mapping[str, str] = {
    "rw": "operation",
    "op": "operation",
    "direction": "operation",
    "bs": "size",
    "block_size": "size",
    "depth": "queue_depth",
    "iodepth": "queue_depth",
    "qd": "queue_depth",
    "in_flight": "outstanding",
    "mb/s": "bandwidth",
    "throughput": "bandwidth",
    "latency": "response_time",
    "io/s": "iops",
    "drives": "devices",
    "targets": "devices",
}
"""Other names of the columns."""
AGREES = 0.05
"""Least difference of two rates of a row that is reported."""


@dataclass(frozen=True)
class Rate:
    """A row: with so many commands in flight, all like this, the adapter carries out so many in a second."""

    place: str
    """Its place, as `hba.csv, line 4`."""
    write: bool
    bytes: int
    queue_depth: int
    """Commands in flight: at each device, or in all."""
    in_all: bool
    iops: float
    ports: int | None = None
    """Ports of the adapter; None where nothing is said."""
    devices: int | None = None
    """Devices behind all of them together; None where nothing is said."""

    @property
    def operation(self) -> str:
        """`read` or `write`."""
        return OPERATIONS[self.write]

    @property
    def counts(self) -> float:
        """The compared value: I/Os per second."""
        return self.iops

    @property
    def outstanding(self) -> int:
        """Commands in flight in all."""
        return self.queue_depth if self.in_all else self.queue_depth * (self.devices or self.ports or 1)

    @property
    def asked(self) -> tuple[bool, int, int, bool, int | None, int | None]:
        """The commands, which two rows may have in common."""
        return self.write, self.bytes, self.queue_depth, self.in_all, self.ports, self.devices


COLUMNS = (
    Column("operation", lambda row: row.operation, words=OPERATIONS),
    Column("size", lambda row: row.bytes, read=size_of),
    Column("queue_depth", lambda row: None if row.in_all else row.queue_depth, read=number_of),
    Column("outstanding", lambda row: row.outstanding, read=number_of),
    Column("ports", lambda row: row.ports or 1, read=number_of),
    Column("devices", lambda row: row.devices or row.ports or 1, read=number_of),
)
"""By what rows may be chosen."""


@dataclass(frozen=True)
class Rates:
    """All rows of the files, and what is to be known of them."""

    files: tuple[str, ...]
    rows: tuple[Rate, ...]
    notes: tuple[str, ...] = ()
    """Oddities of rows, a sentence each."""


def read_rates(files: Sequence[str | os.PathLike[str]]) -> Rates:
    """The rows of tables of comma-separated values.

    Raises:
        MeasurementError: One of them cannot be read.
        OSError: One of them cannot be read at all.
    """
    rows: list[Rate] = []
    notes: list[str] = []
    for file in files:
        name = os.fspath(file)
        text = text_of_file(file, "it is neither a table of comma-separated values, nor a trace or a capture")
        (number, head), *lines = table_lines(text, name)
        columns = columns_of(head)
        check_columns(columns, f"{name}, line {number}")
        for values, row in rows_of_lines(lines, columns, name, row_of):
            rows.append(row)
            notes += disagreement(values, row)
    once, repeated = merged(rows, "iops")
    return Rates(tuple(Path(file).name for file in files), tuple(once), tuple(notes + repeated))


def check_columns(columns: Sequence[str], place: str) -> None:
    """Refuses a first line that lacks a column."""
    twice = sorted({column for column in columns if column in KNOWN and columns.count(column) > 1})
    if twice:
        raise MeasurementError(f"{place}: the column `{twice[0]}` is there twice")
    if {"queue_depth", "outstanding"} <= set(columns):
        raise MeasurementError(
            f"{place}: there are both `queue_depth`, for each device, and `outstanding`, in all; leave out one of them"
        )
    wanted = [("operation",), ("size",), ("queue_depth", "outstanding"), RATES]
    faults = []
    for names in wanted:
        if any(name in columns for name in names):
            continue
        meant = next((other for other in columns if MEANT.get(other) in names), None)
        near = meant
        if near is None:
            found = ((name, _core.nearest(name, [one for one in columns if one not in KNOWN])) for name in names)
            near = next((other for _, other in found if other is not None), None)
        what = " or ".join(f"`{name}`" for name in names)
        if near is None:
            hint = f"; it has {', '.join(columns)}"
        else:
            hint = f"; call `{near}` {f'`{MEANT[near]}`' if near in MEANT else 'so'}"
        faults.append(f"{place}: the first line names no column {what}{hint}")
    if faults:
        raise MeasurementError("\n".join(faults))


def row_of(values: Mapping[str, str], place: str) -> Rate:
    """The row in a line."""
    depth = "outstanding" if "outstanding" in values else "queue_depth"
    size = needed(values, "size", bytes_of, "a number with a unit, as 4 KiB")
    if size > LARGEST_BYTES:
        raise MeasurementError(f"size is `{values['size']}`; an I/O has at most {LARGEST_BYTES} B")
    row = Rate(
        place=place,
        write=word_of(values, "operation", OPERATIONS) == "write",
        bytes=size,
        queue_depth=needed(values, depth, count_of, f"a whole number from 1 to {DEEPEST}"),
        in_all=depth == "outstanding",
        iops=1.0,
        ports=number_in(values, "ports", MOST_PORTS),
        devices=number_in(values, "devices", MOST_DEVICES),
    )
    if row.ports is not None and row.devices is not None and row.devices % row.ports:
        raise MeasurementError(f"{row.devices} devices cannot be spread evenly over {row.ports} ports")
    given = rates_of(values, row)
    if not given:
        raise MeasurementError(f"{' and '.join(name for name in RATES if name in values)} empty; one is needed")
    return replace(row, iops=next(iter(given.values())))


def number_in(values: Mapping[str, str], column: str, most: int) -> int | None:
    """A number that may be left out."""
    if not values.get(column):
        return None
    return needed(values, column, lambda text: count_of(text, most), f"a whole number from 1 to {most}")


def rates_of(values: Mapping[str, str], row: Rate) -> dict[str, float]:
    """The rates that a line says, each in I/Os per second, by their columns."""
    found = {}
    if values.get("iops"):
        found["iops"] = needed(values, "iops", rate_of, "a number above 0")
    if values.get("bandwidth"):
        wanted = "a rate with its unit, as 180 MB/s, or MB/s as a number"
        found["bandwidth"] = needed(values, "bandwidth", bandwidth_of, wanted) / row.bytes
    if values.get("response_time"):
        time = needed(values, "response_time", lambda text: amount_of(text, "time"), "a time above 0, as 5.1 ms")
        if time > LONGEST_NS:
            raise MeasurementError("a response time of more than 30 days")
        found["response_time"] = row.outstanding * 1e9 / time
    return found


def bandwidth_of(text: str) -> float | None:
    """Bytes per second; a number by itself is 10^6 bytes per second."""
    rate = rate_of(text)
    return amount_of(text, "rate") if rate is None else rate * 1e6


def disagreement(values: Mapping[str, str], row: Rate) -> list[str]:
    """The message about a row whose rates do not agree."""
    (first, taken), *others = rates_of(values, row).items()
    return [
        f"{row.place}: {name} makes {rate:,.0f} I/Os per second and {first} {taken:,.0f}; {first} is taken"
        for name, rate in others
        if abs(rate / taken - 1) > AGREES
    ]
