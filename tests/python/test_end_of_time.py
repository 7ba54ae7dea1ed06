"""Runs that do not end within simulated time, and runs in which nothing happens for long."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest

import sansim
from conftest import COMMAND, Cli, clean_environment
from sansim.study.jobs.job import JobFailed, job_of, run_job

ONE = """
[run]
measured_ios = 20000
[loop]
kind = "arbitrated-loop"
speed = "4GFC"
stations = ["controller", "drive"]
[controller]
kind = "host"
[drive]
kind = "drives"
access_time = "3600 s"
transfer_rate = "100 MB/s"
[load]
kind = "closed"
from = "controller"
to = ["drive"]
size = "16 KiB"
"""


@pytest.fixture
def hours(tmp_path: Path) -> Path:
    """A scenario of which each I/O takes an hour, and all together 834 days."""
    file = tmp_path / "hours.toml"
    file.write_text(ONE, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--json"],
        ["--out", "out"],
        ["--out", "out", "--sample-every", "1 s", "--trace", "out/trace.txt", "--timeline", "timeline"],
        ["--capture", "frames.pcapng", "--trace-slowest", "3"],
        ["--set", "run.precision=1 %", "--set", "load.read_fraction=0.5", "--out", "out"],
    ],
)
def test_a_run_that_outlasts_simulated_time_is_an_error_and_leaves_nothing(
    options: list[str], cli: Cli, hours: Path
) -> None:
    if "run.precision=1 %" in options:
        # As hours go by, no two I/Os take the same time.
        options = [*options, "--set", 'drive.access_time={ distribution = "exponential", mean = "3600 s" }']
    done = cli("run", hours, *options)
    assert done.returncode == 1
    assert done.stdout == ""
    assert "error: simulated time ends after 300 days" in done.stderr
    assert " I/Os were complete after 29" in done.stderr
    assert "help: all of them take about" in done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in hours.parent.iterdir()] == ["hours.toml"]


def test_python_gets_an_exception_of_its_own(hours: Path) -> None:
    with pytest.raises(sansim.ClockError, match="simulated time ends after 300 days"):
        sansim.run(hours)
    assert sansim.run(hours, {"run.measured_ios": 7000}).summary["response_time_ns"]["mean"] > 3600e9


def test_a_job_of_a_study_fails_with_the_reason() -> None:
    with pytest.raises(JobFailed, match=r"^simulated time ends after 300 days"):
        run_job(job_of(sansim.resolve(ONE)))


def test_a_transfer_that_outlasts_simulated_time_is_an_error_with_a_place(cli: Cli, hours: Path) -> None:
    settings = ["--set", "load.size=4294967295 B", "--set", "drive.transfer_rate=1 B/s"]
    done = cli("run", hours, *settings)
    assert done.returncode == 2
    assert "keeps the medium of `drive` busy for 49710 days at 1 B/s" in done.stderr
    assert "key: load.size" in done.stderr


def test_ctrl_c_is_heard_while_nothing_happens_but_samples(hours: Path) -> None:
    with subprocess.Popen(
        [str(COMMAND), "run", str(hours), "--out", "out", "--sample-every", "1 ns"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=hours.parent,
        env=clean_environment(),
        text=True,
        start_new_session=True,
    ) as process:
        # The run has begun when it has a place for its result, however long that takes.
        until = time.monotonic() + 60
        while not list(hours.parent.glob(".out.*/new")) and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(1.0)
        asked = time.monotonic()
        process.send_signal(signal.SIGINT)
        try:
            _, errors = process.communicate(timeout=30)
        finally:
            process.kill()
    assert time.monotonic() - asked < 20
    assert process.returncode != 0
    assert "Traceback" not in errors
    assert not list(hours.parent.glob(".out.*"))
