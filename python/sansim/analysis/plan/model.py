"""The records of a plan: a load, a goal, parts with prices, and choices. docs/plan.md explains the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

Settings: TypeAlias = tuple[tuple[str, str], ...]
"""Keys of a scenario with the TOML text of their values."""

MEAN = "mean"
"""The response time that a goal limits if it names no percentile."""


@dataclass(frozen=True)
class Part:
    """A part of a catalogue."""

    name: str
    label: str
    price: float
    """In the currency of the catalogue."""
    power_w: float
    settings: tuple[tuple[str, str], ...] = ()
    """Keys of the component that it is, with the TOML text of their values."""
    prices: tuple[tuple[int, float], ...] = ()
    """The price of each if so many or more are bought, by number from the least on."""

    def price_of_each(self, number: int) -> float:
        """The price of one where so many are bought."""
        return next((price for least, price in reversed(self.prices) if number >= least), self.price)


@dataclass(frozen=True)
class Catalogue:
    """Parts with prices and power."""

    title: str
    currency: str
    is_example: bool
    """Whether it says that its prices are invented."""
    parts: Mapping[str, Part]


@dataclass(frozen=True)
class Base:
    """A scenario to begin from."""

    text: str
    name: str
    folder: Path


@dataclass(frozen=True)
class Option:
    """One of the possibilities of a choice."""

    label: str
    settings: Settings
    parts: tuple[tuple[str, int], ...] = ()
    """Parts that it takes, with how many."""


@dataclass(frozen=True)
class Choice:
    """Something that is chosen."""

    name: str
    options: tuple[Option, ...]


@dataclass(frozen=True)
class Goal:
    """The goal of a design."""

    response_ns: float | None
    """Longest response time; None if there is no such goal."""
    of: str
    """The limited response time: `MEAN`, or the name of a percentile, as `p95`."""
    workload: str | None
    """Its workload; all I/Os if None."""
    iops: float | None
    """Least I/Os per second; None if there is no such goal."""


@dataclass(frozen=True)
class Bounds:
    """The bounds of a design."""

    cost: float | None = None
    power_w: float | None = None
    parts: Mapping[str, int] = field(default_factory=dict)
    """Most of a part."""


@dataclass(frozen=True)
class Needed:
    """A part that comes with others: one for every `per` of them, begun ones counted whole."""

    part: str
    of: tuple[str, ...]
    per: int


@dataclass(frozen=True)
class Room:
    """A part that has room for others: ports of a switch, slots of an enclosure."""

    part: str
    of: tuple[str, ...]
    each: int
    """For how many of them one has room."""

    def is_enough(self, parts: Mapping[str, int]) -> bool:
        """Whether there is room for all of these."""
        return sum(parts.get(of, 0) for of in self.of) <= self.each * parts.get(self.part, 0)


@dataclass(frozen=True)
class Growth:
    """How the load grows."""

    per_month: float
    keys: tuple[str, ...]
    """Keys of the scenario that are as large as the load: rates, queue depths."""
    months: int
    """How far it is looked ahead."""


@dataclass(frozen=True)
class Failure:
    """Something that may be down, with which the goal is still to be met."""

    label: str
    fail: tuple[str, ...]
    """Names that fail as the run begins."""
    settings: Settings
    """Settings for the analytic model in its place, and for the run in addition."""
    response_ns: float | None
    """Longest response time meanwhile; that of the goal if None."""


@dataclass(frozen=True)
class Confirming:
    """How the best designs are simulated."""

    designs: int = 4
    """At a time."""
    most: int = 24
    """Number of designs after which the search stops."""
    replications: int = 4


@dataclass(frozen=True)
class Plan:
    """A load, a goal, parts, and what may be chosen."""

    file: Path
    title: str
    bases: tuple[Base, ...]
    catalogue: Catalogue
    settings: Settings
    """In every design."""
    fixed: tuple[tuple[str, int], ...]
    """Parts of every design, with how many."""
    needed: tuple[Needed, ...]
    rooms: tuple[Room, ...]
    choices: tuple[Choice, ...]
    goal: Goal
    bounds: Bounds
    growth: Growth | None
    failures: tuple[Failure, ...]
    confirming: Confirming
