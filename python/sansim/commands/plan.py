"""`sansim plan`: the cheapest design that meets a goal."""

from __future__ import annotations

import functools
import json
import sys
from pathlib import Path
from typing import Any

import click

from sansim.commands.common import BAD_INPUT, NOT_COMPUTED, OTHER, fail, force_option, terminal_width
from sansim.commands.study import or_fail, run_options


@click.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.option(
    "--analytic", is_flag=True, help="Print the estimate of the analytic model alone, in seconds, and simulate nothing."
)
@click.option("--simulate/--no-simulate", "former", default=None, hidden=True)
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the results of runs; else `results` beside the plan.",
)
@run_options
@click.option(
    "--page", metavar="HTML", type=click.Path(path_type=Path, dir_okay=False), help="Write a page with charts."
)
@force_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with `winner` and `pareto`.")
def plan(
    file: Path,
    analytic: bool,
    former: bool | None,
    out: Path | None,
    page: Path | None,
    force: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Find the cheapest design that meets a goal.

    A plan names a scenario, a goal, a catalogue of parts with prices, and choices; docs/plan.md describes it. The
    analytic model estimates all designs, and the best are simulated; so are those that it rejects before no design is
    said to meet the goal. Results are kept per run, so a plan that was
    interrupted continues. The exit code is 3 if no design meets the goal.
    """
    from sansim import _core
    from sansim.analysis.plan.planned import carry_out
    from sansim.analysis.plan.read import read_plan
    from sansim.file_types import PAGE, check_place
    from sansim.files import in_words

    if former is not None:
        raise click.UsageError("plan simulates without --simulate; --analytic simulates nothing.")
    try:
        read = read_plan(file)
    except _core.ScenarioError as error:
        fail(str(error).rstrip(), BAD_INPUT)
    if page is not None:
        try:
            check_place(page, PAGE, force=force)
        except OSError as error:
            fail(f"error: {in_words(error)}", BAD_INPUT)
    found = or_fail(functools.partial(carry_out, read, analytic=analytic, out=out, **options))
    click.echo(json.dumps(found.as_json(), indent=2) if as_json else found.text(terminal_width()), nl=as_json)
    if page is not None:
        from sansim.analysis.plan.page import write

        try:
            write(found, page, force=force)
        except OSError as error:
            fail(f"error: {in_words(error)}", OTHER)
    sys.exit(0 if found.winner is not None else NOT_COMPUTED)
