"""`sansim migrate`: rewrites files of an earlier format."""

from __future__ import annotations

from pathlib import Path

import click

from sansim.commands.common import BAD_INPUT, OTHER, fail


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Only print the changes.")
def migrate(files: tuple[Path, ...], dry_run: bool) -> None:
    """Rewrite scenarios, studies and plans of an earlier format in place; comments, order and layout stay.

    Keys that have another name now get it, and the file says its format. A file that is no TOML is left as it is.
    """
    from sansim import ScenarioError, _core
    from sansim.file_types import FITTED
    from sansim.files import cause, whole_file

    failed = False
    for file in files:
        try:
            text = _core.read_text(file)
            migrated, changes = _core.migrate(text, str(file))
        except ScenarioError as error:
            click.echo(str(error), err=True)
            failed = True
            continue
        if not changes:
            click.echo(f"{file}: already in format {_core.FORMAT}")
            continue
        if not dry_run:
            try:
                # It was read as TOML right before, and to rewrite it is what was asked for.
                with whole_file(file, FITTED, force=True) as out:
                    out.write(migrated.encode())
            except OSError as error:
                fail(f"error: {file} cannot be written: {cause(error)}", OTHER)
        click.echo(f"{file}:")
        for change in changes:
            click.echo(f"  {change}")
    if failed:
        raise click.exceptions.Exit(BAD_INPUT)
