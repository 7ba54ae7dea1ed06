"""fio-compatible JSON: read by fio's own tools, and each figure against the table it is made of."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import sansim
from conftest import DATA, SMALL, without
from sansim import _core
from sansim.runs.fio import document, fio_json, histogram
from sansim.runs.fio_options import in_base_units
from streams_support import streams

KEYS = DATA / "fio-3.33-keys.txt"
FIO = shutil.which("fio")
NO_FIO = "fio is not installed (apt-get install fio python3-six): ITS JSON AND ITS READER ARE NOT COMPARED WITH OURS"
NO_FIO_PLOT = (
    "fio-plot is not installed (dev group of pyproject.toml): OUR JSON IS NOT READ BY A PLOTTER OF FIO RESULTS"
)
OURS = ("/sansim/", "/jobs[]/read/clat_ns/bins/", "/jobs[]/write/clat_ns/bins/")
"""What we write and plain fio does not."""


@pytest.fixture(scope="module")
def result() -> sansim.Result:
    return sansim.run(SMALL)


@pytest.fixture(scope="module")
def file(result: sansim.Result, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fio") / "fio.json"
    path.write_text(json.dumps(fio_json(result)), encoding="utf-8")
    return path


def key_types(value: object, path: str = "") -> dict[str, str]:
    """Every key path without options, with the type of its value."""
    match value:
        case dict():
            parts = [key_types(part, f"{path}/{key}") for key, part in value.items() if "options" not in key]
        case list():
            parts = [key_types(part, f"{path}[]") for part in value]
        case _:
            return {path: type(value).__name__}
    return {key: kind for part in parts for key, kind in part.items()}


def run(*command: object, cwd: Path | None = None) -> str:
    """Runs a tool and returns what it printed."""
    done = subprocess.run([*map(str, command)], capture_output=True, encoding="utf-8", cwd=cwd, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# ---------------------------------------------------------------- against fio itself


def test_keys_and_types_are_those_of_fio(result: sansim.Result) -> None:
    lines = [line for line in KEYS.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    theirs = dict(line.split("\t") for line in lines)
    ours = key_types(fio_json(result))
    assert {key: kind for key, kind in ours.items() if not key.startswith(OURS)} == theirs


@pytest.mark.referee(FIO is not None, NO_FIO)
def test_the_installed_fio_writes_the_same_keys(result: sansim.Result, tmp_path: Path) -> None:
    options = ["--name=a", "--ioengine=null", "--size=1m", "--bs=4k", "--rw=randrw", "--output-format=json+"]
    real = json.loads(run(FIO, *options, cwd=tmp_path))
    theirs = key_types(real)
    ours = key_types(fio_json(result))
    # The null engine has no disk. Percentiles and bins are those of the values.
    common = {key for key in ours if not key.startswith((*OURS, "/disk_util"))}
    assert common <= set(theirs)
    assert {key: ours[key] for key in common} == {key: theirs[key] for key in common}
    for way in ("read", "write"):
        # A bin is named after a value in it.
        for name in real["jobs"][0][way]["clat_ns"]["bins"]:
            assert histogram(pl.Series([int(name)])) == {name: 1}


@pytest.mark.referee(FIO is not None, NO_FIO)
def test_fio_s_own_reader_takes_the_latencies(file: Path, tmp_path: Path) -> None:
    script = shutil.which("fio_jsonplus_clat2csv")
    pythons = [path for path in ("/usr/bin/python3", shutil.which("python3")) if path and has_six(path)]
    if script is None or not pythons:
        without(NO_FIO)
    run(pythons[0], script, file, "out.csv", cwd=tmp_path)
    assert "validated" in run(pythons[0], script, file, "out.csv", "--validate", cwd=tmp_path)
    job = json.loads(file.read_text(encoding="utf-8"))["jobs"][0]
    table = pl.read_csv(tmp_path / "out_job0.csv", infer_schema=False)
    names = [name.strip() for name in table.columns]
    for way in ("read", "write"):
        counts = table.to_series(names.index(f"{way}_clat_ns_count")).str.strip_chars()
        assert sum(int(count) for count in counts if count) == job[way]["total_ios"] > 0


def has_six(python: str) -> bool:
    """Whether fio's script can run with this Python."""
    return subprocess.run([python, "-c", "import six"], capture_output=True, check=False).returncode == 0


