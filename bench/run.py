#!/usr/bin/env python3
"""All benchmarks: `python3 bench/run.py [--quick] [--only SECTION]`. Standard library only.

Builds and installs what it needs below the repository's ignored `target/` folder, measures, and prints tables. What
counts are ratios between programs measured side by side: each round runs every program once in a new random order, a
ratio is formed within the round, and the table shows the median over the rounds. Keep the machine otherwise idle.

A section is a function that takes the `Bench` and prints its tables; to add one, write it and list it in `SECTIONS`.
"""

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent


class Bench:
    """What every section needs: where things are, how long to measure, how to run one measurement."""

    def __init__(self, quick):
        self.quick = quick
        self.rounds = 3 if quick else 7
        self.target = ROOT / "target"
        # One core for everything measured, as far as the system lets us choose.
        self.core = max(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None

    def say(self, text):
        """Progress, beside the tables."""
        print(text, file=sys.stderr, flush=True)

    def cargo(self, manifest, target):
        """A release build below `target/`; answers the folder with the programs."""
        if shutil.which("cargo") is None:
            sys.exit("cargo is missing: install Rust 1.85 or newer")
        folder = self.target / target
        command = ["cargo", "build", "--release", "--locked", "--quiet", "--manifest-path", str(manifest)]
        subprocess.run(command, check=True, env=os.environ | {"CARGO_TARGET_DIR": str(folder)})
        return folder / "release"

    def python(self, *packages):
        """A Python with `packages` in a virtual environment below `target/`; `None` if they cannot be had."""
        folder = self.target / "bench-venv"
        python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        if not python.exists():
            venv.create(folder, with_pip=True)
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
        return python if subprocess.run(install).returncode == 0 else None

    def measure(self, command):
        """Runs a program that prints one number, and answers the number."""
        pin = None if self.core is None else lambda: os.sched_setaffinity(0, {self.core})
        command = [str(part) for part in command]
        return float(subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, preexec_fn=pin).stdout)

    def rounds_of(self, commands):
        """Rounds of measurements, each a dict like `commands` (name to command) with numbers for commands."""
        rounds = []
        for _ in range(self.rounds):
            order = list(commands)
            random.shuffle(order)
            rounds.append({name: self.measure(commands[name]) for name in order})
        return rounds


def median(rounds, name):
    """The median over the rounds."""
    return statistics.median(numbers[name] for numbers in rounds)


def ratio(rounds, one, other):
    """The median over the rounds of one/other within the round."""
    return statistics.median(numbers[one] / numbers[other] for numbers in rounds)


def cell(rounds, name, value):
    """A table's cell: `value` if the rounds have measurements of `name`, else a dash."""
    return f"{value(rounds, name):.2f}" if name in rounds[0] else "-"


def table(title, head, rows):
    """Prints a table; the first column is text, the others are right-aligned."""
    widths = [max(len(str(row[i])) for row in [head, *rows]) for i in range(len(head))]

    def line(row):
        first, *others = (str(entry).rjust(width) for entry, width in zip(row, widths, strict=True))
        return "  ".join([first.strip().ljust(widths[0]), *others])

    print(f"\n{title}\n")
    for text in (line(head), "-" * len(line(head)), *map(line, rows)):
        print(text.rstrip())


# Engines of the published comparison that are not built here, by how much each was faster than simcore there, on the
# same machine and in the same rounds: (name, ratio to simcore).
PUBLISHED = {
    "hold-1024": ("simcore, fastest there", 1.0),
    "hold-100000": ("ns-3 3.48 heap", 4.07 / 2.48),
    "tandem": ("SST 16.0.0", 11.6 / 7.95),
}
AIMS = {"hold-1024": 2.0, "hold-100000": 1.8, "tandem": 1.25}


def kernel(bench):
    """The event core alone, beside a plain heap, simcore and SimPy."""
    bench.say("building the kernel benchmark ...")
    program = bench.cargo(HERE / "Cargo.toml", "bench") / "sansim-bench"
    simpy = bench.python("simpy==4.1.2")
    if simpy is None:
        bench.say("SimPy cannot be installed here; its column stays empty")
    events = 1_000_000 if bench.quick else 5_000_000

    loads = ["hold-16", "hold-128", "hold-1024", "hold-100000", "tandem", "timeouts-128"]
    rows, ratios, aims = [], [], []
    for load in loads:
        bench.say(f"measuring {load} ...")
        commands = {name: [program, name, load, events] for name in ("ours", "ours-probed", "simcore")}
        if not load.startswith("timeouts"):
            commands["heap"] = [program, "heap", load, events]
            if simpy is not None:
                commands["simpy"] = [simpy, HERE / "simpy_peer.py", load, events // 20]
        rounds = bench.rounds_of(commands)

        engines = ("ours", "ours-probed", "heap", "simcore", "simpy")
        rows.append([load, *(cell(rounds, name, lambda r, n: median(r, n) / 1e6) for name in engines)])
        ratios.append([load, *(cell(rounds, name, lambda r, n: ratio(r, "ours", n)) for name in engines[2:])])
        if load in PUBLISHED:
            name, factor = PUBLISHED[load]
            reached = ratio(rounds, "ours", "simcore") / factor
            aims.append([load, name, f"{factor:.2f}", f"{reached:.2f}", f"{AIMS[load]:.2f}"])

    head = ["load", "sansim", "sansim, counting probe", "plain BinaryHeap", "simcore 0.1.0", "SimPy 4.1.2"]
    table("Event core: million events per wall second (medians)", head, rows)
    table(
        "Event core: sansim / peer (medians of ratios within a round)",
        ["load", "plain BinaryHeap", "simcore 0.1.0", "SimPy 4.1.2"],
        ratios,
    )
    table(
        "Event core against the best published engine. Only simcore is measured here; the others' lead over simcore\n"
        "is derived from the published page (facts on event engines), not measured in this run.",
        ["load", "best published", "its lead over simcore", "sansim / best", "aim"],
        aims,
    )
    print(KERNEL_NOTE)


KERNEL_NOTE = """
sansim: the kernel's calendar with flat dispatch, total order (time, priority, component, sequence), a key for every
event by which it can be cancelled, and the probe's type parameter in place (first column: no probe; second column: a
probe that counts and sums every event). hold-N: N pending events. timeouts-N: every event also plans a timeout and
cancels an earlier one. tandem: two events for each completed service. The plain heap has no engine, no cancellation
and no order among components."""


SECTIONS = {"kernel": kernel}


def main():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds: a minute, with more noise")
    parser.add_argument("--only", choices=SECTIONS, action="append", help="only this section (may be repeated)")
    arguments = parser.parse_args()
    bench = Bench(arguments.quick)
    for name, section in SECTIONS.items():
        if not arguments.only or name in arguments.only:
            section(bench)


if __name__ == "__main__":
    main()
