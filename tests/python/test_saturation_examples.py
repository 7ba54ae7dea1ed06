"""The sentence at the head of the report of shipped scenarios, each checked by a calculation from the table of I/Os."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import sansim
from sansim.catalogue import waits
from sansim.saturation import limit

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"
FRAME = 2084 / 2048
"""Bytes in a Fibre Channel frame for a byte of data: 2048 of data, header 24, CRC 4, SOF 4, EOF 4."""
NOTHING = "No component is saturated; the busiest "

Check = Callable[[sansim.Result], float]


def busy(devices: str) -> Check:
    """The mean utilisation of devices by the utilisation law: rate times mean service time, for each of them."""

    def share(result: sansim.Result) -> float:
        work = [f"{devices}.{segment}_ns" for segment in ("access", "media_transfer")]
        service = result.ios.select(pl.sum_horizontal(work).mean()).item() / 1e9
        return float(result.summary["iops"] * service / result.summary["components"][devices]["count"])

    return share


def waiting(result: sansim.Result) -> float:
    """The share of waits in the response times of all I/Os."""
    columns = [name for name in result.ios.columns if name.endswith("_ns") and "." in name]
    found = [name for name in columns if waits(name.removesuffix("_ns"))]
    share = result.ios.select(pl.sum_horizontal(found).sum()).item() / result.ios["response_time_ns"].sum()
    return float(share)


def link(workload: str, bytes_per_second: float) -> Check:
    """The share of a link or loop of Fibre Channel that frames with the data of a workload take."""
    return lambda result: result.summary["workloads"][workload]["bytes_per_second"] * FRAME / bytes_per_second


LIMITS: dict[str, tuple[str, list[tuple[Check, float]]]] = {
    # Saturated devices: their rate times their service time is the time that there is.
    "direct": ("`disk` limits this system: its access is 100 % utilised.", [(waiting, 0.75)]),
    "four-disks": ("`disks` limit this system: their access is 100 % utilised.", [(busy("disks"), 1.00)]),
    "two-loops": (
        "`slow-disks` and `fast-disks` limit this system: their access is 98 to 99 % utilised.",
        [(busy("slow-disks"), 0.99), (busy("fast-disks"), 0.98)],
    ),
    "scsi-bus": ("`disks` limit this system: their access is 99 % utilised.", [(busy("disks"), 0.99)]),
    # A link of 8GFC carries 850 MB/s; between frames are six words, so frames cannot take all of it.
    "two-hosts-one-switch": (
        "The link from `san.switches.switch[0]` to `first` limits this system: it is 98 % utilised.",
        [(link("reads", 850e6), 0.98), (busy("drives"), 0.73)],
    ),
    # Open loads below capacity: all that comes is served.
    "mbod-30": (
        f"{NOTHING}is the access of `disks`, 37 % utilised;"
        " only 22 % of the response time is waiting, so the load is the limit.",
        [(waiting, 0.22), (busy("disks"), 0.31)],
    ),
    "replay": (
        f"{NOTHING}is the access of `disks`, 6 % utilised;"
        " only 30 % of the response time is waiting, so the load is the limit.",
        [(waiting, 0.30), (busy("disks"), 0.04)],
    ),
    # Half utilised, a queue of one server makes an I/O wait as long as it is served (M/M/1): about half of its time.
    "open-load": (
        f"{NOTHING}is the access of `drives`, 51 % utilised;"
        " 51 % of the response time is waiting at `drives` (drive queue).",
        [(waiting, 0.51), (busy("drives"), 0.50)],
    ),
    "oltp-and-backup": (
        f"{NOTHING}is the access of `disks`, 52 % utilised;"
        " 53 % of the response time is waiting at `disks` (drive queue).",
        [(waiting, 0.55), (busy("disks"), 0.51)],
    ),
    # The base system of Wang 2005: neither the loop of 2GFC nor the drives are full, and I/Os wait for access windows.
    "wang-2005-base": (
        f"{NOTHING}is `loop`, 61 % utilised; 55 % of the response time is waiting at `loop` (loop, port queue).",
        [(waiting, 0.55), (link("workload", 212.5e6), 0.61)],
    ),
    "controller-two-loops": (
        f"{NOTHING}is `back`, 78 % utilised; 67 % of the response time is waiting, 46 % at `back` (port queue, loop).",
        [(waiting, 0.67), (busy("disks"), 0.50)],
    ),
    # A long loop with little credit is owned all the time, and empty: frames wait for R_RDYs that are under way.
    "long-loop": (
        f"{NOTHING}is `loop`, 8 % utilised; `loop` is owned 100 % of the time;"
        " 92 % of the response time is waiting at `loop` (credit).",
        [(waiting, 0.92)],
    ),
    # Frames that are lost wait for the time-out of TCP, in which nothing works.
    "lossy-ethernet": (
        f"{NOTHING}is the link from `lan.switches.switch[0]` to `stripe[0].back`, 6 % utilised;"
        " 100 % of the response time is waiting at `lan` (TCP).",
        [(waiting, 1.00)],
    ),
    # Two I/Os and a time to think: the array has little to do but for the rebuild.
    "rebuild": (
        f"{NOTHING}is the access of `disks`, 24 % utilised;"
        " only 25 % of the response time is waiting, so the load is the limit.",
        [(waiting, 0.25)],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LIMITS)
def test_the_sentence_of_a_shipped_scenario_is_what_its_ios_show(name: str) -> None:
    sentence, checks = LIMITS[name]
    result = sansim.run(SCENARIOS / f"{name}.toml")
    assert limit(result.summary) == sentence
    for check, expected in checks:
        # To a per cent, and a little more where short frames are left out.
        assert check(result) == pytest.approx(expected, abs=0.012)


def test_a_load_that_outgrows_the_system_is_named_when_no_component_is_saturated() -> None:
    result = sansim.run(SCENARIOS / "changing-keys.toml", collect_ios=False)
    assert limit(result.summary).endswith("; yet more requests of `load` arrive than complete.")
