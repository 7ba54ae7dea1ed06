"""Measurements as comma-separated values: the form of the data sheets of `data-sheet-drives`.

The native part reads data sheets for simulations; here the same form is read with all messages for people, and written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sansim import _core
from sansim.drive.measured import CACHE, PATTERNS, Measured
from sansim.fit.quantities import size_text, time_text
from sansim.fit.rows import (
    DEEPEST,
    LARGEST_BYTES,
    LONGEST_NS,
    OPERATIONS,
    MeasurementError,
    amount_of,
    bytes_of,
    columns_of,
    count_of,
    needed,
    rate_of,
    rows_of_lines,
    table_lines,
    word_of,
)

KNOWN = ("operation", "pattern", "size", "queue_depth", "response_time", "iops", "cache")
MEANT: Mapping[str, str] = {
    "rw": "operation",
    "op": "operation",
    "bs": "size",
    "block_size": "size",
    "blocksize": "size",
    "depth": "queue_depth",
    "iodepth": "queue_depth",
    "qd": "queue_depth",
    "latency": "response_time",
    "lat": "response_time",
    "response": "response_time",
    "access": "pattern",
}
"""Other names of the columns."""
AGREES = 0.1
"""Least deviation of a response time and a rate from Little's law that is reported."""


def read_sheet(text: str, name: str) -> tuple[list[Measured], list[str]]:
    """The rows of a file, and what is odd about them.

    Raises:
        MeasurementError: The file, or lines of it, cannot be read.
    """
    (number, head), *lines = table_lines(text, name)
    columns = columns_of(head)
    check_columns(columns, f"{name}, line {number}")
    rows = rows_of_lines(lines, columns, name, row_of)
    return [row for _, row in rows], [note for values, row in rows for note in disagreement(values, row)]


def check_columns(columns: Sequence[str], place: str) -> None:
    """Refuses a first line that lacks a column."""
    twice = sorted({column for column in columns if column in KNOWN and columns.count(column) > 1})
    if twice:
        raise MeasurementError(f"{place}: the column `{twice[0]}` is there twice")
    needed = ["operation", "size", "queue_depth"]
    if "response_time" not in columns and "iops" not in columns:
        needed.append("response_time")
    faults = []
    for column in needed:
        if column in columns:
            continue
        what = "`response_time` or `iops`" if column == "response_time" else f"`{column}`"
        meant = next((other for other in columns if MEANT.get(other) == column), None)
        near = meant or _core.nearest(column, [other for other in columns if other not in KNOWN])
        what_else = f"; call `{near}` so" if near is not None else f"; it has {', '.join(columns)}"
        faults.append(f"{place}: the first line names no column {what}{what_else}")
    if faults:
        raise MeasurementError("\n".join(faults))


def row_of(values: Mapping[str, str], place: str) -> Measured:
    """The row in a line."""
    queue_depth = needed(values, "queue_depth", count_of, f"a whole number from 1 to {DEEPEST}")
    size = needed(values, "size", bytes_of, "a number with a unit, as 4 KiB")
    if size > LARGEST_BYTES:
        raise MeasurementError(f"size is `{values['size']}`; an I/O has at most {LARGEST_BYTES} B")
    if values.get("response_time"):
        response = needed(values, "response_time", lambda text: amount_of(text, "time"), "a time above 0, as 5.1 ms")
    elif "iops" in values:
        response = queue_depth * 1e9 / needed(values, "iops", rate_of, "a number above 0")
    else:
        raise MeasurementError("response_time is empty; it must be a time above 0, as 5.1 ms")
    if response > LONGEST_NS:
        raise MeasurementError("a response time of more than 30 days")
    return Measured(
        place=place,
        write=word_of(values, "operation", OPERATIONS) == "write",
        sequential="pattern" in values and word_of(values, "pattern", PATTERNS) == "sequential",
        bytes=size,
        queue_depth=queue_depth,
        response_ns=response,
        cache=word_of(values, "cache", CACHE) if "cache" in values else None,
    )


def disagreement(values: Mapping[str, str], row: Measured) -> list[str]:
    """The message about a row whose response time and rate do not agree."""
    rate = rate_of(values.get("iops", "")) if values.get("response_time") else None
    if rate is None or abs(rate / row.iops - 1) <= AGREES:
        return []
    under_way = rate * row.response_ns / 1e9
    return [
        f"{row.place}: {rate:g} I/Os per second of {values['response_time']} each are {under_way:.3g} under way,"
        f" not {row.queue_depth}; the response time is taken"
    ]


# ---------------------------------------------------------------- written


def sheet_text(rows: Sequence[Measured], about: Sequence[str]) -> str:
    """Rows as a data sheet, under comments. The cache is left out: all rows are of one setting."""
    table = [
        ["operation", "pattern", "size", "queue_depth", "response_time"],
        *(
            [row.operation, row.pattern, size_text(row.bytes), str(row.queue_depth), time_text(row.response_ns, 7)]
            for row in rows
        ),
    ]
    widths = [max(len(line[place]) for line in table) + 1 for place in range(len(table[0]) - 1)]
    lines = [
        " ".join([*(f"{cell},".ljust(width) for cell, width in zip(line, widths, strict=False)), line[-1]])
        for line in table
    ]
    return "\n".join([*(f"# {line}" for line in about), *lines]) + "\n"
