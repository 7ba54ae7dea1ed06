"""Results of studies as tables: what they look like, and that nothing is lost on the way to other programs."""

from __future__ import annotations

import csv as csv_format
import io
import math
import sys
from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sansim.study.model import Axis, AxisValue, Metric
from sansim.study.table import csv, markdown, parquet, to_xarray, verdict_csv, verdict_markdown, verdict_text
from sansim.study.table.frame import FIXED, Cell, axis_names
from sansim.study.table.text import method_texts, number
from sansim.study.table.verdicts import columns, shortened
from sansim.study.verdict import Verdict
from test_study_support import ONE, Found, Point, make_axis, make_frame, make_metric, make_study

SIZE = make_axis("size", ["1 KiB", "64 KiB", "1 MiB"], "KiB", "I/O size")
SCHEDULE = make_axis("schedule", ["NORM", "CMDF"], label="Schedule")
THROUGHPUT = make_metric("throughput", "MiB/s", "Throughput")
RESPONSE = make_metric("response", "us", "Response time")
BUFFERS = make_metric("buffers", "", "Buffers")
GAIN = make_metric("gain", "%", "Gain")
MEASURED = {
    ("1 KiB", "NORM"): 7.33,
    ("1 KiB", "CMDF"): 7.33,
    ("64 KiB", "NORM"): 121.42,
    ("64 KiB", "CMDF"): 192.46,
    ("1 MiB", "NORM"): 155.684,
    ("1 MiB", "CMDF"): 194.89,
}


def table_6_5(metric: str, at: Point) -> Found:
    """Rows of table 6.5 and what follows from them."""
    rate = MEASURED[at["size"].label, at["schedule"].label]
    match metric:
        case "throughput":
            return rate, rate * 0.0123
        case "response":
            assert at["size"].number is not None
            return 16 * at["size"].number / rate / 2**20 * 1e6
        case "buffers":
            return 3.0
        case _:
            return 100 * (MEASURED[at["size"].label, "CMDF"] / MEASURED[at["size"].label, "NORM"] - 1)


# ---------------------------------------------------------------- Markdown


def test_a_row_is_a_point_and_metrics_of_other_axes_have_a_table_of_their_own() -> None:
    axes, metrics = (SIZE, SCHEDULE), (THROUGHPUT, RESPONSE, BUFFERS, GAIN)
    frame = make_frame(axes, metrics, table_6_5, lost={"gain": "schedule"})
    assert markdown(make_study(axes, metrics, "Table 6.5"), frame, level=3) == (
        "### Table 6.5\n"
        "\n"
        "| I/O size | Schedule | Throughput [MiB/s] | Response time [us] | Buffers |\n"
        "| -------- | -------- | -----------------: | -----------------: | ------: |\n"
        "| 1 KiB    | NORM     |      7.330 ± 0.090 |               2132 |       3 |\n"
        "| 1 KiB    | CMDF     |      7.330 ± 0.090 |               2132 |       3 |\n"
        "| 64 KiB   | NORM     |        121.4 ± 1.5 |               8236 |       3 |\n"
        "| 64 KiB   | CMDF     |        192.5 ± 2.4 |               5196 |       3 |\n"
        "| 1 MiB    | NORM     |        155.7 ± 1.9 |             102772 |       3 |\n"
        "| 1 MiB    | CMDF     |        194.9 ± 2.4 |              82098 |       3 |\n"
        "\n"
        "± is half the width of the 95 % confidence interval. Methods:\n"
        "\n"
        "- Throughput: 5 independent replications, Student t, 95 %.\n"
        "- Response time, Buffers: one replication, no interval.\n"
        "\n"
        "| I/O size | Gain [%] |\n"
        "| -------- | -------: |\n"
        "| 1 KiB    |        0 |\n"
        "| 64 KiB   |    58.51 |\n"
        "| 1 MiB    |    25.18 |\n"
        "\n"
        "Method: one replication, no interval.\n"
    )


