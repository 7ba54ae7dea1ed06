"""The intervals of metrics: of replications, of a run, and of what is computed from others."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import pytest

from sansim.study.measure.statistics import Estimate, over_replications
from sansim.study.points.plan import plan, seed_of
from sansim.study.resolved import setting_of
from sansim.study.session import run_studies
from study_support import DERIVED, HEAD, Made, measured_by_hand, read, study_of, summary

# ---------------------------------------------------------------- replications


def test_replications_give_a_mean_with_its_interval(tmp_path: Path) -> None:
    metrics = f"""{DERIVED}take = "gain"
between = ["2", "1"]
[metrics.half]
formula = "response / 2"
[replications]
count = 3
"""
    measured = study_of(tmp_path, metrics)
    assert measured["response"].cells[0, 0].values == (100.0, 101.0, 102.0)
    assert measured["response"].cells[0, 0].estimate == over_replications([100.0, 101.0, 102.0])
    assert measured["half"].cells[1, 1].values == (125.0, 125.5, 126.0)
    # The gain of each replication, so that what the replications share cancels out.
    assert measured["m"].cells[0,].values == tuple(pytest.approx(100 * (200 + r) / (100 + r) - 100) for r in range(3))


def test_all_points_have_the_same_seeds(tmp_path: Path) -> None:
    text = HEAD + '[set]\n"run.seed" = 40\n[replications]\ncount = 3\n[metrics.m]\nvalue = "iops"\n'
    made = plan(read(tmp_path, text))
    assert {tuple(map(seed_of, jobs)) for jobs in made.jobs.values()} == {(40, 41, 42)}
    assert len({job.key for job in made.all_jobs()}) == 24
    for job in made.all_jobs()[:4]:
        assert setting_of(job.scenario, "run.seed") == seed_of(job)


def test_a_missing_replication_leaves_no_value(tmp_path: Path) -> None:
    text = f'{HEAD}{DERIVED}take = "gain"\nbetween = ["2", "1"]\n[replications]\ncount = 2\n'
    study = read(tmp_path, text)

    def gap(labels: Mapping[str, str], replication: int) -> Mapping[str, object] | None:
        return None if labels == {"depth": "2", "mix": "read"} and replication else summary(labels, replication)

    measured = measured_by_hand(study, gap)
    assert measured["response"].cells[1, 0].values == (200.0, None)
    assert measured["response"].cells[1, 0].estimate is None
    assert measured["m"].cells[0,].estimate is None
    estimate = measured["m"].cells[1,].estimate
    assert estimate is not None
    assert estimate.n == 2


@pytest.mark.parametrize(
    ("metric", "mean", "half_width", "method"),
    [
        ('value = "response_time_ns.mean"\nunit = "us"', 100.0, 2.0, "batch means within the run"),
        (
            'value = "response_time_ns.p99"\nunit = "us"',
            900.0,
            40.0,
            "percentile by batch means within the run, the wider side",
        ),
        ('value = "response_time_ns.p90"\nunit = "us"', 800.0, None, "one replication, no interval"),
        ('value = "iops"\nunit = "KIOPS"', 2.0, 0.05, "completions over time by batches within the run"),
        ('value = "components.loop.utilisation"', 0.25, None, "one replication, no interval"),
        ('setting = "workload.queue_depth"', 1.0, None, "one replication, no interval"),
    ],
)
def test_a_single_run_has_the_interval_that_it_gives_itself(
    metric: str, mean: float, half_width: float | None, method: str, tmp_path: Path
) -> None:
    estimate = study_of(tmp_path, f"[metrics.m]\n{metric}\n")["m"].cells[0, 0].estimate
    assert estimate == Estimate(mean, half_width, 1, method)


def test_an_interval_that_the_run_doubts_says_so(tmp_path: Path) -> None:
    study = read(tmp_path, f'{HEAD}[metrics.m]\nvalue = "iops"\n')
    doubted = measured_by_hand(study, lambda *of: {**summary(*of), "statistics": {"trusted": False, "doubts": ["x"]}})
    estimate = doubted["m"].cells[0, 0].estimate
    assert estimate is not None
    assert estimate.method == "completions over time by batches within the run, in doubt"


def test_a_figure_that_is_less_precise_than_asked_for_is_in_doubt(tmp_path: Path) -> None:
    study = read(tmp_path, f'{HEAD}[metrics.m]\nvalue = "iops"\n[metrics.n]\nvalue = "response_time_ns.mean"\n')
    wanted = {"of": "iops", "within": 0.01, "relative_half_width": 0.05, "reached": False, "ended_by": "most_ios"}
    statistics = {"trusted": True, "doubts": [], "precision": wanted}
    measured = measured_by_hand(study, lambda *of: {**summary(*of), "statistics": statistics})
    imprecise, other = (measured[name].cells[0, 0].estimate for name in ("m", "n"))
    assert imprecise is not None
    assert imprecise.method.endswith("less precise than run.precision asked for, in doubt")
    assert other is not None
    assert "in doubt" not in other.method


def test_the_intervals_of_a_real_run_are_found(tmp_path: Path) -> None:
    figures = (
        "iops",
        "bytes_per_second",
        "response_time_ns.mean",
        "response_time_ns.p50",
        "reads.response_time_ns.mean",
    )
    metrics = "".join(f'[metrics.m{number}]\nvalue = "{path}"\n' for number, path in enumerate(figures))
    (outcome,) = run_studies([read(tmp_path, f'scenario = "small.toml"\n{metrics}')], workers=1)
    for number, path in enumerate(figures):
        estimate = outcome.measured[f"m{number}"].cells[()].estimate
        assert estimate is not None
        assert estimate.half_width_95 is not None, path
        assert 0 < estimate.half_width_95 < estimate.mean, path


def test_the_interval_of_a_run_is_none_of_replications(tmp_path: Path) -> None:
    metrics = '[metrics.m]\nvalue = "response_time_ns.mean"\nunit = "us"\n[replications]\ncount = 2\n'
    estimate = study_of(tmp_path, metrics)["m"].cells[0, 0].estimate
    assert estimate == over_replications([100.0, 101.0])


# ---------------------------------------------------------------- intervals of what is computed


# Of a read of depth d: response time 100 d us, ±2 us; 2000 d IOPS, ±50 IOPS.
CARRIED = "from the intervals of what it is computed from"


def interval(folder: Path, rule: str, places: tuple[int, ...], summary: Made = summary) -> tuple[float, float | None]:
    """Mean of a metric `m` at a place, and half the width of its interval."""
    metrics = '[metrics.response]\nvalue = "response_time_ns.mean"\nunit = "us"\n[metrics.iops]\nvalue = "iops"\n'
    measured = measured_by_hand(read(folder, f"{HEAD}{metrics}[metrics.m]\n{rule}\n"), summary)
    estimate = measured["m"].cells[places].estimate
    assert estimate is not None
    assert (estimate.method == CARRIED) == (estimate.half_width_95 is not None)
    return estimate.mean, estimate.half_width_95


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ('formula = "response + 7"', 2.0),
        ('formula = "7 - 3 * response"', 6.0),
        ('formula = "depth * response"', 4.0),
        ('formula = "response - response"', 0.0),
        # Two that are not the same add up by squares.
        ('formula = "response + iops / 10"', math.hypot(2, 5)),
        ('formula = "response - iops / 10"', math.hypot(2, 5)),
        ('formula = "response * iops"', math.hypot(2 * 4000, 200 * 50)),
        ('formula = "iops / response"', 20 * math.hypot(2 / 200, 50 / 4000)),
        ('formula = "1e6 / iops"', 250 * 50 / 4000),
        ('formula = "response ** 2"', 2 * 200 * 2),
    ],
)
def test_the_interval_of_a_formula_is_that_of_its_parts_to_first_order(
    rule: str, expected: float, tmp_path: Path
) -> None:
    _, half = interval(tmp_path, rule, (1, 0))
    # What is left is of second order: the widest interval is 1.25 % of its value.
    assert half == pytest.approx(expected, rel=0.02)
    assert half is not None
    assert half >= expected * (1 - 1e-9)


ENDS = 'of = "response"\nalong = "depth"\nbetween = ["8", "2"]\n'


LINE = 'of = "response"\nalong = "depth"\n'


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (f'{ENDS}take = "difference"', math.hypot(2, 2)),
        (f'{ENDS}take = "difference"\nunit = "ns"', 1000 * math.hypot(2, 2)),
        (f'{ENDS}take = "ratio"', 4 * math.hypot(2 / 800, 2 / 200)),
        (f'{ENDS}take = "gain"', 400 * math.hypot(2 / 800, 2 / 200)),
        (f'{LINE}take = "maximum"', 2.0),
        (f'{LINE}take = "maximum"\nunit = "ms"', 0.002),
        (f'{LINE}take = "first"', 2.0),
        (f'{LINE}take = "mean"', 1.0),
        (f'{LINE}take = "span"', math.hypot(2, 2)),
        # Depths of 1, 2, 4, 8: the sum of the squares about their mean is 28.75.
        (f'{LINE}take = "slope"', 2 / math.sqrt(28.75)),
    ],
)
def test_the_interval_along_an_axis_is_that_of_its_values_to_first_order(
    rule: str, expected: float, tmp_path: Path
) -> None:
    _, half = interval(tmp_path, rule, (0,))
    assert half == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize(
    "take", ['take = "peak"', 'take = "knee"', 'take = "begins"\nabove = 150', 'take = "ends"\nbelow = 150']
)
def test_a_place_on_an_axis_has_no_interval(take: str, tmp_path: Path) -> None:
    mean, half = interval(tmp_path, f"{LINE}{take}", (0,))
    assert (mean >= 1, half) == (True, None)


def test_what_is_computed_from_a_doubt_is_in_doubt(tmp_path: Path) -> None:
    text = f"""{HEAD}[metrics.iops]
