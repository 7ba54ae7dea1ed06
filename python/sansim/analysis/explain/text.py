"""An explanation for the terminal: bottleneck, headroom, and the effects of changes."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from sansim.analysis.explain.limits import BUSY, Limit, part_of
from sansim.analysis.plan.placement import Placement, placement_text
from sansim.analysis.plan.volumes import VolumePlacement, volumes_text
from sansim.catalogue import line_label, waits
from sansim.doubts import unsteadiness
from sansim.number_text import duration, quantity
from sansim.text_blocks import text_of

LINES = 5
"""Lines of the ledger that are shown for the slowest percent."""
FLOWS = 4
"""So many of the delayed flows are shown one by one."""
WORTH = 0.005
"""A change of less than this part is none."""
NO_EFFECT = "no effect"


class Words(Protocol):
    """A change of a scenario."""

    @property
    def words(self) -> str:
        """The change."""

    @property
    def settings(self) -> Mapping[str, str]:
        """Its keys, with the TOML text of their values."""


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
        """The resource of each component with the highest utilisation."""

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
        """The one with the highest utilisation."""

    @property
    def next_bottleneck(self) -> Limit | None:
        """The one after it."""


def explanation_text(explanation: Explanation, width: int) -> str:
    """The whole text, ending in a line break."""
    blocks = [
        heading(explanation),
        bottlenecks(explanation),
        headroom(explanation.limits),
        placement_text(explanation.placement),
        volumes_text(explanation.volumes),
        what_if(explanation),
        slowest(explanation.summary),
        culprits(explanation.summary),
        doubts(explanation.analysis, explanation.summary),
    ]
    return text_of(blocks, width)


def heading(explanation: Explanation) -> Iterator[str]:
    """The results of the scenario as it is."""
    analysis = explanation.analysis
    yield analysis["title"]
    if analysis["iops"] is None and not any(one["is_open"] for one in analysis["workloads"].values()):
        yield "The analytic model cannot predict the rate; the reasons are below."
    elif analysis["iops"] is None:
        yield "The load exceeds the capacity: queues would grow without limit."
    else:
        yield (
            f"The analytic model predicts {quantity(analysis['iops'])} IOPS and a mean response time of "
            f"{duration(analysis['response_ns'])}."
        )
        yield from percentile(analysis)
    if (summary := explanation.summary) is not None:
        response = summary["response_time_ns"]
        took = "response times that do not settle"
        if response is not None:
            took = f"a mean response time of {duration(response['mean'])}"
        yield f"The simulation gives {quantity(summary['iops'])} IOPS and {took}."
        yield from apart(analysis, summary)


def percentile(analysis: Mapping[str, Any]) -> Iterator[str]:
    """The 99th percentile of the response time, where one workload has it."""
    all_of_them = list(analysis["workloads"].values())
    if len(all_of_them) == 1 and all_of_them[0]["p99_ns"] is not None:
        yield f"It predicts that 99 % of the I/Os take {duration(all_of_them[0]['p99_ns'])} or less."


def apart(analysis: Mapping[str, Any], summary: Mapping[str, Any]) -> Iterator[str]:
    """How far the prediction is from the simulation, and whether that is steady."""
    if not analysis["iops"] or not summary["iops"]:
        return
    rate = 100 * (analysis["iops"] / summary["iops"] - 1)
    yield f"The predicted rate is {abs(rate):.1f} % {'above' if rate > 0 else 'below'} the simulated one."
    response = summary["response_time_ns"]
    if response is not None and analysis["response_ns"]:
        took = 100 * (analysis["response_ns"] / response["mean"] - 1)
        yield f"The predicted response time is {abs(took):.1f} % {'above' if took > 0 else 'below'} the simulated one."
    if drifts := unsteadiness(summary):
        yield f"The simulated state is not steady: {drifts}."


def bottlenecks(explanation: Explanation) -> Iterator[str]:
    """The bottleneck, and the next one."""
    first, second = explanation.bottleneck, explanation.next_bottleneck
    if first is None:
        yield "No component has a known service demand, so no bottleneck can be named."
        return
    if first.is_saturated:
        yield f"The bottleneck is {first.title}. It is saturated."
    else:
        yield f"No component is saturated. The bottleneck is {first.title}."
    yield from indented(first.sentences())
    if first.meaning:
        yield f"  {first.label}: {first.meaning}"
    closed = [one for one in explanation.analysis["workloads"].values() if not one["is_open"]]
    if closed and first.used < BUSY:
        yield "  I/Os hardly wait for each other: their response time is mostly service time."
    if second is not None:
        yield f"Next is {second.title}."
        yield from indented(second.sentences())
        if second.meaning and second.what != first.what:
            yield f"  {second.label}: {second.meaning}"


def indented(sentences: Iterator[str]) -> Iterator[str]:
    """Sentences about the line before them."""
    return (f"  {sentence}" for sentence in sentences)


def headroom(found: list[Limit]) -> Iterator[str]:
    """The headroom of each component."""
    if not found:
        return
    yield "Each component has this headroom (100 % less its highest utilisation):"
    for one in found:
        limit = "" if one.full_at_iops is None else f", saturated at {quantity(one.full_at_iops, 3)} IOPS"
        what = part_of(one.component, one.place, one.label)
        yield f"  {100 * one.room:3.0f} %  {what}{limit}"


def what_if(explanation: Explanation) -> Iterator[str]:
    """The outcomes of changes."""
    if not explanation.what_if:
        return
    yield "Changes would affect the rate and the mean response time as follows:"
    base = explanation.analysis
    for one in explanation.what_if:
        first, *more = effects = gives(one, base, explanation.summary)
        yield f"  {one.change.words}: {first}"
        yield from (f"    {effect}" for effect in more)
        if any(not effect.endswith(NO_EFFECT) for effect in effects):
            yield f"    {options(one.change.settings)}"


def options(settings: Mapping[str, str]) -> str:
    """The options that make a change; of several keys, which are whole tables, only the names."""
    if len(settings) > 1:
        return f"Set {', '.join(settings)}; --json has the values under `what_if`."
    return " ".join(f"--set {shlex.quote(f'{key}={short(value)}')}" for key, value in settings.items())


def short(value: str) -> str:
    """A value as `--set` takes it, without quotes and spaces where that is the same: `2.5ms`."""
    return value.strip('"').replace(" ", "") if value.startswith('"') else value


def gives(one: Outcome, base: Mapping[str, Any], summary: Mapping[str, Any] | None) -> list[str]:
    """The outcome of a change: predicted, simulated, or both."""
    parts = []
    if one.analysis is not None:
        parts.append(differs(base["iops"], base["response_ns"], one.analysis["iops"], one.analysis["response_ns"]))
    if one.summary is not None and summary is not None:
        times = [(each["response_time_ns"] or {}).get("mean") for each in (summary, one.summary)]
        parts.append("simulated: " + differs(summary["iops"], times[0], one.summary["iops"], times[1]))
    return parts or [NO_EFFECT]


def differs(iops: float | None, took: float | None, then: float | None, takes: float | None) -> str:
    """By how much a rate and a time change."""
    if then is None:
        return "the load still exceeds the capacity"
    if iops is None:
        return f"{quantity(then)} IOPS, {duration(takes)}"
    rate = f"{quantity(then)} IOPS ({signed(then / iops - 1) if iops else 'instead of none'})"
    if takes is None or not took:
        return rate
    if abs(then / iops - 1) < WORTH and abs(takes / took - 1) < WORTH:
        return NO_EFFECT
    return f"{rate}, {duration(takes)} ({signed(takes / took - 1)})"


def signed(part: float) -> str:
    """A change as a percentage."""
    return "unchanged" if abs(part) < WORTH else f"{100 * part:+.1f} %"


def slowest(summary: Mapping[str, Any] | None) -> Iterator[str]:
    """Why the slowest 1 % is slow, from the ledger of a run."""
    ledger = (summary or {}).get("ledger_ns") or {}
    mean, late = ledger.get("mean"), ledger.get("slowest_percent")
    if not mean or not late:
        return
    more = {line: late[line] - mean.get(line, 0.0) for line in late}
    whole = sum(late.values()) - sum(mean.values())
    if whole <= 0:
        return
    yield f"The slowest 1 % of the I/Os have a mean response time of {duration(sum(late.values()))}."
    yield f"That is {duration(whole)} more than the mean of all I/Os. The difference is spent here:"
    for line, time in sorted(more.items(), key=lambda pair: -pair[1])[:LINES]:
        if time > 0.02 * whole:
            kind = "waiting" if waits(line) else "work"
            yield f"  {100 * time / whole:3.0f} %  {line_label(line)} ({kind}), {duration(time)} more"


def culprits(summary: Mapping[str, Any] | None) -> Iterator[str]:
    """The causes of congestion in fabrics, and the delayed flows."""
    for one in (summary or {}).get("culprits", []):
        where, sender, to = f"In `{one['network']}`", one["from"], one["to"]
        if one["cause"] == "withholds-credit":
            yield f"{where} {to} is a slow receiver: it accepts frames more slowly than they come."
            yield (
                f"  For {100 * one['stalled']:.0f} % of the time {sender} had frames for {to} and no credit to send "
                "them."
            )
        else:
            yield f"{where} the link from {sender} to {to} is oversubscribed."
            yield f"  It has a utilisation of {100 * one['busy']:.0f} %."
        yield "  These frames filled the buffers on their path."
        victims = one["victims"]
        if not victims:
            yield "  No frame to another destination waited behind them."
            continue
        named = ", ".join(f"{flow['from']} to {flow['to']}" for flow in victims[:FLOWS])
        more = f", and {len(victims) - FLOWS} more" if len(victims) > FLOWS else ""
        yield f"  Frames to other destinations waited behind them: {named}{more}."


def doubts(analysis: Mapping[str, Any], summary: Mapping[str, Any] | None) -> Iterator[str]:
    """Where the analytic model is not reliable."""
    if analysis["outside"]:
        hint = " (check it with --simulate)" if summary is None else ""
        yield f"The analytic model is not reliable here{hint}:"
        for why in analysis["outside"]:
            yield f"  {why}"
    if analysis["assumes"]:
        yield "The analytic model simplifies the scenario:"
        for what in analysis["assumes"]:
            yield f"  {what}"
