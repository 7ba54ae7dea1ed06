"""Suggestions for unknown words: the nearest known word, or the words there are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sansim import _core

TOLD = 12
"""Most known words that are shown."""


def suggestion(word: str, known: Iterable[str]) -> str:
    """The nearest known word as a question, or all of them."""
    words = list(dict.fromkeys(known))
    near = _core.nearest(word, words)
    if near is not None:
        return f"did you mean `{near}`?"
    return f"known here: {listed(words)}" if words else "there is none"


def listed(words: Sequence[str]) -> str:
    """Words in a list; of many only the first ones."""
    told = ", ".join(f"`{word}`" for word in words[:TOLD])
    return f"{told} and {len(words) - TOLD} more" if len(words) > TOLD else told
