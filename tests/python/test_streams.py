"""What a person sees of workloads with streams, and of open loads beyond capacity."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import polars as pl
import pytest

import sansim
from conftest import SMALL, Cli
from sansim.html_report.contents import sections
from sansim.html_report.figures import loads, rates_over_time
from sansim.html_report.files import render
from sansim.html_report.folder import read
from sansim.text_report import headline, report
from streams_support import streams

UNSTABLE = (
    "`oltp` (`reads`) is unstable: more requests arrive than complete, so response times grow with the length of the"
    " run and are not reported; a longer run would not settle: lower the rate, use faster or more devices, or a closed"
    " workload, which issues a request only after an answer"
)
NO_LEDGER = "unstable, so there is no mean to divide up"


@cache
def result(rate: str) -> sansim.Result:
    return sansim.run(streams(rate))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The run folder of a rate."""
    root = tmp_path_factory.mktemp("runs")

    def saved(rate: str) -> Path:
        place = root / rate.replace("/", "-")
        if not place.exists():
            result(rate).save(place)
        return place

    return saved


def test_tables_name_the_workload_and_the_stream_of_each_io() -> None:
    counted = result("100/s").ios.group_by("workload", "stream").len()
    told = result("100/s").summary["workloads"]["oltp"]["streams"]
    assert sorted(counted.rows()) == sorted(("oltp", name, part["ios"]) for name, part in told.items())


def test_only_ios_of_a_closed_stream_have_a_slot() -> None:
    keys = "queue_depth = 3,"
    text = streams("100/s").replace("queue_depth = 2,", keys)
    assert keys in text
    slots = sansim.run(text).ios.group_by("stream").agg(pl.col("slot").unique().sort())
    assert dict(slots.iter_rows()) == {"reads": [0], "log": [0, 1, 2]}


def test_the_stream_of_a_workload_that_has_only_one_has_no_name() -> None:
    ios = sansim.run(SMALL).ios
    assert ios.select("workload", "stream").unique().rows() == [("workload", "")]


def test_terminal_tells_each_stream_under_its_workload() -> None:
    text = report(result("100/s").summary, {}, wall_time=False)
    lines = text.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("Workload "))
    assert lines[at].split()[1:] == ["I/Os", "share", "IOPS", "MB/s", "mean", "p50", "p99"]
    assert [line.split()[0] for line in lines[at + 1 : at + 4]] == ["oltp", "reads", "log"]
    assert "nstable" not in text
    assert max(map(len, lines)) <= 80


def test_terminal_says_that_a_load_beyond_capacity_is_unstable_instead_of_its_response_times() -> None:
    summary = result("2000/s").summary
    text = report(summary, {}, wall_time=False)
    told = " ".join(text.split())
    assert told.count(UNSTABLE) == 1
    assert f"UNSTABLE: {UNSTABLE}." in told
    assert "run longer" not in told
    assert "response times of neighbouring parts" not in told
    assert "Response time    unstable\n" in text
    rows = {line.split()[0]: line.split() for line in text.splitlines() if line.startswith("    ")}
    assert rows["reads"][-3:] == ["unstable", "-", "-"]
    assert "unstable" not in rows["log"]
    assert "mean response time unstable" in headline(summary)


def test_where_the_time_of_an_unstable_load_goes_is_told_nowhere(folder: Callable[[str], Path]) -> None:
    found = result("2000/s")
    assert found.summary["ledger_ns"] is None
    text = report(found.summary, {}, wall_time=False)
    (told,) = (part for part in text.split("\n\n") if part.startswith("Where the time goes"))
    assert told.startswith(f"Where the time goes: {NO_LEDGER}")
    assert max(map(len, text.splitlines())) <= 80
    assert found.ledger.is_empty()
    assert "mean_ns" in found.ledger.columns
    with pytest.raises(ValueError, match=NO_LEDGER):
        found.plot.ledger()
    for rates in (("2000/s",), ("100/s", "2000/s")):
        runs = read([folder(rate) for rate in rates])
        part = next(part for part in sections(runs) if part.name == "ledger")
        assert (part.charts, part.tables) == ([], [])
        (note,) = part.notes
        assert note.removeprefix(f"{runs[-1].label}: ").startswith(NO_LEDGER)


def test_page_shows_streams_and_the_word_unstable(folder: Callable[[str], Path]) -> None:
    (run,) = read([folder("2000/s")])
    parts = sections([run])
    page = render([run], parts)
    assert f'<p class="note">{UNSTABLE}.</p>' in page
    (table,) = (table for part in parts for table in part.tables if table.head and table.head[0] == "workload")
    mean = table.head.index("mean\nresponse")
    assert [(row[0].text, row[mean].text) for row in table.rows[:2]] == [
        ("oltp", "unstable"),
        ("oltp, reads", "unstable"),
    ]
    assert table.rows[2][0].text == "oltp, log" and table.rows[2][mean].text != "unstable"
    # No I/O failed: the column is a line below the table.
    assert "failed" not in table.head and table.foot.startswith("Zero in every row: failed.")
    grown = {part.name for part in parts for note in part.notes if "depend on the length of the run" in note}
    assert grown == {"response-times", "over-time", "fairness"}
    assert "rates-over-time" in [chart.name for part in parts for chart in part.charts]
    assert "None" not in page


def test_page_sets_a_stable_run_beside_an_unstable_one(folder: Callable[[str], Path]) -> None:
    for rates in (("100/s", "2000/s"), ("2000/s", "100/s")):
        runs = read([folder(rate) for rate in rates])
        parts = sections(runs)
        page = render(runs, parts)
        assert UNSTABLE in page
        compared = next(part for part in parts if part.name == "numbers").tables[0]
        mean = next(row for row in compared.rows if row[0].text == "mean response time")
        assert [cell.text == "-" for cell in mean[1:]] == [*(rate == "2000/s" for rate in rates), True, True]


def test_rates_over_time_of_the_streams_add_up_to_all_ios(folder: Callable[[str], Path]) -> None:
    (run,) = read([folder("100/s")])
    found = loads(run)
    assert [name for name, _ in found] == ["oltp.reads", "oltp.log"]
    begin, end = run.interval
    for ios, bins in ((ios, bins) for _, ios in found for bins in (1, 7, 40)):
        rates = rates_over_time(run, ios, bins)
        assert sum(rates) * (end - begin) / 1e9 / bins == pytest.approx(ios.height)


def test_notebook_says_unstable() -> None:
    html = result("2000/s")._repr_html_()
    assert html.count("is unstable: more requests arrive than complete") == 1
    assert "run longer" not in html


def test_unstable_run_is_queried_as_any_other(cli: Cli, folder: Callable[[str], Path]) -> None:
    done = cli("query", folder("2000/s"), "select stream, count(*) as n from ios group by stream order by stream")
    assert (done.returncode, done.stderr) == (0, "")
    assert "reads" in done.stdout and "log" in done.stdout
