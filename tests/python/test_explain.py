"""`sansim explain`: what limits a scenario, and what would help."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

import sansim
from conftest import SMALL, Cli, within
from sansim import _core
from sansim.simulate import run_scenario
from shares import share

SCENARIOS = Path(__file__).parents[2] / "scenarios"
BASE = SCENARIOS / "wang-2005-base.toml"
FEW = SCENARIOS / "four-disks.toml"


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return within(tmp_path)


@pytest.fixture(autouse=True)
def time_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets every run end by itself, however slow the machine is."""
    for name, seconds in {"FIRST_S": 1e3, "CHANGE_S": 1e3, "ESTIMATES_S": 1e3, "ALL_S": 1e6}.items():
        monkeypatch.setattr(f"sansim.analysis.explain.explanation.{name}", seconds)


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


LATE = [
    "cached-volumes",
    "flash-array",
    "in-band-appliance",
    "mirrored-appliances",
    "molero-floors",
    "nas",
    "raid-5-cache",
]
"""Scenarios that take seconds to explain, as the content of their caches and flash drives is found by simulation."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [*sorted({file.stem for file in SCENARIOS.glob("*.toml")} - set(LATE)), *share(LATE, 2, "explain")]
)
def test_every_shipped_scenario_has_an_answer(name: str) -> None:
    found = sansim.explain(SCENARIOS / f"{name}.toml", analytic=True).as_json()
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
    found = sansim.explain(text, analytic=True)
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
    found = sansim.explain(FEW, full, analytic=True)
    assert found.bottleneck is not None and found.bottleneck.component == "loop"
    second = next(one for one in found.what_if if "one more adapter" in one.change.words)
    assert second.analysis is not None
    # Both loops are full, so another one doubles what they carry.
    assert 1.5 < second.analysis["iops"] / found.analysis["iops"] <= 2.0 + 1e-9
    texts = [(key, json.dumps(value)) for key, value in full.items()]
    scenarios = [_core.Scenario.load(FEW, texts + list(more.items())) for more in ({}, second.change.settings)]
    run = [run_scenario(scenario, collect_ios=False).summary["iops"] for scenario in scenarios]
    assert run[1] / run[0] == pytest.approx(second.analysis["iops"] / found.analysis["iops"], rel=0.15)


@pytest.mark.parametrize("kind", ["fabric", "loop-switch"])
def test_one_more_adapter_relieves_the_host_of_other_networks_too(kind: str) -> None:
    text = f"""
