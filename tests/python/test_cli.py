"""The command line where nothing is wrong."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

import sansim
from conftest import COMMAND, Cli, clean_environment
from sansim.commit import commit
from study_support import changed, write


def test_version_is_told(cli: Cli) -> None:
    of = commit()
    assert cli("--version").stdout == f"sansim {sansim.__version__}{f' (commit {of})' if of else ''}\n"
    assert sansim.__version__ == version("sansim")


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_a_command_that_does_nothing_imports_nothing_that_it_does_not_need(option: str) -> None:
    tells = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr))"
    program = f"{tells}; from sansim.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", program, option], capture_output=True, text=True, check=True)
    loaded = done.stderr.split()
    assert "sansim.cli" in loaded
    heavy = {"duckdb", "importlib.metadata", "matplotlib", "numpy", "polars", "pyarrow"}
    assert not heavy & set(loaded)
    assert not [
        name
        for name in loaded
        if name.startswith(("sansim.api", "sansim.html_report", "sansim.result", "sansim.study"))
    ]


def test_every_public_name_has_a_home() -> None:
    names = [name for group in sansim.HOMES.values() for name in group]
    assert sorted(names) == sorted(sansim.__all__)
    assert all(hasattr(sansim, name) for name in names)
    assert set(names) <= set(dir(sansim))
    with pytest.raises(AttributeError, match="module 'sansim' has no attribute 'simulate_all'"):
        _ = sansim.simulate_all


def test_json_is_exactly_one_object(cli: Cli, small: Path) -> None:
    done = cli("run", small, "--json")
    assert done.returncode == 0
    assert done.stderr == ""
    value = json.loads(done.stdout)
    assert list(value) == ["summary", "run"]
    assert done.stdout.count("\n") == 1
    assert {"iops", "bytes_per_second", "response_time_ns", "simulated_s", "components", "ledger_ns"} <= set(
        value["summary"]
    )
    assert {"wall_s", "events", "version"} <= set(value["run"])


def test_same_seed_gives_the_same_bytes_in_two_processes(cli: Cli, small: Path) -> None:
    first, second = (cli("run", small, "--json", "--seed", 9).stdout for _ in range(2))
    cut = '"run": {'
    assert first.split(cut)[0] == second.split(cut)[0]
    assert cli("run", small, "--json", "--seed", 10).stdout.split(cut)[0] != first.split(cut)[0]


def test_both_loops_give_the_same_figures(cli: Cli, small: Path) -> None:
    fast, reference = (json.loads(cli("run", small, "--json", "--loop", x).stdout) for x in ("fast", "reference"))
    assert fast["run"]["loop"] == "fast"
    assert reference["run"]["loop"] == "reference"
    assert fast["summary"] == reference["summary"]


def test_settings_replace_values(cli: Cli, small: Path) -> None:
    settings = ["--set", "workload.read_fraction=1", "--set", "workload.size=4 KiB"]
    summary = json.loads(cli("run", small, "--json", *settings).stdout)["summary"]
    assert summary["writes"]["ios"] == 0
    assert summary["reads"]["bytes"] == summary["ios"] * 4096


def test_a_precision_that_is_not_reached_is_told_and_no_failure(cli: Cli, small: Path) -> None:
    asked = ["--set", "run.precision=0.1 %", "--set", "run.most_ios=1000"]
    done = cli("run", small, *asked)
    assert done.returncode == 0
    [line] = done.stderr.splitlines()
    assert line.startswith("warning: The mean response time is NOT KNOWN to within 0.1 %: its 95 % interval is ")
    assert line.endswith("the run ended after run.most_ios.")
    assert "* marks it below" in " ".join(done.stdout.split())
    found = json.loads(cli("run", small, "--json", *asked).stdout)["summary"]["statistics"]["precision"]
    assert (found["reached"], found["ended_by"]) == (False, "most_ios")
    assert cli("run", small, "--set", "run.precision=50 %").stderr == ""


def test_a_run_that_is_mostly_left_out_is_warned_of_before_it_begins(cli: Cli, small: Path) -> None:
    large = ["--set", "workload.queue_depth=2000", "--set", "run.warm_up=20", "--set", "run.measured_ios=100"]
    done = cli("run", small, *large, "--json", "--set", "workload.size=512 B")
    assert done.returncode == 0
    [line] = done.stderr.splitlines()
    assert "160,000 I/Os are simulated and left out, for 100 that are measured" in line
    assert line.startswith("warning: ")


def test_a_run_tells_on_a_terminal_how_long_it_still_takes(small: Path) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [str(COMMAND), "run", str(small), "--set", "run.measured_ios=10000000", "--json"],
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**clean_environment(), "TERM": "xterm"},
        start_new_session=True,
    ) as process:
        os.close(theirs)
        try:
            assert re.search(rb"\d (s|min) left  ", read_until(ours, b" left  "))
        finally:
            process.kill()
            os.close(ours)


def test_report_fits_a_pipe(cli: Cli, small: Path) -> None:
    done = cli("run", small)
    assert done.returncode == 0
    assert done.stderr == ""
    assert max(map(len, done.stdout.splitlines())) <= 80
    for word in ("IOPS", "MB/s", "MiB/s", "p99.9", "95 %", "Utilisation"):
        assert word in done.stdout
    assert "\x1b" not in done.stdout


def test_report_prints_where_the_encoding_has_no_bars(small: Path) -> None:
    env = {**clean_environment(), "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([str(COMMAND), "run", str(small)], capture_output=True, env=env, check=True)
    assert b"#" in done.stdout
    assert done.stdout.isascii()


def test_check_finds_nothing_wrong(cli: Cli, small: Path) -> None:
    done = cli("check", small)
    assert (done.returncode, done.stderr) == (0, "")
    assert "no problems" in done.stdout


def test_check_prints_the_resolved_scenario(cli: Cli, small: Path, tmp_path: Path) -> None:
    done = cli("check", small, "--resolved", "--set", "drives.count=3")
    assert tomllib.loads(done.stdout)["drives"]["count"] == 3
    (tmp_path / "resolved.toml").write_text(done.stdout, encoding="utf-8")
    assert cli("check", "resolved.toml", "--resolved").stdout == done.stdout


def test_check_knows_a_study_from_a_scenario(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path)
    assert cli("check", "study.toml").stdout == "study.toml: no problems; 6 points, 6 runs\n"

    refused = cli("check", "study.toml", "--resolved")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "--set and --resolved are for scenarios" in refused.stderr

    write(tmp_path, changed(("workload.size", "workload.sise")))
    wrong = cli("check", "study.toml")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "`workload` has no key `sise`" in wrong.stderr
    assert "study.toml:5:7" in wrong.stderr
    assert not (tmp_path / "results").exists()


def test_running_a_study_as_a_scenario_says_how_to_run_it(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path)
    done = cli("run", "study.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: study.toml is a study, not a scenario\n  = help: sansim study run study.toml\n"


def test_schema_is_json(cli: Cli) -> None:
    assert json.loads(cli("schema").stdout) == sansim.schema()


def test_reference_page_names_the_keys(cli: Cli) -> None:
    page = cli("schema", "--reference").stdout
    for key in ("read_fraction", "incoming_buffers", "dma_setup_time", "access_time"):
        assert f"`{key}`" in page


def test_closed_pipe_gives_no_traceback(small: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    with subprocess.Popen(
        [str(COMMAND), "run", str(small)], stdout=write, stderr=subprocess.PIPE, env=clean_environment()
    ) as process:
        os.close(write)
        _, errors = process.communicate(timeout=60)
    assert errors == b""
    assert process.returncode == 1


@pytest.mark.parametrize("out", [False, True])
def test_ctrl_c_ends_cleanly_and_keeps_what_was_done(out: bool, small: Path, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    options = ["--set", "run.measured_ios=10000000", "--json", *(["--out", "out"] if out else [])]
    with subprocess.Popen(
        [str(COMMAND), "run", str(small), *options],
        stdout=subprocess.PIPE,
        stderr=theirs,
        cwd=tmp_path,
        env={**clean_environment(), "TERM": "xterm"},
        start_new_session=True,
    ) as process:
        os.close(theirs)
        try:
            # The live line shows that the run goes on.
            live = read_until(ours, b"x real time")
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=60)
            live += read_until(ours, b"stopped early")
        finally:
            process.kill()
            os.close(ours)
    assert b"simulated in" in live
    assert b"Traceback" not in live
    assert process.returncode == 130
    summary = json.loads(output)["summary"]
    assert summary["stopped_early"] is True
    assert 0 < summary["ios"] < 10000000
    assert sorted(path.name for path in tmp_path.iterdir()) == (["out"] if out else [])
    if out:
        assert json.loads((tmp_path / "out" / "summary.json").read_text(encoding="utf-8")) == summary


def read_until(file: int, word: bytes) -> bytes:
    """Reads a terminal until a word has come, the other end is closed, or a minute has passed."""
    seen = b""
    deadline = time.monotonic() + 60
    while word not in seen and time.monotonic() < deadline:
        try:
            more = os.read(file, 4096)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        seen += more
    assert word in seen, seen
    return seen
