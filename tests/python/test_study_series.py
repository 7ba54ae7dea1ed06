"""What is taken of a metric along an axis: slopes, knees, ratios, and in which unit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sansim.study.measure import series
from sansim.study.model import Along, AxisValue
from study_support import DERIVED, study_of, value


def line(values: Mapping[float, float]) -> list[tuple[AxisValue, float]]:
    """A metric along an axis of plain numbers."""
    return [(AxisValue(f"{x:g}", x, ()), y) for x, y in values.items()]


def rule(take: str, **more: object) -> Along:
    """What is taken of it."""
    return Along("m", "x", take, **more)  # type: ignore[arg-type]


HILL = {1.0: 10.0, 2.0: 20.0, 3.0: 40.0, 4.0: 39.0, 5.0: 5.0}


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        (rule("maximum"), 40.0),
        (rule("minimum"), 5.0),
        (rule("mean"), 22.8),
        (rule("first"), 10.0),
        (rule("last"), 5.0),
        (rule("span"), 35.0),
        (rule("spread"), 700.0),
        (rule("peak"), 3.0),
        (rule("knee"), 3.0),
        (rule("knee", reach=0.5), 2.0),
        (rule("knee", reach=0.0), 1.0),
        (rule("begins", below=40.0), 4.0),
        (rule("begins", below=39.0), 5.0),
        (rule("begins", below=100.0), 1.0),
        (rule("begins", above=6.0), None),
        (rule("begins", below=5.0), None),
        (rule("ends", below=25.0), 2.0),
        (rule("ends", above=9.0), 4.0),
        (rule("ends", above=0.0), 5.0),
        (rule("ends", above=10.0), None),
        (rule("slope"), pytest.approx(0.9)),
        (rule("slope", per=10.0), pytest.approx(9.0)),
        (rule("intercept"), pytest.approx(22.8 - 3 * 0.9)),
    ],
)
def test_what_is_taken_along_an_axis(what: Along, expected: float | None) -> None:
    assert series.take(what, line(HILL)) == expected


@pytest.mark.parametrize(
    ("take", "values", "expected"),
    [
        ("ratio", (6.0, 4.0), 1.5),
        ("difference", (6.0, 4.0), 2.0),
        ("gain", (6.0, 4.0), 50.0),
        ("gain", (4.0, 6.0), pytest.approx(-100 / 3)),
        ("ratio", (0.0, 4.0), 0.0),
    ],
)
def test_two_values_are_compared_first_against_second(take: str, values: tuple[float, float], expected: object) -> None:
    assert series.take(rule(take), line(dict(enumerate(values)))) == expected


@pytest.mark.parametrize(
    ("take", "values", "why"),
    [
        ("gain", (4.0, 0.0), "there is no gain of `m` to 0"),
        ("ratio", (4.0, 0.0), "there is no ratio of `m` to 0"),
        ("ratio", (1e308, 1e-308), "the ratio of `m` is too large a number"),
        ("mean", (1.7e308, 1.7e308), "the mean of `m` is too large a number"),
        ("spread", (2.0, 0.0), "there is no spread of `m` where it is 0, not above 0"),
    ],
)
def test_what_cannot_be_taken_says_why(take: str, values: tuple[float, float], why: str) -> None:
    with pytest.raises(series.NotTakenError, match=f"^{re.escape(why)}$"):
        series.take(rule(take), line(dict(enumerate(values))))


def test_nothing_is_taken_of_nothing() -> None:
    assert series.take(rule("mean"), []) is None
    assert series.take(rule("slope"), line({1.0: 2.0})) is None
    assert series.take(rule("knee"), line({1.0: -2.0, 2.0: -1.0})) is None
    assert series.take(rule("slope"), [(AxisValue("a", None, ()), 1.0), (AxisValue("b", None, ()), 2.0)]) is None


NUMBERS = st.floats(-1e6, 1e6, allow_subnormal=False)


@given(NUMBERS, NUMBERS, st.lists(st.integers(-1000, 1000), min_size=2, max_size=30, unique=True))
def test_the_slope_of_a_line_is_exact(slope: float, start: float, places: list[int]) -> None:
    points = line({float(x): start + slope * x for x in places})
    tolerance = 1e-9 * (abs(start) + 1000 * abs(slope) + 1e-9)
    assert series.take(rule("slope"), points) == pytest.approx(slope, abs=tolerance)
    assert series.take(rule("intercept"), points) == pytest.approx(start, abs=1000 * tolerance)


@given(st.lists(st.floats(0.1, 1e6), min_size=1, max_size=20), st.floats(0.1, 1e6))
def test_begins_and_ends_leave_no_value_on_the_wrong_side(values: list[float], limit: float) -> None:
    points = line({float(x): y for x, y in enumerate(values)})
    begins, ends = series.take(rule("begins", above=limit), points), series.take(rule("ends", above=limit), points)
    if begins is not None:
        assert all(value > limit for value in values[int(begins) :])
        assert begins == 0 or values[int(begins) - 1] <= limit
    else:
        assert values[-1] <= limit
    if ends is not None:
        assert all(value > limit for value in values[: int(ends) + 1])
        assert int(ends) + 1 == len(values) or values[int(ends) + 1] <= limit
    else:
        assert values[0] <= limit


@pytest.mark.parametrize(
    ("text", "unit", "read_value", "write_value"),
    [
        ('take = "maximum"', "us", 800.0, 850.0),
        ('take = "maximum"\nunit = "ms"', "ms", 0.8, 0.85),
        ('take = "slope"', "us", 100.0, 100.0),
        ('take = "slope"\nunit = "ns"', "ns", 1e5, 1e5),
        ('take = "slope"\nunit = "us/command"', "us/command", 100.0, 100.0),
        ('take = "slope"\nper = 2', "us", 200.0, 200.0),
        ('take = "slope"\nover = ["2", "4"]', "us", 100.0, 100.0),
        ('take = "intercept"', "us", 0.0, 50.0),
        ('take = "last"\nover = ["1", "4"]', "us", 400.0, 450.0),
        ('take = "first"\nover = ["4", "2"]', "us", 200.0, 250.0),
        ('take = "gain"\nbetween = ["2", "1"]', "%", 100.0, 100 * 100 / 150),
        ('take = "ratio"\nbetween = ["8", "1"]', "", 8.0, 850 / 150),
        ('take = "ratio"\nbetween = ["8", "1"]\nunit = "%"', "%", 800.0, 100 * 850 / 150),
        ('take = "difference"\nbetween = ["8", "1"]\nunit = "ms"', "ms", 0.7, 0.7),
        ('take = "peak"', "", 8.0, 8.0),
        ('take = "begins"\nabove = 250', "", 4.0, 4.0),
        ('take = "begins"\nabove = "0.24 ms"', "", 4.0, 2.0),
        ('take = "ends"\nbelow = "200 us"', "", 1.0, 1.0),
        ('take = "knee"\nreach = "50 %"', "", 4.0, 4.0),
        ('take = "spread"', "%", 700.0, 100 * (850 / 150 - 1)),
    ],
)
def test_what_is_derived_has_the_unit_that_it_is_shown_in(
    text: str, unit: str, read_value: float, write_value: float, tmp_path: Path
) -> None:
    measured = study_of(tmp_path, f"{DERIVED}{text}\n")["m"]
    assert measured.metric.unit == unit
    assert measured.groups == (1,)
    assert [value(measured, 0), value(measured, 1)] == [pytest.approx(read_value), pytest.approx(write_value)]


def test_places_on_an_axis_of_sizes_are_in_the_unit_of_the_axis(tmp_path: Path) -> None:
    head = """
