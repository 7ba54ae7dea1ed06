"""Rules of users: what a decision costs, by an expression and by a class of Python, beside the built-in rule.

Runs with the same result are compared: the difference of their processor times over the decisions is the cost of one,
with the view that it needs. As a program it is one measurement: `rules.py one DECISION FORM IOS`, run by the Python
that has sansim; what a run itself reports of its rules is in the table, too.
"""

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from harness import table

AIMS = {"expression": 50, "python": 800}
MIRROR = """
[run]
measured_ios = {ios}
warm_up = 0
[host]
kind = "host"
attached = ["mirror"]
[mirror]
kind = "raid"
to = ["disks"]
layout.level = "1"
read_policy = {rule}
[disks]
kind = "ram-disks"
count = 2
capacity = "1 GiB"
bandwidth = "10 GB/s"
[load]
kind = "closed"
from = "host"
to = ["mirror"]
size = "4 KiB"
read_fraction = 1.0
queue_depth = 4
pattern = "random"
"""
CACHE = """
[run]
measured_ios = {ios}
warm_up = 0
functional_warm_up = "none"
[host]
kind = "host"
attached = ["cache"]
[cache]
kind = "cache"
to = ["disks"]
capacity = "4 MiB"
replacement.policy = {rule}
[disks]
kind = "ram-disks"
capacity = "1 GiB"
bandwidth = "10 GB/s"
[load]
kind = "closed"
from = "host"
to = ["cache"]
size = "4 KiB"
read_fraction = 1.0
queue_depth = 4
pattern = "random"
"""
CODE = """
from sansim.rules import Rule


class Least(Rule):
    def decide(self, view):
        return view.outstanding.index_of_least()


class First(Rule):
    def decide(self, view):
        return 0
"""
# For each decision: the scenario, and the same rule built in, as an expression and as a class.
CASES = {
    "path (copy of a mirror), 2 candidates": (
        MIRROR,
        {"built in": '"least-outstanding"', "expression": '{ expression = "outstanding" }', "python": "Least"},
        "",
    ),
    "replacement, 16 candidates": (
        CACHE,
        {"built in": '"lru"', "expression": '{ expression = "-age" }', "python": "First"},
        "",
    ),
    "replacement, 1 candidate": (
        CACHE,
        {"built in": '"lru"', "expression": '{ expression = "0", candidates = 1 }', "python": "First"},
        ", candidates = 1",
    ),
}


def rules(bench):
    """The cost of a decision."""
    python = bench.installed("python")
    ios = 20_000 if bench.quick else 100_000
    rows = []
    for decision, (_, forms, _) in CASES.items():
        bench.say(f"measuring decisions: {decision} ...")
        commands = {form: [python, __file__, "one", decision, form, ios] for form in forms}
        rounds = bench.rounds_of(commands, json.loads)
        for form in ("expression", "python"):
            costs = [(one[form]["cpu_s"] - one["built in"]["cpu_s"]) / one[form]["calls"] * 1e9 for one in rounds]
            reported = statistics.median(one[form]["ns_per_call"] for one in rounds)
            rows.append([decision, form, f"{statistics.median(costs):.0f}", f"{reported:.0f}", AIMS[form]])
    table(
        "Rules of users, ns for a decision (medians; processor time beside the built-in rule with the same result)",
        ["decision", "form", "beside built in", "as the run says", "aim"],
        rows,
    )


def one(decision, form, ios):
    """A run of a case in a form; prints its processor time and what it says of its rule."""
    import sansim

    text, forms, more = CASES[decision]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "rules.py").write_text(CODE, encoding="utf-8")
        rule = forms[form]
        rule = f'{{ python = "rules.py:{rule}"{more} }}' if form == "python" else rule
        file = Path(folder, "scenario.toml")
        file.write_text(text.format(ios=ios, rule=rule), encoding="utf-8")
        begin = time.process_time()
        result = sansim.run(file, collect_ios=False)
        took = time.process_time() - begin
    rules = result.run.get("rules", [{"calls": 0, "ns_per_call": 0.0}])
    print(json.dumps({"cpu_s": took, "calls": rules[0]["calls"], "ns_per_call": rules[0]["ns_per_call"]}))


if __name__ == "__main__" and sys.argv[1:2] == ["one"]:
    one(sys.argv[2], sys.argv[3], int(sys.argv[4]))
