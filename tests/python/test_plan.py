"""`sansim plan`: the cheapest design that meets a goal is found, confirmed, and told; what cannot be met is said.

And by how much.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from conftest import Cli, within
from plan_support import PARTS, PLAN, SYSTEM, VOLUMES, write_plan
from sansim import _core
from sansim.analysis.plan.candidates import candidates
from sansim.analysis.plan.confirm import MEETS, UNTOLD, Runner, Simulated
from sansim.analysis.plan.planned import Planned, carry_out
from sansim.analysis.plan.read import read_plan
from sansim.analysis.plan.search import order, pareto, work_out

DEPARTMENT = Path(__file__).parents[2] / "plans" / "department.toml"


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return within(tmp_path)


def planned(
    folder: Path, plan: str = PLAN, parts: str = PARTS, system: str = SYSTEM, *, analytic: bool = False
) -> Planned:
    return carry_out(read_plan(write_plan(folder, plan, parts, system)), analytic=analytic, workers=1)


def mistakes(file: Path) -> str:
    with pytest.raises(_core.ScenarioError) as wrong:
        read_plan(file)
    return str(wrong.value)


@pytest.mark.slow
@pytest.mark.parametrize("goal", ["8 ms", "12 ms", "30 ms"])
def test_the_cheapest_design_is_the_one_that_simulating_all_of_them_finds(tmp_path: Path, goal: str) -> None:
    plan = read_plan(write_plan(tmp_path, PLAN.replace("12 ms", goal)))
    every = list(candidates(plan))
    assert len(every) == 12
    runs = Runner(plan, tmp_path / "all", workers=1).run(every)
    meet = [one for one, simulated in zip(every, runs, strict=True) if simulated.verdict == MEETS]
    cheapest = min(meet, key=lambda one: (one.cost, one.power_w))
    found = carry_out(plan, workers=1)
    assert found.winner is not None and found.is_confirmed
    assert found.winner.candidate == cheapest


def test_the_cheapest_by_what_is_worked_out_is_the_one_of_the_formula(tmp_path: Path) -> None:
    # M/M/1 with a little transfer: 300/s over n drives of 4 ms is below 12 ms with n = 3 and not with n = 2; of
    # 8 ms with 6.
    found = planned(tmp_path, analytic=True)
    assert found.winner is not None and not found.is_confirmed
    candidate = found.winner.candidate
    assert dict(candidate.parts) == {"box": 1, "fast": 2}
    # Work 4.08 ms at 150/s: use 0.612.
    assert found.winner.response_ns == pytest.approx(4.08192e6 / (1 - 0.15 * 4.08192), rel=0.02)
    assert (candidate.cost, candidate.power_w) == (840, 78)


def test_a_design_that_is_worked_out_too_well_is_replaced(tmp_path: Path) -> None:
    # Requests come in bunches, which the model takes for a Poisson process, as it says: waits are longer than
    # it promises.
    bunches = '{ process = "gamma", rate = "300/s", cv = 3.0 }'
    system = SYSTEM.replace('{ process = "poisson", rate = "300/s" }', bunches)
    found = planned(tmp_path, system=system)
    promised = found.meet[0]
    assert promised.doubt is not None
    assert found.simulated[promised.candidate].verdict != MEETS
    assert found.winner is not None and found.is_confirmed
    assert found.winner.candidate.cost > promised.candidate.cost
    assert "the goal with 95 % confidence" in " ".join(found.text().split())
    assert re.search(r"\d cheaper designs? w(ere|as) simulated", found.text())


def test_what_was_simulated_is_not_simulated_again(tmp_path: Path) -> None:
    first = planned(tmp_path)
    results = sorted((tmp_path / "results").rglob("*.json"))
    assert results
    written = {file: file.stat().st_mtime_ns for file in results}
    again = planned(tmp_path)
    assert {file: file.stat().st_mtime_ns for file in sorted((tmp_path / "results").rglob("*.json"))} == written
    assert again.as_json() == first.as_json()


def test_no_design_of_the_front_is_beaten_and_every_other_is(tmp_path: Path) -> None:
    plan = read_plan(write_plan(tmp_path))
    worked = [one for one in work_out(plan, list(candidates(plan))) if one.iops is not None]
    front = pareto(worked)

    def all_of(one: object) -> tuple[float, ...]:
        return (*order(one), -one.head_room)  # type: ignore[arg-type, attr-defined]

    def beaten(one: object) -> bool:
        here = all_of(one)
        return any(
            all(a <= b for a, b in zip(all_of(other), here, strict=True)) and all_of(other) != here for other in worked
        )

    assert front and not any(beaten(one) for one in front)
    assert all(beaten(one) or one in front for one in worked)


def test_a_goal_that_is_too_high_says_what_comes_nearest_and_by_how_much(tmp_path: Path, cli: Cli) -> None:
    file = write_plan(tmp_path, PLAN.replace("12 ms", "4 ms"))
    done = cli("plan", file, "--analytic")
    assert done.returncode == 3
    text = " ".join(done.stdout.split())
    assert "No design meets the goal by the analytic model." in text
    assert "6 x fast" in text
    assert "(28 %) too long." in text
    assert "By the analytic model no design beyond the bounds meets it either: add parts or options" in text
    assert 'goal.response = "5.2 ms" is a goal that it meets by the analytic model.' in text
    closest = json.loads(cli("plan", file, "--analytic", "--json").stdout)["closest"]
    assert closest["misses"]["response"] == pytest.approx(closest["response_ns"] / 4e6)


STREAM = """
[run]
measured_ios = 3000
warm_up = 50
[host]
kind = "host"
attached = ["array"]
[array]
kind = "raid"
to = ["drives"]
layout.level = "0"
[drives]
kind = "disks"
count = 5
preset = "cheetah-15k5"
[reader]
kind = "synthetic"
from = "host"
to = ["array"]
size = "64 KiB"
location.pattern = "sequential"
arrivals = { process = "closed", queue_depth = 1 }
"""
"""A system that the analytic model does not describe: it takes a seek for each request of a stream."""
DISKS = """
title = "Disks"
currency = "EUR"
[parts.disk]
price = 100
power = "10 W"
set = { rpm = 15000 }
"""


def streaming(rate: int) -> str:
    """A plan for so many IOPS of two to eight disks."""
    return f"""
