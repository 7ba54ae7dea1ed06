"""`sansim report`: a page with the charts of a run, or of two side by side."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sansim.commands.common import BAD_INPUT, OTHER, fail, force_option, stopping

if TYPE_CHECKING:
    from sansim.progress import WorkLine

PLAYER_HEIGHT = 720
"""Pixels of the player in a page."""


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("run2", required=False, type=click.Path(path_type=Path))
@click.option(
    "--out",
    "file",
    metavar="FILE.html",
    type=click.Path(path_type=Path),
    help="Where to write the page; RUN-report.html beside the folder RUN if not given.",
)
@click.option(
    "--export",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Also write every chart to a folder, as SVG and as PNG of 300 dpi.",
)
@click.option(
    "--playback",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Put a player of this playback into the page; `sansim run --playback` writes one.",
)
@force_option
@click.option("--open", "open_it", is_flag=True, help="Open the page in the default browser.")
def report(
    run: Path,
    run2: Path | None,
    file: Path | None,
    folder: Path | None,
    playback: Path | None,
    force: bool,
    open_it: bool,
) -> None:
    """Write an HTML page about the run folder RUN, or about two of them side by side.

    The page is one file that needs no network. A run folder is what `sansim run FILE --out DIR` writes.
    """
    from sansim.progress import WorkLine

    kept = "the report was not written; the same command begins anew"
    with stopping(kept), WorkLine(sys.stderr, "reading the run folder") as line:
        place = written([run] if run2 is None else [run, run2], file, folder, playback, force, line)
    click.echo(place)
    if open_it:
        open_page(place)


def written(
    places: list[Path], file: Path | None, folder: Path | None, playback: Path | None, force: bool, line: WorkLine
) -> Path:
    """Writes the page, and the charts if a folder for them is given; the place of the page."""
    from sansim.files import cause_of_writing
    from sansim.html_report import PageError, default_place, export, read, write
    from sansim.html_report.contents import sections
    from sansim.html_report.files import check_file, check_folder

    try:
        runs = read(places)
        place = default_place(runs) if file is None else file
        # Before the charts, which take their time.
        check_file(place, force=force)
        if folder is not None:
            check_folder(folder)
    except PageError as error:
        fail(f"error: {error}", BAD_INPUT)
    player = None if playback is None else player_of(playback)
    try:
        parts = sections(runs, lambda share: line.at(share, "drawing the charts"))
        if folder is not None:
            # The charts are known only now; nothing has been written yet.
            check_folder(folder, [chart.name for part in parts for chart in part.charts], force=force)
    except PageError as error:
        fail(f"error: --export: {error}", BAD_INPUT)
    line.at(None, "writing the page")
    try:
        write(runs, place, parts, player=player, force=force)
        if folder is not None:
            export(parts, folder, force=force, progress=lambda share: line.at(share, "drawing pictures of the charts"))
    except PageError as error:
        fail(f"error: the report was not written: {error}", OTHER)
    except OSError as error:
        where = error.filename or place
        fail(f"error: the report was not written: {where}: {cause_of_writing(error, where)}", OTHER)
    return place


def player_of(playback: Path) -> str:
    """The player of a playback, as a part of the page."""
    from sansim.studio_page.player import PlayerError, frame, player_page

    try:
        return frame(player_page(playback), PLAYER_HEIGHT)
    except PlayerError as error:
        fail(f"error: --playback: {error}", BAD_INPUT)
    except OSError as error:
        fail(f"error: --playback: {playback}: {error.strerror or error}", BAD_INPUT)


def open_page(place: Path) -> None:
    """Opens a page in the default browser; without one the command ends with a message."""
    import webbrowser

    if not webbrowser.open(place.absolute().as_uri()):
        sys.stdout.flush()
        fail(f"error: --open: no browser was found; the page is {place}", OTHER)
