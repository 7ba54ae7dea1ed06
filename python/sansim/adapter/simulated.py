"""Simulated measurements of an adapter: rows as workloads on its system, and a trace as the trace of a run."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sansim import _core
from sansim.adapter.frames import read_trace
from sansim.adapter.intervals import Between, exchanges_of, intervals_of
from sansim.adapter.measured import Rate
from sansim.adapter.system import Load, System, made
from sansim.adapter.traced import Traced
from sansim.fit.rows import MeasurementError
from sansim.runs.recorders import Capture, Trace, Window
from sansim.simulate import run_scenario

LEAST_ROUNDS = 4
"""A run has at least so many I/Os for each that is in flight."""


def rates_system(given: Sequence[tuple[str, str]], adapter: str | None, seed: int | None) -> Callable[[Rate], System]:
    """The system that is made for a row.

    Raises:
        MeasurementError: There is no such adapter in it.
    """
    if adapter not in (None, "host.adapter"):
        raise MeasurementError(f"without --scenario the adapter is `host.adapter`, and there is no `{adapter}`")

    def system(row: Rate) -> System:
        ports = row.ports or 1
        devices = row.devices or ports
        return made(ports, devices, row.outstanding, given, seed=1 if seed is None else seed, target=False)

    return system


@dataclass(frozen=True)
class RateBench:
    """Where rates are measured."""

    system: Callable[[Rate], System]

    def scenario(self, table: Mapping[str, Any], row: Rate, ios: int) -> _core.Scenario:
        """The scenario of a row, checked.

        Raises:
            ScenarioError: There is no such adapter, or it cannot carry this out.
        """
        load = Load(row.bytes, 0.0 if row.write else 1.0, row.queue_depth, row.in_all)
        return self.system(row).scenario(table, load, max(ios, LEAST_ROUNDS * row.outstanding))

    def rate(self, table: Mapping[str, Any], row: Rate, ios: int) -> float:
        """The I/Os per second of a row.

        Raises:
            ScenarioError: There is no such adapter, or it cannot carry this out.
        """
        result = run_scenario(self.scenario(table, row, ios), collect_ios=False)
        return float(result.summary["iops"])

    def rates(self, table: Mapping[str, Any], rows: Sequence[Rate], ios: int) -> list[float]:
        """The same of several rows, as many at a time as there are processors."""
        if len(rows) < 2:
            return [self.rate(table, row, ios) for row in rows]
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            return list(threads.map(lambda row: self.rate(table, row, ios), rows))


@dataclass(frozen=True)
class TraceBench:
    """Where traces are made."""

    system: System
    load: Load | None
    """The load, if no scenario has it."""
    like: Traced
    """The trace that was measured: of the same form, at the same ports, with as many I/Os."""

    def scenario(self, table: Mapping[str, Any]) -> _core.Scenario:
        """The scenario, checked.

        Raises:
            ScenarioError: There is no such adapter.
        """
        return self.system.scenario(table, self.load, len(self.like.exchanges))

    def word_ns(self, table: Mapping[str, Any]) -> float:
        """How long a word takes.

        Raises:
            ScenarioError: There is no such adapter.
        """
        scenario = self.scenario(table)
        try:
            return scenario.word_time_ns()
        except ValueError:
            # Several networks, or none whose words are known: the time stamps are as exact.
            return 1.0

    def intervals(self, table: Mapping[str, Any]) -> dict[tuple[Between, bool, int], float]:
        """The compared value of each kind of interval, in ns.

        Raises:
            ScenarioError: There is no such adapter.
        """
        scenario = self.scenario(table)
        recorded = self.like.recorded
        stations = {port.removesuffix(" in").removesuffix(" out") for port in recorded.ports}
        known = sorted(stations) if stations <= ports_of(scenario) else []
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "trace"
            kinds = ["command", "xfer-rdy", "data", "response"]
            run_scenario(
                scenario,
                collect_ios=False,
                trace=Trace(file=file, kinds=kinds) if recorded.is_text else None,
                capture=None if recorded.is_text else Capture(file=file, ports=known, payload_bytes=0),
                window=Window(limit=None),
            )
            again = read_trace(file.read_bytes(), "the simulated trace")
        exchanges = exchanges_of(again, len(self.like.exchanges))
        return {one.asked: one.counts for one in intervals_of(exchanges, self.like.side)}


def ports_of(scenario: _core.Scenario) -> set[str]:
    """The ports of the only network; none if there are several."""
    try:
        return set(scenario.ports())
    except ValueError:
        return set()
