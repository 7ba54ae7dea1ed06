"""Measurements of a system: rows of comma-separated values, each with what was set and what came out."""

from __future__ import annotations

import csv
import io
import math
import os
from dataclasses import dataclass

from sansim.analysis.plan.model import Settings
from sansim.fit.rows import MeasurementError, text_of_file
from sansim.study import units

TIMES = {"response_ns": 1.0, "response_us": 1e3, "response_ms": 1e6, "response_s": 1e9}
"""Columns of mean response times: how many ns their unit is."""
RESPONSE, IOPS = "response", "iops"
"""Columns: a mean response time with its unit; I/Os per second."""
MOST_ROWS = 10_000


@dataclass(frozen=True)
class Row:
    """A measurement."""

    line: int
    """The line of the file, from 1."""
    settings: Settings
    """Keys of the scenario with the TOML text of their values."""
    iops: float | None
    response_ns: float | None

    @property
    def words(self) -> str:
        """The settings of the row."""
        return ", ".join(f"{key} = {value}" for key, value in self.settings) or "the scenario as it is"


def read_rows(file: str | os.PathLike[str]) -> list[Row]:
    """Reads measurements: the first line names the columns, `iops`, `response` (or `response_ms` and its like).

    And keys of the scenario.

    Raises:
        MeasurementError: They cannot be used.
        OSError: The file cannot be read.
    """
    name = os.fspath(file)
    text = text_of_file(file, "it is not text; measurements are comma-separated values")
    lines = [line for line in text.splitlines(keepends=True) if not line.lstrip().startswith("#")]
    reader = csv.reader(io.StringIO("".join(lines)), skipinitialspace=True)
    head = [column.strip() for column in next(reader, [])]
    outcomes = [column for column in head if column in (IOPS, RESPONSE, *TIMES)]
    if not outcomes:
        raise MeasurementError(f"{name}: no column has a result; add a column `iops` or `response_ms`")
    if twice := next((column for column in head if head.count(column) > 1), None):
        raise MeasurementError(f"{name}: there are two columns `{twice}`")
    rows = [row_of(name, reader.line_num, head, cells) for cells in reader if any(cell.strip() for cell in cells)]
    if not rows:
        raise MeasurementError(f"{name}: no row follows the names of the columns")
    if len(rows) > MOST_ROWS:
        raise MeasurementError(f"{name}: there are {len(rows):,} rows; {MOST_ROWS:,} are used at most")
    return rows


def row_of(name: str, line: int, head: list[str], cells: list[str]) -> Row:
    """A row."""
    if len(cells) != len(head):
        raise MeasurementError(f"{name}:{line}: {len(cells)} values for {len(head)} columns")
    iops = response = None
    settings = []
    for column, cell in zip(head, (cell.strip() for cell in cells), strict=True):
        if not cell:
            continue
        if column == IOPS:
            iops = positive(name, line, column, cell)
        elif column in TIMES:
            response = positive(name, line, column, cell) * TIMES[column]
        elif column == RESPONSE:
            response = time_of(name, line, cell)
        else:
            settings.append((column, cell))
    if iops is None and response is None:
        raise MeasurementError(f"{name}:{line}: the row has neither IOPS nor a response time")
    return Row(line, tuple(settings), iops, response)


def positive(name: str, line: int, column: str, cell: str) -> float:
    """A number above zero."""
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number > 0):
        raise MeasurementError(f"{name}:{line}: `{column}` is `{cell}`, but must be a number above zero")
    return number


def time_of(name: str, line: int, cell: str) -> float:
    """A time with its unit, in ns."""
    quantity = units.split_quantity(cell)
    if quantity is None or units.dimension_of(quantity[1]) != "time" or quantity[0] <= 0:
        raise MeasurementError(f"{name}:{line}: `response` is `{cell}`, but must be a time such as 4.2 ms")
    return units.converted(*quantity, "ns")
