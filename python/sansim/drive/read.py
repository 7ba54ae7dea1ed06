"""Files of measurements, whichever form they have."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from sansim.drive.fio_results import is_fio, read_fio
from sansim.drive.measured import Measured, Measurements
from sansim.drive.sheet import read_sheet
from sansim.fit.rows import MeasurementError, merged, text_of_file


def read_measurements(files: Sequence[str | os.PathLike[str]]) -> Measurements:
    """The rows of files, each fio's JSON output or comma-separated values.

    Raises:
        MeasurementError: One of them cannot be read as either, or none has a row that can be used.
        OSError: One of them cannot be read at all.
    """
    rows: list[Measured] = []
    left_out: list[str] = []
    notes: list[str] = []
    for file in files:
        name = os.fspath(file)
        text = text_of_file(file, "it is no text; measurements are comma-separated values, or fio's JSON output")
        if is_fio(text):
            found, out, odd = read_fio(text, name)
            left_out += out
        else:
            found, odd = read_sheet(text, name)
        rows += found
        notes += odd
    if not rows:
        raise MeasurementError("\n".join([*left_out, f"{', '.join(map(str, files))}: no job can be used"]))
    once, repeated = merged(rows, "response_ns")
    names = tuple(Path(file).name for file in files)
    return Measurements(names, tuple(once), tuple(left_out), tuple(notes + repeated))
