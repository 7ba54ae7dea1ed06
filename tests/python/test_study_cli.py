"""`sansim study` from the command line, on a study that takes a second: it is run, and its results are shown."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pty
import shutil
import subprocess
from pathlib import Path

import pytest

import sansim
from conftest import COMMAND, Cli, clean_environment, within
from sansim.study.products import NETCDF_LIBRARIES
from sansim.study.session import study_files
from study_cli_support import SMALLER, points
from study_support import STUDY, changed, write

pytestmark = pytest.mark.slow


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return within(tmp_path)


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


def test_studies_that_take_long_are_left_out_of_the_folder_around_them(tmp_path: Path) -> None:
    long = tmp_path / "by-itself"
    long.mkdir()
    for file in (tmp_path / "short.toml", long / "long.toml"):
        file.write_text("[metrics.iops]\nvalue = 'iops'\n", encoding="utf-8")
    assert study_files([tmp_path]) == [tmp_path / "short.toml"]
    assert study_files([long]) == study_files([long / "long.toml"]) == [long / "long.toml"]


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


# ---------------------------------------------------------------- looking at results


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
