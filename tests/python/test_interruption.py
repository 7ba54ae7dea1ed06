"""Ctrl-C in every command that takes its time: it ends soon, with exit code 130 and a line that says what is kept."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest

import sansim
from conftest import clean_environment
from sansim.files import rows_in_pieces, write_parquet
from sansim.interruptible import interruptible
from sansim.runs import output

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60.0
"""So long a test waits at most, on a machine that is busy with others; the commands take a fraction of a second."""

SYSTEM = """
[run]
measured_ios = 3_000_000
[host]
kind = "host"
attached = ["drives"]
[drives]
kind = "drives"
count = 1
capacity = "1 GiB"
access_time = { distribution = "exponential", mean = "3 ms" }
transfer_rate = "40 MB/s"
[load]
kind = "closed"
from = "host"
to = ["drives"]
size = "64 KiB"
queue_depth = 1
"""


def interrupted(command: Sequence[object], folder: Path, word: str) -> tuple[int, str, str]:
    """Runs a command with a terminal for its messages, and sends Ctrl-C when a word has appeared there.

    Returns:
        The exit code, the standard output, and the messages without their control characters.
    """
    ours, theirs = pty.openpty()
    words = [sys.executable, "-m", "sansim", *map(str, command)]
    environment = clean_environment() | {"TERM": "xterm", "COLUMNS": "200"}
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=theirs, cwd=folder, env=environment, start_new_session=True
    ) as process:
        os.close(theirs)
        seen = b""
        try:
            deadline = time.monotonic() + PATIENCE_S
            while word.encode() not in seen:
                assert time.monotonic() < deadline, seen
                try:
                    seen += os.read(ours, 4096)
                except OSError:
                    break
            assert word.encode() in seen, seen
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=PATIENCE_S)
            while True:
                try:
                    seen += os.read(ours, 4096)
                except OSError:
                    break
        finally:
            process.kill()
            os.close(ours)
    told = re.sub(r"\r[^\r\n]*\x1b\[K", "", seen.decode().replace("\r\n", "\n"))
    assert "Traceback" not in told
    return process.returncode, output.decode(), told


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a scenario that takes long, measurements, a study and a run folder."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "system.toml").write_text(SYSTEM)
    (folder / "rows.csv").write_text("load.queue_depth,iops\n1,200\n2,210\n4,215\n8,220\n1,201\n2,211\n")
    (folder / "study.toml").write_text(
        'scenario = "system.toml"\n[axes.depth]\nkey = "load.queue_depth"\nvalues = [1, 2, 4, 8, 16, 32]\n'
        '[metrics.iops]\nvalue = "iops"\n'
    )
    sansim.run(SYSTEM, {"run.measured_ios": 40_000}).save(folder / "ran")
    return folder


CASES: dict[str, tuple[list[object], str, str]] = {
    "run": (["run", "system.toml"], "s simulated", "stopped early; the I/Os measured until then are in the report"),
    "run --out": (
        ["run", "system.toml", "--out", "kept"],
        "s simulated",
        "stopped early; the I/Os measured until then are in kept, and a run begins anew",
    ),
    "explain": (
        ["explain", "system.toml", "--every-change"],
        "s simulated",
        "stopped early; nothing was found yet",
    ),
    "compare": (
        ["compare", "system.toml", "system.toml", "--set", "run.measured_ios=300000", "--replications", "100"],
        "run 3 of 200",
        "of 100 pairs of runs were compared; the same command begins anew",
    ),
    "calibrate": (
        ["calibrate", "system.toml", "--to", "rows.csv", "--unknown", "drives.access_time=1 ms..20 ms", "--simulate"],
        "sets of values tried",
        "stopped. The best values until then are off by ",
    ),
    "adapter fit": (
        ["adapter", "fit", ROOT / "scenarios" / "adapter-rates.csv", "--ios", "100000"],
        "adapters tried",
        "stopped; nothing was written. The best until then is off by ",
    ),
    "study run": (
        ["study", "run", "study.toml", "--workers", "1"],
        "of 6 runs",
        "stopped; what was finished is kept, and the same command goes on from there",
    ),
    "query": (
        ["query", "ran", "select sum(a.lba * b.lba) from ios a, ios b where a.io % 7 <= b.io % 11"],
        "querying",
        "stopped; nothing was written",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_ctrl_c_ends_a_command_with_what_was_kept(name: str, site: Path) -> None:
    command, word, told = CASES[name]
    code, output, messages = interrupted(command, site, word)
    assert code == 130
    assert told in messages
    assert messages.count("stopped") <= 2
    if name == "compare":
        assert "Both were run" in output
    if name == "run --out":
        kept = pl.read_parquet(site / "kept" / "ios.parquet").height
        assert f"stopped; writing the {kept:,} I/Os measured to kept; Ctrl-C again discards them" in messages
        assert 0 < kept < 3_000_000
    if name == "calibrate":
        assert re.search(r"--set 'drives\.access_time=\"[0-9.]+ ms\"'", messages)


def test_ctrl_c_while_modules_are_imported_leaves_no_traceback() -> None:
    program = """
