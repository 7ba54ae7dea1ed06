"""Rules of users: equal to the built-in rules that they rewrite, the same in every process, with a clear end of faults."""  # noqa: E501

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sansim

COMMAND = Path(sys.executable).with_name("sansim")

PATHS = """
[run]
measured_ios = 400
seed = 3
[left]
kind = "fabric"
topology = "single-switch"
speed = "4GFC"
stations = ["host.adapters.a", "disks.adapters.a"]
[right]
kind = "fabric"
topology = "single-switch"
speed = "4GFC"
stations = ["host.adapters.b", "disks.adapters.b"]
[host]
kind = "host"
[host.adapters.a]
[host.adapters.b]
[disks]
kind = "drives"
count = 6
access_time = { distribution = "uniform", low = "1 ms", high = "4 ms" }
transfer_rate = "200 MB/s"
concurrency = 2
[disks.adapters.a]
[disks.adapters.b]
[load]
kind = "closed"
from = "host"
to = "disks"
size = "16 KiB"
queue_depth = 5
read_fraction = 0.6
pattern = "random"
"""

RULES = '''
import random
from sansim.rules import Count, Duration, Flag, Number, Rule, Size, Word

kept = []

class Least(Rule):
    def decide(self, view):
        return view.outstanding.index_of_least()

class InTurn(Rule):
    """The arbiter "round-robin": inputs in turn, of one input the first frame."""
    def start(self, random):
        self._last = -1
    def decide(self, view):
        inputs, order = view.input, view.order
        first = self._last + 1
        chosen = min(range(len(view)), key=lambda at: ((inputs[at] - first) % 65536, order[at]))
        self._last = inputs[chosen]
        return chosen

class CLook(Rule):
    def decide(self, view):
        here, blocks = view.position, view.block
        return min(range(len(view)), key=lambda at: (blocks[at] < here, blocks[at]))

class Drawn(Rule):
    def start(self, random):
        self._random = random
        self._sum = 0
    def decide(self, view):
        chosen = self._random.randrange(len(view))
        self._sum += chosen
        return chosen
    def state(self):
        return {"sum": self._sum}

class Hashing(Rule):
    def decide(self, view):
        return sum(view.bytes) % len(view)

class Parameters(Rule):
    window = Duration("1 ms")
    size = Size("4 KiB")
    often = Count(3, least=1, most=9)
    share = Number(0.5, least=0, most=1)
    always = Flag(False)
    word = Word("first", "second")
    def decide(self, view):
        assert (self.window, self.size, self.often, self.share, self.always, self.word) == (
            2_000_000, 65_536, 4, 0.25, True, "second")
        return 0
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "paths.toml").write_text(PATHS)
    (tmp_path / "rules.py").write_text(RULES)
    return tmp_path


def summary(file: Path, **keys: Any) -> dict[str, Any]:
    """The summary of a run with these keys; `__` is a dot."""
    result = sansim.run(file, {key.replace("__", "."): value for key, value in keys.items()})
    return dict(result.summary)


def with_rule(file: Path, key: str, **keys: Any) -> Callable[[Any], dict[str, Any]]:
    """Gives the summary of a run for each value of one key, with the other keys as they are."""
    return lambda rule: summary(file, **{key: rule}, **keys)


def python(name: str, **parameters: Any) -> dict[str, Any]:
    return {"python": f"rules.py:{name}", **parameters}


def test_least_outstanding_rewritten_gives_the_same_run(folder: Path) -> None:
    built_in = summary(folder / "paths.toml", host__path="least-outstanding")
    assert built_in != summary(folder / "paths.toml", host__path="first"), "the policy matters"
    assert summary(folder / "paths.toml", host__path={"expression": "outstanding"}) == built_in
    assert summary(folder / "paths.toml", host__path=python("Least")) == built_in


def test_the_arbiter_in_turn_rewritten_gives_the_same_run(folder: Path) -> None:
    # Reads of several disks meet at the port of the host.
    keys = {"load__read_fraction": 1.0, "load__queue_depth": 12, "disks__access_time": "50 us"}
    of = with_rule(folder / "paths.toml", "left__switch__arbiter", **keys)
    built_in = of("round-robin")
    assert built_in != of("fixed"), "the arbiter matters"
    assert of(python("InTurn")) == built_in
    assert of({"expression": "input"}) == of("fixed")


def test_c_look_rewritten_gives_the_same_run_at_the_host_and_in_a_disk(folder: Path) -> None:
    at_host = {"host__driver__outstanding_limit": 2, "load__queue_depth": 12}
    of = with_rule(folder / "paths.toml", "host__driver__queue__order", **at_host)
    built_in = of("c-look")
    assert built_in != of("fcfs"), "the order matters"
    assert of(python("CLook")) == built_in
    assert of({"expression": "if(block >= position, block, block + 1_000_000_000_000)"}) == built_in
    (folder / "disks.toml").write_text(sansim.example("disk-schedulers"))
    in_disk = with_rule(folder / "disks.toml", "drives__queue__order", run__measured_ios=300)
    assert in_disk("c-look") != in_disk("fcfs")
    assert in_disk(python("CLook")) == in_disk("c-look")


def test_the_same_seed_gives_the_same_bytes_whatever_the_hash_seed(folder: Path) -> None:
    code = (
        "import json, sansim, sys; r = sansim.run('paths.toml', {'host.path': {'python': sys.argv[1]}});"
        " print(json.dumps([dict(r.summary), [rule['states'] for rule in r.run['rules'] if 'states' in rule]]))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code, name],
            cwd=folder,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for name in ["rules.py:Drawn"]
        for seed in ["0", "1", "77"]
    }
    assert len(outputs) == 1
    (output,) = outputs
    assert json.loads(output)[1][0], "each object reports its state"


def test_a_random_stream_depends_on_the_seed_of_the_run(folder: Path) -> None:
    first, second = (summary(folder / "paths.toml", host__path=python("Drawn"), run__seed=seed) for seed in (1, 2))
    assert first != second


def test_parameters_have_units_and_are_checked(folder: Path) -> None:
    given = {
        "window": "2 ms", "size": "64 KiB", "often": 4, "share": 0.25, "always": True, "word": "second",
    }  # fmt: skip
    summary(folder / "paths.toml", host__path=python("Parameters", **given))
    for name, value, said in [
        ("window", 3, "needs a time with its unit"),
        ("window", "3 KiB", "needs a time with its unit"),
        ("size", "1", "needs a size with its unit"),
        ("often", 10, "is 10, outside 1 to 9"),
        ("often", 1.5, "needs a whole number"),
        ("share", 2, "is 2, outside 0 to 1"),
        ("always", 1, "needs true or false"),
        ("word", "third", "needs one of first, second"),
        ("windw", "1 ms", "has no parameter `windw`; did you mean `window`?"),
    ]:
        with pytest.raises(sansim.RuleError, match=said.replace("?", r"\?")):
            summary(folder / "paths.toml", host__path=python("Parameters", **{name: value}))


def test_the_cost_of_a_rule_is_in_the_output(folder: Path) -> None:
    result = sansim.run(folder / "paths.toml", {"host.path": python("Least")})
    (cost,) = result.run["rules"]
    assert (cost["rule"], cost["form"], cost["decision"]) == ("rules.py:Least", "python", "path")
    assert cost["calls"] >= 400 and cost["ns_per_call"] > 0
    assert "Rule `rules.py:Least` (path):" in result.report()


BROKEN = {
    "raises": ("def decide(self, view): return 1 // 0", r"ZeroDivisionError.*line \d+, in decide"),
    "answers text": ("def decide(self, view): return 'a'", "it answered 'a'"),
    "answers none": ("def decide(self, view): pass", "it answered None"),
    "answers a fraction": ("def decide(self, view): return 0.5", "it answered 0.5"),
    "answers too much": ("def decide(self, view): return 99", "it answered 99, and the candidates are 0 to 1"),
    "answers a negative number": ("def decide(self, view): return -1", "it answered -1"),
    "answers a huge number": ("def decide(self, view): return 10 ** 40", "it answered 1000"),
    "answers a huge text": ("def decide(self, view): return 'x' * 10_000_000", "it answered 'xxx"),
    "keeps the view": (
        "def decide(self, view):\n        kept.append(view)\n        return len(kept[0]) * 0",
        "valid only during the decision",
    ),
    "keeps a column": (
        "def decide(self, view):\n        kept.append(view.bytes)\n        return kept[0][0] * 0",
        "valid only during the decision",
    ),
    "keeps a feature by a view": (
        "def decide(self, view):\n        kept.append(view)\n        return kept[0].now * 0",
        "valid only during the decision",
    ),
    "changes the view": ("def decide(self, view):\n        view.now = 3\n        return 0", "AttributeError"),
    "changes a column": ("def decide(self, view):\n        view.bytes[0] = 3\n        return 0", "TypeError"),
    "reads an unknown feature": ("def decide(self, view): return view.outstandin[0]", "it has number, outstanding"),
    "reads behind the end": ("def decide(self, view): return view.bytes[7]", "there are 2 candidates"),
    "starts a run": (
        "def decide(self, view):\n        import sansim\n        sansim.run(__file__.replace('broken.py', 'paths.toml'))",  # noqa: E501
        "cannot start another one",
    ),
    "recurses": ("def decide(self, view): return self.decide(view)", "RecursionError"),
    "exits": ("def decide(self, view): raise SystemExit(3)", "SystemExit"),
    "asserts": ("def decide(self, view): assert False, 'no'", "AssertionError: no"),
    "runs out of memory": ("def decide(self, view): raise MemoryError", "MemoryError"),
    "has no decide": ("pass", "has no method `decide"),
    "misspells a hook": (
        "def decide(self, view): return 0\n    def strat(self, random): pass",
        "is no hook of a rule .*did you mean `start`",
    ),
    "has an unknown hook": ("def decide(self, view): return 0\n    def finish(self): pass", "is no hook of a rule"),
    "sets a parameter": (
        "size = Size('1 B')\n    def decide(self, view):\n        self.size = 3\n        return 0",
        "is a parameter, which the scenario sets",
    ),
    "fails at its start": ("def decide(self, view): return 0\n    def start(self, random): raise KeyError('x')", "KeyError"),  # noqa: E501
    "fails when it is made": ("def decide(self, view): return 0\n    def __init__(self): raise OSError('no')", "OSError: no"),  # noqa: E501
    "fails at its end": ("def decide(self, view): return 0\n    def done(self): raise OSError('late')", "OSError: late"),  # noqa: E501
    "reports what is no JSON": ("def decide(self, view): return 0\n    def state(self): return {1, 2}", "no JSON"),
    "has a bad default": ("size = Size('5')\n    def decide(self, view): return 0", "needs a size with its unit"),
    "takes no view": ("def decide(self): return 0", "TypeError"),
    "is a static method that raises": ("@staticmethod\n    def decide(view): raise IndexError", "IndexError"),
    "deletes the view": ("def decide(self, view):\n        del view.now\n        return 0", "AttributeError"),
    "yields": ("def decide(self, view): yield 0", "it answered <generator"),
    "is a coroutine": ("async def decide(self, view): return 0", "it answered <coroutine"),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_broken_rule_ends_the_run_with_its_name_and_reason(folder: Path, what: str) -> None:
    body, said = BROKEN[what]
    (folder / "broken.py").write_text(
        f"from sansim.rules import Rule, Size\nkept = []\nclass Broken(Rule):\n    {body}\n"
    )
    with pytest.raises(sansim.RuleError, match=said) as failed:
        summary(folder / "paths.toml", host__path={"python": "broken.py:Broken"})
    assert "the rule `broken.py:Broken` (path) failed at " in str(failed.value)
    assert "it saw " in str(failed.value)
    # The next run in the same process is as if nothing had been.
    assert summary(folder / "paths.toml")["ios"] == 400


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("class Broken(Rule:\n", r"SyntaxError.*line 1"),
        ("import nothing_like_this\n", "No module named 'nothing_like_this'"),
        ("class Other: pass\n", "has no class `Broken`"),
        ("class Broken: pass\n", "does not extend sansim.rules.Rule"),
        ("Broken = 3\n", "has no class `Broken`"),
        ("raise ValueError('at load')\n", "at load"),
    ],
)
def test_a_broken_file_ends_the_run_before_its_first_decision(folder: Path, text: str, said: str) -> None:
    (folder / "broken.py").write_text(text)
    with pytest.raises(sansim.RuleError, match=said):
        summary(folder / "paths.toml", host__path={"python": "broken.py:Broken"})


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"expression": "outstandin"}, "did you mean `outstanding`"),
        ({"expression": 3}, "needs an expression, in quotes"),
        ({"expression": "1", "window": "2 ms"}, "has no effect beside an expression"),
        ({"python": "rules.py"}, 'written as "file.py:Class"'),
        ({"python": "nowhere.py:Least"}, "cannot be read"),
        ({"python": "rules.py:Least", "expression": "1"}, "not several of them"),
        ({"file": "rules.py"}, "names no rule"),
        ({"python": "rules.py:Least", "list": [1]}, "a list does not fit here"),
    ],
)
def test_a_rule_that_is_written_wrong_is_refused_when_the_scenario_is_read(
    folder: Path, rule: dict[str, Any], said: str
) -> None:
    problems = sansim.check(folder / "paths.toml", {"host.path": rule})
    text = " ".join(str(problem.message) + str(problem.help) + str(problem.label) for problem in problems)
    assert said in text


def test_reading_and_explaining_a_scenario_runs_no_code_of_the_file(folder: Path) -> None:
    (folder / "loud.py").write_text("raise SystemExit('it was run')\n")
    keys = {"host.path": {"python": "loud.py:Loud"}}
    assert sansim.check(folder / "paths.toml", keys) == []
    sansim.resolve(folder / "paths.toml", keys)
    with pytest.raises(sansim.RuleError, match="explain runs no code of files that scenarios name"):
        sansim.explain(folder / "paths.toml", keys)


def test_ctrl_c_ends_an_endless_rule_and_keeps_what_was_done(folder: Path) -> None:
    (folder / "endless.py").write_text(
        "from sansim.rules import Rule\nclass Endless(Rule):\n"
        "    def start(self, random): self._calls = 0\n"
        "    def decide(self, view):\n"
        "        self._calls += 1\n"
        "        if self._calls == 20: print('now', flush=True)\n"
        "        while self._calls >= 20: pass\n"
        "        return 0\n"
    )
    command = [str(COMMAND), "run", "paths.toml", "--set", 'host.path={python="endless.py:Endless"}']
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert "now" in run.stdout.readline()
        begin = time.monotonic()
        run.send_signal(signal.SIGINT)
        text, errors = run.communicate(timeout=60)
        took = time.monotonic() - begin
    assert run.returncode == 130, errors
    assert "Traceback" not in errors
    assert "STOPPED EARLY" in text or "stopped early" in errors
    assert took < 30


def test_a_changed_rule_is_another_job_and_runs_again(folder: Path) -> None:
    (folder / "study.toml").write_text(
        'title = "rules"\nscenario = "paths.toml"\n[axes.depth]\nkeys = ["load.queue_depth"]\nvalues = [2, 4, 6]\n'
        '[set]\n"host.path" = { python = "rules.py:Least" }\n'
        '[metrics.iops]\nvalue = "iops"\n'
    )
    first = sansim.run_study(folder / "study.toml", out=folder / "out")
    again = sansim.run_study(folder / "study.toml", out=folder / "out")
    assert again.frame().equals(first.frame())
    jobs = {file.name for file in (folder / "out").rglob("*") if file.is_file()}
    (folder / "rules.py").write_text(RULES.replace("return view.outstanding.index_of_least()", "return 0"))
    other = sansim.run_study(folder / "study.toml", out=folder / "out")
    assert not other.frame().equals(first.frame())
    assert jobs <= {file.name for file in (folder / "out").rglob("*") if file.is_file()}


def policies(*words: str) -> subprocess.CompletedProcess[str]:
    """What `sansim policies` prints."""
    return subprocess.run([COMMAND, "policies", *words], capture_output=True, text=True, check=False)


def test_policies_lists_every_decision_with_its_rules_and_features() -> None:
    found = json.loads(policies("--json").stdout)
    names = {one["name"] for one in found}
    assert {"path", "queue", "disk-queue", "arbiter", "loop-switch", "replacement", "victim", "routing"} <= names
    (path,) = (one for one in found if one["name"] == "path")
    assert {"outstanding", "bytes"} <= {feature["name"] for feature in path["features"]["candidate"]}
    assert {"first", "queue-depth"} <= {rule["name"] for rule in path["rules"]}
    text = policies("path").stdout
    assert "host" in text and "outstanding" in text and "queue-depth" in text
    assert policies("pth").returncode == 2 and "did you mean `path`" in policies("pth").stderr


def test_the_reference_of_decisions_is_as_the_code_says() -> None:
    from sansim.policy_reference import decisions, page

    written = (Path(__file__).parents[2] / "docs" / "policy-reference.md").read_text(encoding="utf-8")
    assert written == page(decisions())


def test_the_rule_of_the_page_bounds_the_wait_and_stays_near_the_shortest_positioning(tmp_path: Path) -> None:
    """The first worked example: the order of a disk by positioning time less a weighted wait."""
    page = (Path(__file__).parents[2] / "docs" / "policies.md").read_text(encoding="utf-8")
    code = page.split("```python\n")[1].split("```")[0]
    (tmp_path / "aged.py").write_text(code)
    (tmp_path / "disks.toml").write_text(sansim.example("disk-schedulers"))
    of = with_rule(tmp_path / "disks.toml", "drives__queue__order", run__measured_ios=2_000)
    shortest, aged = of("sptf"), of({"python": "aged.py:Aged", "weight": 0.01})
    in_turn = of("fcfs")
    assert aged["response_time_ns"]["max"] < 0.7 * shortest["response_time_ns"]["max"]
    assert in_turn["iops"] < aged["iops"] < 1.01 * shortest["iops"]
    assert aged["iops"] > 0.98 * shortest["iops"]
    figures = [(round(of["iops"]), round(of["response_time_ns"]["max"] / 1e9, 2)) for of in (aged, shortest)]
    assert figures == [(783, 0.32), (787, 0.54)], "the page says these"
    assert of({"python": "aged.py:Aged", "weight": 0}) == shortest, (
        "without a weight it is the shortest positioning time"
    )
