"""Common code of commands that fit a model to measurements: options, refusals, and the files that they write."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sansim.commands.common import BAD_INPUT, INTERRUPTED, OTHER, SEED_LIMIT, fail, force_option, picture_kind, tell

if TYPE_CHECKING:
    from sansim.fit.trial import Far
    from sansim.html_report.style import Chart

Command = Callable[..., Any]


def fit_options(*, use: str, only: str, given: str, ios: str, seed: str, written: str) -> Callable[[Command], Command]:
    """The argument and the options of every fit.

    Args:
        use: Which rows may be fitted to.
        only: An example of rows to which it is restricted.
        given: Which keys may be given, which are not fitted then.
        ios: How many I/Os of each row are simulated if nothing is said, behind what they are.
        seed: The seed if none is given.
        written: What is written.
    """
    several = "May be given several times."
    place = click.Path(path_type=Path)
    picture = "Draw what was measured against what was simulated; FILE.svg for a drawing."
    used = f"Rows that are fitted to; the others are predicted. {use}"
    options = (
        click.argument("files", metavar="FILE...", nargs=-1, required=True, type=place),
        click.option("--use", multiple=True, metavar="ROWS", help=used),
        click.option(
            "--only", multiple=True, metavar="COLUMN=VALUES", help=f"Leave out all rows but these, as {only}. {several}"
        ),
        click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help=f"{given}. {several}"),
        click.option(
            "--ios",
            type=click.IntRange(100, 10**9),
            metavar="N",
            help=f"I/Os that are simulated of each row{ios}",
        ),
        click.option(
            "--seed", type=click.IntRange(0, SEED_LIMIT), metavar="N", help=f"Seed of all runs; {seed} if not given."
        ),
        click.option("--write", "place", metavar="FILE.toml", type=place, help=written),
        click.option("--plot", "picture", metavar="FILE.png", type=place, help=picture),
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
        force_option,
    )

    def with_options(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return with_options


@contextmanager
def refusals() -> Iterator[None]:
    """Ends the command with what is wrong with what was given to it."""
    from sansim._core import ScenarioError
    from sansim.files import in_words
    from sansim.fit.rows import MeasurementError

    try:
        yield
    except MeasurementError as error:
        fail("\n".join(f"error: {text}" for text in str(error).splitlines()), BAD_INPUT)
    except ScenarioError as error:
        fail(str(error), BAD_INPUT)
    except OSError as error:
        fail(f"error: {in_words(error)}", BAD_INPUT)


@contextmanager
def searching(text: Callable[[Far], str]) -> Iterator[Callable[[Far], None]]:
    """Shows how far a search is; at Ctrl-C the command ends with the best that was found until then.

    Args:
        text: The text for how far a search is.

    Yields:
        The callback of the search.
    """
    from sansim.progress import WorkLine
    from sansim.toml_text import toml_value

    last: Far | None = None
    with WorkLine(sys.stderr, "reading the measurements") as line:

        def show(far: Far) -> None:
            nonlocal last
            last = far
            line.say(text(far))

        try:
            yield show
        except KeyboardInterrupt:
            line.clear()
            keys = {} if last is None else {key: value for key, value in last.best.items() if key != "kind"}
            if last is None or not keys:
                fail("stopped before anything was found; the same command begins anew", INTERRUPTED)
            values = ", ".join(f"{key} = {toml_value(value)}" for key, value in keys.items())
            fail(
                f"stopped; nothing was written. The best until then is off by {last.error:.2%}: {values}.\n"
                "The same command begins the search anew; a key that is given with --set is not searched.",
                INTERRUPTED,
            )


def check_files(
    what: str, news: list[Path], picture: Path | None, read: Iterable[Path], check: Callable[[], None], *, force: bool
) -> None:
    """Ends the command if a file cannot be written: before the fit, which takes its time.

    Args:
        what: What is written, as `a drive`.
        news: The files that are written, that of the scenario first; none if nothing is.
        picture: The picture that is drawn.
        read: What is read, which nothing replaces.
        check: Looks whether the files can be written, and raises `OSError` if not.
        force: Whether files that are there are replaced.
    """
    from sansim.file_types import check_place
    from sansim.files import in_words

    if news:
        if news[0].suffix == ".csv":
            fail(f"error: --write: {what} is written as FILE.toml", BAD_INPUT)
        known = {file.resolve() for file in read}
        for new in news:
            if new.resolve() in known:
                fail(f"error: --write: {new} is what is read; name another file", BAD_INPUT)
        try:
            check()
        except OSError as error:
            fail(f"error: --write: {in_words(error)}", BAD_INPUT)
    if picture is not None:
        try:
            check_place(picture, picture_kind(picture), force=force)
        except OSError as error:
            fail(f"error: --plot: {in_words(error)}", BAD_INPUT)


def write_files(
    place: Path | None,
    write: Callable[[Path], Iterable[Path]],
    picture: Path | None,
    draw: Callable[[], Chart],
    *,
    force: bool,
) -> None:
    """Writes what was found and the picture of it, where they were asked for, and tells of each file."""
    from sansim.files import cause_of_writing, whole_file
    from sansim.html_report.style import png_file, svg_file

    try:
        if place is not None:
            for file in write(place):
                tell(f"written: {file}")
        if picture is not None:
            drawn = png_file(draw()) if picture.suffix.lower() == ".png" else svg_file(draw())
            with whole_file(picture, picture_kind(picture), force=force) as out:
                out.write(drawn)
            tell(f"written: {picture}")
    except OSError as error:
        where = str(error.filename or place or picture)
        fail(f"error: not written: {where}: {cause_of_writing(error, where)}", OTHER)
