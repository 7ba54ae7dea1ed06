"""Captures of RoCEv2: a decoder of the tests' own and tshark find in them what was simulated."""

from __future__ import annotations

import struct
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from capture_support import NEEDS_TSHARK, SCENARIOS, Capture, Run, capturing, tshark
from ethernet_reader import RdmaPacket, packets

pytestmark = pytest.mark.slow

LAN = """
title = "Two hosts and two drives with RDMA"
[run]
measured_ios = 60
warm_up = 0
[lan]
kind = "ethernet"
speed = "25GbE"
mtu = "4500 B"
transport = "rdma"
stations = ["hosts", "drives"]
[hosts]
kind = "host"
count = 2
adapter = { protocol = "PROTOCOL", dma_bandwidth = "8 GB/s" }
[drives]
kind = "drives"
model = "ram"
count = 2
transfer_rate = "1 GB/s"
concurrency = 8
adapter = { protocol = "PROTOCOL", dma_bandwidth = "8 GB/s" }
[load]
kind = "closed"
from = "hosts"
to = ["drives"]
size = "20 KiB"
read_fraction = 0.5
queue_depth = 8
"""
SEND, WRITE, READ_REQUEST, READ_RESPONSE, ACKNOWLEDGE, NOTICE = range(6)
FIRST, MIDDLE, LAST, ONLY = range(4)
OPERATIONS = {
    0x00: (SEND, FIRST),
    0x01: (SEND, MIDDLE),
    0x02: (SEND, LAST),
    0x04: (SEND, ONLY),
    0x06: (WRITE, FIRST),
    0x07: (WRITE, MIDDLE),
    0x08: (WRITE, LAST),
    0x0A: (WRITE, ONLY),
    0x0C: (READ_REQUEST, ONLY),
    0x0D: (READ_RESPONSE, FIRST),
    0x0E: (READ_RESPONSE, MIDDLE),
    0x0F: (READ_RESPONSE, LAST),
    0x10: (READ_RESPONSE, ONLY),
    0x11: (ACKNOWLEDGE, ONLY),
    0x81: (NOTICE, ONLY),
}
PAYLOAD = 4096
"""The most bytes of payload of a packet: the path MTU."""


@pytest.fixture
def capture(tmp_path: Path) -> Capture:
    """Runs a scenario and captures it."""
    return capturing(tmp_path, LAN)


def content(packet: RdmaPacket) -> bytes:
    """The payload of a packet behind its extended header."""
    operation, position = OPERATIONS[packet.operation]
    if operation == WRITE and position in {FIRST, ONLY}:
        return packet.data[16:]
    if operation == READ_RESPONSE and position != MIDDLE:
        return packet.data[4:]
    return packet.data


def check_lengths(run: Run) -> None:
    """Every packet has the bytes that the simulation counts, beside preamble, check sequence and gap."""
    lan = run.summary["components"]["lan"]
    sent = run.rdma_packets("out")
    of_data = [one for one in sent if OPERATIONS[one.operation][0] not in {ACKNOWLEDGE, NOTICE}]
    assert len(of_data) >= lan["data_frames"] > 0
    for one in sent:
        assert one.packet.length == max(14 + 44 + len(one.data), 60)
        assert len(content(one)) <= PAYLOAD
    whole = sum(len(content(one)) for one in of_data)
    assert whole >= lan["moved_bytes"]


def messages(sent: list[RdmaPacket]) -> dict[tuple[str, str], list[tuple[int, list[RdmaPacket]]]]:
    """The messages of each direction in their order, of packets without repetitions: the operation and the packets."""
    found: dict[tuple[str, str], list[tuple[int, list[RdmaPacket]]]] = defaultdict(list)
    for one in sent:
        operation, position = OPERATIONS[one.operation]
        if operation in {ACKNOWLEDGE, NOTICE}:
            continue
        if position in {FIRST, ONLY}:
            found[one.ends].append((operation, [one]))
        else:
            last, packets_of_it = found[one.ends][-1]
            assert last == operation, "no other message is within a message"
            packets_of_it.append(one)
    for of_direction in found.values():
        for _, packets_of_it in of_direction:
            assert OPERATIONS[packets_of_it[-1].operation][1] in {LAST, ONLY}
            numbers = [one.number for one in packets_of_it]
            assert numbers == [numbers[0] + place for place in range(len(numbers))]
    return found


