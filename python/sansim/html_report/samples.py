"""The samples of a run, brought down to the lines of a chart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from sansim.html_report.folder import RunFolder

MOST_POINTS = 150
"""More samples than this are averaged; a chart cannot show them."""
SAME = 1e-9
"""Means of the same values may differ by this part of the highest one, as they are rounded."""


@dataclass(frozen=True)
class Band:
    """A quantity of a component over time; of a group of several the mean, the lowest and the highest."""

    component: str
    quantity: str
    at_s: list[float]
    """Seconds of simulated time, in which a scenario has its events."""
    mean: list[float]
    low: list[float]
    high: list[float]
    members: int
    """How many components were sampled."""

    @property
    def wide(self) -> bool:
        """Whether there is a band: several components, or several samples to a point."""
        return self.low != self.high

    @property
    def constant(self) -> tuple[float, float] | None:
        """Its lowest and its highest value, if they and the mean were the same all the time."""
        moved = max(self.mean) - min(self.mean) > SAME * max(self.high)
        return None if moved or len({*self.low}) > 1 or len({*self.high}) > 1 else (self.low[0], self.high[0])


def bands(run: RunFolder, quantities: list[str]) -> list[Band]:
    """The samples of some quantities by group of components, in the order asked for and then as in the summary.

    Samples of the warm-up are left out. Where there are more than `MOST_POINTS` samples, neighbours are averaged and
    the band spans all of them.
    """
    import polars as pl

    assert run.samples is not None
    begin, end = run.interval
    group = pl.col("component").str.replace_all(r"\[\d+\]", "")
    times = run.samples["at_ns"].n_unique()
    at = pl.col("at_ns")
    if times > MOST_POINTS:
        width = max(end - begin, 1.0) / MOST_POINTS
        at = ((at - begin) / width).floor() * width + begin + width / 2
    rows = (
        run.samples.filter(pl.col("quantity").is_in(quantities), pl.col("at_ns").is_between(begin, end))
        .with_columns(group=group, at=at)
        .group_by("group", "quantity", "at")
        .agg(
            mean=pl.col("value").mean(),
            low=pl.col("value").min(),
            high=pl.col("value").max(),
            members=pl.col("component").n_unique(),
        )
        .sort("at")
    )
    order = {name: place for place, name in enumerate(run.summary["components"])}
    # The ports of one component are seen each by its own name, as `bridge.front`.
    for name in sorted(set(rows["group"]) - set(order)):
        order[name] = len(order)
    parts = rows.partition_by("quantity", "group", as_dict=True)
    keys = sorted(
        parts, key=lambda key: (quantities.index(str(key[0])), order.get(str(key[1]), len(order)), str(key[1]))
    )
    return [band(str(name), str(quantity), parts[quantity, name]) for quantity, name in keys]


def band(component: str, quantity: str, rows: pl.DataFrame) -> Band:
    """A band from rows in order of time."""
    return Band(
        component=component,
        quantity=quantity,
        at_s=(rows["at"] / 1e9).to_list(),
        mean=rows["mean"].to_list(),
        low=rows["low"].to_list(),
        high=rows["high"].to_list(),
        members=max(rows["members"].to_list()),
    )
