"""Writes docs/sources.md from docs/sources.csv: `python docs/sources.py`.

Each line of the list is something that one of the five sources describes: a mechanism, a parameter, a policy, an
experiment, a figure or an output. Its columns are

| column | content |
|---|---|
| `source` | W, R, H, F or M |
| `section` | section, figure, table or equation of the source |
| `item` | the description of the source, in short |
| `where` | files, folders and keys (`key:KIND.KEY`) that do it, separated by blanks |
| `check` | tests (`FILE` or `FILE::NAME`) and targets of the validation ledger, where `*` stands for any characters |
| `state` | `works`, `in part` or `missing` |
| `reason` | the cause of any state but `works` |

`tests/python/test_sources.py` compares all of it with the repository and the ledger.
"""

from __future__ import annotations

import csv
import fnmatch
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
LIST = DOCS / "sources.csv"
PAGE = DOCS / "sources.md"
LEDGER = DOCS / "validation.md"
REFERENCE = DOCS / "scenario-reference.md"

WORKS, IN_PART, MISSING = STATES = ("works", "in part", "missing")
SOURCES = {
    "W": "Wang Chaoyang, *Network Storage System Simulation and Performance Optimization*, National University of "
    "Singapore, 2005",
    "R": "Thomas M. Ruwart, *Performance Characterization of Large and Long Fibre Channel Arbitrated Loops*, 1999",
    "H": "*Storlite Modelling & Simulation, Final Report*, University of Edinburgh, 2006 (with HASE and SimRAID)",
    "F": "Mark B. Friedman, *An Introduction to SAN Capacity Planning*",
    "M": "Molero, Silla, Santonja and Duato, *Improving Network Performance by Efficiently Dealing with Short Control "
    "Messages in Fibre Channel SANs*, 2001",
}
HEADINGS = {"W": "Wang 2005", "R": "Ruwart 1999", "H": "Storlite 2006", "F": "Friedman", "M": "Molero et al. 2001"}


class Item(NamedTuple):
    """A line of the list."""

    source: str
    section: str
    item: str
    where: str
    check: str
    state: str
    reason: str

    def checks(self) -> list[str]:
        """The files with tests that the line names, and those of which it names a test."""
        return [word.partition("::")[0] for word in self.check.split() if word not in self.targets()]

    def targets(self) -> list[str]:
        """The patterns of targets of the ledger among the checks."""
        return [word for word in self.check.split() if re.match(r"[WRHFM]-[A-Z]", word)]

    def files(self) -> list[str]:
        """The files and folders that the line names, without the names of tests."""
        return [word for word in self.where.split() if not word.startswith("key:")] + self.checks()

    def tests(self) -> list[tuple[str, str]]:
        """The tests that the line names, each as file and function."""
        pairs = [word.partition("::") for word in self.check.split() if "::" in word]
        return [(file, name) for file, _, name in pairs]

    def scenario_keys(self) -> list[str]:
        """The keys of scenarios that the line names."""
        return [word.removeprefix("key:") for word in self.where.split() if word.startswith("key:")]


def read_items() -> list[Item]:
    """The lines of docs/sources.csv."""
    with LIST.open(encoding="utf-8", newline="") as file:
        return [Item(**row) for row in csv.DictReader(file)]


def verdicts() -> dict[str, set[str]]:
    """The verdicts of each target of the validation ledger."""
    found: dict[str, set[str]] = {}
    for line in LEDGER.read_text(encoding="utf-8").splitlines():
        if re.match(r"\| [WRHFM]-", line):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
            found.setdefault(cells[0], set()).add(cells[8])
    return found


def verdicts_of(item: Item, ledger: dict[str, set[str]]) -> set[str]:
    """The verdicts of all targets that a line names."""
    return {
        verdict
        for pattern in item.targets()
        for target in fnmatch.filter(ledger, pattern)
        for verdict in ledger[target]
    }


def keys_of_scenarios() -> set[str]:
    """All keys of the scenario reference, as KIND.TABLE.KEY, with the tables themselves."""
    keys: set[str] = set()
    kind, table = "", ""
    for line in REFERENCE.read_text(encoding="utf-8").splitlines():
        if heading := re.match(r"#{2,4} (.*)", line):
            text = heading[1]
            if line.startswith("## "):
                named = re.search(r'kind = "([^"]+)"', text)
                fixed = re.search(r"`\[{1,2}([a-z]+)\]{1,2}`", text)
                kind, table = (named[1] if named else fixed[1] if fixed else ""), ""
            else:
                inner = re.search(r"`\[NAME\.([^\]]+)\]`", text)
                table = inner[1].replace(".NAME", "") if inner else table
                keys |= {f"{kind}.{table}"}
        elif kind and (row := re.match(r"\| `([^`]+)`", line)):
            keys.add(f"{kind}.{table}.{row[1]}" if table else f"{kind}.{row[1]}")
    return keys


def share(items: list[Item], state: str) -> str:
    """The number of lines in a state, and their share."""
    count = sum(item.state == state for item in items)
    return f"{count} ({100 * count / len(items):.1f} %)"


def missed_figures(items: list[Item]) -> list[Item]:
    """The lines that are there, with a figure of the source that sansim misses."""
    ledger = verdicts()
    return [item for item in items if item.state == IN_PART and "miss" in verdicts_of(item, ledger)]


def cell(text: str) -> str:
    """A text as the cell of a table."""
    return text.replace("|", "\\|")


def code(words: str) -> str:
    """References, each as code but for targets of the ledger."""
    parts = [word.removeprefix("key:") for word in words.split()]
    return "<br>".join(part if re.match(r"[WRHFM]-[A-Z]", part) else f"`{part}`" for part in parts)


def page() -> str:
    """The whole page."""
    items = read_items()
    missed = missed_figures(items)
    others = [item for item in items if item not in missed]
    lines = [
        "# The list of sources",
        "",
        "This page is generated: `python docs/sources.py` writes it from `docs/sources.csv`.",
        "",
        "Each line is something that one of the five sources describes as part of a simulator or a measurement: a",
        "mechanism, a parameter, a policy, an experiment, a figure or an output. `works` means that it is there and",
        "that a test, or a row of the [validation ledger](validation.md), holds it; a line that names a missed row is",
        "never better than `in part`. The share is a result and no aim. Keys are written as kind and key.",
        "",
        f"**Of {len(items)} items {share(items, WORKS)} work, {share(items, IN_PART)} work in part and "
        f"{share(items, MISSING)} are missing.** Of those in part {len(missed)} are there and miss a figure of their "
        f"source; of the other {len(others)} items {share(others, WORKS)} work.",
        "",
        "| source | items | works | in part | missing |",
        "|---|---|---|---|---|",
    ]
    for source, heading in HEADINGS.items():
        own = [item for item in items if item.source == source]
        counts = Counter(item.state for item in own)
        lines.append(f"| {heading} | {len(own)} | " + " | ".join(str(counts[state]) for state in STATES) + " |")
    lines += [
        "",
        "## Not or not wholly there",
        "",
        "| source | section | item | state | reason |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {item.source} | {item.section} | {cell(item.item)} | {item.state} | {cell(item.reason)} |"
        for state in (MISSING, IN_PART)
        for item in items
        if item.state == state
    ]
    for source, heading in HEADINGS.items():
        lines += ["", f"## {heading}", "", f"{SOURCES[source]}.", ""]
        lines += ["| section | item | where | checked by | state |", "|---|---|---|---|---|"]
        lines += [
            f"| {item.section} | {cell(item.item)} | {code(item.where)} | {code(item.check)} | {item.state} |"
            for item in items
            if item.source == source
        ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
