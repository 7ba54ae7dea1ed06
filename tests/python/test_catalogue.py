"""What figures and segments are is declared once, in the native part, and everybody asks there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

from conftest import SMALL
from sansim import _core, catalogue, doubts, simulate, text_report
from sansim.html_report import figures
from sansim.study import units
from sansim.study.measure.metrics import number_at
from sansim.study.points.plan import plan
from sansim.study.points.probe import probe
from sansim.study.read import read_study
from study_support import HEAD, read


def test_every_segment_has_words_for_people_at_whatever_place() -> None:
    assert [segment.name for segment in _core.segments()] == list(catalogue.segments())
    for name, segment in catalogue.segments().items():
        assert segment.label and segment.meaning
        line = f"shelf.adapter.{name}"
        assert catalogue.split_line(f"ledger_ns.mean.{line}") == ("ledger_ns.mean", line)
        assert catalogue.line_label(line) == f"shelf.adapter: {segment.label}"
        assert catalogue.waits(line) == segment.waits
        assert catalogue.meaning_of_column(catalogue.column_of(line)) == segment.meaning
    for none in ("ledger_ns.mean.loop.nothing", "ledger_ns.slowest_percent_exact", "response_time_ns.mean"):
        assert catalogue.split_line(none) is None
    # A run folder of another version.
    assert catalogue.line_label("loop.of_another_version") == "loop: of another version"
    assert catalogue.meaning_of_column("issued_ns") == ""


def test_the_lines_of_a_segment_at_all_places_are_those_of_a_star() -> None:
    assert catalogue.is_at("drives.adapter.dma", "*.dma")
    assert catalogue.is_at("drives.adapter.dma", "drives.adapter.dma")
    assert not catalogue.is_at("drives.adapter.dma", "drives.dma")
    assert not catalogue.is_at("drives.adapter.dma_queue", "*.dma")


def test_whatever_is_a_share_of_the_time_is_the_use_of_a_component() -> None:
    result = simulate.run_scenario(_core.Scenario.load(SMALL, []), collect_ios=False)
    uses = {name: list(text_report.uses(figures)) for name, figures in result.summary["components"].items()}
    assert [(key, what) for key, what, _, _ in uses["loop"]] == [("utilisation", "utilisation"), ("owned", "owned")]
    drives = {key: ends for key, _, _, ends in uses["drives"]}
    least, most = drives["occupied"] or (1.0, 0.0)
    assert 0 < least <= most
    assert "count" not in drives and drives["dma"] is None


def test_every_quantity_of_the_samples_is_known() -> None:
    result = simulate.run_scenario(_core.Scenario.load(SMALL, []))
    known = {*catalogue.quantities("count"), *catalogue.quantities("share")}
    assert set(result.samples["quantity"].unique()) <= known


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
    paths = (
        "components.drives.occupied_max",
        "writes.response_time_ns.p50",
        "iops_ci95",
        "ledger_ns.mean.*.media_queue",
    )
    metrics = "".join(f'[metrics.m{number}]\nvalue = "{path}"\n' for number, path in enumerate(paths))
    probe(plan(read(tmp_path, HEAD + metrics)))


SCENARIOS = sorted((Path(__file__).resolve().parents[2] / "scenarios").glob("*.toml"))
LISTS = ("culprits.", "errors.first_time_outs.", "incidents.", "steady.drifts.")
"""Lists of events: the next run has others at the same places."""


def numbers(content: object, path: str) -> Iterator[tuple[str, float]]:
    """The paths of all numbers of a summary."""
    inner: Iterable[tuple[object, object]] = ()
    if isinstance(content, Mapping):
        inner = content.items()
    elif isinstance(content, list):
        inner = enumerate(content)
    elif isinstance(content, (int, float)) and not isinstance(content, bool):
        yield path, content
    for key, value in inner:
        yield from numbers(value, f"{path}.{key}" if path else str(key))


@pytest.mark.slow
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda file: file.stem)
def test_every_number_of_a_summary_is_a_metric_of_a_study(scenario: Path, tmp_path: Path) -> None:
    summary = simulate.run_scenario(_core.Scenario.load(scenario, []), collect_ios=False).summary
    found = {path: value for path, value in numbers(summary, "") if not path.startswith(LISTS)}
    assert len(found) > 60
    # The first member of a group with each figure is enough: one study asks for all of them.
    asked = {re.sub(r"\[\d+\]", "[]", path): path for path in reversed(found)}.values()
    values = "".join(f"[metrics.m{number}]\nvalue = {json.dumps(path)}\n" for number, path in enumerate(asked))
    file = tmp_path / "study.toml"
    file.write_text(f"scenario = {json.dumps(str(scenario))}\n{values}", encoding="utf-8")
    probe(plan(read_study(file)))
    for path, value in found.items():
        known = catalogue.figure(path)
        assert known is not None, path
        assert number_at({"summary": summary}, path) == pytest.approx(value * units.factor_of(known.unit)), path


def test_a_study_asks_for_the_fullest_link_and_for_what_did_not_occur() -> None:
    scenario = SCENARIOS[0].parent / "two-hosts-one-switch.toml"
    run = simulate.run_scenario(_core.Scenario.load(scenario, []), collect_ios=False)
    results = {"summary": run.summary}
    fullest = number_at(results, "fullest_links.san.utilisation")
    assert fullest == run.summary["fullest_links"]["san"]["utilisation"] > 0
    assert "errors" not in run.summary and "flushes" not in run.summary
    host = next(iter(run.summary["hosts"]))
    for none in (f"errors.hosts.{host}.time_outs", "errors.frames_lost.san", "flushes.ios", "deallocations.bytes"):
        assert number_at(results, none) == 0, none
    assert number_at(results, f"hosts.{host}.flushes.ios") == 0
    # There is no host of this name, and no response time without an I/O.
    for unknown in ("errors.hosts.nobody.time_outs", "hosts.nobody.flushes.ios", "flushes.response_time_ns.mean"):
        assert number_at(results, unknown) is None, unknown


def test_a_precision_is_told_of_a_figure_by_its_label() -> None:
    statistics = {
        "precision": {"of": "response_time_ns.p99_9", "within": 0.05, "relative_half_width": 0.01, "reached": True}
    }
    assert doubts.precision(statistics).startswith("The 99.9th percentile of the response times is known to within 5 %")
