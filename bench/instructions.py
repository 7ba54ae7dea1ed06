"""Instructions for an I/O: what the machine executes, however busy it is, beside limits that are kept.

The difference of two runs of different lengths, so that building and summing up count for nothing. Needs valgrind. As a
program it is `instructions.py PROGRAM`, with the built example `watching` of `crates/system`.
"""

import re
import shutil
import sys
import tempfile
from pathlib import Path

from harness import ROOT, counted, table
from watching import build

BASE = ROOT / "scenarios" / "wang-2005-base.toml"
DIRECT = ROOT / "scenarios" / "direct.toml"
EVERYTHING = ROOT / "bench" / "host-with-everything.toml"

# What is run: its scenario, the size of its I/Os if it is another, two lengths in I/Os, and the limit for an I/O.
RUNS = {
    "base system, 4 KiB reads": (BASE, "4 KiB", (500, 1_500), 80_600),
    "base system, 64 KiB reads": (BASE, "64 KiB", (500, 1_500), 340_400),
    # At most 1.3 times the first, as it was before hosts had any of this: 78,443.
    "a host with everything, 4 KiB reads": (EVERYTHING, None, (500, 1_500), 101_900),
    "a host straight on a disk": (DIRECT, None, (5_000, 25_000), 4_310),
}


def instructions(bench):
    """Instructions for an I/O, beside their limits."""
    if shutil.which("valgrind") is None:
        bench.say("valgrind is missing: instructions for an I/O are not counted")
        return
    bench.say("building the runs whose instructions are counted ...")
    judge(build(bench), bench.say)


def judge(program, say):
    """Counts, prints the table, and ends with an error if a limit is exceeded."""
    rows, exceeded = [], []
    with tempfile.TemporaryDirectory() as folder:
        for name, (scenario, size, lengths, most) in RUNS.items():
            say(f"counting instructions: {name} ...")
            file = resized(scenario, size, Path(folder))
            few, many = (counted([program, file, "off", ios]) for ios in lengths)
            found = (many - few) / (lengths[1] - lengths[0])
            rows.append([name, f"{found:,.0f}", f"{most:,}", f"{found / most:.3f}"])
            if found > most:
                exceeded.append(f"{name}: {found:,.0f} instructions for an I/O, {most:,} is the limit")
    table("Instructions for an I/O (valgrind)", ["run", "found", "limit", "/ limit"], rows)
    if exceeded:
        sys.exit("\n".join(exceeded))


def resized(scenario, size, folder):
    """The scenario with I/Os of this size, as a file."""
    if size is None:
        return scenario
    text, places = re.subn(r'(?m)^size = "[^"]*"', f'size = "{size}"', scenario.read_text(encoding="utf-8"))
    if places != 1:
        sys.exit(f"{scenario.relative_to(ROOT)} has {places} sizes, not one")
    file = folder / scenario.name
    file.write_text(text, encoding="utf-8")
    return file


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    judge(Path(sys.argv[1]).resolve(), lambda text: print(text, file=sys.stderr, flush=True))
