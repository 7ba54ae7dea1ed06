"""`sansim calibrate`: unknown values found from measurements, with intervals that hold, and nothing made up."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from conftest import Cli
from sansim import _core
from sansim.analysis.calibrate.fit import Calibration, Trial, calibrate, unknown_of
from sansim.analysis.calibrate.measured import Row, read_rows
from sansim.analysis.plan.model import Base
from sansim.fit.rows import MeasurementError

SYSTEM = """
[run]
measured_ios = 400
[host]
kind = "host"
attached = ["drives"]
[drives]
kind = "drives"
count = 1
capacity = "1 GiB"
access_time = { distribution = "exponential", mean = "3 ms" }
transfer_rate = "40 MB/s"
[load]
kind = "closed"
from = "host"
to = ["drives"]
size = "64 KiB"
queue_depth = 1
"""
BASE = Base(SYSTEM, "system.toml", Path())
UNKNOWN = (unknown_of("drives.transfer_rate=10 MB/s..200 MB/s"), unknown_of("drives.access_time.mean=1 ms..20 ms"))
TRUE = (40.0, 3.0)
NOISE = 0.03
SIZES = ("4 KiB", "16 KiB", "64 KiB", "256 KiB", "1 MiB")


def exact_rows() -> list[Row]:
    """What the system gives at some sizes and depths."""
    settings = [(("load.size", size), ("load.queue_depth", depth)) for size in SIZES for depth in ("1", "4")]
    rows = [Row(number, of, 1.0, 1.0) for number, of in enumerate(settings, start=2)]
    outcomes = Trial(BASE, (), UNKNOWN, rows).outcomes(TRUE, rows)
    assert outcomes is not None
    return [Row(row.line, row.settings, iops, response) for row, (iops, response) in zip(rows, outcomes, strict=True)]


def noisy(rows: Sequence[Row], seed: int) -> list[Row]:
    """The same as measured with an error of a few per cent, in each number by itself."""
    r = random.Random(seed)

    def off(value: float | None) -> float:
        assert value is not None
        return value * math.exp(r.gauss(0.0, NOISE))

    return [Row(row.line, row.settings, off(row.iops), off(row.response_ns)) for row in rows]


def held(trials: int) -> tuple[int, int]:
    """How many intervals have the true value in them, of how many."""
    rows, inside = exact_rows(), 0
    for seed in range(trials):
        found = calibrate(BASE, noisy(rows, seed), UNKNOWN)
        assert found.is_determined
        inside += sum(one.low <= true <= one.high for one, true in zip(found.found, TRUE, strict=True))
    return inside, trials * len(TRUE)


def least_of(count: int) -> float:
    """So many intervals of 95 % hold at least, but for one experiment in a hundred."""
    return 0.95 * count - 2.33 * math.sqrt(0.95 * 0.05 * count)


@pytest.mark.slow
def test_true_values_are_in_their_intervals() -> None:
    inside, count = held(12)
    assert inside >= least_of(count)


@pytest.mark.long
def test_true_values_are_in_95_of_100_intervals() -> None:
    inside, count = held(200)
    assert inside >= least_of(count)
    # Intervals that always hold would be wider than they say.
    assert inside < count


def test_exact_measurements_give_the_values_and_predict_the_rest() -> None:
    found = calibrate(BASE, exact_rows(), UNKNOWN)
    for one, true in zip(found.found, TRUE, strict=True):
        assert one.value == pytest.approx(true, rel=2e-3)
    assert len(found.held_out()) == 5
    assert all(abs(error) < 2e-3 for row in found.held_out() for error in row.errors)


def words(found: Calibration) -> str:
    return " ".join(found.text().split())


def untold(found: Calibration) -> list[str]:
    return [one.unknown.key for one in found.found if one.why_untold is not None]


def test_two_values_that_do_the_same_cannot_be_told_apart() -> None:
    # At one size a slower transfer and a longer access are the same; response times alone do not tell how
    # access times vary.
    rows = [Row(2, (("load.queue_depth", str(depth)),), None, depth * 4.6384e6) for depth in (1, 2, 3, 4)]
    system = SYSTEM.replace('{ distribution = "exponential", mean = "3 ms" }', '"3 ms"')
    base = Base(system, "system.toml", Path())
    unknown = [unknown_of("drives.transfer_rate=10 MB/s..200 MB/s"), unknown_of("drives.access_time=0.1 ms..20 ms")]
    found = calibrate(base, rows, unknown, use_all=True)
    assert untold(found) == [one.key for one in unknown]
    assert found.settings == {}
    assert "the rows used for fitting cannot separate its effect from that of other unknown values" in words(found)


def test_a_value_that_nothing_depends_on_cannot_be_told() -> None:
    unknown = [UNKNOWN[0], unknown_of("load.think_time=1 ns..10 ns")]
    found = calibrate(BASE, noisy(exact_rows(), 1), unknown)
    assert untold(found) == ["load.think_time"]
    assert "load.think_time cannot be determined: no row used for fitting depends on it." in words(found)
    assert "or set load.think_time from another source and leave it out of --unknown" in words(found)
    assert list(found.settings) == ["drives.transfer_rate"]


OVERLOADED = """
[run]
measured_ios = 600
[net]
kind = "fabric"
speed = "4GFC"
stations = ["hosts", "drives"]
[hosts]
kind = "host"
count = 4
[drives]
kind = "drives"
count = 2
capacity = "1 GiB"
access_time = "3 ms"
transfer_rate = "100 MB/s"
[load]
kind = "synthetic"
from = "hosts"
to = "drives"
size = "8 KiB"
arrivals = { process = "poisson", rate = "400/s" }
"""
"""Four hosts that ask two drives for more than these do."""


def test_rows_in_which_several_hosts_saturate_the_drives_are_simulated() -> None:
    base = Base(OVERLOADED, "system.toml", Path())
    rows = []
    for line, rate in enumerate(("300/s", "400/s", "500/s", "600/s"), start=2):
        settings = (("load.arrivals.rate", rate),)
        summary = Trial(base, (), (), []).run(Row(line, settings, None, None), ())
        assert summary is not None
        rows.append(Row(line, settings, summary[0], None))
    found = calibrate(base, rows, [unknown_of("drives.access_time=0.5 ms..20 ms")], use_all=True)
    assert found.found[0].value == pytest.approx(3.0, rel=0.02)
    assert found.simulated_rows == (2, 3, 4, 5)
    assert "were simulated where the load exceeds the capacity" in words(found)


def test_a_row_without_a_result_at_any_value_is_named() -> None:
    base = Base(OVERLOADED, "system.toml", Path())
    rows = [Row(2, (("load.arrivals.rate", "10/s"),), None, 4e6), Row(3, (), None, 5e6)]
    with pytest.raises(MeasurementError, match=r"the row of line 3 \(the scenario as it is\) has no result"):
        calibrate(base, rows, [unknown_of("drives.access_time=3 ms..20 ms")], use_all=True)


def test_more_unknowns_than_numbers_are_refused() -> None:
    rows = [Row(2, (), None, 4.6e6), Row(3, (("load.queue_depth", "2"),), None, 9.2e6)]
    with pytest.raises(MeasurementError, match="the data cannot determine the values: 2 numbers of 2 rows"):
        calibrate(BASE, rows, UNKNOWN)


def test_the_command_tells_values_predictions_and_what_to_set(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "system.toml").write_text(SYSTEM)
    lines = ["load.size,load.queue_depth,iops,response_ms"]
    for row in exact_rows():
        assert row.response_ns is not None
        lines.append(f"{row.settings[0][1]},{row.settings[1][1]},{row.iops},{row.response_ns / 1e6}")
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    arguments = ["--to", tmp_path / "rows.csv", "--unknown", "drives.transfer_rate=10 MB/s..200 MB/s"]
    done = cli("calibrate", tmp_path / "system.toml", *arguments)
    assert done.returncode == 0, done.stderr
    assert re.search(r"drives.transfer_rate is (39.9\d|40.0\d|40) MB/s; its 95 % interval is", done.stdout)
    assert "5 of 10 rows were used for fitting, with the analytic model." in done.stdout
    assert "The 5 other rows are predicted with an error of" in " ".join(done.stdout.split())
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    assert "--set 'drives.transfer_rate=" in done.stdout
    found = json.loads(cli("calibrate", tmp_path / "system.toml", *arguments, "--json").stdout)
    assert found["values"]["drives.transfer_rate"]["untold"] is None
    assert found["held_out_error"] < 2e-3


def test_too_few_rows_end_with_the_exit_code_of_what_is_not_determined(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "system.toml").write_text(SYSTEM)
    (tmp_path / "rows.csv").write_text("iops\n216\n")
    unknown = ["--unknown", "drives.transfer_rate=10 MB/s..200 MB/s", "--unknown", "load.think_time=1 ns..9 ns"]
    done = cli("calibrate", tmp_path / "system.toml", "--to", tmp_path / "rows.csv", *unknown)
    assert done.returncode == 3
    assert "measure more rows, or name fewer keys with --unknown" in done.stderr


def test_a_value_at_an_end_of_its_range_names_a_wider_range() -> None:
    found = calibrate(BASE, exact_rows(), [unknown_of("drives.transfer_rate=60 MB/s..200 MB/s")])
    assert found.found[0].at_end
    assert "try a wider one: --unknown 'drives.transfer_rate=6 MB/s..200 MB/s'" in words(found)


@pytest.mark.slow
def test_simulations_decide_if_asked() -> None:
    found = calibrate(BASE, exact_rows(), UNKNOWN[:1], simulate=True)
    assert found.simulated
    assert found.found[0].value == pytest.approx(TRUE[0], rel=0.1)


def test_mistakes_are_told_with_their_place(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "system.toml").write_text(SYSTEM)
    rows = tmp_path / "rows.csv"

    def said(text: str, unknown: str = "drives.transfer_rate=10 MB/s..200 MB/s") -> str:
        rows.write_text(text)
        done = cli("calibrate", tmp_path / "system.toml", "--to", rows, "--unknown", unknown)
        assert done.returncode in (2, 3)
        return done.stderr

    assert "no column has a result; add a column `iops`" in said("load.size\n4 KiB\n")
    assert "rows.csv:2: `iops` is `many`" in said("iops\nmany\n")
    assert "has no range" in said("iops\n10\n", "drives.transfer_rate")
    assert "did you mean `drives.transfer_rate`" in said("iops\n10\n", "drives.transfer_rat=1 MB/s..2 MB/s")
    assert "load.sise" in said("load.sise,iops\n4 KiB,10\n8 KiB,10\n")


def test_unknowns_have_units() -> None:
    one = unknown_of("drives.access_time=500 us..20 ms")
    assert one.low == pytest.approx(0.5)
    assert (one.high, one.unit) == (20.0, "ms")
    assert one.text(4.25) == '"4.25 ms"'
    for wrong in ("a=1 ms..2 MB/s", "a=3 ms..2 ms", "a=0..1"):
        with pytest.raises(ValueError):
            unknown_of(wrong)


def test_lines_of_rows_are_those_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("iops,response\n10,4 ms\n20,5 ms\n")
    assert [(row.line, row.iops, row.response_ns) for row in read_rows(file)] == [(2, 10.0, 4e6), (3, 20.0, 5e6)]
    assert _core.split_quantity("4 ms") == (4.0, "ms")
