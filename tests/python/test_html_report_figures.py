"""The figures of the report against numbers worked out by hand."""

from __future__ import annotations

import math
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sansim.catalogue import column_of, segment_of, segments
from sansim.html_report import figures, folder, samples
from sansim.html_report.drawing import Drawing, Text, to_svg
from sansim.html_report.folder import RunFolder, labels
from sansim.html_report.looks import looks_of
from sansim.html_report.style import TONES, line_colour, time_unit
from sansim.html_report.system import System, read_systems
from test_html_report_support import full_folder, plain_folder

SCENARIO = {
    "loop": {"kind": "arbitrated-loop", "speed": "2GFC", "stations": ["controller", "drives", "spare"]},
    "controller": {"kind": "host"},
    "drives": {"kind": "drives", "count": 3},
    "spare": {"kind": "passive", "count": 2},
    "workload": {"kind": "closed", "from": "controller", "to": "drives"},
}


def made(rows: list[tuple[int, bool, int, float, float]], *, seconds: float = 1.0, **tables: pl.DataFrame) -> RunFolder:
    """A run of the scenario above with these I/Os: drive, write, bytes, completed and response time in ns."""
    schema = {
        "drive": pl.UInt32,
        "write": pl.Boolean,
        "bytes": pl.UInt64,
        "completed_ns": pl.Float64,
        "response_time_ns": pl.Float64,
    }
    ios = pl.DataFrame(rows, schema=schema, orient="row").with_columns(pl.col("response_time_ns").alias("loop.wire_ns"))
    return RunFolder(
        path=Path("run"),
        summary={"simulated_s": seconds, "components": {"loop": {}, "controller": {}, "drives": {}}, "devices": {}},
        run={},
        scenario=SCENARIO,
        scenario_text="",
        ios=ios,
        tenancies=tables.get("tenancies"),
        paths=tables.get("paths"),
        samples=tables.get("samples"),
    )


@pytest.fixture
def system() -> System:
    (system,) = read_systems(SCENARIO)
    return system


# ---------------------------------------------------------------- indices


def test_jains_index_of_equal_shares_is_one_and_of_a_monopoly_one_over_n() -> None:
    assert figures.jain([5.0, 5.0, 5.0, 5.0]) == 1.0
    assert figures.jain([8.0, 0.0, 0.0, 0.0]) == 0.25
    assert figures.jain([1.0, 2.0, 3.0]) == pytest.approx(36 / (3 * 14))


def test_indices_of_nothing_are_unknown() -> None:
    for values in ([], [0.0, 0.0]):
        assert figures.jain(values) is None
        assert figures.min_max_ratio(values) is None


@given(st.lists(st.floats(0.001, 1e6), min_size=1, max_size=50))
def test_indices_lie_between_their_limits(values: list[float]) -> None:
    jain, ratio = figures.jain(values), figures.min_max_ratio(values)
    assert jain is not None
    assert ratio is not None
    assert 1 / len(values) * (1 - 1e-9) <= jain <= 1 + 1e-9
    assert 0 <= ratio <= 1


def test_difference_is_second_minus_first_and_per_cent_of_the_first() -> None:
    assert figures.difference(200.0, 150.0) == figures.Difference(-50.0, -25.0)
    assert figures.difference(0.0, 3.0) == figures.Difference(3.0, None)
    assert figures.difference(0.0, 0.0) == figures.Difference(0.0, 0.0)
    assert figures.difference(None, 3.0) == figures.Difference(None, None)


# ---------------------------------------------------------------- tables of a run


def test_drive_without_an_io_counts_with_rate_zero() -> None:
    run = made([])
    run.summary["devices"] = {
        "drives[0]": {"ios": 2, "iops": 1.0, "response_time_ns": {"mean": 5e6}},
        "drives[1]": {"ios": 0, "iops": 0.0, "response_time_ns": None},
        "drives[2]": {"ios": 1, "iops": 0.5, "response_time_ns": {"mean": 9e6}},
    }
    drives = figures.per_device(run)
    assert drives["group"].to_list() == ["drives"] * 3
    assert drives["name"].to_list() == ["drives[0]", "drives[1]", "drives[2]"]
    assert drives["iops"].to_list() == [1.0, 0.0, 0.5]
    assert drives["mean_ns"].to_list() == [5e6, None, 9e6]
    (row,) = figures.fairness(drives)
    assert (row.ratio, row.iops_max, row.mean_min_ns, row.mean_max_ns) == (0.0, 1.0, 5e6, 9e6)
    assert row.jain == pytest.approx(1.5**2 / (3 * 1.25))


