"""Reading files that may be anything, and writing files whole or not at all."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import re
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from sansim import _core
from sansim.file_types import Kind, check_place, is_stream

if TYPE_CHECKING:
    import polars as pl

LARGEST_BYTES = 64 << 20
"""Most that is read of a file into memory. Summaries and results of jobs have some hundred kilobytes at most."""


def read_bytes(file: str | os.PathLike[str], largest: int = LARGEST_BYTES) -> bytes:
    """The content of a regular file that is not too large; of any other nothing is read.

    Raises:
        OSError: It cannot be read, is no regular file, or is larger; `strerror` says which.
    """
    # Without blocking: a named pipe may have no writer.
    descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with open(descriptor, "rb") as stream:  # noqa: PTH123  (a descriptor)
        found = os.fstat(stream.fileno())
        if stat.S_ISDIR(found.st_mode):
            raise IsADirectoryError(errno.EISDIR, "it is a folder", os.fspath(file))
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is a pipe or a device, not a file", os.fspath(file))
        content = b"" if found.st_size > largest else stream.read(largest + 1)
        if found.st_size > largest or len(content) > largest:
            raise OSError(errno.EFBIG, f"it has more than {largest >> 20} MiB", os.fspath(file))
        return content


def cause(error: OSError) -> str:
    """The text of an error of the system, without its number."""
    return error.strerror or str(error)


def cause_of_writing(error: OSError, place: str | os.PathLike[str]) -> str:
    """Why nothing can be written to a place; the system's words may be about a part of its path, unnamed."""
    if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.EEXIST):
        return cause(error)
    above = Path(place).absolute().parent
    while not above.exists() and above != above.parent:
        above = above.parent
    if not above.is_dir():
        return f"{above} is a file, not a folder"
    if error.errno != errno.ENOENT:
        return cause(error)
    try:
        Path(tempfile.mkdtemp(dir=above)).rmdir()
    except OSError:
        return f"{above} takes no new files or folders"
    return "there is no such folder"


def in_words(error: OSError) -> str:
    """The text of an error of the system with the file, without its number."""
    where = f"{error.filename}: " if error.filename is not None and error.strerror else ""
    return f"{where}{cause(error)}"


def named(error: OSError, file: str | os.PathLike[str]) -> OSError:
    """The same error about a file: writing fails without saying where, or names a scratch file."""
    if error.errno is None:
        return error
    return OSError(error.errno, error.strerror, os.fspath(file))


@contextlib.contextmanager
def whole_file(
    file: str | os.PathLike[str], kind: Kind, *, force: bool = False, linked: bool = True
) -> Iterator[BinaryIO]:
    """Opens a file for writing that takes its name only when all has been written.

    Until then an earlier file is as it was; an exception leaves nothing behind. A pipe, a device or a stream that the
    process has open already, as /dev/stdout, is written to directly.

    Args:
        file: The name.
        kind: What is written. A file of another kind that has the name is not replaced.
        force: Replaces a file of any kind.
        linked: Whether a link at the name stays and what it points to is replaced, as a user means it who names the
            file. Otherwise, in a folder of our own, a link is never followed: see `sansim.file_types.check_place`.

    Raises:
        OtherKindError: A file of another kind has the name.
        OSError: It cannot be written, or a folder has the name.
    """
    place = Path(file).absolute()
    place = place.resolve() if linked else place.parent.resolve() / place.name
    check_place(file, kind, force=force, linked=linked)
    if linked and (is_stream(Path(file)) or (place.exists() and not place.is_file())):
        # By its own name, as that of a pipe leads nowhere; and at its end, where a shell's >> wants it.
        with Path(file).open("ab") as special:
            yield special
        return
    replaced = place.is_file() and not (place.is_symlink() and not linked)
    mode = place.stat().st_mode & 0o777 if replaced else 0o666 & ~file_mask()
    scratch = None
    try:
        with tempfile.NamedTemporaryFile(dir=place.parent, prefix=f".{place.name}.", delete=False) as new:
            scratch = Path(new.name)
            yield cast(BinaryIO, new)
            new.close()
        # A file may have appeared there meanwhile.
        check_place(file, kind, force=force, linked=linked)
        scratch.chmod(mode)
        scratch.replace(place)
    except BaseException as error:
        if scratch is not None:
            scratch.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise named(error, file) from None
        raise


