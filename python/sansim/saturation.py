"""The sentence at the head of a report: the saturated components of a run, or the busiest one if none is saturated.

It comes from the measured utilisations and, if none is saturated, the ledger of the summary alone. `sansim explain`
finds limits by an analytic model.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sansim.catalogue import shares
from sansim.waiting import end_of_sentence

SATURATED = 0.9
"""A block that is utilised for at least this share of the time limits the system.

In an open system of one server (M/M/1) the mean response time is the service time divided by 1 - utilisation: at 90 %
an I/O takes ten times its service time, and little more can be served. A higher threshold would miss closed loads with
few I/Os in flight, which never keep a server at work all the time.
"""
WORK_OF_KIND = {
    "drives": "access",
    "disks": "access",
    "flash-drives": "dies",
    "controller": "processor",
    "metadata-controller": "processors",
    "metadata-client": "translation",
    "cache": "memory",
    "tcp": "links",
    "fabric": "links",
}
"""The block whose work is the figure `utilisation`, by the kind of the component; of other kinds it is all of it."""
BLOCKS = (
    *("processor", "dma", "incoming", "single_frame"),
    *("channel_utilisation", "calculation", "node_link"),
    *("controller_processors", "bridge", "system_bus", "link", "controller_memory"),
    *("served_utilisation", "asking_stack", "serving_stack"),
)
"""The other figures that are the utilisation of a block.

The remaining shares of the time are parts of these (`garbage_collection`), states (`rebuilding`), hits of caches, or
times in which something is only kept while it waits (`owned`, `occupied`, `held`, `credit_stalled`).
"""
LABELS = {"channel_utilisation": "channels", "served_utilisation": "links of servers"}
"""Names of blocks whose label is not that of a block."""
PLURALS = ("dies", "channels", "links", "links of servers", "processors")
"""Blocks that are several."""
ADAPTER = BLOCKS[:4]
"""The blocks of an adapter."""
ADAPTERS = ("host", "adapter")
"""Kinds whose `utilisation` is that of the busiest block of an adapter, which has its own figure."""
IN_USE = ("data-sheet-drives", "loop-switch")
"""Kinds whose `utilisation` is the time with at least one command or frame. They carry several at once."""
MOVES = ("locating", "back_hitching")
"""Work of a tape drive beside streaming; the three exclude each other."""
OCCUPANCY = {"occupied": "occupied", "owned": "owned"}
"""Shares of the time in which a component is kept, whether or not it works, with the participle for it."""
NAMED = 3
"""So many components are named; of more the rest is counted."""


@dataclass(frozen=True)
class Use:
    """The utilisation of a block of a component, or of several alike."""

    subject: str
    """The component as a text names it: `loop` in backquotes, or the link between two ports."""
    several: bool
    """Whether it is a group."""
    block: str
    """The block; empty if it is all of the component."""
    share: float
    """The utilisation; that of a group is that of its fullest member, as one saturated member limits its load.

    A figure without values of single members has the mean of the group.
    """
    least: float | None = None
    """The lowest utilisation, where several components are named together."""
    only_fullest: bool = False
    """Whether the fullest member of the group is saturated, and not the mean of the group."""


def limit(summary: Mapping[str, Any]) -> str:
    """The sentence; empty if the summary has no utilisation."""
    found = sorted(uses(summary), key=lambda use: -use.share)
    if not summary["ios"] or not found:
        return ""
    if saturated := [use for use in found if use.share >= SATURATED]:
        return saturated_text(alike(saturated))
    busiest = found[0]
    kept = occupancy(summary)
    clauses = (
        f"No component is saturated; the busiest {verb(busiest.block, busiest.several)} {whole_name(busiest)},"
        f" {percent(busiest.share)} utilised",
        kept,
        end_of_sentence(summary, bool(kept)),
    )
    return f"{'; '.join(clause for clause in clauses if clause)}."


def uses(summary: Mapping[str, Any]) -> Iterator[Use]:
    """The utilisations of all blocks that did any work."""
    links = summary.get("fullest_links") or {}
    for name, figures in summary["components"].items():
        link = links.get(name)
        if link and link["utilisation"]:
            yield Use(f"the link from `{link['from']}` to `{link['to']}`", False, "", link["utilisation"])
        several = figures.get("count", 1) > 1
        for key, block in blocks(figures):
            # The mean over all links says less than the fullest of them.
            if link and key in ("utilisation", "served_utilisation"):
                continue
            mean = work(figures, key)
            share = max(mean, figures.get(f"{key}_max") or 0.0) if several else mean
            if share:
                yield Use(f"`{name}`", several, block, share, only_fullest=mean < SATURATED <= share)


def utilisations(summary: Mapping[str, Any]) -> dict[str, float]:
    """The utilisation of the busiest block of each component that did any work, by its name without that of a part."""
    found: dict[str, float] = {}
    for use in uses(summary):
        for name in re.findall(r"`([^`.\[]+)[^`]*`", use.subject):
            found[name] = max(found.get(name, 0.0), use.share)
    return found


def blocks(figures: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The figures of a component that are utilisations, each with the name of its block."""
    kind = figures["kind"]
    of_adapter = kind in ADAPTERS and any(key in figures for key in ADAPTER)
    if "utilisation" in figures and kind not in IN_USE and not of_adapter:
        yield "utilisation", WORK_OF_KIND.get(kind, "")
    for key in BLOCKS:
        if key in figures:
            yield key, LABELS.get(key) or shares().get(key, key)


