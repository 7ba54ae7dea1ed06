"""Which points a study has: axes that advance together, and what a quick validation needs of them."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sansim.study.model import Axis, AxisValue, Study
from sansim.study.points.needs import quick_places
from sansim.study.points.plan import plan, points_of
from sansim.study.read.study import read_study
from study_support import DERIVED, HEAD, measured_by_hand, read, study_of, summary, value

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
    study = Study(Path("x"), "", "", "", "", "", Path(), (), tuple(axes), tuple(groups))
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


def test_a_file_that_the_scenario_of_a_study_names_is_looked_for_beside_the_scenario(tmp_path: Path) -> None:
    """Not in the folder in which somebody happens to be."""
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "load.csv").write_text("0,a,R,0,8\n1,a,W,8,8\n")
    (tmp_path / "scenarios" / "replay.toml").write_text(
        """
[run]
measured_ios = "all"
warm_up = 0
[host]
kind = "host"
attached = ["disk"]
[disk]
kind = "ram-disks"
bandwidth = "1 GB/s"
[requests]
kind = "trace"
from = "host"
to = ["disk"]
file = "../load.csv"
columns = "time:ms,volume,op,offset:sectors,bytes"
"""
    )
    file = tmp_path / "study.toml"
    file.write_text('scenario = "scenarios/replay.toml"\n[metrics.iops]\nvalue = "iops"\n')
    (job,) = plan(read_study(file)).jobs[()]
    assert str(tmp_path) in job.scenario
