"""Verdicts on published values, from results made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sansim.study.frames import published_frame
from sansim.study.measure.metrics import Cell
from sansim.study.model import Axis as StudyAxis
from sansim.study.model import AxisValue, Bounds, Study, Tolerance, Value, Word
from sansim.study.model import Trend as StudyTrend
from sansim.study.points.measured import measure
from sansim.study.points.plan import plan
from sansim.study.verdict import MISS, MISSING, PASS, Verdict, judge, judge_cell, judge_line
from study_support import HEAD, read, results_by_hand, summary

METRICS = """
[metrics.response]
value = "response_time_ns.mean"
unit = "us"
[metrics.rate]
value = "bytes_per_second"
unit = "MiB/s"
[metrics.order]
setting = "controller.schedule"
[metrics.duplex]
setting = "drives.port.full_duplex"
[metrics.best]
of = "rate"
along = "depth"
take = "maximum"
"""


def judged(folder: Path, rows: str, gaps: Mapping[str, str] | None = None) -> list[Verdict]:
    """The verdicts on rows of `[[expected]]`; points with the labels of `gaps` were not run."""
    study, verdicts = both(folder, rows, gaps)
    assert len(verdicts) == len(study.expected) + len(study.remarks)
    return verdicts


def both(folder: Path, rows: str, gaps: Mapping[str, str] | None = None) -> tuple[Study, list[Verdict]]:
    """The study and its verdicts."""
    study = read(folder, f"{HEAD}{METRICS}{rows}")

    def content(labels: Mapping[str, str], replication: int) -> Mapping[str, object] | None:
        return None if gaps and gaps.items() <= labels.items() else summary(labels, replication)

    made = plan(study)
    return study, judge(study, measure(made, results_by_hand(made, content)))


def one(folder: Path, row: str, metric: str = "response", gaps: Mapping[str, str] | None = None) -> Verdict:
    """The verdict on one row."""
    (verdict,) = judged(folder, f'[[expected]]\nid = "T-1"\nmetric = "{metric}"\n{row}\n', gaps)
    return verdict


AT = 'at = { depth = "2", mix = "read" }'

# ---------------------------------------------------------------- single values: ours is 200 us, ±2 us


@pytest.mark.parametrize(
    ("row", "verdict", "error"),
    [
        ("value = 200", PASS, 0.0),
        ("value = 206.1", PASS, 100 * (200 / 206.1 - 1)),
        ("value = 206.2", MISS, 100 * (200 / 206.2 - 1)),
        ('value = 250\ntolerance = "20 %"', PASS, -20.0),
        ('value = 160\ntolerance = "25 %"', PASS, 25.0),
        ('value = 160\ntolerance = "24.9 %"', MISS, 25.0),
        ("value = 195\ntolerance = 5", PASS, "+5 us"),
        ("value = 195\ntolerance = 4.9", MISS, "+5 us"),
        ('value = 205\ntolerance = "5000 ns"', PASS, "-5 us"),
        ('value = "0.2 ms"', PASS, 0.0),
        ('value = 0.2\nunit = "ms"', PASS, 0.0),
        ('value = 0.3\nunit = "ms"\ntolerance = 0.09', MISS, "-0.1 ms"),
        ('value = 220\nkind = "approximate"', PASS, 100 * (200 / 220 - 1)),
        ('value = 200.1\nkind = "parameter"', PASS, 100 * (200 / 200.1 - 1)),
        ('value = 201\nkind = "parameter"', MISS, 100 * (200 / 201 - 1)),
        ("value = 0", MISS, "+200 us"),
        ("value = 200\ntolerance = 0", PASS, "+0 us"),
        ("value = 195\nrounding = 5", PASS, 100 * (200 / 195 - 1)),
        ("value = 193\nrounding = 7", PASS, "+7 us"),
        ('value = 193\nrounding = "6900 ns"', MISS, "+7 us"),
        ("value = 195\ntolerance = 4.9\nrounding = 5", PASS, "+5 us"),
        ('value = 182\nkind = "measured"', PASS, 100 * (200 / 182 - 1)),
        ('value = 181\nkind = "measured"', MISS, 100 * (200 / 181 - 1)),
        ('value = 200\nkind = "trend"', PASS, 0.0),
        ('value = 200.1\nkind = "trend"', MISS, 100 * (200 / 200.1 - 1)),
        ("above = 197", PASS, None),
        ("above = 199", MISS, "±2 us crosses it"),
        ("above = 200", MISS, "+0 us"),
        ("above = 201", MISS, "-1 us"),
        ("below = 203", PASS, None),
        ("below = 201", MISS, "±2 us crosses it"),
        ("below = 200", MISS, "+0 us"),
        ('below = "0.1 ms"', MISS, "+100 us"),
        ("between = [198, 300]", PASS, None),
        ("between = [100, 202]", PASS, None),
        ("between = [199, 300]", MISS, "±2 us crosses it"),
        ("between = [100, 201]", MISS, "±2 us crosses it"),
        ("between = [201, 300]", MISS, "-1 us"),
        ('between = ["0.1 ms", 199]', MISS, "+1 us"),
        ('between = ["0.1 ms", 0.201]\nunit = "ms"', MISS, "±0.002 ms crosses it"),
        ("above = 100\nbelow = 300", PASS, None),
        ("above = 100\nbelow = 200", MISS, "+0 us"),
    ],
)
def test_a_value_is_within_its_tolerance_or_not(row: str, verdict: str, error: object, tmp_path: Path) -> None:
    found = one(tmp_path, f"{AT}\n{row}")
    assert found.verdict == verdict
    assert found.error == (pytest.approx(error, abs=1e-9) if isinstance(error, float) else error)
    assert found.ours == pytest.approx(0.2 if found.unit == "ms" else 200.0)


@pytest.mark.parametrize(
    ("row", "claim", "low", "high"),
    [
        ("value = 200", 200.0, 194.0, 206.0),
        ("value = -200\ntolerance = 1", -200.0, -201.0, -199.0),
        ("above = 100", "above 100 us", 100.0, None),
        ("below = 100.5", "below 100.5 us", None, 100.5),
        ("between = [100, 300]", "100 to 300 us", 100.0, 300.0),
        ("above = 100\nbelow = 300", "above 100 and below 300 us", 100.0, 300.0),
    ],
)
def test_a_claim_is_told_in_words(
    row: str, claim: float | str, low: float | None, high: float | None, tmp_path: Path
) -> None:
    found = one(tmp_path, f"{AT}\n{row}")
    assert (found.published, found.low, found.high, found.where) == (claim, low, high, "depth = 2, mix = read")


@pytest.mark.parametrize(
    ("metric", "row", "verdict", "ours"),
    [
        ("order", 'value = "fair"', PASS, "fair"),
        ("order", 'value = "unfair"', MISS, "fair"),
        ("order", "value = 3", MISS, "fair"),
        ("duplex", "value = false", PASS, "false"),
        ("duplex", "value = true", MISS, "false"),
    ],
)
def test_a_setting_is_a_word_or_not(metric: str, row: str, verdict: str, ours: str, tmp_path: Path) -> None:
    found = one(tmp_path, f"{AT}\n{row}", metric)
    assert (found.verdict, found.ours, found.error) == (verdict, ours, None)


def test_a_number_that_was_to_be_a_word_is_told_as_it_is_written() -> None:
    assert judge_cell(Word("12"), Cell((12.0,)), 1.0, "").verdict == PASS
    assert judge_cell(Word("12"), Cell((13.5,)), 1.0, "").ours == "13.5"
    assert judge_cell(Word("a"), Cell(("a", "b")), 1.0, "").ours == "a or b"
    assert judge_cell(Word("a"), Cell((None,)), 1.0, "").verdict == MISSING


def test_the_last_bits_of_a_division_are_no_error() -> None:
    for ours in (6.0, 6.0 + 1e-15, 6.0 - 1e-12):
        outcome = judge_cell(Value(6.0, Tolerance(absolute=0.1)), Cell((ours,)), 1.0, "words")
        assert (outcome.verdict, outcome.error) == (PASS, "+0 words")
    assert judge_cell(Value(0.0, Tolerance(absolute=0.1)), Cell((1e-15,)), 1.0, "").error == "+1e-15"


def test_what_was_not_run_is_missing(tmp_path: Path) -> None:
    gaps = {"depth": "2", "mix": "read"}
    assert one(tmp_path, f"{AT}\nvalue = 200", gaps=gaps).verdict == MISSING
    assert one(tmp_path, "value = 200", gaps=gaps).verdict == MISSING
    assert one(tmp_path, 'rule = "increasing"\nalong = "depth"', gaps=gaps).verdict == MISSING
    assert one(tmp_path, 'at = { mix = "read" }\nvalue = 8', "best", gaps=gaps).verdict == MISSING
    assert one(tmp_path, 'at = { mix = "write" }\nvalue = 8', "best", gaps=gaps).verdict == PASS
    order = 'rule = "order"\nalong = "depth"\nexpect = ["8", "2"]'
    assert one(tmp_path, f'at = {{ mix = "read" }}\n{order}', gaps=gaps).verdict == MISSING


values = st.floats(-1e6, 1e6, allow_subnormal=False)


@given(values, values, st.floats(0, 10), st.floats(0, 10), st.booleans())
def test_a_wider_tolerance_never_turns_a_pass_into_a_miss(
    ours: float, published: float, first: float, second: float, absolute: bool
) -> None:
    narrow, wide = sorted((first, second))
    tolerances = [Tolerance(absolute=size) if absolute else Tolerance(relative=size) for size in (narrow, wide)]
    outcomes = [judge_cell(Value(published, tolerance), Cell((ours,)), 1.0, "").verdict for tolerance in tolerances]
    assert outcomes != [PASS, MISS]
    assert Tolerance(absolute=abs(ours - published)).allows(ours, published)


@given(values, st.floats(0, 5))
def test_a_value_is_judged_alike_in_every_unit(published: float, share: float) -> None:
    assume(abs(published) > 1e-3)
    verdicts = set()
    for factor in (1.0, 1e-3, 1e6):
        check = Value(published * factor, Tolerance(relative=0.5))
        verdicts.add(judge_cell(check, Cell((published * share,)), factor, "").verdict)
    assert len(verdicts) == 1


@given(values, values, values)
def test_bounds_are_what_they_say(ours: float, a: float, b: float) -> None:
    low, high = sorted((a, b))
    assert (judge_cell(Bounds(low, None), Cell((ours,)), 1.0, "").verdict == PASS) == (ours > low)
    assert (judge_cell(Bounds(None, high), Cell((ours,)), 1.0, "").verdict == PASS) == (ours < high)
    if low <= ours <= high:
        assert judge_cell(Bounds(low, high, inclusive=True), Cell((ours,)), 1.0, "").verdict == PASS


# ---------------------------------------------------------------- several places


def test_of_several_places_the_worst_one_counts(tmp_path: Path) -> None:
    found = one(tmp_path, 'at = { mix = "read", depth = ["1", "2", "4"] }\nvalue = 200\ntolerance = "60 %"')
    assert (found.verdict, found.ours, found.error) == (MISS, 400.0, 100.0)
    assert found.note == "worst of 3 values: depth = 4"
    assert found.where == "mix = read, depth = 1 or 2 or 4"
    assert len(found.places) == 3


def test_of_several_that_pass_the_worst_one_is_told(tmp_path: Path) -> None:
    found = one(tmp_path, 'at = { mix = "read" }\nbelow = 900\nnote = "at every depth"')
    assert (found.verdict, found.ours) == (PASS, 800.0)
    assert found.note == "at every depth; worst of 4 values: depth = 8"
    found = one(tmp_path, 'at = { mix = "read" }\nbetween = [90, 900]')
    assert (found.verdict, found.ours) == (PASS, 100.0)
    found = one(tmp_path, "above = 120")
    assert (found.verdict, found.ours, found.error) == (MISS, 100.0, "-20 us")
    assert found.note == "worst of 8 values: depth = 1, mix = read"


def test_nothing_is_called_the_worst_if_all_are_alike(tmp_path: Path) -> None:
    found = one(tmp_path, 'value = "fair"', "order")
    assert (found.verdict, found.note) == (PASS, "")


def test_rows_have_what_their_group_says(tmp_path: Path) -> None:
    rows = """
