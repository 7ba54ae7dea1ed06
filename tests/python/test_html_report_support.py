"""Run folders for the tests of the report: real ones, and ones with made-up tables."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import polars as pl

import sansim
from conftest import SMALL
from sansim.html_report.system import System, read_systems

QUANTITIES = {
    "controller": (
        "port_queue",
        "buffers",
        "credit",
        "dma_queue",
        "processor_queue",
        "outstanding",
        "waiting",
        "processor",
        "dma",
    ),
    "drives": (
        "port_queue",
        "buffers",
        "credit",
        "dma_queue",
        "processor_queue",
        "drive_queue",
        "processor",
        "dma",
        "drive",
        "occupied",
    ),
}
SHARES = frozenset({"processor", "dma", "drive", "occupied"})


def plain_folder(place: Path, overrides: dict[str, Any] | None = None, *, seed: int = 1) -> Path:
    """A run folder as versions that wrote no tables but that of the I/Os left it."""
    sansim.run(SMALL, overrides, seed=seed).save(place)
    for name in ("tenancies.parquet", "paths.parquet", "samples.parquet"):
        (place / name).unlink(missing_ok=True)
    without_checksums(place)
    return place


def without_checksums(place: Path) -> None:
    """Takes the checksums out of a run folder, as earlier versions noted none: made-up tables may stand in it."""
    about = place / "run.json"
    told = json.loads(about.read_text(encoding="utf-8"))
    del told["sha256"]
    about.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


def full_folder(place: Path, overrides: dict[str, Any] | None = None, *, seed: int = 1) -> Path:
    """A run folder with made-up tenancies and samples."""
    sansim.run(SMALL, overrides, seed=seed).save(place)
    without_checksums(place)
    make_up(place)
    return place


def make_up(place: Path, samples: int = 100) -> None:
    """Adds made-up tables to a run folder."""
    source = random.Random(7)
    scenario = sansim.resolve(str(place / "scenario.toml"))
    import tomllib

    (system,) = read_systems(tomllib.loads(scenario))
    summary = json.loads((place / "summary.json").read_text(encoding="utf-8"))
    ios = pl.read_parquet(place / "ios.parquet")
    if "io" not in ios.columns:
        ios = ios.with_row_index("io").with_columns(
            pl.col("io").cast(pl.UInt64),
            issued_ns=pl.col("completed_ns") - pl.col("response_time_ns"),
            lba=pl.Series([source.randrange(2**24) for _ in range(ios.height)], dtype=pl.UInt64),
        )
        ios.write_parquet(place / "ios.parquet")
    end = float(ios["completed_ns"].to_list()[-1])
    begin = end - summary["simulated_s"] * 1e9
    tenancies(system, begin, end, summary["components"][system.loop]["tenancies"], source).write_parquet(
        place / "tenancies.parquet"
    )
    sampled(system, begin, end, samples, source).write_parquet(place / "samples.parquet")


def tenancies(system: System, begin: float, end: float, count: int, source: random.Random) -> pl.DataFrame:
    """Tenancies one after the other, half of them of the controller."""
    stations = [station.name for station in system.stations if station.group.kind != "passive"]
    step = (end - begin) / max(count, 1)
    rows = []
    for number in range(count):
        won = begin + number * step
        station = stations[0] if number % 2 else source.choice(stations[1:])
        peer = stations[1] if station == stations[0] else stations[0]
        wait = source.expovariate(1 / (3 * step))
        rows.append((number, station, won - wait, won, won + step * 0.9, 1, peer, 8, 1, 16384, 0))
    return pl.DataFrame(
        rows,
        schema={
            "tenancy": pl.UInt64,
            "station": pl.String,
            "arbitration_began_ns": pl.Float64,
            "won_ns": pl.Float64,
            "ended_ns": pl.Float64,
            "circuits": pl.UInt32,
            "peer": pl.String,
            "frames_out": pl.UInt32,
            "frames_in": pl.UInt32,
            "bytes_out": pl.UInt64,
            "bytes_in": pl.UInt64,
        },
        orient="row",
    )


def sampled(system: System, begin: float, end: float, count: int, source: random.Random) -> pl.DataFrame:
    """Samples at equal distances."""
    rows = []
    for number in range(1, count + 1):
        at = begin + (end - begin) * number / count
        rows += [(at, system.loop, quantity, source.uniform(0.5, 0.9)) for quantity in ("owned", "frames", "both_ways")]
        for station in system.stations:
            for quantity in QUANTITIES.get(station.group.kind, ()):
                value = source.random() if quantity in SHARES else float(source.randrange(5))
                rows.append((at, station.name, quantity, 0.0 if quantity == "waiting" else value))
    schema = {"at_ns": pl.Float64, "component": pl.String, "quantity": pl.String, "value": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def test_made_up_folder_has_the_tables_of_the_contract(tmp_path: Path) -> None:
    folder = full_folder(tmp_path / "run")
    assert {"io", "issued_ns", "lba"} <= set(pl.read_parquet(folder / "ios.parquet").columns)
    assert pl.read_parquet(folder / "tenancies.parquet").height > 0
    assert set(pl.read_parquet(folder / "samples.parquet").columns) == {"at_ns", "component", "quantity", "value"}
