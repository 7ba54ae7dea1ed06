"""What the tests of studies share: a small study, ways to break it, and results made by hand."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from conftest import SMALL
from sansim import _core
from sansim.study.measure.metrics import Measured
from sansim.study.model import Study
from sansim.study.points.measured import measure
from sansim.study.points.plan import Plan, plan
from sansim.study.points.probe import probe
from sansim.study.read import read_study

STUDY = """\
title = "Two drives"
scenario = "small.toml"

[axes.size]
key = "workload.size"
values = ["4 KiB", "16 KiB", "64 KiB"]

[axes.schedule]
key = "controller.schedule"
values = ["fair", "command-first"]
labels = ["NORM", "CMDF"]

[metrics.throughput]
value = "bytes_per_second"
unit = "MiB/s"

[metrics.response]
value = "response_time_ns.mean"
unit = "us"

[[expected]]
metric = "throughput"
at = { schedule = "NORM" }
rows = [
  { id = "X-1", at = { size = "4 KiB" }, value = 1.5 },
]

[[plots]]
name = "throughput"
x = "size"
y = "throughput"
lines = "schedule"
"""
"""A correct study; tests break it in one way each."""


def changed(*changes: tuple[str, str], more: str = "", text: str = STUDY) -> str:
    """The study with texts replaced, and with more at its end."""
    for old, new in changes:
        assert text.count(old) == 1, f"the study has {text.count(old)} times {old!r}"
        text = text.replace(old, new)
    return text + more


def write(folder: Path, text: str = STUDY, name: str = "study.toml") -> Path:
    """Writes a study, with the scenario beside it."""
    (folder / "small.toml").write_bytes(SMALL.read_bytes())
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def read(folder: Path, text: str = STUDY) -> Study:
    """Reads a study that is correct."""
    return read_study(write(folder, text))


def refused(folder: Path, text: str) -> _core.ScenarioError:
    """What is said of a study that is wrong: its file, its points, or what its metrics name."""
    file = write(folder, text)
    with pytest.raises(_core.ScenarioError) as caught:
        probe(plan(read_study(file)))
    return caught.value


def said(error: _core.ScenarioError, folder: Path) -> str:
    """The text of an error as it is when the command is given in the folder of the file."""
    return str(error).replace(f"{folder}/", "")


def underlined(text: str) -> list[str]:
    """What stands above the carets of each problem of a report."""
    found = []
    lines = text.splitlines()
    for above, line in itertools.pairwise(lines):
        carets = re.match(r" *\| ( *)(\^+)", line)
        if carets is not None:
            source = above.partition("| ")[2]
            found.append(source[len(carets[1]) : len(carets[1]) + len(carets[2])])
    return found


# ---------------------------------------------------------------- results made by hand


Made = Callable[[Mapping[str, str], int], Mapping[str, object] | None]
"""A summary, from the labels of a point and the number of the replication; None if the run is missing."""


def measured_by_hand(study: Study, summary: Made, traces: Mapping[str, float] | None = None) -> dict[str, Measured]:
    """The metrics of a study whose runs are made up."""
    made = plan(study)
    return measure(made, results_by_hand(made, summary, traces))


def results_by_hand(
    made: Plan, summary: Made, traces: Mapping[str, float] | None = None
) -> Callable[[str], Mapping[str, object] | None]:
    """The results of runs that are made up."""
    study = made.study
    found: dict[str, Mapping[str, object] | None] = {}
    for places, jobs in made.jobs.items():
        labels = {axis.name: axis.values[places[study.group_of(axis.name)]].label for axis in study.axes}
        for number, job in enumerate(jobs):
            content = summary(labels, number)
            found[job.key] = None if content is None else {"summary": content, "traces": dict(traces or {})}
    return lambda key: found[key]


HEAD = """\
scenario = "small.toml"
[axes.depth]
key = "workload.queue_depth"
values = [1, 2, 4, 8]
[axes.mix]
key = "workload.read_fraction"
values = [1.0, 0.0]
labels = ["read", "write"]
"""
"""The begin of a study without metrics."""
DERIVED = """
[metrics.response]
value = "response_time_ns.mean"
unit = "us"
[metrics.m]
of = "response"
along = "depth"
"""
"""After it: a metric `m` along the depth, of which how it is taken is still to come."""
US, MIB = 1e3, 2.0**20
PERCENTILES = {
    "p90": 800 * US,
    "p99": 900 * US,
    "ci95_percentiles": {"p90": None, "p99": [890 * US, 940 * US]},
}


def study_of(folder: Path, metrics: str, head: str = HEAD, top: str = "") -> dict[str, Measured]:
    """The metrics of a study whose runs have response time 100 us x depth (writes: + 50 us) and so on."""
    return measured_by_hand(read(folder, f"{top}{head}{metrics}"), summary)


def summary(labels: Mapping[str, str], replication: int) -> Mapping[str, object]:
    depth = float(labels.get("depth", "1"))
    writes = 50.0 if labels.get("mix") == "write" else 0.0
    return {
        "iops": 2000.0 * depth,
        "iops_ci95": 50.0,
        "bytes_per_second": depth * MIB,
        "simulated_s": 0.5,
        "response_time_ns": {"mean": US * (100 * depth + writes + replication), "ci95": 2 * US, **PERCENTILES},
        "components": {"loop": {"utilisation": 0.25}},
        "flags": [True, "x", None],
        "nothing": None,
    }


def value(measured: Measured, *places: int) -> float | None:
    """The only value at a place."""
    (found,) = measured.cells[places].values
    assert found is None or isinstance(found, float)
    return found
