"""Devices on links: hot spots are named, and the moves that are proposed are the best ones."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import sansim
from plan_support import VOLUMES
from sansim.analysis.plan.placement import EXACT_WORK, GAIN, Item, balanced, fullest, placement, stepwise
from sansim.analysis.plan.volumes import VolumeMove

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
    assert "`left` has 6 devices and a utilisation of" in text
    assert "`left` is a hot spot: its utilisation is above that of the others." in text
    assert "Move many[" in text
    assert "These keys list the devices of the links: left.stations, right.stations." in text
    assert "Set many.count to 4 to take the moved devices out of the group." in text
    told = sansim.explain(TWO_LOOPS).as_json()["placement"]
    assert told["links"]["left"]["devices"] == 6
    assert told["links"]["left"]["by_workload"]["load"] > 0


def test_the_workload_that_makes_a_hot_spot_is_named() -> None:
    second = TWO_LOOPS.partition("[load]")[2].replace('to = ["many", "few"]', 'to = ["many"]').replace("800/s", "100/s")
    text = sansim.explain(f"{TWO_LOOPS}[batch]{second}").text()
    assert "The workload `load` causes most of the utilisation of `left`." in text


def test_devices_that_another_asks_for_are_not_moved_there() -> None:
    # The front loop has one device, of the host; the drives behind are of the controller.
    text = sansim.explain(Path(__file__).parents[2] / "scenarios" / "controller-two-loops.toml").text()
    assert "Devices cause these utilisations" not in text


def owned(text: str, settings: Mapping[str, sansim.OverrideValue]) -> dict[str, float]:
    """How much of the time loops have an owner, as simulated."""
    components = sansim.run(text, settings).summary["components"]
    return {link: components[link]["owned"] for link in ("left", "right")}


def test_a_volume_is_moved_as_a_whole_with_all_its_strips() -> None:
    found = sansim.explain(VOLUMES).volumes
    assert found is not None
    assert {one.name: found.home(one) for one in found.volumes} == {
        **dict.fromkeys(("mail", "web", "files"), "first[0]"),
        "old": "second[0]",
    }
    # Each volume has a quarter of the load: what its strips and their parity need of the link, whichever drives they
    # are on.
    each = found.before["left"] / 3
    # Which of them are asked for is drawn, so that they differ by some percent.
    for one in found.volumes:
        assert sum(found.uses[one.key].values()) == pytest.approx(each, rel=0.15)
    assert found.hot == ("left",)
    move = only(found.moves)
    assert (found.home(move.volume), found.home(move.volume, move.to_home)) == ("first[0]", "second[0]")
    assert found.after["left"] == pytest.approx(found.after["right"], rel=0.1)


def test_the_moved_volume_does_what_was_said_when_it_is_simulated() -> None:
    found = sansim.explain(VOLUMES).volumes
    assert found is not None
    before, after = (
        owned(VOLUMES, {}),
        owned(VOLUMES, {key: int(value) for key, value in only(found.moves).settings.items()}),
    )
    for link in ("left", "right"):
        assert before[link] == pytest.approx(found.before[link], abs=0.03)
        assert after[link] == pytest.approx(found.after[link], abs=0.03)
    assert max(after.values()) < max(before.values())


def test_full_devices_have_volumes_change_places() -> None:
    # Three volumes on each string, which are full; the first two, a third of all that there is, have most of the load.
    text = VOLUMES.partition("[pool.volumes.mail]")[0]
    for number, name in enumerate(("a1", "a2", "a3", "b1", "b2", "b3")):
        text += f'[pool.volumes.{name}]\nsize = "1240 MiB"\non = {number // 3}\n'
    text += "[first]" + VOLUMES.partition("[first]")[2]
    text += 'location = { pattern = "hot-spot", space = "33 %", accesses = "90 %" }\nspread = "concatenated"\n'
    found = sansim.explain(text).volumes
    assert found is not None
    assert found.hot == ("left",)
    assert all(found.uses[one.key] for one in found.volumes)
    move = only(found.moves)
    assert move.volume.name in ("a1", "a2")
    assert move.exchanged_with is not None and move.exchanged_with.name in ("b1", "b2", "b3")
    assert max(found.after.values()) < 0.7 * max(found.before.values())


def test_volumes_and_their_moves_are_told() -> None:
    text = " ".join(sansim.explain(VOLUMES).text().split())
    assert "`mail` of `pool` is on `first[0]` and causes: `left`" in text
    assert "`left` is a hot spot: volumes cause a utilisation of" in text
    assert re.search(r"from `first\[0\]` to `second\[0\]`: --set pool\.volumes\.\w+\.on=1 ", text)
    assert "With the same load the utilisations are then: `left`" in text
    told = sansim.explain(VOLUMES).as_json()["placement"]["volumes"]
    assert [one["volume"] for one in told["volumes"]] == ["mail", "web", "files", "old"]
    assert told["moves"][0]["set"] == {f"pool.volumes.{told['moves'][0]['volume']}.on": "1"}


def test_volumes_on_one_string_are_not_told_of() -> None:
    assert sansim.explain(Path(__file__).parents[2] / "scenarios" / "cached-volumes.toml").volumes is None


def test_volumes_over_several_devices_stay() -> None:
    striped = VOLUMES.replace('size = "1 GB"\non = 0', 'size = "1 GB"\narrangement = "striped"')
    found = sansim.explain(striped).volumes
    assert found is None or all(one.name == "old" for one in found.volumes)


def only(moves: Sequence[VolumeMove]) -> VolumeMove:
    """The one move."""
    assert len(moves) == 1
    return moves[0]
