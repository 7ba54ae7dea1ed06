"""`sansim schema`: what a scenario or a study may hold."""

from __future__ import annotations

import click


@click.command()
@click.option("--reference", is_flag=True, help="Print a reference page (Markdown) instead.")
@click.option("--study", is_flag=True, help="The same of study files.")
def schema(reference: bool, study: bool) -> None:
    """Print the JSON Schema of scenario files, for editors."""
    import json

    from sansim import _core

    if reference:
        click.echo(_core.study_reference_text() if study else _core.reference_text(), nl=False)
    else:
        content = json.loads(_core.study_schema_json() if study else _core.schema_json())
        click.echo(json.dumps(content, indent=2, ensure_ascii=False))
