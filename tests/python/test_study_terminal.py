"""Tables of studies on a terminal: they fit it or are stacked, and doubtful cells are marked."""

from __future__ import annotations

import polars as pl
import pytest

from sansim.study.model import DOUBT
from sansim.study.table import markdown, verdict_text
from sansim.study.verdict import Verdict
from test_study_support import make_axis, make_frame, make_metric, make_study

SIZE = make_axis("size", ["1 KiB", "64 KiB"], "KiB", "I/O size")
SCHEDULE = make_axis("schedule", ["NORM", "CMDF"], label="Schedule")
METRICS = [make_metric(f"m{number}", "MiB/s", f"Throughput of part {number}") for number in range(5)]
AXES = (SIZE, SCHEDULE)


def table(width: int | None, metrics: int = 5) -> list[str]:
    chosen = METRICS[:metrics]
    frame = make_frame(AXES, chosen, lambda metric, _: (float(metric[1:]) + 1, 0.01))
    return markdown(make_study(AXES, chosen), frame, width=width).splitlines()


@pytest.mark.parametrize("width", [80, 100, 120])
def test_tables_of_many_metrics_fit_the_terminal_by_being_split(width: int) -> None:
    assert max(map(len, table(None))) > width
    lines = table(width)
    assert max(map(len, lines)) <= width
    for metric in METRICS:
        assert sum(metric.label in line for line in lines if line.startswith("| I/O size")) == 1
    # Nothing of a row is lost: its place stands in each part.
    parts = sum(line.startswith("| I/O size") for line in lines)
    assert sum(line.startswith("| 64 KiB   | CMDF") for line in lines) == parts > 1


def test_a_table_that_fits_no_width_is_stacked() -> None:
    label = "Share of the time in which frames were on the wire between both of the two sites"
    metric = make_metric("wire", "%", label)
    frame = make_frame(AXES, [metric], lambda *_: 12.5)
    long = make_axis("schedule", ["NORM", "CMDF"], label="Schedule of the controller that sends the commands")
    lines = markdown(make_study((SIZE, long), [metric, METRICS[0]]), frame, width=80).splitlines()
    assert max(map(len, lines)) <= 80


def test_a_stacked_point_has_its_place_and_a_line_for_each_metric() -> None:
    metric = make_metric("wire", "%", "Share of the time with frames on the wire of the first of the two loops")
    other = make_metric("owned", "%", "Share of the time in which the loop between both sites was owned by one")
    frame = make_frame(AXES, [metric, other], lambda name, _: 12.5 if name == "wire" else 25.5)
    lines = markdown(make_study(AXES, [metric, other]), frame, width=80).splitlines()
    start = lines.index("I/O size 64 KiB, Schedule CMDF")
    block = " ".join(" ".join(lines[start + 1 : start + 5]).split())
    assert block.index("Share of the time with frames") < block.index("12.50") < block.index("25.50")


def test_a_value_in_doubt_is_marked_in_its_cell() -> None:
    frame = make_frame(AXES, METRICS[:1], lambda *_: (100.0, 1.0))
    doubtful = (pl.col("size") == "64 KiB") & (pl.col("schedule") == "CMDF")
    method = pl.when(doubtful).then(pl.col("method") + DOUBT).otherwise(pl.col("method"))
    text = markdown(make_study(AXES, METRICS[:1]), frame.with_columns(method=method))
    assert "| 1 KiB    | 100.0 ± 1.0 |   100.0 ± 1.0 |\n" in text
    assert "| 64 KiB   | 100.0 ± 1.0 | 100.0 ± 1.0 ? |\n" in text
    assert "Values with `?` have an interval that the run itself doubts." in text
    assert "in doubt" not in text
    assert "?" not in markdown(make_study(AXES, METRICS[:1]), frame)


def test_a_verdict_that_does_not_fit_is_stacked_and_its_values_stay_whole() -> None:
    row = Verdict(
        study="s",
        target="W-O04",
        kind="trend",
        metric="throughput",
        where="size = 64 KiB",
        source="figure 5.5 (a)",
        published="read > 66 % read > 50 % read > 25 % read",
        ours="read 8.865 > 66 % read 8.718 > 50 % read 8.682",
        unit="MiB/s",
        error=None,
        verdict="pass",
        note="",
    )
    text = verdict_text([row], width=80)
    assert max(map(len, text.splitlines())) <= 80
    for value in (str(row.published), str(row.ours)):
        assert value in " ".join(text.split())
