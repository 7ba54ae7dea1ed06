"""`sansim validate` from the command line: what was published beside ours, for people and for programs."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import COMMAND, Cli, clean_environment, within
from sansim.study.points.plan import plan
from sansim.study.read import read_study
from study_cli_support import MORE, QUICK, SMALLER, UNCOMPUTED, invoke, points
from study_support import STUDY, write

pytestmark = pytest.mark.slow


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return within(tmp_path)


# ---------------------------------------------------------------- for people


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


def test_without_studies_there_is_nothing_to_validate(tmp_path: Path, cli: Cli) -> None:
    done = cli("validate")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: there is no folder `studies` here; name the study files or their folder\n"
    (tmp_path / "studies").mkdir()
    write(tmp_path / "studies", SMALLER)
    done = cli("validate", "--workers", "1")
    assert done.returncode == 0
    assert len(points(tmp_path / "studies")) == 1


# ---------------------------------------------------------------- for programs


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
    failing('size = "16 KiB"', 'raise worker.JobFailed("the disk is on fire")')
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
