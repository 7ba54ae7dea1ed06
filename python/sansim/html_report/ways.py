"""The paths of single I/Os from paths.parquet: the choice of I/Os, and the bars that are distinct on paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from sansim.html_report.figures import ordinal

if TYPE_CHECKING:
    import polars as pl

    from sansim.html_report.folder import RunFolder


@dataclass(frozen=True)
class Stay:
    """A stay in a line of the ledger; times in ns since the I/O was issued."""

    line: str
    begin: float
    end: float


@dataclass(frozen=True)
class Bar:
    """The bar of one dwell, or of several that cannot be distinguished."""

    begin: float
    end: float
    share: float = 1.0
    """Share of the time from begin to end that the stays take; 1 for a single one."""


def with_way(run: RunFolder) -> pl.DataFrame | None:
    """The measured I/Os whose way is known, the slowest first; None if the run folder does not tell."""
    import polars as pl

    if run.paths is None or "io" not in run.ios.columns:
        return None
    known = run.paths.select(pl.col("io").cast(pl.UInt64).unique())
    kept = run.ios.with_columns(pl.col("io").cast(pl.UInt64)).join(known, on="io", how="semi")
    return kept.sort(["response_time_ns", "io"], descending=[True, False], maintain_order=True)


def chosen_ways(run: RunFolder, slowest: int = 3) -> list[tuple[str, dict[str, Any]]]:
    """Like `figures.chosen`, for the I/Os whose path is known; empty if none is.

    The label of an I/O is its place among all: the slowest whose path is known need not be the slowest of the run, and
    neither need the median be among them.
    """
    kept = with_way(run)
    if kept is None or kept.is_empty():
        return []
    rows = kept.to_dicts()
    every = run.ios["response_time_ns"].sort(descending=True)
    shown = []
    for place, row in enumerate(rows[:slowest]):
        time = row["response_time_ns"]
        # Each of equally slow I/Os may count as the earlier one.
        rank = place if every[place] == time else int((every > time).sum())
        shown.append((ordinal(rank), row))
    if len(rows) > slowest + 1:
        middle = float(every[len(every) // 2])
        away = (kept["response_time_ns"].slice(slowest, len(rows) - slowest - 1) - middle).abs()
        near = rows[slowest + int(away.arg_min() or 0)]
        shown.append(("median" if near["response_time_ns"] == middle else "near the median", near))
        fastest = rows[-1]
        shown.append(("fastest" if fastest["response_time_ns"] == every[-1] else "fastest kept", fastest))
    return shown


def way(run: RunFolder, io: Mapping[str, Any]) -> list[Stay]:
    """The stays of one I/O in order of time."""
    import polars as pl

    assert run.paths is not None
    issued = io.get("issued_ns", io["completed_ns"] - io["response_time_ns"])
    rows = run.paths.filter(pl.col("io") == io["io"]).sort("entered_ns", maintain_order=True)
    # A folder of an earlier version tells no places.
    where = pl.concat_str("place", "segment", separator=".") if "place" in rows.columns else pl.col("segment")
    return [
        Stay(line, begin - issued, end - issued)
        for line, begin, end in rows.select(where, "entered_ns", "left_ns").iter_rows()
    ]


def bars(stays: Sequence[Stay], finest: float) -> list[Bar]:
    """The bars for the dwells in one segment, if nothing finer than `finest` ns can be seen.

    A longer stay is drawn as it is. Shorter ones with gaps as short become one bar, so that there are never many more
    bars than the paper has places.
    """
    made: list[Bar] = []
    mergeable = False
    for stay in stays:
        length = stay.end - stay.begin
        short = length < finest
        if short and mergeable and stay.begin - made[-1].end < finest:
            before = made.pop()
            spent = before.share * (before.end - before.begin) + length
            width = stay.end - before.begin
            made.append(Bar(before.begin, stay.end, min(spent / width, 1.0) if width else 1.0))
        else:
            made.append(Bar(stay.begin, stay.end))
        mergeable = short
    return made


def turns(stays: Sequence[Stay], finest: float) -> list[tuple[float, str, str]]:
    """When the way leads from one segment into which other, to or from a stay that has a bar of its own."""
    return [
        (after.begin, before.line, after.line)
        for before, after in pairwise(stays)
        if max(before.end - before.begin, after.end - after.begin) >= finest
    ]
