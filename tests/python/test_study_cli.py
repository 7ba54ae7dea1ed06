"""`sansim study` and `sansim validate` from the command line, on a study that takes a second."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import pty
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

import sansim
from conftest import COMMAND, Cli, clean_environment
from sansim.cli import cli as sansim_cli
from sansim.study.jobs import execute
from sansim.study.points.plan import plan
from sansim.study.products import NETCDF_LIBRARIES
from sansim.study.read import read_study
from study_support import STUDY, changed, write

pytestmark = pytest.mark.slow

QUICK = changed(('"4 KiB" }, value = 1.5 }', '"4 KiB" }, value = 3.85, quick = true }'))
"""The study with a value that is reproduced, and of which a part can be run."""
MORE = """
[[expected]]
metric = "throughput"
rows = [
  { id = "X-2", at = { size = "16 KiB", schedule = "NORM" }, value = 20, note = "because", means = "slower here" },
  { id = "X-3", rule = "increasing", along = "size", kind = "trend" },
  { id = "Y-1", at = { size = "64 KiB", schedule = "NORM" }, value = 30 },
]
[[chosen]]
what = "drives.access_time"
how = "5 ms, read off Y-1"
saw = ["Y-1"]
[[remarks]]
id = "Y-2"
verdict = "no-data"
text = "nothing was printed"
"""


def points(folder: Path) -> dict[str, tuple[int, bytes]]:
    """The results of runs that a folder has: when each was written, and what it is."""
    return {file.name: (file.stat().st_mtime_ns, file.read_bytes()) for file in folder.rglob("points/*/*.json")}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a study that has been run."""
    folder = tmp_path_factory.mktemp("ran")
    write(folder, QUICK + MORE)
    done = subprocess.run(
        [str(COMMAND), "study", "run", "study.toml", "--workers", "2"],
        cwd=folder,
        env=clean_environment(),
        check=True,
        capture_output=True,
        text=True,
    )
    (folder / "said.txt").write_text(done.stdout, encoding="utf-8")
    return folder


@pytest.fixture
def copied(ran: Path, tmp_path: Path) -> Path:
    """A copy of that folder in which commands are given."""
    shutil.copytree(ran, tmp_path, dirs_exist_ok=True)
    return tmp_path


# ---------------------------------------------------------------- running


def test_a_study_is_run_and_its_tables_and_figures_are_written(ran: Path) -> None:
    said = (ran / "said.txt").read_text(encoding="utf-8")
    assert "study: Two drives\n  6 runs, 6 points, 2 metrics\n" in said
    assert "expected values: 2 pass, 2 miss\n    miss: X-2 throughput at size = 16 KiB" in said
    assert "written to results/study" in said
    assert {file.name for file in (ran / "results" / "study").iterdir()} == {
        *("results.csv", "results.md", "results.parquet", "verdicts.csv", "throughput.png", "throughput.svg"),
    }
    assert len(points(ran)) == 6
    (size, *_), *rows = [line.split(",") for line in (ran / "results/study/results.csv").read_text().splitlines()]
    assert (size, len(rows)) == ("point", 6)


def test_what_has_been_run_is_not_run_again(copied: Path, cli: Cli) -> None:
    before = points(copied)
    done = cli("study", "run", "study.toml", "--no-plots")
    assert (done.returncode, done.stderr) == (0, "")
    assert points(copied) == before
    # Only what is missing is run.
    gone = min(before)
    (copied / "results" / "points" / gone[:2] / gone).unlink()
    assert "5 of 6 runs" in cli("study", "status", "study.toml").stdout
    assert cli("study", "run", "study.toml", "--no-plots").returncode == 0
    after = points(copied)
    assert {name: content for name, (_, content) in after.items()} == {
        name: content for name, (_, content) in before.items()
    }
    assert {name for name in after if after[name][0] != before[name][0]} == {gone}


