"""A figure that is always drawn in our style."""

from __future__ import annotations

import io

from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure

from sansim.html_report.layout import OneGrid
from sansim.html_report.style import WIDTH, Chart, house_style

DPI = 144
"""Resolution of the picture in a notebook: twice that of an old screen, so that it is sharp on a new one."""


class StyledFigure(Figure):
    """A figure of the report for a program of the user.

    Some of matplotlib's settings count while a figure is made, others only while it is drawn; here ours are in force
    both times, and the user's own figures keep theirs.
    """

    def draw(self, renderer: RendererBase) -> None:  # type: ignore[explicit-override]
        """Draws all of it."""
        with house_style():
            super().draw(renderer)

    def _repr_png_(self) -> bytes:
        """The picture in a notebook; matplotlib itself shows only figures of pyplot."""
        file = io.BytesIO()
        self.savefig(file, format="png", dpi=DPI, metadata={"Software": None})
        return file.getvalue()


def styled(chart: Chart) -> Figure:
    """The chart as a figure that keeps our style wherever it is drawn or saved, and that a notebook shows."""
    with house_style():
        figure = StyledFigure(figsize=(WIDTH, chart.height), layout=OneGrid())
        chart.draw(figure)
    return figure
