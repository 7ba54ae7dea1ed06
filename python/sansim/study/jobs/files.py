"""The files that jobs name, for workers that share no folder with the client.

A resolved scenario names a file with its size and SHA-256, whatever the file is: a trace, a data sheet, a rule in
Python. A worker on which the file of that path is another one or missing gets a copy, and its jobs name the copy there.
The result of a job is the same, as it depends on the content of a file and not on its place.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sansim.toml_text import toml_value

NAMED = re.compile(r'\{ path = ("(?:[^"\\\n]|\\.)*"), bytes = (\d+), sha256 = "([0-9a-f]{64})" \}')
"""A file in a resolved scenario, as `crates/schema/src/quantities/file_name.rs` writes it."""
PIECE_BYTES = 4 << 20
"""Bytes of a file that travel at a time."""


class OtherFileError(Exception):
    """A file is not there, or not what it was when the scenario was resolved."""


@dataclass(frozen=True)
class NamedFile:
    """A file that a job names."""

    path: str
    size: int
    """In bytes."""
    sha256: str

    def is_at(self, place: Path) -> bool:
        """Whether the content of a file is that of this one."""
        try:
            found = place.stat()
        except OSError:
            return False
        return found.st_size == self.size and digest(os.fspath(place), found.st_mtime_ns, self.size) == self.sha256

    def pieces(self) -> Iterator[tuple[int, bytes]]:
        """The content, a piece at a time, each with the number of bytes before it.

        Raises:
            OtherFileError: It is not there any more, or another one.
        """
        if not self.is_at(Path(self.path)):
            raise OtherFileError(f"{self.path} is not what it was when the study began")
        with Path(self.path).open("rb") as file:
            begin = 0
            while begin < self.size or not begin:
                piece = file.read(PIECE_BYTES)
                yield begin, piece
                begin += len(piece)
                if not piece:
                    break


@functools.lru_cache(maxsize=256)
def digest(place: str, _changed: int, _size: int) -> str:
    """The SHA-256 of a file, computed again only when the file has changed; empty if it cannot be read."""
    try:
        with Path(place).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def files_of(scenario: str) -> list[NamedFile]:
    """The files that a resolved scenario names."""
    return [NamedFile(json.loads(path), int(size), sha256) for path, size, sha256 in NAMED.findall(scenario)]


class Copies:
    """Copies of files on a worker, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        """Takes the folder, which need not exist yet."""
        self.folder = folder

    def place(self, file: NamedFile) -> Path:
        """The place of the copy of a file. It keeps its name, by which readers know whether it is compressed."""
        return self.folder / file.sha256 / Path(file.path).name

    def keep(self, file: NamedFile, begin: int, piece: bytes) -> None:
        """Keeps a piece of a file; with the last one the copy is complete.

        Raises:
            OSError: It cannot be written.
        """
        place = self.place(file)
        place.parent.mkdir(parents=True, exist_ok=True)
        part = place.with_name(f"{place.name}.part")
        with part.open("r+b" if begin else "wb") as out:
            out.seek(begin)
            out.write(piece)
        if begin + len(piece) >= file.size:
            part.replace(place)

    def lacking(self, files: Iterable[NamedFile]) -> list[NamedFile]:
        """Those of some files that are neither at their path nor among the copies."""
        return [file for file in files if not file.is_at(Path(file.path)) and not file.is_at(self.place(file))]

    def placed(self, scenario: str) -> str:
        """A resolved scenario that names the copies of files that are not at their path."""

        def named(found: re.Match[str]) -> str:
            (file,) = files_of(found[0])
            if file.is_at(Path(file.path)):
                return found[0]
            copy = toml_value(os.fspath(self.place(file)))
            return f'{{ path = {copy}, bytes = {file.size}, sha256 = "{file.sha256}" }}'

        return NAMED.sub(named, scenario)

    def in_words(self, message: str, scenario: str) -> str:
        """A message about a scenario, with the path that the client knows in place of that of a copy."""
        for file in files_of(scenario):
            message = message.replace(os.fspath(self.place(file)), file.path)
        return message
