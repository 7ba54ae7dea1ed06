"""What it costs to look inside a run."""

import json
import os
import tempfile
from pathlib import Path

from harness import ROOT, median, ratio, table

BASE = ROOT / "scenarios" / "wang-2005-base.toml"
EDGES_AIM = 50_000_000
RATE_AIM = "200 MB/s or 2 M edges/s"


def watching(bench):
    """Observers off, tables, and the trace of every word."""
    bench.say("building the watched runs ...")
    program = build(bench)
    ios = 5_000 if bench.quick else 20_000
    ways = ("off", "stepped", "tables", "capture", "timeline", "reference")
    bench.say("measuring observers ...")
    rounds = bench.rounds_of({how: [program, BASE, how, ios] for how in ways}, lambda text: json.loads(text)["wall_s"])
    names = {
        "off": "no observer",
        "stepped": "the same without trains",
        "tables": "tables: I/Os, tenancies, samples",
        "capture": "capture of all frames, to nowhere",
        "timeline": "timeline, to nowhere",
        "reference": "the reference loop, unwatched",
    }
    rows = [[names[how], f"{median(rounds, how) / ios * 1e6:.2f}", f"{ratio(rounds, how, 'off'):.3f}"] for how in ways]
    table(
        "Being watched: base system, 64 KiB reads (medians; ratios are medians of ratios within a round)",
        ["how", "wall us / I/O", "/ off"],
        rows,
    )
    trace(bench, program)


def build(bench):
    """The example that runs a scenario under observers."""
    folder = bench.cargo(
        ROOT / "Cargo.toml", "bench-watching", "--package", "sansim-simulator", "--example", "watching"
    )
    return folder / "examples" / "watching"


def trace(bench, program):
    """Every word of a long run to a file: rate, and memory against that of a short run."""
    short, long = (500, 5_000) if bench.quick else (2_000, 70_000)
    rows = []
    with tempfile.TemporaryDirectory(dir=bench.target) as folder:
        for ios in (short, long):
            bench.say(f"tracing {ios:,} I/Os ...")
            file = Path(folder) / "trace.txt"
            found, peak_bytes = measured([program, BASE, "trace", ios, file])
            file.unlink()
            rows.append(
                [
                    f"{ios:,}",
                    f"{found['edges'] / 1e6:.1f}",
                    f"{found['bytes'] / 1e9:.2f}",
                    f"{found['bytes'] / found['wall_s'] / 1e6:.0f}",
                    f"{found['edges'] / found['wall_s'] / 1e6:.2f}",
                    f"{peak_bytes / 1e6:.0f}",
                ]
            )
    table(
        f"Everything that 17 ports send, to a file (aim: {RATE_AIM} in bounded memory, "
        f"on a run of {EDGES_AIM / 1e6:.0f} M edges or 5 GB)",
        ["I/Os", "M edges", "GB", "MB/s", "M edges/s", "peak MB"],
        rows,
    )


def measured(command):
    """What the program printed, and its peak resident memory in bytes. Not pinned: the trace is written by a thread."""
    reading, writing = os.pipe()
    command = [str(part) for part in command]
    child = os.posix_spawn(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, writing, 1)])
    os.close(writing)
    with os.fdopen(reading) as output:
        text = output.read()
    _, status, usage = os.wait4(child, 0)
    if status:
        raise SystemExit(f"{command} failed")
    return json.loads(text), usage.ru_maxrss * 1024
