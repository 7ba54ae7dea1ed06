"""Metrics that are computed from others at the same point, from results made by hand."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sansim.study.measure import formula
from study_support import HEAD, measured_by_hand, read, study_of, value


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
