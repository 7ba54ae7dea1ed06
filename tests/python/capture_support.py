"""Captures for tests: runs that write them, and tshark that reads them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars
import pytest

from conftest import clean_environment, within
from ethernet_reader import RdmaPacket, Segment, packets, rdma_packet, segment

SCENARIOS = Path(__file__).parents[2] / "scenarios"
NEEDS_TSHARK = pytest.mark.referee(
    shutil.which("tshark") is not None, "tshark IS NOT INSTALLED: it checks no capture (Debian: apt-get install tshark)"
)


@dataclass(frozen=True)
class Run:
    """A finished run."""

    capture: Path
    summary: dict[str, Any]
    ios: list[dict[str, Any]]

    def segments(self, way: str, at_switches: bool = False) -> list[Segment]:
        """The segments that leave nodes, or ports of switches (`out`), or reach them (`in`)."""
        at = [packet for packet in packets(self.capture) if packet.interface.endswith(f" {way}")]
        found = [segment(packet) for packet in at if ("switch" in packet.interface) == at_switches]
        return [one for one in found if one is not None]

    def rdma_packets(self, way: str) -> list[RdmaPacket]:
        """The packets of RDMA that leave nodes, or reach them."""
        at = [packet for packet in packets(self.capture) if packet.interface.endswith(f" {way}")]
        found = [rdma_packet(packet) for packet in at if "switch" not in packet.interface]
        return [one for one in found if one is not None]


Capture = Callable[..., Run]


def capturing(folder: Path, scenario_text: str) -> Capture:
    """Runs a scenario, or the given text with another word for PROTOCOL, and captures it.

    Settings are given with two lines low for a dot.
    """
    numbers, cli = iter(range(100)), within(folder)

    def run(scenario: str | Path, *options: object, **settings: object) -> Run:
        number = next(numbers)
        file, tables = folder / f"{number}.pcapng", folder / f"run{number}"
        if isinstance(scenario, str):
            text, scenario = scenario_text.replace("PROTOCOL", scenario), folder / f"{number}.toml"
            scenario.write_text(text)
        sets = [text for key, value in settings.items() for text in ("--set", f"{key.replace('__', '.')}={value}")]
        done = cli("run", scenario, *sets, "--capture", file, "--out", tables, "--json", *options)
        assert done.returncode == 0, done.stderr
        ios = polars.read_parquet(tables / "ios.parquet").sort("io")
        return Run(file, json.loads(done.stdout)["summary"], ios.to_dicts())

    return run


def tshark(run: Run, *arguments: str) -> list[list[str]]:
    """Lines of fields that tshark shows, with check sums checked and segments that come out of order put in order."""
    folder = run.capture.parent
    environment = {**clean_environment(), "WIRESHARK_CONFIG_DIR": os.fspath(folder / "no-settings")}
    options = ["tcp.reassemble_out_of_order:TRUE", "tcp.check_checksum:TRUE", "ip.check_checksum:TRUE"]
    command = ["tshark", "-r", os.fspath(run.capture), *(text for one in options for text in ("-o", one))]
    command += [*arguments, "-T", "fields"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", env=environment, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return [line.split("\t") for line in done.stdout.splitlines()]
