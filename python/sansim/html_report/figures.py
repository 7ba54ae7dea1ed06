"""The figures of the report: pure functions from a run's tables to numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sansim import percentiles
from sansim.catalogue import column_of, figure
from sansim.doubts import streams_of, workloads_of
from sansim.html_report.system import devices
from sansim.number_text import MB, MIB
from sansim.text_report import fullest_link, uses

if TYPE_CHECKING:
    import polars as pl

    from sansim.html_report.folder import RunFolder
    from sansim.html_report.system import System

SHOWN_AS = frozenset({"ns", "s", "share", "count"})
"""Units of figures that have a presentation of their own."""
IOS_PER_BIN = 25
MOST_BINS = 80


@dataclass(frozen=True)
class Metric:
    """A headline number."""

    key: str
    """Its name in the page's data attributes."""
    label: str
    value: float | None
    """In the unit of summary.json: ns, shares, seconds; MB/s and MiB/s for rates."""
    path: str
    """The figure of the summary that it is or is made of; what that is measured in decides how it is shown."""

    @property
    def kind(self) -> str:
        """How it is shown: `ns`, `share`, `s`, `count`, or `rate` for any other number."""
        found = figure(self.path)
        return found.unit if found is not None and found.unit in SHOWN_AS else "rate"


@dataclass(frozen=True)
class Difference:
    """By how much a second value differs from a first."""

    absolute: float | None
    percent: float | None
    """Percent of the first value; None where that is zero."""


def difference(first: float | None, second: float | None) -> Difference:
    """Second minus first, and that as per cent of the first."""
    if first is None or second is None:
        return Difference(None, None)
    change = second - first
    return Difference(change, change / first * 100 if first else (0.0 if not change else None))


def jain(values: Sequence[float]) -> float | None:
    """Jain's fairness index, (sum x)^2 / (n sum x^2): 1 if all are equal, 1/n if one has everything.

    None if there are no values or all are zero. Source: Jain, Chiu, Hawe, DEC-TR-301, 1984.
    """
    squares = math.fsum(value * value for value in values)
    return math.fsum(values) ** 2 / (len(values) * squares) if squares else None


def min_max_ratio(values: Sequence[float]) -> float | None:
    """Smallest over largest value: 1 if all are equal, 0 if one has nothing. None without values or if all are zero."""
    return min(values) / max(values) if values and max(values) else None


def labels_of(times: Mapping[str, Any]) -> dict[str, str]:
    """The percentiles among response times, requested ones included, and the longest, with their labels."""
    found = percentiles.in_order({**dict.fromkeys(percentiles.NATIVE), **times})
    return {key: "median (p50)" if key == "p50" else key.replace("_", ".") for key in found} | {"max": "longest"}


def headline(summary: Mapping[str, Any]) -> list[Metric]:
    """The headline numbers of a run."""
    rate = summary["bytes_per_second"]
    metrics = [
        Metric("iops", "IOPS", summary["iops"], "iops"),
        Metric("iops_ci95", "± 95 % interval of IOPS", summary.get("iops_ci95"), "iops_ci95"),
        Metric("mb_per_s", "MB/s (10⁶)", rate / MB, "bytes_per_second"),
        Metric("mib_per_s", "MiB/s (2²⁰)", rate / MIB, "bytes_per_second"),
    ]
    # Without those of an unstable run, which has none.
    times = summary["response_time_ns"] or {}
    if summary["ios"]:
        metrics += [
            Metric("response_mean_ns", "mean response time", times.get("mean"), "response_time_ns.mean"),
            Metric("response_ci95_ns", "± 95 % interval of the mean", times.get("ci95"), "response_time_ns.ci95"),
        ]
        metrics += [
            Metric(f"response_{key}_ns", label, times.get(key), f"response_time_ns.{key}")
            for key, label in labels_of(times).items()
        ]
    for name, component in summary["components"].items():
        if link := fullest_link(summary, name):
            metrics.append(
                Metric(f"{name}_fullest_link", f"{name}: fullest link", link[0], f"fullest_links.{name}.utilisation")
            )
        metrics += [
            Metric(f"{name}_{key}", f"{name}: {what}", share, f"components.{name}.{key}")
            for key, what, share, _ in uses(component)
        ]
    return [
        *metrics,
        Metric("simulated_s", "simulated time", summary["simulated_s"], "simulated_s"),
        Metric("ios", "measured I/Os", summary["ios"], "ios"),
    ]


