"""The content of a resolved scenario, read from its text: the effective values, by their keys."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from sansim import _core


@functools.lru_cache(maxsize=64)
def read_again(scenario: str) -> _core.Scenario:
    """A resolved scenario, read from its text."""
    return _core.Scenario.parse(scenario, "<job>", [])


@functools.lru_cache(maxsize=64)
def settings_of(scenario: str) -> Mapping[str, object]:
    """The values that count in a resolved scenario, as tables. A key that follows another has its value too."""
    tables: dict[str, Any] = {}
    for setting in read_again(scenario).settings():
        *path, last = setting.key.split(".")
        node = tables
        for part in path:
            node = node.setdefault(part, {})
        node[last] = setting.value
    return tables


def setting_of(scenario: str, key: str) -> object | None:
    """A value of a resolved scenario; None if it has no such key."""
    node: object = settings_of(scenario)
    for part in key.split("."):
        node = node.get(part) if isinstance(node, Mapping) else None
    return node


def keys_of(scenario: str) -> list[str]:
    """The keys of a resolved scenario, for those who look for one."""

    def below(node: object, path: str) -> list[str]:
        if not isinstance(node, Mapping):
            return [path]
        return [key for name, inner in node.items() for key in below(inner, f"{path}.{name}" if path else name)]

    return below(settings_of(scenario), "")
