"""The values with the least squares of errors, in logarithms: first over the whole ranges, then downhill.

A coordinate search finds the valley: from one variable to the next, each at several places of its range while the
others stay. Then the method of Levenberg and Marquardt goes down in it, with slopes that are measured. Numbers such as
a concurrency have no slopes: their neighbours are tried.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TypeAlias

from sansim.fit.variables import Variable

Point: TypeAlias = tuple[float, ...]
"""A value for each variable."""
Errors: TypeAlias = Callable[[Point], "list[float] | None"]
"""The logarithms of what is simulated over what was measured, by row; None if there is no such drive."""

PLACES = 9
"""At which a range is looked at."""
SWEEPS = 3
STEP = 0.03
"""By which slopes are measured: three per cent of a value, so that they stand out of chance."""
STEPS = 25
STEPS_OF_A_COUNT = 6
"""Enough to see which number is the best."""
EXACT = 5e-4
"""Values have four digits, so errors below this are nothing to be made better."""
NOTHING = 1e-3
"""A variable that changes rows by a smaller share than it changes itself does nothing to them."""
ENOUGH = 1e-4
"""An improvement of the sum by a smaller share is none."""


def squares(errors: Sequence[float] | None) -> float:
    """The sum of squares; infinite of a drive that there is not."""
    return math.inf if errors is None else math.fsum(error * error for error in errors)


def sweep(errors: Errors, variables: Sequence[Variable], start: Point) -> Point:
    """The best of a coordinate search over the whole ranges."""
    best, least = start, squares(errors(start))
    for number in range(SWEEPS):
        before = best
        for place, variable in enumerate(variables):
            for value in places(variable, best[place], number):
                point = (*best[:place], value, *best[place + 1 :])
                found = squares(errors(point))
                if found < least:
                    best, least = point, found
        if best == before:
            break
    return best


def places(variable: Variable, here: float, number: int) -> Iterator[float]:
    """Values of a variable that are looked at: over its range, then nearer."""
    if variable.choices:
        yield from (float(choice) for choice in variable.choices if choice != here)
        return
    if number == 0:
        step = (variable.high / variable.low) ** (1 / (PLACES - 1))
        yield from (variable.low * step**place for place in range(PLACES))
        return
    for factor in (0.25, 0.5, 0.75, 1.5, 2.0, 4.0):
        yield min(max(here * factor, variable.low), variable.high)


def free_of(variables: Sequence[Variable], held: Collection[int] = ()) -> list[int]:
    """The variables that have slopes, but for some that are held where they are."""
    return [place for place, one in enumerate(variables) if one.measure != "count" and place not in held]


def downhill(
    errors: Errors,
    variables: Sequence[Variable],
    start: Point,
    steps: int = STEPS,
    held: Collection[int] = (),
    exact: float = EXACT,
) -> Point:
    """The least near a point, counts left alone: Levenberg and Marquardt."""
    free = free_of(variables, held)
    point, found = start, errors(start)
    if not free or found is None:
        return start
    damping = 1e-2
    for _ in range(steps):
        least = squares(found)
        if least <= len(found) * exact**2:
            break
        slopes = slopes_at(errors, variables, point, free)
        step = None
        while damping < 1e6:
            moves = solved(normal(slopes, damping), [-dot(slope, found) for slope in slopes])
            step = moved(variables, point, free, moves)
            there = errors(step)
            if there is not None and squares(there) < least:
                break
            damping *= 4
            step = None
        if step is None or there is None:
            break
        gain = 1 - squares(there) / least
        point, found, damping = step, there, max(damping / 6, 1e-9)
        if gain < ENOUGH:
            break
    return point


Counts: TypeAlias = "dict[int, dict[float, float]]"
"""For each variable that is a count, by its place: the least sum of squares with each number that was tried."""


def counted(errors: Errors, variables: Sequence[Variable], start: Point) -> tuple[Point, Counts]:
    """The best of the numbers that counts may have, with the others going downhill at each."""
    best, tried = start, {}
    for place, variable in enumerate(variables):
        if variable.measure != "count":
            continue
        tried[place] = {best[place]: squares(errors(best))}
        for choice in variable.choices:
            best = with_count(errors, variables, best, place, float(choice), tried[place])
        step = max(round(best[place]) // 4, 1) if variable.between else 0
        while step:
            before = best
            for number in (before[place] - step, before[place] + step):
                if variable.low <= number <= variable.high:
                    best = with_count(errors, variables, best, place, number, tried[place])
            if best == before:
                step //= 2
    return best, tried


def with_count(
    errors: Errors, variables: Sequence[Variable], best: Point, place: int, number: float, tried: dict[float, float]
) -> Point:
    """The least near a point where a count has this number, if it is clearly less than at the point."""
    there = downhill(errors, variables, (*best[:place], number, *best[place + 1 :]), STEPS_OF_A_COUNT)
    found = squares(errors(there))
    tried[number] = min(tried.get(number, math.inf), found)
    return there if found < squares(errors(best)) * (1 - ENOUGH) else best


def slopes_at(
    errors: Errors,
    variables: Sequence[Variable],
    point: Point,
    free: Sequence[int],
    ways: tuple[float, float] = (-STEP, STEP),
) -> list[list[float]]:
    """How the errors change with the logarithm of each free variable, from one end to the other."""
    found = []
    for place in free:
        ends = []
        for way in ways:
            value = min(max(point[place] * math.exp(way), variables[place].low), variables[place].high)
            ends.append((math.log(value), errors((*point[:place], value, *point[place + 1 :]))))
        (low, below), (high, above) = ends
        if below is None or above is None or high == low:
            found.append([0.0] * len(errors(point) or []))
        else:
            found.append([(one - other) / (high - low) for one, other in zip(above, below, strict=True)])
    return found


def moved(variables: Sequence[Variable], point: Point, free: Sequence[int], moves: Sequence[float]) -> Point:
    """A point after a step in logarithms, within the ranges."""
    values = list(point)
    for place, move in zip(free, moves, strict=True):
        value = values[place] * math.exp(min(max(move, -2.0), 2.0))
        values[place] = min(max(value, variables[place].low), variables[place].high)
    return tuple(values)


def uncertainty(slopes: Sequence[Sequence[float]], deviation: float, nothing: float = NOTHING) -> list[float]:
    """The standard error of each free variable as a share of it; infinite where rows do not tell.

    All others are free too: what a variable does to the rows that no mixture of the others does is what the rows say of
    it alone. If that is as little as `nothing` they say nothing.
    """
    found = []
    for place, slope in enumerate(slopes):
        alone = list(slope)
        for other in independent([one for number, one in enumerate(slopes) if number != place]):
            share = dot(alone, other)
            alone = [value - share * part for value, part in zip(alone, other, strict=True)]
        size = math.sqrt(dot(alone, alone))
        found.append(deviation / size if size > nothing else math.inf)
    return found


def independent(vectors: Sequence[Sequence[float]]) -> list[list[float]]:
    """Vectors of length 1, at right angles to each other, of which the others are mixtures (Gram and Schmidt)."""
    basis: list[list[float]] = []
    for vector in vectors:
        rest = list(vector)
        for other in basis:
            share = dot(rest, other)
            rest = [value - share * part for value, part in zip(rest, other, strict=True)]
        size = math.sqrt(dot(rest, rest))
        if size > NOTHING:
            basis.append([value / size for value in rest])
    return basis


def normal(slopes: Sequence[Sequence[float]], damping: float) -> list[list[float]]:
    """The normal equations, damped."""
    return [
        [
            dot(one, other) * (1 + damping) + damping * 1e-6 if row == column else dot(one, other)
            for column, other in enumerate(slopes)
        ]
        for row, one in enumerate(slopes)
    ]


def dot(one: Sequence[float], other: Sequence[float]) -> float:
    """The sum of products."""
    return math.fsum(a * b for a, b in zip(one, other, strict=True))


def solved(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """The solution of linear equations by elimination; infinite where there is none."""
    size = len(matrix)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for place in range(size):
        pivot = max(range(place, size), key=lambda row: abs(rows[row][place]))
        rows[place], rows[pivot] = rows[pivot], rows[place]
        if abs(rows[place][place]) < 1e-12:
            return [math.inf] * size
        for row in range(size):
            if row != place:
                factor = rows[row][place] / rows[place][place]
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[place], strict=True)]
    return [row[size] / row[place] for place, row in enumerate(rows)]