def work(figures: Mapping[str, Any], key: str) -> float:
    """A utilisation, with the other work of the same block."""
    keys = (key, *MOVES) if key == "utilisation" else (key,)
    return sum(figures.get(each) or 0.0 for each in keys)


def occupancy(summary: Mapping[str, Any]) -> str:
    """The component that is kept the longest, if one is kept nearly all the time, be it at work or waiting."""
    found = []
    for name, figures in summary["components"].items():
        words = {**OCCUPANCY, **({"utilisation": "in use"} if figures["kind"] in IN_USE else {})}
        found += [(figures.get(key) or 0.0, name, word) for key, word in words.items()]
    share, name, word = max(found, key=lambda one: one[0])
    if share < SATURATED:
        return ""
    several = summary["components"][name].get("count", 1) > 1
    return f"`{name}` {'are' if several else 'is'} {word} {percent(share)} of the time"


def alike(found: Sequence[Use]) -> list[Use]:
    """The uses, those of one block of components whose names differ by numbers only as one: a grid of drives."""
    groups: dict[tuple[str, str], list[Use]] = {}
    for use in found:
        groups.setdefault((re.sub(r"\d+", "#", use.subject), use.block), []).append(use)
    return [group[0] if len(group) == 1 else together(group) for group in groups.values()]


def together(group: Sequence[Use]) -> Use:
    """Several uses of the same block as one."""
    names = sorted((use.subject for use in group), key=natural)
    subject = f"{names[0]} and {names[1]}" if len(names) == 2 else f"{names[0]} to {names[-1]} ({len(names)})"
    return Use(subject, True, group[0].block, group[0].share, min(use.share for use in group))


def natural(name: str) -> list[tuple[int, str]]:
    """A key by which drive-2 comes before drive-10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def saturated_text(found: Sequence[Use]) -> str:
    """The sentence about saturated components, the most utilised first."""
    first = found[0]
    subjects = list(dict.fromkeys(use.subject for use in found))
    many = first.several or len(subjects) > 1
    head = f"{listed(subjects)} {'limit' if many else 'limits'} this system"
    # A sentence that begins with a link begins with a capital letter.
    head = head[0].upper() + head[1:]
    if any(use.block != first.block for use in found):
        facts = [f"{whole_name(use)} {span([use])}" for use in found]
        facts[0] = f"{whole_name(first)} {verb(first.block, first.several)} {span([first])}"
        return f"{head}: {listed(facts)} utilised."
    if len(found) == 1 and first.only_fullest:
        whose = f"the {first.block} of the busiest" if first.block else "the busiest"
        return f"{head}: {whose} {verb(first.block, False)} {span(found)} utilised."
    whose = f"{'their' if many else 'its'} {first.block}" if first.block else "they" if many else "it"
    return f"{head}: {whose} {verb(first.block, many)} {span(found)} utilised."


def verb(block: str, several: bool) -> str:
    """The verb for a block, or for one or several components as a whole."""
    return "are" if (block in PLURALS if block else several) else "is"


def whole_name(use: Use) -> str:
    """A block and its component."""
    return f"the {use.block} of {use.subject}" if use.block else use.subject


def listed(names: Sequence[str]) -> str:
    """Names as a list in a sentence; of many the first ones."""
    named = [*names[:NAMED], *([f"{len(names) - NAMED} more"] if len(names) > NAMED else [])]
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"


def span(found: Sequence[Use]) -> str:
    """The utilisation, or the lowest and the highest of several."""
    most = percent(max(use.share for use in found))
    least = percent(min(use.share if use.least is None else use.least for use in found))
    return most if least == most else f"{least.removesuffix(' %')} to {most}"


def percent(share: float) -> str:
    """A share in whole per cent, or with one decimal where that would hide something: 0.4 %, 89.9 %."""
    number = 100 * min(share, 1.0)
    if share < SATURATED and (number < 1 or round(number) >= 100 * SATURATED):
        tenths = math.floor(10 * number)
        return f"{tenths / 10:.1f} %" if tenths else "less than 0.1 %"
    return f"{number:.0f} %"
