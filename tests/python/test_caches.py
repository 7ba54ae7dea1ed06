"""Our address streams hit caches as often as `libcachesim` says, and it, our caches and models of ours count alike.

libcachesim is a package of others, with caches written in C. Its objects are our blocks of 4 KiB, each of size 1.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import accumulate
from random import Random
from typing import Any

import pytest

import sansim
from sansim._core import cache_hits

REQUESTS = 8_000
BLOCK = 4_096
LBAS = BLOCK // 512
SIZES = (1, 2, 17, 256, 1_000, 3_001, 12_000)
"""How many blocks the caches hold. The region has 16,384."""
PATTERNS = {
    "uniform": 'pattern = "uniform"',
    "sequential": 'pattern = "sequential"',
    "runs": 'pattern = "runs", to = "90 %", length = "3 %"',
    "strided": 'pattern = "strided", stride = "52 KiB"',
    "zones": 'pattern = "zones", accesses = ["50 %", "30 %", "20 %"], sizes = ["1 %", "9 %", "90 %"]',
    "hot spot": 'pattern = "hot-spot", space = "5 %"',
    "zipf": 'pattern = "zipf"',
    "pareto": 'pattern = "pareto"',
    "normal": 'pattern = "normal", deviation = "3 %"',
    "permutation": 'pattern = "permutation"',
    "files": 'pattern = "files", files = 500, file_size = "64 KiB"',
    "walk": 'pattern = "walk"',
}
STREAMS = [*PATTERNS, "mix of sizes", "spc-1-like"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.referee(
        find_spec("libcachesim") is not None,
        "libcachesim is not installed (uv sync --group referees): OUR HIT COUNTS ARE NOT COMPARED WITH ITS",
    ),
]


def load(name: str) -> str:
    """The workload of an address stream."""
    if name == "spc-1-like":
        return 'kind = "spc-1-like"\nbusiness_scaling_units = 20'
    sizes = '{ "4 KiB" = 60, "8 KiB" = 30, "60 KiB" = 10 }' if name == "mix of sizes" else '"4 KiB"'
    location = PATTERNS.get(name, PATTERNS["hot spot"])
    return f'kind = "synthetic"\nsize = {sizes}\nread_fraction = 0.7\nlocation = {{ {location} }}'


@cache
def blocks(name: str) -> tuple[int, ...]:
    """The blocks that an address stream asks for, in order: what a person has of the table of I/Os of a run."""
    scenario = f"""
