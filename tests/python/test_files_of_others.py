"""Files that others wrote: what of them is taken, in the command and in results in fio's form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import sansim
from conftest import Cli
from sansim.runs.fio import fio_json

pytestmark = pytest.mark.filterwarnings("ignore::sansim.api.ScenarioWarning")

SYSTEM = """
[run]
measured_ios = {ios}
[host]
kind = "host"
attached = ["d"]
driver = {{ arrival_time = "10 us" }}
[d]
kind = "drives"
count = 4
access_time = "1 ms"
transfer_rate = "1 GB/s"
capacity = "1 GB"
concurrency = 64
[w]
kind = "{kind}"
from = "host"
to = ["d"]
file = "{file}"
{more}
"""


def system(file: Path, text: str, *, kind: str = "fio-job", ios: str = "500", more: str = "") -> str:
    """A scenario of four drives with a workload of a file with this text."""
    file.write_text(text)
    return SYSTEM.format(kind=kind, file=file, ios=ios, more=more)


def job_of(scenario: str) -> tuple[dict[str, Any], Any]:
    """The only job of a run in fio's form, and the result."""
    result = sansim.run(scenario)
    (job,) = fio_json(result)["jobs"]
    return job, result


def test_of_a_synchronous_engine_all_latency_is_completion_as_in_fio(tmp_path: Path) -> None:
    # fio 3.33, psync: slat N=0, clat = lat; libaio: slat + clat = lat.
    job, _ = job_of(system(tmp_path / "a.fio", "[a]\nrw=randread\nsize=100m\niodepth=8\n"))
    read = job["read"]
    assert read["slat_ns"] == {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}
    assert read["clat_ns"]["mean"] == read["lat_ns"]["mean"] > 1_010_000
    assert (job["job options"]["ioengine"], job["job options"]["iodepth"]) == ("psync", "1")
    job, _ = job_of(system(tmp_path / "b.fio", "[a]\nioengine=libaio\nrw=randread\nsize=100m\niodepth=8\n"))
    read = job["read"]
    assert read["slat_ns"]["mean"] >= 10_000
    assert read["slat_ns"]["mean"] + read["clat_ns"]["mean"] == pytest.approx(read["lat_ns"]["mean"], abs=1)
    assert (job["job options"]["ioengine"], job["job options"]["iodepth"]) == ("libaio", "8")
    assert job["iodepth_level"]["8"] > 90


def test_what_waits_for_its_rate_is_in_no_latency_of_fio(tmp_path: Path) -> None:
    # Two at once, ten times a second: the second of each pair would wait for the first with a depth of one.
    text = "[a]\nrw=randread\nrate_iops=900\nrate_process=poisson\nsize=100m\nioengine=libaio\niodepth=1\n"
    job, result = job_of(system(tmp_path / "a.fio", text))
    waited = result.summary["response_time_ns"]["mean"]
    assert job["read"]["lat_ns"]["mean"] == pytest.approx(1_014_000, rel=0.01)
    assert waited > 1.5 * job["read"]["lat_ns"]["mean"]


def test_each_job_goes_to_the_device_that_its_file_name_means(tmp_path: Path) -> None:
    jobs = "[a]\nsize=1m\nfilename=/dev/nvme0n1\n[b]\nsize=1m\nfilename=/dev/nvme1n1\n"
    result = sansim.run(system(tmp_path / "a.fio", jobs, ios='"all"'))
    went = set(result.ios.select("stream", "device").iter_rows())
    assert went == {("a", "d[0]"), ("b", "d[1]")}
    table = 'devices = { "/dev/nvme1n1" = "d[3]" }'
    result = sansim.run(system(tmp_path / "a.fio", jobs, ios='"all"', more=table))
    assert set(result.ios.select("stream", "device").iter_rows()) == {("a", "d[0]"), ("b", "d[3]")}


def test_check_reads_the_beginning_of_a_trace(cli: Cli, tmp_path: Path) -> None:
    scenario = tmp_path / "s.toml"
    doubted = "".join(f"{900_000_000 + 400_000 * k} 0 {8 * k} 8 1\n" for k in range(5))
    scenario.write_text(system(tmp_path / "t.trace", doubted, kind="trace"))
    told = cli("check", scenario)
    assert told.returncode == 0
    assert "time_unit says which unit it is" in told.stderr
    scenario.write_text(system(tmp_path / "t.trace", doubted, kind="trace", more='time_unit = "ns"'))
    assert "time_unit" not in cli("check", scenario).stderr
    scenario.write_text(system(tmp_path / "t.trace", "1 0 8 8 1\n2 0 8 x 1\n", kind="trace", more='format = "disksim"'))
    refused = cli("check", scenario)
    assert refused.returncode == 2
    assert "t.trace: line 2: bcount is no whole number" in refused.stderr


def test_a_unit_that_is_given_holds_for_the_commands(cli: Cli, tmp_path: Path) -> None:
    trace = tmp_path / "mqsim.trace"
    trace.write_text("".join(f"{900_000_000 + 400_000 * k} 0 {8 * k} 8 1\n" for k in range(5)))
    assert "whole numbers" in cli("trace", "info", trace).stdout
    told = cli("trace", "info", trace, "--time-unit", "ns", "--offset-unit", "4096").stdout
    assert "!" not in told and "1.600 ms" in told
