"""Doubts about the figures of a run: loads beyond capacity, states that drift, precisions that were not reached."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sansim.catalogue import label_of
from sansim.number_text import duration, plus_minus

IMPRECISE = "*"
"""Follows a figure that is less precise than requested."""
ENDED_BY = {
    "most_ios": "; the run ended after run.most_ios",
    "interruption": "; the run was stopped",
}
"""Why a precision was not reached."""
DRIFTING = "!"
"""Follows a figure of a run whose state drifts: it is not its final value."""
UNSTABLE = "unstable"
"""Replaces response times of an open load beyond capacity, which depend on the length of the run."""
UNSETTLED = f"{UNSTABLE}, so there is no mean to divide up; the utilisations show which component is saturated"
"""Replaces the ledger, whose times add up to the mean response time."""
LONGER = "run longer"
"""The end of doubts that a longer run settles."""
TOO_FEW = "are too few to judge by"
"""The end of the doubt about a run with too few I/Os."""
OVERLOAD = ("more requests arrive than complete", "more comes than is served")
"""The ends of the drift of a queue that grows: of this version, and of earlier ones."""
COLD = "the hit ratio has not settled"
"""The end of the drift of a cache that fills."""
LONGER_BY = "set a longer `run.duration` or more `run.measured_ios`"
"""The keys for that; a run is ended by one of the two."""


def is_unstable(part: Mapping[str, Any]) -> bool:
    """Whether a part of a summary, or all of it, has no response times because more requests arrive than complete."""
    return bool(part["ios"]) and part["response_time_ns"] is None


def mean_time(part: Mapping[str, Any]) -> str:
    """The mean response time of a part of a summary, or that it has none."""
    return UNSTABLE if is_unstable(part) else duration((part["response_time_ns"] or {}).get("mean"))


def workloads_of(summary: Mapping[str, Any]) -> Mapping[str, Any]:
    """The workloads by name; none in results of versions that did not tell them apart."""
    return summary.get("workloads") or {}


def streams_of(workload: Mapping[str, Any]) -> Mapping[str, Any]:
    """The streams of a workload by name, where there are several."""
    return workload.get("streams") or {}


def instability(summary: Mapping[str, Any]) -> str:
    """The unstable workloads and streams, the meaning of that and remedies; empty if there are none.

    The run reports it as the first of its doubts.
    """
    return doubts_of(summary)[0] if summary.get("unstable") else ""


def drifts_of(summary: Mapping[str, Any]) -> list[str]:
    """The drifts of the state of the system during the measurement, a sentence for each.

    Empty in results of versions that did not check.
    """
    return [str(drift["told"]) for drift in (summary.get("steady") or {}).get("drifts", ())]


def unsteadiness(summary: Mapping[str, Any]) -> str:
    """That the state of the system drifts, and what of it; empty if nothing does."""
    drifts = drifts_of(summary)
    return f"the state of the system drifts while it is measured. {'. '.join(drifts)}" if drifts else ""


def doubts_of(summary: Mapping[str, Any]) -> list[str]:
    """The doubts of the run about its intervals."""
    return list((summary.get("statistics") or {}).get("doubts", ()))


def is_imprecise(statistics: Mapping[str, Any]) -> bool:
    """Whether a precision was asked for that was not reached."""
    wanted = statistics.get("precision")
    return bool(wanted and not wanted["reached"])


def marked(summary: Mapping[str, Any], place: str, text: str) -> str:
    """The text of a figure, with a mark if it is less precise than was asked for, and another if the state drifts."""
    statistics: Mapping[str, Any] = summary.get("statistics") or {}
    text = f"{text}{IMPRECISE}" if is_imprecise(statistics) and statistics["precision"]["of"] == place else text
    return f"{text}{DRIFTING}" if drifts_of(summary) else text


def precision(statistics: Mapping[str, Any]) -> str:
    """Whether the precision that was asked for was reached, and if not, why not; empty if none was."""
    wanted = statistics.get("precision")
    if not wanted:
        return ""
    figure = label_of(wanted["of"])
    relative = wanted["relative_half_width"]
    found = f"its 95 % interval is {plus_minus(relative)}" if relative is not None else "it has no interval"
    known = "is known" if wanted["reached"] else "is NOT KNOWN"
    why = ENDED_BY.get(wanted.get("ended_by"), "")
    return f"The {figure} {known} to within {wanted['within'] * 100:g} %: {found}{why}."


def settling(summary: Mapping[str, Any]) -> str:
    """The keys by which the state settles before it is measured; empty if a queue grows, as that never settles."""
    drifts = drifts_of(summary)
    if any(drift.endswith(OVERLOAD) for drift in drifts):
        return ""
    caches = "`run.functional_warm_up` or " if any(drift.endswith(COLD) for drift in drifts) else ""
    return f"Set {caches}a longer `run.warm_up`, so that it settles before it is measured. "


def with_key(doubt: str, stable: bool) -> str:
    """A doubt whose remedy names the keys to set."""
    if doubt.endswith(TOO_FEW) and stable:
        return f"{doubt}: {LONGER_BY}"
    return f"{doubt.removesuffix(LONGER)}{LONGER_BY}" if doubt.endswith(LONGER) else doubt
