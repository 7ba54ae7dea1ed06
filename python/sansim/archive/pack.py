"""Writes the archive of a run folder: the same run gives the same bytes."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import re
import tarfile
import tomllib
from pathlib import Path
from typing import IO, Any

from sansim.archive.contents import (
    CHUNK,
    FILES,
    MANIFEST,
    MARK,
    RESULT,
    SCENARIO,
    ArchiveError,
    Manifest,
    identities,
)
from sansim.file_types import ARCHIVE
from sansim.files import cause, read_bytes, whole_file
from sansim.runs.data import requested
from sansim.runs.output import FILES as RESULT_FILES
from sansim.runs.output import about_run, changed, files_of, is_result, too_new
from sansim.toml_text import toml_value

ENDING = ".sansim.tar.gz"
LEVEL = 6
"""The level of compression of gzip's own program; most of an archive is Parquet, which is compressed."""


def default_place(folder: Path) -> Path:
    """The place of an archive: beside the run folder."""
    whole = folder.absolute()
    return whole.with_name(f"{whole.name}{ENDING}")


def pack(folder: Path, file: Path, *, force: bool = False) -> Manifest:
    """Writes the archive of a run folder.

    Raises:
        ArchiveError: The folder cannot be packed; the text says why.
        OtherKindError: A file of another kind has the name of the archive.
        OSError: Something cannot be read or written.
    """
    about, summary, text = run_of(folder)
    if file.absolute().resolve().parent == folder.absolute().resolve():
        raise ArchiveError(f"{file} lies in the run folder, which holds nothing but the run's own files; name another")
    scenario, named = relative(text)
    places = {name: folder / name for name in [*RESULT_FILES, *files_of(folder)] if (folder / name).is_file()}
    sources: dict[str, bytes | Path] = {SCENARIO: scenario.encode(), **named}
    sources |= {f"{RESULT}/{name}": place for name, place in places.items()}
    manifest = Manifest(
        files={name: identity(source) for name, source in sources.items()},
        title=str(summary.get("title") or ""),
        seed=int(summary["seed"]),
        loop=about.get("loop"),
        sample_every=about.get("sample_every"),
        percentiles=requested(summary),
        software=about.get("software") or {"sansim": str(about.get("version", "unknown"))},
    )
    for name, place in named.items():
        check_named(place, name, manifest, text)
    with whole_file(file, ARCHIVE, force=force) as out:
        write(out, manifest, sources)
    return manifest


def run_of(folder: Path) -> tuple[dict[str, Any], dict[str, Any], str]:
    """run.json, summary.json and scenario.toml of a folder that can be packed."""
    if not folder.exists():
        raise ArchiveError(f"{folder}: there is no such folder; `sansim run FILE --out DIR` writes one")
    if not folder.is_dir():
        raise ArchiveError(f"{folder} is not a run folder but a file; `sansim run FILE --out DIR` writes a run folder")
    if not is_result(folder):
        if any((folder / name).is_dir() for name in ("points", "results")):
            raise ArchiveError(
                f"{folder} has results of a study, which are not packed: a result there has a checksum of its resolved"
                " scenario, and not the scenario itself. The study file, the scenario that it names and the files of"
                " that are what `sansim study run` needs; of a single point, pack a run of `sansim run FILE --out DIR`"
            )
        raise ArchiveError(
            f"{folder} is not a run folder: it has no run.json of sansim; name a folder of `sansim run --out`"
        )
    if why := too_new(folder):
        raise ArchiveError(f"{folder}: {why}; pack it with the version that wrote it or a later one")
    if why := changed(folder):
        raise ArchiveError(f"{folder}: {why}, so it is no longer what the run gave; run it again")
    try:
        summary = json.loads(read_bytes(folder / "summary.json"))
        text = read_bytes(folder / "scenario.toml").decode()
    except FileNotFoundError as error:
        raise ArchiveError(f"{folder} is not complete: it has no {Path(error.filename).name}") from None
    except ValueError as error:
        raise ArchiveError(f"{folder} cannot be read: {error}") from None
    if summary.get("stopped_early"):
        raise ArchiveError(
            f"{folder} was stopped early, at a moment that no later run can repeat; run the scenario to its end"
        )
    return about_run(folder), summary, text


def relative(text: str) -> tuple[str, dict[str, Path]]:
    """A resolved scenario that names its files as the archive has them, and these files."""
    named: dict[str, Path] = {}
    for found in {json.dumps(one): one for one in identities(tomllib.loads(text))}.values():
        place = Path(found["path"])
        name = f"{FILES}/{len(named) + 1}/{place.name}"
        named[name] = place
        text = text.replace(literal(found["path"], found), literal(name, found))
    return text, named


def literal(path: str, found: dict[str, Any]) -> str:
    """A file as a resolved scenario writes it."""
    return f"{{ path = {toml_value(path)}, bytes = {found['bytes']}, sha256 = {toml_value(found['sha256'])} }}"


def identity(source: bytes | Path) -> tuple[str, int]:
    """SHA-256 and bytes of something to be packed; of a file that is not there nothing."""
    if isinstance(source, bytes):
        return hashlib.sha256(source).hexdigest(), len(source)
    if not source.is_file():
        return "", -1
    with source.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest(), source.stat().st_size


def check_named(place: Path, name: str, manifest: Manifest, text: str) -> None:
    """Refuses a file that the scenario names and that is not as the run read it."""
    sha256, size = manifest.files[name]
    if size < 0:
        raise ArchiveError(f"{place} is missing, which the scenario of the run names; put it back, or run again")
    if literal(str(place), {"bytes": size, "sha256": sha256}) not in text:
        raise ArchiveError(
            f"{place} has been changed since the run read it, so the run cannot be repeated; put the earlier one back,"
            " or run again"
        )


def write(out: IO[bytes], manifest: Manifest, sources: dict[str, bytes | Path]) -> None:
    """Writes an archive: no times, owners or places of this machine, so that the same run gives the same bytes."""
    with (
        gzip.GzipFile(MARK, "wb", LEVEL, out, mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        everything: dict[str, bytes | Path] = {MANIFEST: manifest.as_json().encode()}
        for name, source in {**everything, **dict(sorted(sources.items()))}.items():
            member = tarfile.TarInfo(name)
            member.mode = 0o644
            if isinstance(source, bytes):
                member.size = len(source)
                tar.addfile(member, io.BytesIO(source))
                continue
            member.size = manifest.files[name][1]
            try:
                with source.open("rb", buffering=CHUNK) as stream:
                    tar.addfile(member, stream)
            except OSError as error:
                raise ArchiveError(f"{source} cannot be read: {cause(error)}") from None


PATHS = re.compile(r'\{ path = "(?:[^"\\]|\\.)*", bytes = (\d+), sha256 = "([0-9a-f]{64})" \}')
"""A file in a resolved scenario; where it is does not change what it is."""


def without_places(scenario: str) -> str:
    """A resolved scenario in which files are identified by their contents alone."""
    return PATHS.sub(r'{ bytes = \1, sha256 = "\2" }', scenario)
