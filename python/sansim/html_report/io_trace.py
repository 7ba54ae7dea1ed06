"""The page about a trace of block I/O."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sansim.file_types import PAGE
from sansim.files import whole_file
from sansim.html_report.charts.io_trace import rate_chart, size_chart
from sansim.html_report.contents import Section
from sansim.html_report.frame import rendered
from sansim.html_report.tables import Cell, Table, word
from sansim.io_trace import VOLUME_HEAD, block, facts, oddities, size, span, volume_rows
from sansim.number_text import percent, quantity

MOST_ROWS = 200
"""Volumes of the table: those with the most requests."""


def sections(info: Mapping[str, Any]) -> list[Section]:
    """The content of the page."""
    over_time = Section("rate", "Rate over time")
    if info["requests"]:
        over_time.charts.append(rate_chart(info))
    sizes = Section("sizes", "Sizes")
    if info["sizes"]:
        sizes.charts.append(size_chart(info))
        rows = [[block(one["bytes"]), f"{one['requests']:,}", percent(one["share"])] for one in info["sizes"]]
        sizes.tables.append(plain_table(["size", "requests", "share"], rows, folded="the sizes as a table"))
    volumes = Section("volumes", "Volumes")
    volumes.tables.append(plain_table(VOLUME_HEAD, volume_rows(info, MOST_ROWS)))
    if len(info["volumes"]) > MOST_ROWS:
        volumes.notes.append(f"{len(info['volumes']) - MOST_ROWS:,} volumes with fewer requests are not shown.")
    figures = Section("figures", "All figures")
    figures.tables.append(Table([], [[word(name), word(text)] for name, text in facts(info)]))
    asides = [[why, f"{count:,}"] for why, count in info["asides"].items()]
    if asides:
        figures.tables.append(plain_table(["lines that are no requests", "lines"], asides))
    return [part for part in (over_time, sizes, volumes, figures) if part.charts or part.tables]


def plain_table(head: list[str], rows: list[list[str]], folded: str = "") -> Table:
    """A table of texts, of which the first column has words."""
    cells = [[word(first), *(Cell(text) for text in rest)] for first, *rest in rows]
    return Table(list(head), cells, folded=folded)


def tiles(info: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The numbers everyone looks for first."""
    rate = info["requests_per_s"]
    moved = info["reads"] + info["writes"]
    return [
        ("requests", f"{info['requests']:,}"),
        ("reads", percent(info["reads"] / moved if moved else None)),
        ("read and written", size(info["bytes_read"] + info["bytes_written"])),
        ("span", span(info["span_s"]).partition(" (")[0]),
        ("requests/s", "-" if rate is None else quantity(rate)),
        ("mean size", size(info["mean_bytes"])),
    ]


def render(info: Mapping[str, Any]) -> str:
    """The page as text."""
    return rendered("io_trace.html.j2", info=info, sections=sections(info), tiles=tiles(info), oddities=oddities(info))


def write(info: Mapping[str, Any], file: Path, *, force: bool = False) -> None:
    """Writes the page.

    Raises:
        OtherKindError: The place is taken by something else.
        OSError: It cannot be written.
    """
    text = render(info)
    file.absolute().parent.mkdir(parents=True, exist_ok=True)
    with whole_file(file, PAGE, force=force) as stream:
        stream.write(text.encode())
