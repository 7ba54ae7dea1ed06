"""`sansim validate`: what the simulator says beside what was published."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sansim.commands.common import (
    BAD_INPUT,
    NOT_COMPUTED,
    OTHER,
    fail,
    force_option,
    tell,
)
from sansim.commands.study import lacks, out_option, read_studies, run_all, run_options

if TYPE_CHECKING:
    from sansim.study.session import Outcome

STUDIES = Path("studies")
"""Where the studies are, seen from the folder of the repository."""


@click.command()
@click.argument("places", metavar="[FILE...]", nargs=-1, type=click.Path(path_type=Path))
@out_option
@run_options
@click.option("--quick", is_flag=True, help="Only a representative part: the rows marked `quick`.")
@click.option("--misses", is_flag=True, help="Print only what is not reproduced, with all that is known about why.")
@click.option(
    "--write",
    "page_file",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also write the whole table as a Markdown page.",
)
@force_option
def validate(
    places: tuple[Path, ...],
    out: Path | None,
    quick: bool,
    misses: bool,
    page_file: Path | None,
    force: bool,
    **options: Any,
) -> None:
    """Run the studies of published papers and print every published value beside ours.

    FILE is a study file or a folder of them; `studies` if none is given. What has been run already is not run again.
    """
    from sansim.files import cause_of_writing, in_words, whole_file
    from sansim.kinds import LEDGER, check_place
    from sansim.study.ledger import count, page
    from sansim.study.table import verdict_text
    from sansim.study.verdict import MISS, MISSING
    from sansim.study.words import failures

    if not places and not STUDIES.is_dir():
        fail("error: there is no folder `studies` here; name the study files or their folder", BAD_INPUT)
    if quick and page_file is not None:
        fail("error: --write: the page shows all of the studies; leave out --quick", BAD_INPUT)
    studies = read_studies(places or (STUDIES,))
    if page_file is not None:
        # Before the runs, which take their time.
        try:
            check_place(page_file, LEDGER, force=force)
        except OSError as error:
            fail(f"error: --write: {in_words(error)}", BAD_INPUT)
    outcomes = run_all(studies, out, quick=quick, **options)
    verdicts = [verdict for outcome in outcomes for verdict in part_of(outcome, quick)]
    shown = [verdict for verdict in verdicts if not misses or verdict.verdict in (MISS, MISSING)]
    if shown:
        click.echo(verdict_text(shown))
    if not verdicts:
        tell(f"these studies have no expected values{' that are marked quick' if quick else ''}")
    if page_file is not None:
        command = " ".join(["sansim validate", *(place.as_posix() for place in places)])
        text = page(outcomes, f"{command} --write {page_file.as_posix()}")
        try:
            with whole_file(page_file, LEDGER, force=force) as file:
                file.write(text.encode())
        except OSError as error:
            fail(f"error: --write: cannot write {page_file}: {cause_of_writing(error, page_file)}", OTHER)
    for entry in count(verdicts):
        click.echo(entry.in_words())
    broken = [outcome for outcome in outcomes if outcome.failures]
    for outcome in broken:
        tell(failures(outcome))
    lacking = [outcome for outcome in outcomes if lacks(outcome)]
    if broken or lacking:
        sys.exit(OTHER if broken else NOT_COMPUTED)


def part_of(outcome: Outcome, quick: bool) -> list[Any]:
    """The verdicts that are told: all, or those of the rows marked `quick`."""
    if not quick:
        return outcome.verdicts
    rows = outcome.study.expected
    return [verdict for row, verdict in zip(rows, outcome.verdicts, strict=False) if row.quick]
