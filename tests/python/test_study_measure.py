"""What the figures and settings of a study are, from results made by hand: nothing is simulated here."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sansim.study import units
from sansim.study.measure.metrics import Cell, number_at, setting_in_unit
from sansim.study.points.plan import plan, seed_of
from sansim.study.resolved import keys_of, setting_of
from study_support import HEAD, MIB, read, results_by_hand, study_of, summary, value

# ---------------------------------------------------------------- figures and settings


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ('value = "response_time_ns.mean"', 200_000.0),
        ('value = "response_time_ns.mean"\nunit = "us"', 200.0),
        ('value = "response_time_ns.mean"\nunit = "ms"', 0.2),
        ('value = "bytes_per_second"', 2 * MIB),
        ('value = "bytes_per_second"\nunit = "MiB/s"', 2.0),
        ('value = "bytes_per_second"\nunit = "MB/s"', 2 * MIB / 1e6),
        ('value = "iops"', 4000.0),
        ('value = "iops"\nunit = "KIOPS"', 4.0),
        ('value = "components.loop.utilisation"\nunit = "%"', 25.0),
        ('value = "components.loop.utilisation"', 0.25),
        ('value = "simulated_s"', 0.5e9),
        ('value = "simulated_s"\nunit = "s"', 0.5),
        ('value = "simulated_s"\nunit = "ms"', 500.0),
        ('value = "nothing"', None),
        ('value = "flags.0"', None),
        ('value = "flags.1"', None),
        ('value = "flags.7"', None),
        ('value = "response_time_ns"', None),
        ('setting = "workload.queue_depth"', 2.0),
        ('setting = "workload.size"\nunit = "KiB"', 16.0),
        ('setting = "workload.read_fraction"\nunit = "%"', 100.0),
        ('setting = "drives.transfer_rate"\nunit = "KiB/s"', 51_200.0),
    ],
)
def test_a_value_is_in_its_unit(metric: str, expected: float | None, tmp_path: Path) -> None:
    found = value(study_of(tmp_path, f"[metrics.m]\n{metric}\n")["m"], 1, 0)
    assert found == (expected if expected is None else pytest.approx(expected, rel=1e-12))


@pytest.mark.parametrize(
    ("setting", "word"),
    [
        ("controller.schedule", "fair"),
        ("loop.speed", "2GFC"),
        ("workload.size", "16 KiB"),
        ("drives.port.full_duplex", "false"),
        ("workload.to", "drives"),
        ("loop.stations", "controller, drives"),
    ],
)
def test_a_setting_may_be_a_word(setting: str, word: str, tmp_path: Path) -> None:
    cell = study_of(tmp_path, f'[metrics.m]\nsetting = "{setting}"\n')["m"].cells[0, 0]
    assert (cell.word, cell.estimate, cell.numbers) == (word, None, [])


def test_a_key_that_follows_another_has_its_value(tmp_path: Path) -> None:
    made = plan(read(tmp_path, HEAD + '[metrics.m]\nvalue = "iops"\n'))
    scenario = made.all_jobs()[0].scenario
    line = next(line for line in scenario.splitlines() if "   (follows " in line)
    key, text = line.removeprefix("# ").partition("   (follows ")[0].split(" = ")
    table = scenario[: scenario.index(line)].rpartition("\n[")[2].partition("]")[0]
    assert setting_of(scenario, f"{table}.{key}") == json.loads(text)
    assert setting_of(scenario, f"{table}.nothing") is None
    assert setting_of(scenario, "nothing.at.all") is None


def test_what_is_said_in_comments_of_a_resolved_scenario_is_nobodys_source(tmp_path: Path) -> None:
    made = plan(read(tmp_path, HEAD + '[metrics.m]\nvalue = "iops"\n'))
    one = made.all_jobs()[0]
    lines = one.scenario.splitlines()
    line = next(line for line in lines if "   (follows " in line)
    key = line.removeprefix("# ").partition(" = ")[0]
    place = [line for line in lines[: lines.index(line)] if line.startswith("[")][-1].strip("[]") + f".{key}"
    true = setting_of(one.scenario, place)
    lies = one.scenario.replace(line, f'# {key} = "a lie"   (follows nothing)').replace("[run]", "[run]\n# [and]\n")
    assert lies != one.scenario
    assert setting_of(lies, place) == true
    without = "\n".join(line for line in lines if not line.startswith("#"))
    assert setting_of(without, place) == true
    assert seed_of(replace(one, scenario=lies)) == seed_of(replace(one, scenario=without)) == seed_of(one)
    assert keys_of(lies) == keys_of(one.scenario)


FIGURES = [
    ("response_time_ns.mean", "time", 1.0),
    ("reads.response_time_ns.ci95_percentiles.p99_9.1", "time", 1.0),
    ("ledger_ns.slowest_percent.loop.loop", "time", 1.0),
    ("components.any.round_trip_ns", "time", 1.0),
    ("simulated_s", "time", 1e9),
    ("passes.any.finished_s.{drive}", "time", 1e9),
    ("passes.any.finished_s.3", "time", 1e9),
    ("statistics.warm_up.simulated_s", "time", 1e9),
    ("bytes_per_second_ci95", "rate", 1.0),
    ("passes.any.drive_bytes_per_second.0", "rate", 1.0),
    ("writes.bytes", "size", 1.0),
    ("iops", units.PLAIN, 1.0),
    ("components.any.utilisation", units.PLAIN, 1.0),
    # These belong to a group whose name ends in _ns, and are no times.
    ("statistics.response_time_ns.batches", units.PLAIN, 1.0),
    ("statistics.response_time_ns.lag1", units.PLAIN, 1.0),
    # Nobody knows what a figure is that no run has, whatever it is called.
    ("velocity_ns", None, 1.0),
]
"""Paths with what they measure, and how much of the base unit their unit is."""


@pytest.mark.parametrize(
    ("path", "unit"),
    [
        ("simulated_s", "ns"),
        ("passes.any.length_s", "ns"),
        ("passes.any.finished_s.{drive}", "s"),
        ("passes.any.drive_bytes_per_second.0", "B/s"),
        ("reads.bytes", "B"),
        ("iops", ""),
        ("components.any.utilisation", ""),
        ("velocity", ""),
    ],
)
def test_a_metric_without_a_unit_has_the_one_it_always_had(path: str, unit: str) -> None:
    assert units.unit_of_figure(path) == unit


@pytest.mark.parametrize(("path", "dimension", "factor"), FIGURES)
def test_what_a_figure_measures_is_declared_and_not_guessed(path: str, dimension: str | None, factor: float) -> None:
    assert units.dimension_of_figure(path) == dimension
    assert units.base_of_figure(path, 3.0) == 3.0 * factor


@pytest.mark.parametrize(
    ("raw", "unit", "expected"),
    [
        ("1.5 ms", "us", 1500.0),
        ("1.5 ms", "KiB", "1.5 ms"),
        ("1.5 ms", "", "1.5 ms"),
        ("fair", "us", "fair"),
        (4, "", 4.0),
        (4, "us", "4"),
        (0.5, "%", 50.0),
        (True, "", "true"),
        (None, "", None),
        (["a"], "", "a"),
        ([], "", ""),
    ],
)
def test_a_setting_is_never_in_a_unit_that_it_is_not_measured_in(raw: object, unit: str, expected: object) -> None:
    assert setting_in_unit(raw, unit) == expected


# ---------------------------------------------------------------- where they are found


def test_words_and_numbers_of_replications_do_not_mix() -> None:
    assert Cell(("a", "a")).word == "a"
    assert Cell(("a", "b")).word is None
    assert Cell((1.0, "b")).estimate is None
    assert Cell(()).estimate is None


def test_made_up_results_are_found_by_their_key(tmp_path: Path) -> None:
    made = plan(read(tmp_path, HEAD + '[metrics.m]\nvalue = "iops"\n'))
    found = results_by_hand(made, summary)(made.all_jobs()[0].key)
    assert found is not None
    assert found["summary"] == summary({"depth": "1", "mix": "read"}, 0)


def test_a_segment_in_which_no_io_was_is_no_time() -> None:
    run = {"summary": {"ledger_ns": {"mean": {"loop.wire": 1500.0}, "slowest_percent": None}}}
    assert number_at(run, "ledger_ns.mean.loop.wire") == 1500.0
    assert number_at(run, "ledger_ns.mean.host.host_queue") == 0.0
    assert number_at(run, "ledger_ns.mean.loop.nonsense") is None
    assert number_at(run, "ledger_ns.slowest_percent.loop.wire") is None
    assert number_at(run, "ledger_ns.mean.loop.issued") is None


def test_a_segment_at_any_place_is_the_sum_over_all_places() -> None:
    mean = {"host.adapter.dma": 10.0, "drives.adapter.dma": 20.0, "drives.adapter.dma_queue": 7.0}
    run = {"summary": {"ledger_ns": {"mean": mean, "slowest_percent": {}}}}
    assert number_at(run, "ledger_ns.mean.*.dma") == 30.0
    assert number_at(run, "ledger_ns.mean.drives.adapter.dma") == 20.0
    assert number_at(run, "ledger_ns.slowest_percent.*.dma") == 0.0
    assert number_at(run, "ledger_ns.mean.*.nonsense") is None


def test_names_with_dots_in_them_are_found() -> None:
    run = {"summary": {"devices": {"shelf.drives[0]": {"iops": 5.0}}, "hosts": {"a": {"iops": 1.0}}}}
    assert number_at(run, "devices.shelf.drives[0].iops") == 5.0
    assert number_at(run, "hosts.a.iops") == 1.0
    assert number_at(run, "hosts.b.iops") is None
