"""What messages suggest and name: near words only, the option and its value, who gave an override, what Ctrl-C did."""

from __future__ import annotations

import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import sansim
from conftest import SMALL, Cli, clean_environment, within
from sansim import _core
from study_support import changed, refused, said, write


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return within(tmp_path)


# ---------------------------------------------------------------- suggestions


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["run", "x.toml", "--bogus"], None),
        (["run", "x.toml", "--oot", "y"], "--out"),
        (["run", "x.toml", "--trace-slow", "3"], "--trace-slowest"),
        (["rum", "x.toml"], "run"),
        (["valid", "x.toml"], "validate"),
        (["frobnicate"], None),
        (["study", "stats", "x.toml"], "status"),
    ],
)
def test_options_and_commands_are_suggested_only_if_they_are_near(
    arguments: list[str], expected: str | None, cli: Cli
) -> None:
    done = cli(*arguments)
    assert done.returncode == 2
    assert ("Did you mean" in done.stderr) == (expected is not None), done.stderr
    if expected is not None:
        assert f"Did you mean '{expected}'?" in done.stderr


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("workload.size=4k", '"4 KiB"'),
        ("drives.transfer_rate=100 Mbps", '"12.5 MB/s"'),
        ("drives.access_time=5 msec", '"5 ms"'),
        ("workload.size=nan", None),
    ],
)
def test_a_suggested_quantity_keeps_the_magnitude(setting: str, expected: str | None, cli: Cli) -> None:
    done = cli("check", SMALL, "--set", setting)
    assert done.returncode == 2
    assert "nan B" not in done.stderr
    if expected is None:
        assert "did you mean" not in done.stderr
    else:
        assert f"did you mean {expected}?" in done.stderr


@pytest.mark.parametrize(("unit", "expected"), [("usec", "`us`"), ("mS", "`ms`")])
def test_a_unit_of_a_study_is_suggested_by_its_magnitude(unit: str, expected: str, tmp_path: Path) -> None:
    text = changed(('unit = "us"', f'unit = "{unit}"'))
    assert f"did you mean {expected}?" in said(refused(tmp_path, text), tmp_path)


# ---------------------------------------------------------------- who said what


def test_messages_about_overrides_name_the_function_that_was_called() -> None:
    functions: dict[str, Callable[..., object]] = {"run": sansim.run, "resolve": sansim.resolve}
    for name, function in functions.items():
        with pytest.raises(sansim.ScenarioError) as caught:
            function(SMALL, {"workload.size": 16})
        text = str(caught.value)
        assert f"--> overrides of sansim.{name}" in text
        assert "workload.size=16\n" in text
        assert "command line" not in text
        assert "--set" not in text
        assert caught.value.problems[0].line is None
    assert sansim.check(SMALL, {"workload.size": 16})[0].line is None


def test_a_value_for_a_component_gives_one_problem(cli: Cli) -> None:
    done = cli("check", SMALL, "--set", "drives=4")
    assert done.stderr.count("error[") == 1
    assert "`drives` is a table of settings, not a number" in done.stderr
    assert "drives.count=4" in done.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--trace-from", "5"], ["--trace-from '5'", "has no unit"]),
        (["--trace-to", "5 parsec"], ["--trace-to '5 parsec'", "`parsec` is not a unit"]),
        (["--trace-from", "5 ms", "--trace-to", "2 ms"], ["--trace-to 2 ms is not after --trace-from 5 ms"]),
        (["--trace-to", "0 ns"], ["--trace-to 0 ns"]),
        (["--trace-slowest", "3", "--trace-to", "2 ms"], ["--trace-slowest 3 and --trace-to 2 ms"]),
        (["--sample-every", "often"], ["--sample-every 'often'", "cannot be read"]),
        (["--sample-every", "0 ms"], ["--sample-every 0 ms", "longer than 0"]),
    ],
)
def test_errors_of_times_name_the_option_and_the_value(options: list[str], words: list[str], cli: Cli) -> None:
    done = cli("run", SMALL, "--trace", "trace.txt", *options)
    assert (done.returncode, done.stdout) == (2, "")
    for word in words:
        assert word in done.stderr