value = "iops"
[metrics.double]
formula = "2 * iops"
[metrics.more]
of = "double"
along = "depth"
take = "maximum"
"""
    doubted = measured_by_hand(read(tmp_path, text), lambda *of: {**summary(*of), "statistics": {"trusted": False}})
    for name, places in (("double", (1, 0)), ("more", (0,))):
        estimate = doubted[name].cells[places].estimate
        assert estimate is not None
        assert estimate.method == f"{CARRIED}, in doubt"


def test_what_is_computed_from_values_without_intervals_has_none(tmp_path: Path) -> None:
    def sure(labels: Mapping[str, str], replication: int) -> Mapping[str, object]:
        full = summary(labels, replication)
        return {**{key: part for key, part in full.items() if key != "iops_ci95"}, "response_time_ns": {"mean": 5e5}}

    for rule, places in (('formula = "response * iops"', (1, 0)), (f'{ENDS}take = "gain"', (0,))):
        assert interval(tmp_path, rule, places, sure)[1] is None


def test_the_interval_of_replications_is_not_carried(tmp_path: Path) -> None:
    text = f'{DERIVED}take = "gain"\nbetween = ["2", "1"]\n[replications]\ncount = 3\n'
    estimate = study_of(tmp_path, text)["m"].cells[0,].estimate
    assert estimate is not None
    assert estimate.method == "3 independent replications, Student t, 95 %"


def test_a_value_that_its_interval_takes_out_of_reach_has_no_interval(tmp_path: Path) -> None:
    mean, half = interval(tmp_path, 'formula = "1 / (response - 202)"', (1, 0))
    assert (mean, half) == (-0.5, None)
