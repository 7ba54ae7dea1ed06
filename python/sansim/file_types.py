"""The kind of a file, recognised by how it begins: no file of another kind than the written one is replaced.

The name is no proof: in `--capture notes.txt` it may be a slip, and the lost file would be a user's work. So every
writer declares its kind, and `check_place` looks at the existing file. An empty file may be replaced by any writer;
pipes and devices are written to and not replaced, so they may be named.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sansim._core import HEAD_BYTES, is_kind


class OtherKindError(FileExistsError):
    """At the place of a file to be written is one of another kind, which stays as it is."""


@dataclass(frozen=True)
class Kind:
    """A kind of file that sansim writes."""

    name: str
    """Its noun, as in "is not `a trace`"."""
    is_begin: Callable[[bytes], bool]
    """Whether a file that begins so, with HEAD_BYTES if it has so many, is of this kind."""


def native(word: str) -> Callable[[bytes], bool]:
    """Asks the native part, which writes these files, for the kind of a file."""
    return lambda head: is_kind(word, head)


def starts(*begins: bytes) -> Callable[[bytes], bool]:
    """Whether a file starts with one of these bytes."""
    return lambda head: head.startswith(begins)


def holds(start: bytes, mark: bytes) -> Callable[[bytes], bool]:
    """Whether a file starts with some bytes and has others not far behind."""
    return lambda head: head.startswith(start) and mark in head


PICTURE_MARK = "sansim"
PNG_ABOUT: dict[str, str] = {"Software": PICTURE_MARK}
SVG_ABOUT: dict[str, str | None] = {"Creator": PICTURE_MARK, "Date": None, "Format": None, "Type": None}
"""The metadata of pictures: the program that made them, but neither time nor version.

So the same picture has the same bytes.
"""
SVG_COMMENT = "<!-- sansim -->"
SVG_MARK = re.compile(rb"<dc:title>\s*sansim\s*</dc:title>|<!-- sansim -->")
"""The first is what matplotlib makes of a creator."""
PAGE_MARK = '<meta name="generator" content="sansim'
MARKDOWN_MARK = "<!-- written by sansim -->"
"""First line of Markdown files that have no other mark."""
VERDICTS = b"target,study,source,kind,metric,"

TRACE = Kind("a trace of sansim", native("trace"))
CAPTURE = Kind("a capture of sansim", native("capture"))
TIMELINE = Kind("a timeline of sansim", native("timeline"))
PLAYBACK = Kind("a playback of sansim", native("playback"))
# A result of fio itself is not ours: measuring again may take days.
FIO_JSON = Kind("a result of sansim in fio's form", holds(b'{\n  "fio version": "fio-', b"-sansim-"))
PAGE = Kind("a report page of sansim", holds(b"<!DOCTYPE html>", PAGE_MARK.encode()))
PNG = Kind("a picture of sansim", holds(b"\x89PNG\r\n\x1a\n", f"Software\0{PICTURE_MARK}".encode()))
SVG = Kind("a picture of sansim", lambda head: b"<svg" in head and SVG_MARK.search(head) is not None)
# These have no place for a mark near their begin.
PDF = Kind("a picture of sansim", starts(b"%PDF"))
ARCHIVE = Kind("an archive of sansim", holds(b"\x1f\x8b", b"sansim-archive\0"))
PARQUET = Kind("a Parquet file", starts(b"PAR1"))
NETCDF = Kind("a NetCDF file", starts(b"CDF", b"\x89HDF"))
SCHEMA = Kind("a schema of scenarios", holds(b"{", b'"title": "sansim scenario"'))
STUDY_CSV = Kind("a table of a study", starts(b"point,"))
VERDICT_CSV = Kind("a table of verdicts", starts(VERDICTS))
MARKDOWN = Kind("a table of a study", starts(MARKDOWN_MARK.encode()))
LEDGER = Kind("a page of `sansim validate`", holds(b"# Validation\n\nThis page is generated: `sansim validate", b""))
# Traces of block I/O have no mark of ours, and a scenario may have been worked on since: whatever is there is kept.
CONVERTED = Kind("empty, and nothing tells whose trace it is,", lambda _: False)
FITTED = Kind("empty, and somebody may have worked on it,", lambda _: False)
SCENARIO = Kind("a scenario that was opened", lambda _: False)
WATCHED = {"trace": TRACE, "capture": CAPTURE, "timeline": TIMELINE, "playback": PLAYBACK}
"""Files that are written while a run goes on, by the word of their option."""


def is_stream(file: Path) -> bool:
    """Whether the name is that of an open stream, which may lead to a file that is not to be replaced."""
    return file in (Path("/dev/stdout"), Path("/dev/stderr")) or file.parent in (Path("/dev/fd"), Path("/proc/self/fd"))


def check_place(file: str | os.PathLike[str], kind: Kind, *, force: bool = False, linked: bool = True) -> None:
    """Refuses a place at which there is a file of another kind.

    Args:
        file: The place.
        kind: What is to be written there.
        force: Whether the file may be of any kind.
        linked: Whether a link, a pipe or a device at the place was named by the user, and so is meant. In a folder that
            sansim made there are none of ours, so one that is there is of another kind, and is never followed.

    Raises:
        OtherKindError: There is such a file.
        IsADirectoryError: A folder has the name.
        OSError: The place cannot be looked at.
    """
    place = Path(file)
    if linked and is_stream(place):
        return
    if not linked and place.is_symlink():
        if not force:
            raise OtherKindError(f"{file} is a link, which is not followed here; remove it, or use --force")
        return
    if place.is_dir():
        raise IsADirectoryError(f"{file} is a folder, where a file is to be written")
    if force or not place.exists():
        return
    if not place.is_file():
        if not linked:
            raise OtherKindError(f"{file} is not {kind.name} but a pipe or a device; remove it, or use --force")
        return
    if not is_of(place, kind):
        raise OtherKindError(f"{file} is not {kind.name} and stays as it is; name another file, or use --force")


def is_of(file: Path, *kinds: Kind) -> bool:
    """Whether a regular file is of one of these kinds. One that is empty is, one that cannot be read is not."""
    try:
        with file.open("rb") as stream:
            head = stream.read(HEAD_BYTES)
    except OSError:
        return False
    return not head or any(kind.is_begin(head) for kind in kinds)
