"""Writing a file whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast


@contextlib.contextmanager
def whole_file(file: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Opens a file for writing that takes its name only when all has been written.

    Until then an earlier file is as it was; an exception leaves nothing behind. A pipe, a device or a stream that the
    process has open already, as /dev/stdout, is written to directly.

    Raises:
        OSError: It cannot be written, or a folder has the name.
    """
    # A link stays; what it points to is replaced.
    place = Path(file).absolute().resolve()
    if place.is_dir():
        raise IsADirectoryError(f"{file} is a folder; name a file")
    if is_stream(Path(file)) or (place.exists() and not place.is_file()):
        # By its own name, as that of a pipe leads nowhere; and at its end, where a shell's >> wants it.
        with Path(file).open("ab") as special:
            yield special
        return
    mode = place.stat().st_mode & 0o777 if place.exists() else 0o666 & ~file_mask()
    with tempfile.NamedTemporaryFile(dir=place.parent, prefix=f".{place.name}.", delete=False) as new:
        scratch = Path(new.name)
        try:
            yield cast(BinaryIO, new)
            new.close()
            scratch.chmod(mode)
            scratch.replace(place)
        except BaseException:
            scratch.unlink(missing_ok=True)
            raise


def is_stream(file: Path) -> bool:
    """Whether the name is that of an open stream, which may lead to a file that is not to be replaced."""
    return file in (Path("/dev/stdout"), Path("/dev/stderr")) or file.parent in (Path("/dev/fd"), Path("/proc/self/fd"))


def file_mask() -> int:
    """The process's file mode mask."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
