"""Percentiles of response times by name: `p95` is the time that 95 % of the I/Os do not exceed.

The summary of every run has those of `NATIVE`, from a histogram that counts as the run goes on: they are off by at
most 0.05 % (all I/Os, reads, writes), or by less than 1 % (parts of the system). All others are taken from the rows of
the I/Os by nearest rank, exactly; a run has them only if they were requested, since it then has to keep the rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

NATIVE = ("p50", "p90", "p99", "p99_9")
"""The percentiles that every summary has."""
DIGITS = 4
"""Most digits behind the point of a percentage."""
ALL = 1_000_000
"""All I/Os, in millionths; 100 % with `DIGITS` digits."""
WORD = re.compile(rf"p(?P<whole>[1-9][0-9]?|0(?=_))(?:_(?P<part>[0-9]{{0,{DIGITS - 1}}}[1-9]))?\Z")
WRITTEN = re.compile(r"[pP]?(?P<whole>[0-9]+)(?:[._](?P<part>[0-9]+))?\s*%?\Z")
TIME = "response_time_ns"
"""The column, and the key in the summary."""
KINDS = {"reads": "read", "writes": "write", "flushes": "flush", "deallocations": "deallocate"}
"""Keys of the summary, with their words in the column `operation`."""
COLUMNS = ("workload", "stream", "host", "device", "operation", TIME)
"""The columns that percentiles are taken from."""
EXAMPLE = "p95, 99.99 or p99_99"


def word_of(written: object) -> str:
    """The name of a percentile that a person wrote: `p99_9` for `p99.9`, `99.9`, `99.9 %` or the number 99.9.

    Raises:
        ValueError: It is none between 0 and 100, or has too many digits; the text says what could be written.
    """
    is_number = isinstance(written, (int, float)) and not isinstance(written, bool)
    found = WRITTEN.match(f"{written:.10f}".rstrip("0").rstrip(".") if is_number else str(written).strip())
    if found is None or isinstance(written, bool):
        raise ValueError(f"{written!r} is not a percentile; write {EXAMPLE}")
    part = (found["part"] or "").rstrip("0")
    word = f"p{int(found['whole'])}{'_' if part else ''}{part}"
    if len(part) > DIGITS:
        raise ValueError(f"{written!r} has more than {DIGITS} digits behind the point")
    if WORD.match(word) is None:
        raise ValueError(f"{written!r} is not a percentile, which is above 0 and below 100; write {EXAMPLE}")
    return word


def words_of(written: object) -> tuple[str, ...]:
    """The names of percentiles, each once, in ascending order: of several, of one, or of a text with commas.

    Raises:
        ValueError: One of them is none, as `word_of` says.
    """
    if isinstance(written, str):
        written = filter(None, map(str.strip, written.split(",")))
    elif not isinstance(written, Iterable):
        written = [written]
    return tuple(sorted({word_of(one) for one in written}, key=millionths))


def is_word(text: str) -> bool:
    """Whether a text is the name of a percentile, as a key of a summary has it."""
    return WORD.match(text) is not None


def millionths(word: str) -> int:
    """The share of the I/Os that do not exceed a percentile, in millionths: 950,000 for `p95`."""
    found = WORD.match(word)
    if found is None:
        raise ValueError(f"{word!r} is not the name of a percentile")
    return int(found["whole"]) * (ALL // 100) + int((found["part"] or "").ljust(DIGITS, "0"))


def percent_of(word: str) -> str:
    """The percentage of a percentile as people write it: `99.9` for `p99_9`."""
    return word.removeprefix("p").replace("_", ".")


def ordinal(word: str) -> str:
    """A percentile in words: `95th percentile`, `99.9th percentile`, `median`."""
    number = percent_of(word)
    if word == "p50":
        return "median"
    ends = {"1": "st", "2": "nd", "3": "rd"} if number[-2:] not in ("11", "12", "13") else {}
    return f"{number}{'th' if '.' in number else ends.get(number[-1], 'th')} percentile"


def beside_native(path: str) -> str | None:
    """The path of the 99th percentile beside that of another percentile that a summary may have; None of any other."""
    parent, _, last = path.rpartition(".")
    is_time = parent == TIME or parent.endswith(f".{TIME}")
    return f"{parent}.p99" if is_time and is_word(last) and last not in NATIVE else None


def requested(paths: Iterable[str]) -> tuple[str, ...]:
    """The percentiles among the paths of figures that a run has only on request, each once."""
    return words_of(path.rpartition(".")[2] for path in paths if beside_native(path) is not None)


def meant(path: str) -> str | None:
    """The remedy for the path of a figure that seems to be a percentile, and is none; None if it does not seem so."""
    start, _, last = path.rpartition(f"{TIME}.p")
    if not path.startswith((TIME, f"{start}{TIME}")) or not last[:1].isdigit():
        return None
    try:
        return f"did you mean `{start}{TIME}.{word_of(last)}`?"
    except ValueError:
        return f"a percentile is above 0 and below 100, as `{start}{TIME}.p95` or `{start}{TIME}.p99_9`"


def in_order(times: Mapping[str, Any]) -> tuple[str, ...]:
    """The percentiles among response times of a summary, in ascending order."""
    return tuple(sorted((key for key in times if is_word(key)), key=millionths))


@dataclass(frozen=True)
class PercentileFigure:
    """A percentile as the catalogue of figures has it; the attributes are those of `_core.Figure`."""

    path: str
    unit: str
    label: str
    meaning: str
    several: bool = False


def described(path: str, beside: PercentileFigure | Any) -> PercentileFigure:
    """The figure of a percentile, by the one of the 99th percentile beside it."""
    word = path.rpartition(".")[2]
    label = str(beside.label).replace("99th percentile", ordinal(word))
    return PercentileFigure(path, beside.unit, label, f"{percent_of(word)} % of the I/Os took no longer")


def add(summary: Mapping[str, Any], ios: Iterable[pl.DataFrame], words: Sequence[str]) -> None:
    """Puts percentiles into a summary, beside those that it has, for all I/Os and for each part of the system.

    Only the response time of each I/O is kept; I/Os that are alike in all other columns share these. At most three
    copies are in memory: as they were read, those of a part, and these in order.

    Args:
        summary: The summary, which is changed.
        ios: The rows of its I/Os in pieces, each with at least the columns `COLUMNS`.
        words: The percentiles; those of `NATIVE` stay as they are.

    Raises:
        ValueError: The rows are not those of the I/Os of the summary.
    """
    wanted = [word for word in words if word not in NATIVE]
    if not wanted:
        return
    alike = joined(ios)
    for where, times, count in parts(summary):
        found = of_rows(chosen(alike, where)[TIME].explode(empty_as_null=False).sort(), wanted, count, where)
        times.update(found)


def joined(pieces: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """A row for all I/Os that are alike but for their response times, with a list of these."""
    import polars as pl

    names = list(COLUMNS[:-1])
    found = [piece.select(COLUMNS).group_by(names).agg(TIME) for piece in pieces]
    return pl.concat(found).group_by(names).agg(pl.col(TIME).explode(empty_as_null=False))


def parts(summary: Mapping[str, Any]) -> Iterator[tuple[dict[str, str], dict[str, Any], int]]:
    """The response times in a summary that have percentiles: whose they are by columns, the times, how many I/Os."""

    def of(part: Mapping[str, Any], where: dict[str, str]) -> Iterator[tuple[dict[str, str], dict[str, Any], int]]:
        if isinstance(times := part.get(TIME), dict) and "p99" in times:
            yield where, times, part["ios"]
        for key, operation in KINDS.items():
            if isinstance(inner := part.get(key), dict):
                yield from of(inner, where | {"operation": operation})
        for name, stream in part.get("streams", {}).items():
            yield from of(stream, where | {"stream": name})

    yield from of(summary, {})
    for key, column in (
        ("workloads", "workload"),
        ("hosts", "host"),
        ("devices", "device"),
        ("device_groups", "group"),
    ):
        for name, part in summary.get(key, {}).items():
            yield from of(part, {column: name})


def chosen(ios: pl.DataFrame, where: Mapping[str, str]) -> pl.DataFrame:
    """The rows of a part of the system, in their order."""
    import polars as pl

    rows = ios
    for column, name in where.items():
        if column == "group":
            # The members of a group are its name with a number behind it.
            rows = rows.filter((pl.col("device") == name) | pl.col("device").str.starts_with(f"{name}["))
        else:
            rows = rows.filter(pl.col(column) == name)
    return rows


def of_rows(ordered: pl.Series, words: Sequence[str], count: int, where: Mapping[str, str]) -> dict[str, int]:
    """Percentiles of ascending response times, by nearest rank, in whole ns that are over, as those of the summary."""
    if len(ordered) != count:
        whose = ", ".join(where.values()) or "the run"
        raise ValueError(f"percentiles of {whose}: {len(ordered)} rows, but {count} I/Os")
    return {word: int(ordered[rank(word, count) - 1]) if count else 0 for word in words}


def of_table(ios: pl.DataFrame, word: str, operation: str | None = None) -> float:
    """A percentile of the response times of the I/Os in a table; raises ValueError without any."""
    if operation is not None and operation not in KINDS.values():
        raise ValueError(f"operation={operation!r} is unknown; write one of {', '.join(KINDS.values())}")
    if not len(ios):
        raise ValueError("there are no rows of I/Os: none was measured, or collect_ios=False kept none")
    times = chosen(ios, {} if operation is None else {"operation": operation})[TIME].sort()
    if not len(times):
        raise ValueError(f"no measured I/O is a {operation}")
    return float(times[rank(word, len(times)) - 1])


def rank(word: str, count: int) -> int:
    """The place of a percentile among so many ascending values, from 1: the least that enough values do not exceed."""
    return max(-(-millionths(word) * count // ALL), 1)


NEEDED_BEYOND = 10
"""A percentile that fewer I/Os are beyond is nearly the longest response time (assumed)."""


def needed_for(word: str) -> int:
    """How many I/Os have `NEEDED_BEYOND` of them beyond a percentile."""
    return -(-NEEDED_BEYOND * ALL // (ALL - millionths(word)))


def beyond(word: str, count: int) -> int:
    """How many of so many I/Os are above the rank of a percentile."""
    return count - rank(word, count)
