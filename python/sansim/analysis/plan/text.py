"""A plan carried out, for a person who does not know queueing theory, and for programs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from sansim.analysis.plan.candidates import Candidate, excess, labels_of, settings_of
from sansim.analysis.plan.confirm import MEETS, Simulated
from sansim.analysis.plan.model import Goal, Plan
from sansim.analysis.plan.outcome import Failed, Grown, Outcome
from sansim.analysis.plan.placement import placement_text
from sansim.analysis.plan.search import Worked, misses
from sansim.analysis.plan.volumes import volumes_text
from sansim.text_blocks import ROW, text_of
from sansim.text_report import duration, quantity

ROWS = 12
"""Rows of the table of designs for a person."""
WHAT = {
    "mean": "the mean response time",
    "p50": "the time that 50 of 100 I/Os do not exceed",
    "p90": "the time that 90 of 100 I/Os do not exceed",
    "p99": "the time that 99 of 100 I/Os do not exceed",
    "p99_9": "the time that 999 of 1000 I/Os do not exceed",
}


def plan_text(found: Outcome, width: int) -> str:
    """The whole text."""
    blocks = [
        heading(found),
        answer(found),
        why_none(found),
        table(found),
        failures(found),
        growth(found),
        strings(found),
        doubts(found),
    ]
    return text_of(blocks, width)


def money(plan: Plan, cost: float) -> str:
    """A price with its currency."""
    return f"{cost:,.0f} {plan.catalogue.currency}" if cost == round(cost) else f"{cost:,.2f} {plan.catalogue.currency}"


def goal_text(goal: Goal) -> str:
    """The goal in words."""
    of = "" if goal.workload is None else f" of `{goal.workload}`"
    parts = []
    if goal.response_ns is not None:
        parts.append(f"{WHAT[goal.of]}{of} is {duration(goal.response_ns)} or less")
    if goal.iops is not None:
        parts.append(f"{quantity(goal.iops)} I/Os per second (IOPS){of} or more are done")
    return ", and ".join(parts)


def heading(found: Outcome) -> Iterator[str]:
    """The goal and the bounds."""
    plan = found.plan
    yield plan.title
    yield f"Goal: {goal_text(plan.goal)}."
    bounds = plan.bounds
    limits = []
    if bounds.cost is not None:
        limits.append(f"{money(plan, bounds.cost)} at most")
    if bounds.power_w is not None:
        limits.append(f"{bounds.power_w:,.0f} W at most")
    limits += [f"{number} of {plan.catalogue.parts[name].label} at most" for name, number in bounds.parts.items()]
    if limits:
        yield f"Bounds: {', '.join(limits)}."
    if plan.catalogue.is_example:
        yield f"The prices of {plan.catalogue.title} are invented: it is an example."
    impossible = [one for one in found.within if one.problem is not None]
    yield (
        f"{found.looked_at:,} designs: {len(found.within):,} within the bounds, {len(found.meet):,} of these meet "
        f"the goal by "
        f"what was worked out{f', {len(impossible):,} cannot be built' if impossible else ''}."
    )


def design_text(plan: Plan, one: Candidate) -> str:
    """The chosen options."""
    chosen = labels_of(plan, one)
    return ", ".join(f"{name}: {label}" for name, label in chosen.items()) or "the scenario as it is"


def figures(one: Worked) -> str:
    """The results of the analytic model for a design."""
    if one.iops is None:
        return "more is asked for than it can do"
    room = (
        f"; its fullest part, `{one.fullest}`, has nothing to do for {100 * one.head_room:.0f} % of the time"
        if one.fullest
        else ""
    )
    response = "-" if one.response_ns is None else duration(one.response_ns)
    return f"{response} and {quantity(one.iops)} IOPS by what was worked out{room}"


def simulated_text(one: Simulated) -> str:
    """The results of the simulation of a design."""
    if one.response is None and one.iops is None:
        return f"it {one.why}" if one.why.startswith("could") else one.why
    response = "response times do not settle" if one.response is None else with_interval(one.response, duration)
    iops = "" if one.iops is None else f", {with_interval(one.iops, quantity)} IOPS"
    return f"{response}{iops}: {one.verdict}{f' ({one.why})' if one.why else ''}"


def with_interval(estimate: Any, show: Any) -> str:
    """A value with the half of its interval."""
    half = estimate.half_width_95
    return f"{show(estimate.mean)}{'' if half is None else f' +- {show(half)}'}"


def answer(found: Outcome) -> Iterator[str]:
    """The cheapest design that meets the goal."""
    plan, winner = found.plan, found.winner
    if winner is None:
        return
    one = winner.candidate
    yield (
        f"The cheapest design that meets the goal{'' if found.is_confirmed else ' by what was worked out'} costs "
        f"{money(plan, one.cost)} and takes {one.power_w:,.0f} W:"
    )
    yield f"  {design_text(plan, one)}"
    yield (
        f"  parts: "
        f"{', '.join(f'{number} x {plan.catalogue.parts[name].label}' for name, number in one.parts) or 'none'}"
    )
    yield f"  {figures(winner)}"
    if (simulated := found.simulated.get(one)) is not None:
        yield f"  simulated: {simulated_text(simulated)}"
    replaced = [(other, of) for other, of in found.simulated.items() if of.verdict != MEETS and other.cost < one.cost]
    if replaced:
        yield (
            f"Cheaper ones were simulated as well ({len(replaced)}), and none of them is sure to meet it; the "
            f"cheapest of them:"
        )
        other, of = min(replaced, key=lambda pair: pair[0].cost)
        yield f"  {money(plan, other.cost)}: {design_text(plan, other)}: {simulated_text(of)}"
    if not found.is_confirmed:
        yield "It was not simulated; leave out --no-simulate to confirm it."


def why_none(found: Outcome) -> Iterator[str]:
    """Why there is no design, and by how much."""
    if found.winner is not None:
        return
    plan, goal, bounds = found.plan, found.plan.goal, found.plan.bounds
    yield "No design meets the goal."
    if not found.looked_at:
        yield "There is nothing to choose from."
        return
    if not found.within:
        cheapest, least = found.cheapest, found.least_power
        assert cheapest is not None and least is not None
        yield "No design is within the bounds:"
        if bounds.cost is not None and cheapest.cost > bounds.cost:
            over = cheapest.cost - bounds.cost
            yield f"  the cheapest costs {money(plan, cheapest.cost)}, {money(plan, over)} more than the bound"
        if bounds.power_w is not None and least.power_w > bounds.power_w:
            over = least.power_w - bounds.power_w
            yield f"  that with the least power takes {least.power_w:,.0f} W, {over:,.0f} W more than the bound"
        for name, number in bounds.parts.items():
            few = found.fewest.get(name, 0)
            more = f", and every design has {few} or more, {few - number} too many" if few > number else ""
            yield f"  of {plan.catalogue.parts[name].label} there may be {number}{more}"
        yield (
            "Each of these may be possible by itself and not with the others; the design that exceeds them the "
            "least is told below."
        )
    elif all(one.problem is not None for one in found.within):
        yield f"None of them can be built; the first says: {found.within[0].problem}."
    if (closest := found.closest) is not None:
        cost = money(plan, closest.candidate.cost)
        yield f"The design that comes nearest costs {cost} and takes {closest.candidate.power_w:,.0f} W:"
        yield f"  {design_text(plan, closest.candidate)}"
        yield from (f"  {line}" for line in shortfalls(goal, closest))
        for name, times in excess(plan, closest.candidate).items():
            yield f"  {name}: {amount(times)} of the bound"
        if (simulated := found.simulated.get(closest.candidate)) is not None:
            yield f"  simulated: {simulated_text(simulated)}"
    if found.beyond is not None:
        one = found.beyond
        extra = [f"{name} {amount(times)} of its bound" for name, times in excess(plan, one.candidate).items()]
        yield (
            f"Beyond the bounds the cheapest design that meets the goal by what was worked out costs "
            f"{money(plan, one.candidate.cost)} and takes {one.candidate.power_w:,.0f} W ({', '.join(extra)}): "
            f"{design_text(plan, one.candidate)}."
        )
    elif found.closest is not None and misses(goal, found.closest):
        yield "No design meets it whatever the bounds are: other parts, or other options, are needed."


def shortfalls(goal: Goal, one: Worked) -> Iterator[str]:
    """The missed limits of a design, and by how much."""
    missed = misses(goal, one)
    if "served" in missed:
        yield (
            f"`{one.fullest}` would have to work {100 * one.taken:.0f} % of the time: "
            f"{100 * (1 - 1 / one.taken):.0f} % of the "
            "load is more than it can do"
        )
        return
    if "response" in missed and one.response_ns is not None and goal.response_ns is not None:
        yield (
            f"{WHAT[goal.of]} is {duration(one.response_ns)}, which is {duration(one.response_ns - goal.response_ns)} "
            f"({100 * (missed['response'] - 1):.0f} %) too long"
        )
    if "iops" in missed and one.iops is not None and goal.iops is not None:
        yield (
            f"it does {quantity(one.iops)} IOPS, {quantity(goal.iops - one.iops)} "
            f"({100 * (1 - one.iops / goal.iops):.0f} %) too few"
        )
    if not missed:
        yield (
            f"by what was worked out it meets the goal ({duration(one.response_ns)}), and in the simulation it does not"
        )


def amount(times: float) -> str:
    """How many times something is of its bound."""
    return "more than nothing, which is all" if math.isinf(times) else f"{100 * times:.0f} %"


def table(found: Outcome) -> Iterator[str]:
    """The designs that are the best in something."""
    rows = shown(found)
    if len(rows) < 2:
        return
    plan = found.plan
    yield (
        "Designs that meet the goal and are the best in something: no other is as good in all of cost, power, "
        "response time and "
        f"room, and better in "
        f"one{f' ({len(rows)} of {len(found.front)})' if len(found.front) > len(rows) else ''}. Room is the "
        "share of the time in which the fullest part has nothing to do."
    )
    yield f"{ROW}{'cost':>14} {'power':>8} {'time':>10} {'IOPS':>9} {'room':>5}  design"
    for one in rows:
        candidate = one.candidate
        mark = "*" if found.winner is not None and candidate == found.winner.candidate else " "
        yield (
            f"{ROW}{money(plan, candidate.cost):>14} {candidate.power_w:>6,.0f} W {duration(one.response_ns):>10} "
            f"{quantity(one.iops or 0.0):>9} {100 * one.head_room:>3.0f} %{mark} {design_text(plan, candidate)}"
        )


def shown(found: Outcome) -> list[Worked]:
    """The rows of the table: the best, with the winner among them."""
    rows = found.front[:ROWS]
    winner = found.winner
    if winner is not None and all(one.candidate != winner.candidate for one in rows):
        rows = [winner, *rows[: ROWS - 1]]
    return rows


def failures(found: Outcome) -> Iterator[str]:
    """The verdict on the goal during each failure."""
    if found.failures:
        yield "With something down:"
    for one in found.failures:
        yield f"  {one.failure.label}: {failed_text(one)}"


def failed_text(one: Failed) -> str:
    """A failure in words."""
    parts = []
    if one.worked is not None and one.worked.problem is None:
        of = one.worked
        parts.append(
            "more is asked for than it can do, by what was worked out"
            if of.iops is None
            else f"{duration(of.response_ns)} by what was worked out"
        )
    if one.simulated is not None:
        parts.append(f"simulated {simulated_text(one.simulated)}")
    return "; ".join(parts) or "not worked out: the model of queues does not follow failures, only the simulation does"


def strings(found: Outcome) -> Iterator[str]:
    """How devices and volumes of the design that was found hang on its links."""
    if found.placement is not None:
        yield from placement_text(found.placement)
    yield from volumes_text(found.volumes)


def growth(found: Outcome) -> Iterator[str]:
    """When the design stops meeting the goal."""
    if found.growth is not None and found.plan.growth is not None:
        yield grown_text(found.plan, found.growth)


def grown_text(plan: Plan, grown: Grown) -> str:
    """How long a design lasts."""
    assert plan.growth is not None
    share = 100 * plan.growth.per_month
    if grown.lasts_months is None:
        return "By what was worked out the design misses the goal already today, so how long it lasts cannot be said."
    factor = (1 + plan.growth.per_month) ** grown.lasts_months
    if grown.lasts_months >= grown.looked_to:
        text = (
            f"With {share:g} % more load a month it still meets the goal after {grown.looked_to} months "
            f"({factor:.2f} times the load)."
        )
    else:
        text = (
            f"With {share:g} % more load a month it meets the goal for {grown.lasts_months} months ({factor:.2f} "
            f"times the load), "
            f"and no longer in month {grown.lasts_months + 1}."
        )
    if grown.simulated is not None:
        text += f" Month {grown.lasts_months} simulated: {simulated_text(grown.simulated)}."
    return text


def doubts(found: Outcome) -> Iterator[str]:
    """Where what was worked out is not to be relied on."""
    doubted = [one for one in found.within if one.doubt is not None and one.problem is None]
    if doubted:
        yield (
            f"What was worked out is not to be relied on for {len(doubted):,} of the designs: "
            f"{doubted[0].doubt}. What was simulated is."
        )


# ---------------------------------------------------------------- for programs


def planned_json(found: Outcome) -> dict[str, Any]:
    """As `sansim plan --json` has it."""
    plan = found.plan
    return {
        "title": plan.title,
        "currency": plan.catalogue.currency,
        "is_example": plan.catalogue.is_example,
        "goal": {
            "response_ns": plan.goal.response_ns,
            "of": plan.goal.of,
            "workload": plan.goal.workload,
            "iops": plan.goal.iops,
        },
        "designs": found.looked_at,
        "within_bounds": len(found.within),
        "meet_goal": len(found.meet),
        "winner": None if found.winner is None else design_json(found, found.winner),
        "is_confirmed": found.is_confirmed,
        "pareto": [design_json(found, one) for one in found.front],
        "simulated": [
            {"cost": one.cost, "choices": labels_of(plan, one), **simulated_json(of)}
            for one, of in found.simulated.items()
        ],
        "failures": [
            {
                "label": one.failure.label,
                "response_ns": None if one.worked is None else one.worked.response_ns,
                "simulated": None if one.simulated is None else simulated_json(one.simulated),
            }
            for one in found.failures
        ],
        "growth": None
        if found.growth is None
        else {
            "lasts_months": found.growth.lasts_months,
            "looked_to": found.growth.looked_to,
            "simulated": None if found.growth.simulated is None else simulated_json(found.growth.simulated),
        },
        "placement": None
        if found.placement is None
        else {
            **found.placement.as_json(),
            "volumes": None if found.volumes is None else found.volumes.as_json(),
        },
        "closest": None if found.closest is None else closest_json(found, found.closest),
        "beyond": None if found.beyond is None else closest_json(found, found.beyond),
    }


def design_json(found: Outcome, one: Worked) -> dict[str, Any]:
    """A design."""
    simulated = found.simulated.get(one.candidate)
    return {
        "cost": one.candidate.cost,
        "power_w": one.candidate.power_w,
        "response_ns": one.response_ns,
        "iops": one.iops,
        "head_room": one.head_room,
        "fullest": one.fullest,
        "outside": one.doubt,
        "choices": labels_of(found.plan, one.candidate),
        "parts": dict(one.candidate.parts),
        "set": dict(settings_of(found.plan, one.candidate)),
        "simulated": None if simulated is None else simulated_json(simulated),
    }


def closest_json(found: Outcome, one: Worked) -> dict[str, Any]:
    """A design that misses something, and what."""
    return {
        **design_json(found, one),
        "misses": finite(misses(found.plan.goal, one)),
        "exceeds": finite(excess(found.plan, one.candidate)),
    }


def finite(values: Mapping[str, float]) -> dict[str, float | None]:
    """Ratios; null where there is none."""
    return {name: None if math.isinf(value) else value for name, value in values.items()}


def simulated_json(one: Simulated) -> dict[str, Any]:
    """The results of the simulation."""
    return {
        "response_ns": None if one.response is None else one.response.mean,
        "response_ci95_ns": None if one.response is None else one.response.half_width_95,
        "iops": None if one.iops is None else one.iops.mean,
        "iops_ci95": None if one.iops is None else one.iops.half_width_95,
        "failed_ios": one.failed_ios,
        "verdict": one.verdict,
        "why": one.why or None,
    }
