"""What the metrics of a study are, from results made by hand: nothing is simulated here."""

from __future__ import annotations

import itertools
import json
import math
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sansim.study import units
from sansim.study.measure import formula
from sansim.study.measure.metrics import Cell, number_at, setting_in_unit
from sansim.study.measure.statistics import Estimate, over_replications
from sansim.study.model import Axis, AxisValue, Study
from sansim.study.points.needs import quick_places
from sansim.study.points.plan import keys_of, plan, points_of, seed_of, setting_of
from sansim.study.session import run_studies
from study_support import DERIVED, HEAD, MIB, Made, measured_by_hand, read, results_by_hand, study_of, summary, value

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


# ---------------------------------------------------------------- formulas


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("response / 2", 100.0),
        ("1e6 / iops", 250.0),
        ("response * iops / 1e6 - depth", 200.0 * 4000 / 1e6 - 2),
        ("-depth ** 2", -4.0),
        ("+(depth + 1) * 3", 9.0),
        ("2 ** -1", 0.5),
        ("min(response, depth) + max(1, 2, 3)", 5.0),
        ("ceil(depth / 3) + floor(2.9) + round(2.6)", 6.0),
        ("abs(0 - depth) + sqrt(16) + exp(0)", 7.0),
        ("log(100, 10) + log(exp(1))", 3.0),
        ("\n  depth +\n  1\n", 3.0),
        ("1_000 * depth", 2000.0),
        ("1 / (depth - 2)", None),
        ("sqrt(0 - depth)", None),
        ("(0 - depth) ** 0.5", None),
        ("10 ** 400", None),
        ("log(0)", None),
        ("9 ** 9 ** 9 ** 9", None),
        ("1e308 * 10", None),
        ("nothing + 1", None),
    ],
)
def test_a_formula_is_arithmetic_in_the_units_of_its_metrics(text: str, expected: float | None, tmp_path: Path) -> None:
    metrics = f"""
[metrics.m]
formula = '''{text}'''
[metrics.response]
value = "response_time_ns.mean"
unit = "us"
[metrics.iops]
value = "iops"
[metrics.nothing]
value = "nothing"
"""
    measured = study_of(tmp_path, metrics)["m"]
    place = tuple(1 if group == 0 else 0 for group in measured.groups)
    found = value(measured, *place)
    assert found == (expected if expected is None else pytest.approx(expected, rel=1e-12))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1 / 0", "`1 / 0` divides by zero"),
        ("1 + 5 / (depth - 2)", "`5 / (depth - 2)` divides by zero"),
        ("0 ** (0 - depth)", "`0 ** (0 - depth)` divides by zero"),
        ("9 ** 9 ** 9 ** 9", "`9 ** 9 ** 9` is too large a number"),
        ("2 ** (10 ** 300)", "`2 ** 10 ** 300` is too large a number"),
        ("exp(1000)", "`exp(1000)` is too large a number"),
        ("1 / (1e308 * 10)", "`1e+308 * 10` is too large a number"),
        ("1e999 * 0", "is too large a number"),
        ("1" + 999 * "0", "is too large a number"),
        ("floor(1e308 + 1e308)", "`1e+308 + 1e+308` is too large a number"),
        ("sqrt(0 - depth)", "`sqrt(0 - depth)` has no value, as it is of -2"),
        ("abs((0 - 1) ** 0.5)", "`(0 - 1) ** 0.5` has no real value, as it is a power of -1"),
        ("log(depth - 2)", "`log(depth - 2)` has no value, as it is of 0"),
        ("log(depth, 1)", "`log(depth, 1)` divides by zero"),
        ("response + nothing", "the run gives no number for `nothing`"),
    ],
)
def test_a_formula_without_a_value_says_which_part_of_it_has_none_and_why(text: str, why: str, tmp_path: Path) -> None:
    metrics = f"""
[metrics.m]
formula = "{text}"
[metrics.next]
formula = "m + 1"
[metrics.response]
value = "response_time_ns.mean"
unit = "us"
[metrics.nothing]
value = "nothing"
"""
    begin = time.perf_counter()
    measured = study_of(tmp_path, metrics)
    # It was read, planned and computed; powers of whole numbers would take for ever.
    assert time.perf_counter() - begin < 20
    cell = measured["m"].cells[tuple(1 if group == 0 else 0 for group in measured["m"].groups)]
    assert cell.values == (None,)
    assert cell.fault.endswith(why), cell.fault
    # What rests on it does not say so again.
    assert {other.fault for other in measured["next"].cells.values()} <= {""}


