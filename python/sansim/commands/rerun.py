"""`sansim rerun`: run the scenario of an archive again, and compare the results."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sansim.commands.common import BAD_INPUT, INTERRUPTED, OTHER, fail, tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sansim.archive.rerun import Rerun


@click.command(epilog="\b\nsansim pack run -o run.sansim.tar.gz\nsansim rerun run.sansim.tar.gz")
@click.argument("archive", type=click.Path(path_type=Path))
@click.option(
    "--out",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Keep the files of the archive, and the second run in DIR/rerun; DIR must not exist or be empty.",
)
@click.option("--trust", is_flag=True, help="Run rules in Python that the archive has, without asking.")
def rerun(archive: Path, folder: Path | None, trust: bool) -> None:
    """Run the scenario of ARCHIVE again in a fresh folder, and say whether the results have the same bytes.

    Where they differ, each differing file is named, with the first difference and the versions of software that differ;
    the exit code is 1 then. An archive is what `sansim pack RUN` writes.

    A scenario may name rules in Python, which run as your own code. They are run only if you agree: on a terminal you
    are asked, elsewhere `--trust` is needed.
    """
    from sansim._core import ClockError, ComponentError, ConservationError
    from sansim.archive.contents import ArchiveError, unpack
    from sansim.archive.rerun import read
    from sansim.archive.rerun import rerun as run_again
    from sansim.files import in_words
    from sansim.progress import ProgressLine
    from sansim.simulate import Interrupted

    with contextlib.ExitStack() as stack:
        place = prepared(folder, stack)
        try:
            manifest = unpack(archive, place)
            scenario, rules = read(place)
            agree(archive, place, rules, trust=trust)
            with ProgressLine(sys.stderr) as progress:
                found = run_again(place, manifest, scenario, progress)
        except ArchiveError as error:
            fail(f"error: {error}", BAD_INPUT)
        except Interrupted:
            fail("stopped early; nothing was compared", INTERRUPTED)
        except (ClockError, ComponentError, ConservationError) as error:
            fail(f"error: {error}", OTHER)
        except ValueError as error:
            fail(f"error: {archive}: its manifest cannot be followed: {error}", BAD_INPUT)
        except OSError as error:
            fail(f"error: {in_words(error)}", OTHER)
    show(archive, found)
    if folder is not None:
        tell(f"written: {folder}, the second run in {folder / 'rerun'}")
    if found.differences:
        sys.exit(OTHER)


def prepared(folder: Path | None, stack: contextlib.ExitStack) -> Path:
    """The empty folder in which the run is made."""
    if folder is None:
        return Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sansim-rerun-")))
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            fail(
                f"error: --out: {folder} is there already; name a folder that does not exist, or an empty one",
                BAD_INPUT,
            )
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(f"error: --out: cannot make {folder}: {error.strerror or error}", OTHER)
    return folder


def agree(archive: Path, place: Path, rules: Sequence[Path], *, trust: bool) -> None:
    """Ends the command unless the user agrees to run the rules of an archive."""
    if not rules:
        return
    shown = {rule.resolve().relative_to(place.resolve()).as_posix(): rule for rule in rules}
    names = ", ".join(shown)
    many = "a file of rules" if len(rules) == 1 else "files of rules"
    tell(f"note: {archive} has {many} in Python, which `sansim rerun` runs as your own code: {names}")
    if trust:
        return
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()):
        fail("error: nothing was run; look at the rules and add --trust if you agree to run them", BAD_INPUT)
    for name, rule in shown.items():
        tell(f"--- {name}\n{plain(rule.read_text(encoding='utf-8', errors='replace'))}")
    if not click.confirm("Run this code?", default=False, err=True):
        fail("nothing was run", BAD_INPUT)


def plain(code: str) -> str:
    """A text without characters that steer a terminal, which could hide parts of it."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "?" for letter in code)


def show(archive: Path, found: Rerun) -> None:
    """Prints what was found."""
    if not found.differences:
        click.echo(f"{archive}: the same bytes in {len(found.same)} files: {', '.join(found.same)}")
    else:
        files = dict.fromkeys(one.file for one in found.differences)
        click.echo(f"{archive}: {len(files)} of {len(files) + len(found.same)} files differ")
        for one in found.differences:
            click.echo(f"  {one.file}: {one.where}")
    for line in found.versions:
        click.echo(f"  other version: {line}")
    if found.differences and not found.versions:
        click.echo("  The software has the same versions.")
    if found.left_out:
        click.echo(f"  Not written again, as nothing says what was asked for: {', '.join(found.left_out)}")
