"""What figures and segments are is declared once, in the native part, and everybody asks there."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import SMALL
from sansim import _core, catalogue, query, report, simulate
from sansim.page import figures
from sansim.study.points.plan import plan
from sansim.study.points.probe import probe
from study_support import HEAD, read


def test_every_segment_has_words_for_people() -> None:
    names = [name for name, _ in _core.segments()]
    assert list(catalogue.segments()) == names
    assert set(catalogue.IN_WORDS) == set(names)
    for segment in catalogue.segments().values():
        assert segment.label and segment.meaning
        assert catalogue.is_segment(f"ledger_ns.mean.{segment.name}")
        assert report.label(segment.name) == segment.label
        assert report.waits(segment.name) == segment.waits
        assert query.MEANING["ios"][segment.column] == segment.meaning
    assert not catalogue.is_segment("ledger_ns.mean.nothing")
    assert not catalogue.is_segment("response_time_ns.mean")
    # A run folder of another version.
    assert report.label("of_another_version") == "of another version"


def test_the_use_of_components_is_called_as_the_catalogue_says() -> None:
    for kind, keys in report.SHARES.items():
        units = {figure.path.rpartition(".")[2]: figure.unit for figure in _core.figures() if figure.kind == kind}
        assert {units[key] for key in keys} == {"share"}
        assert list(report.uses(kind)) == list(keys)
    assert report.uses("arbitrated-loop")["owned"] == "owned"
    assert report.uses("of-another-version") == {"utilisation": ""}


def test_the_headline_of_the_page_has_the_units_of_the_catalogue() -> None:
    result = simulate.run_scenario(_core.Scenario.load(SMALL, []), collect_ios=False)
    metrics = figures.headline(result.summary)
    assert {metric.path: catalogue.figure(metric.path) is not None for metric in metrics if metric.path} == {
        metric.path: True for metric in metrics
    }
    kinds = {metric.key: metric.kind for metric in metrics}
    expected = {"iops": "rate", "mb_per_s": "rate", "response_p99_ns": "ns", "loop_owned": "share", "ios": "count"}
    assert expected.items() <= kinds.items()


def test_which_figures_a_study_can_ask_for_is_known_without_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*_: object, **__: object) -> None:
        raise AssertionError("nothing needs to be simulated")

    monkeypatch.setattr(simulate, "run_scenario", run)
    # The second has no value at points that only read, the third none in a run that is short.
    paths = ("components.drives.occupied_max", "writes.response_time_ns.p50", "iops_ci95", "ledger_ns.mean.media_queue")
    metrics = "".join(f'[metrics.m{number}]\nvalue = "{path}"\n' for number, path in enumerate(paths))
    probe(plan(read(tmp_path, HEAD + metrics)))


def test_a_precision_is_told_of_a_figure_by_its_label() -> None:
    statistics = {
        "precision": {"of": "response_time_ns.p99_9", "within": 0.05, "relative_half_width": 0.01, "reached": True}
    }
    assert report.precision(statistics).startswith("The 99.9th percentile of the response times is known to within 5 %")
