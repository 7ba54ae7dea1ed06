"""The outcome of a plan for programs: the object of `sansim plan --json`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from sansim.analysis.plan.candidates import excess, labels_of, settings_of
from sansim.analysis.plan.confirm import Simulated
from sansim.analysis.plan.outcome import Outcome
from sansim.analysis.plan.search import Worked, misses


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
        "without_room": found.without_room,
        "within_bounds": len(found.within),
        "meet_goal": len(found.meet),
        "winner": None if found.winner is None else design_json(found, found.winner),
        "is_confirmed": found.is_confirmed,
        "next_cheaper": None if found.next_cheaper is None else closest_json(found, found.next_cheaper),
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