def test_a_formula_that_fails_in_one_replication_says_in_which(tmp_path: Path) -> None:
    head = HEAD + "[replications]\ncount = 3\n"
    metrics = """
[metrics.m]
formula = "1 / (iops - 2)"
[metrics.large]
formula = "iops ** 20 * 1e300"
[metrics.huge]
formula = "(iops - 2) * 1.7e308"
[metrics.iops]
value = "iops"
"""
    study = read(tmp_path, head + metrics)
    measured = measured_by_hand(study, lambda _, number: {"iops": float(number + 1)})
    faults = {name: {cell.fault for cell in found.cells.values()} for name, found in measured.items()}
    assert faults == {
        "iops": {""},
        "m": {"`1 / (iops - 2)` divides by zero (replication 2)"},
        "large": {"`iops ** 20 * 1e+300` is too large a number (replication 3)"},
        "huge": {"its values are too large for a mean and an interval over the replications"},
    }
    assert all(cell.estimate is None for cell in measured["m"].cells.values())


def test_a_run_that_is_not_there_is_no_fault_of_a_formula(tmp_path: Path) -> None:
    study = read(tmp_path, HEAD + '[metrics.iops]\nvalue = "iops"\n[metrics.m]\nformula = "1 / iops"\n')
    measured = measured_by_hand(study, lambda _, __: None)
    assert {cell.fault for found in measured.values() for cell in found.cells.values()} == {""}


def test_a_formula_of_many_parts_is_computed_however_they_are_nested() -> None:
    assert formula.evaluate("+".join(["1"] * 300), {}) == 300
    assert formula.evaluate("-" * 300 + "1", {}) == 1
    for text in ("-" * 900 + "1", "+".join(["1"] * 900)):
        with pytest.raises(formula.FormulaError, match="too much is nested in it"):
            formula.parse(text)


def test_axes_in_formulas_are_in_base_units_and_cases_have_their_value(tmp_path: Path) -> None:
    head = """
scenario = "small.toml"
[axes.size]
key = "workload.size"
values = ["1 KiB", "64 KiB"]
[axes.disks]
cases = [
  { label = "few", value = 4, set = { "drives.count" = 4 } },
  { label = "far", value = "2 us", set = { "drives.count" = 5 } },
]
"""
    measured = study_of(tmp_path, '[metrics.m]\nformula = "size + disks"\n', head)["m"]
    assert {places: value(measured, *places) for places in measured.cells} == {
        (0, 0): 1028.0,
        (0, 1): 3024.0,
        (1, 0): 65540.0,
        (1, 1): 67536.0,
    }


def test_a_formula_has_the_axes_of_what_it_names(tmp_path: Path) -> None:
    metrics = """
[metrics.best]
of = "throughput"
along = "depth"
take = "maximum"
[metrics.throughput]
value = "bytes_per_second"
unit = "MiB/s"
[metrics.constant]
formula = "6 * 7"
[metrics.by_depth]
formula = "2 * depth"
[metrics.share]
formula = "throughput / best"
[metrics.twice]
formula = "2 * best"
"""
    measured = study_of(tmp_path, metrics)
    groups = {name: found.groups for name, found in measured.items()}
    assert groups == {
        "best": (1,),
        "throughput": (0, 1),
        "constant": (),
        "by_depth": (0,),
        "share": (0, 1),
        "twice": (1,),
    }
    assert value(measured["constant"]) == 42.0
    assert [value(measured["by_depth"], place) for place in range(4)] == [2.0, 4.0, 8.0, 16.0]
    assert [value(measured["share"], place, 1) for place in range(4)] == [0.125, 0.25, 0.5, 1.0]
    assert value(measured["twice"], 0) == 16.0


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_formulas_agree_with_python(a: float, b: float) -> None:
    assert formula.evaluate("a * b - (a + 3) / 7", {"a": a, "b": b}) == a * b - (a + 3) / 7


# ---------------------------------------------------------------- axes that advance together


