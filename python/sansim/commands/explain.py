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
    "--analytic",
    is_flag=True,
    help="Print the estimate of the analytic model alone, in milliseconds, and simulate nothing.",
)
@click.option(
    "--every-change",
    is_flag=True,
    help="Simulate the scenario and every change to the end; takes as long as those runs.",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print one JSON object with `simulated`, `bottleneck`, `next_bottleneck`, `headroom` and `what_if`.",
)
@click.option("--simulate", is_flag=True, hidden=True)
def explain(
    file: Path, settings: tuple[str, ...], analytic: bool, every_change: bool, as_json: bool, simulate: bool
) -> None:
    """Name the bottleneck of the scenario FILE, the headroom of each component, and the effects of changes.

    The scenario and the three changes that promise the most are simulated for some seconds each. The analytic model
    estimates the other changes, and the difference between both is shown.
    """
    from sansim import _core
    from sansim.analysis.explain.explanation import Explanation, Outcome
    from sansim.analysis.explain.explanation import explain as explained
    from sansim.analysis.explain.text import change_text, early_text, head_text, untried
    from sansim.progress import ProgressLine
    from sansim.text_blocks import text_of

    if simulate:
        raise click.UsageError("explain simulates without --simulate now; --every-change simulates every change.")
    if analytic and every_change:
        raise click.UsageError("--analytic simulates nothing, and --every-change simulates every change: give one.")
    warn(file, read_scenario(file, settings))
    given = [split_setting(text) for text in settings]
    width = min(terminal_width(), 100)

    def load(more: dict[str, str]) -> _core.Scenario:
        kept = [(key, value) for key, value in given if key not in more]
        return _core.Scenario.load(file, kept + list(more.items()))

    headed = False
    try:
        with ProgressLine(sys.stderr) as progress:
            shown: list[Outcome] = []

            def early(found: Explanation) -> None:
                progress.clear()
                click.echo(early_text(found, width), nl=False)

            def head(found: Explanation) -> None:
                nonlocal headed
                headed = True
                progress.clear()
                click.echo(head_text(found, width), nl=False)

            def change(found: Explanation, one: Outcome) -> None:
                progress.clear()
                click.echo(change_text(found, one, width, first=not shown), nl=False)
                shown.append(one)

            found = explained(
                load,
                analytic=analytic,
                every_change=every_change,
                show=progress,
                on_early=None if as_json else early,
                on_head=None if as_json else head,
                on_change=None if as_json else change,
            )
    except KeyboardInterrupt:
        kept = "what is printed holds, and further changes were not simulated" if headed else "nothing was found yet"
        fail(f"stopped early; {kept}", INTERRUPTED)
    except _core.ScenarioError as error:
        fail(str(error), BAD_INPUT)
    except (_core.ClockError, _core.ComponentError, _core.ConservationError) as error:
        fail(f"error: {error}", OTHER)
    if as_json:
        click.echo(json.dumps(found.as_json(), indent=2))
    else:
        click.echo(text_of([untried(found)], width), nl=False)
