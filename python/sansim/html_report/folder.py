"""Reads run folders for the report."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sansim.files import cause, read_bytes
from sansim.machine import memory
from sansim.runs.output import changed, is_result, too_new

if TYPE_CHECKING:
    import polars as pl

REQUIRED = {
    "ios": ("drive", "write", "bytes", "completed_ns", "response_time_ns"),
    "tenancies": ("station", "arbitration_began_ns", "won_ns", "ended_ns"),
    "paths": ("io", "segment", "entered_ns", "left_ns"),
    "samples": ("at_ns", "component", "quantity", "value"),
    "decisions": ("number", "component", "decision", "rule", "candidate", "chosen", "outcome", "response_time_ns"),
}
"""Columns without which a table is of no use here."""

NO_LINES = frozenset({"issued", "completed", "response_time"})
"""Times of an I/O that are no lines of its ledger."""
SUMMARY_KEYS = (
    "ios",
    "iops",
    "bytes_per_second",
    "simulated_s",
    "response_time_ns",
    "components",
    "ledger_ns",
    "devices",
)
NAME_IN_CHARTS = 28
"""Longer names of runs are not put into charts."""


BYTES_PER_CELL = 18
"""Bytes of memory that a page needs for each value of its tables: 5.2 GB for 10^7 I/Os in 29 columns (measured)."""


class PageError(Exception):
    """Something that was given is no run folder, or not one that can be read."""


@dataclass(frozen=True)
class RunFolder:
    """The content of a run folder."""

    path: Path
    """The folder, absolute; links are kept."""
    summary: dict[str, Any]
    run: dict[str, Any]
    scenario: dict[str, Any]
    scenario_text: str
    ios: pl.DataFrame
    """A row per measured I/O, in the order of completion."""
    tenancies: pl.DataFrame | None
    """A row per tenancy; None in folders of versions that did not write them."""
    paths: pl.DataFrame | None
    """A row per stay of chosen I/Os in a segment; None in folders of versions that did not write them."""
    samples: pl.DataFrame | None
    """Samples of queues and utilisations in long form; None in folders of versions that did not write them."""
    decisions: pl.DataFrame | None = None
    """A row per candidate of each decision of a rule of the user; None if they were not recorded."""
    label: str = field(default="")
    """The label of the run on the page and in its charts."""

    @property
    def lines(self) -> list[str]:
        """Lines of the ledger, `place.segment`, in the order in which a read meets them: the order of their columns."""
        times = (name.removesuffix("_ns") for name in self.ios.columns if name.endswith("_ns"))
        return [name for name in times if name not in NO_LINES]

    @cached_property
    def interval(self) -> tuple[float, float]:
        """Begin and end of the measured interval in ns."""
        began = ((self.summary.get("statistics") or {}).get("warm_up") or {}).get("simulated_s")
        if began is not None:
            return began * 1e9, (began + self.summary["simulated_s"]) * 1e9
        # A run of an earlier version: it ends with the last measured I/O.
        last = self.ios["completed_ns"].max() if self.ios.height else None
        end = float(last) if isinstance(last, (int, float)) else self.summary["simulated_s"] * 1e9
        return max(end - self.summary["simulated_s"] * 1e9, 0.0), end


def read(places: Sequence[str | os.PathLike[str]]) -> list[RunFolder]:
    """Reads one or more run folders and gives each a label that tells it from the others.

    Raises:
        PageError: One of them cannot be used; the text says which and why.
    """
    runs = [read_one(place) for place in places]
    return [replace(run, label=label) for run, label in zip(runs, labels([run.path for run in runs]), strict=True)]


def labels(paths: Sequence[Path]) -> list[str]:
    """Short names for folders: their last part; two parts if those are the same; else first, second."""
    for parts in (1, 2):
        names = ["/".join(path.parts[-parts:]) for path in paths]
        if len(set(names)) == len(names) and all(len(n) <= NAME_IN_CHARTS and n.isprintable() for n in names):
            return names
    return ["first", "second", "third"][: len(paths)] if len(paths) > 1 else [paths[0].name]


def read_one(place: str | os.PathLike[str]) -> RunFolder:
    """Reads one run folder; see `read`."""
    path = Path(os.path.abspath(place))  # noqa: PTH100 - Path.resolve would follow links
    if not path.exists():
        raise PageError(f"{place}: there is no such folder; `sansim run FILE --out DIR` writes one")
    if not path.is_dir():
        raise PageError(f"{place} is not a run folder but a file; `sansim run FILE --out DIR` writes a run folder")
    if not is_result(path):
        raise PageError(
            f"{place} is not a run folder: it has no run.json of sansim; name a folder of `sansim run --out`"
        )
    if why := too_new(path):
        raise PageError(f"{place}: {why}; read it with the version that wrote it or a later one")
    try:
        why = changed(path)
    except OSError as error:
        raise PageError(f"{error.filename or place} cannot be read: {cause(error)}") from None
    if why:
        raise PageError(f"{place}: {why}, so its figures are no longer those of the run; run it again")
    summary = read_json(path / "summary.json")
    missing = [key for key in SUMMARY_KEYS if key not in summary]
    if missing:
        raise PageError(f"{path / 'summary.json'} has no {missing[0]}; it was changed or is not of this version")
    text = read_text(path / "scenario.toml")
    try:
        scenario = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PageError(f"{path / 'scenario.toml'} is not TOML: {error}") from None
    ios = read_table(path, "ios")
    if ios is None:
        raise PageError(f"{place} is not complete: it has no ios.parquet")
    return RunFolder(
        path=path,
        summary=summary,
        run=read_json(path / "run.json"),
        scenario=scenario,
        scenario_text=text,
        ios=in_order(ios),
        tenancies=read_table(path, "tenancies"),
        paths=read_table(path, "paths"),
        samples=read_table(path, "samples"),
        decisions=read_table(path, "decisions"),
        label=path.name,
    )


def check_memory(file: Path, rows: int, columns: int) -> None:
    """Refuses a table that memory cannot hold, before the system ends the process for it.

    Raises:
        PageError: A page about it would need more memory than the machine has.
    """
    needed, there = float(rows) * columns * BYTES_PER_CELL, memory()
    if there is not None and needed > there:
        raise PageError(
            f"{file} has {rows:,} rows, of which a page needs {needed / 1e9:,.1f} GB of memory, and this machine has"
            f" {there / 1e9:,.1f} GB; run the scenario with fewer I/Os (run.measured_ios), or ask `sansim query`"
        )


def in_order(ios: pl.DataFrame) -> pl.DataFrame:
    """The I/Os in the order of completion, in which runs write them: a second copy would take as much memory again."""
    return ios if ios["completed_ns"].is_sorted() else ios.sort("completed_ns", maintain_order=True)


def read_text(file: Path) -> str:
    """The text of a file of a run folder."""
    try:
        return read_bytes(file).decode()
    except FileNotFoundError:
        raise PageError(f"{file.parent} is not complete: it has no {file.name}") from None
    except OSError as error:
        raise PageError(f"cannot read {file}: {cause(error)}") from None
    except UnicodeDecodeError as error:
        raise PageError(f"cannot read {file}: {error}") from None


def read_json(file: Path) -> dict[str, Any]:
    """An object in a file of a run folder."""
    try:
        value = json.loads(read_text(file))
    except (ValueError, RecursionError) as error:
        raise PageError(f"{file} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise PageError(f"{file} does not hold a JSON object")
    return value


def read_table(folder: Path, name: str) -> pl.DataFrame | None:
    """A table of a run folder, None if it is not there."""
    import polars as pl

    file = folder / f"{name}.parquet"
    if not file.exists():
        return None
    if not file.is_file():
        raise PageError(f"cannot read {file}: it is not a file")
    try:
        # The name is this very one, also with brackets in it.
        whole = pl.scan_parquet(file, glob=False)
        check_memory(file, whole.select(pl.len()).collect().item(), len(whole.collect_schema()))
        table = pl.read_parquet(file, glob=False)
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise PageError(f"cannot read {file}: {reason}") from None
    missing = [column for column in REQUIRED[name] if column not in table.columns]
    if missing:
        raise PageError(f"{file} has no column {missing[0]}; it was changed or is not of this version")
    return table