READ_WITH_FIO_PLOT = """
import json, sys
from fio_plot.fiolib import jsonimport, jsonparsing
settings = {"input_directory": [sys.argv[1]], "rw": "randrw", "iodepth": [4], "numjobs": [1], "filter": [sys.argv[2]]}
data = jsonimport.import_json_dataset(settings, jsonimport.list_json_files(settings))
print(json.dumps(jsonparsing.parse_json_data(settings, data)[0]["data"]))
"""


@pytest.mark.skipif(find_spec("fio_plot") is None, reason=NO_FIO_PLOT)
@pytest.mark.parametrize("way", ["read", "write"])
def test_fio_plot_finds_our_figures(way: str, result: sansim.Result, file: Path) -> None:
    (row,) = json.loads(run(sys.executable, "-c", READ_WITH_FIO_PLOT, file.parent, way))
    part = result.summary[f"{way}s"]
    assert row["iops"] == pytest.approx(part["ios"] / result.summary["simulated_s"])
    assert row["bw"] == pytest.approx(part["bytes"] / result.summary["simulated_s"] / 1024, abs=1)
    assert row["lat"] == pytest.approx(part["response_time_ns"]["mean"], abs=1)
    assert (row["bs"], row["rw"], row["type"]) == ("16k", "randrw", way)


@pytest.mark.skipif(find_spec("fio_plot") is None, reason=NO_FIO_PLOT)
@pytest.mark.parametrize("chart", ["-l", "-H", "-L"])
def test_fio_plot_draws_our_figures(chart: str, file: Path, tmp_path: Path) -> None:
    options = ["-i", file.parent, "-T", "sansim", "-d", 4, "-n", 1, "-r", "randrw", "-f", "read", "-o", "out.png"]
    run(sys.executable, "-m", "fio_plot", chart, *options, *(["-t", "iops"] if chart == "-L" else []), cwd=tmp_path)
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")


# ---------------------------------------------------------------- against the result


def test_same_scenario_and_seed_give_the_same_bytes() -> None:
    first, second = (json.dumps(fio_json(sansim.run(SMALL))) for _ in range(2))
    assert first == second


def test_rates_are_those_of_the_summary(result: sansim.Result) -> None:
    (job,) = fio_json(result)["jobs"]
    summary = result.summary
    for way in ("read", "write"):
        part = summary[f"{way}s"]
        figures = job[way]
        assert figures["total_ios"] == part["ios"]
        assert figures["io_bytes"] == part["bytes"]
        assert figures["iops"] == pytest.approx(part["ios"] / summary["simulated_s"])
        assert figures["bw_bytes"] == pytest.approx(part["bytes"] / summary["simulated_s"], abs=1)
        assert figures["bw"] == figures["bw_bytes"] // 1024
        assert figures["runtime"] == round(summary["simulated_s"] * 1000)
        assert figures["lat_ns"]["mean"] == pytest.approx(part["response_time_ns"]["mean"], abs=1)
        assert figures["lat_ns"]["max"] == pytest.approx(part["response_time_ns"]["max"], abs=1)
        # The samples divide the measured interval without a rest, so their mean is the rate.
        assert figures["iops_mean"] == pytest.approx(figures["iops"])
        assert figures["bw_mean"] == pytest.approx(figures["bw_bytes"] / 1024, rel=1e-6)
        assert figures["bw_samples"] == figures["iops_samples"] == 20
        assert sum(figures["clat_ns"]["bins"].values()) == part["ios"]