def test_more_values_need_only_the_new_runs(copied: Path, cli: Cli) -> None:
    before = points(copied)
    text = (copied / "study.toml").read_text(encoding="utf-8").replace('"64 KiB"]', '"64 KiB", "65 KiB"]')
    (copied / "study.toml").write_text(text, encoding="utf-8")
    assert cli("study", "run", "study.toml", "--no-plots", "--workers", "1").returncode == 0
    after = points(copied)
    assert len(after) == 8
    assert before.items() <= after.items()


def test_two_runs_give_the_same_bytes(copied: Path, cli: Cli) -> None:
    done = cli("study", "run", "study.toml", "--out", "again", "--workers", "1")
    assert done.returncode == 0
    for file in (copied / "results").rglob("*"):
        if file.is_file():
            other = copied / "again" / file.relative_to(copied / "results")
            assert other.read_bytes() == file.read_bytes(), file.name


def test_results_go_where_they_are_wanted(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "sub").mkdir()
    write(tmp_path / "sub", changed(('"4 KiB", "16 KiB", "64 KiB"', '"4 KiB"'), ("\n[[plots]]", "\n[[plots]]")))
    assert cli("study", "run", "sub/study.toml", "--out", "deep/out", "--no-plots").returncode == 0
    assert not (tmp_path / "sub" / "results").exists()
    assert len(points(tmp_path / "deep" / "out")) == 2
    assert (tmp_path / "deep" / "out" / "study" / "results.csv").is_file()
    assert "2 runs, 2 points" in cli("study", "status", "sub/study.toml", "--out", "deep/out").stdout
    assert "0 of 2 runs" in cli("study", "status", "sub/study.toml").stdout
    (tmp_path / "file").write_text("x", encoding="utf-8")
    done = cli("study", "run", "sub/study.toml", "--out", "file")
    assert (done.returncode, done.stdout) == (2, "")
    assert "'file' is a file" in done.stderr


SMALLER = changed(
    ('"4 KiB", "16 KiB", "64 KiB"', '"4 KiB"'), ('["fair", "command-first"]', '["fair"]'), ('"NORM", "CMDF"', '"NORM"')
)
"""A study of one point."""


def test_a_folder_of_studies_is_run_as_one(tmp_path: Path, cli: Cli) -> None:
    for name in ("a", "b"):
        write(tmp_path, SMALLER.replace("Two drives", f"Study {name}"), f"{name}.toml")
    (tmp_path / "below").mkdir()
    write(tmp_path / "below", SMALLER, "c.toml")
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "old.toml").write_text("[metrics.x]\n", encoding="utf-8")
    done = cli("study", "run", ".", "--no-plots")
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stdout.splitlines() if line and not line.startswith(" ")] == [
        *("a: Study a", "b: Study b", "c: Two drives"),
    ]
    # The same run belongs to both studies and was made once; another folder has its own.
    assert len(points(tmp_path / "results")) == len(points(tmp_path / "below")) == 1
    assert (tmp_path / "results" / "b" / "results.csv").is_file()


def test_every_bad_study_of_a_folder_is_told(tmp_path: Path, cli: Cli) -> None:
    write(tmp_path, SMALLER.replace('unit = "us"', 'unit = "B"'), "b.toml")
    (tmp_path / "c.toml").write_text("[metrics.x]\nvalue = \n", encoding="utf-8")
    done = cli("study", "run", ".")
    assert (done.returncode, done.stdout) == (2, "")
    assert "b.toml:19" in done.stderr
    assert "c.toml:2" in done.stderr
    assert not (tmp_path / "results").exists()


def test_studies_with_the_same_name_do_not_share_a_folder(tmp_path: Path, cli: Cli) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write(tmp_path / name, SMALLER)
    for command in (["run", "--out", "x"], ["export", "--to", "x"]):
        done = cli("study", *command, "a/study.toml", "b/study.toml")
        assert (done.returncode, done.stdout) == (2, "")
        assert "a/study.toml and b/study.toml would both write to x/study" in done.stderr
    assert not (tmp_path / "x").exists()


