"""The content of a trace: its exchanges, the intervals of one side, and its load."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sansim.adapter.frames import Recorded, read_trace
from sansim.adapter.intervals import ORDER, Exchange, Interval, asked_of, exchanges_of, intervals_of
from sansim.adapter.system import Load
from sansim.fit.quantities import size_text
from sansim.fit.rows import OPERATIONS, Column, MeasurementError, size_of

LEAST = 2
"""Exchanges without which nothing can be said."""

TRACE_COLUMNS = (
    Column("interval", lambda row: row.between.name, words=tuple(one.name for one in ORDER)),
    Column("operation", lambda row: row.operation, words=OPERATIONS),
    Column("size", lambda row: row.bytes, read=size_of),
)
"""By what intervals may be chosen."""


@dataclass(frozen=True)
class Traced:
    """The content of a trace."""

    recorded: Recorded
    side: str
    exchanges: Sequence[Exchange]
    intervals: tuple[Interval, ...]

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Cautions about it."""
        lonely = [row for row in self.intervals if row.count == 1]
        if not lonely:
            return ()
        told = ", ".join(f"{row.between.name} ({row.operation})" for row in lonely)
        return (f"seen only once: {told}",)

    @property
    def devices(self) -> int:
        """How many devices were asked."""
        return len({exchange.target for exchange in self.exchanges})

    @property
    def load(self) -> Load:
        """The load.

        Raises:
            MeasurementError: It is not one workload, so that only a scenario can describe it.
        """
        asked = asked_of(self.exchanges)
        sizes = asked.sizes
        if len(sizes) > 1 or asked.initiators > 1:
            what = f"I/Os of {', '.join(map(size_text, sizes))}" if len(sizes) > 1 else "several initiators"
            raise MeasurementError(f"{self.recorded.name}: it has {what}; say by --scenario what was asked for")
        return Load(sizes[0], asked.reads, asked.queue_depth, in_all=False)


def read_traced(data: bytes, name: str, side: str, ios: int) -> Traced:
    """The first so many I/Os of a file, as one side sees them.

    Raises:
        MeasurementError: It cannot be read, or has next to nothing.
    """
    recorded = read_trace(data, name)
    exchanges = exchanges_of(recorded, ios)
    if len(exchanges) < LEAST:
        raise MeasurementError(
            f"{name}: it has {len(exchanges) or 'no'} I/O{'s' if len(exchanges) != 1 else ''} from command to response"
            f" with data; a fit needs {LEAST} at least, and the frames of both directions"
        )
    named = Recorded(Path(name).name, recorded.is_text, recorded.frames, recorded.ports, recorded.word_ns)
    return Traced(named, side, exchanges, tuple(intervals_of(exchanges, side)))