def test_latencies_of_a_job_are_shared_out_among_fio_s_bins(result: sansim.Result) -> None:
    (job,) = fio_json(result)["jobs"]
    shares = [share for unit in ("ns", "us", "ms") for share in job[f"latency_{unit}"].values()]
    assert math.fsum(shares) == pytest.approx(100, abs=1e-4)
    # No think time, so all I/Os are outstanding always: two for each of the two drives.
    assert job["iodepth_level"] == {"1": 0.0, "2": 0.0, "4": 100.0, "8": 0.0, "16": 0.0, "32": 0.0, ">=64": 0.0}
    assert job["latency_depth"] == 4


def test_what_is_not_simulated_is_zero(result: sansim.Result) -> None:
    (job,) = fio_json(result)["jobs"]
    assert {job[key] for key in ("error", "usr_cpu", "sys_cpu", "ctx", "majf", "minf")} == {0}
    assert job["trim"]["total_ios"] == job["sync"]["total_ios"] == 0
    assert "percentile" not in job["trim"]["clat_ns"]


def test_time_stamps_are_simulated_time(result: sansim.Result) -> None:
    value = fio_json(result)
    end = result.ios["completed_ns"].max()
    assert isinstance(end, float)
    assert value["timestamp_ms"] == round(end / 1e6)
    assert value["time"].startswith("Thu Jan  1 00:00:0")


def test_every_drive_is_a_disk(result: sansim.Result) -> None:
    disks = fio_json(result)["disk_util"]
    assert [disk["name"] for disk in disks] == ["drives[0]", "drives[1]"]
    assert sum(disk["read_ios"] + disk["write_ios"] for disk in disks) == result.summary["ios"]
    assert all(95 < disk["util"] <= 100 for disk in disks)


def test_options_are_those_of_the_scenario() -> None:
    overrides: sansim.Overrides = {
        "workload.read_fraction": 0.66,
        "workload.size": "1 MiB",
        "workload.queue_depth": 3,
        "workload.queue_depth_per": "all",
        "workload.think_time": "50 ms",
        "run.measured_ios": 50,
    }
    (job,) = fio_json(sansim.run(SMALL, overrides))["jobs"]
    options = {key: value for key, value in job["job options"].items() if key != "runtime"}
    assert options == {
        "name": "workload",
        "filename": "drives",
        "rw": "randrw",
        "bs": "1m",
        "iodepth": "3",
        "numjobs": "1",
        "rwmixread": "66",
        "thinktime": "50000",
    }
    # With a think time fewer are outstanding at times.
    assert job["iodepth_level"]["1"] + job["iodepth_level"]["2"] == pytest.approx(100, abs=1e-4)
    assert job["iodepth_level"]["1"] > 0


@pytest.mark.parametrize(("fraction", "rw", "empty"), [(1.0, "randread", "write"), (0.0, "randwrite", "read")])
def test_one_direction_leaves_the_other_empty(fraction: float, rw: str, empty: str) -> None:
    (job,) = fio_json(sansim.run(SMALL, {"workload.read_fraction": fraction}))["jobs"]
    assert job["job options"]["rw"] == rw
    assert "rwmixread" not in job["job options"]
    assert (job[empty]["total_ios"], job[empty]["runtime"], job[empty]["bw_samples"]) == (0, 0, 0)


def test_each_workload_is_a_job() -> None:
    second = '[backup]\nkind = "closed"\nfrom = "controller"\nto = ["drives"]\nsize = "64 KiB"\nqueue_depth = 1\n'
    result = sansim.run(SMALL.read_text(encoding="utf-8") + second)
    first_job, second_job = fio_json(result)["jobs"]
    assert (first_job["jobname"], second_job["jobname"]) == ("workload", "backup")
    ios = result.ios
    for job in (first_job, second_job):
        mine = ios.filter(workload=job["jobname"]).height
        assert job["read"]["total_ios"] + job["write"]["total_ios"] == mine > 0
    assert second_job["job options"]["bs"] == "64k"
    assert first_job["read"]["bw_agg"] + second_job["read"]["bw_agg"] == pytest.approx(100, abs=1e-3)


