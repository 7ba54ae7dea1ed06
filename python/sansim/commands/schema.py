"""`sansim schema`: what a scenario may hold."""

from __future__ import annotations

import click


@click.command()
@click.option("--reference", is_flag=True, help="Print a reference page (Markdown) instead.")
def schema(reference: bool) -> None:
    """Print the JSON Schema of scenario files, for editors."""
    import json

    from sansim import _core

    if reference:
        click.echo(_core.reference_text(), nl=False)
    else:
        click.echo(json.dumps(json.loads(_core.schema_json()), indent=2, ensure_ascii=False))
