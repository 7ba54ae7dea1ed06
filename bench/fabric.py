"""Switched fabrics: messages per second beside SimPy, the cost of a hop as fabrics grow, the memory of a large one."""

import json
import sys
import tempfile
from pathlib import Path

from harness import HERE, ROOT, median, ratio, table
from system import PEAK
from watching import build

# What issue 18 asked for.
RATES = (400_000, 1_000_000)
FLAT = 1.5
MEMORY_GB = 0.3
# floors+: 20 servers and 100 drives. A server begins an I/O every so many ns on average; with 20,000 the links between
# floors are at their limit (crates/fabric/examples/messages.rs).
FLOORS = ("floors+", 20, 100)
EVERY_NS = 22_000
# A grid of 64 switches, at the same load whatever the nodes.
GRID = ((5, 5), (50, 50), (500, 500))
LARGE = {"switches": 64, "hosts": 1_000, "drives": 1_000}
# Measured I/Os of the sixteen drives, by the size of a request.
SIZES = {"4 KiB": 10_000, "64 KiB": 10_000, "1 MiB": 1_000}
BUFFERS = (8, 128, 1_000)


def fabric(bench):
    """Switched fabrics: messages of floors+, the cost of a hop, reads of several sizes, the memory of a large one."""
    bench.say("building the fabric benchmark ...")
    folder = bench.cargo(ROOT / "Cargo.toml", "bench-fabric", "--package", "sansim-fabric", "--example", "messages")
    program = folder / "examples" / "messages"
    messages(bench, program)
    hops(bench, program)
    sizes(bench)
    memory(bench)


def messages(bench, program):
    """Messages per second of a processor near saturation, beside the same network in SimPy."""
    ios = 60_000 if bench.quick else 300_000
    commands = {"sansim": [program, *FLOORS, ios, EVERY_NS]}
    simpy = bench.python("simpy==4.1.2")
    if simpy is None:
        bench.say("SimPy cannot be installed here; its row is left out")
    else:
        commands["SimPy 4.1.2"] = [simpy, HERE / "simpy_fabric.py", ios // 30, EVERY_NS]
    bench.say("measuring messages ...")
    rounds = bench.rounds_of(commands, lambda text: float(text.split()[0]))
    rows = [
        [
            name,
            f"{median(rounds, name):,.0f}",
            f"{ratio(rounds, 'sansim', name):.1f}",
            aims if name == "sansim" else "-",
        ]
        for name in commands
        for aims in [" then ".join(f"{rate:,}" for rate in RATES)]
    ]
    table(
        "floors+ near saturation: messages per second of a processor (medians)",
        ["", "messages / s", "sansim faster by", "aim"],
        rows,
    )


def hops(bench, program):
    """What a hop costs with more and more nodes at as many switches and the same load."""
    ios = 40_000 if bench.quick else 200_000
    commands = {servers + drives: [program, "mesh", servers, drives, ios, 40_000 * servers] for servers, drives in GRID}
    bench.say("measuring hops ...")
    rounds = bench.rounds_of(commands, lambda text: float(text.split()[1]))
    few = next(iter(commands))
    rows = [
        [f"{nodes:,} nodes", f"{median(rounds, nodes):.0f}", f"{ratio(rounds, nodes, few):.2f}", f"<= {FLAT}"]
        for nodes in commands
    ]
    table("A grid of 64 switches: ns of a processor for a hop of a message", ["", "ns", f"/ {few} nodes", "aim"], rows)


def sizes(bench):
    """Reads by sixteen drives behind a switch beside the same drives on a loop; with more buffers; and an array."""
    program = build(bench)
    with tempfile.TemporaryDirectory() as folder:
        commands = {}
        for size, ios in SIZES.items():
            ios = ios // 5 if bench.quick else ios
            for network in ("loop", "fabric"):
                commands[network, size] = [program, changed(folder, network, size), "off", ios]
        for buffers in BUFFERS:
            file = changed(folder, "fabric", "1 MiB", buffers)
            commands[buffers] = [program, file, "off", 200 if bench.quick else 1_000]
        commands["array"] = [program, HERE / "array-32gfc.toml", "off", 5_000 if bench.quick else 20_000]
        bench.say("measuring reads of several sizes ...")
        rounds = bench.rounds_of(commands, lambda text: json.loads(text)["wall_s"])
    rows = [[size, f"{ratio(rounds, ('fabric', size), ('loop', size)):.2f}"] for size in SIZES]
    rows += [[f"1 MiB, {buffers:,} buffers / 8", f"{ratio(rounds, buffers, 8):.2f}"] for buffers in BUFFERS[1:]]
    rows.append(["array of 32GFC, seconds", f"{median(rounds, 'array'):.2f}"])
    table("Sixteen drives behind a switch / on a loop (medians of ratios within a round)", ["reads", "ratio"], rows)


def changed(folder, network, size, buffers=None):
    """The scenario of the sixteen drives with another size of requests, and with more buffers."""
    text = (HERE / f"{network}-16.toml").read_text(encoding="utf-8").replace('"64 KiB"', f'"{size}"')
    if buffers is not None:
        text = text.replace("[host]", f"[net.switch]\nbuffers = {buffers}\n\n[host]", 1)
    file = Path(folder) / f"{network}-{size.replace(' ', '')}-{buffers}.toml"
    file.write_text(text, encoding="utf-8")
    return file


def memory(bench):
    """Peak memory of a run of a large fabric."""
    sansim = bench.installed("sansim")
    python = sansim.parent / "python"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "large.toml"
        file.write_text(large(**LARGE), encoding="utf-8")
        bench.say("measuring the memory of a large fabric ...")
        peak = bench.measure([python, "-I", "-S", "-c", PEAK, sansim, "run", file, "--json"])
    name = ", ".join(f"{count:,} {what}" for what, count in LARGE.items())
    table("Peak resident memory of a large fabric", ["", "GB", "aim"], [[name, f"{peak / 1e9:.2f}", f"< {MEMORY_GB}"]])


def large(switches, hosts, drives):
    """A grid of switches with hosts that each ask a group of ten drives."""
    side = round(switches**0.5)
    names = [f"h{number}" for number in range(hosts)]
    groups = [f"d{number}" for number in range(drives // 10)]
    stations = ", ".join(f'"{name}"' for name in [*names, *groups])
    text = [
        "[run]\nmeasured_ios = 20_000\nwarm_up = 1\n",
        f'[san]\nkind = "fabric"\nspeed = "8GFC"\ntopology = "mesh"\nwidth = {side}\nheight = {side}',
        'routing = "up-down"',
        f"stations = [{stations}]\n",
    ]
    for name in groups:
        text.append(f'[{name}]\nkind = "drives"\ncount = 10\naccess_time = "1 ms"\ntransfer_rate = "200 MB/s"\n')
    for number, name in enumerate(names):
        text.append(f'[{name}]\nkind = "host"\n')
        text.append(
            f'[w{number}]\nkind = "closed"\nfrom = "{name}"\nto = ["{groups[number % len(groups)]}"]\nsize = "8 KiB"\n'
            'read_fraction = 0.7\nqueue_depth = 4\nqueue_depth_per = "all"\n'
        )
    return "\n".join(text)


if __name__ == "__main__":
    sys.stdout.write(large(**LARGE))