def test_precision_is_reached_and_told(tmp_path: Path, cli: Cli) -> None:
    text = f'{SMALLER}[replications]\nwithin = "40 %"\nmetric = "response"\n[set]\n"run.measured_ios" = 20\n'
    write(tmp_path, text)
    assert cli("study", "run", "study.toml", "--no-plots").returncode == 0
    assert "10 runs, 1 point" in cli("study", "status", "study.toml").stdout
    shown = " ".join(cli("study", "show", "study.toml").stdout.split())
    assert "10 independent replications, Student t" in shown
    write(tmp_path, text.replace("40 %", "2 %"))
    assert (
        "more replications to come: 1 point known less well than within 2 %"
        in cli("study", "status", "study.toml").stdout
    )
    assert len(points(tmp_path)) == 10


# ---------------------------------------------------------------- when something goes wrong


FAILING = """
import os
from sansim.study.jobs import worker
real = worker.run_job
def run_job(job):
    if {word!r} in job.scenario:
        {what}
    return real(job)
worker.run_job = run_job
worker.main()
"""


@pytest.fixture
def failing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Makes workers that fail at some jobs."""

    def make(word: str, what: str) -> None:
        script = tmp_path / "worker.py"
        script.write_text(FAILING.format(word=word, what=what), encoding="utf-8")
        monkeypatch.setattr(execute, "default_command", lambda: [sys.executable, str(script)])

    return make


def invoke(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """Gives a command in this process: exit code, output, errors."""
    with contextlib.chdir(folder):
        done = CliRunner().invoke(sansim_cli, list(arguments))
    return done.exit_code, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("what", "why"),
    [
        ('raise worker.JobFailed("the disk is on fire")', "the disk is on fire"),
        ("os._exit(7)", "the worker process ended with exit code 7"),
    ],
)
def test_a_failing_point_costs_only_itself(
    what: str, why: str, tmp_path: Path, failing: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, QUICK)
    write(tmp_path, SMALLER, "tiny.toml")
    failing('"16 KiB"', what)
    code, out, err = invoke(tmp_path, "study", "run", "study.toml", "tiny.toml", "--workers", "1", "--no-plots")
    assert code == 1
    assert "4 of 6 runs" in out
    assert "2 runs of study failed:" in err
    assert f"size = 16 KiB, schedule = NORM: {why}" in err
    assert f"size = 16 KiB, schedule = CMDF: {why}" in err
    # The other study is complete, and this one is as far as it goes.
    assert "tiny: Two drives\n  1 run, 1 point" in out
    assert (tmp_path / "results" / "tiny" / "results.csv").is_file()
    table = (tmp_path / "results" / "study" / "results.csv").read_text(encoding="utf-8").splitlines()
    assert [bool(line.split(",")[4]) for line in table[1:]] == [True, True, False, False, True, True]
    code, out, _ = invoke(tmp_path, "study", "status", "study.toml")
    assert code == 0
    assert f"size = 16 KiB, schedule = NORM: {why}" in out
    code, out, err = invoke(tmp_path, "validate", "study.toml", "--workers", "1")
    assert (code, "2 runs of study failed" in err) == (1, True)
    # When the reason is gone the runs are made, and nothing else.
    before = points(tmp_path)
    monkeypatch.undo()
    code, out, err = invoke(tmp_path, "study", "run", "study.toml", "--workers", "1", "--no-plots")
    assert (code, err) == (0, "")
    assert "  6 runs, 6 points" in out
    assert len(points(tmp_path)) == 6
    assert before.items() <= points(tmp_path).items()


def test_workers_that_cannot_be_started_end_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path)
    monkeypatch.setattr(execute, "default_command", lambda: ["/no/such/program"])
    code, out, err = invoke(tmp_path, "study", "run", "study.toml")
    assert (code, out) == (1, "")
    assert "error: a worker process cannot be started" in err


def test_ctrl_c_keeps_what_is_finished(tmp_path: Path, cli: Cli) -> None:
    many = changed(('values = ["4 KiB", "16 KiB", "64 KiB"]', 'from = "1 KiB"\nto = "200 KiB"\nstep = "1 KiB"'))
    write(tmp_path, f'{many}[set]\n"run.measured_ios" = 4000\n')
    command = [str(COMMAND), "study", "run", "study.toml", "--workers", "1", "--no-plots"]
    process = subprocess.Popen(
        command, cwd=tmp_path, env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while len(points(tmp_path)) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err == "stopped; what was finished is kept, and the same command goes on from there\n"
    kept = len(points(tmp_path))
    assert 3 <= kept < 400
    assert not (tmp_path / "results" / "study").exists()
    assert f"{kept} of 400 runs" in cli("study", "status", "study.toml").stdout


def test_progress_is_shown_on_a_terminal_only(tmp_path: Path, cli: Cli) -> None:
    write(tmp_path, SMALLER)
    piped = cli("study", "run", "study.toml", "--no-plots")
    assert (piped.returncode, piped.stderr) == (0, "")
    shutil.rmtree(tmp_path / "results")
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [str(COMMAND), "study", "run", "study.toml", "--no-plots"],
        cwd=tmp_path,
        env={**clean_environment(), "TERM": "xterm"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
        check=True,
    )
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):
        while part := os.read(ours, 1 << 16):
            shown += part
    os.close(ours)
    assert b"0 of 1 runs" in shown
    assert b"100%]" in shown or b"1 of 1 runs" in shown
    assert shown.endswith(b"\r\x1b[K")
    assert b"\x1b" not in done.stdout


# ---------------------------------------------------------------- what cannot be computed or kept

UNCOMPUTED = """
[metrics.nothing]
formula = "1 / 0"
[metrics.large]
formula = "9 ** 9 ** 9 ** 9"
[metrics.inverse]
formula = "1 / (size - 4096)"
[metrics.good]
formula = "throughput * 2"
"""
SAID = """\
error: study.toml: `nothing` cannot be computed: `1 / 0` divides by zero
error: study.toml: `large` cannot be computed: `9 ** 9 ** 9` is too large a number
error: study.toml: `inverse` cannot be computed at size = 4 KiB: `1 / (size - 4096)` divides by zero
"""


def test_a_metric_that_cannot_be_computed_is_told_with_its_point_and_the_exit_code(tmp_path: Path) -> None:
    write(tmp_path, SMALLER + UNCOMPUTED)
    code, out, err = invoke(tmp_path, "study", "run", "study.toml", "--workers", "1", "--no-plots")
    assert (code, err) == (3, SAID)
    assert "written to" in out
    folder = tmp_path / "results" / "study"
    assert "## What could not be computed" in (folder / "results.md").read_text(encoding="utf-8")
    table = pl.read_csv(folder / "results.csv")
    assert table["good []" if "good []" in table.columns else "good"].drop_nulls().len() > 0, "others are there"
    for command in (["status"], ["show"], ["export", "--to", "elsewhere", "--format", "csv"]):
        code, _, err = invoke(tmp_path, "study", command[0], "study.toml", *command[1:])
        assert (code, err) == (3, SAID), command
    code, _, err = invoke(tmp_path, "study", "show", "study.toml", "--metric", "good")
    assert (code, err) == (0, "")
    code, _, err = invoke(tmp_path, "validate", "study.toml")
    assert code == 3
    assert SAID in err
    found = sansim.run_study(tmp_path / "study.toml").uncomputed
    assert [(lack.metric, lack.where) for lack in found] == [
        ("nothing", ""),
        ("large", ""),
        ("inverse", "size = 4 KiB"),
    ]


def test_a_folder_in_place_of_a_result_costs_that_run_only(tmp_path: Path) -> None:
    write(tmp_path, QUICK)
    made = plan(read_study(tmp_path / "study.toml"))
    keys = [job.key for job in made.all_jobs()]
    taken = tmp_path / "results" / "points" / keys[2][:2] / f"{keys[2]}.json"
    (taken / "thesis").mkdir(parents=True)
    failed = tmp_path / "results" / "failed" / f"{keys[2]}.json"
    failed.mkdir(parents=True)
    code, out, err = invoke(tmp_path, "study", "run", "study.toml", "--workers", "1", "--no-plots")
    assert code == 1
    assert "5 of 6 runs" in out
    assert "1 run of study failed:" in err
    assert f"its result cannot be kept: {taken.relative_to(tmp_path)} is a folder; move it away" in err.replace(
        f"{tmp_path}/", ""
    )
    assert (taken / "thesis").is_dir()
    taken.joinpath("thesis").rmdir()
    taken.rmdir()
    assert invoke(tmp_path, "study", "run", "study.toml", "--workers", "1", "--no-plots")[0] == 0


@pytest.mark.parametrize(("limit", "file"), [(500, r"points/../[0-9a-f]*\.json"), (8000, r"study/throughput\.png")])
def test_a_disk_that_is_full_is_told_with_the_file(limit: int, file: str, tmp_path: Path) -> None:
    write(tmp_path, SMALLER)
    done = subprocess.run(
        [str(COMMAND), "study", "run", "study.toml", "--workers", "1"],
        cwd=tmp_path,
        env=clean_environment(),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert re.fullmatch(rf"error: cannot write .*results/{file}: File too large\n", done.stderr), done.stderr
    assert not [file for file in tmp_path.rglob("*") if file.name.startswith(".")]


# ---------------------------------------------------------------- results that somebody changed


def forge(folder: Path) -> None:
    """Changes a digit of a figure in each result of a run."""
    for file in folder.rglob("points/*/*.json"):
        old = file.read_bytes()
        new = re.sub(rb'("bytes_per_second":)(\d)', lambda found: found[1] + b"%d" % (9 - int(found[2])), old)
        assert (len(old), old == new) == (len(new), False)
        file.write_bytes(new)


def bytes_of(files: Iterable[Path]) -> dict[str, bytes]:
    """What is in files."""
    return {file.name: file.read_bytes() for file in files}


LOOKING = [
    ("status", "study.toml"),
    ("show", "study.toml"),
    ("compare", "study.toml", "--axis", "schedule", "--values", "NORM", "CMDF"),
    ("export", "study.toml", "--to", "exported", "--format", "csv", "--format", "markdown"),
]


@pytest.mark.parametrize("command", LOOKING, ids=[command[0] for command in LOOKING])
def test_a_result_with_a_changed_digit_is_shown_as_none(command: tuple[str, ...], copied: Path) -> None:
    def answer() -> tuple[object, ...]:
        return invoke(copied, "study", *command), bytes_of(copied.glob("exported/*"))

    good = answer()
    forge(copied)
    forged = answer()
    shutil.rmtree(copied / "results" / "points")
    assert forged == answer()
    assert forged != good


@pytest.mark.parametrize("command", [("study", "run"), ("validate",)], ids=["run", "validate"])
def test_a_result_with_a_changed_digit_is_run_again(command: tuple[str, ...], copied: Path) -> None:
    def answer() -> tuple[object, ...]:
        return invoke(copied, *command, "study.toml", "--workers", "2"), bytes_of(copied.glob("results/study/*"))

    before, good = bytes_of(copied.rglob("points/*/*.json")), answer()
    forge(copied)
    forged = bytes_of(copied.rglob("points/*/*.json"))
    assert forged.keys() == before.keys()
    assert not forged.items() & before.items()
    assert answer() == good
    assert bytes_of(copied.rglob("points/*/*.json")) == before


# ---------------------------------------------------------------- showing, comparing, exporting


def test_results_are_shown(copied: Path, cli: Cli) -> None:
    done = cli("study", "show", "study.toml")
    assert (done.returncode, done.stderr) == (0, "")
    assert "| size   | schedule | throughput [MiB/s] | response [us] |" in done.stdout
    assert "X-2" in done.stdout
    only = cli("study", "show", "study.toml", "--metric", "response").stdout
    assert "throughput" not in only
    assert "X-2" not in only
    assert copied.is_dir()


def test_a_metric_that_is_not_measured_is_refused(copied: Path, cli: Cli) -> None:
    for command in (["show"], ["compare", "--axis", "schedule", "--values", "NORM", "CMDF"]):
        done = cli("study", *command, "study.toml", "--metric", "respons")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == "error: --metric: study.toml does not measure `respons`; did you mean `response`?\n"
    assert copied.is_dir()


def test_what_was_not_run_is_said_to_be_missing(tmp_path: Path, cli: Cli) -> None:
    write(tmp_path)
    for command in (["show"], ["export", "--to", "x", "--format", "csv"]):
        done = cli("study", *command, "study.toml")
        assert done.returncode == 0
        assert done.stderr == "6 runs are missing: sansim study run study.toml\n"
    done = cli("study", "compare", "study.toml", "--axis", "schedule", "--values", "NORM", "CMDF")
    assert (done.returncode, done.stdout) == (1, "")
    assert "there is no point at which both have results" in done.stderr


def test_two_values_are_compared(copied: Path, cli: Cli) -> None:
    done = cli(
        "study", "compare", "study.toml", "--axis", "size", "--values", "64 KiB", "4 KiB", "--metric", "throughput"
    )
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line for line in done.stdout.splitlines() if "throughput" in line]
    assert [row.split("|")[1].strip() for row in rows] == ["schedule = NORM", "schedule = CMDF"]
    assert all("+" in row.split("|")[5] and "%" in row.split("|")[6] for row in rows)
    assert done.stdout.endswith("Difference: difference of one pair, no interval.\n")
    shutil.copy(copied / "study.toml", copied / "same.toml")
    done = cli("study", "compare", "study.toml", "same.toml", "--metric", "response")
    assert done.returncode == 0
    assert done.stdout.count("+0.00 %") == 6


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["study.toml"], "give one FILE with --axis and --values, or two study files"),
        (["study.toml", "--axis", "sise", "--values", "a", "b"], "no axis `sise`; did you mean `size`?"),
        (["study.toml", "--axis", "schedule"], "--axis needs --values: two of NORM, CMDF"),
        (["study.toml", "--axis", "schedule", "--values", "NORM", "CMD"], "no value `CMD`; did you mean `CMDF`?"),
        (["study.toml", "study.toml", "--axis", "schedule"], "give one FILE"),
        (["a", "b", "c"], "give one FILE"),
        ([".", "study.toml"], "study files are compared, not folders"),
        (["study.toml", "study.toml"], "two different study files"),
    ],
)
def test_what_cannot_be_compared_is_refused(arguments: list[str], words: str, tmp_path: Path, cli: Cli) -> None:
    write(tmp_path)
    write(tmp_path, STUDY, "other.toml")
    done = cli("study", "compare", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr


def test_results_are_exported(copied: Path, cli: Cli) -> None:
    done = cli("study", "export", "study.toml", "--to", "x", "--format", "csv", "--format", "svg")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["x/results.csv", "x/verdicts.csv", "x/throughput.svg"]
    for name in ("results.csv", "throughput.svg"):
        assert (copied / "x" / name).read_bytes() == (copied / "results" / "study" / name).read_bytes()
    done = cli("study", "export", "study.toml", "--to", "x", "--format", "docx")
    assert (done.returncode, done.stdout) == (2, "")


def test_netcdf_without_a_library_is_an_error_that_says_what_to_install(copied: Path, cli: Cli) -> None:
    if importlib.util.find_spec("xarray") is None or any(map(importlib.util.find_spec, NETCDF_LIBRARIES)):
        pytest.skip("needs xarray without a library for NetCDF")
    done = cli("study", "export", "study.toml", "--to", "x", "--format", "netcdf")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "error: this needs a library that writes NetCDF files; install one with: pip install h5netcdf\n"
    )
    assert list((copied / "x").iterdir()) == []


def test_the_python_api_gives_the_same(copied: Path) -> None:
    outcome = sansim.run_study(copied / "study.toml", workers=1)
    assert (outcome.missing, outcome.failures) == (0, {})
    assert [verdict.verdict for verdict in outcome.verdicts] == ["pass", "miss", "pass", "miss", "no-data"]
    assert len(outcome.frame()) == 12
    with pytest.raises(sansim.ScenarioError, match="no such file"):
        sansim.run_study(copied / "missing.toml")


# ---------------------------------------------------------------- validation


def test_published_values_stand_beside_ours_with_counts(copied: Path, cli: Cli) -> None:
    done = cli("validate", "study.toml")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["target", "class", "source", "published", "ours", "error", "verdict", "note"]
    assert [line.split()[0] for line in lines[1:6]] == ["X-1", "X-2", "X-3", "Y-1", "Y-2"]
    assert lines[-5] == "predicted: 2 of 3 hold (66.7 %)"
    assert [line.split()[:2] for line in lines[-4:]] == [
        ["predicted", "2/3"],
        ["seen", "0/1"],
        ["given", "0/0"],
        ["remark", "1"],
    ]
    assert copied.is_dir()


def test_only_misses_are_told_if_that_is_wanted(copied: Path, cli: Cli) -> None:
    done = cli("validate", "study.toml", "--misses")
    assert [line.split()[0] for line in done.stdout.splitlines() if line] == [
        *("target", "X-2", "Y-1"),
        *("predicted:", "predicted", "seen", "given", "remark"),
    ]
    assert "because" in done.stdout
    assert copied.is_dir()


def test_a_quick_validation_runs_only_what_it_needs(tmp_path: Path, cli: Cli) -> None:
    file = write(tmp_path, QUICK + MORE)
    done = cli("validate", "study.toml", "--quick", "--workers", "1")
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split()[0] for line in done.stdout.splitlines() if line][:3] == ["target", "X-1", "predicted:"]
    assert "predicted: 1 of 1 hold (100.0 %)" in done.stdout
    (kept,) = points(tmp_path).values()
    job = plan(read_study(file)).jobs[0, 0][0]
    assert json.loads(kept[1])["key"] == job.key
    write(tmp_path, STUDY)
    done = cli("validate", "study.toml", "--quick")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "these studies have no expected values that are marked quick\n"


def test_the_ledger_is_written_as_a_page(copied: Path, cli: Cli) -> None:
    done = cli("validate", "study.toml", "--write", "docs.md")
    assert done.returncode == 0
    page = (copied / "docs.md").read_text(encoding="utf-8")
    assert "`sansim validate study.toml --write docs.md` rewrites it" in page
    assert "**Predicted: 2 of 3 hold (66.7 %).**" in page
    assert "* X-2: slower here." in page
    assert page.count("| X-2") == 2
    cli("validate", "study.toml", "--write", "again.md")
    assert (copied / "again.md").read_text(encoding="utf-8") == page.replace("docs.md", "again.md")
    done = cli("validate", "study.toml", "--quick", "--write", "docs.md")
    assert (done.returncode, done.stdout) == (2, "")


# ---------------------------------------------------------------- validation for programs


def ledger_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The ledger that a command printed, and nothing else."""

    def refuse(word: str) -> float:
        raise AssertionError(word)

    found = json.loads(done.stdout, parse_constant=refuse)
    assert isinstance(found, dict)
    return found


