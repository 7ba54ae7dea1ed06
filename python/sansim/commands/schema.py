"""`sansim schema`: the keys of a scenario or a study, and the tables of a run folder."""

from __future__ import annotations

from pathlib import Path

import click

from sansim.commands.common import BAD_INPUT, fail


@click.command()
@click.option("--reference", is_flag=True, help="Print a reference page (Markdown) instead.")
@click.option("--study", is_flag=True, help="The same of study files.")
@click.option("--tables", is_flag=True, help="Print the reference page of the tables in run folders instead.")
@click.option(
    "--for",
    "scenario",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Print the schema of this scenario, by which editors complete the keys of its components.",
)
def schema(reference: bool, study: bool, tables: bool, scenario: Path | None) -> None:
    """Print the JSON Schema of scenario files, for editors."""
    import json

    from sansim import _core

    if scenario is not None:
        if reference or study or tables:
            fail("error: --for prints the schema of a scenario; leave out the other options", BAD_INPUT)
        click.echo(schema_of(scenario), nl=False)
    elif tables:
        if study:
            fail("error: --study and --tables exclude each other", BAD_INPUT)
        from sansim.table_reference import page

        click.echo(page(), nl=False)
    elif reference:
        click.echo(_core.study_reference_text() if study else _core.reference_text(), nl=False)
    else:
        content = json.loads(_core.study_schema_json() if study else _core.schema_json())
        click.echo(json.dumps(content, indent=2, ensure_ascii=False))


def schema_of(scenario: Path) -> str:
    """The schema of a scenario; the command ends if it cannot be read."""
    from sansim.editor_schema import schema_for
    from sansim.files import in_words, read_bytes

    try:
        return schema_for(read_bytes(scenario).decode())
    except OSError as error:
        fail(f"error: --for: {in_words(error)}", BAD_INPUT)
    except ValueError as error:
        fail(f"error: --for: {scenario} is not TOML: {error}", BAD_INPUT)
