"""A reader of captures of Ethernets for tests, written from the standards of TCP/IP, NVMe/TCP, iSCSI and RoCEv2."""

from __future__ import annotations

import struct
import zlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ETHERNET = 1
HEADERS_BY_TYPE = {4: 72, 5: 24, 6: 24, 7: 24, 9: 24}
"""The lengths of the headers of NVMe/TCP: CapsuleCmd, CapsuleResp, H2CData, C2HData, R2T."""


@dataclass(frozen=True)
class Packet:
    """A packet of the file."""

    at_ns: int
    interface: str
    length: int
    data: bytes


def packets(path: Path) -> list[Packet]:
    """The packets of interfaces with Ethernet."""
    data = path.read_bytes()
    at, found, names, types = 0, [], [], []
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        assert struct.unpack_from("<I", data, at + length - 4)[0] == length
        if kind == 1:
            types.append(struct.unpack_from("<H", data, at + 8)[0])
            size = struct.unpack_from("<H", data, at + 18)[0]
            names.append(data[at + 20 : at + 20 + size].decode())
        elif kind == 6:
            interface, high, low, captured, original = struct.unpack_from("<IIIII", data, at + 8)
            if types[interface] == ETHERNET:
                content = data[at + 28 : at + 28 + captured]
                found.append(Packet(high << 32 | low, names[interface], original, content))
        at += length
    assert [packet.at_ns for packet in found] == sorted(packet.at_ns for packet in found)
    return found


def internet_sum(data: bytes) -> int:
    """The check sum of the Internet over bytes; 0xFFFF if they have a right one."""
    words = struct.unpack(f">{(len(data) + 1) // 2}H", data + b"\0" * (len(data) % 2))
    total = sum(int(word) for word in words)
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total


@dataclass(frozen=True)
class Segment:
    """A segment of TCP."""

    packet: Packet
    ends: tuple[str, str]
    ports: tuple[int, int]
    sequence: int
    acknowledged: int
    flags: int
    window: int
    options: bytes
    data: bytes
    class_and_mark: tuple[int, int]
    datagram: int


def segment(packet: Packet) -> Segment | None:
    """The segment of a whole packet, whose check sums are right; none for a frame of another kind."""
    data = packet.data
    assert len(data) == packet.length >= 60
    for address in (data[0:6], data[6:12]):
        assert address[0] & 3 in {1, 2}, "locally administered, or the group of MAC control"
    if data[12:14] != b"\x08\x00":
        return None
    header = 4 * (data[14] & 15)
    ip = data[14 : 14 + header]
    (total,) = struct.unpack_from(">H", ip, 2)
    assert internet_sum(ip) == 0xFFFF
    assert ip[0] >> 4 == 4
    assert not any(data[14 + total :]), "padding"
    if ip[9] != 6:
        return None
    tcp = data[14 + header : 14 + total]
    pseudo = ip[12:20] + struct.pack(">HH", 6, len(tcp))
    assert internet_sum(pseudo + tcp) == 0xFFFF
    offset = 4 * (tcp[12] >> 4)
    source, destination, sequence, acknowledged = struct.unpack_from(">HHII", tcp)
    (window,) = struct.unpack_from(">H", tcp, 14)
    near, far = (".".join(map(str, ip[place : place + 4])) for place in (12, 16))
    return Segment(
        packet,
        (near, far),
        (source, destination),
        sequence,
        acknowledged,
        tcp[13],
        window,
        tcp[20:offset],
        tcp[offset:],
        (ip[1] >> 5, ip[1] & 3),
        total,
    )


@dataclass
class Stream:
    """The bytes of one direction of a connection, as they arrive whole and in order."""

    data: bytearray = field(default_factory=bytearray)
    ahead: dict[int, bytes] = field(default_factory=dict)
    arrivals: list[tuple[int, int]] = field(default_factory=list)

    def take(self, found: Segment) -> None:
        """Takes a segment; bytes that come again are the same."""
        begin = found.sequence - 1
        whole = self.data[begin : begin + len(found.data)]
        assert bytes(whole) == found.data[: len(whole)], "a segment that is sent again has the same bytes"
        if begin + len(found.data) > len(self.data):
            self.ahead[begin] = found.data
        before = len(self.data)
        while True:
            begins = [place for place in self.ahead if place <= len(self.data)]
            if not begins:
                break
            place = min(begins)
            new = self.ahead.pop(place)[len(self.data) - place :]
            self.data += new
        if len(self.data) > before:
            self.arrivals.append((len(self.data), found.packet.at_ns))


