"""A plan carried out: what was found, and how sure it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sansim import _core
from sansim.analysis.plan.candidates import Candidate, candidates, count, excess, settings_of
from sansim.analysis.plan.confirm import MEETS, UNTOLD, Runner
from sansim.analysis.plan.model import Failure, Plan, Settings
from sansim.analysis.plan.outcome import Failed, Grown, Outcome
from sansim.analysis.plan.placement import placement
from sansim.analysis.plan.search import Worked, may_meet, misses, order, pareto, work_out, worked
from sansim.analysis.plan.text import plan_text, planned_json
from sansim.analysis.plan.values import scaled
from sansim.analysis.plan.volumes import place_volumes
from sansim.study.jobs.execute import Progress

RESULTS = "results"
"""Folder beside a plan in which its results are, unless another is named."""
MORE = 4
"""So many times as many runs tell what chance left open; intervals become half as wide."""


class Planned(Outcome):
    """A plan carried out."""

    def as_json(self) -> dict[str, Any]:
        """As `sansim plan --json` has it."""
        return planned_json(self)

    def text(self, width: int = 80) -> str:
        """For a person."""
        return plan_text(self, width)


def carry_out(
    plan: Plan,
    *,
    simulate: bool = True,
    out: Path | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Planned:
    """Finds the cheapest design that meets the goal of a plan.

    Args:
        plan: The plan.
        simulate: Whether to simulate the best designs; otherwise all is worked out only.
        out: Folder in which the result of each run is kept; `results` beside the plan if not given.
        workers: Processes; as many as there are processors if not given.
        cluster: Address of a Dask scheduler that is to make the runs instead.
        progress: Called some times a second with how far the runs are.

    Raises:
        WorkerError: Workers or the cluster cannot be used.
    """
    every = list(candidates(plan))
    within = work_out(plan, [one for one in every if not excess(plan, one)])
    meet = sorted((one for one in within if not misses(plan.goal, one)), key=order)
    found = Planned(plan, count(plan), within, meet, pareto(meet))
    found.cheapest = min(every, key=lambda one: one.cost, default=None)
    found.least_power = min(every, key=lambda one: one.power_w, default=None)
    parts = [dict(one.parts) for one in every]
    found.fewest = {name: min((one.get(name, 0) for one in parts), default=0) for name in plan.bounds.parts}
    if simulate:
        runner = Runner(plan, out or plan.file.parent / RESULTS, workers=workers, cluster=cluster, progress=progress)
        confirm(found, runner)
    elif meet:
        found.winner = meet[0]
    if found.winner is None:
        explain_none(found, every)
    else:
        found.failures = [look_at(found, found.winner, one, runner if simulate else None) for one in plan.failures]
        found.growth = grown(found, found.winner, runner if simulate else None)
        place(found, found.winner)
    return found


def confirm(found: Planned, runner: Runner) -> None:
    """Simulates designs, the cheapest first, until one is confirmed.

    Those that meet the goal by the analytic model or miss it by no more than its possible error. Designs on which the
    verdict is not significant get more runs.
    """
    plan = found.plan
    waiting = sorted((one for one in found.within if may_meet(plan.goal, one)), key=order)[: plan.confirming.most]
    size = plan.confirming.designs
    for first in range(0, len(waiting), size):
        batch = waiting[first : first + size]
        for one, simulated in zip(batch, runner.run([one.candidate for one in batch]), strict=True):
            found.simulated[one.candidate] = simulated
        close = [one.candidate for one in batch if found.simulated[one.candidate].verdict == UNTOLD]
        found.simulated.update(zip(close, runner.run(close, times=MORE), strict=True))
        winner = next((one for one in batch if found.simulated[one.candidate].verdict == MEETS), None)
        if winner is not None:
            found.winner, found.is_confirmed = winner, True
            return


def explain_none(found: Planned, every: list[Candidate]) -> None:
    """Finds the nearest design, where none meets the goal."""
    plan = found.plan
    possible = [one for one in found.within if one.problem is None]
    if possible:
        found.closest = min(possible, key=lambda one: (worst(plan, one), *order(one)))
    outside = [one for one in work_out(plan, [one for one in every if excess(plan, one)]) if one.problem is None]
    beyond = [one for one in outside if not misses(plan.goal, one)]
    if beyond:
        found.beyond = min(beyond, key=order)
    if found.closest is None and outside:
        found.closest = min(outside, key=lambda one: (max(excess(plan, one.candidate).values()), *order(one)))


def worst(plan: Plan, one: Worked) -> float:
    """How far a design is from the goal, in that in which it is farthest."""
    return max(misses(plan.goal, one).values(), default=1.0)


def look_at(found: Planned, one: Worked, failure: Failure, runner: Runner | None) -> Failed:
    """A design with something down."""
    of = work_out(found.plan, [one.candidate], failure.settings)[0] if failure.settings else None
    simulated = runner.run([one.candidate], failure)[0] if runner else None
    return Failed(failure, of, simulated)


def grown(found: Planned, one: Worked, runner: Runner | None) -> Grown | None:
    """When a design stops meeting the goal as the load grows; simulated in the last month in which it does."""
    plan, growth = found.plan, found.plan.growth
    if growth is None:
        return None
    values = resolved(plan, one.candidate)
    months = [larger(values, growth.keys, (1 + growth.per_month) ** month) for month in range(growth.months + 1)]
    designs = [(one.candidate.base, [0, *one.candidate.options, month]) for month in range(len(months))]
    every = worked(plan, [one.candidate] * len(months), designs, months)
    first = next((month for month, of in enumerate(every) if misses(plan.goal, of)), growth.months + 1)
    if first == 0:
        return Grown(None, growth.months)
    last = first - 1
    simulated = runner.run([one.candidate], more=months[last])[0] if runner else None
    return Grown(last, growth.months, simulated)


def place(found: Planned, one: Worked) -> None:
    """Looks how the devices and volumes of a design hang on its links."""
    base, chosen = found.plan.bases[one.candidate.base], dict(settings_of(found.plan, one.candidate))

    def load(more: dict[str, str]) -> _core.Scenario:
        return _core.Scenario.parse(base.text, base.name, list((chosen | more).items()), folder=base.folder)

    analysis = json.loads(load({}).analyse())
    found.placement, found.volumes = placement(analysis), place_volumes(load, analysis)


def resolved(plan: Plan, one: Candidate) -> Mapping[str, object]:
    """The values of a design's scenario by their keys."""
    base = plan.bases[one.base]
    scenario = _core.Scenario.parse(base.text, base.name, list(settings_of(plan, one)), folder=base.folder)
    return {setting.key: setting.value for setting in scenario.settings()}


def larger(values: Mapping[str, object], keys: tuple[str, ...], factor: float) -> Settings:
    """Keys with their values made larger."""
    return tuple((key, text) for key in keys if (text := scaled(values.get(key), factor)) is not None)
