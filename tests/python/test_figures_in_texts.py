"""Figures in texts: those of the first pages are those of the ledger, and what is modelled is called so."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

import sansim
from conftest import Cli
from sansim import _core
from sansim.catalogue import waits

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


# ---------------------------------------------------------------- numbers in prose


UNIT = r"(?:%|ms|us|ns|s|MB/s|MiB/s|GB/s|IOPS|KiB|MiB|KB)"
NUMBER = re.compile(r"(?<![\w.,])(\d[\d,]*(?:\.\d+)?)\s?" + UNIT + r"(?!\w)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
SHOWN = [
    *(ROOT / "docs" / "tutorials" / f"{name}.md" for name in ("a-load-of-your-own", "a-loop-and-its-arbitration")),
    ROOT / "docs" / "tutorials" / "array-behind-a-fabric.md",
    *(ROOT / "docs" / f"{name}.md" for name in ("hosts", "plan", "study-guide", "tables", "workloads", "policies")),
    *(ROOT / "docs" / f"{name}.md" for name in ("fitting-drives", "fitting-adapters", "index")),
]
"""Pages whose prose speaks of what their blocks show; the blocks are compared with what commands print."""


ELSEWHERE = {
    "a-loop-and-its-arbitration": {"193 MiB/s", "4.5 ms", "98 %", "9.7 ms"},  # the test of the next function
    "array-behind-a-fabric": {"90 %"},  # the definition of a saturated component
    "hosts": {"80 ms", "100 us"},  # two scenarios; a test below
    "plan": {"100 %"},  # all of the time
    "workloads": {"40 %", "400 KiB"},  # what a line of a table means, by arithmetic
    # test_own_rules.py; bench/rules.py measures the cost; the log has the limit of crates/rules/src/decision_log.rs
    "policies": {"0.32 s", "0.54 s", "0.5 us", "256 MiB"},
}
"""Numbers in prose that no block shows, with what holds them instead."""


def is_shown(number: str, shown: list[float]) -> bool:
    """Whether a number is one of those that are shown, rounded as it is written, in units that differ by 1000."""
    value, digits = float(number.replace(",", "")), len(number.partition(".")[2])
    half = 0.501 * 10.0**-digits
    return any(abs(one * factor - value) <= half for one in shown for factor in (1.0, 1000.0, 0.001))


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: path.name)
def test_numbers_in_the_prose_of_a_page_are_those_that_its_blocks_show(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    code = " ".join(CODE.findall(page))
    prose = re.sub(r"<!--.*?-->", "", CODE.sub("", page), flags=re.DOTALL)
    shown = [float(one.replace(",", "")) for one in re.findall(r"(?<![\w.])\d[\d,]*(?:\.\d+)?", code) if one.strip(",")]
    assert shown
    unseen = [found[0] for found in NUMBER.finditer(prose) if not is_shown(found[1], shown)]
    assert set(unseen) == ELSEWHERE.get(path.stem, set())


def test_the_tutorial_of_loops_says_of_its_two_runs_what_they_give() -> None:
    tutorial = text(ROOT / "docs" / "tutorials" / "a-loop-and-its-arbitration.md")
    base = ROOT / "scenarios" / "wang-2005-base.toml"
    fair = sansim.run(base, collect_ios=False).summary
    first = sansim.run(base, {"controller.schedule": "command-first"}, collect_ios=False).summary
    mib = [one["bytes_per_second"] / 2**20 for one in (fair, first)]
    assert f"deliver {mib[0]:.0f} MiB/s over a loop that carries {mib[1]:.0f} MiB/s" in tutorial
    waits_ms = sum(ns for line, ns in fair["ledger_ns"]["mean"].items() if waits(line)) / 1e6
    # To a tenth and a little more: the page adds up rounded times.
    assert "An I/O waits for 4.5 ms" in tutorial and waits_ms == pytest.approx(4.5, abs=0.1)
    assert f"saturates the loop, at {100 * first['components']['loop']['utilisation']:.0f} %" in tutorial
    p99 = [one["response_time_ns"]["p99"] / 1e6 for one in (fair, first)]
    assert f"the 99th percentile rises from {p99[0]:.1f} to {p99[1]:.1f} ms" in tutorial


def test_the_page_of_hosts_says_of_scenarios_what_they_have() -> None:
    page = text(ROOT / "docs" / "hosts.md")
    events = tomllib.loads((ROOT / "scenarios" / "dual-fabric.toml").read_text(encoding="utf-8"))["event"]
    fail, repair = (int(event["at"].removesuffix(" ms")) for event in events)
    assert f"fail the left fabric for {repair - fail} ms" in page
    assert "holds each frame for 100 us before it returns the buffer" in page
    assert 'frame_time = "100 us"' in (ROOT / "scenarios" / "slow-drain.toml").read_text(encoding="utf-8")


def test_a_number_that_no_block_shows_is_found() -> None:
    assert is_shown("61", [60.9]) and is_shown("1.06", [1063.0]) and not is_shown("62", [60.9])


@pytest.mark.slow
def test_the_first_page_says_of_its_example_what_a_run_gives() -> None:
    readme = text(ROOT / "README.md")
    scenario = ROOT / "scenarios" / "flash-array.toml"
    fabrics = {"left.kind": "fabric", "right.kind": "fabric"}
    times = sansim.run(scenario, fabrics, collect_ios=False).summary["response_time_ns"]
    assert f"half of the I/Os take {times['p50'] / 1e3:.0f} us or less" in readme
    assert "takes more than 35 ms" in readme and 35e6 < times["p99"] < 36e6
    keys = {one.key: one.value for one in _core.Scenario.load(scenario, list(fabrics.items())).settings()}
    assert f"the host needs {keys['host.fail_over_time']} to give up a failed path" in readme
    assert f"a change of owner takes {keys['controller.pair.change_time']}" in readme


def test_the_versions_that_pages_ask_for_are_those_of_the_manifests() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    python = project["requires-python"].removeprefix(">=")
    rust = cargo["workspace"]["package"]["rust-version"]
    for page in ("README.md", "CONTRIBUTING.md"):
        assert f"Python {python} or newer" in text(ROOT / page)
        assert f"Rust {rust} or newer" in text(ROOT / page)
    assert f"Python {python}, a C compiler and Rust {rust} or newer" in text(ROOT / "docs" / "index.md")


def test_the_start_page_has_the_count_of_predicted_values_that_the_ledger_has() -> None:
    assert "{} of {} predicted values hold".format(*counts("predicted")["all"].split("/")) in text(
        ROOT / "docs" / "index.md"
    )


def test_the_page_of_performance_says_of_when_its_figures_are() -> None:
    assert re.search(r"are as of \d+ \w+ 20\d\d, commit `[0-9a-f]{8}`", text(ROOT / "docs/internals/performance.md"))
