"""Traces of block I/O that people own: what one is, another format, a workload like it.

Not to be mixed up with `sansim.Trace`, the analyzer trace that a run writes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from sansim import _core, arguments
from sansim.file_types import CONVERTED, FITTED
from sansim.files import whole_file
from sansim.number_text import duration, percent, quantity

Watch: TypeAlias = Callable[[int, float | None], object]
"""Called a few times a second with the number of requests read, and the share of the file, if it has a length."""

MOST_VOLUMES = 10
"""Volumes that the terminal shows: those with the most requests."""
LEAST_ESTIMATED_SHARE = 0.02
"""A smaller share of blocks that were met again is not shown if the number of different blocks is an estimate, as it is
within about five standard errors of that estimate (0.41 % each)."""
MOST_SIZES = 6
"""Sizes that the terminal shows."""


@dataclass(frozen=True)
class Reading:
    """Options of reading a trace.

    Args:
        format: The word of its format; found by looking if None.
        columns: The columns of a CSV file with their units, as `time:us,volume,op,offset:sectors,bytes`.
        count_bad_lines: Whether lines that are no requests are counted and left out; if not, the first one ends the
            reading.
        window: So many requests are sorted by their times at once; 1024 if None.
        fail_backwards: Whether a request that is out of order by more than that ends the reading; if not, it gets the
            time of the one before.
        action: The event in the output of blkparse that represents a request.
        fio_wait: The meaning of `wait` in a fio iolog of version 2: as fio uses it, or as its manual defines it.
        time_unit: Of its times, if it is another one than the format has: `s`, `ms`, `us`, `100ns` or `ns`. Files of
            MQSim, which look like DiskSim's, count nanoseconds.
        offset_unit: Bytes of the unit of its offsets, if it is another one than the format has: of numbers of blocks
            in place of bytes, or of the numbers of objects that oracleGeneral has.
    """

    format: str | None = None
    columns: str | None = None
    count_bad_lines: bool = False
    window: int | None = None
    fail_backwards: bool = False
    action: Literal["queued", "issued", "completed"] | None = None
    fio_wait: Literal["observed", "documented"] | None = None
    time_unit: str | None = None
    offset_unit: int | None = None

    def wish(self) -> dict[str, object]:
        """For the native part."""
        return dict(vars(self))


READING = arguments.instance(Reading, "sansim.io_trace.Reading(format=...)").or_none


@dataclass(frozen=True)
class Converted:
    """The outcome of a conversion."""

    read: int
    """Requests that were read."""
    written: int
    """Requests that were written."""
    losses: list[str]
    """Content that the new format cannot hold, a sentence for each."""


@dataclass(frozen=True)
class Fitted:
    """A synthetic workload that is like a trace."""

    scenario: str
    """The scenario, as TOML. Its host and device are made up."""
    comparison: dict[str, Any]
    """How far it is from the trace: `compared` holds a figure each, with its value of the `trace` and of what was drawn
    from the workload (`fitted`); `drawn` says how many requests that were."""


@arguments.checked(file=arguments.FILE, reading=READING, progress=arguments.FUNCTION.or_none)
def trace_info(
    file: str | os.PathLike[str], reading: Reading | None = None, *, progress: Watch | None = None
) -> dict[str, Any]:
    """The properties of a trace of block I/O: requests, rates, mix, sizes, locality, burstiness, and oddities.

    Args:
        file: The trace, plain or compressed with gzip or zstd.
        reading: How it is to be read.
        progress: Called a few times a second with the progress of the reading.

    Returns:
        The same as `sansim trace info --json`. If the trace could not be read to its end, `error` says why and the
        figures are those up to there.

    Raises:
        TraceFileError: It cannot be read as a trace at all.
    """
    found: dict[str, Any] = json.loads(_core.trace_info(Path(file), (reading or Reading()).wish(), progress))
    return found


@arguments.checked(
    file=arguments.FILE,
    to=arguments.FILE,
    format=arguments.TEXT,
    reading=READING,
    force=arguments.FLAG,
    progress=arguments.FUNCTION.or_none,
)
def trace_convert(
    file: str | os.PathLike[str],
    to: str | os.PathLike[str],
    format: str,  # noqa: A002  (what it is called everywhere)
    reading: Reading | None = None,
    *,
    force: bool = False,
    progress: Watch | None = None,
) -> Converted:
    """Writes a trace in another format, compressed with gzip if the name ends in `.gz`.

    Args:
        file: The trace.
        to: The file to be written. Traces have no mark that would distinguish ours, so an existing file is kept.
        format: The word of the format to be written.
        reading: How the trace is to be read.
        force: Whether a file that is there is replaced.
        progress: Called a few times a second with the progress of the reading.

    Raises:
        TraceFileError: The trace cannot be read to its end, or not be written in this format; nothing is written.
        OtherKindError: There is a file already.
        OSError: It cannot be written.
    """
    with whole_file(to, CONVERTED, force=force) as out:
        read, written, losses = _core.trace_convert(
            Path(file),
            (reading or Reading()).wish(),
            Path(out.name),
            os.fspath(to),
            format,
            os.fspath(to).endswith(".gz"),
            progress,
        )
    return Converted(read, written, losses)


@arguments.checked(file=arguments.FILE, reading=READING, as_one=arguments.FLAG, progress=arguments.FUNCTION.or_none)
def trace_fit(
    file: str | os.PathLike[str],
    reading: Reading | None = None,
    *,
    as_one: bool = False,
    progress: Watch | None = None,
) -> Fitted:
    """Fits a synthetic workload to a trace and measures how far it is from it.

    Args:
        file: The trace.
        reading: How it is to be read.
        as_one: Whether all volumes are fitted as one, which keeps the bursts that they have together. If not, each has
            a stream of its own that knows nothing of the others, as long as there are at most eight.
        progress: Called a few times a second with the progress of the reading.

    Raises:
        TraceFileError: It cannot be read as a trace, or has too few requests.
    """
    scenario, comparison = _core.trace_fit(Path(file), (reading or Reading()).wish(), as_one, progress)
    return Fitted(scenario, json.loads(comparison))


def write_scenario(text: str, file: str | os.PathLike[str], *, force: bool = False) -> None:
    """Writes the scenario of a fit.

    Raises:
        OtherKindError: There is a file already: a user may have put own devices into it.
        OSError: It cannot be written.
    """
    with whole_file(file, FITTED, force=force) as out:
        out.write(text.encode())


# ---------------------------------------------------------------- for people


def oddities(info: Mapping[str, Any]) -> list[str]:
    """Cautions before the trace is trusted, a sentence for each."""
    told = [] if info["error"] is None else ["it was not read to its end; this is of what came before the error"]
    if info["bad_examples"]:
        told.append(f"{info['bad_lines']:,} of {info['lines']:,} lines are broken and left out, as these:")
        told += [f"  {example}" for example in info["bad_examples"]]
    told += info["warnings"]
    if info["blocks_left_out"]:
        told.append(
            f"{info['blocks_left_out']:,} blocks of very long requests were not looked at for what is met again"
        )
    if not info["requests"]:
        told.append("there is not a single request in it")
    return told


def size(value: float | None) -> str:
    """Bytes in the unit that suits them."""
    if value is None:
        return "-"
    for unit, factor in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if value >= factor:
            return f"{quantity(value / factor)} {unit}"
    return f"{value:,.0f} B"


def block(value: int) -> str:
    """The size of a request, which is mostly a power of two."""
    for unit, factor in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if value >= factor and value % factor == 0:
            return f"{value // factor} {unit}"
    return f"{value:,} B"


def span(seconds: float) -> str:
    """A time; a long one as hours or days too."""
    text = duration(seconds * 1e9)
    for unit, length in (("years", 365 * 86_400.0), ("days", 86_400.0), ("hours", 3_600.0)):
        if seconds >= 2 * length:
            return f"{text} ({seconds / length:.1f} {unit})"
    return text


def number(value: float | None) -> str:
    """A figure without a unit."""
    return "-" if value is None else quantity(value, 3)


def facts(info: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The facts about a trace as a whole: name and text."""
    packed = "" if info["compression"] == "none" else f", {info['compression']}"
    yield "format", f"{info['format']}{packed}"
    others = "".join(f", {info[kind]:,} {kind}" for kind in ("trims", "flushes") if info[kind])
    yield "requests", f"{info['requests']:,}: {info['reads']:,} reads, {info['writes']:,} writes{others}"
    yield "bytes", f"{size(info['bytes_read'])} read, {size(info['bytes_written'])} written"
    yield "span", span(info["span_s"])
    if info["requests_per_s"] is not None:
        yield (
            "rate",
            f"{quantity(info['requests_per_s'])} requests/s, at most {info['peak_requests_per_s']:,} in one second;"
            f" {size(info['bytes_per_s'])}/s",
        )
    if info["mean_bytes"] is not None:
        listed = [f"{block(one['bytes'])} {percent(one['share'])}" for one in info["sizes"][:MOST_SIZES]]
        more = ", ..." if len(info["sizes"]) > MOST_SIZES or info["other_sizes"] else ""
        yield "sizes", f"mean {size(info['mean_bytes'])}; {', '.join(listed)}{more}"
        yield "locality", f"{percent(info['sequential_share'])} begin where the last one ended; {blocks_text(info)}"
    indexes = [
        f"{number(one['index'])} at {duration(one['scale_s'] * 1e9)}"
        for one in info["dispersion"]
        if one["index"] is not None
    ]
    if info["inter_arrival_cv"] is not None:
        yield "gaps", f"cv {number(info['inter_arrival_cv'])} (Poisson 1)"
    if indexes:
        yield "dispersion", f"{', '.join(indexes)} (Poisson 1)"
    if info["b_model"] is not None or info["hurst"] is not None:
        yield "bursts", f"b {number(info['b_model'])} (even 0.5), Hurst {number(info['hurst'])} (Poisson 0.5)"
    if info["latency"] is not None:
        latency = info["latency"]
        yield "latency", f"mean {duration(latency['mean_s'] * 1e9)}, at most {duration(latency['longest_s'] * 1e9)}"


