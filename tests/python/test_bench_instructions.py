"""The count of instructions of runs without rules of users: what it takes for a rule at work, and what not."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"

CALLGRIND = """\
version: 1
events: Ir
fl=(1) a file
fn=(1) sansim_rules::view::DecisionView::begin
10 4
+2 6
fn=(2) run
3 1
cfn=(1)
calls=2 10
4 20
cfn=(3) sansim_rules::rules_of_run::RulesOfRun::failure
calls=1 1
5 7

fn=(3)
8 7
fn=(1)
* 5
totals: 23
"""


@pytest.fixture(autouse=True)
def in_bench(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH))


def test_a_function_has_the_instructions_of_its_own_lines_and_not_those_of_calls() -> None:
    counts = import_module("harness").by_function(CALLGRIND)
    assert counts == {
        "sansim_rules::view::DecisionView::begin": 15,
        "run": 1,
        "sansim_rules::rules_of_run::RulesOfRun::failure": 7,
    }
    assert sum(counts.values()) == 23


def test_a_view_that_is_filled_in_a_run_without_rules_is_found_to_the_instruction() -> None:
    bench: Any = import_module("instructions")
    view, asks = "sansim_rules::view::DecisionView::begin", "sansim_rules::rules_of_run::RulesOfRun::failure"
    short, long = {view: 15, asks: 7, "run": 10}, {view: 15, asks: 9, "run": 90_000}
    assert bench.of_rules(short, long, 100, 900) == []
    (found,) = bench.of_rules(short, {**long, view: 16}, 100, 900)
    assert view in found
    # The run itself may ask for 0.5 % of an I/O: for 100 of 900 instructions each these are 450.
    assert bench.of_rules(short, {**long, asks: 457}, 100, 900) == []
    (found,) = bench.of_rules(short, {**long, asks: 458}, 100, 900)
    assert "asks for rules" in found
