"""The fitted parameters of each kind of drive: the keys, their ranges, and their order of importance.

This is the one place that defines them. A model that is added here is fitted, shown, drawn and written like the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from sansim.drive.measured import Measured
from sansim.fit.variables import Model, Values, Variable

Rows: TypeAlias = Sequence[Measured]

US, MS = 1e3, 1e6
KB, MB, GB = 1e3, 1e6, 1e9
LARGE = 256 << 10
"""Bytes from which on a disk transfers for about as long as it positions."""


# ---------------------------------------------------------------- what rows have


def has_reads(rows: Rows) -> bool:
    """Whether some read."""
    return any(not row.write for row in rows)


def has_writes(rows: Rows) -> bool:
    """Whether some write."""
    return any(row.write for row in rows)


def has_both(rows: Rows) -> bool:
    """Whether some read and some write."""
    return has_reads(rows) and has_writes(rows)


def has_random(rows: Rows) -> bool:
    """Whether some are random."""
    return any(not row.sequential for row in rows)


def has_patterns(rows: Rows) -> bool:
    """Whether some are random and some sequential."""
    return has_random(rows) and any(row.sequential for row in rows)


def has_sizes(rows: Rows) -> bool:
    """Whether there are several sizes."""
    return len({row.bytes for row in rows}) > 1


def has_streams(rows: Rows) -> bool:
    """Whether the medium moves data for a good part of the time: in sequence, or much at a time."""
    return any(row.sequential or row.bytes >= LARGE for row in rows)


def has_depths(rows: Rows) -> bool:
    """Whether there are several depths."""
    return len({row.queue_depth for row in rows}) > 1


def anyhow(_: Rows) -> bool:
    """Always."""
    return True


# ---------------------------------------------------------------- a fixed drive

FIXED = Model(
    word="drives",
    kind="drives",
    about="an access time and a transfer rate, so many commands at a time",
    variables=(
        Variable("access_time", "time", 10, 10_000 * MS, 1 * MS, always=True),
        Variable("transfer_rate", "rate", 10 * KB, 1_000 * GB, 100 * MB, needs=has_sizes, always=True),
        Variable(
            "concurrency",
            "count",
            1,
            4096,
            1,
            needs=has_depths,
            choices=(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096),
        ),
    ),
    beyond=(
        (has_both, "a difference between reads and writes: one access time holds for both"),
        (has_patterns, "a difference between random and sequential: the access time is the same for both"),
        (
            has_depths,
            "times that fall or rise with the queue in any other way than by waiting for one of `concurrency`",
        ),
    ),
)


# ---------------------------------------------------------------- a mechanical disk

STRAIGHT, ROOT = 1 / 3, 8 / 15
"""The relative place of the average seek between the shortest and the longest for a linear and for a root curve.

No curve of three points has it elsewhere (Lee, Katz 1993).
"""


def settled_disk(values: Values) -> Values:
    """Seeks that some curve has: the average between those of a line and of a root from the shortest to the longest."""
    if not {"seek.single", "seek.average", "seek.full"} <= values.keys():
        return values
    average = values["seek.average"]
    single = min(values["seek.single"], 0.95 * average)
    above = average - single
    full = min(max(values["seek.full"], single + above / (ROOT * 0.99)), single + above / (STRAIGHT * 1.01))
    return {**values, "seek.single": single, "seek.full": full}


def disk_keys(texts: dict[str, Any], without: Mapping[str, Any]) -> dict[str, Any]:
    """The table of a disk: the seek curve as one table, overheads of hits as of misses, zones as in the preset.

    The rows show the lower rate of the medium and of the link to the host, and `zones` takes it. The link of a preset
    is that of the machine on which its drive was measured, and slower than every drive since.
    """
    table = {key: value for key, value in texts.items() if not key.startswith("seek.")}
    table["block_transfer"] = "0 ns"
    seek = {key.removeprefix("seek."): value for key, value in texts.items() if key.startswith("seek.")}
    if seek:
        table["seek"] = {"form": "three-point", **seek}
    if "read_overhead" in table:
        table["hit_overhead"] = table["read_overhead"]
    if "zones" in table:
        times = float(table["zones"].removesuffix(" x"))
        table["zones"] = [
            [first, *(max(round(sectors * times), least) for sectors, least in zip(zone, (1, 0, 0, 0), strict=True))]
            for first, *zone in without["zones"]
        ]
    return table


DISK = Model(
    word="disks",
    kind="disks",
    about="a mechanical disk: overheads, seeks, rotation; all else as its preset says",
    variables=(
        Variable("seek.average", "time", 0.1 * MS, 100 * MS, 8 * MS, needs=has_random, stands_for=("seek",)),
        Variable("read_overhead", "time", 1 * US, 20 * MS, 0.3 * MS, needs=has_reads, stands_for=("hit_overhead",)),
        Variable("write_overhead", "time", 1 * US, 20 * MS, 0.3 * MS, needs=has_writes),
        Variable(
            "rpm", "count", 3600, 15_000, 7200, choices=(3600, 4200, 5400, 5900, 7200, 10_000, 15_000), between=False
        ),
        # With the skews, so that they stay the same part of a revolution.
        Variable("zones", "scale", 0.05, 50, 1, needs=has_streams),
        Variable("seek.single", "time", 0.05 * MS, 20 * MS, 1 * MS, needs=has_random, stands_for=("seek",)),
        Variable("seek.full", "time", 0.2 * MS, 300 * MS, 16 * MS, needs=has_random, stands_for=("seek",)),
    ),
    beyond=(
        (
            anyhow,
            "how zones differ from each other, segments, and the order of the queue: those of `preset` or of --set",
        ),
        (
            has_streams,
            "a way to the host that is slower than the medium: say it by --set block_transfer",
        ),
        (has_writes, "how much of the writes the measured drive had on its medium: say it by --set write_behind=true"),
    ),
    keys=disk_keys,
    settle=settled_disk,
)


# ---------------------------------------------------------------- a flash drive

FLASH = Model(
    word="flash-drives",
    kind="flash-drives",
    about="flash: times of pages, channels, overheads; all else as its preset says",
    variables=(
        Variable("read_time", "time", 1 * US, 1 * MS, 60 * US, needs=has_reads),
        Variable("command_overhead", "time", 10, 1 * MS, 5 * US),
        Variable("program_time", "time", 10 * US, 10 * MS, 500 * US, needs=has_writes),
        Variable("channels", "count", 1, 64, 8, needs=has_depths, choices=(1, 2, 4, 8, 16, 32)),
        Variable("channel_rate", "rate", 10 * MB, 5 * GB, 333 * MB),
        Variable("link_rate", "rate", 50 * MB, 64 * GB, 4 * GB, needs=has_sizes),
    ),
    beyond=(
        (
            has_writes,
            "caches of one bit per cell, and how the measured drive had been written before: see `precondition`, `fill`"
            " and `buffer`",
        ),
    ),
)

MODELS: Mapping[str, Model] = {model.word: model for model in (FIXED, DISK, FLASH)}
"""The models whose keys are fitted."""
SHEET = "data-sheet"
"""The word of the model that takes times as they were measured."""
SHEET_KIND = "data-sheet-drives"
SHEET_ABOUT = "the rows as they are; between two sizes and depths in proportion"
SHEET_BEYOND = (
    (anyhow, "how times vary from one command to the next"),
    (has_both, "commands of other kinds beside each other, which count as those of its own"),
)