[run]
measured_ios = 1500
[san]
kind = "{kind}"
speed = "1GFC"
stations = ["host", "drives"]
[host]
kind = "host"
schedule = "unfair"
[drives]
kind = "drives"
count = 8
access_time = "100 us"
transfer_rate = "400 MB/s"
[load]
kind = "closed"
from = "host"
to = ["drives"]
size = "64 KiB"
read_fraction = 1.0
queue_depth = 4
"""
    found = sansim.explain(text, analytic=True)
    assert found.bottleneck is not None and found.bottleneck.component == "san"
    if kind == "fabric":
        assert "The bottleneck is the link of `san` (to host)." in found.text()
    second = next(one for one in found.what_if if "one more adapter" in one.change.words)
    assert second.analysis is not None
    assert 1.7 < second.analysis["iops"] / found.analysis["iops"] < 2.1
    scenarios = [_core.Scenario.parse(text, "text", list(more.items())) for more in ({}, second.change.settings)]
    run = [run_scenario(scenario, collect_ios=False).summary["iops"] for scenario in scenarios]
    assert run[1] / run[0] == pytest.approx(second.analysis["iops"] / found.analysis["iops"], rel=0.15)


def test_parts_are_told_with_what_they_do() -> None:
    slow = {"controller.adapter.dma_bandwidth": "1 MB/s", "disks.access_time": "10 us"}
    found = sansim.explain(FEW, slow, analytic=True)
    assert found.bottleneck is not None and found.bottleneck.what == "dma"
    assert found.bottleneck.meaning and found.bottleneck.meaning in " ".join(found.text(1000).split())


def test_set_counts_as_in_run(cli: Cli) -> None:
    slow, fast = (
        json.loads(cli("explain", FEW, "--set", f"disks.access_time={time}", "--json", "--analytic").stdout)["iops"]
        for time in ("8 ms", "1 ms")
    )
    assert fast > 3 * slow


def test_a_person_is_told_in_sentences(cli: Cli) -> None:
    done = cli("explain", FEW)
    assert (done.returncode, done.stderr) == (0, "")
    assert "The bottleneck is `disks`. It is saturated.\n  Each of the 4 has a utilisation of 100 %.\n" in done.stdout
    assert "Next is `loop`." in done.stdout
    assert re.search(r"\n +97 %  `loop`, saturated at [\d,]+ IOPS\n", done.stdout)
    assert "twice as many of `disks` (8):" in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    text = " ".join(done.stdout.split())
    assert not [word for word in ODD if word in text]


ODD = ("taken", "full ", "fullest", "Room", " room ", "worked out", "Worked out", "relied", "asked for", " hang")
"""Words that are not those of the field (docs/vocabulary.md)."""


def test_nothing_is_saturated_and_the_headroom_is_said(cli: Cli) -> None:
    text = cli("explain", SCENARIOS / "open-load.toml").stdout
    assert "No component is saturated. The bottleneck is `drives`." in text
    assert "   50 %  `drives`, saturated at 799 IOPS" in text
    assert "I/Os hardly wait" not in text


def test_an_effect_names_the_option_that_has_it_and_that_option_has_it(cli: Cli) -> None:
    text = cli("explain", FEW, "--analytic").stdout
    found = json.loads(cli("explain", FEW, "--analytic", "--json").stdout)
    named = [line.split()[1] for line in text.splitlines() if line.startswith("    --set ")]
    assert "disks.count=8" in named and "disks.access_time=2.5ms" in named
    # A change without an effect is no hint.
    assert not any(one.startswith("loop.") for one in named)
    by_key = {key: one["iops"] for one in found["what_if"] for key in one["set"]}
    option = next(one for one in named if one.startswith("disks.access_time"))
    changed = json.loads(cli("explain", FEW, "--set", option, "--json", "--analytic").stdout)
    assert changed["iops"] == pytest.approx(by_key["disks.access_time"])


def test_a_change_of_several_keys_names_them() -> None:
    full = {"disks.access_time": "100 us", "disks.transfer_rate": "400 MB/s", "loop.speed": "1GFC"}
    text = " ".join(sansim.explain(FEW, {**full, "workload.size": "64 KiB"}, analytic=True).text().split())
    assert "Set loop.stations, loop-2, controller.path" in text
    assert "--json has the values under `what_if`" in text


def test_a_load_beyond_the_capacity_is_said_and_numbers_stay_beside_their_units() -> None:
    too_much: dict[str, sansim.OverrideValue] = {"load.arrivals.rate": "2000/s"}
    text = sansim.explain(SCENARIOS / "open-load.toml", too_much, analytic=True).text()
    assert "Estimate: the load exceeds the capacity, so queues would grow without limit." in text
    assert "the load still exceeds the capacity" in text
    found = sansim.explain(SCENARIOS / "open-load.toml", too_much)
    text = " ".join(found.text().split())
    assert "The load exceeds the capacity, so queues grow without limit." in text
    assert "the load still exceeds the capacity" in text
    assert not re.search(r"\d\n +(%|ms|us|IOPS)", found.text(40))


def test_what_is_not_to_be_relied_on_is_told(cli: Cli) -> None:
    done = cli("explain", BASE, "--analytic")
    assert done.returncode == 0, done.stderr
    assert "The analytic model is not reliable here (leave out --analytic to simulate it):" in done.stdout
    assert "fair" in done.stdout


def test_where_the_model_does_not_hold_this_is_said_first_and_only_simulated_figures_are_shown(cli: Cli) -> None:
    done = cli("explain", BASE, "--set", "run.measured_ios=2000")
    assert done.returncode == 0, done.stderr
    title, verdict, simulated = done.stdout.splitlines()[:3]
    assert title == "Base system of Wang 2005, tables 6.1 to 6.4"
    assert verdict == "The analytic model does not describe this system; only simulated figures hold."
    assert simulated.startswith("Simulated: 1,9")
    # The run gives the bottleneck and the headroom as well.
    assert "No component is saturated; the busiest is `loop`" in done.stdout
    assert "(100 % less its highest simulated utilisation)" in done.stdout
    assert "estimate:" not in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())


def test_a_simulation_says_why_the_slowest_are_slow_and_what_changes_bring(cli: Cli) -> None:
    done = cli("explain", SMALL, "--set", "run.measured_ios=1000", "--every-change")
    assert done.returncode == 0, done.stderr
    assert "Simulated: " in done.stdout and "The analytic model estimates " in done.stdout
    assert "The slowest 1 % of the I/Os have a mean response time of" in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    text = " ".join(done.stdout.split())
    assert "schedule unfair of `controller` instead of fair: " in text and "estimate:" not in text
    assert re.search(r"\d IOPS \(\+\d+\.\d ± \d+\.\d %\)", text)


def test_as_json_the_simulated_figures_have_a_place_of_their_own(cli: Cli) -> None:
    found = json.loads(cli("explain", FEW, "--json").stdout)
    run = sansim.run(FEW).summary
    simulated = found["simulated"]
    assert (simulated["iops"], simulated["response_ns"]) == (run["iops"], run["response_time_ns"]["mean"])
    assert simulated["iops_ci95"] == run["iops_ci95"] and not simulated["stopped"]
    assert found["disagrees"] is False
    tried = [one for one in found["what_if"] if "simulated" in one]
    assert len(tried) == 3
    assert tried[0]["set"] == {"disks.access_time": '"2.5 ms"'}
    changed = sansim.run(FEW, {"disks.access_time": "2.5 ms"}).summary
    assert tried[0]["simulated"]["iops"] == changed["iops"]
    assert "simulated" not in json.loads(cli("explain", FEW, "--json", "--analytic").stdout)


def test_a_cache_that_starts_empty_is_warmed_before_it_is_judged() -> None:
    text = """
