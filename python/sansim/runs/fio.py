"""A result in the format of `fio --output-format=json`, for the tools that plot fio's results.

The keys, their types and their meaning are those of fio 3.33. `runs/fio_keys.py` says how each is made;
what a simulation does not have (processor time of the host, page faults) is zero, as it is in fio for a job
that has none. Two additions that readers of fio's JSON pass over: the key `sansim` at the top, and in `clat_ns` the
`bins` of fio's richer `json+`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sansim import _core
from sansim.runs.fio_options import Job, jobs

if TYPE_CHECKING:
    import polars as pl

    from sansim.runs.data import RunData

FIO = "fio-3.33"
"""The version whose keys these are."""
PERCENTILES = (100, 500, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 9500, 9900, 9950, 9990, 9995, 9999)
"""In hundredths of a percent."""
DEPTHS = (1, 2, 4, 8, 16, 32)
BATCHES = ("0", "4", "8", "16", "32", "64", ">=64")
LATENCIES = (2, 4, 10, 20, 50, 100, 250, 500, 750, 1000)
SAMPLE_NS = 500e6
"""fio's default for `bwavgtime` and `iopsavgtime`."""
LEAST_SAMPLES = 20
"""A run too short for so many samples of that length gets so many shorter ones."""
BIN_BITS = 6
"""fio's histogram has 2^6 bins for each power of two."""
UNSEEN = ".backlog_ns"
"""End of the columns of the time before fio would begin with an I/O: it waits for its rate, or for an earlier one."""
SUBMISSION = (".host_queue_ns", ".driver_arrival_ns")
"""Ends of the columns of segments before the request is in the hands of the adapter, whichever host it comes from."""


@dataclass(frozen=True)
class Interval:
    """The measured interval in simulated time."""

    end_ns: float
    seconds: float

    @property
    def start_ns(self) -> float:
        """When it began."""
        return self.end_ns - self.seconds * 1e9

    def per_second(self, amount: float) -> float:
        """A rate; 0 if no time passed."""
        return amount / self.seconds if self.seconds > 0 else 0.0


USED = ("io", "slot", "operation", "write", "bytes", "completed_ns", "response_time_ns")
"""Columns of the I/Os of which fio's figures are made, besides names and what its latencies are made of."""
NAMES = ("workload", "stream", "device")
"""Columns of names of which they are made."""


def fio_json(result: RunData) -> dict[str, Any]:
    """The result as fio would have written it, a job per workload, or per stream of one that has several.

    All times are simulated; `timestamp` counts from the begin of the simulation as if that were 1970, so that the same
    scenario and seed give the same bytes.

    Raises:
        ValueError: The run kept no row per I/O (`collect_ios=False`).
    """
    return document(result.summary, result.scenario, result.lazy("ios"))


