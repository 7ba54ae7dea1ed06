"""What is told of errors: on the terminal, as JSON, on the report page, and in captures as tshark reads them."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import Cli
from sansim import error_text as errors_told

EXAMPLE = Path(__file__).parents[2] / "scenarios" / "busy-and-lost.toml"
LOSSY = ("--set", "disks.adapter.frame_loss=0.003", "--set", "run.measured_ios=800")
CAUSES = {"no_answer", "frame_lost", "slow"}


def test_a_run_tells_which_requests_timed_out_where_and_why(cli: Cli) -> None:
    """The terminal says in words what the JSON has as figures."""
    told = cli("run", EXAMPLE, *LOSSY)
    assert told.returncode == 0, told.stderr
    assert "Errors in the whole run" in told.stdout
    summary = json.loads(cli("run", EXAMPLE, *LOSSY, "--json").stdout)
    summary = summary.get("summary", summary)
    errors = summary["errors"]
    hosts = errors["hosts"]
    assert set(hosts) == {"north", "south"}
    for host in hosts.values():
        assert host["time_outs"] == sum(host[cause] for cause in CAUSES)
    first = errors["first_time_outs"]
    assert first and len(first) <= 20
    for one in first:
        assert one["cause"] in CAUSES and one["place"] and one["waited_ns"] == 400e6
        assert (one["by"] is None) == (one["cause"] == "slow")
    words = " ".join(told.stdout.split())
    assert all(f"I/O {one['io']} of {one['workload']}" in words for one in first)


def test_a_run_without_errors_says_nothing_of_them(cli: Cli) -> None:
    """Neither a heading nor an empty table."""
    told = cli("run", EXAMPLE.with_name("two-nodes.toml"), "--set", "run.measured_ios=50")
    assert told.returncode == 0 and "Errors" not in told.stdout
    assert errors_told.lines({}, str) == []


@pytest.mark.slow
@pytest.mark.referee(shutil.which("tshark") is not None, "tshark IS NOT INSTALLED: no capture is checked")
def test_aborts_in_a_capture_are_link_services_that_wireshark_reads(cli: Cli, tmp_path: Path) -> None:
    """ABTS is answered, nothing is malformed, and statuses of SCSI are read."""
    path = tmp_path / "aborts.pcapng"
    ran = cli("run", EXAMPLE, *LOSSY, "--set", "disks.errors.busy=0.05", "--capture", path)
    assert ran.returncode == 0, ran.stderr
    fields = ["fc.r_ctl", "fc.type", "fc.ox_id", "fcp.status", "fc.crc.status", "_ws.malformed"]
    options = [text for field in fields for text in ("-e", field)]
    command = ["tshark", "-r", str(path), "-T", "fields", *options]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    frames = [line.split("\t") for line in text.splitlines()]
    assert all(crc == "1" and not malformed for *_, crc, malformed in frames)
    kinds = [(int(r_ctl, 0), int(kind, 0)) for r_ctl, kind, *_ in frames]
    aborts = kinds.count((0x81, 0x00))
    assert 0 < aborts <= kinds.count((0x84, 0x00)) + kinds.count((0x85, 0x00)) + aborts // 2
    assert {int(status, 0) for *_, status, _, _ in frames if status} >= {0x00, 0x08}


@pytest.mark.slow
@pytest.mark.referee(shutil.which("tshark") is not None, "tshark IS NOT INSTALLED: no capture is checked")
def test_recovered_frames_in_a_capture_are_read_by_wireshark(cli: Cli, tmp_path: Path) -> None:
    """REC, SRR and FCP_CONF are read by their names, and nothing is malformed."""
    path = tmp_path / "recovered.pcapng"
    keys = ("north.adapter.rec_time_out=20 ms", "north.adapter.frame_loss=0.01")
    ran = cli("run", EXAMPLE, *LOSSY, *(word for key in keys for word in ("--set", key)), "--capture", path)
    assert ran.returncode == 0, ran.stderr
    options = [text for field in ("_ws.col.Info", "fc.crc.status", "_ws.malformed") for text in ("-e", field)]
    text = subprocess.run(
        ["tshark", "-r", str(path), "-T", "fields", *options], capture_output=True, text=True, check=True
    ).stdout
    frames = [line.split("\t") for line in text.splitlines()]
    assert all(crc == "1" and not malformed for _, crc, malformed in frames)
    count = {name: sum(info.startswith(name) for info, *_ in frames) for name in ("REC", "SRR", "Confirm", "ACC (REC)")}
    assert all(number > 0 for number in count.values()), count
    assert count["ACC (REC)"] <= count["REC"]


@pytest.mark.slow
@pytest.mark.referee(shutil.which("tshark") is not None, "tshark IS NOT INSTALLED: no capture is checked")
def test_task_management_in_a_capture_is_read_by_wireshark(cli: Cli, tmp_path: Path) -> None:
    """Functions are read by their flags, answers by their response code, and TASK ABORTED; nothing is malformed."""
    path = tmp_path / "functions.pcapng"
    functions = 'north.driver.escalation=["abort-task-set", "clear-task-set", "lun-reset", "target-reset"]'
    keys = (
        functions,
        "north.driver.escalation_time=20 ms",
        "north.adapter.frame_loss=0.2",
        "north.driver.retries=1000",
    )
    ran = cli("run", EXAMPLE, *LOSSY, *(word for key in keys for word in ("--set", key)), "--capture", path)
    assert ran.returncode == 0, ran.stderr
    assert "task management functions" in " ".join(ran.stdout.split())
    flags = ("0x02", "0x04", "0x10", "0x20")
    fields = ["fcp.taskmgmt", "fcp.rspcode", "fcp.status"]
    fields += ["fc.crc.status", "_ws.malformed"]
    options = [text for field in fields for text in ("-e", field)]
    command = ["tshark", "-r", str(path), "-T", "fields", *options]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    frames = [line.split("\t") for line in text.splitlines()]
    assert all(crc == "1" and not malformed for *_, crc, malformed in frames)
    asked = [flag for flag, *_ in frames if flag and int(flag, 0)]
    assert set(asked) == set(flags)
    codes = [code for _, code, *_ in frames if code]
    assert codes and all(int(code, 0) == 0 for code in codes)
    assert any(status and int(status, 0) == 0x40 for *_, status, _, _ in frames), "TASK ABORTED"
