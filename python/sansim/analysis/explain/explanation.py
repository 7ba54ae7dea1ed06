"""A scenario explained: what limits it, how much room there is, what would help."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sansim import _core
from sansim.analysis.explain.limits import Limit, head_room, limits
from sansim.analysis.explain.what_if import Change, analysed, changes
from sansim.analysis.plan.placement import Placement, placement
from sansim.analysis.plan.volumes import VolumePlacement, place_volumes
from sansim.simulate import run_scenario

if TYPE_CHECKING:
    from sansim._core import Scenario
    from sansim.result import Result

Load = Callable[[dict[str, str]], "Scenario"]
"""Reads the scenario again with these values on top."""


WATCH = ".switch.congestion.watch"
"""The key by which a fabric watches who keeps others waiting."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a change."""

    change: Change
    analysis: dict[str, Any] | None
    """The results of the analytic model; None where it does not distinguish the change."""
    summary: dict[str, Any] | None = None
    """The results of the simulation, if one was requested."""

    def as_json(self) -> dict[str, Any]:
        """As `sansim explain --json` has it."""
        found = self.analysis or {}
        told: dict[str, Any] = {
            "change": self.change.words,
            "set": self.change.settings,
            "iops": found.get("iops"),
            "response_ns": found.get("response_ns"),
            "outside": found.get("outside", ["the analytic model does not follow schedules of loops"]),
        }
        if self.summary is not None:
            told["simulated"] = simulated_json(self.summary)
        return told


@dataclass(frozen=True)
class Explanation:
    """The bottleneck of a scenario, and remedies."""

    analysis: dict[str, Any]
    limits: list[Limit]
    what_if: list[Outcome]
    summary: dict[str, Any] | None = field(default=None)
    """The results of the simulation, if one was requested."""
    volumes: VolumePlacement | None = None
    """The places of volumes, and moves; None where that makes no difference to links."""

    @property
    def bottleneck(self) -> Limit | None:
        """The part with the highest utilisation; None if nothing takes time."""
        return self.limits[0] if self.limits else None

    @property
    def next_bottleneck(self) -> Limit | None:
        """The next one, of another component; None if there is no other."""
        return self.limits[1] if len(self.limits) > 1 else None

    @property
    def placement(self) -> Placement:
        """The devices on each link, hot spots, and moves."""
        return placement(self.analysis)

    def as_json(self) -> dict[str, Any]:
        """As `sansim explain --json` has it."""
        told: dict[str, Any] = {
            "title": self.analysis["title"],
            "iops": self.analysis["iops"],
            "response_ns": self.analysis["response_ns"],
            "outside": self.analysis["outside"],
            "assumes": self.analysis["assumes"],
            "bottleneck": None if self.bottleneck is None else self.bottleneck.as_json(),
            "next_bottleneck": None if self.next_bottleneck is None else self.next_bottleneck.as_json(),
            "headroom": head_room(self.limits),
            "placement": {
                **self.placement.as_json(),
                "volumes": None if self.volumes is None else self.volumes.as_json(),
            },
            "workloads": self.analysis["workloads"],
            "what_if": [one.as_json() for one in self.what_if],
        }
        if self.summary is not None:
            told["simulated"] = simulated_json(self.summary)
        return told

    def text(self, width: int = 80) -> str:
        """For a person."""
        from sansim.analysis.explain.text import explanation_text

        return explanation_text(self, width)


def simulated_json(summary: dict[str, Any]) -> dict[str, Any]:
    """The figures of a run beside the analytic model."""
    ledger = summary.get("ledger_ns") or {}
    return {
        "iops": summary["iops"],
        "response_ns": (summary["response_time_ns"] or {}).get("mean"),
        "p99_ns": (summary["response_time_ns"] or {}).get("p99"),
        "unstable": summary["unstable"],
        "steady": summary.get("steady"),
        "mean_ns": ledger.get("mean"),
        "slowest_percent_ns": ledger.get("slowest_percent"),
        "culprits": summary.get("culprits", []),
    }


def explain(load: Load, *, simulate: bool = False, run: Callable[[Scenario], Result] | None = None) -> Explanation:
    """Explains a scenario.

    Args:
        load: Reads it, with values on top; an empty dictionary for as it is.
        simulate: Whether to simulate it, and each change, as well.
        run: How a scenario is simulated, to show how far it is.
    """
    scenario = load({})
    analysis: dict[str, Any] = json.loads(scenario.analyse())
    found = limits(analysis)
    run = run or (lambda one: run_scenario(one, collect_ios=False))
    summary = run(load(watched(scenario))).summary if simulate else None
    outcomes: list[Outcome] = []
    for change in changes(scenario, [one.component for one in found]):
        of_change = analysed(load, change)
        if of_change is None:
            continue
        simulated = simulated_with(load, change, run) if simulate else None
        if not change.analytic and simulated is None:
            continue
        outcomes.append(Outcome(change, of_change if change.analytic else None, simulated))
    return Explanation(analysis, found, outcomes, summary, place_volumes(load, analysis))


def watched(scenario: Scenario) -> dict[str, str]:
    """Settings with which fabrics name the causes of congestion; they change nothing else."""
    return {one.key: "true" for one in scenario.settings() if one.key.endswith(WATCH) and one.value is False}


def simulated_with(load: Load, change: Change, run: Callable[[Scenario], Result]) -> dict[str, Any] | None:
    """The outcome of a run of a changed scenario; None if it has no result."""
    try:
        return dict(run(load(change.settings)).summary)
    except (_core.ClockError, _core.ComponentError):
        return None
