"""The Python interface."""

from __future__ import annotations

import math
import os
import re
import signal
import subprocess
import sys
import threading
import tomllib
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sansim
from arrow_memory import column_addresses
from sansim.toml_text import toml_text, toml_value

LONG = {"run.measured_ios": 10_000_000}


def test_result_has_summary_ledger_table_and_run(small: Path) -> None:
    result = sansim.run(small, {"workload.size": "8 KiB", "drives.count": 3})
    assert result.summary["ios"] == result.ios.height == len(result.tables["ios"])
    assert result.summary["bytes_per_second"] == pytest.approx(result.summary["iops"] * 8192)
    assert result.run["version"] == sansim.__version__
    assert not result.stopped_early
    assert result.ledger.columns == ["place", "segment", "mean_ns", "share", "slowest_percent_ns"]
    assert tomllib.loads(result.scenario)["drives"]["count"] == 3


def test_ledger_adds_up_to_the_mean_response_time(small: Path) -> None:
    result = sansim.run(small)
    assert result.ledger["mean_ns"].sum() == pytest.approx(result.summary["response_time_ns"]["mean"], rel=1e-9)
    assert result.ledger["share"].sum() == pytest.approx(1.0)


def test_scenario_may_be_given_as_text(small: Path) -> None:
    text = small.read_text(encoding="utf-8")
    assert sansim.run(text).summary == sansim.run(str(small)).summary == sansim.run(small).summary


def test_scenario_may_be_given_as_a_dictionary(small: Path) -> None:
    tables = tomllib.loads(small.read_text(encoding="utf-8"))
    assert sansim.run(tables).summary == sansim.run(small).summary
    assert sansim.check(tables) == []
    assert sansim.resolve(tables, {"drives.count": 3}) == sansim.resolve(small, {"drives.count": 3})


def test_mistakes_in_a_dictionary_are_told_by_the_path_of_the_key(small: Path) -> None:
    tables = tomllib.loads(small.read_text(encoding="utf-8"))
    tables["drives"]["adapter"] = {"frame_tim": "1 us"}
    tables["workload"]["size"] = "many"
    tables["loop"]["stations"] = ["controller", "drivs"]
    with pytest.raises(sansim.ScenarioError) as caught:
        sansim.run(tables)
    text = str(caught.value)
    assert [p.key for p in caught.value.problems] == ["loop.stations", "drives.adapter.frame_tim", "workload.size"]
    # A dictionary has no lines, so none are told.
    assert {(p.line, p.column) for p in caught.value.problems} == {(None, None)}
    assert " --> the dictionary\n" in text
    assert '| drives.adapter.frame_tim = "1 us"\n   |                ^^^^^^^^^ unknown key' in text
    assert "3 problems in the dictionary; nothing was run" in text


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"workload": {"size": None}}, "workload.size: a scenario cannot hold a value of the type NoneType"),
        (
            {"drives": {"adapter": {"x": [1, {"y": {2}}]}}},
            "drives.adapter.x: a scenario cannot hold a value of the type set",
        ),
        ({"workload": {"seeds": {7: 1}}}, "workload.seeds: the name of a key has to be a text, not a int: 7"),
        ({5: {}}, "the scenario: the name of a key has to be a text, not a int: 5"),
    ],
)
def test_what_no_scenario_can_hold_is_refused_with_its_key(tables: dict[str, object], message: str) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        sansim.run(tables)


def test_empty_dictionary_is_no_scenario() -> None:
    with pytest.raises(sansim.ScenarioError, match="nothing in"):
        sansim.run({})


def test_examples_can_be_run_by_name() -> None:
    result = sansim.run(sansim.example("four-disks"), {"run.measured_ios": 200})
    assert result.summary["ios"] == 200
    with pytest.raises(LookupError, match="did you mean `four-disks`"):
        sansim.example("four-discs")
    with pytest.raises(LookupError, match="no example"):
        sansim.example("../examples/four-disks")


def test_runs_repeat_to_the_last_bit(small: Path) -> None:
    first, second = sansim.run(small, seed=4), sansim.run(small, seed=4, progress=lambda _: None)
    assert first.summary == second.summary
    assert first.ios.equals(second.ios)
    assert first.summary != sansim.run(small, seed=5).summary


