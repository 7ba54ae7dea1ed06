"""The validation ledger: every published value of every study beside ours, counted by what it proves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sansim.study.classes import CLASSES, GIVEN, MEANING, PREDICTED, REMARK, SEEN
from sansim.study.session import Outcome
from sansim.study.table import verdict_markdown
from sansim.study.table.frame import finite
from sansim.study.verdict import MISS, MISSING, PASS, Verdict


@dataclass(frozen=True)
class Count:
    """How many targets of a class there are, and how many of them hold.

    A target holds if all of its rows of the class do. One whose rows are of several classes counts in each, with those
    rows.
    """

    held: int
    total: int
    missing: int = 0
    """Those of them that were not run."""

    @property
    def share(self) -> float:
        """Share that holds, in per cent."""
        return 100 * self.held / self.total if self.total else 0.0

    def in_words(self) -> str:
        """The text after the name of a class that is judged."""
        missing = f", {self.missing} not run" if self.missing else ""
        share = f" ({self.share:.1f} %)" if self.total else ""
        return f"{self.held} of {self.total} hold{share}{missing}"


def paper_of(target: str) -> str:
    """The paper of a target: the first part of its id."""
    return target.partition("-")[0]


def count(verdicts: Sequence[Verdict]) -> dict[str, Count]:
    """The counts by class, in the order in which classes are shown."""
    found = {}
    for name in CLASSES:
        by_target: dict[str, list[str]] = {}
        for verdict in verdicts:
            if verdict.class_ == name:
                by_target.setdefault(verdict.target, []).append(verdict.verdict)
        held = sum(set(rows) == {PASS} for rows in by_target.values())
        missing = sum(MISSING in rows and MISS not in rows for rows in by_target.values())
        found[name] = Count(held, len(by_target), missing)
    return found


def by_paper(verdicts: Sequence[Verdict]) -> dict[str, list[Verdict]]:
    """The verdicts of each paper, in the order of their first target."""
    found: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        found.setdefault(paper_of(verdict.target), []).append(verdict)
    return found


def summary_lines(verdicts: Sequence[Verdict]) -> list[str]:
    """The counts in words: the headline, of what was predicted and nothing else, then each class with its papers."""
    every = count(verdicts)
    papers = {paper: count(rows) for paper, rows in by_paper(verdicts).items()}
    lines = [f"predicted: {every[PREDICTED].in_words()}"]
    for name in CLASSES:
        of_papers = [
            f"{paper} {count_text(name, counts[name])}" for paper, counts in papers.items() if counts[name].total
        ]
        lines.append(
            f"  {name:<9}  {count_text(name, every[name]):<8}  {MEANING[name]}"
            + (f": {', '.join(of_papers)}" if of_papers else "")
        )
    return lines


def count_text(name: str, counts: Count) -> str:
    """The count of a class in a few characters; of remarks nothing holds or misses."""
    return str(counts.total) if name == REMARK else f"{counts.held}/{counts.total}"


def as_json(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """The ledger for programs: `rows`, `classes`, `papers`. Numbers are those of the run, with all digits."""
    papers = by_paper(verdicts)
    return {
        "rows": [row_of(verdict) for verdict in verdicts],
        "classes": counts_of(verdicts),
        "papers": {paper: counts_of(rows) for paper, rows in papers.items()},
    }


def counts_of(verdicts: Sequence[Verdict]) -> dict[str, dict[str, int]]:
    """`held` and `total` of each class; nothing holds of what is not judged."""
    return {name: {"held": counts.held, "total": counts.total} for name, counts in count(verdicts).items()}


def row_of(verdict: Verdict) -> dict[str, Any]:
    """A row for programs."""
    return {
        "id": verdict.target,
        "class": verdict.class_,
        "published": verdict.published,
        "ours": finite(verdict.ours) if isinstance(verdict.ours, float) else verdict.ours,
        "unit": verdict.unit,
        # A number is in per cent of the published value.
        "error": finite(verdict.error) if isinstance(verdict.error, float) else verdict.error,
        "tolerance": verdict.tolerance,
        "verdict": verdict.verdict,
        "marks": list(verdict.marks),
        "study": verdict.study,
        "source": verdict.source,
        "metric": verdict.metric,
        "where": verdict.where,
        "note": verdict.note,
        "means": verdict.means,
    }


def page(outcomes: Sequence[Outcome], command: str) -> str:
    """The ledger as a Markdown page."""
    verdicts = [verdict for outcome in outcomes for verdict in outcome.verdicts]
    lines = ["# Validation", "", f"This page is generated: `{command}` rewrites it.", ""]
    lines += [INTRODUCTION, "", *counts_table(verdicts)]
    for name, title in MISSED.items():
        missed = [row for row in verdicts if row.class_ == name and row.verdict in (MISS, MISSING)]
        lines += ["", f"## {title}", "", *missed_lines(missed)]
    lines += ["", "## What was chosen, and what was in view", "", *chosen_lines(outcomes)]
    for outcome in outcomes:
        if outcome.verdicts:
            study = outcome.study
            told_source = [f"Source: {study.source}.", ""] if study.source else []
            place = f"Study file: `{study.file.as_posix()}`."
            lines += ["", f"## {study.title}", "", *told_source, place, "", verdict_markdown(outcome.verdicts).rstrip()]
    return "\n".join(lines) + "\n"


def missed_lines(missed: Sequence[Verdict]) -> list[str]:
    """The rows that are missed, and what each miss means for a user."""
    if not missed:
        return ["Nothing."]
    lines = [verdict_markdown(missed).rstrip()]
    by_meaning: dict[str, dict[str, None]] = {}
    for row in missed:
        if row.means:
            by_meaning.setdefault(row.means, {})[row.target] = None
    told = [f"* {', '.join(targets)}: {means}." for means, targets in by_meaning.items()]
    return [*lines, "", "What that means for a design:", "", *told] if told else lines


def chosen_lines(outcomes: Sequence[Outcome]) -> list[str]:
    """The choices of each study."""
    return [
        f"* {chosen.what} (`{outcome.study.file.as_posix()}`): {chosen.how}. "
        f"In view: {', '.join(f'`{pattern}`' for pattern in chosen.saw)}."
        for outcome in outcomes
        for chosen in outcome.study.chosen
    ] or ["Nothing."]


def counts_table(verdicts: Sequence[Verdict]) -> list[str]:
    """The counts as a Markdown table: a line for each class, a column for each paper."""
    papers = {paper: count(rows) for paper, rows in by_paper(verdicts).items()}
    every = count(verdicts)
    lines = [f"| class | all | {' | '.join(papers)} | meaning |", f"|---|---|{'---|' * len(papers)}---|"]
    for name in CLASSES:
        cells = [count_text(name, every[name]), *(count_text(name, counts[name]) for counts in papers.values())]
        lines.append(f"| {name} | {' | '.join(cells)} | {MEANING[name]} |")
    return [f"**Predicted: {every[PREDICTED].in_words()}.**", "", *lines]


MISSED = {
    PREDICTED: "Predicted and not reproduced",
    SEEN: "Seen and not reproduced",
    GIVEN: "Given and not met",
}
"""The classes of which something can be missed, with the titles of what is."""

INTRODUCTION = """\
Every number and claim of the reproduced papers has an id. For each the table has the published value, ours, the error
and the verdict: 3 % for the numbers of simulations, 10 % for measurements and for what is printed as approximate, the
rounding of the printed number where that is coarser, and for claims about a side or a trend the right side, by more
than the 95 % interval of ours. Nothing is allowed more.

What counts is what was predicted. A value that was in view when a constant or a reading was chosen is `seen`; the study
files list what was chosen and what was in view, and the class follows from that. What restates a setting, the geometry
or an identity is `given`. Misprints are judged by the side that we take and marked so; of two ids that are the same
number one counts and the other is a remark, like claims without published data."""
