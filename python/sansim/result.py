"""The result of a run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    import os

    import polars as pl

    from sansim._core import Table, WrittenFile
    from sansim.page.notebook import Plots


@dataclass(frozen=True)
class Result:
    """What a run gives. Everything but `run` is the same to the last bit for the same scenario and seed."""

    summary: dict[str, Any]
    """The figures: rates, response times, utilisations, the time ledger. Units are in the names of the keys."""
    run: dict[str, Any]
    """Facts of this very run: wall time, events, version."""
    scenario: str = field(repr=False)
    """The scenario as TOML with every default written out; running it again gives the same result."""
    tables: Mapping[str, Table] = field(repr=False)
    """`ios`, `tenancies`, `paths` and `samples` for any library that reads Arrow."""
    files: tuple[WrittenFile, ...] = ()
    """What was written while the run went on."""

    @property
    def stopped_early(self) -> bool:
        """Whether the run was ended before it had measured all its I/Os."""
        return bool(self.summary["stopped_early"])

    @cached_property
    def ios(self) -> pl.DataFrame:
        """One row per measured I/O, as a polars table over the simulator's own buffers; nothing is copied."""
        import polars as pl

        return pl.DataFrame(self.tables["ios"])

    @cached_property
    def tenancies(self) -> pl.DataFrame:
        """One row per tenancy of the loop in the measured interval, as a polars table."""
        import polars as pl

        return pl.DataFrame(self.tables["tenancies"])

    @cached_property
    def paths(self) -> pl.DataFrame:
        """One row per stay of a chosen I/O in a segment of its ledger, as a polars table.

        Chosen are the twenty slowest, and about a hundred others evenly over the run.
        """
        import polars as pl

        return pl.DataFrame(self.tables["paths"])

    @cached_property
    def samples(self) -> pl.DataFrame:
        """One row per sample of the run and quantity, as a polars table."""
        import polars as pl

        return pl.DataFrame(self.tables["samples"])

    @cached_property
    def ledger(self) -> pl.DataFrame:
        """Where the time of an I/O goes, a row per segment of its path.

        Columns: the segment, its mean time, its share of the mean response time, and its mean time in the slowest
        percent of the I/Os. The means add up to the mean response time.
        """
        import polars as pl

        ledger = self.summary["ledger_ns"]
        total = sum(ledger["mean"].values())
        return pl.DataFrame(
            [
                (name, mean, mean / total if total else 0.0, ledger["slowest_percent"].get(name, 0.0))
                for name, mean in ledger["mean"].items()
            ],
            schema={
                "segment": pl.String,
                "mean_ns": pl.Float64,
                "share": pl.Float64,
                "slowest_percent_ns": pl.Float64,
            },
            orient="row",
        )

    @property
    def plot(self) -> Plots:
        """The report's charts of this result as matplotlib figures.

        `result.plot.ledger()`, `.response_times()` and `.over_time()`.
        """
        from sansim.page.notebook import Plots

        return Plots(self)

    def __repr__(self) -> str:  # type: ignore[explicit-override]
        """The headline in a line."""
        from sansim.report import headline

        return f"<sansim.Result: {headline(self.summary)}>"

    def _repr_html_(self) -> str:
        """Headline and ledger, as notebooks show them."""
        from sansim.page.notebook import html

        return html(self)

    def to_json(self) -> str:
        """The result as one line of JSON: an object with `summary` and `run`."""
        return json.dumps({"summary": self.summary, "run": self.run}, ensure_ascii=False, allow_nan=False)

    def report(self, *, width: int = 80, wall_time: bool = True) -> str:
        """The result as text for a person, at most `width` columns wide.

        Without `wall_time`, which is another each time, two runs of one scenario have the same report.
        """
        from sansim.report import report

        return report(self.summary, self.run, width=width, wall_time=wall_time)

    def save(self, directory: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes the result to a folder: the figures, the resolved scenario, the tables, the report.

        The folder appears complete or not at all. A folder that an earlier run wrote is replaced, unless somebody has
        changed a file in it; with `force` also then.

        Raises:
            OutputError: There is something else at that place.
            OSError: It cannot be written.
        """
        from sansim.output import save

        save(self, directory, force=force)

    def save_fio_json(self, file: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes the result in the form of fio's JSON output, whole or not at all.

        Raises:
            OtherKindError: There is a file that is no such result, and `force` is not given.
            OSError: It cannot be written, or a folder has the name.
        """
        from sansim.output import save_fio_json

        save_fio_json(self, file, force=force)

    def save_fio(self, *_: object) -> NoReturn:
        """The earlier name of `save_fio_json`."""
        raise TypeError("save_fio has become save_fio_json: what it writes is fio's JSON output, not a job of fio")