ZIPPED = """
zip = [["size", "ios"]]
scenario = "small.toml"
[axes.size]
key = "workload.size"
values = ["1 KiB", "2 KiB", "4 KiB"]
[axes.mix]
key = "workload.read_fraction"
values = [1.0, 0.5]
[axes.ios]
key = "run.measured_ios"
values = [30, 20, 10]
"""


def test_axes_that_advance_together_count_once(tmp_path: Path) -> None:
    study = read(tmp_path, ZIPPED + '[metrics.m]\nformula = "size * ios * mix"\n')
    assert study.groups == (("size", "ios"), ("mix",))
    points = points_of(study)
    assert [point.places for point in points] == list(itertools.product(range(3), range(2)))
    assert dict(points[3].overrides) == {
        "workload.size": '"2 KiB"',
        "run.measured_ios": "20",
        "workload.read_fraction": "0.5",
    }
    measured = measured_by_hand(study, summary)["m"]
    assert [value(measured, *point.places) for point in points] == [30720, 15360, 40960, 20480, 40960, 20480]


def test_axes_that_advance_together_vanish_together(tmp_path: Path) -> None:
    metrics = """
[metrics.m]
formula = "size * ios * mix"
[metrics.best]
of = "m"
along = "ios"
take = "peak"
[metrics.one]
of = "m"
along = "size"
take = "ratio"
between = ["4 KiB", "1 KiB"]
"""
    measured = study_of(tmp_path, metrics, ZIPPED)
    assert measured["best"].groups == (1,)
    assert [value(measured["best"], place) for place in range(2)] == [20.0, 20.0]
    assert [value(measured["one"], place) for place in range(2)] == [pytest.approx(4 / 3)] * 2


@given(st.lists(st.tuples(st.integers(1, 3), st.booleans()), min_size=1, max_size=5))
def test_the_points_are_the_product_of_the_groups(shape: list[tuple[int, bool]]) -> None:
    axes, groups = [], []
    for number, (length, double) in enumerate(shape):
        names = [f"a{number}", f"b{number}"] if double else [f"a{number}"]
        groups.append(tuple(names))
        values = tuple(AxisValue(str(index), float(index), (("k", str(index)),)) for index in range(length))
        axes += [Axis(name, name, "", values) for name in names]
    study = Study(Path("x"), "", "", "", "", "", (), tuple(axes), tuple(groups))
    points = points_of(study)
    assert len({point.places for point in points}) == len(points) == math.prod(length for length, _ in shape)
    assert [point.number for point in points] == list(range(len(points)))
    assert all(len(point.overrides) == len(axes) for point in points)


def test_quick_rows_need_only_the_points_they_rest_on(tmp_path: Path) -> None:
    text = f"""{HEAD}{DERIVED}take = "gain"
between = ["4", "1"]
[metrics.both]
formula = "m + depth"
[metrics.best]
of = "response"
along = "depth"
take = "maximum"
over = ["2", "4"]
[[expected]]
quick = true
rows = [
  {{ id = "a", metric = "m", at = {{ mix = "read" }}, value = 1 }},
  {{ id = "b", metric = "response", at = {{ mix = "write", depth = ["1", "2"] }}, value = 1 }},
  {{ id = "c", metric = "best", at = {{ mix = "read" }}, value = 1, quick = false }},
]
"""
    study = read(tmp_path, text)
    assert quick_places(study) == {(0, 0), (2, 0), (0, 1), (1, 1)}
    assert {point.places for point in plan(study, quick_places(study)).points} == quick_places(study)
    every = read(tmp_path, text.replace('metric = "m", at = { mix = "read" }', 'metric = "both"'))
    assert quick_places(every) == {(0, 0), (2, 0), (0, 1), (1, 1), (2, 1)}
    more = read(tmp_path, text.replace("quick = false", "quick = true"))
    assert quick_places(more) == {(0, 0), (1, 0), (2, 0), (0, 1), (1, 1)}


# ---------------------------------------------------------------- replications


