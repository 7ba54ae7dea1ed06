"""Captures of Ethernets: a decoder of the tests' own and tshark find in them what was simulated."""

from __future__ import annotations

import struct
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from capture_support import NEEDS_TSHARK, SCENARIOS, Capture, Run, capturing, tshark
from ethernet_reader import Segment, Unit, iscsi_units, nvme_units, packets, streams

pytestmark = pytest.mark.slow

LAN = """
title = "Two hosts and two drives on a lan"
[run]
measured_ios = 60
warm_up = 0
[lan]
kind = "ethernet"
speed = "10GbE"
stations = ["hosts", "drives"]
[lan.tcp]
delayed_ack = "40 ms"
window = "256 KiB"
[hosts]
kind = "host"
count = 2
adapter.protocol = "PROTOCOL"
[drives]
kind = "drives"
model = "ram"
count = 2
transfer_rate = "1 GB/s"
concurrency = 8
adapter.protocol = "PROTOCOL"
[load]
kind = "closed"
from = "hosts"
to = ["drives"]
size = "20 KiB"
read_fraction = 0.5
queue_depth = 8
"""
COMMAND, RESPONSE, HOST_DATA, TARGET_DATA, READY = 4, 5, 6, 7, 9
SCSI_COMMAND, SCSI_RESPONSE, DATA_OUT, DATA_IN, R2T = 0x01, 0x21, 0x05, 0x25, 0x31
TASK_MANAGEMENT = 0x02
ABORT = 0x08
"""The operation code of the command Abort of NVMe."""


@pytest.fixture
def capture(tmp_path: Path) -> Capture:
    """Runs a scenario and captures it."""
    return capturing(tmp_path, LAN)


def check_numbers(segments: list[Segment]) -> None:
    """Where a frame leaves its node, its numbers go on where the last one ended, or its bytes were sent before."""
    sent: dict[tuple[str, str], int] = defaultdict(lambda: 1)
    acknowledged: dict[tuple[str, str], int] = defaultdict(lambda: 1)
    for one in segments:
        assert one.flags & 0x10, "all segments acknowledge"
        assert one.sequence <= sent[one.ends]
        assert one.data or one.sequence == sent[one.ends]
        sent[one.ends] = max(sent[one.ends], one.sequence + len(one.data))
        assert one.acknowledged <= sent[one.ends[1], one.ends[0]]
        if one.data:
            # Data acknowledge what has come when they leave; an acknowledgement that waited behind them says less.
            assert acknowledged[one.ends] <= one.acknowledged
            acknowledged[one.ends] = one.acknowledged


def units_of(run: Run, read: Callable[[bytes], Any]) -> dict[tuple[str, str], list[tuple[int, Unit]]]:
    """The units of each stream, each with the time at which the frame with its last byte began to leave its node."""
    found = {}
    for ends, stream in streams(run.segments("out")).items():
        arrivals = iter(stream.arrivals)
        place, at = next(arrivals)
        units = []
        for unit in read(bytes(stream.data)):
            while place < unit.end:
                place, at = next(arrivals)
            units.append((at, unit))
        found[ends] = units
    return found


def nvme_command(header: bytes) -> tuple[int, int, int, int]:
    """Opcode, namespace, first block and number of blocks of CapsuleCmd."""
    opcode, _, _, namespace = struct.unpack_from("<BBHI", header, 8)
    block, blocks = struct.unpack_from("<QH", header, 48)
    return opcode, namespace, block, blocks + 1


