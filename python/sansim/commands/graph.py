"""`sansim graph`: what a scenario is made of, and how it is joined."""

from __future__ import annotations

from pathlib import Path

import click

from sansim.commands.common import read_scenario, scenario_file, set_option, warn


@click.command()
@scenario_file
@set_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with `components` and `links`.")
def graph(file: Path, settings: tuple[str, ...], as_json: bool) -> None:
    """Print the components, ports and links of the scenario FILE, without running it."""
    from sansim.components import Graph

    scenario = read_scenario(file, settings)
    warn(file, scenario)
    click.echo(scenario.graph_json() if as_json else Graph.of(scenario).text(), nl=as_json)
