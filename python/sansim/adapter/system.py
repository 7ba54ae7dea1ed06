"""The system in which an adapter is measured: that of a scenario, or ports that lead to devices that take no time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sansim import _core
from sansim.fit.rows import MeasurementError
from sansim.toml_text import toml_text

PORT_KEYS = ("frames_per_tenancy",)
"""Keys that are fitted and stand in the table of the port, not in that of the adapter."""
SPEED = "2GFC"
IDEAL_RATE = "1000 GB/s"
"""The rate of a device that takes no time: the highest rate that there is."""
DRIVER_LIMIT = 255
"""Default limit of outstanding requests of drivers."""
NAME = "the system of the fit"


@dataclass(frozen=True)
class Load:
    """The load of the adapter."""

    size: int
    read_fraction: float
    queue_depth: int
    in_all: bool
    """Whether the depth is that of all devices together."""

    @property
    def keys(self) -> dict[str, Any]:
        """The keys of a workload."""
        return {
            "size": f"{self.size} B",
            "read_fraction": self.read_fraction,
            "queue_depth": self.queue_depth,
            "queue_depth_per": "all" if self.in_all else "drive",
        }


@dataclass(frozen=True)
class System:
    """The system around the adapter, and the place of its keys."""

    file: str | None
    """The scenario; None for the system that is made here."""
    given: tuple[tuple[str, str], ...]
    """Settings: with a dot keys of the scenario, without keys of the adapter."""
    adapters: tuple[str, ...]
    """The tables of the adapters that are fitted, all alike, as `host.adapter`."""
    ports_of: Mapping[str, str]
    """The table of the port of each."""
    initiates: bool
    """Whether they ask; if not they serve."""
    workload: str = "workload"
    ports: int = 1
    devices: int = 1
    outstanding: int = 1
    seed: int | None = None
    """The seed of all runs, if it is not that of the scenario."""
    tables: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """The tables that are generated here."""

    def full(self, key: str) -> list[str]:
        """A key of the adapter as keys of the scenario."""
        if key in PORT_KEYS:
            return [f"{self.ports_of[one]}.{key}" for one in self.adapters]
        return [f"{one}.{key}" for one in self.adapters]

    def spread(self, key: str) -> list[str]:
        """A key that is given as keys of the scenario: of what is made here for each port it is said once for all."""
        if "." not in key:
            return self.full(key)
        if self.file is not None or self.ports == 1:
            return [key]
        numbers = range(1, self.ports + 1)
        for begin, many in (
            ("loop.", "loop-{}."),
            ("drives.", "drives-{}."),
            ("host.adapter.", "host.adapters.port-{}."),
            ("host.port.", "host.adapters.port-{}.port."),
        ):
            if key.startswith(begin):
                return [many.format(number) + key.removeprefix(begin) for number in numbers]
        return [key]

    def overrides(self, table: Mapping[str, Any], load: Load | None, ios: int) -> list[tuple[str, str]]:
        """The values beside the scenario."""
        found = [("run.measured_ios", str(ios))]
        if self.seed is not None:
            found.append(("run.seed", str(self.seed)))
        if load is not None and self.file is not None:
            found += [(f"{self.workload}.{key}", str(value)) for key, value in load.keys.items()]
        found += [(full, value) for key, value in self.given for full in self.spread(key)]
        found += [(full, str(value)) for key, value in table.items() for full in self.full(key)]
        return found

    def scenario(self, table: Mapping[str, Any], load: Load | None, ios: int) -> _core.Scenario:
        """The scenario in which an adapter with these keys is asked for this.

        Raises:
            ScenarioError: There is none such.
        """
        overrides = self.overrides(table, load, ios)
        if self.file is not None:
            return _core.Scenario.load(self.file, overrides, "--set")
        return _core.Scenario.parse(self.text(load), NAME, overrides, "--set")

    def text(self, load: Load | None) -> str:
        """The generated system, as a scenario."""
        workload = {**self.tables["workload"], **({} if load is None else load.keys)}
        return toml_text({**self.tables, "workload": workload})

    def given_of(self, keys: Iterable[str]) -> set[str]:
        """The given ones of these keys of the adapter."""
        mine = {full: key for key in keys for full in self.full(key)}
        return {mine[full] for key, _ in self.given for full in self.spread(key) if full in mine}


def made(
    ports: int, devices: int, outstanding: int, given: Iterable[tuple[str, str]], *, seed: int | None, target: bool
) -> System:
    """A host with so many ports, each on a loop of its own with its part of the devices."""
    names = [f"-{number}" for number in range(1, ports + 1)] if ports > 1 else [""]
    tables: dict[str, Any] = {}
    host: dict[str, Any] = {"kind": "host", "driver": {"outstanding_limit": max(outstanding, DRIVER_LIMIT)}}
    adapters = []
    for name in names:
        station = "host" if ports == 1 else f"host.adapters.port{name}"
        tables[f"loop{name}"] = {
            "kind": "arbitrated-loop",
            "speed": SPEED,
            "stations": [station, f"drives{name}"],
        }
        tables[f"drives{name}"] = {
            "kind": "drives",
            "count": devices // ports,
            "model": "ram",
            "transfer_rate": IDEAL_RATE,
            "adapter": {"dma_bandwidth": IDEAL_RATE},
        }
        if target:
            adapters.append((f"drives{name}.adapter", f"drives{name}.port"))
        elif ports == 1:
            adapters.append(("host.adapter", "host.port"))
        else:
            adapters.append((station, f"{station}.port"))
    if ports > 1:
        host["adapters"] = {f"port{name}": {"max_payload": "2048 B"} for name in names}
    tables["host"] = host
    tables["title"] = "An adapter, and devices that take no time"
    tables["workload"] = {"kind": "closed", "from": "host", "to": [f"drives{name}" for name in names]}
    return System(
        file=None,
        given=tuple(given),
        adapters=tuple(adapter for adapter, _ in adapters),
        ports_of=dict(adapters),
        initiates=not target,
        ports=ports,
        devices=devices,
        outstanding=outstanding,
        seed=seed,
        tables=tables,
    )


def of_scenario(
    file: str | os.PathLike[str], given: Sequence[tuple[str, str]], adapter: str | None, *, seed: int | None
) -> System:
    """The system of a scenario.

    Raises:
        ScenarioError: It is none, or not with what is given.
        MeasurementError: It does not say which adapter is meant, or has no one workload that a table can be asked of.
    """
    name = os.fspath(file)
    dotted = [(key, value) for key, value in given if "." in key]
    settings = {one.key: one.value for one in _core.Scenario.load(name, dotted, "--set").settings()}
    tables = [key.removesuffix(".dma_bandwidth") for key in settings if key.endswith(".dma_bandwidth")]
    kinds = {table: settings.get(f"{table.split('.')[0]}.kind") for table in tables}
    if adapter is None:
        chosen = [table for table in tables if kinds[table] == "host"]
        if not chosen:
            raise MeasurementError(f"{name}: no host has an adapter; say which one is fitted by --adapter")
    elif adapter in tables:
        chosen = [adapter]
    else:
        near = _core.nearest(adapter, tables)
        hint = "" if near is None else f", did you mean {near}?"
        raise MeasurementError(f"{name} has no adapter `{adapter}`{hint}; there are {', '.join(tables)}")
    ports = {}
    for table in chosen:
        beside = [f"{table}.port", f"{table.rpartition('.')[0]}.port"]
        ports[table] = next((one for one in beside if f"{one}.incoming_buffers" in settings), beside[0])
    loads = [key.removesuffix(".queue_depth_per") for key in settings if key.endswith(".queue_depth_per")]
    return System(
        file=name,
        given=tuple(given),
        adapters=tuple(chosen),
        ports_of=ports,
        initiates=kinds[chosen[0]] == "host",
        workload=loads[0] if len(loads) == 1 else "",
        seed=seed,
    )


def one_workload(system: System) -> None:
    """Refuses a scenario whose workload cannot be that of the rows of a table.

    Raises:
        MeasurementError: It has none of `kind = "closed"`, or several.
    """
    if not system.workload:
        raise MeasurementError(
            f"{system.file}: rows are asked for by one workload of kind `closed`, and it has none or several"
        )
