"""What stores data, alone: I/Os per wall second of a disk and a flash drive on one core; time and memory of a cache.

Each is the example of its crate that says how fast it is. The aims stand beside.
"""

import re

from harness import ROOT, table

DISK = re.compile(r"(?m)^(.+?) +(\d+) I/Os per second")
FLASH = re.compile(r"(?m)^(\S.*?): ([\d.]+) million I/Os per wall second")
CACHE = re.compile(r"(?m)^(\S+) +([\d.]+) +[\d.]+ +([\d.]+) +[\d.]+%")
# Crate, its example, what is measured, how to read it, the factor to I/Os per second, and the aim.
DRIVES = (
    ("sansim-disk", "disk_speed", "disk", DISK, 1.0, 500_000),
    ("sansim-flash", "flash_speed", "flash drive", FLASH, 1e6, 1_000_000),
)
CACHE_NS, CACHE_MIB = 200.0, 1e9 / (1 << 20)
"""What an access of a cache of 16 GiB may take, and what the cache may take of memory."""


def run(bench, crate, example):
    """What an example of a crate prints."""
    folder = bench.cargo(ROOT / "Cargo.toml", f"bench-{crate}", "--package", crate, "--example", example)
    return bench.measure([folder / "examples" / example], str)


def drives(bench):
    """Drives and a cache alone: their speed and memory."""
    rows = []
    for crate, example, what, pattern, factor, aim in DRIVES:
        bench.say(f"measuring a {what} ...")
        for load, rate in pattern.findall(run(bench, crate, example)):
            reached = float(rate) * factor
            rows.append([what, load, f"{reached / 1e6:.2f}", f"{aim / 1e6:.2f}", "yes" if reached >= aim else "NO"])
    table("Drives: million I/Os per wall second, one round", ["drive", "load", "reached", "aim", "holds"], rows)
    bench.say("measuring a cache ...")
    rows = []
    for policy, ns, mib in CACHE.findall(run(bench, "sansim-cache", "cache_speed")):
        holds = float(ns) <= CACHE_NS and float(mib) <= CACHE_MIB
        rows.append([policy, ns, mib, "yes" if holds else "NO"])
    table("A cache of 16 GiB, Zipf 0.9: at most 200 ns and 1 GB", ["policy", "ns", "MiB", "holds"], rows)
