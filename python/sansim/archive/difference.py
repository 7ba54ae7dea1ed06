"""Compares the files of a run with those of another run of the same scenario: which differs, where, and by what."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from sansim.archive.pack import without_places
from sansim.files import read_bytes
from sansim.software import NAMES

EXCEPT = ("run.json",)
"""Files that differ from run to run: they have the wall time."""
SHOWN = 60
"""Letters of a differing value that are shown."""
MOST = 5
"""Differing columns of a table that are named one by one."""


@dataclass(frozen=True)
class Difference:
    """A file that is not the same."""

    file: str
    where: str
    """The first difference: a column and its row, a key, a line."""


def compared(first: Path, second: Path) -> tuple[list[str], list[Difference]]:
    """The files with the same bytes, and the differences of the others.

    Files that a run writes on request only, as a capture, are not compared: nothing says what was asked for.
    """
    from sansim.runs.output import FILES

    same, found = [], []
    for name in FILES:
        if name in EXCEPT or not ((first / name).is_file() or (second / name).is_file()):
            continue
        differences = list(of_file(name, first / name, second / name))
        if differences:
            found += differences
        else:
            same.append(name)
    return same, found


def of_file(name: str, first: Path, second: Path) -> Iterator[Difference]:
    """The differences of a file."""
    for place, which in ((first, "archive"), (second, "second run")):
        if not place.is_file():
            yield Difference(name, f"the {which} has none")
            return
    if name.endswith(".parquet"):
        yield from of_table(name, first, second)
        return
    one, other = (read_bytes(place).decode("utf-8", "replace") for place in (first, second))
    if name == "scenario.toml":
        one, other = without_places(one), without_places(other)
    if one == other:
        return
    if name.endswith(".json"):
        yield from of_json(name, one, other)
    else:
        yield from of_text(name, one, other)


def of_text(name: str, one: str, other: str) -> Iterator[Difference]:
    """The first line that differs."""
    lines = zip_longest(one.splitlines(), other.splitlines())
    for number, (line, second) in enumerate(lines, start=1):
        if line != second:
            yield Difference(name, f"line {number}: {shown(line)}, now {shown(second)}")
            return
    yield Difference(name, "the end of the last line")


def of_json(name: str, one: str, other: str) -> Iterator[Difference]:
    """The first key whose value differs, and how many do."""
    first, second = dict(leaves(json.loads(one))), dict(leaves(json.loads(other)))
    keys = [key for key in {**first, **second} if first.get(key) != second.get(key)]
    if not keys:
        yield Difference(name, "the order of keys, or how numbers are written")
        return
    key = keys[0]
    more = f"; {len(keys) - 1:,} more keys differ" if len(keys) > 1 else ""
    yield Difference(name, f"{key}: {shown(first.get(key))}, now {shown(second.get(key))}{more}")


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The values of nested objects with their paths."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and value:
        for number, inner in enumerate(value):
            yield from leaves(inner, f"{path}[{number}]")
    else:
        yield path, value


def of_table(name: str, first: Path, second: Path) -> Iterator[Difference]:
    """Each differing column with its first differing row."""
    import polars as pl

    if same_bytes(first, second):
        return
    one, other = (pl.read_parquet(place, glob=False) for place in (first, second))
    if one.columns != other.columns:
        gone = [column for column in one.columns if column not in other.columns]
        new = [column for column in other.columns if column not in one.columns]
        words = [f"columns {', '.join(gone)} are gone"] if gone else []
        words += [f"columns {', '.join(new)} are new"] if new else []
        yield Difference(name, "; ".join(words) or "the order of columns")
    if one.height != other.height:
        yield Difference(name, f"{one.height:,} rows, now {other.height:,}")
    rows = min(one.height, other.height)
    differing = []
    for column in (column for column in one.columns if column in other.columns):
        left, right = one[column].head(rows), other[column].head(rows)
        if left.dtype != right.dtype:
            differing.append(f"column {column}: {left.dtype}, now {right.dtype}")
            continue
        unequal = left.ne_missing(right)
        if unequal.any():
            row = unequal.arg_max() or 0
            differing.append(f"column {column}, row {row:,}: {shown(left[row])}, now {shown(right[row])}")
    for text in differing[:MOST]:
        yield Difference(name, text)
    if len(differing) > MOST:
        yield Difference(name, f"{len(differing) - MOST:,} more columns differ")
    if not differing and one.height == other.height and one.columns == other.columns:
        yield Difference(name, "the same values in other bytes, as another version of polars writes them")


def same_bytes(first: Path, second: Path) -> bool:
    """Whether two files are the same."""
    import filecmp

    return filecmp.cmp(first, second, shallow=False)


def shown(value: object) -> str:
    """A value in a message; a long one in part."""
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def versions(then: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """The parts of the software that are of another version than they were."""
    return [
        f"{NAMES.get(name, name)}: {then[name]} then, {now.get(name, 'unknown')} now"
        for name in then
        if then[name] != now.get(name, "")
    ]
