"""`sansim validate`: what the simulator says beside what was published."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Sequence
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
from sansim.commands.study import lacks, or_fail, out_option, read_studies, run_all, run_options

if TYPE_CHECKING:
    from sansim.study.model import Study
    from sansim.study.session import Outcome
    from sansim.study.verdict import Verdict

STUDIES = Path("studies")
"""Where the studies are, seen from the folder of the repository."""


@click.command()
@click.argument("places", metavar="[FILE...]", nargs=-1, type=click.Path(path_type=Path))
@out_option
@run_options
@click.option("--quick", is_flag=True, help="Only a representative part: the rows marked `quick`.")
@click.option("--misses", is_flag=True, help="Print only what is not reproduced, with all that is known about why.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print the ledger as one JSON object: `rows`, `classes`, `papers`."
)
@click.option("--strict", is_flag=True, help=f"End with exit code {NOT_COMPUTED} if anything misses.")
@click.option(
    "--leave-out",
    "left_out",
    is_flag=True,
    help="Choose the fitted constants again on half of the rows and judge the other half, both ways round.",
)
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
    as_json: bool,
    strict: bool,
    left_out: bool,
    page_file: Path | None,
    force: bool,
    **options: Any,
) -> None:
    """Run the studies of published papers and print every published value beside ours.

    FILE is a study file or a folder of them; `studies` if none is given. Runs whose results exist are not run again.
    """
    from sansim.study.ledger import as_json as ledger_json
    from sansim.study.ledger import summary_lines
    from sansim.study.table import verdict_text
    from sansim.study.verdict import MISS, MISSING
    from sansim.study.words import failures

    if not places and not STUDIES.is_dir():
        fail("error: there is no folder `studies` here; name the study files or their folder", BAD_INPUT)
    if quick and page_file is not None:
        fail("error: --write: the page shows all of the studies; leave out --quick", BAD_INPUT)
    if as_json and misses:
        fail("error: --misses: the JSON has all rows, with their verdicts; leave out one of the two", BAD_INPUT)
    studies = read_studies(places or (STUDIES,))
    if left_out:
        if quick or misses or strict or page_file is not None:
            fail("error: --leave-out goes with --json, --out, --workers and --cluster only", BAD_INPUT)
        leave_out_each(studies, out, as_json=as_json, **options)
        return
    check_page(page_file, force)
    # In folders there may be studies without published values, as the examples are; alone they are reported as such.
    studies = [study for study in studies if study.expected or study.remarks] or studies
    outcomes = run_all(studies, out, quick=quick, **options)
    verdicts = [verdict for outcome in outcomes for verdict in part_of(outcome, quick)]
    missed = [verdict for verdict in verdicts if verdict.verdict in (MISS, MISSING)]
    if as_json:
        click.echo(json.dumps(ledger_json(verdicts), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        shown = missed if misses else verdicts
        if shown:
            click.echo(verdict_text(shown))
        if verdicts:
            click.echo("\n".join(summary_lines(verdicts)))
    if not verdicts:
        tell(f"these studies have no expected values{' that are marked quick' if quick else ''}")
    if page_file is not None:
        command = " ".join(["sansim validate", *(place.as_posix() for place in places)])
        write_page(outcomes, page_file, f"{command} --write {page_file.as_posix()}", force)
    broken = [outcome for outcome in outcomes if outcome.failures]
    for outcome in broken:
        tell(failures(outcome))
    lacking = [outcome for outcome in outcomes if lacks(outcome)]
    if broken or lacking or (strict and missed):
        sys.exit(OTHER if broken else NOT_COMPUTED)


def leave_out_each(studies: Sequence[Study], out: Path | None, *, as_json: bool, **options: Any) -> None:
    """The leave-out check of the studies that have one."""
    from sansim.study.holdout import LeaveOutError, leave_out

    able = [study for study in studies if study.leave_out is not None]
    if not able:
        fail("error: --leave-out: none of these studies has a table [leave_out]", BAD_INPUT)
    found = []
    for study in able:
        try:
            found.append(or_fail(functools.partial(leave_out, study, out=out, **options)))
        except LeaveOutError as error:
            fail(f"error: {error}", OTHER)
    if as_json:
        click.echo(json.dumps([each.as_json() for each in found], indent=2, ensure_ascii=False, allow_nan=False))
    else:
        click.echo("\n\n".join(each.in_words() for each in found))


def check_page(page_file: Path | None, force: bool) -> None:
    """Ends the command if the page cannot be written: before the runs, which take their time."""
    from sansim.file_types import LEDGER, check_place
    from sansim.files import in_words

    if page_file is not None:
        try:
            check_place(page_file, LEDGER, force=force)
        except OSError as error:
            fail(f"error: --write: {in_words(error)}", BAD_INPUT)


def write_page(outcomes: Sequence[Outcome], page_file: Path, command: str, force: bool) -> None:
    """Writes the ledger as a page."""
    from sansim.file_types import LEDGER
    from sansim.files import cause_of_writing, whole_file
    from sansim.study.ledger import page

    try:
        with whole_file(page_file, LEDGER, force=force) as file:
            file.write(page(outcomes, command).encode())
    except OSError as error:
        fail(f"error: --write: cannot write {page_file}: {cause_of_writing(error, page_file)}", OTHER)


def part_of(outcome: Outcome, quick: bool) -> list[Verdict]:
    """The verdicts that are shown: all, or those of the rows marked `quick`."""
    if not quick:
        return outcome.verdicts
    rows = outcome.study.expected
    return [verdict for row, verdict in zip(rows, outcome.verdicts, strict=False) if row.quick]
