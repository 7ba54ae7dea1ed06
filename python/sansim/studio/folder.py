"""The files of the studio: scenarios in the folder for which it was started, and shipped examples, by ids.

The page names files by ids that this module has listed, never by paths. An id is looked up among what is in the folder
at that moment, so nothing that a page makes up leads anywhere.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sansim import bundled
from sansim.file_types import SCENARIO
from sansim.files import whole_file
from sansim.studio.errors import StudioError

FILE, EXAMPLE, PASTED = "file:", "example:", "new:"
"""The beginnings of ids: a file of the folder, a shipped example, a text that has no file yet."""
DEEPEST = 4
"""How many folders deep scenarios are looked for."""
MOST = 1_000
"""The most files that are listed."""
LOOKED_AT = 20_000
"""The most entries of folders that are looked at, so that a large folder does not keep the page waiting."""
PASSED_OVER = ("node_modules", "target", "results", "__pycache__")
"""Folders in which there are no scenarios to open."""
LARGEST = 4_000_000
"""The length of the longest text in bytes; scenarios are far shorter."""
TITLE = re.compile(r'^\s*title\s*=\s*"([^"\n]*)"', re.MULTILINE)
IS_SCENARIO = re.compile(r"^\s*(?:kind\s*=|\[run\])", re.MULTILINE)
IS_OTHER = re.compile(r"^\s*(?:\[\[axis\]\]|\[\[axes\]\]|\[goal\]|scenario\s*=)", re.MULTILINE)
"""Tables and keys of studies and plans, which scenarios do not have."""


@dataclass(frozen=True)
class Text:
    """A text with its origin."""

    id: str
    text: str
    folder: Path
    """Where files that it names are looked for."""

    @property
    def digest(self) -> str:
        """The identity of the text."""
        return digest_of(self.text)

    def as_json(self) -> dict[str, Any]:
        """As the page gets it."""
        return {"id": self.id, "text": self.text, "digest": self.digest}


def digest_of(text: str) -> str:
    """The identity of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


class Folder:
    """A folder with its scenarios."""

    def __init__(self, root: Path) -> None:
        """The folder for which the studio was started."""
        self.root = root.resolve()

    def listed(self) -> dict[str, Path]:
        """The scenarios in the folder by id."""
        found: dict[str, Path] = {}
        looked_at = 0
        for at, folders, names in os.walk(self.root):
            looked_at += len(names) + len(folders)
            if looked_at > LOOKED_AT:
                break
            here = Path(at)
            depth = len(here.relative_to(self.root).parts)
            plain = [name for name in folders if not name.startswith(".") and name not in PASSED_OVER]
            folders[:] = sorted(plain) if depth < DEEPEST else []
            for name in sorted(names):
                file = here / name
                if name.endswith(".toml") and len(found) < MOST and self.is_scenario(file):
                    found[FILE + file.relative_to(self.root).as_posix()] = file
        return found

    def is_scenario(self, file: Path) -> bool:
        """Whether a file looks like a scenario and is in the folder, even if the file is a link."""
        try:
            # A pipe would keep its reader waiting.
            if not file.is_file() or not file.resolve().is_relative_to(self.root) or file.stat().st_size > LARGEST:
                return False
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return False
        return IS_SCENARIO.search(text) is not None and IS_OTHER.search(text) is None

    def scenarios(self) -> dict[str, Any]:
        """Files and examples, for the page."""
        files = [{"id": id_, "title": title_of(file, id_.removeprefix(FILE))} for id_, file in self.listed().items()]
        shipped = [one for one in bundled.examples() if one.scenario is None]
        return {"files": files, "examples": [{"id": EXAMPLE + one.name, "title": one.title} for one in shipped]}

    def id_of(self, file: Path) -> str:
        """The id of a file of the folder."""
        return FILE + file.resolve().relative_to(self.root).as_posix()

    def file(self, id_: str) -> Path:
        """The file with an id; raises StudioError if there is none."""
        # A file that has become unreadable as a scenario is still the user's file.
        name = id_.removeprefix(FILE)
        file = self.listed().get(id_)
        if file is None and id_.startswith(FILE):
            known = self.root / name
            plain = Path(name).parts and ".." not in Path(name).parts and not Path(name).is_absolute()
            if plain and name.endswith(".toml") and known.is_file() and known.resolve().is_relative_to(self.root):
                file = known
        if file is None:
            raise StudioError("no-file", f"there is no file {name!r} in the folder of the studio", status=404)
        return file

    def read(self, id_: str) -> Text:
        """The text with an id; raises StudioError if there is none."""
        if id_.startswith(EXAMPLE):
            try:
                return Text(id_, bundled.example(id_.removeprefix(EXAMPLE)), bundled.EXAMPLES.resolve())
            except LookupError as error:
                raise StudioError("no-file", str(error), status=404) from None
        file = self.file(id_)
        try:
            return Text(id_, file.read_text(encoding="utf-8"), file.parent)
        except (OSError, UnicodeDecodeError) as error:
            raise StudioError("unreadable", f"{id_.removeprefix(FILE)} cannot be read: {error}") from None

    def place_of(self, id_: str) -> Path:
        """The folder in which the files that a text names are looked for."""
        if id_.startswith(EXAMPLE):
            return bundled.EXAMPLES.resolve()
        return self.file(id_).parent if id_.startswith(FILE) else self.root

    def write(self, id_: str, text: str, digest: str) -> str:
        """Stores a text if the file is as it was when it was read; returns the new identity."""
        if id_.startswith(EXAMPLE):
            raise StudioError("example", "an example cannot be changed; save it under a name of your own", status=403)
        if digest_of(self.read(id_).text) != digest:
            raise StudioError(
                "changed", "the file was changed by another program since it was opened", "open it again", status=409
            )
        return self.store(self.file(id_), text)

    def create(self, name: str, text: str) -> str:
        """Stores a text as a new file of the folder; returns its id."""
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,99}", name.removesuffix(".toml")):
            raise StudioError(
                "bad-name", f"{name!r} cannot be the name of a file here: letters, digits, . _ - and space"
            )
        file = self.root / (name.removesuffix(".toml") + ".toml")
        if file.exists() or file.is_symlink():
            raise StudioError("exists", f"there is a file {file.name} already", "choose another name", status=409)
        self.store(file, text)
        return self.id_of(file)

    def store(self, file: Path, text: str) -> str:
        """Writes a file, whole or not at all."""
        if len(text.encode()) > LARGEST:
            raise StudioError("too-long", f"a scenario has at most {LARGEST:,} bytes")
        try:
            with whole_file(file, SCENARIO, force=True) as out:
                out.write(text.encode())
        except OSError as error:
            raise StudioError("unwritten", f"{file.name} was not written: {error.strerror or error}") from None
        return digest_of(text)


def title_of(file: Path, otherwise: str) -> str:
    """The title that a scenario has, without reading all of it."""
    try:
        with file.open(encoding="utf-8") as text:
            found = TITLE.search(text.read(4_096))
    except (OSError, UnicodeDecodeError):
        return otherwise
    return otherwise if found is None else found.group(1)
