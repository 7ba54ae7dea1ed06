"""Ethernet: gigabytes of 64 KiB reads over NVMe/TCP that one second of a processor simulates."""

import json
import tempfile
from pathlib import Path

from harness import HERE, median, table
from watching import build

# The aim is for frames of 9,000 bytes; the figure with 1,500 is shown beside it.
AIM_GB = 10.0
MTUS = (9_000, 1_500)
BYTES = 65_536


def ethernet(bench):
    """Reads over Ethernet: what a second of a processor simulates."""
    program = build(bench)
    ios = 20_000 if bench.quick else 100_000
    with tempfile.TemporaryDirectory() as folder:
        commands = {mtu: [program, changed(folder, mtu), "off", ios] for mtu in MTUS}
        bench.say("measuring reads over Ethernet ...")
        rounds = bench.rounds_of(commands, lambda text: json.loads(text)["wall_s"])
    rows = [
        [f"{mtu:,} B", f"{ios * BYTES / median(rounds, mtu) / 1e9:.1f}", f"{AIM_GB:.0f}" if mtu == MTUS[0] else "-"]
        for mtu in MTUS
    ]
    table(
        "Reads of 64 KiB over 100 Gb/s with NVMe/TCP: GB that a processor second simulates",
        ["MTU", "GB/s", "aim"],
        rows,
    )


def changed(folder, mtu):
    """The scenario with frames of another size."""
    text = (HERE / "ethernet.toml").read_text(encoding="utf-8").replace('"9000 B"', f'"{mtu} B"')
    file = Path(folder) / f"ethernet-{mtu}.toml"
    file.write_text(text, encoding="utf-8")
    return file
