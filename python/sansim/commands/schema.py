"""`sansim schema`: the keys of a scenario or a study, and the tables of a run folder."""

from __future__ import annotations

import click

from sansim.commands.common import BAD_INPUT, fail


@click.command()
@click.option("--reference", is_flag=True, help="Print a reference page (Markdown) instead.")
@click.option("--study", is_flag=True, help="The same of study files.")
@click.option("--tables", is_flag=True, help="Print the reference page of the tables in run folders instead.")
def schema(reference: bool, study: bool, tables: bool) -> None:
    """Print the JSON Schema of scenario files, for editors."""
    import json

    from sansim import _core

    if tables:
        if study:
            fail("error: --study and --tables exclude each other", BAD_INPUT)
        from sansim.table_reference import page

        click.echo(page(), nl=False)
    elif reference:
        click.echo(_core.study_reference_text() if study else _core.reference_text(), nl=False)
    else:
        content = json.loads(_core.study_schema_json() if study else _core.schema_json())
        click.echo(json.dumps(content, indent=2, ensure_ascii=False))
