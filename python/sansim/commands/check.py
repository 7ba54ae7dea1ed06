"""`sansim check`: is this scenario, or this study, sound?"""

from __future__ import annotations

from pathlib import Path

import click

from sansim.commands.common import BAD_INPUT, fail, is_a_study, load_scenario, scenario_file, set_option, warn


@click.command()
@scenario_file
@set_option
@click.option("--resolved", is_flag=True, help="Print the scenario with every default written out.")
def check(file: Path, settings: tuple[str, ...], resolved: bool) -> None:
    """Check FILE, a scenario or a study, without running it."""
    from sansim._core import ScenarioError

    try:
        scenario = load_scenario(file, settings)
    except ScenarioError as error:
        if not is_a_study(file):
            fail(str(error), BAD_INPUT)
        check_study(file, with_options=bool(settings) or resolved)
        return
    warn(file, scenario)
    click.echo(scenario.to_toml() if resolved else f"{file}: no problems", nl=not resolved)


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
