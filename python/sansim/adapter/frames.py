"""Frames of an analyzer trace as text, or of a capture: when each was sent and when it came in.

An analyzer records both directions of a link (Wang 2005, 5.1), so a frame is seen once, or both where it is sent and
where it comes in. The first time at which it is seen is when it was sent, the last when it came in, both of its first
word.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sansim.fit.rows import MeasurementError

Unit: TypeAlias = Literal["command", "xfer-rdy", "data", "response"]
OVERHEAD_BYTES = 36
"""SOF, header, CRC and EOF of a frame."""
TEXT_HEAD = "# sansim trace of"
TEXT_COLUMNS = "hhh:mm:ss.ms_us_ns"
PCAPNG_HEAD = b"\x0a\x0d\x0d\x0a"


@dataclass(frozen=True)
class Seen:
    """A frame where it was seen."""

    at_ns: float
    unit: Unit
    source: str
    destination: str
    exchange: str
    """Its name among those of the initiator; it may be given again when the exchange is over."""
    offset: int
    """For data, their place in the I/O; for FCP_XFER_RDY, the place of the requested data."""
    bytes: int
    """Bytes of data in it."""
    port: str
    """Its port, or interface of the capture, as it is named there."""


@dataclass(frozen=True)
class Recorded:
    """The content of a trace."""

    name: str
    is_text: bool
    frames: tuple[Seen, ...]
    """In the order of their times."""
    ports: tuple[str, ...]
    """Where frames were seen: ports of a trace, interfaces of a capture, each once."""
    word_ns: float | None
    """How long a word takes, if it is said."""


def is_trace(head: bytes) -> bool:
    """Whether a file that begins so is a trace or a capture."""
    text = head.decode("utf-8", "replace")
    return head.startswith(PCAPNG_HEAD) or text.startswith((TEXT_HEAD, TEXT_COLUMNS))


def read_trace(data: bytes, name: str) -> Recorded:
    """The frames of a file.

    Raises:
        MeasurementError: It has none of SCSI, or cannot be read.
    """
    if data.startswith(PCAPNG_HEAD):
        return sorted_frames(name, False, read_pcapng(data, name), None)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise MeasurementError(f"{name}: it is neither a trace as text nor a capture in pcapng") from None
    word = re.search(r"a word takes ([0-9.]+) ns", text[:1000])
    return sorted_frames(name, True, read_text(text, name), None if word is None else float(word.group(1)))


def sorted_frames(name: str, is_text: bool, frames: Iterable[Seen], word_ns: float | None) -> Recorded:
    """All frames in the order of their times."""
    found = tuple(sorted(frames, key=lambda frame: frame.at_ns))
    if not found:
        raise MeasurementError(
            f"{name}: there is no frame of FCP in it; a trace needs its lines of frames, a capture FC-2 frames"
            " (link type 224 or 225)"
        )
    ports = tuple(dict.fromkeys(frame.port for frame in found))
    return Recorded(name, is_text, found, ports, word_ns)


# ---------------------------------------------------------------- text

UNITS: dict[str, Unit] = {"FCP_CMND": "command", "FCP_XFER_RDY": "xfer-rdy", "FCP_DATA": "data", "FCP_RSP": "response"}
LINE = re.compile(
    r"(\d+):(\d\d):(\d\d)\.(\d{3})_(\d{3})_(\d{3})\s+\S+\s+(\S+)\s+\d+\s+SOF\w+\s+(\d+)\s+(FCP_\w+)"
    r"\s+(\w+)->(\w+)(?:\s+io\s+(\d+))?(?:\s+offset\s+(\d+))?"
)


def read_text(text: str, name: str) -> Iterator[Seen]:
    """The frames of a trace as text, in the form of docs/trace.md."""
    for number, line in enumerate(text.splitlines(), 1):
        if "FCP_" not in line:
            continue
        found = LINE.match(line)
        if found is None or found.group(9) not in UNITS or found.group(12) is None:
            raise MeasurementError(
                f"{name}, line {number}: a line of a frame has time, dt, port, count, SOF, size, information unit,"
                f" SOURCE->DESTINATION and `io N`; it is `{line.strip()[:80]}`"
            )
        hours, minutes, seconds, ms, us, ns = map(int, found.group(1, 2, 3, 4, 5, 6))
        unit = UNITS[found.group(9)]
        yield Seen(
            at_ns=((hours * 60 + minutes) * 60 + seconds) * 1e9 + ms * 1e6 + us * 1e3 + ns,
            unit=unit,
            source=found.group(10),
            destination=found.group(11),
            exchange=found.group(12),
            offset=int(found.group(13) or 0),
            bytes=int(found.group(8)) - OVERHEAD_BYTES if unit == "data" else 0,
            port=found.group(7),
        )


# ---------------------------------------------------------------- pcapng

SECTION, INTERFACE, ENHANCED = 0x0A0D0D0A, 1, 6
WITHOUT_DELIMITERS, WITH_DELIMITERS = 224, 225
R_CTL: dict[int, Unit] = {0x06: "command", 0x05: "xfer-rdy", 0x01: "data", 0x07: "response"}
TYPE_FCP = 0x08


@dataclass(frozen=True)
class Interface:
    """An interface of a capture."""

    name: str
    link_type: int
    tick_ns: float


def read_pcapng(data: bytes, name: str) -> Iterator[Seen]:
    """The frames of FCP of a capture in pcapng."""
    try:
        yield from packets(data, name)
    except (struct.error, IndexError):
        raise MeasurementError(f"{name}: it ends within a block, or a block is not as pcapng says") from None


def packets(data: bytes, name: str) -> Iterator[Seen]:
    """The same, with the errors of reads beyond an end."""
    at, order = 0, "<"
    interfaces: list[Interface] = []
    while at + 12 <= len(data):
        (kind,) = struct.unpack_from(order + "I", data, at)
        if kind == SECTION:
            order = "<" if data[at + 8 : at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
            interfaces = []
        (length,) = struct.unpack_from(order + "I", data, at + 4)
        if length < 12 or length % 4:
            raise MeasurementError(f"{name}: a block of {length} bytes at byte {at} is none of pcapng")
        body = data[at + 8 : at + length - 4]
        if len(body) != length - 12:
            raise MeasurementError(f"{name}: it ends within a block")
        if kind == INTERFACE:
            interfaces.append(interface_of(body, order, len(interfaces)))
        elif kind == ENHANCED:
            number, high, low, kept, whole = struct.unpack_from(order + "IIIII", body)
            where = interfaces[number]
            frame = frame_of(body[20 : 20 + kept], whole, where, ((high << 32) | low) * where.tick_ns)
            if frame is not None:
                yield frame
        at += length


def interface_of(body: bytes, order: str, number: int) -> Interface:
    """An interface, by its description block."""
    (link_type,) = struct.unpack_from(order + "H", body)
    name, tick_ns, at = f"interface {number}", 1e3, 8
    while at + 4 <= len(body):
        code, length = struct.unpack_from(order + "HH", body, at)
        value = body[at + 4 : at + 4 + length]
        if code == 0:
            break
        if code == 2:
            name = value.decode("utf-8", "replace")
        elif code == 9:
            tick_ns = 1e9 / (2 ** (value[0] & 0x7F) if value[0] & 0x80 else 10 ** value[0])
        at += 4 + (length + 3) // 4 * 4
    return Interface(name, link_type, tick_ns)


def frame_of(packet: bytes, whole_bytes: int, where: Interface, at_ns: float) -> Seen | None:
    """A frame of FCP, of which not all may have been kept; None if it is something else."""
    if where.link_type not in (WITHOUT_DELIMITERS, WITH_DELIMITERS):
        return None
    begin, around = (4, 12) if where.link_type == WITH_DELIMITERS else (0, 0)
    header = packet[begin : begin + 24]
    if len(header) < 24 or header[0] not in R_CTL or header[8] != TYPE_FCP:
        return None
    unit = R_CTL[header[0]]
    destination, source = header[1:4].hex(), header[5:8].hex()
    payload = packet[begin + 24 :]
    offset = int.from_bytes(header[20:24], "big") if unit == "data" else 0
    if unit == "xfer-rdy":
        offset = int.from_bytes(payload[:4], "big")
    return Seen(
        at_ns=at_ns,
        unit=unit,
        source=source,
        destination=destination,
        exchange=header[16:18].hex(),
        offset=offset,
        bytes=0 if unit != "data" else max(whole_bytes - 24 - around, 0),
        port=where.name,
    )
