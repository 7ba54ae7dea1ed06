"""`sansim drive`: published drives, and drives of the model that are like drives that were measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sansim.commands.common import BAD_INPUT, fail, split_setting
from sansim.commands.fitting import check_files, fit_options, refusals, searching, write_files

if TYPE_CHECKING:
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
@click.option("--model", metavar="MODEL", help="What is fitted; without it the models are listed.")
@fit_options(
    use="`half` (if not given): every second one of each operation and pattern, of `data-sheet` every second depth of"
    " each size and the last; `all`; or values of a column, as queue_depth=1,16.",
    only="pattern=random",
    given="A key of the drive, which is not fitted then, as rpm=7200",
    ios="; 4000 if not given.",
    seed="1",
    written="Write the drive as a scenario with it; of `data-sheet` also the sheet, as FILE.csv.",
)
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
    from sansim.drive.chart import chart_of
    from sansim.drive.fit import HALF, IOS, drive_fit
    from sansim.drive.models import SHEET
    from sansim.drive.text import fit_data, fit_text
    from sansim.drive.written import check_places, sheet_place, write_drive

    is_sheet = check_model(model) == SHEET
    news = [] if place is None else [place, *([sheet_place(place)] if is_sheet else [])]

    def check() -> None:
        for new in news[:1]:
            check_places(new, sheet=is_sheet, force=force)

    check_files("a drive", news, picture, files, check, force=force)
    with refusals(), searching(text_of) as progress:
        found = drive_fit(
            files,
            check_model(model),
            use=use or (HALF,),
            only=only,
            settings=[split_setting(text) for text in settings],
            ios=ios or IOS,
            seed=1 if seed is None else seed,
            progress=progress,
        )
    click.echo(json.dumps(fit_data(found), indent=2, ensure_ascii=False) if as_json else fit_text(found), nl=as_json)
    write_files(
        place, lambda where: write_drive(found, where, force=force), picture, lambda: chart_of(found), force=force
    )


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


def text_of(far: Far) -> str:
    """The text of the line while a fit goes on."""
    return f"{far.doing}: {far.tried:,} drives tried, the best is off by {far.error:.2%}"
