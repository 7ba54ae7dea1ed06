"""`sansim adapter fit`: what was measured of an adapter of known keys gives those keys, and predicts the rest."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import sansim
from sansim import _core
from sansim import file_types as kinds
from sansim.adapter.chart import chart_of
from sansim.adapter.fit import AdapterFit, IntervalRow, RateRow, adapter_fit
from sansim.adapter.frames import read_trace
from sansim.adapter.intervals import INITIATOR, exchanges_of, intervals_of
from sansim.adapter.measured import Rate, read_rates
from sansim.adapter.simulated import RateBench, rates_system
from sansim.adapter.text import fit_data, fit_text
from sansim.cli import cli
from sansim.fit.text import mean_error
from sansim.html_report.style import svg_file
from sansim.runs.recorders import Capture, Trace, Window
from sansim.simulate import run_scenario

BASE = Path(__file__).parents[2] / "scenarios" / "wang-2005-base.toml"
EXAMPLE = Path(__file__).parents[2] / "scenarios" / "adapter-rates.csv"
KEYS = {"command_time": "14 us", "write_command_time": "26 us", "dma_bandwidth": "185 MB/s"}
TRUE = {"command_time": 14e3, "write_command_time": 26e3, "dma_bandwidth": 185e6}
Asked = tuple[bool, int, int]
"""Whether it is a write, bytes, depth."""
GRID: tuple[Asked, ...] = tuple(
    (write, size, depth) for write in (False, True) for size in (512, 8192, 65_536) for depth in (1, 8)
)
TWO: tuple[Asked, ...] = ((False, 512, 8), (True, 512, 8))
COMMANDS = "command_time,write_command_time"
"""Keys that are soon fitted, as small commands tell them."""


@cache
def measured(
    asked: tuple[Asked, ...] = GRID, noise: float = 0.0, keys: tuple[tuple[str, str], ...] = tuple(KEYS.items())
) -> tuple[Rate, ...]:
    """Rows as the product itself measures them; with a seed that fits do not use."""
    bench = RateBench(rates_system([], None, 77))
    chance = random.Random(3)
    rows = []
    for write, size, depth in asked:
        row = Rate("", write, size, depth, False, 1.0)
        rate = bench.rate(dict(keys), row, 600) * (1 + chance.gauss(0, noise))
        rows.append(Rate("", write, size, depth, False, rate))
    return tuple(rows)


def written(folder: Path, rows: Iterable[Rate], name: str = "hba.csv") -> Path:
    """Rows as a file."""
    lines = [f"{row.operation},{row.bytes} B,{row.queue_depth},{row.iops:.2f}" for row in rows]
    file = folder / name
    file.write_text("\n".join(["operation,size,queue_depth,iops", *lines, ""]), encoding="utf-8")
    return file


def value_of(fit: AdapterFit, key: str) -> float:
    """A fitted value in base units."""
    value = next(one.value for one in fit.fitted if one.key == key)
    number, unit = str(value).split()
    return float(number) * {"ms": 1e6, "us": 1e3, "ns": 1.0, "MB/s": 1e6, "KB/s": 1e3, "GB/s": 1e9}[unit]


def off(rows: Sequence[RateRow | IntervalRow]) -> float:
    """By how much rows are off in the mean."""
    error = mean_error(rows)
    assert error is not None
    return error


def run(*arguments: object) -> Result:
    """The command in this process."""
    done = CliRunner().invoke(cli, ["adapter", "fit", *map(str, arguments)])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


# ---------------------------------------------------------------- a table of rates


@pytest.mark.long
def test_an_adapter_of_known_keys_is_found_again_and_predicts_what_was_held_out(tmp_path: Path) -> None:
    fit = adapter_fit(written(tmp_path, measured(noise=0.004)), ios=500)
    for key, true in TRUE.items():
        assert value_of(fit, key) == pytest.approx(true, rel=0.03)
        error = next(one.error for one in fit.fitted if one.key == key)
        assert error is not None
        # No value is said to be better known than it is.
        assert abs(value_of(fit, key) / true - 1) < 3 * error
    # What rows cannot tell is not told: FCP_XFER_RDY from the command of a write, a completion from a command.
    assert {one.key for one in fit.fitted} == set(TRUE)
    assert {key for key, _ in fit.not_fitted} >= {"xfer_rdy_time", "completion_time", "frames_per_tenancy"}
    assert len(fit.used) == len(fit.held_out) == 6
    assert off(fit.held_out) < 0.015


@pytest.mark.long
def test_fitted_to_one_row_each_it_predicts_all_others(tmp_path: Path) -> None:
    """Every run fits the example so, and holds keys and errors against what `docs/fitting-adapters.md` shows."""
    fit = adapter_fit(written(tmp_path, measured()), use=["one"], ios=500)
    used = [row.measured for row in fit.used if isinstance(row.measured, Rate)]
    assert [(one.write, one.bytes, one.queue_depth) for one in used] == [
        (False, 512, 8),
        (False, 65_536, 8),
        (True, 512, 8),
    ]
    for key, true in TRUE.items():
        assert value_of(fit, key) == pytest.approx(true, rel=0.02)
    assert len(fit.held_out) == 9
    assert off(fit.held_out) < 0.01


@pytest.mark.long
def test_one_time_for_all_commands_cannot_have_the_rates_of_writes(tmp_path: Path) -> None:
    file = written(tmp_path, measured())
    fit = adapter_fit(file, fit=["command_time", "dma_bandwidth"], use=["operation=read"], ios=500)
    errors = [row.error or 0.0 for row in fit.held_out if row.measured.bytes == 512]
    assert min(errors) > 0.2, "writes come out a fifth too quick"


def test_no_more_keys_are_fitted_than_there_are_rows(tmp_path: Path) -> None:
    fit = adapter_fit(written(tmp_path, measured(TWO)), use=["all"], ios=300)
    assert [one.key for one in fit.fitted] == ["command_time", "write_command_time"]
    reasons = dict(fit.not_fitted)
    assert reasons["dma_bandwidth"] == "the rows used say nothing of it"
    assert reasons["completion_time"] == "there are no more rows than keys that matter more"
    text = fit_text(fit)
    assert "! nothing was held out, so nothing says how well it predicts" in text


def test_a_tenancy_of_few_frames_is_found_where_rows_tell_it(tmp_path: Path) -> None:
    keys = (("command_time", "10 us"), ("frames_per_tenancy", "4"))
    asked: tuple[Asked, ...] = tuple((True, size, depth) for size in (512, 65_536) for depth in (1, 8))
    slow = [("loop.cable", "500 m")]
    bench = RateBench(rates_system(slow, None, 77))
    rows = []
    for write, size, depth in asked:
        row = Rate("", write, size, depth, False, 1.0)
        rows.append(Rate("", write, size, depth, False, bench.rate(dict(keys), row, 300)))
    fit = adapter_fit(
        written(tmp_path, rows), fit=["command_time", "frames_per_tenancy"], use=["all"], settings=slow, ios=300
    )
    assert next(one.value for one in fit.fitted if one.key == "frames_per_tenancy") == 4
    assert fit.table["frames_per_tenancy"] == 4
    assert value_of(fit, "command_time") == pytest.approx(10e3, rel=0.03)


def test_two_ports_on_one_bus_are_predicted_by_what_was_fitted_to_one(tmp_path: Path) -> None:
    bus = [("host.buses.pci.standard", "pci-64-33")]
    bench = RateBench(rates_system(bus, None, 77))
    lines = ["operation,size,outstanding,iops,ports"]
    for size in (512, 65_536):
        for ports in (1, 2):
            row = Rate("", False, size, 8 * ports, True, 1.0, ports=ports)
            rate = bench.rate({"command_time": "14 us", "dma_bandwidth": "250 MB/s"}, row, 500)
            lines.append(f"read,{size} B,{8 * ports},{rate:.2f},{ports}")
    file = tmp_path / "dual.csv"
    file.write_text("\n".join([*lines, ""]), encoding="utf-8")
    fit = adapter_fit(
        file, use=["ports=1"], fit=["command_time"], settings=[*bus, ("dma_bandwidth", "250 MB/s")], ios=500
    )
    assert off(fit.held_out) < 0.01
    apart = adapter_fit(file, use=["ports=1"], fit=["command_time"], settings={"dma_bandwidth": "250 MB/s"}, ios=500)
    large = next(row for row in apart.held_out if row.measured.bytes == 65_536)
    assert (large.error or 0.0) > 0.2, "without the bus they would not share"


def test_the_same_is_fitted_again(tmp_path: Path) -> None:
    file = written(tmp_path, measured(TWO))
    first, second = (fit_data(adapter_fit(file, use=["all"], ios=100)) for _ in range(2))
    assert first == second


def test_what_is_given_is_not_fitted(tmp_path: Path) -> None:
    file = written(tmp_path, measured(tuple(asked for asked in GRID if asked[1] != 8192 and asked[2] == 8)))
    settings = {"host.adapter.command_time": "14 us", "dma_bandwidth": "185 MB/s"}
    fit = adapter_fit(file, settings=settings, fit=list(TRUE), use=["all"], ios=300)
    assert [one.key for one in fit.fitted] == ["write_command_time"]
    assert {key for key, why in fit.not_fitted if why == "given"} == {"command_time", "dma_bandwidth"}
    assert value_of(fit, "write_command_time") == pytest.approx(26e3, rel=0.02)


def test_the_scenario_says_what_stands_around(tmp_path: Path) -> None:
    """On a slower link large reads are limited by that, and the adapter does not have to be slow for it."""
    scenario = tmp_path / "slow.toml"
    scenario.write_text(
        """
        [wire]
        kind = "arbitrated-loop"
        speed = "1GFC"
        stations = ["server", "discs"]
        [server]
        kind = "host"
        [discs]
        kind = "drives"
        model = "ram"
        transfer_rate = "100 GB/s"
        adapter.dma_bandwidth = "100 GB/s"
        [load]
        kind = "closed"
        from = "server"
        to = ["discs"]
        size = "4 KiB"
        """,
        encoding="utf-8",
    )
    lines = ["operation,size,queue_depth,bandwidth"]
    for size in ("512 B", "64 KiB"):
        result = sansim.run(
            scenario,
            {"load.size": size, "load.queue_depth": 8, "server.adapter.command_time": "14 us", "run.measured_ios": 500},
        )
        lines.append(f"read,{size},8,{result.summary['bytes_per_second'] / 1e6:.3f}")
    file = tmp_path / "hba.csv"
    file.write_text("\n".join([*lines, ""]), encoding="utf-8")
    fit = adapter_fit(file, scenario=scenario, use=["size=512B"], ios=300)
    assert fit.system.adapters == ("server.adapter",)
    assert value_of(fit, "command_time") == pytest.approx(14e3, rel=0.01)
    assert off(fit.held_out) < 0.01
    place = tmp_path / "fitted.toml"
    assert run(file, "--scenario", scenario, "--use", "all", "--ios", 100, "--write", place).exit_code == 0
    assert "server.adapter.command_time" in place.read_text(encoding="utf-8")
    assert sansim.check(place) == []


@pytest.mark.long
def test_the_example_is_fitted_to_the_keys_that_it_was_made_with() -> None:
    fit = adapter_fit(EXAMPLE, use=["one"], ios=500)
    for key, true in TRUE.items():
        assert value_of(fit, key) == pytest.approx(true, rel=0.03)
    assert off(fit.held_out) < 0.015


# ---------------------------------------------------------------- traces

SMALL = [
    ("drives.count", "1"),
    ("workload.size", "4KiB"),
    ("workload.read_fraction", "0.5"),
    ("run.warm_up", "0"),
]
WORD_NS = 19.0
"""Of the base system, whose time stamps are whole ns."""


def traced(folder: Path, settings: Iterable[tuple[str, str]], form: str, ios: int = 100) -> Path:
    """A run of the base system as an analyzer sees it."""
    scenario = _core.Scenario.load(BASE, [*settings, ("run.measured_ios", str(ios))])
    file = folder / form
    run_scenario(
        scenario,
        collect_ios=False,
        trace=Trace(file=file) if form == "text" else None,
        capture=Capture(file=file, payload_bytes=0) if form == "pcapng" else None,
        window=Window(limit=None),
    )
    return file


@pytest.mark.parametrize("form", ["text", "pcapng"])
def test_a_trace_gives_back_the_overheads_of_the_initiator(form: str, tmp_path: Path) -> None:
    """Table 6.2 of the thesis: command execution 43.9 us, FCP_XFER_RDY handling 11.8 us."""
    deep = [*SMALL, ("workload.queue_depth", "4")]
    file = traced(tmp_path, deep, form)
    fit = adapter_fit(file, scenario=BASE, settings=deep, fit=["command_time", "xfer_rdy_time"])
    assert abs(value_of(fit, "command_time") - 43_900) <= WORD_NS
    assert abs(value_of(fit, "xfer_rdy_time") - 11_800) <= WORD_NS
    assert {row.used for row in fit.rows} == {True, False}
    assert off(fit.held_out) < 0.01
    assert "command to next command" in fit_text(fit)


@pytest.mark.parametrize("form", ["text", "pcapng"])
def test_a_trace_of_single_ios_gives_back_the_single_frame_transfer(form: str, tmp_path: Path) -> None:
    """Table 6.2: 20.2 us. Where no command follows another only the command tells it apart, and has to be given."""
    given = [*SMALL, ("command_time", "43.9 us")]
    file = traced(tmp_path, SMALL, form)
    fit = adapter_fit(file, scenario=BASE, settings=given, fit=["single_frame_time", "xfer_rdy_time"])
    assert abs(value_of(fit, "single_frame_time") - 20_200) <= WORD_NS
    both = adapter_fit(file, scenario=BASE, settings=SMALL, fit=["command_time", "single_frame_time"])
    assert [one.key for one in both.fitted] == ["command_time"]
    assert "do not tell it" in dict(both.not_fitted)["single_frame_time"]


@pytest.mark.parametrize("form", ["text", "pcapng"])
def test_a_trace_gives_back_the_overheads_of_the_target(form: str, tmp_path: Path) -> None:
    """Table 6.3: command execution 47.4 us, FCP_RSP generation 10.3 us. The access is nothing, so it hides neither."""
    quick = [*SMALL, ("drives.access_time", "0 ns"), ("drives.transfer_rate", "100 GB/s")]
    file = traced(tmp_path, quick, form)
    fit = adapter_fit(
        file, scenario=BASE, adapter="drives.adapter", settings=quick, fit=["command_time", "response_time"]
    )
    assert abs(value_of(fit, "command_time") - 47_400) <= WORD_NS
    assert abs(value_of(fit, "response_time") - 10_300) <= WORD_NS


def test_reads_and_writes_of_a_trace_have_commands_of_their_own(tmp_path: Path) -> None:
    deep = [*SMALL, ("workload.queue_depth", "4")]
    file = traced(tmp_path, [*deep, ("controller.adapter.write_command_time", "61.5 us")], "pcapng")
    fit = adapter_fit(file, scenario=BASE, settings=deep, fit=["command_time", "write_command_time"])
    assert abs(value_of(fit, "command_time") - 43_900) <= WORD_NS
    assert abs(value_of(fit, "write_command_time") - 61_500) <= WORD_NS


def test_without_a_scenario_the_trace_says_what_was_asked_for(tmp_path: Path) -> None:
    drives = {"kind": "drives", "count": 2, "model": "disk", "access_time": "300 us", "concurrency": 8}
    quick = {"transfer_rate": "1000 GB/s", "adapter": {"dma_bandwidth": "1000 GB/s"}}
    scenario = {
        "run": {"measured_ios": 60, "warm_up": 0},
        "loop": {"kind": "arbitrated-loop", "speed": "2GFC", "stations": ["host", "drives"]},
        "host": {"kind": "host", "adapter": {"command_time": "30 us"}},
        "drives": {**drives, **quick},
        "workload": {"kind": "closed", "from": "host", "to": ["drives"], "size": "2 KiB", "queue_depth": 2},
    }
    file = tmp_path / "trace.txt"
    sansim.run(scenario, trace=Trace(file=file))
    beside = {"drives.access_time": "300 us", "drives.concurrency": "8", "drives.model": "disk"}
    fit = adapter_fit(file, fit=["command_time"], settings=beside)
    assert fit.load is not None
    assert (fit.load.size, fit.load.queue_depth, fit.load.read_fraction) == (2048, 2, 1.0)
    assert abs(value_of(fit, "command_time") - 30_000) <= 19
    place = tmp_path / "fitted.toml"
    assert run(file, "--fit", "command_time", "--write", place).exit_code == 0
    assert sansim.check(place) == []


def test_the_intervals_of_a_trace_are_between_first_words() -> None:
    """Figure 5.2 of the thesis has such lines; here by hand, two writes and a read between ports 01 and 02."""
    head = "hhh:mm:ss.ms_us_ns        dt/port_us port           count ordered set     size frame\n"
    lines = [
        ("000", "host", 64, "FCP_CMND 01->02 io 0"),
        ("050", "disc", 48, "FCP_XFER_RDY 02->01 io 0"),
        ("080", "host", 2084, "FCP_DATA 01->02 io 0 offset 0"),
        ("095", "host", 1060, "FCP_DATA 01->02 io 0 offset 2048"),
        ("120", "disc", 60, "FCP_RSP 02->01 io 0"),
        ("160", "host", 64, "FCP_CMND 01->02 io 1"),
        ("200", "disc", 548, "FCP_DATA 02->01 io 1 offset 0"),
        ("207", "disc", 60, "FCP_RSP 02->01 io 1"),
    ]
    text = head + "".join(
        f"000:00:00.000_{us}_000          0.000 {port}         1 SOFi3 {size:>12} {frame}\n"
        for us, port, size, frame in lines
    )
    recorded = read_trace(text.encode(), "trace.txt")
    exchanges = exchanges_of(recorded)
    assert [(one.write, one.bytes) for one in exchanges] == [(True, 3072), (False, 512)]
    found = {(one.between.name, one.write): one.mean_ns / 1e3 for one in intervals_of(exchanges, INITIATOR)}
    assert found == {
        ("response to next command", False): 40,
        ("xfer_rdy to data", True): 30,
        ("data to next data, out", True): 15,
        ("command to data", False): 40,
        ("command to xfer_rdy", True): 50,
        ("last data to response", True): 25,
        ("last data to response", False): 7,
        ("command to response", True): 120,
        ("command to response", False): 47,
    }


def test_text_and_capture_have_the_same_frames(tmp_path: Path) -> None:
    one, other = (
        exchanges_of(read_trace(traced(tmp_path, SMALL, form).read_bytes(), form)) for form in ("text", "pcapng")
    )
    assert [(each.write, each.bytes, sorted(each.frames)) for each in one] == [
        (each.write, each.bytes, sorted(each.frames)) for each in other
    ]
    sent = [[each.frames["command", 0][0] for each in exchanges] for exchanges in (one, other)]
    assert sent[0] == sent[1]


# ---------------------------------------------------------------- bad input

HEAD = "operation,size,queue_depth,iops\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["there is nothing in it"]),
        (HEAD, ["there are no rows"]),
        ("rw,bs,qd,mb/s\nread,4 KiB,1,100\n", ["no column `operation`; call `rw` `operation`", "call `bs` `size`"]),
        ("rw,bs,qd,mb/s\nread,4 KiB,1,100\n", ["call `qd` `queue_depth`", "call `mb/s` `bandwidth`"]),
        ("operation,size,queue_depth\nread,4 KiB,1\n", ["no column `iops` or `bandwidth` or `response_time`; it has"]),
        (HEAD.replace("iops", "outstanding,iops"), ["leave out one of them"]),
        (HEAD + "reed,4 KiB,1,1\n", ["line 2: operation is `reed`; it must be read or write"]),
        (HEAD + "read,4096,1,1\n", ["line 2: size is `4096`; it must be a number with a unit, as 4 KiB"]),
        (HEAD + "read,8 GiB,1,1\n", ["an I/O has at most"]),
        (HEAD + "read,4 KiB,0,1\n", ["line 2: queue_depth is `0`; it must be a whole number from 1 to 65536"]),
        (HEAD + "read,4 KiB,1,\n", ["line 2: iops empty; one is needed"]),
        (HEAD + "read,4 KiB,1,-3\n", ["line 2: iops is `-3`; it must be a number above 0"]),
        (HEAD.replace("iops", "bandwidth") + "read,4 KiB,1,3 KB\n", ["it must be a rate with its unit, as 180 MB/s"]),
        (
            HEAD.replace("iops", "iops,ports") + "read,4 KiB,1,3,17\n",
            ["ports is `17`; it must be a whole number from 1"],
        ),
        (
            HEAD.replace("iops", "iops,ports,devices") + "read,4 KiB,1,3,2,3\n",
            ["3 devices cannot be spread evenly over 2 ports"],
        ),
    ],
)
def test_a_table_that_cannot_be_read_says_where_and_what_instead(text: str, words: list[str], tmp_path: Path) -> None:
    file = tmp_path / "hba.csv"
    file.write_text(text, encoding="utf-8")
    done = run(file)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    for word in words:
        assert word in done.stderr


def test_rates_are_read_in_each_form(tmp_path: Path) -> None:
    file = tmp_path / "hba.csv"
    file.write_text(
        "operation,size,outstanding,devices,iops,bandwidth,response_time\n"
        "read,1 KiB,8,4,1000,,\n"
        "read,2 KiB,8,4,,2.048,\n"
        "read,4 KiB,8,4,,4096 KB/s,\n"
        "read,8 KiB,8,4,,,8 ms\n"
        "write,1 KiB,8,4,1000,2.048,8 ms\n"
        "write,1 KiB,8,4,3000,,\n",
        encoding="utf-8",
    )
    rates = read_rates([file])
    assert [row.iops for row in rates.rows] == pytest.approx([1000, 1000, 1000, 1000, 2000])
    assert all(row.in_all and row.outstanding == 8 for row in rates.rows)
    first, second = rates.notes
    assert "line 6: bandwidth makes 2,000 I/Os per second and iops 1,000; iops is taken" in first
    assert "asks the same" in second
    assert "they differ by 200.0%" in second


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ["--use", "some"],
            ["`some` is not COLUMN=VALUES", "operation, size, queue_depth, outstanding, ports, devices"],
        ),
        (["--use", "one", "--use", "size=4 KiB"], ["stand alone in --use"]),
        (["--use", "size=3 KiB"], ["no row has size=3 KiB"]),
        (["--only", "devices=9"], ["no row of hba.csv has devices=9"]),
        (["--fit", "comand_time"], ["`comand_time` is not fitted, did you mean command_time?"]),
        (["--adapter", "drives.adapter"], ["without --scenario the adapter is `host.adapter`"]),
        (["--set", "dma_rate=3"], ["`host.adapter` has no key `dma_rate`", "--> --set"]),
        (["--set", "loop.speed=9GFC"], ["9GFC"]),
        (["--set", "speed"], ["is not key=value"]),
        (["--scenario", "nowhere.toml"], ["nowhere.toml"]),
        (["--scenario", BASE, "--adapter", "drive.adapter"], ["did you mean drives.adapter?"]),
        (["--plot", "x.bmp"], ["ends neither in .png nor in .svg"]),
        (["--write", "x.csv"], ["an adapter is written as FILE.toml"]),
    ],
)
def test_wishes_that_make_no_sense_are_refused(options: list[object], words: list[str], tmp_path: Path) -> None:
    done = run(written(tmp_path, measured(TWO)), *options)
    assert done.exit_code == 2
    assert done.stdout == ""
    for word in words:
        assert word in done.stderr


def test_ports_that_a_scenario_does_not_have_are_not_its_rows(tmp_path: Path) -> None:
    file = tmp_path / "hba.csv"
    file.write_text(
        "operation,size,queue_depth,iops,ports\nread,4 KiB,1,9000,1\nread,4 KiB,1,9000,2\n", encoding="utf-8"
    )
    done = run(file, "--scenario", BASE)
    assert done.exit_code == 2
    assert "several numbers of ports (1, 2)" in done.stderr
    assert "choose by --only ports=N" in done.stderr


def broken(data: bytes) -> Mapping[str, tuple[bytes, str]]:
    """Captures that cannot be read, by what is wrong."""
    return {
        "cut": (data[:-7], "it ends within a block"),
        "short": (data[:40], "it ends within a block"),
        "length": (data[:4] + struct.pack("<I", 30) + data[8:], "a block of 30 bytes"),
        "raw": (b"\xff\xfe\x00\x01", "it is neither a table of comma-separated values, nor a trace or a capture"),
    }


def test_traces_that_cannot_be_used_say_why(tmp_path: Path) -> None:
    capture = traced(tmp_path, SMALL, "pcapng", ios=10).read_bytes()
    for name, (data, words) in broken(capture).items():
        file = tmp_path / name
        file.write_bytes(data)
        done = run(file)
        assert done.exit_code == 2, name
        assert words in done.stderr, name
    text = tmp_path / "trace.txt"
    for lines, words in (
        ("hhh:mm:ss.ms_us_ns dt\n", "there is no frame of FCP in it"),
        ("hhh:mm:ss.ms_us_ns dt\n000:00 host 1 SOFi3 FCP_CMND\n", "line 2: a line of a frame has time, dt, port"),
        (
            "hhh:mm:ss.ms_us_ns dt\n000:00:00.000_000_000 0.0 host 1 SOFi3 64 FCP_CMND 01->02 io 0\n",
            "it has no I/Os from command to response",
        ),
    ):
        text.write_text(lines, encoding="utf-8")
        assert words in run(text).stderr
    assert "a fit to a trace is to that alone" in run(text, written(tmp_path, measured(TWO))).stderr


def test_a_trace_of_another_load_than_the_scenario_has_is_not_met(tmp_path: Path) -> None:
    file = traced(tmp_path, SMALL, "pcapng", ios=20)
    done = run(file, "--scenario", BASE, "--fit", "command_time", "--set", "drives.count=1", "--ios", 100)
    assert done.exit_code == 0
    assert "the simulation has no such interval: it is asked for something else than the trace has" in done.stdout


# ---------------------------------------------------------------- what is written


def test_the_adapter_that_is_written_makes_the_rates_that_were_told(tmp_path: Path) -> None:
    file, place = written(tmp_path, measured()), tmp_path / "fitted.toml"
    done = run(file, "--use", "one", "--fit", COMMANDS, "--write", place, "--json", "--ios", 100)
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    first = next(row for row in told["rows"] if row["use"] == "used")
    assert sansim.run(place).summary["iops"] == pytest.approx(first["simulated_iops"], rel=1e-9)
    text = place.read_text(encoding="utf-8")
    assert text.startswith("# An adapter fitted to hba.csv by `sansim adapter fit`.")
    assert f'#   host.adapter.command_time = "{told["fitted"][0]["value"]}"   fitted' in text
    before = place.read_bytes()
    again = run(file, "--write", place)
    assert again.exit_code == 2
    assert "stays as it is" in again.stderr
    assert place.read_bytes() == before


def test_the_picture_is_of_its_kind_and_always_the_same(tmp_path: Path) -> None:
    file, picture = written(tmp_path, measured(TWO)), tmp_path / "fit.png"
    done = run(file, "--use", "all", "--fit", "command_time", "--ios", 100, "--plot", picture)
    assert done.exit_code == 0, done.stderr
    assert kinds.is_of(picture, kinds.PNG)
    fit = adapter_fit(file, use=["all"], fit=["command_time"], ios=100)
    assert svg_file(chart_of(fit)) == svg_file(chart_of(fit))
