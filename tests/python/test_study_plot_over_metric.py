"""Plots over a metric: latency over IOPS, with intervals in both directions and points of other sources."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.lines import Line2D

import sansim
from sansim.study.model import Plot, Points
from sansim.study.plot import draw
from sansim.study.plot.scales import x_label
from sansim.study.plot.series import Contents, contents
from sansim.study.read import read_study
from study_support import changed, read, refused, write
from test_study_support import Point, check_layout, make_axis, make_frame, make_metric, published_frame

DEPTH = make_axis("depth", ["1", "2", "4", "8"], label="Depth")
ORDER = make_axis("order", ["fair", "unfair"], label="Order")
AXES = (DEPTH, ORDER)
IOPS = make_metric("iops", "IOPS", "I/Os of all")
OTHER = make_metric("other", "IOPS", "I/Os of the others")
MEAN = make_metric("mean", "us", "mean response time")
P99 = make_metric("p99", "us", "p99 response time")
LONG = make_metric("long", "s", "Longest response time")
METRICS = (IOPS, OTHER, MEAN, P99, LONG)
CURVE = {"1": (100.0, 10.0), "2": (180.0, 11.0), "4": (250.0, 16.0), "8": (240.0, 33.0)}
"""IOPS and mean response time by depth; with eight commands fewer are served than with four."""


def values(metric: str, at: Point) -> float | tuple[float, float]:
    iops, mean = CURVE[at["depth"].label]
    faster = 2.0 if at["order"].label == "unfair" else 1.0
    match metric:
        case "iops":
            return iops * faster, 5.0
        case "other":
            return 3 * iops
        case "mean":
            return mean, 1.0
        case "p99":
            return 2 * mean
        case _:
            return mean / 1e5


FRAME = make_frame(AXES, METRICS, values)
PLOT = Plot("latency", "Latency", "depth", ("mean",), ("order",), None, {}, (), published=True, over=("iops",))


def collected(plot: Plot = PLOT, frame: pl.DataFrame = FRAME, published: pl.DataFrame | None = None) -> Contents:
    return contents(plot, AXES, METRICS, frame, published)


def panel(plot: Plot = PLOT, frame: pl.DataFrame = FRAME, published: pl.DataFrame | None = None) -> Axes:
    figure = draw(plot, AXES, METRICS, frame, published)
    check_layout(figure)
    return figure.axes[0]


def xs(line: Line2D) -> list[float]:
    return [float(x) for x in np.asarray(line.get_xdata())]


def ys(line: Line2D) -> list[float]:
    return [float(y) for y in np.asarray(line.get_ydata())]


def test_points_lie_over_the_metric_in_the_order_of_the_axis() -> None:
    fair, unfair = collected().lines
    assert collected().x.shifted(fair) == [100.0, 180.0, 250.0, 240.0]
    assert fair.values == [10.0, 11.0, 16.0, 33.0]
    assert unfair.over == [200.0, 360.0, 500.0, 480.0]
    assert collected().x.numbers == (100.0, 180.0, 200.0, 240.0, 250.0, 360.0, 480.0, 500.0)


def test_the_line_is_drawn_over_the_metric_and_named_after_it() -> None:
    axes = panel()
    drawn = next(line for line in axes.lines if len(xs(line)) == 4)
    assert xs(drawn) == [100.0, 180.0, 250.0, 240.0]
    assert ys(drawn) == [10.0, 11.0, 16.0, 33.0]
    assert axes.get_xlabel() == "I/Os of all [IOPS]"
    assert axes.get_xlim()[0] == 0.0


def test_intervals_are_bars_in_both_directions_and_no_bands() -> None:
    axes = panel()
    assert not [part for part in axes.collections if type(part).__name__ == "FillBetweenPolyCollection"]
    bars = [part for part in axes.containers if isinstance(part, ErrorbarContainer)]
    assert {(part.has_xerr, part.has_yerr) for part in bars} == {(True, False), (False, True)}


def test_several_metrics_share_what_they_are_drawn_over_or_have_their_own() -> None:
    both = replace(PLOT, y=("mean", "p99"))
    found = {(line.metric.name, line.key): line.over for line in collected(both).lines}
    assert found["mean", ("fair",)] == found["p99", ("fair",)] == [100.0, 180.0, 250.0, 240.0]
    own = replace(both, over=("iops", "other"))
    found = {(line.metric.name, line.key): line.over for line in collected(own).lines}
    assert found["mean", ("fair",)] == [100.0, 180.0, 250.0, 240.0]
    assert found["p99", ("fair",)] == [300.0, 540.0, 750.0, 720.0]
    assert x_label(collected(own).x) == "I/Os [IOPS]"


def test_metrics_of_other_units_and_panels_are_small_multiples() -> None:
    figure = draw(replace(PLOT, y=("mean", "long"), lines=(), panels="order"), AXES, METRICS, FRAME)
    check_layout(figure)
    assert len(figure.axes) == 4
    assert [xs(axes.lines[0])[0] for axes in figure.axes] == [100.0, 200.0, 100.0, 200.0]


def test_a_point_whose_place_is_missing_is_not_drawn() -> None:
    lacks = (pl.col("metric") == "iops") & (pl.col("depth") == "2") & (pl.col("order") == "fair")
    fair, unfair = collected(frame=FRAME.filter(~lacks)).lines
    assert [math.isnan(value) for value in fair.values] == [False, True, False, False]
    assert not any(map(math.isnan, unfair.values))
    panel(frame=FRAME.filter(~lacks))


def test_a_metric_without_any_value_is_reported() -> None:
    with pytest.raises(ValueError, match="plot 'latency': there is no value of iops, over which it is drawn"):
        collected(frame=FRAME.filter(pl.col("metric") != "iops"))


def test_published_values_lie_over_the_published_metric_where_there_is_one() -> None:
    rows = [("4", "fair", 15.0), ("8", "fair", 30.0)]
    published = published_frame(AXES, rows, "mean")
    published = pl.concat([published, published_frame(AXES, [("4", "fair", 260.0)], "iops")])
    found = collected(published=published)
    fair = found.lines[0]
    assert [(found.position_of_published(fair, at), value) for at, value in fair.published] == [(260, 15), (240, 30)]
    panel(published=published)


def test_points_of_other_sources_are_drawn_and_named() -> None:
    plot = replace(PLOT, points=(Points("measured", "mean", (50.0, 700.0), (9.0, 40.0)),))
    axes = panel(plot)
    drawn = next(line for line in axes.lines if xs(line) == [50.0, 700.0])
    assert ys(drawn) == [9.0, 40.0]
    assert axes.get_xlim()[1] > 700.0
    assert axes.get_ylim()[1] > 40.0
    legend = axes.get_legend() or axes.figure.legends[0]
    assert "measured" in [text.get_text() for text in legend.get_texts()]
    # Along an axis of numbers, too, which reaches as far as they do.
    along = panel(replace(plot, over=(), points=(Points("measured", "mean", (0.5, 16.0), (9.0, 40.0)),)))
    assert along.get_xlim()[0] < 0.5
    assert along.get_xlim()[1] > 16.0


def test_what_has_no_logarithm_is_reported() -> None:
    points = (Points("measured", "mean", (0.0, 1.0), (9.0, 40.0)),)
    with pytest.raises(ValueError, match="the points 'measured' have 0 in `x`, which has no logarithm"):
        draw(replace(PLOT, log=("x",), points=points), AXES, METRICS, FRAME)
    zero = FRAME.with_columns(value=pl.when(metric="iops", depth="1").then(0.0).otherwise("value"))
    with pytest.raises(ValueError, match="'iops' is 0 at a point, which has no logarithm"):
        draw(replace(PLOT, log=("x",)), AXES, METRICS, zero)
    assert panel(replace(PLOT, log=("x", "y"))).get_xscale() == "log"


# ---------------------------------------------------------------- the study file

OVER = """
[[plots]]
name = "latency"
x = "throughput"
y = "response"
lines = "schedule"
"""


def over(old: str = "", new: str = "", more: str = "") -> str:
    return changed(more=(OVER.replace(old, new) if old else OVER) + more)


def test_a_study_file_names_a_metric_as_x(tmp_path: Path) -> None:
    plot = read(tmp_path, over()).plots[-1]
    assert (plot.x, plot.over, plot.lines) == ("size", ("throughput",), ("schedule",))
    plot = read(tmp_path, over('lines = "schedule"', 'at = { size = "4 KiB" }')).plots[-1]
    assert plot.x == "schedule"


def test_a_study_file_has_points_of_other_sources(tmp_path: Path) -> None:
    more = '[[plots.points]]\nlabel = "measured"\nx = [1, 2.5]\ny = [200, 300]\nsource = "a data sheet"\n'
    plot = read(tmp_path, over(more=more)).plots[-1]
    assert plot.points == (Points("measured", "response", (1.0, 2.5), (200.0, 300.0), "a data sheet"),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (over('x = "throughput"', 'x = "throughputs"'), "there is no axis `throughputs`, nor a metric"),
        (over('x = "throughput"', 'x = ["throughput", "size"]'), "`size` is an axis; several `x` are metrics"),
        (over('x = "throughput"', 'x = ["throughput", "throughput"]'), "there are 2 metrics in `x` for 1 in `y`"),
        (
            over('x = "throughput"\ny = "response"', 'x = ["throughput", "response"]\ny = ["response", "throughput"]'),
            "the metrics in `x` have different units: `MiB/s`, `us`",
        ),
        (over('lines = "schedule"', ""), "joined along one axis, and several are left: `size`, `schedule`"),
        (over('lines = "schedule"', 'lines = ["size", "schedule"]'), "joined along one axis, and none is left"),
        (
            over(more='[[plots.points]]\nlabel = "measured"\nx = [1, 2]\ny = [200]\n'),
            "there are 2 numbers in `x` and 1 in `y`",
        ),
        (
            over(more='[[plots.points]]\nlabel = "measured"\nof = "throughput"\nx = [1]\ny = [200]\n'),
            "the plot does not show `throughput`",
        ),
        (over(more='[[plots.points]]\nlabel = "measured"\nx = [1]\n'), "lacks the key `y`"),
        (over(more='[[plots.points]]\nlabel = "measured"\nx = []\ny = []\n'), "`x` has no numbers"),
        (over(more='[[plots.points]]\nlabel = "measured"\nx = ["1 us"]\ny = [1]\n'), "a number"),
        (
            over('x = "throughput"', 'x = "schedule"', '[[plots.points]]\nlabel = "m"\nx = [1]\ny = [1]\n').replace(
                'lines = "schedule"\n[[plots.points]]', 'lines = "size"\n[[plots.points]]'
            ),
            "points need an `x` of numbers, and `schedule` has the value `NORM`",
        ),
    ],
)
def test_a_plot_over_a_metric_that_cannot_be_is_reported(tmp_path: Path, text: str, said: str) -> None:
    assert said in str(refused(tmp_path, text))


def test_shipped_studies_draw_latency_over_iops() -> None:
    studies = Path(__file__).parents[2] / "studies"
    networks = read_study(studies / "four-networks" / "load.toml").plots[-1]
    assert len(networks.over) == len(networks.y) == 8
    assert networks.x == "load"
    depth = read_study(studies / "examples" / "queue-depth.toml").plots[-1]
    assert (depth.x, depth.over, depth.lines) == ("depth", ("throughput",), ("commands",))


def test_a_study_is_run_and_drawn_over_its_metric(tmp_path: Path) -> None:
    outcome = sansim.run_study(write(tmp_path, over()), workers=1)
    study, frame = outcome.study, outcome.frame()
    axes = draw(study.plots[-1], study.axes, study.metrics, frame).axes[0]
    assert axes.get_xlabel() == "Throughput [MiB/s]"
    rates = frame.filter(metric="throughput", schedule="NORM")["value"].to_list()
    assert xs(axes.lines[0]) == rates
