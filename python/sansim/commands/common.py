"""Common code of commands: how they end, and how they read a scenario."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from sansim import colour
from sansim.exit_codes import BAD_INPUT, INTERRUPTED, NOT_COMPUTED, OTHER

__all__ = ["BAD_INPUT", "INTERRUPTED", "NOT_COMPUTED", "OTHER"]

if TYPE_CHECKING:
    from sansim._core import Scenario
    from sansim.file_types import Kind

LEAST_WIDTH = 80
"""Columns for which everything is laid out; a narrower terminal wraps."""
SEED_LIMIT = 2**63 - 1
"""TOML's integers are signed 64 bit."""


def fail(message: str, code: int) -> NoReturn:
    """Ends the command with a message."""
    tell(message.rstrip("\n"))
    sys.exit(code)


@contextmanager
def stopping(kept: str) -> Iterator[None]:
    """Ends the command at Ctrl-C with a line that says what is kept, and how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        fail(f"stopped; {kept}", INTERRUPTED)


def tell(message: str) -> None:
    """Prints something about the work, an error or a warning, to standard error."""
    click.echo(colour.message(message) if colour.wanted(sys.stderr) else message, err=True, color=True)


def picture_kind(picture: Path) -> Kind:
    """The kind of a picture by its name; the command ends if it is none."""
    from sansim.file_types import PNG, SVG

    kind = {".png": PNG, ".svg": SVG}.get(picture.suffix.lower())
    if kind is None:
        fail(f"error: --plot: {picture} ends neither in .png nor in .svg", BAD_INPUT)
    return kind


def terminal_width() -> int:
    """Columns that tables for people may have: those of the terminal, 80 where there is none, and never fewer."""
    return max(shutil.get_terminal_size().columns, LEAST_WIDTH) if sys.stdout.isatty() else LEAST_WIDTH


def warn(file: Path, scenario: Scenario) -> None:
    """Tells what a scenario says that is probably not meant."""
    for line in scenario.warnings():
        tell(f"warning: {file}: {line}")


def split_setting(text: str) -> tuple[str, str]:
    """Splits `key=value`."""
    key, sign, value = text.partition("=")
    if not sign or not key.strip():
        raise click.BadParameter(f"{text!r} is not key=value, as workload.size=64KiB", param_hint="'--set'")
    return key.strip(), value


def load_scenario(file: Path, settings: Sequence[str], seed: int | None = None) -> Scenario:
    """Reads a scenario.

    Raises:
        ScenarioError: It is none, or not a sound one.
    """
    from sansim._core import Scenario

    overrides = [split_setting(text) for text in settings]
    if seed is not None:
        overrides.append(("run.seed", str(seed)))
    return Scenario.load(file, overrides)


def read_scenario(file: Path, settings: Sequence[str], seed: int | None = None) -> Scenario:
    """Reads a scenario; with a bad one the command ends."""
    from sansim._core import ScenarioError

    try:
        return load_scenario(file, settings, seed)
    except ScenarioError as error:
        if is_a_study(file):
            fail(f"error: {file} is a study, not a scenario\n  = help: sansim study run {file}", BAD_INPUT)
        if is_a_plan(file):
            fail(f"error: {file} is a plan, not a scenario\n  = help: sansim plan {file}", BAD_INPUT)
        fail(f"{error}{hint_of_example(file)}", BAD_INPUT)


def hint_of_example(file: Path) -> str:
    """How to get the file, if it is not there and an example has its name."""
    from sansim.bundled import files

    if file.exists() or file.stem not in files():
        return ""
    return f"  = help: `sansim examples {file.stem} > {file.stem}.toml` writes the example of this name"


def is_a_plan(file: Path) -> bool:
    """Whether a file that is no sound scenario looks like a plan."""
    from sansim.analysis.plan.read import looks_like_plan
    from sansim.files import read_bytes
    from sansim.study.session import LARGEST_STUDY_BYTES

    try:
        return looks_like_plan(read_bytes(file, LARGEST_STUDY_BYTES).decode("utf-8", "replace"))
    except OSError:
        return False


def is_a_study(file: Path) -> bool:
    """Whether a file that is no sound scenario looks like a study."""
    from sansim.study.session import is_study

    return is_study(file)


def percentile_words(_context: click.Context, _option: click.Parameter, value: str | None) -> tuple[str, ...]:
    """The names of percentiles from a list with commas."""
    from sansim.percentiles import words_of

    try:
        words = words_of(value or "")
        if value is not None and not words:
            raise ValueError("it names no percentile; write for instance p95,p99.99")
        return words
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def complete_keys(_context: click.Context, _option: click.Parameter, begin: str) -> list[str]:
    """The keys of the scenario that is named on the command line, for a shell that completes `KEY=VALUE`."""
    from sansim._core import Scenario

    # An option that lacks its value keeps click from reading the arguments; every shell passes the line here.
    words = os.environ.get("COMP_WORDS", "").split()
    file = next((word for word in words if word.endswith(".toml") and Path(word).is_file()), None)
    if file is None or "=" in begin:
        return []
    try:
        settings = Scenario.load(file, []).settings()
    except (OSError, ValueError):
        return []
    return [f"{setting.key}=" for setting in settings if setting.key.startswith(begin)]


def complete_examples(_context: click.Context, _parameter: click.Parameter, begin: str) -> list[str]:
    """The names of examples, for a shell that completes one."""
    from sansim.bundled import files

    return [name for name in files() if name.startswith(begin)]


scenario_file = click.argument("file", type=click.Path(path_type=Path))
force_option = click.option(
    "--force", is_flag=True, help="Replace files that are not of the kind that is written; else they are refused."
)
percentiles_option = click.option(
    "--percentiles",
    metavar="LIST",
    callback=percentile_words,
    help="More percentiles of response times than p50, p90, p99 and p99.9, as p95,p99.99; the rows of all I/Os are"
    " kept until the end for them.",
)
set_option = click.option(
    "--set",
    "settings",
    metavar="KEY=VALUE",
    multiple=True,
    shell_complete=complete_keys,
    help="Replace a value of the scenario, as workload.size=64KiB. May be given several times.",
)
