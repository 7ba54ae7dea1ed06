"""What all sections of the benchmarks share: running programs in rounds, forming ratios, printing tables."""

import os
import random
import re
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

    def cargo(self, manifest, target, *what):
        """A release build below `target/`; answers the folder with the programs."""
        if shutil.which("cargo") is None:
            sys.exit("cargo is missing: install Rust 1.88 or newer")
        folder = self.target / target
        command = ["cargo", "build", "--release", "--locked", "--quiet", "--manifest-path", str(manifest), *what]
        subprocess.run(command, check=True, env=os.environ | {"CARGO_TARGET_DIR": str(folder)})
        return folder / "release"

    def installed(self, program):
        """A program of the checkout's own virtual environment."""
        file = ROOT / ".venv" / "bin" / program
        if not file.exists():
            sys.exit(f"{file.relative_to(ROOT)} is missing: run ./dev setup first")
        return file

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


def counted(command):
    """All instructions of a run of `command`, by valgrind."""
    return counted_by_function(command)[0]


def counted_by_function(command):
    """All instructions of a run of `command`, by valgrind, and those of each function by its name."""
    with tempfile.TemporaryDirectory() as folder:
        counts = Path(folder) / "counts"
        valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}"]
        command = [*valgrind, *map(str, command)]
        run = subprocess.run(command, check=False, text=True, capture_output=True)
        found = counts.read_text(encoding="utf-8") if counts.exists() else ""
    total = re.search(r"(?m)^(?:summary|totals): (\d+)", found)
    if run.returncode or total is None:
        sys.exit(f"{' '.join(command)} failed:\n{run.stderr}")
    return int(total[1]), by_function(found)


def by_function(found):
    """The instructions of each function in a file of callgrind, without those of what it calls."""
    names, costs, function, is_call = {}, {}, None, False
    for line in found.splitlines():
        if started := re.match(r"fn=\((\d+)\)(?: (.*))?$", line):
            # A name is said once, with its number.
            function = names.setdefault(started[1], started[2])
        elif line.startswith("calls="):
            is_call = True
        elif cost := re.match(r"(?:0x[0-9a-f]+|[+-]?\d+|\*)(?: (?:[+-]?\d+|\*))* (\d+)$", line):
            # The line after a call has what was called.
            if function is not None and not is_call:
                costs[function] = costs.get(function, 0) + int(cost[1])
            is_call = False
        elif named := re.match(r"cfn=\((\d+)\) (.*)$", line):
            names[named[1]] = named[2]
    return costs


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
