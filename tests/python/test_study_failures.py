"""What `sansim study` says and keeps when something goes wrong: jobs that fail, metrics without a value, full disks."""

from __future__ import annotations

import re
import resource
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import sansim
from conftest import COMMAND, Cli, clean_environment
from sansim.study.jobs import execute
from sansim.study.points.plan import plan
from sansim.study.read import read_study
from study_cli_support import QUICK, SMALLER, UNCOMPUTED, invoke, points
from study_support import changed, write

pytestmark = pytest.mark.slow


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
    failing('size = "16 KiB"', what)
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


# ---------------------------------------------------------------- what cannot be computed or kept


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


@pytest.mark.parametrize(("limit", "file"), [(500, r"points/../[0-9a-f]*\.json"), (12_000, r"study/throughput\.png")])
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