def check_nvme(run: Run) -> Counter[str]:
    """Each I/O has its units in their order, and its data whole. Returns how many I/Os have which units."""
    found = units_of(run, nvme_units)
    forms: Counter[str] = Counter()
    commands: Counter[tuple[int, int, int]] = Counter()
    for ends, units in found.items():
        if not any(unit.kind == COMMAND for _, unit in units):
            continue
        back = found[ends[1], ends[0]]
        of_command: dict[int, list[tuple[int, int, Unit]]] = defaultdict(list)
        for direction, of_direction in ((0, units), (1, back)):
            for at, unit in of_direction:
                place = {COMMAND: 10, RESPONSE: 20}.get(unit.kind, 8)
                of_command[struct.unpack_from("<H", unit.header, place)[0]].append((at, direction, unit))
        for of_one in of_command.values():
            of_one.sort(key=lambda one: one[:2])
            (_, _, command), *rest = of_one
            opcode, _, block, blocks = nvme_command(command.header)
            size = 512 * blocks
            commands[opcode, block, size] += 1
            data = [unit for _, _, unit in rest if unit.kind in {HOST_DATA, TARGET_DATA}]
            places = [struct.unpack_from("<II", unit.header, 12) for unit in data]
            assert [begin for begin, _ in places] == [sum(n for _, n in places[:i]) for i in range(len(places))]
            assert all(len(unit.data) == n for unit, (_, n) in zip(data, places, strict=True))
            assert sum(n for _, n in places) + len(command.data) == size
            assert not any(any(unit.data) for unit in data), "data are zeros"
            # LAST_PDU is set on the last unit of data only.
            assert [unit.header[1] >> 2 & 1 for unit in data] == [0] * (len(data) - 1) + [1] * bool(data)
            asked = [struct.unpack_from("<II", unit.header, 12) for _, _, unit in rest if unit.kind == READY]
            assert asked == ([(0, size)] if opcode == 1 and not command.data else [])
            kinds = "".join(f"{unit.kind}" for _, _, unit in of_one)
            assert kinds in {"475", "47", "45", "4965"}, "in this order"
            assert opcode == (2 if "7" in kinds else 1)
            if "5" in kinds:
                assert struct.unpack_from("<H", rest[-1][2].header, 22)[0] == 0, "success"
            forms[kinds] += 1
    assert commands == Counter((1 if io["write"] else 2, io["lba"], io["bytes"]) for io in run.ios)
    return forms


def check_lengths(run: Run, overhead: int = 38) -> None:
    """Every frame has the bytes that the simulation counts for it."""
    lan = run.summary["components"]["lan"]
    sent = run.segments("out")
    assert len([one for one in sent if one.data]) == lan["data_frames"]
    # Acknowledgements may still be due when the last I/O is complete.
    assert len([one for one in sent if not one.data]) >= lan["acknowledgements"]
    for one in sent:
        datagram = max(20 + 20 + len(one.options) + len(one.data), 46)
        assert one.packet.length == 14 + datagram == datagram + overhead - 24


def test_frames_of_nvme_tcp_are_those_of_the_simulation(capture: Capture) -> None:
    run = capture("nvme", "--capture-port", "all")
    check_lengths(run)
    check_numbers(run.segments("out"))
    forms = check_nvme(run)
    assert sum(forms.values()) == 60
    assert set(forms) == {"475", "4965"}
    # Every frame leaves its node, passes the switch, and reaches the other node.
    steps = [run.segments(way, at) for way, at in (("out", False), ("in", True), ("out", True), ("in", False))]
    content = [Counter((one.ends, one.packet.data) for one in step) for step in steps]
    assert content[0] == content[1] == content[2] == content[3]


def test_times_are_those_of_first_bytes_at_the_ends_of_links(capture: Capture) -> None:
    settings = {"lan__cable": '"10 m"', "lan__switch__latency": '"500 ns"', "load__queue_depth": 1}
    run = capture("nvme", "--capture-port", "all", **settings)
    first = [packet for packet in packets(run.capture) if len(packet.data) == 126][:1]
    passes = [packet for packet in packets(run.capture) if packet.data == first[0].data]
    # A command of 112 bytes takes 150 on a link of 1.25 bytes/ns: 120 ns; 10 m are 50 ns. The switch stores the frame.
    assert [packet.at_ns - passes[0].at_ns for packet in passes] == [0, 50, 50 + 120 + 500, 50 + 120 + 500 + 50]
    ways = [packet.interface.split()[-1] for packet in passes]
    assert ways == ["out", "in", "out", "in"]


def test_small_writes_have_their_data_in_the_capsule(capture: Capture) -> None:
    run = capture("nvme", "--capture-port", "hosts", "--capture-port", "drives", load__size="4 KiB")
    assert set(check_nvme(run)) == {"475", "45"}


@pytest.mark.parametrize("digests", [(True, False), (False, True), (True, True)], ids=["header", "data", "both"])
def test_digests_of_nvme_tcp_are_right(capture: Capture, digests: tuple[bool, bool]) -> None:
    keys = {
        f"{end}__adapter__nvme__{name}_digest": str(has).lower()
        for end in ("hosts", "drives")
        for name, has in zip(("header", "data"), digests, strict=True)
    }
    run = capture("nvme", "--capture-port", "all", load__size="6 KiB", **keys)
    flags = Counter(unit.header[1] & 3 for units in units_of(run, nvme_units).values() for _, unit in units)
    assert flags[digests[0] + 2 * digests[1]] > 0
    check_nvme(run)


