"""The command line.

Exit codes: 0 done, 2 bad input, 1 anything else. What a person asked for goes to standard output, everything about it
to standard error. Heavy modules are imported where they are needed, so that `sansim --version` is quick.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

if TYPE_CHECKING:
    from sansim._core import Scenario
    from sansim.result import Result

BAD_INPUT = 2
OTHER = 1
SEED_LIMIT = 2**63 - 1  # TOML's integers are signed 64 bit


def fail(message: str, code: int) -> NoReturn:
    """Ends the command with a message."""
    click.echo(message.rstrip("\n"), err=True)
    sys.exit(code)


def split_setting(text: str) -> tuple[str, str]:
    """Splits `key=value`."""
    key, sign, value = text.partition("=")
    if not sign or not key.strip():
        raise click.BadParameter(f"{text!r} is not key=value, as workload.size=64KiB", param_hint="'--set'")
    return key.strip(), value


def read_scenario(file: Path, settings: Sequence[str], seed: int | None = None) -> Scenario:
    """Reads a scenario; with a bad one the command ends."""
    from sansim._core import Scenario, ScenarioError

    overrides = [split_setting(text) for text in settings]
    if seed is not None:
        overrides.append(("run.seed", str(seed)))
    try:
        return Scenario.load(file, overrides)
    except ScenarioError as error:
        fail(str(error), BAD_INPUT)


scenario_file = click.argument("file", type=click.Path(path_type=Path))
set_option = click.option(
    "--set",
    "settings",
    metavar="KEY=VALUE",
    multiple=True,
    help="Replace a value of the scenario, as workload.size=64KiB. May be given several times.",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="sansim", message="%(prog)s %(version)s")
def cli() -> None:
    """Simulate storage networks, from the application's request to the drive and back."""


@cli.command()
@scenario_file
@set_option
@click.option("--seed", type=click.IntRange(0, SEED_LIMIT), help="Seed of all random streams.")
@click.option(
    "--loop",
    type=click.Choice(["fast", "reference"]),
    default="fast",
    show_default=True,
    help="The fast loop, or the slow one it is checked against; results are the same.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Also write the result to a folder: summary.json, run.json, scenario.toml, ios.parquet, report.txt.",
)
def run(file: Path, settings: tuple[str, ...], seed: int | None, loop: str, as_json: bool, out: Path | None) -> None:
    """Simulate the scenario FILE and print the result."""
    from sansim.api import Interrupted, run_scenario
    from sansim.output import OutputError, check_place
    from sansim.progress import ProgressLine

    scenario = read_scenario(file, settings, seed)
    if out is not None:
        # Before the run, which may be long.
        try:
            check_place(out)
        except OutputError as error:
            fail(f"error: --out: {error}", BAD_INPUT)
    with ProgressLine(sys.stderr) as progress:
        try:
            result = run_scenario(
                scenario, reference_loop=loop == "reference", collect_ios=out is not None, progress=progress
            )
        except Interrupted as interrupted:
            result = interrupted.result
    if out is not None:
        try:
            result.save(out)
        except (OutputError, OSError) as error:
            # The result itself is not lost.
            show(result, as_json)
            fail(f"error: --out: {error}", OTHER)
    show(result, as_json)
    if result.stopped_early:
        fail("stopped early", OTHER)


def show(result: Result, as_json: bool) -> None:
    """Prints a result."""
    if as_json:
        click.echo(result.to_json())
        return
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 80
    text = result.report(width=min(width, 100))
    encoding = sys.stdout.encoding or "ascii"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        from sansim.report import plain

        text = plain(text).encode(encoding, errors="replace").decode(encoding)
    click.echo(text, nl=False)


@cli.command()
@scenario_file
@set_option
@click.option("--resolved", is_flag=True, help="Print the scenario with every default written out.")
def check(file: Path, settings: tuple[str, ...], resolved: bool) -> None:
    """Check the scenario FILE without running it."""
    scenario = read_scenario(file, settings)
    click.echo(scenario.to_toml() if resolved else f"{file}: no problems", nl=not resolved)


@cli.command()
@click.option("--reference", is_flag=True, help="Print a reference page (Markdown) instead.")
def schema(reference: bool) -> None:
    """Print the JSON Schema of scenario files, for editors."""
    import json

    from sansim import _core

    if reference:
        click.echo(_core.reference_text(), nl=False)
    else:
        click.echo(json.dumps(json.loads(_core.schema_json()), indent=2, ensure_ascii=False))


def main() -> None:
    """Entry of the `sansim` command."""
    try:
        sys.exit(cli.main(prog_name="sansim", standalone_mode=False))
    except click.ClickException as error:
        error.show()
        sys.exit(BAD_INPUT if isinstance(error, click.UsageError) else OTHER)
    except (click.Abort, KeyboardInterrupt):
        fail("stopped", OTHER)
    except BrokenPipeError:
        # The reader of a pipe went away. Keep Python from saying so again when it flushes at exit.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(OTHER)
    except OSError as error:
        fail(f"error: {error}", OTHER)
