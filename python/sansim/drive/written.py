"""A fitted drive as files: a scenario with the drive in it, and its data sheet."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sansim.drive.fit import DriveFit
from sansim.file_types import FITTED, check_place
from sansim.files import whole_file
from sansim.fit.quantities import size_text
from sansim.fit.text import far_off
from sansim.toml_text import toml_key, toml_lines, toml_value


def sheet_place(file: str | os.PathLike[str]) -> Path:
    """The place of the data sheet of a scenario: beside it."""
    return Path(file).with_suffix(".csv")


def check_places(file: str | os.PathLike[str], *, sheet: bool, force: bool) -> None:
    """Refuses places at which there is something.

    Raises:
        OtherKindError: There is a file already: a user may have worked on it.
        IsADirectoryError: A folder has the name.
    """
    check_place(file, FITTED, force=force)
    if sheet:
        check_place(sheet_place(file), FITTED, force=force)


def write_drive(fit: DriveFit, file: str | os.PathLike[str], *, force: bool = False) -> list[Path]:
    """Writes a fitted drive as a scenario, with its data sheet if it has one.

    Raises:
        OtherKindError: There is a file already.
        OSError: It cannot be written.
    """
    check_places(file, sheet=fit.sheet is not None, force=force)
    written = []
    if fit.sheet is not None:
        with whole_file(sheet_place(file), FITTED, force=force) as out:
            out.write(fit.sheet.encode())
        written.append(sheet_place(file))
    with whole_file(file, FITTED, force=force) as out:
        out.write(scenario_text(fit, sheet_place(file).name).encode())
    return [Path(file), *written]


def scenario_text(fit: DriveFit, sheet: str) -> str:
    """A scenario that is the first row used: its table `drive` is what was fitted."""
    row = fit.used[0].measured
    lines = [
        f"# A drive fitted to {fit.measurements.name} by `sansim drive fit`: the table [drive].",
        "# Host and workload are those of the first row that it was fitted to.",
        f"title = {toml_value(f'Drive fitted to {fit.measurements.name}')}",
        f"description = {toml_value(far_off('Response times are', fit.used, fit.held_out))}",
        "",
        "[host]",
        'kind = "host"',
        'attached = ["drive"]',
    ]
    if row.queue_depth > 255:
        lines.append(f"driver.outstanding_limit = {row.queue_depth}")
    lines += [
        "",
        "[drive]",
        *drive_lines(fit, sheet),
        "",
        "[workload]",
        'kind = "closed"',
        'from = "host"',
        'to = ["drive"]',
        f'size = "{size_text(row.bytes)}"',
        f"read_fraction = {0.0 if row.write else 1.0}",
        f'pattern = "{row.pattern}"',
        f"queue_depth = {row.queue_depth}",
    ]
    return "\n".join(lines) + "\n"


def drive_lines(fit: DriveFit, sheet: str) -> Iterator[str]:
    """The keys of the drive, each with what it comes from."""
    table = dict(fit.table)
    if fit.sheet is not None:
        table["file"] = sheet
    fitted = {one.key for one in fit.fitted}
    given = {key for key, _ in fit.given}
    for path, text in toml_lines(table, ()):
        key = ".".join(path)
        if key in given:
            continue
        note = f"  # fitted to {fit.measurements.name}" if key in fitted else ""
        yield f"{'.'.join(map(toml_key, path))} = {text}{note}"
    for key, value in fit.given:
        yield f"{key} = {toml_value(given_value(value))}  # given"


def given_value(text: str) -> Any:
    """The value of a setting: TOML if it is, else a text, as on the command line."""
    try:
        return tomllib.loads(f"x = {text}")["x"]
    except tomllib.TOMLDecodeError:
        return text
