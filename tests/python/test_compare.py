"""`sansim compare`: two designs on common random numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import SMALL, Cli

BASE = Path(__file__).parents[2] / "scenarios" / "wang-2005-base.toml"
SHORT = ("--set", "run.measured_ios=200")


def test_a_scenario_is_no_different_from_itself(cli: Cli) -> None:
    done = cli("compare", SMALL, SMALL, *SHORT, "--replications", "2", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["metrics"]["iops"]["difference"] == 0
    assert not found["metrics"]["response_time_ns.mean"]["is_certain"]
    assert all(one["difference_ns"] == 0 for one in found["comes_from"])


def test_slower_drives_are_told_with_where_the_time_goes(cli: Cli) -> None:
    done = cli("compare", BASE, BASE, *SHORT, "--set-b", "drives.access_time=6ms", "--replications", "3", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    slower = found["metrics"]["response_time_ns.mean"]
    assert slower["is_certain"]
    assert slower["difference"] > slower["ci95"] > 0 or slower["ci95"] == 0
    assert found["seeds"] == [1, 2, 3]
    by_line = {one["line"]: one["difference_ns"] for one in found["comes_from"]}
    assert by_line["drives.access"] > 3e6
    # The ledger adds up to the response time, so its differences add up to that of it.
    assert sum(by_line.values()) == pytest.approx(slower["difference"], rel=1e-6)


def test_a_person_is_told_which_is_quicker(cli: Cli) -> None:
    done = cli("compare", BASE, BASE, *SHORT, "--set-b", "drives.access_time=6ms", "--replications", "2")
    assert done.returncode == 0, done.stderr
    assert "B is slower: its mean response time is" in done.stdout
    assert "Both were run 2 times with the same random numbers." in done.stdout
    assert "drives: access (work)" in done.stdout


def test_a_person_is_told_how_to_find_smaller_differences(cli: Cli) -> None:
    same = cli("compare", SMALL, SMALL, *SHORT, "--replications", "2").stdout
    assert "IOPS: no run has a difference." in same
    once = cli("compare", SMALL, SMALL, *SHORT, "--replications", "1").stdout
    assert "one run of each cannot separate a difference from chance; try --replications 5." in " ".join(once.split())
    other = cli("compare", BASE, BASE, *SHORT, "--set-b", "run.warm_up=210", "--replications", "2").stdout
    assert "the difference is not significant; --replications 4 narrows its interval." in " ".join(other.split())
    assert all(len(line) <= 80 for text in (same, once, other) for line in text.splitlines() if "/" not in line)


def test_a_file_that_is_not_there_is_told(cli: Cli) -> None:
    done = cli("compare", SMALL, "none.toml")
    assert done.returncode == 2
    assert "none.toml" in done.stderr
