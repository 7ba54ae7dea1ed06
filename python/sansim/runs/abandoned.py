"""Remains of killed runs: the folders in which they had their files until the end.

A run writes into a folder beside the place of its run folder, and removes it whether it ends well or not. A killed run
cannot. Each such folder has a mark that its run holds locked: the system releases the lock when the process ends,
however that is, so a mark that can be locked has no run any more.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO

LOCKS = find_spec("fcntl") is not None
"""Whether this system can tell that a run goes on."""
MARK = "sansim-run.json"
"""The file in such a folder that says whose it is."""
NEW, OLD = "new", "old"
"""In such a folder: the run folder that is being written, and the earlier one while it is replaced."""


@dataclass(frozen=True)
class LeftOver:
    """The remains of a killed run."""

    folder: Path
    place: Path
    """Where its run folder was to be."""

    @property
    def bytes(self) -> int:
        """How much is in it."""
        sizes = 0
        for entry in self.folder.rglob("*"):
            with suppress(OSError):
                sizes += entry.stat().st_size if entry.is_file() and not entry.is_symlink() else 0
        return sizes

    @property
    def earlier(self) -> Path | None:
        """The run folder that was being replaced, if it is not at its place."""
        old = self.folder / OLD
        return old if old.is_dir() and not self.place.exists() else None

    def take_away(self) -> None:
        """Removes it. An earlier run folder that was being replaced goes back to its place.

        Raises:
            OSError: It cannot be removed.
        """
        if (old := self.earlier) is not None:
            old.rename(self.place)
        shutil.rmtree(self.folder)


def mark(scratch: Path, place: Path) -> IO[str]:
    """Marks the folder of a run that goes on; the mark holds as long as the file is open."""
    file = (scratch / MARK).open("w", encoding="utf-8")
    if LOCKS:
        import fcntl

        # Before it has its content: until then no other run asks for the lock. Without locks, as on some file systems,
        # no folder is ever removed.
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)
    json.dump({"written_by": "sansim-run", "place": os.fspath(place), "process": os.getpid()}, file)
    file.flush()
    return file


def found(parent: Path) -> Iterator[LeftOver]:
    """The remains of killed runs in a folder."""
    try:
        entries = sorted(entry for entry in parent.iterdir() if entry.name.startswith("."))
    except OSError:
        return
    for entry in entries:
        if not entry.is_symlink() and entry.is_dir() and (place := place_of(entry)) is not None:
            yield LeftOver(entry, place)


def place_of(folder: Path) -> Path | None:
    """Where the run of a folder that was left was to be; none if it is no such folder, or its run goes on."""
    if not LOCKS:
        return None
    import fcntl

    try:
        with (folder / MARK).open(encoding="utf-8") as file:
            about = json.load(file)
            if not isinstance(about, dict) or about.get("written_by") != "sansim-run":
                return None
            # The run has it as long as it goes on.
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (OSError, ValueError, RecursionError):
        return None
    # Where it was to be, whatever the folder around has been called since.
    return folder.parent / Path(str(about.get("place", ""))).name
