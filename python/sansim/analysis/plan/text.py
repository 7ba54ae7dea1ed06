"""A plan carried out, for the terminal and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from sansim.analysis.plan.candidates import Candidate, excess, labels_of
from sansim.analysis.plan.confirm import MEETS, MISSES, UNTOLD, Simulated
from sansim.analysis.plan.model import MEAN, Goal, Plan
from sansim.analysis.plan.outcome import Failed, Grown, Outcome
from sansim.analysis.plan.placement import placement_text
from sansim.analysis.plan.search import Worked, misses
from sansim.analysis.plan.volumes import volumes_text
from sansim.number_text import duration, quantity
from sansim.percentiles import ordinal
from sansim.text_blocks import ROW, text_of

ROWS = 12
"""Rows of the table of designs."""
DESIGN_COLUMN = 57
"""Where designs begin in that table, if all of them fit behind the figures."""
BY_MODEL = " by the analytic model"
VERDICTS = {MEETS: MEETS, MISSES: MISSES, UNTOLD: "not decided by these runs"}


def plan_text(found: Outcome, width: int) -> str:
    """The whole text."""
    blocks = [
        heading(found),
        answer(found),
        why_none(found),
        table(found, width),
        failures(found),
        growth(found),
        strings(found),
        doubts(found),
    ]
    return text_of(blocks, width)


def money(plan: Plan, cost: float) -> str:
    """A price with its currency."""
    return f"{cost:,.0f} {plan.catalogue.currency}" if cost == round(cost) else f"{cost:,.2f} {plan.catalogue.currency}"


def limited(goal: Goal) -> str:
    """The response time that a goal limits, in words."""
    if goal.of in (MEAN, "p50"):
        return f"the {'median' if goal.of == 'p50' else 'mean'} response time"
    return f"the {ordinal(goal.of)} of the response time"


def goal_text(goal: Goal) -> str:
    """The goal in words."""
    of = "" if goal.workload is None else f" of `{goal.workload}`"
    parts = []
    if goal.response_ns is not None:
        parts.append(f"{limited(goal)}{of} is {duration(goal.response_ns)} or less")
    if goal.iops is not None:
        parts.append(f"the rate{of} is {quantity(goal.iops)} IOPS or more")
    return ", and ".join(parts)


def heading(found: Outcome) -> Iterator[str]:
    """The goal and the bounds."""
    plan = found.plan
    yield plan.title
    yield f"Goal: {goal_text(plan.goal)}."
    bounds = plan.bounds
    limits = []
    if bounds.cost is not None:
        limits.append(f"the cost is {money(plan, bounds.cost)} or less")
    if bounds.power_w is not None:
        limits.append(f"the power is {bounds.power_w:,.0f} W or less")
    limits += [
        f"there are {number} x {plan.catalogue.parts[name].label} or fewer" for name, number in bounds.parts.items()
    ]
    if limits:
        yield f"Bounds: {', '.join(limits)}."
    if plan.catalogue.is_example:
        yield f"The prices of {plan.catalogue.title} are invented: it is an example."
    impossible = [one for one in found.within if one.problem is not None]
    yield f"The plan has {designs(found.looked_at)}, {len(found.within):,} within the bounds."
    if found.without_room:
        yield f"{designs(found.without_room).capitalize()} have more parts than there is room for."
    if impossible:
        yield f"Within the bounds, {len(impossible):,} cannot be built."
    yield f"By the estimates of the analytic model {designs(len(found.meet))} within the bounds meet the goal."


def designs(number: int) -> str:
    """A number of designs."""
    return f"{number:,} design{'' if number == 1 else 's'}"


def design_text(plan: Plan, one: Candidate) -> str:
    """The chosen options."""
    chosen = labels_of(plan, one)
    return ", ".join(f"{name}: {label}" for name, label in chosen.items()) or "the scenario as it is"


def figures(one: Worked) -> Iterator[str]:
    """The results of the analytic model for a design."""
    if one.iops is None:
        yield "The analytic model estimates that the load exceeds its capacity."
        return
    response = "-" if one.response_ns is None else duration(one.response_ns)
    yield f"The analytic model estimates {response} and {quantity(one.iops)} IOPS."
    if one.fullest:
        yield f"Its bottleneck, `{one.fullest}`, has a headroom of {100 * one.head_room:.0f} %."


def simulated_sentences(one: Simulated) -> Iterator[str]:
    """The results of the simulation of a design, and whether it meets the goal."""
    if one.response is None and one.iops is None:
        yield f"It has no result: {one.reason}."
        return
    response = "response times that do not settle" if one.response is None else with_interval(one.response, duration)
    iops = "" if one.iops is None else f" and {with_interval(one.iops, quantity)} IOPS"
    yield f"The simulation gives {response}{iops}."
    if one.verdict == MEETS:
        yield "It meets the goal with 95 % confidence."
    elif one.verdict == MISSES:
        yield f"It misses the goal: {one.reason}."
    else:
        yield f"These runs cannot decide whether it meets the goal: {one.reason}."


def simulated_text(one: Simulated) -> str:
    """The same in one line."""
    return " ".join(simulated_sentences(one))


def indented(sentences: Iterator[str]) -> Iterator[str]:
    """Sentences about the line before them."""
    return (f"  {sentence}" for sentence in sentences)


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
        f"The cheapest design that meets the goal{'' if found.is_confirmed else BY_MODEL} costs "
        f"{money(plan, one.cost)} and draws {one.power_w:,.0f} W:"
    )
    yield f"  {design_text(plan, one)}"
    parts = ", ".join(f"{number} x {plan.catalogue.parts[name].label}" for name, number in one.parts)
    yield f"  It consists of {parts or 'no parts'}."
    yield from indented(figures(winner))
    if (simulated := found.simulated.get(one)) is not None:
        yield from indented(simulated_sentences(simulated))
        if misses(plan.goal, winner):
            yield "  The analytic model rejects this design, so it does not describe it; the simulation decides."
    replaced = [(other, of) for other, of in found.simulated.items() if of.verdict != MEETS and other.cost < one.cost]
    if replaced:
        other, of = min(replaced, key=lambda pair: pair[0].cost)
        were = "were simulated; none meets" if len(replaced) > 1 else "was simulated; it does not meet"
        yield f"{len(replaced)} cheaper design{'s' if len(replaced) > 1 else ''} {were} the goal with 95 % confidence."
        yield from cheaper(plan, "The cheapest of them", other, of)
    next_one = found.next_cheaper
    of_next = None if next_one is None else found.simulated.get(next_one.candidate)
    if next_one is not None and of_next is not None and len(replaced) > 1:
        yield from cheaper(plan, "The next cheaper design", next_one.candidate, of_next)
    if not found.is_confirmed:
        yield "It is an estimate; leave out --analytic to simulate it."


def cheaper(plan: Plan, which: str, one: Candidate, simulated: Simulated) -> Iterator[str]:
    """A design that costs less, and what it lacks."""
    yield f"{which} costs {money(plan, one.cost)}:"
    yield f"  {design_text(plan, one)}"
    yield from indented(simulated_sentences(simulated))


def why_none(found: Outcome) -> Iterator[str]:
    """Why there is no design, and by how much."""
    if found.winner is not None:
        return
    plan, goal, bounds = found.plan, found.plan.goal, found.plan.bounds
    sure = "" if found.simulated else BY_MODEL
    yield f"No design meets the goal{sure}."
    if found.simulated:
        yield f"{designs(len(found.simulated)).capitalize()} were simulated, the nearest and the costliest among them."
    if not found.looked_at:
        yield "The plan describes no design: its `choices` have no option."
        return
    if found.without_room == found.looked_at:
        named = ", ".join(f"room.{room.part}" for room in plan.rooms)
        yield f"No design has room for its parts: add options with more of the part, or correct {named}."
        return
    if not found.within:
        cheapest, least = found.cheapest, found.least_power
        assert cheapest is not None and least is not None
        yield "No design is within the bounds:"
        if bounds.cost is not None and cheapest.cost > bounds.cost:
            over = cheapest.cost - bounds.cost
            yield (
                f"  The cheapest design costs {money(plan, cheapest.cost)}, which is {money(plan, over)} above "
                "bounds.cost."
            )
        if bounds.power_w is not None and least.power_w > bounds.power_w:
            over = least.power_w - bounds.power_w
            yield (
                f"  The design with the least power draws {least.power_w:,.0f} W, which is {over:,.0f} W above "
                "bounds.power."
            )
        for name, number in bounds.parts.items():
            few = found.fewest.get(name, 0)
            more = f", but every design has {few} or more" if few > number else ""
            yield f"  bounds.parts.{name} is {number}{more}."
        yield "No design is within all bounds; the one that exceeds them least is below."
    elif all(one.problem is not None for one in found.within):
        yield f"None of the designs can be built. The first has this problem: {found.within[0].problem}."
    if (closest := found.closest) is not None:
        cost = money(plan, closest.candidate.cost)
        yield f"The design that comes nearest costs {cost} and draws {closest.candidate.power_w:,.0f} W:"
        yield f"  {design_text(plan, closest.candidate)}"
        yield from (f"  {line}" for line in shortfalls(goal, closest))
        yield from indented(exceeded(plan, closest.candidate))
        if (simulated := found.simulated.get(closest.candidate)) is not None:
            yield from indented(simulated_sentences(simulated))
    if found.beyond is not None:
        one = found.beyond
        yield (
            f"Beyond the bounds, the cheapest design that meets the goal{BY_MODEL} costs "
            f"{money(plan, one.candidate.cost)} and draws {one.candidate.power_w:,.0f} W:"
        )
        yield f"  {design_text(plan, one.candidate)}"
        yield from indented(exceeded(plan, one.candidate))
        if (simulated := found.simulated.get(one.candidate)) is not None:
            yield from indented(simulated_sentences(simulated))
    elif found.closest is not None and misses(goal, found.closest):
        yield "By the analytic model no design beyond the bounds meets it either: add parts or options to choices."


def exceeded(plan: Plan, one: Candidate) -> Iterator[str]:
    """The bounds that a design exceeds, each with the value that allows it."""
    for name, times in excess(plan, one).items():
        if name == "cost":
            key, allows = "bounds.cost", f'"{math.ceil(one.cost)} {plan.catalogue.currency}"'
        elif name == "power":
            key, allows = "bounds.power", f'"{math.ceil(one.power_w)} W"'
        else:
            key, allows = f"bounds.parts.{name}", str(dict(one.parts)[name])
        by = "" if math.isinf(times) else f" by {100 * (times - 1):.0f} %"
        yield f"It exceeds {key}{by}; set {key} = {allows} to allow it."


def shortfalls(goal: Goal, one: Worked) -> Iterator[str]:
    """The missed limits of a design, and by how much."""
    missed = misses(goal, one)
    if "served" in missed:
        yield (
            f"`{one.fullest}` would need a utilisation of {100 * one.taken:.0f} %: "
            f"{100 * (1 - 1 / one.taken):.0f} % of the load exceeds its capacity."
        )
        return
    if "response" in missed and one.response_ns is not None and goal.response_ns is not None:
        yield (
            f"{capital(limited(goal))} is {duration(one.response_ns)}, which is "
            f"{duration(one.response_ns - goal.response_ns)} ({100 * (missed['response'] - 1):.0f} %) too long."
        )
        yield f'goal.response = "{round_up(one.response_ns / 1e6):g} ms" is a goal that it meets{BY_MODEL}.'
    if "iops" in missed and one.iops is not None and goal.iops is not None:
        yield (
            f"The rate is {quantity(one.iops)} IOPS, which is {quantity(goal.iops - one.iops)} "
            f"({100 * (1 - one.iops / goal.iops):.0f} %) too low."
        )
    if not missed:
        yield f"The analytic model estimates {duration(one.response_ns)}, which meets the goal."


def capital(text: str) -> str:
    """The beginning of a sentence."""
    return text[:1].upper() + text[1:]


def round_up(value: float) -> float:
    """Two digits, rounded up."""
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.ceil(value / step) * step:.6g}")


def table(found: Outcome, width: int) -> Iterator[str]:
    """The designs that are the best in something."""
    rows = shown(found)
    if len(rows) < 2:
        return
    plan = found.plan
    some = f" ({len(rows)} of {len(found.front)} are shown)" if len(found.front) > len(rows) else ""
    yield f"Designs that are best in something{some}:"
    yield f"  They meet the goal{BY_MODEL}."
    yield "  No other is as good in cost, power, time and headroom, and better in one."
    yield "  The headroom is 100 % less the utilisation of the bottleneck."
    if found.winner is not None:
        yield "  The chosen design is marked with *."
    yield f"{ROW}{'cost':>14} {'power':>8} {'time':>10} {'IOPS':>9} {'headroom':>8}   design"
    texts = [design_text(plan, one.candidate) for one in rows]
    fits = all(DESIGN_COLUMN + len(text) <= width for text in texts)
    for one, text in zip(rows, texts, strict=True):
        candidate = one.candidate
        mark = "*" if found.winner is not None and candidate == found.winner.candidate else " "
        row = (
            f"{ROW}{money(plan, candidate.cost):>14} {candidate.power_w:>6,.0f} W {duration(one.response_ns):>10} "
            f"{quantity(one.iops or 0.0):>9} {100 * one.head_room:>6.0f} %{mark}"
        )
        if fits:
            yield f"{row}  {text}"
        else:
            yield row.rstrip()
            yield f"    {text}"


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
        yield "The design was examined with these failures:"
    for one in found.failures:
        yield f"  {one.failure.label}:"
        yield from (f"    {sentence}" for sentence in failed_sentences(one))


def failed_text(one: Failed) -> str:
    """The outcome of a failure, in one line."""
    return " ".join(failed_sentences(one))


def failed_sentences(one: Failed) -> Iterator[str]:
    """The outcome of a failure."""
    if one.worked is not None and one.worked.problem is None:
        of = one.worked
        if of.iops is None:
            yield "The analytic model estimates that the load exceeds the capacity."
        else:
            yield f"The analytic model estimates {duration(of.response_ns)}."
    elif one.simulated is None:
        yield "The analytic model does not follow failures; leave out --analytic to simulate it."
    if one.simulated is not None:
        yield from simulated_sentences(one.simulated)


def strings(found: Outcome) -> Iterator[str]:
    """The links of the chosen design, with their devices and volumes."""
    if found.placement is not None:
        yield from placement_text(found.placement)
    yield from volumes_text(found.volumes)


def growth(found: Outcome) -> Iterator[str]:
    """When the design stops meeting the goal."""
    if found.growth is not None and found.plan.growth is not None:
        yield from grown_sentences(found.plan, found.growth)


def grown_text(plan: Plan, grown: Grown) -> str:
    """How long a design lasts, in one line."""
    return " ".join(grown_sentences(plan, grown))


def grown_sentences(plan: Plan, grown: Grown) -> Iterator[str]:
    """How long a design lasts."""
    assert plan.growth is not None
    share = 100 * plan.growth.per_month
    if grown.lasts_months is None:
        yield "The analytic model estimates that the design misses the goal already today."
        return
    factor = (1 + plan.growth.per_month) ** grown.lasts_months
    if grown.lasts_months >= grown.looked_to:
        yield f"With {share:g} % more load a month the goal is still met in month {grown.looked_to}{BY_MODEL}."
    else:
        yield f"With {share:g} % more load a month the goal is met until month {grown.lasts_months}{BY_MODEL}."
    yield f"Month {grown.lasts_months} has {factor:.2f} times the load of today."
    if grown.simulated is not None:
        first, *more = simulated_sentences(grown.simulated)
        yield " ".join([first.replace("The simulation", f"The simulation of month {grown.lasts_months}", 1), *more])


def doubts(found: Outcome) -> Iterator[str]:
    """Where the analytic model is not reliable, and what the runs leave open."""
    doubted = [one for one in found.within if one.doubt is not None and one.problem is None]
    if doubted:
        yield f"The analytic model is not reliable for {designs(len(doubted))}: {doubted[0].doubt}."
        yield "Simulated results do not depend on the model."
    undecided = sum(one.verdict == UNTOLD for one in found.simulated.values())
    if undecided and found.winner is None:
        now = found.plan.confirming.replications
        yield (
            f"The runs of {designs(undecided)} cannot decide; set confirm.replications = {2 * now} "
            f"(now {now}) to narrow their intervals."
        )
