"""The benchmark of drives judges every line that its examples print, and a missed aim ends it with an error."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import drives  # type: ignore[import-not-found]

DISK = """\
random, FCFS                         6012345 I/Os per second, mean response 12.345 ms
sequential, FCFS, read-ahead          499999 I/Os per second, mean response 0.345 ms
"""
FLASH = """\
4 KiB random reads, MQSim's device: 1.20 million I/Os per wall second (9 per simulated second, write amplification 0.00)
    60.1 MB fresh (60.9 resident), 0.0 MB for 0 units written: 0.00 B each
8 KiB writes, MQSim's device: 0.99 million I/Os per wall second (9 per simulated second, write amplification 1.02)
    60.1 MB fresh (60.9 resident), 24.0 MB for 2000000 units written: 12.00 B each
"""
CACHE = """\
policy                     ns/access bytes/block         MiB      hits
lru                             65.3        28.0       112.0    81.23%
lru, as a block cache          201.0        40.0       160.0    81.23%
arc                             99.0        28.0       954.0    81.23%
"""


def test_each_line_of_each_example_is_judged() -> None:
    judged = [(row.what, row.holds) for row in drives.disk_rows(DISK)]
    assert judged == [("disk, random, FCFS", True), ("disk, sequential, FCFS, read-ahead", False)]
    speeds, memory = drives.flash_rows(FLASH)
    assert [row.holds for row in speeds] == [True, False]
    assert [(row.what, row.holds) for row in memory] == [
        ("4 KiB random reads, MQSim's device", True),
        ("8 KiB writes, MQSim's device", False),  # 84.9 MB, and 80 are allowed
    ]
    caches = [(row.what, row.holds) for row in drives.cache_rows(CACHE)]
    assert caches == [("lru", True), ("lru, as a block cache", False), ("arc", False)]


def test_a_line_that_is_not_understood_is_an_error() -> None:
    for read, text in [(drives.disk_rows, DISK), (drives.flash_rows, FLASH), (drives.cache_rows, CACHE)]:
        with pytest.raises(SystemExit, match="what is not understood"):
            list(read(text + "something else 12\n"))


def rebuilt(**changes: Any) -> dict[str, Any]:
    """What a run of the rebuild tells."""
    found: dict[str, Any] = {"wall_s": 250.0, "rebuild_time": 43_200.0, **changes}
    return {
        "run": {"simulated_per_wall": 46_800.0 / found["wall_s"], "wall_s": found["wall_s"]},
        "summary": {"components": {"array": {"rebuild_time": found["rebuild_time"]}}},
    }


def test_a_rebuild_is_to_end_in_time() -> None:
    assert drives.rebuild_row(rebuilt(), quick=False).holds
    for late in ({"wall_s": 301.0}, {"rebuild_time": None}):
        assert not drives.rebuild_row(rebuilt(**late), quick=False).holds
    assert drives.rebuild_row(rebuilt(rebuild_time=None), quick=True).holds


def test_a_missed_aim_ends_the_section_with_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Bench:
        """Measures nothing: what examples print is given."""

        quick = False

        def say(self, _text: str) -> None:
            pass

        def installed(self, program: str) -> str:
            return program

        def measure(self, _command: list[Any], _read: object) -> str:
            return json.dumps(rebuilt())

    printed = {"disk_speed": DISK, "flash_speed": FLASH, "cache_speed": CACHE}
    monkeypatch.setattr(drives, "run", lambda _bench, _crate, example: printed[example])
    with pytest.raises(SystemExit) as ended:
        drives.drives(Bench())
    missed = str(ended.value)
    assert missed.count("\n") == 5, missed
    assert "disk, sequential" in missed and "lru, as a block cache" in missed and "4 TB" not in missed
    assert "NO" in capsys.readouterr().out
