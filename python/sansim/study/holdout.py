"""A check of chosen constants: they are chosen again on half of the rows of a table, and the other half judges.

The grid, the rows and the halves are in `[leave_out]` of the study file. The criterion is the same for all: the
combination of the grid with which most rows of the half hold; among equal ones that whose errors, as shares of the
published values, have the smallest root mean square; then the first.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sansim.study.jobs.execute import Progress
from sansim.study.measure.metrics import Measured
from sansim.study.model import Expected, LeaveOut, Places, Study
from sansim.study.points.needs import needed
from sansim.study.points.plan import plan
from sansim.study.points.probe import probe
from sansim.study.session import run_plans
from sansim.study.table.frame import finite
from sansim.study.verdict import MISSING, PASS, judge_row

CRITERION = "most rows that hold; among these the smallest root mean square of the relative errors"


class LeaveOutError(Exception):
    """Runs of the grid have no result."""


@dataclass(frozen=True)
class Score:
    """How a combination of constants does on some rows."""

    held: int
    total: int
    error: float
    """Root mean square of the errors as shares of the published values."""

    @property
    def better(self) -> tuple[int, float]:
        """Larger is better."""
        return self.held, -self.error

    def in_words(self) -> str:
        """As a person says it."""
        return f"{self.held} of {self.total} hold, root mean square of the errors {100 * self.error:.2f} %"

    def as_json(self) -> dict[str, Any]:
        """For programs; the error is a share, not in per cent."""
        return {"held": self.held, "total": self.total, "error": finite(self.error)}


@dataclass(frozen=True)
class Way:
    """One way round: what was chosen on one half, and how the other half judges it."""

    half: tuple[str, ...]
    """The values of the halving axis on which the constants were chosen."""
    other: tuple[str, ...]
    constants: Mapping[str, str]
    """The chosen values, by the name of the constant."""
    own: Score
    judged: Score


@dataclass(frozen=True)
class LeftOut:
    """The outcome of the leave-out check of a study."""

    study: Study
    asked: LeaveOut
    combinations: int
    ways: tuple[Way, ...]

    def in_words(self) -> str:
        """The grid, the criterion and both results."""
        names = [f"{axis.name} ({', '.join(axis.labels)})" for axis in self.asked.constants]
        lines = [f"{self.study.name}: {self.study.title}", f"  grid: {self.combinations} combinations of"]
        lines += [f"    {name}" for name in names]
        lines.append(f"  criterion: {CRITERION}")
        for way in self.ways:
            chosen = ", ".join(f"{name} = {value}" for name, value in way.constants.items())
            lines.append(f"  chosen on {self.asked.halves} = {', '.join(way.half)}: {chosen}")
            lines.append(f"    there: {way.own.in_words()}")
            lines.append(f"    judged on {self.asked.halves} = {', '.join(way.other)}: {way.judged.in_words()}")
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """The same for programs."""
        return {
            "study": self.study.name,
            "grid": {axis.name: list(axis.labels) for axis in self.asked.constants},
            "combinations": self.combinations,
            "criterion": CRITERION,
            "halves": self.asked.halves,
            "ways": [
                {
                    "chosen_on": list(way.half),
                    "constants": dict(way.constants),
                    "own": way.own.as_json(),
                    "judged_on": list(way.other),
                    "judged": way.judged.as_json(),
                }
                for way in self.ways
            ],
        }


def leave_out(
    study: Study,
    *,
    out: Path | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> LeftOut:
    """Runs the grid of a study that has `[leave_out]`, chooses on either half and judges by the other.

    Raises:
        ScenarioError: Some point of the grid is not a valid scenario.
        LeaveOutError: Runs failed.
        WorkerError: Workers or the cluster cannot be used.
    """
    asked = study.leave_out
    if asked is None:
        raise ValueError(f"{study.file} has no [leave_out]")
    wide = with_constants(study, asked)
    made = plan(wide, {place for row in wide.expected for place in needed(wide, row)})
    probe(made)
    (outcome,) = run_plans([made], out=out, workers=workers, cluster=cluster, progress=progress)
    if outcome.missing:
        why = next(iter(outcome.failures.values()), "no result")
        raise LeaveOutError(f"{outcome.missing} of {len(made.all_jobs())} runs of {study.name} have no result: {why}")
    scores = scores_of(wide, asked, outcome.measured)
    halves = halves_of(study, asked)
    ways = []
    for half, other in (halves, halves[::-1]):
        best = max(scores, key=lambda places: score(scores[places], half).better)
        labels = {axis.name: axis.labels[place] for axis, place in zip(asked.constants, best, strict=True)}
        ways.append(Way(half, other, labels, score(scores[best], half), score(scores[best], other)))
    return LeftOut(study, asked, len(scores), tuple(ways))


def with_constants(study: Study, asked: LeaveOut) -> Study:
    """The study with the constants as axes before its own, and nothing but the rows that take part."""
    return replace(
        study,
        settings=(*study.settings, *asked.settings),
        axes=(*asked.constants, *study.axes),
        groups=(*((axis.name,) for axis in asked.constants), *study.groups),
        expected=tuple(row for row in study.expected if asked.takes(row)),
        remarks=(),
        plots=(),
    )


def halves_of(study: Study, asked: LeaveOut) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The values of the halving axis that rows speak of: the first, third, ... and the others."""
    spoken = {label for row in study.expected if asked.takes(row) for label in row.at[asked.halves]}
    labels = [label for label in study.axis(asked.halves).labels if label in spoken]
    return tuple(labels[::2]), tuple(labels[1::2])


Errors = Sequence[tuple[str, bool, float]]
"""For each row: its value of the halving axis, whether it holds, its error as a share."""


def scores_of(wide: Study, asked: LeaveOut, measured: Mapping[str, Measured]) -> dict[Places, Errors]:
    """How every row does with every combination of constants, by their places."""
    found: dict[Places, Errors] = {}
    for places in itertools.product(*(range(len(axis.values)) for axis in asked.constants)):
        here = {axis.name: (axis.labels[place],) for axis, place in zip(asked.constants, places, strict=True)}
        found[places] = [of_row(wide, replace(row, at={**row.at, **here}), asked, measured) for row in wide.expected]
    return found


def of_row(wide: Study, row: Expected, asked: LeaveOut, measured: Mapping[str, Measured]) -> tuple[str, bool, float]:
    """How a row does."""
    verdict = judge_row(wide, row, measured[row.metric])
    if verdict.verdict == MISSING or not isinstance(verdict.ours, float) or not isinstance(verdict.published, float):
        return row.at[asked.halves][0], False, math.inf
    off = verdict.ours - verdict.published
    return row.at[asked.halves][0], verdict.verdict == PASS, off / abs(verdict.published) if verdict.published else off


def score(errors: Errors, half: Sequence[str]) -> Score:
    """How a combination does on the rows of a half."""
    mine = [(held, error) for label, held, error in errors if label in half]
    squares = math.fsum(error * error for _, error in mine)
    return Score(sum(held for held, _ in mine), len(mine), math.sqrt(squares / len(mine)) if mine else 0.0)
