"""Trials of a model are simulated beside the rows that are used; the best of them, and its precision."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sansim import _core
from sansim.fit.search import (
    EXACT,
    NOTHING,
    STEP,
    SWEEPS,
    Counts,
    Point,
    counted,
    downhill,
    free_of,
    places,
    slopes_at,
    squares,
    sweep,
    uncertainty,
)
from sansim.fit.variables import Model, Rows, Values, Variable

FEW = 10
"""The search begins with so many times fewer I/Os than it ends with."""
LEAST_IOS = 100
KNOWN_TO = 0.01
"""No row is taken to be known better than to one per cent, however well it is fitted."""
HELD_TO = 0.002
"""A key goes back to where it began only if rows get worse by no more than about this."""
UNTOLD = "the rows used do not tell it, alone or apart from the others"
UNKNOWN = 1.0
"""A value whose standard error is as large as itself is not known."""


@dataclass(frozen=True)
class Far:
    """How far a fit is."""

    doing: str
    tried: int
    """Drives or adapters that were simulated."""
    error: float
    """Root of the mean square of the errors of the best of them, as a share."""
    best: Mapping[str, Any] = field(default_factory=dict)
    """The keys of the best of them; none before the first one."""


Watch: TypeAlias = "Callable[[Far], object]"
Errors: TypeAlias = "Callable[[Mapping[str, Any], int], list[float]]"
"""The logarithms of simulated over measured values of the rows used, with a table of keys and so many I/Os.

