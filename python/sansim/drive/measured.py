"""Measurements of a drive: response times by kind of command and queue depth."""

from __future__ import annotations

from dataclasses import dataclass

from sansim.fit.rows import OPERATIONS, Column, number_of, size_of

PATTERNS = ("random", "sequential")
CACHE = ("off", "on")


@dataclass(frozen=True)
class Measured:
    """A row: with so many commands in the drive, all like this, one takes so long in the mean."""

    place: str
    """Its place, as `drive.csv, line 4`."""
    write: bool
    sequential: bool
    bytes: int
    queue_depth: int
    response_ns: float
    cache: str | None = None
    """Whether the drive's cache was `on` or `off`; None where nothing is said."""

    @property
    def operation(self) -> str:
        """`read` or `write`."""
        return OPERATIONS[self.write]

    @property
    def pattern(self) -> str:
        """`random` or `sequential`."""
        return PATTERNS[self.sequential]

    @property
    def iops(self) -> float:
        """How many it carries out in a second: the queue depth over the response time (Little)."""
        return self.queue_depth * 1e9 / self.response_ns

    @property
    def counts(self) -> float:
        """The compared value: the response time in ns."""
        return self.response_ns

    @property
    def asked(self) -> tuple[bool, bool, int, int, str | None]:
        """The commands, which two rows may have in common."""
        return self.write, self.sequential, self.bytes, self.queue_depth, self.cache


@dataclass(frozen=True)
class Measurements:
    """All rows that can be used, and what is to be known of them."""

    files: tuple[str, ...]
    rows: tuple[Measured, ...]
    left_out: tuple[str, ...] = ()
    """Measurements that cannot be used, and why, a sentence each."""
    notes: tuple[str, ...] = ()
    """Oddities of rows that are used, a sentence each."""

    @property
    def name(self) -> str:
        """The files, as a person names them."""
        return ", ".join(self.files)


COLUMNS = (
    Column("operation", lambda row: row.operation, words=OPERATIONS),
    Column("pattern", lambda row: row.pattern, words=PATTERNS),
    Column("size", lambda row: row.bytes, read=size_of),
    Column("queue_depth", lambda row: row.queue_depth, read=number_of),
    Column("cache", lambda row: row.cache, words=CACHE),
)
"""By what rows may be chosen."""
