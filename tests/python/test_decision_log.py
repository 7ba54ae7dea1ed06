"""The decision log: what rules of users saw, what they chose, and what came of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import sansim
from test_own_rules import PATHS, RULES
from test_own_rules_of_stores import CACHED

COMMAND = [str(Path(sys.executable).with_name("sansim"))]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "paths.toml").write_text(PATHS)
    (tmp_path / "cached.toml").write_text(CACHED)
    (tmp_path / "rules.py").write_text(RULES)
    return tmp_path


def test_each_decision_has_its_candidates_and_one_choice(folder: Path) -> None:
    rule = {"host.path": {"expression": "outstanding"}}
    result = sansim.run(folder / "paths.toml", rule, decisions=True)
    log = result.decisions
    assert log["number"].n_unique() == result.run["rules"][0]["calls"]
    by_decision = log.group_by("number", maintain_order=True).agg(
        pl.col("chosen").sum(),
        pl.col("candidate").count(),
        best=pl.col("candidate.outstanding").arg_min(),
        at=pl.col("chosen").arg_max(),
    )
    assert set(by_decision["chosen"]) == {1}
    assert set(by_decision["candidate"]) == {2}
    assert by_decision["best"].equals(by_decision["at"], check_names=False)
    assert (
        set(log["component"]) == {"host"} and set(log["decision"]) == {"path"} and set(log["rule"]) == {"outstanding"}
    )
    assert log["at_ns"].is_sorted()
    # A log changes nothing, and without it there is none.
    plain = sansim.run(folder / "paths.toml", rule)
    assert plain.summary == result.summary
    assert plain.decisions.is_empty()


def test_the_response_time_is_that_of_the_io(folder: Path) -> None:
    result = sansim.run(folder / "paths.toml", {"host.path": {"python": "rules.py:Least"}}, decisions=True)
    log = result.decisions.filter(pl.col("candidate") == 0, pl.col("response_time_ns").is_not_null())
    times = dict(result.ios.select("io", "response_time_ns").iter_rows())
    assert log.height == len(times) == 400
    for row in log.rows(named=True):
        assert row["response_time_ns"] == times[row["decision.io"]]


def test_the_outcome_of_an_eviction_is_when_the_block_came_again(folder: Path) -> None:
    keys: dict[str, Any] = {
        "cache.replacement.policy": {"expression": "0", "candidates": 2},
        "cache.capacity": "64 KiB",
        "run.measured_ios": 900,
    }
    log = sansim.run(folder / "cached.toml", keys, decisions=True).decisions
    evicted = log.filter("chosen").rows(named=True)
    again = [row for row in evicted if row["outcome"] is not None]
    assert 0 < len(again) < len(evicted)
    comings: dict[int, list[int]] = {}
    for row in log.filter(pl.col("candidate") == 0).rows(named=True):
        comings.setdefault(row["decision.coming"], []).append(row["decision.now"])
    for row in again:
        assert row["decision.now"] + row["outcome"] in comings[row["candidate.block"]]


def test_features_of_other_decisions_are_null(folder: Path) -> None:
    keys = {"host.path": {"expression": "number"}, "left.switch.arbiter": {"expression": "input"}}
    log = sansim.run(folder / "paths.toml", {**keys, "load.queue_depth": 12}, decisions=True).decisions
    of_paths, of_arbiters = (log.filter(pl.col("decision") == name) for name in ("path", "arbiter"))
    assert of_paths.height and of_arbiters.height
    assert of_paths["candidate.input"].null_count() == of_paths.height
    assert of_arbiters["candidate.input"].null_count() == 0 == of_paths["decision.io"].null_count()
    assert set(of_arbiters["component"]) == {"left"}


def sansim_run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The command `sansim run`."""
    command = [*COMMAND, "run", "paths.toml", "--set", 'host.path={ expression = "outstanding" }', *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_command_writes_the_log_and_the_report_shows_it(folder: Path) -> None:
    run = sansim_run(folder, "--decisions", "log.parquet", "--out", "run")
    assert run.returncode == 0, run.stderr
    assert "recorded" in run.stderr
    log = pl.read_parquet(folder / "log.parquet")
    assert log.equals(pl.read_parquet(folder / "run" / "decisions.parquet"))
    page = subprocess.run([*COMMAND, "report", "run"], cwd=folder, capture_output=True, text=True, check=False)
    assert page.returncode == 0, page.stderr
    text = next(folder.rglob("*.html")).read_text(encoding="utf-8")
    assert "Rules of your own" in text and "The first 50 decisions" in text
    assert sansim_run(folder, "--out", "run").returncode == 0, "a folder with a log is replaced"
    assert not (folder / "run" / "decisions.parquet").exists()


def test_the_log_replaces_no_file_of_another_kind(folder: Path) -> None:
    (folder / "notes.txt").write_text("mine")
    run = sansim_run(folder, "--decisions", "notes.txt")
    assert run.returncode == 2 and "is not a Parquet file" in run.stderr
    assert (folder / "notes.txt").read_text() == "mine"
    wrong = sansim_run(folder, "--decisions", "run/log.parquet", "--out", "run")
    assert wrong.returncode == 2 and "is called decisions.parquet" in wrong.stderr
    assert sansim_run(folder, "--decisions", "nowhere/log.parquet").returncode == 2


def test_a_run_without_rules_says_that_there_is_nothing_to_record(folder: Path) -> None:
    run = subprocess.run(
        [*COMMAND, "run", "paths.toml", "--decisions", "log.parquet"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "decisions: none" in run.stderr
    assert pl.read_parquet(folder / "log.parquet").is_empty()
