"""Class 2 and IP beside FCP in captures, as tshark reads them."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from conftest import Cli
from test_capture import PLAIN, wireshark

SCENARIO = """
[run]
measured_ios = 40
warm_up = 0
[san]
kind = "fabric"
speed = "8GFC"
class = "class-2"
stations = ["host", "drives", "here", "there"]
[host]
kind = "host"
[drives]
kind = "drives"
count = 2
access_time = "100 us"
transfer_rate = "400 MB/s"
[here]
kind = "ip-port"
to = ["there"]
rate = "20 MB/s"
[there]
kind = "ip-port"
[load]
kind = "closed"
from = "host"
to = ["drives"]
size = "16 KiB"
read_fraction = 0.5
queue_depth = 2
"""

FIELDS = (
    "_ws.malformed",
    "_ws.expert.message",
    "fc.crc.status",
    "fc.sof",
    "fc.eof",
    "fc.r_ctl",
    "fc.type",
    "fc.f_ctl",
    "fc.parameter",
    "fc.ox_id",
    "fc.seq_cnt",
    "ip.proto",
    "ip.len",
    "ip.checksum.status",
)
# The bytes of SOFi2, SOFn2, SOFi3, EOFn and EOFt.
SOF_I2, SOF_N2, SOF_I3 = 0xBCB55555, 0xBCB53535, 0xBCB55656
EOF_N, EOF_T = 0xBC95D5D5, 0xBC957575
ACK_1, IP = 0xC0, 0x04
RECIPIENT, LAST_OF_SEQUENCE, ACK_1_WANTED = 1 << 22, 1 << 19, 1 << 12


def decoded(cli: Cli, folder: Path, points: str) -> list[dict[str, str]]:
    """The packets of a run at these ports; none is malformed or gives rise to a remark."""
    scenario, capture = folder / "class-2.toml", folder / "class-2.pcapng"
    scenario.write_text(SCENARIO, encoding="utf-8")
    done = cli("run", scenario, "--capture", capture, "--capture-port", points)
    assert done.returncode == 0, done.stderr
    wanted = [text for field in FIELDS for text in ("-e", field)]
    options = (*PLAIN, "-o", "ip.check_checksum:TRUE", "-T", "fields")
    lines = wireshark("tshark", "-r", capture, *options, *wanted, folder=folder).splitlines()
    packets = [dict(zip(FIELDS, line.split("\t"), strict=True)) for line in lines]
    for packet in packets:
        assert packet["_ws.malformed"] == packet["_ws.expert.message"] == "", packet
        assert packet["fc.crc.status"] == "1"
    return packets


def number(packet: dict[str, str], field: str) -> int:
    return int(packet[field], 0)


@pytest.mark.slow
@pytest.mark.referee(shutil.which("tshark") is not None, "tshark IS NOT INSTALLED: no capture is checked")
def test_every_frame_of_class_2_has_an_ack_that_tshark_reads(cli: Cli, tmp_path: Path) -> None:
    packets = decoded(cli, tmp_path, "host")
    acks = [packet for packet in packets if number(packet, "fc.r_ctl") == ACK_1]
    frames = [packet for packet in packets if number(packet, "fc.r_ctl") != ACK_1]
    assert len(acks) == len(frames) > 200
    assert {number(packet, "fc.sof") for packet in acks} == {SOF_N2}
    assert all((number(packet, "fc.sof") == SOF_I2) == (number(packet, "fc.seq_cnt") == 0) for packet in frames)
    assert {number(packet, "fc.eof") for packet in frames} == {EOF_N}
    # The end of a sequence is behind the ACK to its last frame.
    for ack in acks:
        control = number(ack, "fc.f_ctl")
        assert control & RECIPIENT
        assert (number(ack, "fc.eof") == EOF_T) == bool(control & LAST_OF_SEQUENCE)
        assert number(ack, "fc.parameter") == 1
    assert all(number(frame, "fc.f_ctl") & ACK_1_WANTED for frame in frames)
    of = [Counter((number(one, "fc.ox_id"), number(one, "fc.seq_cnt")) for one in some) for some in (acks, frames)]
    assert of[0] == of[1]


@pytest.mark.slow
@pytest.mark.referee(shutil.which("tshark") is not None, "tshark IS NOT INSTALLED: no capture is checked")
def test_ip_datagrams_are_frames_of_class_3_that_tshark_reads_as_ip(cli: Cli, tmp_path: Path) -> None:
    packets = decoded(cli, tmp_path, "there")
    assert len(packets) > 10
    for packet in packets:
        assert (number(packet, "fc.r_ctl"), number(packet, "fc.type")) == (IP, 5)
        assert (number(packet, "fc.sof"), number(packet, "fc.eof")) == (SOF_I3, EOF_T)
        assert (packet["ip.proto"], packet["ip.len"], packet["ip.checksum.status"]) == ("253", "1500", "1")
