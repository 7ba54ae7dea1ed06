"""A plan carried out: what was found, and how sure it is."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sansim import _core
from sansim.analysis.plan.candidates import Candidate, candidates, count, excess, settings_of
from sansim.analysis.plan.confirm import MEETS, UNTOLD, Runner
from sansim.analysis.plan.json_form import planned_json
from sansim.analysis.plan.model import Failure, Plan, Settings
from sansim.analysis.plan.outcome import Failed, Grown, Outcome
from sansim.analysis.plan.placement import placement
from sansim.analysis.plan.search import (
    NEAR_IOPS,
    NEAR_RESPONSE,
    Slack,
    Worked,
    may_meet,
    misses,
    order,
    pareto,
    work_out,
    worked,
)
from sansim.analysis.plan.text import plan_text
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
    analytic: bool = False,
    out: Path | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Planned:
    """Finds the cheapest design that meets the goal of a plan.

    Args:
        plan: The plan.
        analytic: Whether the analytic model decides alone; all is an estimate then.
        out: Folder in which the result of each run is kept; `results` beside the plan if not given.
        workers: Processes; as many as there are processors if not given.
        cluster: Address of a Dask scheduler that is to make the runs instead.
        progress: Called some times a second with how far the runs are.

    Raises:
        WorkerError: Workers or the cluster cannot be used.
    """
    every = list(candidates(plan))
    within = work_out(plan, [one for one in every if not excess(plan, one)], progress=progress)
    meet = sorted((one for one in within if not misses(plan.goal, one)), key=order)
    found = Planned(plan, count(plan), within, meet, pareto(meet), without_room=count(plan) - len(every))
    found.cheapest = min(every, key=lambda one: one.cost, default=None)
    found.least_power = min(every, key=lambda one: one.power_w, default=None)
    parts = [dict(one.parts) for one in every]
    found.fewest = {name: min((one.get(name, 0) for one in parts), default=0) for name in plan.bounds.parts}
    runner = None
    if not analytic:
        runner = Runner(plan, out or plan.file.parent / RESULTS, workers=workers, cluster=cluster, progress=progress)
        confirm(found, runner)
    elif meet:
        found.winner = meet[0]
    if found.winner is None:
        explain_none(found, every, runner)
    else:
        found.failures = [look_at(found, found.winner, one, runner) for one in plan.failures]
        found.growth = grown(found, found.winner, runner)
        place(found, found.winner)
    return found


def confirm(found: Planned, runner: Runner) -> None:
    """Simulates designs until one is confirmed, and none before it is said that there is none.

    First those that meet the goal by the analytic model or miss it by no more than its possible error, the cheapest
    first. If none of them does, those that the model rejects: the nearest, those of which it is in doubt, and the
    costliest. Where simulations are better than the model says, cheaper designs are tried as well.
    """
    plan = found.plan
    if not first_that_meets(
        found, runner, sorted((one for one in found.within if may_meet(plan.goal, one)), key=order)
    ):
        first_that_meets(found, runner, rejected(found))
    if found.winner is not None:
        try_cheaper(found, runner)
        try_next_cheaper(found, runner)


def first_that_meets(found: Planned, runner: Runner, these: Sequence[Worked]) -> bool:
    """Simulates designs, some at a time, until one meets the goal: the first of its batch."""
    plan = found.plan
    size = plan.confirming.designs
    for first in range(0, min(len(these), plan.confirming.most), size):
        batch = these[first : first + size]
        simulate(found, runner, batch)
        meets = [one for one in batch if found.simulated[one.candidate].verdict == MEETS]
        if meets:
            found.winner, found.is_confirmed = min(meets, key=order), True
            return True
    return False


def simulate(found: Planned, runner: Runner, batch: Sequence[Worked]) -> None:
    """Simulates designs; those on which the verdict is not significant get more runs."""
    found.simulated.update(
        zip([one.candidate for one in batch], runner.run([one.candidate for one in batch]), strict=True)
    )
    close = [one.candidate for one in batch if found.simulated[one.candidate].verdict == UNTOLD]
    found.simulated.update(zip(close, runner.run(close, times=MORE), strict=True))


def rejected(found: Planned) -> list[Worked]:
    """The designs that the analytic model rejects, in the order in which they are simulated all the same."""
    rest = [one for one in found.within if one.problem is None and one.candidate not in found.simulated]
    if not rest:
        return []
    nearest = sorted(rest, key=lambda one: (worst(found.plan, one), *order(one)))
    in_doubt = [one for one in nearest if one.doubt is not None]
    # In turns, so that each sort is among the first; the costliest may do what the model denies to all alike.
    mixed = itertools.chain.from_iterable(itertools.zip_longest(nearest, in_doubt))
    costliest = max(rest, key=order)
    return list(dict.fromkeys(one for one in itertools.chain([costliest], mixed) if one is not None))


def try_cheaper(found: Planned, runner: Runner) -> None:
    """Simulates cheaper designs than the winner, where simulations were better than the model says."""
    plan = found.plan
    for _ in range(plan.confirming.most):
        winner, slack = found.winner, kinder(found)
        if winner is None or slack is None:
            return
        left = [one for one in found.within if one.candidate not in found.simulated and order(one) < order(winner)]
        left = sorted((one for one in left if may_meet(plan.goal, one, slack)), key=order)
        if not left:
            return
        size = min(plan.confirming.designs, len(left))
        batch = [left[number * len(left) // size] for number in range(size)]
        simulate(found, runner, batch)
        meets = [one for one in batch if found.simulated[one.candidate].verdict == MEETS]
        found.winner = min([winner, *meets], key=order)


def try_next_cheaper(found: Planned, runner: Runner) -> None:
    """Simulates the next cheaper design than the winner, so that the answer says what that lacks."""
    for _ in range(found.plan.confirming.most):
        next_one = found.next_cheaper
        if next_one is None or next_one.candidate in found.simulated:
            return
        simulate(found, runner, [next_one])
        if found.simulated[next_one.candidate].verdict != MEETS:
            return
        found.winner = next_one


def kinder(found: Planned) -> Slack | None:
    """How much better than the analytic model the simulations are of designs that meet the goal; None if no better."""
    response, iops = 1.0, 1.0
    for one in found.within:
        simulated = found.simulated.get(one.candidate)
        if simulated is None or simulated.verdict != MEETS or simulated.iops is None:
            continue
        if one.iops is None:
            # The model says that more comes than is served, of a design that serves it.
            return Slack(math.inf, math.inf)
        iops = max(iops, simulated.iops.mean / one.iops if one.iops else math.inf)
        if one.response_ns and simulated.response is not None and simulated.response.mean:
            response = max(response, one.response_ns / simulated.response.mean)
    if response <= NEAR_RESPONSE and iops <= 1 / NEAR_IOPS:
        return None
    return Slack(response * NEAR_RESPONSE, iops / NEAR_IOPS)


def explain_none(found: Planned, every: list[Candidate], runner: Runner | None) -> None:
    """Finds the nearest design, where none meets the goal."""
    plan = found.plan
    possible = [one for one in found.within if one.problem is None]
    if possible:
        found.closest = min(possible, key=lambda one: (worst_simulated(found, one), *order(one)))
    outside = [one for one in work_out(plan, [one for one in every if excess(plan, one)]) if one.problem is None]
    beyond = [one for one in outside if not misses(plan.goal, one)]
    if beyond:
        found.beyond = min(beyond, key=order)
        if runner is not None:
            simulate(found, runner, [found.beyond])
    if found.closest is None and outside:
        found.closest = min(outside, key=lambda one: (max(excess(plan, one.candidate).values()), *order(one)))


def worst(plan: Plan, one: Worked) -> float:
    """How far a design is from the goal, in that in which it is farthest."""
    return max(misses(plan.goal, one).values(), default=1.0)


def worst_simulated(found: Planned, one: Worked) -> float:
    """The same by the simulation of a design, if it was simulated."""
    simulated, goal = found.simulated.get(one.candidate), found.plan.goal
    if simulated is None or simulated.iops is None:
        return worst(found.plan, one)
    by_rate = goal.iops / simulated.iops.mean if goal.iops is not None and simulated.iops.mean else 1.0
    by_time = 1.0
    if goal.response_ns is not None:
        by_time = math.inf if simulated.response is None else simulated.response.mean / goal.response_ns
    return max(by_rate, by_time, 1.0)


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
