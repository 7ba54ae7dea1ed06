"""The waterfall of single requests at the true times: which are shown, what is merged, and what the caption says."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sansim.html_report import folder, ways
from sansim.html_report.charts import requests
from sansim.html_report.contents import waterfalls
from sansim.html_report.figures import ordinal
from sansim.html_report.folder import RunFolder
from sansim.html_report.style import png_file, svg_file, svg_inline
from sansim.html_report.ways import Bar, Stay
from test_html_report_support import full_folder, plain_folder

SCENARIO = {
    "loop": {"kind": "arbitrated-loop", "speed": "2GFC", "stations": ["controller", "drives"]},
    "controller": {"kind": "host"},
    "drives": {"kind": "drives", "count": 3},
    "workload": {"kind": "closed", "from": "controller", "to": "drives"},
}
PATH_SCHEMA = {
    "io": pl.UInt64,
    "place": pl.String,
    "segment": pl.String,
    "entered_ns": pl.Float64,
    "left_ns": pl.Float64,
}


def made(times: list[float], paths: dict[int, list[tuple[str, float, float]]] | None) -> RunFolder:
    """A run with an I/O of each of these response times, issued at a million ns each; some with a way since then."""
    ios = pl.DataFrame(
        [(i, 1, False, 512, (i + 1) * 1e6, (i + 1) * 1e6 + t, t, t / 2, t / 2) for i, t in enumerate(times)],
        schema={
            "io": pl.UInt64,
            "drive": pl.UInt32,
            "write": pl.Boolean,
            "bytes": pl.UInt64,
            "issued_ns": pl.Float64,
            "completed_ns": pl.Float64,
            "response_time_ns": pl.Float64,
            "loop.loop_ns": pl.Float64,
            "loop.wire_ns": pl.Float64,
        },
        orient="row",
    )
    rows = [
        (io, "loop", segment, (io + 1) * 1e6 + begin, (io + 1) * 1e6 + end)
        for io, stays in (paths or {}).items()
        for segment, begin, end in stays
    ]
    return RunFolder(
        path=Path("run"),
        summary={"simulated_s": 1.0, "components": {"loop": {}, "controller": {}, "drives": {}}, "devices": {}},
        run={},
        scenario=SCENARIO,
        scenario_text="",
        ios=ios,
        tenancies=None,
        paths=None if paths is None else pl.DataFrame(rows, schema=PATH_SCHEMA, orient="row"),
        samples=None,
    )


def known(*ios: int) -> dict[int, list[tuple[str, float, float]]]:
    """A way for each of these I/Os."""
    return {io: [("loop", 0.0, 1.0)] for io in ios}


def names(run: RunFolder) -> list[tuple[str, int]]:
    return [(why, io["io"]) for why, io in ways.chosen_ways(run)]


# ---------------------------------------------------------------- which are shown


def test_slowest_one_near_the_median_and_the_fastest_are_of_those_with_a_way() -> None:
    times = [float(t) for t in (50, 10, 90, 70, 30, 80, 20, 60, 40)]
    assert names(made(times, known(2, 5, 3, 7, 4, 6))) == [
        ("slowest", 2),
        ("2nd slowest", 5),
        ("3rd slowest", 3),
        ("near the median", 7),
        ("fastest kept", 6),
    ]
    assert names(made(times, known(*range(9))))[3:] == [("median", 0), ("fastest", 1)]


def test_place_that_is_named_is_the_one_among_all_ios() -> None:
    times = [float(t) for t in range(30, 0, -1)]
    assert [why for why, _ in names(made(times, known(0, 21, 22)))] == ["slowest", "22nd slowest", "23rd slowest"]
    # Of equally slow ones the earlier comes first.
    assert names(made([5.0, 5.0, 5.0, 5.0], known(3, 1))) == [("slowest", 1), ("2nd slowest", 3)]


def test_ordinals_are_english() -> None:
    assert [ordinal(n - 1) for n in (1, 2, 3, 4, 11, 12, 13, 21, 112)] == [
        "slowest",
        *(f"{n} slowest" for n in ("2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th")),
    ]


def test_run_without_a_way_shows_none() -> None:
    for paths in (None, {}, known(77)):
        assert ways.chosen_ways(made([1.0, 2.0], paths)) == []


def test_stays_are_told_since_the_issue() -> None:
    run = made([9.0, 9.0], {1: [("loop", 0.0, 4.0), ("wire", 4.0, 9.0)], 0: known(0)[0]})
    assert ways.way(run, run.ios.row(1, named=True)) == [Stay("loop.loop", 0.0, 4.0), Stay("loop.wire", 4.0, 9.0)]


# ---------------------------------------------------------------- what is merged


def stays(*pairs: tuple[float, float]) -> list[Stay]:
    return [Stay("wire", begin, end) for begin, end in pairs]


def test_long_stays_are_drawn_as_they_are_however_close() -> None:
    assert ways.bars(stays((0, 10), (10.1, 20), (20.5, 20.6), (21, 30)), 1.0) == [
        Bar(0, 10),
        Bar(10.1, 20),
        Bar(20.5, 20.6),
        Bar(21, 30),
    ]


def test_short_stays_close_together_become_one_bar_with_their_share() -> None:
    (bar,) = ways.bars(stays((0, 0.5), (1, 1.5), (2, 2.5), (3, 3.5), (4, 4.5)), 1.0)
    assert (bar.begin, bar.end) == (0, 4.5)
    assert bar.share == pytest.approx(2.5 / 4.5)
    assert ways.bars(stays((0, 0.5), (2, 2.5)), 1.0) == [Bar(0, 0.5), Bar(2, 2.5)]


@given(st.lists(st.tuples(st.floats(0, 3), st.floats(0.001, 3)), min_size=1, max_size=200), st.floats(0.01, 5))
def test_merged_bars_keep_the_time_and_are_few(gaps: list[tuple[float, float]], finest: float) -> None:
    at, given_stays = 0.0, []
    for gap, length in gaps:
        begin = at + gap
        at = begin + length
        given_stays.append(Stay("wire", begin, at))
    bars = ways.bars(given_stays, finest)
    total = sum(stay.end - stay.begin for stay in given_stays)
    assert sum((bar.end - bar.begin) * bar.share for bar in bars) == pytest.approx(total)
    assert all(before.end <= after.begin for before, after in pairwise(bars))
    assert all(0 < bar.share <= 1 for bar in bars)
    assert len(bars) <= 2 * at / finest + 3


def test_grey_lines_lead_only_to_and_from_bars() -> None:
    way = [Stay("dma", 0, 10), Stay("loop", 10, 10.1), Stay("wire", 10.1, 10.2), Stay("access", 10.2, 20)]
    assert ways.turns(way, 1.0) == [(10, "dma", "loop"), (10.2, "wire", "access")]


# ---------------------------------------------------------------- the chart


def chart_of(run: RunFolder) -> Any:
    (chart,) = waterfalls([run]).charts
    return chart


def test_caption_tells_true_places_from_sums() -> None:
    way = {0: [("loop", 0.0, 4e5), ("wire", 4e5, 9e5)]}
    true, sums = chart_of(made([9e5, 8e5], way)), chart_of(made([9e5, 8e5], None))
    assert "1 of 2 whose way was kept" in true.caption
    assert "at its true place" in true.caption
    assert "hairline" in true.caption
    assert "the places are not" not in true.caption
    assert "The widths are exact, the places are not." in sums.caption
    assert "paths.parquet" not in sums.caption


def shapes(figure: Any) -> list[Any]:
    """What is drawn in the columns of a waterfall: bars and hairlines, without the grey lines."""
    return [patch for axes in figure.axes for patch in axes.patches if patch.get_zorder() > 1]


def test_bars_stand_at_their_true_times_and_a_short_stay_is_a_hairline() -> None:
    from matplotlib.figure import Figure

    way = [("loop", 0.0, 4e6), ("wire", 4e6, 4.0001e6), ("loop", 4.0001e6, 9e6), ("wire", 9e6, 10e6)]
    run = made([10e6], {0: way})
    chart = chart_of(run)
    figure = Figure()
    chart.draw(figure)
    loop, wire, hair = shapes(figure)
    xs = [sorted({round(x, 4) for x, _ in patch.get_path().vertices}) for patch in (loop, wire, hair)]
    # In ms, rows in the order of the ledger.
    assert xs == [[0.0, 4.0, 4.0001, 9.0], [9.0, 10.0], [4.0]]
    assert hair.get_linewidth() == requests.HAIR
    assert hair.get_path().vertices[:, 1].mean() == 1


def test_thousands_of_tiny_stays_make_a_small_chart() -> None:
    way: list[tuple[str, float, float]] = []
    for frame in range(5000):
        at = 1e6 + frame * 1000.0
        way += [("loop", at, at + 100), ("credit", at + 100, at + 150), ("wire", at + 150, at + 1000)]
    times = [6e6 + i for i in range(5)]
    busy, calm = (made(times, {io: [("dma", 0.0, 1e6), *part] for io in range(5)}) for part in (way, way[:3]))
    large, small = (len(svg_inline(chart_of(run))) for run in (busy, calm))
    assert large < small * 1.2
    # One flat bar stands for five thousand stays, its height for their share.
    finest = 6e6 / 100
    (bar,) = ways.bars([Stay(s, a, b) for s, a, b in way if s == "wire"], finest)
    assert bar.share == pytest.approx(0.85, abs=1e-3)


def test_real_run_draws_the_ways_of_its_ios(tmp_path: Path) -> None:
    run = folder.read_one(full_folder(tmp_path / "run"))
    shown = ways.chosen_ways(run)
    slowest = run.ios["response_time_ns"].sort(descending=True)
    assert [io["response_time_ns"] for _, io in shown[:3]] == slowest.head(3).to_list()
    assert [why for why, _ in shown[:3]] == ["slowest", "2nd slowest", "3rd slowest"]
    assert len({io["io"] for _, io in shown}) == 5
    for _, io in shown:
        way = ways.way(run, io)
        assert way[0].begin == pytest.approx(0, abs=1e-3)
        assert way[-1].end == pytest.approx(io["response_time_ns"])
        assert all(a.end == pytest.approx(b.begin) for a, b in pairwise(way))
        for line in run.lines:
            spent = sum(stay.end - stay.begin for stay in way if stay.line == line)
            assert spent == pytest.approx(io[f"{line}_ns"], abs=1e-2), line
    chart = chart_of(run)
    assert "whose way was kept" in chart.caption
    assert svg_file(chart) == svg_file(chart_of(run))
    assert png_file(chart, dpi=50).startswith(b"\x89PNG")


def test_folder_without_paths_is_drawn_from_the_sums(tmp_path: Path) -> None:
    chart = chart_of(folder.read_one(plain_folder(tmp_path / "run")))
    assert "the places are not" in chart.caption
    assert svg_file(chart)
