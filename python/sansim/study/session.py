"""Running studies: points to jobs, jobs to results, results to metrics, verdicts and files."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sansim import _core
from sansim.study.execute import Progress, run_jobs
from sansim.study.job import Job
from sansim.study.measure import Measured, Results, chosen, look_up, measure, path_at, project
from sansim.study.model import Along, Expected, Figure, Formula, Metric, Setting, Study
from sansim.study.points import Places, Plan, plan
from sansim.study.statistics import replications_needed, within
from sansim.study.store import Store
from sansim.study.verdict import Verdict, judge, places_of

if TYPE_CHECKING:
    import polars as pl
    import xarray as xr

RESULTS = "results"
"""Folder beside a study file in which its results are, unless another is named."""


@dataclass
class Outcome:
    """A study with what was found."""

    plan: Plan
    measured: dict[str, Measured]
    verdicts: list[Verdict]
    failures: dict[str, str] = field(default_factory=dict)
    """Why jobs failed, by their key."""
    missing: int = 0
    """Runs that have no result, failed ones included."""

    @property
    def study(self) -> Study:
        """The study."""
        return self.plan.study

    def frame(self) -> pl.DataFrame:
        """The results as a long data frame: a row per point and metric."""
        from sansim.study.frames import long_frame

        return long_frame(self.plan, self.measured)

    def to_xarray(self) -> xr.Dataset:
        """The results as an xarray dataset: a dimension per axis, a variable per metric.

        Raises:
            ImportError: xarray is not installed.
        """
        from sansim.study.table import to_xarray

        return to_xarray(self.study.axes, self.frame(), self.study.metrics, self.study.groups)

    def published(self) -> pl.DataFrame:
        """The published numbers with ours, a row each."""
        from sansim.study.frames import published_frame

        return published_frame(self.study, self.measured, self.verdicts)


def study_files(places: Sequence[Path]) -> list[Path]:
    """The study files that are meant: the files themselves, and those in folders.

    In a folder every `.toml` file with a table of metrics is a study; the others are scenarios.

    Raises:
        FileNotFoundError: There is no such file, or no study in the folder.
    """
    found: list[Path] = []
    for place in places:
        if not place.is_dir():
            found.append(place)
            continue
        inside = [file for file in sorted(place.rglob("*.toml")) if RESULTS not in file.parts and is_study(file)]
        if not inside:
            raise FileNotFoundError(f"there is no study file in {place}")
        found.extend(inside)
    return list(dict.fromkeys(found))


def is_study(file: Path) -> bool:
    """Whether a file in a folder is a study: whether any line begins the table of metrics or names a base scenario."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return any(line.startswith(("[metrics", "[axes", "[[expected", "[[remarks")) for line in text.splitlines())


def root_of(study: Study, out: Path | None) -> Path:
    """The folder that holds the results of a study and of those beside it."""
    return out if out is not None else study.file.parent / RESULTS


def run_studies(
    studies: Sequence[Study],
    *,
    out: Path | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    quick: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> list[Outcome]:
    """Runs what has not been run yet of some studies, all together.

    Args:
        studies: The studies.
        out: Folder for the results; beside each study file if not given.
        workers: Local processes; as many as there are processors if not given.
        cluster: Address of a Dask scheduler that is to run the jobs instead.
        quick: Only the points that rows marked `quick` need.
        progress: Called as `sansim.study.execute.run_jobs` does.

    Raises:
        ScenarioError: Some point of some study is not a valid scenario; nothing was run.
        WorkerError: Workers or the cluster cannot be used.
    """
    plans = [plan(study, quick_places(study) if quick else None) for study in studies]
    for made in plans:
        probe(made)
    stores = {made.study.file: Store(root_of(made.study, out)) for made in plans}
    failures: dict[str, str] = {}
    while True:
        for root, part in groups_by_store(plans, stores).items():
            jobs = [job for made in part for job in made.all_jobs() if needs_run(made)]
            fresh = [job for job in jobs if job.key not in failures]
            failures.update(execute(fresh, Store(root), workers, cluster, progress))
        grown = [extend(made, stores[made.study.file], failures) for made in plans]
        if not any(grown):
            break
    return [outcome_of(made, stores[made.study.file], failures) for made in plans]


def needs_run(made: Plan) -> bool:
    """Whether a study measures anything that only a run can tell."""
    return any(not isinstance(metric.rule, Setting) for metric in made.study.metrics)


def groups_by_store(plans: Sequence[Plan], stores: dict[Path, Store]) -> dict[Path, list[Plan]]:
    """The plans that share a folder of results, whose jobs are run together."""
    found: dict[Path, list[Plan]] = {}
    for made in plans:
        found.setdefault(stores[made.study.file].root, []).append(made)
    return found


def execute(
    jobs: Sequence[Job],
    store: Store,
    workers: int | None,
    cluster: str | None,
    progress: Callable[[Progress], None] | None,
) -> dict[str, str]:
    """Runs jobs here or on a cluster."""
    if cluster is None:
        return run_jobs(jobs, store, workers=workers, progress=progress)
    from sansim.study.cluster import run_jobs_on_cluster

    return run_jobs_on_cluster(jobs, store, cluster, progress=progress)


def outcome_of(made: Plan, store: Store, failures: dict[str, str] | None = None) -> Outcome:
    """What is known of a study from the results there are."""

    def result_of(key: str) -> Results | None:
        return store.read(key) if store.has(key) else None

    measured = measure(made, result_of)
    keys = {job.key for job in made.all_jobs()}
    known = {key: message for key in keys if (message := (failures or {}).get(key) or store.failure(key))}
    missing = sum(not store.has(key) for key in keys) if needs_run(made) else 0
    return Outcome(made, measured, judge(made.study, measured), known, missing)


def look(study: Study, out: Path | None = None, *, quick: bool = False) -> Outcome:
    """What is known of a study without running anything."""
    made = plan(study, quick_places(study) if quick else None)
    store = Store(root_of(study, out))
    if study.replications.within is not None:
        while extend(made, store, {}, only_found=True):
            pass
    return outcome_of(made, store)


def extend(made: Plan, store: Store, failures: dict[str, str], *, only_found: bool = False) -> bool:
    """Plans more replications of the points whose interval is too wide; whether there are any.

    With `only_found` only replications that have a result already are added.
    """
    wanted = made.study.replications
    if wanted.within is None:
        return False
    cells = measure(made, lambda key: store.read(key) if store.has(key) else None)[wanted.metric].cells
    grown = False
    for point in made.points:
        jobs = made.jobs[point.places]
        cell = cells.get(point.places)
        estimate = None if cell is None else cell.estimate
        if cell is None or estimate is None or len(jobs) >= wanted.most or any(job.key in failures for job in jobs):
            continue
        if within(estimate, wanted.within) and len(jobs) >= min(LEAST, wanted.most):
            continue
        needed = replications_needed(cell.numbers, wanted.within, most=wanted.most)
        before = len(jobs)
        made.replicate(point, min(max(needed, before + 1), wanted.most))
        if only_found:
            while len(jobs) > before and not store.has(jobs[-1].key):
                jobs.pop()
        grown = grown or len(jobs) > before
    return grown


LEAST = 10
"""Replications before the width of an interval may end a point; see `sansim.study.statistics`."""


def quick_places(study: Study) -> set[Places]:
    """The points that the rows marked `quick` need."""
    return {place for row in study.expected if row.quick for place in needed(study, row)}


def needed(study: Study, row: Expected) -> set[Places]:
    """The points that a row needs."""
    metric = study.metric(row.metric)
    stub = Measured(metric, groups_of(study, metric), {})
    return {point for place in places_of(study, row, stub) for point in points_behind(study, metric, place)}


def groups_of(study: Study, metric: Metric) -> tuple[int, ...]:
    """The groups of axes a metric has a value for."""
    every = tuple(range(len(study.groups)))
    match metric.rule:
        case Along(of=of, axis=axis):
            gone = study.group_of(axis)
            return tuple(group for group in groups_of(study, study.metric(of)) if group != gone)
        case Formula(names=names):
            metrics = [other for other in study.metrics if other.name in names]
            axes = {study.group_of(axis.name) for axis in study.axes if axis.name in names}
            return tuple(sorted(axes.union(*(groups_of(study, other) for other in metrics))))
    return every


def points_behind(study: Study, metric: Metric, places: Places) -> set[Places]:
    """The points that a value of a metric rests on."""
    groups = groups_of(study, metric)
    match metric.rule:
        case Along(of=of, axis=axis) as rule:
            inner = study.metric(of)
            gone, full = study.group_of(axis), groups_of(study, inner)
            lines = [
                tuple(index if group == gone else places[groups.index(group)] for group in full)
                for index in chosen(study.axis(axis), rule)
            ]
            return {point for line in lines for point in points_behind(study, inner, line)}
        case Formula(names=names):
            parts = [other for other in study.metrics if other.name in names]
            behind = [points_behind(study, part, project(places, groups, groups_of(study, part))) for part in parts]
            return set().union(*behind) if behind else expand(study, places, groups)
    return {places}


def expand(study: Study, places: Places, groups: Sequence[int]) -> set[Places]:
    """The points that agree with a place on some groups."""
    ranges = [
        [places[groups.index(group)]] if group in groups else list(range(length))
        for group, length in enumerate(study.lengths())
    ]
    return set(itertools.product(*ranges))


def probe(made: Plan) -> None:
    """Reports figures that no run has, before anything is run: the first point is begun and left at once.

    Raises:
        ScenarioError: A metric names a figure that is not in the summary of a run.
    """
    from sansim.api import run_scenario
    from sansim.study.document import NO_SUCH_FIGURE, Findings, Table, suggestion

    rules = [(metric.name, metric.rule) for metric in made.study.metrics]
    if not made.points or not any(isinstance(rule, Figure) for _, rule in rules):
        return
    places = made.points[0].places
    figures = {name: path_at(made.study, rule.path, places) for name, rule in rules if isinstance(rule, Figure)}
    first = made.jobs[places][0]
    result = run_scenario(
        _core.Scenario.parse(first.scenario, "<point>", []), collect_ios=False, progress=lambda _: False
    )
    document = _core.Document.load(made.study.file)
    table = Table(Findings(document, made.study.file.read_bytes()), document.root(), "", None)
    for name, inner in table.tables("metrics"):
        path = figures.get(name)
        if path is None or exists(result.summary, path):
            continue
        help_ = suggestion(path, paths_of(result.summary))
        message = f"a run has no figure `{path}`"
        inner.findings.add(NO_SUCH_FIGURE, inner.place("value"), f"{inner.path}.value", message, "", help_)
    table.findings.raise_any()


def exists(summary: object, path: str) -> bool:
    """Whether a summary has a figure, or could have: below a null there may be anything at another point."""
    parts = path.split(".")
    for length in range(1, len(parts) + 1):
        if look_up(summary, ".".join(parts[:length])) is None:
            parent = look_up(summary, ".".join(parts[: length - 1])) if length > 1 else summary
            return parent is None or (isinstance(parent, dict) and parts[length - 1] in parent)
    return True


def paths_of(content: object, prefix: str = "") -> list[str]:
    """The paths of all figures of a summary."""
    if not isinstance(content, dict):
        return [prefix]
    deeper = [paths_of(value, f"{prefix}.{key}" if prefix else key) for key, value in content.items()]
    return [path for paths in deeper for path in paths]
