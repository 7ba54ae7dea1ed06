"""A scenario as a graph: its components, their ports, and the links between them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from sansim._core import Scenario

FRAMES = "frames"
"""The unit of flow between a port and a network; elsewhere it is requests."""


@dataclass(frozen=True)
class Port:
    """A port of a component by which frames pass."""

    name: str
    side: str
    """The role behind it: `initiator`, `target`, or `passive` where it only repeats."""
    on: str
    """Its network."""


@dataclass(frozen=True)
class Node:
    """A node of a network that has several places."""

    name: str
    """That of the member: `drives[3]`."""
    listed: str
    """As `stations` has it: `drives`."""
    at: str
    """The place where it is."""


@dataclass(frozen=True)
class Inside:
    """The inside of a network of several places: the switches of a fabric."""

    places: tuple[str, ...]
    links: tuple[Link, ...]
    """The links between these. The unit of flow is frames."""
    nodes: tuple[Node, ...]


@dataclass(frozen=True)
class Component:
    """A component; a group is one."""

    name: str
    kind: str
    members: int
    ports: tuple[Port, ...]
    inside: Inside | None = None
    within: str | None = None
    """The controller of which it is a module."""


@dataclass(frozen=True)
class Link:
    """Two ends that are joined, by the names of components or of their ports."""

    start: str
    end: str
    flows: str
    """`frames`, or `requests`: these from who asks to who serves."""


@dataclass(frozen=True)
class Graph:
    """Components and links, in the order of the scenario."""

    components: tuple[Component, ...]
    links: tuple[Link, ...]

    @classmethod
    def of(cls, scenario: Scenario) -> Self:
        """The graph of a scenario that has been read."""
        view: Mapping[str, Any] = json.loads(scenario.graph_json())
        return cls(
            tuple(
                Component(
                    one["name"],
                    one["kind"],
                    one["members"],
                    tuple(Port(port["name"], port["side"], port["on"]) for port in one["ports"]),
                    inside(one["inside"]),
                    one.get("within"),
                )
                for one in view["components"]
            ),
            tuple(Link(one["from"], one["to"], one["flows"]) for one in view["links"]),
        )

    def ways(self) -> Iterator[tuple[str, str, str]]:
        """Each link as components in the direction in which commands go, and what flows there."""
        owner = {port.name: (component.name, port.side) for component in self.components for port in component.ports}
        for link in self.links:
            name, side = owner.get(link.start, (link.start, ""))
            if link.flows == FRAMES and side != "initiator":
                yield link.end, name, link.flows
            else:
                yield name, link.end, link.flows

    def layers(self) -> list[list[Component]]:
        """The components in columns, so that commands go from left to right: each follows all that use it."""
        ways = [(start, end) for start, end, _ in self.ways()]
        depth = {component.name: 0 for component in self.components}
        # A ring, of controllers that ask each other say, must not go on for ever.
        for _ in self.components:
            deeper = {end: depth[start] + 1 for start, end in ways if depth[end] <= depth[start] < len(depth)}
            if not deeper:
                break
            depth.update(deeper)
        used = sorted(set(depth.values()))
        return [[component for component in self.components if depth[component.name] == layer] for layer in used]

    def text(self) -> str:
        """Components, ports and links as lines of text, ending in a line break."""
        names = [(named(one), one.kind) for one in self.components]
        wide, kinds = (max((len(row[place]) for row in names), default=0) for place in (0, 1))
        lines = ["components"]
        for (name, kind), one in zip(names, self.components, strict=True):
            ports = ", ".join(f"{port.name} on {port.on} ({port.side})" for port in one.ports)
            notes = [f"port {ports}"] * bool(ports) + [f"inside {one.within}"] * (one.within is not None)
            lines.append(f"  {name:<{wide}}  {kind:<{kinds}}  {', '.join(notes)}".rstrip())
        lines.append("links")
        ends = max((len(link.start) for link in self.links), default=0)
        lines += [f"  {link.start:<{ends}} -> {link.end}, {link.flows}" for link in self.links]
        lines += [line for one in self.components for line in inside_lines(one)]
        return "\n".join(lines) + "\n"


def inside(view: Mapping[str, Any] | None) -> Inside | None:
    """The inside of a network, if it has several places."""
    if view is None:
        return None
    return Inside(
        tuple(view["places"]),
        tuple(Link(link["from"], link["to"], FRAMES) for link in view["links"]),
        tuple(Node(node["name"], node["listed"], node["at"]) for node in view["nodes"]),
    )


def inside_lines(component: Component) -> Iterator[str]:
    """A line for each place of a network that has several: where its links go, and which nodes are there."""
    if component.inside is None:
        return
    yield f"inside {component.name}"
    wide = max(len(place) for place in component.inside.places)
    for place in component.inside.places:
        ends = [
            link.end if link.start == place else link.start
            for link in component.inside.links
            if place in (link.start, link.end)
        ]
        groups = Counter(node.listed for node in component.inside.nodes if node.at == place)
        nodes = [
            name if count == 1 and name in kinds_of_one(component.inside) else f"{count:,} of {name}"
            for name, count in groups.items()
        ]
        parts = [f"to {', '.join(end.rpartition('.')[2] for end in ends)}"] if ends else []
        parts += [f"nodes {', '.join(nodes)}"] if nodes else []
        yield f"  {place:<{wide}}  {'; '.join(parts)}".rstrip()


def kinds_of_one(inside: Inside) -> set[str]:
    """The stations that are a single node."""
    counts = Counter(node.listed for node in inside.nodes)
    return {name for name, count in counts.items() if count == 1}


def named(component: Component) -> str:
    """The name of a component; of a group with the number of its members."""
    return component.name if component.members == 1 else f"{component.name} x {component.members:,}"
