"""The study that tests of `sansim study` and `sansim validate` give commands for, and how they do."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from click.testing import CliRunner

from conftest import COMMAND, clean_environment
from sansim.cli import cli as sansim_cli
from study_support import changed, write

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


SMALLER = changed(
    ('"4 KiB", "16 KiB", "64 KiB"', '"4 KiB"'), ('["fair", "command-first"]', '["fair"]'), ('"NORM", "CMDF"', '"NORM"')
)
"""A study of one point."""


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


def invoke(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """Gives a command in this process: exit code, output, errors."""
    with contextlib.chdir(folder):
        done = CliRunner().invoke(sansim_cli, list(arguments))
    return done.exit_code, done.stdout, done.stderr


def bytes_of(files: Iterable[Path]) -> dict[str, bytes]:
    """What is in files."""
    return {file.name: file.read_bytes() for file in files}


def run_once(folder: Path) -> Path:
    """Runs the study in a folder, and keeps there what was said."""
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


def fail_at(folder: Path, word: str, what: str) -> list[str]:
    """The command of workers that fail in this way at the jobs with a word in their scenario."""
    script = folder / "worker.py"
    script.write_text(FAILING.format(word=word, what=what), encoding="utf-8")
    return [sys.executable, str(script)]
