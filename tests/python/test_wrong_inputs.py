"""Wrong inputs on the command line, of ten kinds: each names its place, the reason and a remedy; no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import Cli, within

ROOT = Path(__file__).parents[2]
EXAMPLE = (ROOT / "scenarios" / "four-disks.toml").read_text(encoding="utf-8")
STUDY = """scenario = "system.toml"
[axes.d]
key = "workload.queue_depth"
values = [1, 2]
[metrics.i]
value = "iops"
"""
ROWS = "workload.queue_depth,iops\n1,480\n2,620\n4,700\n8,720\n"
MSR = "128166372003061629,srv,0,Read,0,4096,500\n"
RULE = "from sansim.rules import Rule\nclass A(Rule):\n    def decide(self, view):\n        "
RANGE = "disks.transfer_rate=10 MB/s..400 MB/s"
CALIBRATE = ["calibrate", "system.toml", "--to"]
STUDY_RUN = ["study", "run", "study.toml", "--workers", "1"]
PATHS = ["run", "paths.toml", "--set", "run.duration=1 s", "--set", "run.warm_up=100 ms", "--set"]

CASES: dict[str, tuple[dict[str, str], list[str], int, list[str]]] = {
    # Files that are no TOML.
    "a table twice": (
        {"system.toml": EXAMPLE + "\n[[disks]]\ncount = 1\n"},
        ["run", "system.toml"],
        2,
        ["system.toml:25:3", "this key is already written above", "system.toml:12:2"],
    ),
    "a quantity without quotes": (
        {"system.toml": EXAMPLE.replace('"5 ms"', "5 ms")},
        ["check", "system.toml"],
        2,
        ["system.toml:15:15", "text and quantities stand in quotes", 'write access_time = "5 ms"'],
    ),
    "a key that extends a number": (
        {"system.toml": EXAMPLE + "\na = 1\na.b = 2\n"},
        ["check", "system.toml"],
        2,
        ["system.toml:26:1", "cannot extend value of type integer"],
    ),
    # Values.
    "a rate for a size": (
        {},
        ["run", "system.toml", "--set", 'workload.size="64 KB/s"'],
        2,
        ["--set workload.size", "`64 KB/s` is a rate", 'needs a size, such as "64 KiB"', "units: B, KB"],
    ),
    "a unit of bits": (
        {},
        ["run", "system.toml", "--set", 'disks.transfer_rate="100 Mbit"'],
        2,
        ["--set disks.transfer_rate", "`Mbit` is not a unit known here", "units: B/s"],
    ),
    "a speed that there is not": (
        {},
        ["run", "system.toml", "--set", "loop.speed=3GFC"],
        2,
        ["--set loop.speed", "`3GFC` is not known here", "must be `1GFC`"],
    ),
    # Names.
    "a device that there is not": (
        {},
        ["run", "system.toml", "--set", 'workload.to=["disk"]'],
        2,
        ["--set workload.to", "there is no component `disk`", "did you mean `disks`?"],
    ),
    "a device for a host": (
        {},
        ["run", "system.toml", "--set", 'workload.from="disks"'],
        2,
        ["--set workload.from", "a host is needed here", "known here: `controller`"],
    ),
    "a kind of other simulators": (
        {},
        ["run", "system.toml", "--set", 'workload.kind="open"'],
        2,
        ["--set workload.kind", "there is no kind of component `open`", 'did you mean "synthetic"?'],
    ),
    # Places of files.
    "a trace into no folder": (
        {},
        ["run", "system.toml", "--trace", "nowhere/t.txt"],
        2,
        ["--trace", "there is no folder", "nowhere"],
    ),
    "fio's JSON over a scenario": (
        {"other.toml": EXAMPLE},
        ["run", "system.toml", "--fio-json", "other.toml"],
        2,
        ["--fio-json: other.toml is not a result of sansim in fio's form", "--force"],
    ),
    "a page about a file": ({}, ["report", "system.toml"], 2, ["not a run folder but a file", "sansim run FILE --out"]),
    # Options.
    "a percentile above all": (
        {},
        ["run", "system.toml", "--percentiles", "p101"],
        2,
        ["--percentiles", "'p101' is not a percentile", "write p95"],
    ),
    "an interval without unit": (
        {},
        ["run", "system.toml", "--sample-every", "5"],
        2,
        ["--sample-every", "`5` has no unit", 'write "5 ns"'],
    ),
    "two opposites": (
        {},
        ["explain", "system.toml", "--analytic", "--every-change"],
        2,
        ["--analytic simulates nothing", "give one"],
    ),
    # Studies.
    "a figure that no run has": (
        {"study.toml": STUDY.replace('"iops"', '"iosp"')},
        STUDY_RUN,
        2,
        ["study.toml:6:9", "a run has no figure `iosp`", "did you mean"],
    ),
    "a scenario that is not there": (
        {"study.toml": STUDY.replace("system.toml", "none.toml")},
        STUDY_RUN,
        2,
        ["study.toml:1:12", "there is no such file", "names are relative to the study"],
    ),
    "a value twice": (
        {"study.toml": STUDY.replace("[1, 2]", "[1, 1]")},
        STUDY_RUN,
        2,
        ["study.toml:4:14", "`1` stands twice on the axis `d`", "take one out"],
    ),
    "a formula of itself": (
        {"study.toml": STUDY.replace('value = "iops"', 'formula = "i * 2"')},
        STUDY_RUN,
        2,
        ["study.toml:6:11", "`i` is to be computed from itself"],
    ),
    # Measurements.
    "ends of two quantities": (
        {"rows.csv": ROWS},
        [*CALIBRATE, "rows.csv", "--unknown", "disks.transfer_rate=10 MB/s..400 ms"],
        2,
        ["--unknown", "`MB/s` and `ms` are not units of the same quantity"],
    ),
    "a word for a rate": (
        {"rows.csv": ROWS.replace("480", "abc")},
        [*CALIBRATE, "rows.csv", "--unknown", RANGE],
        2,
        ["rows.csv:2", "`iops` is `abc`", "must be a number above zero"],
    ),
    "one row": (
        {"rows.csv": "workload.queue_depth,iops\n1,480\n"},
        [*CALIBRATE, "rows.csv", "--unknown", RANGE],
        3,
        ["1 number of 1 row for fitting, and 1 unknown value;", "measure more rows"],
    ),
    "columns of another table": (
        {"rows.csv": ROWS},
        ["drive", "fit", "rows.csv", "--model", "disks"],
        2,
        ["rows.csv, line 1", "names no column `operation`", "it has workload.queue_depth, iops"],
    ),
    # Traces.
    "an offset that is no number": (
        {"t.csv": MSR.replace(",0,4096", ",x,4096")},
        ["trace", "info", "t.csv", "--format", "msr"],
        2,
        ["t.csv: line 1", "offset is no whole number", "--count-bad-lines"],
    ),
    "a trace without lines": ({"t.csv": ""}, ["trace", "info", "t.csv"], 2, ["t.csv", "it is empty"]),
    "a format that there is not": (
        {"t.csv": MSR},
        ["trace", "convert", "t.csv", "u.csv", "--to", "mrs"],
        2,
        ["no trace can be written as `mrs`", "msr "],
    ),
    "a trace over a scenario": (
        {"t.csv": MSR},
        ["trace", "convert", "t.csv", "system.toml", "--to", "spc"],
        2,
        ["system.toml", "stays as it is", "--force"],
    ),
    # Plans.
    "a scenario for a plan": (
        {},
        ["plan", "system.toml"],
        2,
        ["system.toml", "this is a scenario, not a plan", 'scenario = "system.toml"'],
    ),
    # Rules in Python.
    "no candidate": (
        {"r.py": RULE + "return 99\n"},
        [*PATHS, 'host.path={ python = "r.py:A" }'],
        1,
        ["`r.py:A` (path)", "it answered 99, and the candidates are 0 to 1"],
    ),
    "a feature that there is not": (
        {"r.py": RULE + "return view.nothing\n"},
        [*PATHS, 'host.path={ python = "r.py:A" }'],
        1,
        ["`r.py:A` (path)", "a view of `path` has no `nothing`; it has number, outstanding"],
    ),
    "a class that there is not": (
        {"r.py": RULE + "return 0\n"},
        [*PATHS, 'host.path={ python = "r.py:B" }'],
        1,
        ["`r.py:B` (path)", "the file has no class `B`; its rules are: A"],
    ),
    "a hook that is misspelt": (
        {"r.py": RULE.replace("decide", "decid") + "return 0\n"},
        [*PATHS, 'host.path={ python = "r.py:A" }'],
        1,
        ["`r.py:A` (path)", "`A` has no method `decide(self, view)`"],
    ),
}


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return within(tmp_path)


@pytest.mark.parametrize("name", CASES)
def test_a_wrong_input_names_its_place_the_reason_and_a_remedy(name: str, cli: Cli, tmp_path: Path) -> None:
    files, command, code, words = CASES[name]
    (tmp_path / "system.toml").write_text(EXAMPLE, encoding="utf-8")
    (tmp_path / "paths.toml").write_bytes((ROOT / "scenarios" / "two-paths.toml").read_bytes())
    for file, text in files.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    done = cli(*command)
    assert done.returncode == code, done.stderr
    # A trace that breaks off is described up to there.
    assert done.stdout == "" or command[:2] == ["trace", "info"]
    assert "Traceback" not in done.stderr
    assert [word for word in words if word not in done.stderr] == [], done.stderr
    # Nothing was changed, and nothing was left behind but modules that Python compiled.
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir() if file.is_file()} == before
