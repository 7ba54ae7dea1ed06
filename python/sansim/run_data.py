"""What a run gives, as data: figures, tables, files. `Result` is the same with ways to show and save it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sansim import report as text
from sansim.catalogue import place_of, segment_of

if TYPE_CHECKING:
    import polars as pl

    from sansim._core import Table, WrittenFile


@dataclass(frozen=True)
class RunData:
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
        """One row per tenancy of a loop in the measured interval, as a polars table."""
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
        """Where the time of an I/O goes, a row per place and segment of its path.

        Columns: the place, the segment, its mean time, its share of the mean response time, and its mean time in the
        slowest percent of the I/Os. The means add up to the mean response time; of an unstable run, which has none,
        there are no rows.
        """
        import polars as pl

        ledger = self.summary["ledger_ns"] or {"mean": {}, "slowest_percent": {}}
        total = sum(ledger["mean"].values())
        return pl.DataFrame(
            [
                (
                    place_of(line),
                    segment_of(line),
                    mean,
                    mean / total if total else 0.0,
                    ledger["slowest_percent"].get(line, 0.0),
                )
                for line, mean in ledger["mean"].items()
            ],
            schema={
                "place": pl.String,
                "segment": pl.String,
                "mean_ns": pl.Float64,
                "share": pl.Float64,
                "slowest_percent_ns": pl.Float64,
            },
            orient="row",
        )

    def to_json(self) -> str:
        """The result as one line of JSON: an object with `summary` and `run`."""
        return json.dumps({"summary": self.summary, "run": self.run}, ensure_ascii=False, allow_nan=False)

    def report(self, *, width: int = 80, wall_time: bool = True) -> str:
        """The result as text for a person, at most `width` columns wide.

        Without `wall_time`, which is another each time, two runs of one scenario have the same report.
        """
        return text.report(self.summary, self.run, width=width, wall_time=wall_time)