def recounted(rows: list[dict[str, Any]]) -> dict[str, dict[str, int]]:
    """The counts by class: targets, and of them those whose rows all hold."""
    found = {}
    for name in ("predicted", "seen", "given", "remark"):
        mine = [row for row in rows if row["class"] == name]
        missed = {row["id"] for row in mine if row["verdict"] != "pass"}
        targets = {row["id"] for row in mine}
        found[name] = {"held": len(targets - missed), "total": len(targets)}
    return found


def test_the_ledger_for_programs_is_all_that_is_printed(copied: Path, cli: Cli) -> None:
    done = cli("validate", "study.toml", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    ledger = ledger_of(done)
    assert list(ledger) == ["rows", "classes", "papers"]
    assert [row["id"] for row in ledger["rows"]] == ["X-1", "X-2", "X-3", "Y-1", "Y-2"]
    assert [row["class"] for row in ledger["rows"]] == ["predicted", "predicted", "predicted", "seen", "remark"]
    wanted = {"id", "class", "published", "ours", "error", "tolerance", "verdict"}
    assert all(wanted <= set(row) for row in ledger["rows"])
    second = ledger["rows"][1]
    assert (second["published"], second["tolerance"], second["verdict"]) == (20.0, "3 %", "miss")
    assert second["error"] == pytest.approx(100 * (second["ours"] / 20 - 1))
    assert (second["note"], second["means"]) == ("because", "slower here")
    assert ledger["classes"] == recounted(ledger["rows"])
    for paper in ("X", "Y"):
        assert ledger["papers"][paper] == recounted([row for row in ledger["rows"] if row["id"].startswith(paper)])
    assert copied.is_dir()


def test_what_is_wrong_is_told_beside_the_ledger_for_programs(
    tmp_path: Path, failing: Callable[[str, str], None]
) -> None:
    write(tmp_path, QUICK + MORE + UNCOMPUTED)
    failing('"16 KiB"', 'raise worker.JobFailed("the disk is on fire")')
    code, out, err = invoke(tmp_path, "validate", "study.toml", "--json", "--workers", "1")
    assert code == 1
    rows = json.loads(out)["rows"]
    assert {row["id"]: row["verdict"] for row in rows}["X-2"] == "missing"
    assert json.loads(out)["classes"] == recounted(rows)
    assert "2 runs of study failed" in err


def test_the_progress_line_leaves_the_ledger_for_programs_alone(tmp_path: Path) -> None:
    write(tmp_path, SMALLER)
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [str(COMMAND), "validate", "study.toml", "--json"],
        cwd=tmp_path,
        env={**clean_environment(), "TERM": "xterm"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
        check=True,
        text=True,
    )
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):
        while part := os.read(ours, 1 << 16):
            shown += part
    os.close(ours)
    assert b"0 of 1 runs" in shown
    assert [row["id"] for row in ledger_of(done)["rows"]] == ["X-1"]


