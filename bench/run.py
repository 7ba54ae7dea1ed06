#!/usr/bin/env python3
"""All benchmarks: `python3 bench/run.py [--quick] [--only SECTION]`. Standard library only.

Builds and installs what it needs below the repository's ignored `target/` folder, measures, and prints tables. What
counts are ratios between programs measured side by side: each round runs every program once in a new random order, a
ratio is formed within the round, and the table shows the median over the rounds. Keep the machine otherwise idle.

A section is a function that takes the `Bench` and prints its tables; to add one, write it and list it in `SECTIONS`.
"""

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
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

    def measure(self, command, read=float):
        """Runs a program and answers what `read` makes of its output; by default that is one number."""
        pin = None if self.core is None else lambda: os.sched_setaffinity(0, {self.core})
        command = [str(part) for part in command]
        return read(subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, preexec_fn=pin).stdout)

    def rounds_of(self, commands, read=float):
        """Rounds of measurements, each a dict like `commands` (name to command) with what was read for commands."""
        rounds = []
        for _ in range(self.rounds):
            order = list(commands)
            random.shuffle(order)
            rounds.append({name: self.measure(commands[name], read) for name in order})
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


BASE = ROOT / "scenarios" / "wang-2005-base.toml"
LATENCY = ROOT / "studies" / "wang-2005" / "loop-latency.toml"
REAL_TIME_AIM = 20
PASSIVE_AIM = 1.5
MEMORY_AIM_MB = 64
# The study has a controller and a drive, and a loop has 127 ports.
PASSIVE = (2, 16, 64, 125)


def system(bench):
    """Whole runs of the installed command: speed against real time, cost of passive nodes, memory."""
    sansim = ROOT / ".venv" / "bin" / "sansim"
    if not sansim.exists():
        sys.exit(f"{sansim.relative_to(ROOT)} is missing: run ./dev setup first")
    speed(bench, sansim)
    passive(bench, sansim)
    memory(bench, sansim)
    print(SYSTEM_NOTE)


def run_command(sansim, scenario, overrides, loop="fast"):
    """The command that runs a scenario and prints JSON."""
    sets = [part for key, value in overrides.items() for part in ("--set", f"{key}={value}")]
    return [sansim, "run", scenario, *sets, "--loop", loop, "--json"]


def figures(output):
    """The figures of a run from the JSON it printed, where `run.warm_up` is a number of I/Os per slot.

    I/Os that are simulated but not measured cost as much as measured ones. There are as many of them after the measured
    ones as before; `warm_up_ios` are those before.
    """
    result = json.loads(output)
    run, summary = result["run"], result["summary"]
    ios = summary["ios"] + 2 * summary["warm_up_ios"]
    return {
        "simulated_per_wall": run["simulated_per_wall"],
        "us_per_io": run["wall_s"] / ios * 1e6,
        "events_per_io": run["events"] / ios,
        "million_events_per_s": run["events"] / run["wall_s"] / 1e6,
    }


def only(rounds, figure):
    """The rounds with this figure alone."""
    return [{name: found[figure] for name, found in numbers.items()} for numbers in rounds]


def speed(bench, sansim):
    """Simulated seconds per wall second of the base system and of a full loop."""
    ios = 5_000 if bench.quick else 20_000
    mixes = {"read": 1.0, "write": 0.0, "66 % read": 0.66}
    aims, commands = {}, {}
    for drives, size in ((16, "4 KiB"), (16, "64 KiB"), (126, "4 KiB")):
        for mix, fraction in mixes.items():
            for schedule in ("fair", "command-first"):
                name = f"{drives} drives, {size}, {mix}, {schedule}"
                overrides = {"drives.count": drives, "workload.size": size.replace(" ", "")}
                overrides |= {"workload.read_fraction": fraction, "controller.schedule": schedule}
                commands[name] = run_command(sansim, BASE, overrides | {"run.measured_ios": ios})
                # The aim is for the base system, which has 16 drives.
                aims[name] = REAL_TIME_AIM if drives == 16 else "-"
    bench.say("measuring the base system ...")
    rounds = bench.rounds_of(commands, figures)

    columns = ("us_per_io", "events_per_io", "million_events_per_s", "simulated_per_wall")
    rows = [
        [name, *(f"{median(only(rounds, column), name):.2f}" for column in columns), aims[name]] for name in commands
    ]
    table(
        "Whole system: simulated seconds per wall second on one core (medians)",
        ["scenarios/wang-2005-base.toml", "wall us / I/O", "events / I/O", "M events / s", "simulated / wall", "aim"],
        rows,
    )