[[expected]]
metric = "response"
at = { depth = "2" }
tolerance = "50 %"
source = "table 1"
value = 1
rows = [
  { id = "T-1", at = { mix = "read" }, value = 260 },
  { id = "T-2", at = { mix = "read" }, value = 260, tolerance = "1 %", source = "table 2" },
  { id = "T-3", at = { mix = "write" }, metric = "rate", value = 2 },
  { id = "T-4", at = { mix = "write", depth = 1 }, below = 153 },
  { id = "T-5", metric = "best", at = { mix = "read" }, value = 8 },
]
"""
    verdicts = judged(tmp_path, rows)
    assert [verdict.verdict for verdict in verdicts] == [PASS, MISS, PASS, PASS, PASS]
    assert [verdict.source for verdict in verdicts] == ["table 1", "table 2", "table 1", "table 1", "table 1"]
    assert [verdict.where for verdict in verdicts] == [
        *["depth = 2, mix = read"] * 2,
        "depth = 2, mix = write",
        "depth = 1, mix = write",
        # Of the group's axis there is nothing left in this metric.
        "mix = read",
    ]


# ---------------------------------------------------------------- shapes


AXIS = StudyAxis("x", "x", "", tuple(AxisValue(str(x), float(x), ()) for x in (1, 2, 4, 8)))


def shape(
    rule: str, line: list[float], slack: float = 0.0, order: tuple[str, ...] = (), half: float = 0.0
) -> tuple[str, object]:
    """The verdict on a shape of values that are all known to ± `half`, and what speaks against it."""
    outcome = judge_line(AXIS, StudyTrend(rule, "x", slack, order), list(enumerate(line)), [half] * len(line))
    return outcome.verdict, outcome.error


@pytest.mark.parametrize(
    ("rule", "line", "slack", "verdict"),
    [
        ("increasing", [1, 2, 3, 4], 0, PASS),
        ("increasing", [1, 2, 2, 4], 0, MISS),
        ("increasing", [1, 2, 2, 4], 0.01, PASS),
        ("increasing", [1, 2, 1.99, 4], 0.01, PASS),
        ("increasing", [1, 2, 1.97, 4], 0.01, MISS),
        ("increasing", [4, 3.99, 3.98, 3.97], 0.01, MISS),
        ("increasing", [2, 2, 2, 2], 0.01, MISS),
        ("increasing", [-4, -3, -2, -1], 0, PASS),
        ("decreasing", [4, 3, 2, 1], 0, PASS),
        ("decreasing", [4, 4, 2, 1], 0, MISS),
        ("decreasing", [1, 2, 3, 4], 0.5, MISS),
        ("constant", [100, 100.5, 99.6, 100], 0.01, PASS),
        ("constant", [100, 101.2, 100, 100], 0.01, MISS),
        ("constant", [0, 0, 0, 0], 0, PASS),
        ("constant", [-1, 1, 0, 0], 0.5, MISS),
        ("linear", [3, 5, 9, 17], 0, PASS),
        ("linear", [3, 5, 9.3, 17], 0.02, PASS),
        ("linear", [3, 5, 12, 17], 0.02, MISS),
        ("linear", [5, 5, 5, 5], 0, PASS),
        ("linear", [0, 0, 0, 0], 0, PASS),
    ],
)
def test_shapes(rule: str, line: list[float], slack: float, verdict: str) -> None:
    # Rounding is no bend.
    found, error = shape(rule, line, slack or (1e-12 if rule == "linear" else 0.0))
    assert found == verdict
    assert (error is None) == (verdict == PASS)


@pytest.mark.parametrize(
    ("order", "line", "slack", "error"),
    [
        (("1", "2", "4"), [3, 2, 1, 9], 0, None),
        (("8", "1"), [3, 2, 1, 9], 0, None),
        (("1", "2", "4"), [3, 3, 1, 9], 0, "2 is not below 1"),
        (("1", "2", "4"), [3, 3, 1, 9], 0.01, None),
        (("1", "2", "4"), [3, 3.02, 1, 9], 0.01, None),
        (("1", "2", "4"), [3, 3.04, 1, 9], 0.01, "2 is not below 1"),
        (("1", "2", "4"), [3, 4, 9, 9], 0, "4 is not below 2"),
    ],
)
def test_orders(order: tuple[str, ...], line: list[float], slack: float, error: str | None) -> None:
    assert shape("order", line, slack, order) == (PASS if error is None else MISS, error)


@given(st.lists(st.floats(-1e3, 1e3), min_size=4, max_size=4), st.floats(0, 1), st.floats(0, 1))
def test_more_slack_never_turns_a_pass_into_a_miss(line: list[float], first: float, second: float) -> None:
    narrow, wide = sorted((first, second))
    for rule in ("increasing", "decreasing", "constant", "linear", "order"):
        order = ("8", "1", "4") if rule == "order" else ()
        assert [shape(rule, line, slack, order)[0] for slack in (narrow, wide)] != [PASS, MISS]


@given(st.lists(st.floats(-1e3, 1e3), min_size=4, max_size=4))
def test_rising_is_falling_upside_down(line: list[float]) -> None:
    assert shape("increasing", line)[0] == shape("decreasing", [-value for value in line])[0]
    rises = all(a < b for a, b in zip(line, line[1:], strict=False))  # noqa: RUF007
    assert (shape("increasing", line)[0] == PASS) == rises


@pytest.mark.parametrize(
    ("rule", "line", "half", "error"),
    [
        # Of the difference of the ends half the interval is 0.5 * sqrt(2) = 0.71.
        ("increasing", [1, 1.2, 1.4, 1.8], 0.5, None),
        ("increasing", [1, 1.2, 1.4, 1.7], 0.5, "from 1 to 1.7, ±0.71"),
        ("decreasing", [1.8, 1.4, 1.2, 1], 0.5, None),
        ("decreasing", [1.7, 1.4, 1.2, 1], 0.5, "from 1.7 to 1, ±0.71"),
        # As far down as W-C15 goes from 56 to 126 disks, which is noise.
        ("decreasing", [29.3, 29.2999, 29.2998, 29.29648], 0.0027, "from 29.3 to 29.29648, ±0.0038"),
        ("increasing", [1, 2, 3, 4], 0, None),
        ("constant", [100, 100.4, 100, 100], 3, None),
        ("linear", [3, 5, 9, 17], 3, None),
    ],
)
def test_what_rises_or_falls_does_so_by_more_than_its_interval(
    rule: str, line: list[float], half: float, error: str | None
) -> None:
    slack = 0.01 if rule in ("constant", "linear") else 0.0
    assert shape(rule, line, slack, half=half) == (PASS if error is None else MISS, error)


@pytest.mark.parametrize(
    ("line", "half", "slack", "error"),
    [
        ([3, 2, 1, 9], 0.7, 0, None),
        ([3, 2, 1, 9], 0.71, 0, "4 is no more than an interval below 2"),
        ([3, 2.9, 1, 9], 0.1, 0, "2 is no more than an interval below 1"),
        ([3, 2.9, 1, 9], 0.05, 0, None),
        ([3, 3, 1, 9], 0.1, 0, "2 is not below 1"),
        # What counts as equal is a share of the value; the interval has to lie within it.
        ([3, 3, 1, 9], 0.01, 0.01, None),
        ([3, 3, 1, 9], 0.1, 0.01, "2 is not below 1"),
    ],
)
def test_what_is_below_is_so_by_more_than_its_interval(
    line: list[float], half: float, slack: float, error: str | None
) -> None:
    assert shape("order", line, slack, ("1", "2", "4"), half) == (PASS if error is None else MISS, error)


@given(st.lists(st.floats(-1e3, 1e3), min_size=4, max_size=4), st.floats(0, 10), st.floats(0, 10))
def test_a_wider_interval_never_turns_a_miss_into_a_pass(line: list[float], first: float, second: float) -> None:
    narrow, wide = sorted((first, second))
    for rule in ("increasing", "decreasing", "constant", "linear", "order"):
        order = ("8", "1", "4") if rule == "order" else ()
        assert [shape(rule, line, 0.01, order, half)[0] for half in (narrow, wide)] != [MISS, PASS]


def test_the_interval_of_the_run_is_that_of_the_shape(tmp_path: Path) -> None:
    # 100, 200, ... us, ±2 us each: half of the interval of a difference is 2.83 us.
    metric = '[metrics.close]\nformula = "response + {step} * max(depth - 7, 0)"\n'
    row = '[[expected]]\nid = "T-1"\nmetric = "close"\nrule = "decreasing"\nalong = "depth"\nover = ["4", "8"]\n'
    at = 'at = { mix = "read" }\n'
    for step, verdict in ((-402.9, PASS), (-402.8, MISS)):
        (found,) = judged(tmp_path, metric.format(step=step) + row + at)
        assert found.verdict == verdict, found.error


def test_a_shape_is_looked_at_along_every_line(tmp_path: Path) -> None:
    found = one(tmp_path, 'rule = "increasing"\nalong = "depth"')
    assert (found.verdict, found.published, found.ours) == (PASS, "increasing along depth", "100, 200, 400, 800")
    assert found.note == "on all of 2 lines; shown: mix = read"
    found = one(tmp_path, 'rule = "decreasing"\nalong = "depth"\nover = ["2", "8"]')
    assert (found.verdict, found.ours) == (MISS, "200, 400, 800")
    assert found.error == "breaks behind 4: 400, 800"
    found = one(tmp_path, 'at = { mix = "write", depth = ["1", "4"] }\nrule = "linear"\nalong = "depth"')
    assert (found.verdict, found.ours, found.note) == (PASS, "150, 450", "")
    found = one(tmp_path, 'rule = "order"\nalong = "mix"\nexpect = ["read", "write"]')
    assert (found.verdict, found.error, found.published) == (MISS, "write is not below read", "read > write")
    assert found.ours == "write 150 > read 100"


def test_the_unit_of_a_row_changes_no_shape(tmp_path: Path) -> None:
    found = one(tmp_path, 'at = { mix = "read" }\nrule = "increasing"\nalong = "depth"\nunit = "ms"')
    assert (found.verdict, found.ours, found.unit) == (PASS, "0.1, 0.2, 0.4, 0.8", "ms")


# ---------------------------------------------------------------- beside ours in figures


def test_published_numbers_stand_beside_ours_in_the_unit_of_the_metric(tmp_path: Path) -> None:
    rows = """
[[expected]]
metric = "response"
rows = [
  { id = "A", at = { depth = "2", mix = "read" }, value = 0.25, unit = "ms", tolerance = "20 %" },
  { id = "B", at = { depth = "2" }, value = 200 },
  { id = "C", at = { depth = "2", mix = "read" }, above = 100 },
  { id = "D", metric = "best", at = { mix = "write" }, value = 9 },
]
"""
    study, verdicts = both(tmp_path, rows)
    made = plan(study)
    frame = published_frame(study, measure(made, results_by_hand(made, summary)), verdicts)
    assert frame["id"].to_list() == ["A", "D"]
    first, derived = frame.rows(named=True)
    assert (first["value"], first["ours"], first["unit"]) == (pytest.approx(250), pytest.approx(200), "us")
    assert (first["low"], first["high"], first["verdict"]) == (pytest.approx(200), pytest.approx(300), PASS)
    assert (first["depth"], first["depth_value"], first["mix"]) == ("2", 2.0, "read")
    assert (derived["depth"], derived["depth_value"], derived["mix"], derived["ours"]) == (None, None, "write", 8.0)