def test_two_axes_and_one_metric_make_a_cross_table_with_dashes_where_points_are_missing() -> None:
    axes = (SIZE, SCHEDULE)
    frame = make_frame(
        axes,
        [THROUGHPUT],
        lambda metric, at: (
            None if (at["size"].label, at["schedule"].label) == ("1 MiB", "NORM") else table_6_5(metric, at)
        ),
    )
    assert markdown(make_study(axes, [THROUGHPUT]), frame) == (
        "## A study\n"
        "\n"
        "Throughput [MiB/s], by I/O size (down) and Schedule (across):\n"
        "\n"
        "| I/O size |          NORM |          CMDF |\n"
        "| -------- | ------------: | ------------: |\n"
        "| 1 KiB    | 7.330 ± 0.090 | 7.330 ± 0.090 |\n"
        "| 64 KiB   |   121.4 ± 1.5 |   192.5 ± 2.4 |\n"
        "| 1 MiB    |             - |   194.9 ± 2.4 |\n"
        "\n"
        "± is half the width of the 95 % confidence interval. Method: 5 independent replications, Student t, 95 %.\n"
    )


def test_of_more_axes_the_last_ones_stand_across() -> None:
    mix = make_axis("mix", ["read", "write"], label="Mix")
    axes = (SIZE, SCHEDULE, mix)
    frame = make_frame(axes, [BUFFERS], lambda _, at: at["size"].number)
    text = markdown(make_study(axes, [BUFFERS]), frame.sample(fraction=1, shuffle=True, seed=1))
    assert "Buffers, by I/O size (down) and Schedule, Mix (across):\n" in text
    assert "| I/O size | NORM, read | NORM, write | CMDF, read | CMDF, write |\n" in text
    assert "| 64 KiB   |      65536 |       65536 |      65536 |       65536 |\n" in text
    many = make_axis("many", [str(number) for number in range(13)])
    frame = make_frame((SIZE, many), [BUFFERS], lambda *_: 1.0)
    assert "across" not in markdown(make_study((SIZE, many), [BUFFERS]), frame)


def test_zipped_axes_make_no_cross_table() -> None:
    ios = make_axis("ios", ["1000", "500", "100"], label="I/Os")
    frame = make_frame(
        (SIZE, ios),
        [RESPONSE],
        lambda _, at: float(at["ios"].label),
        points=list(zip(SIZE.values, ios.values, strict=True)),
    )
    text = markdown(make_study((SIZE, ios), [RESPONSE]), frame)
    assert "| I/O size | I/Os | Response time [us] |" in text
    assert text.count("KiB") == 2


def test_a_study_without_axes_lists_its_metrics() -> None:
    study = make_study((), (THROUGHPUT, BUFFERS))
    text = markdown(
        study, make_frame((), study.metrics, lambda metric, _: (7.33, 0.2) if metric == "throughput" else 3.0)
    )
    assert "| Throughput [MiB/s] | 7.33 ± 0.20 |\n| Buffers            |           3 |\n" in text


def test_a_word_stands_for_itself_and_is_no_method() -> None:
    policy = make_metric("policy", "", "Policy")
    frame = make_frame((SIZE,), [policy], lambda *_: "command-first")
    text = markdown(make_study((SIZE,), [policy]), frame)
    assert text.count("command-first") == 3
    assert "Method" not in text
    assert csv(frame).splitlines()[1] == "0,1 KiB,1.0,command-first,"


def test_the_order_of_the_frame_does_not_matter() -> None:
    axes, metrics = (SIZE, SCHEDULE), (THROUGHPUT, RESPONSE)
    frame = make_frame(axes, metrics, table_6_5)
    mixed = frame.sample(fraction=1, shuffle=True, seed=3)
    study = make_study(axes, metrics)
    assert markdown(study, mixed) == markdown(study, frame)
    ordered = pl.concat([mixed.filter(metric=metric.name) for metric in metrics])
    assert csv(ordered, axes) == csv(frame, axes)


