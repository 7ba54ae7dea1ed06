"""A test with many costly cases tries only a share of them, but in a long run, and other ones at each commit.

Random tests of Rust do the same (`crates/trials`); both read the same two variables.
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
    """Returns all cases for `parametrize`. Every run tries `count` drawn ones; the others are marked `long`.

    The name is drawn from, too, so that tests with the same cases do not always try the same of them.
    """
    cases = list(cases)
    drawn = set(Random(f"{SEED} {name}").sample(range(len(cases)), count))
    return [case if number in drawn else pytest.param(case, marks=LONG) for number, case in enumerate(cases)]


def draw(cases: Sequence[str], name: str) -> str:
    """Draws one of some cases."""
    return Random(f"{SEED} {name}").choice(cases)


def in_turn(*names: str) -> dict[str, pytest.MarkDecorator]:
    """Marks tests that guard much the same: one is drawn and marked `slow`, the others are `long`."""
    drawn = draw(names, " ".join(names))
    return {name: pytest.mark.slow if name == drawn else LONG for name in names}


def tried(cases: Iterable[int], count: int, name: str) -> list[int]:
    """Returns the cases that a test tries in one loop: all in a long run, else `count` drawn ones, in their order."""
    cases = list(cases)
    if IS_WHOLE or len(cases) <= count:
        return cases
    return sorted(Random(f"{SEED} {name}").sample(cases, count))


def examples(whole: int) -> int:
    """Returns how many examples Hypothesis makes of those that a test names: all in a long run, else a fifth."""
    return whole if IS_WHOLE else min(max(whole // 5, 16), whole)
