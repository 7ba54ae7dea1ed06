"""A drive of a model is fitted to some of the rows that were measured, and predicts the others."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from sansim import _core
from sansim.drive.measured import CACHE, Choice, Measured, MeasurementError, Measurements, choice_of, chosen
from sansim.drive.models import MODELS, SHEET, SHEET_BEYOND, SHEET_KIND, Model, Values, Variable
from sansim.drive.read import read_measurements
from sansim.drive.search import Counts, Point, counted, downhill, free_of, slopes_at, squares, sweep, uncertainty
from sansim.drive.sheet import sheet_text
from sansim.drive.simulated import Bench, keys_given

HALF, ALL = "half", "all"
FEW = 10
"""The search begins with so many times fewer I/Os than it ends with."""
LEAST_IOS = 100
IOS = 4000
KNOWN_TO = 0.01
"""No row is taken to be known better than to one per cent, however well it is fitted."""
HELD_TO = 0.002
"""A key goes back to where it began only if rows get worse by no more than about this."""
UNTOLD = "the rows used do not tell it, alone or apart from the others"
UNKNOWN = 1.0
"""A value whose standard error is as large as itself is not known."""

Watch: TypeAlias = "Callable[[Far], object]"


@dataclass(frozen=True)
class Far:
    """How far a fit is."""

    doing: str
    tried: int
    """Drives that were simulated."""
    error: float
    """Root of the mean square of the errors of the best of them, as a share."""


@dataclass(frozen=True)
class Fitted:
    """A key that was fitted."""

    key: str
    value: str | int
    """As scenarios write it."""
    error: float | None
    """Standard error as a share of it; infinite if the rows do not tell it; None of a count."""
    at_end: bool
    """Whether it is at an end of its range, so that it may be anything beyond."""
    others: tuple[int, ...] = ()
    """Of a count: other numbers that were tried and do as well, as far as rows can tell."""


@dataclass(frozen=True)
class Row:
    """A row beside what the fitted drive does."""

    measured: Measured
    used: bool
    """Whether it was used for the fit. Only of the others is what is simulated a prediction."""
    simulated_ns: float | None
    """None if the drive cannot carry it out."""
    why: str | None = None
    """Why it cannot."""

    @property
    def error(self) -> float | None:
        """By which share the simulated time is longer."""
        return None if self.simulated_ns is None else self.simulated_ns / self.measured.response_ns - 1


@dataclass(frozen=True)
class DriveFit:
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
    """What the rows may have in them that the model does not know."""
    ios: int
    seed: int
    sheet: str | None = field(default=None, repr=False)
    """Of `data-sheet`: the file."""

    @property
    def used(self) -> list[Row]:
        """The rows to which it was fitted."""
        return [row for row in self.rows if row.used]

    @property
    def held_out(self) -> list[Row]:
        """The rows that it predicts."""
        return [row for row in self.rows if not row.used]


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
        progress: Is told how far the fit is.

    Raises:
        MeasurementError: The measurements cannot be used.
        ScenarioError: A setting is wrong.
        OSError: A file cannot be read.
    """
    names = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    if model != SHEET and model not in models():
        raise ValueError(f"no model `{model}`; there are {', '.join([SHEET, *models()])}")
    measurements = read_measurements(names)
    rows = rows_of(measurements, [choice_of(text) for text in only])
    used = used_rows(rows, list(use), every_second_depth if model == SHEET else every_second)
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


def used_rows(
    rows: Sequence[Measured], use: Sequence[str], half: Callable[[Sequence[Measured]], set[Measured]]
) -> set[Measured]:
    """The rows that the fit uses; `half` says which those of that name are."""
    if list(use) == [ALL]:
        return set(rows)
    if list(use) in ([], [HALF]):
        return half(rows)
    if ALL in use or HALF in use:
        raise MeasurementError(f"`{ALL}` and `{HALF}` stand alone in --use")
    found = set(chosen(rows, [choice_of(text) for text in use]))
    if not found:
        raise MeasurementError(f"no row has {' and '.join(use)}, so there is nothing to fit to")
    return found


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


class Trial:
    """Drives that are tried, each simulated once."""

    def __init__(
        self,
        model: Model,
        variables: Sequence[Variable],
        beside: Values,
        rows: Sequence[Measured],
        bench: Bench,
        watch: Watch,
    ) -> None:
        self.model, self.variables, self.beside = model, variables, beside
        self.rows, self.bench, self.watch = rows, bench, watch
        self.without = bench.resolved(model.kind, rows[0]) if model.scales else {}
        self.known: dict[tuple[str, int], list[float] | None] = {}
        self.least: dict[int, float] = {}
        self.doing = ""

    def values(self, point: Point) -> Values:
        """All values of a drive."""
        return self.model.settle(
            {**self.beside, **{one.name: value for one, value in zip(self.variables, point, strict=True)}}
        )

    def table(self, point: Point) -> dict[str, Any]:
        """The keys of a drive."""
        return self.model.table(self.values(point), self.without)

    def errors(self, point: Point, ios: int) -> list[float] | None:
        """The logarithms of simulated over measured times; None if there is no such drive."""
        table = self.table(point)
        key = (repr(table), ios)
        if key not in self.known:
            try:
                found = self.bench.responses_ns(table, self.rows, ios)
            except _core.ScenarioError:
                self.known[key] = None
            else:
                errors = [math.log(ns / row.response_ns) for ns, row in zip(found, self.rows, strict=True)]
                self.known[key] = errors
                self.least[ios] = min(self.least.get(ios, math.inf), deviation_of(errors, 0))
            self.watch(Far(self.doing, len(self.known), self.least.get(ios, math.inf)))
        return self.known[key]


