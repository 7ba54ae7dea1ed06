"""The reference page of decisions: generated from their declarations."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from sansim import _core

HEAD = """# Decisions and their rules

This page is generated: `sansim policies --reference > docs/policy-reference.md` rewrites it.
[Rules of your own](policies.md) explains how to write one.
"""


def decisions() -> list[dict[str, Any]]:
    """All decisions, with their rules, features and keys."""
    found: list[dict[str, Any]] = json.loads(_core.decisions_json())
    return found


def page(found: list[dict[str, Any]]) -> str:
    """The page, in Markdown."""
    return "\n".join([HEAD, *(line for decision in found for line in section(decision))]).rstrip() + "\n"


def section(decision: dict[str, Any]) -> Iterator[str]:
    """The section of a decision."""
    yield f"## `{decision['name']}`"
    yield ""
    yield decision["question"]
    yield ""
    keys = [f"`{key['key']}` of `{key['kind']}`" for key in decision["keys"]]
    yield f"Named by {', '.join(keys)}."
    yield ""
    yield "| rule | meaning | keys | source |"
    yield "|---|---|---|---|"
    for rule in decision["rules"]:
        names = ", ".join(f"`{parameter['name']}`" for parameter in rule["parameters"])
        yield f"| `{rule['name']}` | {cell(rule['meaning'])} | {names} | {cell(rule['source'])} |"
    yield ""
    if not decision["takes_own_rules"]:
        return
    yield "A rule of your own sees:"
    yield ""
    yield "| feature | of | unit | meaning |"
    yield "|---|---|---|---|"
    for of, features in decision["features"].items():
        for feature in features:
            yield f"| `{feature['name']}` | {of} | {feature['unit']} | {cell(feature['meaning'])} |"
    yield ""
    if window := decision["window"]:
        yield window_text(window)
        yield ""
    if decision["named"]:
        yield f"A class may also answer with the {decision['named']} that it has in mind: `{named_answer(decision)}`."
        yield ""
    if decision["outcome"]:
        yield f"`outcome` in the decision log: {decision['outcome']}."
        yield ""
    if decision["events"]:
        yield "A class may follow these events, with a method for each:"
        yield ""
        yield "| method | event |"
        yield "|---|---|"
        for event in decision["events"]:
            yield f"| `{method(event)}` | {cell(event['meaning'])} |"
        yield ""


def window_text(window: dict[str, Any]) -> str:
    """The part of many candidates that a rule sees, in a sentence."""
    most = "all" if window["default"] is None else f"{window['default']}"
    return (
        f'`candidates` beside the rule is the most candidates that it sees, or `"all"`; the first are'
        f" {window['order']}. The default is {most} ({window['source']})."
    )


def named_answer(decision: dict[str, Any]) -> str:
    """The answer of a class that names something."""
    return f"{decision['named'].capitalize()}(number)"


def method(event: dict[str, Any]) -> str:
    """The method of a class for an event."""
    return f"{event['name']}({', '.join(['self', *event['arguments']])})"


def cell(text: str) -> str:
    """A text in a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")
