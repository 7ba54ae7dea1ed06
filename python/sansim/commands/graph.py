"""`sansim graph`: what a scenario is made of, and how it is joined."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sansim.commands.common import (
    BAD_INPUT,
    OTHER,
    fail,
    force_option,
    picture_kind,
    read_scenario,
    scenario_file,
    set_option,
    tell,
    warn,
)

if TYPE_CHECKING:
    from sansim.components import Graph
    from sansim.html_report.style import Chart


@click.command()
@scenario_file
@set_option
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object: `components`, `links`, `networks`, `stations`."
)
@click.option("--plot", type=click.Path(path_type=Path), metavar="FILE.png", help="Draw it; FILE.svg for a drawing.")
@click.option("--inside", metavar="NAME", help="Draw the switches of this fabric, and the nodes at them.")
@force_option
def graph(
    file: Path,
    settings: tuple[str, ...],
    as_json: bool,
    plot: Path | None,
    inside: str | None,
    force: bool,
) -> None:
    """Print the components, ports and links of the scenario FILE, without running it."""
    from sansim.components import Graph

    scenario = read_scenario(file, settings)
    warn(file, scenario)
    if plot is not None:
        draw(Graph.of(scenario), plot, inside, force=force)
    elif inside is not None:
        fail("error: --inside: says what --plot FILE.svg draws, which was not asked for", BAD_INPUT)
    click.echo(scenario.graph_json() if as_json else Graph.of(scenario).text(), nl=as_json)


def draw(system: Graph, file: Path, inside: str | None, *, force: bool) -> None:
    """Draws the components and links of a scenario, or what is inside one of its networks."""
    from sansim.files import cause_of_writing, in_words, whole_file
    from sansim.html_report.style import png_file, svg_file

    kind = picture_kind(file)
    chart = chart_of(system, inside)
    drawn = png_file(chart) if file.suffix.lower() == ".png" else svg_file(chart)
    try:
        with whole_file(file, kind, force=force) as out:
            out.write(drawn)
    except OSError as error:
        if error.errno is None:
            fail(f"error: --plot: {in_words(error)}", BAD_INPUT)
        fail(f"error: not written: {file}: {cause_of_writing(error, file)}", OTHER)
    tell(f"written: {file}")


def chart_of(system: Graph, inside: str | None) -> Chart:
    """The chart to be drawn."""
    from sansim.html_report.fabric import fabric
    from sansim.html_report.graph import graph as whole
    from sansim.html_report.looks import looks_of_graph

    if inside is None:
        return whole(system, "graph", "")
    networks = {one.name: one for one in system.components if one.inside is not None}
    if inside not in networks:
        known = f"; there {'is' if len(networks) == 1 else 'are'} {', '.join(networks)}" if networks else ""
        fail(f"error: --inside: there is no fabric `{inside}` with switches in this scenario{known}", BAD_INPUT)
    kinds = {one.name: one.kind for one in system.components}
    return fabric(networks[inside], kinds, "fabric", "", looks_of_graph(system))
