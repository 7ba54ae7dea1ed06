"""The studies of published papers: complete, and as good as the ledger in the documentation says."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from sansim.study.ledger import count, paper_of
from sansim.study.read import read_study
from sansim.study.session import Outcome, run_studies, study_files
from sansim.study.table import verdict_markdown
from sansim.study.verdict import MISS, MISSING, Verdict

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
STUDIES = ROOT / "studies"
LEDGER = ROOT / "docs" / "validation.md"


def cells(line: str) -> tuple[str, ...]:
    """The cells of a line of a Markdown table."""
    return tuple(part.strip() for part in re.split(r"(?<!\\)\|", line.strip().strip("|")))


def table_lines(text: str) -> Iterator[tuple[str, ...]]:
    """The rows of all Markdown tables of a page."""
    return (cells(line) for line in text.splitlines() if line.startswith("| "))


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> list[Outcome]:
    studies = [read_study(file) for file in study_files([STUDIES])]
    return run_studies(studies, out=tmp_path_factory.mktemp("results"), quick=True)


@pytest.fixture(scope="module")
def quick_rows(quick: list[Outcome]) -> list[Verdict]:
    pairs = [pair for outcome in quick for pair in zip(outcome.study.expected, outcome.verdicts, strict=False)]
    return [verdict for row, verdict in pairs if row.quick]


@pytest.mark.parametrize("paper", ["wang-2005", "ruwart-1999"])
def test_every_target_of_a_paper_is_judged_or_remarked_on(paper: str) -> None:
    with (STUDIES / paper / "targets.csv").open(encoding="utf-8", newline="") as file:
        wanted = {row["id"] for row in csv.DictReader(file)}
    studies = [read_study(file) for file in study_files([STUDIES / paper])]
    found = {row.target for study in studies for row in study.expected}
    found |= {remark.target for study in studies for remark in study.remarks}
    assert len(wanted) > 50
    assert found == wanted


def test_no_quick_row_goes_unmeasured(quick_rows: list[Verdict]) -> None:
    assert {paper_of(row.target) for row in quick_rows} == {"W", "R"}
    assert len({row.target for row in quick_rows}) > 50
    assert [row.target for row in quick_rows if row.verdict == MISSING] == []


def test_every_miss_is_explained(quick_rows: list[Verdict]) -> None:
    assert [row.target for row in quick_rows if row.verdict == MISS and not row.note] == []


def test_ledger_in_the_documentation_says_what_runs_say(quick_rows: list[Verdict]) -> None:
    told = set(table_lines(LEDGER.read_text(encoding="utf-8")))
    header, _, *rows = table_lines(verdict_markdown(quick_rows))
    assert header[0] == "Target"
    assert [row for row in rows if row not in told] == []


def test_ledger_in_the_documentation_has_every_row_of_the_studies(quick: list[Outcome]) -> None:
    told = [line[0] for line in table_lines(LEDGER.read_text(encoding="utf-8"))]
    for outcome in quick:
        for verdict in outcome.verdicts:
            assert verdict.target in told


def test_nineteen_in_twenty_results_of_the_thesis_are_within_tolerance() -> None:
    text = LEDGER.read_text(encoding="utf-8")
    found = re.findall(r"^\* (\w): (\d+) of (\d+) results within tolerance", text, re.MULTILINE)
    passed = {paper: (int(good), int(judged)) for paper, good, judged in found}
    assert passed["W"][0] >= 0.95 * passed["W"][1]
    # The measurements of real loops are further off; the ledger says where and why. What holds is not to get lost.
    assert passed["R"][0] >= 34


def test_counts_go_by_target() -> None:
    def row(target: str, verdict: str, kind: str = "exact") -> Verdict:
        return Verdict(target, "s", "", kind, "m", "", 1.0, 1.0, "", 0.0, verdict)

    rows = [
        row("X-1", "pass"),
        row("X-1", "miss"),
        row("X-2", "pass"),
        row("X-3", "fitted"),
        row("X-4", "no-data", "remark"),
    ]
    rows += [row("X-5", "pass", "parameter"), row("Y-1", "missing")]
    first, second = count(rows)
    assert (first.paper, first.passed, first.judged, first.parameters, first.fitted, first.remarks) == (
        "X",
        1,
        2,
        1,
        1,
        1,
    )
    assert (second.paper, second.passed, second.judged, second.missing) == ("Y", 0, 1, 1)
