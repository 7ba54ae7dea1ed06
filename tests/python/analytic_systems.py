"""Random systems inside the domain of the analytic model, and how near it comes to their simulation."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sansim import _core
from sansim.simulate import run_scenario

IOS = 4000
"""Measured I/Os: their mean response time is known to some percent."""
THROUGHPUT = 0.05
UTILISATION = 0.05
RESPONSE = 0.15
FIGURES = {
    "drive": "utilisation",
    "arm": "utilisation",
    "memory": "utilisation",
    "cache_memory": "utilisation",
    "loop": "owned",
    "main_processor": "processor",
    "dma": "dma",
    "calculation": "calculation",
    "controller_processors": "controller_processors",
    "bridge": "bridge",
    "system_bus": "system_bus",
    "controller_memory": "controller_memory",
}
"""What results call the use of a station."""


@dataclass(frozen=True)
class Compared:
    """The analytic model beside a run."""

    family: str
    number: int
    outside: list[str]
    throughput: float
    """How far it is off, as a part of what was simulated."""
    utilisation: float
    """The largest difference of any station."""
    response: float | None
    """As a part of what was simulated; None where response times do not settle."""

    @property
    def holds(self) -> tuple[bool, bool, bool]:
        """Whether throughput, utilisation and response are as near as they are to be."""
        near = self.response is not None and abs(self.response) <= RESPONSE
        return abs(self.throughput) <= THROUGHPUT, self.utilisation <= UTILISATION, near


def access(r: random.Random) -> str:
    """An access time."""
    mean = r.choice([1, 2, 4, 6])
    return r.choice(
        [
            f'"{mean} ms"',
            f'{{ distribution = "exponential", mean = "{mean} ms" }}',
            f'{{ distribution = "uniform", low = "{0.5 * mean} ms", high = "{1.5 * mean} ms" }}',
        ]
    )


def drives(r: random.Random, least: int = 1) -> tuple[str, int, float]:
    """A group of drives, how many they are, and about how many milliseconds an I/O takes there."""
    count = r.randint(least, 10)
    time = access(r)
    mean = float(next(word for word in time.replace('"', " ").split() if word.replace(".", "").isdigit()))
    if "uniform" in time:
        mean *= 2
    text = f'[drives]\nkind = "drives"\ncount = {count}\ncapacity = "1 GiB"\naccess_time = {time}\n'
    return text + f'transfer_rate = "{r.choice([50, 100, 400])} MB/s"\n', count, mean


def load(r: random.Random, target: str, rate_per_s: float, *, per_drive: bool = True) -> str:
    """A workload: closed, or open at a part of what can be done."""
    size = f'"{r.choice([4, 8, 16, 32, 64])} KiB"'
    reads = r.choice([0.0, 0.5, 0.67, 1.0])
    head = f'[load]\nfrom = "host"\nto = ["{target}"]\nsize = {size}\nread_fraction = {reads}\n'
    kind = r.choice(["closed", "open"])
    if kind == "open":
        rate = rate_per_s * r.uniform(0.2, 0.7)
        return head + f'kind = "synthetic"\narrivals = {{ process = "poisson", rate = "{rate:.3f}/s" }}\n'
    per = r.choice(["drive", "all"]) if per_drive else "all"
    depth = r.randint(1, 4) if per == "drive" else r.randint(1, 24)
    return (
        head
        + f'kind = "closed"\nqueue_depth = {depth}\nqueue_depth_per = "{per}"\nthink_time = "{r.choice([0, 5])} ms"\n'
    )


QUICK_MS = 1.5
"""About what an I/O takes of a drive that positions in 0.2 ms: 64 KiB at 50 MB/s are 1.3 ms."""
MOST_OF_A_LINK = 2500.0
"""I/Os per second of 64 KiB that a link of 2GFC carries, with room."""
RUN = f"[run]\nmeasured_ios = {IOS}\nwarm_up = 300\n"


def on_a_loop(r: random.Random) -> str:
    """A host and drives on a loop."""
    group, count, mean = drives(r)
    speed = r.choice(["1GFC", "2GFC", "4GFC"])
    return (
        RUN
        + f'[loop]\nkind = "arbitrated-loop"\nspeed = "{speed}"\nstations = ["host", "drives"]\n'
        + f'[host]\nkind = "host"\nschedule = "{r.choice(["fair", "unfair"])}"\n'
        + group
        + load(r, "drives", count * 1000 / (mean + 1))
    )


def at_a_switch(r: random.Random) -> str:
    """A host and drives at one switch of a fabric.

    The drives of half of them are so quick that the links have more to do.
    """
    group, count, mean = drives(r)
    quick = r.random() < 0.5
    if quick:
        times = r.choice(['"100 us"', '{ distribution = "uniform", low = "100 us", high = "300 us" }'])
        group, mean = re.sub(r"access_time = .*", f"access_time = {times}", group), QUICK_MS
    return (
        RUN
        + f'[san]\nkind = "fabric"\nspeed = "{r.choice(["2GFC", "4GFC", "8GFC"])}"\nstations = ["host", "drives"]\n'
        + '[host]\nkind = "host"\n'
        + group
        + load(r, "drives", min(count * 1000 / (mean + 1), MOST_OF_A_LINK))
    )


def several_switches(r: random.Random) -> str:
    """One or two hosts and drives at several switches.

    Often the links between these have more to do than any other.
    """
    group, count, mean = drives(r, 2)
    if r.random() < 0.6:
        group, mean = re.sub(r"access_time = .*", 'access_time = "100 us"', group), QUICK_MS
    topology = r.choice(
        [
            f'topology = "core-edge"\ncores = {r.randint(1, 2)}\nedges = {r.randint(2, 3)}\n',
            'topology = "tree"\nleaves = 4\n',
            f'topology = "given"\n[san.switches.near]\nstations = ["host", "other"]\n[san.switches.far]\n'
            f'stations = ["drives"]\n[san.links.between]\nfrom = "near"\nto = "far"\ncount = {r.randint(1, 2)}\n'
            f'cable = "{r.choice([10, 10_000])} m"\n',
        ]
    )
    routing = r.choice(["deterministic", "exchange"])
    hosts = r.randint(1, 2)
    first = load(r, "drives", min(count * 1000 / (mean + 1), MOST_OF_A_LINK) / hosts)
    second = load(r, "drives", min(count * 1000 / (mean + 1), MOST_OF_A_LINK) / hosts)
    second = second.replace("[load]", "[load-2]").replace('from = "host"', 'from = "other"')
    return (
        RUN
        + f'[san]\nkind = "fabric"\nspeed = "{r.choice(["1GFC", "2GFC", "4GFC"])}"\nrouting = "{routing}"\n'
        + 'stations = ["host", "other", "drives"]\nswitch.buffers = 16\n'
        + topology
        + '[host]\nkind = "host"\n[other]\nkind = "host"\n'
        + group
        + first
        + (second if hosts == 2 else "")
    )


def on_a_loop_switch(r: random.Random) -> str:
    """A host and drives at a loop switch."""
    speed = r.choice(["1GFC", "2GFC", "4GFC"])
    policy = r.choice(["fair", "controller-first", "rotating"])
    text = on_a_loop(r).replace("arbitrated-loop", "loop-switch")
    return re.sub(r'speed = ".*"', f'speed = "{speed}"\narbitration = "{policy}"', text, count=1)


def with_processors(r: random.Random) -> str:
    """Drives that a host asks without a network.

    With processors that learn of what is done by interrupts or by polling.
    """
    group, count, mean = drives(r)
    model = r.choice(
        [
            '{ model = "interrupts", count = 2, interrupt_time = "12 us" }',
            '{ model = "polling", count = 2, threads = 2, poll_time = "1 us" }',
        ]
    )
    times = f'arrival_time = "{r.choice([20, 100, 200])} us", completion_time = "{r.choice([20, 100])} us"'
    return (
        RUN
        + f'[host]\nkind = "host"\nattached = ["drives"]\ndriver = {{ {times} }}\nprocessors = {model}\n'
        + group
        + load(r, "drives", count * 1000 / (mean + 1))
    )


def attached(r: random.Random) -> str:
    """Drives that a host asks without a network."""
    group, count, mean = drives(r)
    return RUN + '[host]\nkind = "host"\nattached = ["drives"]\n' + group + load(r, "drives", count * 1000 / (mean + 1))


def array(r: random.Random) -> str:
    """An array that a host asks without a network."""
    group, count, mean = drives(r, 4)
    level = r.choice(["0", "1+0", "5", "6"] if count % 2 == 0 else ["0", "5", "6"])
    return (
        RUN
        + '[host]\nkind = "host"\nattached = ["array"]\n'
        + f'[array]\nkind = "raid"\nto = ["drives"]\nstripe_unit = "{r.choice([16, 64])} KiB"\n'
        + f'layout = {{ level = "{level}" }}\n'
        + group
        + load(r, "array", count * 1000 / (mean + 1) / 6, per_drive=False)
    )


def appliance(r: random.Random) -> str:
    """A controller with an array behind a loop, with resources that its modules share."""
    group, count, mean = drives(r, 4)
    level = r.choice(["0", "5", "6"])
    return (
        RUN
        + f'[front]\nkind = "arbitrated-loop"\nspeed = "{r.choice(["2GFC", "4GFC"])}"\n'
        + 'stations = ["host", "controller.front"]\n'
        + '[host]\nkind = "host"\nschedule = "unfair"\n'
        + '[controller]\nkind = "controller"\nto = ["array"]\n[controller.front]\ncommand_time = "20 us"\n'
        + '[controller.resources]\nprocessors = 2\ncommand = { time = "20 us" }\nmapping = { time = "20 us" }\n'
        + 'xor = { time = "5 us", bandwidth = "1 GB/s" }\nsystem_bus = { bandwidth = "2 GB/s" }\n'
        + f'[array]\nkind = "raid"\nto = ["drives"]\ninside = "controller"\nlayout = {{ level = "{level}" }}\n'
        + group
        + load(r, "controller", count * 1000 / (mean + 1) / 6, per_drive=False)
    )


def cached(r: random.Random) -> str:
    """Drives behind a cache that is warm, at which every place is as likely as another."""
    group, count, mean = drives(r, 2)
    share = r.choice([0.1, 0.3, 0.6])
    text = load(r, "cache", count * 1000 / (mean + 1), per_drive=False)
    mode = r.choice(["through", "back"])
    return (
        RUN.replace("warm_up = 300", 'warm_up = 300\nfunctional_warm_up = "settled"')
        + '[host]\nkind = "host"\nattached = ["cache"]\n'
        + f'[cache]\nkind = "cache"\nto = ["drives"]\ncapacity = "{int(share * 64 * count)} MiB"\n'
        + 'look_up_time = "20 us"\n'
        + f'memory_bandwidth = "2 GB/s"\nwrite = {{ mode = "{mode}" }}\n'
        + group.replace("1 GiB", "64 MiB")
        + text
    )


FAMILIES: Mapping[str, Callable[[random.Random], str]] = {
    "loop": on_a_loop,
    "attached": attached,
    "array": array,
    "appliance": appliance,
    "cached": cached,
    "fabric": at_a_switch,
    "processors": with_processors,
    "several switches": several_switches,
    "loop switch": on_a_loop_switch,
}


def compared(number: int, families: Mapping[str, Callable[[random.Random], str]] = FAMILIES) -> Compared:
    """The system of a number, worked out and simulated."""
    family = list(families)[number % len(families)]
    text = families[family](random.Random(number))
    scenario = _core.Scenario.parse(text, f"{family} {number}", [])
    analysis: dict[str, Any] = json.loads(scenario.analyse())
    summary = run_scenario(scenario, collect_ios=False).summary
    return beside(family, number, analysis, summary)


def beside(family: str, number: int, analysis: Mapping[str, Any], summary: Mapping[str, Any]) -> Compared:
    """How far an analysis is from a run."""
    response = summary["response_time_ns"]
    far = None
    if response is not None and response["mean"] and analysis["response_ns"] is not None:
        far = analysis["response_ns"] / response["mean"] - 1
    iops = (analysis["iops"] or 0.0) / summary["iops"] - 1
    return Compared(family, number, analysis["outside"], iops, utilisation(analysis, summary), far)


def utilisation(analysis: Mapping[str, Any], summary: Mapping[str, Any]) -> float:
    """The largest difference of any station that results tell of."""
    # Some of a group may be told apart; results have the mean of all of it.
    works: dict[tuple[str, str], list[tuple[float, int]]] = {}
    for station in analysis["stations"]:
        figure = FIGURES.get(station["server"])
        place = station["place"] if station["place"] in summary["components"] else station["component"]
        if figure is not None and figure in summary["components"].get(place, {}):
            works.setdefault((place, figure), []).append((station["utilisation"], station["alike"]))
    largest = 0.0
    for (place, figure), parts in works.items():
        mean = sum(use * alike for use, alike in parts) / sum(alike for _, alike in parts)
        largest = max(largest, abs(mean - summary["components"][place][figure]))
    return largest
