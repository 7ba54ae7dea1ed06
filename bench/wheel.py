"""What is installed: the wheel of `./dev wheel`, optimised for what takes time, beside the build of the checkout."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from harness import ROOT, counted, median, ratio, table
from instructions import RUNS, changed

# Simulated seconds per wall second that issue 15 asked for, on a quiet core of its day.
SPEED_AIMS = {
    "4 KiB reads, fair": 40,
    "4 KiB reads, 126 drives": 12,
    "64 KiB reads, fair": 100,
    "64 KiB reads, Command-First": 60,
    "64 KiB writes, fair": 45,
    "64 KiB writes, Command-First": 45,
}
RUN = "import sys, sansim; sansim.run(sys.argv[1], {'run.measured_ios': int(sys.argv[2])}, collect_ios=False)"
"""Runs a scenario for so many I/Os, for valgrind."""


def wheel(bench):
    """The wheel in `dist` beside the checkout: speed, and instructions for an I/O."""
    found = sorted((ROOT / "dist").glob("sansim-*.whl"))
    if not found:
        bench.say("there is no wheel in dist: run ./dev wheel first")
        return
    bench.say("measuring the wheel ...")
    ours = bench.installed("sansim")
    theirs = installed(bench, found[-1])
    ios = 5_000 if bench.quick else 20_000
    rows = []
    with tempfile.TemporaryDirectory(dir=bench.target) as folder:
        for name, aim in SPEED_AIMS.items():
            run = RUNS[name]
            file = changed(run, Path(folder))
            ways = {
                how: [program, "run", file, "--json", "--set", f"run.measured_ios={ios}"]
                for how, program in {"checkout": ours, "wheel": theirs / "sansim"}.items()
            }
            rounds = bench.rounds_of(ways, lambda text: json.loads(text)["run"]["simulated_per_wall"])
            rows.append(
                [
                    name,
                    f"{median(rounds, 'checkout'):.1f}",
                    f"{median(rounds, 'wheel'):.1f}",
                    f"{ratio(rounds, 'wheel', 'checkout'):.2f}",
                    aim,
                    per_io(theirs / "python", file, run.lengths),
                    f"{run.aim:,}",
                ]
            )
    heads = ["", "checkout", "wheel", "wheel / checkout", "aim", "instructions / I/O", "aim"]
    table("Simulated seconds per wall second, and instructions of the wheel (medians)", heads, rows)


def installed(bench, package):
    """The folder of the commands of an environment with the wheel and what it needs."""
    uv, folder = bench.installed("uv"), bench.target / "bench-wheel"
    for command in (
        [uv, "venv", "--quiet", "--clear", "--python", bench.installed("python"), folder],
        [uv, "pip", "install", "--quiet", "--python", folder / "bin" / "python", package],
    ):
        if subprocess.run(command).returncode:
            sys.exit(f"{package.name} cannot be installed")
    return folder / "bin"


def per_io(python, scenario, lengths):
    """Instructions for an I/O; the difference of two runs, so that Python's own count for nothing."""
    if shutil.which("valgrind") is None:
        return "-"
    few, many = (counted([python, "-c", RUN, scenario, ios]) for ios in lengths)
    return f"{(many - few) / (lengths[1] - lengths[0]):,.0f}"
