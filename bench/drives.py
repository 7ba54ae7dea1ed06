"""What stores data: speed of a disk and a flash drive, time and memory of a cache, and a rebuild.

Disk, flash drive and cache are measured alone, on one core: each is the example of its crate that says how fast it is.
The rebuild of a disk of 4 TB under load is a whole run without a network. Aims stand beside, and one that is missed
ends the section with an error.
"""

import json
import re
import sys
from dataclasses import dataclass

from harness import ROOT, table

DISK = re.compile(r"(\S.*?) +(\d+) I/Os per second, mean response [\d.]+ ms")
FLASH = re.compile(r"(\S.*?): ([\d.]+) million I/Os per wall second \(.*\)")
FLASH_MEMORY = re.compile(
    r" +([\d.]+) MB fresh \(([\d.]+) resident\), ([\d.]+) MB for (\d+) units written: [\d.]+ B each"
)
CACHE = re.compile(r"(\S.*?) +([\d.]+) +[\d.]+ +([\d.]+) +[\d.]+%")
CACHE_HEAD = re.compile(r"policy +ns/access .*")
DISK_AIM, FLASH_AIM = 500_000, 1_000_000
"""I/Os per wall second."""
FLASH_MB, FLASH_UNIT_BYTES = 64.0, 8
"""Memory of a flash drive: so much, and so many bytes for each unit that hosts or garbage collection have written."""
CACHE_NS, CACHE_MIB = 200.0, 1e9 / (1 << 20)
"""What an access of a cache of 16 GiB may take, and what the cache may take of memory."""
REBUILD = ROOT / "bench" / "rebuild-4tb.toml"
REBUILD_AIM_S = 300.0
"""What "a few minutes" of wall time is taken to be."""
QUICK_REBUILD = ("--set", "run.duration=4000 s")
"""A quick benchmark simulates the beginning only, and its aim shrinks as the simulated time does."""
SIMULATED_S = 46_800.0
"""How long the whole of it is."""


@dataclass(frozen=True)
class Row:
    """Something measured, beside its aim."""

    what: str
    cells: tuple[str, ...]
    holds: bool

    def told(self):
        """The row of a table."""
        return [self.what, *self.cells, "yes" if self.holds else "NO"]


def matched(text, *patterns):
    """Of each line that an example prints the place of the pattern that it fits as a whole, and what that found."""
    for line in filter(str.strip, text.splitlines()):
        fits = ((place, pattern.fullmatch(line.rstrip())) for place, pattern in enumerate(patterns))
        found = next(((place, match.groups()) for place, match in fits if match), None)
        if found is None:
            sys.exit(f"a benchmark printed what is not understood, so nothing is judged: {line}")
        yield found


def disk_rows(text):
    """Speed of a disk alone."""
    return [speed(f"disk, {load}", float(rate), DISK_AIM) for _, (load, rate) in matched(text, DISK)]


def flash_rows(text):
    """Speed of a flash drive alone, and its memory."""
    speeds, memory, load = [], [], ""
    for place, found in matched(text, FLASH, FLASH_MEMORY):
        if place == 0:
            load = found[0]
            speeds.append(speed(f"flash drive, {load}", float(found[1]) * 1e6, FLASH_AIM))
            continue
        fresh, resident, added, written = (float(number) for number in found)
        # What the system has given may be more than what the drive says that it takes.
        used, may = max(fresh, resident) + added, FLASH_MB + FLASH_UNIT_BYTES * written / 1e6
        memory.append(Row(load, (f"{fresh:.1f}", f"{resident:.1f}", f"{added:.1f}", f"{may:.1f}"), used <= may))
    return speeds, memory


def cache_rows(text):
    """Time and memory of caches alone."""
    found = (match for place, match in matched(text, CACHE, CACHE_HEAD) if place == 0)
    return [Row(what, (ns, mib), float(ns) <= CACHE_NS and float(mib) <= CACHE_MIB) for what, ns, mib in found]


def speed(what, reached, aim):
    """A row of so many I/Os per wall second."""
    return Row(what, (f"{reached / 1e6:.2f}", f"{aim / 1e6:.2f}"), reached >= aim)


def rebuild_row(found, quick):
    """The rebuild of a disk of 4 TB, as its run tells it."""
    run, summary = found["run"], found["summary"]
    simulated = run["simulated_per_wall"] * run["wall_s"]
    aim = REBUILD_AIM_S * min(1.0, simulated / SIMULATED_S)
    took = summary["components"]["array"]["rebuild_time"]
    holds = run["wall_s"] <= aim and (quick or bool(took))
    cells = [f"{simulated:,.0f}", f"{took / 3600:.1f}" if took else "goes on", f"{run['wall_s']:.0f}", f"{aim:.0f}"]
    return Row("4 TB", tuple(cells), holds)


def run(bench, crate, example):
    """What an example of a crate prints."""
    folder = bench.cargo(ROOT / "Cargo.toml", f"bench-{crate}", "--package", crate, "--example", example)
    return bench.measure([folder / "examples" / example], str)


def drives(bench):
    """Drives and a cache alone: their speed and memory; then a rebuild."""
    missed = []
    bench.say("measuring a disk ...")
    speeds = disk_rows(run(bench, "sansim-disk", "disk_speed"))
    bench.say("measuring a flash drive ...")
    flash, memory = flash_rows(run(bench, "sansim-flash", "flash_speed"))
    judge(missed, "Drives: million I/Os per wall second, one round", ["drive, load", "reached", "aim"], speeds + flash)
    title = f"Memory of the flash drive: {FLASH_MB:.0f} MB, and {FLASH_UNIT_BYTES} B for each unit written"
    judge(missed, title, ["load", "fresh MB", "resident", "added", "may be"], memory)
    bench.say("measuring a cache ...")
    caches = cache_rows(run(bench, "sansim-cache", "cache_speed"))
    judge(missed, "A cache of 16 GiB, Zipf 0.9: at most 200 ns and 1 GB", ["policy", "ns", "MiB"], caches)
    bench.say("measuring a rebuild ...")
    change = QUICK_REBUILD if bench.quick else ()
    found = json.loads(bench.measure([bench.installed("sansim"), "run", REBUILD, "--json", *change], str))
    head = ["disk", "simulated s", "rebuild h", "wall s", "aim"]
    title = "A disk rebuilt under load, without a network"
    judge(missed, title, head, [rebuild_row(found, bench.quick)])
    if missed:
        sys.exit("\n".join(["aims that are missed:", *missed]))


def judge(missed, title, head, rows):
    """Prints a table and notes what does not hold."""
    if not rows:
        sys.exit(f"nothing was measured for: {title}")
    table(title, [*head, "holds"], [row.told() for row in rows])
    missed += [f"{title}: {row.what}" for row in rows if not row.holds]
