"""Running studies: points to jobs, jobs to results, results to metrics, verdicts and files."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sansim.files import read_bytes
from sansim.study.jobs.execute import Progress, run_jobs
from sansim.study.jobs.job import Job
from sansim.study.jobs.store import Store
from sansim.study.measure.metrics import Measured, Results
from sansim.study.measure.statistics import LEAST_REPLICATIONS, replications_needed, within
from sansim.study.model import Setting, Study
from sansim.study.points.measured import measure
from sansim.study.points.needs import quick_places
from sansim.study.points.plan import Plan, Point, plan
from sansim.study.points.probe import probe
from sansim.study.verdict import Verdict, judge

if TYPE_CHECKING:
    import polars as pl
    import xarray as xr

LARGEST_STUDY_BYTES = 4 << 20
"""Nothing is looked for in larger files. Reading refuses them, too."""
RESULTS = "results"
"""Folder beside a study file in which its results are, unless another is named."""
BY_ITSELF = "by-itself"
"""Folder of studies that take long: they are not among those of a folder around it."""


@dataclass(frozen=True)
class Uncomputed:
    """A metric that could not be computed at a point."""

    metric: str
    where: str
    """The point, in words."""
    why: str


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
    imprecise: int = 0
    """Points that have fewer replications than the precision that is wanted needs."""

    @property
    def study(self) -> Study:
        """The study."""
        return self.plan.study

    def __repr__(self) -> str:  # type: ignore[explicit-override]
        """A summary in a line; the results are in its frame."""
        points, metrics = len(self.plan.points), len(self.study.metrics)
        missing = f", missing runs: {self.missing}" if self.missing else ""
        return f"<sansim study {self.study.name}: points: {points}, metrics: {metrics}{missing}>"

    @property
    def uncomputed(self) -> list[Uncomputed]:
        """The metrics that could not be computed though all runs they need are there, at each point."""
        return [
            Uncomputed(name, self.study.in_words(places, found.groups), cell.fault)
            for name, found in self.measured.items()
            for places, cell in found.cells.items()
            if cell.fault
        ]

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

    In a folder every `.toml` file with a table of metrics is a study; the others are scenarios. Files in a folder
    `by-itself` are not among them, unless that is the folder.

    Raises:
        FileNotFoundError: There is no such file, or no study in the folder.
    """
    found: list[Path] = []
    for place in places:
        if not place.is_dir():
            found.append(place)
            continue
        files = [
            file
            for file in sorted(place.rglob("*.toml"))
            if not {RESULTS, BY_ITSELF} & set(file.relative_to(place).parts)
        ]
        inside = [file for file in files if is_study(file)]
        if not inside:
            raise FileNotFoundError(f"there is no study file in {place}")
        found.extend(inside)
    return list(dict.fromkeys(found))


def is_study(file: Path) -> bool:
    """Whether a file is a study: whether any line begins one of the tables that only studies have.

    It may be wrong in any way, and is to be reported then.
    """
    try:
        text = read_bytes(file, LARGEST_STUDY_BYTES).decode("utf-8", "replace")
    except OSError:
        return False
    return TABLES.search(text) is not None


TABLES = re.compile(r"^[ \t]*(\[\[?[ \t]*)?(metrics|axes|expected|remarks)[ \t]*[.\]=]", re.MULTILINE)
"""The begin of a table that only studies have."""


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
        progress: Called as `sansim.study.jobs.execute.run_jobs` does.

    Raises:
        ScenarioError: Some point of some study is not a valid scenario; nothing was run.
        WorkerError: Workers or the cluster cannot be used.
    """
    plans = [plan(study, quick_places(study) if quick else None, progress) for study in studies]
    for made in plans:
        probe(made)
    return run_plans(plans, out=out, workers=workers, cluster=cluster, progress=progress)


def run_plans(
    plans: Sequence[Plan],
    *,
    out: Path | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> list[Outcome]:
    """Runs what has not been run yet of some planned studies, all together; as `run_studies` does.

    Raises:
        WorkerError: Workers or the cluster cannot be used.
    """
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
    from sansim.study.jobs.cluster import run_jobs_on_cluster

    return run_jobs_on_cluster(jobs, store, cluster, progress=progress)


def outcome_of(made: Plan, store: Store, failures: dict[str, str] | None = None) -> Outcome:
    """The outcome of a study from the results there are."""
    found: dict[str, Results | None] = {}

    def result_of(key: str) -> Results | None:
        if key not in found:
            found[key] = result_in(store, key)
        return found[key]

    measured = measure(made, result_of)
    lacking = [job.key for job in made.all_jobs() if result_of(job.key) is None] if needs_run(made) else []
    known = {key: message for key in lacking if (message := (failures or {}).get(key) or store.failure(key))}
    verdicts = judge(made.study, measured)
    return Outcome(made, measured, verdicts, known, len(set(lacking)), len(imprecise(made, measured)))


def result_in(store: Store, key: str) -> Results | None:
    """The result of a job; None if there is none."""
    try:
        return store.read(key)
    except KeyError:
        return None


def look(study: Study, out: Path | None = None, *, quick: bool = False) -> Outcome:
    """The outcome of a study without running anything.

    Raises:
        ScenarioError: Some point is not a valid scenario, or a metric names what no run has.
    """
    made = plan(study, quick_places(study) if quick else None)
    probe(made)
    store = Store(root_of(study, out))
    while extend(made, store, {}, only_found=True):
        pass
    return outcome_of(made, store)


def imprecise(made: Plan, measured: Mapping[str, Measured]) -> list[tuple[Point, list[float]]]:
    """The points whose interval is wider than is wanted, with the values so far, and that may have more replications.

    A point that lacks a result is none of them: it has to be run first.
    """
    wanted = made.study.replications
    if wanted.within is None:
        return []
    cells = measured[wanted.metric].cells
    found = []
    for point in made.points:
        count = len(made.jobs[point.places])
        cell = cells.get(point.places)
        estimate = None if cell is None else cell.estimate
        if cell is None or estimate is None or count >= wanted.most:
            continue
        # With fewer, an interval may be narrow by chance.
        if count < LEAST_REPLICATIONS or not within(estimate, wanted.within):
            found.append((point, cell.numbers))
    return found


def extend(made: Plan, store: Store, failures: Mapping[str, str], *, only_found: bool = False) -> bool:
    """Plans more replications of the points whose interval is too wide; whether there are any.

    With `only_found` only replications that have a result already are added.
    """
    wanted = made.study.replications
    if wanted.within is None:
        return False
    grown = False
    for point, values in imprecise(made, measure(made, lambda key: result_in(store, key))):
        before = len(made.jobs[point.places])
        if any(job.key in failures for job in made.jobs[point.places]):
            continue
        needed = replications_needed(values, wanted.within, most=wanted.most)
        made.replicate(point, min(max(needed, before + 1), wanted.most))
        jobs = made.jobs[point.places]
        if only_found:
            while len(jobs) > before and not store.has(jobs[-1].key):
                jobs.pop()
        grown = grown or len(jobs) > before
    return grown
