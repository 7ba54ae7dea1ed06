"""`sansim explain`: what limits a scenario, and what would help."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sansim
from conftest import SMALL, Cli
from sansim import _core
from sansim.simulate import run_scenario

SCENARIOS = Path(__file__).parents[2] / "scenarios"
BASE = SCENARIOS / "wang-2005-base.toml"
FEW = SCENARIOS / "four-disks.toml"


def test_the_drives_limit_four_slow_disks_and_the_loop_comes_next(cli: Cli) -> None:
    done = cli("explain", FEW, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["bottleneck"]["component"] == "disks"
    assert found["next_bottleneck"]["component"] == "loop"
    assert "disks" in found["bottleneck"]["why"]
    assert [one["component"] for one in found["headroom"]][:2] == ["disks", "loop"]
    assert found["outside"] == []
    twice = next(one for one in found["what_if"] if one["set"] == {"disks.count": "8"})
    assert twice["iops"] == pytest.approx(2 * found["iops"], rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("file", sorted(SCENARIOS.glob("*.toml")), ids=lambda file: file.stem)
def test_every_shipped_scenario_has_an_answer(file: Path) -> None:
    found = sansim.explain(file).as_json()
    # Where nothing takes time that is known, that is said.
    assert found["bottleneck"] is not None or found["outside"]
    assert found["iops"] is None or found["iops"] > 0 or found["outside"]
    assert all(0 <= one["room"] <= 1 for one in found["headroom"])


def test_hot_spots_within_a_group_are_named() -> None:
    text = (
        FEW.read_text().partition("[workload]")[0]
        + """
[hot]
kind = "synthetic"
from = "controller"
to = ["disks"]
size = "16 KiB"
arrivals = { process = "poisson", rate = "20/s" }
location = { pattern = "hot-spot", space = "10 %", accesses = "95 %" }
spread = "concatenated"
"""
    )
    found = sansim.explain(text)
    assert found.bottleneck is not None
    assert found.bottleneck.members == ("disks[0]",)


def test_one_more_adapter_relieves_a_full_loop_as_simulated() -> None:
    full = {
        "disks.access_time": "100 us",
        "disks.transfer_rate": "400 MB/s",
        "controller.schedule": "unfair",
        "workload.size": "64 KiB",
        "loop.speed": "1GFC",
    }
    found = sansim.explain(FEW, full)
    assert found.bottleneck is not None and found.bottleneck.component == "loop"
    second = next(one for one in found.what_if if "one more adapter" in one.change.words)
    assert second.analysis is not None
    assert 1.5 < second.analysis["iops"] / found.analysis["iops"] < 2.0
    texts = [(key, json.dumps(value)) for key, value in full.items()]
    scenarios = [_core.Scenario.load(FEW, texts + list(more.items())) for more in ({}, second.change.settings)]
    run = [run_scenario(scenario, collect_ios=False).summary["iops"] for scenario in scenarios]
    assert run[1] / run[0] == pytest.approx(second.analysis["iops"] / found.analysis["iops"], rel=0.15)


def test_set_counts_as_in_run(cli: Cli) -> None:
    slow, fast = (
        json.loads(cli("explain", FEW, "--set", f"disks.access_time={time}", "--json").stdout)["iops"]
        for time in ("8 ms", "1 ms")
    )
    assert fast > 3 * slow


def test_a_person_is_told_in_sentences(cli: Cli) -> None:
    done = cli("explain", FEW)
    assert (done.returncode, done.stderr) == (0, "")
    assert "What limits it (the bottleneck) is `disks`" in done.stdout
    assert "Next comes `loop`" in done.stdout
    assert "twice as many of `disks` (8):" in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())


def test_what_is_not_to_be_relied_on_is_told(cli: Cli) -> None:
    done = cli("explain", BASE)
    assert done.returncode == 0, done.stderr
    assert "not to be relied on" in done.stdout
    assert "fair" in done.stdout


def test_simulation_confirms_it_and_says_why_the_slowest_are_slow(cli: Cli) -> None:
    done = cli("explain", SMALL, "--set", "run.measured_ios=1000", "--simulate")
    assert done.returncode == 0, done.stderr
    assert "Simulated:" in done.stdout
    assert "The slowest percent of the I/Os took" in done.stdout
    assert "schedule unfair of `controller` instead of fair: simulated" in " ".join(done.stdout.split())


def test_what_is_no_scenario_is_told_as_run_does(cli: Cli) -> None:
    done = cli("explain", FEW, "--set", "disks.counts=2")
    assert done.returncode == 2
    assert "disks.counts" in done.stderr
