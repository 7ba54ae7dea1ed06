"""Sessions of studies whose runs are made by hand: precision, what is found again, comparisons, frames."""

from __future__ import annotations

from pathlib import Path

import pytest

from sansim.study import session
from sansim.study.compare import Seeds, common, compare_studies, compare_values
from sansim.study.jobs.job import Job
from sansim.study.jobs.store import Store
from sansim.study.measure.statistics import over_replications, paired_difference, within
from sansim.study.points.plan import plan, seed_of
from sansim.study.resolved import setting_of
from sansim.study.session import Outcome, look, outcome_of, run_studies
from study_jobs import made_up
from study_support import HEAD, read

GRID = (
    HEAD
    + """\
unit = "%"
[metrics.response]
value = "response_time_ns.mean"
unit = "us"
[metrics.m]
of = "response"
along = "depth"
take = "maximum"
[metrics.word]
setting = "controller.schedule"
"""
)

# ---------------------------------------------------------------- frames


def test_the_long_frame_has_a_row_per_point_and_metric(tmp_path: Path) -> None:
    made = plan(read(tmp_path, GRID))
    store = Store(tmp_path / "results")
    for job, content in zip(made.all_jobs(), by_hand(made.all_jobs()), strict=True):
        store.write(job.key, content)
    frame = outcome_of(made, store).frame()
    assert frame.columns == [
        *("point", "depth", "depth_value", "mix", "mix_value"),
        *("metric", "value", "half_width_95", "n", "method", "unit"),
    ]
    assert len(frame) == 8 + 2 + 8
    first = frame.row(2, named=True)
    assert (first["point"], first["depth"], first["depth_value"]) == (2, "2", 2.0)
    assert (first["mix"], first["mix_value"], first["metric"], first["unit"]) == ("read", 100.0, "response", "us")
    derived = frame.filter(frame["metric"] == "m").row(1, named=True)
    assert (derived["point"], derived["depth"], derived["depth_value"], derived["mix"]) == (None, None, None, "write")
    word = frame.filter(frame["metric"] == "word").row(0, named=True)
    assert (word["value"], word["n"], word["method"]) == (None, None, "fair")


def test_an_outcome_is_a_line_in_a_notebook(tmp_path: Path) -> None:
    made = plan(read(tmp_path, GRID))
    store = Store(tmp_path / "results")
    assert repr(outcome_of(made, store)) == "<sansim study study: points: 8, metrics: 3, missing runs: 8>"
    for job, content in zip(made.all_jobs(), by_hand(made.all_jobs()), strict=True):
        store.write(job.key, content)
    assert repr(outcome_of(made, store)) == "<sansim study study: points: 8, metrics: 3>"


# ---------------------------------------------------------------- sessions


def by_hand(jobs: list[Job]) -> list[bytes]:
    """Results of jobs as the store keeps them: the seed is what varies."""
    made = []
    for job in jobs:
        depth = setting_of(job.scenario, "workload.queue_depth")
        assert isinstance(depth, int)
        # Luck that all points share, and some of their own.
        luck = 1000 * ((seed_of(job) * 7919) % 11) + (seed_of(job) * 31 + depth) % 3
        content = {"iops": 1.0, "response_time_ns": {"mean": 1e5 * depth + luck}, "bytes_per_second": 2**20 * depth}
        made.append(made_up(job.key, content))
    return made


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """Takes the place of the simulator. The seeds that were run, batch by batch."""
    batches: list[list[int]] = []

    def execute(jobs: list[Job], store: Store, *_: object) -> dict[str, str]:
        new = [job for job in {job.key: job for job in jobs}.values() if not store.has(job.key)]
        batches.append([seed_of(job) for job in new])
        for job, content in zip(new, by_hand(new), strict=True):
            store.write(job.key, content)
        return {}

    monkeypatch.setattr(session, "execute", execute)
    monkeypatch.setattr(session, "probe", lambda _: None)
    return batches


PRECISE = """
scenario = "small.toml"
[axes.depth]
key = "workload.queue_depth"
values = [1, 2]
[metrics.response]
value = "response_time_ns.mean"
unit = "us"
[replications]
metric = "response"
"""


def run_one(folder: Path, text: str) -> Outcome:
    (outcome,) = run_studies([read(folder, text)])
    return outcome


def test_replications_are_added_until_the_interval_is_narrow(runs: list[list[int]], tmp_path: Path) -> None:
    outcome = run_one(tmp_path, PRECISE + 'within = "1 %"\n')
    counts = {places: len(jobs) for places, jobs in outcome.plan.jobs.items()}
    for places, cell in outcome.measured["response"].cells.items():
        estimate = cell.estimate
        assert estimate is not None
        assert estimate.n == counts[places] >= 10
        assert within(estimate, 0.01)
        assert counts[places] == 10 or not within(over_replications(cell.numbers[:10]), 0.01)
    # The wider interval needs more; nothing is run that is not needed, and nothing twice.
    assert counts[0,] > counts[1,]
    assert sorted(seed for batch in runs for seed in batch) == sorted(
        [*range(1, 1 + counts[0,]), *range(1, 1 + counts[1,])]
    )
    assert outcome.imprecise == 0


def test_replications_end_at_the_most_there_may_be(runs: list[list[int]], tmp_path: Path) -> None:
    outcome = run_one(tmp_path, PRECISE + 'within = "0.01 %"\nmost = 12\n')
    assert [len(jobs) for jobs in outcome.plan.jobs.values()] == [12, 12]
    assert sum(map(len, runs)) == 24


