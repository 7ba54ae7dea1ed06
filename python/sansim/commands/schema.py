"""`sansim schema`: what a scenario or a study may hold."""

from __future__ import annotations

import click


@click.command()
@click.option("--reference", is_flag=True, help="Print a reference page (Markdown) instead.")
@click.option("--study", is_flag=True, help="The schema of study files.")
def schema(reference: bool, study: bool) -> None:
    """Print the JSON Schema of scenario files, for editors."""
    import json

    from sansim import _core
    from sansim.study.schema import study_schema

    if reference and study:
        raise click.UsageError("--reference is about scenarios; docs/study-guide.md describes study files")
    if reference:
        click.echo(_core.reference_text(), nl=False)
    else:
        content = study_schema() if study else json.loads(_core.schema_json())
        click.echo(json.dumps(content, indent=2, ensure_ascii=False))
