"""The event core alone, beside a plain heap, simcore and SimPy."""

import shutil
import sys

from harness import HERE, cell, counted, median, ratio, table

# Engines of the published comparison that are not built here, by how much each was faster than simcore there, on the
# same machine and in the same rounds: (name, ratio to simcore).
PUBLISHED = {
    "hold-1024": ("simcore, fastest there", 1.0),
    "hold-100000": ("ns-3 3.48 heap", 4.07 / 2.48),
    "tandem": ("SST 16.0.0", 11.6 / 7.95),
}
AIMS = {"hold-1024": 2.0, "hold-100000": 1.8, "tandem": 1.25}

LOADS = ["hold-16", "hold-128", "hold-1024", "hold-100000", "tandem", "timeouts-128"]

# By how much simcore needs at least more instructions for an event than we do. What is measured in time is held against
# the same numbers, but only a quiet machine can tell, so nothing fails by it.
LEADS = {"hold-1024": 2.0, "hold-100000": 2.9, "tandem": 1.6}
# Two lengths, in events: the difference counts.
COUNTED = (200_000, 600_000)


def kernel(bench):
    """The event core alone, beside a plain heap, simcore and SimPy."""
    bench.say("building the kernel benchmark ...")
    program = bench.cargo(HERE / "Cargo.toml", "bench") / "sansim-bench"
    simpy = bench.python("simpy==4.1.2")
    if simpy is None:
        bench.say("SimPy cannot be installed here; its column stays empty")
    events = 1_000_000 if bench.quick else 5_000_000

    rows, ratios, aims = [], [], []
    leads = {}
    for load in LOADS:
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
        leads[load] = ratio(rounds, "ours", "simcore")
        if load in PUBLISHED:
            name, factor = PUBLISHED[load]
            reached = leads[load] / factor
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
    instructions(bench, program, leads)


def instructions(bench, program, leads):
    """Instructions for an event, beside the lead in time; ends with an error if a lead in instructions is too small."""
    if shutil.which("valgrind") is None:
        bench.say("valgrind is missing: instructions for an event are not counted")
        return
    rows, missed = [], []
    for load in LOADS:
        bench.say(f"counting instructions: {load} ...")
        ours, simcore = (for_an_event(program, engine, load) for engine in ("ours", "simcore"))
        lead, least = simcore / ours, LEADS.get(load)
        aim = "-" if least is None else f"{least:.2f}"
        rows.append([load, f"{ours:.0f}", f"{simcore:.0f}", f"{lead:.2f}", f"{leads[load]:.2f}", aim])
        if least is not None and lead < least:
            missed.append(f"{load}: simcore needs {lead:.2f} times our instructions for an event, not {least:.2f}")
    head = ["load", "sansim", "simcore 0.1.0", "simcore / sansim", "sansim / simcore in time", "at least"]
    table("Event core: instructions for an event (valgrind), model and generator included", head, rows)
    if missed:
        sys.exit("\n".join(missed))


def for_an_event(program, engine, load):
    """Instructions of one engine for one event."""
    few, many = (counted([program, engine, load, events]) for events in COUNTED)
    # The program handles a tenth more than it is told to time.
    return (many - few) / ((COUNTED[1] - COUNTED[0]) * 1.1)


KERNEL_NOTE = """
sansim: the kernel's calendar with flat dispatch, total order (time, priority, rank, unit, sequence), a key for every
timeout by which it can be cancelled (simcore: for every event), and the probe's type parameter in place (first column:
no probe; second column: a probe that counts and sums every event). hold-N: N pending events. timeouts-N: every event
also plans a timeout and cancels an earlier one. tandem: two events for each completed service. The plain heap has no
engine, no cancellation and no order among components."""
