"""Plots of a study: lines with their intervals, published points beside ours, small multiples; drawn by matplotlib."""

from sansim.study.plot.figure import draw
from sansim.study.plot.files import save

__all__ = ["draw", "save"]
