"""The analytic model against simulation, and that it says where it is outside its domain."""

from __future__ import annotations

import json

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
def test_twenty_random_systems_come_out_as_simulated() -> None:
    hold(0, 20, 0.8)


@pytest.mark.long
def test_two_hundred_random_systems_come_out_as_simulated() -> None:
    hold(1000, 200, 0.8)


def test_every_family_is_drawn() -> None:
    assert {list(FAMILIES)[number % len(FAMILIES)] for number in range(20)} == set(FAMILIES)


def test_a_load_that_mostly_thinks_is_outside_its_domain() -> None:
    thinks = LOOP.replace("queue_depth = 4", 'queue_depth = 4\nthink_time = "50 ms"')
    outside = analysed(thinks, ("host.schedule", '"unfair"'))["outside"]
    assert any("much longer than they take" in str(why) for why in outside)  # type: ignore[attr-defined]


def test_one_switch_is_inside_its_domain_and_several_are_not() -> None:
    text = LOOP.replace('"arbitrated-loop"', '"fabric"').replace("1GFC", "8GFC")
    assert analysed(text)["outside"] == []
    several = analysed(text, ("loop.topology", '"core-edge"'))["outside"]
    assert any("between the switches" in str(why) for why in several)  # type: ignore[attr-defined]


def test_a_busy_loop_with_a_fair_host_is_outside_its_domain() -> None:
    fair = analysed(LOOP)
    assert any("fair" in str(why) for why in fair["outside"])  # type: ignore[attr-defined]
    unfair = analysed(LOOP, ("host.schedule", '"unfair"'))
    assert unfair["outside"] == []


def test_what_fails_is_outside_its_domain() -> None:
    failing = LOOP + '[[event]]\nat = "10 ms"\ndo = "fail"\nwhat = "drives[0]"\n'
    assert any("fails" in str(why) for why in analysed(failing)["outside"])  # type: ignore[attr-defined]


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
