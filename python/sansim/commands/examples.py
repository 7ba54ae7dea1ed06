"""`sansim examples`: scenarios and studies to start from."""

from __future__ import annotations

import click

from sansim.commands.common import BAD_INPUT, complete_examples, fail


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
    """Prints a line for each: scenarios, then studies with the scenario that they need."""
    from sansim.bundled import examples

    shipped = examples()
    scenarios = [one for one in shipped if one.scenario is None]
    studies = [one for one in shipped if one.scenario is not None]
    click.echo("Scenarios, for `sansim run`:")
    width = max(len(one.name) for one in scenarios)
    for one in scenarios:
        needs = f" (needs {', '.join(one.files)})" if one.files else ""
        click.echo(f"  {one.name:{width}}  {one.title}{needs}")
    click.echo("Studies, for `sansim study run`:")
    width = max(len(one.name) for one in studies)
    for one in studies:
        click.echo(f"  {one.name:{width}}  {one.title} (needs {one.scenario})")
    click.echo("`sansim examples NAME > NAME.toml` writes one.")
