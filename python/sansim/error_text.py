"""The errors of a run, in words: those of each host, requests that timed out, where they were and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

COUNTS = {
    "busy": "BUSY",
    "queue_full": "QUEUE FULL",
    "check_condition": "CHECK CONDITION",
    "unreadable": "MEDIUM ERROR",
    "refused": "refused",
    "time_outs": "time-outs",
    "task_management": "task management functions",
    "paths_failed": "paths found failed",
    "paths_back": "paths found working again",
    "paths_marginal": "paths made marginal",
    "retries": "retries",
    "given_up": "given up",
}
"""The labels of the counters of a host, by their keys in a result."""
CAUSES = {"no_answer": "not answered", "frame_lost": "frame lost", "slow": "still in service"}
"""Why requests time out, by their keys in a result."""


def errors_of(summary: Mapping[str, Any]) -> Mapping[str, Any]:
    """The errors of a run; empty if nothing went wrong, and in results of versions that did not tell of any."""
    return summary.get("errors") or {}


def counts(host: Mapping[str, Any]) -> str:
    """The errors of a host, without zeros."""
    met = [f"{word} {host[key]:,}" for key, word in COUNTS.items() if host.get(key) and key != "time_outs"]
    if host["time_outs"]:
        causes = ", ".join(f"{host[key]:,} {word}" for key, word in CAUSES.items() if host[key])
        last = ("task_management", "paths_failed", "paths_back", "paths_marginal", "retries", "given_up")
        behind = sum(bool(host.get(key)) for key in last)
        met.insert(len(met) - behind, f"time-outs {host['time_outs']:,} ({causes})")
    return ", ".join(met)


def time_out(told: Mapping[str, Any], duration: Any) -> str:
    """A time-out as a sentence; ``duration`` writes a time in nanoseconds."""
    stream = f", stream {told['stream']}" if told["stream"] else ""
    what = told.get("operation") or ("write" if told["write"] else "read")
    why = {
        "no_answer": f"{told['by']} did not answer",
        "frame_lost": f"a frame was lost at {told['by']}",
        "slow": "it was still in service",
    }[told["cause"]]
    return (
        f"{duration(told['at_ns'])}: {told['host']} waited {duration(told['waited_ns'])} for I/O {told['io']} of "
        f"{told['workload']}{stream} ({what} of {told['bytes']} B at block {told['block']} of {told['device']}, "
        f"attempt {told['attempt']}); it was in {told['place']}: {why}"
    )


def lines(summary: Mapping[str, Any], duration: Any) -> list[str]:
    """The errors of a run, a line each; none if there were none."""
    errors = errors_of(summary)
    if not errors:
        return []
    told = [f"{name}: {counts(host)}" for name, host in errors["hosts"].items()]
    lost = ", ".join(f"{count:,} at {name}" for name, count in errors["frames_lost"].items())
    if lost:
        told.append(f"frames were lost: {lost}")
    first = errors["first_time_outs"]
    told += [f"time-out at {time_out(one, duration)}" for one in first]
    more = sum(host["time_outs"] for host in errors["hosts"].values()) - len(first)
    if more > 0:
        told.append(f"there were {more:,} more time-outs")
    return told