def test_labels_and_titles_stay_in_their_cells() -> None:
    axis = make_axis("case", ["a|b", "two\nlines", "<script>alert(1)</script>", "a < b", "磁盘"])
    frame = make_frame((axis,), [BUFFERS], lambda *_: 1.0)
    text = markdown(make_study((axis,), [BUFFERS], "x\ny"), frame)
    assert text.startswith("## x y\n")
    assert "| a\\|b " in text
    assert "| two lines " in text
    assert "<script" not in text
    assert "| a < b " in text
    assert len({line.count("|") - line.count("\\|") for line in text.splitlines() if line.startswith("|")}) == 1


def test_a_study_without_results_says_so() -> None:
    study = make_study((SIZE,), [THROUGHPUT])
    assert "No results." in markdown(study, make_frame((SIZE,), [THROUGHPUT], lambda *_: None))


def test_methods_that_differ_in_the_number_of_replications_only_are_told_once() -> None:
    cells = [Cell(1.0, 0.1, n, f"{n} independent replications, Student t, 95 %") for n in (9, 5, 95)]
    assert method_texts(cells) == ["5 to 95 independent replications, Student t, 95 %"]
    assert method_texts([Cell(1.0, None, 1, ONE), Cell(2.0, None, 1, ONE)]) == [ONE]


def test_two_values_at_a_point_are_an_error() -> None:
    frame = make_frame((SIZE,), [BUFFERS], lambda *_: 1.0)
    with pytest.raises(ValueError, match="'buffers' has two values at size = 1 KiB"):
        markdown(make_study((SIZE,), [BUFFERS]), pl.concat([frame, frame]))


@pytest.mark.parametrize(
    ("value", "half_width", "text"),
    [
        (121.4234, 0.3512, "121.42 ± 0.35"),
        (121.4234, 3.512, "121.4 ± 3.5"),
        (121.4234, 35.12, "121 ± 35"),
        (121.4234, 351.2, "121 ± 351"),
        (121.4234, 0.0996, "121.42 ± 0.10"),
        (121.4234, 0.000012, "121.42 ± less than 0.01 %"),
        (121.4234, 0.0, "121.4 ± 0"),
        (-0.01, 1.2, "0.0 ± 1.2"),
        (0.0, 0.05, "0.000 ± 0.050"),
        (0.0, None, "0"),
        (0.00123456, None, "0.001235"),
        (0.99996, None, "1.000"),
        (9999.6, None, "10000"),
        (123456.7, None, "123457"),
        (-7.333333, None, "-7.333"),
        (1.5e-9, None, "1.500e-09"),
        (1.5e20, 1e18, "1.500e+20 ± 1.0e+18"),
        (1.5e-20, 1e-21, "1.500e-20 ± 1.0e-21"),
        (math.nan, None, "-"),
        (math.inf, 1.0, "-"),
        (None, None, "-"),
    ],
)
def test_digits(value: float | None, half_width: float | None, text: str) -> None:
    assert number(value, half_width) == text


@given(st.floats(-1e12, 1e12).filter(lambda v: abs(v) > 1e-9 or v == 0), st.floats(1e-9, 1e9))
def test_what_is_shown_is_the_value_to_within_its_uncertainty(value: float, half_width: float) -> None:
    shown, _, _ = number(value, half_width).partition(" ± ")
    least = 5.1e-5 if half_width < 1e-4 * abs(value) else 1e-6
    assert abs(float(shown) - value) <= max(0.06 * half_width, least * abs(value), 1e-12)
    assert abs(float(number(value)) - value) <= 5.1e-4 * abs(value)


# ---------------------------------------------------------------- CSV and Parquet


def test_csv_has_units_in_the_heading_and_every_digit() -> None:
    axes, metrics = (SIZE, SCHEDULE), (THROUGHPUT, GAIN)
    frame = make_frame(axes, metrics, table_6_5, lost={"gain": "schedule"})
    lines = csv(frame, axes).split("\r\n")
    assert lines[0] == (
        "point,size,size_value [KiB],schedule,throughput [MiB/s],throughput ci95 [MiB/s],gain [%],gain ci95 [%]"
    )
    assert lines[1] == ",1 KiB,1.0,,,,0.0,"
    assert lines[2] == "0,1 KiB,1.0,NORM,7.33,0.090159,,"
    assert lines[-2] == "5,1 MiB,1024.0,CMDF,194.89,2.397147,,"
    assert lines[-1] == ""
    assert csv(frame).startswith("point,size,size_value,schedule,throughput [MiB/s],")


words = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)
finite_floats = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def results(draw: st.DrawFn) -> tuple[tuple[Axis, ...], tuple[Metric, ...], pl.DataFrame]:
    """Studies with any labels and values, some of them missing."""
    axes = []
    for name in draw(st.lists(st.sampled_from(["a", "b", "größe"]), unique=True, max_size=3)):
        labels = draw(st.lists(words, min_size=1, max_size=3, unique=True))
        numbers = draw(st.lists(st.none() | finite_floats, min_size=len(labels), max_size=len(labels)))
        unit = draw(st.sampled_from(["", "KiB", "ms"]))
        axes.append(Axis(name, name, unit, tuple(AxisValue(*pair, ()) for pair in zip(labels, numbers, strict=True))))
    metrics = [make_metric(name, draw(words)) for name in draw(st.sampled_from([["m"], ["m", 'größer, "x"']]))]
    cells = st.one_of(st.none(), finite_floats, st.tuples(finite_floats, st.floats(0, 1e300)))
    stock = iter(draw(st.lists(cells, min_size=54, max_size=54)))
    frame = make_frame(axes, metrics, lambda *_: next(stock))
    return tuple(axes), tuple(metrics), frame


@settings(max_examples=40, deadline=None)
@given(results())
def test_csv_gives_back_every_label_and_every_bit(
    given_results: tuple[tuple[Axis, ...], tuple[Metric, ...], pl.DataFrame],
) -> None:
    axes, _, frame = given_results
    text = csv(frame, axes)
    header, *lines = csv_format.reader(io.StringIO(text, newline=""))
    assert all(len(line) == len(header) for line in lines)
    assert len(lines) == frame.select(axis.name for axis in axes).n_unique() if axes and frame.height else True
    by_place = {
        tuple(line[header.index(axis.name)] for axis in axes): dict(zip(header, line, strict=True)) for line in lines
    }
    for row in frame.iter_rows(named=True):
        found = by_place[tuple(row[axis.name] for axis in axes)]
        unit = f" [{row['unit']}]"
        assert float(found[row["metric"] + unit]) == row["value"]
        half = found[f"{row['metric']} ci95{unit}"]
        assert (float(half) if half else None) == row["half_width_95"]
    assert markdown(make_study(*given_results[:2]), frame)


@settings(max_examples=25, deadline=None)
@given(results())
def test_parquet_gives_back_the_frame(
    tmp_path_factory: pytest.TempPathFactory, given_results: tuple[tuple[Axis, ...], tuple[Metric, ...], pl.DataFrame]
) -> None:
    frame = given_results[2]
    file = tmp_path_factory.mktemp("parquet") / "results.parquet"
    parquet(frame, file)
    first = file.read_bytes()
    assert pl.read_parquet(file).equals(frame)
    parquet(frame, file)
    assert file.read_bytes() == first
    assert [place.name for place in file.parent.iterdir()] == ["results.parquet"]


def test_the_axes_of_a_frame_are_read_off_its_columns() -> None:
    frame = make_frame((SIZE, SCHEDULE), [THROUGHPUT], table_6_5)
    assert axis_names(frame) == ["size", "schedule"]
    assert set(frame.columns) >= set(FIXED)


# ---------------------------------------------------------------- xarray


