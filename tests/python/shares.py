"""Tests with many costly cases, of which every run but a long one tries a share, from another seed at each commit.

As random tests of Rust do (`crates/trials`), from the same seed, and by the same variable for all of them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

import pytest

SEED = int(os.environ.get("PROPTEST_RNG_SEED") or "1")
"""The seed of this run; `./dev test` says it, and in CI it is the commit's."""
IS_WHOLE = "SANSIM_ALL_TRIALS" in os.environ
"""Whether this is a long run."""
LONG = pytest.mark.long


def share(cases: Iterable[Any], count: int, name: str) -> list[Any]:
    """Cases for `parametrize`: all of them, but those that are not among `count` drawn ones are of the long run.

    The name is drawn from, too, so that tests with the same cases do not always try the same of them.
    """
    cases = list(cases)
    drawn = set(Random(f"{SEED} {name}").sample(range(len(cases)), count))
    return [case if number in drawn else pytest.param(case, marks=LONG) for number, case in enumerate(cases)]


def draw(cases: Sequence[str], name: str) -> str:
    """One of some cases."""
    return Random(f"{SEED} {name}").choice(cases)


def in_turn(*names: str) -> dict[str, pytest.MarkDecorator]:
    """Marks of tests that guard much the same: one of them is `slow`, and so is tried; the others are `long`."""
    drawn = draw(names, " ".join(names))
    return {name: pytest.mark.slow if name == drawn else LONG for name in names}


def tried(cases: Iterable[int], count: int, name: str) -> list[int]:
    """What a test goes through in one loop: all of it in a long run, else `count` drawn ones, in their order."""
    cases = list(cases)
    if IS_WHOLE or len(cases) <= count:
        return cases
    return sorted(Random(f"{SEED} {name}").sample(cases, count))


def examples(whole: int) -> int:
    """How many examples Hypothesis makes of those that a test names: a fifth, but 16 at least."""
    return whole if IS_WHOLE else min(max(whole // 5, 16), whole)