def test_rates_over_time_add_up_to_the_bytes_of_the_run() -> None:
    rows = [(1, i % 3 == 0, 1000, 1e9 + i * 1e7, 5e6 + i) for i in range(1, 101)]
    run = made(rows, seconds=1.0)
    assert run.interval == (1e9, 2e9)
    table = figures.over_time(run, 8)
    assert table.height == 8
    total = (table["reads"] + table["writes"]).sum() / 8
    assert total == pytest.approx(100 * 1000)
    assert table["p99_ns"].max() == 5e6 + 100


def test_part_of_the_time_without_an_io_has_rate_zero_and_no_response_time() -> None:
    table = figures.over_time(made([(1, False, 10, 1e8, 1.0), (1, False, 10, 1e9, 1.0)]), 10)
    assert table["reads"].to_list()[3] == 0.0
    assert table["mean_ns"].to_list()[3] is None


def test_waterfall_shows_the_slowest_a_median_and_the_fastest() -> None:
    times = [5.0, 1.0, 9.0, 7.0, 3.0, 8.0, 2.0, 6.0, 4.0]
    run = made([(1, False, 512, float(i), time) for i, time in enumerate(times)])
    why = [(name, io["response_time_ns"]) for name, io in figures.chosen(run)]
    assert why == [("slowest", 9.0), ("2nd slowest", 8.0), ("3rd slowest", 7.0), ("median", 5.0), ("fastest", 1.0)]


def test_waterfall_of_a_handful_shows_each_once() -> None:
    run = made([(1, False, 512, float(i), 1.0) for i in range(4)])
    assert [io["completed_ns"] for _, io in figures.chosen(run)] == [0.0, 1.0, 2.0]
    assert figures.chosen(made([])) == []


def test_tenancies_are_counted_by_station_with_their_waiting(system: System) -> None:
    tenancies = pl.DataFrame(
        {
            "station": ["controller", "drives[1]", "controller"],
            "arbitration_began_ns": [0.0, 100.0, 1e6],
            "won_ns": [50.0, 400.0, 1e6 + 150.0],
            "ended_ns": [50.0 + 1e8, 400.0 + 3e8, 1e6 + 150.0 + 1e8],
        }
    )
    rows = figures.tenancies_by_station(made([], tenancies=tenancies), system).rows(named=True)
    assert [row["name"] for row in rows] == ["controller", "drives[0]", "drives[1]", "drives[2]"]
    assert [row["tenancies"] for row in rows] == [2, 0, 1, 0]
    assert [row["wait_mean_ns"] for row in rows] == [100.0, None, 300.0, None]
    assert [row["held"] for row in rows] == pytest.approx([0.2, 0.0, 0.3, 0.0])


def test_samples_of_a_group_become_mean_and_band() -> None:
    rows = [
        (at, f"drives[{i}]", "drive_queue", value) for at in (1e8, 2e8) for i, value in enumerate((0.0, 2.0, 4.0))
    ] + [(1e8, "controller", "outstanding", 7.0), (2e8, "controller", "outstanding", 0.0)]
    table = pl.DataFrame(rows, schema=["at_ns", "component", "quantity", "value"], orient="row")
    run = made([(1, False, 1, 1e9, 1.0)], samples=table)
    outstanding, queue = samples.bands(run, ["outstanding", "drive_queue"])
    assert (outstanding.component, outstanding.members, outstanding.mean) == ("controller", 1, [7.0, 0.0])
    assert (queue.component, queue.members) == ("drives", 3)
    assert (queue.low, queue.mean, queue.high) == ([0.0, 0.0], [2.0, 2.0], [4.0, 4.0])
    assert queue.at_s == [0.1, 0.2]