def blocks_text(info: Mapping[str, Any]) -> str:
    """The different blocks, and how many were met again: an estimate says so, and claims no share below its error."""
    unique, again = size(info["unique_bytes"]), info["touched_again_share"]
    if info["unique_exact"]:
        return f"{unique} touched, {percent(again)} of blocks met again"
    few = again is not None and again < LEAST_ESTIMATED_SHARE
    share = f"less than {percent(LEAST_ESTIMATED_SHARE)}" if few else f"about {percent(again)}"
    return f"about {unique} touched, {share} of blocks met again"


def volume_rows(info: Mapping[str, Any], most: int | None = None) -> list[list[str]]:
    """A row for each volume, the busiest first."""
    volumes = sorted(info["volumes"], key=lambda volume: -volume["requests"])[:most]
    return [
        [
            volume["name"] or "-",
            f"{volume['requests']:,}",
            percent(volume["reads"] / volume["requests"] if volume["requests"] else None),
            size(volume["bytes_read"]),
            size(volume["bytes_written"]),
            size(volume["end_bytes"]),
            percent(volume["sequential_share"]),
        ]
        for volume in volumes
    ]


VOLUME_HEAD = ["volume", "requests", "reads", "read", "written", "ends at", "sequential"]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lines of a table: words left, numbers right."""
    widths = [max(len(row[place]) for row in [head, *rows]) for place in range(len(head))]
    for row in [head, *rows]:
        cells = [
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()


def info_text(info: Mapping[str, Any]) -> str:
    """The description of a trace for a terminal: oddities first."""
    lines = [info["file"]]
    lines += [f"  ! {text}" if not text.startswith(" ") else f"  {text}" for text in oddities(info)]
    lines += [f"  {name:10}  {text}" for name, text in facts(info)]
    rows = volume_rows(info, MOST_VOLUMES)
    if len(info["volumes"]) > 1:
        lines += ["", *(f"  {line}" for line in table(VOLUME_HEAD, rows))]
        more = len(info["volumes"]) - len(rows)
        lines += [f"  and {more:,} more volumes"] if more else []
    return "".join(f"{line}\n" for line in lines)


def figure_text(value: float | None, unit: str) -> str:
    """A figure of a comparison."""
    if value is None:
        return "-"
    match unit:
        case "share":
            return percent(value)
        case "bytes":
            return size(value)
        case "bytes_per_s":
            return f"{size(value)}/s"
    return quantity(value)


def difference_text(one: Mapping[str, Any]) -> str:
    """How far the fitted figure is from that of the trace: per cent of it, of shares percentage points."""
    trace, fitted = one["trace"], one["fitted"]
    if trace is None or fitted is None:
        return "-"
    if one["unit"] == "share":
        return f"{(fitted - trace) * 100:+.1f} points"
    return "-" if trace == 0 else f"{(fitted / trace - 1) * 100:+.1f} %"


def fit_text(fitted: Fitted) -> str:
    """How far a fit is from its trace, for a terminal."""
    found = fitted.comparison
    lines = [f"{found['file']}: {found['requests']:,} requests, {found['format']}"]
    lines += [f"  ! {text}" for text in found["left_out"]]
    lines.append(
        f"  {len(found['streams'])} stream{'s' if len(found['streams']) > 1 else ''}; "
        f"{found['drawn']:,} requests drawn from the workload and measured as the trace was:"
    )
    rows = [
        [
            one["label"],
            figure_text(one["trace"], one["unit"]),
            figure_text(one["fitted"], one["unit"]),
            difference_text(one),
        ]
        for one in found["compared"]
    ]
    lines += ["", *(f"  {line}" for line in table(["", "trace", "fitted", "difference"], rows)), ""]
    if found["distance_of_sizes"] is not None:
        lines.append(
            f"  {percent(found['distance_of_sizes'])} of requests would need another size to have the same mix."
        )
    lines.append("  A - is not compared: there is too little of it, or fewer requests were drawn than the trace has.")
    lines.append("  Not fitted: how sizes, places and operations go together, and how they change over time.")
    return "".join(f"{line}\n" for line in lines)
