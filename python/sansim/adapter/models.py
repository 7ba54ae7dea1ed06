"""The fitted parameters of an adapter: the keys, their ranges, and their order of importance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from sansim.adapter.intervals import (
    COMMAND_TO_COMMAND,
    COMMAND_TO_DATA,
    COMMAND_TO_READY,
    DATA_IN,
    DATA_OUT,
    DATA_TO_RESPONSE,
    READY_TO_DATA,
    RESPONSE_TO_COMMAND,
    Between,
)
from sansim.adapter.measured import Rate
from sansim.fit.variables import Model, Rows, Variable

US, MS = 1e3, 1e6
MB, GB = 1e6, 1e9
Rates: TypeAlias = Sequence[Rate]


def has_both(rows: Rows) -> bool:
    """Whether some read and some write."""
    return len({row.write for row in rows}) > 1


def has_writes(rows: Rows) -> bool:
    """Whether some write."""
    return any(row.write for row in rows)


def has_sizes(rows: Rows) -> bool:
    """Whether there are several sizes."""
    return len({row.bytes for row in rows}) > 1


def has_frames(rows: Rows) -> bool:
    """Whether I/Os have several frames."""
    return any(row.bytes > 2112 for row in rows)


def time(name: str, start: float, needs: Callable[[Rows], bool] = lambda _: True) -> Variable:
    """A time of a block of the adapter."""
    return Variable(name, "time", 10, 10 * MS, start, needs=needs, optional=True)


COMMAND = time("command_time", 20 * US)
WRITE_COMMAND = time("write_command_time", 20 * US, has_both)
BANDWIDTH = Variable("dma_bandwidth", "rate", 1 * MB, 100 * GB, 1064 * MB, needs=has_sizes, optional=True)
SETUP = time("dma_setup_time", 1 * US)
READY = time("xfer_rdy_time", 5 * US, has_writes)
COMPLETION = time("completion_time", 5 * US)
TENANCY = Variable(
    "frames_per_tenancy", "count", 1, 1024, 0, needs=has_frames, choices=(1, 4, 16, 64), optional=True, between=False
)
OUTGOING = Variable(
    "outgoing_buffers", "count", 1, 1024, 0, needs=has_frames, choices=(1, 2, 4, 8, 32), optional=True, between=False
)
RATES = Model(
    word="rates",
    kind="",
    about="an adapter by the rates that it reaches",
    variables=(COMMAND, BANDWIDTH, WRITE_COMMAND, SETUP, READY, COMPLETION, TENANCY, OUTGOING),
    beyond=(
        (
            lambda _: True,
            "devices and drivers that take time, unless --scenario or --set says so: here they become a part of the"
            " adapter",
        ),
        (has_both, "reads and writes at the same time: each row is of one kind"),
    ),
)


def smallest(rows: Rates, *, write: bool) -> list[Rate]:
    """The row that tells most about the time of a command: the smallest, with most in flight."""
    mine = [row for row in rows if row.write == write]
    return sorted(mine, key=lambda row: (row.bytes, -row.outstanding, row.ports or 1))[:1]


def largest(rows: Rates) -> list[Rate]:
    """The row that tells most about the time of bytes: the largest, with most in flight; a read before a write."""
    return sorted(rows, key=lambda row: (-row.bytes, row.write, -row.outstanding, row.ports or 1))[:1]


ONE_ROW_EACH: Mapping[str, Callable[[Rates], list[Rate]]] = {
    "command_time": lambda rows: smallest(rows, write=False) or smallest(rows, write=True),
    "write_command_time": lambda rows: smallest(rows, write=True) if smallest(rows, write=False) else [],
    "dma_bandwidth": lambda rows: largest(rows) if has_sizes(rows) else [],
}
"""With the rule `one`: the row to which each key is fitted."""
TOGETHER = tuple(ONE_ROW_EACH)
"""Each of these does something else to rows, so they are searched at once."""


def one_row_each(rows: Rates) -> set[Rate]:
    """A row for each key that one row can tell: the others are predicted."""
    return {row for of in ONE_ROW_EACH.values() for row in of(rows)}


def every_second(rows: Rates) -> set[Rate]:
    """Every second row of each operation and number of ports and devices, by size and depth as on a chessboard."""
    groups: dict[tuple[Any, ...], list[Rate]] = {}
    for row in rows:
        groups.setdefault((row.write, row.ports, row.devices), []).append(row)
    used = set()
    for group in groups.values():
        sizes = sorted({row.bytes for row in group})
        depths = sorted({row.outstanding for row in group})
        used |= {row for row in group if (sizes.index(row.bytes) + depths.index(row.outstanding)) % 2 == 0}
    return used


# ---------------------------------------------------------------- intervals of a trace


def tells(*betweens: Between, write: bool | None = None) -> Callable[[Rows], bool]:
    """Whether intervals of these kinds are there, perhaps only those of reads or of writes."""

    def has(rows: Rows) -> bool:
        return any(row.between in betweens and write in (None, row.write) for row in rows)

    return has


def both(*betweens: Between) -> Callable[[Rows], bool]:
    """Whether they are there of reads and of writes."""
    return lambda rows: all(tells(*betweens, write=write)(rows) for write in (False, True))


STARTS = (RESPONSE_TO_COMMAND, COMMAND_TO_COMMAND)
INITIATOR_TRACE = Model(
    word="initiator",
    kind="",
    about="the adapter of a host by the times between its frames",
    variables=(
        replace(COMMAND, needs=tells(*STARTS)),
        replace(WRITE_COMMAND, needs=both(*STARTS)),
        replace(READY, needs=tells(READY_TO_DATA)),
        replace(SETUP, needs=tells(READY_TO_DATA, *STARTS)),
        replace(BANDWIDTH, needs=tells(DATA_OUT)),
        replace(COMPLETION, needs=tells(RESPONSE_TO_COMMAND)),
        time("single_frame_time", 5 * US, tells(RESPONSE_TO_COMMAND)),
        time("frame_time", 400, tells(RESPONSE_TO_COMMAND, READY_TO_DATA)),
    ),
    beyond=((lambda _: True, "whatever of an interval lies in the host: its driver becomes a part of the adapter"),),
)
TARGET_TRACE = Model(
    word="target",
    kind="",
    about="the adapter of a device by the times between its frames",
    variables=(
        replace(COMMAND, needs=tells(COMMAND_TO_DATA, COMMAND_TO_READY)),
        time("response_time", 5 * US, tells(DATA_TO_RESPONSE)),
        replace(WRITE_COMMAND, needs=both(COMMAND_TO_DATA, COMMAND_TO_READY)),
        replace(SETUP, needs=tells(COMMAND_TO_DATA)),
        replace(BANDWIDTH, needs=tells(DATA_IN)),
        time("single_frame_time", 5 * US, tells(COMMAND_TO_DATA, COMMAND_TO_READY)),
        time("frame_time", 400, tells(COMMAND_TO_DATA, COMMAND_TO_READY, DATA_TO_RESPONSE)),
    ),
    beyond=((lambda _: True, "whatever of an interval lies in the device: its access is that of the scenario"),),
)
