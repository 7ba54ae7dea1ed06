"""What is told of hosts, devices and adapters: terminal, page, tables, Python, studies."""

from __future__ import annotations

import math
from pathlib import Path

import polars as pl
import pytest

import sansim
from conftest import Cli
from sansim import Result, _core
from sansim.html_report.contents import sections
from sansim.html_report.folder import read
from sansim.study.points.plan import plan
from sansim.study.points.probe import probe
from sansim.text_report import report
from study_support import read as read_study

# What is simulated here ends before some events of these scenarios.
pytestmark = pytest.mark.filterwarnings("ignore:the event .* changes nothing")

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"
HOSTS = SCENARIOS / "two-hosts-shared-drives.toml"
WAYS = SCENARIOS / "two-paths.toml"
FEW = {"run.measured_ios": 2000}


@pytest.fixture(scope="module")
def hosts() -> Result:
    """Two hosts at eight disks."""
    return sansim.run(HOSTS, FEW)


@pytest.fixture(scope="module")
def ways() -> Result:
    """A host with two adapters, for so short a time that none fails."""
    return sansim.run(WAYS, {"run.duration": "3 s"})


def test_a_terminal_tells_of_hosts_and_of_devices_by_their_groups(hosts: Result) -> None:
    lines = hosts.report(wall_time=False).splitlines()
    begins = [line.split()[0] for line in lines if line.strip()]
    assert begins.count("sales") > 1 and "disks" in begins
    assert not any("disks[" in line for line in lines)
    (group,) = [line for line in lines if line.startswith("  disks (8)")]
    assert group.split()[2:5] == ["2,000", "100.0", "%"]
    below = next(number for number, line in enumerate(lines) if line.startswith("Host "))
    assert max(map(len, lines[below:])) <= 80


def test_each_device_and_each_host_there_is_told_where_it_is_asked_for(cli: Cli) -> None:
    done = cli("run", str(HOSTS), "--set", "run.measured_ios=2000", "--devices")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    at = lines.index(next(line for line in lines if line.startswith("Each device")))
    told = [line.split()[0] for line in lines[at + 1 : at + 5]]
    assert told == ["disks[0]", "sales", "reports", "disks[1]"]
    assert max(map(len, lines[at:])) <= 80


def test_many_drives_are_no_flood_and_one_host_says_nothing_twice() -> None:
    few = sansim.run(SCENARIOS / "four-disks.toml", {"run.measured_ios": 500})
    many = sansim.run(SCENARIOS / "four-disks.toml", {"run.measured_ios": 500, "disks.count": 100})
    assert len(many.report().splitlines()) <= len(few.report().splitlines()) + 3
    assert "Host " not in few.report() and "Adapter" not in few.report()
    assert "disks[99]" in many.report(devices=True)
    (host,) = few.summary["hosts"].values()
    assert "devices" not in host


def test_adapters_of_a_host_are_told_by_name_with_what_went_by_them(ways: Result) -> None:
    lines = ways.report().splitlines()
    rows = [line.split() for line in lines if ".adapters." in line]
    told = {name: commands for name, commands, *_ in rows if commands.replace(",", "").isdigit()}
    adapters = {name: of for name, of in ways.summary["components"].items() if of["kind"] == "adapter"}
    assert list(adapters) == ["host.adapters.a", "host.adapters.b", "disks.adapters.a", "disks.adapters.b"]
    assert told == {name: f"{of['commands']:,}" for name, of in adapters.items()} | {
        name: text for name, text in told.items() if name not in adapters
    }
    assert any(line.startswith("  host.adapters.b utilisation") for line in lines)


def test_what_could_not_be_carried_out_is_told_of_each(hosts: Result) -> None:
    summary = dict(hosts.summary)
    summary["hosts"] = {name: {**host, "failed_ios": 7} for name, host in summary["hosts"].items()}
    assert "  failed: 7 of sales, 7 of reports" in report(summary, hosts.run).splitlines()
    assert "failed" not in hosts.report()


def test_results_of_earlier_versions_can_still_be_shown(hosts: Result) -> None:
    summary = dict(hosts.summary)
    del summary["device_groups"]
    new = {"failed_ios", "under_way", "devices"}
    for kind in ("hosts", "devices"):
        summary[kind] = {
            name: {key: value for key, value in part.items() if key not in new} for name, part in summary[kind].items()
        }
    text = report(summary, hosts.run, devices=True)
    assert "disks[7]" in text and "Host " in text