def streams(segments: list[Segment]) -> dict[tuple[str, str], Stream]:
    """The streams of the segments, by source and destination."""
    found: dict[tuple[str, str], Stream] = defaultdict(Stream)
    for one in segments:
        if one.data:
            found[one.ends].take(one)
    assert not any(stream.ahead for stream in found.values()), "nothing is missing"
    return found


def crc32c(data: bytes) -> bytes:
    """The digest of NVMe/TCP and iSCSI."""
    register = 0xFFFFFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = register >> 1 ^ (0x82F63B78 if register & 1 else 0)
    return struct.pack("<I", register ^ 0xFFFFFFFF)


@dataclass(frozen=True)
class Unit:
    """A unit of NVMe/TCP or iSCSI: its type, its header, its data."""

    kind: int
    header: bytes
    data: bytes
    end: int


def nvme_units(data: bytes) -> Iterator[Unit]:
    """The units of a stream of NVMe/TCP, which must be whole."""
    at = 0
    while at < len(data):
        kind, flags, length, begin, total = struct.unpack_from("<BBBBI", data, at)
        assert length == HEADERS_BY_TYPE[kind]
        header = data[at : at + length]
        if flags & 1:
            assert data[at + length : at + length + 4] == crc32c(header)
        whole = length + 4 * (flags & 1)
        content = b""
        if begin:
            assert begin == whole
            content = data[at + begin : at + total - 2 * (flags & 2)]
            if flags & 2:
                assert data[at + total - 4 : at + total] == crc32c(content)
        else:
            assert total == whole
        at += total
        yield Unit(kind, header, content, at)
    assert at == len(data), "the last unit is whole"


def iscsi_units(data: bytes, header_digest: bool, data_digest: bool) -> Iterator[Unit]:
    """The units of a stream of iSCSI, which must be whole."""
    at = 0
    while at < len(data):
        header = data[at : at + 48]
        at += 48
        assert header[4] == 0, "no additional header segment"
        if header_digest:
            assert data[at : at + 4] == crc32c(header)
            at += 4
        size = int.from_bytes(header[5:8])
        content = data[at : at + size]
        at += -(-size // 4) * 4
        if data_digest and size:
            assert data[at : at + 4] == crc32c(content)
            at += 4
        yield Unit(header[0] & 0x3F, header, content, at)
    assert at == len(data), "the last unit is whole"


@dataclass(frozen=True)
class RdmaPacket:
    """A packet of RoCEv2: the headers of IP and BTH, and what is between BTH and the invariant CRC."""

    packet: Packet
    ends: tuple[str, str]
    operation: int
    number: int
    pair: int
    asks: bool
    reports_congestion: bool
    mark: int
    data: bytes


def rdma_packet(packet: Packet) -> RdmaPacket | None:
    """The packet of RDMA of a whole frame, whose CRC is right; none for a frame of another kind."""
    data = packet.data
    assert len(data) == packet.length >= 60
    if data[12:14] != b"\x08\x00":
        return None
    ip = data[14:34]
    assert ip[0] == 0x45
    assert internet_sum(ip) == 0xFFFF
    (total,) = struct.unpack_from(">H", ip, 2)
    datagram = data[14 : 14 + total]
    assert ip[9] == 17
    source, destination, length, checksum = struct.unpack_from(">HHHH", datagram, 20)
    assert source >= 0xC000
    assert (destination, length, checksum) == (4791, total - 20, 0)
    masked = bytearray(datagram[:-4])
    for place in (1, 8, 10, 11, 26, 27, 32):
        masked[place] = 0xFF
    assert zlib.crc32(b"\xff" * 8 + bytes(masked)) == int.from_bytes(datagram[-4:], "little")
    header = datagram[28:40]
    near, far = (".".join(map(str, ip[place : place + 4])) for place in (12, 16))
    assert header[1] == 0
    assert header[2:4] == b"\xff\xff"
    return RdmaPacket(
        packet,
        (near, far),
        header[0],
        int.from_bytes(header[9:12]),
        int.from_bytes(header[5:8]),
        bool(header[8] & 0x80),
        bool(header[4] & 0x40),
        ip[1] & 3,
        datagram[40:-4],
    )