def test_a_ledger_without_rows_is_one_for_programs_as_well(tmp_path: Path, cli: Cli) -> None:
    write(tmp_path, STUDY)
    done = cli("validate", "study.toml", "--quick", "--json")
    assert done.returncode == 0
    ledger = ledger_of(done)
    assert (ledger["rows"], ledger["papers"]) == ([], {})
    assert ledger["classes"] == recounted([])
    assert done.stderr == "these studies have no expected values that are marked quick\n"


@pytest.mark.parametrize("json", [[], ["--json"]])
def test_whoever_is_strict_is_told_of_misses_by_the_exit_code(json: list[str], copied: Path, cli: Cli) -> None:
    assert cli("validate", "study.toml", *json).returncode == 0
    done = cli("validate", "study.toml", "--strict", *json)
    assert (done.returncode, done.stderr) == (3, "")
    assert "X-2" in done.stdout
    # Of the rows that are marked quick none misses.
    assert cli("validate", "study.toml", "--strict", "--quick", *json).returncode == 0
    assert copied.is_dir()


def test_the_ledger_is_printed_for_programs_and_written_for_people_at_once(copied: Path, cli: Cli) -> None:
    done = cli("validate", "study.toml", "--json", "--write", "docs.md")
    assert (done.returncode, done.stderr) == (0, "")
    assert ledger_of(done)["classes"]["predicted"] == {"held": 2, "total": 3}
    assert "**Predicted: 2 of 3 hold (66.7 %).**" in (copied / "docs.md").read_text(encoding="utf-8")


def test_the_ledger_for_programs_has_all_rows(copied: Path, cli: Cli) -> None:
    done = cli("validate", "study.toml", "--json", "--misses")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: --misses: the JSON has all rows, with their verdicts; leave out one of the two\n"
    assert copied.is_dir()


def test_without_studies_there_is_nothing_to_validate(tmp_path: Path, cli: Cli) -> None:
    done = cli("validate")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: there is no folder `studies` here; name the study files or their folder\n"
    (tmp_path / "studies").mkdir()
    write(tmp_path / "studies", SMALLER)
    done = cli("validate", "--workers", "1")
    assert done.returncode == 0
    assert len(points(tmp_path / "studies")) == 1