title = "Streaming"
scenario = "system.toml"
catalogue = "parts.toml"
[goal]
iops = {rate}
[choices.drives]
component = "drives"
parts = ["disk"]
counts = ["2..8"]
set = {{ "drives.count" = "{{count}}" }}
[confirm]
designs = 2
replications = 1
"""


@pytest.mark.parametrize(("rate", "disks"), [(3000, 2), (9000, 6)])
def test_no_design_is_rejected_that_a_simulation_accepts(tmp_path: Path, rate: int, disks: int) -> None:
    found = planned(tmp_path, streaming(rate), DISKS, STREAM)
    assert not found.meet
    assert found.winner is not None and found.is_confirmed
    assert dict(found.winner.candidate.parts) == {"disk": disks}
    assert "The analytic model rejects this design, so it does not describe it" in " ".join(found.text().split())


def test_before_no_design_is_said_to_meet_the_goal_the_nearest_and_the_costliest_are_simulated(tmp_path: Path) -> None:
    found = planned(tmp_path, streaming(100_000), DISKS, STREAM)
    assert found.winner is None
    counts = {dict(one.parts)["disk"] for one in found.simulated}
    assert {2, 8} <= counts
    assert found.closest is not None and dict(found.closest.candidate.parts) == {"disk": 8}
    text = " ".join(found.text().split())
    assert "No design meets the goal. 7 designs were simulated, the nearest and the costliest among them." in text


def test_a_goal_that_equals_the_offered_load_is_met_by_what_comes_through(tmp_path: Path) -> None:
    goal = PLAN.replace('response = "12 ms"', "iops = 300")
    found = planned(tmp_path, goal)
    assert found.winner is not None and found.is_confirmed
    # More than comes cannot be reached, however many drives there are.
    found = planned(tmp_path, goal.replace("iops = 300", "iops = 400"))
    assert found.winner is None


def test_the_former_options_are_named_with_what_replaces_them(tmp_path: Path, cli: Cli) -> None:
    done = cli("plan", write_plan(tmp_path), "--no-simulate")
    assert done.returncode == 2 and "--analytic simulates nothing" in done.stderr


def test_many_of_a_part_cost_less_each(tmp_path: Path) -> None:
    parts = PARTS.replace("price = 170\n", 'price = 170\nprices = { "3" = 150, "5" = 120 }\n')
    plan = read_plan(write_plan(tmp_path, PLAN, parts))
    costs = {number: one.cost for one in candidates(plan) for name, number in one.parts if name == "fast"}
    assert costs == {1: 670, 2: 840, 3: 950, 4: 1100, 5: 1100, 6: 1220}
    wrong = PARTS.replace("price = 170\n", 'price = 170\nprices = { "many" = 150 }\n')
    assert "a number does not fit here" in mistakes(write_plan(tmp_path, PLAN, wrong))


def test_designs_without_room_for_their_parts_are_left_out(tmp_path: Path, cli: Cli) -> None:
    room = PLAN + '[room.box]\nof = ["slow", "fast"]\neach = 4\n'
    plan = read_plan(write_plan(tmp_path, room))
    assert max(number for one in candidates(plan) for name, number in one.parts if name != "box") == 4
    done = cli("plan", tmp_path / "plan.toml", "--analytic")
    assert "4 designs have more parts than there is room for." in done.stdout
    (tmp_path / "plan.toml").write_text(room.replace("box = 1", "box = 0"))
    done = cli("plan", tmp_path / "plan.toml", "--analytic")
    assert done.returncode == 3
    assert "No design has room for its parts" in done.stdout
    assert "room.box.each" in mistakes(write_plan(tmp_path, PLAN + '[room.box]\nof = ["slow"]\n'))


def test_a_budget_that_is_too_small_says_how_much_more_is_needed(tmp_path: Path, cli: Cli) -> None:
    done = cli("plan", write_plan(tmp_path, PLAN + "[bounds]\ncost = 800\n"), "--analytic")
    text = " ".join(done.stdout.split())
    assert done.returncode == 3
    assert "Beyond the bounds, the cheapest design that meets the goal by the analytic model costs 840 EUR" in text
    assert 'It exceeds bounds.cost by 5 %; set bounds.cost = "840 EUR" to allow it.' in text
    (tmp_path / "plan.toml").write_text(PLAN + '[bounds]\ncost = "840 EUR"\n')
    assert cli("plan", tmp_path / "plan.toml", "--analytic").returncode == 0


def test_bounds_that_contradict_each_other_are_told_one_by_one(tmp_path: Path, cli: Cli) -> None:
    plan = PLAN + '[bounds]\ncost = 550\npower = "55 W"\n'
    done = cli("plan", write_plan(tmp_path, plan), "--analytic")
    text = " ".join(done.stdout.split())
    assert done.returncode == 3
    assert "The cheapest design costs 600 EUR, which is 50 EUR above bounds.cost." in text
    assert "draws 60 W, which is 5 W above bounds.power." in text


def test_a_part_of_which_every_design_has_too_many_is_told_with_how_many(tmp_path: Path, cli: Cli) -> None:
    plan = PLAN.replace("box = 1", "box = 3") + "[bounds]\nparts = { box = 1 }\n"
    done = cli("plan", write_plan(tmp_path, plan), "--analytic")
    assert done.returncode == 3
    assert "bounds.parts.box is 1, but every design has 3 or more." in done.stdout
    assert "set bounds.parts.box = 3 to allow it" in done.stdout


def test_an_empty_catalogue_is_said(tmp_path: Path) -> None:
    text = mistakes(write_plan(tmp_path, parts='title = "Nothing"\ncurrency = "EUR"\n'))
    assert "the catalogue has no part, so nothing can be chosen" in text


def test_an_impossible_range_is_said_with_its_line(tmp_path: Path) -> None:
    text = mistakes(write_plan(tmp_path, PLAN.replace("1..6", "6..1")))
    assert "there is no number from 6 to 1" in text
    assert "plan.toml:10" in text


def test_what_is_not_known_is_told_with_what_may_be_meant(tmp_path: Path) -> None:
    text = mistakes(write_plan(tmp_path, PLAN.replace('"fast"]', '"fasst"]').replace("[fixed]", "[fixxed]")))
    assert "the catalogue has no part `fasst`" in text and "did you mean `fast`" in text
    assert "a plan has no key `fixxed`" in text
    wrong = mistakes(write_plan(tmp_path, PLAN.replace("[choices", 'workload = "laod"\n[choices', 1)))
    assert "the scenario has no workload `laod`" in wrong


def test_designs_that_cannot_be_built_are_counted_and_not_chosen(tmp_path: Path, cli: Cli) -> None:
    plan = PLAN.replace('counts = ["1..6"]', 'counts = ["0..6"]')
    done = cli("plan", write_plan(tmp_path, plan), "--analytic")
    assert done.returncode == 0, done.stderr
    assert "2 cannot be built" in " ".join(done.stdout.split())


def test_parts_that_come_with_others_are_counted(tmp_path: Path) -> None:
    plan = PLAN.replace("[fixed]\nbox = 1", '[needs]\nbox = { of = ["slow", "fast"], per = 4 }')
    costs = {one.options: one.cost for one in candidates(read_plan(write_plan(tmp_path, plan)))}
    # The options are slow 1 to 6, then fast 1 to 6: of four there is one box, of five there are two.
    assert (costs[3,], costs[4,]) == (900, 1500)


def test_growth_ends_where_the_load_is_too_high(tmp_path: Path) -> None:
    plan = PLAN + '[growth]\nper_month = "3 %"\nkeys = ["load.arrivals.rate"]\n'
    found = planned(tmp_path, plan, analytic=True)
    assert found.growth is not None and found.winner is not None
    # Two drives of 4.08 ms: 12 ms are reached at 161.7/s each, 1.078 times the load: 1.03 ** 2 = 1.061, 1.03 **
    # 3 = 1.093.
    assert found.growth.lasts_months == 2


def test_a_drive_that_is_down_is_simulated(tmp_path: Path) -> None:
    plan = PLAN + '[[failure]]\nlabel = "a drive"\nfail = ["drives[0]"]\n'
    found = planned(tmp_path, plan)
    failed = found.failures[0].simulated
    # Nothing stands beside it, so what it has cannot be read.
    assert failed is not None and failed.failed_ios > 0
    assert failed.verdict != MEETS and "undone" in failed.why
    assert re.search(
        r"  a drive:\n    The simulation gives .*\n    It misses the goal: \d+ I/Os failed\.", found.text()
    )


REDUNDANT = """
[run]
measured_ios = 1500
warm_up = 200
[left]
kind = "arbitrated-loop"
speed = "2GFC"
stations = ["host.adapters.a", "controller.fronts.a"]
[right]
kind = "arbitrated-loop"
speed = "2GFC"
stations = ["host.adapters.b", "controller.fronts.b"]
[host]
kind = "host"
path = "round-robin"
no_way_time = "unlimited"
[host.adapters.a]
[host.adapters.b]
[controller]
kind = "controller"
to = ["array"]
[controller.pair]
controllers = 2
change_time = "10 ms"
[controller.fronts.a]
side = "a"
[controller.fronts.b]
side = "b"
[controller.resources]
processors = 2
command = { time = "20 us" }
[array]
kind = "raid"
to = ["drives"]
inside = "controller"
layout = { level = "5" }
[drives]
kind = "drives"
count = 4
capacity = "1 GiB"
access_time = { distribution = "exponential", mean = "4 ms" }
transfer_rate = "100 MB/s"
[load]
kind = "synthetic"
from = "host"
to = ["controller"]
size = "8 KiB"
read_fraction = 1.0
arrivals = { process = "poisson", rate = "60/s" }
"""


def test_a_path_a_drive_or_a_controller_may_be_down(tmp_path: Path) -> None:
    names = {"one path": "host.adapters.a", "one drive": "drives[0]", "one controller": "controller.a"}
    plan = PLAN.replace('"12 ms"', '"40 ms"').replace("1..6", "4..6").replace('"slow", ', "")
    for label, name in names.items():
        plan += f'[[failure]]\nlabel = "{label} down"\nfail = ["{name}"]\n'
    write_plan(tmp_path, plan, system=REDUNDANT)
    found = carry_out(read_plan(tmp_path / "plan.toml"), out=tmp_path / "results", workers=1)
    assert found.winner is not None and found.is_confirmed
    simulated = {one.failure.label: one.simulated for one in found.failures}
    assert list(simulated) == [f"{label} down" for label in names]
    healthy = found.simulated[found.winner.candidate]
    for one in simulated.values():
        assert one is not None and one.verdict == MEETS and one.failed_ios == 0
        assert one.response is not None and healthy.response is not None
    # A quarter of the reads of an array of four are of all three others, whose slowest takes 11/6 of the mean of one.
    drive = simulated["one drive down"]
    assert drive is not None and drive.response is not None and healthy.response is not None
    assert drive.response.mean > 1.1 * healthy.response.mean
    text = " ".join(found.text().split())
    assert all(f"{label} down: The simulation gives" in text for label in names)


def test_where_volumes_hang_is_told_of_the_design_that_was_found(tmp_path: Path) -> None:
    plan = PLAN.replace('component = "drives"', 'component = "a"').replace('"drives.count"', '"a.count"')
    plan = plan.replace('"12 ms"', '"40 ms"').replace("1..6", "5..6").replace('"slow", ', "")
    write_plan(tmp_path, plan, system=VOLUMES.replace("400/s", "100/s"))
    found = carry_out(read_plan(tmp_path / "plan.toml"), analytic=True)
    assert found.volumes is not None and len(found.volumes.moves) == 1
    told = found.as_json()["placement"]
    assert told["links"]["left"]["used"] > told["links"]["right"]["used"]
    assert told["volumes"]["moves"][0]["from"] == "first[0]"
    assert "Volumes cause these utilisations of the links:" in found.text()


def test_a_page_shows_the_table_and_the_chart(tmp_path: Path, cli: Cli) -> None:
    page = tmp_path / "plan.html"
    done = cli("plan", write_plan(tmp_path), "--analytic", "--page", page)
    assert done.returncode == 0, done.stderr
    text = page.read_text()
    assert "chart-trade" in text and "2 x fast" in text
    assert re.search(r'data-metric="cost"[^>]*data-value="840.0"', text)
    assert "costs 840 EUR and draws 78 W: drives: 2 x fast" in text
    refused = tmp_path / "notes.html"
    refused.write_text("notes")
    done = cli("plan", tmp_path / "plan.toml", "--analytic", "--page", refused)
    assert done.returncode == 2 and refused.read_text() == "notes"


def test_a_person_is_told_in_the_words_of_the_field(tmp_path: Path, cli: Cli) -> None:
    done = cli("plan", write_plan(tmp_path), "--analytic")
    for word in ("fullest", " room ", "worked out", "asked for", "is sure", "utilization", "Pareto", "stochastic"):
        assert word not in done.stdout
    text = " ".join(done.stdout.split())
    assert "The headroom is 100 % less the utilisation of the bottleneck." in text
    assert re.search(r"Its bottleneck, `drives`, has a headroom of \d+ %\.", text)
    assert all(len(line) <= 80 for line in done.stdout.splitlines())


def test_designs_with_long_names_fit_a_terminal(tmp_path: Path) -> None:
    long = PARTS.replace("price = 170", 'label = "drive of 15,000 rpm with two ports and a long name"\nprice = 170')
    text = planned(tmp_path, parts=long, analytic=True).text()
    assert "\n    drives: 2 x drive of 15,000 rpm with two ports and a long name\n" in text
    assert all(len(line) <= 80 and line == line.rstrip() for line in text.splitlines())


def test_runs_that_cannot_decide_name_the_key_that_narrows_their_intervals(tmp_path: Path) -> None:
    plan = read_plan(write_plan(tmp_path))
    found = Planned(plan, 1, [], [], [])
    found.cheapest = found.least_power = one = next(candidates(plan))
    found.simulated[one] = Simulated(None, None, 0, UNTOLD)
    assert "set confirm.replications = 8 (now 4) to narrow their intervals" in " ".join(found.text().split())


@pytest.mark.long
def test_the_plan_of_a_department_is_confirmed(tmp_path: Path) -> None:
    """docs/plan.md carries the same plan out in every run, and shows that it is confirmed and what fails."""
    found = carry_out(read_plan(DEPARTMENT), out=tmp_path, workers=2)
    assert found.winner is not None and found.is_confirmed
    assert found.plan.catalogue.is_example
    assert found.winner.candidate.cost <= 12_000
    assert found.failures[0].simulated is not None


def test_a_goal_may_be_what_99_of_100_do_not_exceed(tmp_path: Path) -> None:
    found = planned(tmp_path, PLAN.replace('"12 ms"', '"60 ms"\nof = "p99"'), analytic=True)
    mean = planned(tmp_path, analytic=True)
    assert found.winner is not None and mean.winner is not None and mean.winner.response_ns is not None
    assert found.winner.candidate == mean.winner.candidate
    # Of an exponential time it is the mean times the logarithm of 100; the transfer is no part of that.
    assert found.winner.response_ns == pytest.approx(4.6 * mean.winner.response_ns, rel=0.05)


def test_the_scenario_itself_may_be_chosen(tmp_path: Path) -> None:
    # The other one has a third of the load.
    (tmp_path / "other.toml").write_text(SYSTEM.replace("300/s", "100/s"))
    plan = PLAN.replace('"system.toml"', '["system.toml", "other.toml"]').replace('"slow", ', "")
    found = planned(tmp_path, plan, analytic=True)
    assert found.looked_at == 12
    assert found.winner is not None and found.winner.candidate.base == 1
    assert dict(found.winner.candidate.parts) == {"box": 1, "fast": 1}
    assert "other.toml" in found.text()


def test_a_part_may_be_limited(tmp_path: Path) -> None:
    plan = PLAN.replace("12 ms", "20 ms") + "[bounds]\nparts = { fast = 1 }\n"
    found = planned(tmp_path, plan, analytic=True)
    assert found.winner is not None
    assert dict(found.winner.candidate.parts) == {"box": 1, "slow": 5}
