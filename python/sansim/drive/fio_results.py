"""Measurements by fio: the jobs in `fio --output-format=json` of fio 3.

The response time of a job is the completion latency, `clat_ns`: from when the drive has the I/O, as the response time
of a drive is. Jobs that do not measure one kind of I/O at one depth are left out, with a reason.

Source: fio 3.33, HOWTO and its output; `groupid` counts the groups of jobs that ran at the same time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from sansim.drive.measured import Measured
from sansim.fit.rows import DEEPEST, LARGEST_BYTES, LONGEST_NS, OPERATIONS, MeasurementError

LEAST_UNDER_WAY = 0.8
"""A job that had less than this share of its depth in flight was limited by something else than the drive."""
MOST_UNDER_WAY = 1.25
"""One that had more than this was not alone: its figures are those of several."""
WAYS: Mapping[str, tuple[bool, bool]] = {
    "read": (False, True),
    "write": (True, True),
    "randread": (False, False),
    "randwrite": (True, False),
}
"""Whether `rw` writes, and whether it is sequential."""
MIXED: Mapping[str, bool] = {"rw": True, "readwrite": True, "randrw": False}
"""Mixes of both, and whether they are sequential."""
FLAGS_OFF = ("0", "", "none", "random")


class Unfit(Exception):  # noqa: N818  (not an error: the job is left out)
    """Why a job is no measurement of one kind of I/O at one depth."""


def is_fio(text: str) -> bool:
    """Whether a text looks like fio's JSON output, which may come after lines that fio wrote for people."""
    return json_begin(text) is not None


def json_begin(text: str) -> int | None:
    """Where the JSON begins; None if there is none."""
    found = re.search(r"^\s*\{", text, re.MULTILINE)
    return None if found is None else found.start()


def read_fio(text: str, name: str) -> tuple[list[Measured], list[str], list[str]]:
    """The rows of fio's output; what was left out, and what is odd about what was not.

    Raises:
        MeasurementError: It is not the output of fio 3.
    """
    start = json_begin(text) or 0
    try:
        document = json.JSONDecoder().raw_decode(text[start:].lstrip())[0]
    except (json.JSONDecodeError, RecursionError) as error:
        where = ""
        if isinstance(error, json.JSONDecodeError):
            line = text[:start].count("\n") + text[start:].lstrip()[: error.pos].count("\n") + 1
            where = f", line {line}, column {error.colno}"
        raise MeasurementError(
            f"{name}{where}: this is no JSON; write it by `fio --output-format=json --output=FILE`"
        ) from None
    document = document if isinstance(document, dict) else {}
    jobs = document.get("jobs")
    if not isinstance(jobs, list) or not all(isinstance(job, dict) for job in jobs):
        what = "`client_stats`, of several computers" if "client_stats" in document else "no list `jobs`"
        raise MeasurementError(f"{name}: it has {what}; write it by `fio --output-format=json` on the computer itself")
    defaults = document.get("global options", {})
    rows, left_out, notes = [], [], []
    for group in groups_of(jobs):
        place = f"{name}, job {group[0].get('jobname', '?')}"
        try:
            row = row_of(group, defaults, place)
        except Unfit as why:
            left_out.append(f"{place}: {why}")
            continue
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise MeasurementError(f"{place}: it is not as fio 3 writes it ({error!r})") from None
        rows.append(row)
        if option(group[0], defaults, "direct") != "1" and needs_direct(group[0], defaults):
            notes.append(f"{place}: `direct` is not 1, so it may have measured the memory of the computer")
    return rows, left_out, notes


