"""The seal of the files of the store: a checksum, which ensures that a file read under a key was written for that key.

It is the SHA-256 of the file without the seal, the key included. So it does not fit if any byte was changed, cut off or
added, and the key does not if files exchanged their names or one was copied to another's. An equal content in other
spelling (other order, other spaces) is refused too: sansim never writes so, and to run a job again is simpler than to
define equality. Version and model need not be sealed: the key is made from them (`job.py`).

It guards against accidents, and against figures that are mended by hand. It is no signature: anyone with this code can
seal any content. A user who does not trust a folder of results deletes it and runs again, which gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

RESULT = ("key", "summary", "traces", "version")
"""The fields of a job's result, as they stand in its file."""
FAILURE = ("key", "message")
"""The fields of a note why a job could not be run."""


def canonical(content: object) -> bytes:
    """JSON of which there is only one: sorted keys, no spaces, shortest numbers, a line break at the end."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def sealed(content: dict[str, object]) -> bytes:
    """The file of a content: canonical JSON, the checksum first."""
    rest = canonical(content)
    return seal_of(rest) + rest[1:]


def opened(file: bytes, key: str, fields: tuple[str, ...]) -> dict[str, Any] | None:
    """The content of a file, without its checksum; None if it was not written so for this key with these fields."""
    rest = b"{" + file[SEAL_BYTES:]
    if file[:SEAL_BYTES] != seal_of(rest):
        return None
    try:
        content = json.loads(rest)
    except (ValueError, RecursionError):
        # Sealed by something else than us.
        return None
    return content if tuple(content) == fields and content["key"] == key else None


def seal_of(rest: bytes) -> bytes:
    """The begin of a file, in place of the brace with which the JSON of all other fields begins."""
    return b'{"checksum":"%s",' % hashlib.sha256(rest).hexdigest().encode()


SEAL_BYTES = len(seal_of(b""))
