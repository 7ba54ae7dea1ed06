"""Python values as TOML, which is what scenarios and overrides are."""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any


def toml_text(tables: Mapping[str, Any]) -> str:
    """A dictionary of tables as TOML, a line for each key with its whole path, so that an excerpt of it says where."""
    return "".join(f"{'.'.join(map(toml_key, path))} = {text}\n" for path, text in toml_lines(tables, ()))


def toml_lines(table: Mapping[Any, Any], path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Path and TOML value of each key of a table and of the tables in it."""
    for key, value in table.items():
        if not isinstance(key, str):
            place = ".".join(path) or "the scenario"
            raise TypeError(f"{place}: the name of a key has to be a text, not a {type(key).__name__}: {key!r}")
        inner = (*path, key)
        if isinstance(value, Mapping) and value:
            yield from toml_lines(value, inner)
        else:
            yield inner, toml_at(".".join(inner), value)


def toml_key(key: str) -> str:
    """A key as TOML writes it."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else toml_value(key)


def toml_at(key: str, value: object) -> str:
    """The value of a key as TOML; an error names the key."""
    try:
        return toml_value(value)
    except TypeError as error:
        raise TypeError(f"{key}: {error}") from None


def toml_value(value: object) -> str:
    """A Python value as a TOML value.

    Raises:
        TypeError: TOML has nothing like it.
    """
    match value:
        case str():
            # JSON's escapes are TOML's too; only DEL has to be escaped in TOML and not in JSON.
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case bool():
            return "true" if value else "false"
        case float():
            # Not repr(value): numpy's floats are floats and say so.
            return repr(float(value))
        case Mapping():
            return "{" + ", ".join(f"{toml_value(str(k))} = {toml_value(v)}" for k, v in value.items()) + "}"
        case Sequence():
            return "[" + ", ".join(map(toml_value, value)) + "]"
    try:
        # Also the integers of numpy and polars.
        return str(operator.index(value))  # type: ignore[arg-type]
    except TypeError:
        kind = type(value).__name__
        raise TypeError(
            f"a scenario cannot hold a value of the type {kind}: {value!r}; it holds texts, numbers, truth values,"
            " lists and dictionaries"
        ) from None