def test_collecting_rows_does_not_change_the_result(small: Path) -> None:
    with_rows, without = sansim.run(small), sansim.run(small, collect_ios=False)
    assert with_rows.summary == without.summary
    assert without.ios.height == 0


def test_resolved_scenario_gives_the_same_result(small: Path) -> None:
    overrides: sansim.Overrides = {"workload.queue_depth": 3, "controller.schedule": "unfair"}
    assert sansim.run(sansim.resolve(small, overrides)).summary == sansim.run(small, overrides).summary


def test_wrong_scenario_raises_with_every_problem(small: Path) -> None:
    wrong: sansim.Overrides = {"workload.queue_depth": 0, "drives.sizze": "1 KiB"}
    with pytest.raises(sansim.ScenarioError) as caught:
        sansim.run(small, wrong)
    problems = caught.value.problems
    assert [p.key for p in sansim.check(small, wrong)] == [p.key for p in problems]
    assert {"workload.queue_depth", "drives.sizze"} <= {p.key for p in problems}
    assert all(p.message in str(caught.value) and p.code for p in problems)


def test_problem_tells_its_place(small: Path) -> None:
    text = small.read_text(encoding="utf-8").replace("count = 2", "count = -2")
    (problem,) = sansim.check(text)
    assert problem.line is not None
    assert text.splitlines()[problem.line - 1] == "count = -2"
    assert problem.key == "drives.count"
    assert "count" in repr(problem)


def test_right_scenario_has_no_problems(small: Path) -> None:
    assert sansim.check(small) == []


def test_missing_file_is_a_scenario_error() -> None:
    with pytest.raises(sansim.ScenarioError, match=r"missing\.toml"):
        sansim.run("missing.toml")


def test_override_of_a_strange_type_is_refused(small: Path) -> None:
    with pytest.raises(TypeError, match="object"):
        sansim.run(small, {"workload.size": object()})  # type: ignore[dict-item]


def test_unknown_loop_is_refused(small: Path) -> None:
    with pytest.raises(ValueError, match="reference"):
        sansim.run(small, loop="quick")  # type: ignore[arg-type]


