"""Plots of studies: what they show, that nothing covers anything, and that the same study gives the same bytes."""

from __future__ import annotations

import hashlib
import itertools
import math
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import numpy as np
import polars as pl
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

from sansim.study.model import Axis, AxisValue, Plot
from sansim.study.plot import draw, save
from sansim.study.plot.look import common_words, plot_style
from sansim.study.plot.scales import size
from sansim.study.plot.series import Contents, contents
from test_study_support import Point, check_layout, make_axis, make_frame, make_metric, published_frame

SIZE = make_axis("size", [*(f"{2**power} KiB" for power in range(10)), "1 MiB"], "KiB", "I/O size")
SCHEDULE = make_axis("schedule", ["NORM", "CMDF"], label="Schedule")
MIX = make_axis("mix", ["read", "write", "66 % read"], label="Mix")
NODES = make_axis("nodes", [str(count) for count in range(2, 127, 4)], label="Nodes")
DISTANCE = make_axis("distance", ["0.1 km", "1 km", "2 km", "10 km", "100 km"], "km", "Distance")
AXES = (SIZE, SCHEDULE, MIX)
THROUGHPUT = make_metric("throughput", "MiB/s", "Throughput")
MEAN = make_metric("mean", "us", "mean response time")
P99 = make_metric("p99", "us", "p99 response time")
METRICS = (THROUGHPUT, MEAN, P99)
SLOWER = {"NORM": 150.0, "CMDF": 195.0}


def figure_6_3(metric: str, at: Point) -> float | tuple[float, float]:
    """Something like figures 6.3 to 6.5: I/Os that are limited by the drives first, by the loop then."""
    number = at["size"].number
    assert number is not None
    limit = SLOWER[at["schedule"].label] if at["mix"].label != "write" else 188.0
    rate = 1 / math.hypot(1024 / (7.33 * number), 1 / limit)
    match metric:
        case "throughput":
            return rate, 0.03 * rate
        case "mean":
            return 16 * number / rate / 2**20 * 1e6, 20.0
        case _:
            return 29 * number / rate / 2**20 * 1e6


FRAME = make_frame(AXES, METRICS, figure_6_3)
PUBLISHED_ROWS = [
    ("1 KiB", "NORM", "read", 7.32),
    ("64 KiB", "NORM", "read", 117.72),
    ("1 MiB", "NORM", "read", 152.97),
    ("64 KiB", "CMDF", "read", 193.14),
    ("64 KiB", "CMDF", "write", 183.63),
]


PUBLISHED = published_frame(AXES, PUBLISHED_ROWS)


def make_plot(
    x: str = "size",
    y: Sequence[str] = ("throughput",),
    lines: Sequence[str] = ("schedule",),
    panels: str | None = None,
    at: Mapping[str, tuple[str, ...]] | None = None,
    log: Sequence[str] = (),
    *,
    title: str = "Figure 6.3",
    published: bool = True,
) -> Plot:
    return Plot("figure-6-3", title, x, tuple(y), tuple(lines), panels, at or {}, tuple(log), published)


READ = {"mix": ("read",)}


def drawn(plot: Plot, axes: Sequence[Axis] = AXES, frame: pl.DataFrame = FRAME) -> Figure:
    return draw(plot, axes, METRICS, frame, PUBLISHED if axes is AXES else None)


def collected(plot: Plot, axes: Sequence[Axis] = AXES, frame: pl.DataFrame = FRAME) -> Contents:
    return contents(plot, axes, METRICS, frame, PUBLISHED if axes is AXES else None)


def legend_of(figure: Figure) -> Legend:
    """The legend, inside a panel or outside."""
    inside = [legend for axes in figure.axes if (legend := axes.get_legend())]
    (legend,) = [*figure.legends, *inside]
    return legend


def legend_texts(figure: Figure) -> list[str]:
    return [text.get_text() for text in legend_of(figure).get_texts()]


def lines_with(axes: Axes, *, marker: bool) -> list[Line2D]:
    """The lines of a panel, or the markers on them and beside them."""
    return [line for line in axes.lines if (line.get_marker() != "None") == marker]


def ticks(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.get_xticklabels()]


# ---------------------------------------------------------------- what is shown


def test_a_line_is_a_combination_of_labels_in_the_order_of_the_axes() -> None:
    found = collected(make_plot(lines=("schedule", "mix")))
    assert [line.key for line in found.lines] == list(itertools.product(SCHEDULE.labels, MIX.labels))
    assert found.x.labels == SIZE.labels
    assert found.x.numbers == tuple(float(2**power) for power in range(11))


