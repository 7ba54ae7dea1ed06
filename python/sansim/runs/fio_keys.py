"""The keys of `fio.json`: how each is made from a result. `sansim.table_reference` makes a page of them."""

from __future__ import annotations

from typing import NamedTuple

NOT_SIMULATED = "0: it is not simulated"


class Keys(NamedTuple):
    """Keys that are made in one way."""

    names: tuple[str, ...]
    meaning: str


TOP = (
    Keys(
        ("fio version",),
        "`fio-3.33-sansim-` and the version of sansim. fio's development builds have this form, and readers use the"
        " part before the second dash.",
    ),
    Keys(
        ("timestamp", "timestamp_ms", "time"),
        "End of the measured interval in simulated time, as if the simulation had begun at 1970-01-01 00:00:00.",
    ),
    Keys(("global options",), "`ioengine` is `sansim`."),
    Keys(
        ("jobs",),
        "A job per workload of the scenario, in its order; if a workload has several streams, a job per stream.",
    ),
    Keys(("disk_util",), "An entry per device, named as in `samples`."),
    Keys(
        ("sansim",),
        "This key is not fio's. It has `version`, `title`, `seed`, `stopped_early`, `simulated_s`, `sample_ms` (length"
        " of a sample of `bw_samples`) and `unstable` (names of the unstable jobs).",
    ),
)
"""Keys of the whole file."""

JOB = (
    Keys(("jobname",), "Name of the workload, or `WORKLOAD.STREAM`."),
    Keys(("groupid",), "0: all jobs are in one group."),
    Keys(("elapsed",), "Simulated seconds to the end of the measured interval, warm-up included, rounded up."),
    Keys(("job_runtime",), "Length of the measured interval, ms."),
    Keys(
        ("job options",),
        "Texts, as fio echoes them: `name`; `filename` (groups of drives); `rw` (`read`, `write` or `rw` for a"
        " sequential pattern, with `rand` before it for a random one); `bs` (in powers of 1024: `64k`), or `bssplit`"
        " for a mix of sizes; `iodepth` (outstanding I/Os in all: `queue_depth` times the drives if it is per drive; in"
        " an open stream, the limit `outstanding`); `numjobs` (always 1); `runtime` (seconds, rounded up); `rwmixread`"
        " (per cent, if mixed); `thinktime` (us, if any); `rate_iops` and `rate_process` (`linear` or `poisson`) for"
        " requests at even or random intervals. Settings for which fio has no option are left out.",
    ),
    Keys(("read", "write", "trim"), "I/Os of each direction; the next table has their keys."),
    Keys(
        ("latency_ns", "latency_us", "latency_ms"),
        "`clat` of reads and writes together, in per cent of the I/Os. A bin ends before the number in its name.",
    ),
    Keys(
        ("iodepth_level",),
        "Outstanding I/Os at the moment of each issue, in per cent of the I/Os. A bin begins at the number in its name"
        " and ends before the next. In an open stream the backlog counts, and I/Os that ended outside the measured"
        " interval do not.",
    ),
    Keys(
        ("iodepth_submit", "iodepth_complete"),
        "All in the bin `4` (1 to 4), because a workload submits and completes its I/Os one by one.",
    ),
    Keys(("latency_depth",), "The same as `iodepth`."),
    Keys(
        ("latency_target", "latency_window", "latency_percentile"), "0, 0 and 100, as in fio without a latency target."
    ),
    Keys(("sync",), "Flushes: their number, and their response times."),
    Keys(("error", "eta", "usr_cpu", "sys_cpu", "ctx", "majf", "minf"), f"{NOT_SIMULATED}."),
)
"""Keys of a job."""

DIRECTION = (
    Keys(("io_bytes", "io_kbytes", "total_ios"), "Sums over the table `ios`; KiB rounded down."),
    Keys(
        ("bw_bytes", "bw", "iops"),
        "These sums divided by the measured interval; `bw` in KiB/s, both `bw` rounded down.",
    ),
    Keys(("runtime",), "Length of the measured interval, ms, at least 1; 0 without I/Os."),
    Keys(
        ("lat_ns",),
        "`response_time_ns` less the segment `backlog`: fio counts from the moment at which an I/O may begin, not from"
        " the moment at which its rate wants it.",
    ),
    Keys(
        ("slat_ns",),
        "Segments `host_queue` and `driver_arrival`: the time until the adapter has the request, as in fio. With fio's"
        " `libaio`, `io_submit` does this work, and waits if the queue is full. `N` is 0 in a job of a synchronous"
        " engine, as in fio.",
    ),
    Keys(("clat_ns",), "`lat_ns - slat_ns`; all of `lat_ns` in a job of a synchronous engine."),
    Keys(
        ("min", "max", "mean", "stddev", "N"), "Of each latency, in whole ns; standard deviation of a sample (N - 1)."
    ),
    Keys(("percentile",), "Exact, by nearest rank; fio itself takes percentiles from its histogram."),
    Keys(
        ("bins",),
        "fio's histogram, a part of its `json+`: bins of 1 ns below 2^7 ns, above that 2^6 bins for each power of two,"
        " named after their middle.",
    ),
    Keys(
        ("bw_min", "bw_max", "bw_mean", "bw_dev", "bw_samples"),
        "KiB/s in each sample. A sample is 500 ms, as in fio; if the measured interval is shorter than 10 s, a"
        " twentieth of it. Samples without I/Os count as 0; fio leaves them out.",
    ),
    Keys(("iops_min", "iops_max", "iops_mean", "iops_stddev", "iops_samples"), "The same for I/Os per second."),
    Keys(("bw_agg",), "`bw_mean` in per cent of the bandwidth of all jobs in this direction."),
    Keys(("short_ios", "drop_ios"), f"{NOT_SIMULATED}."),
)
"""Keys of the reads or the writes of a job."""

DISK = (
    Keys(("name",), "Name of the device."),
    Keys(("read_ios", "write_ios"), "Measured I/Os of the device."),
    Keys(("read_ticks", "write_ticks"), "Sum of their response times, ms."),
    Keys(("in_queue",), "Sum of both."),
    Keys(
        ("util",),
        "Per cent of the measured interval in which the device had at least one I/O, from issue to completion, as Linux"
        " counts a busy disk. `summary.json` has the utilisation of the drive itself.",
    ),
    Keys(("read_merges", "write_merges"), f"{NOT_SIMULATED}."),
)
"""Keys of an entry of `disk_util`."""
