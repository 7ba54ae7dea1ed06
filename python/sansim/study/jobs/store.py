"""The finished jobs of a study, a file each."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import time
from pathlib import Path
from typing import Any

from sansim.files import named, read_bytes
from sansim.study.jobs.seal import FAILURE, RESULT, opened, sealed

TEMPORARY_SUFFIX = ".tmp"
NO_FILE = frozenset({errno.EISDIR, errno.ENOTDIR, errno.EINVAL, errno.EFBIG, errno.ELOOP, errno.ENXIO})
"""Errors of reading a name that is taken by something else than a file of the store."""
SWEPT_AFTER_S = 3600.0
"""Age from which on a temporary file cannot be one that is being written, which takes milliseconds. By age and not by
process, as the folder may be shared by several machines."""


class PlaceTakenError(Exception):
    """The name of a job's result is taken by a folder. It is a matter of this job: others can be run and kept."""


class Store:
    """A folder with what came of jobs.

    `points/<first two characters of the key>/<key>.json` is the result of a job, `failed/<key>.json` says why one could
    not be run.

    A file has its name only when it is complete, so processes may be killed at any moment and several may work in the
    same folder. All of them write the same bytes under the same name. A file is sealed (`seal.py`); one that is not
    what was written for its key counts as missing, whatever became of it, and is replaced.
    """

    def __init__(self, root: Path) -> None:
        """Takes the folder, which need not exist yet."""
        self.root = root
        self.points = root / "points"
        self.failed = root / "failed"

    def has(self, key: str) -> bool:
        """Whether the job's result is there and whole."""
        return content_of(self.place(key), key, RESULT) is not None

    def read(self, key: str) -> dict[str, Any]:
        """The job's result.

        Raises:
            KeyError: It is not there, or the file is not what was written.
        """
        content = content_of(self.place(key), key, RESULT)
        if content is None:
            raise KeyError(key)
        return content

    def write(self, key: str, content: bytes) -> None:
        """Keeps the job's result, which appears at once and whole; forgets an earlier failure.

        Raises:
            PlaceTakenError: A folder has the name.
            OSError: It cannot be written.
        """
        try:
            put(self.place(key), content)
        except (IsADirectoryError, NotADirectoryError, FileExistsError):
            self.check_place(key)
            raise
        self.forget(key)

    def check_place(self, key: str) -> None:
        """Refuses a job whose result could not be kept, before it is run.

        Raises:
            PlaceTakenError: A folder has the name of the result, or a file that of its folder.
        """
        place = self.place(key)
        taken = place if place.is_dir() else next((f for f in place.parents[:3] if f.exists() and not f.is_dir()), None)
        if taken is not None:
            what = "a folder" if taken == place else "a file"
            raise PlaceTakenError(f"its result cannot be kept: {taken} is {what}; move it away")

    def place(self, key: str) -> Path:
        """The file of the job's result."""
        return self.points / key[:2] / f"{key}.json"

    def record(self, key: str, message: str) -> None:
        """Remembers why the job could not be run, unless something else has the name of the note.

        Raises:
            OSError: It cannot be written.
        """
        with contextlib.suppress(IsADirectoryError, NotADirectoryError, FileExistsError):
            put(self.failed / f"{key}.json", sealed({"key": key, "message": message}))

    def failure(self, key: str) -> str | None:
        """Why the job could not be run; None if it was not tried, has a result, or the note is not what was written."""
        failure = content_of(self.failed / f"{key}.json", key, FAILURE)
        # Another process may have failed at it after this one succeeded.
        return None if failure is None or self.has(key) else str(failure["message"])

    def forget(self, key: str) -> None:
        """Forgets a failure, if there was one."""
        with contextlib.suppress(FileNotFoundError, IsADirectoryError, NotADirectoryError):
            os.unlink(f"{self.failed}/{key}.json")  # noqa: PTH108  (once per job: a Path costs more than the call)

    def sweep(self) -> None:
        """Removes what processes left that were killed while they wrote."""
        oldest = time.time() - SWEPT_AFTER_S
        for folder in (self.failed, *(self.points.iterdir() if self.points.is_dir() else ())):
            # Another process may sweep, too.
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                for file in folder.glob(f".*{TEMPORARY_SUFFIX}"):
                    with contextlib.suppress(FileNotFoundError):
                        if file.stat().st_mtime < oldest:
                            file.unlink()


def content_of(file: Path, key: str, fields: tuple[str, ...]) -> dict[str, Any] | None:
    """The content of a file of the store; None if it is missing or was not written for the key."""
    try:
        return opened(read_bytes(file), key, fields)
    except FileNotFoundError:
        return None
    except OSError as error:
        # No file at all, or far too large for one of ours.
        if error.errno in NO_FILE:
            return None
        raise


def put(file: Path, content: bytes) -> None:
    """Writes a file that takes its name when it is complete. A link that has the name is replaced and not followed.

    It is not forced to the disk, which would cost some ten milliseconds per job on a hard disk: after a power failure
    a file may be empty or cut short, which a reader notices, and the job is run again with the same result.
    """
    # Hidden, of this very write, and in the same folder, as a file system can rename only within itself.
    scratch = file.with_name(f".{file.name}.{os.getpid()}.{secrets.token_hex(4)}{TEMPORARY_SUFFIX}")
    try:
        try:
            new = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        except FileNotFoundError:
            file.parent.mkdir(parents=True, exist_ok=True)
            new = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with open(new, "wb", buffering=0) as target:  # noqa: PTH123  (a descriptor)
            rest = memoryview(content)
            while rest:
                rest = rest[target.write(rest) :]
        scratch.replace(file)
    except BaseException as error:
        with contextlib.suppress(OSError):
            scratch.unlink()
        if isinstance(error, OSError):
            raise named(error, file) from None
        raise
