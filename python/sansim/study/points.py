"""The points of a study, and the jobs that simulate them."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from sansim import _core
from sansim.study.document import BAD_POINT, Findings, Range, Table
from sansim.study.job import Job, job_of
from sansim.study.model import Interval, Overrides, Study

Places = tuple[int, ...]
"""A point: for each group of axes the number of the value."""

SEED = "run.seed"


@dataclass(frozen=True)
class Point:
    """One combination of the values of all axes."""

    number: int
    places: Places
    overrides: Overrides


def points_of(study: Study) -> list[Point]:
    """All points, the last axis varying fastest."""
    found = []
    for number, places in enumerate(itertools.product(*(range(length) for length in study.lengths()))):
        overrides = list(study.settings)
        for axis in study.axes:
            overrides.extend(axis.values[places[study.group_of(axis.name)]].overrides)
        found.append(Point(number, places, tuple(overrides)))
    return found


@dataclass
class Plan:
    """The points of a study with the jobs of their replications."""

    study: Study
    points: list[Point]
    jobs: dict[Places, list[Job]] = field(default_factory=dict)
    """For each point the jobs of its replications so far."""

    @cached_property
    def traces(self) -> tuple[tuple[str, str, str], ...]:
        """What is read off a word trace of every run."""
        rules = [(metric.name, metric.rule) for metric in self.study.metrics]
        return tuple((name, rule.start, rule.end) for name, rule in rules if isinstance(rule, Interval))

    def all_jobs(self) -> list[Job]:
        """The jobs of all points."""
        return [job for jobs in self.jobs.values() for job in jobs]

    def replicate(self, point: Point, count: int) -> None:
        """Plans replications of a point, so that there are `count` of them.

        Replication r has the seed of the scenario plus r, whatever the point: points are compared on common random
        numbers.
        """
        jobs = self.jobs.setdefault(point.places, [])
        if not jobs and count > 0:
            jobs.append(job_of(self.resolved(point, ()), self.traces))
        first = int(tomllib.loads(jobs[0].scenario)["run"]["seed"]) if count > len(jobs) else 0
        for replication in range(len(jobs), count):
            seed = ((SEED, str(first + replication)),)
            jobs.append(job_of(self.resolved(point, seed), self.traces))

    def resolved(self, point: Point, more: Overrides) -> str:
        """The scenario of a point with all defaults, as TOML."""
        overrides = [*point.overrides, *more]
        return _core.Scenario.parse(self.study.scenario_text, self.study.scenario_name, overrides).to_toml()


def plan(study: Study, only: Iterable[Places] | None = None) -> Plan:
    """Plans the runs of a study: all points, or only some of them.

    Raises:
        ScenarioError: Some point is not a valid scenario; the text says which value of which axis is to blame.
    """
    wanted = None if only is None else set(only)
    made = Plan(study, [point for point in points_of(study) if wanted is None or point.places in wanted])
    check_base(study)
    wrong: list[tuple[Point, _core.ScenarioError]] = []
    for point in made.points:
        try:
            made.replicate(point, study.replications.count)
        except _core.ScenarioError as error:
            made.jobs.pop(point.places, None)
            wrong.append((point, error))
            if len(wrong) >= MOST_WRONG:
                break
    if wrong:
        raise blame(study, wrong)
    return made


MOST_WRONG = 50
"""Bad points that are looked at before they are reported."""


def check_base(study: Study) -> None:
    """Raises ScenarioError if a mistake is in the scenario itself and not in what the study sets."""
    try:
        _core.Scenario.parse(study.scenario_text, study.scenario_name, [])
    except _core.ScenarioError as error:
        # A scenario may be incomplete by itself, as long as the study completes it.
        if any(problem.line is not None and problem.code != "E0104" for problem in error.problems):
            raise


def blame(study: Study, wrong: Sequence[tuple[Point, _core.ScenarioError]]) -> _core.ScenarioError:
    """What is wrong with the points, as a report that shows the places in the study file."""
    document = _core.Document.load(study.file)
    findings = Findings(document, study.file.read_bytes())
    table = Table(findings, document.root(), "", None)
    for point, error in wrong:
        for problem in error.problems:
            at, path, where = origin(study, table, point, problem.key)
            message = f"{where}: {problem.message}" if where else problem.message
            findings.add(BAD_POINT, at, path, message, "", problem.help)
    return document.error(findings.found)


def origin(study: Study, table: Table, point: Point, key: str) -> tuple[Range | None, str, str]:
    """Where in the study file the value of a key comes from at a point: range, path, and the point in words."""
    for axis in study.axes:
        value = axis.values[point.places[study.group_of(axis.name)]]
        if any(key == set_key or key.startswith(f"{set_key}.") for set_key, _ in value.overrides):
            inner = table.table("axes")
            own = None if inner is None else inner.table(axis.name)
            at, path = table.place("axes"), f"axes.{axis.name}"
            if own is not None:
                at = own.range
                for name in ("values", "cases"):
                    item = own.item(name)
                    if item is not None and item.kind == "list":
                        at = item.items()[point.places[study.group_of(axis.name)]].range
            return at, path, f"{axis.name} = {value.label}"
    if any(key == set_key or key.startswith(f"{set_key}.") for set_key, _ in study.settings):
        inner = table.table("set")
        at = table.place("set")
        if inner is not None and key in inner.entries:
            at = inner.entries[key][0]
        return at, f"set.{key}", ""
    told = ", ".join(
        f"{axis.name} = {axis.values[point.places[study.group_of(axis.name)]].label}" for axis in study.axes
    )
    return table.place("scenario"), "scenario", f"{study.scenario_name}, {told}" if told else study.scenario_name


def setting_of(scenario: str, key: str) -> object | None:
    """A value of a resolved scenario; None if it has no such key. A key that follows another has its value too."""
    node: object = tomllib.loads(scenario)
    *path, last = key.split(".")
    for part in path:
        node = node.get(part) if isinstance(node, dict) else None
    if isinstance(node, dict) and last in node:
        value: object = node[last]
        return value
    return followed(scenario, ".".join(path), last)


def followed(scenario: str, table: str, key: str) -> object | None:
    """The value of a key that follows another one, which a resolved scenario has as a comment."""
    here = ""
    for line in scenario.splitlines():
        if line.startswith("["):
            here = line.strip("[]")
        elif here == table and line.startswith(f"# {key} = ") and "   (follows " in line:
            text = line.removeprefix("# ").rpartition("   (follows ")[0]
            value: object = tomllib.loads(text)[key]
            return value
    return None