def test_data_that_stand_for_the_response_say_so(capture: Capture) -> None:
    keys = {f"{end}__adapter__nvme__success_flag": "true" for end in ("hosts", "drives")}
    run = capture("nvme", "--capture-port", "all", load__read_fraction=1.0, **keys)
    assert set(check_nvme(run)) == {"47"}
    back = [unit for units in units_of(run, nvme_units).values() for _, unit in units if unit.kind == TARGET_DATA]
    assert all(unit.header[1] & 0x08 for unit in back)


def test_lost_frames_are_sent_again_with_their_numbers(capture: Capture) -> None:
    settings = {"lan__frame_loss": 0.02, "lan__tcp__congestion_control": '"cubic"', "lan__tcp__least_time_out": "50 ms"}
    run = capture("nvme", "--capture-port", "all", lan__tcp__headers="76 B", **settings)
    lan = run.summary["components"]["lan"]
    nodes = run.segments("out")
    check_numbers(nodes)
    times = Counter((one.ends, one.sequence) for one in nodes if one.data)
    assert sum(count - 1 for count in times.values()) == lan["sent_again"] > 0
    check_nvme(run)
    # Acknowledgements report what has come beyond a gap: kind 5 of the options.
    assert any(one.options[2:3] == b"\x05" for one in nodes)


def check_iscsi(run: Run, digests: tuple[bool, bool]) -> Counter[str]:
    """Each command of iSCSI has its units in their order, with numbers that go on."""
    found = units_of(run, lambda data: iscsi_units(data, *digests))
    forms: Counter[str] = Counter()
    commands: Counter[tuple[bool, int, int]] = Counter()
    for ends, units in found.items():
        if not any(unit.kind == SCSI_COMMAND for _, unit in units):
            continue
        back = found[ends[1], ends[0]]
        numbers = [struct.unpack_from(">I", unit.header, 24)[0] for _, unit in units if unit.kind == SCSI_COMMAND]
        assert numbers == list(range(1, len(numbers) + 1)), "CmdSN"
        status = [
            struct.unpack_from(">I", unit.header, 24)[0]
            for _, unit in back
            if unit.kind == SCSI_RESPONSE or (unit.kind == DATA_IN and unit.header[1] & 1)
        ]
        assert status == list(range(1, len(status) + 1)), "StatSN"
        assert len(status) == len(numbers)
        of_task: dict[int, list[tuple[int, int, Unit]]] = defaultdict(list)
        for direction, of_direction in ((0, units), (1, back)):
            for at, unit in of_direction:
                of_task[struct.unpack_from(">I", unit.header, 16)[0]].append((at, direction, unit))
        for of_one in of_task.values():
            of_one.sort(key=lambda one: one[:2])
            (_, _, command), *rest = of_one
            operation, block, blocks = struct.unpack_from(">BxIxH", command.header, 32)
            size = int.from_bytes(command.header[20:24])
            assert size == 512 * blocks
            assert operation == (0x2A if command.header[1] & 0x20 else 0x28)
            commands[operation == 0x2A, block, size] += 1
            data = [unit for _, _, unit in rest if unit.kind in {DATA_OUT, DATA_IN}]
            place = len(command.data)
            for unit in data:
                assert struct.unpack_from(">I", unit.header, 40)[0] == place
                place += len(unit.data)
            assert place == size
            finals = [unit for unit in (command, *data) if unit.header[1] & 0x80]
            assert finals[-1] in {(data or [command])[-1]}
            for _, _, unit in rest:
                if unit.kind == R2T:
                    begin, length = struct.unpack_from(">II", unit.header, 40)
                    assert begin + length <= size
            letters = {SCSI_COMMAND: "c", SCSI_RESPONSE: "s", DATA_OUT: "o", DATA_IN: "i", R2T: "r"}
            forms["".join(letters[unit.kind] for _, _, unit in of_one)] += 1
    assert commands == Counter((io["write"], io["lba"], io["bytes"]) for io in run.ios)
    return forms


def iscsi(**keys: object) -> dict[str, object]:
    """Keys of iSCSI at both ends."""
    return {f"{end}__adapter__iscsi__{key}": value for end in ("hosts", "drives") for key, value in keys.items()}


