"""Figures in texts: those of the first pages are those of the ledger, and what is modelled is called so."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from conftest import Cli

ROOT = Path(__file__).parents[2]
LEDGER = (ROOT / "docs" / "validation.md").read_text(encoding="utf-8")
TEXTS = [ROOT / "README.md", ROOT / "docs" / "index.md", ROOT / "docs" / "wang-2005.md"]
NUMBERS = ["no", "one", "two", "three", "four", "five", "six"]

NETWORKS = {
    "arbitrated-loop": "arbitrated loops",
    "loop-switch": "loop switch",
    "fabric": "fabrics",
    "scsi-bus": "SCSI buses",
    "tcp": "TCP",
    "ethernet": "Ethernet",
    "pcie": "PCI Express",
}
"""What texts call the networks, by the words for their kinds."""


def cells(line: str) -> list[str]:
    return [part.strip() for part in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def table_6_5() -> dict[str, tuple[str, float]]:
    """The throughputs of table 6.5 in the ledger: the size and the error in percent, by id."""
    found = {}
    for line in LEDGER.splitlines():
        if line.startswith("| W-T65-") and "throughput" in line:
            row = cells(line)
            size = re.search(r"size = (\d+) (K|M)iB", row[2])
            published, ours = (float(row[column].split()[0].replace(",", "")) for column in (4, 6))
            assert size is not None, row
            found[row[0]] = (f"{size[1]} {size[2]}B", 100 * (ours / published - 1))
    return found


def counts(name: str) -> dict[str, str]:
    """A row of the table of classes: how many of how many hold, in all and by paper."""
    head = next(line for line in LEDGER.splitlines() if line.startswith("| class |"))
    row = next(line for line in LEDGER.splitlines() if line.startswith(f"| {name} |"))
    return dict(zip(cells(head), cells(row), strict=True))


def text(path: Path) -> str:
    return " ".join(path.read_text(encoding="utf-8").split())


def test_the_first_page_has_the_cells_of_table_6_5_that_the_ledger_has() -> None:
    rows = table_6_5()
    outside = [(name, size, error) for name, (size, error) in rows.items() if abs(error) > 3]
    columns = {"W-N": "write, fair", "M-N": "66 % mixture, fair"}
    each = "; ".join(
        f"{columns[name.removeprefix('W-T65-')[:3]]}: {error:+.1f} % at {size}" for name, size, error in outside
    )
    sentence = f"{NUMBERS[len(outside)]} of the {len(rows)} published cells are outside 3 % ({each})"
    assert sentence in text(ROOT / "README.md")
    assert f"{len(rows) - len(outside)} of the {len(rows)} published cells are within 3 %" in text(
        ROOT / "docs" / "wang-2005.md"
    )


def test_what_is_said_to_hold_is_what_the_ledger_counts() -> None:
    predicted, seen = counts("predicted"), counts("seen")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = {row[0]: row[1:] for line in readme.splitlines() if len(row := cells(line)) == 5}
    papers = {
        "Wang 2005": "W",
        "Ruwart 1999": "R",
        "Storlite 2006": "H",
        "Molero 2001": "M",
        "Friedman 2001": "F",
        "data sheets of flash drives": "D",
    }
    expected = {}
    for source, paper in papers.items():
        pairs = [count[paper].split("/") for count in (predicted, seen)]
        expected[source] = [number for hold, all_of in pairs for number in (all_of, hold)]
    assert {source: row for source, row in rows.items() if all(cell.isdecimal() for cell in row)} == expected
    assert set(predicted) - {"class", "all", "meaning"} == set(papers.values())
    assert "{} of {} predicted values hold".format(*predicted["all"].split("/")) in text(ROOT / "README.md")


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_no_page_has_another_count_of_what_was_predicted(path: Path) -> None:
    hold, all_of = counts("predicted")["all"].split("/")
    for found in re.findall(r"predicted, (\d+) of (\d+) hold", text(path)):
        assert found == (hold, all_of)


def test_every_network_is_named_by_the_help_and_by_the_first_page(cli: Cli) -> None:
    schema = json.loads(cli("schema").stdout)
    kinds = {word: found for word, found in schema["$defs"].items() if "stations" in found.get("properties", {})}
    networks = {word for word, found in kinds.items() if "kind" in found["properties"]}
    assert networks == set(NETWORKS)
    for said in (cli("--help").stdout, text(ROOT / "README.md")):
        flat = " ".join(said.split()).lower()
        for name in NETWORKS.values():
            assert name.lower() in flat, name
    assert "other networks than fibre channel" not in cli("--help").stdout.lower()