def test_replications_give_a_mean_with_its_interval(tmp_path: Path) -> None:
    metrics = f"""{DERIVED}take = "gain"
between = ["2", "1"]
[metrics.half]
formula = "response / 2"
[replications]
count = 3
"""
    measured = study_of(tmp_path, metrics)
    assert measured["response"].cells[0, 0].values == (100.0, 101.0, 102.0)
    assert measured["response"].cells[0, 0].estimate == over_replications([100.0, 101.0, 102.0])
    assert measured["half"].cells[1, 1].values == (125.0, 125.5, 126.0)
    # The gain of each replication, so that what the replications share cancels out.
    assert measured["m"].cells[0,].values == tuple(pytest.approx(100 * (200 + r) / (100 + r) - 100) for r in range(3))


def test_all_points_have_the_same_seeds(tmp_path: Path) -> None:
    text = HEAD + '[set]\n"run.seed" = 40\n[replications]\ncount = 3\n[metrics.m]\nvalue = "iops"\n'
    made = plan(read(tmp_path, text))
    assert {tuple(map(seed_of, jobs)) for jobs in made.jobs.values()} == {(40, 41, 42)}
    assert len({job.key for job in made.all_jobs()}) == 24
    for job in made.all_jobs()[:4]:
        assert setting_of(job.scenario, "run.seed") == seed_of(job)


def test_a_missing_replication_leaves_no_value(tmp_path: Path) -> None:
    text = f'{HEAD}{DERIVED}take = "gain"\nbetween = ["2", "1"]\n[replications]\ncount = 2\n'
    study = read(tmp_path, text)

    def gap(labels: Mapping[str, str], replication: int) -> Mapping[str, object] | None:
        return None if labels == {"depth": "2", "mix": "read"} and replication else summary(labels, replication)

    measured = measured_by_hand(study, gap)
    assert measured["response"].cells[1, 0].values == (200.0, None)
    assert measured["response"].cells[1, 0].estimate is None
    assert measured["m"].cells[0,].estimate is None
    estimate = measured["m"].cells[1,].estimate
    assert estimate is not None
    assert estimate.n == 2


@pytest.mark.parametrize(
    ("metric", "mean", "half_width", "method"),
    [
        ('value = "response_time_ns.mean"\nunit = "us"', 100.0, 2.0, "batch means within the run"),
        (
            'value = "response_time_ns.p99"\nunit = "us"',
            900.0,
            40.0,
            "percentile by batch means within the run, the wider side",
        ),
        ('value = "response_time_ns.p90"\nunit = "us"', 800.0, None, "one replication, no interval"),
        ('value = "iops"\nunit = "KIOPS"', 2.0, 0.05, "completions over time by batches within the run"),
        ('value = "components.loop.utilisation"', 0.25, None, "one replication, no interval"),
        ('setting = "workload.queue_depth"', 1.0, None, "one replication, no interval"),
    ],
)
def test_a_single_run_has_the_interval_that_it_gives_itself(
    metric: str, mean: float, half_width: float | None, method: str, tmp_path: Path
) -> None:
    estimate = study_of(tmp_path, f"[metrics.m]\n{metric}\n")["m"].cells[0, 0].estimate
    assert estimate == Estimate(mean, half_width, 1, method)


def test_an_interval_that_the_run_doubts_says_so(tmp_path: Path) -> None:
    study = read(tmp_path, f'{HEAD}[metrics.m]\nvalue = "iops"\n')
    doubted = measured_by_hand(study, lambda *of: {**summary(*of), "statistics": {"trusted": False, "doubts": ["x"]}})
    estimate = doubted["m"].cells[0, 0].estimate
    assert estimate is not None
    assert estimate.method == "completions over time by batches within the run, in doubt"


def test_a_figure_that_is_less_precise_than_asked_for_is_in_doubt(tmp_path: Path) -> None:
    study = read(tmp_path, f'{HEAD}[metrics.m]\nvalue = "iops"\n[metrics.n]\nvalue = "response_time_ns.mean"\n')
    wanted = {"of": "iops", "within": 0.01, "relative_half_width": 0.05, "reached": False, "ended_by": "most_ios"}
    statistics = {"trusted": True, "doubts": [], "precision": wanted}
    measured = measured_by_hand(study, lambda *of: {**summary(*of), "statistics": statistics})
    imprecise, other = (measured[name].cells[0, 0].estimate for name in ("m", "n"))
    assert imprecise is not None
    assert imprecise.method.endswith("less precise than run.precision asked for, in doubt")
    assert other is not None
    assert "in doubt" not in other.method


