"""Constants that are chosen again on half of the rows: the right ones are found, and the other half is the judge."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from sansim.cli import cli as sansim_cli
from sansim.study.holdout import CRITERION, LeftOut, Score, leave_out, score
from sansim.study.jobs import execute
from sansim.study.read import read_study
from sansim.study.session import run_studies
from study_support import STUDY, write

pytestmark = pytest.mark.slow

SIZES = ("4 KiB", "8 KiB", "16 KiB", "64 KiB", "128 KiB")
ROWS = {"L-4": "4 KiB", "L-16": "16 KiB", "L-64": "64 KiB", "L-128": "128 KiB"}
"""Targets and their sizes; of 8 KiB nothing was published, so it is in no half."""
BASE = f"""\
scenario = "small.toml"
[set]
"run.measured_ios" = 60
"run.warm_up" = 2
[axes.size]
key = "workload.size"
values = {json.dumps(SIZES)}
[metrics.response]
value = "response_time_ns.mean"
unit = "us"
"""
LEAVE_OUT = """
[leave_out]
rows = ["L-*"]
halves = "size"
set = { "drives.count" = 1 }
[leave_out.constants.access]
key = "drives.access_time"
values = ["1 ms", "2 ms", "4 ms"]
[leave_out.constants.rate]
key = "drives.transfer_rate"
values = ["50 MB/s", "51 MB/s"]
"""
"""One constant that decides, and one of which both values are within the tolerance of each other."""


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, float]]:
    """What is measured with either access time, by size: the numbers that a paper would have published."""
    found: dict[str, dict[str, float]] = {}
    for access in ("2 ms", "4 ms"):
        settings = f'"drives.count" = 1\n"drives.transfer_rate" = "50 MB/s"\n"drives.access_time" = "{access}"\n'
        file = write(tmp_path_factory.mktemp("truth"), BASE.replace("[set]\n", f"[set]\n{settings}"))
        (outcome,) = run_studies([read_study(file)], workers=1)
        cells = outcome.measured["response"].cells
        found[access] = {size: cells[place,].numbers[0] for place, size in enumerate(SIZES)}
    return found


def study_of(published: Mapping[str, float], more: str = LEAVE_OUT) -> str:
    """A study with published numbers, by target."""
    rows = ",\n".join(
        f'  {{ id = "{target}", at = {{ size = "{ROWS[target]}" }}, value = {value!r} }}'
        for target, value in published.items()
    )
    return f'{BASE}[[expected]]\nmetric = "response"\nrows = [\n{rows}\n]\n{more}'


def left_out(folder: Path, text: str) -> LeftOut:
    """What comes of the check."""
    return leave_out(read_study(write(folder, text)), workers=1)


def invoke(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """Gives a command in this process: exit code, output, errors."""
    with contextlib.chdir(folder):
        done = CliRunner().invoke(sansim_cli, ["validate", "study.toml", *arguments])
    return done.exit_code, done.stdout, done.stderr


def test_each_half_finds_the_constants_that_the_numbers_came_from(
    truth: dict[str, dict[str, float]], tmp_path: Path
) -> None:
    found = left_out(tmp_path, study_of({target: truth["2 ms"][size] for target, size in ROWS.items()}))
    assert found.combinations == 6
    first, second = found.ways
    # Every second one of the sizes that rows speak of.
    assert (first.half, first.other) == (("4 KiB", "64 KiB"), ("16 KiB", "128 KiB"))
    assert (second.half, second.other) == (first.other, first.half)
    for way in found.ways:
        # Both rates hold within 3 %; the one with the smaller errors is taken.
        assert way.constants == {"access": "2 ms", "rate": "50 MB/s"}
        assert way.own == way.judged == Score(2, 2, 0.0)


def test_a_half_is_judged_by_the_constants_of_the_other(truth: dict[str, dict[str, float]], tmp_path: Path) -> None:
    first = {target: truth["2 ms"][ROWS[target]] for target in ("L-4", "L-64")}
    second = {target: truth["4 ms"][ROWS[target]] for target in ("L-16", "L-128")}
    ways = left_out(tmp_path, study_of({**first, **second})).ways
    assert [way.constants["access"] for way in ways] == ["2 ms", "4 ms"]
    assert [(way.own.held, way.own.error) for way in ways] == [(2, 0.0), (2, 0.0)]
    assert [(way.judged.held, way.judged.total) for way in ways] == [(0, 2), (0, 2)]
    # 2 ms for what 4 ms were published of, and the other way round.
    assert ways[0].judged.error == pytest.approx(rms(truth["2 ms"], truth["4 ms"], "16 KiB", "128 KiB"))
    assert ways[1].judged.error == pytest.approx(rms(truth["4 ms"], truth["2 ms"], "4 KiB", "64 KiB"))


def rms(ours: Mapping[str, float], published: Mapping[str, float], *sizes: str) -> float:
    """Root mean square of the relative errors."""
    squares = [(ours[size] / published[size] - 1) ** 2 for size in sizes]
    return float((sum(squares) / len(squares)) ** 0.5)


def test_holding_counts_before_small_errors() -> None:
    def better(one: list[tuple[bool, float]], other: list[tuple[bool, float]]) -> bool:
        first, second = (score([("a", *row) for row in rows], ["a"]) for rows in (one, other))
        return first.better > second.better

    assert better([(True, 0.5), (True, 0.5)], [(True, 0.0), (False, 0.04)])
    assert better([(True, 0.01), (False, 0.04)], [(True, 0.01), (False, 0.05)])
    both = score([("a", True, 0.3), ("b", False, 9.0), ("a", False, -0.4)], ["a"])
    assert (both.held, both.total) == (1, 2)
    assert both.error == pytest.approx(0.125**0.5)


def test_grid_criterion_and_both_results_are_told(truth: dict[str, dict[str, float]], tmp_path: Path) -> None:
    write(tmp_path, study_of({target: truth["2 ms"][size] for target, size in ROWS.items()}))
    code, out, err = invoke(tmp_path, "--leave-out", "--workers", "1")
    assert (code, err) == (0, "")
    for said in (
        "grid: 6 combinations of",
        "access (1 ms, 2 ms, 4 ms)",
        "rate (50 MB/s, 51 MB/s)",
        f"criterion: {CRITERION}",
        "chosen on size = 4 KiB, 64 KiB: access = 2 ms, rate = 50 MB/s",
        "judged on size = 16 KiB, 128 KiB: 2 of 2 hold",
        "chosen on size = 16 KiB, 128 KiB: access = 2 ms, rate = 50 MB/s",
        "judged on size = 4 KiB, 64 KiB: 2 of 2 hold, root mean square of the errors 0.00 %",
    ):
        assert said in out
    code, out, err = invoke(tmp_path, "--leave-out", "--json", "--workers", "1")
    assert (code, err) == (0, "")
    (found,) = json.loads(out)
    assert found["study"] == "study"
    assert found["grid"] == {"access": ["1 ms", "2 ms", "4 ms"], "rate": ["50 MB/s", "51 MB/s"]}
    assert (found["combinations"], found["criterion"], found["halves"]) == (6, CRITERION, "size")
    assert found["ways"][0] == {
        "chosen_on": ["4 KiB", "64 KiB"],
        "constants": {"access": "2 ms", "rate": "50 MB/s"},
        "own": {"held": 2, "total": 2, "error": 0.0},
        "judged_on": ["16 KiB", "128 KiB"],
        "judged": {"held": 2, "total": 2, "error": 0.0},
    }


def test_a_study_without_the_table_cannot_be_checked_so(tmp_path: Path) -> None:
    write(tmp_path, STUDY)
    code, out, err = invoke(tmp_path, "--leave-out")
    assert (code, out) == (2, "")
    assert err == "error: --leave-out: none of these studies has a table [leave_out]\n"


@pytest.mark.parametrize("other", ["--quick", "--misses", "--strict", "--write=page.md"])
def test_what_belongs_to_the_ledger_does_not_go_with_it(other: str, tmp_path: Path) -> None:
    write(tmp_path, STUDY)
    code, out, err = invoke(tmp_path, "--leave-out", other)
    assert (code, out) == (2, "")
    assert "--leave-out goes with --json, --out, --workers and --cluster only" in err


def test_a_bad_value_of_the_grid_is_told_before_anything_is_run(tmp_path: Path) -> None:
    text = study_of(dict.fromkeys(ROWS, 3000.0), LEAVE_OUT.replace('"4 ms"]', '"-4 ms"]'))
    write(tmp_path, text)
    code, out, err = invoke(tmp_path, "--leave-out")
    assert (code, out) == (2, "")
    assert "access_time" in err
    assert not (tmp_path / "results").exists()


FAILING = """
from sansim.study.jobs import worker
def run_job(job):
    raise worker.JobFailed("the disk is on fire")
worker.run_job = run_job
worker.main()
"""


def test_without_all_runs_nothing_is_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, study_of(dict.fromkeys(ROWS, 3000.0)))
    script = tmp_path / "worker.py"
    script.write_text(FAILING, encoding="utf-8")
    monkeypatch.setattr(execute, "default_command", lambda: [sys.executable, str(script)])
    code, out, err = invoke(tmp_path, "--leave-out", "--workers", "1")
    assert (code, out) == (1, "")
    assert err == "error: 24 of 24 runs of study have no result: the disk is on fire\n"
