"""`sansim pack`: a run folder and all that its scenario names, in one file."""

from __future__ import annotations

from pathlib import Path

import click

from sansim.commands.common import BAD_INPUT, OTHER, fail, force_option


@click.command(epilog="\b\nsansim run my.toml --out run\nsansim pack run\nsansim rerun run.sansim.tar.gz")
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--out",
    "file",
    metavar="ARCHIVE",
    type=click.Path(path_type=Path),
    help="Where to write the archive; RUN.sansim.tar.gz beside the folder RUN if not given.",
)
@force_option
def pack(run: Path, file: Path | None, force: bool) -> None:
    """Write the run folder RUN, and all files that its scenario names, to one archive.

    The archive has the resolved scenario with its seed, those files, the results, and the versions of the software that
    made them. `sansim rerun ARCHIVE` runs it again and compares. A run folder is what `sansim run FILE --out DIR`
    writes. The same run gives the same archive.
    """
    from sansim.archive.contents import ArchiveError
    from sansim.archive.pack import default_place
    from sansim.archive.pack import pack as packed
    from sansim.file_types import OtherKindError
    from sansim.files import cause_of_writing

    place = default_place(run) if file is None else file
    try:
        manifest = packed(run, place, force=force)
    except (ArchiveError, OtherKindError) as error:
        fail(f"error: {error}", BAD_INPUT)
    except OSError as error:
        fail(f"error: not written: {error.filename or place}: {cause_of_writing(error, place)}", OTHER)
    click.echo(f"{place}: {len(manifest.files):,} files, {place.stat().st_size:,} bytes")
