"""An explanation for a person who does not know queueing theory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from sansim.analysis.explain.limits import BUSY, FULL, Limit, part_of
from sansim.analysis.plan.placement import Placement, placement_text
from sansim.analysis.plan.volumes import VolumePlacement, volumes_text
from sansim.catalogue import line_label, waits
from sansim.text_blocks import text_of
from sansim.text_report import duration, quantity, unsteadiness

LINES = 5
"""Lines of the ledger that are shown for the slowest percent."""
FLOWS = 4
"""So many of the delayed flows are shown one by one."""
WORTH = 0.005
"""A change of less than this part is none."""


class Words(Protocol):
    """A change of a scenario."""

    @property
    def words(self) -> str:
        """The change."""


class Outcome(Protocol):
    """The outcome of a change."""

    @property
    def change(self) -> Words:
        """The change."""

    @property
    def analysis(self) -> Mapping[str, Any] | None:
        """The results of the analytic model, if it distinguishes the change."""

    @property
    def summary(self) -> Mapping[str, Any] | None:
        """The results of the simulation, if there is one."""


class Explanation(Protocol):
    """The explanation to show."""

    @property
    def analysis(self) -> Mapping[str, Any]:
        """The results of the analytic model."""

    @property
    def limits(self) -> list[Limit]:
        """The fullest part of each component."""

    @property
    def what_if(self) -> Sequence[Outcome]:
        """The outcomes of changes."""

    @property
    def summary(self) -> Mapping[str, Any] | None:
        """The results of the simulation, if there is one."""

    @property
    def placement(self) -> Placement:
        """The devices on each link."""

    @property
    def volumes(self) -> VolumePlacement | None:
        """The places of volumes."""

    @property
    def bottleneck(self) -> Limit | None:
        """The fullest."""

    @property
    def next_bottleneck(self) -> Limit | None:
        """The one after it."""


def explanation_text(explanation: Explanation, width: int) -> str:
    """The whole text, ending in a line break."""
    blocks = [
        heading(explanation),
        bottlenecks(explanation),
        room(explanation.limits),
        placement_text(explanation.placement),
        volumes_text(explanation.volumes),
        what_if(explanation),
        slowest(explanation.summary),
        culprits(explanation.summary),
        doubts(explanation.analysis),
    ]
    return text_of(blocks, width)


def heading(explanation: Explanation) -> Iterator[str]:
    """The results of the scenario as it is."""
    analysis = explanation.analysis
    yield analysis["title"]
    if analysis["iops"] is None and not any(one["is_open"] for one in analysis["workloads"].values()):
        yield "How much it does cannot be worked out; see below."
    elif analysis["iops"] is None:
        yield "More is asked for than can be done: requests would wait longer and longer."
    else:
        yield (
            f"Worked out: {quantity(analysis['iops'])} I/Os per second (IOPS), each takes "
            f"{duration(analysis['response_ns'])} in the mean{percentile(analysis)}."
        )
    if (summary := explanation.summary) is not None:
        response = summary["response_time_ns"]
        took = "response times that do not settle" if response is None else f"{duration(response['mean'])} in the mean"
        yield f"Simulated:  {quantity(summary['iops'])} IOPS, {took}.{apart(analysis, summary)}"


def percentile(analysis: Mapping[str, Any]) -> str:
    """The response time of the slowest, where one workload has it."""
    all_of_them = list(analysis["workloads"].values())
    if len(all_of_them) != 1 or all_of_them[0]["p99_ns"] is None:
        return ""
    return f"; 99 of 100 take about {duration(all_of_them[0]['p99_ns'])} or less"


def apart(analysis: Mapping[str, Any], summary: Mapping[str, Any]) -> str:
    """How far what was worked out is from what was simulated."""
    if not analysis["iops"] or not summary["iops"]:
        return ""
    rate = 100 * (analysis["iops"] / summary["iops"] - 1)
    text = f" Worked out is {abs(rate):.1f} % {'above' if rate > 0 else 'below'} in IOPS"
    response = summary["response_time_ns"]
    if response is not None and analysis["response_ns"]:
        took = 100 * (analysis["response_ns"] / response["mean"] - 1)
        text += f", {abs(took):.1f} % {'above' if took > 0 else 'below'} in time"
    drifts = unsteadiness(summary)
    return f"{text}. What was simulated is not steady: {drifts}." if drifts else text + "."


def bottlenecks(explanation: Explanation) -> Iterator[str]:
    """The bottleneck, and the next one."""
    first, second = explanation.bottleneck, explanation.next_bottleneck
    if first is None:
        yield "Nothing in it takes time that the components say of themselves."
        return
    if first.used >= FULL:
        yield f"What limits it (the bottleneck) is `{first.component}`: {first.why}."
    else:
        named = f"`{first.component}`: {first.why}"
        yield f"Nothing is full. The fullest (the bottleneck, if more were asked for) is {named}."
        closed = [one for one in explanation.analysis["workloads"].values() if not one["is_open"]]
        if closed and first.used < BUSY:
            yield "Requests hardly wait for each other; what they take is mostly the time of the work itself."
    if first.meaning:
        yield f"  {first.label}: {first.meaning}"
    if second is not None:
        yield f"Next comes `{second.component}`: {second.why}."
        if second.meaning and second.what != first.what:
            yield f"  {second.label}: {second.meaning}"


def room(found: list[Limit]) -> Iterator[str]:
    """How much each has left."""
    if not found:
        return
    yield "Room that is left, of the time of the fullest part of each:"
    for one in found:
        full = "" if one.full_at_iops is None else f", full at {quantity(one.full_at_iops, 3)} IOPS"
        what = part_of(one.component, one.place, one.label)
        yield f"  {100 * one.room:3.0f} %  {what}{full}"


def what_if(explanation: Explanation) -> Iterator[str]:
    """The outcomes of changes."""
    if not explanation.what_if:
        return
    yield "What changes would give (try one with --set):"
    base = explanation.analysis
    for one in explanation.what_if:
        yield f"  {one.change.words}: {gives(one, base, explanation.summary)}"


def gives(one: Outcome, base: Mapping[str, Any], summary: Mapping[str, Any] | None) -> str:
    """The outcome of a change, in words."""
    parts = []
    if one.analysis is not None:
        parts.append(differs(base["iops"], base["response_ns"], one.analysis["iops"], one.analysis["response_ns"]))
    if one.summary is not None and summary is not None:
        times = [(each["response_time_ns"] or {}).get("mean") for each in (summary, one.summary)]
        parts.append("simulated " + differs(summary["iops"], times[0], one.summary["iops"], times[1]))
    return "; ".join(parts)


def differs(iops: float | None, took: float | None, then: float | None, takes: float | None) -> str:
    """By how much a rate and a time change."""
    if then is None:
        return "still more is asked for than can be done"
    if iops is None:
        return f"{quantity(then)} IOPS can be done, {duration(takes)} each"
    rate = f"{quantity(then)} IOPS ({signed(then / iops - 1) if iops else 'from none'})"
    if takes is None or not took:
        return rate
    if abs(then / iops - 1) < WORTH and abs(takes / took - 1) < WORTH:
        return "no difference"
    return f"{rate}, {duration(takes)} each ({signed(takes / took - 1)})"


def signed(part: float) -> str:
    """A change as a percentage."""
    return "the same" if abs(part) < WORTH else f"{100 * part:+.1f} %"


def slowest(summary: Mapping[str, Any] | None) -> Iterator[str]:
    """Why the slowest percent is slow, from the ledger of a run."""
    ledger = (summary or {}).get("ledger_ns") or {}
    mean, late = ledger.get("mean"), ledger.get("slowest_percent")
    if not mean or not late:
        return
    more = {line: late[line] - mean.get(line, 0.0) for line in late}
    whole = sum(late.values()) - sum(mean.values())
    if whole <= 0:
        return
    yield (
        f"The slowest percent of the I/Os took {duration(sum(late.values()))} in the mean, {duration(whole)} longer"
        " than all of them. That time went to:"
    )
    for line, time in sorted(more.items(), key=lambda pair: -pair[1])[:LINES]:
        if time > 0.02 * whole:
            kind = "waiting" if waits(line) else "work"
            yield f"  {100 * time / whole:3.0f} %  {line_label(line)} ({kind}), {duration(time)} more"


def culprits(summary: Mapping[str, Any] | None) -> Iterator[str]:
    """The causes of congestion in fabrics, and the delayed flows."""
    for one in (summary or {}).get("culprits", []):
        where, sender, to = f"In `{one['network']}`", one["from"], one["to"]
        if one["cause"] == "withholds-credit":
            yield (
                f"{where} {to} keeps others waiting: it takes frames more slowly than they come, so that {sender} had "
                f"frames for it and no buffer there to send them to for {100 * one['stalled']:.0f} % of the time, and "
                "they filled the buffers on the way."
            )
        else:
            yield (
                f"{where} the link from {sender} to {to} keeps others waiting: more is to go over it than it carries. "
                f"It was taken for {100 * one['busy']:.0f} % of the time, and frames for it filled the buffers on the "
                "way."
            )
        victims = one["victims"]
        if not victims:
            yield "  Nothing that does not go there had to wait for that."
            continue
        named = ", ".join(f"{flow['from']} to {flow['to']}" for flow in victims[:FLOWS])
        more = f", and {len(victims) - FLOWS} more" if len(victims) > FLOWS else ""
        yield f"  Frames that do not go there waited behind these: {named}{more}."


def doubts(analysis: Mapping[str, Any]) -> Iterator[str]:
    """Where the analytic model is not to be believed."""
    if analysis["outside"]:
        yield "What was worked out is not to be relied on here; simulate it (--simulate, or sansim run):"
        for why in analysis["outside"]:
            yield f"  {why}"
    if analysis["assumes"]:
        yield "Taken as simpler than it is:"
        for what in analysis["assumes"]:
            yield f"  {what}"