ISCSI_FORMS: dict[str, tuple[dict[str, object], set[str]]] = {
    "default": ({}, {"cii" + "i", "croo" + "s"}),
    "two messages": ({"status_in_data": "false"}, {"ciiis", "croos"}),
    "all unsolicited": ({"initial_r2t": "false"}, {"ciii", "coos"}),
    "no immediate data": ({"initial_r2t": "false", "immediate_data": "false"}, {"ciii", "cooos"}),
    "asked for": ({"immediate_data": "false", "max_burst": '"8 KiB"', "first_burst": '"8 KiB"'}, {"ciii", "crororos"}),
}


@pytest.mark.parametrize("form", ISCSI_FORMS)
@pytest.mark.parametrize("digests", [False, True], ids=["plain", "digests"])
def test_units_of_iscsi_are_those_of_the_standard(capture: Capture, form: str, digests: bool) -> None:
    keys, expected = ISCSI_FORMS[form]
    both = {"header_digest": "true", "data_digest": "true"} if digests else {}
    run = capture("iscsi", "--capture-port", "hosts", "--capture-port", "drives", **iscsi(**keys, **both))
    check_numbers(run.segments("out"))
    assert set(check_iscsi(run, (digests, digests))) == expected


def test_a_protocol_without_a_standard_is_zeros_with_the_same_lengths(capture: Capture) -> None:
    run = capture(SCENARIOS / "nas.toml", "--capture-port", "all", run__measured_ios=40, run__warm_up=0)
    sent = run.segments("out")
    check_numbers(sent)
    assert {port for one in sent for port in one.ports} == {49152, 65535}
    assert not any(any(one.data) for one in sent)
    assert len([one for one in sent if one.data]) >= run.summary["components"]["lan"]["data_frames"] > 0


def test_marks_and_classes_are_in_the_header_of_ip(capture: Capture) -> None:
    settings = {
        "lan__classes__fast__members": '["drives"]',
        "lan__classes__fast__weight": '"strict"',
        "lan__classes__fast__mark_above": "20 KB",
        "lan__tcp__congestion_control": '"dctcp"',
        "load__size": "256 KiB",
        "load__read_fraction": 1.0,
    }
    run = capture("nvme", "--capture-port", "hosts", "--capture-port", "drives", **settings)
    sent, arrived = run.segments("out"), run.segments("in")
    assert {one.class_and_mark for one in sent} == {(1, 2), (1, 0)}, "ECT(0) with data"
    marked = [one for one in arrived if one.class_and_mark[1] == 3]
    assert len(marked) == run.summary["components"]["lan"]["marked_frames"] > 0
    assert any(one.flags & 0x40 for one in sent), "ECE"
    assert any(one.flags & 0x80 for one in sent), "CWR"


def test_pauses_are_frames_of_their_link(capture: Capture) -> None:
    settings = {"lan__queue__lossless": "true", "lan__switch__buffer": '"2 MB"', "load__size": "256 KiB"}
    run = capture("nvme", "--capture-port", "all", load__read_fraction=1.0, lan__tcp__window="1 MiB", **settings)
    found = [packet for packet in packets(run.capture) if packet.data[12:14] == b"\x88\x08"]
    sent = [packet for packet in found if packet.interface.endswith(" out")]
    assert len(sent) >= run.summary["components"]["lan"]["pauses"] > 0
    for packet in found:
        assert packet.length == 60, "84 bytes on the link"
        assert packet.data[:6] == bytes.fromhex("0180c2000001")
        assert packet.data[14:18] == b"\x01\x01\x00\x01", "the first class"
        assert packet.data[18:20] in {b"\xff\xff", b"\0\0"}
    assert len({packet.data[18:20] for packet in found}) == 2, "stop and go"


def test_only_frames_of_an_io_can_be_captured(capture: Capture) -> None:
    run = capture("nvme", "--capture-io", "3", "--capture-port", "all")
    whole = capture("nvme", "--capture-port", "all")
    some, every = packets(run.capture), packets(whole.capture)
    assert 0 < len(some) < len(every) / 10
    assert all(packet in every for packet in some)


def test_a_snapped_capture_keeps_headers_and_lengths(capture: Capture) -> None:
    snapped, whole = (packets(capture("nvme", *options).capture) for options in (("--capture-payload", "8"), ()))
    assert [packet.length for packet in snapped] == [packet.length for packet in whole]
    assert all(a.data == b.data[: len(a.data)] for a, b in zip(snapped, whole, strict=True))
    assert sum(len(packet.data) for packet in snapped) < sum(len(packet.data) for packet in whole) / 10


