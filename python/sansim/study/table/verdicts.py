"""The table of published values beside ours: for terminals, Markdown and CSV."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from sansim.study.table.formats import csv_text, text
from sansim.study.table.frame import finite
from sansim.study.table.text import NOTHING, exponent, markdown_table, one_line, significant
from sansim.study.verdict import Verdict

WIDTH = 120
"""Columns of a terminal that the plain table fits."""
HEADER = ("target", "class", "source", "published", "ours", "error", "verdict", "note")
NUMBERS = range(3, 6)
SHORTENED = {7: 24, 2: 10}
"""Columns that are shortened to make room, and how far: notes, then sources. Compared values are never cut."""
GAP = "  "


def verdict_text(verdicts: Sequence[Verdict], *, width: int = WIDTH) -> str:
    """The table for a terminal, in aligned columns; notes are shortened to make it fit, then sources.

    Where that is not enough, since values are never cut, a row takes several lines.
    """
    lines = [list(HEADER), *(texts(verdict) for verdict in verdicts)]
    if not any(line[-1] for line in lines[1:]):
        lines = [line[:-1] for line in lines]
    widths = [max(columns(line[place]) for line in lines) for place in range(len(lines[0]))]
    excess = sum(widths) + len(GAP) * (len(widths) - 1) - width
    for place, least in SHORTENED.items():
        if place < len(widths):
            less = max(min(excess, widths[place] - least), 0)
            widths[place] -= less
            excess -= less
    if excess > 0:
        return "".join(stacked(line, width) for line in lines[1:])
    return "".join(aligned(line, widths) for line in lines)


def stacked(line: Sequence[str], width: int) -> str:
    """A row below the other: what is compared and how it ends, then both values, then the note."""
    target, class_, source, published, ours, error, verdict, *note = line
    values = f"published {published}, ours {ours}" + (f", error {error}" if error != NOTHING else "")
    parts = [shortened(f"{target}{GAP}{class_}{GAP}{verdict}{GAP}{source}", width)]
    for content in (values, *note):
        first, *rest = [*folded(content, width - 2 * len(GAP)), ""]
        parts += [GAP + first, *(2 * GAP + part for part in rest)]
    return "".join(f"{part.rstrip()}\n" for part in parts if part.strip())


def folded(content: str, width: int) -> list[str]:
    """A text in lines of so many columns, broken between words where there are any."""
    lines = [""]
    for word in content.split(" "):
        rest = word
        if lines[-1] and columns(f"{lines[-1]} {rest}") <= width:
            lines[-1] += f" {rest}"
            continue
        if lines[-1]:
            lines.append("")
        while columns(rest) > width:
            fitting = next(end for end in range(len(rest), 0, -1) if columns(rest[:end]) <= width)
            lines[-1:] = [rest[:fitting], ""]
            rest = rest[fitting:]
        lines[-1] = rest
    return lines


def aligned(line: Sequence[str], widths: Sequence[int]) -> str:
    """A line of the table."""
    parts = []
    for place, (content, width) in enumerate(zip(line, widths, strict=True)):
        short = shortened(content, width)
        space = " " * (width - columns(short))
        parts.append(space + short if place in NUMBERS else short + space)
    return GAP.join(parts).rstrip() + "\n"


def verdict_markdown(verdicts: Sequence[Verdict]) -> str:
    """The table as Markdown: with the whole notes, what was measured and where, and how far it may be off."""
    header = [name.capitalize() for name in HEADER]
    lines = [texts(verdict) for verdict in verdicts]
    whats = [", ".join(filter(None, (verdict.metric, verdict.where))) for verdict in verdicts]
    tolerances = [verdict.tolerance for verdict in verdicts]
    for line, what, tolerance in zip([header, *lines], ["What", *whats], ["Tolerance", *tolerances], strict=True):
        line[4:4] = [shown(one_line(tolerance))]
        line[2:2] = [one_line(what)]
    return markdown_table(header, lines, right=range(4, 8))


def verdict_csv(verdicts: Sequence[Verdict]) -> str:
    """The table as CSV (RFC 4180, lines end in CRLF): numbers with all their digits, their unit in a column."""
    fields = (
        "target",
        "study",
        "source",
        "kind",
        "metric",
        "where",
        "published",
        "ours",
        "unit",
        "error",
        "verdict",
        "class_",
        "tolerance",
        "note",
    )
    names = {"error": "error [%]", "class_": "class"}
    header = [names.get(name, name) for name in fields]
    return csv_text([header, *([text(getattr(verdict, name)) for name in fields] for verdict in verdicts)])


# ---------------------------------------------------------------- cells


def texts(verdict: Verdict) -> list[str]:
    """The cells of a row for people."""
    if verdict.kind == "remark":
        # Nothing was published that could be compared; what is to be said of it is a note.
        said = [str(verdict.published), verdict.note]
        verdict = replace(verdict, published="", note="; ".join(part for part in said if part))
    published, ours = verdict.published, verdict.ours
    if isinstance(published, float | int):
        cells = [f"{shown(published)} {verdict.unit}", beside(ours, published)]
    else:
        cells = [
            shown(published),
            f"{significant(ours)} {verdict.unit}" if isinstance(ours, float | int) else shown(ours),
        ]
    error = f"{verdict.error:+.2f} %" if isinstance(verdict.error, float | int) else shown(verdict.error)
    row = [verdict.target, verdict.class_, verdict.source, *cells, error, verdict.verdict, verdict.note]
    return [one_line(cell) for cell in row]


def shown(value: float | str | None) -> str:
    """A value as it was written, without digits that a conversion has left."""
    if value is None or value == "":
        return NOTHING
    if isinstance(value, str):
        return value
    return f"{value:.10g}" if 1e-5 <= abs(value) < 1e10 or value == 0 else f"{value:g}"


def beside(ours: float | str | None, published: float) -> str:
    """Ours with at least the decimals that the published number has."""
    if not isinstance(ours, float | int):
        return shown(ours)
    if finite(ours) is None:
        return NOTHING
    decimals = len(shown(published).partition("e")[0].partition(".")[2])
    plain = -5 <= exponent(ours, 4) < 12
    return f"{ours:.{max(decimals, 3 - exponent(ours, 4))}f}" if plain and decimals else significant(ours)


def columns(content: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(map(columns_of, content))


def columns_of(character: str) -> int:
    """Two for a wide East Asian character, none for a combining accent."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def shortened(content: str, width: int) -> str:
    """A text that fits."""
    if columns(content) <= width:
        return content
    kept, taken = "", 1
    for character in content:
        taken += columns_of(character)
        if taken > width:
            break
        kept += character
    return f"{kept.rstrip()}…"
