"""The decision log of a run: what each rule of the user saw and chose, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

FILE = "decisions.parquet"
"""The name of the log in a run folder."""
IO = "decision.io"
"""The column with the I/O that a decision is about."""


def with_response_times(log: pl.DataFrame, ios: pl.LazyFrame) -> pl.DataFrame:
    """The log with the response time of the I/O that a decision is about; null where there is none, or not measured."""
    import polars as pl

    if IO not in log.columns:
        return log.with_columns(pl.lit(None, dtype=pl.Float64).alias("response_time_ns"))
    times = ios.select(pl.col("io").cast(pl.Int64).alias(IO), "response_time_ns").collect()
    return log.join(times, on=IO, how="left", maintain_order="left")


def of_rules(log: pl.DataFrame) -> pl.DataFrame:
    """Sums up a log, a row for each component and rule.

    Columns: `component`, `decision`, `rule`, `decisions`, `candidates` (mean), `first` (share of decisions that chose
    the first candidate), `response_time_ns` (mean), `outcome` (mean), `with_outcome` (decisions that have one).
    """
    import polars as pl

    first = pl.col("candidate") == 0
    return log.group_by("component", "decision", "rule", maintain_order=True).agg(
        decisions=first.sum(),
        candidates=pl.len() / first.sum(),
        first=(first & pl.col("chosen")).sum() / first.sum(),
        response_time_ns=pl.col("response_time_ns").filter(first).mean(),
        outcome=pl.col("outcome").filter(first).mean(),
        with_outcome=pl.col("outcome").filter(first).count(),
    )