def test_each_stream_is_a_job_with_the_depth_it_may_have() -> None:
    result = sansim.run(streams("100/s"))
    reads, log = fio_json(result)["jobs"]
    assert {key: value for key, value in reads["job options"].items() if key != "runtime"} == {
        "name": "oltp.reads",
        "filename": "drives",
        "rw": "randread",
        "bssplit": "4k/60:8k/40",
        "iodepth": "2000",
        "numjobs": "1",
        "rate_iops": "100",
        "rate_process": "poisson",
    }
    assert (log["jobname"], log["job options"]["rw"], log["job options"]["bs"]) == ("oltp.log", "write", "64k")
    assert (log["job options"]["iodepth"], log["job options"]["thinktime"]) == ("2", "10000")
    told = result.summary["workloads"]["oltp"]["streams"]
    for name, job, way in (("reads", reads, "read"), ("log", log, "write")):
        assert job[way]["total_ios"] == told[name]["ios"] > 100
        assert job[way]["lat_ns"]["mean"] == pytest.approx(told[name]["response_time_ns"]["mean"], rel=1e-6)
        assert sum(job["iodepth_level"].values()) == pytest.approx(100, abs=1e-4)
    # One at a time most of the time, as hardly a fifth of what the drives do is asked for.
    assert reads["iodepth_level"]["1"] > 30
    assert reads["iodepth_level"][">=64"] == 0


def test_unstable_stream_has_rates_and_no_latencies() -> None:
    result = sansim.run(streams("2000/s"))
    value = fio_json(result)
    reads, log = value["jobs"]
    assert value["sansim"]["unstable"] == ["oltp.reads"]
    assert reads["read"]["total_ios"] == result.summary["workloads"]["oltp"]["streams"]["reads"]["ios"] > 1000
    nothing = {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}
    assert [reads["read"][key] for key in ("slat_ns", "clat_ns", "lat_ns")] == [nothing] * 3
    assert sum(sum(reads[f"latency_{unit}"].values()) for unit in ("ns", "us", "ms")) == 0
    # The same keys as those of a job that has figures, but for percentiles, as of a fio job without I/Os.
    assert reads.keys() == log.keys()
    assert reads["read"].keys() == log["write"].keys()
    assert log["write"]["lat_ns"]["N"] == log["write"]["total_ios"] > 0
    assert all(disk["read_ticks"] == 0 < disk["read_ios"] for disk in value["disk_util"])


def test_run_without_rows_is_refused() -> None:
    result = sansim.run(SMALL, collect_ios=False)
    with pytest.raises(ValueError, match="collect_ios=True"):
        fio_json(result)


# ---------------------------------------------------------------- by hand

SCENARIO = """
[drives]
kind = "drives"
count = 2
[w]
kind = "closed"
to = ["drives"]
size = "4 KiB"
read_fraction = 1.0
queue_depth = 1
queue_depth_per = "drive"
"""
SUMMARY = {
    "title": "by hand",
    "seed": 1,
    "ios": 4,
    "simulated_s": 0.02,
    "stopped_early": False,
    "workloads": {"w": {}},
    "devices": {"drives[0]": {}, "drives[1]": {}},
}


def by_hand() -> dict[str, Any]:
    """Four reads on two drives in the 20 ms up to 100 ms; the first drive thinks for 5 ms, the second not at all."""
    rows = [(0, 1, 85.0, 5.0), (1, 2, 90.0, 10.0), (0, 1, 95.0, 5.0), (1, 2, 100.0, 10.0)]
    ios = pl.DataFrame(
        [
            ("w", slot, f"drives[{drive - 1}]", False, 4096, end * 1e6, took * 1e6, 2e6, 1e6)
            for slot, drive, end, took in rows
        ],
        schema={
            "workload": pl.String,
            "slot": pl.UInt32,
            "device": pl.String,
            "write": pl.Boolean,
            "bytes": pl.UInt64,
            **dict.fromkeys(
                ("completed_ns", "response_time_ns", "host.host_queue_ns", "host.driver_arrival_ns"), pl.Float64
            ),
        },
        orient="row",
    )
    return document(SUMMARY, SCENARIO, ios)


