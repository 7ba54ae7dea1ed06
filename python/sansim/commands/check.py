"""`sansim check`: is this scenario sound?"""

from __future__ import annotations

from pathlib import Path

import click

from sansim.commands.common import read_scenario, scenario_file, set_option


@click.command()
@scenario_file
@set_option
@click.option("--resolved", is_flag=True, help="Print the scenario with every default written out.")
def check(file: Path, settings: tuple[str, ...], resolved: bool) -> None:
    """Check the scenario FILE without running it."""
    scenario = read_scenario(file, settings)
    click.echo(scenario.to_toml() if resolved else f"{file}: no problems", nl=not resolved)
