"""The same array over four networks: what its guide and its studies say about it holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import sansim

FOLDER = Path(__file__).parents[2] / "studies" / "four-networks"
LANES = ("fc-scsi", "fc-nvme", "nvme-tcp", "nvme-rdma")


@pytest.fixture(scope="module")
def result() -> Any:
    return sansim.run(FOLDER / "scenario.toml", {"run.measured_ios": 20_000})


def response_us(result: Any, lane: str, host: str = "well") -> float:
    return float(result.summary["workloads"][f"{lane}-reads-{host}"]["response_time_ns"]["mean"]) / 1e3


def test_the_protocol_alone_changes_nothing_and_the_software_of_tcp_much(result: Any) -> None:
    of = {lane: response_us(result, lane) for lane in LANES}
    assert abs(of["fc-nvme"] - of["fc-scsi"]) < 0.5
    assert 1.0 < of["nvme-rdma"] - of["fc-scsi"] < 6.0
    assert 1.3 < of["nvme-tcp"] / of["fc-scsi"] < 1.5


def test_rdma_takes_no_processors_and_tcp_takes_more_than_the_rest(result: Any) -> None:
    of = {lane: float(result.summary["components"][f"{lane}-well.processors"]["occupied"]) for lane in LANES}
    assert of["nvme-rdma"] == pytest.approx(of["fc-scsi"], rel=0.05)
    assert of["nvme-tcp"] > 2.0 * of["fc-scsi"]


def test_a_slow_host_slows_down_its_neighbour_over_fibre_channel_and_not_over_tcp() -> None:
    slow = {f"{lane}-net.slow.one": {"members": [f"{lane}-slow"], "frame_time": "9 us"} for lane in LANES[:2]}
    slow |= {f"{lane}-net.slow.one": {"members": [f"{lane}-slow"], "rate": "232 MB/s"} for lane in LANES[2:]}
    rates = {f"{lane}.rate": "12000/s" for lane in LANES}
    result = sansim.run(FOLDER / "scenario.toml", {"run.measured_ios": 40_000, **rates, **slow})
    for lane in LANES:
        assert response_us(result, lane, "slow") > 200.0
    assert response_us(result, "fc-scsi") > 125.0
    assert response_us(result, "nvme-tcp") < 170.0


GUIDE = Path(__file__).parents[2] / "docs" / "tutorials" / "four-networks.md"


def test_the_table_of_the_guide_has_what_the_study_gives_at_this_load() -> None:
    guide = " ".join(GUIDE.read_text(encoding="utf-8").split())
    rates = {f"{lane}.rate": "20000/s" for lane in LANES}
    result = sansim.run(FOLDER / "scenario.toml", rates, collect_ios=False)
    times = [f"{response_us(result, lane):.1f} us" for lane in LANES]
    processors = [result.summary["components"][f"{lane}-well.processors"]["occupied"] for lane in LANES]
    assert f"| response time, mean | {' | '.join(times)} |" in guide
    assert f"| processors of a host | {' | '.join(f'{100 * share:.1f} %' for share in processors)} |" in guide
    fc, _, tcp, _ = (response_us(result, lane) for lane in LANES)
    assert f"TCP costs {tcp - fc:.0f} us here" in guide or f"TCP costs {round((tcp - fc) / 10) * 10} us here" in guide
