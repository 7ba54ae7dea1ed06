"""`sansim calibrate`: unknown values of a scenario from measurements."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sansim.commands.common import (
    BAD_INPUT,
    INTERRUPTED,
    NOT_COMPUTED,
    fail,
    read_scenario,
    set_option,
    split_setting,
    warn,
)

if TYPE_CHECKING:
    from sansim.analysis.calibrate.fit import Searched


@click.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="SCENARIO")
@click.option(
    "--to",
    "measurements",
    metavar="CSV",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Measurements: columns `iops` or `response_ms`, and keys of the scenario.",
)
@click.option(
    "--unknown",
    "unknowns",
    metavar="KEY=LOW..HIGH",
    multiple=True,
    required=True,
    help="A key with an unknown value, and its range; may be given several times.",
)
@set_option
@click.option(
    "--all", "use_all", is_flag=True, help="Use all rows for fitting; without it every second one is predicted."
)
@click.option("--simulate", is_flag=True, help="End the search with simulations, which takes minutes.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with `values`.")
def calibrate(
    file: Path,
    measurements: Path,
    unknowns: tuple[str, ...],
    settings: tuple[str, ...],
    use_all: bool,
    simulate: bool,
    as_json: bool,
) -> None:
    """Find unknown values of a scenario from measurements.

    Every second row is used for fitting; the others are predicted, and their error shows how good the values are. A
    value that the rows do not determine is named and not estimated; then the exit code is 3. docs/plan.md has an
    example.
    """
    from sansim import _core
    from sansim.analysis.calibrate.fit import UndeterminedError, unknown_of
    from sansim.analysis.calibrate.fit import calibrate as calibrated
    from sansim.analysis.calibrate.measured import read_rows
    from sansim.analysis.plan.model import Base
    from sansim.fit.rows import MeasurementError
    from sansim.progress import WorkLine

    last: Searched | None = None

    scenario = read_scenario(file, settings)
    warn(file, scenario)
    try:
        sought = [unknown_of(text, scenario) for text in unknowns]
        base = Base(_core.read_text(file), str(file), file.parent)
        given = tuple(split_setting(text) for text in settings)
        with WorkLine(sys.stderr, "reading the measurements") as line:

            def show(far: Searched) -> None:
                nonlocal last
                last = far
                line.say(f"{far.doing}: {far.tried:,} sets of values tried, the best is off by {far.error:.2%}")

            found = calibrated(
                base, read_rows(measurements), sought, given, use_all=use_all, simulate=simulate, progress=show
            )
    except KeyboardInterrupt:
        fail(stopped(last), INTERRUPTED)
    except _core.ScenarioError as error:
        fail(str(error).rstrip(), BAD_INPUT)
    except MeasurementError as error:
        fail(f"error: {error}", NOT_COMPUTED if isinstance(error, UndeterminedError) else BAD_INPUT)
    except ValueError as error:
        fail(f"error: --unknown: {error}", BAD_INPUT)
    click.echo(json.dumps(found.as_json(), indent=2) if as_json else found.text(), nl=as_json)
    sys.exit(0 if found.is_determined else NOT_COMPUTED)


def stopped(last: Searched | None) -> str:
    """The message at Ctrl-C: the best values until then."""
    if last is None or not last.best:
        return "stopped before anything was found; the same command begins anew"
    options = " ".join(f"--set '{key}={value}'" for key, value in last.best)
    return (
        f"stopped. The best values until then are off by {last.error:.2%}: {options}\n"
        "Their intervals are not known, and the same command begins the search anew."
    )
