"""Figures as files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sansim.file_types import PDF, PICTURE_MARK, PNG, PNG_ABOUT, SVG, SVG_ABOUT
from sansim.files import whole_file
from sansim.study.plot.look import DPI, plot_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Nothing in a file may tell when it was made or by which version: the same study gives the same bytes.
PDF_ABOUT = dict.fromkeys(("CreationDate", "Producer")) | {"Creator": PICTURE_MARK}
OPTIONS: dict[str, dict[str, Any]] = {
    "png": {"dpi": DPI, "metadata": PNG_ABOUT},
    "pdf": {"metadata": PDF_ABOUT},
    "svg": {"metadata": SVG_ABOUT},
}
KINDS = {"png": PNG, "pdf": PDF, "svg": SVG}


def save(
    figure: Figure,
    folder: str | os.PathLike[str],
    name: str,
    formats: Sequence[str] = ("png", "svg"),
    *,
    force: bool = False,
) -> list[Path]:
    """Writes a figure into a folder, in each format, each file whole or not at all. The folder is made if need be.

    Returns:
        The files.

    Raises:
        ValueError: There is no such format, or the name is not that of a file.
        OtherKindError: Something else has the name of a picture, and `force` is not given.
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
        with plot_style(), whole_file(place, KINDS[ending], force=force, linked=False) as file:
            figure.savefig(file, format=ending, **OPTIONS[ending])
        files.append(place)
    return files
