"""The waits of I/Os, and the share of their time: the end of the sentence at the head of a report.

It comes from the mean ledger of a run. A system without a saturated component is limited by a wait for something that
does not work, such as credit or arbitration, or by its load, which asks for no more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sansim.catalogue import place_of, segment_label, waits

MOST = 0.5
"""With a larger share of the response time in waits, I/Os wait more than they are served."""
NEARLY_ALL = 0.95
"""A place with at least this share of all waits is named alone, without the sum."""
HALF_PERCENT = 0.005
"""A smaller share would read 0 %."""
SEGMENTS = 2
"""So many segments of a place are named."""
LEAST = 0.25
"""The second segment of a place is named if it makes up at least this part of the waits there."""


def end_of_sentence(summary: Mapping[str, Any], kept: bool) -> str:
    """The words behind the busiest component of a system in which none is saturated; empty without a ledger.

    Args:
        summary: The summary of a run.
        kept: Whether a component is occupied nearly all the time, so that the load alone cannot be the limit.
    """
    if unstable := summary.get("unstable"):
        return f"yet more requests of {' and '.join(f'`{name}`' for name in unstable)} arrive than complete"
    means: Mapping[str, float] = (summary.get("ledger_ns") or {}).get("mean") or {}
    total = sum(means.values())
    if not total:
        return ""
    waiting = sum(time for line, time in means.items() if waits(line)) / total
    if waiting >= MOST:
        return wait_text(means, total, waiting)
    if kept:
        line = max(means, key=lambda one: means[one])
        return f"{percent(means[line] / total)} of the response time is {segment_label(line)} at `{place_of(line)}`"
    few = "" if waiting < HALF_PERCENT else "only "
    return f"{few}{percent(waiting)} of the response time is waiting, so the load is the limit"


def wait_text(means: Mapping[str, float], total: float, waiting: float) -> str:
    """The share of waits, and the place with most of them."""
    places: dict[str, dict[str, float]] = {}
    names: dict[str, list[str]] = {}
    for line, time in means.items():
        if waits(line) and time:
            # Places whose names differ by numbers only are one: drives of a grid.
            alike = re.sub(r"\d+", "#", place_of(line))
            found = places.setdefault(alike, {})
            # The outputs of the first and of the second switch on the way are outputs.
            label = re.sub(r" \d+$", "", segment_label(line))
            found[label] = found.get(label, 0.0) + time / total
            if place_of(line) not in names.setdefault(alike, []):
                names[alike].append(place_of(line))
    first = max(places, key=lambda place: sum(places[place].values()))
    share, segments = sum(places[first].values()), places[first]
    where = f"`{names[first][0]}`" if len(names[first]) == 1 else f"`{names[first][0]}` and others alike"
    longest = sorted(segments, key=lambda label: -segments[label])[:SEGMENTS]
    # A segment that is a small part of the waits at the place explains nothing.
    longest = [label for label in longest if label == longest[0] or segments[label] >= share * LEAST]
    why = f"({', '.join(longest)})"
    if share >= NEARLY_ALL * waiting:
        return f"{percent(share)} of the response time is waiting at {where} {why}"
    return f"{percent(waiting)} of the response time is waiting, {percent(share)} at {where} {why}"


def percent(share: float) -> str:
    """A share in whole per cent; less than one half only as that."""
    return "less than 1 %" if 0 < share < HALF_PERCENT else f"{share * 100:.0f} %"
