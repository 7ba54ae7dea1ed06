"""The best designs simulated: in parallel, kept per run so that an interrupted plan goes on where it was.

Here or on a cluster as studies are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sansim import _core
from sansim.analysis.plan.candidates import Candidate, settings_of
from sansim.analysis.plan.model import MEAN, Failure, Goal, Plan, Settings
from sansim.study.jobs.execute import Progress
from sansim.study.jobs.job import Job, job_of
from sansim.study.jobs.store import Store
from sansim.study.measure.statistics import Estimate, over_replications
from sansim.study.session import execute
from sansim.toml_text import toml_value

ROUNDING = 1e-9
"""Rates that differ by no more than this part are the same."""
MEETS, MISSES, UNTOLD = "meets the goal", "misses the goal", "cannot be told from chance"


@dataclass(frozen=True)
class Simulated:
    """The results of the runs of a design."""

    response: Estimate | None
    """The response time that the goal is about, in ns; None if it does not settle."""
    iops: Estimate | None
    failed_ios: int
    """I/Os that came back undone, in all runs."""
    verdict: str
    """MEETS, MISSES or UNTOLD."""
    why: str = ""
    """The missed limit, or why it could not be simulated, as `sansim plan --json` has it."""
    reason: str = ""
    """The same for the terminal."""


class Runner:
    """Runs designs, keeping what comes of each run."""

    def __init__(
        self,
        plan: Plan,
        out: Path,
        *,
        workers: int | None = None,
        cluster: str | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> None:
        """Takes where results are kept, and where runs are made."""
        self.plan, self.store = plan, Store(out)
        self.workers, self.cluster, self.progress = workers, cluster, progress

    def run(
        self,
        these: Sequence[Candidate],
        failure: Failure | None = None,
        more: Settings = (),
        times: int = 1,
    ) -> list[Simulated]:
        """Simulates designs with common random numbers; with something that has failed, or some values on top.

        So many times as often.

        Raises:
            WorkerError: Workers or the cluster cannot be used.
        """
        jobs: list[list[Job] | str] = [self.jobs(one, failure, more, times) for one in these]
        all_jobs = [job for of in jobs if not isinstance(of, str) for job in of]
        failures = execute(all_jobs, self.store, self.workers, self.cluster, self.progress)
        limit = self.plan.goal.response_ns if failure is None or failure.response_ns is None else failure.response_ns
        found = []
        for one, of in zip(these, jobs, strict=True):
            if isinstance(of, str):
                found.append(Simulated(None, None, 0, MISSES, of, of))
            elif wrong := [failures[job.key] for job in of if job.key in failures]:
                why = f"it could not be simulated: {wrong[0]}"
                found.append(Simulated(None, None, 0, MISSES, why, f"the simulation failed: {wrong[0]}"))
            else:
                summaries = [self.store.read(job.key)["summary"] for job in of]
                offered = self.offered_iops(one, failure, more) if self.plan.goal.iops is not None else None
                found.append(judged(self.plan.goal, limit, summaries, offered))
        return found

    def offered_iops(self, one: Candidate, failure: Failure | None, more: Settings) -> float | None:
        """The I/Os per second that arrive for the workload of the goal, or for all; None of a closed load."""
        text, settings = self.described(one, failure, more)
        base = self.plan.bases[one.base]
        workloads = json.loads(self.scenario(text, base.name, base.folder, settings).analyse())["workloads"]
        name = self.plan.goal.workload
        wanted = workloads.values() if name is None else [workloads[name]] if name in workloads else []
        rates = [of["offered_iops"] for of in wanted]
        return sum(rates) if rates and None not in rates else None

    def jobs(self, one: Candidate, failure: Failure | None, more: Settings, times: int) -> list[Job] | str:
        """The runs of a design; or why there is no such design."""
        base = self.plan.bases[one.base]
        text, settings = self.described(one, failure, more)
        try:
            first = self.scenario(text, base.name, base.folder, settings).seed()
            of = () if self.plan.goal.of == MEAN else (self.plan.goal.of,)
            seeds = range(first, first + times * self.plan.confirming.replications)
            return [
                job_of(
                    self.scenario(text, base.name, base.folder, {**settings, "run.seed": str(seed)}).to_toml(), (), of
                )
                for seed in seeds
            ]
        except _core.ScenarioError as error:
            return f"{error.problems[0].key}: {error.problems[0].message}"

    def described(self, one: Candidate, failure: Failure | None, more: Settings) -> tuple[str, dict[str, str]]:
        """The scenario of a design, with something that has failed or some values on top: its text and its settings."""
        text, settings = self.plan.bases[one.base].text, dict(settings_of(self.plan, one))
        if failure is not None:
            # With names that fail, the settings for the analytic model are left out.
            settings.update(() if failure.fail else failure.settings)
            text += "".join(failing(name) for name in failure.fail)
        settings.update(more)
        return text, settings

    @staticmethod
    def scenario(text: str, name: str, folder: Path, settings: Mapping[str, str]) -> _core.Scenario:
        """A design as a scenario."""
        return _core.Scenario.parse(text, name, list(settings.items()), "the plan", folder)


def failing(name: str) -> str:
    """An event of a scenario: something is down from the begin."""
    return f'\n[[event]]\nat = "0 s"\ndo = "fail"\nwhat = {toml_value(name)}\n'


def judged(
    goal: Goal, limit_ns: float | None, summaries: Sequence[Mapping[str, Any]], offered_iops: float | None = None
) -> Simulated:
    """The verdict of the runs on the goal.

    A rate that is no higher than what comes is reached if everything comes through: so many I/Os come in a run by
    chance, and no longer run would do more.
    """
    parts = [summary if goal.workload is None else summary["workloads"][goal.workload] for summary in summaries]
    times = [(part.get("response_time_ns") or {}).get(goal.of) for part in parts]
    iops = over_replications([part["iops"] for part in parts])
    failed = sum(summary["failed_ios"] for summary in summaries)
    settled = [time for time in times if time is not None]
    response = over_replications(settled, goal.of) if len(settled) == len(times) else None
    verdicts: list[tuple[str, str, str]] = []
    if failed:
        verdicts.append((MISSES, f"{failed} I/Os came back undone", f"{failed} I/Os failed"))
    unstable = sorted({name for summary in summaries for name in summary["unstable"]})
    if unstable:
        names = ", ".join(unstable)
        verdicts.append((MISSES, f"more comes of {names} than is served", f"the load of {names} exceeds the capacity"))
    drifts = sorted(
        {drift["part"] for summary in summaries for drift in (summary.get("steady") or {}).get("drifts", ())}
    )
    if drifts:
        why = f"the state of {', '.join(drifts)} drifts, so its figures are not what they will be"
        verdicts.append((UNTOLD, why, f"the state of {', '.join(drifts)} still drifts at the end of the run"))
    if limit_ns is not None and not unstable:
        verdicts.append(beside(response, limit_ns, "it takes too long", "the response time is too long"))
    # The offered load is no measure of a design through which it does not come.
    comes = 0.0 if offered_iops is None or unstable or failed else offered_iops * (1 + ROUNDING)
    if goal.iops is not None and goal.iops > comes:
        negative = Estimate(-iops.mean, iops.half_width_95, iops.n, iops.method)
        verdicts.append(beside(negative, -goal.iops, "it does too few IOPS", "the rate is too low"))
    for wanted in (MISSES, UNTOLD):
        for verdict, why, reason in verdicts:
            if verdict == wanted:
                return Simulated(response, iops, failed, verdict, why, reason)
    return Simulated(response, iops, failed, MEETS)


def beside(estimate: Estimate | None, limit: float, why: str, reason: str) -> tuple[str, str, str]:
    """Whether a value is at most as large as a limit, whatever chance may have done to it."""
    if estimate is None:
        return MISSES, why, reason
    half = estimate.half_width_95 or 0.0
    if estimate.mean + half <= limit:
        return MEETS, "", ""
    if estimate.mean - half > limit:
        return MISSES, why, reason
    return UNTOLD, "its interval reaches over the limit", "its 95 % interval includes the limit"
