"""The effect of a change in words: as simulated, with the intervals that chance leaves, or as estimated."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sansim.number_text import duration, quantity

WORTH = 0.005
"""A change of less than this part is none."""
WIDE = 0.05
"""An interval of more than this part of a figure hides effects that people care about."""
NO_EFFECT = "no effect"


def simulated_effect(summary: Mapping[str, Any], changed: Mapping[str, Any]) -> str:
    """The simulated effect of a change, with the 95 % intervals; none where chance explains it."""
    if changed["unstable"]:
        return f"the load {'still ' if summary['unstable'] else ''}exceeds the capacity"
    rate = Difference(summary["iops"], changed["iops"], summary.get("iops_ci95"), changed.get("iops_ci95"))
    times = [each["response_time_ns"] or {} for each in (summary, changed)]
    took = Difference(*(time.get("mean") for time in times), *(time.get("ci95") for time in times))
    if not summary["unstable"] and rate.is_chance and took.is_chance:
        if not (rate.is_wide or took.is_wide):
            return NO_EFFECT
        return (
            f"no effect beyond chance, which is ± {rate.chance_text} in the rate and ± {took.chance_text} in the time"
        )
    then = f"{quantity(changed['iops'])} IOPS{rate.text}"
    return then if took.then is None else f"{then}, {duration(took.then)}{took.text}"


@dataclass(frozen=True)
class Difference:
    """A simulated figure before and after a change, each with half the width of its 95 % interval."""

    base: float | None
    then: float | None
    base_half_width: float | None
    then_half_width: float | None

    @property
    def chance(self) -> float:
        """Half the width of the 95 % interval of the difference."""
        return math.hypot(self.base_half_width or 0.0, self.then_half_width or 0.0)

    @property
    def is_chance(self) -> bool:
        """Whether the figures differ by no more than is worth a word, or than chance explains."""
        if self.base is None or self.then is None:
            return self.base is self.then
        return abs(self.then - self.base) <= max(WORTH * self.base, self.chance)

    @property
    def is_wide(self) -> bool:
        """Whether chance may hide an effect that matters."""
        return self.base is not None and self.chance > WIDE * self.base

    @property
    def chance_text(self) -> str:
        """The chance as a share of the figure."""
        return f"{100 * self.chance / self.base:.0f} %" if self.base else "0 %"

    @property
    def text(self) -> str:
        """By how much the figure changes, with half the width of the 95 % interval of that."""
        if not self.base or self.then is None:
            return ""
        if self.is_chance:
            return " (unchanged)"
        between = f" ± {100 * self.chance / self.base:.1f}" if self.chance else ""
        return f" ({100 * (self.then / self.base - 1):+.1f}{between} %)"


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
