"""The analytic model against simulation, and that it says where it is outside its domain."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

import sansim
from analytic_systems import FAMILIES, Compared, compared
from sansim import _core

PART = 0.9
"""Of what is inside the domain so much has to come near, each of throughput, utilisation and response."""

LOOP = """
[run]
measured_ios = 500
[loop]
kind = "arbitrated-loop"
speed = "1GFC"
stations = ["host", "drives"]
[host]
kind = "host"
[drives]
kind = "drives"
count = 4
access_time = "1 ms"
transfer_rate = "400 MB/s"
[load]
kind = "closed"
from = "host"
to = ["drives"]
size = "64 KiB"
queue_depth = 4
"""


def analysed(text: str, *settings: tuple[str, str]) -> dict[str, object]:
    found: dict[str, object] = json.loads(_core.Scenario.parse(text, "text", list(settings)).analyse())
    return found


def hold(first: int, count: int, least_inside: float) -> None:
    """Simulates systems from a number on until so many are inside the domain, and looks how many of these are near."""
    inside: list[Compared] = []
    drawn = 0
    while len(inside) < count:
        one = compared(first + drawn)
        drawn += 1
        inside += [] if one.outside else [one]
    assert count >= least_inside * drawn, "the model gives up too often"
    for place, what in enumerate(("throughput", "utilisation", "response")):
        far = [one for one in inside if not one.holds[place]]
        near = len(inside) - len(far)
        assert near >= PART * len(inside), (
            f"{what}: {near} of {len(inside)} are near; not {[brief(one) for one in far]}"
        )


def brief(one: Compared) -> str:
    response = "-" if one.response is None else f"{100 * one.response:+.1f} %"
    return f"{one.family} {one.number}: {100 * one.throughput:+.1f} %, {100 * one.utilisation:.1f} points, {response}"


@pytest.mark.slow
def test_some_random_systems_of_each_kind_come_out_as_simulated() -> None:
    hold(0, 4 * len(FAMILIES), 0.8)


@pytest.mark.long
def test_two_hundred_random_systems_come_out_as_simulated() -> None:
    hold(1000, 200, 0.8)


def test_every_family_is_drawn() -> None:
    assert {list(FAMILIES)[number % len(FAMILIES)] for number in range(20)} == set(FAMILIES)
    assert {"loop", "array", "cached", "appliance", "fabric", "several switches", "loop switch"} <= set(FAMILIES)


def test_a_load_that_mostly_thinks_is_outside_its_domain() -> None:
    thinks = LOOP.replace("queue_depth = 4", 'queue_depth = 4\nthink_time = "50 ms"')
    outside = analysed(thinks, ("host.schedule", '"unfair"'))["outside"]
    assert any("keep their distances" in str(why) for why in outside)  # type: ignore[attr-defined]


def test_slots_that_go_round_like_clockwork_are_outside_its_domain_sooner_than_those_that_meet_by_chance() -> None:
    text = LOOP.replace("queue_depth = 4", 'queue_depth = 2\nthink_time = "4 ms"')
    drawn = '{ distribution = "exponential", mean = "1 ms" }'
    for access, is_outside in (('"1 ms"', True), (drawn, False)):
        outside = analysed(text, ("host.schedule", '"unfair"'), ("drives.access_time", access))["outside"]
        assert any("keep their distances" in str(why) for why in outside) == is_outside  # type: ignore[attr-defined]


TWO_SWITCHES = """
[run]
measured_ios = 2000
[san]
kind = "fabric"
speed = "2GFC"
topology = "given"
stations = ["host", "other", "drives"]
[san.switches.near]
stations = ["host", "other"]
[san.switches.far]
stations = ["drives"]
[san.links.between]
from = "near"
to = "far"
[host]
kind = "host"
[other]
kind = "host"
[drives]
kind = "drives"
count = 4
access_time = "1 ms"
transfer_rate = "400 MB/s"
[load]
kind = "synthetic"
from = "host"
to = ["drives"]
size = "64 KiB"
read_fraction = 1.0
arrivals = { process = "poisson", rate = "500/s" }
"""


def links(text: str, *settings: tuple[str, str]) -> dict[str, float]:
    """How much the links of a fabric are used, by their names."""
    stations: list[dict[str, Any]] = analysed(text, *settings)["stations"]  # type: ignore[assignment]
    return {one["members"][0]: one["utilisation"] for one in stations if one["server"] == "link"}


def test_one_switch_and_several_are_inside_its_domain() -> None:
    text = LOOP.replace('"arbitrated-loop"', '"fabric"').replace("1GFC", "8GFC")
    assert analysed(text)["outside"] == []
    assert analysed(text, ("loop.topology", '"core-edge"'))["outside"] == []


def test_a_link_between_switches_carries_the_frames_of_all_requests_with_their_gaps() -> None:
    # Data and a response go to the host: 64 KiB in frames of the largest payload, each with nine words and six of gap.
    frames = math.ceil(65536 / 2048)
    words = 65536 / 4 + frames * (9 + 6) + (24 / 4 + 9 + 6)
    found = links(TWO_SWITCHES, ("host.adapter.max_payload", '"2048 B"'), ("drives.adapter.max_payload", '"2048 B"'))
    assert found["san.links.between to near"] == pytest.approx(500 * words * 640 / 34e9, rel=0.002)
    assert found["san.to host"] == pytest.approx(found["san.links.between to near"])
    assert found["san.from drives"] == pytest.approx(found["san.to host"] / 4)
    assert found["san.links.between to far"] < 0.02 * found["san.links.between to near"]


def test_links_side_by_side_share_what_they_carry_and_a_trunk_is_one_way_with_as_many_servers() -> None:
    alone = links(TWO_SWITCHES)["san.links.between to near"]
    two = ("san.links.between.count", "2")
    by_exchange = links(TWO_SWITCHES, two, ("san.routing", '"exchange"'))
    assert by_exchange["san.links.between[0] to near"] == pytest.approx(alone / 2)
    assert by_exchange["san.links.between[1] to near"] == pytest.approx(alone / 2)
    # All frames for the one host go by the same link.
    by_destination = links(TWO_SWITCHES, two)
    assert [share for name, share in by_destination.items() if name.endswith("to near")] == [pytest.approx(alone)]
    trunk = links(TWO_SWITCHES, two, ("san.switch.trunks", "true"))
    assert trunk["san.links.between[0] to near"] == pytest.approx(alone / 2)
    assert "san.links.between[1] to near" not in trunk


def test_frames_over_a_distance_take_the_time_until_their_credit_is_back() -> None:
    far = (("san.links.between.cable", '"100 km"'), ("san.switch.buffers", "4"))
    used = links(TWO_SWITCHES, *far)["san.links.between to near"]
    # Four frames in a millisecond there and back; 33 frames for a read.
    assert used == pytest.approx(500 * 33 * 1e-3 / 4, rel=0.05)


def test_a_host_that_asks_for_nothing_makes_no_difference() -> None:
    alone = TWO_SWITCHES.replace(', "other"', "").replace('[other]\nkind = "host"\n', "")
    assert analysed(alone)["response_ns"] == analysed(TWO_SWITCHES)["response_ns"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ([("san.slow.one", '{ members = ["host"], frame_time = "100 us" }')], "return buffers late"),
        ([("san.limits.one", '{ members = ["host"], rate = "10 MB/s" }')], "rate limit of a switch"),
        ([("san.frame_loss", "0.001")], "lose frames"),
        ([("san.class", '"class-2"')], "class 2"),
        ([("san.switch.transactions", "1")], "limits the frames that cross it"),
    ],
)
def test_what_keeps_frames_in_a_fabric_beside_its_links_is_outside_its_domain(
    settings: list[tuple[str, str]], words: str
) -> None:
    assert analysed(TWO_SWITCHES)["outside"] == []
    assert any(words in str(why) for why in analysed(TWO_SWITCHES, *settings)["outside"])  # type: ignore[attr-defined]


def test_a_loop_switch_of_one_host_is_inside_its_domain_and_of_two_it_is_not() -> None:
    one = LOOP.replace("arbitrated-loop", "loop-switch")
    assert analysed(one)["outside"] == []
    second = one.replace('["host", "drives"]', '["host", "other", "drives"]') + '[other]\nkind = "host"\n'
    assert any("conversations" in str(why) for why in analysed(second)["outside"])  # type: ignore[attr-defined]


def test_a_busy_loop_with_a_fair_host_is_outside_its_domain() -> None:
    fair = analysed(LOOP)
    assert any("fair" in str(why) for why in fair["outside"])  # type: ignore[attr-defined]
    unfair = analysed(LOOP, ("host.schedule", '"unfair"'))
    assert unfair["outside"] == []


def test_what_fails_is_outside_its_domain() -> None:
    failing = LOOP + '[[event]]\nat = "10 ms"\ndo = "fail"\nwhat = "drives[0]"\n'
    assert any("failures" in str(why) for why in analysed(failing)["outside"])  # type: ignore[attr-defined]


def test_more_than_can_be_done_has_no_response_time() -> None:
    text = LOOP.replace('kind = "closed"', 'kind = "synthetic"\narrivals = { process = "poisson", rate = "9000/s" }')
    found = analysed(text.replace("queue_depth = 4\n", ""))
    assert (found["iops"], found["response_ns"]) == (None, None)


def test_a_drive_by_itself_is_exact() -> None:
    text = """
[run]
measured_ios = 200
[host]
kind = "host"
attached = ["drive"]
[drive]
kind = "drives"
count = 1
access_time = "3 ms"
transfer_rate = "100 MB/s"
[load]
kind = "closed"
from = "host"
to = ["drive"]
size = "100 KiB"
queue_depth = 5
"""
    found = analysed(text)
    # 3 ms and 1.024 ms; four are before each.
    assert found["iops"] == pytest.approx(1e3 / 4.024)
    assert found["response_ns"] == pytest.approx(5 * 4.024e6)
    assert sansim.run(text).summary["iops"] == pytest.approx(found["iops"], rel=1e-3)
