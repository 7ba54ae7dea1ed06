"""`sansim adapter`: adapters of the model that are like adapters that were measured."""

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
    from sansim.adapter.fit import AdapterFit
    from sansim.fit.trial import Far


@click.group()
def adapter() -> None:
    """Adapters that are like adapters that were measured."""


@adapter.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--scenario",
    metavar="FILE.toml",
    type=click.Path(path_type=Path),
    help="What stands around the adapter. Without it each port leads by a loop of 2GFC to devices that take no time.",
)
@click.option(
    "--adapter",
    "name",
    metavar="NAME",
    help="The adapter that is fitted, as drives.adapter; all of the hosts if not given.",
)
@click.option(
    "--fit",
    "keys",
    multiple=True,
    metavar="KEYS",
    help="Keys that are fitted, as command_time,dma_bandwidth; whatever the rows tell if not given.",
)
@click.option(
    "--use",
    multiple=True,
    metavar="ROWS",
    help="Rows that are fitted to; the others are predicted. Of a table `half` (if not given): every second one of each"
    " operation, by size and depth; `one`: one row for each key; `all`; or values of a column, as size=4KiB. Of a trace"
    " `made` (if not given): the intervals that the adapter makes; `all`; or interval=NAME.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="COLUMN=VALUES",
    help="Leave out all rows but these, as operation=read. May be given several times.",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="A key of the scenario, as loop.speed=4GFC, or without a dot of the adapter, which is not fitted then, as"
    " dma_bandwidth=800MB/s. May be given several times.",
)
@click.option(
    "--ios",
    type=click.IntRange(100, 10**9),
    metavar="N",
    help="I/Os that are simulated of each row, 2000 if not given; of a trace those looked at, 200 if not given.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, SEED_LIMIT),
    metavar="N",
    help="Seed of all runs; that of the scenario, or 1, if not given.",
)
@click.option(
    "--write",
    "place",
    metavar="FILE.toml",
    type=click.Path(path_type=Path),
    help="Write the adapter as a scenario with it.",
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
    scenario: Path | None,
    name: str | None,
    keys: tuple[str, ...],
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
    """Fit an adapter to the measurements in FILE, and say how well it predicts those that it was not fitted to.

    FILE is comma-separated values with the columns operation, size, queue_depth (at each device) or outstanding (in
    all), iops or bandwidth or response_time, and perhaps ports and devices; or one analyzer trace of sansim's form; or
    one capture in pcapng.
    """
    from sansim._core import ScenarioError
    from sansim.adapter.fit import adapter_fit
    from sansim.adapter.told import fit_data, fit_text
    from sansim.files import in_words
    from sansim.fit.rows import MeasurementError

    check_places(place, picture, [*files, *([scenario] if scenario is not None else [])], force=force)
    try:
        with LiveLine(sys.stderr, text_of) as line:
            found = adapter_fit(
                files,
                scenario=scenario,
                adapter=name,
                fit=[key.strip() for text in keys for key in text.split(",")],
                use=use,
                only=only,
                settings=[split_setting(text) for text in settings],
                ios=ios,
                seed=seed,
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


def check_places(place: Path | None, picture: Path | None, read: list[Path], *, force: bool) -> None:
    """Ends the command if a file cannot be written: before the fit, which takes its time."""
    from sansim.files import in_words
    from sansim.kinds import FITTED, check_place

    if place is not None:
        if place.suffix == ".csv":
            fail("error: --write: an adapter is written as FILE.toml", BAD_INPUT)
        if place.resolve() in {file.resolve() for file in read}:
            fail(f"error: --write: {place} is what is read; name another file", BAD_INPUT)
        try:
            check_place(place, FITTED, force=force)
        except OSError as error:
            fail(f"error: --write: {in_words(error)}", BAD_INPUT)
    if picture is not None:
        try:
            check_place(picture, picture_kind(picture), force=force)
        except OSError as error:
            fail(f"error: --plot: {in_words(error)}", BAD_INPUT)


def write_all(found: AdapterFit, place: Path | None, picture: Path | None, *, force: bool) -> None:
    """Writes the files that were asked for."""
    from sansim.adapter.chart import chart_of
    from sansim.adapter.written import write_adapter
    from sansim.files import cause_of_writing, whole_file
    from sansim.page.style import png_file, svg_file

    try:
        if place is not None:
            tell(f"written: {write_adapter(found, place, force=force)}")
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
    return f"{far.doing}: {far.tried:,} adapters tried"
