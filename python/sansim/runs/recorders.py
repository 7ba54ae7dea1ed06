"""Windows into a run: what is written while it goes on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from sansim import arguments as given

File: TypeAlias = "str | os.PathLike[str]"
"""Path of a file to be written."""


IO_LIMIT = 2**63 - 1
"""Largest number of an I/O."""
SLOWEST_LIMIT = 1_000_000
"""Most slowest I/Os that can be looked at."""
LINE_LIMIT = 2**63 - 1
"""Largest number of lines of a trace that can be asked for."""
KEPT_LIMIT = 1_000_000
"""Most lines that are kept before a trigger."""
FILE_LIMIT = "100 MB"
"""How long each file may be if nothing is said about it."""
PAYLOAD_LIMIT = 2112
"""Bytes of the largest payload of a frame."""


LISTS: dict[str, given.Wanted] = {
    "kinds": given.TEXTS,
    "addresses": given.TEXTS,
    "ports": given.TEXTS,
    "ios": given.WHOLES,
}
"""The lists of a trace, a trigger and a capture."""


def within(what: str, value: int, least: int, most: int) -> None:
    """Raises ValueError for a number out of range."""
    if not least <= value <= most:
        raise ValueError(f"{what}: {value} is not from {least} to {most}")


@dataclass(frozen=True, kw_only=True)
class Trigger:
    """The line at which a trace begins, as at a protocol analyzer."""

    kinds: Sequence[str] = ()
    """The kinds of lines that fit, as for a trace. Empty for all."""
    addresses: Sequence[str] = ()
    """A line that fits bears one of these addresses, as for a trace. Empty for all."""
    ios: Sequence[int] = ()
    """A line that fits is a frame of one of these I/Os. Empty for all."""
    count: int = 1
    """The trace begins at the first line that fits, or at the one with this number."""
    before: int = 20
    """So many lines before it are written, too; 20 is ours."""
    after: int | None = None
    """The trace ends so many lines behind it; with None it goes on."""

    def __post_init__(self) -> None:
        given.check("sansim.Trigger", vars(self), LISTS | {"count": given.WHOLE, "before": given.WHOLE})
        given.check("sansim.Trigger", vars(self), {"after": given.WHOLE.or_none})
        for io in self.ios:
            within("trigger: number of an I/O", io, 0, IO_LIMIT)
        within("trigger: count", self.count, 1, LINE_LIMIT)
        within("trigger: lines before", self.before, 0, KEPT_LIMIT)
        if self.after is not None:
            within("trigger: lines after", self.after, 0, LINE_LIMIT)

    def wish(self) -> dict[str, Any]:
        """In the words of the native part."""
        return {
            "on": filter_wish(self.kinds, self.addresses, self.ios),
            "count": self.count,
            "lines_before": self.before,
            "lines_after": self.after,
        }


def filter_wish(kinds: Sequence[str], addresses: Sequence[str], ios: Sequence[int]) -> dict[str, Any]:
    """A condition on the lines of a trace, in the words of the native part."""
    return {"kinds": list(kinds), "addresses": list(addresses), "ios": list(ios)}


@dataclass(frozen=True, kw_only=True)
class Trace:
    """An analyzer trace: everything that the ports of a loop send, as text.

    It runs on the reference loop, in which every port sees every word; the results are the same.
    """

    file: File
    """Where to write it."""
    loop: str | None = None
    """The name of the loop; may be left out if there is only one."""
    at: str | None = None
    """An analyzer at this port: what its node sends and what it receives, side by side, in place of what ports send."""
    ports: Sequence[str] = ()
    """Only these ports: `"controller"`, `"drives[3]"`, or `"drives"` for all of them. Empty for all."""
    addresses: Sequence[str] = ()
    """Only frames, OPN and ARB that bear one of these addresses: `"drives[3]"`, `"0xE1"`. Empty for all."""
    ios: Sequence[int] = ()
    """Only frames of these I/Os, numbered in order of issue as in the column `io` of the tables. Empty for all."""
    kinds: Sequence[str] = ()
    """Only these kinds of lines: fill, idle, arb, signal, opn, cls, r-rdy, frame, command, xfer-rdy, data, response."""
    trigger: Trigger | None = None
    """The line at which the trace begins; with None, the first."""
    states: bool = False
    """Also the transitions of the ports' states, and the state on each line."""

    def __post_init__(self) -> None:
        one = given.instance(Trigger, 'sansim.Trigger(kinds=["opn"])').or_none
        names = dict.fromkeys(("loop", "at"), given.TEXT.or_none)
        given.check(
            "sansim.Trace", vars(self), LISTS | names | {"file": given.FILE, "trigger": one, "states": given.FLAG}
        )
        for io in self.ios:
            within("trace: number of an I/O", io, 0, IO_LIMIT)
        if self.at is not None and self.ports:
            raise ValueError("trace: an analyzer at one port shows both directions there; leave out the other ports")

    def wish(self) -> dict[str, Any]:
        """In the words of the native part."""
        return {
            "file": os.fspath(self.file),
            "network": self.loop,
            "at": self.at,
            "ports": list(self.ports),
            "shown": filter_wish(self.kinds, self.addresses, self.ios),
            "trigger": None if self.trigger is None else self.trigger.wish(),
            "states": self.states,
        }


