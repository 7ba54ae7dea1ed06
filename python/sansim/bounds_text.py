"""Bounds beside what was simulated, for the terminal and the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sansim.catalogue import figure, label_of


@dataclass(frozen=True)
class Bound:
    """A bound of a run, with what was simulated."""

    name: str
    label: str
    unit: str
    bound: float | None
    simulated: float | None
    not_applicable: str | None

    @property
    def share(self) -> float | None:
        """The simulated value over the bound; None if that does not apply."""
        if not self.bound or self.simulated is None:
            return None
        return self.simulated / self.bound


def bounds(summary: Mapping[str, Any]) -> Iterator[Bound]:
    """The bounds of a summary; none of one that was written before there were any."""
    for name, one in (summary.get("bounds") or {}).items():
        path = f"bounds.{name}.simulated"
        known = figure(path)
        unit = "" if known is None else known.unit
        yield Bound(name, label_of(path), unit, one["bound"], one["simulated"], one["not_applicable"])


def without_bound(summary: Mapping[str, Any]) -> Iterator[str]:
    """Why some bounds do not apply, a line for each reason."""
    reasons: dict[str, list[str]] = {}
    for one in bounds(summary):
        if one.not_applicable is not None:
            reasons.setdefault(one.not_applicable, []).append(one.label)
    for reason, labels in reasons.items():
        yield f"There is no bound, because {reason}: {', '.join(labels)}"
