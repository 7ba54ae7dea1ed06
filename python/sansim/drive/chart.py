"""A fit as a picture: what was measured against what the drive does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sansim.drive.fit import DriveFit, Row
from sansim.drive.told import kind_of, mean_error, share
from sansim.page.style import READS, WRITES, Chart, plain_ticks, time_unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def chart_of(fit: DriveFit) -> Chart:
    """The picture."""
    title = f"Response times of {fit.measurements.name} and of the drive that was fitted"
    return Chart("drive-fit", title, "", 5.4, lambda figure: draw(figure, fit))


def draw(figure: Figure, fit: DriveFit) -> None:
    """A dot for each row, on the diagonal if it is met: full if it was used, hollow if it is predicted."""
    axes = figure.subplots()
    rows = [row for row in fit.rows if row.simulated_ns is not None]
    size, unit = time_unit(max((row.measured.response_ns for row in rows), default=1.0))
    groups: dict[tuple[bool, bool, bool], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.measured.write, row.measured.sequential, not row.used), []).append(row)
    for (write, sequential, predicted), mine in sorted(groups.items(), key=lambda group: group[0]):
        colour = WRITES if write else READS
        axes.plot(
            [row.measured.response_ns / size for row in mine],
            [(row.simulated_ns or 0.0) / size for row in mine],
            "s" if sequential else "o",
            color=colour,
            markerfacecolor="none" if predicted else colour,
            markersize=6,
            linestyle="none",
            label=f"{mine[0].measured.pattern} {mine[0].measured.operation}, {'predicted' if predicted else 'used'}",
        )
    ends = ends_of(rows, size)
    axes.plot(ends, ends, color="#222222", linewidth=0.8, linestyle="--", zorder=0)
    for axis, scale, name in ((axes.xaxis, axes.set_xscale, "measured"), (axes.yaxis, axes.set_yscale, "simulated")):
        scale("log")
        plain_ticks(axis)
        axis.set_label_text(f"{name} response time ({unit})")
    used, held = (share(mean_error(part), sign=False) for part in (fit.used, fit.held_out))
    axes.set_title(f"{kind_of(fit)}: mean difference {used} of rows used, {held} of rows predicted")
    if rows:
        axes.legend(loc="upper left")


def ends_of(rows: list[Row], size: float) -> tuple[float, float]:
    """The ends of the diagonal."""
    times = [
        time / size for row in rows for time in (row.measured.response_ns, row.simulated_ns or row.measured.response_ns)
    ]
    return (min(times, default=1.0) / 1.3, max(times, default=1.0) * 1.3)