def document(summary: Mapping[str, Any], scenario: str, rows: pl.DataFrame | pl.LazyFrame) -> dict[str, Any]:
    """The same from the parts of a result: the summary, the resolved scenario as TOML, and the table of I/Os."""
    ios = prepare(rows.lazy())
    if summary["ios"] and not ios.height:
        raise ValueError("fio's figures come from the rows per I/O, which this run did not keep; use collect_ios=True")
    last = ios["completed_ns"].max() if ios.height else None
    seconds = float(summary["simulated_s"])
    span = Interval(float(last) if isinstance(last, float) else seconds * 1e9, seconds)
    found = jobs(summary, scenario, math.ceil(seconds))
    end_ms = round(span.end_ns / 1e6)
    return {
        # The form of fio's own development builds, of which readers take what is before the second dash.
        "fio version": f"{FIO}-sansim-{_core.__version__}",
        "timestamp": end_ms // 1000,
        "timestamp_ms": end_ms,
        "time": time.asctime(time.gmtime(end_ms // 1000)),
        "global options": {"ioengine": "sansim"},
        "jobs": [job_json(job, ios, span) for job in found],
        "disk_util": disk_util(summary, ios, span, found),
        "sansim": {
            "version": _core.__version__,
            "title": summary.get("title"),
            "seed": summary["seed"],
            "stopped_early": summary["stopped_early"],
            "simulated_s": summary["simulated_s"],
            "sample_ms": sample_length(span) / 1e6,
            "unstable": [job.name for job in found if job.unstable],
        },
    }


# ---------------------------------------------------------------- jobs


def job_json(job: Job, all_ios: pl.DataFrame, span: Interval) -> dict[str, Any]:
    """A job as fio prints it."""
    import polars as pl

    ios = of_job(job, all_ios)
    if job.waits:
        ios = whole_in_completion(ios)
    timed = ios.clear() if job.unstable else ios
    total = {
        way: int(all_ios.select(pl.col("bytes").filter(pl.col("write") == is_write)).sum().item())
        for way, is_write in DIRECTIONS.items()
    }
    trims, syncs = of_operation(ios, "deallocate"), of_operation(ios, "flush")
    trimmed = int(of_operation(all_ios, "deallocate")["bytes"].sum())
    # One after the other, for each is a copy.
    parts = {way: direction(of_direction(ios, is_write), total[way], span, job) for way, is_write in DIRECTIONS.items()}
    return {
        "jobname": job.name,
        "groupid": 0,
        "error": 0,
        "eta": 0,
        "elapsed": math.ceil(span.end_ns / 1e9),
        "job options": dict(job.options),
        **parts,
        "trim": direction(trims, trimmed, span, job),
        "sync": {"total_ios": syncs.height, "lat_ns": latency(of_operation(timed, "flush")["lat_ns"])},
        "job_runtime": milliseconds(span),
        "usr_cpu": 0.0,
        "sys_cpu": 0.0,
        "ctx": 0,
        "majf": 0,
        "minf": 0,
        "iodepth_level": depth_levels(ios, job),
        # A workload submits its I/Os one by one; for fio that is the bin 1 to 4.
        "iodepth_submit": {name: 100.0 if name == "4" and ios.height else 0.0 for name in BATCHES},
        "iodepth_complete": {name: 100.0 if name == "4" and ios.height else 0.0 for name in BATCHES},
        "latency_ns": latency_levels(timed, 1, LATENCIES),
        "latency_us": latency_levels(timed, 10**3, LATENCIES),
        "latency_ms": latency_levels(timed, 10**6, (*LATENCIES, 2000)) | {">=2000": share(timed, 2 * 10**9, None)},
        "latency_depth": job.depth,
        "latency_target": 0,
        "latency_percentile": 100.0,
        "latency_window": 0,
    }


def of_job(job: Job, ios: pl.DataFrame) -> pl.DataFrame:
    """The I/Os of a job."""
    mine = ios["workload"] == job.workload
    return chosen(ios, mine if job.stream is None else mine & (ios["stream"] == job.stream))


def chosen(ios: pl.DataFrame, which: pl.Series) -> pl.DataFrame:
    """These I/Os; without a copy if they are all."""
    return ios if which.all() else ios.filter(which)


def latency_levels(ios: pl.DataFrame, unit_ns: int, ends: tuple[int, ...]) -> dict[str, float]:
    """Completion latencies in percent of the I/Os: each bin goes up to but not with the number it is named after.

    Bins above nanoseconds begin at one unit, where those of the smaller unit end.
    """
    begins = (0 if unit_ns == 1 else 1, *ends)
    return {str(end): share(ios, begin * unit_ns, end * unit_ns) for begin, end in zip(begins, ends, strict=False)}


# ---------------------------------------------------------------- figures


def prepare(rows: pl.LazyFrame) -> pl.DataFrame:
    """The columns of I/Os for fio's figures, with its three latencies as whole nanoseconds."""
    import polars as pl

    columns = rows.collect_schema().names()

    def spent(ends: str | tuple[str, ...]) -> pl.Expr:
        return pl.sum_horizontal([name for name in columns if name.endswith(ends)] or pl.lit(0.0))

    submission = spent(SUBMISSION).round().cast(pl.Int64).alias("slat_ns")
    total = (pl.col("response_time_ns") - spent(UNSEEN)).round().cast(pl.Int64).alias("lat_ns")
    completion = (pl.col("lat_ns") - pl.col("slat_ns")).alias("clat_ns")
    # A name a row, of which there are few, is a number this way.
    few = [pl.col(name).cast(pl.Categorical) for name in NAMES if name in columns]
    used = [name for name in USED if name in columns]
    return rows.select(*few, *used, submission, total).with_columns(completion).collect(engine="streaming")


def whole_in_completion(ios: pl.DataFrame) -> pl.DataFrame:
    """The latencies of a synchronous engine, for which fio counts all as completion and nothing as submission."""
    import polars as pl

    return ios.with_columns(pl.lit(None, dtype=pl.Int64).alias("slat_ns"), pl.col("lat_ns").alias("clat_ns"))


DIRECTIONS = {"read": False, "write": True}
"""By fio's word whether they write."""


def of_direction(ios: pl.DataFrame, is_write: bool) -> pl.DataFrame:
    """The reads or the writes."""
    return chosen(ios, (ios["write"] == is_write).fill_null(False))


def of_operation(ios: pl.DataFrame, word: str) -> pl.DataFrame:
    """The flushes or the deallocations; none in a result from before there were any."""
    return chosen(ios, ios["operation"] == word) if "operation" in ios.columns else ios.clear()


def milliseconds(span: Interval) -> int:
    """The measured interval as fio counts it; never 0, which readers would divide by."""
    return max(round(span.seconds * 1000), 1)


def direction(ios: pl.DataFrame, all_bytes: int, span: Interval, job: Job) -> dict[str, Any]:
    """The reads or the writes of a job, without latencies if it is unstable.

    `all_bytes` is what all jobs moved in this direction.
    """
    timed = ios.clear() if job.unstable else ios
    size = int(ios["bytes"].sum())
    rates, counts = samples(ios, span)
    aggregate = span.per_second(all_bytes) / 1024
    mean = mean_of(rates)
    return {
        "io_bytes": size,
        "io_kbytes": size // 1024,
        "bw_bytes": int(span.per_second(size)),
        "bw": int(span.per_second(size) / 1024),
        "iops": rounded(span.per_second(ios.height)),
        "runtime": milliseconds(span) if ios.height else 0,
        "total_ios": ios.height,
        "short_ios": 0,
        "drop_ios": 0,
        "slat_ns": latency(timed["slat_ns"].drop_nulls()),
        "clat_ns": latency(timed["clat_ns"]) | percentiles(timed["clat_ns"]),
        "lat_ns": latency(timed["lat_ns"]),
        "bw_min": int(min(rates, default=0)),
        "bw_max": int(max(rates, default=0)),
        "bw_agg": rounded(min(mean / aggregate * 100, 100.0)) if aggregate else 0.0,
        "bw_mean": rounded(mean),
        "bw_dev": rounded(deviation_of(rates)),
        "bw_samples": len(rates),
        "iops_min": int(min(counts, default=0)),
        "iops_max": int(max(counts, default=0)),
        "iops_mean": rounded(mean_of(counts)),
        "iops_stddev": rounded(deviation_of(counts)),
        "iops_samples": len(counts),
    }


def rounded(value: float) -> float:
    """With the six digits after the point that fio prints."""
    return round(float(value), 6)


def mean_of(values: list[float]) -> float:
    """Mean; 0 of nothing."""
    return math.fsum(values) / len(values) if values else 0.0


def deviation_of(values: list[float]) -> float:
    """Standard deviation of a sample; 0 of fewer than two."""
    if len(values) < 2:
        return 0.0
    mean = mean_of(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def latency(values: pl.Series) -> dict[str, Any]:
    """Whole nanoseconds summed up as fio does."""
    if not len(values):
        return {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}
    figures = {name: getattr(values, name)() for name in ("min", "max", "mean", "std")}
    return {
        "min": figures["min"],
        "max": figures["max"],
        "mean": rounded(figures["mean"]),
        "stddev": rounded(figures["std"] or 0.0),
        "N": len(values),
    }


def percentiles(values: pl.Series) -> dict[str, Any]:
    """Percentiles, exact by nearest rank, and fio's histogram; nothing if there are no I/Os, as in fio."""
    if not len(values):
        return {}
    ordered = values.sort()
    count = len(ordered)
    return {
        "percentile": {f"{p / 100:.6f}": int(ordered[max(-(-p * count // 10_000), 1) - 1]) for p in PERCENTILES},
        "bins": histogram(ordered),
    }


def histogram(values: pl.Series) -> dict[str, int]:
    """How many values fall into each bin of fio's histogram, by the value that represents the bin.

    Up to 2^7 each value is a bin; above, each power of two has 2^6 bins, named after their middle.
    """
    import polars as pl

    column = pl.col("value")
    bits = 64 - column.cast(pl.UInt64).bitwise_leading_zeros().cast(pl.Int64)
    width = pl.lit(2, dtype=pl.Int64).pow((bits - 1 - BIN_BITS).clip(0))
    # Half of a bin that is 1 wide rounds down to nothing.
    middle = (column // width * width + width // 2).alias("bin")
    counts = pl.DataFrame({"value": values}).group_by(middle).len().sort("bin")
    return {str(name): count for name, count in counts.iter_rows()}


def share(ios: pl.DataFrame, low: int, high: int | None) -> float:
    """The share of I/Os, in percent, with a completion latency from `low` up to but not with `high`."""
    if not ios.height:
        return 0.0
    values = ios["clat_ns"]
    inside = values >= low if high is None else (values >= low) & (values < high)
    return rounded(float(inside.sum()) / ios.height * 100)


# ---------------------------------------------------------------- over time


def sample_length(span: Interval) -> float:
    """Length of the samples of bandwidth and rate, ns."""
    return min(SAMPLE_NS, span.seconds * 1e9 / LEAST_SAMPLES)


def samples(ios: pl.DataFrame, span: Interval) -> tuple[list[float], list[float]]:
    """KiB/s and I/Os per second in each whole sample of the interval; empty if there are no I/Os."""
    import polars as pl

    length = sample_length(span)
    if not ios.height or length <= 0:
        return [], []
    number = math.floor(span.seconds * 1e9 / length * (1 + 1e-12))
    # A completion at the end of a sample belongs to it, whatever the last digit of the quotient is.
    place = ((pl.col("completed_ns") - span.start_ns) / length - 1e-6).ceil().cast(pl.Int64) - 1
    sums = (
        ios.group_by(place.clip(0).alias("place"))
        .agg(pl.col("bytes").sum(), pl.len().alias("ios"))
        .filter(pl.col("place") < number)
    )
    rates, counts = [0.0] * number, [0.0] * number
    for at, size, count in sums.iter_rows():
        rates[at] = size / 1024 / (length / 1e9)
        counts[at] = count / (length / 1e9)
    return rates, counts


def depth_levels(ios: pl.DataFrame, job: Job) -> dict[str, float]:
    """How many I/Os were outstanding when one was issued, in percent of the I/Os."""
    names = [*map(str, DEPTHS), ">=64"]
    if not ios.height:
        return dict.fromkeys(names, 0.0)
    busy = (busy_when_open(ios) if job.open else busy_slots(ios, job.depth)).clip(1, job.depth)
    # The last of fio's bins that are named after a depth goes on to 63.
    bounds = [*DEPTHS, 64, None]
    return {
        name: rounded(float(((busy >= low) & (busy < high) if high else busy >= low).sum()) / ios.height * 100)
        for name, low, high in zip(names, bounds, bounds[1:], strict=False)
    }


def busy_slots(ios: pl.DataFrame, depth: int) -> pl.Series:
    """How many slots of a closed workload were busy when each I/O was issued.

    A slot is idle from the end of an I/O until it issues the next (the think time) and busy else, with I/Os outside the
    measured interval before its first and after its last.
    """
    import polars as pl

    times = ios.select(
        "slot", (pl.col("completed_ns") - pl.col("response_time_ns")).alias("issued"), ended=pl.col("completed_ns")
    ).sort("slot", "issued")
    idle = times.with_columns(begin=pl.col("ended").shift(1).over("slot")).filter(pl.col("issued") > pl.col("begin"))
    begins, ends = idle["begin"].sort(), idle["issued"].sort()
    issued = times["issued"]
    idle_slots = begins.search_sorted(issued, "left").cast(pl.Int64) - ends.search_sorted(issued, "right").cast(
        pl.Int64
    )
    return depth - idle_slots


def busy_when_open(ios: pl.DataFrame) -> pl.Series:
    """How many of the measured I/Os of an open stream had come and were not done when each came, itself included."""
    import polars as pl

    came = (ios["completed_ns"] - ios["response_time_ns"]).sort()
    ended = ios["completed_ns"].sort()
    return came.search_sorted(came, "right").cast(pl.Int64) - ended.search_sorted(came, "right").cast(pl.Int64)


def disk_util(
    summary: Mapping[str, Any], ios: pl.DataFrame, span: Interval, jobs: Sequence[Job]
) -> list[dict[str, Any]]:
    """The devices as Linux would count them: seen from the host, an I/O is there from issue to completion.

    Response times of unstable jobs are in no sum.
    """
    import polars as pl

    found = []
    unstable = [of_job(job, ios)["io"] for job in jobs if job.unstable]
    timed = ios.filter(~pl.col("io").is_in(pl.concat(unstable).implode())) if unstable else ios
    for name in summary["devices"]:
        mine = chosen(ios, ios["device"] == name)
        told = chosen(timed, timed["device"] == name)
        ticks = {
            way: round(float(of_direction(told, is_write)["response_time_ns"].sum()) / 1e6)
            for way, is_write in DIRECTIONS.items()
        }
        writes = int(mine["write"].sum())
        reads = int((~mine["write"]).sum())
        found.append(
            {
                "name": name,
                "read_ios": reads,
                "write_ios": writes,
                "read_merges": 0,
                "write_merges": 0,
                "read_ticks": ticks["read"],
                "write_ticks": ticks["write"],
                "in_queue": ticks["read"] + ticks["write"],
                "util": round(busy_share(mine, span) * 100, 6),
            }
        )
    return found


def busy_share(ios: pl.DataFrame, span: Interval) -> float:
    """In which part of the measured interval at least one of the I/Os was there."""
    import polars as pl

    if not ios.height or span.seconds <= 0:
        return 0.0
    begin = (pl.col("completed_ns") - pl.col("response_time_ns")).clip(span.start_ns, span.end_ns).alias("begin")
    times = ios.select(begin, pl.col("completed_ns").clip(span.start_ns, span.end_ns).alias("end")).sort("begin")
    before = pl.col("end").cum_max().shift(1, fill_value=span.start_ns)
    new = (pl.col("end") - pl.max_horizontal("begin", before)).clip(0)
    return min(float(times.select(new.sum()).item()) / (span.seconds * 1e9), 1.0)