@pytest.mark.usefixtures("runs")
def test_few_replications_are_allowed_to_be_the_most(tmp_path: Path) -> None:
    outcome = run_one(tmp_path, PRECISE + 'within = "50 %"\nmost = 4\n')
    assert [len(jobs) for jobs in outcome.plan.jobs.values()] == [4, 4]


def test_a_study_that_was_run_is_found_as_it_was(runs: list[list[int]], tmp_path: Path) -> None:
    text = PRECISE + 'within = "1 %"\n'
    first = run_one(tmp_path, text)
    before = len(runs)
    again = run_one(tmp_path, text)
    assert [batch for batch in runs[before:] if batch] == []
    for found in (again, look(read(tmp_path, text))):
        assert found.measured == first.measured
        assert (found.missing, found.imprecise) == (0, 0)


@pytest.mark.usefixtures("runs")
def test_a_study_that_was_left_says_that_replications_are_missing(tmp_path: Path) -> None:
    text = PRECISE + 'within = "1 %"\n'
    first = run_one(tmp_path, text)
    store = Store(tmp_path / "results")
    for job in first.plan.jobs[0,][12:]:
        store.place(job.key).unlink()
    found = look(read(tmp_path, text))
    assert (len(found.plan.jobs[0,]), found.missing, found.imprecise) == (12, 0, 1)
    for job in first.plan.jobs[0,][5:]:
        store.place(job.key).unlink(missing_ok=True)
    found = look(read(tmp_path, text))
    assert (len(found.plan.jobs[0,]), found.imprecise) == (5, 1)
    assert look(read(tmp_path, text), tmp_path / "elsewhere").missing == 4


# ---------------------------------------------------------------- comparisons


@pytest.mark.usefixtures("runs")
def test_two_values_are_compared_in_pairs(tmp_path: Path) -> None:
    text = PRECISE.replace('[replications]\nmetric = "response"\n', "[replications]\ncount = 10\n")
    outcome = run_one(tmp_path, text)
    (row,) = compare_values(outcome, outcome.study.axis("depth"), "2", "1")
    cells = outcome.measured["response"].cells
    assert row.difference == paired_difference(cells[1,].numbers, cells[0,].numbers)
    assert (row.where, row.metric, row.unit) == ("", "response", "us")
    assert row.gain == pytest.approx(100 * (row.first / row.second - 1))
    assert row.difference.half_width_95 is not None
    # What both have met alike cancels out.
    estimate = cells[0,].estimate
    assert estimate is not None
    assert estimate.half_width_95 is not None
    assert row.difference.half_width_95 < estimate.half_width_95 / 100


@pytest.mark.usefixtures("runs")
def test_only_runs_on_common_random_numbers_are_paired(tmp_path: Path) -> None:
    text = PRECISE.replace('[replications]\nmetric = "response"\n', "[replications]\ncount = 10\n")
    (tmp_path / "b").mkdir()
    one, same = run_one(tmp_path, text), run_one(tmp_path / "b", text)
    other = run_one(tmp_path / "b", text + '[set]\n"run.seed" = 99\n')
    assert {row.difference.method.split(" ")[0] for row in compare_studies(one, same)} == {"paired"}
    assert {row.difference.mean for row in compare_studies(one, same)} == {0.0}
    rows = compare_studies(one, other)
    assert [row.where for row in rows] == ["depth = 1", "depth = 2"]
    assert all("Welch" in row.difference.method for row in rows)


@pytest.mark.usefixtures("runs")
def test_points_with_different_numbers_of_replications_are_paired_as_far_as_they_go(tmp_path: Path) -> None:
    outcome = run_one(tmp_path, PRECISE + 'within = "1 %"\n')
    few = len(outcome.plan.jobs[1,])
    (row,) = compare_values(outcome, outcome.study.axis("depth"), "1", "2")
    assert len(outcome.plan.jobs[0,]) > few
    assert (row.difference.n, row.difference.method.split(" ")[0]) == (few, "paired")
    # The first of both, which have the same seeds.
    cells = outcome.measured["response"].cells
    assert row.difference == paired_difference(cells[0,].numbers[:few], cells[1,].numbers)


@pytest.mark.usefixtures("runs")
def test_what_is_derived_of_points_with_different_numbers_of_replications_has_as_many_as_all_have(
    tmp_path: Path,
) -> None:
    ratio = '[metrics.ratio]\nof = "response"\nalong = "depth"\ntake = "ratio"\nbetween = ["2", "1"]\n'
    outcome = run_one(tmp_path, PRECISE.replace("[replications]", f"{ratio}[replications]") + 'within = "1 %"\n')
    cells = outcome.measured["response"].cells
    assert len(cells[0,].values) > len(cells[1,].values)
    pairs = zip(cells[1,].numbers, cells[0,].numbers, strict=False)
    assert outcome.measured["ratio"].cells[()].values == tuple(pytest.approx(two / one) for two, one in pairs)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [((1, 2, 3), (1, 2, 3), True), ((1, 2, 3), (1, 2), True), ((1, 2), (1, 9), False), ((1, 2), (2, 1), False)],
)
def test_random_numbers_are_common_where_every_seed_is(first: Seeds, second: Seeds, *, expected: bool) -> None:
    assert common(first, second) is expected


@pytest.mark.usefixtures("runs")
def test_studies_are_compared_at_the_points_that_both_have(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    one = run_one(tmp_path, PRECISE.replace('metric = "response"\n', ""))
    other = run_one(tmp_path / "b", PRECISE.replace('metric = "response"\n', "").replace("[1, 2]", "[2, 3]"))
    assert [row.where for row in compare_studies(one, other)] == ["depth = 2"]
    assert compare_studies(one, other, ["nothing"]) == []
