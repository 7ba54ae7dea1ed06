"""A scenario explained: what limits it, how much room there is, what would help."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sansim import _core
from sansim.analysis.explain.limits import Limit, head_room, limits
from sansim.analysis.explain.simulated import Load, Show, Simulated, TimeUpError, disagree, in_steady_state
from sansim.analysis.explain.what_if import Change, analysed, changes
from sansim.analysis.plan.placement import Placement, placement
from sansim.analysis.plan.volumes import VolumePlacement, place_volumes
from sansim.saturation import limit, utilisations

if TYPE_CHECKING:
    from sansim._core import Scenario

FIRST_S = 2.0
"""Seconds of processor time for the run of the scenario as it is."""
LATE_S = 9.0
"""The same, where nothing was measured by then: drives that are filled, large caches."""
CHANGE_S = 2.5
"""Seconds of processor time for the run of a change."""
ESTIMATES_S = 3.0
"""Seconds for the estimates of the changes. A change without one is tried after those that promise something."""
ALL_S = 14.0
"""Seconds after which no further change is simulated."""
TRIED = 3
"""So many changes are simulated where the analytic model describes the system, those that promise the most."""
WATCH = ".switch.congestion.watch"
"""The key by which a fabric watches who keeps others waiting."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a change."""

    change: Change
    analysis: dict[str, Any] | None
    """The results of the analytic model; None where it does not distinguish the change."""
    simulated: Simulated | None = None
    """The results of the simulation, if the change was simulated."""

    @property
    def summary(self) -> dict[str, Any] | None:
        """The summary of its run."""
        return None if self.simulated is None else self.simulated.summary

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
        if self.simulated is not None:
            told["simulated"] = self.simulated.as_json()
        return told


@dataclass(frozen=True)
class Explanation:
    """The bottleneck of a scenario, and remedies."""

    analysis: dict[str, Any]
    limits: list[Limit]
    what_if: list[Outcome]
    simulated: Simulated | None = None
    """The results of the simulation; None if only the analytic model was asked."""
    volumes: VolumePlacement | None = None
    """The places of volumes, and moves; None where that makes no difference to links."""
    is_unconfirmed: bool = False
    """Whether a simulation was wanted and came to no result."""
    untried: int = 0
    """How many changes were not simulated, where the analytic model has no estimate of them that holds."""

    @property
    def summary(self) -> dict[str, Any] | None:
        """The summary of the run."""
        return None if self.simulated is None else self.simulated.summary

    @property
    def disagrees(self) -> bool:
        """Whether the simulation differs from the analytic model by more than the documented errors of that."""
        return self.summary is not None and disagree(self.analysis, self.summary)

    @property
    def is_trusted(self) -> bool:
        """Whether the analytic model describes the system, so that it may say what limits it."""
        return self.summary is None or not (self.disagrees or self.analysis["outside"])

    def weight(self, change: Change) -> float:
        """How soon a change is tried where the analytic model does not hold: by the simulated utilisation.

        A change of several components has the utilisation of the busiest one.
        """
        if self.is_trusted or self.summary is None:
            return 0.0
        utilised = utilisations(self.summary)
        return max(utilised.get(re.split(r"[.\[]", key)[0], 0.0) for key in change.settings)

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
        if self.simulated is not None:
            told["simulated"] = self.simulated.as_json()
            told["disagrees"] = self.disagrees
            told["limit"] = limit(self.simulated.summary)
        return told

    def text(self, width: int = 80) -> str:
        """For a person."""
        from sansim.analysis.explain.text import explanation_text

        return explanation_text(self, width)