def test_parts_are_a_table_that_adds_up(hosts: Result) -> None:
    parts = hosts.parts
    sums = parts.group_by("part").agg(pl.col("ios", "failed_ios", "under_way").sum())
    wholes = {row["part"]: row for row in sums.iter_rows(named=True)}
    for part in ("workload", "host", "host at a device", "group of devices", "device"):
        assert wholes[part]["ios"] == hosts.summary["ios"], part
        assert math.isclose(wholes[part]["under_way"], hosts.summary["under_way"], rel_tol=1e-9), part
    at = parts.filter(part="host at a device", name="sales", at="disks[3]").row(0, named=True)
    told = hosts.summary["hosts"]["sales"]["devices"]["disks[3]"]
    assert (at["ios"], at["response_time_mean_ns"], at["response_time_p99_ns"]) == (
        told["ios"],
        told["response_time_ns"]["mean"],
        None,
    )


def test_the_table_of_ios_names_the_host_and_says_what_the_summary_says(hosts: Result) -> None:
    counted = hosts.ios.group_by("host", "device").agg(
        ios=pl.len(), mean=pl.col("response_time_ns").mean(), bytes=pl.col("bytes").sum()
    )
    assert counted.height == 16
    for row in counted.iter_rows(named=True):
        told = hosts.summary["hosts"][row["host"]]["devices"][row["device"]]
        assert (row["ios"], row["bytes"]) == (told["ios"], told["reads"]["bytes"] + told["writes"]["bytes"])
        assert math.isclose(row["mean"], told["response_time_ns"]["mean"], rel_tol=1e-9)


@pytest.mark.slow
def test_the_page_has_a_section_of_hosts_and_ways_where_there_are_several(
    hosts: Result, ways: Result, tmp_path: Path
) -> None:
    hosts.save(tmp_path / "hosts")
    ways.save(tmp_path / "ways")
    found = {section.name: section for section in sections(read([tmp_path / "hosts"]))}["hosts"]
    assert [chart.name for chart in found.charts] == ["hosts"]
    cells = {cell.metric: cell.value for table in found.tables for row in table.rows for cell in row if cell.metric}
    told = hosts.summary["hosts"]["reports"]
    assert cells["hosts_reports_iops"] == told["iops"]
    assert cells["hosts_reports_devices_disks[2]_under_way"] == told["devices"]["disks[2]"]["under_way"]
    assert cells["use_reports_merged"] == hosts.summary["components"]["reports"]["merged"] > 0
    found = {section.name: section for section in sections(read([tmp_path / "ways"]))}["hosts"]
    assert [row[0].text for row in found.tables[0].rows][:2] == ["host.adapters.a", "host.adapters.b"]
    both = {section.name: section for section in sections(read([tmp_path / "hosts", tmp_path / "ways"]))}["hosts"]
    assert [chart.name for chart in both.charts] == ["hosts-first"]


# ---------------------------------------------------------------- studies


def study(tmp_path: Path, metric: str) -> str:
    """Where the figure of a metric stands."""
    (tmp_path / "two-hosts-shared-drives.toml").write_text(HOSTS.read_text(encoding="utf-8"), encoding="utf-8")
    head = 'scenario = "two-hosts-shared-drives.toml"\n[axes.depth]\nkey = "disks.queue_depth"\nvalues = [8, 4]\n'
    made = plan(read_study(tmp_path, f"{head}[metrics.m]\n{metric}\n"))
    probe(made)
    (found,) = made.study.metrics
    return str(getattr(found.rule, "path", ""))


@pytest.mark.parametrize(
    ("metric", "path"),
    [
        ('host = "sales"\nvalue = "iops"', "hosts.sales.iops"),
        (
            'workload = "transactions"\nstream = "orders"\nvalue = "share"',
            "workloads.transactions.streams.orders.share",
        ),
        ('device = "disks[3]"\nvalue = "response_time_ns.p99"\nunit = "ms"', "devices.disks[3].response_time_ns.p99"),
        ('host = "sales"\ndevice = "disks[3]"\nvalue = "under_way"', "hosts.sales.devices.disks[3].under_way"),
        ('device_group = "disks"\nvalue = "bytes_per_second"\nunit = "MB/s"', "device_groups.disks.bytes_per_second"),
    ],
)
def test_a_metric_says_whose_figure_it_is(metric: str, path: str, tmp_path: Path) -> None:
    assert study(tmp_path, metric) == path
    assert _core.figure(path) is not None


@pytest.mark.parametrize(
    ("metric", "told"),
    [
        ('host = "sale"\nvalue = "iops"', "did you mean `hosts.sales.iops`"),
        ('stream = "orders"\nvalue = "iops"', "no figure is that of `stream` without its `workload`"),
        ('host = "sales"\ndevice_group = "disks"\nvalue = "iops"', "no figure is that of `host` and `device_group`"),
        ('host = "sales"\nformula = "1 + 1"', "`host` says whose figure a `value` is"),
        ('host = 3\nvalue = "iops"', "text"),
    ],
)
def test_whoever_is_not_there_is_asked_for_in_vain(metric: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(_core.ScenarioError) as error:
        study(tmp_path, metric)
    assert told in " ".join(str(error.value).split())
