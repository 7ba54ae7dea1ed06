"""Studies of runs with more arrivals than completions: no response times, and everything else goes on."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from sansim.cli import cli
from sansim.doubts import UNSTABLE
from sansim.html_report.style import INK
from sansim.study.measure.metrics import AGAINST_UNSTABLE, Measured
from sansim.study.model import Along, Metric, Place, Plot
from sansim.study.plot import draw
from sansim.study.plot.look import BEYOND, MARKED
from sansim.study.plot.series import Contents, contents
from sansim.study.verdict import MISS, PASS, judge
from study_support import HEAD, US, measured_by_hand, read
from test_study_support import Found, Point, check_layout, make_axis, make_frame, make_metric

ROOT = Path(__file__).resolve().parents[2]
LAST = "8"
"""The depth at which more requests arrive than complete."""


def beyond(labels: Mapping[str, str], replication: int) -> Mapping[str, object]:
    """Two workloads, one of which is unstable at the last depth."""
    depth, over = float(labels["depth"]), labels["depth"] == LAST
    times = {"mean": US * (1 + depth**2 + replication), "ci95": US, "p99": 9 * US}
    calm = {"response_time_ns": {"mean": 5 * US}, "unstable": False}
    return {
        "iops": 100.0 * depth,
        "response_time_ns": None if over else times,
        "ledger_ns": None if over else {"mean": {"loop.wire": US}, "slowest_percent": {}},
        "unstable": ["wild"] if over else [],
        "workloads": {"wild": {"response_time_ns": None if over else times, "unstable": over}, "calm": calm},
        "devices": {"disk": {"response_time_ns": None if over else times}},
        "statistics": {"trusted": not over},
    }


def metrics(folder: Path, text: str, more: str = "") -> dict[str, Measured]:
    return measured_by_hand(read(folder, f"{HEAD}{text}{more}"), beyond)


@pytest.mark.parametrize(
    "path",
    [
        "response_time_ns.mean",
        "response_time_ns.p99",
        "ledger_ns.mean.loop.wire",
        "ledger_ns.mean.*.wire",
        "workloads.wild.response_time_ns.mean",
        "devices.disk.response_time_ns.mean",
    ],
)
def test_a_time_of_an_unstable_run_is_unstable_and_no_number(path: str, tmp_path: Path) -> None:
    cells = metrics(tmp_path, f'[metrics.m]\nvalue = "{path}"\n')["m"].cells
    for (depth, _), cell in cells.items():
        if depth == 3:
            assert (cell.values, cell.word, cell.estimate, cell.within_run) == ((UNSTABLE,), UNSTABLE, None, None)
        else:
            assert cell.estimate is not None


@pytest.mark.parametrize(
    ("path", "expected"), [("iops", 800.0), ("workloads.calm.response_time_ns.mean", 5 * US), ("unknown", None)]
)
def test_what_an_unstable_run_tells_all_the_same_is_told(path: str, expected: float | None, tmp_path: Path) -> None:
    text = HEAD + f'[metrics.m]\nvalue = "{path}"\n'
    if expected is None:
        text = text.replace("unknown", "workloads.calm.response_time_ns.p99")
    assert measured_by_hand(read(tmp_path, text), beyond)["m"].cells[3, 0].values == (expected,)


def test_a_point_of_which_one_replication_is_unstable_is_unstable(tmp_path: Path) -> None:
    def sometimes(labels: Mapping[str, str], replication: int) -> Mapping[str, object]:
        return beyond(labels if replication == 1 else {**labels, "depth": "1"}, replication)

    text = HEAD + '[metrics.m]\nvalue = "response_time_ns.mean"\n[replications]\ncount = 3\n'
    cells = measured_by_hand(read(tmp_path, text), sometimes)["m"].cells
    assert [cells[depth, 0].word for depth in range(4)] == [None, None, None, UNSTABLE]
    assert cells[3, 0].estimate is None


RESPONSE = '[metrics.response]\nvalue = "response_time_ns.mean"\nunit = "us"\n[metrics.rate]\nvalue = "iops"\n'


@pytest.mark.parametrize(
    ("formula", "expected"),
    [("response * 2", UNSTABLE), ("response / 0", UNSTABLE), ("rate * response", UNSTABLE), ("rate * 2", 1600.0)],
)
def test_what_is_computed_from_an_unstable_time_is_unstable(formula: str, expected: object, tmp_path: Path) -> None:
    cell = metrics(tmp_path, RESPONSE, f'[metrics.m]\nformula = "{formula}"\n')["m"].cells[3, 0]
    assert (cell.values, cell.fault) == ((expected,), "")


@pytest.mark.parametrize(
    ("take", "expected"),
    [
        # Of 2, 5 and 17 us at 1, 2 and 4 the second is farthest below the chord; with a number at 8 it would be 4.
        ('take = "elbow"', 2.0),
        ('take = "maximum"', UNSTABLE),
        ('take = "peak"', UNSTABLE),
        ('take = "slope"', UNSTABLE),
        ('take = "ratio"\nbetween = ["8", "1"]', UNSTABLE),
        ('take = "ratio"\nbetween = ["1", "8"]', AGAINST_UNSTABLE),
        ('take = "ratio"\nbetween = ["2", "1"]', 2.5),
    ],
)
def test_along_an_axis_only_the_elbow_leaves_unstable_points_out(take: str, expected: object, tmp_path: Path) -> None:
    text = f'[metrics.m]\nof = "response"\nalong = "depth"\n{take}\n'
    cell = metrics(tmp_path, RESPONSE, text)["m"].cells[(0,)]
    assert (cell.values, cell.fault) == ((expected,), "")


@pytest.mark.parametrize(
    ("metric", "check", "verdict"),
    [
        ("response", "above = 3", PASS),
        ("longer", "above = 0", PASS),
        ("longer", "below = 0", MISS),
        ("longer", "between = [0, 1000]", MISS),
        ("shorter", "above = 0", MISS),
        ("twice", "above = 0", MISS),
    ],
)
def test_a_time_that_grows_without_end_is_above_any_number(
    metric: str, check: str, verdict: str, tmp_path: Path
) -> None:
    text = (
        f'{HEAD}{RESPONSE}[metrics.longer]\nof = "response"\nalong = "depth"\ntake = "gain"\nbetween = ["8", "1"]\n'
        '[metrics.shorter]\nof = "response"\nalong = "depth"\ntake = "gain"\nbetween = ["1", "8"]\n'
        '[metrics.twice]\nformula = "response * 2"\n'
    )
    at = "" if metric in ("longer", "shorter") else '\nat = { depth = "8" }'
    study = read(tmp_path, f'{text}[[expected]]\nid = "T-1"\nkind = "trend"\nmetric = "{metric}"\n{check}{at}\n')
    assert {row.verdict for row in judge(study, measured_by_hand(study, beyond))} == {verdict}


def test_the_elbow_would_be_elsewhere_if_the_last_point_had_a_number(tmp_path: Path) -> None:
    def served(labels: Mapping[str, str], _: int) -> Mapping[str, object]:
        return {"response_time_ns": {"mean": US * (1 + float(labels["depth"]) ** 2)}}

    text = HEAD + RESPONSE + '[metrics.m]\nof = "response"\nalong = "depth"\ntake = "elbow"\n'
    assert measured_by_hand(read(tmp_path, text), served)["m"].cells[(0,)].values == (4.0,)


# ---------------------------------------------------------------- pictures

LOAD = make_axis("load", [f"{rate}/s" for rate in (100, 200, 300, 400, 500)], "/s", "Requests that come")
KIND = make_axis("kind", ["slow", "fast"], label="Drives")
MEAN, P99 = make_metric("mean", "ms", "Response time, mean"), make_metric("p99", "ms", "Response time, p99")
KNEE = Metric("knee", "Knee", "/s", Along("mean", "load", "elbow"))
MARK = {"slow": 200.0, "fast": 400.0}


def served(metric: str, at: Point) -> Found:
    """Slow drives serve up to 300 a second, fast ones up to 450."""
    kind, rate = at["kind"].label, at["load"].number or 0.0
    if metric == "knee":
        return MARK[kind]
    capacity = 350.0 if kind == "slow" else 450.0
    return UNSTABLE if rate > capacity else (1.0 if metric == "mean" else 3.0) / (capacity - rate)


FRAME = make_frame((LOAD, KIND), (MEAN, P99, KNEE), served, lost={"knee": "load"})


def plot(y: tuple[str, ...], lines: tuple[str, ...] = (), at: Place | None = None, marks: tuple[str, ...] = ()) -> Plot:
    return Plot("curve", "", "load", y, lines, None, at or {}, (), False, marks)


def collected(what: Plot, frame: pl.DataFrame = FRAME) -> Contents:
    return contents(what, (LOAD, KIND), (MEAN, P99, KNEE), frame, None)


def drawn(what: Plot) -> Figure:
    return draw(what, (LOAD, KIND), (MEAN, P99, KNEE), FRAME)


def crosses(figure: Figure) -> list[tuple[float, str]]:
    """The crosses of the first panel: where, and in which colour."""
    found = [line for line in figure.axes[0].lines if line.get_marker() == BEYOND["marker"]]
    assert all(np.asarray(line.get_ydata()).tolist() == [1.0] for line in found), "at the upper edge"
    return [(float(np.asarray(line.get_xdata())[0]), to_hex(line.get_color())) for line in found]


def test_a_picture_has_crosses_where_a_line_is_unstable() -> None:
    what = plot(("mean",), lines=("kind",))
    slow, fast = collected(what).lines
    assert (slow.unstable, fast.unstable) == ([3, 4], [4])
    assert [value != value for value in slow.values] == [False, False, False, True, True]
    figure = drawn(what)
    (own, shared) = crosses(figure)
    line = next(line for line in figure.axes[0].lines if line.get_linestyle() != "None")
    assert own == (400.0, to_hex(line.get_color())), "of the slow drives alone"
    assert shared == (500.0, to_hex(INK)), "of both"
    check_layout(figure)


def test_one_cross_stands_for_all_metrics_that_are_unstable_there() -> None:
    assert crosses(drawn(plot(("mean", "p99"), at={"kind": ("slow",)}))) == [
        (400.0, to_hex(INK)),
        (500.0, to_hex(INK)),
    ]


def test_the_legend_explains_crosses_and_marks_and_stands_on_neither() -> None:
    figure = drawn(plot(("mean", "p99"), at={"kind": ("slow",)}, marks=("knee",)))
    legend = figure.axes[0].get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()][:4] == ["mean", "p99", "Knee", UNSTABLE]
    box = legend.get_window_extent()
    at = figure.axes[0].get_xaxis_transform().transform([(400.0, 1.0), (500.0, 1.0)])
    assert not any(box.contains(x, y) for x, y in at)
    check_layout(figure)


def test_a_line_without_any_value_is_shown_by_its_crosses() -> None:
    frame = FRAME.with_columns(
        value=pl.when(kind="slow", metric="mean").then(None).otherwise("value"),
        method=pl.when(kind="slow", metric="mean").then(pl.lit(UNSTABLE)).otherwise("method"),
    )
    slow, _ = collected(plot(("mean",), lines=("kind",)), frame).lines
    assert slow.unstable == [0, 1, 2, 3, 4]


def test_each_line_is_marked_at_its_own_place_and_no_other_metric_is() -> None:
    what = plot(("mean", "p99"), lines=("kind",), marks=("knee",))
    found = {(line.metric.name, *line.key): line.marks for line in collected(what).lines}
    assert found == {
        ("mean", "slow"): [(1, "Knee")],
        ("mean", "fast"): [(3, "Knee")],
        ("p99", "slow"): [],
        ("p99", "fast"): [],
    }
    (slow,) = (line for line in collected(what).lines if (line.metric.name, *line.key) == ("mean", "slow"))
    marks = [line for line in drawn(what).axes[0].lines if line.get_marker() == MARKED["marker"]]
    assert next((np.asarray(line.get_xdata()).tolist(), np.asarray(line.get_ydata()).tolist()) for line in marks) == (
        [200.0],
        [slow.values[1]],
    )


def test_a_mark_is_left_out_where_its_line_has_no_value() -> None:
    moved = FRAME.with_columns(value=pl.when(metric="knee").then(500.0).otherwise("value"))
    assert all(not line.marks for line in collected(plot(("mean",), lines=("kind",), marks=("knee",)), moved).lines)


# ---------------------------------------------------------------- the ready-made study


@pytest.mark.slow
def test_the_study_that_is_shipped_finds_the_knee_below_capacity_and_says_unstable_above(tmp_path: Path) -> None:
    file = ROOT / "studies" / "examples" / "load-latency.toml"
    with contextlib.chdir(tmp_path):
        done = CliRunner().invoke(cli, ["study", "run", str(file), "--out", "out", "--workers", "2"])
    assert (done.exit_code, done.stderr) == (0, ""), done.output
    folder = tmp_path / "out" / "load-latency"
    table = pl.read_parquet(folder / "results.parquet")
    means = table.filter(metric="mean").select("load_value", "value", "method").rows()
    assert [load for load, value, method in means if method == UNSTABLE] == [900.0, 1000.0]
    assert all((value is None) == (method == UNSTABLE) for _, value, method in means)
    (knee,) = table.filter(metric="knee")["value"]
    assert 400 < knee < 800, "below the capacity of four drives of 5 ms"
    assert (folder / "load-latency.svg").read_text(encoding="utf-8").count("unstable") >= 1
    assert "could not be computed" not in (folder / "results.md").read_text(encoding="utf-8")
