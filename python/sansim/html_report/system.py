"""The system of a resolved scenario: its loops with their stations in order, and its devices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sansim.catalogue import kinds
from sansim.groups import is_group, members

RING = "ring"
"""How networks are drawn that this module is about."""


@dataclass(frozen=True)
class Group:
    """A component with ports on the loop; they stand side by side."""

    name: str
    kind: str
    """The word for its kind."""
    first: int
    """Station number of its first port."""
    count: int
    facts: list[str]
    """Facts about it for the reader, a line each."""
    numbered: bool = True
    """Whether its members have numbers: a host is one by itself."""


@dataclass(frozen=True)
class Station:
    """A port on the loop."""

    number: int
    group: Group

    @property
    def index(self) -> int:
        """Its number within its group."""
        return self.number - self.group.first

    @property
    def name(self) -> str:
        """Its name in the tables."""
        if not self.group.numbered:
            return self.group.name
        component, dot, port = self.group.name.partition(".")
        return f"{component}[{self.index}]{dot}{port}"


@dataclass(frozen=True)
class System:
    """A loop with its stations."""

    loop: str
    facts: list[str]
    """Facts about the loop for the reader."""
    groups: list[Group]
    workloads: list[str]
    """A line for each workload."""

    @property
    def stations(self) -> list[Station]:
        """Every station in the order in which words pass them."""
        return [Station(group.first + i, group) for group in self.groups for i in range(group.count)]

    def number(self, name: str) -> int | None:
        """Station number of a name in the tables; a group of one may be named without index."""
        return self._numbers().get(name)

    def _numbers(self) -> dict[str, int]:
        alone = {group.name: group.first for group in self.groups if group.count == 1}
        return alone | {station.name: station.number for station in self.stations}


def read_systems(scenario: Mapping[str, Any]) -> list[System]:
    """The loops of a resolved scenario. Keys it lacks are left out of the facts."""
    tables = {name: table for name, table in scenario.items() if isinstance(table, dict)}
    rings = {word for word, kind in kinds().items() if kind.drawn == RING}
    return [read_loop(name, tables) for name, table in tables.items() if table.get("kind") in rings]


def read_loop(loop: str, tables: Mapping[str, Any]) -> System:
    """A loop with its stations, and the workloads of the scenario."""
    table = tables[loop]
    groups: list[Group] = []
    first = 0
    for name in as_list(table.get("stations", [])):
        # The port of a component that has several is named behind it: `bridge.front`.
        member = tables.get(name.partition(".")[0], {})
        count = members(member)
        facts = list(group_facts(member, table))
        groups.append(Group(name, str(member.get("kind", "")), first, count, facts, numbered=is_group(member)))
        first += count
    workloads = [(name, t) for name, t in tables.items() if "from" in t and "to" in t]
    return System(
        loop=loop,
        facts=list(loop_facts(table)),
        groups=groups,
        workloads=[workload_fact(name, t) for name, t in workloads],
    )


def devices(summary: Mapping[str, Any]) -> list[Station]:
    """The devices that workloads ask, as the summary names them: members of a group side by side."""
    names = [name.partition("[") for name in summary["devices"]]
    counts = Counter(group for group, _, _ in names)
    groups: dict[str, Group] = {}
    found = []
    for number, (name, bracket, _) in enumerate(names):
        group = groups.setdefault(name, Group(name, "", number, counts[name], [], numbered=bool(bracket)))
        found.append(Station(number, group))
    return found


def as_list(value: Any) -> list[str]:
    """A list of names, of which a single one may stand alone."""
    return [value] if isinstance(value, str) else list(value)


def loop_facts(loop: Mapping[str, Any]) -> Iterator[str]:
    """Lines about a loop."""
    if "speed" in loop:
        word = loop.get("word_time", "exact")
        yield f"{loop['speed']} {str(loop.get('kind', 'loop')).replace('-', ' ')}"
        if word != "exact":
            yield f"word of {word}"
    if "port_delay" in loop:
        yield f"port delay {loop['port_delay']}"
    if "cable" in loop:
        yield f"cables of {loop['cable']}, {loop.get('medium', 'fibre')}"
    if "look_up" in loop:
        yield f"latency {loop.get('latency', '?')}, look-up {loop['look_up']}"
        yield f"arbitration {loop.get('arbitration', 'fair')}"
    for name, enclosure in loop.get("enclosures", {}).items():
        empty = int(enclosure.get("empty_slots", 0))
        slots = f", {empty} empty slots" if empty else ""
        yield f"{name}: {str(enclosure.get('kind', '')).upper()} of {', '.join(enclosure.get('holds', []))}{slots}"
    for name, switch in loop.get("cascaded", {}).items():
        yield f"{name}: cascaded switch of {', '.join(switch.get('holds', []))}"


def group_facts(member: Mapping[str, Any], loop: Mapping[str, Any]) -> Iterator[str]:
    """Lines about a component on the loop; of its port only what differs from the loop's default."""
    kind, port = member.get("kind"), member.get("port", {})
    if kind == "host":
        yield f"schedule {member.get('schedule', 'fair')}"
    if kind == "drives":
        yield f"{member.get('model', 'disk')}, access {time_text(member.get('access_time', '0 ns'))}"
        yield f"transfer {member.get('transfer_rate', '?')}"
    if "incoming_buffers" in port:
        duplex = "full" if port.get("full_duplex") else "half"
        yield f"{port['incoming_buffers']} buffers, login credit {port.get('login_credit', 0)}, {duplex} duplex"
    own = [f"{what} {port[key]}" for key, what in (("delay", "port delay"), ("cable", "cable")) if key in port]
    if own and any(port.get(k) not in (None, loop.get(d)) for k, d in (("delay", "port_delay"), ("cable", "cable"))):
        yield ", ".join(own)


def workload_fact(name: str, workload: Mapping[str, Any]) -> str:
    """A line about a workload. If it is not closed, the line has its kind and its streams."""
    from_, to = (", ".join(as_list(workload[key])) for key in ("from", "to"))
    if workload.get("kind", "closed") != "closed":
        streams = ", ".join(workload.get("streams", {}))
        return f"{name}: {from_} → {to}, {workload['kind']}" + (f" of {streams}" if streams else "")
    reads = float(workload.get("read_fraction", 1.0))
    mixture = "reads" if reads == 1 else "writes" if reads == 0 else f"{reads * 100:g} % reads"
    per = "in all" if workload.get("queue_depth_per") == "all" else "per drive"
    return (
        f"{name}: {from_} → {to}, {workload.get('size', '?')}, {mixture}, "
        f"queue depth {workload.get('queue_depth', 1)} {per}"
    )


def time_text(value: Any) -> str:
    """A time, or a distribution of times, in words."""
    if not isinstance(value, dict):
        return str(value)
    rest = ", ".join(f"{key} {v}" for key, v in value.items() if key != "distribution")
    return f"{value.get('distribution', '')}, {rest}"
