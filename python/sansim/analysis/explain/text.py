"""An explanation for the terminal: bottleneck, headroom, and the effects of changes."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from sansim.analysis.explain.effects import NO_EFFECT, WORTH, differs, simulated_effect
from sansim.analysis.explain.limits import BUSY, Limit, part_of
from sansim.analysis.plan.placement import Placement, placement_text
from sansim.analysis.plan.volumes import VolumePlacement, volumes_text
from sansim.catalogue import line_label, waits
from sansim.doubts import unsteadiness
from sansim.number_text import duration, quantity
from sansim.saturation import limit, uses, whole_name
from sansim.text_blocks import text_of

LINES = 5
"""Lines of the ledger that are shown for the slowest percent."""
SHOWN = 8
"""So many components are shown with their simulated headroom, those with the least."""
WHOLE = 10.0
"""Intervals from so many per cent on are shown in whole per cent."""
FLOWS = 4
"""So many of the delayed flows are shown one by one."""
CHANGES = "Changes would affect the rate and the mean response time as follows:"


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


class Run(Protocol):
    """The run of a scenario."""

    @property
    def is_warmed(self) -> bool:
        """Whether the content of caches was made before simulated time began."""

    @property
    def is_cold(self) -> bool:
        """Whether the content of caches would have taken too long to make."""

    @property
    def is_stopped(self) -> bool:
        """Whether the run was stopped at the end of its time."""


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
    def simulated(self) -> Run | None:
        """The run, if there is one."""

    @property
    def disagrees(self) -> bool:
        """Whether the simulation differs from the analytic model by more than the documented errors of that."""

    @property
    def is_trusted(self) -> bool:
        """Whether the analytic model describes the system, so that it may say what limits it."""

    @property
    def is_unconfirmed(self) -> bool:
        """Whether a simulation was wanted and came to no result."""

    @property
    def untried(self) -> int:
        """How many changes were not simulated, where the analytic model has no estimate of them that holds."""

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
    changed = [what_if(explanation)] if explanation.what_if else []
    return text_of([*head_blocks(explanation), *changed], width)


def head_text(explanation: Explanation, width: int) -> str:
    """The text without the outcomes of changes."""
    return text_of(head_blocks(explanation), width)


def head_blocks(explanation: Explanation) -> list[Iterator[str]]:
    """The blocks of the text without the outcomes of changes."""
    return [
        heading(explanation),
        bottlenecks(explanation) if explanation.is_trusted else simulated_limit(explanation),
        headroom(explanation.limits) if explanation.is_trusted else simulated_headroom(explanation),
        placement_text(explanation.placement),
        volumes_text(explanation.volumes),
        slowest(explanation.summary),
        culprits(explanation.summary),
        doubts(explanation.analysis, explanation.summary),
    ]


def heading(explanation: Explanation) -> Iterator[str]:
    """The results of the scenario as it is: of the simulation first, and how far the analytic model is from it."""
    yield explanation.analysis["title"]
    if explanation.summary is None:
        yield from estimated(explanation.analysis)
        if explanation.is_unconfirmed:
            yield "No simulation confirms this, as it takes longer than this answer may; `sansim run` makes it."
        return
    if explanation.disagrees:
        yield "The analytic model does not describe this system; only simulated figures hold."
    yield from simulated(explanation, explanation.summary)
    yield from apart(explanation.analysis, explanation.summary)


def early_text(explanation: Explanation, width: int) -> str:
    """The estimate of a scenario whose simulation takes long to prepare."""
    later = "The simulation takes longer to prepare; its figures follow."
    return text_of([[explanation.analysis["title"], *estimated(explanation.analysis), later]], width) + "\n"


def estimated(analysis: Mapping[str, Any]) -> Iterator[str]:
    """The results of the analytic model alone."""
    if analysis["iops"] is None and not any(one["is_open"] for one in analysis["workloads"].values()):
        yield "The analytic model cannot estimate the rate; the reasons are below."
    elif analysis["iops"] is None:
        yield "Estimate: the load exceeds the capacity, so queues would grow without limit."
    else:
        yield (
            f"Estimate: {quantity(analysis['iops'])} IOPS and a mean response time of "
            f"{duration(analysis['response_ns'])}."
        )
        yield from percentile(analysis)


def simulated(explanation: Explanation, summary: Mapping[str, Any]) -> Iterator[str]:
    """The results of the simulation."""
    response = summary["response_time_ns"]
    rate = f"Simulated: {quantity(summary['iops'])} IOPS{spread(summary.get('iops_ci95'), summary['iops'])}"
    if summary["unstable"]:
        yield f"{rate}. The load exceeds the capacity, so queues grow without limit."
    elif response is None:
        yield f"{rate}, and response times that do not settle."
    else:
        took = f"{duration(response['mean'])}{spread(response.get('ci95'), response['mean'])}"
        yield f"{rate} and a mean response time of {took}."
        if response.get("p99") is not None:
            yield f"99 % of the I/Os take {duration(response['p99'])} or less."
    run = explanation.simulated
    if run is not None and run.is_stopped:
        yield f"The run was stopped after {summary['ios']:,} I/Os to answer at once; `sansim run` goes on to the end."
    if run is not None and run.is_warmed:
        yield "The content of the caches was made before simulated time began."
    if run is not None and run.is_cold:
        yield (
            "The caches begin empty: to make their content takes longer than this answer may;"
            " `--set run.functional_warm_up=settled` takes that time."
        )
    if drifts := unsteadiness(summary):
        yield f"The simulated state is not steady: {drifts}."


def spread(half_width: float | None, mean: float) -> str:
    """The 95 % interval of a figure as a share of it; nothing where it is not known."""
    if not half_width or not mean:
        return ""
    percent = 100 * half_width / mean
    return f" (± {percent:.2g} %)" if percent < WHOLE else f" (± {percent:,.0f} %)"


def percentile(analysis: Mapping[str, Any]) -> Iterator[str]:
    """The 99th percentile of the response time, where one workload has it."""
    all_of_them = list(analysis["workloads"].values())
    if len(all_of_them) == 1 and all_of_them[0]["p99_ns"] is not None:
        yield f"99 % of the I/Os are estimated to take {duration(all_of_them[0]['p99_ns'])} or less."


def apart(analysis: Mapping[str, Any], summary: Mapping[str, Any]) -> Iterator[str]:
    """The estimate of the analytic model, and how far it is from the simulation."""
    if analysis["iops"] is None:
        if not summary["unstable"]:
            yield "The analytic model has no estimate."
        return
    rate = f"{quantity(analysis['iops'])} IOPS{beside(analysis['iops'], summary['iops'])}"
    response = summary["response_time_ns"]
    mean = None if response is None else response["mean"]
    if analysis["response_ns"] is None:
        yield f"The analytic model estimates {rate}."
    else:
        took = f"{duration(analysis['response_ns'])}{beside(analysis['response_ns'], mean)}"
        yield f"The analytic model estimates {rate} and {took}."


def beside(estimate: float, simulated_one: float | None) -> str:
    """How far an estimate is from the simulated figure."""
    if not simulated_one:
        return ""
    part = estimate / simulated_one - 1
    if abs(part) < WORTH:
        return " (as simulated)"
    return f" ({100 * abs(part):,.1f} % {'above' if part > 0 else 'below'})"


def simulated_limit(explanation: Explanation) -> Iterator[str]:
    """The bottleneck by the utilisations of the run."""
    if explanation.summary is not None:
        yield limit(explanation.summary)


def simulated_headroom(explanation: Explanation) -> Iterator[str]:
    """The headroom of each component by the utilisations of the run, the least first."""
    found = sorted(uses(explanation.summary or {"components": {}}), key=lambda use: -use.share)
    if found:
        yield "Each component has this headroom (100 % less its highest simulated utilisation):"
        yield from (f"  {100 * max(1 - use.share, 0.0):3.0f} %  {whole_name(use)}" for use in found[:SHOWN])


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
    if explanation.what_if:
        yield heading_of_changes(explanation)
    for one in explanation.what_if:
        yield from change_lines(explanation, one)
    yield from untried(explanation)


def heading_of_changes(explanation: Explanation) -> str:
    """The begin of the list of changes; whether it holds in the steady state."""
    if explanation.summary is not None and unsteadiness(explanation.summary):
        return "While its state drifts, changes affect the rate and the mean response time as follows:"
    return CHANGES


def untried(explanation: Explanation) -> Iterator[str]:
    """How many changes nothing is known of."""
    if explanation.untried:
        several = "changes were" if explanation.untried > 1 else "change was"
        yield f"  {explanation.untried} more {several} not simulated; --every-change simulates all of them."


def change_text(explanation: Explanation, one: Outcome, width: int, *, first: bool) -> str:
    """The outcome of one change; before the first one what the list is."""
    begin = ["", heading_of_changes(explanation)] if first else []
    return text_of([iter([*begin, *change_lines(explanation, one)])], width)


def change_lines(explanation: Explanation, one: Outcome) -> Iterator[str]:
    """The outcome of a change, and the options that make it."""
    effect = gives(one, explanation)
    yield f"  {one.change.words}: {effect}"
    if NO_EFFECT not in effect:
        yield f"    {options(one.change.settings)}"


def options(settings: Mapping[str, str]) -> str:
    """The options that make a change; of several keys, which are whole tables, only the names."""
    if len(settings) > 1:
        return f"Set {', '.join(settings)}; --json has the values under `what_if`."
    return " ".join(f"--set {shlex.quote(f'{key}={short(value)}')}" for key, value in settings.items())


def short(value: str) -> str:
    """A value as `--set` takes it, without quotes and spaces where that is the same: `2.5ms`."""
    return value.strip('"').replace(" ", "") if value.startswith('"') else value


def gives(one: Outcome, explanation: Explanation) -> str:
    """The outcome of a change: as simulated, or else as estimated."""
    base, summary = explanation.analysis, explanation.summary
    if one.summary is not None and summary is not None:
        return simulated_effect(summary, one.summary)
    estimate = NO_EFFECT
    if one.analysis is not None:
        estimate = differs(base["iops"], base["response_ns"], one.analysis["iops"], one.analysis["response_ns"])
    return estimate if summary is None else f"estimate: {estimate}"


def slowest(summary: Mapping[str, Any] | None) -> Iterator[str]:
    """Why the slowest 1 % is slow, from the ledger of a run."""
    ledger = (summary or {}).get("ledger_ns") or {}
    mean, late = ledger.get("mean"), ledger.get("slowest_percent")
    if not mean or not late:
        return
    more = {line: late[line] - mean.get(line, 0.0) for line in late}
    whole = sum(late.values()) - sum(mean.values())
    if whole <= WORTH * sum(mean.values()):
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
        hint = " (leave out --analytic to simulate it)" if summary is None else ""
        yield f"The analytic model is not reliable here{hint}:"
        for why in analysis["outside"]:
            yield f"  {why}"
    if analysis["assumes"]:
        yield "The analytic model simplifies the scenario:"
        for what in analysis["assumes"]:
            yield f"  {what}"
