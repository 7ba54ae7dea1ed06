"""The designs of a plan worked out by the analytic model: which meet the goal, and how near the others come."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sansim import _core
from sansim.analysis.plan.candidates import Candidate
from sansim.analysis.plan.model import MEAN, Goal, Plan, Settings
from sansim.percentiles import millionths
from sansim.study.jobs.execute import Counter, Progress

NEAR_RESPONSE = 1.15
NEAR_IOPS = 0.95
"""A design that misses the goal by no more than the analytic model is mostly off (docs/model/analytic.md.

15 % in response times, 5 % in throughput)
may meet it in truth."""
NEAR_IN_DOUBT = 3.0
"""The same for a design for which the model is declared unreliable.

The largest error seen, with fair loops, is a third.
"""


FIRST_BATCH = 16
MOST_IN_BATCH = 4096
BATCH_S = 0.25
"""Designs are worked out as many at a time as take about so many seconds."""


@dataclass(frozen=True)
class Worked:
    """A design that was worked out."""

    candidate: Candidate
    iops: float | None
    """I/Os per second; None if more requests arrive than complete."""
    response_ns: float | None
    """The response time that the goal is about."""
    fullest: str | None
    """The part with the highest utilisation."""
    taken: float
    """Share of the time in which it is taken."""
    doubt: str | None
    """Why the analytic model is not to be relied on, if it is not."""
    problem: str | None = None
    """Why there is no such design."""

    @property
    def head_room(self) -> float:
        """The headroom of the fullest part."""
        return max(1.0 - self.taken, 0.0)


def work_out(
    plan: Plan,
    these: Sequence[Candidate],
    more: Settings = (),
    progress: Callable[[Progress], object] | None = None,
) -> list[Worked]:
    """Works out designs, with some values on top: some at a time, so that Ctrl-C and `progress` do not wait."""
    designs = [(one.base, [0, *one.options, 0]) for one in these]
    counter = Counter(len(designs), "designs estimated", progress)
    found: list[Worked] = []
    size = FIRST_BATCH
    while len(found) < len(designs):
        begin = time.monotonic()
        batch = slice(len(found), len(found) + size)
        found += worked(plan, these[batch], designs[batch], [more])
        counter.add(len(found) - batch.start)
        took = max(time.monotonic() - begin, 1e-6)
        size = max(min(int(size * BATCH_S / took), MOST_IN_BATCH), 1)
    return found


def worked(
    plan: Plan, these: Sequence[Candidate], designs: list[tuple[int, list[int]]], last: list[Settings]
) -> list[Worked]:
    """Works out designs: each is a scenario, what is always set, an option of each choice, and one of `last`."""
    bases = [(base.text, base.name, base.folder) for base in plan.bases]
    choices = [[[*plan.settings]], *([[*option.settings] for option in choice.options] for choice in plan.choices)]
    choices.append([[*more] for more in last])
    found = json.loads(_core.analyse_designs(bases, choices, designs, share_of(plan.goal)))
    return [as_worked(plan.goal, one, of) for one, of in zip(these, found, strict=True)]


def share_of(goal: Goal) -> float | None:
    """The part of the I/Os that do not exceed the limited percentile; None of the mean."""
    return None if goal.of == MEAN else millionths(goal.of) / 1e6


def as_worked(goal: Goal, one: Candidate, found: dict[str, Any]) -> Worked:
    """The results of the native part for a design, as far as the goal needs them."""
    iops, response_ns = found["iops"], found["response_ns"]
    if goal.workload is not None:
        of = {name: (rate, time) for name, rate, time in found["workloads"]}
        iops, response_ns = of.get(goal.workload, (None, None))
    return Worked(one, iops, response_ns, found["fullest"], found["taken"], found["doubt"], problem=found["problem"])


def misses(goal: Goal, one: Worked) -> dict[str, float]:
    """By how much a design misses the goal: how many times the time is too long, the throughput too small."""
    found = {}
    if one.problem is not None:
        return {"possible": math.inf}
    if goal.response_ns is not None and (one.response_ns is None or one.response_ns > goal.response_ns):
        found["response"] = math.inf if one.response_ns is None else one.response_ns / goal.response_ns
    if goal.iops is not None and (one.iops is None or one.iops < goal.iops):
        found["iops"] = math.inf if not one.iops else goal.iops / one.iops
    if one.iops is None:
        found["served"] = max(one.taken, 1.0)
    return found


@dataclass(frozen=True)
class Slack:
    """How much worse than the truth the analytic model may be: how many times the time, and the rate."""

    response: float
    iops: float


MOSTLY = Slack(NEAR_RESPONSE, 1 / NEAR_IOPS)
IN_DOUBT = Slack(NEAR_IN_DOUBT, NEAR_IN_DOUBT)


def may_meet(goal: Goal, one: Worked, slack: Slack | None = None) -> bool:
    """Whether a design may meet the goal in truth, as near as the model is."""
    if one.problem is not None:
        return False
    slack = slack or (IN_DOUBT if one.doubt is not None else MOSTLY)
    if one.iops is None:
        # More comes than is served, by what was worked out.
        return one.taken <= slack.iops
    near = goal.response_ns is None or (
        one.response_ns is not None and one.response_ns <= slack.response * goal.response_ns
    )
    return near and (goal.iops is None or slack.iops * one.iops >= goal.iops)


def order(one: Worked) -> tuple[float, float, float]:
    """Cheapest first; of as cheap ones that which takes less power, then the quicker."""
    return one.candidate.cost, one.candidate.power_w, math.inf if one.response_ns is None else one.response_ns


def pareto(these: Iterable[Worked]) -> list[Worked]:
    """The designs to which no other is better in one of cost, power, response time and head-room.

    And as good in the rest.
    """
    front: list[tuple[tuple[float, ...], Worked]] = []
    # The cheapest first: a design cannot be beaten by one that costs more.
    for one in sorted(these, key=lambda one: (*order(one), -one.head_room)):
        here = (*order(one), -one.head_room)
        if not any(all(a <= b for a, b in zip(other, here, strict=True)) for other, _ in front):
            front.append((here, one))
    return [one for _, one in front]
