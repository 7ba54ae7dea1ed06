"""A result in a notebook: its HTML form, and the report's charts as figures."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from sansim.doubts import UNSETTLED, doubts_of
from sansim.html_report import tables
from sansim.html_report.charts import distribution, ledger, over_time
from sansim.html_report.folder import RunFolder
from sansim.html_report.style import Chart, line_colour
from sansim.html_report.styled import styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sansim.html_report.tables import Cell, Table
    from sansim.runs.data import RunData

BAR = 160
"""Pixels of the ledger's longest bar."""


@dataclass(frozen=True)
class Plots:
    """The charts of the report as matplotlib figures, which a notebook shows and `savefig` writes."""

    result: RunData

    def ledger(self) -> Figure:
        """Where the time goes: the mean time of an I/O in each segment of its path, in time and as shares.

        Raises:
            ValueError: There are no I/Os to draw, or the run is unstable.
        """
        if self.result.summary["ledger_ns"] is None:
            raise ValueError(f"there is nothing to draw: {UNSETTLED}")
        return self.figure(ledger.ledger)

    def response_times(self) -> Figure:
        """How the response times are distributed: histogram and cumulative distribution."""
        return self.figure(distribution.response_times)

    def over_time(self) -> Figure:
        """Throughput and response times over the measured interval."""
        return self.figure(over_time.throughput)

    def figure(self, chart: Callable[[Sequence[RunFolder]], Chart]) -> Figure:
        """A chart of this result.

        Raises:
            ValueError: There are no I/Os to draw.
        """
        if not self.result.ios.height:
            kept = "no I/O was measured" if not self.result.summary["ios"] else "collect_ios=False kept no I/Os"
            raise ValueError(f"there is nothing to draw: {kept}")
        return styled(chart([as_folder(self.result)]))


def as_folder(result: RunData) -> RunFolder:
    """The run folder that the report would read for this result."""
    return RunFolder(
        path=Path("result"),
        summary=result.summary,
        run=result.run,
        scenario=tomllib.loads(result.scenario),
        scenario_text=result.scenario,
        ios=result.ios.sort("completed_ns", maintain_order=True),
        tenancies=result.tenancies,
        paths=result.paths,
        samples=result.samples,
        decisions=None if result.decisions.is_empty() else result.decisions,
        label="result",
    )


def html(result: RunData) -> str:
    """Headline and ledger as HTML without style sheet or script, which pages that show notebooks take away."""
    run = as_folder(result)
    summary = result.summary
    notes = [f"{summary['ios']:,} I/Os in {tables.shown(summary['simulated_s'], 's')} measured; seed {summary['seed']}"]
    if result.stopped_early:
        notes.append("stopped early: the figures are those up to then")
    notes += doubts_of(summary)
    parts = [f"<p><b>{escape(summary.get('title') or 'Result')}</b><br>{'<br>'.join(map(escape, notes))}</p>"]
    parts.append(grid(tables.rates(run)))
    if summary["ios"] and summary["ledger_ns"] is not None:
        parts.append(grid(tables.ledger_table([run]), ledger_bars(run)))
    return "\n".join(parts) + "\n"


def ledger_bars(run: RunFolder) -> dict[str, str]:
    """A bar for each segment of the ledger, by the metric of the cell that it illustrates."""
    means = run.summary["ledger_ns"]["mean"]
    longest = max(means.values(), default=0)
    return {
        f"ledger_mean_{name}_ns": f'<div style="background:{line_colour(name)};'
        f'width:{round(mean / longest * BAR)}px;height:0.8em"></div>'
        for name, mean in means.items()
        if longest
    }


def grid(table: Table, bars: Mapping[str, str] | None = None) -> str:
    """A table; with bars in a last column, in the rows that have one."""
    bars = bars or {}
    last = "<th></th>" if bars else ""
    lines = ["<table>"]
    if table.head:
        lines.append(
            "<thead><tr>" + "".join(f"<th>{broken(text)}</th>" for text in table.head) + f"{last}</tr></thead>"
        )
    lines.append("<tbody>")
    for row in table.rows:
        bar = next((bars[cell.metric] for cell in row if cell.metric is not None and cell.metric in bars), "")
        end = f'<td style="text-align:left">{bar}</td>' if bars else ""
        lines.append("<tr>" + "".join(map(element, row)) + f"{end}</tr>")
    return "\n".join([*lines, "</tbody>", "</table>"])


def element(cell: Cell) -> str:
    """A cell; words stand left, numbers right."""
    return f'<td style="text-align:{"left" if cell.word else "right"}">{broken(cell.text)}</td>'


def broken(text: str) -> str:
    """A text with its line breaks."""
    return escape(text).replace("\n", "<br>")
