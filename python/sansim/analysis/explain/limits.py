"""The bottleneck of a scenario: the resource with the highest utilisation, and the next ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sansim.number_text import duration, quantity

SATURATED = 0.97
"""From this utilisation on a resource counts as saturated."""
KEPT = 0.05
"""From this share of the time on it is mentioned that a resource only waits for the transfer of its data."""
NAMED = 4
"""Members of a group that are named, if only some of them have this utilisation."""
BUSY = 0.6
"""From this utilisation on requests wait for each other noticeably."""


@dataclass(frozen=True)
class Limit:
    """The resource of a component with the highest utilisation."""

    component: str
    """Its name in the scenario."""
    kind: str
    what: str
    """The part of it: `loop`, `arm`, `dma`."""
    label: str
    """The same for people."""
    meaning: str
    """Its function; empty where it is not described."""
    place: str
    """Where that is, as results name it."""
    used: float
    """Its utilisation: the share of the time in which it is occupied."""
    works: float
    """Share of the time in which it works; the rest of `used` it is kept while the request is elsewhere."""
    of_an_io_ns: float
    """The service of a mean I/O at it."""
    alike: int
    """How many there are, over which requests are spread."""
    full_at_iops: float | None
    """I/Os per second of the same mix at which it saturates."""
    members: tuple[str, ...]
    """The members of a group that it is, if it is not all of them: hot spots."""
    why: str
    """Why it is where it is in the order, in a sentence, as `sansim explain --json` has it."""
    of: int
    """How many there are in the whole group, hot spots or not."""

    @property
    def room(self) -> float:
        """Its headroom."""
        return max(1.0 - self.used, 0.0)

    @property
    def is_saturated(self) -> bool:
        """Whether it can hardly do more."""
        return self.used >= SATURATED

    @property
    def title(self) -> str:
        """Its name on the terminal: ``the link of `san` (to host)``."""
        name = part_of(self.component, self.place, self.label)
        if not self.members:
            return name
        if self.is_hot_spot:
            return f"{name}, in {self.alike} of its {self.of} members ({listed(self.members)})"
        # One of several links: `to host`, `links.near-far to far`.
        return f"{name} ({listed([one.removeprefix(f'{self.place}.') for one in self.members])})"

    @property
    def is_hot_spot(self) -> bool:
        """Whether it is a part of a group with more to do than the others."""
        return bool(self.members) and len(self.members) == self.alike and self.members[0].endswith("]")

    def sentences(self) -> Iterator[str]:
        """Its utilisation, service demand and saturation, for the terminal."""
        several = self.alike > 1
        used = f"a utilisation of {100 * min(self.used, 1.0):.0f} %"
        yield f"Each of the {self.alike} has {used}." if several else f"It has {used}."
        each = ", at one of them" if several else ""
        yield f"The mean service demand of an I/O is {duration(self.of_an_io_ns)}{each}."
        if self.full_at_iops is not None:
            it = "Together they saturate" if several else "It saturates"
            yield f"{it} at {quantity(self.full_at_iops, 3)} IOPS."
        if (kept := self.used - self.works) > KEPT:
            it = "each only waits" if several else "it only waits"
            yield f"For {100 * kept:.0f} % of the time {it} for the transfer of its data."

    def as_json(self) -> dict[str, Any]:
        """As `sansim explain --json` has it."""
        return {
            "component": self.component,
            "kind": self.kind,
            "what": self.what,
            "label": self.label,
            "meaning": self.meaning,
            "place": self.place,
            "used": self.used,
            "works": self.works,
            "of_an_io_ns": self.of_an_io_ns,
            "alike": self.alike,
            "full_at_iops": self.full_at_iops,
            "members": list(self.members),
            "why": self.why,
        }


def limits(analysis: Mapping[str, Any]) -> list[Limit]:
    """The resource of each component with the highest utilisation, the highest first."""
    found: dict[str, Limit] = {}
    for station in sorted(analysis["stations"], key=lambda one: -one["taken"]):
        if station["component"] not in found:
            found[station["component"]] = limit(station)
    return list(found.values())


def limit(station: Mapping[str, Any]) -> Limit:
    """A station of the analytic model in words."""
    return Limit(
        component=station["component"],
        kind=station["kind"],
        what=station["server"],
        label=station["label"],
        meaning=station["meaning"],
        place=station["place"],
        used=station["taken"],
        works=station["utilisation"],
        of_an_io_ns=station["demand_ns"],
        alike=station["alike"],
        full_at_iops=station["full_at_iops"],
        members=tuple(station["members"]),
        why=reason(station),
        of=station["of"],
    )


def reason(station: Mapping[str, Any]) -> str:
    """Why a station is as busy as it is, for `--json`. The terminal has `Limit.sentences`."""
    several = station["alike"] > 1
    what = part_of(station["component"], station["place"], station["label"])
    members = station["members"]
    if members and len(members) == station["alike"] and members[0].endswith("]"):
        what = f"{station['alike']} of the {station['of']} {what} ({listed(members)})"
    elif members:
        # One of several links: `to host`, `links.near-far to far`.
        place = f"{station['place']}."
        what = f"{what} ({listed([one.removeprefix(place) for one in members])})"
    which = f"one of the {station['alike']}" if several else "it"
    takes = f"an I/O takes {duration(station['demand_ns'])} of {which}"
    used = f"{100 * min(station['taken'], 1.0):.0f} % of the time"
    text = f"{what} {'are' if several else 'is'} taken for {used}: {takes}"
    if station["full_at_iops"] is not None:
        text += (
            f", so {'together they do' if several else 'it does'} {quantity(station['full_at_iops'], 3)} IOPS at most"
        )
    kept = station["taken"] - station["utilisation"]
    if kept > KEPT:
        text += f"; {100 * kept:.0f} % of the time of that they only wait for their data to be carried away"
    return text


def listed(names: Sequence[str]) -> str:
    """Names, of many the first of them."""
    return ", ".join(names[:NAMED]) + (", ..." if len(names) > NAMED else "")


def part_of(component: str, place: str, name: str) -> str:
    """A part of a component, as a person says it."""
    within = place.removeprefix(component).lstrip(".")
    if name == within or name in (component, "drive", "loop"):
        return f"`{component}`"
    return f"the {name} of `{component}`" if not within else f"the {name} of the {within} of `{component}`"


def head_room(found: Sequence[Limit]) -> list[dict[str, Any]]:
    """The headroom of each component."""
    return [
        {
            "component": one.component,
            "what": one.what,
            "used": one.used,
            "room": one.room,
            "full_at_iops": one.full_at_iops,
        }
        for one in found
    ]
