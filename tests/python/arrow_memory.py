"""Where the columns of an Arrow table lie in memory, read from the Arrow C stream interface itself.

Layout of the structures: the Arrow C data interface and C stream interface specifications.
"""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int64, c_void_p
from typing import Any


class ArrowArray(ctypes.Structure):
    """A column, or a batch of columns as its children."""


ArrowArray._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(ArrowArray))),
    ("dictionary", c_void_p),
    ("release", CFUNCTYPE(None, POINTER(ArrowArray))),
    ("private_data", c_void_p),
]


class ArrowStream(ctypes.Structure):
    """A source of batches."""


ArrowStream._fields_ = [
    ("get_schema", c_void_p),
    ("get_next", CFUNCTYPE(c_int, POINTER(ArrowStream), POINTER(ArrowArray))),
    ("get_last_error", CFUNCTYPE(c_char_p, POINTER(ArrowStream))),
    ("release", c_void_p),
    ("private_data", c_void_p),
]


def column_addresses(table: Any) -> list[int]:
    """Address of the values of each column of a table that comes in one batch."""
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = c_void_p, [ctypes.py_object, c_char_p]
    capsule = table.__arrow_c_stream__()
    stream = ArrowStream.from_address(pointer_of(capsule, b"arrow_array_stream"))
    batches = []
    while True:
        batch = ArrowArray()
        assert stream.get_next(stream, batch) == 0
        if not batch.release:
            break
        columns = [batch.children[i].contents for i in range(batch.n_children)]
        batches.append([column.buffers[1] or 0 for column in columns])
        assert all(column.offset == 0 for column in columns)
        batch.release(batch)
    (addresses,) = batches
    return addresses
