"""`sansim drive fit`: what was measured on a drive of known keys gives those keys, and predicts the rest."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import sansim
from conftest import DATA
from sansim import file_types as kinds
from sansim.cli import cli
from sansim.drive.chart import chart_of
from sansim.drive.fit import DriveFit, drive_fit, models
from sansim.drive.measured import Measured
from sansim.drive.sheet import sheet_text
from sansim.drive.simulated import Bench
from sansim.drive.text import fit_data, fit_text
from sansim.fit.rows import MeasurementError
from sansim.fit.text import mean_error
from sansim.fit.trial import Far
from sansim.html_report.style import svg_file
from shares import in_turn

Asked = tuple[str, str, int, int]
"""Operation, pattern, bytes, depth."""
GRID: list[Asked] = [
    (operation, "random", size, depth)
    for operation in ("read", "write")
    for size in (4096, 65_536, 1_048_576)
    for depth in (1, 4, 16)
]
LONG = 1000
"""As many I/Os of a row tell a key to a per cent."""
GIVEN = {"concurrency": "3"}
"""A key that a test gives if it is not about how keys are found: a whole number takes most of the time of a fit."""
TURNS = in_turn("disks", "flash-drives")
"""Which of the costly models is fitted in this run."""
FIXED: dict[str, object] = {"kind": "drives", "access_time": "4.7 ms", "transfer_rate": "63 MB/s", "concurrency": 3}


def measured_on(drive: dict[str, object], asked: Iterable[Asked] = GRID) -> list[Measured]:
    """Rows as the product itself measures them; with a seed that fits do not use."""
    return [measured_row(json.dumps(drive), one) for one in asked]


@cache
def measured_row(drive: str, asked: Asked) -> Measured:
    """A row, which several tests have."""
    operation, pattern, size, depth = asked
    row = Measured("", operation == "write", pattern == "sequential", size, depth, 1.0)
    return replace(row, response_ns=Bench(seed=77).response_ns(json.loads(drive), row, 1000))


def written(folder: Path, rows: Iterable[Measured], name: str = "drive.csv") -> Path:
    """Rows as a file."""
    file = folder / name
    file.write_text(sheet_text(list(rows), ["made by a test"]), encoding="utf-8")
    return file


def value_of(fit: DriveFit, key: str) -> float:
    """A fitted value in base units."""
    value = next(one.value for one in fit.fitted if one.key == key)
    if isinstance(value, int):
        return value
    number, unit = value.split()
    return float(number) * {"ms": 1e6, "us": 1e3, "ns": 1.0, "MB/s": 1e6, "KB/s": 1e3, "GB/s": 1e9}[unit]


def run(*arguments: object) -> Result:
    """The command in this process."""
    done = CliRunner().invoke(cli, ["drive", "fit", *map(str, arguments)])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


# ---------------------------------------------------------------- a fixed drive


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> DriveFit:
    """The fixed drive, fitted to half of its rows."""
    return drive_fit(written(tmp_path_factory.mktemp("fixed"), measured_on(FIXED)), "drives", ios=LONG)


def test_a_drive_of_known_keys_is_found_again_and_predicts_what_was_held_out(fitted: DriveFit) -> None:
    fit = fitted
    assert value_of(fit, "concurrency") == 3
    assert next(one.others for one in fit.fitted if one.key == "concurrency") == ()
    assert value_of(fit, "access_time") == pytest.approx(4.7e6, rel=0.01)
    assert value_of(fit, "transfer_rate") == pytest.approx(63e6, rel=0.01)
    assert {row.used for row in fit.rows} == {True, False}
    assert (mean_error(fit.held_out) or 1.0) < 0.005
    # No value is said to be better known than it is.
    for key, true in (("access_time", 4.7e6), ("transfer_rate", 63e6)):
        error = next(one.error for one in fit.fitted if one.key == key)
        assert error is not None
        assert abs(value_of(fit, key) / true - 1) < 2 * error


def test_noise_of_measurements_is_not_fitted_away(fitted: DriveFit, tmp_path: Path) -> None:
    rows = measured_on(FIXED)
    noisy = [
        Measured("", row.write, row.sequential, row.bytes, row.queue_depth, row.response_ns * (1.08 if n % 3 else 0.92))
        for n, row in enumerate(rows)
    ]
    fit = drive_fit(written(tmp_path, noisy), "drives", ios=LONG)
    assert value_of(fit, "access_time") == pytest.approx(4.7e6, rel=0.1)
    assert 0.02 < (mean_error(fit.used) or 0.0) < 0.1
    assert 0.02 < (mean_error(fit.held_out) or 0.0) < 0.12
    error, less = (next(one.error or 0.0 for one in each.fitted if one.key == "access_time") for each in (fit, fitted))
    assert error > 2 * less


def test_times_that_no_drive_of_the_model_has_are_said_to_be_so(tmp_path: Path) -> None:
    # Large commands that are quicker than small ones, and reads that take fifty times as long as writes.
    asked = [(write, size, depth) for write in (False, True) for size in (4096, 65_536) for depth in (1, 8)]
    rows = [
        Measured("", write, False, size, depth, (1e5 if write else 5e6) * (4096 / size) * depth)
        for write, size, depth in asked
    ]
    fit = drive_fit(written(tmp_path, rows), "drives", ios=100)
    assert (mean_error(fit.used) or 0.0) > 0.5
    text = fit_text(fit)
    assert "! no drive of this model makes these times" in text
    assert "a difference between reads and writes" in text


def test_what_rows_cannot_tell_is_not_told(tmp_path: Path) -> None:
    """With one size nothing tells an access time from a transfer; with one depth nothing tells a concurrency."""
    rows = measured_on(FIXED, [("read", "random", 4096, 1)])
    fit = drive_fit(written(tmp_path, rows), "drives", use=["all"], ios=100)
    assert [one.key for one in fit.fitted] == ["access_time"]
    assert [key for key, _ in fit.not_fitted] == ["transfer_rate", "concurrency"]
    text = fit_text(fit)
    assert "transfer_rate: not fitted: the rows used say nothing of it; taken as 100 MB/s" in text
    assert "! nothing was held out" in text


def test_numbers_that_do_as_well_stand_beside_the_best(tmp_path: Path) -> None:
    """With two commands at most nobody can know whether a third would have waited."""
    rows = measured_on(FIXED, [("read", "random", size, depth) for size in (4096, 65_536) for depth in (1, 2)])
    fit = drive_fit(written(tmp_path, rows), "drives", use=["all"], ios=400)
    concurrency = next(one for one in fit.fitted if one.key == "concurrency")
    assert concurrency.value == 2
    assert {4, 8, 16} <= set(concurrency.others)
    assert 1 not in concurrency.others
    assert "! not told by the rows used, as other numbers do as well: concurrency" in fit_text(fit)


def test_a_key_without_effect_has_no_standard_error(tmp_path: Path) -> None:
    """An access time of a few nanoseconds beside transfers of milliseconds."""
    drive = {**FIXED, "access_time": "20 ns", "transfer_rate": "1 MB/s", "concurrency": 1}
    rows = measured_on(drive, [("read", "random", size, 1) for size in (65_536, 131_072, 262_144, 1_048_576)])
    fit = drive_fit(written(tmp_path, rows), "drives", use=["all"], ios=LONG)
    access = next(one for one in fit.fitted if one.key == "access_time")
    assert access.error is not None
    assert access.error >= 1
    assert "! not told by the rows used, alone or apart from the others: access_time" in fit_text(fit)
    assert (mean_error(fit.used) or 1.0) < 0.005, "it stays where the others need it"
    assert value_of(fit, "transfer_rate") == pytest.approx(1e6, rel=0.01)


def test_what_is_given_is_not_fitted(tmp_path: Path) -> None:
    file = written(tmp_path, measured_on(FIXED))
    fit = drive_fit(file, "drives", settings={"concurrency": "3", "transfer_rate": "63 MB/s"}, ios=LONG)
    assert [one.key for one in fit.fitted] == ["access_time"]
    assert value_of(fit, "access_time") == pytest.approx(4.7e6, rel=0.01)
    wrong = drive_fit(file, "drives", settings={"concurrency": "1"}, ios=100)
    assert (mean_error(wrong.used) or 0.0) > 0.05, "with a wrong one nothing fits"


def test_the_same_measurements_give_the_same_fit(tmp_path: Path) -> None:
    file = written(tmp_path, measured_on(FIXED, GRID[:4]))
    assert fit_data(drive_fit(file, "drives", ios=100)) == fit_data(drive_fit(file, "drives", ios=100))


# ---------------------------------------------------------------- a disk, a flash drive


@TURNS["disks"]
@pytest.mark.skipif("disks" not in models(), reason="this build has no disks")
def test_a_disk_is_found_again_as_far_as_rows_tell(tmp_path: Path) -> None:
    """Random commands in their order tell the average seek, and little of the shortest and the longest."""
    disk = {
        "kind": "disks",
        "rpm": 7200,
        "seek": {"form": "three-point", "single": "1.2 ms", "average": "9 ms", "full": "18 ms"},
        "read_overhead": "0.4 ms",
        "hit_overhead": "0.4 ms",
        "block_transfer": "0 ns",
    }
    asked: list[Asked] = [("read", "random", size, depth) for size in (4096, 65_536) for depth in (1, 4, 16)]
    asked += [("read", "sequential", size, 1) for size in (4096, 65_536, 1_048_576)]
    fit = drive_fit(written(tmp_path, measured_on(disk, asked)), "disks", settings={"rpm": "7200"}, ios=1000)
    assert value_of(fit, "seek.average") == pytest.approx(9e6, rel=0.05)
    assert value_of(fit, "read_overhead") == pytest.approx(0.4e6, rel=0.05)
    zones = next(one.value for one in fit.fitted if one.key == "zones")
    assert float(str(zones).removesuffix(" x")) == pytest.approx(1, rel=0.1)
    assert {"seek.full", "rpm"} <= {key for key, _ in fit.not_fitted}
    assert (mean_error(fit.held_out) or 1.0) < 0.03


@TURNS["flash-drives"]
@pytest.mark.skipif("flash-drives" not in models(), reason="this build has no flash drives")
def test_a_flash_drive_is_found_again(tmp_path: Path) -> None:
    flash = {
        "kind": "flash-drives",
        "read_time": "50 us",
        "command_overhead": "8 us",
        "channels": 4,
        "channel_rate": "400 MB/s",
    }
    asked: list[Asked] = [("read", "random", size, depth) for size in (4096, 131_072) for depth in (1, 4, 16, 64)]
    file = written(tmp_path, measured_on(flash, asked))
    fit = drive_fit(file, "flash-drives", settings={"channels": "4", "link_rate": "4 GB/s"}, ios=400)
    assert value_of(fit, "read_time") == pytest.approx(50e3, rel=0.1)
    assert value_of(fit, "channel_rate") == pytest.approx(400e6, rel=0.1)
    assert value_of(fit, "command_overhead") == pytest.approx(8e3, rel=0.5)
    assert ("program_time", "the rows used say nothing of it") in fit.not_fitted
    assert (mean_error(fit.held_out) or 1.0) < 0.05


# ---------------------------------------------------------------- which rows


def test_half_of_each_operation_and_pattern_is_used(tmp_path: Path) -> None:
    """Also where reads and writes take turns in the file."""
    rows = measured_on(FIXED)
    mixed = [row for pair in zip(rows[:9], rows[9:], strict=True) for row in pair]
    fit = drive_fit(written(tmp_path, mixed), "drives", settings={"concurrency": "3"}, ios=100)
    for write in (False, True):
        used = [(row.measured.bytes, row.measured.queue_depth) for row in fit.used if row.measured.write == write]
        assert used == [(size, depth) for _, _, size, depth in GRID[:9:2]]


def test_rows_are_chosen_by_columns(tmp_path: Path) -> None:
    file = written(tmp_path, measured_on(FIXED))
    fit = drive_fit(file, "drives", use=["queue_depth=1,16"], only=["operation=read"], settings=GIVEN, ios=100)
    assert {row.measured.operation for row in fit.rows} == {"read"}
    assert {row.measured.queue_depth for row in fit.held_out} == {4}
    assert (mean_error(fit.held_out) or 1.0) < 0.02


def test_a_measurement_that_was_repeated_is_no_prediction(tmp_path: Path) -> None:
    rows = measured_on(FIXED, GRID[:4])
    again = Measured("", False, False, rows[1].bytes, rows[1].queue_depth, rows[1].response_ns * 1.5)
    fit = drive_fit(written(tmp_path, [*rows, again]), "drives", ios=100)
    assert len(fit.rows) == 4
    assert fit.rows[1].measured.response_ns == pytest.approx(rows[1].response_ns * 1.25)
    assert "asks the same as" in fit_text(fit)
    assert "differ by 50.0%" in fit_text(fit)


# ---------------------------------------------------------------- a data sheet


def test_a_data_sheet_is_exact_where_it_was_measured_and_between_as_straight_lines_are(tmp_path: Path) -> None:
    fit = drive_fit(written(tmp_path, measured_on(FIXED)), "data-sheet", ios=LONG)
    assert {row.measured.queue_depth for row in fit.used} == {1, 16}
    assert {row.measured.queue_depth for row in fit.held_out} == {4}
    assert all(abs(row.error or 0.0) < 1e-5 for row in fit.used)
    four = next(row for row in fit.held_out if (row.measured.bytes, row.measured.queue_depth) == (4096, 4))
    ends = {row.measured.queue_depth: row.measured.response_ns for row in fit.used if row.measured.bytes == 4096}
    assert four.simulated == pytest.approx(ends[1] + (ends[16] - ends[1]) * 3 / 15, rel=1e-3)


def test_what_a_data_sheet_does_not_say_is_no_prediction(tmp_path: Path) -> None:
    """Of one size it does not say how long a larger command takes."""
    asked: list[Asked] = [(way, "random", size, 1) for way in ("read", "write") for size in (4096, 65_536)]
    fit = drive_fit(written(tmp_path, measured_on(FIXED, asked)), "data-sheet", use=["size=4KiB"])
    assert [row.simulated for row in fit.held_out] == [None, None]
    assert mean_error(fit.held_out) is None
    assert "the drive cannot carry it out: the data sheet of" in fit_text(fit)


def test_a_data_sheet_without_writes_is_refused_before_it_is_written(tmp_path: Path) -> None:
    file = written(tmp_path, measured_on(FIXED, GRID[:4]))
    done = run(file, "--model", "data-sheet", "--write", tmp_path / "new.toml")
    assert done.exit_code == 2
    assert "there are no writes among the rows used" in done.stderr
    assert not (tmp_path / "new.toml").exists()


# ---------------------------------------------------------------- fio


def test_jobs_of_fio_are_rows_and_what_is_no_measurement_is_left_out() -> None:
    """The file was made of a drive with an access time of 5 ms and 50 MB/s, and 5 us for each submission."""
    fit = drive_fit(DATA / "fio-result.json", "drives", ios=LONG)
    assert value_of(fit, "access_time") == pytest.approx(5e6, rel=0.005)
    assert value_of(fit, "transfer_rate") == pytest.approx(50e6, rel=0.005)
    assert (mean_error(fit.held_out) or 1.0) < 0.005
    copies = next(row.measured for row in fit.rows if row.measured.bytes == 16_384)
    assert copies.queue_depth == 16, "four copies of a depth of four"
    reasons = " ".join(fit.measurements.left_out)
    assert [reasons.count(word) for word in ("job mixed", "job sync", "job gone")] == [1, 1, 1]
    assert "`rw=randrw` mixes reads and writes" in reasons
    assert "1 I/Os were under way in the mean where 8 were asked for" in reasons
    assert "it ended with an error" in reasons


def test_what_sansim_writes_in_the_form_of_fio_is_read(tmp_path: Path) -> None:
    files = []
    for number, (_, _, size, depth) in enumerate(GRID[:9]):
        row = Measured("", False, False, size, depth, 1.0)
        place = tmp_path / f"{number}.json"
        sansim.run(Bench(seed=5).scenario(FIXED, row, 500)).save_fio_json(place)
        files.append(place)
    fit = drive_fit(files, "drives", settings=GIVEN, ios=500)
    assert len(fit.rows) == 9
    assert value_of(fit, "access_time") == pytest.approx(4.7e6, rel=0.01)


def fio_of(options: dict[str, object], **more: object) -> str:
    """The result of a job of 4 KiB reads of 5 ms each."""
    way: dict[str, object] = {
        "iops": 200.0,
        "total_ios": 2000,
        "clat_ns": {"mean": 5e6, "N": 2000},
        "lat_ns": {"mean": 5e6, "N": 2000},
    }
    nothing = {"iops": 0.0, "total_ios": 0, "clat_ns": {"mean": 0.0}, "lat_ns": {"mean": 0.0}}
    job = {"jobname": "a", "groupid": 0, "error": 0, "job options": options, "read": way, "write": nothing}
    return json.dumps({"fio version": "fio-3.36", "global options": {}, "jobs": [{**job, **more}]})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rw": "randtrim"}, "neither reads nor writes"),
        ({"rw": "randread", "bssplit": "4k/50:8k/50"}, "`bssplit=4k/50:8k/50` is not one size"),
        ({"rw": "randread", "bs": "huge"}, "`bs=huge` is no size"),
        ({"rw": "randread", "random_distribution": "zipf:1.2"}, "neither random over the whole drive nor sequential"),
        ({"rw": "read", "numjobs": "4", "iodepth": "1"}, "sequential streams at a time"),
        ({"rw": "randwrite"}, "no I/O of it was done"),
        ({"rw": "randread", "iodepth": "none"}, "`none` is no number"),
        ({"rw": "randrw", "rwmixread": "70"}, "mixes reads and writes"),
    ],
)
def test_a_job_that_is_no_measurement_says_why(options: dict[str, object], words: str, tmp_path: Path) -> None:
    file = tmp_path / "fio.json"
    file.write_text(fio_of(options), encoding="utf-8")
    with pytest.raises(MeasurementError) as caught:
        drive_fit(file, "drives")
    assert "job a: " in str(caught.value)
    assert words in str(caught.value)
    assert "no job can be used" in str(caught.value)


@pytest.mark.parametrize(
    ("options", "size"),
    [
        ({"rw": "randread"}, 4096),
        ({"rw": "randread", "bs": "8k"}, 8192),
        ({"rw": "randread", "bs": "16k,4k"}, 16_384),
        ({"rw": "randread", "bs": "1ki"}, 1000),
        ({"rw": "randread", "bs": "1ki", "kb_base": "1000"}, 1024),
        ({"readwrite": "randread", "blocksize": "1m"}, 1_048_576),
        ({"rw": "randrw", "rwmixread": "100", "bs": "512"}, 512),
    ],
)
def test_sizes_are_as_fio_reads_them(options: dict[str, object], size: int, tmp_path: Path) -> None:
    file = tmp_path / "fio.json"
    file.write_text(fio_of(options), encoding="utf-8")
    fit = drive_fit(file, "drives", use=["all"], ios=100)
    assert [row.measured.bytes for row in fit.rows] == [size]
    assert "`direct` is not 1" in fit_text(fit)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"fio version": "fio-3.36", "jobs": [', "line 1, column 38: this is no JSON"),
        ('{"hello": 1}', "it has no list `jobs`"),
        ('{"client_stats": []}', "of several computers"),
        (fio_of({"rw": "randread"}).replace("clat_ns", "clat"), "no `clat_ns`; fio 3 writes it"),
        (fio_of({"rw": "randread"}).replace("total_ios", "ios"), "it is not as fio 3 writes it"),
    ],
)
def test_what_is_no_output_of_fio_is_said_to_be_none(text: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "fio.json"
    file.write_text(text, encoding="utf-8")
    done = run(file, "--model", "drives")
    assert done.exit_code == 2
    assert "fio.json" in done.stderr
    assert words in done.stderr


# ---------------------------------------------------------------- bad input


HEAD = "operation,size,queue_depth,response_time\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["there is nothing in it"]),
        ("# only a remark\n", ["there is nothing in it"]),
        (HEAD, ["there are no rows"]),
        ("rw,bs,iodepth,iops\nread,4 KiB,1,100\n", ["line 1", "no column `operation`; call `rw` so", "call `bs` so"]),
        ("operation,size,queue_depth\nread,4 KiB,1\n", ["names no column `response_time` or `iops`"]),
        (HEAD.replace("size", "size,size"), ["the column `size` is there twice"]),
        (HEAD + "reed,4 KiB,1,1 ms\n", ["line 2: operation is `reed`; it must be read or write"]),
        (HEAD + "read,4096,1,1 ms\n", ["line 2: size is `4096`; it must be a number with a unit, as 4 KiB"]),
        (HEAD + "read,8 GiB,1,1 ms\n", ["line 2: size is `8 GiB`; an I/O has at most"]),
        (HEAD + "read,4 KiB,0,1 ms\n", ["line 2: queue_depth is `0`; it must be a whole number from 1 to 65536"]),
        (HEAD + "read,4 KiB,1,5\n", ["line 2: response_time is `5`; it must be a time above 0, as 5.1 ms"]),
        (HEAD + "read,4 KiB,1\n", ["line 2: response_time is empty"]),
        (HEAD + "read,4 KiB,1,1 ms\n\nwrite,x,y,z\n", ["line 4: queue_depth is `y`"]),
        ("operation,size,queue_depth,iops\nread,4 KiB,1,-3\n", ["line 2: iops is `-3`; it must be a number above 0"]),
    ],
)
def test_a_table_that_cannot_be_read_says_where_and_what_instead(text: str, words: list[str], tmp_path: Path) -> None:
    file = tmp_path / "drive.csv"
    file.write_text(text, encoding="utf-8")
    done = run(file, "--model", "drives")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    for word in words:
        assert word in done.stderr


def test_of_many_broken_lines_ten_are_told(tmp_path: Path) -> None:
    file = tmp_path / "drive.csv"
    file.write_text(HEAD + "read,4 KiB,1,soon\n" * 25, encoding="utf-8")
    done = run(file, "--model", "drives")
    assert done.stderr.count("it must be a time") == 10
    assert "and 15 more lines" in done.stderr


def test_a_rate_that_does_not_go_with_the_time_is_told(tmp_path: Path) -> None:
    file = tmp_path / "drive.csv"
    file.write_text(HEAD.strip() + ",iops\nread,4 KiB,4,10 ms,400\nread,8 KiB,4,10 ms,100\n", encoding="utf-8")
    fit = drive_fit(file, "drives", use=["all"], ios=100)
    assert len(fit.measurements.notes) == 1
    assert "100 I/Os per second of 10 ms each are 1 under way, not 4; the response time is taken" in fit_text(fit)


def test_both_settings_of_a_cache_are_not_one_drive(tmp_path: Path) -> None:
    file = tmp_path / "drive.csv"
    lines = [
        f"read,{size} KiB,1,{size * (1 if cache == 'on' else 3)} ms,{cache}"
        for size in (4, 8)
        for cache in ("on", "off")
    ]
    file.write_text("\n".join([HEAD.strip() + ",cache", *lines, ""]), encoding="utf-8")
    done = run(file, "--model", "drives")
    assert done.exit_code == 2
    assert "choose by --only cache=on" in done.stderr
    fit = drive_fit(file, "drives", only=["cache=off"], use=["all"], settings=GIVEN, ios=100)
    assert [row.measured.response_ns for row in fit.rows] == [12e6, 24e6]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], ["--model is missing; there are", "data-sheet", "drives"]),
        (["--model", "drive"], ["there is no `drive`, did you mean drives?"]),
        (["--model", "drives", "--use", "some"], ["`some` is not COLUMN=VALUES", "operation, pattern, size"]),
        (["--model", "drives", "--use", "depth=1"], ["`depth=1` is not COLUMN=VALUES"]),
        (["--model", "drives", "--use", "queue_depth=7"], ["no row has queue_depth=7"]),
        (["--model", "drives", "--use", "all", "--use", "size=4 KiB"], ["stand alone in --use"]),
        (["--model", "drives", "--only", "size=4"], ["size is `4`; it must be a number with a unit"]),
        (["--model", "drives", "--only", "pattern=sequential"], ["no row of drive.csv has pattern=sequential"]),
        (["--model", "drives", "--set", "rpm=7200"], ["`drive` has no key `rpm`", "--> --set"]),
        (["--model", "drives", "--set", "kind=drives"], ["cannot be set"]),
        (["--model", "drives", "--set", "concurrency"], ["is not key=value"]),
        (["--model", "drives", "--plot", "x.bmp"], ["ends neither in .png nor in .svg"]),
        (["--model", "drives", "--write", "x.csv"], ["a drive is written as FILE.toml"]),
    ],
)
def test_wishes_that_make_no_sense_are_refused(options: list[str], words: list[str], tmp_path: Path) -> None:
    done = run(written(tmp_path, measured_on(FIXED, GRID[:2])), *options)
    assert done.exit_code == 2
    for word in words:
        assert word in done.stderr


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "raw").write_bytes(b"\xff\xfe\x00\x01")
    assert "it is no text" in run(tmp_path / "raw", "--model", "drives").stderr
    for name in ("nowhere.csv", "."):
        done = run(tmp_path / name, "--model", "drives")
        assert done.exit_code == 2
        assert str(tmp_path) in done.stderr
        assert "Errno" not in done.stderr


# ---------------------------------------------------------------- what is written


@pytest.mark.parametrize("model", ["drives", "data-sheet"])
def test_the_drive_that_is_written_makes_the_times_that_were_told(model: str, tmp_path: Path) -> None:
    # A data sheet has to have writes; to the model `drives` they are the same as reads.
    rows = measured_on(FIXED, GRID if model == "data-sheet" else GRID[:9])
    file, place = written(tmp_path, rows), tmp_path / "fitted.toml"
    done = run(file, "--model", model, "--write", place, "--json", "--ios", 500)
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    for row in told["rows"][:4]:
        result = sansim.run(
            place,
            {
                "workload.size": f"{row['bytes']} B",
                "workload.queue_depth": row["queue_depth"],
                "host.driver.outstanding_limit": 255,
                "run.measured_ios": 500,
            },
        )
        assert result.summary["response_time_ns"]["mean"] == pytest.approx(row["simulated_ns"], rel=1e-9)
    text = place.read_text(encoding="utf-8")
    assert 'title = "Drive fitted to drive.csv"' in text
    assert ("# fitted to drive.csv" in text) == (model == "drives")
    assert (tmp_path / "fitted.csv").exists() == (model == "data-sheet")


def test_what_was_given_is_written_too(tmp_path: Path) -> None:
    file, place = written(tmp_path, measured_on(FIXED)), tmp_path / "fitted.toml"
    assert (
        run(
            file,
            "--model",
            "drives",
            "--set",
            "concurrency=3",
            "--set",
            "capacity=1 TB",
            "--ios",
            100,
            "--write",
            place,
        ).exit_code
        == 0
    )
    lines = place.read_text(encoding="utf-8").splitlines()
    assert "concurrency = 3  # given" in lines
    assert 'capacity = "1 TB"  # given' in lines
    assert sansim.check(place) == []


def test_nothing_that_is_there_is_replaced(tmp_path: Path) -> None:
    file, notes = written(tmp_path, measured_on(FIXED, [*GRID[:3], *GRID[9:12]])), tmp_path / "notes.toml"
    notes.write_text("years of work\n", encoding="utf-8")
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("years of work\n", encoding="utf-8")
    for options in (
        ["--model", "drives", "--write", notes],
        ["--model", "data-sheet", "--write", tmp_path / "sheet.toml"],
        ["--model", "drives", "--plot", tmp_path / "plot.png"],
        ["--model", "data-sheet", "--write", tmp_path / "drive.toml", "--force"],
    ):
        (tmp_path / "plot.png").write_bytes(b"\x89PNG\r\n\x1a\n of others")
        done = run(file, *options)
        assert done.exit_code == 2
        assert "stays as it is" in done.stderr or "is what is read" in done.stderr
    assert notes.read_text(encoding="utf-8") == sheet.read_text(encoding="utf-8") == "years of work\n"
    assert not (tmp_path / "sheet.toml").exists()
    assert run(file, "--model", "drives", "--ios", 100, "--write", notes, "--force").exit_code == 0
    assert sansim.check(notes) == []


def test_the_picture_is_of_its_kind_and_always_the_same(tmp_path: Path) -> None:
    file, picture = written(tmp_path, measured_on(FIXED, GRID[:2])), tmp_path / "fit.png"
    done = run(file, "--model", "drives", "--ios", 100, "--plot", picture)
    assert done.exit_code == 0, done.stderr
    assert kinds.is_of(picture, kinds.PNG)
    kinds.check_place(picture, kinds.PNG)
    fit = drive_fit(file, "drives", ios=100)
    assert svg_file(chart_of(fit)) == svg_file(chart_of(fit))


def test_used_and_predicted_rows_are_never_mixed_up(tmp_path: Path) -> None:
    fit = drive_fit(written(tmp_path, measured_on(FIXED, GRID[:6])), "drives", settings=GIVEN, ios=100)
    told = fit_data(fit)
    assert [row["use"] for row in told["rows"]] == ["used" if row.used else "predicted" for row in fit.rows]
    for part, rows in (("used", fit.used), ("predicted", fit.held_out)):
        assert told["errors"][part]["rows"] == len(rows) == 3
        own = [abs(row["error"]) for row in told["rows"] if row["use"] == part]
        assert told["errors"][part]["mean"] == pytest.approx(math.fsum(own) / 3)
    file = written(tmp_path, measured_on(FIXED, GRID[:6]))
    everything = drive_fit(file, "drives", use=["all"], settings=GIVEN, ios=100)
    assert "predicted, 0 rows" in fit_text(everything)
    assert all(row["use"] == "used" for row in fit_data(everything)["rows"])


def test_far_is_told_while_it_goes_on(tmp_path: Path) -> None:
    seen: list[Far] = []
    drive_fit(written(tmp_path, measured_on(FIXED, GRID[:3])), "drives", ios=100, progress=seen.append)
    assert [one.tried for one in seen] == sorted(one.tried for one in seen)
    assert seen[0].doing == "looking over the ranges"
    assert seen[-1].error < seen[0].error
