"""The folder a result is written to: complete or not at all, and never over something of another origin."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias

from sansim import _core
from sansim.decisions import FILE as DECISIONS
from sansim.file_types import FIO_JSON, PARQUET, WATCHED, is_of
from sansim.files import (
    MANY_BATCHES,
    ROW_GROUP,
    cause,
    file_mask,
    give_freed_memory_back,
    named,
    read_bytes,
    rows_in_pieces,
    whole_file,
    write_parquet,
)
from sansim.interruptible import interruptible
from sansim.runs import abandoned as left_over
from sansim.software import software

if TYPE_CHECKING:
    from sansim.runs.data import RunData

Progress: TypeAlias = Callable[[str, float], object]
"""Called with the name of a file that is being written, and the share of it that is written."""

FILES = (
    "summary.json",
    "run.json",
    "scenario.toml",
    "ios.parquet",
    "tenancies.parquet",
    "paths.parquet",
    "samples.parquet",
    "fio.json",
    "report.txt",
)
"""The content of a result folder."""
KNOWN = (*FILES, DECISIONS)
"""The files that a result folder may have; the log of decisions only if it was asked for."""

MOST_IOS_FOR_FIO = 1_000_000
"""I/Os up to which a folder has fio's JSON output if the rows left the run while it went on. That output has to have
the I/Os in memory, about 0.2 kB each (measured): with more the memory of a run would depend on its length."""

MARK = "sansim-result"
"""The value of `written_by` in run.json: by it a folder is known as ours."""


class OutputError(Exception):
    """The place for the result is taken by something that is not a result."""


def check_place(directory: str | os.PathLike[str], *, force: bool = False) -> Path:
    """The absolute path of a folder that a result may be written to.

    Free is a place with nothing there, an empty folder, or a folder that holds a result and nothing else. With `force`
    files with the names of a result's may be anything; a folder with other things in it is not replaced even then.

    Raises:
        OutputError: The place is taken or cannot be looked at.
    """
    place = Path(directory).absolute()
    try:
        # A link stays; what it points to is replaced.
        place = place.resolve()
        if not place.exists():
            return place
        if not place.is_dir():
            raise OutputError(f"{directory} is not a folder")
        if why := foreign(place, force=force):
            raise OutputError(f"{directory} was not written by sansim ({why}); name another folder")
    except (OSError, RuntimeError) as error:
        reason = cause(error) if isinstance(error, OSError) else error
        raise OutputError(f"cannot use {directory}: {reason}") from None
    return place


def foreign(place: Path, *, force: bool) -> str:
    """The content of a folder that is not of a result, in words; empty if it is one, or empty."""
    names = sorted(entry.name for entry in place.iterdir())
    others = files_of(place)
    for name in names:
        if name not in KNOWN and name not in others:
            return f"it holds {name}"
    # A folder of this name may hold anything; nothing in a result is one.
    if inner := next((name for name in names if (place / name).is_dir() and not (place / name).is_symlink()), None):
        return f"in it {inner} is a folder"
    if force or not names:
        return ""
    if not is_result(place):
        return "its files are not those of a result"
    as_written = written(place)
    for name in names:
        file = place / name
        if file.is_symlink():
            return f"in it {name} is a link, which --force replaces"
        if not file.is_file():
            return f"in it {name} is a pipe or a device, which --force replaces"
        if name in others and not is_of(file, *WATCHED.values()):
            return f"in it {name} is no file of a run, which --force replaces"
        if name in as_written and not as_written[name].is_that_of(file):
            return f"{name} has been changed since, which --force replaces"
    return ""


class Written(NamedTuple):
    """The checksum and the size of a file, by which a later run sees that it is unchanged."""

    sha256: str
    size_bytes: int | None
    """None in folders of earlier versions, which noted checksums only."""

    @staticmethod
    def of(file: Path) -> Written:
        """How a file is now."""
        with file.open("rb") as stream:
            return Written(hashlib.file_digest(stream, "sha256").hexdigest(), os.fstat(stream.fileno()).st_size)

    def is_that_of(self, file: Path) -> bool:
        """Whether a file is still as it was. A file of another size is not read, however large it is."""
        if self.size_bytes is not None and file.stat().st_size != self.size_bytes:
            return False
        return Written.of(file).sha256 == self.sha256


def fio_text(result: RunData) -> str:
    """The result in the form of fio's JSON output."""
    from sansim.runs.fio import fio_json

    return json.dumps(fio_json(result), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def has_fio_json(result: RunData) -> bool:
    """Whether the folder of a result has fio's JSON output."""
    return "ios" not in result.rows or result.summary["ios"] <= MOST_IOS_FOR_FIO


def save_decisions(result: RunData, file: str | os.PathLike[str], *, force: bool = False) -> None:
    """Writes the decision log of a run as Parquet, whole or not at all.

    Raises:
        OtherKindError: There is a file of another kind, and `force` is not given.
        OSError: It cannot be written, or a folder has the name.
    """
    with whole_file(file, PARQUET, force=force) as place:
        write_parquet(result.decisions, place)


def save_fio_json(result: RunData, file: str | os.PathLike[str], *, force: bool = False) -> None:
    """Writes a result for fio's readers; see `Result.save_fio_json`."""
    with whole_file(file, FIO_JSON, force=force) as place:
        place.write(fio_text(result).encode())


def about_run(place: Path) -> dict[str, Any]:
    """The content of run.json; empty if the folder holds no result."""
    try:
        about = json.loads(read_bytes(place / "run.json"))
    except (OSError, ValueError, RecursionError):
        return {}
    return about if isinstance(about, dict) and about.get("written_by") == MARK else {}


def is_result(place: Path) -> bool:
    """Whether a folder was written by `save`."""
    return bool(about_run(place))


def too_new(place: Path) -> str:
    """Why this version cannot read a run folder, in words; nothing if it can."""
    found = about_run(place).get("format", 0)
    if not isinstance(found, int) or found <= _core.FORMAT:
        return ""
    return f"its format is {found}, and this version of sansim reads formats up to {_core.FORMAT}"


def changed(place: Path) -> str:
    """Changes in a run folder since its run wrote it, in words; empty if there are none.

    Raises:
        OSError: A file cannot be read.
    """
    for name, expected in written(place).items():
        file = place / name
        if not file.is_file():
            return f"{name} is missing, which the run wrote"
        if not expected.is_that_of(file):
            return f"{name} has been changed since the run wrote it"
    return ""


def written(place: Path) -> dict[str, Written]:
    """How the run left the files of its folder; nothing of folders of earlier versions, which noted no checksums."""
    about = about_run(place)
    digests, sizes = about.get("sha256"), about.get("bytes")
    if not isinstance(digests, dict):
        return {}
    known = sizes if isinstance(sizes, dict) else {}
    # The folder may have been edited: its names must not lead out of it.
    return {name: Written(sha256, known.get(name)) for name, sha256 in digests.items() if name in KNOWN}


def files_of(place: Path) -> list[str]:
    """Other files that the run has written into its folder: a trace, a capture."""
    files = about_run(place).get("files", [])
    return [name for name in files if isinstance(name, str)] if isinstance(files, list) else []


class RunFolder:
    """A run folder while its run goes on: complete at its name in one step at the end, or not there.

    To be used in a `with`.

    Raises:
        OutputError: There is something else at that place.
        OSError: It cannot be made.
    """

    def __init__(self, directory: str | os.PathLike[str], *, force: bool = False) -> None:
        self.named = Path(directory)
        self.force = force
        self.place = check_place(directory, force=force)
        self.place.parent.mkdir(parents=True, exist_ok=True)
        # A sibling is on the same file system, so that the rename at the end is one step.
        self.scratch = Path(tempfile.mkdtemp(dir=self.place.parent, prefix=f".{self.place.name}."))
        self.held = left_over.mark(self.scratch, self.place)
        self.new = self.scratch / left_over.NEW
        self.new.mkdir()
        self.new.chmod(0o777 & ~file_mask())
        self.rows = self.scratch / "rows"
        """Where the run leaves the rows of its tables while it goes on."""
        self.rows.mkdir()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.held.close()
        shutil.rmtree(self.scratch, ignore_errors=True)

    def place_of(self, file: Path) -> Path:
        """Where to write a file of the run: one that is to be in the folder waits with the others until the end.

        Raises:
            OutputError: The folder has a file of its own of that name.
        """
        if file.absolute().parent.resolve() != self.place:
            return file
        if file.name in KNOWN:
            raise OutputError(f"{file} is what the result itself is written to; choose another name")
        return self.new / file.name

    def complete(self, result: RunData, progress: Progress | None = None) -> None:
        """Writes the result and puts the folder in its place; an earlier result there is gone then.

        `progress` is called some times a second with the name of the file that is written, and the share of its rows.

        Raises:
            OutputError: There is something else at that place by now.
            OSError: It cannot be written.
        """
        write_files(result, self.new, self.named, progress)
        # A folder may have appeared there meanwhile.
        check_place(self.place, force=self.force)
        if not self.place.exists():
            self.new.rename(self.place)
            return
        old = self.scratch / left_over.OLD
        self.place.rename(old)
        try:
            self.new.rename(self.place)
        except OSError:
            old.rename(self.place)
            raise


def save(result: RunData, directory: str | os.PathLike[str], *, force: bool = False) -> None:
    """Writes a result; see `Result.save`."""
    with RunFolder(directory, force=force) as folder:
        folder.complete(result)


def write_files(result: RunData, folder: Path, named_as: Path, progress: Progress | None = None) -> None:
    """Writes the files of a result into a folder that may hold files of the run; errors call it `named_as`.

    `progress` is that of `RunFolder.complete`.

    Raises:
        OSError: A file cannot be written; it says which.
    """
    for name, rows in result.rows.items():
        if isinstance(rows, OSError):
            raise named(rows, named_as / f"{name}.parquet")
    others = sorted(entry.name for entry in folder.iterdir())
    texts = {
        "summary.json": json.dumps(result.summary, indent=2, ensure_ascii=False, allow_nan=False) + "\n",
        "scenario.toml": result.scenario,
        "report.txt": result.report(wall_time=False),
    }
    if has_fio_json(result):
        texts["fio.json"] = fio_text(result)
    for name, text in texts.items():
        write_bytes(folder / name, text.encode(), named_as)
    for name in ("ios", "tenancies", "paths", "samples"):
        file = f"{name}.parquet"
        try:
            write_table(result, name, folder / file, progress)
        except OSError as error:
            raise named(error, named_as / file) from None
    if not result.decisions.is_empty():
        try:
            write_parquet(result.decisions, folder / DECISIONS)
        except OSError as error:
            raise named(error, named_as / DECISIONS) from None
    # By these a later run recognises unchanged files.
    left = {name: Written.of(folder / name) for name in KNOWN if (folder / name).exists()}
    about = {
        "written_by": MARK,
        "format": _core.FORMAT,
        "seed": result.summary["seed"],
        "files": others,
        **result.run,
        "software": software(),
        "sha256": {name: file.sha256 for name, file in left.items()},
        "bytes": {name: file.size_bytes for name, file in left.items()},
    }
    write_bytes(folder / "run.json", (json.dumps(about, indent=2, ensure_ascii=False) + "\n").encode(), named_as)


def write_table(result: RunData, name: str, file: Path, progress: Progress | None) -> None:
    """Writes a table of a result; its rows may be more than memory holds, so Ctrl-C ends it between two pieces."""
    rows = result.rows.get(name)
    if not isinstance(rows, Path):
        write_parquet(result.lazy(name), file)
        return
    give_freed_memory_back()
    stopped = threading.Event()
    done = 0.0

    def at(share: float) -> None:
        nonlocal done
        done = share
        if stopped.is_set():
            raise InterruptedError

    def look() -> None:
        if progress is not None:
            progress(file.name, done)

    row_group = ROW_GROUP * (2 if len(_core.SpilledRows(rows)) > MANY_BATCHES else 1)
    interruptible(lambda: write_parquet(rows_in_pieces(rows, at), file, row_group), stopped.set, look)


def write_bytes(file: Path, content: bytes, named_as: Path) -> None:
    """Writes a file into a folder that errors call `named_as`."""
    try:
        file.write_bytes(content)
    except OSError as error:
        raise named(error, named_as / file.name) from None
