"""The files of a study: tables, verdicts, figures."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from sansim.files import whole_file
from sansim.study.session import Outcome
from sansim.study.table import csv, markdown, parquet, verdict_csv, verdict_markdown

FORMATS = ("csv", "parquet", "markdown", "netcdf")
"""Formats of the results; `netcdf` needs xarray and a NetCDF library."""
NETCDF_LIBRARIES = ("netCDF4", "h5netcdf", "scipy")
"""The ones that xarray can use."""


def write_text(file: Path, text: str) -> Path:
    """Writes a file whole or not at all, exactly as it is."""
    with whole_file(file) as place:
        place.write(text.encode("utf-8"))
    return file


def write_tables(
    outcome: Outcome, folder: Path, formats: tuple[str, ...] = ("csv", "parquet", "markdown")
) -> list[Path]:
    """Writes the results as tables, and the verdicts if there are any."""
    study, frame = outcome.study, outcome.frame()
    folder.mkdir(parents=True, exist_ok=True)
    rows = outcome.verdicts
    written = []
    if "csv" in formats:
        written.append(write_text(folder / "results.csv", csv(frame, study.axes)))
        if rows:
            written.append(write_text(folder / "verdicts.csv", verdict_csv(rows)))
    if "parquet" in formats:
        parquet(frame, folder / "results.parquet")
        written.append(folder / "results.parquet")
    if "markdown" in formats:
        text = markdown(study, frame)
        if rows:
            text += f"\n## Published and ours\n\n{verdict_markdown(rows)}"
        written.append(write_text(folder / "results.md", text))
    if "netcdf" in formats:
        written.append(write_netcdf(outcome, folder / "results.nc"))
    return written


def write_netcdf(outcome: Outcome, file: Path) -> Path:
    """Writes the results as NetCDF, which xarray does.

    Raises:
        ImportError: xarray, or a library for NetCDF, is not installed.
    """
    dataset = outcome.to_xarray()
    try:
        content = dataset.to_netcdf()
    except (ImportError, ValueError) as error:
        if any(importlib.util.find_spec(library) for library in NETCDF_LIBRARIES):
            raise
        message = "this needs a library that writes NetCDF files; install one with: pip install h5netcdf"
        raise ImportError(message) from error
    with whole_file(file) as place:
        place.write(content)
    return file


def write_plots(outcome: Outcome, folder: Path, formats: tuple[str, ...] = ("png", "svg")) -> list[Path]:
    """Draws the figures of the study file.

    Raises:
        ValueError: One cannot be drawn; the text names it.
    """
    if not outcome.study.plots:
        return []
    from sansim.study.plot import draw, save

    study, frame, published = outcome.study, outcome.frame(), outcome.published()
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for plot in study.plots:
        figure = draw(plot, study.axes, study.metrics, frame, published)
        written.extend(save(figure, folder, plot.name, formats))
    return written
