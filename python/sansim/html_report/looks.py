"""How each component looks: the same colour, dashes and marker in every chart of a report, and in both of its runs.

A part of a component, such as a switch of a fabric or an adapter of a host, has the colour of the component and
dashes of its own. From the ninth component on colours are used again, with markers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sansim.doubts import workloads_of
from sansim.html_report.style import FAINT, SERIES

if TYPE_CHECKING:
    from sansim.components import Graph
    from sansim.html_report.folder import RunFolder

DASHES: tuple[str | tuple[float, tuple[float, ...]], ...] = (
    "-",
    (0.0, (4.0, 1.5)),
    (0.0, (1.2, 1.2)),
    (0.0, (6.0, 1.5, 1.2, 1.5)),
    (0.0, (9.0, 2.0)),
    (0.0, (3.0, 1.0, 1.0, 1.0, 1.0, 1.0)),
)
MARKERS = ("", "o", "s", "^", "D", "v")
MARKS_ON_A_LINE = 12
"""So many markers on each line tell it from another one, and do not hide it."""


@dataclass(frozen=True)
class Look:
    """The look of a component in charts."""

    colour: str
    dashes: str | tuple[float, tuple[float, ...]] = "-"
    marker: str = ""

    def line(self, points: int) -> dict[str, Any]:
        """The arguments for a line with so many points."""
        every = max(points // MARKS_ON_A_LINE, 1)
        mark = {"marker": self.marker, "markevery": every, "markersize": 3.2} if self.marker else {}
        return {"color": self.colour, "linestyle": self.dashes, **mark}


@dataclass(frozen=True)
class Looks:
    """The looks of the components and of the workloads of a report."""

    components: dict[str, list[str]] = field(default_factory=dict)
    """The components in order, each with its parts."""
    loads: list[str] = field(default_factory=list)
    """The workloads and streams."""

    def of(self, name: str) -> Look:
        """The look of a component, or of a part of one."""
        name = without_numbers(name)
        whole = name.partition(".")[0]
        if whole not in self.components:
            return Look(FAINT)
        parts = self.components[whole]
        return numbered(list(self.components).index(whole), parts.index(name) + 1 if name in parts else 0)

    def in_order(self, names: Iterable[str]) -> list[str]:
        """Components and parts, each once, in the order of their looks."""
        every = [one for whole, parts in self.components.items() for one in (whole, *parts)]
        return sorted(set(names), key=lambda name: (every.index(name) if name in every else len(every), name))

    def of_load(self, name: str) -> Look:
        """The look of a workload, or of a stream `workload.stream`."""
        number = self.loads.index(name)
        return numbered(number, number // len(SERIES))


def numbered(number: int, part: int) -> Look:
    """The look of a component with a number, or of one of its parts, which count from 1."""
    return Look(
        SERIES[number % len(SERIES)],
        DASHES[part % len(DASHES)],
        MARKERS[number // len(SERIES) % len(MARKERS)],
    )


def without_numbers(name: str) -> str:
    """The name of a component without the numbers of members: `drives[3].adapters.left` as `drives.adapters.left`."""
    return re.sub(r"\[\d+\]", "", name)


def looks_of(runs: Sequence[RunFolder]) -> Looks:
    """The looks of all that the runs have: in the order of the first run, then what only the second has."""
    components: dict[str, list[str]] = {}
    loads: list[str] = []
    for run in runs:
        for name in map(without_numbers, names(run)):
            parts = components.setdefault(name.partition(".")[0], [])
            if "." in name and name not in parts:
                parts.append(name)
        for name, workload in workloads_of(run.summary).items():
            loads += [name, *(f"{name}.{stream}" for stream in workload.get("streams") or ())]
    return Looks(components, list(dict.fromkeys(loads)))


def looks_of_graph(system: Graph) -> Looks:
    """The looks of a scenario that was not run, the same as in a report of a run of it: its loads have none."""
    asked = {link.end.partition(".")[0] for link in system.links}
    parts = [one.name for one in system.components if one.ports or one.inside or one.name in asked]
    return Looks({name: [] for name in parts})


def names(run: RunFolder) -> Iterable[str]:
    """The components of a run: those of the summary, and behind them parts that only samples have."""
    sampled = [] if run.samples is None else sorted(run.samples["component"].unique().to_list())
    return [*run.summary["components"], *sampled]
