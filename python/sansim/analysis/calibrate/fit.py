"""The values of unknown keys that bring a scenario nearest to measurements, by least squares of the logarithms.

They are sought as in `sansim drive fit` (`sansim.fit.search`): over the ranges, then downhill by the method of
Levenberg and Marquardt. The precision of a value is seen from how the rows change with it, apart from changes that
other values cause: a value that changes them not at all, or only as others do, cannot be determined from them, and is
not made up.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sansim import _core
from sansim.analysis.calibrate.measured import Row
from sansim.analysis.calibrate.outcome import Compared, Found, Outcome, Unknown
from sansim.analysis.calibrate.text import calibration_json, calibration_text
from sansim.analysis.plan.model import Base, Settings
from sansim.fit.rows import MeasurementError
from sansim.fit.search import Point, downhill, slopes_at, squares, sweep, uncertainty
from sansim.simulate import run_scenario
from sansim.study import units
from sansim.study.measure.statistics import CONFIDENCE, student_t_quantile

KNOWN_TO = 5e-4
"""No row is taken to be known better: values have four digits."""
NAMED = 6
"""So many lines of rows are named in a message."""
UNTOLD = "cannot be told from these data"


class UndeterminedError(MeasurementError):
    """There are too few measurements for the unknown values."""


class Calibration(Outcome):
    """Unknown values of a scenario, found from measurements."""

    def as_json(self) -> dict[str, Any]:
        """As `sansim calibrate --json` has it."""
        return calibration_json(self)

    def text(self) -> str:
        """For a person."""
        return calibration_text(self)


def unknown_of(text: str, scenario: _core.Scenario | None = None) -> Unknown:
    """An unknown as the command line has it: `drives.access_time=1 ms..20 ms`.

    Raises:
        ValueError: It is none.
    """
    key, equals, ends = text.partition("=")
    low_text, dots, high_text = ends.partition("..")
    form = "write KEY=LOW..HIGH, for example drives.access_time=1 ms..20 ms"
    if not (key.strip() and equals and dots):
        raise ValueError(f"`{text}` has no range; {form}")
    low, high = quantity(low_text, form), quantity(high_text, form)
    unit = high[1]
    if low[1] and low[1] != unit:
        if units.dimension_of(low[1]) is None or units.dimension_of(low[1]) != units.dimension_of(unit):
            raise ValueError(f"`{text}`: `{low[1]}` and `{unit}` are not units of the same quantity")
        low = (units.converted(low[0], low[1], unit), unit)
    if not 0 < low[0] < high[0]:
        raise ValueError(f"`{text}`: the range must begin above zero and end above its beginning")
    if scenario is not None:
        kinds = {setting.key: setting.value for setting in scenario.settings()}
        if key.strip() not in kinds:
            near = _core.nearest(key.strip(), list(kinds))
            raise ValueError(f"the scenario has no key `{key.strip()}`" + (f"; did you mean `{near}`?" if near else ""))
    return Unknown(key.strip(), low[0], high[0], unit)


def quantity(text: str, form: str) -> tuple[float, str]:
    """A number and its suffix."""
    try:
        return float(text), ""
    except ValueError:
        found = _core.split_quantity(text.strip())
        if found is None:
            raise ValueError(f"`{text}` is not a value; {form}") from None
        return found


Came = tuple[float | None, float | None]
"""I/Os per second and mean response time in ns."""


@dataclass(frozen=True)
class Searched:
    """How far a calibration is."""

    doing: str
    tried: int
    """Sets of values that were tried."""
    error: float
    """Root of the mean square of the errors of the best of them, as a share; infinite before the first result."""
    best: Settings
    """The values of the best of them."""


class Trial:
    """A scenario with values that are tried, each once."""

    doing = ""
    """The present step of the search."""

    def __init__(
        self,
        base: Base,
        given: Settings,
        unknowns: Sequence[Unknown],
        rows: Sequence[Row],
        watch: Callable[[Searched], object] | None = None,
    ) -> None:
        """Takes the scenario, what is set in all rows, what is sought, the rows, and a callback."""
        self.watch = watch
        self.best: Settings = ()
        self.least = math.inf
        """The mean square of the errors of the best values, of the present step."""
        self.base, self.given, self.unknowns, self.rows = base, given, unknowns, rows
        self.known: dict[tuple[Settings, bool, int], list[Came] | None] = {}
        self.outside: list[str] = []
        self.simulated_rows: set[int] = set()
        """The lines of rows that were simulated, as the analytic model has no answer."""
        self.with_result: set[int] = set()
        """The lines of rows that had a result at any point."""

    def settings(self, point: Point) -> Settings:
        """A point as overrides."""
        return tuple((one.key, one.text(value)) for one, value in zip(self.unknowns, point, strict=True))

    def outcomes(self, point: Point, rows: Sequence[Row], *, simulate: bool = False) -> list[Came] | None:
        """The results of rows at a point; None if there is no such scenario."""
        settings = self.settings(point)
        key = (settings, simulate, id(rows))
        if key not in self.known:
            self.known[key] = (self.simulated if simulate else self.worked_out)(settings, rows)
        return self.known[key]

    def worked_out(self, settings: Settings, rows: Sequence[Row]) -> list[Came] | None:
        """By the analytic model."""
        base = (self.base.text, self.base.name, self.base.folder)
        choices = [[[*self.given]], [[*row.settings] for row in rows], [[*settings]]]
        found = json.loads(_core.analyse_designs([base], choices, [(0, [0, number, 0]) for number in range(len(rows))]))
        if any(one["problem"] is not None for one in found):
            return None
        self.outside = [one["doubt"] for one in found if one["doubt"] is not None]
        # More comes than is served: the model says no more, and a run says how much is served.
        return [
            (one["iops"], one["mean_ns"]) if one["iops"] is not None else self.run(row, settings) or (None, None)
            for row, one in zip(rows, found, strict=True)
        ]

    def simulated(self, settings: Settings, rows: Sequence[Row]) -> list[Came] | None:
        """By a run of each row, with the same seeds at every point."""
        found = [self.run(row, settings) for row in rows]
        return None if None in found else [one for one in found if one is not None]

    def run(self, row: Row, settings: Settings) -> Came | None:
        """The results of a run of a row; None if it cannot be run."""
        self.simulated_rows.add(row.line)
        try:
            summary = run_scenario(self.scenario(row, settings), collect_ios=False).summary
        except (_core.ScenarioError, _core.ClockError, _core.ComponentError):
            return None
        return summary["iops"], (summary["response_time_ns"] or {}).get("mean")

    def scenario(self, row: Row, settings: Settings) -> _core.Scenario:
        """The scenario of a row; raises ScenarioError."""
        pairs = dict((*self.given, *row.settings, *settings))
        return _core.Scenario.parse(self.base.text, self.base.name, list(pairs.items()), folder=self.base.folder)

    def errors(self, point: Point, rows: Sequence[Row], *, simulate: bool = False) -> list[float] | None:
        """The logarithms of ours over what was measured; None where there is no result."""
        outcomes = self.outcomes(point, rows, simulate=simulate)
        if outcomes is None:
            return None
        found: list[float] = []
        are_complete = True
        for row, (iops, response) in zip(rows, outcomes, strict=True):
            pairs = [(ours, theirs) for ours, theirs in ((iops, row.iops), (response, row.response_ns)) if theirs]
            if any(ours is None or ours <= 0 for ours, _ in pairs):
                are_complete = False
                continue
            self.with_result.add(row.line)
            found += [math.log(ours / theirs) for ours, theirs in pairs if ours is not None]
        self.note(point, found if are_complete else None)
        return found if are_complete else None

    def begin(self, doing: str) -> None:
        """Begins a step of the search, whose errors are not compared with those of earlier steps."""
        self.doing, self.least = doing, math.inf

    def note(self, point: Point, errors: Sequence[float] | None) -> None:
        """Keeps the best values, and tells how far the search is."""
        mean = squares(errors) / max(len(errors or ()), 1)
        if mean < self.least:
            self.least, self.best = mean, self.settings(point)
        if self.watch is not None:
            self.watch(Searched(self.doing, len(self.known), math.sqrt(self.least), self.best))


def used_rows(rows: Sequence[Row]) -> list[Row]:
    """Every second row, from the first on; the others are predicted. All rows if there are fewer than four."""
    return list(rows[::2]) if len(rows) >= 4 else list(rows)


def calibrate(
    base: Base,
    rows: Sequence[Row],
    unknowns: Sequence[Unknown],
    given: Settings = (),
    *,
    use_all: bool = False,
    simulate: bool = False,
    progress: Callable[[Searched], object] | None = None,
) -> Calibration:
    """Finds the values of unknown keys from measurements.

    Args:
        base: The scenario.
        rows: The measurements.
        unknowns: The unknown keys.
        given: Values on top of the scenario.
        use_all: Whether all rows are used; otherwise every second one is, and the others are predicted.
        simulate: Whether the search ends with simulations; otherwise all is worked out by the analytic model.
        progress: Called with how far the search is, after each set of values that is tried.

    Raises:
        UndeterminedError: There are too few rows for the unknowns.
        MeasurementError: No value of the ranges has a result.
        ScenarioError: A row cannot be.
    """
    used = list(rows) if use_all else used_rows(rows)
    trial = Trial(base, given, unknowns, used, progress)
    variables = [one.variable for one in unknowns]
    numbers = sum((row.iops is not None) + (row.response_ns is not None) for row in used)
    if numbers <= len(unknowns):
        raise UndeterminedError(
            f"the data cannot determine the values: {counted(numbers, 'number')} of {counted(len(used), 'row')} for"
            f" fitting, and {counted(len(unknowns), 'unknown value')}; measure more rows, or name fewer keys with"
            " --unknown"
        )
    start: Point = tuple(one.start for one in variables)
    for row in rows:
        # An error in a row is reported, rather than that nothing fits.
        trial.scenario(row, trial.settings(start))

    def errors(point: Point) -> list[float] | None:
        return trial.errors(point, used)

    trial.begin("looking over the ranges")
    point = sweep(errors, variables, start)
    trial.begin("going downhill")
    point = downhill(errors, variables, point)
    if simulate:
        trial.begin("simulating")

        def errors(point: Point) -> list[float] | None:
            return trial.errors(point, used, simulate=True)

        point = downhill(errors, variables, point)
    least = errors(point)
    if least is None:
        raise MeasurementError(no_result(trial, used))
    free = numbers - len(unknowns)
    deviation = max(math.sqrt(squares(least) / free), KNOWN_TO)
    slopes = slopes_at(errors, variables, point, range(len(variables)))
    known = uncertainty(slopes, deviation)
    factor = student_t_quantile(0.5 + CONFIDENCE / 2, free)
    found = tuple(
        found_of(one, value, factor * error, slope)
        for one, value, error, slope in zip(unknowns, point, known, slopes, strict=True)
    )
    outcomes = trial.outcomes(point, rows, simulate=simulate) or [(None, None)] * len(rows)
    compared = tuple(Compared(row, row in used, *outcome) for row, outcome in zip(rows, outcomes, strict=True))
    outside = () if simulate else tuple(dict.fromkeys(trial.outside))
    simulated_rows = tuple(sorted(trial.simulated_rows)) if not simulate else ()
    return Calibration(found, compared, deviation, outside, simulate, condition(slopes), simulated_rows)


def counted(count: int, thing: str) -> str:
    """A number of things, as `1 row` or `2 rows`."""
    return f"{count} {thing}{'' if count == 1 else 's'}"


def no_result(trial: Trial, rows: Sequence[Row]) -> str:
    """Why no values have a result in every row, with the rows that have none at any value that was tried."""
    never = [row for row in rows if row.line not in trial.with_result]
    if not never:
        return (
            "no values of the ranges give every row a result at once: the load may exceed the capacity; check the "
            "ranges of --unknown and the rates of the rows"
        )
    lines = ", ".join(str(row.line) for row in never[:NAMED])
    more = f" and {len(never) - NAMED} more" if len(never) > NAMED else ""
    several = "rows of lines" if len(never) > 1 else "row of line"
    what = never[0].words
    return (
        f"the {several} {lines}{more} ({what}) {'have' if len(never) > 1 else 'has'} no result at any value that was "
        "tried: in the simulation response times do not settle, as the load exceeds the capacity; leave out the "
        "response time of such a row, or check the ranges of --unknown and the rates of the rows"
    )


def found_of(unknown: Unknown, value: float, half: float, slope: Sequence[float]) -> Found:
    """A value with its interval, which is one in logarithms."""
    low, high = (0.0, math.inf) if half > 50 else (value * math.exp(-half), value * math.exp(half))
    why = reason = None
    if not any(abs(one) > 1e-3 for one in slope):
        why = f"{UNTOLD}: no row used changes with it"
        reason = "no row used for fitting depends on it"
    elif math.isinf(half):
        why = f"{UNTOLD}: the rows used change with it only as they do with others that are unknown too"
        reason = "the rows used for fitting cannot separate its effect from that of other unknown values"
    elif low <= unknown.low and high >= unknown.high:
        why = f"{UNTOLD}: its interval reaches over the whole range"
        reason = "its 95 % interval covers the whole range"
    at_end = value <= unknown.low * 1.001 or value >= unknown.high * 0.999
    return Found(unknown, value, low, high, why, at_end, reason)


def condition(slopes: Sequence[Sequence[float]]) -> float:
    """The largest over the smallest singular value of the slopes: infinite if a mixture of values changes nothing."""
    import numpy as np

    values = np.linalg.svd(np.array(slopes, dtype=float), compute_uv=False)
    return float(values[0] / values[-1]) if values[-1] > 1e-12 * values[0] and values[0] > 0 else math.inf