def passive(bench, sansim):
    """What ports that only repeat add to the wall cost of an I/O, on both loops."""
    commands = {}
    for nodes in PASSIVE:
        for loop in ("fast", "reference"):
            # About 0.3 s a run: the reference loop takes some 14 events for each node and I/O, the fast loop none.
            ios = 75_000 if loop == "fast" else 400_000 // (nodes + 4)
            half = nodes // 2
            overrides = {"near.count": nodes - half, "far.count": half}
            overrides["run.measured_ios"] = ios // 4 if bench.quick else ios
            commands[loop, nodes] = run_command(sansim, LATENCY, overrides, loop)
    bench.say("measuring passive nodes ...")
    rounds = bench.rounds_of(commands, figures)

    cost, events = only(rounds, "us_per_io"), only(rounds, "events_per_io")
    rows = []
    for nodes in PASSIVE:
        row = [nodes]
        for loop in ("fast", "reference"):
            row += [f"{median(events, (loop, nodes)):.1f}", f"{median(cost, (loop, nodes)):.2f}"]
            row += [f"{ratio(cost, (loop, nodes), (loop, PASSIVE[0])):.2f}"]
            row += ["-" if nodes == PASSIVE[0] else f"<= {PASSIVE_AIM}"] if loop == "fast" else []
        rows.append([*row, f"{ratio(cost, ('reference', nodes), ('fast', nodes)):.2f}"])
    base = f"/ {PASSIVE[0]} nodes"
    loops = ["fast: events / I/O", "us / I/O", base, "aim", "reference: events / I/O", "us / I/O", base]
    table(
        "Passive nodes: wall cost of an I/O (medians; ratios are medians of ratios within a round)",
        ["passive nodes", *loops, "fast faster by"],
        rows,
    )


# Prints the peak resident memory of a command in bytes. A process starts with the peak of the one it was forked from,
# so this has to be a small program of its own: below some 9 MB it cannot measure.
PEAK = """
import os, sys
quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet)
_, status, usage = os.wait4(child, 0)
if status:
    sys.exit(f"{sys.argv[1:]} failed")
print(usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024))
"""


def memory(bench, sansim):
    """Peak memory of whole processes, and what of it Python and its modules take."""
    python = sansim.parent / "python"
    few, many = (1_000, 20_000) if bench.quick else (10_000, 100_000)
    commands = {
        "python -c pass": [python, "-c", "pass"],
        'python -c "import sansim"': [python, "-c", "import sansim"],
        "sansim --version": [sansim, "--version"],
    }
    aimed = {}
    for drives, ios in ((16, few), (16, many), (126, few)):
        name = f"sansim run --json, {drives} drives, {ios:,} I/Os"
        aimed[name] = run_command(sansim, BASE, {"drives.count": drives, "run.measured_ios": ios})
    commands |= aimed
    bench.say("measuring memory ...")
    with tempfile.TemporaryDirectory() as folder:
        for ios in (few, many):
            out = [*run_command(sansim, BASE, {"run.measured_ios": ios}), "--out", f"{folder}/{ios}"]
            commands[f"sansim run --json --out, 16 drives, {ios:,} I/Os"] = out
        # Memory does not vary as time does: one measurement of each is enough.
        peaks = {name: bench.measure([python, "-I", "-S", "-c", PEAK, *commands[name]]) for name in commands}

    imported = peaks['python -c "import sansim"']
    rows = [
        [name, f"{peak / 1e6:.1f}", f"{(peak - imported) / 1e6:+.1f}", f"< {MEMORY_AIM_MB}" if name in aimed else "-"]
        for name, peak in peaks.items()
    ]
    table(
        "Peak resident memory of the whole process (MB = 10^6 bytes)",
        ["process", "MB", 'beyond "import sansim"', "aim"],
        rows,
    )


SYSTEM_NOTE = """
Every run is a process of its own, pinned to one core; times are the run's own `wall_s`, without the start of
Python and the reading of the scenario. I/Os before and after the measured ones are counted in the cost of an I/O,
as they take time too. The scenarios are the files as they are but for the values named; passive nodes are those of
studies/wang-2005/loop-latency.toml, half on either side of the drive, and 125 is as many as fit on a loop of 127
ports beside controller and drive. The memory of a run with --out is mostly polars, which writes the table of all
I/Os."""


SECTIONS = {"kernel": kernel, "system": system}


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
