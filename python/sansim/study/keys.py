"""The keys of study files and their words. They are declared in `crates/study` and nowhere else."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from typing import TypeAlias

from sansim import _core

Keys: TypeAlias = Mapping[str, _core.StudyKey]
"""The keys of a table by name, in the order of the reference."""


@functools.cache
def tables() -> Mapping[str, Keys]:
    """The tables of a study file by their paths, as `axes.NAME.cases`; that of the file itself is empty."""
    return {path: {key.name: key for key in keys} for path, keys in _core.study_tables().items()}


def words(path: str, key: str) -> tuple[str, ...]:
    """The words that may stand at a key of a table."""
    return tuple(tables()[path][key].words)


def default(key: _core.StudyKey) -> object:
    """The default of a key; None where that depends."""
    return None if key.default is None else tomllib.loads(f"value = {key.default}")["value"]


@functools.cache
def above_tables() -> tuple[str, ...]:
    """The keys of a study that are no tables, so that they stand above the first one."""
    return tuple(key.name for key in tables()[""].values() if not key.is_table)
