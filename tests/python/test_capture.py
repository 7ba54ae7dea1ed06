"""Captures as tshark reads them: what is in them is what was simulated, and nothing in them is wrong."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars
import pytest

from conftest import clean_environment, within
from shares import share

pytestmark = [
    pytest.mark.slow,
    pytest.mark.referee(
        shutil.which("tshark") is not None,
        "tshark IS NOT INSTALLED: no capture is checked (Debian: apt-get install tshark)",
    ),
]

BASE = Path(__file__).parents[2] / "scenarios" / "wang-2005-base.toml"
COMMAND, READY, DATA, RESPONSE = 0x06, 0x05, 0x01, 0x07
UNASSIGNED = 0xFFFF
FIELDS = [
    "frame.time_epoch",
    "frame.interface_name",
    "frame.len",
    "fc.sof",
    "fc.eof",
    "fc.crc.status",
    "fc.r_ctl",
    "fc.type",
    "fc.s_id",
    "fc.d_id",
    "fc.f_ctl",
    "fc.seq_id",
    "fc.seq_cnt",
    "fc.ox_id",
    "fc.rx_id",
    "fc.relative_offset",
    "fcp.dl",
    "fcp.rddata",
    "fcp.wrdata",
    "fcp.data_ro",
    "fcp.burstlen",
    "fcp.status",
    "fcp.resid",
    "scsi_sbc.opcode",
    "scsi_sbc.rdwr10.lba",
    "scsi_sbc.rdwr10.xferlen",
    "scsi_sbc.rdwr16.lba",
    "scsi.cdb.control",
    "fc.reassembled",
    "data.len",
    "_ws.malformed",
    "_ws.expert.message",
    "_ws.col.Info",
]


@dataclass(frozen=True)
class Run:
    """A finished run: where its capture is, and what it told."""

    capture: Path
    summary: dict[str, Any]
    ios: list[dict[str, Any]]


Capture = Callable[..., Run]


@pytest.fixture
def capture(tmp_path: Path) -> Capture:
    """Runs a scenario from its first to its last I/O and captures it at the controller."""
    numbers, cli = iter(range(100)), within(tmp_path)

    def run(scenario: Path, *options: str, **settings: object) -> Run:
        number = next(numbers)
        file, folder = tmp_path / f"{number}.pcapng", tmp_path / f"run{number}"
        values = {"run.warm_up": 0, "run.measured_ios": 60, "drives.burst": "64 KiB"}
        values |= {key.replace("__", "."): value for key, value in settings.items()}
        sets = [text for key, value in values.items() for text in ("--set", f"{key}={value}")]
        done = cli("run", scenario, *sets, "--capture", file, "--out", folder, "--json", *options)
        assert done.returncode == 0, done.stderr
        ios = polars.read_parquet(folder / "ios.parquet").sort("io")
        return Run(file, json.loads(done.stdout)["summary"], ios.to_dicts())

    return run


def wireshark(program: str, *arguments: object, folder: Path) -> str:
    """Output of a program of the Wireshark suite without the settings of whoever runs it."""
    environment = {**clean_environment(), "WIRESHARK_CONFIG_DIR": os.fspath(folder / "no-settings")}
    command = [program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", env=environment, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@dataclass(frozen=True)
class Frame:
    """A packet as tshark decodes it."""

    values: dict[str, str]

    def number(self, field: str) -> int:
        """Value of a field that is a number."""
        return int(self.values[field], 0)

    @property
    def at_ns(self) -> int:
        """Its time."""
        seconds, fraction = self.values["frame.time_epoch"].split(".")
        return int(seconds) * 10**9 + int(fraction)

    @property
    def kind(self) -> int:
        """R_CTL."""
        return self.number("fc.r_ctl")

    @property
    def payload(self) -> int:
        """Payload bytes without the fill bytes."""
        return self.number("frame.len") - 36 - (self.number("fc.f_ctl") & 3)

    @property
    def source(self) -> str:
        """S_ID."""
        return self.values["fc.s_id"]

    @property
    def destination(self) -> str:
        """D_ID."""
        return self.values["fc.d_id"]


def decode(path: Path, *options: str) -> list[Frame]:
    """All packets of a file; none may be malformed or give rise to a remark."""
    fields = [text for field in FIELDS for text in ("-e", field)]
    text = wireshark("tshark", "-r", path, *options, "-T", "fields", *fields, folder=path.parent)
    frames = [Frame(dict(zip(FIELDS, line.split("\t"), strict=True))) for line in text.splitlines()]
    for frame in frames:
        assert frame.values["_ws.malformed"] == ""
        assert frame.values["_ws.expert.message"] == ""
        assert frame.values["fc.crc.status"] == "1", "CRC is good"
        assert frame.values["fc.type"] == "0x08", "FCP"
    return frames


REASSEMBLED = ("-o", "fc.max_frame_size:2048")
PLAIN = ("-o", "fc.reassemble:FALSE")


@dataclass(frozen=True)
class Exchange:
    """The frames of an I/O."""

    command: Frame
    body: list[Frame]
    status: Frame

    def of_kind(self, kind: int) -> list[Frame]:
        """Frames between command and status with this R_CTL."""
        return [frame for frame in self.body if frame.kind == kind]


def exchanges(frames: list[Frame]) -> Iterator[Exchange]:
    """Joins frames by address and OX_ID, which no two open exchanges share."""
    open_ones: dict[tuple[str, int], list[Frame]] = {}
    for frame in frames:
        to_drive = frame.kind == COMMAND or frame.number("fc.f_ctl") >> 23 == 0
        controller = frame.source if to_drive else frame.destination
        key = (controller, frame.number("fc.ox_id"))
        if frame.kind == COMMAND:
            assert key not in open_ones
            open_ones[key] = []
        open_ones[key].append(frame)
        if frame.kind == RESPONSE:
            command, *body, status = open_ones.pop(key)
            yield Exchange(command, body, status)
    assert not open_ones


def check_command(exchange: Exchange, io: dict[str, Any]) -> None:
    """The command asks for what the I/O is."""
    values = exchange.command.values
    lba, blocks = io["lba"], -(-io["bytes"] // 512)
    long = lba >= 2**32 or blocks >= 2**16
    opcodes = {(False, False): 0x28, (True, False): 0x2A, (False, True): 0x88, (True, True): 0x8A}
    assert int(values["scsi_sbc.opcode"], 0) == opcodes[io["write"], long]
    if long:
        # tshark has a field for the address only; the length stands in the text.
        assert values["scsi_sbc.rdwr16.lba"].replace(":", "") == f"{lba:016x}"
        assert values["_ws.col.Info"].endswith(f"Len: {blocks})")
    else:
        assert int(values["scsi_sbc.rdwr10.lba"], 0) == lba
        assert int(values["scsi_sbc.rdwr10.xferlen"], 0) == blocks
    assert int(values["fcp.dl"]) == io["bytes"]
    assert (values["fcp.rddata"], values["fcp.wrdata"]) == (("0", "1") if io["write"] else ("1", "0"))
    assert exchange.command.number("fc.f_ctl") == 0x290000
    assert exchange.command.number("fc.rx_id") == UNASSIGNED


def check_data(frames: list[Frame], start: int, end: int, write: bool) -> None:
    """Data frames of a sequence: every byte once and in order, delimiters, F_CTL."""
    for count, frame in enumerate(frames):
        assert frame.number("fc.relative_offset") == start
        assert frame.number("fc.seq_cnt") == count
        start += frame.payload
        last = start == end
        fill = -frame.payload % 4
        expected = (0x090008 if last else 0x000008) if write else (0x880008 if last else 0x800008)
        assert frame.number("fc.f_ctl") == expected | fill
        assert frame.values["fc.sof"] == ("0xbcb55656" if count == 0 else "0xbcb53636")
        assert frame.values["fc.eof"] == ("0xbc957575" if last else "0xbc95d5d5")
    assert start == end
    assert len({frame.number("fc.seq_id") for frame in frames}) == 1


def check_exchange(exchange: Exchange, io: dict[str, Any], burst: int) -> None:
    """Everything of an exchange against the I/O that it is."""
    check_command(exchange, io)
    size, write = io["bytes"], io["write"]
    data, ready = exchange.of_kind(DATA), exchange.of_kind(READY)
    assert len(data) + len(ready) == len(exchange.body)
    sequences = [(at, min(at + burst, size)) for at in range(0, size, burst)] if write else [(0, size)]
    if write:
        asked = [(frame.number("fcp.data_ro"), frame.number("fcp.burstlen")) for frame in ready]
        assert asked == [(start, end - start) for start, end in sequences]
        assert all(frame.number("fc.f_ctl") == 0x890000 for frame in ready)
    else:
        assert ready == []
    for start, end in sequences:
        check_data([f for f in data if start <= f.number("fc.relative_offset") < end], start, end, write)
    assert exchange.status.values["fcp.status"] == "0x00", "GOOD"
    assert exchange.status.number("fc.f_ctl") == 0x990000
    residual = -size % 512
    assert exchange.status.values["fcp.resid"] == (str(residual) if residual else "")
    controller, drive = exchange.command.source, exchange.command.destination
    for frame in [*exchange.body, exchange.status]:
        to_drive = frame.kind == DATA and write
        assert (frame.source, frame.destination) == ((controller, drive) if to_drive else (drive, controller))
        assert frame.number("fc.rx_id") == exchange.status.number("fc.rx_id") != UNASSIGNED
        assert frame.values["frame.interface_name"] == ("controller out" if to_drive else "controller in")
    assert exchange.command.values["frame.interface_name"] == "controller out"


def check(run: Run, burst: int = 64 * 1024, reassembled: bool = True) -> list[tuple[Exchange, dict[str, Any]]]:
    """A capture at the controller of all I/Os of a run, against the run's own tables. Returns what belongs together."""
    frames = decode(run.capture, *PLAIN)
    assert len(frames) == run.summary["components"]["loop"]["frames"]
    times = [frame.at_ns for frame in frames]
    assert times == sorted(times)
    found = list(exchanges(frames))
    # Stations stand on the loop in the order of the drives, and so do the automatic addresses.
    drives = sorted({e.command.destination for e in found})
    stations = sorted({io["drive"] for io in run.ios})
    by_place = defaultdict(list)
    for exchange in sorted(found, key=lambda e: e.command.at_ns):
        values = exchange.command.values
        lba = values["scsi_sbc.rdwr10.lba"] or "0x" + values["scsi_sbc.rdwr16.lba"].replace(":", "")
        station = stations[drives.index(exchange.command.destination)]
        by_place[station, int(lba, 0), values["fcp.wrdata"] == "1"].append(exchange)
    pairs = [(by_place[io["drive"], io["lba"], io["write"]].pop(0), io) for io in run.ios]
    assert not any(by_place.values())
    for exchange, io in pairs:
        check_exchange(exchange, io, burst)
        # A packet's time is cut to whole ns.
        assert exchange.command.at_ns + 1 > io["issued_ns"]
        assert exchange.status.at_ns < io["completed_ns"]
    if reassembled:
        last = [f for f in decode(run.capture, *REASSEMBLED) if f.values["fc.reassembled"] in {"1", "True"}]
        whole = [min(burst, io["bytes"] - at) for io in run.ios if io["write"] for at in range(0, io["bytes"], burst)]
        whole += [io["bytes"] for io in run.ios if not io["write"]]
        # tshark counts the fill bytes as data.
        whole = [size + -size % 4 for size in whole if size > 2048]
        assert sorted(f.number("data.len") for f in last) == sorted(whole)
    return pairs