def test_a_missing_point_leaves_a_gap() -> None:
    frame = FRAME.filter(~((pl.col("size") == "16 KiB") & (pl.col("schedule") == "NORM")))
    frame = frame.with_columns(value=pl.when(size="64 KiB", schedule="CMDF").then(None).otherwise("value"))
    first, second = collected(make_plot(at=READ), frame=frame).lines
    assert [math.isnan(value) for value in first.values] == [label == "16 KiB" for label in SIZE.labels]
    assert [math.isnan(value) for value in second.values] == [label == "64 KiB" for label in SIZE.labels]


def test_a_point_between_gaps_has_a_bar_instead_of_a_band() -> None:
    kept = ["1 KiB", "2 KiB", "16 KiB", "64 KiB"]
    frame = FRAME.filter((pl.col("schedule") == "NORM") & pl.col("size").is_in(kept))
    (line,) = collected(make_plot(at=READ), frame=frame).lines
    assert [SIZE.labels[at] for at, here in enumerate(line.banded) if here] == ["1 KiB", "2 KiB"]
    (axes,) = drawn(make_plot(at=READ), frame=frame).axes
    assert len(axes.containers[0]) == 3
    assert len(axes.containers[0][2][0].get_segments()) == 2


def test_published_values_belong_to_the_line_that_they_name() -> None:
    first, second = collected(make_plot(at=READ)).lines
    assert first.published == [(0, 7.32), (6, 117.72), (10, 152.97)]
    assert second.published == [(6, 193.14)]
    assert not any(line.published for line in collected(make_plot(at=READ, published=False)).lines)


def test_a_published_value_that_names_no_place_on_an_axis_holds_at_all_of_it() -> None:
    rows = [("64 KiB", None, "read", 100.0), (None, "CMDF", "read", 200.0), ("64 KiB", "NORM", "write", 300.0)]
    found = contents(make_plot(at=READ), AXES, METRICS, FRAME, published_frame(AXES, rows))
    assert found.lines[0].published == [(6, 100.0)]
    assert found.lines[1].published == [(6, 100.0), *((at, 200.0) for at in range(11))]


def test_a_published_value_is_shown_though_its_line_has_no_results() -> None:
    frame = FRAME.with_columns(value=pl.when(schedule="NORM").then(None).otherwise("value"))
    first, second = collected(make_plot(at=READ), frame=frame).lines
    assert first.key == ("NORM",)
    assert len(first.published) == 3
    assert all(map(math.isnan, first.values))
    assert not any(map(math.isnan, second.values))


def test_numbers_on_the_x_axis_are_sorted_and_words_are_not() -> None:
    depth = make_axis("depth", ["16", "1", "4"])
    frame = make_frame((depth,), [THROUGHPUT], lambda _, at: at["depth"].number)
    found = collected(make_plot("depth", lines=()), (depth,), frame)
    assert (found.x.labels, found.x.numbers) == (("1", "4", "16"), (1.0, 4.0, 16.0))
    assert found.lines[0].values == [1.0, 4.0, 16.0]
    assert collected(make_plot("mix", at={"size": ("1 KiB",)})).x.labels == MIX.labels


def test_axes_that_advance_together_are_no_reason_to_complain() -> None:
    ios = make_axis("ios", ["1000", "1000", "500"])
    points = [(SIZE.values[at], ios.values[at]) for at in range(3)]
    frame = make_frame((SIZE, ios), [THROUGHPUT], lambda *_: 1.0, points=points)
    (line,) = collected(make_plot(lines=()), (SIZE, ios), frame).lines
    assert line.values[:3] == [1.0, 1.0, 1.0]


def test_a_derived_metric_is_drawn_over_the_axes_that_it_has() -> None:
    frame = make_frame(AXES, METRICS, figure_6_3, lost={"throughput": "mix"})
    lines = collected(make_plot(at=READ), frame=frame).lines
    assert [line.key for line in lines] == [("NORM",), ("CMDF",)]


# ---------------------------------------------------------------- what cannot be drawn


