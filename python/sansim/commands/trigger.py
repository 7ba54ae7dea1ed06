"""The trigger of an analyzer trace, as `--trace-trigger` writes it: kind=opn,address=drives[3],count=2."""

from __future__ import annotations

from typing import NoReturn

import click

from sansim.runs.recorders import Trigger

KINDS = ("fill", "idle", "arb", "signal", "opn", "cls", "r-rdy", "frame", "command", "xfer-rdy", "data", "response")
"""The words for kinds of lines."""

TRIGGER_PARTS = ("kind", "address", "io", "count", "before", "after")
"""The parts of a trigger's condition; the first three may be repeated."""


def trigger_of(text: str) -> Trigger:
    """The trigger of a condition, as `kind=opn,address=drives[3],count=2`."""

    def refuse(why: str) -> NoReturn:
        raise click.UsageError(f"--trace-trigger {text}: {why}; a condition is like kind=opn,address=drives[3],count=2")

    found: dict[str, list[str]] = {}
    for part in text.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not value:
            refuse(f"`{part.strip()}` is no NAME=VALUE")
        if name not in TRIGGER_PARTS:
            refuse(f"there is no `{name}`, but {', '.join(TRIGGER_PARTS)}")
        if name in found and name in TRIGGER_PARTS[3:]:
            refuse(f"`{name}` is there twice")
        found.setdefault(name, []).append(value)
    numbers: dict[str, list[int]] = {}
    for name in ("io", "count", "before", "after"):
        for value in found.get(name, []):
            if not value.isdecimal():
                refuse(f"`{name}` is a whole number, not `{value}`")
            numbers.setdefault(name, []).append(int(value))
    for kind in found.get("kind", []):
        if kind not in KINDS:
            refuse(f"there is no kind `{kind}`, but {', '.join(KINDS)}")
    single = {name: numbers[name][0] for name in ("count", "before", "after") if name in numbers}
    try:
        return Trigger(
            kinds=found.get("kind", []), addresses=found.get("address", []), ios=numbers.get("io", []), **single
        )
    except ValueError as error:
        raise click.UsageError(f"--trace-trigger {text}: {error}") from None
