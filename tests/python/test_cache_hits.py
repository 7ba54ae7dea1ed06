"""Hits of caches, asked for from Python without a simulation."""

from __future__ import annotations

import pytest

from sansim._core import cache_hits

POLICIES = ("lru", "fifo", "slru", "2q", "arc", "car", "clock", "sieve", "lfu", "lfu-da", "random")


@pytest.mark.parametrize("policy", [*POLICIES, "belady"])
def test_all_that_fits_misses_once(policy: str) -> None:
    assert cache_hits(policy, 10, list(range(10)) * 7) == 60
    assert cache_hits(policy, 10, []) == 0


@pytest.mark.parametrize("policy", POLICIES)
def test_no_policy_is_better_than_the_optimum(policy: str) -> None:
    asked = [block * block % 101 + now % 3 for now, block in enumerate(range(3_000))]
    best = cache_hits("belady", 20, asked)
    assert 0 < cache_hits(policy, 20, asked) <= best < len(asked)


def test_least_recent_and_first_in_differ_as_their_names_say() -> None:
    assert (cache_hits("lru", 2, [1, 2, 1, 3, 1]), cache_hits("fifo", 2, [1, 2, 1, 3, 1])) == (2, 1)


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(ValueError, match=r'there is no policy "mru"; there are lru, fifo, .*, and belady'):
        cache_hits("mru", 10, [1])
    with pytest.raises(ValueError, match=r"a cache has between 1 and 1073741824 blocks, not 0"):
        cache_hits("lru", 0, [1])