def test_latencies_by_hand() -> None:
    (job,) = by_hand()["jobs"]
    read = job["read"]
    # 3 ms before the adapter has it, the rest after.
    assert read["slat_ns"] == {"min": 3_000_000, "max": 3_000_000, "mean": 3e6, "stddev": 0.0, "N": 4}
    assert read["clat_ns"]["min"] == 2_000_000
    assert read["clat_ns"]["max"] == 7_000_000
    assert read["clat_ns"]["mean"] == 4.5e6
    # Deviations of 2.5 ms, four of them, over three.
    assert read["clat_ns"]["stddev"] == pytest.approx(math.sqrt(4 * 2.5e6**2 / 3))
    percentile = read["clat_ns"]["percentile"]
    assert (percentile["50.000000"], percentile["60.000000"], percentile["99.990000"]) == (
        2_000_000,
        7_000_000,
        7_000_000,
    )
    # 2 ms belongs to the bin from 2 up to 4, 7 ms to the one from 4 up to 10.
    assert (job["latency_ms"]["4"], job["latency_ms"]["10"]) == (50.0, 50.0)
    # The two that the first drive issues: the second is issued after a pause, while the other drive is busy.
    assert job["iodepth_level"]["2"] == 100.0


def test_samples_by_hand() -> None:
    value = by_hand()
    read = value["jobs"][0]["read"]
    assert value["sansim"]["sample_ms"] == 1.0
    # Twenty samples of 1 ms, four of which have an I/O: 1000 a second, 4000 KiB/s.
    assert (read["iops"], read["iops_min"], read["iops_max"], read["iops_mean"]) == (200.0, 0, 1000, 200.0)
    assert (read["bw_min"], read["bw_max"], read["bw_mean"], read["bw_samples"]) == (0, 4000, 800.0, 20)
    assert read["iops_stddev"] == pytest.approx(math.sqrt((4 * 800**2 + 16 * 200**2) / 19))


def test_disks_by_hand() -> None:
    first, second = by_hand()["disk_util"]
    assert (first["read_ios"], first["read_ticks"], first["in_queue"], first["util"]) == (2, 10, 10, 50.0)
    assert (second["read_ios"], second["read_ticks"], second["util"]) == (2, 20, 100.0)


@pytest.mark.parametrize(
    ("value", "name"),
    # fio's bins: 1 wide below 2^7, then 2^(n - 6) wide in the power of two from 2^n on.
    [(0, "0"), (1, "1"), (127, "127"), (128, "129"), (129, "129"), (255, "255"), (256, "258"), (8349, "8384")],
)
def test_values_fall_into_fio_s_bins(value: int, name: str) -> None:
    assert histogram(pl.Series([value])) == {name: 1}


@pytest.mark.parametrize(("pattern", "rw"), [("sequential", "read"), ("random", "randread")])
def test_pattern_of_the_addresses_is_in_the_options(pattern: str, rw: str) -> None:
    scenario = SCENARIO + f'pattern = "{pattern}"\n'
    (job,) = document(SUMMARY | {"ios": 0}, scenario, sansim.run(SMALL).ios.clear())["jobs"]
    assert job["job options"]["rw"] == rw
    assert job["read"]["total_ios"] == 0


def test_every_unit_of_a_scenario_is_read() -> None:
    units = [(name, factor) for name, measures, factor in _core.unit_factors() if measures in ("size", "time")]
    assert {"B", "KB", "KiB", "TiB", "PB", "ps", "us", "\N{GREEK SMALL LETTER MU}s", "s"} <= {name for name, _ in units}
    for name, factor in units:
        assert in_base_units(f"1_500.5 {name}") == 1500.5 * factor
    for none in ("5", "5 parsec", "KiB", ""):
        with pytest.raises(ValueError, match=f"`{none}` is not a number with a unit"):
            in_base_units(none)
