"""The decisions of rules of the user, from the log that a run keeps of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sansim.decisions import of_rules
from sansim.html_report.tables import Cell, Table, shown, word
from sansim.number_text import percent

if TYPE_CHECKING:
    import polars as pl

    from sansim.html_report.folder import RunFolder

SHOWN_DECISIONS = 50
"""So many decisions are in the table of a page; the file has all of them."""


def decisions_tables(run: RunFolder, log: pl.DataFrame, prefix: str) -> list[Table]:
    """The decisions of each rule, summed up; and the first ones one by one."""
    head = ["component", "decision", "rule", "decisions", "candidates,\nmean", "chose the first"]
    summed = Table([*head, "response time\nof its I/O, mean", "outcome, mean"], caption=f"{prefix}decisions")
    for row in of_rules(log).rows(named=True):
        outcome = "-" if row["outcome"] is None else f"{row['outcome']:,.1f} ({row['with_outcome']:,})"
        summed.rows.append(
            [
                *(word(row[name]) for name in ("component", "decision", "rule")),
                Cell(f"{row['decisions']:,}"),
                Cell(f"{row['candidates']:.1f}"),
                Cell(percent(row["first"])),
                Cell(shown(row["response_time_ns"], "ns")),
                Cell(outcome),
            ]
        )
    single = Table(
        ["at", "component", "decision", "candidates", "chosen", "it saw of the chosen one"],
        folded=f"The first {SHOWN_DECISIONS} decisions of {run.label}",
    )
    features = [name for name in log.columns if name.startswith("candidate.")]
    for decision in log.partition_by("number", maintain_order=True)[:SHOWN_DECISIONS]:
        first = decision.row(0, named=True)
        chosen = decision.filter("chosen")
        saw = chosen.row(0, named=True) if chosen.height else {}
        known = [f"{name.removeprefix('candidate.')} {saw[name]}" for name in features if saw.get(name) is not None]
        single.rows.append(
            [
                Cell(shown(float(first["at_ns"]), "ns")),
                *(word(first[name]) for name in ("component", "decision")),
                Cell(f"{decision.height:,}"),
                Cell(str(saw["candidate"] if saw else first["named"])),
                word(", ".join(known)),
            ]
        )
    return [summed, single]
