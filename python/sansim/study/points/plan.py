"""The points of a study, and the jobs that simulate them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from sansim import _core, percentiles
from sansim._core import Code
from sansim.study.jobs.execute import Counter, Progress
from sansim.study.jobs.job import Job, job_of
from sansim.study.model import Figure, Interval, Overrides, Places, Study
from sansim.study.points.blame import Wrong, blame
from sansim.study.resolved import read_again

SEED = "run.seed"

MOST_WRONG = 1000
"""Bad points that are looked at before they are reported."""


@dataclass(frozen=True)
class Point:
    """One combination of the values of all axes."""

    number: int
    places: Places
    overrides: Overrides


def points_of(study: Study) -> list[Point]:
    """All points, the last axis varying fastest."""
    group_of = {axis.name: study.group_of(axis.name) for axis in study.axes}
    found = []
    for number, places in enumerate(itertools.product(*(range(length) for length in study.lengths()))):
        overrides = list(study.settings)
        for axis in study.axes:
            overrides.extend(axis.values[places[group_of[axis.name]]].overrides)
        found.append(Point(number, places, tuple(overrides)))
    return found


@dataclass
class Plan:
    """The points of a study with the jobs of their replications."""

    study: Study
    points: list[Point]
    jobs: dict[Places, list[Job]] = field(default_factory=dict)
    """For each point the jobs of its replications so far."""
    warnings: dict[Places, list[str]] = field(default_factory=dict)
    """For each point what its scenario says that is probably not meant; points without are left out."""

    @cached_property
    def traces(self) -> tuple[tuple[str, str, str], ...]:
        """The times read off a word trace of every run."""
        rules = [(metric.name, metric.rule) for metric in self.study.metrics]
        return tuple((name, rule.start, rule.end) for name, rule in rules if isinstance(rule, Interval))

    @cached_property
    def percentiles(self) -> tuple[str, ...]:
        """The percentiles that every run has on request."""
        rules = [metric.rule for metric in self.study.metrics]
        return percentiles.requested(rule.path for rule in rules if isinstance(rule, Figure))

    def all_jobs(self) -> list[Job]:
        """The jobs of all points."""
        return [job for jobs in self.jobs.values() for job in jobs]

    def replicate(self, point: Point, count: int) -> None:
        """Plans replications of a point, so that there are `count` of them.

        Replication r has the seed of the scenario plus r, whatever the point: points are compared on common random
        numbers.

        Raises:
            ScenarioError: The point is not a valid scenario.
        """
        jobs = self.jobs.get(point.places, [])
        more: list[Job] = []
        if not jobs and count > 0:
            more.append(job_of(self.resolved(point, ()), self.traces, self.percentiles))
        if count > len(jobs) + len(more):
            first = seed_of([*jobs, *more][0])
            for replication in range(len(jobs) + len(more), count):
                seed = ((SEED, str(first + replication)),)
                more.append(job_of(self.resolved(point, seed), self.traces, self.percentiles))
        self.jobs[point.places] = [*jobs, *more]

    def resolved(self, point: Point, more: Overrides) -> str:
        """The scenario of a point with all defaults, as TOML."""
        overrides = [*point.overrides, *more]
        scenario = parse(self.study, overrides)
        if lines := scenario.warnings():
            self.warnings[point.places] = lines
        return scenario.to_toml()


def plan(
    study: Study, only: Iterable[Places] | None = None, progress: Callable[[Progress], object] | None = None
) -> Plan:
    """Plans the runs of a study: all points, or only some of them; `progress` is called some times a second.

    Raises:
        ScenarioError: Some point is not a valid scenario; the text says which value of which axis is to blame.
    """
    wanted = None if only is None else set(only)
    made = Plan(study, [point for point in points_of(study) if wanted is None or point.places in wanted])
    check_base(study)
    wrong: list[Wrong] = []
    looked_at: list[Places] = []
    counter = Counter(len(made.points), "points planned", progress)
    for point in made.points:
        looked_at.append(point.places)
        try:
            made.replicate(point, study.replications.count)
        except _core.ScenarioError as error:
            wrong.append((point.places, error))
            if len(wrong) >= MOST_WRONG:
                break
        counter.add()
    if wrong:
        raise blame(study, wrong, looked_at)
    return made


def parse(study: Study, overrides: Sequence[tuple[str, str]]) -> _core.Scenario:
    """The scenario of a study with some of its keys replaced; raises ScenarioError."""
    name, folder = study.scenario_name, study.scenario_folder
    return _core.Scenario.parse(study.scenario_text, name, list(overrides), folder=folder)


def check_base(study: Study) -> None:
    """Raises ScenarioError if a mistake is in the scenario itself and not in what the study sets."""
    try:
        parse(study, [])
    except _core.ScenarioError as error:
        # A scenario may be incomplete by itself, as long as the study completes it.
        if any(problem.code != Code.MISSING_KEY for problem in error.problems):
            raise


def seed_of(job: Job) -> int:
    """The seed of a job's run."""
    return read_again(job.scenario).seed()
