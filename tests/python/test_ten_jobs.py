"""Jobs that people bring to a simulator of storage: each answer is compared with a calculation by hand.

Other tests have jobs of the same kind: of fail-over, of plans, of studies that were killed, and of tables for pandas.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import sansim

RATE_16GFC = 14.025e9 * 64 / 66 / 8
"""Bytes per second of a link of 16GFC: 14.025 GBd, of which 64 bits in 66 carry data (FC-PI-5)."""
PAYLOAD, FRAME, GAP = 2048, 2048 + 36, 24
"""Bytes of a full frame: its payload, with SOF, header, CRC and EOF (FC-FS-3), and the six words between two frames."""

ARRAY = """
title = "Disks behind two controllers"
[run]
duration = "20 s"
warm_up = "5 s"
functional_warm_up = 100_000
[left]
kind = "fabric"
speed = "8GFC"
topology = "single-switch"
stations = ["one.adapters.left", "two.adapters.left", "array.fronts.a-left", "array.fronts.b-left"]
[right]
kind = "fabric"
speed = "8GFC"
topology = "single-switch"
stations = ["one.adapters.right", "two.adapters.right", "array.fronts.a-right", "array.fronts.b-right"]
[one]
kind = "host"
path = "round-robin"
adapters = { left = {}, right = {} }
[two]
kind = "host"
path = "round-robin"
adapters = { left = {}, right = {} }
[array]
kind = "controller"
to = ["cache-a", "cache-b"]
pair = { controllers = 2, preferred = "alternate" }
[array.fronts]
a-left = { side = "a" }
a-right = { side = "a" }
b-left = { side = "b" }
b-right = { side = "b" }
[array.resources]
processors = 4
command = { time = "20 us" }
completion = { time = "10 us" }
link = { bandwidth = "3 GB/s" }
"""


def side(name: str) -> str:
    """A cache with its mirror at the partner, RAID 6 and twelve disks of one of the controllers."""
    return f"""
[cache-{name}]
kind = "cache"
to = ["raid-{name}"]
inside = "array"
side = "{name}"
capacity = "64 MiB"
write = {{ mirrored = true }}
[raid-{name}]
kind = "raid"
to = ["disks-{name}"]
inside = "array"
side = "{name}"
layout = {{ level = "6" }}
[disks-{name}]
kind = "disks"
count = 12
preset = "cheetah-15k5"
queue_depth = 16
"""


def load(name: str, rate: int) -> str:
    """A load of one of the hosts."""
    return f"""