def test_what_is_wrong_would_be_noticed(capture: Capture, small: Path) -> None:
    run = capture(small)
    whole = bytearray(run.capture.read_bytes())
    # The first command; its last byte before CRC and EOF is the lowest of FCP_DL.
    place = whole.index(bytes.fromhex("BCB55656 06")) + 59
    whole[place] ^= 1
    run.capture.write_bytes(whole)
    with pytest.raises(AssertionError):
        decode(run.capture, *PLAIN)


@pytest.mark.parametrize("read_fraction", [0, 1], ids=["write", "read"])
@pytest.mark.parametrize("size", ["512 B", "2 KiB", "5 KiB", "5001 B", "64 KiB", "1 MiB"])
def test_every_frame_of_an_io_decodes_as_what_was_simulated(
    capture: Capture, small: Path, size: str, read_fraction: int
) -> None:
    ios = 8 if size == "1 MiB" else 60
    check(capture(small, workload__size=size, workload__read_fraction=read_fraction, run__measured_ios=ios))


VOLUMES = """
[run]
measured_ios = 400
warm_up = 0
[near]
kind = "arbitrated-loop"
speed = "2GFC"
stations = ["host", "pool.front"]
[host]
kind = "host"
[pool]
kind = "volumes"
to = ["drives"]
equal_volumes = 300
[drives]
kind = "drives"
count = 2
access_time = "1 ms"
transfer_rate = "50 MB/s"
[load]
kind = "closed"
from = "host"
to = ["pool"]
size = "4 KiB"
"""