def test_parts_of_a_component_have_its_colour_and_dashes_of_their_own() -> None:
    rows = [(1e8, name, "credit", 1.0) for name in ("bridge.back", "bridge.front", "drives[0]")]
    table = pl.DataFrame(rows, schema=["at_ns", "component", "quantity", "value"], orient="row")
    run = made([(1, False, 1, 1e9, 1.0)], samples=table)
    found = {band.component: looks_of([run]).of(band.component) for band in samples.bands(run, ["credit"])}
    assert len({(look.colour, str(look.dashes)) for look in found.values()}) == 3
    assert found["bridge.back"].colour == found["bridge.front"].colour != found["drives"].colour


def test_many_samples_are_averaged_without_losing_a_peak() -> None:
    count = 5000
    table = pl.DataFrame(
        {
            "at_ns": [1e9 * i / count for i in range(1, count + 1)],
            "component": ["controller"] * count,
            "quantity": ["waiting"] * count,
            "value": [100.0 if i == 1234 else 1.0 for i in range(count)],
        }
    )
    (band,) = samples.bands(made([(1, False, 1, 1e9, 1.0)], samples=table), ["waiting"])
    assert len(band.at_s) <= samples.MOST_POINTS + 1
    assert max(band.high) == 100.0
    assert math.fsum(band.mean) / len(band.mean) == pytest.approx(1.02, abs=0.01)


def test_segments_of_a_real_io_add_up_to_its_response_time(tmp_path: Path) -> None:
    run = folder.read_one(full_folder(tmp_path / "run"))
    sums = run.ios.select(pl.sum_horizontal(column_of(line) for line in run.lines)).to_series()
    assert run.lines[0] == "controller.host_queue"
    assert sums.to_list() == pytest.approx(run.ios["response_time_ns"].to_list())


def test_every_segment_has_a_colour_of_its_own(tmp_path: Path) -> None:
    run = folder.read_one(plain_folder(tmp_path / "run"))
    colours = {name: segment.colour for name, segment in segments().items() if segment.colour is not None}
    assert {segment_of(line) for line in run.lines} <= set(colours)
    assert len(set(colours.values())) == len(colours) > 30


def test_a_segment_has_tones_of_its_colour_at_other_places_and_one_that_nobody_foresaw_has_a_colour_too() -> None:
    tones = {line_colour(f"loop-{number}.wire") for number in range(50)}
    assert len(tones) == len(TONES)
    wire = segments()["wire"].colour
    assert wire is not None
    assert wire.lower() in tones
    assert line_colour("shelf.lens") == line_colour("shelf.lens") != line_colour("shelf.prism")


# ---------------------------------------------------------------- scenarios and names


def test_differing_keys_are_named_with_both_values() -> None:
    first = {"run": {"seed": 1}, "controller": {"schedule": "fair"}, "title": "x"}
    second = {"run": {"seed": 1}, "controller": {"schedule": "unfair", "driver": {"limit": 3}}, "title": "x"}
    assert figures.scenario_differences(first, second) == [
        ("controller.schedule", '"fair"', '"unfair"'),
        ("controller.driver.limit", "-", "3"),
    ]


def test_stations_stand_in_the_order_of_the_loop(system: System) -> None:
    assert [s.name for s in system.stations] == [
        "controller",
        "drives[0]",
        "drives[1]",
        "drives[2]",
        "spare[0]",
        "spare[1]",
    ]
    assert (system.number("drives[2]"), system.number("controller"), system.number("nobody")) == (3, 0, None)


def test_runs_of_the_same_name_are_told_apart() -> None:
    assert labels([Path("/x/a"), Path("/x/b")]) == ["a", "b"]
    assert labels([Path("/x/out"), Path("/y/out")]) == ["x/out", "y/out"]
    assert labels([Path("/z/x/out"), Path("/w/x/out")]) == ["first", "second"]


def test_times_are_shown_in_a_unit_that_suits_them() -> None:
    assert [time_unit(ns)[1] for ns in (3.0, 4e3, 8e6, 2e9)] == ["ns", "µs", "ms", "s"]


def test_names_cannot_break_out_of_the_drawing() -> None:
    text = to_svg(Drawing(10, 10, [Text(0, 0, "<script>&")], '"><b>'), standalone=False)
    assert "<script>" not in text
    assert "<b>" not in text
    assert "&lt;script&gt;&amp;" in text