It raises a ScenarioError if there is nothing with these keys.
"""


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
    """Other numbers of a count that were tried and do as well, as far as rows can determine."""


@dataclass(frozen=True)
class Found:
    """The best that was found of a model."""

    table: dict[str, Any]
    """The keys that were fitted, with those that have to stand beside them."""
    fitted: tuple[Fitted, ...]
    not_fitted: tuple[tuple[str, str], ...]
    """Keys that could have been fitted, and why they were not."""


class Trial:
    """The trials of a model, each simulated once."""

    def __init__(
        self,
        model: Model,
        variables: Sequence[Variable],
        beside: Values,
        errors: Errors,
        *,
        rows: int,
        watch: Watch,
        without: Mapping[str, Any] | None = None,
        known_to: float = KNOWN_TO,
        exact: float = EXACT,
        ways: Sequence[tuple[float, float]] = ((-STEP, STEP),),
        left_out_as: str | None = None,
        blur: float = 0.0,
    ) -> None:
        self.model, self.variables, self.beside = model, variables, beside
        self.simulated, self.rows, self.watch = errors, rows, watch
        self.without = without or {}
        self.known_to, self.exact = known_to, exact
        self.ways = ways
        """Steps by which it is seen what a key does to rows; of several that counts which does least."""
        self.blur = blur
        """By how much errors may be off because what is simulated comes in steps, as words are."""
        self.left_out_as = left_out_as
        """The text for a key that is left out, where there is one, as `as the scenario has it`.

        Then a key need not make rows better than they are with that.
        """
        self.left_out: set[int] = set()
        """Variables that are not written, by their place, as rows do not tell them."""
        self.known: dict[tuple[str, int], list[float] | None] = {}
        self.least: dict[int, float] = {}
        self.best: Mapping[str, Any] = {}
        """The keys that are written of the best so far, with the present number of I/Os."""
        self.doing = ""

    def values(self, point: Point) -> Values:
        """All values that are written."""
        mine = {
            one.name: value
            for place, (one, value) in enumerate(zip(self.variables, point, strict=True))
            if place not in self.left_out
        }
        return self.model.settle({**self.beside, **mine})

    def table(self, point: Point) -> dict[str, Any]:
        """The keys that are written."""
        return self.model.table(self.values(point), self.without)

    def errors(self, point: Point, ios: int) -> list[float] | None:
        """The logarithms of simulated over measured values; None if there is nothing with these keys."""
        table = self.table(point)
        key = (repr(table), ios)
        if key not in self.known:
            try:
                errors = self.simulated(table, ios)
            except _core.ScenarioError:
                self.known[key] = None
            else:
                self.known[key] = errors
                deviation = deviation_of(errors, 0)
                if deviation < self.least.get(ios, math.inf):
                    self.least[ios], self.best = deviation, table
            self.watch(Far(self.doing, len(self.known), self.least.get(ios, math.inf), self.best))
        return self.known[key]

    def downhill(self, point: Point, ios: int, held: Collection[int] = ()) -> Point:
        """The least near a point."""
        return downhill(lambda point: self.errors(point, ios), self.variables, point, held=held, exact=self.exact)


def searched(trial: Trial, ios: int, reason: Callable[[Variable], str]) -> Found:
    """Searches the best of a model: over the ranges with few I/Os, then downhill, in the end with all of them.

    `reason` says why a variable of the model was not looked at.
    """
    variables = trial.variables
    start: Point = tuple(one.start for one in variables)
    few = max(ios // FEW, LEAST_IOS)
    trial.doing = "looking over the ranges"
    point = sweep(lambda point: trial.errors(point, few), variables, start)
    trial.doing = "going downhill"
    point = trial.downhill(point, few)
    point, tried = counted(lambda point: trial.errors(point, few), variables, point)
    trial.doing = "seeing what rows tell"
    point, untold = held_at_start(trial, point, few)
    return finished(trial, point, untold, tried, ios, reason)


def searched_by_one(
    trial: Trial,
    ios: int,
    reason: Callable[[Variable], str],
    *,
    together: Collection[str] = (),
    over_ranges: bool = True,
    few: int | None = None,
) -> Found:
    """The same of a model whose keys may all be left out: one after the other, those first that matter most.

    One that does not make the rows used clearly better, or that they do not tell, is left out. So of two that do the
    same to rows the first has it all. Keys of which each does something else to rows are looked at `together` before.
    Without `over_ranges` it goes downhill at once, which finds the best where errors grow in proportion to what they
    come from.
    """
    few = max(ios // FEW, LEAST_IOS) if few is None else few
    variables = trial.variables
    point: Point = tuple(one.start for one in variables)
    first = {place for place, one in enumerate(variables) if one.name in together}
    held = set(range(len(variables))) - first
    trial.left_out |= held
    tried: Counts = {}
    if first:
        point = found_together(trial, point, first, held, few)
    for place in range(len(variables)):
        if place not in first:
            point = looked_at(trial, point, place, held, tried, few, over_ranges=over_ranges)
    if deviation_of(trial.errors(point, few) or [], len(variables) - len(held)) > trial.known_to:
        # Later results may let rows determine more variables.
        for place in sorted(held):
            point = looked_at(trial, point, place, held, tried, few, over_ranges=over_ranges)
    return finished(trial, point, held, tried, ios, reason)


def looked_at(
    trial: Trial, point: Point, place: int, held: set[int], tried: Counts, ios: int, *, over_ranges: bool
) -> Point:
    """A key that was left out is looked at; it stays left out, and held, if it makes rows no better."""
    one = trial.variables[place]
    trial.doing = f"looking at {one.name}"
    before = squares(trial.errors(point, ios))
    trial.left_out.discard(place)
    held.discard(place)
    there = with_value(point, place, one.start)
    if one.measure == "count":
        tried[place] = {number: squares(trial.errors(with_value(point, place, number), ios)) for number in one.choices}
        there = with_value(point, place, min(tried[place], key=tried[place].__getitem__))
    elif over_ranges:
        there = range_of_one(trial, there, place, ios)
    there = trial.downhill(there, ios, held)
    after = squares(trial.errors(there, ios))
    free = trial.rows - (len(trial.variables) - len(held))
    is_determined = one.measure == "count" or standard_errors(trial, there, held, ios)[place] < UNKNOWN
    is_better = not is_as_well(before, after, free, trial.known_to)
    if trial.left_out_as is not None and one.measure != "count":
        is_better = is_as_well(after, before, free, trial.known_to)
    if is_determined and is_better:
        return there
    held.add(place)
    trial.left_out.add(place)
    return point


def with_value(point: Point, place: int, value: float) -> Point:
    """A point with another value of one variable."""
    return (*point[:place], float(value), *point[place + 1 :])


def found_together(trial: Trial, point: Point, first: set[int], held: set[int], ios: int) -> Point:
    """The best of several keys at once; those that rows do not tell join those that are held, and are left out."""
    trial.doing = "looking over the ranges"
    for _ in range(SWEEPS):
        before = point
        for place in sorted(first):
            point = range_of_one(trial, point, place, ios)
        if point == before:
            break
    trial.doing = "going downhill"
    point = trial.downhill(point, ios, held)
    for place in sorted(first, reverse=True):
        if trial.left_out_as is not None and standard_errors(trial, point, held, ios)[place] < UNKNOWN:
            continue
        trial.left_out.add(place)
        there = trial.downhill(point, ios, {*held, place})
        free = trial.rows - len(first - held)
        if is_as_well(squares(trial.errors(there, ios)), squares_with(trial, point, place, ios), free, trial.known_to):
            point = there
            held.add(place)
        else:
            trial.left_out.discard(place)
    return point


def squares_with(trial: Trial, point: Point, place: int, ios: int) -> float:
    """The sum of squares with a key that is being left out."""
    trial.left_out.discard(place)
    found = squares(trial.errors(point, ios))
    trial.left_out.add(place)
    return found


def range_of_one(trial: Trial, point: Point, place: int, ios: int) -> Point:
    """The best of a look over the range of one variable, all others as they are."""
    best, least = point, squares(trial.errors(point, ios))
    for number in range(SWEEPS):
        for value in places(trial.variables[place], best[place], number):
            there = with_value(point, place, value)
            found = squares(trial.errors(there, ios))
            if found < least:
                best, least = there, found
    return best


def finished(
    trial: Trial, point: Point, untold: set[int], tried: Counts, ios: int, reason: Callable[[Variable], str]
) -> Found:
    """The last steps, with all I/Os, and what is known then."""
    variables = trial.variables
    trial.doing = "looking closer"
    point = trial.downhill(point, ios, untold)
    values = trial.values(point)
    point = tuple(one.rounded(values.get(one.name, at)) for one, at in zip(variables, point, strict=True))
    trial.doing = "telling what is known"
    return Found(
        table=trial.table(point),
        fitted=tuple(fitted_keys(trial, point, untold, tried, ios)),
        not_fitted=tuple(not_fitted(trial, point, untold, reason)),
    )


def deviation_of(errors: Sequence[float], fitted: int) -> float:
    """The deviation of rows from a fit of so many values; 0 if there are no more rows than that."""
    free = len(errors) - fitted
    return math.sqrt(math.fsum(error * error for error in errors) / free) if free > 0 else 0.0


def standard_errors(trial: Trial, point: Point, held: Collection[int], ios: int) -> dict[int, float]:
    """How well the rows tell each variable that has slopes and is not held, by its place."""
    free = free_of(trial.variables, held)
    fitted = len(trial.variables) - len(held)
    deviation = max(deviation_of(trial.errors(point, ios) or [], fitted), trial.known_to)
    found = []
    for ways in trial.ways:
        slopes = slopes_at(lambda point: trial.errors(point, ios), trial.variables, point, free, ways)
        # Values that come in steps make slopes of their own.
        blur = trial.blur * math.sqrt(trial.rows) / (ways[1] - ways[0])
        found.append(uncertainty(slopes, deviation, max(blur, NOTHING)))
    return {place: max(errors) for place, errors in zip(free, zip(*found, strict=True), strict=True)}


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
        # The last of several in the order of the model, as those before explain more.
        place = max(untold)
        now = squares(trial.errors(point, ios))
        start = (*point[:place], trial.variables[place].start, *point[place + 1 :])
        there = trial.downhill(start, ios, {*held, place})
        free = trial.rows - len(trial.variables) + len(held) + 1
        if is_as_well(squares(trial.errors(there, ios)), now, free, HELD_TO):
            point, held = there, {*held, place}
        else:
            needed.add(place)


def fitted_keys(trial: Trial, point: Point, held: Collection[int], tried: Counts, ios: int) -> Iterable[Fitted]:
    """The fitted keys, and how well the rows tell each."""
    variables = trial.variables
    known = standard_errors(trial, point, held, ios)
    for place, (one, value) in enumerate(zip(variables, point, strict=True)):
        if place in held:
            continue
        at_end = one.measure != "count" and (value <= one.low * 1.01 or value >= one.high * 0.99)
        others = as_well(tried.get(place, {}), value, trial.rows, len(variables))
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
    trial: Trial, point: Point, held: Collection[int], reason: Callable[[Variable], str]
) -> Iterable[tuple[str, str]]:
    """The keys of a model that were not fitted, and why."""
    for place in sorted(held):
        one = trial.variables[place]
        taken = trial.left_out_as or "left out" if place in trial.left_out else f"taken as {one.text(point[place])}"
        yield one.name, f"{UNTOLD}; {taken}"
    for one in trial.model.variables:
        if one not in trial.variables:
            taken = f"; taken as {one.text(trial.beside[one.name])}" if one.name in trial.beside else ""
            yield one.name, reason(one) + taken


def reason_of(rows: Rows, given: Collection[str]) -> Callable[[Variable], str]:
    """Why variables were not looked at, where rows are used and keys are given."""

    def reason(one: Variable) -> str:
        if {one.name, one.name.split(".")[0], *one.stands_for} & set(given):
            return "given"
        if not one.needs(rows):
            return "the rows used say nothing of it"
        return "there are no more rows than keys that matter more"

    return reason
