"""The event core alone, beside a plain heap, simcore and SimPy."""

from harness import HERE, cell, median, ratio, table

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
sansim: the kernel's calendar with flat dispatch, total order (time, priority, rank, unit, sequence), a key for every
event by which it can be cancelled, and the probe's type parameter in place (first column: no probe; second column: a
probe that counts and sums every event). hold-N: N pending events. timeouts-N: every event also plans a timeout and
cancels an earlier one. tandem: two events for each completed service. The plain heap has no engine, no cancellation
and no order among components."""