TROUBLES: dict[str, dict[str, object]] = {
    "failed commands": {"drives__errors__check_condition": 0.1, "drives__errors__busy": 0.05},
    "commands without an answer": {"drives__errors__no_answer": 0.05, "hosts__driver__time_out": "5 ms"},
    "aborts of data": {
        "hosts__driver__time_out": "300 us",
        "hosts__driver__retries": 20,
        "load__size": "200 KiB",
        "run__measured_ios": 20,
    },
    "flushes and deallocations": {"load__flush_every": 3, "load__deallocate_fraction": 0.3},
}


@NEEDS_TSHARK
@pytest.mark.parametrize("protocol", ["nvme", "iscsi"])
@pytest.mark.parametrize("trouble", TROUBLES)
def test_streams_are_whole_whatever_happens_to_commands(capture: Capture, protocol: str, trouble: str) -> None:
    settings = dict(TROUBLES[trouble])
    if protocol == "iscsi":
        settings["drives__adapter__sense_data"] = "18 B"
    run = capture(protocol, "--capture-port", "hosts", "--capture-port", "drives", **settings)
    rows = tshark(run, "-e", "_ws.malformed", "-e", "tcp.checksum.status")
    assert {tuple(row) for row in rows} == {("", "1")}
    read = nvme_units if protocol == "nvme" else lambda data: iscsi_units(data, header_digest=False, data_digest=False)
    found = [unit for units in units_of(run, read).values() for _, unit in units]
    begins, ends = (COMMAND, RESPONSE) if protocol == "nvme" else (SCSI_COMMAND, SCSI_RESPONSE)
    kinds = Counter(unit.kind for unit in found)
    assert kinds[begins] >= kinds[ends]
    assert kinds[begins] >= len(run.ios)
    opcodes = [nvme_command(unit.header)[0] for unit in found if unit.kind == COMMAND] if protocol == "nvme" else []
    if trouble in {"commands without an answer", "aborts of data"}:
        assert opcodes.count(ABORT) + kinds[TASK_MANAGEMENT] * (protocol == "iscsi") > 0
    if trouble == "flushes and deallocations" and protocol == "nvme":
        counts = Counter(io["operation"] for io in run.ios)
        assert Counter(opcodes) == {2: counts["read"], 1: counts["write"], 0: counts["flush"], 9: counts["deallocate"]}


@NEEDS_TSHARK
@pytest.mark.parametrize("protocol", ["nvme", "iscsi"])
@pytest.mark.parametrize("size", ["4 KiB", "100 KiB"])
def test_tshark_reads_every_frame(capture: Capture, protocol: str, size: str) -> None:
    run = capture(protocol, load__size=size)
    found = {tuple(fields) for fields in tshark(run, "-e", "_ws.malformed", "-e", "_ws.expert.message")}
    assert {text for _, text in found if not text.startswith("Duplicate ACK")} == {""}
    assert {malformed for malformed, _ in found} == {""}
    if protocol == "nvme":
        types = Counter(
            kind for (kinds,) in tshark(run, "-Y", "nvme-tcp", "-e", "nvme-tcp.type") for kind in kinds.split(",")
        )
        assert types["4"] == types["5"] == 60
        opcodes = tshark(run, "-Y", "nvme-tcp.type == 4", "-e", "nvme.cmd.opc")
        reads = sum(fields[0].split(",").count("0x02") for fields in opcodes)
        assert reads == sum(not io["write"] for io in run.ios)
    else:
        codes = Counter(
            code for (found,) in tshark(run, "-Y", "iscsi", "-e", "iscsi.opcode") for code in found.split(",")
        )
        assert codes["0x01"] == 60
        assert codes["0x21"] == sum(io["write"] for io in run.ios)


@NEEDS_TSHARK
@pytest.mark.parametrize("name", ["nvme-tcp", "lossy-ethernet", "nas"])
def test_tshark_finds_nothing_malformed_in_shipped_scenarios(capture: Capture, name: str) -> None:
    run = capture(SCENARIOS / f"{name}.toml", run__measured_ios=20, run__warm_up=0)
    rows = tshark(
        run, "-Y", "_ws.malformed || tcp.checksum.status == 0 || ip.checksum.status == 0", "-e", "frame.number"
    )
    assert rows == []
    if name == "nvme-tcp":
        # Adapters cut and merge frames there: the link has them one by one, of 9,000 bytes at most.
        assert max(packet.length for packet in packets(run.capture)) == 9_014
    if name != "nas":
        types = Counter(
            kind for (kinds,) in tshark(run, "-Y", "nvme-tcp", "-e", "nvme-tcp.type") for kind in kinds.split(",")
        )
        assert types["4"] == types["5"] > 0