def test_xarray_has_a_dimension_per_axis_and_says_units() -> None:
    axes, metrics = (SIZE, SCHEDULE), (THROUGHPUT, GAIN)
    missing = ("64 KiB", "CMDF")
    frame = make_frame(
        axes,
        metrics,
        lambda metric, at: (
            None
            if metric == "throughput" and (at["size"].label, at["schedule"].label) == missing
            else table_6_5(metric, at)
        ),
        lost={"gain": "schedule"},
    )
    data = to_xarray(axes, frame, metrics)
    assert data["throughput"].dims == ("size", "schedule")
    assert data["gain"].dims == ("size",)
    assert data["size"].to_numpy().tolist() == [1.0, 64.0, 1024.0]
    assert data["size"].attrs == {"long_name": "I/O size", "units": "KiB"}
    assert data["schedule"].to_numpy().tolist() == ["NORM", "CMDF"]
    assert data["throughput"].attrs == {"units": "MiB/s", "long_name": "Throughput"}
    assert float(data["throughput"].sel(size=64, schedule="NORM")) == 121.42
    assert math.isnan(float(data["throughput"].sel(size=64, schedule="CMDF")))
    half = data["throughput_ci95"]
    assert float(half.sel(size=1024, schedule="CMDF")) == 194.89 * 0.0123
    assert half.attrs["method"] == "5 independent replications, Student t, 95 %"
    assert math.isnan(float(data["gain_ci95"][0]))


def test_axes_that_advance_together_share_a_dimension() -> None:
    # Some labels of the second axis are the same.
    ios = make_axis("ios", ["1000", "1000", "100"])
    points = [(SIZE.values[at], ios.values[at], other) for at in range(3) for other in SCHEDULE.values]
    frame = make_frame((SIZE, ios, SCHEDULE), [THROUGHPUT], table_6_5, points=points)
    data = to_xarray((SIZE, ios, SCHEDULE), frame, groups=[("size", "ios"), ("schedule",)])
    assert data["throughput"].dims == ("size", "schedule")
    assert data["ios"].dims == ("size",)
    assert data["ios"].to_numpy().tolist() == [1000.0, 1000.0, 100.0]
    assert float(data["throughput"].sel(size=1024, schedule="NORM")) == 155.684


def test_xarray_of_words_and_of_a_study_without_axes() -> None:
    frame = make_frame((SIZE,), [make_metric("policy")], lambda _, at: "fair" if at["size"].label == "1 KiB" else None)
    assert to_xarray((SIZE,), frame)["policy"].to_numpy().tolist() == ["fair", "", ""]
    assert float(to_xarray((), make_frame((), [BUFFERS], lambda *_: 3.0))["buffers"]) == 3.0


def test_xarray_complains_about_names_that_clash() -> None:
    metric = make_metric("size", "B")
    frame = make_frame((SIZE,), [metric], lambda *_: 1.0)
    with pytest.raises(ValueError, match="two things would be called 'size'"):
        to_xarray((SIZE,), frame)


def test_without_xarray_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(ImportError, match=r'pip install "sansim\[xarray\]"'):
        to_xarray((SIZE,), make_frame((SIZE,), [BUFFERS], lambda *_: 1.0))


# ---------------------------------------------------------------- verdicts


def verdict(
    target: str,
    published: float | str,
    ours: float | str | None,
    error: float | str | None,
    outcome: str,
    *,
    unit: str = "",
    source: str = "table 6.5",
    kind: str = "exact",
    note: str = "",
) -> Verdict:
    where = "size = 64 KiB"
    class_ = "remark" if kind == "remark" else "predicted"
    return Verdict(
        *(target, "study", source, kind, "throughput", where, published, ours, unit, error, outcome, note),
        class_=class_,
    )


VERDICTS = [
    verdict("W-R-64KB", 117.72, 121.4213, 3.144, "miss", unit="MiB/s", note="one drive sends twice per round " * 5),
    verdict("W-L01", 225.88, 225.911, "+0.03 ns", "pass", unit="ns"),
    verdict("W-C07", "NORM > CMDF", "NORM 121.4 > CMDF 99.2", None, "pass", kind="trend"),
    verdict("W-C09", "above 1000 IOPS", 7496.3, None, "pass", unit="IOPS", kind="trend"),
    verdict("W-M01", "printed 1 ms; equation (1) gives 10.4 ms", None, None, "corrected", source="", kind="remark"),
    verdict("W-P02", 7496.0, None, None, "missing", unit="IOPS"),
]


