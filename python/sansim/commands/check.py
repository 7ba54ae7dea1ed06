"""`sansim check`: is this scenario, this study or this plan sound?"""

from __future__ import annotations

import math
from pathlib import Path

import click

from sansim.commands.common import (
    BAD_INPUT,
    fail,
    is_a_plan,
    is_a_study,
    load_scenario,
    scenario_file,
    set_option,
    warn,
)


@click.command()
@scenario_file
@set_option
@click.option("--resolved", is_flag=True, help="Print the scenario with every default written out.")
def check(file: Path, settings: tuple[str, ...], resolved: bool) -> None:
    """Check FILE, a scenario, a study or a plan, without running it."""
    from sansim._core import ScenarioError

    try:
        scenario = load_scenario(file, settings)
    except ScenarioError as error:
        with_options = bool(settings) or resolved
        if is_a_plan(file):
            check_plan(file, with_options=with_options)
        elif is_a_study(file):
            check_study(file, with_options=with_options)
        else:
            fail(str(error), BAD_INPUT)
        return
    warn(file, scenario)
    click.echo(scenario.to_toml() if resolved else f"{file}: no problems", nl=not resolved)


def check_plan(file: Path, *, with_options: bool) -> None:
    """Checks a plan, its catalogue and its scenarios; with a bad one the command ends."""
    from sansim._core import ScenarioError
    from sansim.analysis.plan.read import read_plan
    from sansim.study.words import counted

    if with_options:
        fail(f"error: {file} is a plan: --set and --resolved are for scenarios", BAD_INPUT)
    try:
        plan = read_plan(file)
    except ScenarioError as error:
        fail(str(error).rstrip(), BAD_INPUT)
    designs = len(plan.bases) * math.prod(len(choice.options) for choice in plan.choices)
    click.echo(f"{file}: no problems; {counted(designs, 'design')}")


def check_study(file: Path, *, with_options: bool) -> None:
    """Checks a study and the scenario of each of its points; with a bad one the command ends."""
    from sansim.commands.study import look_at, read_studies, warn_of
    from sansim.study.words import counted

    if with_options:
        fail(f"error: {file} is a study: --set and --resolved are for scenarios", BAD_INPUT)
    (study,) = read_studies([file])
    made = look_at(study, None).plan
    warn_of(made)
    runs = len({job.key for job in made.all_jobs()})
    click.echo(f"{file}: no problems; {counted(len(made.points), 'point')}, {counted(runs, 'run')}")
