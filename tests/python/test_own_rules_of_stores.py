"""Rules of users for caches and flash: equal to the built-in rules that they rewrite, and to caches of others."""

from __future__ import annotations

from collections import Counter
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any

import pytest

import sansim
from sansim._core import cache_hits
from sansim.number_text import duration

S3_FIFO = (Path(__file__).parents[2] / "docs" / "rules" / "s3fifo.py").read_text(encoding="utf-8")
"""The second worked example of docs/policies.md."""

CACHED = """
[run]
measured_ios = 600
warm_up = 0
seed = 3
[host]
kind = "host"
attached = ["cache"]
[cache]
kind = "cache"
to = ["disks"]
capacity = "256 KiB"
write.order.first = "oldest"
write.stripe_size = "16 KiB"
[disks]
kind = "drives"
count = 2
capacity = "4 MiB"
access_time = { distribution = "uniform", low = "1 ms", high = "4 ms" }
transfer_rate = "100 MB/s"
[load]
kind = "closed"
from = "host"
to = ["cache"]
size = "6 KiB"
read_fraction = 0.7
queue_depth = 4
pattern = "random"
"""

RULES = '''
from collections import OrderedDict
from sansim.rules import Block, Rule

class Oldest(Rule):
    """LRU: the candidates are in the order of their last use."""
    def decide(self, view):
        return 0

class Recent(Rule):
    """LRU with an order of its own, by the events of the cache."""
    def start(self, random):
        self._order = OrderedDict()
    def inserted(self, block):
        self._order[block] = True
    def used(self, block):
        if block in self._order:
            self._order.move_to_end(block)
    def held(self, block):
        del self._order[block]
    def released(self, block, young):
        self._order[block] = True
        self._order.move_to_end(block, last=bool(young))
    def removed(self, block):
        self._order.pop(block, None)
    def decide(self, view):
        return Block(next(iter(self._order)))
    def state(self):
        return {"blocks": len(self._order)}

class Counted(Rule):
    """The blocks as the events say, to be compared with what the view says."""
    def start(self, random):
        self._uses = {}
        self._held = set()
    def inserted(self, block):
        assert block not in self._uses
        self._uses[block] = 0
    def used(self, block):
        self._uses[block] += 1
    def held(self, block):
        assert block not in self._held
        self._held.add(block)
    def released(self, block, young):
        self._held.remove(block)
    def removed(self, block):
        assert block not in self._held
        del self._uses[block]
    def decide(self, view):
        assert len(self._uses) == view.capacity
        assert not self._held.intersection(view.block)
        assert [self._uses[block] for block in view.block] == list(view.uses)
        return view.uses.index_of_least()

class Stripe(Rule):
    """The order "c-look"."""
    def decide(self, view):
        here, stripes = view.position, view.stripe
        return min(range(len(view)), key=lambda at: (stripes[at] < here, stripes[at]))

class Ahead(Rule):
    """Read-ahead of 16 blocks behind a read that misses."""
    def start(self, random):
        self._wasted = 0
    def wasted(self, block):
        self._wasted += 1
    def decide(self, view):
        return list(view.blocks).index(16) if view.missed else 0
    def state(self):
        return {"wasted": self._wasted}

class SecondMiss(Rule):
    """Admission at the second miss, with a list of half as many blocks as the cache has."""
    def start(self, random):
        self._refused = OrderedDict()
    def decide(self, view):
        if self._refused.pop(view.block, False):
            return 1
        self._refused[view.block] = True
        if len(self._refused) > view.capacity // 2:
            self._refused.popitem(last=False)
        return 0

class Followed(Rule):
    """Admits every other block, and compares events with the room of the view."""
    def start(self, random):
        self._found = self._evicted = self._admitted = 0
    def found(self, block):
        self._found += 1
    def evicted(self, block):
        self._evicted += 1
    def decide(self, view):
        assert view.free == view.capacity - (self._admitted - self._evicted)
        assert view.size == 6 * 1024 <= view.sequence and list(view.admit) == [0, 1]
        self._admitted += view.block % 2
        return view.block % 2
    def state(self):
        return {"found": self._found, "evicted": self._evicted, "admitted": self._admitted}
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cached.toml").write_text(CACHED)
    (tmp_path / "rules.py").write_text(RULES)
    return tmp_path


def run(folder: Path, **keys: Any) -> sansim.Result:
    """A run of the cache with these keys; `__` is a dot."""
    return sansim.run(folder / "cached.toml", {key.replace("__", "."): value for key, value in keys.items()})


def python(name: str, **parameters: Any) -> dict[str, Any]:
    return {"python": f"rules.py:{name}", **parameters}


@pytest.mark.filterwarnings("ignore::sansim.ScenarioWarning")
@pytest.mark.parametrize("mode", ["back", "through"])
def test_lru_rewritten_gives_the_same_run(folder: Path, mode: str) -> None:
    built_in = run(folder, cache__write__mode=mode)
    assert run(folder, cache__write__mode=mode, cache__replacement__policy="lfu").summary != built_in.summary
    for rule in [{"expression": "0"}, python("Oldest"), python("Oldest", candidates=1), python("Recent")]:
        own = run(folder, cache__write__mode=mode, cache__replacement__policy=rule)
        assert own.summary == built_in.summary, rule
    (cost,) = own.run["rules"]
    assert cost["events"] > cost["calls"] > 100
    # Dirty blocks and blocks in flight have no place in the order of those that may leave.
    assert 0 < cost["states"][0]["blocks"] <= 64
    assert f"decisions of {duration(cost['ns_per_call'])} and {cost['events']:,} events," in " ".join(
        own.report().split()
    )


def test_events_say_what_the_view_says(folder: Path) -> None:
    (cost,) = run(folder, cache__replacement__policy=python("Counted", candidates="all")).run["rules"]
    assert cost["calls"] > 100


def test_the_order_of_destaging_rewritten_gives_the_same_run(folder: Path) -> None:
    keys = {"cache__write__dirty_limit": "60 %", "load__read_fraction": 0.2, "load__queue_depth": 8}
    built_in = run(folder, cache__write__order__first="c-look", **keys).summary
    assert run(folder, cache__write__order__first="oldest", **keys).summary != built_in, "the order matters"
    assert run(folder, cache__write__order__first=python("Stripe", candidates="all"), **keys).summary == built_in


def test_read_ahead_rewritten_gives_the_same_run_and_learns_of_waste(folder: Path) -> None:
    keys = {"cache__capacity": "128 KiB"}
    built_in = run(folder, cache__read_ahead__policy="fixed", **keys)
    own = run(folder, cache__read_ahead__policy=python("Ahead"), **keys)
    assert own.summary == built_in.summary
    wasted = own.run["rules"][0]["states"][0]["wasted"]
    assert wasted > 0
    assert wasted == own.summary["components"]["cache"]["read_ahead_wasted"]


@pytest.mark.filterwarnings("ignore::sansim.ScenarioWarning")
@pytest.mark.parametrize("mode", ["back", "through"])
def test_admission_rewritten_gives_the_same_run(folder: Path, mode: str) -> None:
    keys = {"cache__write__mode": mode, "cache__capacity": "512 KiB", "run__functional_warm_up": "none"}
    built_in = run(folder, cache__admission__policy="second-miss", **keys)
    assert built_in.summary["components"]["cache"]["refused_blocks"] > 100
    assert built_in.summary != run(folder, **keys).summary, "admission matters"
    assert run(folder, cache__admission__policy=python("SecondMiss"), **keys).summary == built_in.summary


@pytest.mark.filterwarnings("ignore::sansim.ScenarioWarning")
def test_a_rule_of_admission_follows_what_is_found_and_evicted(folder: Path) -> None:
    keys = {"cache__write__mode": "through", "cache__capacity": "128 KiB", "run__functional_warm_up": "none"}
    own = run(folder, cache__admission__policy=python("Followed"), **keys)
    (cost,) = own.run["rules"]
    assert cost["decision"] == "admission"
    (state,), cache = cost["states"], own.summary["components"]["cache"]
    assert state["evicted"] == cache["evicted_blocks"] > 100
    assert state["admitted"] + cache["refused_blocks"] == cost["calls"]
    assert state["found"] > 10


def test_a_decision_about_admission_is_in_the_log(folder: Path) -> None:
    rule = {"expression": "admit != (since_refused < capacity)"}
    keys: dict[str, Any] = {"cache.admission.policy": rule, "run.measured_ios": 100, "run.functional_warm_up": "none"}
    result = sansim.run(folder / "cached.toml", keys, decisions=True)
    rows = result.decisions.to_dicts()
    assert {row["decision"] for row in rows} == {"admission"}
    assert len(rows) == 2 * result.run["rules"][0]["calls"]
    chosen = [row for row in rows if row["chosen"]]
    assert {row["candidate.admit"] for row in chosen} == {0, 1}
    for row in chosen:
        assert row["candidate.admit"] == (row["decision.since_refused"] < row["decision.capacity"])


BROKEN = {
    "names what is not there": ("def decide(self, view): return Block(10 ** 9)", "named block 1000000000, which is not"),  # noqa: E501
    "names what is in flight": (
        "def start(self, random): self._held = []\n"
        "    def held(self, block): self._held.append(block)\n"
        "    def decide(self, view):\n"
        "        return Block(max(self._held, key=lambda b: b not in list(view.block)))",
        "which is dirty or in flight|which is not in the cache",
    ),
    "names a negative number": ("def decide(self, view): return Block(-1)", "named block 18446744073709551615|which is"),  # noqa: E501
    "names text": ("def decide(self, view): return Block('a')", "TypeError"),
    "raises in an event": ("def decide(self, view): return 0\n    def used(self, block): 1 // 0", "ZeroDivisionError"),
    "takes no block": ("def decide(self, view): return 0\n    def inserted(self): pass", "TypeError"),
    "misspells an event": ("def decide(self, view): return 0\n    def insreted(self, block): pass", "did you mean `inserted`"),  # noqa: E501
    "has a hook that is no method": ("inserted = 3\n    def decide(self, view): return 0", "TypeError"),
    "keeps the view for an event": (
        "def decide(self, view):\n        kept.append(view)\n        return 0\n"
        "    def used(self, block): kept and kept[0].now",
        "valid only during the decision",
    ),
    "starts a run in an event": (
        "def decide(self, view): return 0\n    def inserted(self, block):\n        import sansim\n"
        "        sansim.run(__file__.replace('broken.py', 'cached.toml'))",
        "cannot start another one",
    ),
    "exits in an event": ("def decide(self, view): return 0\n    def held(self, block): raise SystemExit", "SystemExit"),  # noqa: E501
    "answers beyond the window": ("def decide(self, view): return 16", "it answered 16, and the candidates are 0 to 15"),  # noqa: E501
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_rule_of_a_cache_ends_the_run_with_its_name_and_reason(folder: Path, what: str) -> None:
    body, said = BROKEN[what]
    (folder / "broken.py").write_text(
        f"from sansim.rules import Block, Rule\nkept = []\nclass Broken(Rule):\n    {body}\n"
    )
    with pytest.raises(sansim.RuleError, match=said) as failed:
        run(folder, cache__replacement__policy={"python": "broken.py:Broken"})
    assert "the rule `broken.py:Broken` (replacement) failed at " in str(failed.value)
    assert "it saw " in str(failed.value)
    assert run(folder).summary["ios"] == 600


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"expression": "age", "candidates": 0}, "outside|at least|between"),
        ({"expression": "age", "candidates": "some"}, 'needs a whole number, or "all"'),
        ({"expression": "age", "candidate": 3}, "has no effect beside an expression"),
        ({"expression": "waiting"}, "is no feature of this decision"),
    ],
)
def test_a_rule_of_a_cache_that_is_written_wrong_is_refused(folder: Path, rule: dict[str, Any], said: str) -> None:
    import re

    problems = sansim.check(folder / "cached.toml", {"cache.replacement.policy": rule})
    text = " ".join(str(problem.message) + str(problem.help) + str(problem.label) for problem in problems)
    assert re.search(said, text), text


def test_candidates_are_written_again_as_they_were_read(folder: Path) -> None:
    for candidates, written in [(7, "7"), ("all", '"all"')]:
        rule: Any = {"expression": "age", "candidates": candidates}
        text = sansim.resolve(folder / "cached.toml", {"cache.replacement.policy": rule})
        assert f'policy = {{ expression = "age", candidates = {written} }}' in text


def skewed(skew: float, count: int = 12_000) -> list[int]:
    """Blocks of which few are asked for often."""
    weights = list(accumulate((rank + 1) ** -skew for rank in range(6_000)))
    return Random(5).choices(range(6_000), cum_weights=weights, k=count)


@pytest.mark.referee(
    find_spec("libcachesim") is not None,
    "libcachesim is not installed (uv sync --group referees): S3-FIFO IS NOT COMPARED WITH ITS",
)
@pytest.mark.parametrize("skew", [0.6, 0.9, 1.2])
def test_s3_fifo_of_the_page_hits_exactly_as_often_as_that_of_libcachesim(tmp_path: Path, skew: float) -> None:
    """The second worked example."""
    from importlib import import_module

    library: Any = import_module("libcachesim")
    (tmp_path / "s3fifo.py").write_text(S3_FIFO)
    asked = [*skewed(skew), *range(20_000, 21_500), *skewed(skew, 3_000)]
    for size in (20, 64, 256, 1_001):
        theirs, request, hits = library.S3FIFO(cache_size=size, hashpower=14), library.Request(), 0
        request.obj_size = 1
        for block in asked:
            request.obj_id = block
            hits += theirs.get(request)
        assert cache_hits(f'{{ python = "{tmp_path}/s3fifo.py:S3Fifo" }}', size, asked) == hits
        assert hits != cache_hits("lru", size, asked), "the policy matters"


def test_s3_fifo_of_the_page_runs_in_a_cache_whose_blocks_are_dirty_and_in_flight(folder: Path) -> None:
    (folder / "s3fifo.py").write_text(S3_FIFO)
    keys = {"cache__capacity": "2 MiB", "load__queue_depth": 12, "run__measured_ios": 3_000}
    result = run(folder, cache__replacement__policy={"python": "s3fifo.py:S3Fifo", "small": 0.2}, **keys)
    assert result.run["rules"][0]["calls"] > 100
    assert result.summary != run(folder, **keys).summary


def test_a_failed_rule_of_a_cache_without_a_simulation_is_an_error(folder: Path) -> None:
    (folder / "broken.py").write_text(
        "from sansim.rules import Rule\nclass No(Rule):\n    def decide(self, view): 1 // 0\n"
    )
    with pytest.raises(sansim.RuleError, match="ZeroDivisionError"):
        cache_hits(f'{{ python = "{folder}/broken.py:No" }}', 2, [1, 2, 3])
    with pytest.raises(ValueError, match="is no feature"):
        cache_hits('{ expression = "ages" }', 2, [1])
    counted = Counter(cache_hits('{ expression = "-age" }', size, [1, 2, 1, 3, 1]) for size in (2, 3))
    assert counted == Counter(cache_hits("lru", size, [1, 2, 1, 3, 1]) for size in (2, 3))
