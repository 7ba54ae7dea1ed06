"""Figures as files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sansim.files import whole_file
from sansim.study.plot.look import DPI, plot_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Nothing in a file may tell when or by what it was made: the same study gives the same bytes.
OPTIONS: dict[str, dict[str, Any]] = {
    "png": {"dpi": DPI, "metadata": {"Software": None}},
    "pdf": {"metadata": dict.fromkeys(("CreationDate", "Creator", "Producer"))},
    "svg": {"metadata": dict.fromkeys(("Creator", "Date", "Format", "Type"))},
}


def save(
    figure: Figure, folder: str | os.PathLike[str], name: str, formats: Sequence[str] = ("png", "svg")
) -> list[Path]:
    """Writes a figure into a folder, in each format, each file whole or not at all. The folder is made if need be.

    Returns:
        The files.

    Raises:
        ValueError: There is no such format, or the name is not that of a file.
        OSError: A file cannot be written.
    """
    unknown = [ending for ending in formats if ending not in OPTIONS]
    if unknown:
        raise ValueError(f"figures are written as {', '.join(OPTIONS)}, not as {unknown[0]}")
    if name in ("", ".", "..") or Path(name).name != name:
        raise ValueError(f"'{name}' is no name for a file")
    Path(folder).mkdir(parents=True, exist_ok=True)
    files = []
    for ending in formats:
        place = Path(folder) / f"{name}.{ending}"
        with plot_style(), whole_file(place) as file:
            figure.savefig(file, format=ending, **OPTIONS[ending])
        files.append(place)
    return files