def explain(
    load: Load,
    *,
    analytic: bool = False,
    every_change: bool = False,
    show: Show | None = None,
    on_early: Callable[[Explanation], None] | None = None,
    on_head: Callable[[Explanation], None] | None = None,
    on_change: Callable[[Explanation, Outcome], None] | None = None,
) -> Explanation:
    """Explains a scenario: simulates it, and those changes that promise the most.

    Args:
        load: Reads it, with values on top; an empty dictionary for as it is.
        analytic: Whether to ask the analytic model only, and to simulate nothing.
        every_change: Whether to simulate the scenario and every change to the end, however long that takes.
        show: Shows how far a run is.
        on_early: Gets the estimate where the simulation takes long to prepare.
        on_head: Gets the explanation without changes as soon as it is known.
        on_change: Gets the explanation and each change as soon as its outcome is known.

    Raises:
        Interrupted: Ctrl-C or `show` ended a run.
        ScenarioError, ClockError, ComponentError, ConservationError: As `sansim.run`.
    """
    begin = time.monotonic()
    scenario = load({})
    limit_s = (None, None) if every_change else (FIRST_S, CHANGE_S)
    # Both take their time in native code, which other threads need not wait for.
    with unless_stopped(ThreadPoolExecutor(max_workers=2)) as pool:
        estimate = pool.submit(scenario.analyse)
        simulated = None if analytic else first_run(load, scenario, limit_s[0], show)
        analysis: dict[str, Any] = json.loads(estimate.result())
        if simulated is None and not analytic:
            if on_early is not None:
                on_early(Explanation(analysis, limits(analysis), []))
            simulated = first_run(load, scenario, LATE_S, show)
        found = Explanation(
            analysis,
            limits(analysis),
            [],
            simulated,
            place_volumes(load, analysis),
            is_unconfirmed=simulated is None and not analytic,
        )
        if on_head is not None:
            on_head(found)
        promised = estimated_changes(pool, load, found, None if analytic or every_change else ESTIMATES_S)
    tried: list[Outcome] = []
    tries = simulated is not None
    for one in sorted(promised, key=lambda one: (found.weight(one.change), promise(found, one)), reverse=True):
        outcome = one
        if tries and (every_change or is_time_for(found, len(tried), time.monotonic() - begin)):
            outcome = replace(one, simulated=changed_run(load, one.change, limit_s[1], show))
            # The others would take as long to prepare.
            tries = every_change or outcome.simulated is not None
        if outcome.simulated is None and not (found.is_trusted and outcome.analysis is not None):
            continue
        tried.append(outcome)
        if on_change is not None:
            on_change(found, outcome)
    return replace(found, what_if=tried, untried=len(promised) - len(tried))


@contextmanager
def unless_stopped(pool: ThreadPoolExecutor) -> Iterator[ThreadPoolExecutor]:
    """Waits at the end for what a pool does, but not after Ctrl-C or an error: an estimate may take seconds."""
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()


def is_time_for(found: Explanation, tried: int, seconds: float) -> bool:
    """Whether one more change is simulated, after so many and so many seconds.

    If the scenario asks for a functional warm-up, each change takes it too: its time counts for `TRIED` changes only.
    """
    prepared_s = 0.0 if found.simulated is None else found.simulated.prepared_s
    is_in_time = seconds + CHANGE_S < ALL_S + TRIED * prepared_s
    # An estimate that does not hold is no answer, so more is tried as long as there is time.
    return is_in_time and (tried < TRIED or not found.is_trusted)


def estimated_changes(pool: ThreadPoolExecutor, load: Load, found: Explanation, seconds: float | None) -> list[Outcome]:
    """The changes that are possible, with the estimates that are there after so many seconds."""
    possible = changes(load({}), [one.component for one in found.limits])
    estimates = [pool.submit(analysed, load, change) for change in possible]
    wait(estimates, timeout=seconds)
    outcomes = []
    for change, estimate in zip(possible, estimates, strict=True):
        estimate.cancel()
        of_change = estimate.result() if estimate.done() and not estimate.cancelled() else {}
        # Without a result the change makes no scenario; without an estimate in time it may.
        if of_change is not None and (found.simulated is not None or change.analytic):
            outcomes.append(Outcome(change, (of_change or None) if change.analytic else None))
    return outcomes


def first_run(load: Load, scenario: Scenario, seconds: float | None, show: Show | None) -> Simulated | None:
    """The run of the scenario as it is, with fabrics that watch for causes of congestion; None without a result."""
    try:
        return in_steady_state(load, watched(scenario), seconds, show)
    except TimeUpError:
        return None


def changed_run(load: Load, change: Change, seconds: float | None, show: Show | None) -> Simulated | None:
    """The run of a changed scenario; None if it has no result."""
    try:
        return in_steady_state(load, change.settings, seconds, show)
    except (TimeUpError, _core.ClockError, _core.ComponentError, _core.ScenarioError):
        return None


def promise(found: Explanation, one: Outcome) -> float:
    """How much better a change promises to be by the analytic model: its gain in the rate times that in the time.

    A change that this does not follow promises nothing, and is tried last; so is one by which more would come than is
    served.
    """
    base, then = found.analysis, one.analysis
    if then is None:
        return 1.0
    if then["iops"] is None:
        return 0.0
    if base["iops"] is None:
        return math.inf
    rate = then["iops"] / base["iops"] if base["iops"] else 1.0
    took = base["response_ns"] / then["response_ns"] if base["response_ns"] and then["response_ns"] else 1.0
    return float(rate * took)


def watched(scenario: Scenario) -> dict[str, str]:
    """Settings with which fabrics name the causes of congestion; they change nothing else."""
    return {one.key: "true" for one in scenario.settings() if one.key.endswith(WATCH) and one.value is False}
