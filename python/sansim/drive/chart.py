"""A fit as a picture: what was measured against what the drive does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sansim.drive.fit import DriveFit
from sansim.drive.text import kind_of
from sansim.fit.chart import Dot, draw_dots
from sansim.fit.text import mean_error, share
from sansim.html_report.style import Chart, time_unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def chart_of(fit: DriveFit) -> Chart:
    """The picture."""
    title = f"Response times of {fit.measurements.name} and of the drive that was fitted"
    return Chart("drive-fit", title, "", 5.4, lambda figure: draw(figure, fit))


def draw(figure: Figure, fit: DriveFit) -> None:
    """A dot for each row, on the diagonal if it is met: full if it was used, hollow if it is predicted."""
    axes = figure.subplots()
    rows = [row for row in fit.rows if row.simulated is not None]
    size, unit = time_unit(max((row.measured.response_ns for row in rows), default=1.0))
    dots = [
        Dot(
            measured=row.measured.response_ns / size,
            simulated=(row.simulated or 0.0) / size,
            write=row.measured.write,
            square=row.measured.sequential,
            predicted=not row.used,
            label=f"{row.measured.pattern} {row.measured.operation}, {row.use}",
        )
        for row in rows
    ]
    draw_dots(axes, dots, f"response time ({unit})")
    used, held = (share(mean_error(part), sign=False) for part in (fit.used, fit.held_out))
    axes.set_title(f"{kind_of(fit)}: mean difference {used} of rows used, {held} of rows predicted")
