"""Short simulations for an explanation: the scenario in its steady state, and a scenario after a change.

A run has so many seconds of its processor, so that other work on the machine does not change how far it comes. It ends
by itself if it takes less; otherwise it is stopped, and its figures are of the I/Os until then.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sansim import _core
from sansim.rules import refused_by
from sansim.simulate import Interrupted, run_scenario

if TYPE_CHECKING:
    from sansim._core import Progress, Scenario
    from sansim.result import Result

Load = Callable[[dict[str, str]], "Scenario"]
"""Reads the scenario again with these values on top."""
Show = Callable[["Progress"], object]
"""Shows how far a run is; False ends it, and the explanation with it."""

RATE_ERROR = 0.05
RESPONSE_ERROR = 0.15
"""The errors of the analytic model that docs/model/analytic.md states, where nothing is outside its domain."""
WARM = "run.functional_warm_up"
"""The key by which the content of caches is made before simulated time begins."""
NOTHING_WARMED = "nothing was run without time"
"""The begin of the remark of a run in which no component has content that a functional warm-up makes."""
SHARE_OF_WARM_UP = 0.5
"""The share of the time of a run that a functional warm-up may take; a longer one is left out, unless the scenario asks
for it."""


@dataclass(frozen=True)
class Simulated:
    """The figures of a run."""

    summary: dict[str, Any]
    is_warmed: bool = False
    """Whether the content of caches was made before simulated time began, so that the run begins in a steady state."""
    is_cold: bool = False
    """Whether that would have taken too long, so that caches begin as the scenario has them."""
    is_stopped: bool = False
    """Whether the run was stopped at the end of its time."""
    prepared_s: float = 0.0
    """The seconds of the functional warm-up that the scenario itself asks for, which is never left out."""

    def as_json(self) -> dict[str, Any]:
        """As `sansim explain --json` has it."""
        ledger = self.summary.get("ledger_ns") or {}
        response = self.summary["response_time_ns"] or {}
        return {
            "iops": self.summary["iops"],
            "iops_ci95": self.summary.get("iops_ci95"),
            "response_ns": response.get("mean"),
            "response_ns_ci95": half_width(self.summary),
            "p99_ns": response.get("p99"),
            "ios": self.summary["ios"],
            "warmed": self.is_warmed,
            "cold": self.is_cold,
            "stopped": self.is_stopped,
            "unstable": self.summary["unstable"],
            "steady": self.summary.get("steady"),
            "mean_ns": ledger.get("mean"),
            "slowest_percent_ns": ledger.get("slowest_percent"),
            "culprits": self.summary.get("culprits", []),
        }


def simulate(
    scenario: Scenario,
    seconds: float | None,
    show: Show | None,
    *,
    warms_up: bool = False,
    warms_up_itself: bool = False,
) -> Simulated:
    """Runs a scenario, for so many seconds at most; without a limit to its end.

    Args:
        scenario: The scenario.
        seconds: Seconds of processor time.
        show: Shows how far the run is.
        warms_up: Whether the run has a functional warm-up.
        warms_up_itself: Whether the scenario asks for it, so that its time does not count.

    Raises:
        Interrupted: Ctrl-C ended the run.
        TimeUpError: The time was over before any I/O had been measured.
        ClockError, ComponentError, ConservationError: As `sansim.run`.
    """
    begin, begun_at, prepared_s = time.thread_time(), time.monotonic(), 0.0
    warm_up_s = None if seconds is None else SHARE_OF_WARM_UP * seconds
    is_over = False

    def goes_on(now: Progress) -> bool:
        nonlocal begin, is_over, prepared_s
        if show is not None and show(now) is False:
            return False
        if warms_up_itself and now.preparing is not None:
            begin, prepared_s = time.thread_time(), time.monotonic() - begun_at
            return True
        limit = warm_up_s if warms_up and now.preparing is not None else seconds
        is_over = limit is not None and time.thread_time() - begin > limit
        return not is_over

    try:
        with refused_by("explain"):
            result: Result = run_scenario(scenario, collect_ios=False, progress=goes_on)
    except Interrupted as early:
        if not is_over:
            raise
        result = early.result
    if is_over and not result.summary["ios"]:
        raise TimeUpError
    is_warmed = warms_up and not any(text.startswith(NOTHING_WARMED) for text in result.summary["warnings"])
    return Simulated(dict(result.summary), is_warmed=is_warmed, is_stopped=is_over, prepared_s=prepared_s)


class TimeUpError(Exception):
    """The time of a run was over before any I/O had been measured."""


def in_steady_state(load: Load, settings: Mapping[str, str], seconds: float | None, show: Show | None) -> Simulated:
    """Runs a scenario that begins with the caches that it would have after a long time, if its time allows.

    Where it does not, caches begin empty, unless the scenario itself asks for a functional warm-up.

    Raises:
        Interrupted: Ctrl-C ended the run.
        TimeUpError: The time was over before any I/O had been measured.
        ScenarioError, ClockError, ComponentError, ConservationError: As `sansim.run`.
    """
    scenario = load({**settings})
    warms_up_itself = value_of(scenario, WARM) != "none"
    begin = time.thread_time()
    try:
        warmed = scenario if warms_up_itself else load({**settings, WARM: '"settled"'})
        return simulate(warmed, seconds, show, warms_up=True, warms_up_itself=warms_up_itself)
    except TimeUpError:
        if warms_up_itself:
            raise
        rest = seconds and max(seconds - (time.thread_time() - begin), SHARE_OF_WARM_UP * seconds)
        return replace(simulate(load({**settings, WARM: '"none"'}), rest, show), is_cold=True)
    except (_core.ScenarioError, _core.ComponentError):
        if warms_up_itself:
            raise
        return simulate(scenario, seconds, show)


def value_of(scenario: Scenario, key: str) -> object:
    """The value of a key of a resolved scenario; None if it has no such key."""
    return next((one.value for one in scenario.settings() if one.key == key), None)


def half_width(summary: Mapping[str, Any]) -> float | None:
    """Half the width of the 95 % interval of the mean response time."""
    width: float | None = (summary["response_time_ns"] or {}).get("ci95")
    return width


def disagree(analysis: Mapping[str, Any], summary: Mapping[str, Any]) -> bool:
    """Whether the analytic model and the simulation differ by more than the documented errors and chance allow."""
    if analysis["iops"] is None:
        return not summary["unstable"]
    if summary["unstable"]:
        return True
    if not summary["iops"]:
        return bool(analysis["iops"])
    chance = (summary.get("iops_ci95") or 0.0) / summary["iops"]
    if abs(analysis["iops"] / summary["iops"] - 1) > RATE_ERROR + chance:
        return True
    response = summary["response_time_ns"]
    if response is None or analysis["response_ns"] is None or not response["mean"]:
        return False
    chance = (half_width(summary) or 0.0) / response["mean"]
    return bool(abs(analysis["response_ns"] / response["mean"] - 1) > RESPONSE_ERROR + chance)
