"""Plans: how long it takes to work out ten thousand designs.

As a program it is one measurement: `plans.py one DESIGNS`, run by the Python that has sansim.
"""

import json
import subprocess
import sys
import time

from harness import ROOT, table

PLAN = ROOT / "plans" / "department.toml"
DESIGNS = 10_000
AIM_S = 10.0
# So many rates of the load make ten thousand designs of the 378 of the plan.
RATES = 27


def plans(bench):
    """Plans: how long it takes to work out ten thousand designs."""
    python = bench.installed("python")
    designs = DESIGNS // 10 if bench.quick else DESIGNS
    best = None
    for number in range(bench.rounds):
        bench.say(f"working out {designs:,} designs, round {number + 1} of {bench.rounds} ...")
        # Not pinned: all processors work.
        command = [python, __file__, "one", str(designs)]
        found = json.loads(subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout)
        if best is None or found["wall_s"] < best["wall_s"]:
            best = found
    aim = AIM_S * designs / DESIGNS
    rows = [[f"{designs:,}", f"{best['wall_s']:.2f}", f"{best['cpu_s']:.2f}", f"{aim:g}"]]
    table("Designs worked out (plans/department.toml)", ["designs", "wall s", "processor s", "aim, wall s"], rows)
    if best["wall_s"] > aim:
        sys.exit(f"bench: {designs:,} designs took {best['wall_s']:.1f} s")


def one(designs):
    """A measurement."""
    from dataclasses import replace

    from sansim.analysis.plan.candidates import candidates
    from sansim.analysis.plan.model import Choice, Option
    from sansim.analysis.plan.read import read_plan
    from sansim.analysis.plan.search import work_out

    plan = read_plan(PLAN)
    rates = Choice(
        "rate",
        tuple(Option(f"{rate}", (("mail.arrivals.rate", f'"{rate}/s"'),)) for rate in range(50, 50 + 10 * RATES, 10)),
    )
    plan = replace(plan, choices=(*plan.choices, rates))
    every = list(candidates(plan))[:designs]
    assert len(every) == designs
    started, used = time.monotonic(), time.process_time()
    work_out(plan, every)
    print(json.dumps({"wall_s": time.monotonic() - started, "cpu_s": time.process_time() - used}))


if __name__ == "__main__":
    one(int(sys.argv[2]))
