"""Groups of hosts and of workloads, chosen members and repeated templates: in results, files, reports and studies."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

import sansim
from conftest import DATA, Cli
from sansim import Result
from sansim.groups import chosen, devices_of, members, named_members, table_name

GROUPS = DATA / "groups.toml"


@pytest.fixture(scope="module")
def result() -> Result:
    """Three racks with a workload each, and two hosts with two workloads each."""
    return sansim.run(GROUPS)


def test_each_member_of_a_group_has_results_of_its_own(result: Result) -> None:
    loads = [f"load[{number}]" for number in range(3)]
    backups = [f"backup[{number}]" for number in range(4)]
    assert list(result.summary["workloads"]) == [*loads, *backups]
    assert list(result.summary["hosts"]) == ["hosts[0]", "hosts[1]", "racks-0-host", "racks-1-host", "racks-2-host"]
    # The racks are alike, and so are their shares of the I/Os.
    ios = [result.summary["workloads"][name]["ios"] for name in loads]
    assert min(ios) > 0.9 * max(ios) > 0
    assert result.summary["fairness"]["workloads"] is not None


def test_devices_are_counted_as_a_group_divides_them(result: Result) -> None:
    tables = tomllib.loads(result.scenario)
    named = named_members(tables["load"]["to"], tables)
    assert named == 9
    assert [devices_of(f"load[{number}]", tables["load"], named, 3) for number in range(3)] == [3, 3, 3]
    hosts = result.summary["hosts"]
    assert [len(hosts[f"racks-{number}-host"]["devices"]) for number in range(3)] == [3, 3, 3]
    assert [len(hosts[f"hosts[{number}]"]["devices"]) for number in range(2)] == [2, 2]


@pytest.mark.parametrize(
    ("division", "expected"),
    [("all", [5, 5, 5]), ("one", [1, 1, 1]), ("turns", [2, 2, 1]), ("shares", [1, 2, 2])],
)
def test_the_count_of_devices_follows_the_division(division: str, expected: list[int]) -> None:
    table = {"devices_each": division}
    assert [devices_of(f"load[{number}]", table, 5, 3) for number in range(3)] == expected


@pytest.mark.parametrize(
    ("name", "found"), [("drives", 8), ("drives[3]", 1), ("drives[4..8]", 4), ("drives[6..]", 2), ("drives[..3]", 3)]
)
def test_a_name_chooses_members(name: str, found: int) -> None:
    assert chosen(name, 8) == found
    assert table_name(name) == "drives"


def test_what_is_no_group_has_one_member() -> None:
    tables: list[Mapping[str, object]] = [{}, {"count": "one"}, {"count": 1}]
    assert [members(table) for table in tables] == [1, 1, 1]


def test_a_run_of_groups_is_written_for_fio_and_as_a_page(cli: Cli, tmp_path: Path) -> None:
    done = cli("run", GROUPS, "--out", "run")
    assert done.returncode == 0, done.stderr
    jobs = json.loads((tmp_path / "run" / "fio.json").read_text())["jobs"]
    depths = {job["jobname"]: int(job["job options"]["iodepth"]) for job in jobs}
    # Two I/Os at a time at each of three disks.
    assert [depths[f"load[{number}]"] for number in range(3)] == [6, 6, 6]
    done = cli("report", "run", "--out", "page.html")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page.html").read_text()
    assert "hosts[1]" in page and "racks-0-host, racks-1-host, racks-2-host" in page


def test_how_many_there_are_and_whom_they_ask_are_axes_of_a_study(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "groups.toml").write_text(GROUPS.read_text())
    (tmp_path / "study.toml").write_text(
        """
format = 1
title = "Groups"
scenario = "groups.toml"
[set]
"run.measured_ios" = 300
[axes.racks]
key = "racks.count"
values = [2, 3]
[axes.hosts]
key = "hosts.count"
values = [1, 2]
[axes.backups]
key = "backup.count"
values = [1, 2]
[axes.to]
key = "load.to"
values = [["racks-disks"], ["racks-disks[0..2]"]]
labels = ["all", "two"]
[metrics.workloads]
value = "workloads.backup[0].iops"
""".lstrip()
    )
    done = cli("study", "run", "study.toml")
    assert done.returncode == 0, done.stderr
    assert "16 runs, 16 points" in done.stdout
