"""The validation ledger: every published value of every study beside ours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sansim.study.model import REMARKS
from sansim.study.session import Outcome
from sansim.study.table import verdict_markdown
from sansim.study.verdict import FITTED, JUDGED, MISS, MISSING, PASS, Verdict


@dataclass(frozen=True)
class Count:
    """How the targets of a paper came out. A target with several rows passes if all of them do."""

    paper: str
    passed: int
    judged: int
    """Results that a run was to reproduce."""
    missing: int
    """Of these, the ones that were not run."""
    parameters: int
    """Targets that are only given values, which a scenario has."""
    fitted: int
    """Targets that a parameter was fitted to, which do not count."""
    remarks: int
    """Targets that no run can judge: misprints, and claims without a published value."""

    @property
    def share(self) -> float:
        """Share of the results that passed, in per cent."""
        return 100 * self.passed / self.judged if self.judged else 0.0

    def in_words(self) -> str:
        """One line."""
        missing = f", {self.missing} not run" if self.missing else ""
        return (
            f"{self.paper}: {self.passed} of {self.judged} results within tolerance ({self.share:.1f} %){missing};"
            f" {self.parameters} given parameters, {self.fitted} fitted to, {self.remarks} remarks"
        )


def paper_of(target: str) -> str:
    """The paper of a target: the first part of its id."""
    return target.partition("-")[0]


def verdict_of(rows: Iterable[Verdict]) -> str:
    """What becomes of a target with these rows."""
    judged = [row.verdict for row in rows if row.verdict in JUDGED]
    for verdict in (MISS, MISSING, PASS):
        if verdict in judged:
            return verdict
    return FITTED if any(row.verdict == FITTED for row in rows) else REMARKS[-1]


def count(verdicts: Sequence[Verdict]) -> list[Count]:
    """The counts per paper, in the order of their first target."""
    by_target: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        by_target.setdefault(verdict.target, []).append(verdict)
    counts = []
    for paper in dict.fromkeys(paper_of(target) for target in by_target):
        rows = {target: found for target, found in by_target.items() if paper_of(target) == paper}
        given = {target for target, found in rows.items() if {row.kind for row in found} <= {"parameter", "remark"}}
        given &= {target for target, found in rows.items() if any(row.kind == "parameter" for row in found)}
        outcome = {target: verdict_of(found) for target, found in rows.items() if target not in given}
        judged = [verdict for verdict in outcome.values() if verdict in JUDGED]
        counts.append(
            Count(
                paper,
                judged.count(PASS),
                len(judged),
                judged.count(MISSING),
                len(given),
                list(outcome.values()).count(FITTED),
                sum(verdict not in (*JUDGED, FITTED) for verdict in outcome.values()),
            )
        )
    return counts


def page(outcomes: Sequence[Outcome], command: str) -> str:
    """The ledger as a Markdown page."""
    verdicts = [verdict for outcome in outcomes for verdict in outcome.verdicts]
    lines = ["# Validation", "", f"This page is generated: `{command}` rewrites it.", ""]
    lines += [INTRODUCTION, ""]
    lines += [f"* {entry.in_words()}" for entry in count(verdicts)]
    missed = [verdict for verdict in verdicts if verdict.verdict in (MISS, MISSING)]
    wrong_given = [verdict.target for verdict in missed if verdict.kind == "parameter"]
    if wrong_given:
        lines += ["", f"Given parameters that a scenario does not have: {', '.join(wrong_given)}."]
    lines += ["", "## What is not reproduced", ""]
    lines += [verdict_markdown(missed).rstrip()] if missed else ["Nothing that was judged."]
    for outcome in outcomes:
        if outcome.verdicts:
            study = outcome.study
            told = [f"Source: {study.source}.", ""] if study.source else []
            place = f"Study file: `{study.file.as_posix()}`."
            lines += ["", f"## {study.title}", "", *told, place, "", verdict_markdown(outcome.verdicts).rstrip()]
    return "\n".join(lines) + "\n"


INTRODUCTION = """\
Every number and claim of the reproduced papers has an id. For each the table has the published value, ours, the error
and the verdict. `pass` and `miss` are judged by the tolerance in the study file: 3 % for exact results of simulations,
10 % for measurements of real systems, the right side of the threshold for trends, unless the row says another one.
`fitted` rows served to fit a parameter and do not count. `corrected` are misprints, with the side we take; `no-data`
claims for which nothing was published to compare with; `given` definitions that need no run. A target that no run
reproduces stays here, with what is known about why."""
