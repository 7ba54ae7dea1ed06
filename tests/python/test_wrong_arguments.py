"""Wrong arguments of the Python functions and of the command line: what was given, and what to give instead."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sansim
from conftest import SMALL, Cli, within
from sansim import arguments
from sansim._core import Code
from sansim.query import query
from sansim.study.read import read_study

ANY: Any = sansim
"""The package without its types, as a person uses it who reads none."""
FEW = {"run.measured_ios": 100}
WRONG: dict[str, tuple[Callable[[], object], str, str, str, str]] = {
    "no scenario": (lambda: ANY.run(None), "sansim.run", "scenario", "None", "the path of a file"),
    "a number as scenario": (lambda: ANY.run(5), "sansim.run", "scenario", "5", "a dictionary of tables"),
    "bytes as scenario": (lambda: ANY.run(b"abc"), "sansim.run", "scenario", "b'abc'", "a text of several lines"),
    "a list as scenario": (lambda: ANY.check(["a"]), "sansim.check", "scenario", "['a']", "the path of a file"),
    "resolve": (lambda: ANY.resolve(5), "sansim.resolve", "scenario", "5", "sansim.example("),
    "graph": (lambda: ANY.graph(None), "sansim.graph", "scenario", "None", "the path of a file"),
    "explain": (lambda: ANY.explain(1.5), "sansim.explain", "scenario", "1.5", "the path of a file"),
    "a list of overrides": (lambda: ANY.run(SMALL, ["a=4"]), "sansim.run", "overrides", "['a=4']", "a dictionary"),
    "overrides as text": (lambda: ANY.run(SMALL, "a=4"), "sansim.run", "overrides", "'a=4'", "a dictionary of keys"),
    "a number as key": (lambda: ANY.run(SMALL, {5: "a"}), "sansim.run", "overrides", "{5: 'a'}", '"workload.size"'),
    "text as flag": (lambda: ANY.run(SMALL, collect_ios="no"), "sansim.run", "collect_ios", "'no'", "True or False"),
    "force": (lambda: ANY.run(SMALL, force=1), "sansim.run", "force", "1", "True or False"),
    "an interval without unit": (lambda: ANY.run(SMALL, sample_every=5), "sansim.run", "sample_every", "5", '"2.5 ms"'),
    "percentiles": (lambda: ANY.run(SMALL, percentiles=[None]), "sansim.run", "percentiles", "[None]", '"p95", 99.99'),
    "trace": (lambda: ANY.run(SMALL, trace=5), "sansim.run", "trace", "5", "sansim.Trace(file=...)"),
    "capture": (lambda: ANY.run(SMALL, capture={}), "sansim.run", "capture", "{}", "sansim.Capture(file=...)"),
    "window": (lambda: ANY.run(SMALL, window=(1, 2)), "sansim.run", "window", "(1, 2)", 'sansim.Window(start="2 ms"'),
    "progress": (lambda: ANY.run(SMALL, progress=5), "sansim.run", "progress", "5", "a function"),
    "unknown argument": (lambda: ANY.run(SMALL, seeds=4), "sansim.run", "seeds", "4", "did you mean `seed`?"),
    "second scenario": (lambda: ANY.compare(SMALL, 5), "sansim.compare", "second", "5", "the path of a file"),
    "no replications": (
        lambda: ANY.compare(SMALL, SMALL, replications=0),
        *("sansim.compare", "replications", "0", "a whole number from 1 on"),
    ),
    "replications as text": (
        lambda: ANY.compare(SMALL, SMALL, replications="5"),
        *("sansim.compare", "replications", "'5'", "a whole number"),
    ),
    "seed of a comparison": (
        lambda: ANY.compare(SMALL, SMALL, seed="5"),
        *("sansim.compare", "seed", "'5'", "a whole number"),
    ),
    "plan": (lambda: ANY.plan(None), "sansim.plan", "file", "None", "the path of a file"),
    "study": (lambda: ANY.run_study(None), "sansim.run_study", "study", "None", "the path of a file"),
    "workers": (lambda: ANY.run_study(SMALL, workers="two"), "sansim.run_study", "workers", "'two'", "a whole number"),
    "no workers": (lambda: ANY.plan(SMALL, workers=0), "sansim.plan", "workers", "0", "a whole number from 1 on"),
    "a truth value as number": (
        lambda: ANY.plan(SMALL, workers=True),
        "sansim.plan",
        "workers",
        "True",
        "whole number",
    ),
    "unknown keys as text": (
        lambda: ANY.calibrate(SMALL, SMALL, "a=1..2"),
        *("sansim.calibrate", "unknown", "'a=1..2'", 'a list of keys with their ranges, as ["disks.access_time='),
    ),
    "example": (lambda: ANY.example(None), "sansim.example", "name", "None", "a text"),
    "trace_info": (lambda: ANY.trace_info(None), "sansim.trace_info", "file", "None", "the path of a file"),
    "play": (lambda: ANY.play(None), "sansim.play", "file", "None", "the path of a file"),
    "adapter_fit": (lambda: ANY.adapter_fit(None), "sansim.adapter_fit", "files", "None", "a list of such"),
    "drive_fit": (lambda: ANY.drive_fit([], "disks"), "sansim.drive_fit", "files", "[]", "a list of such"),
    **{
        f"{argument} of {name}, {value!r}": (
            partial(getattr(sansim, name), *needed, **{argument: value}),
            *(f"sansim.{name}", argument, repr(value), remedy),
        )
        for name, needed in {"adapter_fit": ["rates.csv"], "drive_fit": ["rates.csv", "disks"]}.items()
        for argument, value, remedy in (
            ("use", "half", "a list of texts"),
            ("only", [5], '"operation=read"'),
            ("settings", ["rpm=7200"], '{"rpm": "7200"}'),
            ("settings", {"rpm": 7200}, '[("rpm", "7200")]'),
            ("ios", 0, "a whole number from 1 on"),
            ("seed", -1, "a whole number from 0 on"),
            ("progress", 5, "a function"),
        )
    },
    "reading of a trace": (
        lambda: ANY.trace_info("t.csv", "msr"),
        *("sansim.trace_info", "reading", "'msr'", "sansim.io_trace.Reading(format=...)"),
    ),
    "reading of a conversion": (
        lambda: ANY.trace_convert("t.csv", "u.csv", "spc", "msr"),
        *("sansim.trace_convert", "reading", "'msr'", "or None"),
    ),
    "reading of a fit": (
        lambda: ANY.trace_fit("t.csv", 5),
        *("sansim.trace_fit", "reading", "5", "sansim.io_trace.Reading(format=...)"),
    ),
    "width of a report": (
        lambda: ANY.run(SMALL, FEW).report(width=None),
        *("Result.report", "width", "None", "a whole number"),
    ),
    "a table that there is not": (
        lambda: ANY.run(SMALL, FEW).lazy("io"),
        *("Result.lazy", "table", "'io'", '"ios", "tenancies", "paths", "samples" or "decisions"'),
    ),
    "file of a table": (
        lambda: ANY.run(SMALL, FEW).tables["ios"].to_csv(5),
        *("Table.to_csv", "file", "5", "the path of a file"),
    ),
    "keys of adapter_fit": (
        lambda: ANY.adapter_fit("rates.csv", fit="command_time"),
        *("sansim.adapter_fit", "fit", "'command_time'", '["command_time"]'),
    ),
    "I/Os of a trace": (lambda: ANY.Trace(file="t", ios=["5"]), "sansim.Trace", "ios", "['5']", "whole numbers"),
    "ports of a trace": (lambda: ANY.Trace(file="t", ports="a"), "sansim.Trace", "ports", "'a'", "a list of texts"),
    "payload": (
        lambda: ANY.Capture(file="c", payload_bytes="all"),
        *("sansim.Capture", "payload_bytes", "'all'", "a whole number"),
    ),
    "start of a window": (lambda: ANY.Window(start=5), "sansim.Window", "start", "5", '"2.5 ms"'),
    "file of a timeline": (lambda: ANY.Timeline(file=5), "sansim.Timeline", "file", "5", "the path of a file"),
    "count of a trigger": (lambda: ANY.Trigger(count=1.5), "sansim.Trigger", "count", "1.5", "a whole number"),
    "SQL": (lambda: query("run", 5), "sansim.query.query", "sql", "5", "a text"),  # type: ignore[arg-type]
    "runs": (lambda: query(5, "select 1"), "sansim.query.query", "runs", "5", "a run folder"),  # type: ignore[arg-type]
    "study to read": (lambda: read_study(5), "sansim.study.read.read_study", "file", "5", "the path of a file"),  # type: ignore[arg-type]
    "folder of a result": (lambda: ANY.run(SMALL, FEW).save(5), "Result.save", "directory", "5", "of a folder"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_argument_is_refused_at_the_call_with_what_to_give(name: str) -> None:
    call, function, argument, given, remedy = WRONG[name]
    with pytest.raises(sansim.ArgumentError) as caught:
        call()
    error = caught.value
    assert (error.function, error.argument, error.given) == (function, argument, given)
    text = str(error)
    assert text.startswith(f"error[{error.code}]: {function}: ")
    assert f"`{argument}`" in text.splitlines()[0]
    assert remedy in text.splitlines()[-1]
    # Nothing of what is inside is in the traceback.
    inside = [
        frame.filename for frame in traceback.extract_tb(error.__traceback__) if "sansim" in Path(frame.filename).parts
    ]
    assert {Path(file).name for file in inside if Path(file).parent.name == "sansim"} <= {"arguments.py"}
    assert isinstance(error, TypeError)
    assert isinstance(error, ValueError)


def test_a_missing_argument_is_named_with_those_that_there_are() -> None:
    with pytest.raises(sansim.ArgumentError, match=r"missing a required argument: 'model'") as caught:
        ANY.drive_fit("rates.csv")
    assert caught.value.code == Code.MISSING_KEY
    assert "its arguments are files, model, use" in str(caught.value)


def test_numbers_of_numpy_and_paths_are_what_is_wanted() -> None:
    both = sansim.compare(Path(SMALL), str(SMALL), FEW, replications=np.int64(2), seed=np.int32(3))  # type: ignore[arg-type]
    assert both.seeds == (3, 4)
    assert arguments.is_path(SMALL)
    assert not arguments.is_path(b"a")


def test_one_percentile_or_a_text_of_several_will_do(small: Path) -> None:
    for written in (95, "p95", "95,99.9", ["p95"], (95.0,)):
        assert "p95" in sansim.run(small, FEW, percentiles=written).summary["response_time_ns"]


def test_warnings_are_about_the_line_of_the_caller(small: Path) -> None:
    with pytest.warns(sansim.ScenarioWarning) as caught:
        sansim.run(small, FEW | {"loop.cable": "50 km"})
    assert {warning.filename for warning in caught} == {__file__}


def test_a_value_that_no_scenario_holds_names_its_key() -> None:
    with pytest.raises(TypeError, match=r"workload\.size: a scenario cannot hold a value of the type NoneType: None"):
        ANY.run(SMALL, {"workload.size": None})


# ---------------------------------------------------------------- the command line


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return within(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", SMALL, "--seed", "abc"), "'abc' is not a whole number."),
        (("run", SMALL, "--seed", "-1"), "-1 is not from 0 to 9223372036854775807."),
        (("compare", SMALL, SMALL, "--replications", "0"), "0 is not from 1 to 1000."),
        (("studio", "--port", "abc"), "'abc' is not a whole number."),
        (("query", "x", "select 1", "--limit", "-1"), "-1 is less than 0."),
        (("run", SMALL, "--percentiles", ""), "it names no percentile; write for instance p95,p99.99"),
        ((SMALL,), f"Did you mean `sansim run {SMALL}`?"),
        (("study", SMALL), f"Did you mean `sansim study run {SMALL}`?"),
        (("rnu", SMALL), "Did you mean 'run'?"),
        (("run", "four-disks.toml"), "`sansim examples four-disks > four-disks.toml` writes the example of this name"),
        (("plan", SMALL), "this is a scenario, not a plan"),
        (("run", SMALL, "--set", "workload.size"), "'workload.size' is not key=value, as workload.size=64KiB"),
        (("run", SMALL, "--sample-every", "5"), 'if ns is meant, write "5 ns"'),
        (("run", SMALL, "--loop", "slow"), "'slow' is not one of 'fast', 'reference'."),
    ],
)
def test_a_wrong_input_says_what_was_meant(cli: Cli, arguments: tuple[object, ...], said: str) -> None:
    done = cli(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_plan_in_the_place_of_a_scenario_is_known(cli: Cli, tmp_path: Path) -> None:
    plan = Path(__file__).parents[2] / "plans" / "department.toml"
    for command in ("run", "explain", "graph"):
        done = cli(command, plan)
        assert done.returncode == 2
        assert done.stderr == f"error: {plan} is a plan, not a scenario\n  = help: sansim plan {plan}\n"
    assert not list(tmp_path.iterdir())
