"""The keys of each kind of component, for forms, completion and hover: from the JSON Schema, which kinds declare."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from sansim import _core
from sansim.catalogue import kinds

COMMON = ("run", "fcp", "event")
"""Tables that are no components."""


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema of scenarios."""
    found: dict[str, Any] = json.loads(_core.schema_json())
    return found


def forms() -> dict[str, Any]:
    """The kinds with their keys, and the keys of the tables that are no components."""
    named = schema()["$defs"]
    listed = []
    for word, kind in kinds().items():
        described = named.get(word)
        if described is None:
            continue
        listed.append(
            {
                "kind": word,
                "shape": kind.shape,
                "colour": kind.colour,
                "drawn": kind.drawn,
                "title": kind.one,
                "summary": described.get("description", ""),
                "keys": keys_of(described),
            }
        )
    tables = {name: keys_of(named[name]) for name in COMMON if name in named}
    return {"kinds": listed, "tables": tables}


def keys_of(described: dict[str, Any], before: str = "", depth: int = 0) -> list[dict[str, Any]]:
    """The keys of a table and of the tables in it, by their paths."""
    found = []
    required = set(described.get("required", ()))
    for key, given in described.get("properties", {}).items():
        if key == "kind":
            continue
        field = with_choice(resolved(given))
        path = f"{before}{key}"
        if "properties" in field and depth < 3:
            found += keys_of(field, f"{path}.", depth + 1)
            continue
        found.append({"key": path, **described_key(field), "required": key in required and not before})
    return found


def with_choice(field: dict[str, Any]) -> dict[str, Any]:
    """A table whose other keys depend on a word, such as a RAID level, with the keys of all its forms."""
    forms = [resolved(one) for one in field.get("oneOf", ())]
    consts = [{key for key, one in form.get("properties", {}).items() if "const" in one} for form in forms]
    words = set.intersection(*consts) if consts else set()
    if len(words) != 1:
        return field
    word = words.pop()
    choices = [form["properties"][word]["const"] for form in forms]
    keys: dict[str, Any] = {word: {"type": "string", "enum": choices, "description": field.get("description", "")}}
    for key in dict.fromkeys(key for form in forms for key in form["properties"] if key != word):
        having = {
            form["properties"][word]["const"]: resolved(form["properties"][key])
            for form in forms
            if key in form["properties"]
        }
        defaults = [one.get("default") for one in having.values()]
        first = next(iter(having.values()))
        keys[key] = {**first, "description": f"With {word} {', '.join(having)}: {first.get('description', '')}"}
        if any(default != defaults[0] for default in defaults):
            keys[key].pop("default", None)
    return {**field, "properties": keys}


def resolved(given: dict[str, Any]) -> dict[str, Any]:
    """A key with what its reference says."""
    seen = 0
    while "$ref" in given and seen < 8:
        name = given["$ref"].removeprefix("#/$defs/")
        given = {**schema()["$defs"].get(name, {}), **{k: v for k, v in given.items() if k != "$ref"}}
        seen += 1
    return given


def described_key(field: dict[str, Any]) -> dict[str, Any]:
    """Type, choices, example, default, range and meaning of a key."""
    options = [field, *(resolved(one) for one in field.get("anyOf", ()))]
    types = [one["type"] for one in options if isinstance(one.get("type"), str)]
    choices = list(dict.fromkeys(choice for one in options for choice in one.get("enum", ())))
    examples = [example for one in options for example in one.get("examples", ())]
    pattern = next((one["pattern"] for one in options if "pattern" in one), None)
    units = unit_words(pattern)
    others = any("type" in one and "enum" not in one for one in options)
    kind = "words" if choices and not others else "array" if "array" in types else types[0] if types else "table"
    kind = {"boolean": "flag", "number": "float", "array": "list", "object": "table", "string": "text"}.get(kind, kind)
    return {
        "type": "quantity" if kind == "text" and units else kind,
        "units": units,
        "choices": choices or None,
        "example": examples[0] if examples else None,
        "default": field.get("default"),
        "minimum": next((one["minimum"] for one in options if "minimum" in one), None),
        "maximum": next((one["maximum"] for one in options if "maximum" in one), None),
        "source": field.get("x-source"),
        "meaning": field.get("description", ""),
    }


def unit_words(pattern: str | None) -> list[str] | None:
    """The units of a quantity, from the pattern of its text."""
    if pattern is None or "[0-9]" not in pattern:
        return None
    words = [part for part in pattern.split("(")[-1].split(")")[0].split("|") if part and part[0].isalpha()]
    # Those in ASCII: other letters for "micro" are the same unit.
    return [word for word in words if word.isascii()] or None
