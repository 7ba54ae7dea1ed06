"""Texts for a person in blocks: lines within a width, blocks an empty line apart."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable

ROW = "  | "
"""A line that begins with this is a row of a table: it is shown without this prefix and without wrapping."""

NO_BREAK = "\N{NO-BREAK SPACE}"
UNIT = re.compile(r"(?<=\d) (?=(?:%|[num]?s|IOPS|W)(?!\w))")
"""The space between a number and its unit: a line does not end there."""


def text_of(blocks: Iterable[Iterable[str]], width: int) -> str:
    """The whole text, ending in a line break. Blocks without lines are left out."""
    texts = ("".join(f"{part}\n" for line in block for part in wrapped(line, width)) for block in blocks)
    return "\n".join(text for text in texts if text)


def wrapped(line: str, width: int) -> list[str]:
    """A line in as many as it needs, those behind the first further in."""
    if line.startswith(ROW):
        return [line.removeprefix(ROW)]
    indent = len(line) - len(line.lstrip())
    whole = UNIT.sub(NO_BREAK, line)
    # Options and names with hyphens stay whole, so that they can be copied.
    lines = textwrap.wrap(whole, width, subsequent_indent=" " * (indent + 2), break_on_hyphens=False) or [""]
    return [part.replace(NO_BREAK, " ") for part in lines]