def directions(run: RunFolder) -> list[tuple[str, bool]]:
    """Reads and writes, if the run has both; else nothing to tell apart."""
    kinds = set(run.ios["write"].drop_nulls().unique().to_list())
    return [("reads", False), ("writes", True)] if kinds == {False, True} else []


def bins_for(ios: int) -> int:
    """Into how many intervals a run is divided, so that each holds some twenty I/Os."""
    return max(min(ios // IOS_PER_BIN, MOST_BINS), 1)


def over_time(run: RunFolder, bins: int) -> pl.DataFrame:
    """Rates and response times in equal parts of the measured interval, a row each.

    Columns: `bin`, `reads` and `writes` (bytes per second of completed I/Os), `mean_ns`, `p10_ns`, `p90_ns`, `p99_ns`
    (response times of the I/Os that completed in it; null in a part without any).
    """
    import polars as pl

    begin, end = run.interval
    width = max(end - begin, 1.0) / bins
    number = ((pl.col("completed_ns") - begin) / width).floor().clip(0, bins - 1).cast(pl.Int64)
    seconds = width / 1e9
    time = pl.col("response_time_ns")
    rows = (
        run.ios.with_columns(bin=number)
        .group_by("bin")
        .agg(
            reads=pl.col("bytes").filter(~pl.col("write")).sum() / seconds,
            writes=pl.col("bytes").filter(pl.col("write")).sum() / seconds,
            mean_ns=time.mean(),
            p10_ns=time.quantile(0.1, "nearest"),
            p90_ns=time.quantile(0.9, "nearest"),
            p99_ns=time.quantile(0.99, "nearest"),
        )
    )
    every = pl.DataFrame({"bin": range(bins)}, schema={"bin": pl.Int64})
    return every.join(rows, on="bin", how="left").sort("bin").with_columns(pl.col("reads", "writes").fill_null(0.0))


def loads(run: RunFolder) -> list[tuple[str, pl.DataFrame]]:
    """The I/Os of each workload, or of each of its streams where it has several, by name; none if there is only one."""
    if "stream" not in run.ios.columns:
        return []
    found = [
        (f"{name}.{stream}" if stream else name, run.ios.filter(workload=name, stream=stream))
        for name, workload in workloads_of(run.summary).items()
        for stream in streams_of(workload) or ("",)
    ]
    return found if len(found) > 1 else []


def rates_over_time(run: RunFolder, ios: pl.DataFrame, bins: int) -> list[float]:
    """I/Os a second of some of a run's I/Os in equal parts of the measured interval."""
    import numpy as np

    begin, end = run.interval
    width = max(end - begin, 1.0) / bins
    counts, _ = np.histogram(ios["completed_ns"].to_numpy(), bins, (begin, begin + width * bins))
    return [float(count) / (width / 1e9) for count in counts]


def per_device(run: RunFolder) -> pl.DataFrame:
    """Rate and mean response time of each device that a workload addresses; one without I/O has rate zero.

    Columns: `group`, `name`, `ios`, `iops`, `mean_ns` (null without I/O).
    """
    import polars as pl

    rows = [
        (device.group.name, name, part["ios"], part["iops"], (part["response_time_ns"] or {}).get("mean"))
        for device, (name, part) in zip(devices(run.summary), run.summary["devices"].items(), strict=True)
    ]
    kinds = {"group": pl.String, "name": pl.String, "ios": pl.Int64, "iops": pl.Float64, "mean_ns": pl.Float64}
    return pl.DataFrame(rows, schema=kinds, orient="row")


@dataclass(frozen=True)
class Fairness:
    """How evenly a group of drives is served."""

    group: str
    drives: int
    iops_min: float
    iops_max: float
    ratio: float | None
    """Smallest over largest rate."""
    jain: float | None
    """Jain's index of the rates."""
    mean_min_ns: float | None
    mean_max_ns: float | None


def fairness(drives: pl.DataFrame) -> list[Fairness]:
    """Fairness among all drives and, if there are several groups, within each."""
    groups = drives["group"].unique(maintain_order=True).to_list()
    parts = [("all devices", drives)]
    if len(groups) > 1:
        parts += [(group, drives.filter(group=group)) for group in groups]
    return [fairness_of(name, part) for name, part in parts if part.height]


def fairness_of(name: str, drives: pl.DataFrame) -> Fairness:
    """Fairness among some drives."""
    rates = drives["iops"].to_list()
    means = drives["mean_ns"].drop_nulls().to_list()
    return Fairness(
        group=name,
        drives=drives.height,
        iops_min=min(rates),
        iops_max=max(rates),
        ratio=min_max_ratio(rates),
        jain=jain(rates),
        mean_min_ns=min(means, default=None),
        mean_max_ns=max(means, default=None),
    )


def tenancies_by_station(run: RunFolder, system: System) -> pl.DataFrame:
    """The share of each station in the loop; a row for every station that is not passive, in order.

    Columns: `number`, `name`, `tenancies`, `wait_mean_ns`, `wait_p99_ns` (from the begin of arbitration to winning;
    null without a tenancy), `held` (share of the measured interval).
    """
    import polars as pl

    assert run.tenancies is not None
    seconds = run.summary["simulated_s"]
    waited = pl.col("won_ns") - pl.col("arbitration_began_ns")
    names = {station.name: station.number for station in system.stations}
    counted = (
        run.tenancies.filter(pl.col("station").is_in(list(names)))
        .with_columns(number=pl.col("station").replace_strict(names, return_dtype=pl.Int64))
        .group_by("number")
        .agg(
            tenancies=pl.len().cast(pl.Int64),
            wait_mean_ns=waited.mean(),
            wait_p99_ns=waited.quantile(0.99, "nearest"),
            held=(pl.col("ended_ns") - pl.col("won_ns")).sum() / (seconds * 1e9 if seconds else math.inf),
        )
    )
    stations = pl.DataFrame(
        [(s.number, s.name) for s in system.stations if s.group.kind != "passive"],
        schema={"number": pl.Int64, "name": pl.String},
        orient="row",
    )
    return (
        stations.join(counted, on="number", how="left")
        .with_columns(pl.col("tenancies").fill_null(0), pl.col("held").fill_null(0.0))
        .sort("number")
    )


def chosen(run: RunFolder, slowest: int = 3) -> list[tuple[str, dict[str, Any]]]:
    """The I/Os of the waterfall with the reason for choosing them: the slowest, the median one, the fastest.

    Among equally slow ones the earlier comes first.
    """
    ordered = run.ios.sort(["response_time_ns", "completed_ns"], descending=[True, False], maintain_order=True)
    places = [(place, ordinal(place)) for place in range(min(slowest, ordered.height))]
    if ordered.height > slowest + 1:
        places += [(ordered.height // 2, "median"), (ordered.height - 1, "fastest")]
    return [(why, ordered.row(place, named=True)) for place, why in places]


def ordinal(place: int) -> str:
    """`slowest`, `2nd slowest` and so on."""
    number = place + 1
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending} slowest" if place else "slowest"


def ledger_means(run: RunFolder, write: bool) -> dict[str, float]:
    """Mean time per line of the ledger of the reads or of the writes, in ns."""
    part = run.ios.filter(write=write)
    means = part.select([column_of(line) for line in run.lines]).mean().row(0)
    return dict(zip(run.lines, (float(mean or 0) for mean in means), strict=True))


def scenario_differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Keys in which two scenarios differ, with both values; a dash where a key is absent."""
    one, two = dict(flat(first)), dict(flat(second))
    keys = [*one, *(key for key in two if key not in one)]
    return [(key, one.get(key, "-"), two.get(key, "-")) for key in keys if one.get(key) != two.get(key)]


def flat(table: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """The leaves of a table with their dotted paths, as TOML would show them."""
    import json

    for key, value in table.items():
        if isinstance(value, dict):
            yield from flat(value, f"{path}{key}.")
        else:
            yield f"{path}{key}", json.dumps(value, ensure_ascii=False, default=str)
