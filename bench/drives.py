"""What stores data: speed of a disk and a flash drive, time and memory of a cache, and a rebuild.

Disk, flash drive and cache are measured alone, on one core: each is the example of its crate that says how fast it is.
The rebuild of a disk of 4 TB under load is a whole run, in circuits, with the error that its cross-check found. Aims
stand beside.
"""

import json
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
REBUILD = ROOT / "bench" / "rebuild-4tb.toml"
REBUILD_AIM_S = 300.0
"""What "a few minutes" of wall time is taken to be."""
CHECKED = ("--set", "run.cross_check=20 s")
"""So much of it is simulated in words too."""
QUICK_REBUILD = ("--set", "run.duration=4000 s")
"""A quick benchmark simulates the beginning only, and its aim shrinks as the simulated time does."""


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
    rebuild(bench)


def rebuild(bench):
    """The rebuild of a disk of 4 TB under load: wall time, and the error of the coarse loops."""
    bench.say("measuring a rebuild ...")
    change = QUICK_REBUILD if bench.quick else ()
    found = json.loads(bench.measure([bench.installed("sansim"), "run", REBUILD, "--json", *CHECKED, *change], str))
    run, summary = found["run"], found["summary"]
    simulated = run["simulated_per_wall"] * run["wall_s"]
    whole = 46_800.0
    aim = REBUILD_AIM_S * min(1.0, simulated / whole)
    array, check = summary["components"]["array"], summary["fidelity"]["cross_check"] or {}
    wanted = ("iops_error", "response_time_error", "utilisation_error")
    errors = [f"{100 * check[name]:+.2f} %" if check.get(name) is not None else "-" for name in wanted]
    holds = "yes" if run["wall_s"] <= aim else "NO"
    took = f"{array['rebuild_time'] / 3600:.1f}" if array["rebuild_time"] else "goes on"
    row = [f"{simulated:,.0f}", took, f"{run['wall_s']:.0f}", f"{aim:.0f}", holds, *errors]
    head = ["simulated s", "rebuild h", "wall s", "aim", "holds", "I/Os per s", "response", "utilisation"]
    table("A disk of 4 TB rebuilt under load, in circuits; errors against words", head, [row])
