"""Simulated measurements of a drive: each row as a workload of a host on a drive with nothing between."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from sansim import _core
from sansim.drive.measured import Measured
from sansim.simulate import run_scenario
from sansim.toml_text import toml_text

LEAST_ROUNDS = 4
"""A run has at least so many I/Os for each that is in flight."""
DRIVER_LIMIT = 255
"""Default limit of outstanding requests of drivers."""


@dataclass(frozen=True)
class Bench:
    """Where drives are measured."""

    given: tuple[tuple[str, str], ...] = ()
    """Keys of the drive that the user gave, with their values as TOML or as a plain text."""
    seed: int = 1
    """The seed of all runs, so that two drives get the same requests."""

    def scenario(self, drive: Mapping[str, Any], row: Measured, ios: int) -> dict[str, Any]:
        """A row as a scenario."""
        return {
            "run": {"measured_ios": max(ios, LEAST_ROUNDS * row.queue_depth), "seed": self.seed},
            "host": {
                "kind": "host",
                "attached": ["drive"],
                "driver": {"outstanding_limit": max(row.queue_depth, DRIVER_LIMIT)},
            },
            "drive": dict(drive),
            "workload": {
                "kind": "closed",
                "from": "host",
                "to": ["drive"],
                "size": f"{row.bytes} B",
                "read_fraction": 0.0 if row.write else 1.0,
                "pattern": row.pattern,
                "queue_depth": row.queue_depth,
            },
        }

    def read(self, drive: Mapping[str, Any], row: Measured, ios: int) -> _core.Scenario:
        """The scenario of a row, checked.

        Raises:
            ScenarioError: There is no such drive, or it cannot carry this out.
        """
        given = [(f"drive.{key}", value) for key, value in self.given]
        return _core.Scenario.parse(toml_text(self.scenario(drive, row, ios)), row.place, given, "--set")

    def resolved(self, kind: str, row: Measured) -> dict[str, Any]:
        """The keys that a drive of a kind has with what is given.

        Raises:
            ScenarioError: What is given is wrong.
        """
        settings = self.read({"kind": kind}, row, LEAST_ROUNDS).settings()
        begin = "drive."
        return {one.key.removeprefix(begin): one.value for one in settings if one.key.startswith(begin)}

    def response_ns(self, drive: Mapping[str, Any], row: Measured, ios: int) -> float:
        """The mean response time of a row.

        Raises:
            ScenarioError: There is no such drive, or it cannot carry this out.
        """
        result = run_scenario(self.read(drive, row, ios), collect_ios=False)
        return float(result.summary["response_time_ns"]["mean"])

    def responses_ns(self, drive: Mapping[str, Any], rows: Sequence[Measured], ios: int) -> list[float]:
        """The same of several rows, as many at a time as there are processors."""
        if len(rows) < 2:
            return [self.response_ns(drive, row, ios) for row in rows]
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            return list(threads.map(lambda row: self.response_ns(drive, row, ios), rows))


def keys_given(settings: Iterable[tuple[str, str]]) -> set[str]:
    """The keys that are given, and those that they are within."""
    return {
        ".".join(parts[:length])
        for key, _ in settings
        for parts in [key.split(".")]
        for length in range(1, len(parts) + 1)
    }
