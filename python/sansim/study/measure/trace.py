"""Times between lines of a word trace (docs/trace.md), as a protocol analyzer would give them.

A pattern names a port and what it sends: `controller OPN`, `drive[3] R_RDY`, `drive[0] FCP_RSP`,
`controller ARB(01,01)`. `#2` behind it means the second such line, and `end of` before it the moment at which the last
word of the line has been sent, instead of the moment at which the first begins. `=> OPEN` is a change of the port's
state.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sansim.study.suggest import suggestion

PATTERN = re.compile(r"(?P<end>end of )?(?P<port>\S+) (?P<what>=> [A-Z ]+|(?!=>)\S+)(?: #(?P<nth>[1-9][0-9]*))?\Z")
LINE = re.compile(
    r"(?P<h>\d+):(?P<m>\d\d):(?P<s>\d\d)\.(?P<ms>\d{3})_(?P<us>\d{3})_(?P<ns>\d{3})\s+\S+\s+(?P<port>\S+)\s+"
    r"(?P<count>\d+|-)\s+(?P<what>=> .*|\S+)\s*(?P<size>\d+)?\s*(?P<frame>FCP_\S+)?"
)


WORDS = ("IDLE", "ARB", "OPN", "CLS", "R_RDY", "DHD", "MRK", "SOFi3", "SOFn3")
"""Ordered sets that a trace shows."""
UNITS = ("FCP_CMND", "FCP_XFER_RDY", "FCP_DATA", "FCP_RSP")
"""Information units that it shows."""
STATES = (
    *("MONITORING", "ARBITRATING", "ARBITRATION WON", "OPEN", "OPENED"),
    *("TRANSMITTED CLOSE", "RECEIVED CLOSE", "TRANSFER"),
)
"""States of a port that it shows."""


class PatternError(ValueError):
    """A pattern that cannot be read; the text says which, and `remedy` how to write one."""

    def __init__(self, message: str, remedy: str) -> None:
        """Takes what is wrong, and what to do about it."""
        super().__init__(message)
        self.remedy = remedy


@dataclass(frozen=True)
class Pattern:
    """A line of the trace that is looked for."""

    port: str
    what: str
    nth: int
    end: bool

    def matches(self, line: Line) -> bool:
        """Whether a line is such a one."""
        if line.port != self.port:
            return False
        what = self.what
        return line.what == what or line.frame == what or line.what.partition("(")[0] == what


@dataclass(frozen=True)
class Line:
    """A line of the trace."""

    start_ns: int
    port: str
    what: str
    frame: str
    words: int
    """So many words it lasts."""


def parse_pattern(text: str) -> Pattern:
    """Reads a pattern.

    Raises:
        PatternError: It is none.
    """
    found = PATTERN.match(text.strip())
    if found is None:
        raise PatternError(
            f"`{text}` does not name a line of a trace",
            "write a port and what it sends, as `controller OPN`, `drive[3] R_RDY #2` or `end of drive[0] FCP_RSP`",
        )
    return Pattern(found["port"], found["what"].strip(), int(found["nth"] or 1), found["end"] is not None)


def check_pattern(text: str) -> None:
    """Checks that a line like this can be in a trace.

    Raises:
        PatternError: It cannot.
    """
    what = parse_pattern(text).what
    name = what.partition("(")[0]
    known: tuple[str, ...] = (*WORDS, *UNITS)
    if what.startswith("=>"):
        name, known = what.removeprefix("=>").strip(), STATES
    if name not in known:
        raise PatternError(f"a trace never shows `{name}`", suggestion(name, known))


def read_lines(file: Path) -> Iterator[Line]:
    """The lines of a trace."""
    with file.open(encoding="utf-8") as lines:
        for text in lines:
            found = LINE.match(text)
            if found is None:
                continue
            seconds = (int(found["h"]) * 60 + int(found["m"])) * 60 + int(found["s"])
            start = ((seconds * 1000 + int(found["ms"])) * 1000 + int(found["us"])) * 1000 + int(found["ns"])
            count = 0 if found["count"] == "-" else int(found["count"])
            words = count * int(found["size"] or 0) // 4
            yield Line(start, found["port"], found["what"].strip(), found["frame"] or "", words)


def read_intervals(file: Path, traces: Sequence[tuple[str, str, str]], word_ns: float) -> dict[str, float | None]:
    """Times between lines of a trace, in ns.

    Args:
        file: The trace.
        traces: Name, first pattern and second pattern of each interval. The second is looked for from the line behind
            the first one on; `#2` there counts from there too.
        word_ns: Time of a transmission word, for `end of`.

    Returns:
        The times by name; None where the trace has no such lines. Stamps are whole ns, so a time is exact to 1 ns.
    """
    wanted = [(name, parse_pattern(start), parse_pattern(end)) for name, start, end in traces]
    begun: dict[str, float] = {}
    seen: dict[tuple[str, bool], int] = {}
    times: dict[str, float | None] = dict.fromkeys((name for name, _, _ in wanted), None)
    for line in read_lines(file):
        for name, start, end in wanted:
            if times[name] is not None:
                continue
            second = name in begun
            pattern = end if second else start
            if not pattern.matches(line):
                continue
            seen[name, second] = seen.get((name, second), 0) + 1
            if seen[name, second] < pattern.nth:
                continue
            at = line.start_ns + (line.words * word_ns if pattern.end else 0.0)
            if second:
                times[name] = at - begun[name]
            else:
                begun[name] = at
        if all(time is not None for time in times.values()):
            break
    return times