[run]
warm_up = 0
measured_ios = {REQUESTS}
[drive]
kind = "drives"
access_time = "1 us"
transfer_rate = "1 TB/s"
capacity = "{"256 GiB" if name == "spc-1-like" else "64 MiB"}"
[host]
kind = "host"
attached = ["drive"]
[load]
from = "host"
to = ["drive"]
{load(name)}
"""
    ios = sansim.run(scenario).ios.sort("io").select("lba", "bytes").rows()
    assert len(ios) == REQUESTS
    asked: list[int] = []
    for lba, size in ios:
        asked.extend(range(lba // LBAS, (lba * 512 + size - 1) // BLOCK + 1))
    return tuple(asked)


def hits_by_stack_distance(asked: Iterable[int]) -> list[int]:
    """Hits of an LRU cache of each of `SIZES`, all from one pass.

    A cache of n blocks hits what has fewer than n others asked for since (Mattson et al., IBM Systems Journal 9, 1970).
    Those are counted in a binary indexed tree in which the latest place of each block is marked.
    """
    asked = list(asked)
    tree, latest, hits = [0] * (len(asked) + 1), dict[int, int](), [0] * len(SIZES)

    def mark(place: int, change: int) -> None:
        while place < len(tree):
            tree[place] += change
            place += place & -place

    def marked_up_to(place: int) -> int:
        count = 0
        while place:
            count += tree[place]
            place &= place - 1
        return count

    for now, block in enumerate(asked, start=1):
        before = latest.get(block)
        if before is not None:
            distance = len(latest) - marked_up_to(before)
            for number, size in enumerate(SIZES):
                hits[number] += distance < size
            mark(before, -1)
        mark(now, 1)
        latest[block] = now
    return hits


def fifo_hits(asked: Iterable[int], size: int) -> int:
    """Hits of a cache that drops what came first."""
    held, hits = OrderedDict[int, None](), 0
    for block in asked:
        if block in held:
            hits += 1
            continue
        if len(held) == size:
            held.popitem(last=False)
        held[block] = None
    return hits


def sieve_hits(asked: Iterable[int], size: int) -> int:
    """Hits of SIEVE (Zhang et al., NSDI 2024).

    A hand goes from the oldest to the youngest and drops the first that was not asked for since it passed.
    """
    held, hits = OrderedDict[int, bool](), 0
    older, younger = dict[int, int | None](), dict[int, int | None]()
    oldest: int | None = None
    youngest: int | None = None
    hand: int | None = None
    for block in asked:
        if block in held:
            held[block] = True
            hits += 1
            continue
        if len(held) == size:
            victim = hand if hand is not None else oldest
            while victim is not None and held[victim]:
                held[victim] = False
                victim = younger[victim] if younger[victim] is not None else oldest
            assert victim is not None
            hand, before = younger.pop(victim), older.pop(victim)
            if hand is None:
                youngest = before
            else:
                older[hand] = before
            if before is None:
                oldest = hand
            else:
                younger[before] = hand
            del held[victim]
        older[block], younger[block] = youngest, None
        if youngest is None:
            oldest = block
        else:
            younger[youngest] = block
        youngest = block
        held[block] = False
    return hits


def hits_of(policy: str, asked: Iterable[int], size: int) -> int:
    """What libcachesim counts."""
    library: Any = import_module("libcachesim")
    # Its table has room for 16 million objects by itself, and clearing that takes ten times as long as all requests.
    held, request, hits = getattr(library, policy)(cache_size=size, hashpower=14), library.Request(), 0
    request.obj_size = 1
    for block in asked:
        request.obj_id = block
        hits += held.get(request)
    return hits


@pytest.mark.parametrize("name", STREAMS)
def test_an_lru_cache_of_any_size_is_hit_as_often_as_stack_distances_say(name: str) -> None:
    asked = blocks(name)
    assert [hits_of("LRU", asked, size) for size in SIZES] == hits_by_stack_distance(asked)


@pytest.mark.parametrize("name", STREAMS)
def test_caches_that_do_not_heed_use_or_heed_it_lazily_are_hit_as_often(name: str) -> None:
    asked = blocks(name)
    for size in (17, 1_000):
        assert hits_of("FIFO", asked, size) == fifo_hits(asked, size)
        assert hits_of("Sieve", asked, size) == sieve_hits(asked, size)


def test_the_address_streams_differ_in_how_often_they_hit() -> None:
    counts = {name: tuple(hits_by_stack_distance(blocks(name))) for name in STREAMS}
    silent = {name for name, hits in counts.items() if not any(hits)}
    assert silent == {"sequential", "permutation"}, "no block of theirs is asked for twice in this time"
    heard = [hits for name, hits in counts.items() if name not in silent]
    assert len(set(heard)) == len(heard)


# ---------------------------------------------------------------- our caches against theirs

POLICIES = {
    "lru": "LRU",
    "fifo": "FIFO",
    "clock": "Clock",
    "sieve": "Sieve",
    "arc": "ARC",
    "slru": "SLRU",
    "2q": "TwoQ",
    "lfu": "LFU",
}
"""Our policies and theirs that count the same."""
DRAWN = ["zipf 0.6", "zipf 0.9", "zipf 1.2", "loop", "loops", "scans", "phases", "drift"]
"""Address streams of which hits differ more between policies than of those above."""


@cache
def drawn(name: str) -> tuple[int, ...]:
    """The blocks of such a stream."""
    random, asked = Random(5), range(12_000)
    skew = float(name.removeprefix("zipf ")) if name.startswith("zipf") else 0.9
    weights = list(accumulate((rank + 1) ** -skew for rank in range(6_000)))
    zipf = random.choices(range(6_000), cum_weights=weights, k=len(asked))
    blocks_of: dict[str, Callable[[int], int]] = {
        "loop": lambda now: now % 1_100,
        "loops": lambda now: now % 200 if now // 2_000 % 2 else 9_000 + now % 1_500,
        "scans": lambda now: zipf[now] if now // 500 % 2 else 100_000 + now,
        "phases": lambda now: zipf[now] + now // 4_000 * 10_000,
        "drift": lambda now: abs(int(random.gauss(now / 20, 80))),
    }
    return tuple(map(blocks_of.get(name, lambda now: zipf[now]), asked))


def stream(name: str) -> tuple[int, ...]:
    """The blocks of any stream."""
    return drawn(name) if name in DRAWN else blocks(name)


@pytest.mark.parametrize("name", [*STREAMS, *DRAWN])
def test_our_caches_are_hit_exactly_as_often_as_those_of_libcachesim(name: str) -> None:
    asked = stream(name)
    for ours, theirs in POLICIES.items():
        # Segments of their SLRU are a quarter of the cache; of a size that is no multiple of four they use no more.
        # Of fewer than four blocks their 2Q has no room for newcomers.
        for size in {"slru": (4, 64, 1_000), "2q": (4, 64, 1_001)}.get(ours, (2, 64, 1_001)):
            hits = cache_hits(ours, size, asked)
            assert hits == hits_of(theirs, asked, size), f"{ours}, {size} blocks"


def test_policies_differ_in_how_often_these_streams_hit_them() -> None:
    distinct = {name: len({cache_hits(policy, 256, drawn(name)) for policy in POLICIES}) for name in DRAWN}
    assert distinct.pop("loop") == 2, "all or nothing of a loop"
    assert distinct.pop("loops") == 3
    assert min(distinct.values()) >= 6, distinct