@dataclass(frozen=True, kw_only=True)
class Capture:
    """A capture of the frames at some ports, as pcapng for Wireshark; see docs/capture.md."""

    file: File
    """Where to write it."""
    ports: Sequence[str] = ()
    """At these ports, named as for a trace, or `"all"`. Empty for all hosts, where every frame passes."""
    ios: Sequence[int] = ()
    """Only frames of these I/Os. Empty for all."""
    payload_bytes: int | None = None
    """How much of the payload is written; all of it, as zeros with a correct CRC, if not given."""

    def __post_init__(self) -> None:
        given.check("sansim.Capture", vars(self), LISTS | {"file": given.FILE, "payload_bytes": given.WHOLE.or_none})
        for io in self.ios:
            within("capture: number of an I/O", io, 0, IO_LIMIT)
        if self.payload_bytes is not None:
            within("capture: bytes of payload", self.payload_bytes, 0, PAYLOAD_LIMIT)

    def wish(self) -> dict[str, Any]:
        """In the words of the native part."""
        return {
            "file": os.fspath(self.file),
            "ports": list(self.ports),
            "ios": list(self.ios),
            "payload_bytes": self.payload_bytes,
        }


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """A timeline of states, tenancies, jobs and I/Os for the Perfetto viewer; see docs/timeline.md."""

    file: File
    """Where to write it."""

    def __post_init__(self) -> None:
        given.check("sansim.Timeline", vars(self), {"file": given.FILE})

    def wish(self) -> str:
        """In the words of the native part."""
        return os.fspath(self.file)


@dataclass(frozen=True, kw_only=True)
class Playback:
    """A playback of moves, states and requests for `sansim studio`; see docs/playback.md."""

    file: File
    """Where to write it."""

    def __post_init__(self) -> None:
        given.check("sansim.Playback", vars(self), {"file": given.FILE})

    def wish(self) -> str:
        """In the words of the native part."""
        return os.fspath(self.file)


@dataclass(frozen=True, kw_only=True)
class Window:
    """When the files look: from one simulated time to another, or while one of the slowest I/Os is in the system.

    And how much they show: each ends when it is as long as it may be.
    """

    start: str | None = None
    """First moment, as `"2 ms"`; from the beginning if not given."""
    end: str | None = None
    """Last moment; to the end if not given."""
    slowest: int | None = None
    """So many slowest measured I/Os instead. The run is made twice: first to find them."""

    limit: str | None = FILE_LIMIT
    """How long each file may be, as `"1 GB"`; None for as long as it takes."""

    def __post_init__(self) -> None:
        times = dict.fromkeys(("start", "end"), given.TIME.or_none)
        given.check("sansim.Window", vars(self), times | {"slowest": given.WHOLE.or_none, "limit": given.SIZE.or_none})
        if self.slowest is not None:
            within("window: slowest I/Os", self.slowest, 1, SLOWEST_LIMIT)
        check_window(self.start, self.end, self.slowest, ("Window.start", "Window.end", "Window.slowest"))


def check_window(start: str | None, end: str | None, slowest: int | None, names: tuple[str, str, str]) -> None:
    """Raises ValueError for a window that makes no sense; `names` are what its three parts are called there."""
    ticks = [None if text is None else ticks_of(name, text) for name, text in zip(names, (start, end), strict=False)]
    if slowest is not None and (start is not None or end is not None):
        other = f"{names[0]} {start}" if start is not None else f"{names[1]} {end}"
        raise ValueError(
            f"{names[2]} {slowest} and {other}: a window is about the slowest I/Os or about a time, not both"
        )
    if ticks[0] is not None and ticks[1] is not None and ticks[0] >= ticks[1]:
        raise ValueError(f"{names[1]} {end} is not after {names[0]} {start}")
    if ticks[0] is None and ticks[1] == 0:
        raise ValueError(f"{names[1]} {end}: the window ends before anything happens")


def ticks_of(name: str, text: str) -> int:
    """A time in ticks; raises ValueError, which names what was to be given and what was."""
    from sansim import _core

    try:
        return _core.time_ticks(text)
    except ValueError as error:
        raise ValueError(f"{name} {text!r}: {error}") from None
