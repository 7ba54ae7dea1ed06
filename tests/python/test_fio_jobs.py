"""The I/Os that our reader makes of fio job files, beside those of a real fio.

Each job runs in fio with `ioengine=null`, which writes a log of its I/Os and does none of them; ours come from the
example `fio_addresses`. Jobs without anything drawn have to agree I/O by I/O. Of the others statistics are compared:
fio's random numbers are its own. Both sides have fixed seeds (fio's default), so what passes once always passes.
"""

from __future__ import annotations

import math
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from shares import share

ROOT = Path(__file__).parents[2]
JOBS = sorted((Path(__file__).parent / "fio_jobs").glob("*.fio"))
FIO = shutil.which("fio")
CARGO = shutil.which("cargo")
NO_FIO = "fio or cargo is not installed: OUR I/Os OF FIO JOB FILES ARE NOT COMPARED WITH THOSE OF FIO"
DEVIATIONS = 4.0
"""How many standard deviations a count may be off: 1 in 16,000 by chance, for about 300 comparisons in all."""
POPULARITY = 0.02
"""How far shares of the accesses to the most popular blocks may be apart."""
MAP_SIZES = 0.03
"""How far shares of sizes may be apart where a map cuts I/Os at blocks that have been visited."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.referee(FIO is not None and CARGO is not None, NO_FIO),
]


@dataclass(frozen=True)
class Io:
    """One I/O."""

    direction: str
    offset: int
    size: int


@pytest.fixture(scope="module")
def ours() -> Path:
    """Our program that prints the I/Os of a job file."""
    assert CARGO is not None
    # As the tests of Rust are built, which have most of it then.
    example = ["--workspace", "--example", "fio_addresses"]
    build = [CARGO, "build", "--quiet", "--locked", "--profile", "test", *example]
    subprocess.run(build, cwd=ROOT, check=True)
    return ROOT / "target" / "debug" / "examples" / "fio_addresses"


def of_fio(job: Path, folder: Path) -> list[Io]:
    """What fio does."""
    log = folder / "log"
    copy = folder / job.name
    copy.write_text(f"[global]\nioengine=null\nthread\nwrite_iolog={log}\n{job.read_text()}", encoding="utf-8")
    done = subprocess.run([str(FIO), str(copy)], capture_output=True, encoding="utf-8", cwd=folder, check=False)
    assert done.returncode == 0, done.stderr
    fields = (line.split() for line in log.read_text(encoding="utf-8").splitlines())
    return [Io(f[2], int(f[3]), int(f[4])) for f in fields if len(f) == 5 and f[2] in {"read", "write", "trim"}]


def of_ours(program: Path, job: Path) -> list[Io]:
    """What we do."""
    done = subprocess.run([program, job, "200000"], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    fields = (line.split() for line in done.stdout.splitlines())
    return [Io(f[1], int(f[2]), int(f[3])) for f in fields]


def keys_of(job: Path) -> dict[str, str]:
    lines = job.read_text(encoding="utf-8").splitlines()[1:]
    return {key: value for key, _, value in (line.partition("=") for line in lines if line[0] != ";")}


def nothing_is_drawn(keys: dict[str, str]) -> bool:
    return re.match("(read|write|trim|trimwrite)(:|$)", keys["rw"]) is not None and not keys.keys() & {
        "bssplit",
        "bsrange",
    }


def alike(one: Mapping[Any, int], other: Mapping[Any, int], clump: float) -> bool:
    """Whether two tables of counts can be of one distribution: chi-square, by Wilson and Hilferty.

    Counts that come in clumps of so many vary by so much more.
    """
    first, second = Counter(one), Counter(other)
    n, m = first.total(), second.total()
    rare = [key for key in first | second if (first[key] + second[key]) * min(n, m) / (n + m) < 5]
    tables = [(first[key], second[key]) for key in first | second if key not in rare]
    if rare:
        tables.append((sum(first[key] for key in rare), sum(second[key] for key in rare)))
    statistic = 0.0
    for a, b in tables:
        both = (a + b) / (n + m)
        if both:
            statistic += (a - n * both) ** 2 / (n * both) + (b - m * both) ** 2 / (m * both)
    freedom = len(tables) - 1
    if freedom <= 0:
        return True
    spread = 2 / (9 * freedom)
    return math.cbrt(statistic / clump / freedom) <= 1 - spread + DEVIATIONS * math.sqrt(spread)


def share_behind(ios: list[Io]) -> float:
    """Which part of the I/Os begins where the last one of its direction ended."""
    ends: dict[str, int] = {}
    behind = 0
    for io in ios:
        behind += ends.get(io.direction) == io.offset
        ends[io.direction] = io.offset + io.size
    return behind / len(ios)


def popularity(ios: list[Io]) -> list[float]:
    """Which part of the I/Os goes to the most popular 0.1, 1, 10 and 50 % of all places that are visited."""
    counts = sorted(Counter(io.offset for io in ios).values(), reverse=True)
    return [sum(counts[: math.ceil(len(counts) * part)]) / len(ios) for part in (0.001, 0.01, 0.1, 0.5)]


@pytest.mark.parametrize("job", share(JOBS, len(JOBS) // 3, "fio"), ids=lambda job: job.stem)
def test_our_ios_of_a_job_are_those_of_fio(job: Path, ours: Path, tmp_path: Path) -> None:
    keys = keys_of(job)
    theirs, mine = of_fio(job, tmp_path), of_ours(ours, job)
    assert theirs
    if "time_based" in keys:
        mine = mine[: len(theirs)]
    if "numjobs" in keys:
        # Clones run at the same time in fio.
        mine, theirs = (sorted(ios, key=lambda io: io.offset) for ios in (mine, theirs))
    if nothing_is_drawn(keys):
        assert mine == theirs
        return
    several = bool(keys.keys() & {"bssplit", "bsrange"}) or "," in keys.get("bs", "")
    no_map = {"norandommap", "random_distribution", "blockalign", "ba", "zonemode"}
    mapped = keys["rw"].startswith("rand") and not keys.keys() & no_map
    clump = float(keys["rw"].partition(":")[2] or 1) * 100 / float(keys.get("percentage_random", "100"))

    # How much.
    largest = max(io.size for io in theirs)
    amounts = [sum(io.size for io in ios) for ios in (mine, theirs)]
    assert abs(amounts[0] - amounts[1]) <= largest
    if not several:
        assert len(mine) == len(theirs)
    # In which direction.
    assert alike(Counter(io.direction for io in mine), Counter(io.direction for io in theirs), 1)
    # Of which size.
    sizes = [Counter((io.direction, io.size) for io in ios) for ios in (mine, theirs)]
    if several and mapped:
        for key in sizes[0] | sizes[1]:
            assert abs(sizes[0][key] / len(mine) - sizes[1][key] / len(theirs)) < MAP_SIZES, key
    else:
        assert alike(sizes[0], sizes[1], 1)
    # Behind each other.
    shares = [share_behind(ios) for ios in (mine, theirs)]
    middle = sum(shares) / 2
    tolerance = DEVIATIONS * math.sqrt(max(middle * (1 - middle), 1e-4) * 2 / len(mine) * clump)
    assert abs(shares[0] - shares[1]) <= tolerance + (0.01 if mapped else 0.0)
    # Within the same bounds: in the same of 200 parts of the region.
    region = max(io.offset + io.size for io in theirs) - min(io.offset for io in theirs)
    for bound in (min, max):
        assert abs(bound(io.offset for io in mine) - bound(io.offset for io in theirs)) <= region / 200 + largest
    # Everywhere alike, where places are not spread by a hash.
    if not re.match("zipf|pareto|normal", keys.get("random_distribution", "")):
        parts = [Counter((io.direction, io.offset * 16 // region) for io in ios) for ios in (mine, theirs)]
        assert alike(parts[0], parts[1], clump)
    # As often to the same places.
    distinct = [len({io.offset for io in ios}) for ios in (mine, theirs)]
    assert abs(distinct[0] - distinct[1]) <= (
        0 if mapped and not several else DEVIATIONS * math.sqrt(max(distinct) * clump)
    )
    for a, b in zip(popularity(mine), popularity(theirs), strict=True):
        assert abs(a - b) <= POPULARITY


def test_every_key_of_fio_is_known_to_be_simulated_ignored_or_refused(ours: Path, tmp_path: Path) -> None:
    listing = subprocess.run([str(FIO), "--cmdhelp=all"], capture_output=True, encoding="utf-8", check=True).stdout
    keys = re.findall(r"^ *([a-z][\w-]*) *:", listing, re.MULTILINE)
    assert len(keys) > 190
    job = tmp_path / "all.fio"
    job.write_text("[job]\n" + "".join(f"{key}=0\n" for key in keys), encoding="utf-8")
    done = subprocess.run([ours, job, "1"], capture_output=True, encoding="utf-8", check=False)
    assert re.findall("fio has no key .*", done.stderr) == []


def test_there_are_jobs_of_many_keys() -> None:
    assert len(JOBS) >= 30
    assert len({key for job in JOBS for key in keys_of(job)}) >= 25