def deviation_of(errors: Sequence[float], fitted: int) -> float:
    """The deviation of rows from a fit of so many values; 0 if there are no more rows than that."""
    free = len(errors) - fitted
    return math.sqrt(math.fsum(error * error for error in errors) / free) if free > 0 else 0.0


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
    trial = Trial(model, variables, beside, kept, bench, watch)
    start: Point = tuple(one.start for one in variables)
    for row in kept:
        # What is wrong with the settings is told at once, and not that no drive fits.
        bench.read(trial.table(start), row, ios)
    few = max(ios // FEW, LEAST_IOS)
    trial.doing = "looking over the ranges"
    point = sweep(lambda point: trial.errors(point, few), variables, start)
    trial.doing = "going downhill"
    point = downhill(lambda point: trial.errors(point, few), variables, point)
    point, tried = counted(lambda point: trial.errors(point, few), variables, point)
    trial.doing = "seeing what rows tell"
    point, untold = held_at_start(trial, point, few)
    trial.doing = "looking closer"
    point = downhill(lambda point: trial.errors(point, ios), variables, point, held=untold)
    found = trial.values(point)
    point = tuple(one.rounded(found[one.name]) for one in variables)
    trial.doing = "telling what is known"
    texts = [one.text(value) for one, value in zip(variables, point, strict=True)]
    table = trial.table(point)
    return DriveFit(
        model=model.word,
        measurements=measurements,
        table=table,
        given=bench.given,
        fitted=tuple(told(trial, point, untold, tried, ios)),
        not_fitted=(
            *((variables[place].name, f"{UNTOLD}; taken as {texts[place]}") for place in sorted(untold)),
            *not_fitted(model, variables, beside, kept, given),
        ),
        rows=tuple(beside_measured(bench, table, rows, used, ios)),
        beyond=tuple(text for is_there, text in model.beyond if is_there(rows)),
        ios=ios,
        seed=bench.seed,
    )


def standard_errors(trial: Trial, point: Point, held: Collection[int], ios: int) -> dict[int, float]:
    """How well the rows tell each variable that has slopes and is not held, by its place."""
    free = free_of(trial.variables, held)
    deviation = max(deviation_of(trial.errors(point, ios) or [], len(trial.variables) - len(held)), KNOWN_TO)
    slopes = slopes_at(lambda point: trial.errors(point, ios), trial.variables, point, free)
    return dict(zip(free, uncertainty(slopes, deviation), strict=True))


def held_at_start(trial: Trial, point: Point, ios: int) -> tuple[Point, set[int]]:
    """Variables that rows do not tell go back to where they began, if the others do as well then.

    Otherwise the search would leave them anywhere.
    """
    held: set[int] = set()
    needed: set[int] = set()
    while True:
        errors = standard_errors(trial, point, held, ios)
        untold = {place: error for place, error in errors.items() if error >= UNKNOWN and place not in needed}
        if not untold:
            return point, held
        # Of several the last in the order of the model, as those before explain more.
        place = max(untold)
        start = (*point[:place], trial.variables[place].start, *point[place + 1 :])
        there = downhill(lambda point: trial.errors(point, ios), trial.variables, start, held={*held, place})
        free = len(trial.rows) - len(trial.variables) + len(held) + 1
        if is_as_well(squares(trial.errors(there, ios)), squares(trial.errors(point, ios)), free, HELD_TO):
            point, held = there, {*held, place}
        else:
            needed.add(place)


def told(trial: Trial, point: Point, held: Collection[int], tried: Counts, ios: int) -> Iterable[Fitted]:
    """The fitted keys, and how well the rows tell each."""
    variables = trial.variables
    known = standard_errors(trial, point, held, ios)
    for place, (one, value) in enumerate(zip(variables, point, strict=True)):
        if place in held:
            continue
        at_end = one.measure != "count" and (value <= one.low * 1.01 or value >= one.high * 0.99)
        others = as_well(tried.get(place, {}), value, len(trial.rows), len(variables))
        yield Fitted(one.name, one.text(value), known.get(place), at_end, others)


def as_well(tried: Mapping[float, float], best: float, rows: int, fitted: int) -> tuple[int, ...]:
    """The other numbers whose sum of squares is as good as the least."""
    least = min(tried.values(), default=0.0)
    others = (number for number, found in tried.items() if number != best and is_as_well(found, least, rows - fitted))
    return tuple(sorted(map(round, others)))


def is_as_well(found: float, least: float, free: int, known_to: float = KNOWN_TO) -> bool:
    """Whether a sum of squares is within two standard errors of the least, which is no better than rows are known."""
    free = max(free, 1)
    return found <= max(least, free * known_to**2) * (1 + 4 / free)


def not_fitted(
    model: Model, variables: Sequence[Variable], beside: Values, rows: Sequence[Measured], given: set[str]
) -> Iterable[tuple[str, str]]:
    """The keys of a model that were not fitted, and why."""
    for one in model.variables:
        if one in variables:
            continue
        if given & {one.name, one.name.split(".")[0], *one.stands_for}:
            why = "given"
        elif not one.needs(rows):
            why = "the rows used say nothing of it"
        else:
            why = "there are no more rows than keys that matter more"
        taken = f"; taken as {one.text(beside[one.name])}" if one.name in beside else ""
        yield one.name, why + taken


def beside_measured(
    bench: Bench, table: Mapping[str, Any], rows: Sequence[Measured], used: set[Measured], ios: int
) -> Iterable[Row]:
    """All rows beside what a drive does."""
    for row in rows:
        try:
            yield Row(row, row in used, bench.response_ns(table, row, ios))
        except _core.ScenarioError as error:
            yield Row(row, row in used, None, error.problems[0].message)


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
        found = tuple(beside_measured(bench, table, rows, used, ios))
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
