"""`sansim examples`: scenarios, studies and plans to start from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from sansim.commands.common import BAD_INPUT, complete_examples, fail

if TYPE_CHECKING:
    from sansim.bundled import Example

WIDTH = 80
"""Columns of a line of the list."""


@click.command(epilog="\b\nsansim examples four-disks > four-disks.toml\nsansim run four-disks.toml")
@click.argument("name", required=False, shell_complete=complete_examples)
def examples(name: str | None) -> None:
    """List the examples that come with sansim, or print the one called NAME, or a file that one needs."""
    from sansim.bundled import companion, example

    if name is None:
        list_examples()
        return
    if (needed := companion(name)) is not None:
        click.echo(needed, nl=False)
        return
    try:
        text = example(name.removesuffix(".toml"))
    except LookupError as error:
        fail(f"error: {error.args[0]}", BAD_INPUT)
    click.echo(text, nl=False)


def list_examples() -> None:
    """Prints a line for each: scenarios, then studies and plans with the files that they need."""
    from sansim.bundled import examples

    shipped = examples()
    scenarios = [(one, one.files) for one in shipped if one.scenario is None]
    studies = [(one, (one.scenario,)) for one in shipped if one.scenario is not None and one.catalogue is None]
    plans = [(one, (one.scenario, one.catalogue)) for one in shipped if one.catalogue is not None]
    list_group("Scenarios, for `sansim run`:", scenarios)
    list_group("Studies, for `sansim study run`:", studies)
    list_group("Plans, for `sansim plan`:", plans)
    click.echo("`sansim examples NAME > NAME.toml` writes one, `sansim examples FILE > FILE` a\nfile that one needs.")


def list_group(heading: str, group: Sequence[tuple[Example, Sequence[str | None]]]) -> None:
    """Prints the examples of one command, each with the files that it needs."""
    click.echo(heading)
    width = max(len(one.name) for one, _ in group)
    for one, needed in group:
        line = f"  {one.name:{width}}  {one.title}"
        needs = f"(needs {', '.join(filter(None, needed))})" if needed else ""
        own_line = len(line) + 1 + len(needs) > WIDTH
        click.echo(f"{line}\n  {'':{width}}  {needs}" if own_line else f"{line} {needs}".rstrip())