def check_ios(run: Run, sent: list[RdmaPacket]) -> Counter[str]:
    """The messages are those of the I/Os. Returns how many there are of each form."""
    found = messages(sent)
    forms: Counter[str] = Counter()
    commands: Counter[tuple[int, int, int]] = Counter()
    asked: Counter[int] = Counter()
    for ends, of_direction in found.items():
        expected = None
        for operation, of_it in of_direction:
            # A request of RDMA READ takes the numbers of the packets of its response.
            if operation != READ_RESPONSE:
                assert expected in {None, of_it[0].number}
                expected = of_it[-1].number + 1
            data = b"".join(content(one) for one in of_it)
            if operation == READ_REQUEST:
                (length,) = struct.unpack_from(">I", data, 12)
                expected = of_it[0].number + -(-length // PAYLOAD)
                asked[length] += 1
                answers = [
                    answer
                    for kind, answer in found[ends[1], ends[0]]
                    if kind == READ_RESPONSE and answer[0].number == of_it[0].number
                ]
                assert sum(len(content(one)) for one in answers[0]) == length
            elif operation == WRITE:
                (length,) = struct.unpack_from(">I", of_it[0].data, 12)
                assert length == len(data)
                assert not any(data)
                forms["data of a read"] += 1
            elif operation == SEND and len(data) == 16:
                assert data[14:16] == b"\0\0", "success"
                forms["response"] += 1
            elif operation == SEND:
                opcode, _, _, _ = struct.unpack_from("<BBHI", data)
                block, blocks = struct.unpack_from("<QH", data, 40)
                size = 512 * (blocks + 1)
                commands[opcode, block, size] += 1
                assert len(data) in {64, 64 + size}
                forms["command with data" if len(data) > 64 else "command"] += 1
    assert commands == Counter((1 if io["write"] else 2, io["lba"], io["bytes"]) for io in run.ios)
    forms["data of a write"] = sum(asked.values())
    return forms


def test_packets_are_those_of_the_simulation(capture: Capture) -> None:
    run = capture("nvme", "--capture-port", "all")
    check_lengths(run)
    forms = check_ios(run, run.rdma_packets("out"))
    writes = sum(io["write"] for io in run.ios)
    expected = {"command": 60, "response": 60, "data of a read": 60 - writes, "data of a write": writes}
    assert forms == expected


def test_small_writes_have_their_data_in_the_capsule(capture: Capture) -> None:
    run = capture("nvme", "--capture-port", "all", load__size="4 KiB", load__read_fraction=0.0)
    assert check_ios(run, run.rdma_packets("out")) == {"command with data": 60, "response": 60, "data of a write": 0}


def test_acknowledgements_name_the_packets(capture: Capture) -> None:
    run = capture("nvme", "--capture-port", "all")
    lan = run.summary["components"]["lan"]
    sent: dict[tuple[str, str], set[int]] = defaultdict(set)
    counts = 0
    for one in run.rdma_packets("out"):
        if OPERATIONS[one.operation][0] == ACKNOWLEDGE:
            counts += 1
            assert one.data[0] == 0x1F
            assert one.number in sent[one.ends[1], one.ends[0]]
        else:
            sent[one.ends].add(one.number)
    assert counts >= lan["acknowledgements"] > 0


def test_lost_packets_are_sent_again_with_their_numbers(capture: Capture) -> None:
    run = capture("nvme", "--capture-port", "all", lan__frame_loss=0.02, run__measured_ios=200)
    lan = run.summary["components"]["lan"]
    sent = run.rdma_packets("out")
    first: dict[tuple[tuple[str, str], int, int], bytes] = {}
    once, again = [], 0
    for one in sent:
        operation = OPERATIONS[one.operation][0]
        if operation in {ACKNOWLEDGE, NOTICE}:
            continue
        key = (one.ends, operation == READ_RESPONSE, one.number)
        if key in first:
            again += 1
            assert first[key] == one.data
        else:
            first[key] = one.data
            once.append(one)
    assert again >= lan["sent_again"] > 0
    check_ios(run, once)
    assert any(one.data[0] == 0x60 for one in sent if OPERATIONS[one.operation][0] == ACKNOWLEDGE), "NAK"


def test_marks_and_reports_of_congestion_are_in_the_file(capture: Capture) -> None:
    scenario = SCENARIOS / "nvme-rdma.toml"
    run = capture(scenario, "--capture-port", "all", run__measured_ios=300, run__warm_up=0)
    lan = run.summary["components"]["lan"]
    sent, arrived = run.rdma_packets("out"), run.rdma_packets("in")
    notices = [one for one in sent if OPERATIONS[one.operation][0] == NOTICE]
    assert len(notices) >= lan["congestion_notices"] > 0
    assert all(one.reports_congestion and len(one.data) == 16 and not any(one.data) for one in notices)
    assert not any(one.reports_congestion for one in sent if OPERATIONS[one.operation][0] != NOTICE)
    assert len([one for one in arrived if one.mark == 3]) >= lan["marked_frames"] > 0
    assert {one.mark for one in sent} == {0, 2}


def test_pauses_are_beside_packets(capture: Capture) -> None:
    settings = {"lan__rdma__congestion_control": '"none"', "lan__queue__mark_above": '"none"'}
    scenario = SCENARIOS / "nvme-rdma.toml"
    run = capture(scenario, "--capture-port", "all", run__measured_ios=100, run__warm_up=0, **settings)
    found = [one for one in packets(run.capture) if one.data[12:14] == b"\x88\x08" and one.interface.endswith(" out")]
    assert len(found) >= run.summary["components"]["lan"]["pauses"] > 0


@NEEDS_TSHARK
@pytest.mark.parametrize("name", ["nvme-rdma", "lan"])
def test_tshark_reads_every_packet(capture: Capture, name: str) -> None:
    settings = {"run__measured_ios": 40, "run__warm_up": 0}
    run = capture("nvme" if name == "lan" else SCENARIOS / "nvme-rdma.toml", "--capture-port", "all", **settings)
    fields = ["_ws.malformed", "_ws.expert.message", "infiniband.bth.opcode", "infiniband.bth.psn"]
    rows = tshark(run, *(text for field in fields for text in ("-e", field)))
    assert {row[0] for row in rows} == {""}
    assert {row[1] for row in rows} == {""}
    own = [one for one in packets(run.capture) if one.data[12:14] == b"\x08\x00"]
    assert len([row for row in rows if row[2]]) == len(own)
