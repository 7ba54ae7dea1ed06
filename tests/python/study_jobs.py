"""Jobs for the tests of studies, and what is in a store."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sansim import _core
from sansim.study.jobs.job import Job, job_of
from sansim.study.jobs.seal import sealed
from sansim.study.jobs.store import Store

SCENARIO = Path(__file__).resolve().parents[2] / "scenarios" / "two-nodes.toml"
PATIENCE_S = 120
"""When a test gives up on something that takes a moment."""


def some_jobs(count: int, measured_ios: int = 20) -> list[Job]:
    """Jobs that differ in their seed; 250 I/Os take some 20 ms."""
    changes = [("run.measured_ios", str(measured_ios)), ("run.warm_up", "1")]
    return [
        job_of(_core.Scenario.load(SCENARIO, [*changes, ("run.seed", str(seed))]).to_toml()) for seed in range(count)
    ]


def made_up(key: str, summary: Mapping[str, object] | None = None) -> bytes:
    """A result as a job leaves it, without a run."""
    return sealed({"key": key, "summary": dict(summary or {}), "traces": {}, "version": "0.0.0"})


def contents(store: Store) -> dict[str, bytes]:
    """The bytes of all files that have their name."""
    return {
        str(file.relative_to(store.root)): file.read_bytes()
        for file in sorted(store.root.rglob("*"))
        if file.is_file() and not file.name.startswith(".")
    }


def shards(store: Store) -> dict[str, tuple[int, int]]:
    """The finished jobs: key to what changes when a file is written again."""
    found = {}
    for file in store.points.glob("*/*.json"):
        status = file.stat()
        found[file.stem] = (status.st_ino, status.st_mtime_ns)
    return found