def test_verdicts_on_a_terminal_fit_it_by_shortening_notes() -> None:
    assert verdict_text(VERDICTS, width=119) == (
        "target    class      source           published                    ours     error  verdict    "
        "note\n"
        "W-R-64KB  predicted  table 6.5     117.72 MiB/s                  121.42   +3.14 %  miss       "
        "one drive sends twice pe…\n"
        "W-L01     predicted  table 6.5        225.88 ns                  225.91  +0.03 ns  pass\n"
        "W-C07     predicted  table 6.5      NORM > CMDF  NORM 121.4 > CMDF 99.2         -  pass\n"
        "W-C09     predicted  table 6.5  above 1000 IOPS               7496 IOPS         -  pass\n"
        "W-M01     remark                              -                       -         -  corrected  "
        "printed 1 ms; equation (…\n"
        "W-P02     predicted  table 6.5        7496 IOPS                       -         -  missing\n"
    )


def test_verdicts_without_notes_have_no_column_for_them() -> None:
    assert verdict_text(VERDICTS[1:2]) == (
        "target  class      source     published    ours     error  verdict\n"
        "W-L01   predicted  table 6.5  225.88 ns  225.91  +0.03 ns  pass\n"
    )
    assert verdict_text([]).split() == ["target", "class", "source", "published", "ours", "error", "verdict"]


def test_verdicts_in_markdown_have_whole_notes() -> None:
    text = verdict_markdown(VERDICTS)
    assert VERDICTS[0].note.strip() in text
    assert "| printed 1 ms; equation (1) gives 10.4 ms " in text


def test_verdicts_in_markdown_say_what_was_measured_and_how_far_it_may_be_off() -> None:
    rows = [replace(VERDICTS[0], tolerance="3 %"), replace(VERDICTS[4], metric="", where="", note="counts as W-C35")]
    header, _, first, second = (
        [cell.strip() for cell in line.strip("|").split("|")] for line in verdict_markdown(rows).splitlines()
    )
    assert header == [
        *("Target", "Class", "What", "Source", "Published", "Tolerance", "Ours", "Error", "Verdict", "Note"),
    ]
    assert first[:-1] == [
        *("W-R-64KB", "predicted", "throughput, size = 64 KiB", "table 6.5"),
        *("117.72 MiB/s", "3 %", "121.42", "+3.14 %", "miss"),
    ]
    assert second == [
        *("W-M01", "remark", "", "", "-", "-", "-", "-", "corrected"),
        "printed 1 ms; equation (1) gives 10.4 ms; counts as W-C35",
    ]


def test_verdicts_in_csv_have_all_digits() -> None:
    rows = list(csv_format.DictReader(io.StringIO(verdict_csv(VERDICTS), newline="")))
    assert (rows[0]["published"], rows[0]["ours"], rows[0]["unit"], rows[0]["error [%]"]) == (
        "117.72",
        "121.4213",
        "MiB/s",
        "3.144",
    )
    assert [row["verdict"] for row in rows] == [row.verdict for row in VERDICTS]
    assert [row["class"] for row in rows] == [row.class_ for row in VERDICTS]
    assert rows[5]["ours"] == ""


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.builds(
            verdict,
            st.text("WTR-0123", min_size=1, max_size=16),
            finite_floats | st.text(max_size=60),
            st.none() | finite_floats | st.text(max_size=60),
            st.none() | st.floats(-1000, 1000) | st.text(max_size=60),
            st.sampled_from(["pass", "miss", "corrected"]),
            source=st.text(max_size=40),
            note=st.text(max_size=300),
        ),
        max_size=6,
    )
)
def test_no_line_of_verdicts_is_too_wide_whatever_stands_in_it(verdicts: list[Verdict]) -> None:
    lines = verdict_text(verdicts).splitlines()
    assert max([0, *map(columns, lines)]) <= 120
    rows = [line for line in lines if not line.startswith((" ", "target "))]
    assert all(line.startswith(row.target) for line, row in zip(rows, verdicts, strict=True))
    assert len(list(csv_format.reader(io.StringIO(verdict_csv(verdicts), newline="")))) == len(verdicts) + 1


@given(st.text(max_size=40), st.integers(1, 30))
def test_a_shortened_text_fits(text: str, width: int) -> None:
    assert columns(shortened(text, width)) <= width
    assert columns(text) > width or shortened(text, width) == text
