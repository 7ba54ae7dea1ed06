"""The devices on each link: the length of strings of drives, how evenly they are used, hot spots, and moves.

A string is a link with the devices behind it (Friedman's word for a loop or bus of drives). The utilisation of a link
is the sum of the demands of its devices, so a string that is too long, or that has the busy devices, is saturated while
others have room. The analytic model calculates the demand of each device; all members of a group have the same, unless
some have more to do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

HOT = 1.2
"""A link or a device that has so many times as much to do as the mean of its like is a hot spot."""
EXACT_WORK = 200_000
"""So many placements are looked at to find the best one; beyond that it is looked for step by step."""
GAIN = 0.05
"""A move that makes the fullest link less full by a smaller share is not worth it.

How the load is shared out is seen of 4,096 requests, so chance
is as large."""
ROUNDING = 1e-12
"""Shares that differ by less are the same."""


@dataclass(frozen=True)
class Item:
    """A device on a link."""

    name: str
    link: str
    takes: float
    """Share of the time in which the link works for it."""
    works: float
    """Share of the time in which it works itself."""
    asker: str = ""
    """The component that uses it: it can only be on links of that."""


@dataclass(frozen=True)
class Move:
    """A device that goes to another link; or two that change places."""

    name: str
    from_link: str
    to_link: str
    exchanged_with: str | None = None


@dataclass(frozen=True)
class Placement:
    """Devices on links, hot spots, and what to move."""

    items: tuple[Item, ...]
    links: Mapping[str, float]
    """Share of the time in which each link works."""
    by_workload: Mapping[str, Mapping[str, float]]
    """How much of that is for each workload."""
    hot_links: tuple[str, ...]
    hot_devices: tuple[str, ...]
    moves: tuple[Move, ...]
    after: Mapping[str, float]
    """The same as `links` when all moves are made."""

    def lengths(self) -> dict[str, int]:
        """Devices on each link."""
        return {link: sum(item.link == link for item in self.items) for link in self.links}

    def as_json(self) -> dict[str, Any]:
        """As `sansim explain --json` has it."""
        return {
            "links": {
                link: {
                    "used": used,
                    "devices": self.lengths()[link],
                    "by_workload": dict(self.by_workload.get(link, {})),
                }
                for link, used in self.links.items()
            },
            "hot_links": list(self.hot_links),
            "hot_devices": list(self.hot_devices),
            "moves": [
                {"device": one.name, "from": one.from_link, "to": one.to_link, "exchanged_with": one.exchanged_with}
                for one in self.moves
            ],
            "after": dict(self.after),
        }


def placement(analysis: Mapping[str, Any]) -> Placement:
    """How the devices of a scenario hang on its links, by what the analytic model says of it."""
    items = tuple(items_of(analysis["carried"]))
    hot_links: list[str] = []
    moves: list[Move] = []
    after: list[Item] = []
    for group in by_asker(items):
        links = used(group)
        found, moved = balanced(group) if len(links) > 1 else ([], list(group))
        hot_links += hot(links)
        moves += found
        after += moved
    return Placement(
        items, used(items), by_workload(analysis), tuple(hot_links), hot_devices(items), tuple(moves), used(after)
    )


def by_workload(analysis: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """How much of each network is used for each workload."""
    networks = {row["network"] for row in analysis["carried"]}
    found: dict[str, dict[str, float]] = {}
    for station in analysis["stations"]:
        if station["component"] in networks:
            of = found.setdefault(station["component"], {})
            for name, share in station["by_workload"].items():
                of[name] = of.get(name, 0.0) + share
    return found


def by_asker(items: Iterable[Item]) -> list[list[Item]]:
    """Devices by who asks for them: those of a group may change places."""
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(item.asker, []).append(item)
    return list(groups.values())


def items_of(carried: Iterable[Mapping[str, Any]]) -> Iterator[Item]:
    """Each device that is on one link. A device on several links cannot be moved."""
    rows = list(carried)
    on: dict[str, set[str]] = {}
    for row in rows:
        for name in row["members"]:
            on.setdefault(name, set()).add(row["network"])
    found: dict[tuple[str, str], Item] = {}
    for row in rows:
        share = row["utilisation"] / len(row["members"])
        for name in row["members"]:
            if len(on[name]) > 1:
                continue
            before = found.get((name, row["network"]), Item(name, row["network"], 0.0, 0.0, row["asker"]))
            found[name, row["network"]] = replace(
                before, takes=before.takes + share, works=max(before.works, row["works"])
            )
    yield from found.values()


def used(items: Iterable[Item]) -> dict[str, float]:
    """How much of each link is used."""
    found: dict[str, float] = {}
    for item in items:
        found[item.link] = found.get(item.link, 0.0) + item.takes
    return found


def hot(links: Mapping[str, float]) -> tuple[str, ...]:
    """Links that have a good deal more to do than the mean."""
    mean = sum(links.values()) / max(len(links), 1)
    return tuple(link for link, share in sorted(links.items(), key=lambda one: -one[1]) if share > HOT * mean > 0)


def hot_devices(items: Sequence[Item]) -> tuple[str, ...]:
    """Devices of a component that have a good deal more to do than the mean of them."""
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(item.name.split("[")[0], []).append(item)
    found = []
    for group in groups.values():
        mean = sum(item.works for item in group) / len(group)
        found += [item for item in group if item.works > HOT * mean > 0]
    return tuple(item.name for item in sorted(found, key=lambda item: -item.works))


def balanced(items: Sequence[Item]) -> tuple[list[Move], list[Item]]:
    """The moves that minimise the utilisation of the busiest link, with as few moves as that needs.

    On small systems the best placement is found by branch and bound; on large ones step by step: the move or exchange
    that helps most, until none does.
    """
    links = sorted(used(items))
    best = exact(items, links) if len(links) ** len(items) <= EXACT_WORK else stepwise(items, links)
    if fullest(items) - fullest(best) < GAIN * fullest(items):
        return [], list(items)
    return moves_of(items, best), best


def fullest(items: Iterable[Item]) -> float:
    """How much of the fullest link is used."""
    return max(used(items).values(), default=0.0)


def exact(items: Sequence[Item], links: Sequence[str]) -> list[Item]:
    """The placement with the fewest moves of those that are as good as the best, but for what is not worth a move."""
    least = fullest(within(items, links, fullest(items), len(items), best=True) or items)
    limit = least + GAIN * fullest(items)
    for moves in range(len(items) + 1):
        if (found := within(items, links, limit, moves)) is not None:
            return found
    return list(items)


def within(
    items: Sequence[Item], links: Sequence[str], limit: float, moves: int, *, best: bool = False
) -> list[Item] | None:
    """A placement with so many moves at most of which no link is fuller than a limit; None if there is none.

    The first that is found, or the best.
    """
    # The largest first, so that what cannot be is seen early.
    order = sorted(range(len(items)), key=lambda place: -items[place].takes)
    where = [item.link for item in items]
    shares = dict.fromkeys(links, 0.0)
    found: list[str] | None = None

    def place(depth: int, moved: int) -> bool:
        nonlocal found, limit
        if moved > moves or max(shares.values()) > limit + ROUNDING:
            return False
        if depth == len(order):
            found = list(where)
            limit = max(shares.values()) - 2 * ROUNDING
            return not best
        number = order[depth]
        item = items[number]
        for link in sorted(links, key=lambda link: (link != item.link, shares[link])):
            shares[link] += item.takes
            where[number] = link
            done = place(depth + 1, moved + (link != item.link))
            shares[link] -= item.takes
            if done:
                return True
        where[number] = item.link
        return False

    place(0, 0)
    return None if found is None else [replace(item, link=link) for item, link in zip(items, found, strict=True)]


def stepwise(items: Sequence[Item], links: Sequence[str]) -> list[Item]:
    """Better and better placements, by a move or an exchange at a time."""
    here = list(items)
    for _ in range(4 * len(items)):
        shares = dict.fromkeys(links, 0.0) | used(here)
        top = max(shares, key=lambda link: shares[link])
        best: tuple[float, list[Item]] | None = None
        for number, item in enumerate(here):
            if item.link != top:
                continue
            for link in links:
                if link != top:
                    best = better(best, shares, here, (number, link), None)
            for other, one in enumerate(here):
                if one.link != top and one.takes < item.takes:
                    best = better(best, shares, here, (number, one.link), (other, top))
        if best is None or best[0] >= shares[top] * (1 - 1e-9):
            break
        here = best[1]
    return here


def better(
    best: tuple[float, list[Item]] | None,
    shares: Mapping[str, float],
    here: list[Item],
    first: tuple[int, str],
    second: tuple[int, str] | None,
) -> tuple[float, list[Item]] | None:
    """The better of the best so far and a placement with some of the devices elsewhere.

    By the fuller of the links concerned.
    """
    after = dict(shares)
    changed = list(here)
    for number, link in (first, second) if second is not None else (first,):
        item = here[number]
        after[item.link] -= item.takes
        after[link] += item.takes
        changed[number] = replace(item, link=link)
    found = max(after.values())
    return (found, changed) if best is None or found < best[0] - ROUNDING else best


def moves_of(before: Sequence[Item], after: Sequence[Item]) -> list[Move]:
    """The changes, exchanges as one."""
    changed = [
        Move(one.name, one.link, other.link) for one, other in zip(before, after, strict=True) if one.link != other.link
    ]
    found: list[Move] = []
    while changed:
        first = changed.pop(0)
        back = next((one for one in changed if (one.from_link, one.to_link) == (first.to_link, first.from_link)), None)
        if back is not None:
            changed.remove(back)
            first = replace(first, exchanged_with=back.name)
        found.append(first)
    return found


def placement_text(found: Placement) -> Iterator[str]:
    """The links, hot spots and moves for a person; nothing where no device could hang on another link."""
    choices = [group for group in by_asker(found.items) if len(used(group)) > 1]
    if not choices:
        return
    lengths = found.lengths()
    yield "Devices cause these utilisations of the links:"
    for link, share in ((link, found.links[link]) for group in choices for link in used(group)):
        many = f"{lengths[link]} device{'s' if lengths[link] > 1 else ''}"
        yield f"  `{link}` has {many} and a utilisation of {100 * share:.0f} %."
    for link in found.hot_links:
        of = found.by_workload.get(link, {})
        most = max(of, key=lambda name: of[name], default=None)
        yield f"  `{link}` is a hot spot: its utilisation is above that of the others."
        if most is not None and len(of) > 1:
            yield f"  The workload `{most}` causes most of the utilisation of `{link}`."
    if found.hot_devices:
        shown = ", ".join(found.hot_devices[:4]) + (", ..." if len(found.hot_devices) > 4 else "")
        yield f"  These devices are hot spots: {shown}."
    if not found.moves:
        yield f"  No move of a device lowers the highest of these utilisations by {100 * GAIN:.0f} % or more."
        return
    for move in found.moves:
        if move.exchanged_with:
            yield f"  Exchange {move.name} on `{move.from_link}` with {move.exchanged_with} on `{move.to_link}`."
        else:
            yield f"  Move {move.name} from `{move.from_link}` to `{move.to_link}`."
    changed = sorted({link for move in found.moves for link in (move.from_link, move.to_link)})
    keys = ", ".join(f"{link}.stations" for link in changed)
    yield f"  These keys list the devices of the links: {keys}."
    single = [move.name.rpartition("[")[0] for move in found.moves if move.exchanged_with is None]
    for group in sorted({name for name in single if name}):
        size = sum(item.name.startswith(f"{group}[") for item in found.items)
        yield f"  Set {group}.count to {size - single.count(group)} to take the moved devices out of the group."
    now = ", ".join(
        f"`{link}` {100 * share:.0f} %" for link, share in found.after.items() if share != found.links[link]
    )
    yield f"  With the same load the utilisations are then: {now}."
