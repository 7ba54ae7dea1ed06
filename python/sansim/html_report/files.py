"""Makes the page and writes it and its charts: each file complete or not at all."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sansim.doubts import instability, unsteadiness
from sansim.file_types import PAGE, PNG, SVG, check_place
from sansim.files import whole_file
from sansim.html_report.contents import Section, sections
from sansim.html_report.figures import difference, headline
from sansim.html_report.folder import PageError, RunFolder
from sansim.html_report.frame import rendered
from sansim.html_report.style import png_file, svg_file
from sansim.html_report.tables import Cell, metric_cell, signed_percent
from sansim.runs.output import is_result
from sansim.saturation import limit
from sansim.studio_page.player import script_hash

if TYPE_CHECKING:
    from sansim.file_types import Kind
    from sansim.html_report.style import Chart

TILES = ("iops", "mb_per_s", "mib_per_s", "response_mean_ns", "response_p99_ns", "loop_utilisation")


def default_place(runs: Sequence[RunFolder]) -> Path:
    """The default place, beside the first run folder: within one there are only its own files."""
    name = "-vs-".join(run.path.name for run in runs)
    return runs[0].path.with_name(f"{name}-report.html")


def check_file(file: Path, *, force: bool = False) -> None:
    """Refuses places where the page would destroy something or spoil a run folder.

    Raises:
        PageError: The place cannot be used.
    """
    refuse_run_folders(file.absolute().parent, file)
    if file.is_dir():
        raise PageError(f"{file} is a folder; name a file, as {file / 'report.html'}")
    try:
        check_place(file, PAGE, force=force)
    except OSError as error:
        raise PageError(str(error)) from None


def check_folder(folder: Path, names: Sequence[str] = (), *, force: bool = False) -> None:
    """Refuses places that cannot be a folder of charts, or in which one of these charts would destroy something.

    Raises:
        PageError: The place cannot be used.
    """
    refuse_run_folders(folder.absolute(), folder)
    if folder.exists() and not folder.is_dir():
        raise PageError(f"{folder} is not a folder")
    try:
        for name in names:
            for end, (kind, _) in PICTURES.items():
                check_place(folder / f"{name}{end}", kind, force=force, linked=False)
    except OSError as error:
        raise PageError(str(error)) from None


PICTURES = {".svg": (SVG, svg_file), ".png": (PNG, png_file)}
"""Endings of exported charts: the kind of file, and what makes it."""


def refuse_run_folders(folder: Path, named: Path) -> None:
    """A run folder holds its own files and nothing else."""
    for parent in (folder, *folder.parents):
        if is_result(parent):
            raise PageError(f"{named} lies in the run folder {parent}, which holds nothing but the run's own files")


def render(runs: Sequence[RunFolder], parts: Sequence[Section], player: str | None = None) -> str:
    """The page as text, perhaps with a player of a playback."""
    return rendered(
        "report.html.j2",
        runs=runs,
        player=player,
        script=None if player is None else script_hash(),
        sections=parts,
        tiles=tiles(runs),
        limits=[(run.label if len(runs) > 1 else "", text) for run in runs if (text := limit(run.summary))],
        unstable=[
            f"{run.label}: {text}" if len(runs) > 1 else text for run in runs if (text := instability(run.summary))
        ],
        drifting=[
            f"{run.label}: {text}" if len(runs) > 1 else text for run in runs if (text := unsteadiness(run.summary))
        ],
        early=[run.label for run in runs if run.summary.get("stopped_early")],
    )


def tiles(runs: Sequence[RunFolder]) -> list[tuple[str, list[Cell], str]]:
    """The numbers everyone looks for first: label, value in each run, and the difference of two runs."""
    found = [{metric.key: metric for metric in headline(run.summary)} for run in runs]
    made = []
    for key in TILES:
        metrics = [numbers[key] for numbers in found if key in numbers]
        if len(metrics) < len(runs) or any(metric.value is None for metric in metrics):
            continue
        change = difference(metrics[0].value, metrics[-1].value)
        text = signed_percent(change.percent) if len(runs) > 1 else ""
        made.append((metrics[0].label, [metric_cell(metric, place) for place, metric in enumerate(metrics, 1)], text))
    return made


def write(
    runs: Sequence[RunFolder],
    file: Path,
    parts: Sequence[Section] | None = None,
    *,
    player: str | None = None,
    force: bool = False,
) -> None:
    """Writes the page, perhaps with a player of a playback.

    Raises:
        PageError: The place is taken by something else.
        OSError: It cannot be written.
    """
    check_file(file, force=force)
    with no_collection():
        text = render(runs, sections(runs) if parts is None else parts, player)
    file.absolute().parent.mkdir(parents=True, exist_ok=True)
    with whole_file(file, PAGE, force=force) as stream:
        stream.write(text.encode())


@contextmanager
def no_collection() -> Iterator[None]:
    """Leaves garbage alone: charts are thousands of small objects that live until they are written.

    Looking for garbage among them takes a tenth of the time and finds none.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def export(
    parts: Sequence[Section],
    folder: Path,
    *,
    force: bool = False,
    progress: Callable[[float], object] | None = None,
) -> list[Path]:
    """Writes every chart as SVG and as PNG of 300 dots per inch. Charts of the same names are replaced.

    `progress` is called with the share of the charts that are drawn.

    Raises:
        PageError: The place is not a folder, or something else has the name of a chart.
        OSError: They cannot be written.
    """
    charts: list[Chart] = [chart for part in parts for chart in part.charts]
    check_folder(folder, [chart.name for chart in charts], force=force)
    made: dict[str, tuple[Kind, bytes]] = {}
    for number, chart in enumerate(charts, 1):
        made |= {f"{chart.name}{end}": (kind, make(chart)) for end, (kind, make) in PICTURES.items()}
        if progress is not None:
            progress(number / len(charts))
    folder.mkdir(parents=True, exist_ok=True)
    for name, (kind, content) in made.items():
        with whole_file(folder / name, kind, force=force, linked=False) as stream:
            stream.write(content)
    return [folder / name for name in made]
