"""`sansim explain`: the bottleneck of a scenario, and the effects of changes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from sansim.commands.common import (
    BAD_INPUT,
    INTERRUPTED,
    OTHER,
    fail,
    read_scenario,
    scenario_file,
    set_option,
    split_setting,
    terminal_width,
    warn,
)


@click.command()
@scenario_file
@set_option
@click.option(
    "--simulate", is_flag=True, help="Also simulate the scenario and each change; takes as long as those runs."
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print one JSON object with `bottleneck`, `next_bottleneck`, `headroom` and `what_if`.",
)
def explain(file: Path, settings: tuple[str, ...], simulate: bool, as_json: bool) -> None:
    """Name the bottleneck of the scenario FILE, the headroom of each component, and the effects of changes.

    The analytic model predicts them in milliseconds, and says where it is not reliable. --simulate checks the
    prediction, and says why the slowest I/Os are slow.
    """
    from sansim import _core
    from sansim.analysis.explain.explanation import explain as explained
    from sansim.progress import ProgressLine
    from sansim.simulate import Interrupted, run_scenario

    warn(file, read_scenario(file, settings))
    given = [split_setting(text) for text in settings]

    def load(more: dict[str, str]) -> _core.Scenario:
        kept = [(key, value) for key, value in given if key not in more]
        return _core.Scenario.load(file, kept + list(more.items()))

    try:
        with ProgressLine(sys.stderr) as progress:
            found = explained(
                load,
                simulate=simulate,
                run=lambda scenario: run_scenario(scenario, collect_ios=False, progress=progress),
            )
    except Interrupted:
        fail("stopped early", INTERRUPTED)
    except _core.ScenarioError as error:
        fail(str(error), BAD_INPUT)
    except (_core.ClockError, _core.ComponentError, _core.ConservationError) as error:
        fail(f"error: {error}", OTHER)
    if as_json:
        click.echo(json.dumps(found.as_json(), indent=2))
    else:
        click.echo(found.text(min(terminal_width(), 100)), nl=False)