def groups_of(jobs: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Jobs that are one measurement: copies of a job (`numjobs`) that ran together and are reported separately."""
    groups: dict[object, list[Mapping[str, Any]]] = {}
    for number, job in enumerate(jobs):
        options = job.get("job options")
        copies = isinstance(options, dict) and options.get("numjobs", "1") != "1"
        key = (job.get("groupid"), job.get("jobname"), json.dumps(options, sort_keys=True)) if copies else number
        groups.setdefault(key, []).append(job)
    # Different jobs of a group ran at the same time: none of them had the drive for itself.
    by_group: dict[object, int] = {}
    for group in groups.values():
        by_group[group[0].get("groupid")] = by_group.get(group[0].get("groupid"), 0) + 1
    return [
        [dict(group[0], beside=by_group[group[0].get("groupid")] - 1), *group[1:]] if "groupid" in group[0] else group
        for group in groups.values()
    ]


def row_of(group: Sequence[Mapping[str, Any]], defaults: Mapping[str, Any], place: str) -> Measured:
    """The row of a job and its copies.

    Raises:
        Unfit: It is none.
    """
    job = group[0]
    check_job(group, defaults)
    write, sequential = way_of(job, defaults)
    copies = whole(option(job, defaults, "numjobs") or "1")
    if sequential and copies > 1:
        raise Unfit(f"{copies} copies (`numjobs`) are that many sequential streams at a time")
    depth = whole(option(job, defaults, "iodepth") or "1") * copies
    if depth > DEEPEST:
        raise Unfit(f"a depth of {depth} is more than the {DEEPEST} of a workload")
    parts = [one[OPERATIONS[write]] for one in group]
    if any("clat_ns" not in part for part in parts):
        raise MeasurementError(f"{place}: it has no `clat_ns`; fio 3 writes it, fio 2 does not")
    count = sum(part["total_ios"] for part in parts)
    if not count:
        raise Unfit("no I/O of it was done")
    iops = sum(part["iops"] for part in parts)
    response, total = (
        sum(mean(part, key) * part["total_ios"] for part in parts) / count for key in ("clat_ns", "lat_ns")
    )
    response = response or total
    if not 0 < response <= LONGEST_NS:
        raise Unfit("its latency was not measured (`disable_clat`, or `gtod_reduce`)")
    under_way = iops * max(total, response) / 1e9
    if under_way < LEAST_UNDER_WAY * depth:
        raise Unfit(
            f"{under_way:.3g} I/Os were under way in the mean where {depth} were asked for: something else than"
            " the drive held them up, as a synchronous `ioengine`, a rate, or a processor"
        )
    if under_way > MOST_UNDER_WAY * depth:
        raise Unfit(
            f"{under_way:.3g} I/Os were under way in the mean where {depth} were asked for: its figures are those of"
            " several jobs (`group_reporting`); give each a `stonewall`"
        )
    return Measured(place, write, sequential, size_of(job, defaults, write), depth, response)


def check_job(group: Sequence[Mapping[str, Any]], defaults: Mapping[str, Any]) -> None:
    """Refuses what ended with an error or was not alone, and places that are neither random nor sequential."""
    job = group[0]
    if any(one.get("error") for one in group):
        raise Unfit("it ended with an error")
    if job.get("beside"):
        raise Unfit("another job ran at the same time; give each a `stonewall`")
    for key in ("random_distribution", "percentage_random", "zonemode", "verify"):
        value = option(job, defaults, key)
        if value is not None and value.lower() not in (*FLAGS_OFF, *(("100",) if key == "percentage_random" else ())):
            raise Unfit(f"`{key}={value}` is neither random over the whole drive nor sequential")


def way_of(job: Mapping[str, Any], defaults: Mapping[str, Any]) -> tuple[bool, bool]:
    """Whether it writes, and whether it is sequential."""
    word = (option(job, defaults, "rw", "readwrite") or "read").lower().split(":")[0]
    if word in WAYS:
        return WAYS[word]
    if word in MIXED:
        reads = option(job, defaults, "rwmixread")
        writes = option(job, defaults, "rwmixwrite")
        share = reads if reads is not None else None if writes is None else str(100 - whole(writes))
        if share in ("0", "100"):
            return share == "0", MIXED[word]
        raise Unfit(f"`rw={word}` mixes reads and writes, whose times are not those of either alone")
    raise Unfit(f"`rw={word}` is neither reads nor writes")


def size_of(job: Mapping[str, Any], defaults: Mapping[str, Any], write: bool) -> int:
    """The size of its I/Os."""
    for key in ("bsrange", "blocksize_range", "bssplit"):
        if (value := option(job, defaults, key)) is not None:
            raise Unfit(f"`{key}={value}` is not one size")
    text = option(job, defaults, "bs", "blocksize") or "4k"
    # Reads, writes, trims; what is not said is as what was said last.
    parts = [part.strip() for part in text.split(",")]
    own = (parts[1] if len(parts) > 1 and parts[1] else parts[0]) if write else parts[0]
    size = fio_bytes(own or "4k", decimal=option(job, defaults, "kb_base") == "1000")
    if size is None or not 0 < size <= LARGEST_BYTES:
        raise Unfit(f"`bs={text}` is no size of an I/O here")
    return size


def fio_bytes(text: str, *, decimal: bool) -> int | None:
    """A size as fio reads it: `4k` is 4096, and `4ki` 4000, unless `kb_base` is 1000; None if it is none."""
    found = re.fullmatch(r"(\d+)\s*(?:([kmgtp])(i?)b?|b?)", text.strip().lower())
    if found is None:
        return None
    power = "kmgtp".index(found[2]) + 1 if found[2] else 0
    base = 1024 if bool(found[3]) == decimal else 1000
    return int(found[1]) * int(base**power)


def needs_direct(job: Mapping[str, Any], defaults: Mapping[str, Any]) -> bool:
    """Whether its engine goes through the memory of the computer unless `direct` is set."""
    engine = option(job, defaults, "ioengine") or ""
    return engine not in ("sansim", "null", "io_uring_cmd", "sg", "nbd", "libiscsi", "xnvme", "windowsaio")


def option(job: Mapping[str, Any], defaults: Mapping[str, Any], *names: str) -> str | None:
    """An option of a job, by any of its names; None if it is not said."""
    for table in (job.get("job options", {}), defaults):
        for name in names:
            if name in table:
                return str(table[name]).strip()
    return None


def whole(text: str) -> int:
    """A whole number of fio's."""
    if not text.isdecimal() or int(text) < 1:
        raise Unfit(f"`{text}` is no number of I/Os or jobs")
    return int(text)


def mean(part: Mapping[str, Any], key: str) -> float:
    """The mean of one of the latencies, ns; 0 if it was not measured."""
    return float(part.get(key, {}).get("mean", 0.0))