@pytest.mark.parametrize(
    ("plot", "message"),
    [
        (
            make_plot(),
            r"'throughput' has several values at size = 1 KiB, which differ in 'mix' \(read, write\); name the",
        ),
        (make_plot(lines=("speed",)), "there is no axis 'speed'"),
        (make_plot(y=("latency",)), "there is no metric 'latency'"),
        (make_plot(at={"mix": ("half",)}), "there is no value of throughput at mix = half; has the study been run?"),
        (make_plot("mix", at={"size": ("1 KiB",)}, log=("x",)), "'mix' has words and cannot be logarithmic"),
        (make_plot(at=READ, log=("z",)), "`log` may have 'x' and 'y', not 'z'"),
    ],
)
def test_the_error_names_the_plot_and_what_to_do(plot: Plot, message: str) -> None:
    with pytest.raises(ValueError, match=f"plot 'figure-6-3': {message}"):
        drawn(plot)


def test_zero_has_no_logarithm() -> None:
    depth = make_axis("depth", ["0", "1", "2"])
    frame = make_frame((depth,), [THROUGHPUT], lambda _, at: at["depth"].number)
    with pytest.raises(ValueError, match="'depth' has the value 0, which has no logarithm; take \"x\" out of `log`"):
        drawn(make_plot("depth", lines=(), log=("x",)), (depth,), frame)
    with pytest.raises(ValueError, match="'throughput' is 0 at depth = 0, which has no logarithm; take \"y\" out"):
        drawn(make_plot("depth", lines=(), log=("y",)), (depth,), frame)
    figure = drawn(make_plot("depth", lines=(), log=("x", "y"), at={"depth": ("1", "2")}), (depth,), frame)
    assert figure.axes[0].get_yscale() == "log"


def test_a_metric_that_has_lost_the_x_axis_cannot_be_drawn_over_it() -> None:
    frame = make_frame(AXES, METRICS, figure_6_3, lost={"throughput": "size"})
    with pytest.raises(ValueError, match="'throughput' is derived along 'size' and has no value at its places"):
        drawn(make_plot(at=READ), frame=frame)


def test_more_lines_than_anyone_can_tell_apart_are_refused() -> None:
    frame = make_frame((NODES, SIZE), [THROUGHPUT], lambda *_: 1.0)
    assert len(drawn(make_plot(lines=("nodes",)), (NODES, SIZE), frame).axes[0].lines) == 2 * 32
    frame = make_frame((NODES, SCHEDULE, SIZE), [THROUGHPUT], lambda *_: 1.0)
    with pytest.raises(ValueError, match=r"64 lines are too many \(at most 48\); make an axis `panels`"):
        drawn(make_plot(lines=("nodes", "schedule")), (NODES, SCHEDULE, SIZE), frame)
    with pytest.raises(ValueError, match=r"32 panels are too many \(at most 24\)"):
        drawn(make_plot(panels="nodes"), (NODES, SCHEDULE, SIZE), frame)


# ---------------------------------------------------------------- how it is shown


def test_sizes_have_ticks_that_people_read() -> None:
    figure = drawn(make_plot(at=READ, log=("x",)))
    (axes,) = figure.axes
    assert ticks(axes) == ["1 KiB", "4 KiB", "16 KiB", "64 KiB", "256 KiB", "1 MiB"]
    assert axes.get_xlabel() == "I/O size"
    assert axes.get_ylabel() == "Throughput [MiB/s]"
    assert axes.get_xscale() == "log"
    assert figure.get_size_inches()[0] == pytest.approx(6.4)
    sizes = [size(count) for count in (0, 512, 1024, 1536, 2**20, 3 * 2**30)]
    assert sizes == ["0 B", "512 B", "1 KiB", "1.5 KiB", "1 MiB", "3 GiB"]


def test_other_numbers_have_their_unit_at_the_axis() -> None:
    frame = make_frame((DISTANCE,), [MEAN], lambda _, at: at["distance"].number)
    (axes,) = drawn(make_plot("distance", ("mean",), (), log=("x", "y")), (DISTANCE,), frame).axes
    assert ticks(axes) == ["0.1", "1", "2", "10", "100"]
    assert axes.get_xlabel() == "Distance [km]"
    assert axes.get_ylabel() == "Mean response time [µs]"
    linear = drawn(make_plot("distance", ("mean",), ()), (DISTANCE,), frame).axes[0]
    assert ticks(linear) == ["0", "20", "40", "60", "80", "100"]


