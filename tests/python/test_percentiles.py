"""Any percentile wherever a figure is named: in summaries, reports, studies, plans and comparisons."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import sansim
from conftest import SMALL, Cli
from plan_support import PARTS, PLAN, SYSTEM, write_plan
from sansim import _core, catalogue, percentiles
from sansim.analysis.plan.read import read_plan
from sansim.analysis.plan.search import share_of
from sansim.analysis.plan.text import limited
from sansim.simulate import run_scenario
from sansim.study.points.plan import plan as plan_of
from sansim.study.read import read_study
from study_support import STUDY, changed, write

SCENARIOS = Path(__file__).parents[2] / "scenarios"
TWENTY = pl.DataFrame(
    {
        "workload": ["load"] * 20,
        "stream": [""] * 20,
        "host": ["host"] * 20,
        "device": ["disk[0]", "disk[1]"] * 10,
        "operation": ["read"] * 15 + ["write"] * 5,
        "response_time_ns": [float(1000 * number) for number in range(20, 0, -1)],
    }
)
"""Twenty I/Os of 1 to 20 us; the five shortest are writes."""


def times(count: int) -> dict[str, Any]:
    return {"ios": count, "response_time_ns": {"p99": 0}}


@pytest.mark.parametrize(
    ("written", "word"),
    [
        *(("p95", "p95"), ("95", "p95"), (95, "p95"), (95.0, "p95"), ("95 %", "p95"), ("P95", "p95"), ("95.0", "p95")),
        *(("p99.99", "p99_99"), ("p99_99", "p99_99"), (99.99, "p99_99"), (0.1, "p0_1"), ("p99.9500", "p99_95")),
        *((7, "p7"), (" p50 ", "p50"), (99.9999, "p99_9999")),
    ],
)
def test_a_percentile_has_one_name_however_it_is_written(written: object, word: str) -> None:
    assert percentiles.word_of(written) == word
    assert percentiles.is_word(word)


@pytest.mark.parametrize(
    "written", ["p100", "100", 0, "p0", -1, "95th", "p", "", True, math.nan, "99.99999", None, "p99.9.9"]
)
def test_what_is_no_percentile_is_refused(written: object) -> None:
    with pytest.raises(ValueError, match=r"percentile|digits"):
        percentiles.word_of(written)


def test_percentiles_are_those_of_the_nearest_rank_by_hand() -> None:
    summary = times(20) | {
        "reads": times(15),
        "writes": times(5),
        "workloads": {"load": times(20) | {"reads": times(15)}},
        "devices": {"disk[0]": times(10), "disk[1]": times(10)},
        "device_groups": {"disk": times(20)},
    }
    percentiles.add(summary, [TWENTY[:7], TWENTY[7:]], ["p95", "p95_0001", "p5", "p99_99"])
    # The 19th of twenty; a little more than 95 % needs the twentieth; 5 % is the first.
    assert summary["response_time_ns"] == {"p99": 0, "p95": 19000, "p95_0001": 20000, "p5": 1000, "p99_99": 20000}
    # The reads are 6 to 20 us: 95 % of 15 is 14.25, the fifteenth. The writes are 1 to 5 us.
    assert summary["reads"]["response_time_ns"]["p95"] == 20000
    assert summary["reads"]["response_time_ns"]["p5"] == 6000
    assert summary["writes"]["response_time_ns"]["p95"] == 5000
    assert summary["workloads"]["load"]["reads"]["response_time_ns"]["p5"] == 6000
    # Even times are those of the first device: 95 % of ten is the tenth.
    assert summary["devices"]["disk[0]"]["response_time_ns"]["p95"] == 20000
    assert summary["devices"]["disk[1]"]["response_time_ns"]["p95"] == 19000
    assert summary["device_groups"]["disk"]["response_time_ns"]["p95"] == 19000


def test_rows_that_are_not_those_of_the_summary_are_refused() -> None:
    with pytest.raises(ValueError, match="20 rows, but 21 I/Os"):
        percentiles.add(times(21), [TWENTY[:7], TWENTY[7:]], ["p95"])


def test_requested_percentiles_are_exact_and_between_their_neighbours(small: Path) -> None:
    result = sansim.run(small, percentiles=["p95", 99.99])
    found = result.summary["response_time_ns"]
    ordered = result.ios["response_time_ns"].sort()
    assert found["p95"] == int(ordered[math.ceil(0.95 * len(ordered)) - 1])
    assert found["p90"] * 0.9995 <= found["p95"] <= found["p99"] * 1.0005
    assert found["p99_9"] * 0.9995 <= found["p99_99"] <= found["max"]
    assert result.percentile(95) == pytest.approx(found["p95"], abs=1)
    assert result.percentile("p95", "read") == pytest.approx(result.summary["reads"]["response_time_ns"]["p95"], abs=1)
    assert "response_time_p95_ns" in result.parts.columns
    assert "p99.99" in result.report()


def test_other_figures_of_a_run_do_not_depend_on_requested_percentiles(small: Path) -> None:
    plain, more = sansim.run(small), sansim.run(small, percentiles=["p95"], collect_ios=False)
    for _, times, _ in percentiles.parts(more.summary):
        del times["p95"]
    assert more.summary == plain.summary
    assert not len(more.tables["ios"])
    assert not more.rows


@pytest.mark.parametrize("name", ["oltp-and-backup", "cached-volumes", "mirrored-appliances", "busy-and-lost", "grid"])
def test_each_part_of_a_system_has_the_percentile_of_its_own_rows(name: str) -> None:
    # A part of which the number of rows were not that of its I/Os would be refused.
    scenario = _core.Scenario.load(SCENARIOS / f"{name}.toml", [])
    summary = run_scenario(scenario, collect_ios=False, percentiles=("p95",)).summary
    parts = [times for _, times, _ in percentiles.parts(summary)]
    assert len(parts) > 4
    # The histograms of parts are off by less than 1 %.
    assert all(part["min"] <= part["p95"] <= part["max"] for part in parts)
    assert all(part["p90"] * 0.99 <= part["p95"] <= part["p99"] * 1.01 for part in parts)


def test_an_unstable_run_has_no_percentiles() -> None:
    scenario = _core.Scenario.load(SCENARIOS / "open-load.toml", [("load.arrivals.rate", '"100000/s"')])
    summary = run_scenario(scenario, collect_ios=False, percentiles=("p95",)).summary
    assert summary["unstable"]
    assert summary["response_time_ns"] is None


def test_percentile_of_a_result_says_what_it_lacks(small: Path) -> None:
    result = sansim.run(small, collect_ios=False)
    with pytest.raises(ValueError, match="collect_ios=False kept none"):
        result.percentile(95)
    with pytest.raises(ValueError, match="operation='reads' is unknown; write one of read, write"):
        sansim.run(small).percentile(95, "reads")


def test_the_catalogue_has_every_percentile_beside_a_99th() -> None:
    found = catalogue.figure("reads.response_time_ns.p99_99")
    assert found is not None
    assert (found.unit, found.several) == ("ns", False)
    assert found.label == "99.99th percentile of the response times of the reads"
    assert found.meaning == "99.99 % of the I/Os took no longer"
    assert catalogue.figure("iops.p95") is None
    assert catalogue.figure("response_time_ns.p100") is None
    for number, text in (("p91", "91st"), ("p92", "92nd"), ("p93", "93rd"), ("p11", "11th"), ("p95", "95th")):
        assert percentiles.ordinal(number) == f"{text} percentile"


def test_the_command_prints_percentiles_and_says_which_depend_on_few(cli: Cli) -> None:
    done = cli("run", SMALL, "--percentiles", "p95,99.99,p95", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["summary"]
    assert {"p95", "p99_99"} < set(found["response_time_ns"])
    assert f"note: p99.99: 0 of {found['ios']:,} I/Os are beyond it; measure 100,000 I/Os or more" in done.stderr
    assert "p95:" not in done.stderr
    wrong = cli("run", SMALL, "--percentiles", "p95,max")
    assert wrong.returncode == 2
    assert "'max' is not a percentile; write p95, 99.99 or p99_99" in wrong.stderr


def test_a_run_folder_and_its_report_have_requested_percentiles(cli: Cli, tmp_path: Path) -> None:
    assert cli("run", SMALL, "--percentiles", "p95", "--out", "out").returncode == 0
    rows = cli("query", "out", "select number from summary where key = 'response_time_ns.p95'", "--format", "csv")
    exact = cli("query", "out", "select quantile_disc(response_time_ns, 0.95) from ios", "--format", "csv")
    assert float(rows.stdout.split()[1]) == pytest.approx(float(exact.stdout.split()[-1]), abs=1)
    assert " p95 " in (tmp_path / "out" / "report.txt").read_text(encoding="utf-8")
    assert cli("report", "out", "--out", "page.html").returncode == 0
    assert ">p95<" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_two_scenarios_are_compared_by_percentiles(cli: Cli) -> None:
    done = cli("compare", SMALL, SMALL, "--replications", "2", "--percentiles", "95", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["metrics"]
    assert found["response_time_ns.p95"]["difference"] == 0
    assert found["response_time_ns.p95"]["first"] <= found["response_time_ns.p99"]["first"]
    both = sansim.compare(SMALL, SMALL, replications=2, percentiles=["p95"])
    assert "95th percentile" in both.text()


def test_a_study_measures_any_percentile(tmp_path: Path) -> None:
    text = changed(('value = "response_time_ns.mean"', 'value = "response_time_ns.p95"'))
    outcome = sansim.run_study(write(tmp_path, text), workers=1)
    point = outcome.plan.points[0]
    exact = sansim.run(tmp_path / "small.toml", {"workload.size": "4 KiB", "controller.schedule": "fair"}).percentile(
        95
    )
    cell = outcome.measured["response"].cells[point.places]
    assert cell.estimate is not None
    assert cell.estimate.mean == pytest.approx(exact / 1000, rel=1e-6)
    # Replications give it an interval.
    assert cell.within_run is None


def test_a_study_without_new_percentiles_keeps_no_rows(tmp_path: Path) -> None:
    assert plan_of(read_study(write(tmp_path, STUDY))).percentiles == ()
    text = changed(('value = "response_time_ns.mean"', 'value = "response_time_ns.p95"'))
    found = plan_of(read_study(write(tmp_path, text)))
    assert found.percentiles == ("p95",)
    assert {job.percentiles for job in found.all_jobs()} == {("p95",)}


def test_a_misspelt_percentile_of_a_study_is_reported(tmp_path: Path) -> None:
    text = changed(('value = "response_time_ns.mean"', 'value = "response_time_ns.p100"'))
    with pytest.raises(_core.ScenarioError, match=r"no figure `response_time_ns\.p100`"):
        sansim.run_study(write(tmp_path, text), workers=1)


def test_a_percentile_with_a_point_is_known_for_the_one_that_is_meant(tmp_path: Path) -> None:
    text = changed(('value = "response_time_ns.mean"', 'value = "response_time_ns.p99.9"'))
    with pytest.raises(_core.ScenarioError, match=r"did you mean `response_time_ns\.p99_9`\?"):
        sansim.run_study(write(tmp_path, text), workers=1)


@pytest.mark.parametrize(
    ("written", "share", "words"),
    [
        ("mean", None, "the mean response time"),
        ("p50", 0.5, "the median response time"),
        ("p95", 0.95, "the 95th percentile of the response time"),
        ("p99.95", 0.9995, "the 99.95th percentile of the response time"),
    ],
)
def test_a_plan_limits_any_percentile(tmp_path: Path, written: str, share: float | None, words: str) -> None:
    plan = PLAN.replace('response = "12 ms"', f'response = "12 ms"\nof = "{written}"')
    goal = read_plan(write_plan(tmp_path, plan, PARTS, SYSTEM)).goal
    assert share_of(goal) == share
    assert limited(goal) == words


def test_a_plan_is_confirmed_by_the_percentile_of_its_goal(tmp_path: Path) -> None:
    plan = PLAN.replace('response = "12 ms"', 'response = "30 ms"\nof = "p95"')
    found = sansim.plan(write_plan(tmp_path, plan, PARTS, SYSTEM), workers=1)
    assert found.winner is not None
    response = found.simulated[found.winner.candidate].response
    assert response is not None
    assert response.mean <= 30e6
    assert "p95" in response.method


def test_a_plan_says_which_percentiles_there_are(tmp_path: Path) -> None:
    plan = PLAN.replace('response = "12 ms"', 'response = "12 ms"\nof = "p100"')
    with pytest.raises(_core.ScenarioError, match="must be `mean` or a percentile, as `p50`, `p95`"):
        read_plan(write_plan(tmp_path, plan, PARTS, SYSTEM))