def test_tshark_tells_the_volumes_of_a_port_by_their_luns(capture: Capture, tmp_path: Path) -> None:
    scenario = tmp_path / "volumes.toml"
    scenario.write_text(VOLUMES)
    run = capture(scenario, run__measured_ios=400)
    fields = ["-e", "scsi_sbc.rdwr10.lba", "-e", "_ws.col.Info", "-e", "_ws.malformed"]
    text = wireshark("tshark", "-r", run.capture, "-Y", "fc.r_ctl == 6", "-T", "fields", *fields, folder=tmp_path)
    lines = [line.split("\t") for line in text.splitlines()]
    assert not any(malformed for _, _, malformed in lines)
    luns = [re.search(r"LUN: (0x[0-9a-f]+)", info) for _, info, _ in lines]
    found = sorted((int(lba, 0), int(lun[1], 0)) for (lba, _, _), lun in zip(lines, luns, strict=True) if lun)
    units = [int(io["device"].removeprefix("pool[0][").rstrip("]")) for io in run.ios]
    assert found == sorted((io["lba"], unit) for io, unit in zip(run.ios, units, strict=True))
    # Of several hundred, those from 256 on are beyond what a peripheral device can be.
    assert min(units) < 40 and max(units) >= 256


def test_flushes_and_deallocations_decode_with_the_blocks_of_the_table(capture: Capture, small: Path) -> None:
    run = capture(small, workload__read_fraction=0, workload__flush_every=1, workload__deallocate_fraction=0.5)
    fields = ["fc.r_ctl", "scsi_sbc.opcode", "fcp.dl", "fcp.rddata", "fcp.wrdata", "_ws.malformed", "_ws.expert"]
    options = [text for field in fields for text in ("-e", field)]
    folder = run.capture.parent
    text = wireshark("tshark", "-r", run.capture, *PLAIN, "-T", "fields", *options, folder=folder)
    rows = [line.split("\t") for line in text.splitlines()]
    assert not any(malformed or expert for *_, malformed, expert in rows)
    commands = [tuple(row[1:5]) for row in rows if int(row[0], 0) == COMMAND]
    counts = {word: sum(io["operation"] == word for io in run.ios) for word in ("write", "flush", "deallocate")}
    told = {
        "write": sum(int(opcode, 0) == 0x2A for opcode, *_ in commands),
        "flush": commands.count(("0x35", "0", "0", "0")),
        "deallocate": commands.count(("0x42", "24", "0", "1")),
    }
    assert told == counts and min(counts.values()) > 5
    # tshark does not take the list of UNMAP apart, so its bytes are compared: two lengths, the block, how many blocks.
    shown = ("-Y", "fc.r_ctl == 1 && frame.len == 60", "-T", "json", "-x")
    lists = json.loads(wireshark("tshark", "-r", run.capture, *PLAIN, *shown, folder=folder))
    payloads = sorted(bytes.fromhex(packet["_source"]["layers"]["frame_raw"][0])[28:52] for packet in lists)
    places = [(io["lba"], io["bytes"] // 512) for io in run.ios if io["operation"] == "deallocate"]
    head = bytes([0, 22, 0, 16, 0, 0, 0, 0])
    assert payloads == sorted(head + lba.to_bytes(8) + blocks.to_bytes(4) + bytes(4) for lba, blocks in places)


def test_sixteen_byte_commands_are_used_for_far_blocks(capture: Capture, small: Path) -> None:
    pairs = check(capture(small, drives__capacity="4096 GiB", workload__read_fraction=0.5))
    far = {io["write"] for _, io in pairs if io["lba"] >= 2**32}
    assert far == {False, True}


@pytest.mark.parametrize("read_fraction", share([0, 1], 1, "many blocks"), ids=["write", "read"])
def test_sixteen_byte_commands_are_used_for_many_blocks(capture: Capture, small: Path, read_fraction: int) -> None:
    settings = {"workload__size": "32 MiB", "workload__read_fraction": read_fraction, "drives__burst": "whole"}
    check(capture(small, run__measured_ios=1, drives__count=1, **settings), burst=2**25)


def test_sequences_of_a_long_read_are_put_together_one_by_one(capture: Capture, small: Path) -> None:
    run = capture(small, workload__size="20 KiB", workload__read_fraction=1, drives__read_sequence="8 KiB")
    last = [f for f in decode(run.capture, *REASSEMBLED) if f.values["fc.reassembled"] in {"1", "True"}]
    assert [f.number("data.len") for f in last] != []
    assert sorted(f.number("data.len") for f in last) == sorted([4096, 8192, 8192] * len(run.ios))


MODES: dict[str, dict[str, object]] = {
    "command-first": {"controller.schedule": "command-first"},
    "full-duplex": {"controller.port.full_duplex": "true", "drives.port.full_duplex": "true"},
    "8GFC": {"loop.speed": "8GFC"},
    "long": {"loop.cable": "2 km", "drives.port.incoming_buffers": 16, "controller.port.incoming_buffers": 16},
}


@pytest.mark.parametrize("mode", MODES)
def test_mixtures_decode_however_the_loop_is_shared(capture: Capture, small: Path, mode: str) -> None:
    settings: dict[str, object] = {key.replace(".", "__"): value for key, value in MODES[mode].items()}
    settings |= {"workload__size": "24 KiB", "workload__queue_depth": 4, "run__measured_ios": 200}
    check(capture(small, **settings))


def test_both_loops_give_the_same_file(capture: Capture, small: Path) -> None:
    settings = {"loop__cable": "2 km", "workload__queue_depth": 4}
    fast, reference = (capture(small, "--loop", loop, **settings).capture for loop in ("fast", "reference"))
    assert fast.read_bytes() == reference.read_bytes()


def test_commands_shorter_than_the_standard_are_written_whole(capture: Capture) -> None:
    run = capture(BASE, run__measured_ios=100, workload__read_fraction=0.5)
    pairs = check(run)
    assert {exchange.command.payload for exchange, _ in pairs} == {32}, "28 are simulated"


def test_units_longer_than_the_standard_decode(capture: Capture, small: Path) -> None:
    sizes = {"fcp__command_payload": "49 B", "fcp__xfer_rdy_payload": "13 B", "fcp__response_payload": "100 B"}
    run = capture(small, **sizes)
    frames = decode(run.capture, *PLAIN)
    lengths = {kind: {f.payload for f in frames if f.kind == kind} for kind in (COMMAND, READY, RESPONSE)}
    assert lengths == {COMMAND: {49}, READY: {13}, RESPONSE: {100}}
    assert {f.values["fcp.status"] for f in frames if f.kind == RESPONSE} == {"0x00"}


@pytest.mark.parametrize("read_fraction", [0, 1], ids=["write", "read"])
def test_response_times_from_the_capture_differ_from_the_table_by_what_lies_outside_the_wire(
    capture: Capture, small: Path, read_fraction: int
) -> None:
    settings: dict[str, object] = {"drives__count": 1, "workload__queue_depth": 1}
    settings["workload__read_fraction"] = read_fraction
    settings |= {"controller__adapter__command_time": "40 us", "controller__adapter__single_frame_time": "20 us"}
    pairs = check(capture(small, **settings))
    outside = [io["response_time_ns"] - (e.status.at_ns - e.command.at_ns) for e, io in pairs]
    # Before it: the command, its request by DMA (64 bytes at 1064 MB/s), then the way to the loop. After it: the frame
    # of 15 words, its transfer.
    word_ns = 640 / 34
    fixed = 40_000 + 64 / 1.064 + 15 * word_ns + 20_000
    # Arbitration and OPN go round a loop of 12 words each; only the place in the word slots differs between I/Os.
    assert fixed + 2 * 12 * word_ns <= min(outside)
    assert max(outside) < fixed + 3 * 12 * word_ns
    assert max(outside) - min(outside) < word_ns


def test_every_point_can_be_monitored(capture: Capture, small: Path) -> None:
    run = capture(small, "--capture-port", "all", loop__cable="1 km")
    frames = decode(run.capture, *PLAIN)
    assert len(frames) == 2 * run.summary["components"]["loop"]["frames"]
    by_interface = defaultdict(list)
    for frame in frames:
        by_interface[frame.values["frame.interface_name"]].append(frame)
    assert set(by_interface) == {
        f"{station} {way}" for station in ("controller", "drives[0]", "drives[1]") for way in ("out", "in")
    }
    hop_ns = 5_000 + 6 * 640 / 34  # a kilometre and the delay of a port
    for drive, hops_out, hops_back in (("drives[0]", 1, 2), ("drives[1]", 2, 1)):
        address = by_interface[f"{drive} out"][0].source
        out = [f for f in by_interface["controller out"] if f.destination == address]
        back = [f for f in by_interface["controller in"] if f.source == address]
        check_way(out, by_interface[f"{drive} in"], hops_out * hop_ns)
        check_way(by_interface[f"{drive} out"], back, hops_back * hop_ns)


def check_way(sent: list[Frame], received: list[Frame], way_ns: float) -> None:
    """The same frames come out as have gone in, later by the way. The loop is rounded up to whole words."""
    assert len(sent) == len(received) > 0
    for before, after in zip(sent, received, strict=True):
        assert all(before.values[name] == after.values[name] for name in FIELDS if name.startswith("fc."))
        assert -1 < after.at_ns - before.at_ns - way_ns < 1 + 640 / 34


INITIALISED = """
[run]
duration = "60 ms"
[loop]
kind = "arbitrated-loop"
speed = "2GFC"
initialisation_hold_time = "10 us"
stations = ["host", "drives"]
[host]
kind = "host"
driver.time_out = "20 ms"
[drives]
kind = "drives"
count = 2
access_time = "1 ms"
transfer_rate = "50 MB/s"
[load]
kind = "closed"
from = "host"
to = ["drives"]
size = "4 KiB"
[[event]]
at = "10 ms"
do = "initialise"
what = "loop"
"""


NVME = """
[san]
kind = "fabric"
speed = "16GFC"
stations = ["host", "drives"]
[host]
kind = "host"
adapter = { protocol = "nvme", nvme = { ersp_ratio = 4 } }
[drives]
kind = "drives"
model = "ram"
count = 2
transfer_rate = "1 GB/s"
adapter = { protocol = "nvme", nvme = { ersp_ratio = 4 } }
[load]
kind = "closed"
from = "host"
to = ["drives"]
size = "4 KiB"
read_fraction = 0.5
"""


def test_tshark_finds_the_commands_and_responses_of_fc_nvme(tmp_path: Path) -> None:
    """The dissector of FCP shows of FC-NVMe the TYPE, the R_CTL and the identifier of a command."""
    scenario, file = tmp_path / "nvme.toml", tmp_path / "nvme.pcapng"
    scenario.write_text(NVME)
    ended = within(tmp_path)(
        "run", scenario, "--set", "run.measured_ios=40", "--set", "run.warm_up=0", "--capture", file
    )
    assert ended.returncode == 0, ended.stderr

    def found(condition: str) -> int:
        lengths = wireshark("tshark", "-r", file, "-Y", condition, "-T", "fields", "-e", "frame.len", folder=tmp_path)
        return len(lengths.split())

    assert found("fc.type == 8 && fc.r_ctl == 6 && frame[28:2] == fd:28 && frame.len == 132") == 40
    assert found("fc.r_ctl == 7 && frame.len == 48") + found("fc.r_ctl == 8 && frame.len == 68") == 40
    assert found("fc.r_ctl == 8") >= 8
    assert found("_ws.malformed || fc.crc.status == 0 || fc.type != 8") == 0


def test_tshark_reads_the_initialisation_of_a_loop(tmp_path: Path) -> None:
    scenario, file = tmp_path / "initialised.toml", tmp_path / "initialised.pcapng"
    scenario.write_text(INITIALISED)
    done = within(tmp_path)("run", scenario, "--set", "run.warm_up=0", "--capture", file, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["summary"]["components"]["loop"]["initialisations"] == 1
    names = ["frame.interface_name", "fc.r_ctl", "fc.d_id", "fc.s_id", "fc.f_ctl", "fc.crc.status", "data"]
    fields = [text for name in [*names, "_ws.malformed", "_ws.expert.message"] for text in ("-e", name)]
    text = wireshark("tshark", "-r", file, *PLAIN, "-T", "fields", *fields, folder=tmp_path)
    packets = [line.split("\t") for line in text.splitlines()]
    assert all(packet[-2:] == ["", ""] for packet in packets), "nothing is malformed or remarked upon"
    services = [packet for packet in packets if packet[1] == "0x22"]
    assert all(packet[2:6] == ["00.00.ef", "00.00.ef", "0x380000", "1"] for packet in services)
    # LISM to LILP, each sent by the host, which is the master, and received from the last port.
    sent = [packet[6] for packet in services if packet[0] == "host out"]
    received = [packet[6] for packet in services if packet[0] == "host in"]
    assert [data[:4] for data in sent] == [f"110{number}" for number in range(1, 8)]
    assert [data[:4] for data in received] == [f"110{number}" for number in range(1, 8)]
    # LIPA: bits 2, 3 and 4 for the addresses 01, 02 and 04; the host has set the first of them.
    assert (sent[2][8:10], received[2][8:10]) == ("20", "38")
    # LILP: three ports, in the order of the loop.
    assert sent[6][8:18] == "03010204ff"


def test_a_snapped_capture_keeps_headers_and_lengths(capture: Capture, small: Path) -> None:
    whole, snapped = capture(small), capture(small, "--capture-payload", "0")
    assert snapped.capture.stat().st_size < whole.capture.stat().st_size / 10
    fields = ["frame.time_epoch", "fc.r_ctl", "fc.s_id", "fc.d_id", "fc.ox_id", "fc.rx_id", "fc.seq_id", "fc.f_ctl"]
    fields += ["fc.relative_offset", "scsi_sbc.rdwr10.lba", "fcp.dl", "fcp.status", "_ws.malformed", "_ws.expert"]
    options = [text for field in fields for text in ("-e", field)]
    texts = [
        wireshark("tshark", "-r", run.capture, *PLAIN, "-T", "fields", *options, folder=run.capture.parent)
        for run in (whole, snapped)
    ]
    assert texts[0] == texts[1]
    lengths = [
        wireshark("tshark", "-r", run.capture, "-T", "fields", "-e", "frame.len", folder=run.capture.parent).split()
        for run in (whole, snapped)
    ]
    assert [int(n) - 12 for n in lengths[0]] == [int(n) for n in lengths[1]], "no SOF, CRC and EOF"


def test_other_programs_of_wireshark_count_what_the_summary_counts(capture: Capture, small: Path) -> None:
    run = capture(small)
    frames = run.summary["components"]["loop"]["frames"]
    about = wireshark("capinfos", "-M", run.capture, folder=run.capture.parent)
    assert re.search(r"Number of packets: +(\d+)", about)[1] == str(frames)  # type: ignore[index]
    assert re.search(r"Strict time order: +(\w+)", about)[1] == "True"  # type: ignore[index]
    assert "Name = controller out" in about
    assert "Two drives on a loop" in about
    conversations = wireshark("tshark", "-r", run.capture, "-q", "-z", "conv,fc", folder=run.capture.parent)
    rows = [line.split() for line in conversations.splitlines() if "<->" in line]
    assert [row[0] for row in rows] == ["00.00.01", "00.00.01"]
    assert len(rows) == 2
    counts = re.findall(r"(\d+) +[\d.]+ \w+ +(\d+) +[\d.]+ \w+ +(\d+) +[\d.]+ \w+ +[\d.]+ +[\d.]+", conversations)
    assert sum(int(total) for _, _, total in counts) == frames


def test_frames_leave_when_the_trace_of_the_same_run_says(capture: Capture, small: Path, tmp_path: Path) -> None:
    trace = tmp_path / "trace.txt"
    run = capture(small, "--trace", trace, "--trace-kind", "frame", "--capture-port", "all")
    addresses = {"controller": "01", "drives[0]": "02", "drives[1]": "04"}
    traced = []
    for line in trace.read_text().splitlines()[2:]:
        (
            stamp,
            _,
            port,
            *_,
        ) = line.split()
        if f" {addresses[port]}->" in line:
            traced.append((port, int(re.sub(r"\D", "", stamp.split(".")[1]))))
    sent = [
        (frame.values["frame.interface_name"].removesuffix(" out"), frame.at_ns)
        for frame in decode(run.capture, *PLAIN)
        if frame.values["frame.interface_name"].endswith(" out")
    ]
    assert len(sent) == run.summary["components"]["loop"]["frames"]
    assert sorted(sent) == sorted(traced)