scenario = "small.toml"
[axes.size]
key = "workload.size"
from = "1 KiB"
to = "1 MiB"
factor = 4
"""
    metrics = """
[metrics.m]
formula = "size / 1024"
[metrics.knee]
of = "m"
along = "size"
take = "knee"
[metrics.in_bytes]
of = "m"
along = "size"
take = "knee"
unit = "B"
[metrics.slope]
of = "m"
along = "size"
take = "slope"
[metrics.step]
of = "m"
along = "size"
take = "slope"
per = "2 KiB"
"""
    measured = study_of(tmp_path, metrics, head)
    assert (value(measured["knee"]), measured["knee"].metric.unit) == (1024.0, "KiB")
    assert (value(measured["in_bytes"]), measured["in_bytes"].metric.unit) == (1048576.0, "B")
    assert (measured["slope"].metric.unit, measured["step"].metric.unit) == ("1/B", "")
    assert value(measured["slope"]) == pytest.approx(1 / 1024)
    assert value(measured["step"]) == pytest.approx(2.0)


def test_what_is_derived_of_something_derived_loses_both_axes(tmp_path: Path) -> None:
    metrics = f"""{DERIVED}take = "maximum"
[metrics.worst]
of = "m"
along = "mix"
take = "maximum"
[metrics.times]
of = "twice"
along = "mix"
take = "ratio"
between = ["write", "read"]
[metrics.twice]
formula = "2 * m"
"""
    measured = study_of(tmp_path, metrics)
    assert (measured["worst"].groups, value(measured["worst"])) == ((), 850.0)
    assert measured["times"].groups == ()
    assert value(measured["times"]) == pytest.approx(850 / 800)


def test_the_elbow_of_an_m_m_1_queue_is_where_its_slope_is_that_of_the_chord() -> None:
    # 1 / (1 - x) from 0 to 0.9: the chord rises by 9 over 0.9, and 1 / (1 - x)^2 = 10 at 1 - 1 / sqrt(10) = 0.684.
    curve = {n / 100: 1 / (1 - n / 100) for n in range(91)}
    assert series.take(rule("elbow"), line(curve)) == 0.68
    # However the axes are scaled.
    assert series.take(rule("elbow"), line({800 * x: 5e6 * y for x, y in curve.items()})) == pytest.approx(800 * 0.68)


@pytest.mark.parametrize(
    "curve", [{}, {1.0: 1.0}, {1.0: 1.0, 2.0: 5.0}, {1.0: 1.0, 2.0: 2.0, 3.0: 3.0}, {1: 4, 2: 9, 3: 4}]
)
def test_what_does_not_bend_has_no_elbow(curve: dict[float, float]) -> None:
    assert series.take(rule("elbow"), line(curve)) is None
