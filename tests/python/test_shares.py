"""Shares of costly cases: as many as asked for are tried in each run, and all of them by seeds to come."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

import shares


def in_this_run(cases: Iterable[object]) -> list[object]:
    """Those of `share` that are not of the long run."""
    return [case for case in cases if not hasattr(case, "marks")]


def test_as_many_cases_as_asked_for_are_tried_and_in_time_all(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: set[object] = set()
    for seed in range(50):
        monkeypatch.setattr(shares, "SEED", seed)
        found = shares.share("abcdef", 2, "letters")
        assert len(found) == 6
        drawn = in_this_run(found)
        assert len(drawn) == 2
        assert drawn == in_this_run(shares.share("abcdef", 2, "letters")), "the same seed draws the same"
        assert sorted(mark.name for mark in shares.in_turn("a", "b", "c").values()) == ["long", "long", "slow"]
        seen |= set(drawn)
    assert seen == set("abcdef")


def test_a_long_run_goes_through_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "IS_WHOLE", False)
    part = shares.tried(range(1000), 30, "numbers")
    assert len(part) == 30
    assert part == sorted(set(part))
    assert (shares.examples(100), shares.examples(20), shares.examples(5)) == (20, 16, 5)
    monkeypatch.setattr(shares, "IS_WHOLE", True)
    assert shares.tried(range(1000), 30, "numbers") == list(range(1000))
    assert shares.examples(100) == 100