[run]
measured_ios = 3000
[host]
kind = "host"
attached = ["cache"]
[cache]
kind = "cache"
capacity = "32 MiB"
to = ["disks"]
[disks]
kind = "drives"
access_time = "2 ms"
transfer_rate = "100 MB/s"
capacity = "64 MiB"
[load]
kind = "closed"
from = "host"
to = "cache"
size = "4 KiB"
"""
    found = sansim.explain(text)
    assert found.simulated is not None and found.simulated.is_warmed
    assert "The content of the caches was made before simulated time began." in " ".join(found.text().split())
    # Half of the data are in the cache; one that begins empty has few of them after so many I/Os.
    assert found.simulated.summary["iops"] > 1.5 * sansim.run(text).summary["iops"]


SLOWLY_WARMED = """
[run]
measured_ios = 2000
functional_warm_up = "settled"
[host]
kind = "host"
attached = ["cache"]
[cache]
kind = "cache"
capacity = "512 MiB"
to = ["disks"]
[disks]
kind = "drives"
access_time = "2 ms"
transfer_rate = "100 MB/s"
capacity = "1 GB"
[load]
kind = "closed"
from = "host"
to = "cache"
size = "4 KiB"
"""


def test_the_functional_warm_up_of_a_scenario_is_never_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    # Less than making the content of the cache takes.
    monkeypatch.setattr("sansim.analysis.explain.explanation.FIRST_S", 0.05)
    monkeypatch.setattr("sansim.analysis.explain.explanation.LATE_S", 0.05)
    monkeypatch.setattr("sansim.analysis.explain.explanation.TRIED", 0)
    found = sansim.explain(SLOWLY_WARMED).simulated
    assert found is not None and found.is_warmed and not found.is_cold and found.prepared_s > 0
    run = sansim.run(SLOWLY_WARMED).summary
    assert found.summary["iops"] == pytest.approx(run["iops"], rel=0.1)
    assert found.summary["iops"] > 1.5 * sansim.run(SLOWLY_WARMED, {"run.functional_warm_up": "none"}).summary["iops"]
    # A warm-up that only this answer wants is left out if it takes too long, and the text says what takes the time.
    cold = sansim.explain(SLOWLY_WARMED, {"run.functional_warm_up": "none"})
    assert cold.simulated is not None and cold.simulated.is_cold and not cold.simulated.prepared_s
    assert "`--set run.functional_warm_up=settled` takes that time" in " ".join(cold.text().split())


def test_a_run_that_takes_too_long_is_stopped_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sansim.analysis.explain.explanation.FIRST_S", 0.5)
    monkeypatch.setattr("sansim.analysis.explain.explanation.TRIED", 0)
    found = sansim.explain(FEW, {"run.measured_ios": 1_000_000_000})
    assert found.simulated is not None and found.simulated.is_stopped
    assert "The run was stopped after" in found.text()


def test_options_that_exclude_each_other_and_the_former_one_are_refused(cli: Cli) -> None:
    done = cli("explain", FEW, "--analytic", "--every-change")
    assert done.returncode == 2 and "give one" in done.stderr
    done = cli("explain", FEW, "--simulate")
    assert done.returncode == 2 and "simulates without --simulate now" in done.stderr


def test_who_keeps_others_waiting_in_a_fabric_is_named_with_those_who_wait() -> None:
    with (SCENARIOS / "slow-drain.toml").open("rb") as file:
        scenario = tomllib.load(file)
    del scenario["san"]["switch"]["congestion"]
    found = sansim.explain(scenario)
    told = found.as_json()["simulated"]["culprits"]
    assert [(one["to"], one["cause"]) for one in told] == [("slow", "withholds-credit")]
    text = " ".join(found.text().split())
    assert "In `san` slow is a slow receiver: it accepts frames more slowly than they come" in text
    assert "near had frames for slow and no credit to send them" in text
    assert "Frames to other destinations waited behind them: drives" in text
    # Watching has moved nothing.
    assert found.summary is not None
    assert found.summary["iops"] == sansim.run(scenario).summary["iops"]


SHORT: dict[str, sansim.OverrideValue] = {"run.duration": "30 ms"}
"""A part of what the scenario measures, behind the same warm-up."""


def test_a_link_that_is_asked_for_too_much_is_named_as_such() -> None:
    file = SCENARIOS / "slow-drain.toml"
    found = sansim.explain(file, {"san.slow.host.frame_time": "0 us", **SHORT})
    told = found.as_json()["simulated"]["culprits"]
    assert [(one["from"], one["to"], one["cause"]) for one in told] == [("far", "near", "oversubscribed")]
    text = " ".join(found.text().split())
    assert "the link from far to near is oversubscribed. It has a utilisation of" in text


def test_where_nobody_keeps_others_waiting_nobody_is_named() -> None:
    alone: dict[str, sansim.OverrideValue] = {
        **SHORT,
        "san.slow.host.frame_time": "0 us",
        "san.links.between.count": 8,
        "san.switch.buffers": 64,
    }
    quiet = sansim.explain(SCENARIOS / "slow-drain.toml", alone)
    assert quiet.as_json()["simulated"]["culprits"] == []
    assert "slow receiver" not in quiet.text() and "oversubscribed" not in quiet.text()


def test_what_is_no_scenario_is_told_as_run_does(cli: Cli) -> None:
    done = cli("explain", FEW, "--set", "disks.counts=2")
    assert done.returncode == 2
    assert "disks.counts" in done.stderr


def test_nothing_is_offered_that_means_nothing_there() -> None:
    text = """
[net]
kind = "fabric"
speed = "8GFC"
stations = ["host", "drives"]
[host]
kind = "host"
[drives]
kind = "drives"
count = 4
access_time = "1 ms"
transfer_rate = "100 MB/s"
[load]
kind = "closed"
from = "host"
to = "drives"
size = "16 KiB"
"""
    on_fabric = sansim.explain(text, analytic=True), sansim.explain(text, {"run.measured_ios": 500})
    for found in on_fabric:
        assert not any("schedule" in one.change.words for one in found.what_if)
    on_loop = sansim.explain(text.replace("fabric", "arbitrated-loop"), {"run.measured_ios": 500}, every_change=True)
    assert any("schedule" in one.change.words for one in on_loop.what_if)