def test_numbers_that_double_have_ticks_that_double() -> None:
    depth = make_axis("depth", ["1", "2", "4", "8", "16", "32"])
    frame = make_frame((depth,), [MEAN], lambda *_: 1.0)
    (axes,) = drawn(make_plot("depth", ("mean",), (), log=("x",)), (depth,), frame).axes
    assert ticks(axes) == ["1", "2", "4", "8", "16", "32"]


def test_bytes_that_are_no_powers_of_two_stay_plain_numbers() -> None:
    axis = make_axis("size", ["1000 B", "3000 B", "5000 B"], "B", "Size")
    (axes,) = drawn(make_plot(lines=()), (axis,), make_frame((axis,), [THROUGHPUT], lambda *_: 1.0)).axes
    assert ticks(axes) == ["1,000", "3,000", "5,000"]
    assert axes.get_xlabel() == "Size [B]"


def test_published_points_are_hollow_and_in_the_colour_of_their_line() -> None:
    figure = drawn(make_plot(at=READ))
    (axes,) = figure.axes
    hollow = [line for line in axes.lines if line.get_markerfacecolor() == "none"]
    colours = [to_hex(str(line.get_color())) for line in lines_with(axes, marker=False)]
    assert [to_hex(str(line.get_markeredgecolor())) for line in hollow] == colours
    assert len(set(colours)) == 2
    assert [len(np.asarray(line.get_xdata())) for line in hollow] == [3, 1]
    assert legend_texts(figure) == ["NORM", "CMDF", "published", "95 % interval"]


def test_lines_that_differ_in_two_things_have_both_in_their_label() -> None:
    figure = drawn(make_plot(lines=("schedule", "mix")))
    assert legend_texts(figure)[:3] == ["NORM, read", "NORM, write", "NORM, 66 % read"]
    lines = lines_with(figure.axes[0], marker=False)
    assert len({(to_hex(str(line.get_color())), str(line.get_linestyle())) for line in lines}) >= 4
    assert len({to_hex(str(line.get_color())) for line in lines}) == 2


def test_a_legend_of_many_lines_explains_colours_and_dashes_apart() -> None:
    frame = make_frame((SIZE, SCHEDULE, NODES), [MEAN], lambda *_: 1.0)
    figure = drawn(make_plot("nodes", ("mean",), ("size", "schedule")), (SIZE, SCHEDULE, NODES), frame)
    assert legend_texts(figure) == [*SIZE.labels, *SCHEDULE.labels]
    assert legend_of(figure).get_title().get_text() == "I/O size, Schedule"


def test_metrics_of_one_unit_share_axes_and_others_stand_below() -> None:
    figure = drawn(make_plot(y=("mean", "throughput", "p99"), at=READ))
    assert [axes.get_ylabel() for axes in figure.axes] == ["Response time [µs]", "Throughput [MiB/s]"]
    assert [len(lines_with(axes, marker=False)) for axes in figure.axes] == [4, 2]
    assert sorted(legend_texts(figure)[:3]) == ["NORM, Throughput", "NORM, mean", "NORM, p99"]


@pytest.mark.parametrize(
    ("texts", "common", "rests"),
    [
        (["mean response time", "p99 response time"], "response time", ["mean", "p99"]),
        (["Response time of reads", "Response time of writes"], "Response time", ["reads", "writes"]),
        (["Throughput", "Rate of reads"], "", ["Throughput", "Rate of reads"]),
        (["Rate", "Rate of reads"], "Rate", ["Rate", "Rate of reads"]),
        (["Rate"], "Rate", ["Rate"]),
    ],
)
def test_what_labels_have_in_common_is_said_once(texts: list[str], common: str, rests: list[str]) -> None:
    assert common_words(texts) == (common, rests)


