"""A reader of playback files for tests, written from docs/playback.md alone."""

from __future__ import annotations

import json
import struct
import sys
import zlib
from array import array
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NONE = 2**32 - 1
NONE_SHORT = 2**16 - 1
CODES = {"u1": "B", "u2": "H", "u4": "I"}


@dataclass(frozen=True)
class Playback:
    """A file: its header, its index, and the rows of all chunks."""

    header: dict[str, Any]
    index: dict[str, Any]
    tables: dict[str, list[dict[str, int]]]

    def lane(self, what: str, station: str, name: str | None = None) -> int | None:
        """The number of a lane."""
        for number, lane in enumerate(self.index["lanes"]):
            at = self.header["stations"][lane["station"]]["name"]
            if lane["what"] == what and at == station and name in (None, lane["name"]):
                return number
        return None


def read(file: Path) -> Playback:
    """Reads a file; times are whole ns from the beginning of the run."""
    data = file.read_bytes()
    assert data[:4] == data[-4:] == b"SANP"
    form, length = struct.unpack("<II", data[4:12])
    assert form == 1
    header = json.loads(data[12 : 12 + length])
    (end,) = struct.unpack("<I", data[-8:-4])
    index = json.loads(data[-8 - end : -8])
    tables: dict[str, list[dict[str, int]]] = {name: [] for name in header["tables"]}
    for chunk in index["chunks"]:
        packed = data[chunk["offset"] : chunk["offset"] + chunk["length"]]
        columns = zlib.decompress(packed)
        at = 0
        for table, names in header["tables"].items():
            rows = chunk["rows"][table]
            values: list[list[int]] = []
            for _, kind in names:
                size = rows * int(kind[1])
                column = array(CODES[kind], columns[at : at + size])
                if sys.byteorder == "big":
                    column.byteswap()
                values.append(column.tolist())
                at += -(-size // 4) * 4
            values[0] = [value + chunk["base_ns"] for value in values[0]]
            tables[table] += [
                dict(zip([name for name, _ in names], row, strict=True)) for row in zip(*values, strict=True)
            ]
        assert at == len(columns)
    return Playback(header, index, tables)
