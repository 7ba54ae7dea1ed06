"""The contents of an archive: a manifest, the scenario, the files that it names, and the run folder.

An archive is a tar file, compressed by gzip::

    manifest.json                what is in it, with checksums; what made the run
    scenario.toml                the resolved scenario, with the files by their names in the archive
    files/1/trace.csv.gz         each file that the scenario names
    result/...                   the run folder
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

MARK = "sansim-archive"
"""The name in the header of gzip, and the value of `written_by` in the manifest: by them an archive is ours."""
FORMAT = 1
"""The format of archives that this version writes; it reads this one and earlier ones."""
MANIFEST = "manifest.json"
SCENARIO = "scenario.toml"
FILES = "files"
RESULT = "result"
LARGEST_MANIFEST = 16 << 20
"""Bytes of a manifest that are read: one has some hundred bytes for each file."""
CHUNK = 1 << 20
NAME = re.compile(r"(?:scenario\.toml|files/\d+/[^/\\\0]+|result/[^/\\\0]+)")
"""The names of files in an archive; no other one is written anywhere."""


class ArchiveError(Exception):
    """Something cannot be packed, or an archive cannot be used; the text says which, why, and what to do."""


@dataclass(frozen=True)
class Manifest:
    """The manifest of an archive."""

    files: Mapping[str, tuple[str, int]]
    """SHA-256 and bytes of each file in it, by its name there."""
    title: str
    seed: int
    loop: str | None
    """The loop model of the run, `fast` or `reference`; None of a system without a loop."""
    sample_every: str | None
    percentiles: tuple[str, ...]
    """Percentiles that were requested."""
    software: Mapping[str, str]
    """The software of the run, as far as its folder notes it; see `sansim.software`."""

    def as_json(self) -> str:
        """The text of the manifest."""
        files = {name: {"sha256": sha256, "bytes": size} for name, (sha256, size) in sorted(self.files.items())}
        value = {
            "written_by": MARK,
            "format": FORMAT,
            "title": self.title,
            "seed": self.seed,
            "loop": self.loop,
            "sample_every": self.sample_every,
            "percentiles": list(self.percentiles),
            "software": dict(self.software),
            "files": files,
        }
        return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def manifest_of(archive: Path, content: bytes) -> Manifest:
    """A manifest from its text.

    Raises:
        ArchiveError: It is none, or of a later version.
    """
    try:
        found = json.loads(content)
        if not isinstance(found, dict) or found.get("written_by") != MARK:
            raise ArchiveError(f"{archive} is no archive of sansim: its {MANIFEST} is not one of `sansim pack`")
        if not isinstance(found["format"], int) or found["format"] > FORMAT:
            raise ArchiveError(
                f"{archive} has the format {found['format']}, and this version of sansim reads archives up to {FORMAT};"
                " read it with the version that wrote it or a later one"
            )
        files = {str(name): (str(one["sha256"]), int(one["bytes"])) for name, one in found["files"].items()}
        made = Manifest(
            files=files,
            title=str(found["title"]),
            seed=int(found["seed"]),
            loop=None if found["loop"] is None else str(found["loop"]),
            sample_every=None if found["sample_every"] is None else str(found["sample_every"]),
            percentiles=tuple(map(str, found["percentiles"])),
            software={str(name): str(version) for name, version in found["software"].items()},
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ArchiveError(
            f"{archive}: its {MANIFEST} is damaged or was changed ({type(error).__name__}: {error}); get another copy"
        ) from None
    if (wrong := next((name for name in files if not is_inner(name)), None)) is not None:
        raise ArchiveError(f"{archive}: its {MANIFEST} names {wrong!r}, which would lie outside the archive's folder")
    if missing := next((name for name in (SCENARIO, f"{RESULT}/summary.json") if name not in files), None):
        raise ArchiveError(f"{archive} is not complete: its {MANIFEST} has no {missing}; pack the run again")
    return made


def is_inner(name: str) -> bool:
    """Whether a name is one that an archive may have: no way leads out of the folder."""
    return NAME.fullmatch(name) is not None and all(part not in (".", "..") for part in name.split("/"))


def identities(scenario: Any) -> Iterator[dict[str, Any]]:
    """The files that a resolved scenario names: path, bytes and SHA-256 of each, once for each place."""
    if isinstance(scenario, dict):
        if set(scenario) == {"path", "bytes", "sha256"}:
            yield scenario
            return
        for value in scenario.values():
            yield from identities(value)
    elif isinstance(scenario, list):
        for value in scenario:
            yield from identities(value)


def found_under(tables: Any, key: str) -> Iterator[Any]:
    """The values of a key, wherever it is in a scenario."""
    if isinstance(tables, dict):
        for name, value in tables.items():
            if name == key:
                yield value
            else:
                yield from found_under(value, key)
    elif isinstance(tables, list):
        for value in tables:
            yield from found_under(value, key)


def unpack(archive: Path, folder: Path) -> Manifest:
    """Writes the files of an archive into an empty folder, each after its name and its checksum have been compared.

    Raises:
        ArchiveError: It is no archive, is damaged, lacks a file, or has one that it must not have.
        OSError: It cannot be read, or nothing can be written there.
    """
    if not archive.exists():
        raise ArchiveError(f"{archive}: there is no such file; `sansim pack RUN` writes an archive")
    if not archive.is_file():
        raise ArchiveError(f"{archive} is not an archive but a folder; `sansim pack {archive}` packs a run folder")
    try:
        with gzip.open(archive, "rb") as zipped, tarfile.open(fileobj=zipped, mode="r:") as tar:
            manifest = unpacked(archive, tar, folder)
            # To the end, behind which gzip has a checksum of everything.
            while zipped.read(CHUNK):
                pass
            return manifest
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise ArchiveError(
            f"{archive} cannot be read as an archive of sansim: {error}; it is damaged, or of another origin"
        ) from None
    except OSError as error:
        if error.errno is None:
            # The gzip module has no class of its own for what is no gzip file, or a damaged one.
            raise ArchiveError(
                f"{archive} cannot be read as an archive of sansim: {error}; it is damaged, or of another origin"
            ) from None
        raise


def unpacked(archive: Path, tar: tarfile.TarFile, folder: Path) -> Manifest:
    """See `unpack`; the manifest is the first file."""
    first = tar.next()
    if first is None or first.name != MANIFEST or not first.isreg() or first.size > LARGEST_MANIFEST:
        raise ArchiveError(f"{archive} is no archive of sansim: its first file is not {MANIFEST}")
    stream = tar.extractfile(first)
    assert stream is not None
    manifest = manifest_of(archive, stream.read())
    seen = set()
    for member in tar:
        if member is first:
            continue
        if not member.isreg() or member.name not in manifest.files or member.name in seen:
            raise ArchiveError(
                f"{archive} has {member.name!r}, which its {MANIFEST} does not list; it was changed, so nothing is run"
            )
        seen.add(member.name)
        content = tar.extractfile(member)
        assert content is not None
        place = folder / member.name
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("xb") as out:
            found = copied(content, out, manifest.files[member.name][1])
        if found != manifest.files[member.name]:
            raise ArchiveError(
                f"{archive}: {member.name} is not as it was packed, by its checksum; the archive is damaged or was"
                " changed: get another copy"
            )
    if missing := sorted(set(manifest.files) - seen):
        raise ArchiveError(
            f"{archive} is not complete: it has no {missing[0]}; get another copy, or pack the run again"
        )
    return manifest


def copied(source: IO[bytes], target: IO[bytes], most: int) -> tuple[str, int]:
    """Copies a stream and returns its SHA-256 and bytes; it ends when there is more than it should be."""
    digest, size = hashlib.sha256(), 0
    while size <= most and (chunk := source.read(CHUNK)):
        digest.update(chunk)
        size += len(chunk)
        target.write(chunk)
    return digest.hexdigest(), size
