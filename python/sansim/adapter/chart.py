"""A fit of an adapter as a picture: what was measured against what it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sansim.adapter.fit import AdapterFit, IntervalRow, RateRow
from sansim.fit.chart import Dot, draw_dots
from sansim.fit.text import mean_error, share
from sansim.html_report.style import Chart, time_unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def chart_of(fit: AdapterFit) -> Chart:
    """The picture."""
    what = "Rates" if fit.word_ns is None else "Times"
    title = f"{what} of {', '.join(fit.files)} and of the adapter that was fitted"
    return Chart("adapter-fit", title, "", 5.4, lambda figure: draw(figure, fit))


def draw(figure: Figure, fit: AdapterFit) -> None:
    """A dot for each row."""
    axes = figure.subplots()
    times = [row.measured.counts for row in fit.rows if isinstance(row, IntervalRow)]
    size, unit = time_unit(max(times, default=1.0))
    dots = [dot_of(row, size) for row in fit.rows if row.simulated is not None]
    draw_dots(axes, dots, f"time ({unit})" if times else "I/Os per second")
    used, held = (share(mean_error(part), sign=False) for part in (fit.used, fit.held_out))
    axes.set_title(f"mean difference {used} of rows used, {held} of rows predicted")


def dot_of(row: RateRow | IntervalRow, size: float) -> Dot:
    """A row as a dot; times in a unit of so many ns."""
    size = size if isinstance(row, IntervalRow) else 1.0
    return Dot(
        measured=row.measured.counts / size,
        simulated=(row.simulated or 0.0) / size,
        write=row.measured.write,
        square=False,
        predicted=not row.used,
        label=f"{row.measured.operation}, {row.use}",
    )
