"""`sansim drive`: published drives, and drives of the model that are like drives that were measured."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sansim.commands.common import (
    BAD_INPUT,
    OTHER,
    SEED_LIMIT,
    fail,
    force_option,
    picture_kind,
    split_setting,
    tell,
)
from sansim.progress import LiveLine

if TYPE_CHECKING:
    from sansim.drive.fit import DriveFit
    from sansim.fit.trial import Far


@click.group()
def drive() -> None:
    """Published drives, and drives that are like drives that were measured."""


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@drive.command("list")
@json_option
def list_drives(as_json: bool) -> None:
    """List the published drives that scenarios can name, with the source of each."""
    from sansim import _core
    from sansim.drive.presets import list_data, list_text

    presets = _core.presets()
    text = json.dumps(list_data(presets), indent=2, ensure_ascii=False) + "\n" if as_json else list_text(presets)
    click.echo(text, nl=False)


@drive.command("show")
@click.argument("name")
@json_option
def show_drive(name: str, as_json: bool) -> None:
    """Tell what the published drive NAME is, its source, and the keys that it says."""
    from sansim.drive.presets import preset_of, show_data, show_text

    try:
        preset = preset_of(name)
    except LookupError as error:
        fail(f"error: {error.args[0]}", BAD_INPUT)
    data = json.dumps(show_data(preset), indent=2, ensure_ascii=False) + "\n" if as_json else show_text(preset)
    click.echo(data, nl=False)


@drive.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--model", metavar="MODEL", help="What is fitted; without it the models are listed.")
@click.option(
    "--use",
    multiple=True,
    metavar="ROWS",
    help="Rows that are fitted to; the others are predicted. `half` (if not given): every second one of each operation"
    " and pattern, of `data-sheet` every second depth of each size and the last; `all`; or values of a column, as"
    " queue_depth=1,16.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="COLUMN=VALUES",
    help="Leave out all rows but these, as pattern=random. May be given several times.",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="A key of the drive, which is not fitted then, as rpm=7200. May be given several times.",
)
@click.option(
    "--ios",
    type=click.IntRange(100, 10**9),
    metavar="N",
    help="I/Os that are simulated of each row; 4000 if not given.",
)
@click.option("--seed", type=click.IntRange(0, SEED_LIMIT), metavar="N", help="Seed of all runs; 1 if not given.")
@click.option(
    "--write",
    "place",
    metavar="FILE.toml",
    type=click.Path(path_type=Path),
    help="Write the drive as a scenario with it; of `data-sheet` also the sheet, as FILE.csv.",
)
@click.option(
    "--plot",
    "picture",
    metavar="FILE.png",
    type=click.Path(path_type=Path),
    help="Draw what was measured against what was simulated; FILE.svg for a drawing.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@force_option
def fit(
    files: tuple[Path, ...],
    model: str | None,
    use: tuple[str, ...],
    only: tuple[str, ...],
    settings: tuple[str, ...],
    ios: int | None,
    seed: int | None,
    place: Path | None,
    picture: Path | None,
    as_json: bool,
    force: bool,
) -> None:
    """Fit a drive to the measurements in FILE, and say how well it predicts those that it was not fitted to.

    FILE is comma-separated values with the columns of a data sheet (operation, size, queue_depth, response_time or
    iops, pattern, cache), or what `fio --output-format=json` of fio 3 wrote.
    """
    from sansim._core import ScenarioError
    from sansim.drive.fit import HALF, IOS, drive_fit
    from sansim.drive.told import fit_data, fit_text
    from sansim.files import in_words
    from sansim.fit.rows import MeasurementError

    model = check_model(model)
    check_places(place, picture, model, files, force=force)
    try:
        with LiveLine(sys.stderr, text_of) as line:
            found = drive_fit(
                files,
                model,
                use=use or (HALF,),
                only=only,
                settings=[split_setting(text) for text in settings],
                ios=ios or IOS,
                seed=1 if seed is None else seed,
                progress=line if line.live else None,
            )
    except MeasurementError as error:
        fail("\n".join(f"error: {text}" for text in str(error).splitlines()), BAD_INPUT)
    except ScenarioError as error:
        fail(str(error), BAD_INPUT)
    except OSError as error:
        fail(f"error: {in_words(error)}", BAD_INPUT)
    click.echo(json.dumps(fit_data(found), indent=2, ensure_ascii=False) if as_json else fit_text(found), nl=as_json)
    write_all(found, place, picture, force=force)


def check_model(word: str | None) -> str:
    """The model; the command ends with a list of them if there is none such."""
    from sansim import _core
    from sansim.drive.fit import models
    from sansim.drive.models import MODELS, SHEET, SHEET_ABOUT

    known = {SHEET: SHEET_ABOUT, **{name: MODELS[name].about for name in models()}}
    if word is None or word not in known:
        near = None if word is None else _core.nearest(word, list(known))
        what = "--model is missing" if word is None else f"--model: there is no `{word}`"
        asked = "" if near is None else f", did you mean {near}?"
        width = max(map(len, known))
        there = [f"  {name:{width}}  {about}" for name, about in known.items()]
        fail("\n".join([f"error: {what}{asked}; there are", *there]), BAD_INPUT)
    return word


def check_places(place: Path | None, picture: Path | None, model: str, files: tuple[Path, ...], *, force: bool) -> None:
    """Ends the command if a file cannot be written: before the fit, which takes its time."""
    from sansim.drive.models import SHEET
    from sansim.drive.written import check_places, sheet_place
    from sansim.files import in_words
    from sansim.kinds import check_place

    if place is not None:
        read = {file.resolve() for file in files}
        if place.suffix == ".csv":
            fail("error: --write: a drive is written as FILE.toml", BAD_INPUT)
        for new in (place, *([sheet_place(place)] if model == SHEET else [])):
            if new.resolve() in read:
                fail(f"error: --write: {new} is what is read; name another file", BAD_INPUT)
        try:
            check_places(place, sheet=model == SHEET, force=force)
        except OSError as error:
            fail(f"error: --write: {in_words(error)}", BAD_INPUT)
    if picture is not None:
        try:
            check_place(picture, picture_kind(picture), force=force)
        except OSError as error:
            fail(f"error: --plot: {in_words(error)}", BAD_INPUT)


def write_all(found: DriveFit, place: Path | None, picture: Path | None, *, force: bool) -> None:
    """Writes the files that were asked for."""
    from sansim.drive.chart import chart_of
    from sansim.drive.written import write_drive
    from sansim.files import cause_of_writing, whole_file
    from sansim.page.style import png_file, svg_file

    try:
        if place is not None:
            for file in write_drive(found, place, force=force):
                tell(f"written: {file}")
        if picture is not None:
            drawn = png_file(chart_of(found)) if picture.suffix.lower() == ".png" else svg_file(chart_of(found))
            with whole_file(picture, picture_kind(picture), force=force) as out:
                out.write(drawn)
            tell(f"written: {picture}")
    except OSError as error:
        where = str(error.filename or place or picture)
        fail(f"error: not written: {where}: {cause_of_writing(error, where)}", OTHER)


def text_of(far: Far) -> str:
    """The text of the line while a fit goes on."""
    return f"{far.doing}: {far.tried:,} drives tried, the best is off by {far.error:.2%}"
