"""All designs of a plan, with what they cost: every combination of the options of its choices."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

from sansim.analysis.plan.model import Plan, Settings


@dataclass(frozen=True)
class Candidate:
    """A design: a scenario, and an option of each choice."""

    base: int
    options: tuple[int, ...]
    parts: tuple[tuple[str, int], ...]
    """The parts to buy: names of the catalogue with how many."""
    cost: float
    power_w: float


def count(plan: Plan) -> int:
    """How many designs there are, whatever they cost."""
    return len(plan.bases) * math.prod(len(choice.options) for choice in plan.choices)


def candidates(plan: Plan) -> Iterator[Candidate]:
    """All designs with room for their parts, the last choice varying fastest."""
    places = [range(len(choice.options)) for choice in plan.choices]
    for base in range(len(plan.bases)):
        for options in itertools.product(*places):
            one = candidate(plan, base, options)
            if all(room.is_enough(dict(one.parts)) for room in plan.rooms):
                yield one


def candidate(plan: Plan, base: int, options: tuple[int, ...]) -> Candidate:
    """A design with its parts."""
    parts: dict[str, int] = {}
    chosen = (choice.options[option].parts for choice, option in zip(plan.choices, options, strict=True))
    for name, number in itertools.chain(plan.fixed, *chosen):
        parts[name] = parts.get(name, 0) + number
    for needed in plan.needed:
        number = -(-sum(parts.get(of, 0) for of in needed.of) // needed.per)
        if number:
            parts[needed.part] = parts.get(needed.part, 0) + number
    known = plan.catalogue.parts
    cost = math.fsum(known[name].price_of_each(number) * number for name, number in parts.items())
    power_w = math.fsum(known[name].power_w * number for name, number in parts.items())
    return Candidate(base, options, tuple(sorted(parts.items())), cost, power_w)


def excess(plan: Plan, one: Candidate) -> dict[str, float]:
    """By how much a design exceeds its bounds: what it has over what it may have, of what is exceeded."""
    found = {}
    if plan.bounds.cost is not None and one.cost > plan.bounds.cost:
        found["cost"] = over(one.cost, plan.bounds.cost)
    if plan.bounds.power_w is not None and one.power_w > plan.bounds.power_w:
        found["power"] = over(one.power_w, plan.bounds.power_w)
    for name, number in one.parts:
        if name in plan.bounds.parts and number > plan.bounds.parts[name]:
            found[name] = over(number, plan.bounds.parts[name])
    return found


def over(value: float, bound: float) -> float:
    """How many times a bound something is."""
    return value / bound if bound > 0 else math.inf


def settings_of(plan: Plan, one: Candidate) -> Settings:
    """The settings of a design in its scenario; of a key that is set twice only the last."""
    chosen = (choice.options[option].settings for choice, option in zip(plan.choices, one.options, strict=True))
    return tuple(dict(itertools.chain(plan.settings, *chosen)).items())


def labels_of(plan: Plan, one: Candidate) -> dict[str, str]:
    """The chosen options, by the names of choices."""
    found = {"scenario": plan.bases[one.base].name} if len(plan.bases) > 1 else {}
    for choice, option in zip(plan.choices, one.options, strict=True):
        found[choice.name] = choice.options[option].label
    return found
