"""Command-First of Wang 2005 as rules of users: the third worked example of docs/policies.md, and rules that break."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import sansim

BASE = "wang-2005-base"
LEVELS = ("queue", "arbitration", "preemption")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "base.toml").write_text(sansim.example(BASE))
    (tmp_path / "first.py").write_text(
        "from sansim.rules import Rule\nclass CommandFirst(Rule):\n    def decide(self, view): return view.command\n"
    )
    return tmp_path


def run(folder: Path, **keys: Any) -> sansim.Result:
    """A short run of the base system; `__` is a dot."""
    overrides = {key.replace("__", "."): value for key, value in keys.items()}
    return sansim.run(folder / "base.toml", {"run.measured_ios": 600, **overrides})


def rules(rule: dict[str, Any]) -> dict[str, Any]:
    """Every level of Command-First by this rule."""
    return {f"controller__command_first_{level}": rule for level in LEVELS}


@pytest.mark.parametrize("size", ["4 KiB", "32 KiB", "256 KiB"])
@pytest.mark.parametrize("reads", [1.0, 0.0, 0.66])
def test_command_first_as_a_rule_gives_the_cells_of_table_6_5_as_the_built_in_one(
    folder: Path, size: str, reads: float
) -> None:
    cell = {"workload__size": size, "workload__read_fraction": reads}
    built_in = run(folder, controller__schedule="command-first", **cell)
    own = run(folder, **rules({"python": "first.py:CommandFirst"}), **cell)
    assert own.summary == built_in.summary
    assert own.ios.equals(built_in.ios)
    assert {cost["decision"] for cost in own.run["rules"]} == {"loop-queue", "loop-access", "loop-circuit"}
    assert own.run["loop"] == "stepped", "no shortcut follows a rule"
    assert run(folder, **rules({"expression": "command != urgent"}), **cell).summary == built_in.summary


def test_the_rule_matters_and_so_does_each_level(folder: Path) -> None:
    reads = {"workload__size": "32 KiB", "workload__read_fraction": 1.0}
    fair, first = run(folder, **reads).summary["iops"], run(folder, controller__schedule="command-first", **reads)
    assert first.summary["iops"] > 1.2 * fair
    rates = set()
    for level in LEVELS:
        others = {f"controller__command_first_{other}": True for other in LEVELS if other != level}
        never = {f"controller__command_first_{level}": {"expression": "urgent"}}
        rates.add(run(folder, **reads, **others, **never).summary["iops"])
    assert len(rates | {first.summary["iops"]}) > 1
    assert max(rates) <= first.summary["iops"] * 1.01


def test_a_state_of_the_rule_counts_the_commands(folder: Path) -> None:
    (folder / "counts.py").write_text(
        "from sansim.rules import Rule\nclass Counts(Rule):\n"
        "    def start(self, random): self._seen = [0, 0]\n"
        "    def decide(self, view):\n"
        "        assert list(view.urgent) == [0, 1]\n"
        "        self._seen[view.command] += 1\n"
        "        return 0\n"
        "    def state(self): return {'others': self._seen[0], 'commands': self._seen[1]}\n"
    )
    result = run(folder, controller__command_first_queue={"python": "counts.py:Counts"}, workload__read_fraction=1.0)
    (state,) = result.run["rules"][0]["states"]
    assert state["commands"] >= 600
    assert state["others"] == 0, "the controller of reads sends commands only"
    assert result.summary == run(folder, workload__read_fraction=1.0).summary


@pytest.mark.parametrize(("word", "flag"), [("command-first", "command"), ("xfer-rdy-first", "transfer_ready")])
def test_the_order_of_an_adapters_processor_as_a_rule_gives_the_run_of_the_built_in_one(
    folder: Path, word: str, flag: str
) -> None:
    (folder / "tasks.py").write_text(
        "from sansim.rules import Rule\nclass Tasks(Rule):\n    def decide(self, view):\n"
        f"        assert len(view) > 1 and min(view.waiting) >= 0 and view.initiates == 1\n"
        f"        return max(range(len(view)), key=lambda at: (view.{flag}[at], -at))\n"
    )
    keys: dict[str, Any] = {"workload__read_fraction": 0.3, "workload__queue_depth": 4, "workload__size": "4 KiB"}
    keys |= {"controller__adapter__command_time": "100 us", "controller__adapter__xfer_rdy_time": "100 us"}
    built_in = run(folder, controller__adapter__processor_order=word, **keys)
    assert built_in.summary != run(folder, **keys).summary, "the order matters"
    own = run(folder, controller__adapter__processor_order={"python": "tasks.py:Tasks"}, **keys)
    assert own.summary == built_in.summary
    assert own.run["loop"] == built_in.run["loop"] == "fast", "shortcuts foresee no order of tasks"
    (cost,) = own.run["rules"]
    assert cost["decision"] == "processor-order" and cost["calls"] > 100


BROKEN = {
    "raises": ("return 1 // 0", "ZeroDivisionError"),
    "answers a third way": ("return 2", "it answered 2, and the candidates are 0 to 1"),
    "answers true": ("return None", "it answered None"),
    "names a block": ("return Block(3)", "it named 3, and this decision takes the index of a candidate"),
    "reads what frames do not have": ("return view.bytes", "it has urgent, now, command"),
    "keeps the view": ("kept.append(view); return kept[0].command", "valid only during the decision"),
}  # fmt: skip


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_rule_of_a_loop_port_ends_the_run(folder: Path, what: str, level: str) -> None:
    body, said = BROKEN[what]
    (folder / "broken.py").write_text(
        "from sansim.rules import Block, Rule\nkept = []\n"
        f"class Broken(Rule):\n    def decide(self, view):\n        {body}\n"
    )
    with pytest.raises(sansim.RuleError, match=said):
        run(folder, **{f"controller__command_first_{level}": {"python": "broken.py:Broken"}})


def test_true_and_false_are_no_rules_in_quotes(folder: Path) -> None:
    problems = sansim.check(folder / "base.toml", {"controller.command_first_queue": "yes"})
    assert "write true without quotes" in " ".join(str(problem.help) for problem in problems)
