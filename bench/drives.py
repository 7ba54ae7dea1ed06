"""Drives alone, a disk and a flash drive: I/Os per wall second on one core, beside what is asked of them."""

import re

from harness import ROOT, table

DISK = re.compile(r"(?m)^(.+?) +(\d+) I/Os per second")
FLASH = re.compile(r"(?m)^(\S.*?): ([\d.]+) million I/Os per wall second")
# Crate, what is measured, how to read it, the factor to I/Os per second, and the aim (issue 16).
DRIVES = (
    ("sansim-disk", "disk", DISK, 1.0, 500_000),
    ("sansim-flash", "flash drive", FLASH, 1e6, 1_000_000),
)


def drives(bench):
    """Drives alone: their I/Os per wall second."""
    rows = []
    for crate, what, pattern, factor, aim in DRIVES:
        bench.say(f"measuring a {what} ...")
        # Both programs are called `speed`, so each has a folder of its own.
        folder = bench.cargo(ROOT / "Cargo.toml", f"bench-{crate}", "--package", crate, "--example", "speed")
        printed = bench.measure([folder / "examples" / "speed"], str)
        for load, rate in pattern.findall(printed):
            reached = float(rate) * factor
            rows.append([what, load, f"{reached / 1e6:.2f}", f"{aim / 1e6:.2f}", "yes" if reached >= aim else "NO"])
    table("Drives: million I/Os per wall second, one round", ["drive", "load", "reached", "aim", "holds"], rows)