def test_the_intervals_of_a_real_run_are_found(tmp_path: Path) -> None:
    figures = (
        "iops",
        "bytes_per_second",
        "response_time_ns.mean",
        "response_time_ns.p50",
        "reads.response_time_ns.mean",
    )
    metrics = "".join(f'[metrics.m{number}]\nvalue = "{path}"\n' for number, path in enumerate(figures))
    (outcome,) = run_studies([read(tmp_path, f'scenario = "small.toml"\n{metrics}')], workers=1)
    for number, path in enumerate(figures):
        estimate = outcome.measured[f"m{number}"].cells[()].estimate
        assert estimate is not None
        assert estimate.half_width_95 is not None, path
        assert 0 < estimate.half_width_95 < estimate.mean, path


def test_the_interval_of_a_run_is_none_of_replications(tmp_path: Path) -> None:
    metrics = '[metrics.m]\nvalue = "response_time_ns.mean"\nunit = "us"\n[replications]\ncount = 2\n'
    estimate = study_of(tmp_path, metrics)["m"].cells[0, 0].estimate
    assert estimate == over_replications([100.0, 101.0])


# ---------------------------------------------------------------- intervals of what is computed

# Of a read of depth d: response time 100 d us, ±2 us; 2000 d IOPS, ±50 IOPS.
CARRIED = "from the intervals of what it is computed from"


def interval(folder: Path, rule: str, places: tuple[int, ...], summary: Made = summary) -> tuple[float, float | None]:
    """Mean of a metric `m` at a place, and half the width of its interval."""
    metrics = '[metrics.response]\nvalue = "response_time_ns.mean"\nunit = "us"\n[metrics.iops]\nvalue = "iops"\n'
    measured = measured_by_hand(read(folder, f"{HEAD}{metrics}[metrics.m]\n{rule}\n"), summary)
    estimate = measured["m"].cells[places].estimate
    assert estimate is not None
    assert (estimate.method == CARRIED) == (estimate.half_width_95 is not None)
    return estimate.mean, estimate.half_width_95


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ('formula = "response + 7"', 2.0),
        ('formula = "7 - 3 * response"', 6.0),
        ('formula = "depth * response"', 4.0),
        ('formula = "response - response"', 0.0),
        # Two that are not the same add up by squares.
        ('formula = "response + iops / 10"', math.hypot(2, 5)),
        ('formula = "response - iops / 10"', math.hypot(2, 5)),
        ('formula = "response * iops"', math.hypot(2 * 4000, 200 * 50)),
        ('formula = "iops / response"', 20 * math.hypot(2 / 200, 50 / 4000)),
        ('formula = "1e6 / iops"', 250 * 50 / 4000),
        ('formula = "response ** 2"', 2 * 200 * 2),
    ],
)
def test_the_interval_of_a_formula_is_that_of_its_parts_to_first_order(
    rule: str, expected: float, tmp_path: Path
) -> None:
    _, half = interval(tmp_path, rule, (1, 0))
    # What is left is of second order: the widest interval is 1.25 % of its value.
    assert half == pytest.approx(expected, rel=0.02)
    assert half is not None
    assert half >= expected * (1 - 1e-9)


ENDS = 'of = "response"\nalong = "depth"\nbetween = ["8", "2"]\n'
LINE = 'of = "response"\nalong = "depth"\n'


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (f'{ENDS}take = "difference"', math.hypot(2, 2)),
        (f'{ENDS}take = "difference"\nunit = "ns"', 1000 * math.hypot(2, 2)),
        (f'{ENDS}take = "ratio"', 4 * math.hypot(2 / 800, 2 / 200)),
        (f'{ENDS}take = "gain"', 400 * math.hypot(2 / 800, 2 / 200)),
        (f'{LINE}take = "maximum"', 2.0),
        (f'{LINE}take = "maximum"\nunit = "ms"', 0.002),
        (f'{LINE}take = "first"', 2.0),
        (f'{LINE}take = "mean"', 1.0),
        (f'{LINE}take = "span"', math.hypot(2, 2)),
        # Depths of 1, 2, 4, 8: the sum of the squares about their mean is 28.75.
        (f'{LINE}take = "slope"', 2 / math.sqrt(28.75)),
    ],
)
def test_the_interval_along_an_axis_is_that_of_its_values_to_first_order(
    rule: str, expected: float, tmp_path: Path
) -> None:
    _, half = interval(tmp_path, rule, (0,))
    assert half == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize(
    "take", ['take = "peak"', 'take = "knee"', 'take = "begins"\nabove = 150', 'take = "ends"\nbelow = 150']
)
def test_a_place_on_an_axis_has_no_interval(take: str, tmp_path: Path) -> None:
    mean, half = interval(tmp_path, f"{LINE}{take}", (0,))
    assert (mean >= 1, half) == (True, None)