@pytest.mark.parametrize(
    ("start", "end", "slowest", "words"),
    [
        ("5", None, None, "Window.start '5'"),
        ("5 ms", "2 ms", None, "Window.end 2 ms is not after Window.start 5 ms"),
        ("5 ms", None, 3, "Window.slowest 3 and Window.start 5 ms"),
    ],
)
def test_errors_of_windows_name_the_part_and_the_value(
    start: str | None, end: str | None, slowest: int | None, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        sansim.Window(start=start, end=end, slowest=slowest)


# ---------------------------------------------------------------- what the system refuses


PLACES = {
    "/proc/x": "/proc takes no new files or folders",
    "file/x": "file",
    "nowhere-" + "x" * 300: "ile name too long",
}


WRITERS = [
    ["run", "small.toml", "--out"],
    ["run", "small.toml", "--fio-json"],
    ["run", "small.toml", "--trace"],
    ["query", "run", "from summary", "--out"],
    ["report", "run", "--out"],
    ["study", "run", "study.toml", "--workers", "1", "--out"],
    ["study", "export", "study.toml", "--to"],
    ["validate", "study.toml", "--write"],
]
"""Commands that write to the place that is named behind them."""
LATE = ("report", "validate")
"""Those that have done all their work before they write: in most runs each is tried with one place that it reaches."""


def writes() -> Iterator[Any]:
    """Each command with each place."""
    for arguments in WRITERS:
        for place in PLACES:
            late = arguments[0] in LATE and place == "/proc/x"
            yield pytest.param(arguments, place, id=" ".join([*arguments, place[:7]]), marks=[pytest.mark.long] * late)


@pytest.fixture(scope="module")
def short_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of a run of ten I/Os."""
    folder = tmp_path_factory.mktemp("short") / "run"
    sansim.run(SMALL, {"run.measured_ios": 10}).save(folder)
    return folder


@pytest.mark.parametrize(("arguments", "place"), [*writes()])
def test_a_place_that_cannot_be_written_gives_a_sentence_without_numbers(
    arguments: list[str], place: str, cli: Cli, tmp_path: Path, short_run: Path
) -> None:
    if place.startswith("/proc") and not Path("/proc/self").exists():
        pytest.skip("no /proc here")
    write(tmp_path)
    (tmp_path / "file").write_text("x", encoding="utf-8")
    shutil.copytree(short_run, tmp_path / "run")
    done = cli(*arguments, place)
    assert done.returncode in (1, 2), done.stderr
    last = done.stderr.splitlines()[-1]
    assert PLACES[place] in done.stderr or arguments[-1] == "--trace", done.stderr
    assert last.lower().startswith("error"), done.stderr
    for number in ("Errno", "errno", "os error"):
        assert number not in done.stderr
    assert "Traceback" not in done.stderr


# ---------------------------------------------------------------- what is probably not meant


LONG = ("loop.cable", "50 km")


def test_a_cable_that_no_medium_carries_a_signal_along_is_warned_of(cli: Cli) -> None:
    for command in (["check"], ["run", "--set", "run.measured_ios=10"]):
        done = cli(*command, SMALL, "--set", "=".join(LONG))
        assert done.returncode == 0, done.stderr
        assert done.stderr.count("\n") == 1
        assert done.stderr.startswith(f"warning: {SMALL}: 3 cables are longer (50 km) than the 10 km")
        answered = cli(*command, SMALL, "--set", "=".join(LONG), "--set", "loop.medium=extended")
        assert (answered.returncode, answered.stderr) == (0, "")


def test_python_warns_of_it_in_its_own_way() -> None:
    few: dict[str, sansim.OverrideValue] = {"run.measured_ios": 10, LONG[0]: LONG[1]}
    with pytest.warns(sansim.ScenarioWarning, match="50 km"):
        sansim.run(SMALL, few)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sansim.run(SMALL, {**few, "loop.medium": "extended"})


def test_a_study_is_warned_of_in_one_line(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path, changed(more='[set]\n"loop.cable" = "50 km"\n'))
    done = cli("check", "study.toml")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("\n") == 1
    assert "warning: study.toml:" in done.stderr
    assert done.stderr.endswith("(at 6 of 6 points)\n")


@pytest.mark.parametrize("kind", ["infiniband", "optane"])
def test_kinds_that_are_not_modelled_point_to_the_page(kind: str, cli: Cli) -> None:
    done = cli("check", SMALL, "--set", f"drives.kind={kind}")
    assert done.returncode == 2
    assert "not modelled" in done.stderr
    assert "docs/model/not-modelled.md" in done.stderr
    assert done.stderr.count("error[") == 1


def test_help_says_what_is_modelled(cli: Cli) -> None:
    text = cli("--help").stdout
    assert "\n  Modelled: arbitrated loops of Fibre Channel" in text
    assert "\n  Not modelled: " in text
    assert "docs/model/not-modelled.md" in text


# ---------------------------------------------------------------- Ctrl-C


INTERRUPT_AT = """\
import os, signal, sys
import {module}
signal.signal(signal.SIGINT, signal.default_int_handler)
def stop(*_, **__):
    os.kill(os.getpid(), signal.SIGINT)
    raise AssertionError("Ctrl-C came and nothing happened")
{module}.{function} = stop
from sansim.cli import main
sys.argv = ["sansim", *sys.argv[1:]]
main()
"""
"""The command, in which Ctrl-C comes when a function is called."""


@pytest.mark.parametrize(
    ("module", "function", "arguments"),
    [
        ("sansim.query", "query", ["query", "run", "from ios"]),
        ("sansim.html_report.contents", "sections", ["report", "run"]),
        ("sansim.html_report", "read", ["report", "run"]),
        ("sansim.commands.check", "load_scenario", ["check", "small.toml"]),
        ("sansim.study.session", "look", ["study", "show", "study.toml"]),
        ("sansim.study.session", "run_studies", ["study", "run", "study.toml"]),
        ("sansim.study.session", "run_studies", ["validate", "study.toml"]),
        ("sansim.study.session", "look", ["study", "export", "study.toml", "--to", "files"]),
        ("sansim.simulate", "run_scenario", ["run", "small.toml", "--out", "other"]),
    ],
)
def test_ctrl_c_ends_every_command_with_130(
    module: str, function: str, arguments: list[str], short_run: Path, tmp_path: Path
) -> None:
    write(tmp_path)
    shutil.copytree(short_run, tmp_path / "run")
    before = sorted(tmp_path.rglob("*"))
    program = INTERRUPT_AT.format(module=module, function=function)
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=tmp_path,
        env=clean_environment(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 130, done.stderr
    assert done.stdout == ""
    assert done.stderr.strip().startswith("stopped")
    assert "Traceback" not in done.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_nearest_is_the_same_in_python() -> None:
    assert _core.nearest("k", ["n"]) is None
    assert _core.nearest("read", ["queue_depth", "read_fraction"]) == "read_fraction"
