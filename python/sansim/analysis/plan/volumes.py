"""The places of volumes, their use of links, and moves of whole volumes.

A volume is a slice of the devices behind it (drives, arrays); its use of a link is the sum of the demands of all its
pieces, including the accesses for its parity. Each move is evaluated by the analytic model with the volume at its new
place, so the outcome includes all changes: other links, other drives, another level.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sansim import _core
from sansim.analysis.plan.placement import GAIN, HOT

if TYPE_CHECKING:
    from sansim._core import Scenario

MOST_VOLUMES = 40
"""With more volumes than that no move is tried."""
MOST_TRIED = 400
"""So many placements are worked out at most."""
CHANGED = 1e-6
"""A share of the time that differs by less is the same."""

Load = Callable[[dict[str, str]], "Scenario"]
"""Reads the scenario again with these values on top."""


@dataclass(frozen=True)
class Volume:
    """A volume that lies on one device."""

    name: str
    """Its table: `mail` of `[pool.volumes.mail]`."""
    component: str
    key: str
    """The key of the device on which it lies."""
    home: int
    """That device, by its number behind."""
    share: float
    """How much of the requests to all volumes of the component are for it."""

    @property
    def title(self) -> str:
        """As a person calls it."""
        return f"`{self.name}` of `{self.component}`"


@dataclass(frozen=True)
class VolumeMove:
    """A volume that goes to another device; or two that change places."""

    volume: Volume
    to_home: int
    exchanged_with: Volume | None = None

    @property
    def settings(self) -> dict[str, str]:
        """The settings, as for `--set`."""
        found = {self.volume.key: str(self.to_home)}
        if self.exchanged_with is not None:
            found[self.exchanged_with.key] = str(self.volume.home)
        return found


@dataclass(frozen=True)
class VolumePlacement:
    """Volumes on devices, what they use, and what to move."""

    volumes: tuple[Volume, ...]
    homes: Mapping[str, Sequence[str]]
    """The devices behind each component."""
    uses: Mapping[str, Mapping[str, float]]
    """By the key of a volume that could be tried: its share of the time of each link."""
    before: Mapping[str, float]
    """How much links work for all, of those for which it makes a difference where volumes lie."""
    after: Mapping[str, float]
    """The same when all moves are made."""
    moves: tuple[VolumeMove, ...] = ()

    def home(self, volume: Volume, number: int | None = None) -> str:
        """The name of the device on which a volume lies, or of another one."""
        return self.homes[volume.component][volume.home if number is None else number]

    @property
    def hot(self) -> tuple[str, ...]:
        """Links that have a good deal more to do for volumes than the mean of them, the busiest first."""
        mean = sum(self.before.values()) / max(len(self.before), 1)
        busy = [link for link, share in self.before.items() if share > HOT * mean > 0]
        return tuple(sorted(busy, key=lambda link: -self.before[link]))

    def as_json(self) -> dict[str, Any]:
        """As `sansim explain --json` has it."""
        return {
            "volumes": [
                {
                    "volume": one.name,
                    "component": one.component,
                    "on": self.home(one),
                    "uses": dict(self.uses.get(one.key, {})),
                }
                for one in self.volumes
            ],
            "links": dict(self.before),
            "hot_links": list(self.hot),
            "moves": [
                {
                    "volume": one.volume.name,
                    "component": one.volume.component,
                    "from": self.home(one.volume),
                    "to": self.home(one.volume, one.to_home),
                    "exchanged_with": None if one.exchanged_with is None else one.exchanged_with.name,
                    "set": one.settings,
                }
                for one in self.moves
            ],
            "after": dict(self.after),
        }


@dataclass
class Search:
    """Placements that are worked out."""

    load: Load
    tried: int = 0
    known: dict[tuple[tuple[str, str], ...], dict[str, float] | None] = field(default_factory=dict)

    def used(self, settings: Mapping[str, str]) -> dict[str, float] | None:
        """How much each link works with volumes so; None where it cannot be built, or too much was tried."""
        key = tuple(sorted(settings.items()))
        if key not in self.known:
            if self.tried >= MOST_TRIED:
                return None
            self.tried += 1
            self.known[key] = self.worked_out(dict(settings))
        return self.known[key]

    def worked_out(self, settings: dict[str, str]) -> dict[str, float] | None:
        """The same, of what is not known yet."""
        try:
            scenario = self.load(settings)
        except _core.ScenarioError:
            # No room there, for example.
            return None
        return links_of(json.loads(scenario.analyse()))


def links_of(analysis: Mapping[str, Any]) -> dict[str, float]:
    """How much of the time each link works for devices."""
    found: dict[str, float] = {}
    for row in analysis["carried"]:
        found[row["network"]] = found.get(row["network"], 0.0) + row["utilisation"]
    return found


def volumes_of(
    scenario: Scenario, homes: Mapping[str, Sequence[str]], asked: Mapping[str, Sequence[float]]
) -> list[Volume]:
    """The volumes that lie on one device and have a size of their own; one that takes what is left cannot be moved.

    Args:
        scenario: The scenario.
        homes: The devices behind each component.
        asked: Which share of the requests to a component is for each of its volumes.
    """
    values = {one.key: one.value for one in scenario.settings()}
    found, count = [], dict.fromkeys(homes, 0)
    for key, on in values.items():
        named = re.fullmatch(r"(.+)\.volumes\.([^.]+)\.on", key)
        if named is None or named[1] not in homes:
            continue
        number = count[named[1]]
        count[named[1]] += 1
        if not isinstance(on, int) or on >= len(homes[named[1]]):
            continue
        size = values.get(f"{key.removesuffix('.on')}.size")
        if isinstance(size, str) and size[:1].isdigit():
            found.append(Volume(named[2], named[1], key, on, asked[named[1]][number]))
    return found


def place_volumes(load: Load, analysis: Mapping[str, Any]) -> VolumePlacement | None:
    """How volumes lie on the devices behind, and which to move; None where it makes no difference to links.

    Args:
        load: Reads the scenario, with values on top.
        analysis: What the analytic model says of it as it is.
    """
    homes = {row["component"]: tuple(row["behind"]) for row in analysis["placed"] if len(row["behind"]) > 1}
    if not homes:
        return None
    asked = {row["component"]: row["asked"] for row in analysis["placed"]}
    volumes = volumes_of(load({}), homes, asked)
    if not volumes or len(volumes) > MOST_VOLUMES:
        return None
    search = Search(load)
    here = links_of(analysis)
    uses = {one.key: uses_of(search, one, homes, here) or part_of(one, volumes, homes, analysis) for one in volumes}
    concerned = sorted({link for of in uses.values() for link in of} | elsewhere(search, volumes, homes, here))
    if len(concerned) < 2:
        return None
    moves, after = moved(search, volumes, homes, {link: here.get(link, 0.0) for link in concerned})
    before = {link: here.get(link, 0.0) for link in concerned}
    found = {key: {link: share for link, share in of.items() if link in concerned} for key, of in uses.items()}
    return VolumePlacement(tuple(volumes), homes, found, before, after, tuple(moves))


def uses_of(
    search: Search, one: Volume, homes: Mapping[str, Sequence[str]], here: Mapping[str, float]
) -> dict[str, float]:
    """The reduction of the use of links if a volume moves to the first place that has room: its use of them."""
    for home in range(len(homes[one.component])):
        if home != one.home and (there := search.used({one.key: str(home)})) is not None:
            less = {link: share - there.get(link, 0.0) for link, share in here.items()}
            if found := {link: share for link, share in less.items() if share > CHANGED}:
                return found
    return {}


def part_of(
    one: Volume, volumes: Sequence[Volume], homes: Mapping[str, Sequence[str]], analysis: Mapping[str, Any]
) -> dict[str, float]:
    """The use of links by a volume that has room nowhere else: its share of the use by all on its device."""
    beside = sum(other.share for other in volumes if (other.component, other.home) == (one.component, one.home))
    home = homes[one.component][one.home]
    rows = [row for row in analysis["carried"] if row["asker"] == home.partition("[")[0] or home in row["members"]]
    used = links_of({"carried": rows})
    return {link: share * one.share / beside for link, share in used.items()} if beside > 0 else {}


def elsewhere(
    search: Search, volumes: Sequence[Volume], homes: Mapping[str, Sequence[str]], here: Mapping[str, float]
) -> set[str]:
    """Links that have more to do if a volume is moved there."""
    found: set[str] = set()
    for one in volumes:
        for home in range(len(homes[one.component])):
            there = search.used({one.key: str(home)}) if home != one.home else None
            found |= {link for link, share in (there or {}).items() if share > here.get(link, 0.0) + CHANGED}
    return found


def moved(
    search: Search, volumes: Sequence[Volume], homes: Mapping[str, Sequence[str]], before: Mapping[str, float]
) -> tuple[list[VolumeMove], dict[str, float]]:
    """The moves, one after the other that which helps most, until none is worth it; and links after all of them."""
    first = max(before.values())
    lying = {one.key: one for one in volumes}
    settings: dict[str, str] = {}
    shares, moves = dict(before), list[VolumeMove]()
    while len(moves) < len(volumes):
        best: tuple[float, VolumeMove, dict[str, float]] | None = None
        for move in (*singles(lying, homes), *exchanges(lying)):
            there = search.used({**settings, **move.settings})
            if there is None:
                continue
            after = {link: there.get(link, 0.0) for link in before}
            # With equal outcomes a move of one volume is preferred to an exchange of two.
            if best is None or max(after.values()) < best[0] - CHANGED:
                best = (max(after.values()), move, after)
        if best is None or max(shares.values()) - best[0] < GAIN * first:
            break
        _, move, shares = best
        settings |= move.settings
        moves.append(move)
        lying[move.volume.key] = replace(move.volume, home=move.to_home)
        if move.exchanged_with is not None:
            lying[move.exchanged_with.key] = replace(move.exchanged_with, home=move.volume.home)
    return moves, shares


def singles(lying: Mapping[str, Volume], homes: Mapping[str, Sequence[str]]) -> Iterator[VolumeMove]:
    """Every volume to every other device behind its component."""
    for one in lying.values():
        for home in range(len(homes[one.component])):
            if home != one.home:
                yield VolumeMove(one, home)


def exchanges(lying: Mapping[str, Volume]) -> Iterator[VolumeMove]:
    """Every two volumes of a component that lie on different devices."""
    every = list(lying.values())
    for number, one in enumerate(every):
        for other in every[number + 1 :]:
            if one.component == other.component and one.home != other.home:
                yield VolumeMove(one, other.home, other)


def volumes_text(found: VolumePlacement | None) -> Iterator[str]:
    """Volumes, hot spots and moves for a person; nothing where it makes no difference where they lie."""
    if found is None:
        return
    yield "Volumes cause these utilisations of the links:"
    for one in found.volumes:
        uses = ", ".join(f"`{link}` {100 * share:.0f} %" for link, share in found.uses.get(one.key, {}).items())
        yield f"  {one.title} is on `{found.home(one)}`{f' and causes: {uses}' if uses else ''}."
    for link in found.hot:
        users = {one.title: found.uses.get(one.key, {}).get(link, 0.0) for one in found.volumes}
        most = max(users, key=lambda name: users[name])
        yield f"  `{link}` is a hot spot: volumes cause a utilisation of {100 * found.before[link]:.0f} %."
        if users[most] > CHANGED:
            yield f"  The largest part of that is caused by {most}."
    if not found.moves:
        yield f"  No move of a volume lowers the highest of these utilisations by {100 * GAIN:.0f} % or more."
        return
    for move in found.moves:
        here, there = found.home(move.volume), found.home(move.volume, move.to_home)
        if move.exchanged_with is None:
            yield f"  Move {move.volume.title} from `{here}` to `{there}`:"
        else:
            yield f"  Exchange {move.volume.title} on `{here}` with {move.exchanged_with.title} on `{there}`:"
        yield f"    {' '.join(f'--set {key}={value}' for key, value in move.settings.items())}"
    now = ", ".join(f"`{link}` {100 * share:.0f} %" for link, share in found.after.items())
    yield f"  With the same load the utilisations are then: {now}."
