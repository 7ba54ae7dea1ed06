"""The results of a run, as data: figures, tables, files. `Result` adds methods to show and save them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sansim import arguments, percentiles
from sansim import text_report as text
from sansim.catalogue import place_of, segment_of

if TYPE_CHECKING:
    import polars as pl

    from sansim._core import WrittenFile
    from sansim.tables import Table


TIMES = ("mean", "ci95", "min", "p50", "p90", "p99", "p99_9", "max")
FIGURES = (
    *("ios", "failed_ios", "share", "iops", "bytes_per_second", "under_way"),
    *(f"response_time_{key}_ns" for key in TIMES),
)
"""The columns of `RunData.parts`; behind them are the percentiles that were requested."""


def requested(summary: Mapping[str, Any]) -> tuple[str, ...]:
    """The percentiles that a run has because they were requested."""
    found = {word for _, times, _ in percentiles.parts(summary) for word in percentiles.in_order(times)}
    return percentiles.words_of(found - set(percentiles.NATIVE))


def part_rows(summary: Mapping[str, Any], more: Sequence[str] = ()) -> Iterator[tuple[object, ...]]:
    """The rows of `RunData.parts`, with more percentiles."""

    def row(part: str, name: str, at: str, of: Mapping[str, Any]) -> tuple[object, ...]:
        times = of.get("response_time_ns") or {}
        return part, name, at, *(of.get(key) for key in FIGURES[:6]), *(times.get(key) for key in (*TIMES, *more))

    for name, workload in summary.get("workloads", {}).items():
        yield row("workload", name, "", workload)
        for stream, of in workload.get("streams", {}).items():
            yield row("stream", stream, name, of)
    for name, host in summary.get("hosts", {}).items():
        yield row("host", name, "", host)
        for device, of in host.get("devices", {}).items():
            yield row("host at a device", name, device, of)
    for part, key in (("group of devices", "device_groups"), ("device", "devices")):
        for name, of in summary.get(key, {}).items():
            yield row(part, name, "", of)


@dataclass(frozen=True)
class RunData:
    """The results of a run. Everything but `run` is the same to the last bit for the same scenario and seed."""

    summary: dict[str, Any]
    """The figures: rates, response times, utilisations, the time ledger. Units are in the names of the keys."""
    run: dict[str, Any]
    """Facts of this very run: wall time, events, version."""
    scenario: str = field(repr=False)
    """The scenario as TOML with every default written out; running it again gives the same result."""
    tables: Mapping[str, Table] = field(repr=False)
    """`ios`, `tenancies`, `paths`, `samples` and `decisions`, for pandas, CSV and any library that reads Arrow."""
    files: tuple[WrittenFile, ...] = ()
    """The files that were written while the run went on."""
    rows: Mapping[str, Path | OSError] = field(default_factory=dict, repr=False)
    """For tables whose rows left the run while it went on: the file of Arrow's IPC with them, or why it lacks some."""

    @property
    def stopped_early(self) -> bool:
        """Whether the run was ended before it had measured all its I/Os."""
        return bool(self.summary["stopped_early"])

    @arguments.checked("Result.lazy", table=arguments.one_of("ios", "tenancies", "paths", "samples", "decisions"))
    def lazy(self, table: str) -> pl.LazyFrame:
        """One of the tables as polars reads it when asked: from a file no more than what is asked for.

        Raises:
            OSError: Its rows could not be kept.
        """
        import polars as pl

        match self.rows.get(table):
            case None:
                return pl.DataFrame(self.tables[table]).lazy()
            case OSError() as error:
                raise error
            case file:
                from sansim.files import rows_in_pieces

                return rows_in_pieces(file)

    @cached_property
    def ios(self) -> pl.DataFrame:
        """One row per measured I/O, as a polars table over the simulator's own buffers; nothing is copied."""
        return self.lazy("ios").collect()

    @cached_property
    def tenancies(self) -> pl.DataFrame:
        """One row per tenancy of a loop in the measured interval, as a polars table."""
        return self.lazy("tenancies").collect()

    @cached_property
    def paths(self) -> pl.DataFrame:
        """One row per stay of a chosen I/O in a segment of its ledger, as a polars table.

        Chosen are the twenty slowest, and about a hundred others evenly over the run.
        """
        return self.lazy("paths").collect()

    @cached_property
    def samples(self) -> pl.DataFrame:
        """One row per sample of the run and quantity, as a polars table."""
        return self.lazy("samples").collect()

    @cached_property
    def decisions(self) -> pl.DataFrame:
        """A row per candidate of each decision of a rule of your own, as a polars table; see docs/policies.md.

        Empty unless the run recorded them.
        """
        import polars as pl

        from sansim.decisions import with_response_times

        log = self.lazy("decisions").collect() if "decisions" in self.tables else pl.DataFrame()
        return log if log.is_empty() else with_response_times(log, self.lazy("ios"))

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

    @cached_property
    def parts(self) -> pl.DataFrame:
        """The results of each part of the system, a row each, as a polars table.

        `part` is its kind: a workload, a stream, a host, a host at a device, a group of devices, a device; `name` is
        its name, and `at` the workload of a stream or the device of a host. I/Os, failed ones, share, rates, I/Os in
        flight and response times are those of `summary`; values that it lacks for a part are null.
        """
        import polars as pl

        more = requested(self.summary)
        columns = (*FIGURES, *(f"{percentiles.TIME[:-3]}_{word}_ns" for word in more))
        schema = {"part": pl.String, "name": pl.String, "at": pl.String, **dict.fromkeys(columns, pl.Float64)}
        schema |= dict.fromkeys(("ios", "failed_ios"), pl.UInt64)
        return pl.DataFrame(list(part_rows(self.summary, more)), schema=schema, orient="row")

    def percentile(self, percentile: str | float, operation: str | None = None) -> float:
        """The time that so large a part of the measured I/Os did not exceed, in ns: exact, by nearest rank.

        Args:
            percentile: As `95`, `"p99.99"`.
            operation: `read`, `write`, `flush` or `deallocate`; all I/Os if not given.

        Raises:
            ValueError: This is no percentile, there are no such I/Os, or the run kept no rows.
        """
        return percentiles.of_table(self.ios, percentiles.word_of(percentile), operation)

    def to_json(self) -> str:
        """The result as one line of JSON: an object with `summary` and `run`."""
        return json.dumps({"summary": self.summary, "run": self.run}, ensure_ascii=False, allow_nan=False)

    @arguments.checked(
        "Result.report",
        width=arguments.WHOLE,
        wall_time=arguments.FLAG,
        devices=arguments.FLAG,
        all_rows=arguments.FLAG,
    )
    def report(self, *, width: int = 80, wall_time: bool = True, devices: bool = False, all_rows: bool = False) -> str:
        """The result as text for a person, at most `width` columns wide.

        Without `wall_time`, which is another each time, two runs of one scenario have the same report. With `devices`
        it shows every device, and each host at each; with `all_rows` also rows whose share is under 0.1 %.
        """
        return text.report(self.summary, self.run, width=width, wall_time=wall_time, devices=devices, all_rows=all_rows)