def test_what_is_computed_from_a_doubt_is_in_doubt(tmp_path: Path) -> None:
    text = f"""{HEAD}[metrics.iops]
value = "iops"
[metrics.double]
formula = "2 * iops"
[metrics.more]
of = "double"
along = "depth"
take = "maximum"
"""
    doubted = measured_by_hand(read(tmp_path, text), lambda *of: {**summary(*of), "statistics": {"trusted": False}})
    for name, places in (("double", (1, 0)), ("more", (0,))):
        estimate = doubted[name].cells[places].estimate
        assert estimate is not None
        assert estimate.method == f"{CARRIED}, in doubt"


def test_what_is_computed_from_values_without_intervals_has_none(tmp_path: Path) -> None:
    def sure(labels: Mapping[str, str], replication: int) -> Mapping[str, object]:
        full = summary(labels, replication)
        return {**{key: part for key, part in full.items() if key != "iops_ci95"}, "response_time_ns": {"mean": 5e5}}

    for rule, places in (('formula = "response * iops"', (1, 0)), (f'{ENDS}take = "gain"', (0,))):
        assert interval(tmp_path, rule, places, sure)[1] is None


def test_the_interval_of_replications_is_not_carried(tmp_path: Path) -> None:
    text = f'{DERIVED}take = "gain"\nbetween = ["2", "1"]\n[replications]\ncount = 3\n'
    estimate = study_of(tmp_path, text)["m"].cells[0,].estimate
    assert estimate is not None
    assert estimate.method == "3 independent replications, Student t, 95 %"


def test_a_value_that_its_interval_takes_out_of_reach_has_no_interval(tmp_path: Path) -> None:
    mean, half = interval(tmp_path, 'formula = "1 / (response - 202)"', (1, 0))
    assert (mean, half) == (-0.5, None)


def test_words_and_numbers_of_replications_do_not_mix() -> None:
    assert Cell(("a", "a")).word == "a"
    assert Cell(("a", "b")).word is None
    assert Cell((1.0, "b")).estimate is None
    assert Cell(()).estimate is None


# ---------------------------------------------------------------- units


@pytest.mark.parametrize(
    ("number", "unit", "to", "expected"),
    [
        (1.5, "ms", "us", 1500.0),
        (3.0, "us", "KiB", 3.0),
        (3.0, "us/node", "ns", 3.0),
        (0.5, "", "%", 50.0),
        (2.0, "KIOPS", "IOPS", 2000.0),
    ],
)
def test_units_are_converted_where_they_measure_the_same(number: float, unit: str, to: str, expected: float) -> None:
    assert units.converted(number, unit, to) == pytest.approx(expected)


@pytest.mark.parametrize("dimension", units.EXAMPLES)
def test_a_base_unit_is_one_of_what_it_measures(dimension: str) -> None:
    base = units.base_unit(dimension)
    assert (units.dimension_of(base), units.factor_of(base)) == (dimension, 1.0)
    example = units.EXAMPLES[dimension].strip('"')
    assert units.read_quantity(f"2 {base}") == (2.0, dimension)
    assert (units.read_quantity(example) or (0.0, ""))[1] == dimension


def test_a_delay_per_length_is_the_same_in_both_units() -> None:
    assert units.read_quantity("5 us/km") == pytest.approx(units.read_quantity("5 ns/m"))
    assert units.converted(5.0, "us/km", "ns/m") == pytest.approx(5.0)


@pytest.mark.parametrize("number", [0.0, 1.0, -2.0, 1e15, 0.1, 1 / 3, 1e-9, float("inf"), float("nan")])
def test_short_numbers_are_the_same_numbers(number: float) -> None:
    assert float(units.short(number)) == pytest.approx(number, rel=1e-9, nan_ok=True)


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
