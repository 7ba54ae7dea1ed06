"""The files of a study: tables, verdicts, figures."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path

from sansim.file_types import (
    MARKDOWN,
    MARKDOWN_MARK,
    NETCDF,
    PARQUET,
    PNG,
    STUDY_CSV,
    SVG,
    VERDICT_CSV,
    Kind,
    check_place,
)
from sansim.files import whole_file
from sansim.study.model import Study
from sansim.study.session import Outcome
from sansim.study.table import csv, markdown, parquet, verdict_csv, verdict_markdown

FORMATS = ("csv", "parquet", "markdown", "netcdf")
"""Formats of the results; `netcdf` needs xarray and a NetCDF library."""
TABLES = {
    "results.csv": ("csv", STUDY_CSV),
    "verdicts.csv": ("csv", VERDICT_CSV),
    "results.parquet": ("parquet", PARQUET),
    "results.md": ("markdown", MARKDOWN),
    "results.nc": ("netcdf", NETCDF),
}
"""The files of tables, each with its format and kind."""
PICTURES = {"png": PNG, "svg": SVG}
"""The formats of figures with their kinds."""
NETCDF_LIBRARIES = ("netCDF4", "h5netcdf", "scipy")
"""The ones that xarray can use."""


def check_products(study: Study, folder: Path, formats: Sequence[str], *, force: bool = False) -> None:
    """Refuses a folder in which files of a study would replace something else, before anything is run.

    Args:
        study: The study.
        folder: Where its files are to be written.
        formats: Those of tables and of figures.
        force: Whether files of any kind may be replaced.

    Raises:
        OtherKindError: There is such a file.
        OSError: The folder is a file, or cannot be looked at.
    """
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"{folder} is not a folder")
    files: dict[str, Kind] = {name: kind for name, (form, kind) in TABLES.items() if form in formats}
    if not study.expected and not study.remarks:
        files.pop("verdicts.csv", None)
    files |= {f"{plot.name}.{end}": PICTURES[end] for plot in study.plots for end in formats if end in PICTURES}
    for name, kind in files.items():
        check_place(folder / name, kind, force=force, linked=False)


def write_text(file: Path, text: str, *, force: bool = False) -> Path:
    """Writes one of the tables whole or not at all, exactly as it is."""
    with whole_file(file, TABLES[file.name][1], force=force, linked=False) as place:
        place.write(text.encode("utf-8"))
    return file


def write_tables(
    outcome: Outcome,
    folder: Path,
    formats: tuple[str, ...] = ("csv", "parquet", "markdown"),
    *,
    force: bool = False,
) -> list[Path]:
    """Writes the results as tables, and the verdicts if there are any.

    Raises:
        OtherKindError: Something else has the name of a table, and `force` is not given.
        OSError: A file cannot be written.
    """
    study, frame = outcome.study, outcome.frame()
    folder.mkdir(parents=True, exist_ok=True)
    rows = outcome.verdicts
    written = []
    if "csv" in formats:
        written.append(write_text(folder / "results.csv", csv(frame, study.axes), force=force))
        if rows:
            written.append(write_text(folder / "verdicts.csv", verdict_csv(rows), force=force))
    if "parquet" in formats:
        parquet(frame, folder / "results.parquet", force=force)
        written.append(folder / "results.parquet")
    if "markdown" in formats:
        text = f"{MARKDOWN_MARK}\n\n{markdown(study, frame)}"
        if rows:
            text += f"\n## Published and ours\n\n{verdict_markdown(rows)}"
        if outcome.uncomputed:
            lines = (
                f"* `{lack.metric}`{f' at {lack.where}' if lack.where else ''}: {lack.why}\n"
                for lack in outcome.uncomputed
            )
            text += f"\n## What could not be computed\n\n{''.join(lines)}"
        written.append(write_text(folder / "results.md", text, force=force))
    if "netcdf" in formats:
        written.append(write_netcdf(outcome, folder / "results.nc", force=force))
    return written


def write_netcdf(outcome: Outcome, file: Path, *, force: bool = False) -> Path:
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
    with whole_file(file, NETCDF, force=force, linked=False) as place:
        place.write(content)
    return file


def write_plots(
    outcome: Outcome, folder: Path, formats: tuple[str, ...] = ("png", "svg"), *, force: bool = False
) -> list[Path]:
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
        written.extend(save(figure, folder, plot.name, formats, force=force))
    return written
