"""`sansim tidy`: takes away what killed runs have left."""

from __future__ import annotations

from pathlib import Path

import click

from sansim.commands.common import BAD_INPUT, OTHER, fail


@click.command()
@click.argument("folder", default=".", type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Only say what there is.")
def tidy(folder: Path, dry_run: bool) -> None:
    """Take away what killed runs have left in FOLDER, beside their run folders; `.` if not given.

    Only folders that a run has marked as its own and that no run works on any more are taken away. A run folder that
    was being replaced at that moment goes back to its place.
    """
    from sansim.files import cause
    from sansim.number_text import quantity
    from sansim.runs.abandoned import found

    if not folder.is_dir():
        fail(f"error: {folder} is not a folder", BAD_INPUT)
    for left in found(folder):
        back = f"; {left.place.name} goes back to its place" if left.earlier is not None else ""
        size = f"{quantity(left.bytes / 1e6)} MB"
        if not dry_run:
            try:
                left.take_away()
            except OSError as error:
                fail(f"error: {left.folder} cannot be removed: {cause(error)}", OTHER)
        click.echo(f"{'left' if dry_run else 'removed'}: {left.folder} ({size}){back}")
