"""A drive of a model is fitted to some of the rows that were measured, and predicts the others."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sansim import _core, arguments
from sansim.drive.measured import CACHE, COLUMNS, Measured, Measurements
from sansim.drive.models import MODELS, SHEET, SHEET_BEYOND, SHEET_KIND
from sansim.drive.read import read_measurements
from sansim.drive.sheet import sheet_text
from sansim.drive.simulated import Bench, keys_given
from sansim.fit.beside import Beside, Split, all_beside
from sansim.fit.rows import Choice, MeasurementError, choice_of, chosen, used_rows
from sansim.fit.trial import Fitted, Trial, Watch, reason_of, searched
from sansim.fit.variables import Model

HALF = "half"
IOS = 4000


class Row(Beside[Measured]):
    """A row beside what the fitted drive does: its response times in ns."""


@dataclass(frozen=True)
class DriveFit(Split[Row]):
    """A drive that was fitted to measurements, and how far it is from them."""

    model: str
    measurements: Measurements
    table: dict[str, Any]
    """The keys of the drive that were fitted, with those that have to stand beside them."""
    given: tuple[tuple[str, str], ...]
    """The keys that the user gave."""
    fitted: tuple[Fitted, ...]
    not_fitted: tuple[tuple[str, str], ...]
    """Keys that could have been fitted, and why they were not."""
    rows: tuple[Row, ...]
    beyond: tuple[str, ...]
    """Effects that the rows may contain and the model does not cover."""
    ios: int
    seed: int
    sheet: str | None = field(default=None, repr=False)
    """The file of `data-sheet`."""


@arguments.checked(
    files=arguments.FILES,
    model=arguments.TEXT,
    use=arguments.ROWS,
    only=arguments.ROWS,
    settings=arguments.SETTINGS,
    ios=(arguments.WHOLE, arguments.at_least(1)),
    seed=(arguments.WHOLE, arguments.at_least(0)),
    progress=arguments.FUNCTION.or_none,
)
def drive_fit(
    files: Sequence[str | os.PathLike[str]] | str | os.PathLike[str],
    model: str,
    *,
    use: Iterable[str] = (HALF,),
    only: Iterable[str] = (),
    settings: Mapping[str, str] | Iterable[tuple[str, str]] = (),
    ios: int = IOS,
    seed: int = 1,
    progress: Watch | None = None,
) -> DriveFit:
    """Fits a drive to a table of measurements, and predicts the rows that were held out.

    Args:
        files: Comma-separated values in the form of data sheets, or JSON output of fio 3.
        model: `data-sheet`, `drives`, `disks` or `flash-drives`.
        use: Which rows the fit uses: `half` (every second one of each operation and pattern, by size and depth; of
            `data-sheet` every second depth of each size, and the last), `all`, or the values of columns, as
            `queue_depth=1,16`. The others are predicted.
        only: Leaves out all rows but those with these values, as `pattern=random`.
        settings: Keys of the drive that are not fitted, with their values.
        ios: How many I/Os of each row are simulated in the end.
        seed: Seed of all runs.
        progress: Called with the progress of the fit.

    Raises:
        MeasurementError: The measurements cannot be used.
        ScenarioError: A setting is wrong.
        OSError: A file cannot be read.
    """
    names = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    if model != SHEET and model not in models():
        raise ValueError(f"no model `{model}`; there are {', '.join([SHEET, *models()])}")
    measurements = read_measurements(names)
    rows = rows_of(measurements, [choice_of(text, COLUMNS) for text in only])
    used = used_rows(rows, list(use), {HALF: every_second_depth if model == SHEET else every_second}, COLUMNS)
    given = tuple(settings.items() if isinstance(settings, Mapping) else settings)
    if any(key.split(".")[0] in ("kind", "count", "file") for key, _ in given):
        raise MeasurementError("`kind`, `count` and `file` of the drive are said by what is fitted, and cannot be set")
    bench = Bench(given, seed)
    if model == SHEET:
        return sheet_fit(measurements, rows, used, bench, ios)
    return model_fit(MODELS[model], measurements, rows, used, bench, ios, progress or (lambda _: None))


def models() -> list[str]:
    """The words of the models whose kinds there are."""
    schema = _core.schema_json()
    return [word for word, model in MODELS.items() if f'"{model.kind}"' in schema]


# ---------------------------------------------------------------- which rows


def rows_of(measurements: Measurements, only: Sequence[Choice]) -> list[Measured]:
    """The rows that are looked at."""
    rows = chosen(measurements.rows, only)
    if not rows:
        raise MeasurementError(f"no row of {measurements.name} has {' and '.join(choice.text for choice in only)}")
    settings = sorted({row.cache for row in rows if row.cache is not None})
    if len(settings) == len(CACHE):
        raise MeasurementError(
            f"{measurements.name} has rows with the cache on and rows with it off, and a drive has one of them:"
            " choose by --only cache=on"
        )
    return rows


def every_second(rows: Sequence[Measured]) -> set[Measured]:
    """Every second row of each operation and pattern, beginning with the smallest size and depth."""
    groups: dict[tuple[bool, bool], list[Measured]] = {}
    for row in sorted(rows, key=lambda row: (row.bytes, row.queue_depth)):
        groups.setdefault((row.write, row.sequential), []).append(row)
    return {row for group in groups.values() for row in group[::2]}


def every_second_depth(rows: Sequence[Measured]) -> set[Measured]:
    """Every second depth of each operation, pattern and size, with the last: a sheet says what is between its rows."""
    groups: dict[tuple[bool, bool, int], list[Measured]] = {}
    for row in sorted(rows, key=lambda row: row.queue_depth):
        groups.setdefault((row.write, row.sequential, row.bytes), []).append(row)
    return {row for group in groups.values() for row in (*group[::2], group[-1])}


# ---------------------------------------------------------------- a model with keys


def model_fit(
    model: Model,
    measurements: Measurements,
    rows: Sequence[Measured],
    used: set[Measured],
    bench: Bench,
    ios: int,
    watch: Watch,
) -> DriveFit:
    """Fits the keys of a model."""
    kept = [row for row in rows if row in used]
    given = keys_given(bench.given)
    variables, beside = model.fitted(kept, given)

    def errors(table: Mapping[str, Any], ios: int) -> list[float]:
        """The logarithms of simulated over measured times."""
        found = bench.responses_ns(table, kept, ios)
        return [math.log(ns / row.response_ns) for ns, row in zip(found, kept, strict=True)]

    without = bench.resolved(model.kind, kept[0]) if model.scales else {}
    trial = Trial(model, variables, beside, errors, rows=len(kept), watch=watch, without=without)
    start = trial.table(tuple(one.start for one in variables))
    for row in kept:
        # An error in the settings is reported at once, rather than that no drive fits.
        bench.read(start, row, ios)
    found = searched(trial, ios, reason_of(kept, given))
    return DriveFit(
        model=model.word,
        measurements=measurements,
        table=found.table,
        given=bench.given,
        fitted=found.fitted,
        not_fitted=found.not_fitted,
        rows=tuple(all_beside(Row, rows, used, lambda row: bench.response_ns(found.table, row, ios))),
        beyond=tuple(text for is_there, text in model.beyond if is_there(rows)),
        ios=ios,
        seed=bench.seed,
    )


# ---------------------------------------------------------------- a data sheet


def sheet_fit(
    measurements: Measurements, rows: Sequence[Measured], used: set[Measured], bench: Bench, ios: int
) -> DriveFit:
    """A data sheet of some rows, by which the others are between them."""
    kept = sorted(
        (row for row in rows if row in used), key=lambda row: (row.write, row.sequential, row.bytes, row.queue_depth)
    )
    for write, name in ((False, "reads"), (True, "writes")):
        if not any(row.write == write for row in kept):
            raise MeasurementError(
                f"{measurements.name}: there are no {name} among the rows used, and a data sheet has both;"
                " measure them, or fit another model"
            )
    about = [
        f"Fitted to {measurements.name}: {len(kept)} of its {len(rows)} rows, as they were measured.",
        "Written by `sansim drive fit`.",
    ]
    text = sheet_text(kept, about)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "sheet.csv"
        file.write_text(text, encoding="utf-8")
        table = {"kind": SHEET_KIND, "file": str(file)}
        found = tuple(all_beside(Row, rows, used, lambda row: bench.response_ns(table, row, ios)))
    return DriveFit(
        model=SHEET,
        measurements=measurements,
        table={"kind": SHEET_KIND},
        given=bench.given,
        fitted=(),
        not_fitted=(),
        rows=found,
        beyond=tuple(told for is_there, told in SHEET_BEYOND if is_there(rows)),
        ios=ios,
        seed=bench.seed,
        sheet=text,
    )
