"""Whole runs of the installed command: speed against real time, cost of passive nodes, memory."""

import json
import tempfile

from harness import ROOT, median, ratio, table

BASE = ROOT / "scenarios" / "wang-2005-base.toml"
ENCLOSURES = {
    "30 drives, MBOD": "scenarios/mbod-30",
    "30 drives, SBOD": "scenarios/sbod-30",
    "array of 30 disks, MBOD": "bench/array-mbod-30",
    "array of 30 disks, SBOD": "bench/array-sbod-30",
}
# Issue 17: at least the first, and the second if it can be.
ENCLOSURE_AIMS = (10, 40)
LATENCY = ROOT / "studies" / "wang-2005" / "loop-latency.toml"
REAL_TIME_AIM = 20
PASSIVE_AIM = 1.5
MEMORY_AIM_MB = 64
# The study has a host and a drive, and a loop has 127 ports.
PASSIVE = (2, 16, 64, 125)


def system(bench):
    """Whole runs of the installed command: speed against real time, cost of passive nodes, memory."""
    sansim = bench.installed("sansim")
    speed(bench, sansim)
    enclosures(bench, sansim)
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


# Runs a scenario and prints how long it took, on the wall and of a processor, without the start of Python.
TIMED = """
import json, sys, time
import sansim
began = time.process_time()
result = sansim.run(sys.argv[1], json.loads(sys.argv[2]), collect_ios=False)
cpu_s = time.process_time() - began
run = result.run
simulated_s = run["simulated_per_wall"] * run["wall_s"]
# Those of the warm-up cost as much as measured ones.
ios = result.summary["iops"] * simulated_s
print(json.dumps({
    "simulated_per_wall": run["simulated_per_wall"],
    "simulated_per_cpu": simulated_s / cpu_s,
    "us_per_io": cpu_s / ios * 1e6,
    "events_per_io": run["events"] / ios,
}))
"""


def enclosures(bench, sansim):
    """Speed with thirty drives under an SPC-1-like load; Storlite's took 30 to 80 times as long as real time."""
    duration = "5 s" if bench.quick else "20 s"
    bench.say("measuring thirty drives in enclosures ...")
    commands = {}
    for name, scenario in ENCLOSURES.items():
        length = {"run.duration": duration}
        if "array" in scenario:
            # As it is it ends after so many I/Os, which instructions.py counts; its cache takes some seconds to fill.
            length |= {"run.measured_ios": "none", "run.warm_up": "10 s"}
        commands[name] = [sansim.parent / "python", "-c", TIMED, ROOT / f"{scenario}.toml", json.dumps(length)]
    rounds = bench.rounds_of(commands, json.loads)
    columns = ("simulated_per_wall", "simulated_per_cpu", "us_per_io", "events_per_io")
    rows = [
        [
            name,
            *(f"{median(only(rounds, column), name):.1f}" for column in columns),
            " / ".join(map(str, ENCLOSURE_AIMS)),
        ]
        for name in commands
    ]
    heads = ["", "simulated / wall", "simulated / CPU", "CPU us per I/O", "events per I/O", "at least / aim"]
    table("Thirty drives under an SPC-1-like load (medians)", heads, rows)


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
ports beside host and drive. The memory of a run with --out is mostly polars, which writes the table of all
I/Os."""