tree = st.recursive(
    st.text(st.characters(codec="utf-8"))
    | st.integers(-(2**63), 2**63 - 1)
    | st.booleans()
    | st.floats(allow_nan=False),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(tree)
def test_override_values_become_the_same_toml(value: object) -> None:
    assert tomllib.loads(f"x = {toml_value(value)}") == {"x": value}


texts = st.text(st.characters(codec="utf-8"))


@given(st.dictionaries(texts, st.dictionaries(texts, tree, max_size=3) | tree, max_size=3))
def test_dictionaries_become_the_same_toml(tables: dict[str, object]) -> None:
    assert tomllib.loads(toml_text(tables)) == tables


def test_table_is_handed_over_without_copying(small: Path) -> None:
    table = sansim.run(small).tables["ios"]
    addresses = column_addresses(table)
    assert all(addresses)
    assert len(set(addresses)) == len(table.columns)
    assert column_addresses(pl.DataFrame(table)) == addresses


def test_table_outlives_its_result(small: Path) -> None:
    ios = sansim.run(small).ios
    sansim.run(small)
    assert ios.height > 0
    assert ios.equals(sansim.run(small).ios)


def test_progress_is_told_and_goes_up(small: Path) -> None:
    seen: list[sansim.Progress] = []

    def watch(progress: sansim.Progress) -> bool:
        seen.append(progress)
        return len(seen) < 4

    result = sansim.run(small, LONG, collect_ios=False, progress=watch)
    assert result.stopped_early
    assert len(seen) == 4
    assert all(a.simulated_s < b.simulated_s and a.wall_s < b.wall_s and a.ios <= b.ios for a, b in pairwise(seen))
    assert all(p.total_ios >= 10_000_000 for p in seen)
    assert math.isfinite(result.summary["iops"])


def test_error_in_the_progress_callback_comes_out(small: Path) -> None:
    def broken(_: sansim.Progress) -> None:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        sansim.run(small, LONG, collect_ios=False, progress=broken)


def test_ctrl_c_comes_out_with_the_result_so_far(small: Path) -> None:
    def interrupt(_: sansim.Progress) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(sansim.Interrupted) as caught:
        sansim.run(small, LONG, collect_ios=False, progress=interrupt)
    assert isinstance(caught.value, KeyboardInterrupt)
    assert caught.value.result.stopped_early


def test_interpreter_lock_is_free_while_simulating(small: Path) -> None:
    # With so long a switch interval a thread gets the lock only if the run gives it away by itself. The run goes on
    # until the thread has counted; if the lock were kept the thread could not, and the guard would end the run.
    counted = threading.Event()
    go = threading.Lock()

    def count() -> None:
        with go:
            for _ in range(1000):
                pass
        counted.set()

    asked = 0

    def watch(_: sansim.Progress) -> bool:
        nonlocal asked
        asked += 1
        if asked == 1:
            go.release()
        return not counted.is_set() and asked < 200

    interval = sys.getswitchinterval()
    go.acquire()
    thread = threading.Thread(target=count)
    thread.start()
    try:
        sys.setswitchinterval(1000.0)
        sansim.run(small, LONG, collect_ios=False, progress=watch)
        was_counted = counted.is_set()
    finally:
        sys.setswitchinterval(interval)
        thread.join()
    assert was_counted


def test_runs_in_threads_give_the_same_results(small: Path) -> None:
    results: dict[int, sansim.Result] = {}
    threads = [
        threading.Thread(target=lambda seed=seed: results.update({seed: sansim.run(small, seed=seed)}))
        for seed in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(results[seed].summary == sansim.run(small, seed=seed).summary for seed in range(4))


def test_run_goes_on_until_it_is_precise(small: Path) -> None:
    random_access = {"drives.access_time": {"distribution": "exponential", "mean": "1 ms"}}
    precise = sansim.run(small, {**random_access, "run.precision": "4 %"}).summary
    found = precise["statistics"]["precision"]
    assert found["reached"]
    assert found["of"] == "response_time_ns.mean"
    assert precise["response_time_ns"]["ci95"] <= precise["response_time_ns"]["mean"] * 0.04 / 1.04
    given = sansim.run(small, {**random_access, "run.measured_ios": precise["ios"]}).summary
    assert given["response_time_ns"] == precise["response_time_ns"]


def test_a_run_lasts_a_given_simulated_time(small: Path) -> None:
    times = {"run.measured_ios": "none", "run.warm_up": "50 ms", "run.duration": "400 ms"}
    result = sansim.run(small, times)
    assert result.summary["simulated_s"] == 0.4
    completed = result.ios["completed_ns"]
    assert len(completed) == result.summary["ios"] == result.summary["iops"] * 0.4
    assert 50e6 <= completed.min() <= completed.max() < 450e6  # type: ignore[operator]
    assert result.summary["statistics"]["warm_up"]["rule"] == "until 50 ms"
    with pytest.raises(sansim.ScenarioError, match="one of the two says how long it is"):
        sansim.run(small, {"run.duration": "400 ms"})


def test_fingerprint_of_the_sources_is_one_of_64_bits() -> None:
    fingerprint = sansim._core.model_fingerprint()
    assert len(fingerprint) == 16
    assert int(fingerprint, 16) > 0
    assert fingerprint == sansim._core.model_fingerprint()


def test_schema_describes_every_table() -> None:
    schema = sansim.schema()
    assert "$schema" in schema
    assert schema.get("title")


@pytest.mark.slow
def test_type_stub_agrees_with_the_native_module(tmp_path: Path) -> None:
    # The package around it needs not be understood: the stub imports nothing of it.
    configuration = tmp_path / "mypy.ini"
    configuration.write_text("[mypy]\n[mypy-sansim]\nfollow_imports = skip\n", encoding="utf-8")
    command = [sys.executable, "-m", "mypy.stubtest", "sansim._core", "--mypy-config-file", str(configuration)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_group_of_no_passive_ports_is_as_good_as_none() -> None:
    text = (Path(__file__).parents[2] / "scenarios" / "two-nodes.toml").read_text(encoding="utf-8")
    stations = 'stations = ["controller", "drive"]'
    assert stations in text
    more = text.replace(stations, 'stations = ["controller", "others", "drive"]') + '\n[others]\nkind = "passive"\n'
    few = {"run.measured_ios": 200}
    assert sansim.run(more, {**few, "others.count": 0}).summary == sansim.run(text, few).summary
    assert sansim.run(more, {**few, "others.count": 1}).summary != sansim.run(text, few).summary
