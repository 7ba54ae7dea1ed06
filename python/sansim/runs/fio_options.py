"""Workloads and their streams as jobs of fio: which there are, and what their options would be in a job file."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sansim import _core
from sansim.groups import devices_of, named_members, table_name

PROCESSES = {"poisson": "poisson", "deterministic": "linear"}
"""fio's words for arrival processes, its `rate_process`; it has no others."""


@dataclass(frozen=True)
class Job:
    """A workload of the scenario, or a stream of one that has several."""

    name: str
    workload: str
    stream: str | None
    """None if this is a whole workload."""
    options: Mapping[str, str]
    depth: int
    """How many I/Os it keeps outstanding; of an open one how many may be at most."""
    open: bool
    """Whether its requests come whether or not earlier ones are done."""
    waits: bool
    """Whether each I/O is waited for, as by a synchronous engine of fio: then nothing is handed over before."""
    unstable: bool
    """Whether more requests arrive than complete, so that latencies would grow with the length of the run."""


def jobs(summary: Mapping[str, Any], scenario: str, runtime: int) -> list[Job]:
    """The workloads and streams of a run.

    Args:
        summary: Of the run.
        scenario: The resolved scenario, as TOML.
        runtime: Seconds measured.
    """
    tables = tomllib.loads(scenario)
    workloads: Mapping[str, Mapping[str, Any]] = summary["workloads"]
    alike = Counter(map(table_name, workloads))
    return [
        job
        for name, workload in workloads.items()
        for job in jobs_of(name, workload, tables, runtime, alike[table_name(name)])
    ]


def jobs_of(
    name: str, workload: Mapping[str, Any], tables: Mapping[str, Any], runtime: int, alike: int
) -> Iterator[Job]:
    """A job for the workload, one of so many that are alike, or one for each of its streams."""
    whole = tables[table_name(name)]
    devices = devices_of(name, whole, named_members(as_list(whole["to"]), tables), alike)
    streams: Mapping[str | None, Mapping[str, Any]] = workload.get("streams") or {None: workload}
    of_fio = fio_streams(whole)
    for stream, part in streams.items():
        table = whole if stream is None else whole.get("streams", {}).get(stream, {})
        job = name if stream is None else f"{name}.{stream}"
        # A closed workload says nothing of stability, nor does a summary made by hand.
        opened, unstable = part.get("unstable") is not None, part.get("unstable") is True
        depth = depth_of(table, devices, opened)
        told = of_fio.get(stream or "")
        options = options_of(job, whole, table, told.depth if told else depth, runtime)
        if told:
            options["ioengine"] = told.engine
        waits = told is not None and told.waits
        yield Job(job, name, stream, options, told.depth if told else depth, opened, waits, unstable)


@dataclass(frozen=True)
class FioStream:
    """The properties of a stream in a fio job file that a summary lacks."""

    depth: int
    engine: str
    waits: bool


def fio_streams(table: Mapping[str, Any]) -> dict[str, FioStream]:
    """The streams of a workload that is a fio job file, by their names; nothing if it is none, or the file has gone."""
    if table.get("kind") != "fio-job":
        return {}
    file = table["file"]
    try:
        text = Path(file["path"] if isinstance(file, dict) else file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return {}
    told = _core.fio_streams(text, table.get("engine", "psync"))
    return {name: FioStream(depth, engine, waits) for name, depth, engine, waits in told}


def depth_of(table: Mapping[str, Any], devices: int, opened: bool) -> int:
    """How many I/Os a workload or a stream has outstanding at most, of all devices together; 1 if no key says."""
    if opened:
        return int(table.get("outstanding", 1))
    closed = table if "queue_depth" in table else table.get("arrivals", {})
    depth = int(closed.get("queue_depth", 1))
    if closed.get("queue_depth_per") in ("drive", "device"):
        depth *= devices
    return depth


def options_of(
    job: str, whole: Mapping[str, Any], table: Mapping[str, Any], depth: int, runtime: int
) -> dict[str, str]:
    """A workload or a stream as options of fio, with fio's texts for values, as far as its keys say what they are."""
    options = {"name": job, "filename": ":".join(as_list(whole["to"]))}
    reads = table.get("read_fraction")
    if reads is not None:
        way = {1.0: "read", 0.0: "write"}.get(float(reads), "rw")
        pattern = table.get("pattern") or table.get("location", {}).get("pattern")
        options["rw"] = way if pattern == "sequential" else f"rand{way}"
    options |= size_options(table.get("size"))
    options |= {"iodepth": str(depth), "numjobs": "1", "runtime": str(runtime)}
    if options.get("rw", "").endswith("rw"):
        options["rwmixread"] = str(round(float(reads or 0.0) * 100))
    arrivals = table.get("arrivals", {})
    if arrivals.get("process") in PROCESSES and "rate" in arrivals:
        options["rate_iops"] = str(round(in_base_units(arrivals["rate"])))
        options["rate_process"] = PROCESSES[arrivals["process"]]
    think = arrivals.get("think_time", table.get("think_time", "0 ns"))
    if isinstance(think, str) and in_base_units(think):
        options["thinktime"] = str(round(in_base_units(think) / 1e3))
    return options


def size_options(size: object) -> dict[str, str]:
    """`bs` of one size, `bssplit` of a mix; nothing of what fio has no option for."""
    if isinstance(size, str):
        return {"bs": size_text(round(in_base_units(size)))}
    if isinstance(size, dict) and all(isinstance(weight, (int, float)) for weight in size.values()):
        total = sum(size.values())
        parts = (f"{size_text(round(in_base_units(one)))}/{round(100 * n / total)}" for one, n in size.items())
        return {"bssplit": ":".join(parts)}
    return {}


def as_list(names: str | list[str]) -> list[str]:
    """A list of names, of which a single one may stand alone."""
    return [names] if isinstance(names, str) else names


def in_base_units(text: str) -> float:
    """A quantity of the resolved scenario as a number: of bytes, of nanoseconds, of a second.

    Raises:
        ValueError: It is no quantity.
    """
    parts = _core.split_quantity(text)
    factors = {name: factor for name, _, factor in _core.unit_factors()}
    if parts is None or parts[1] not in factors:
        raise ValueError(f"`{text}` is not a number with a unit of a scenario")
    return parts[0] * factors[parts[1]]


def size_text(size: int) -> str:
    """A size as fio's users write it, in powers of 1024."""
    for unit, scale in (("m", 2**20), ("k", 2**10)):
        if size and size % scale == 0:
            return f"{size // scale}{unit}"
    return str(size)