[load-{name}]
kind = "synthetic"
from = "{name}"
to = ["array"]
size = "8 KiB"
read_fraction = 0.7
arrivals = {{ process = "poisson", rate = "{rate}/s" }}
"""


@pytest.mark.slow
def test_the_disks_of_two_raid_6_limit_two_controllers_with_mirrored_caches() -> None:
    summary = sansim.run(ARRAY + side("a") + side("b") + load("one", 800) + load("two", 800), collect_ios=False).summary
    found = summary["components"]
    rate, seconds = summary["iops"], summary["simulated_s"]
    assert rate == pytest.approx(1600, rel=0.02)
    for name in ("a", "b"):
        raid, disks, cache = found[f"raid-{name}"], found[f"disks-{name}"], found[f"cache-{name}"]
        misses = cache["reads"] - cache["read_hits"]
        # A small write of RAID 6 reads the data and both checks, and writes them; some reads go over two disks.
        writes = raid["read_modify_writes"]
        assert raid["member_writes"] == pytest.approx(3 * writes, rel=0.02)
        assert raid["member_reads"] == pytest.approx(misses + 3 * writes, rel=0.02)
        # A disk is busy for a seek, a rotation and the transfer of 8 KiB, about 0.1 ms, in each of its accesses.
        accesses = (raid["member_reads"] + raid["member_writes"]) / 12 / seconds
        service_s = (disks["mean_seek_ns"] + disks["mean_rotation_ns"]) / 1e9 + 0.1e-3
        assert disks["utilisation"] == pytest.approx(accesses * service_s, rel=0.03)
        assert disks["utilisation"] > 0.9
    # Little's law, and a write is answered from both caches before it is on a disk.
    assert summary["under_way"] == pytest.approx(rate * summary["response_time_ns"]["mean"] / 1e9, rel=1e-6)
    assert summary["writes"]["response_time_ns"]["p50"] < 100_000 < summary["reads"]["response_time_ns"]["p50"]


CORE = """
title = "Hosts at the edge, storage at the core"
[run]
duration = "60 ms"
warm_up = "20 ms"
[san]
kind = "fabric"
speed = "16GFC"
topology = "given"
stations = ["hosts", "drives"]
[san.switches.edge]
stations = ["hosts"]
[san.switches.core]
stations = ["drives"]
[san.links.between]
from = "edge"
to = "core"
[hosts]
kind = "host"
count = 2
[drives]
kind = "ram-disks"
count = 16
bandwidth = "10 GB/s"
[load]
kind = "synthetic"
from = "hosts"
to = ["drives"]
size = "64 KiB"
read_fraction = 1.0
arrivals = { process = "poisson", rate = "3000/s" }
"""

HOSTS = """
title = "How many hosts fill the link between the switches"
scenario = "core.toml"
[axes.hosts]
key = "hosts.count"
values = [2, 6, 9, 12]
[metrics.link]
value = "fullest_links.san.utilisation"
[metrics.rate]
value = "bytes_per_second"
[metrics.full]
of = "link"
along = "hosts"
take = "begins"
above = 0.95
[[plots]]
name = "link"
x = "hosts"
y = "link"
marks = "full"
"""


def test_nine_hosts_fill_the_link_between_two_switches(tmp_path: Path) -> None:
    (tmp_path / "core.toml").write_text(CORE, encoding="utf-8")
    (tmp_path / "hosts.toml").write_text(HOSTS, encoding="utf-8")
    frame = sansim.run_study(tmp_path / "hosts.toml", out=tmp_path / "out").frame()
    found = {(row["hosts"], row["metric"]): row["value"] for row in frame.iter_rows(named=True)}
    assert found[None, "full"] == 9
    link = {hosts: found[str(hosts), "link"] for hosts in (2, 6, 9, 12)}
    rate = {hosts: found[str(hosts), "rate"] for hosts in (2, 6, 9, 12)}
    for hosts in (2, 6):
        # 32 frames of an I/O, and its answer.
        carried = rate[hosts] / PAYLOAD * FRAME
        assert link[hosts] == pytest.approx(carried / RATE_16GFC, rel=0.01)
    for hosts in (9, 12):
        # A full link has nothing but frames and what must be between them.
        assert link[hosts] == pytest.approx(FRAME / (FRAME + GAP), abs=0.002)
        assert rate[hosts] == pytest.approx(PAYLOAD / (FRAME + GAP) * RATE_16GFC, rel=0.01)


FLASH = """
title = "Four flash drives behind 32GFC"
[run]
measured_ios = 5000
[san]
kind = "fabric"
speed = "32GFC"
topology = "single-switch"
stations = ["host", "drives"]
[host]
kind = "host"
[drives]
kind = "flash-drives"
count = 4
preset = "mqsim"
[load]
kind = "closed"
from = "host"
to = ["drives"]
size = "4 KiB"
read_fraction = 1.0
"""


@pytest.mark.parametrize("depth", [1, 8, 64])
def test_the_latency_of_four_flash_drives_follows_from_their_rate(depth: int) -> None:
    summary = sansim.run(FLASH, {"load.queue_depth": depth}, collect_ios=False).summary
    mean_s, rate = summary["response_time_ns"]["mean"] / 1e9, summary["iops"]
    assert rate * mean_s == pytest.approx(4 * depth, rel=0.01)
    # No I/O is faster than the reading of a page, 75 us in MQSim's ssdconfig.xml, and the wire carries 3.4 GB/s.
    assert mean_s > 75e-6
    assert rate * 2 * (PAYLOAD + 60) < 28.05e9 * 64 / 66 / 8
    if depth == 1:
        assert 75e-6 < mean_s < 100e-6


TRACED = """
title = "A trace on a RAID 5 of eight disks"
[run]
measured_ios = "all"
[host]
kind = "host"
attached = ["raid"]
[raid]
kind = "raid"
to = ["disks"]
layout = { level = "5" }
[disks]
kind = "disks"
count = 8
preset = "cheetah-15k5"
[load]
kind = "trace"
from = "host"
to = ["raid"]
file = "trace.csv"
"""


def test_the_ios_of_the_members_of_a_raid_5_follow_from_the_trace(tmp_path: Path) -> None:
    draw, at, lines, reads = random.Random(5), 0.0, [], 0
    for _ in range(3000):
        at += draw.expovariate(400)
        is_read = draw.random() < 0.7
        reads += is_read
        place = draw.randrange(20_000_000) * 8192
        lines.append(f"{128166372003061629 + int(at * 1e7)},usr,0,{'Read' if is_read else 'Write'},{place},8192,0\n")
    (tmp_path / "trace.csv").write_text("".join(lines), encoding="utf-8")
    (tmp_path / "traced.toml").write_text(TRACED, encoding="utf-8")
    info = sansim.trace_info(tmp_path / "trace.csv")
    assert (info["format"], info["requests"], info["reads"], info["unique_exact"]) == ("msr", 3000, reads, True)
    summary = sansim.run(tmp_path / "traced.toml").summary
    raid, writes = summary["components"]["raid"], 3000 - reads
    assert (summary["ios"], summary["reads"]["ios"]) == (3000, reads)
    # Strips are aligned to 8 KiB. A small write reads the data and the parity, and writes both.
    assert (raid["member_reads"], raid["member_writes"]) == (reads + 2 * writes, 2 * writes)


def test_three_jobs_of_fio_share_a_drive_as_their_service_times_say(tmp_path: Path) -> None:
    (tmp_path / "jobs.fio").write_text(
        "[global]\nfilename=/dev/sdb\ntime_based=1\nruntime=5\n"
        "[small]\nrw=randread\nbs=4k\n[mixed]\nrw=randrw\nrwmixread=60\nbssplit=8k/50:64k/50\n"
        "[log]\nrw=write\nbs=16k\nrate_iops=200\n",
        encoding="utf-8",
    )
    (tmp_path / "fio.toml").write_text(
        '[run]\nmeasured_ios = "all"\nwarm_up = "500 ms"\n[host]\nkind = "host"\nattached = ["disk"]\n'
        '[disk]\nkind = "drives"\naccess_time = "1 ms"\ntransfer_rate = "200 MB/s"\ncapacity = "100 GB"\n'
        '[jobs]\nkind = "fio-job"\nfrom = "host"\nto = ["disk"]\nfile = "jobs.fio"\n',
        encoding="utf-8",
    )
    with pytest.warns(sansim.ScenarioWarning, match="/dev/sdb is device 1"):
        summary = sansim.run(tmp_path / "fio.toml").summary
    streams = summary["workloads"]["jobs"]["streams"]
    assert streams["log"]["iops"] == pytest.approx(200, rel=0.01)
    # Two jobs with one I/O each take turns at the drive, in what the log leaves of it.
    busy = [
        stream["iops"] * (1e-3 + stream["bytes_per_second"] / stream["iops"] / 200e6) for stream in streams.values()
    ]
    assert sum(busy) == pytest.approx(1, rel=0.01)
    assert streams["small"]["iops"] == pytest.approx(streams["mixed"]["iops"], rel=0.01)
    assert summary["components"]["disk"]["utilisation"] == pytest.approx(1, abs=0.005)


def test_a_ledger_adds_up_to_the_response_time_and_two_designs_are_compared() -> None:
    result = sansim.run(sansim.example("four-disks"))
    assert result.ledger["mean_ns"].sum() == pytest.approx(result.summary["response_time_ns"]["mean"], rel=1e-6)
    # Four disks with a queue each: twice as many serve twice as many I/Os, as long as the loop carries them.
    more = sansim.run(sansim.example("four-disks"), {"disks.count": 8}, collect_ios=False)
    assert more.summary["iops"] == pytest.approx(2 * result.summary["iops"], rel=0.05)
    table = result.tables["ios"].to_pandas()
    assert len(table) == result.summary["ios"]
    assert table["response_time_ns"].mean() == pytest.approx(result.summary["response_time_ns"]["mean"])
