"""The positions of a scenario's picture, in a file beside the scenario.

`NAME.layout.json` belongs to `NAME.toml` and is named by the id of that, so no path comes from the page. A link at its
name is not followed, and a file that is no file of positions stays as it is.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sansim.file_types import Kind, OtherKindError
from sansim.files import in_words, read_bytes, whole_file
from sansim.studio.errors import StudioError
from sansim.studio.folder import FILE, Folder, digest_of

ENDING = ".layout.json"
MARK = "layout"
FORMAT = 1
LARGEST = 1_000_000
"""The length of the longest file in bytes."""
MOST = 10_000
"""The most positions."""
LONGEST_NAME = 300
FARTHEST = 1e6
"""The largest coordinate of a position."""
EXAMPLE_HAS_NONE = "An example has no file for positions; they last as long as this page."

Positions = dict[str, list[float]]


def is_begin(head: bytes) -> bool:
    """Whether a file begins as one of positions."""
    return b"".join(head.split()).startswith(b'{"sansim":"layout"')


LAYOUT = Kind("a file of positions", is_begin)


def place(folder: Folder, id_: str) -> Path:
    """The file of positions of a scenario of the folder; raises StudioError if there is no such scenario."""
    file = folder.file(id_)
    return file.with_name(file.name.removesuffix(".toml") + ENDING)


def read(folder: Folder, id_: str) -> dict[str, Any]:
    """The positions of a scenario, the identity of their file, and why they are not kept in one."""
    if not id_.startswith(FILE):
        folder.read(id_)
        return answer({}, None, EXAMPLE_HAS_NONE)
    file = place(folder, id_)
    try:
        text = content(file)
        return answer({} if text is None else parsed(text), None if text is None else digest_of(text), None)
    except ValueError as error:
        return answer({}, None, f"{file.name} {error}, so positions last as long as this page.")


def write(folder: Folder, id_: str, positions: object, digest: str | None) -> str | None:
    """Stores the positions of a scenario if their file is as it was when it was read; returns its new identity.

    Without a position there is no file, and no identity.
    """
    if not id_.startswith(FILE):
        raise StudioError("example", EXAMPLE_HAS_NONE, status=403)
    given = checked(positions)
    file = place(folder, id_)
    try:
        before = content(file)
        if before is not None:
            parsed(before)
    except ValueError as error:
        raise StudioError("other-kind", f"{file.name} {error}", "rename that file", status=409) from None
    if (None if before is None else digest_of(before)) != digest:
        raise StudioError("changed", "the positions were changed since they were read", "read them again", status=409)
    text = written(given)
    if len(text.encode()) > LARGEST:
        raise StudioError("too-long", f"a file of positions has at most {LARGEST:,} bytes")
    try:
        if not given:
            file.unlink(missing_ok=True)
            return None
        with whole_file(file, LAYOUT, linked=False) as out:
            out.write(text.encode())
    except OtherKindError as error:
        raise StudioError("other-kind", str(error), status=409) from None
    except OSError as error:
        raise StudioError("unwritten", f"{file.name} was not written: {error.strerror or error}") from None
    return digest_of(text)


def answer(positions: Positions, digest: str | None, unkept: str | None) -> dict[str, Any]:
    """As the page gets it."""
    return {"positions": positions, "digest": digest, "unkept": unkept}


def content(file: Path) -> str | None:
    """The text of a file; None if there is none. Raises ValueError if what is there is no plain text file."""
    if file.is_symlink():
        raise ValueError("is a link, which is not followed")
    try:
        return read_bytes(file, LARGEST).decode()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ValueError(f"cannot be read: {in_words(error)}") from None
    except UnicodeDecodeError:
        raise ValueError("is no file of positions") from None


def parsed(text: str) -> Positions:
    """The positions of a file; raises ValueError if it is another file."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("is no JSON") from None
    if not isinstance(found, dict) or found.get("sansim") != MARK or found.get("format") != FORMAT:
        raise ValueError("is no file of positions")
    try:
        return checked(found.get("positions"))
    except StudioError as error:
        raise ValueError(f"is damaged: {error.message}") from None


def checked(positions: object) -> Positions:
    """Positions by name, each two finite numbers; raises StudioError for anything else."""
    if not isinstance(positions, dict) or len(positions) > MOST:
        raise StudioError("bad-positions", f"`positions` has to be an object of at most {MOST:,} names")
    for name, point in positions.items():
        if not 1 <= len(name) <= LONGEST_NAME:
            raise StudioError("bad-positions", f"a name has 1 to {LONGEST_NAME} characters")
        if not isinstance(point, list) or len(point) != 2 or not all(is_coordinate(one) for one in point):
            raise StudioError("bad-positions", f"the position of {name!r} has to be two numbers")
    return positions


def is_coordinate(value: object) -> bool:
    """Whether a value is a number within what can be drawn."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= FARTHEST


def written(positions: Positions) -> str:
    """The text of a file: a line for each position, so that changes can be seen in a diff."""
    lines = ",\n".join(f"    {json.dumps(name)}: {json.dumps(positions[name])}" for name in sorted(positions))
    return f'{{\n  "sansim": "{MARK}",\n  "format": {FORMAT},\n  "positions": {{\n{lines}\n  }}\n}}\n'
