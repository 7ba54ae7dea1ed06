"""The studies of published papers: complete, judged by the rule, as good as the ledger in the documentation says."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sansim.study.classes import CLASSES, GIVEN, PREDICTED, REMARK, SEEN, class_of
from sansim.study.ledger import paper_of
from sansim.study.model import Along, Expected, Study, Trend, Value, matches
from sansim.study.points.needs import needed
from sansim.study.read import read_study
from sansim.study.session import Outcome, run_studies, study_files
from sansim.study.table import verdict_markdown
from sansim.study.verdict import MISS, MISSING, PASS, Verdict
from shares import draw

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


FEW = 20
"""Rows that rest on more points are simulated by the long run only."""
LEFT_OUT = draw(["long-loops figure-4", "figure-5"], "studies").split()
"""Studies that take ten times as long as others: half of them is simulated in each run but a long one."""


@pytest.fixture(scope="module", params=["few points", pytest.param("all", marks=pytest.mark.long)])
def quick(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Outcome]:
    studies = [read_study(file) for file in study_files([STUDIES])]
    if request.param != "all":
        studies = [of_few_points(study) for study in studies]
    return run_studies(studies, out=tmp_path_factory.mktemp("results"), quick=True)


def of_few_points(study: Study) -> Study:
    """A study of which fewer rows are quick: those of the figures, each a whole grid of points, are not."""
    is_in = study.name not in LEFT_OUT
    rows = (replace(row, quick=row.quick and is_in and len(needed(study, row)) <= FEW) for row in study.expected)
    return replace(study, expected=tuple(rows))


@pytest.fixture(scope="module")
def quick_rows(quick: list[Outcome]) -> list[Verdict]:
    pairs = [pair for outcome in quick for pair in zip(outcome.study.expected, outcome.verdicts, strict=False)]
    return [verdict for row, verdict in pairs if row.quick]


@pytest.mark.parametrize(
    ("paper", "least"),
    [("wang-2005", 50), ("ruwart-1999", 50), ("storlite-2006", 20), ("molero-2001", 30), ("friedman-2001", 40)],
)
def test_every_target_of_a_paper_is_judged_or_remarked_on(paper: str, least: int) -> None:
    with (STUDIES / paper / "targets.csv").open(encoding="utf-8", newline="") as file:
        wanted = {row["id"] for row in csv.DictReader(file)}
    studies = [read_study(file) for file in study_files([STUDIES / paper])]
    found = {row.target for study in studies for row in study.expected}
    found |= {remark.target for study in studies for remark in study.remarks}
    assert len(wanted) > least
    assert found == wanted


# ---------------------------------------------------------------- the rule, without a run


@pytest.fixture(scope="module")
def studies() -> list[Study]:
    return [read_study(file) for file in study_files([STUDIES])]


Rows = list[tuple[Study, Expected]]


@pytest.fixture(scope="module")
def expected(studies: list[Study]) -> Rows:
    return [(study, row) for study in studies for row in study.expected]


WIDEST = {"exact": 0.03, "trend": 0.03, "measured": 0.10, "approximate": 0.10, "parameter": 0.001}
"""The rule: 3 % for what a simulation gave, 10 % for what was measured or is called approximate."""


def test_no_tolerance_is_wider_than_the_rule(expected: Rows) -> None:
    wider = [
        (row.target, row.metric)
        for _, row in expected
        if isinstance(row.check, Value)
        and (far := row.check.tolerance.far(row.check.value)) > row.check.tolerance.rounding
        and far > WIDEST[row.kind] * abs(row.check.value) * (1 + 1e-9)
    ]
    assert wider == []


def test_the_rounding_of_printed_numbers_is_that_of_their_last_digit(expected: Rows) -> None:
    rounded = {
        (
            row.target.rpartition("-")[0] if row.target.startswith("W-T65-D") else row.target
        ): row.check.tolerance.rounding
        for _, row in expected
        if isinstance(row.check, Value) and row.check.tolerance.rounding
    }
    assert {target.partition("-D")[0]: rounding for target, rounding in rounded.items()} == {
        # Gains in points with two decimals.
        "W-T65": 0.005,
        # 0.03 us; the difference of two times in whole microseconds; the rounding of a fit.
        "R-R17": 0.005,
        "R-R23": 1.0,
        "W-P43": 0.001,
    }


def test_what_may_vary_along_a_line_is_no_wider_than_the_rule(expected: Rows) -> None:
    slack = {row.target: row.check.slack for _, row in expected if isinstance(row.check, Trend)}
    assert {
        target
        for target, share in slack.items()
        if share > {"W": 0.03, "R": 0.10, "H": 0.03, "M": 0.03}[paper_of(target)]
    } == set()


def test_what_a_simulation_gave_is_not_called_measured(expected: Rows) -> None:
    measured = {row.target for _, row in expected if row.kind == "measured" and paper_of(row.target) == "W"}
    # The trace of figure 5.2 is of an analyzer on real hardware.
    assert {target for target in measured if not target.startswith("W-A")} <= {"W-L10"}


def test_a_knee_is_the_same_in_all_studies(studies: list[Study]) -> None:
    rules = [metric.rule for study in studies for metric in study.metrics]
    knees = [rule for rule in rules if isinstance(rule, Along) and rule.take == "knee"]
    assert len(knees) >= 5
    assert {rule.reach for rule in knees} == {0.95}
    assert [study.name for study in studies if re.search(r"^reach\b", study.text or "", re.MULTILINE)] == []


def test_no_target_is_judged_and_remarked_on(studies: list[Study], expected: Rows) -> None:
    judged = {row.target for _, row in expected}
    assert judged & {remark.target for study in studies for remark in study.remarks} == set()


def test_of_two_ids_that_are_one_number_one_counts(studies: list[Study], expected: Rows) -> None:
    judged = {row.target for _, row in expected}
    same_as = {remark.target: remark.same_as for study in studies for remark in study.remarks if remark.same_as}
    assert set(same_as.values()) <= judged
    known = {
        *{("W-M01", "W-C35"), ("W-M02", "W-D11"), ("W-M16", "W-X10"), ("W-M04", "W-P06"), ("W-M07", "W-P06")},
        *{("W-M11", "W-T65-D-R-64KB"), ("W-M09", "W-C32")},
    }
    assert known <= set(same_as.items())


KNOWN_SEEN = (
    *("W-T65-*", "W-C05", "W-C07", "W-C28", "W-P38", "W-X05"),
    *("R-R03", "R-R20/idle_1", "R-R20/next", "R-R33"),
    *("M-R02", "M-R03", "M-R08", "M-R10", "M-R12"),
)
KNOWN_GIVEN = (
    *("W-P01", "W-P02", "W-P03", "W-P06", "W-P17", "W-L11", "W-D01", "W-X08", "W-X10"),
    *("R-P07", "R-P10", "R-P14", "R-R17", "R-R25", "R-R26", "R-R30", "R-R31", "R-R36"),
)


@pytest.mark.parametrize(
    ("pattern", "name"), [*((part, SEEN) for part in KNOWN_SEEN), *((part, GIVEN) for part in KNOWN_GIVEN)]
)
def test_what_is_known_to_be_no_prediction_is_none(pattern: str, name: str, expected: Rows) -> None:
    found = {class_of(study, row) for study, row in expected if matches(pattern, row.target, row.metric)}
    assert found == {name}


def test_every_cell_of_table_6_5_was_in_view(expected: Rows) -> None:
    cells = {row.target for study, row in expected if row.target.startswith("W-T65-") and class_of(study, row) == SEEN}
    assert len(cells) == 48 + 16


# ---------------------------------------------------------------- the ledger of the documentation


@pytest.fixture(scope="module")
def told() -> list[dict[str, str]]:
    """The rows of the ledger, by column: those of the studies, behind the lists of what is missed."""
    text = LEDGER.read_text(encoding="utf-8")
    lines = list(table_lines(text[text.index("\n## What was chosen") :]))
    header = next(line for line in lines if line[0] == "Target")
    rows = [line for line in lines if line[0] != "Target" and not set(line[0]) <= set("-: ")]
    return [dict(zip(header, line, strict=True)) for line in rows]


def recounted(rows: list[dict[str, str]], name: str) -> str:
    """The count of a class, as the ledger writes it."""
    mine = [row for row in rows if row["Class"] == name]
    targets = {row["Target"] for row in mine}
    missed = {row["Target"] for row in mine if row["Verdict"] != PASS}
    return str(len(targets)) if name == REMARK else f"{len(targets - missed)}/{len(targets)}"


def test_the_counts_of_the_ledger_are_those_of_its_rows(told: list[dict[str, str]]) -> None:
    lines = [line for line in table_lines(LEDGER.read_text(encoding="utf-8")) if line[0] in ("class", *CLASSES)]
    (first, every, *papers, last), *counts = lines
    assert (first, every, sorted(papers), last) == ("class", "all", ["D", "F", "H", "M", "R", "W"], "meaning")
    assert [line[0] for line in counts] == list(CLASSES)
    for name, found, *by_paper in (line[:-1] for line in counts):
        assert found == recounted(told, name)
        for paper, cell in zip(papers, by_paper, strict=True):
            assert cell == recounted([row for row in told if paper_of(row["Target"]) == paper], name)


def test_every_predicted_miss_says_what_is_known_and_what_it_means(told: list[dict[str, str]], expected: Rows) -> None:
    text = LEDGER.read_text(encoding="utf-8")
    part = text[text.index("\n## Predicted and not reproduced") : text.index("\n## Seen and not reproduced")]
    listed = [line for line in table_lines(part) if line[0] not in ("Target",) and not set(line[0]) <= set("-: ")]
    missed = [row for row in told if row["Class"] == PREDICTED and row["Verdict"] != PASS]
    assert listed == [tuple(row.values()) for row in missed]
    assert {row["Verdict"] for row in missed} <= {MISS}
    for miss in missed:
        known = [row.note for _, row in expected if row.target == miss["Target"] and row.note and row.means]
        assert any(note in miss["Note"] for note in known), miss["Target"]
    meant = {
        target
        for line in part.splitlines()
        if line.startswith("* ")
        for target in line[2:].partition(":")[0].split(", ")
    }
    assert meant == {row["Target"] for row in missed}


def test_the_ledger_has_no_fewer_predictions_that_hold_than_it_had(told: list[dict[str, str]]) -> None:
    # Better models may make it more; what holds is not to get lost.
    for paper, least in (("W", 69), ("R", 25)):
        held, _ = recounted([row for row in told if paper_of(row["Target"]) == paper], PREDICTED).split("/")
        assert int(held) >= least


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_who_opens_the_door_is_told_the_predicted_number_and_none_better(page: str, told: list[dict[str, str]]) -> None:
    held, total = recounted(told, PREDICTED).split("/")
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    assert f"{held} of {total}" in text
    claims = re.findall(r"\b(\d{2,}) of (\d{3,})\b", text)
    assert set(claims) == {(held, total)}


# ---------------------------------------------------------------- the ledger and the runs


def test_no_quick_row_goes_unmeasured(quick_rows: list[Verdict]) -> None:
    assert {paper_of(row.target) for row in quick_rows} == {"D", "F", "R", "W"}
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
