"""Devices on links: hot spots are named, and the moves that are proposed are the best ones."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest

import sansim
from sansim.planning.placement import EXACT_WORK, GAIN, Item, balanced, fullest, placement, stepwise

TWO_LOOPS = """
[run]
measured_ios = 500
[left]
kind = "arbitrated-loop"
speed = "1GFC"
stations = ["host.adapters.left", "many"]
[right]
kind = "arbitrated-loop"
speed = "1GFC"
stations = ["host.adapters.right", "few"]
[host]
kind = "host"
schedule = "unfair"
[host.adapters.left]
[host.adapters.right]
[many]
kind = "drives"
count = 6
capacity = "1 GiB"
access_time = "4 ms"
transfer_rate = "100 MB/s"
[few]
kind = "drives"
count = 2
capacity = "1 GiB"
access_time = "4 ms"
transfer_rate = "100 MB/s"
[load]
kind = "synthetic"
from = "host"
to = ["many", "few"]
size = "64 KiB"
arrivals = { process = "poisson", rate = "800/s" }
"""


def drawn(seed: int) -> list[Item]:
    r = random.Random(seed)
    links = ["a", "b", "c"][: r.randint(2, 3)]
    return [Item(f"drives[{n}]", r.choice(links), r.choice([0.05, 0.1, 0.2, r.random() / 3]), 0.1) for n in range(7)]


def best_of_all(items: list[Item]) -> float:
    links = sorted({item.link for item in items})
    least = float("inf")
    for where in itertools.product(links, repeat=len(items)):
        shares = dict.fromkeys(links, 0.0)
        for item, link in zip(items, where, strict=True):
            shares[link] += item.takes
        least = min(least, max(shares.values()))
    return least


@pytest.mark.parametrize("seed", range(40))
def test_the_moves_give_the_best_of_all_placements(seed: int) -> None:
    items = drawn(seed)
    links = {item.link for item in items}
    assert len(links) ** len(items) <= EXACT_WORK
    moves, after = balanced(items)
    assert fullest(after) <= best_of_all(items) + GAIN * fullest(items) + 1e-9
    where = {item.name: item.link for item in items}
    for move in moves:
        assert where[move.name] == move.from_link
        where[move.name] = move.to_link
        if move.exchanged_with is not None:
            where[move.exchanged_with] = move.from_link
    assert where == {item.name: item.link for item in after}


@pytest.mark.parametrize("seed", range(40))
def test_step_by_step_comes_near_the_best(seed: int) -> None:
    items = drawn(seed)
    links = sorted({item.link for item in items})
    # Graham 1969: what no move makes better is no more than 2 - 2 / (m + 1) of the best.
    assert fullest(stepwise(items, links)) <= (2 - 2 / (len(links) + 1)) * best_of_all(items) + 1e-9


def test_an_uneven_string_is_named_and_two_drives_are_moved() -> None:
    analysis = sansim.explain(TWO_LOOPS).analysis
    found = placement(analysis)
    assert found.lengths() == {"left": 6, "right": 2}
    assert found.links["left"] == pytest.approx(3 * found.links["right"], rel=0.05)
    assert found.hot_links == ("left",)
    assert [(move.from_link, move.to_link, move.exchanged_with) for move in found.moves] == [
        ("left", "right", None)
    ] * 2
    assert found.after["left"] == pytest.approx(found.after["right"], rel=0.05)


def test_the_moved_system_is_worked_out_as_even() -> None:
    moved = TWO_LOOPS.replace("count = 6", "count = 4").replace("count = 2", "count = 4")
    found = placement(sansim.explain(moved).analysis)
    assert found.moves == () and found.hot_links == ()
    before = placement(sansim.explain(TWO_LOOPS).analysis)
    assert max(before.after.values()) == pytest.approx(max(found.links.values()), rel=0.05)


def test_explain_tells_it(capsys: pytest.CaptureFixture[str]) -> None:
    del capsys
    text = sansim.explain(TWO_LOOPS).text()
    assert "hot spot: `left` has more to do than the others" in text
    assert "move many[" in text
    told = sansim.explain(TWO_LOOPS).as_json()["placement"]
    assert told["links"]["left"]["devices"] == 6
    assert told["links"]["left"]["by_workload"]["load"] > 0


def test_the_workload_that_makes_a_hot_spot_is_named() -> None:
    second = TWO_LOOPS.partition("[load]")[2].replace('to = ["many", "few"]', 'to = ["many"]').replace("800/s", "100/s")
    text = sansim.explain(f"{TWO_LOOPS}[batch]{second}").text()
    assert "hot spot: `left` has more to do than the others, most of it for `load`" in " ".join(text.split())


def test_devices_that_another_asks_for_are_not_moved_there() -> None:
    # The front loop has one device, of the host; the drives behind are of the controller.
    text = sansim.explain(Path(__file__).parents[2] / "scenarios" / "controller-two-loops.toml").text()
    assert "Where devices hang" not in text
