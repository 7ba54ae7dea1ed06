"""The times between the frames of exchanges, which determine the costs of an adapter (Wang 2005, 6.2.1).

Each interval is from the first word of a frame to the first word of another, at the adapter in question: its own frames
count when they were sent, others when they came in. An adapter makes the intervals that begin with a frame that it
receives, or with its own frame before, and end with a frame that it sends.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import TypeAlias

from sansim.adapter.frames import Recorded, Seen, Unit
from sansim.fit.rows import OPERATIONS

INITIATOR, TARGET = "initiator", "target"


@dataclass(frozen=True)
class Between:
    """Two frames, of which the second follows the first."""

    name: str
    """As a person names it."""
    made_by: str
    """By whose adapter: the initiator's or the target's, or by both (`whole`)."""
    about: str
    by_mean: bool = False
    """Whether the mean counts, as of frames of which one waits for the other; if not the median does: of the others
    some wait for the wire, or come out in one go because all of them did."""


RESPONSE_TO_COMMAND = Between("response to next command", INITIATOR, "completion, then the next command")
COMMAND_TO_COMMAND = Between("command to next command", INITIATOR, "what a command takes where others wait for theirs")
READY_TO_DATA = Between("xfer_rdy to data", INITIATOR, "FCP_XFER_RDY, then DMA of the first frame")
DATA_OUT = Between("data to next data, out", INITIATOR, "frames of a write, one after the other", by_mean=True)
COMMAND_TO_DATA = Between("command to data", TARGET, "command and access, then DMA of the first frame")
COMMAND_TO_READY = Between("command to xfer_rdy", TARGET, "command and access")
DATA_IN = Between("data to next data, in", TARGET, "frames of a read, one after the other", by_mean=True)
DATA_TO_RESPONSE = Between("last data to response", TARGET, "FCP_RSP behind the data")
WHOLE = Between("command to response", "whole", "the I/O as the wire sees it", by_mean=True)
ORDER = (
    RESPONSE_TO_COMMAND,
    COMMAND_TO_COMMAND,
    READY_TO_DATA,
    DATA_OUT,
    COMMAND_TO_DATA,
    COMMAND_TO_READY,
    DATA_IN,
    DATA_TO_RESPONSE,
    WHOLE,
)

Named: TypeAlias = tuple[Between, bool, int]
"""An interval, whether it is of a write (that of the later frame), and the bytes of its I/O."""


@dataclass
class Exchange:
    """The frames of one I/O that are in the trace, each with its times."""

    initiator: str
    target: str
    write: bool = False
    bytes: int = 0
    frames: dict[tuple[Unit, int], tuple[float, float]] = field(default_factory=dict)
    """When each was sent and when it came in, by unit and offset."""
    is_whole: bool = False
    """Whether the response is there, too."""


@dataclass(frozen=True)
class Interval:
    """The measurements of a kind of interval."""

    between: Between
    write: bool
    bytes: int
    mean_ns: float
    median_ns: float
    count: int

    @property
    def operation(self) -> str:
        """`read` or `write`."""
        return OPERATIONS[self.write]

    @property
    def counts(self) -> float:
        """The compared value: the mean or the median, in ns."""
        return self.mean_ns if self.between.by_mean else self.median_ns

    @property
    def asked(self) -> Named:
        """The properties that distinguish it from others."""
        return self.between, self.write, self.bytes


def exchanges_of(recorded: Recorded, most: int | None = None) -> list[Exchange]:
    """The whole exchanges of a trace, in the order of their commands; the first so many."""
    open_now: dict[tuple[str, str, str], Exchange] = {}
    found: list[Exchange] = []
    for frame in recorded.frames:
        ends = sorted((frame.source, frame.destination))
        key = (ends[0], ends[1], frame.exchange)
        exchange = open_now.get(key)
        if frame.unit == "command" and (exchange is None or exchange.is_whole):
            exchange = open_now[key] = Exchange(frame.source, frame.destination)
            found.append(exchange)
        if exchange is not None:
            add(exchange, frame)
    whole = [exchange for exchange in found if exchange.is_whole and exchange.bytes > 0]
    return whole if most is None else whole[:most]


def add(exchange: Exchange, frame: Seen) -> None:
    """A frame of an exchange, perhaps seen before."""
    sent, _ = exchange.frames.get((frame.unit, frame.offset), (frame.at_ns, frame.at_ns))
    if (frame.unit, frame.offset) not in exchange.frames:
        exchange.bytes += frame.bytes
    exchange.frames[frame.unit, frame.offset] = (sent, frame.at_ns)
    if frame.unit == "xfer-rdy" or (frame.unit == "data" and frame.source == exchange.initiator):
        exchange.write = True
    exchange.is_whole |= frame.unit == "response"


def at(exchange: Exchange, unit: Unit, offset: int, side: str) -> float:
    """When a frame is where one side is."""
    sent, came = exchange.frames[unit, offset]
    from_initiator = unit == "command" or (unit == "data" and exchange.write)
    return sent if from_initiator == (side == INITIATOR) else came


def units(exchange: Exchange, unit: Unit) -> list[int]:
    """The offsets of the frames of a kind."""
    return sorted(offset for kind, offset in exchange.frames if kind == unit)


def intervals_of(exchanges: Sequence[Exchange], side: str) -> list[Interval]:
    """The intervals of exchanges as the adapter of one side sees them."""
    found: dict[Named, list[float]] = defaultdict(list)
    for exchange in exchanges:
        for between, length in within(exchange, side):
            found[between, exchange.write, exchange.bytes].append(length)
    for initiator in dict.fromkeys(exchange.initiator for exchange in exchanges):
        for between, later, length in between_exchanges(one for one in exchanges if one.initiator == initiator):
            found[between, later.write, later.bytes].append(length)
    return [
        Interval(between, write, size, math.fsum(lengths) / len(lengths), median(lengths), len(lengths))
        for (between, write, size), lengths in sorted(
            found.items(), key=lambda item: (ORDER.index(item[0][0]), item[0][1], item[0][2])
        )
    ]


def within(exchange: Exchange, side: str) -> Iterator[tuple[Between, float]]:
    """Those between frames of one exchange."""

    def when(unit: Unit, offset: int = 0) -> float:
        return at(exchange, unit, offset, side)

    data, ready = units(exchange, "data"), units(exchange, "xfer-rdy")
    if not data:
        return
    (response,) = units(exchange, "response")
    command = when("command")
    if exchange.write:
        if ready:
            yield COMMAND_TO_READY, when("xfer-rdy", ready[0]) - command
        for offset in ready:
            if offset in data:
                yield READY_TO_DATA, when("data", offset) - when("xfer-rdy", offset)
    else:
        yield COMMAND_TO_DATA, when("data", data[0]) - command
    follow = DATA_OUT if exchange.write else DATA_IN
    for one, other in pairwise(data):
        if other not in ready:
            yield follow, when("data", other) - when("data", one)
    yield DATA_TO_RESPONSE, when("response", response) - max(when("data", offset) for offset in data)
    yield WHOLE, when("response", response) - command


def between_exchanges(exchanges: Iterable[Exchange]) -> Iterator[tuple[Between, Exchange, float]]:
    """Those from one exchange of an initiator to the next command that it sends, with the exchange of that.

    After a response only where its exchange was the only one: else the command may be that of another response, or may
    have waited for others. After a command only where more I/Os were in flight at an earlier time than are then: so one
    waits in the adapter.
    """
    events: list[tuple[float, Unit, Exchange]] = []
    for exchange in exchanges:
        for unit, offset in exchange.frames:
            events.append((at(exchange, unit, offset, INITIATOR), unit, exchange))
    events.sort(key=lambda event: event[0])
    response: float | None = None
    is_open = responses = 0
    most = most_open(unit for _, unit, _ in events)
    before: float | None = None
    for when, unit, exchange in events:
        if unit == "command":
            if response is not None and responses == 1 and is_open == 0:
                yield RESPONSE_TO_COMMAND, exchange, when - response
            if before is not None:
                yield COMMAND_TO_COMMAND, exchange, when - before
            is_open, responses = is_open + 1, 0
            before = when if is_open < most else None
        elif unit == "response":
            is_open, responses = is_open - 1, responses + 1
            response = when


def most_open(units: Iterable[Unit]) -> int:
    """How many exchanges were open at a time at most."""
    most = now = 0
    for unit in units:
        now += {"command": 1, "response": -1}.get(unit, 0)
        most = max(most, now)
    return most


@dataclass(frozen=True)
class AskedFor:
    """The load in the exchanges of a trace."""

    sizes: tuple[int, ...]
    reads: float
    """The share of reads."""
    queue_depth: int
    """Largest number of exchanges in flight at a device."""
    initiators: int


def asked_of(exchanges: Sequence[Exchange]) -> AskedFor:
    """The load in exchanges."""
    depth: dict[str, int] = defaultdict(int)
    most: dict[str, int] = defaultdict(int)
    events = []
    for exchange in exchanges:
        events.append((at(exchange, "command", 0, INITIATOR), 1, exchange.target))
        (response,) = units(exchange, "response")
        events.append((at(exchange, "response", response, INITIATOR), -1, exchange.target))
    for _, change, target in sorted(events):
        depth[target] += change
        most[target] = max(most[target], depth[target])
    return AskedFor(
        sizes=tuple(sorted({exchange.bytes for exchange in exchanges})),
        reads=sum(not exchange.write for exchange in exchanges) / len(exchanges),
        queue_depth=max(most.values()),
        initiators=len({exchange.initiator for exchange in exchanges}),
    )