import sys
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == "sansim.cli":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupt())
from sansim.entry import main
main()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "stopped\n")


def test_native_work_is_told_to_end_and_waited_for() -> None:
    told = threading.Event()
    ended = threading.Event()

    def work() -> None:
        assert told.wait(PATIENCE_S)
        ended.set()

    def look() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interruptible(work, told.set, look)
    assert ended.is_set()


def test_an_error_of_interruptible_work_is_raised_where_it_is_waited_for() -> None:
    def work() -> int:
        raise ValueError("of the work")

    with pytest.raises(ValueError, match="of the work"):
        interruptible(work, lambda: None)
    assert interruptible(lambda: None, lambda: None) is None


def test_rows_are_read_in_pieces_as_from_the_whole_file(tmp_path: Path) -> None:
    table = pl.DataFrame({"io": range(4500), "name": [f"n{io % 7}" for io in range(4500)]})
    table.write_ipc(tmp_path / "rows.arrow", compression="uncompressed", record_batch_size=1000)
    shares: list[float] = []
    found = rows_in_pieces(tmp_path / "rows.arrow", shares.append)
    assert found.collect().equals(table)
    assert shares == [piece / 5 for piece in range(5)]
    some = pl.col("io") % 3 == 0
    assert found.filter(some).select("name").head(700).collect().equals(table.filter(some).select("name").head(700))
    table.clear().write_ipc(tmp_path / "none.arrow", compression="uncompressed")
    assert rows_in_pieces(tmp_path / "none.arrow").collect().equals(table.clear())


def test_a_folder_whose_writing_is_interrupted_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def until_stopped(table: pl.LazyFrame, file: Path, _row_group: int = 0) -> None:
        """Reads pieces until one raises an exception, as a table with very many of them would."""
        while file.name == "ios.parquet":
            write_parquet(table, file)

    def progress(file: str, share: float) -> None:
        assert file == "ios.parquet"
        assert 0 <= share <= 1
        raise KeyboardInterrupt

    from sansim._core import Scenario
    from sansim.simulate import run_scenario

    monkeypatch.setattr(output, "write_parquet", until_stopped)
    scenario = Scenario.parse(SYSTEM, "system.toml", [("run.measured_ios", "1000")])
    with output.RunFolder(tmp_path / "run") as folder:
        result = run_scenario(scenario, rows_in=folder.rows)
        with pytest.raises(KeyboardInterrupt):
            folder.complete(result, progress)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_very_many_ios_has_no_json_of_fio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sansim._core import Scenario
    from sansim.simulate import run_scenario

    scenario = Scenario.parse(SYSTEM, "system.toml", [("run.measured_ios", "1000")])
    for most, there in ((1000, True), (999, False)):
        monkeypatch.setattr(output, "MOST_IOS_FOR_FIO", most)
        place = tmp_path / str(most)
        with output.RunFolder(place) as folder:
            folder.complete(run_scenario(scenario, rows_in=folder.rows))
        assert (place / "fio.json").exists() is there
        assert output.changed(place) == ""
    # A result that is in memory anyhow has all files.
    sansim.run(SYSTEM, {"run.measured_ios": 1000}).save(tmp_path / "held")
    assert (tmp_path / "held" / "fio.json").exists()


def test_a_page_that_memory_cannot_hold_is_refused(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sansim.html_report import PageError, read

    monkeypatch.setattr("sansim.html_report.folder.memory", lambda: 10e6)
    with pytest.raises(PageError, match=r"ios\.parquet has 40,000 rows, of which a page needs 0\.0 GB") as caught:
        read([site / "ran"])
    assert "run.measured_ios" in str(caught.value)
    monkeypatch.setattr("sansim.html_report.folder.memory", lambda: None)
    assert read([site / "ran"])[0].ios.height == 40_000