ROW_GROUP = 1 << 16
"""Rows that a table has in a piece: so many are in memory while it is written, and are read at least."""


METADATA = {"sansim.format": str(_core.FORMAT)}
"""The format of a table, in the metadata of its file."""


MANY_BATCHES = 160
"""Batches from which on a table has row groups of twice the size: what Parquet notes of each group stays in memory
until the end, 222 MB for 10^8 rows with groups of the usual size and 136 MB with these (measured)."""


def write_parquet(table: pl.DataFrame | pl.LazyFrame, file: BinaryIO | Path, row_group: int = ROW_GROUP) -> None:
    """Writes a table as Parquet; one that is read from a file goes from there a piece at a time.

    Raises:
        OSError: It cannot be written, as when the disk is full, of which polars makes an error of its own.
    """
    import polars as pl

    try:
        table.lazy().sink_parquet(file, row_group_size=row_group, engine="streaming", metadata=METADATA)
    except pl.exceptions.PolarsError as error:
        name = os.fspath(file) if isinstance(file, Path) else None
        found = re.search(r"\(os error (\d+)\)", str(error))
        number = int(found[1]) if found else errno.EIO
        raise OSError(number, os.strerror(number) if found else str(error), name) from None


M_MMAP_THRESHOLD = -3
"""The parameter of glibc's `mallopt` (man 3 mallopt): pieces of memory of this size go back when they are freed."""
LARGE_PIECE = 1 << 20


def give_freed_memory_back() -> None:
    """Makes glibc give large pieces of memory back as soon as they are freed.

    Otherwise it keeps more and more of them while the columns of a long table come and go: 440 MB in place of 190 for
    3 * 10^7 rows (measured). Other systems have allocators of their own and no such function.
    """
    if sys.platform == "linux":
        with contextlib.suppress(AttributeError, OSError):
            ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE_PIECE)


def rows_in_pieces(file: Path, progress: Callable[[float], object] | None = None) -> pl.LazyFrame:
    """The table in a file that a run left, of which no more than some batches are in memory at a time.

    `polars.scan_ipc` maps the whole file into memory.

    Args:
        file: The file.
        progress: Called before each batch with the share of them that was read; an exception of it ends the reading.

    Raises:
        OSError: It cannot be read.
    """
    import polars as pl
    from polars.io.plugins import register_io_source

    rows = _core.SpilledRows(file)

    def batches(
        columns: list[str] | None, predicate: pl.Expr | None, most: int | None, _size: int | None
    ) -> Iterator[pl.DataFrame]:
        left = sys.maxsize if most is None else most
        for number in range(len(rows)):
            if progress is not None:
                progress(number / len(rows))
            batch = pl.DataFrame(rows.batch(number)).head(left)
            left -= batch.height
            batch = batch if columns is None else batch.select(columns)
            yield batch if predicate is None else batch.filter(predicate)
            if left == 0:
                return

    return register_io_source(batches, schema=pl.DataFrame(rows.batch(len(rows))).schema)


def pieces_of(file: Path) -> Iterator[pl.DataFrame]:
    """The rows of such a file in batches, the last of which is empty, and the memory of each is free after it.

    Raises:
        OSError: It cannot be read.
    """
    import polars as pl

    give_freed_memory_back()
    rows = _core.SpilledRows(file)
    for number in range(len(rows) + 1):
        yield pl.DataFrame(rows.batch(number))


def file_mask() -> int:
    """The process's file mode mask."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
