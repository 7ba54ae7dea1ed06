"""Studies on worker processes: how well two of them share the work, and what a point costs beside its simulation.

As a program it is one measurement: `studies.py one WORKERS|bare POINTS IOS`, run by the Python that has sansim.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness import ROOT, table

SCENARIO = ROOT / "scenarios" / "two-nodes.toml"
SHARING_AIM = 0.9
OVERHEAD_AIM_MS = 5.0
# I/Os of a point of about a second, and of one that is over at once.
LONG_IOS = 45_000
TINY_IOS = 10


def studies(bench):
    """Studies on worker processes: how well two of them share the work, and what a point costs beside it."""
    python = bench.installed("python")
    sharing(bench, python)
    overhead(bench, python)
    print(STUDIES_NOTE)


def best_of(bench, python, ways, points, ios):
    """The quickest of some rounds for each way, as what else goes on in the machine only adds."""
    found = {}
    for number in range(bench.rounds):
        bench.say(f"measuring {points} points of {ios:,} I/Os, round {number + 1} of {bench.rounds} ...")
        for way in ways:
            # Not pinned: it is about several cores.
            command = [python, __file__, "one", way, str(points), str(ios)]
            result = json.loads(subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout)
            if way not in found or result["wall_s"] < found[way]["wall_s"]:
                found[way] = result
    return found


def sharing(bench, python):
    """Points of about a second on one worker and on two."""
    points = 6 if bench.quick else 10
    found = best_of(bench, python, ("1", "2", "bare"), points, LONG_IOS)
    one, two, bare = found["1"]["wall_s"], found["2"]["wall_s"], found["bare"]["wall_s"]
    busy_one, busy_two = f"{found['1']['busy']:.3f}", f"{found['2']['busy']:.3f}"
    rows = [
        ["one worker", f"{one:.2f}", f"{one / points:.2f}", "-", busy_one, "-"],
        ["two bare processes, half of the points each", f"{bare:.2f}", "-", f"{one / bare / 2:.3f}", "-", "-"],
        ["two workers", f"{two:.2f}", "-", f"{one / two / 2:.3f}", busy_two, SHARING_AIM],
    ]
    table(
        f"A study of {points} points of about a second (best of {bench.rounds} rounds)",
        ["how", "wall s", "s / point", "speed-up / 2", "busy", "aim"],
        rows,
    )


def overhead(bench, python):
    """What a tiny point costs beside its simulation."""
    rows = []
    for points in (100, 1_000):
        found = best_of(bench, python, ("1",), points, TINY_IOS)["1"]
        seconds = [
            found["pure_s"],
            found["plan_s"],
            found["wall_s"] - found["pure_s"],
            found["plan_s"] + found["wall_s"] - found["pure_s"],
            found["cpu_s"] - found["pure_cpu_s"],
        ]
        rows.append([f"{points:,}", *(f"{value / points * 1e3:.2f}" for value in seconds), OVERHEAD_AIM_MS])
    table(
        f"Tiny points on one worker, ms per point (best of {bench.rounds} rounds)",
        ["points", "simulation", "planning", "running - simulation", "overhead in all", "its processor time", "aim"],
        rows,
    )


STUDIES_NOTE = """
Each point is scenarios/two-nodes.toml with a seed of its own. Speed-up / 2 is the time of one worker over that of
two, over two. Busy is the part of the time, start and end of the workers included, in which they were at a point;
unlike the speed-up it says how well the work is shared also while the machine does other things. Bare processes only
simulate, each half of the points, and start together: what the machine has to give when both cores are busy. Planning
is reading the scenario, filling in its defaults and finding its key. Running includes the start and end of the worker
and the files. The processor time of the overhead hardly depends on what else the machine does. Simulation is the sum
of the bare runs of the same points in one process. The best round is shown, as other load on the machine can only add
time."""


def jobs_of(points, ios):
    """The jobs of a study of so many points."""
    from sansim import _core
    from sansim.study.jobs.job import job_of

    changes = [("run.measured_ios", str(ios)), ("run.warm_up", "1")]
    scenarios = (_core.Scenario.load(SCENARIO, [*changes, ("run.seed", str(seed))]) for seed in range(points))
    return [job_of(scenario.to_toml()) for scenario in scenarios]


def simulate(jobs):
    """Only simulates; answers the seconds, and those of the processor."""
    from sansim import _core

    wishes = dict.fromkeys(("sample_every", "trace", "capture", "timeline", "window_from", "window_to", "slowest"))
    wishes |= {"reference_loop": False, "collect_ios": False}
    wall_s = cpu_s = 0.0
    for job in jobs:
        scenario = _core.Scenario.parse(job.scenario, "<job>", [])
        begin, begin_cpu = time.perf_counter(), time.process_time()
        scenario.run(wishes)
        wall_s += time.perf_counter() - begin
        cpu_s += time.process_time() - begin_cpu
    return wall_s, cpu_s


def one(way, points, ios):
    """One measurement, in seconds."""
    from sansim.study.jobs.execute import Crew, Tally, default_command
    from sansim.study.jobs.store import Store

    begin, begin_cpu = time.perf_counter(), processor_s()
    jobs = jobs_of(points, ios)
    plan_s = time.perf_counter() - begin
    if way == "bare":
        return {"plan_s": plan_s, "wall_s": bare(jobs)}
    with tempfile.TemporaryDirectory() as folder:
        # As run_jobs does it, which does not tell how long the workers were busy.
        begin = time.perf_counter()
        store = Store(Path(folder))
        tally = Tally(store, len(jobs), 0, None)
        with Crew(store, jobs, tally, int(way), default_command()) as crew:
            crew.run()
        wall_s = time.perf_counter() - begin
    assert not tally.failures, tally.failures
    cpu_s = processor_s() - begin_cpu
    busy = crew.seconds / wall_s / int(way)
    # The long points are compared with each other, and need no second simulation.
    pure_s, pure_cpu_s = simulate(jobs) if ios == TINY_IOS else (None, None)
    return {
        "plan_s": plan_s,
        "wall_s": wall_s,
        "cpu_s": cpu_s,
        "pure_s": pure_s,
        "pure_cpu_s": pure_cpu_s,
        "busy": busy,
    }


def processor_s():
    """Processor time of this process and of those that it has waited for, seconds."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def bare(jobs):
    """Two processes that each simulate half of the jobs; from their common start to the end of the slower one."""
    children, starts = [], []
    for number in range(2):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(writing)
            os.read(reading, 1)
            simulate(jobs[number::2])
            os._exit(0)
        children.append(child)
        starts.append(writing)
    begin = time.perf_counter()
    for writing in starts:
        os.write(writing, b"!")
    for child in children:
        assert os.waitpid(child, 0)[1] == 0
    return time.perf_counter() - begin


if __name__ == "__main__":
    print(json.dumps(one(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))))