def test_panels_share_their_axes() -> None:
    figure = drawn(make_plot(panels="mix", log=("x",)))
    assert [axes.get_title(loc="left") for axes in figure.axes] == list(MIX.labels)
    assert len({(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes}) == 1
    assert [axes.get_ylabel() for axes in figure.axes] == ["Throughput [MiB/s]", "", ""]
    numbered = drawn(make_plot("mix", panels="size", at={"size": ("4 KiB", "1 MiB")}))
    assert [axes.get_title(loc="left") for axes in numbered.axes] == ["I/O size 4 KiB", "I/O size 1 MiB"]


def test_panels_that_do_not_fill_their_rows_keep_their_tick_labels() -> None:
    figure = drawn(make_plot("schedule", lines=("mix",), panels="size", at={"size": SIZE.labels[:5]}))
    labelled = [bool(axes.get_xlabel()) for axes in figure.axes]
    assert labelled == [False, False, True, True, True]


def test_a_single_line_needs_no_legend_unless_there_is_something_beside_it() -> None:
    at = {"mix": ("66 % read",), "schedule": ("NORM",)}
    figure = draw(make_plot(y=("p99",), lines=(), at=at), AXES, METRICS, FRAME)
    assert not figure.legends
    assert figure.axes[0].get_legend() is None
    assert legend_texts(drawn(make_plot(lines=(), at=READ | {"schedule": ("NORM",)}))) == [
        "simulated",
        "published",
        "95 % interval",
    ]


def test_an_axis_begins_at_zero_unless_all_values_are_far_from_it() -> None:
    depth = make_axis("depth", ["1", "2"])
    for values, low in (((1.0, 2.0), 0.0), ((100.0, 101.0), 99.95), ((-1.0, 2.0), -1.15)):
        by_label = dict(zip(depth.labels, values, strict=True))
        frame = make_frame((depth,), [MEAN], lambda _, at, by_label=by_label: by_label[at["depth"].label])  # type: ignore[misc]
        (axes,) = drawn(make_plot("depth", ("mean",), ()), (depth,), frame).axes
        assert axes.get_ylim()[0] == pytest.approx(low)


# ---------------------------------------------------------------- nothing covers anything


LONG = make_axis(
    "system",
    [
        "12 disks, all fair",
        "96 disks behind three hubs, all fair",
        "Speicher mit überlangem Namen",
        "磁盘阵列",
        "$x_1$",
    ],
    label="System",
)
LONG_FRAME = make_frame((LONG,), METRICS, lambda _, at: (1234.5 + len(at["system"].label), 30.0))
NODES_FRAME = make_frame(
    (NODES, SIZE), METRICS, lambda _, at: 200 + (at["nodes"].number or 0) * (1 + (at["size"].number or 0) / 2e5)
)
LONG_TITLE = (
    "A title that is longer than a figure is wide and has to be broken, but nowhere else than between its words"
)
METRICS_NAMES = tuple(metric.name for metric in METRICS)
LAYOUTS: dict[str, Callable[[], Figure]] = {
    "panels": lambda: drawn(make_plot(panels="mix", log=("x",))),
    "panels and units": lambda: drawn(make_plot(y=("throughput", "mean"), panels="mix", log=("x", "y"))),
    "two lines axes": lambda: drawn(make_plot(lines=("schedule", "mix"), log=("x",), title=LONG_TITLE)),
    "linear sizes": lambda: drawn(make_plot(at=READ)),
    "units": lambda: drawn(make_plot(y=METRICS_NAMES, at=READ, log=("y",))),
    "words": lambda: drawn(make_plot("mix", at={"size": ("64 KiB",)})),
    "panels of words": lambda: drawn(make_plot("mix", panels="size", at={"size": SIZE.labels[:4]})),
    "long words": lambda: drawn(make_plot("system", ("mean", "p99"), (), title=LONG_TITLE), (LONG,), LONG_FRAME),
    "many lines": lambda: drawn(make_plot("size", lines=("nodes",), title=LONG_TITLE), (NODES, SIZE), NODES_FRAME),
    "many points": lambda: drawn(make_plot("nodes", lines=("size",), title=LONG_TITLE), (NODES, SIZE), NODES_FRAME),
    "one point": lambda: drawn(make_plot("system", lines=(), at={"system": ("$x_1$",)}), (LONG,), LONG_FRAME),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_nothing_covers_anything(name: str) -> None:
    figure = LAYOUTS[name]()
    with plot_style():
        check_layout(figure)


labels = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs", "Cc"]), min_size=1, max_size=40)


@st.composite
def plots(draw_from: st.DrawFn) -> tuple[Plot, tuple[Axis, ...], pl.DataFrame]:
    """Plots of any studies."""
    axes = []
    for name in ("x", "lines", "panels"):
        count = draw_from(st.integers(1, {"x": 12, "lines": 12, "panels": 5}[name]))
        names = draw_from(st.lists(labels, min_size=count, max_size=count, unique=True))
        numbers: list[float] | list[None] = [None] * count
        if draw_from(st.booleans()):
            factor = draw_from(st.sampled_from([1.0, 0.3, 1e6]))
            steps = draw_from(st.lists(st.integers(0, 1000), min_size=count, max_size=count, unique=True))
            numbers = [step * factor for step in steps]
        unit = draw_from(st.sampled_from(["", "KiB", "us"]))
        values = tuple(AxisValue(*pair, ()) for pair in zip(names, numbers, strict=True))
        axes.append(Axis(name, draw_from(labels), unit, values))
    means = draw_from(st.lists(st.none() | st.floats(-1e6, 1e6).map(lambda v: round(v, 3)), min_size=20, max_size=20))
    scale = draw_from(st.sampled_from([1.0, 1e-6, 1e9]))
    stock = itertools.cycle([None if mean is None else (mean * scale, abs(mean) * 0.1 * scale) for mean in means])
    frame = make_frame(axes, METRICS, lambda *_: next(stock))
    shown = draw_from(st.lists(st.sampled_from(METRICS_NAMES), min_size=1, max_size=2, unique=True))
    log = draw_from(st.lists(st.sampled_from(["x", "y"]), unique=True))
    plot = make_plot("x", shown, ("lines",), "panels", log=log, title=draw_from(st.just("") | labels))
    return plot, tuple(axes), frame


# Without shrinking: drawing takes its time.
@settings(max_examples=5, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(plots())
def test_any_plot_can_be_drawn_or_says_why_not(given_plot: tuple[Plot, tuple[Axis, ...], pl.DataFrame]) -> None:
    plot, axes, frame = given_plot
    try:
        figure = draw(plot, axes, METRICS, frame)
    except ValueError as error:
        assert str(error).startswith("plot 'figure-6-3': ")
        return
    with plot_style():
        check_layout(figure)


# ---------------------------------------------------------------- files

AGAIN = """
import sys
from pathlib import Path
from test_study_plot import READ, make_plot, drawn, save
save(drawn(make_plot(panels="mix", log=("x",))), Path(sys.argv[1]), "figure-6-3")
assert "matplotlib.pyplot" not in sys.modules
"""


def test_the_same_study_gives_the_same_bytes_in_another_process_too(tmp_path: Path) -> None:
    figure = drawn(make_plot(panels="mix", log=("x",)))
    files = save(figure, tmp_path / "first", "figure-6-3")
    assert [file.name for file in files] == ["figure-6-3.png", "figure-6-3.svg"]
    first = [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]
    pdfs = [save(figure, tmp_path / name, "figure-6-3", ["pdf"])[0].read_bytes() for name in ("first", "second")]
    assert pdfs[0] == pdfs[1]
    # Not that of the PNG that was made before has any influence.
    svg = save(figure, tmp_path / "second", "figure-6-3", ["svg"])
    assert svg[0].read_bytes() == files[1].read_bytes()
    environment = os.environ | {"PYTHONHASHSEED": "7", "PYTHONPATH": str(Path(__file__).parent)}
    subprocess.run([sys.executable, "-c", AGAIN, str(tmp_path / "third")], check=True, env=environment, timeout=120)
    assert [hashlib.sha256((tmp_path / "third" / file.name).read_bytes()).hexdigest() for file in files] == first


def test_files_say_by_what_they_were_made_but_not_when_nor_by_which_version(tmp_path: Path) -> None:
    png, svg = save(drawn(make_plot(at=READ, title="a < b & 'c' \x07")), tmp_path, "figure-6-3")
    assert png.read_bytes().count(b"tEXt") == 1
    assert b"tEXtSoftware\0sansim" in png.read_bytes()
    text = svg.read_text(encoding="utf-8")
    assert "<dc:date>" not in text
    assert "Matplotlib v" not in text
    ElementTree.fromstring(text)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["figure-6-3.png", "figure-6-3.svg"]


def test_drawing_leaves_the_settings_of_matplotlib_alone(tmp_path: Path) -> None:
    before = dict(matplotlib.rcParams)
    save(drawn(make_plot(at=READ)), tmp_path, "figure-6-3")
    assert dict(matplotlib.rcParams) == before


def test_unknown_formats_and_names_that_lead_elsewhere_are_refused(tmp_path: Path) -> None:
    figure = drawn(make_plot(at=READ))
    with pytest.raises(ValueError, match="figures are written as png, pdf, svg, not as gif"):
        save(figure, tmp_path, "figure-6-3", ["png", "gif"])
    with pytest.raises(ValueError, match="no name for a file"):
        save(figure, tmp_path, "../figure-6-3")
    assert not list(tmp_path.iterdir())
