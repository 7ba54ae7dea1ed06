"""Colour in the text of reports at a terminal; files and pipes get plain text.

`NO_COLOR` (not empty) turns it off, `FORCE_COLOR` on, as many programs do; `TERM=dumb` has none.
"""

from __future__ import annotations

import os
import re
from typing import TextIO

RESET = "\x1b[0m"
BOLD, RED, YELLOW, BLUE, CYAN = "\x1b[1m", "\x1b[1;31m", "\x1b[1;33m", "\x1b[34m", "\x1b[36m"
WORK, WAITING = "\x1b[34m", "\x1b[33m"
"""Bars of the ledger: something is done for the I/O, or it waits."""

LABELS = {
    re.compile(r"^(error(\[\w+\])?)(?=:)", re.IGNORECASE): RED,
    re.compile(r"^(warning(\[\w+\])?)(?=:)", re.IGNORECASE): YELLOW,
    re.compile(r"(?<= = )(help|note)(?=:)"): CYAN,
    re.compile(r"(?<=^ )( *-->)"): BLUE,
    re.compile(r"^( *\d* \|)"): BLUE,
    re.compile(r"(\^+)(?= |$)(?=[^|]*$)"): RED,
}
"""Parts of a message: what it is, where it is, what to do."""
ALARMS = ("STOPPED EARLY", "NOT STEADY", "INTERVALS IN DOUBT", "is NOT KNOWN")
HEADINGS = re.compile(
    "Rate|Response time|Workload|Host|Devices|Each device|Driver|Adapter|Utilisation|Bounds|Where the time"
)
BARS = {re.compile("[▏▎▍▌▋▊▉█]+"): WORK, re.compile("░+"): WAITING}


def wanted(stream: TextIO | None) -> bool:
    """Whether a stream leads to a reader who sees colours."""
    if stream is None or os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def painted(text: str, colour: str) -> str:
    """A text in a colour."""
    return f"{colour}{text}{RESET}"


def message(text: str) -> str:
    """Errors, warnings and their notes, with their parts coloured."""
    lines = []
    for line in text.split("\n"):
        for pattern, colour in LABELS.items():
            line = pattern.sub(painted(r"\1", colour), line, count=1)
        lines.append(line)
    return "\n".join(lines)


def report(text: str) -> str:
    """The report of a run: headings, alarms, and bars by whether the I/O waits."""
    lines = []
    for number, line in enumerate(text.split("\n")):
        if any(alarm in line for alarm in ALARMS):
            line = painted(line, YELLOW)
        elif number == 0 or (line[:1].strip() and HEADINGS.match(line)):
            line = painted(line, BOLD)
        else:
            for bars, colour in BARS.items():
                line = bars.sub(painted(r"\g<0>", colour), line)
        lines.append(line)
    return "\n".join(lines)
