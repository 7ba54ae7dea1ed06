"""The analyzer trace from the command line and from Python, and files of a run that cannot be written."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import polars as pl
import pytest

import sansim
from conftest import COMMAND, Cli, clean_environment
from sansim import _core
from sansim.output_size import expected_bytes

LONG = "run.measured_ios=100000000"
TWO_NODES = Path(__file__).parents[2] / "scenarios" / "two-nodes.toml"
EARLIER = "# sansim trace of an earlier run\n"


def test_a_trace_has_the_columns_of_an_analyzer(cli: Cli, small: Path, tmp_path: Path) -> None:
    done = cli("run", small, "--trace", "trace.txt", "--trace-states", "--json")
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "trace.txt").read_text().splitlines()
    assert lines[1].split() == [
        "hhh:mm:ss.ms_us_ns",
        "dt/port_us",
        "port",
        "count",
        "ordered",
        "set",
        "size",
        "frame",
        "[state]",
    ]
    assert any("FCP_CMND" in line and line.endswith("[OPEN]") for line in lines)
    assert any("=> ARBITRATING" in line for line in lines)
    assert done.stderr.startswith("trace: trace.txt, ")
    assert list(tmp_path.iterdir()) == [tmp_path / "trace.txt"], "no partial file is left"


def test_a_trace_changes_no_figure(small: Path) -> None:
    plain = sansim.run(small)
    traced = sansim.run(small, trace=os.devnull)
    assert plain.summary == traced.summary
    assert plain.ios.equals(traced.ios)
    assert (plain.run["loop"], traced.run["loop"]) == ("fast", "reference")


def test_ports_ios_and_kinds_can_be_chosen(small: Path, tmp_path: Path) -> None:
    file = tmp_path / "trace.txt"
    result = sansim.run(small, trace=sansim.Trace(file=file, ports=["drives[0]"], ios=[2], kinds=["data", "response"]))
    lines = file.read_text().splitlines()[2:]
    assert lines
    assert all("drives[0]" in line and " io 2" in line for line in lines)
    assert {line.split()[6] for line in lines} <= {"FCP_DATA", "FCP_RSP"}
    assert result.files[0].counts["lines"] == len(lines)
    assert result.files[0].bytes == file.stat().st_size


def test_an_analyzer_at_a_port_shows_both_directions_side_by_side(cli: Cli, small: Path, tmp_path: Path) -> None:
    done = cli("run", small, "--trace", "trace.txt", "--trace-at", "controller", "--trace-states", "--json")
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "trace.txt").read_text().splitlines()
    assert lines[0].endswith(": an analyzer at controller; a word takes 18.824 ns"), lines[0]
    assert re.match(r" +A: controller sends +\| B: controller receives from drives\[\d\]$", lines[1])
    sent = [line for line in lines[3:] if re.match(r"\S+ +\S+ +\S", line.split("|")[0])]
    received = [line for line in lines[3:] if line.split("|")[-1].strip() and line not in sent]
    assert len(sent) + len(received) == len(lines) - 3
    assert any("FCP_CMND" in line and "[OPEN]" in line for line in sent)
    assert any("FCP_DATA" in line for line in received)
    assert not any("[" in line or "=>" in line for line in received), "an analyzer sees the state of no other port"
    stamps = [line[:21] for line in lines[3:]]
    assert stamps == sorted(stamps)


def test_a_trigger_begins_a_trace(cli: Cli, small: Path, tmp_path: Path) -> None:
    condition = "kind=response,address=controller,count=2,before=3,after=4"
    options = ["--trace", "trace.txt", "--trace-at", "controller", "--trace-trigger", condition]
    done = cli("run", small, *options, "--json")
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "trace.txt").read_text().splitlines()[3:]
    assert next(number for number, line in enumerate(lines) if "FCP_RSP" in line) == 4
    assert lines[3] == "# trigger"
    assert len(lines) == 3 + 1 + 1 + 4
    never = cli("run", small, *options[:-1], "kind=opn,count=100000000", "--json")
    assert never.returncode == 0, never.stderr
    assert "nothing was seen that fits the trigger" in never.stderr


def test_addresses_narrow_a_trace(small: Path, tmp_path: Path) -> None:
    file = tmp_path / "trace.txt"
    sansim.run(small, trace=sansim.Trace(file=file, addresses=["drives[1]"], kinds=["frame", "opn"]))
    by_name = file.read_text()
    lines = by_name.splitlines()[2:]
    named = next(line for line in lines if "FCP_CMND" in line)
    address = named.split("->")[1][:2]
    assert lines
    assert all(re.search(rf"[(,]{address}[,)]|->{address} | {address}->", line) for line in lines)
    sansim.run(small, trace=sansim.Trace(file=file, addresses=[f"0x{address}"], kinds=["frame", "opn"]))
    assert file.read_text() == by_name
    trigger = sansim.Trigger(kinds=["data"], ios=[3], before=0, after=0)
    result = sansim.run(small, trace=sansim.Trace(file=file, at="drives[0]", kinds=["cls"], trigger=trigger))
    (_, _, _, _, line) = file.read_text().splitlines()
    assert " io 3 " in line
    assert result.files[0].counts["triggers"] == 1


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--trace", "t", "--trace-port", "hdd"], "there is no port `hdd`; ports: controller"),
        (["--trace", "t", "--trace-from", "5"], "--trace-from '5': `5` has no unit"),
        (
            ["--trace", "t", "--trace-from", "2 ms", "--trace-to", "1 ms"],
            "--trace-to 1 ms is not after --trace-from 2 ms",
        ),
        (["--trace", "t", "--trace-from", "2 ms", "--trace-slowest", "3"], "not both"),
        (["--trace", "t", "--loop", "fast"], "leave out --loop"),
        (["--trace-port", "controller"], "add --trace FILE"),
        (["--trace-at", "controller"], "--trace-at says how to trace, but not where to; add --trace FILE"),
        (["--trace", "t", "--trace-at", "controller", "--trace-port", "drives"], "leave out --trace-port"),
        (["--trace", "t", "--trace-at", "drives"], "an analyzer is at one port, and `drives` is 2 ports; name one of"),
        (["--trace", "t", "--trace-at", "hdd"], "there is no port `hdd`; ports: controller"),
        (["--trace", "t", "--trace-address", "0xZZ"], "`0xZZ` is no address; one is 0xE1"),
        (["--trace", "t", "--trace-address", "hdd"], "there is no port `hdd`; ports: controller"),
        (["--trace", "t", "--trace-trigger", "opn"], "`opn` is no NAME=VALUE; a condition is like kind=opn"),
        (["--trace", "t", "--trace-trigger", "sort=opn"], "there is no `sort`, but kind, address, io"),
        (["--trace", "t", "--trace-trigger", "kind=opening"], "there is no kind `opening`, but fill, idle"),
        (["--trace", "t", "--trace-trigger", "count=two"], "`count` is a whole number, not `two`"),
        (["--trace", "t", "--trace-trigger", "count=0"], "count: 0 is not from 1 to"),
        (["--trace", "t", "--trace-trigger", "count=1,count=2"], "`count` is there twice"),
        (["--trace-slowest", "3"], "say when to look"),
        (["--trace", "same", "--capture", "./same"], "is where what --trace writes is; name another place"),
        (["--fio-json", "same", "--timeline", "same"], "is where what --fio-json writes is; name another place"),
        (["--capture-payload", "0"], "add --capture FILE"),
        (["--trace", "t", "--trace-slowest", "99999999999999999999"], "is not from "),
        (["--trace", "t", "--trace-io", "99999999999999999999"], "is not from "),
        (["--sample-every", "0 ms"], "--sample-every 0 ms: an interval is longer than 0"),
        (["--sample-every", "often"], "--sample-every 'often': `often` cannot be read"),
    ],
)
def test_a_wish_that_makes_no_sense_is_refused_before_the_run(
    cli: Cli, small: Path, tmp_path: Path, options: list[str], what: str
) -> None:
    done = cli("run", small, *options)
    assert done.returncode == 2
    assert what in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_told_and_the_run_ends(cli: Cli, small: Path) -> None:
    started = time.monotonic()
    done = cli("run", small, "--set", LONG, "--trace", "/dev/full")
    assert done.returncode == 1
    assert done.stderr == "error: cannot write /dev/full: No space left on device\n"
    assert done.stdout == ""
    assert time.monotonic() - started < 100, "the run would take hours"


def test_a_file_that_cannot_be_made_is_told_before_the_run(cli: Cli, small: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for file, more in (("folder", []), ("no/such/folder", []), ("no/such/folder", ["--trace-slowest", "3"])):
        done = cli("run", small, "--set", LONG, "--trace", file, *more)
        assert done.returncode == 2
        why = "folder is a folder" if file == "folder" else f"there is no folder {tmp_path / 'no' / 'such'}"
        assert done.stderr.startswith(f"error: --trace: {why}")
        assert done.stderr.count("\n") == 1


def test_a_reader_of_a_pipe_that_goes_away_ends_the_run(small: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(
        [COMMAND, "run", small, "--set", LONG, "--trace", pipe],
        stderr=subprocess.PIPE,
        text=True,
        env=clean_environment(),
    ) as run:
        with pipe.open() as reader:
            assert reader.readline().startswith("# sansim trace")
        _, told = run.communicate(timeout=100)
    assert run.returncode == 1
    assert "Broken pipe" in told or told == ""
    assert "Traceback" not in told


def test_ctrl_c_leaves_the_earlier_file_and_what_was_traced_beside_it(small: Path, tmp_path: Path) -> None:
    earlier = tmp_path / "trace.txt"
    earlier.write_text(EARLIER)
    # So few lines that the file stays small however long the signal takes.
    few = ["--trace-kind", "command", "--trace-io", "1"]
    with subprocess.Popen(
        [COMMAND, "run", small, "--set", LONG, "--trace", earlier, *few],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=clean_environment(),
    ) as run:
        while not (found := list(tmp_path.glob("trace.txt.*.partial"))):
            assert run.poll() is None, "it ended by itself"
            time.sleep(0.01)
        [partial] = found
        time.sleep(0.5)
        run.send_signal(signal.SIGINT)
        _, told = run.communicate(timeout=100)
    assert run.returncode == 130
    assert "stopped early" in told
    assert str(partial) in told
    assert earlier.read_text() == EARLIER
    assert partial.read_text().startswith("# sansim trace")


def test_a_window_bounds_the_files_of_a_run(small: Path, tmp_path: Path) -> None:
    file = tmp_path / "trace.txt"
    sansim.run(small, trace=file, window=sansim.Window(start="2.5 ms", end="2.6 ms"))
    stamps = [line.split()[0] for line in file.read_text().splitlines()[2:]]
    assert stamps
    assert all("000:00:00.002_500" <= stamp < "000:00:00.002_600" for stamp in stamps)


def test_the_slowest_ios_can_be_traced(small: Path, tmp_path: Path) -> None:
    file = tmp_path / "trace.txt"
    result = sansim.run(
        small, trace=sansim.Trace(file=file, kinds=["response"]), window=sansim.Window(slowest=1), collect_ios=True
    )
    slowest = result.ios.sort(["response_time_ns", "io"], descending=[True, False])["io"][0]
    assert any(line.endswith(f"io {slowest}") for line in file.read_text().splitlines())


def test_samples_and_tenancies_are_kept_with_the_ios(small: Path) -> None:
    result = sansim.run(small, sample_every="100 us")
    times = result.samples["at_ns"].unique().sort().to_list()
    assert times[:3] == [100_000.0, 200_000.0, 300_000.0]
    assert set(result.samples["component"].unique()) >= {"loop", "controller", "drives[0]"}
    assert result.samples["value"].min() == 0.0
    assert result.tenancies.height == result.summary["components"]["loop"]["tenancies"]
    assert (result.tenancies["ended_ns"] > result.tenancies["won_ns"]).all()
    without = sansim.run(small, collect_ios=False)
    assert not without.samples.height
    assert not without.tenancies.height


@pytest.mark.parametrize("full_duplex", [True, False])
def test_the_table_of_tenancies_adds_up_to_the_data_of_each_direction(full_duplex: bool) -> None:
    duplex = {f"{station}.port.full_duplex": full_duplex for station in ("controller", "drive")}
    result = sansim.run(TWO_NODES, {**duplex, "run.measured_ios": 200, "run.warm_up": 0})
    controller, drive = (
        result.tenancies.filter(station=station).select("bytes_out", "bytes_in").sum().row(0)
        for station in ("controller", "drive[0]")
    )
    read, written = (
        result.ios.filter(pl.col("write") == write).select(pl.col("bytes").sum()).item() for write in (False, True)
    )
    # Data that are written the controller sends, in its own tenancies or in those of the drive that opened it.
    assert controller[0] + drive[1] == written
    assert drive[0] + controller[1] == read
    assert [controller[1] > 0, drive[1] > 0] == [full_duplex, full_duplex]
    frames = result.tenancies.select((pl.col("frames_out") + pl.col("frames_in")).sum()).item()
    assert frames == result.summary["components"]["loop"]["frames"]


def test_standard_output_is_written_to_and_not_replaced(small: Path, tmp_path: Path) -> None:
    command = [str(COMMAND), "run", str(small), "--json", "--trace", "/dev/stdout", "--trace-kind", "command"]
    out = tmp_path / "out.txt"
    with out.open("w") as stream:
        subprocess.run(command, stdout=stream, env=clean_environment(), check=True)
    assert Path("/dev/stdout").is_symlink()
    assert not Path("/dev/stdout.partial").exists()
    text = out.read_text()
    assert text.startswith("# sansim trace")
    assert '"summary"' in text


def test_no_file_of_a_run_takes_its_name_when_one_cannot_be_written(cli: Cli, small: Path, tmp_path: Path) -> None:
    earlier = tmp_path / "timeline"
    before = b"\n\x20 tenancy segment: a timeline of an earlier run"
    earlier.write_bytes(before)
    # So few lines that the error comes with the last of them.
    done = cli("run", small, "--trace-kind", "response", "--trace", "/dev/full", "--timeline", earlier)
    assert done.returncode == 1
    assert "cannot write /dev/full" in done.stderr
    assert earlier.read_bytes() == before
    assert list(tmp_path.iterdir()) == [earlier]


def test_numbers_out_of_range_are_refused(small: Path, tmp_path: Path) -> None:
    for make in (
        lambda: sansim.Window(slowest=0),
        lambda: sansim.Trace(file=tmp_path / "t", ios=[-1]),
        lambda: sansim.Capture(file=tmp_path / "c", payload_bytes=70_000),
    ):
        with pytest.raises(ValueError, match="is not from"):
            make()
    assert sansim.run(small, sample_every="1 ns").samples["at_ns"].n_unique() <= 100_000


def test_a_stop_while_the_slowest_are_looked_for_keeps_only_what_was_asked_for(small: Path, tmp_path: Path) -> None:
    result = sansim.run(
        small,
        {"run.measured_ios": 10_000_000},
        trace=tmp_path / "trace.txt",
        window=sansim.Window(slowest=3),
        collect_ios=False,
        progress=lambda progress: progress.pass_number == 2,
    )
    assert result.stopped_early
    assert not result.ios.height
    assert not list(tmp_path.iterdir())


def test_neither_the_scenario_nor_another_run_folder_is_written_over(cli: Cli, small: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text(small.read_text())
    assert cli("run", mine, "--out", "run").returncode == 0
    before = {entry.name: entry.read_bytes() for entry in (tmp_path / "run").iterdir()}
    for options, what in (
        (["--trace", "./mine.toml"], "is where the scenario is"),
        (["--capture", "run/ios.parquet"], "lies in the run folder"),
        (["--fio-json", "run/summary.json"], "lies in the run folder"),
        (["--out", "run", "--fio-json", "run/summary.json"], "leave out --fio-json"),
        (["--fio-json", "no/such/fio.json"], "there is no folder"),
    ):
        done = cli("run", mine, *options)
        assert done.returncode == 2, options
        assert what in done.stderr
    assert mine.read_text() == small.read_text()
    assert {entry.name: entry.read_bytes() for entry in (tmp_path / "run").iterdir()} == before


def test_an_empty_trace_says_so(cli: Cli, small: Path) -> None:
    done = cli("run", small, "--trace", "trace.txt", "--trace-io", "999999")
    assert done.returncode == 0
    assert "nothing was seen of what was asked for" in done.stderr


@pytest.mark.parametrize("kind", ["trace", "capture", "timeline"])
def test_a_file_ends_at_its_limit_and_says_so(kind: str, cli: Cli, small: Path, tmp_path: Path) -> None:
    whole = cli("run", small, f"--{kind}", "whole", "--trace-limit", "none", "--json")
    cut = cli("run", small, f"--{kind}", "cut", "--trace-limit", "20KB", "--json")
    assert whole.returncode == cut.returncode == 0, cut.stderr
    assert "as long as it may be" in cut.stderr
    assert "as long as it may be" not in whole.stderr
    # What ends a timeline comes on top: every slice that is open.
    assert 15_000 < (tmp_path / "cut").stat().st_size < (25_000 if kind == "timeline" else 20_100)
    assert (tmp_path / "whole").stat().st_size > 40_000
    assert json.loads(cut.stdout)["summary"] == json.loads(whole.stdout)["summary"]


def test_a_trace_that_is_as_long_as_it_may_be_ends_with_a_whole_line_and_a_word(small: Path, tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    sansim.run(small, trace=whole, window=sansim.Window(limit=None))
    result = sansim.run(small, trace=cut, window=sansim.Window(limit="20 KB"))
    lines = cut.read_text().splitlines()
    assert lines[-1].startswith("# the file is as long as it may be")
    assert whole.read_text().splitlines()[: len(lines) - 1] == lines[:-1]
    assert result.files[0].limited
    assert result.files[0].counts["lines"] == len(lines) - 3


def test_the_length_of_a_long_file_is_told_before_it_grows(cli: Cli, small: Path) -> None:
    done = cli("run", small, "--set", "run.measured_ios=20000", "--trace", "trace.txt", "--trace-limit", "1 MB")
    assert done.returncode == 0, done.stderr
    told = re.match(r"trace: will be about ([\d.,]+) (MB|GB) long, and ends at 1 MB; ", done.stderr)
    assert told, done.stderr
    short = cli("run", small, "--trace", "trace.txt")
    assert "will be about" not in short.stderr


def test_a_foretold_length_is_about_that_of_the_file(small: Path, tmp_path: Path) -> None:
    settings = {"run.measured_ios": 2000}
    trace, capture = sansim.Trace(file=tmp_path / "trace"), sansim.Capture(file=tmp_path / "capture")
    scenario = _core.Scenario.load(small, [("run.measured_ios", "2000")])
    told = expected_bytes(scenario, {"trace": trace, "capture": capture}, reference_loop=True)
    sansim.run(small, settings, trace=trace, capture=capture, window=sansim.Window(limit=None))
    for kind in ("trace", "capture"):
        assert told[kind] == pytest.approx((tmp_path / kind).stat().st_size, rel=0.2)
    assert not list(tmp_path.glob("*.partial"))


def test_a_limit_that_is_none_is_refused(cli: Cli, small: Path, tmp_path: Path) -> None:
    done = cli("run", small, "--trace", "trace.txt", "--trace-limit", "lots")
    assert done.returncode == 2
    assert "needs a size" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_while_lengths_are_foretold_leaves_no_result(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    so_far = sansim.run(small)

    def interrupted(*_: object, **__: object) -> sansim.Result:
        raise sansim.Interrupted(so_far)

    monkeypatch.setattr("sansim.simulate.run_scenario", interrupted)
    scenario = _core.Scenario.load(small, [])
    with pytest.raises(KeyboardInterrupt) as caught:
        expected_bytes(scenario, {"trace": sansim.Trace(file="trace.txt")}, reference_loop=True)
    assert not isinstance(caught.value, sansim.Interrupted)
