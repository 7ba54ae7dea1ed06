"""Published drives: which there are, where they come from, and what keys they say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sansim import _core
from sansim.toml_text import toml_text, toml_value

WIDEST = 72
"""A longer value is shown by the number of its items."""


def preset_of(word: str) -> _core.Preset:
    """The published drive that a word means.

    Raises:
        LookupError: There is none such; the text says which are near.
    """
    known = {preset.word: preset for preset in _core.presets()}
    if word in known:
        return known[word]
    near = _core.nearest(word, list(known))
    asked = "" if near is None else f", did you mean {near}?"
    raise LookupError(f"there is no drive `{word}`{asked}; `sansim drive list` tells all")


def settings_of(preset: _core.Preset) -> list[_core.Setting]:
    """The keys of a drive that follow a preset, at once or by way of others, in their order."""
    drive = {"kind": preset.kind, preset.key: preset.word}
    host = {"kind": "host", "attached": ["drive"]}
    workload = {"kind": "closed", "from": "host", "to": ["drive"], "size": "4 KiB"}
    text = toml_text({"host": host, "drive": drive, "workload": workload})
    settings = _core.Scenario.parse(text, preset.word, []).settings()
    begin = "drive."
    return [one for one in settings if one.key.startswith(begin) and one.follows is not None]


def key_of(setting: _core.Setting) -> str:
    """The key of a setting within the drive."""
    return setting.key.removeprefix("drive.")


def list_data(presets: Sequence[_core.Preset]) -> list[dict[str, str]]:
    """The data about each preset."""
    return [
        {"name": one.word, "kind": one.kind, "key": one.key, "meaning": one.meaning, "source": one.source}
        for one in presets
    ]


def list_text(presets: Sequence[_core.Preset]) -> str:
    """The drives by kind, a line each, with their sources."""
    width = max(len(one.word) for one in presets)
    lines: list[str] = []
    for kind in dict.fromkeys(one.kind for one in presets):
        of_kind = [one for one in presets if one.kind == kind]
        lines += [*([""] if lines else []), f'kind = "{kind}", {of_kind[0].key} one of']
        for one in of_kind:
            lines += [f"  {one.word:{width}}  {one.meaning.rstrip('.')}", f"  {'':{width}}  source: {one.source}"]
    lines += ["", "`sansim drive show NAME` tells the keys that a drive says."]
    return "\n".join(lines) + "\n"


def show_data(preset: _core.Preset) -> dict[str, Any]:
    """A drive as data: what it is, and every key that it says."""
    keys = {key_of(one): one.value for one in settings_of(preset)}
    return {**list_data([preset])[0], "keys": keys}


def show_text(preset: _core.Preset) -> str:
    """A drive for people."""
    settings = settings_of(preset)
    width = max(len(key_of(one)) for one in settings)
    return (
        "\n".join(
            [
                f"{preset.word}: {preset.meaning}",
                f"source: {preset.source}",
                f'in a scenario: kind = "{preset.kind}", {preset.key} = "{preset.word}"',
                "",
                "It says these keys; any of them may be written beside it:",
                *(f"  {key_of(one):{width}}  {value_text(one.value)}" for one in settings),
            ]
        )
        + "\n"
    )


def value_text(value: object) -> str:
    """A value as scenarios write it; of a long list how long it is and how it begins."""
    text = toml_value(value)
    if len(text) <= WIDEST or not isinstance(value, Sequence):
        return text
    return f"[{toml_value(value[0])}, ...], {len(value)} in all"
