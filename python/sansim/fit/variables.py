"""The fitted parameters of a model: its keys, their ranges, and their order of importance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from sansim.fit.quantities import DIGITS, rate_text, significant, time_text

Values: TypeAlias = Mapping[str, float]
"""Values of variables by name: times in ns, rates in bytes per second, numbers."""
Rows: TypeAlias = Sequence[Any]
"""Measurements of any kind."""


@dataclass(frozen=True)
class Variable:
    """Something that is fitted."""

    name: str
    """The key; `Model.keys` gives different texts of it in the table."""
    measure: Literal["time", "rate", "count", "scale"]
    """A scale says how many times what the kind has without it."""
    low: float
    high: float
    start: float
    needs: Callable[[Rows], bool] = lambda _: True
    """Whether rows can say anything of it; if not, it stays as it starts, or as the kind has it."""
    choices: tuple[int, ...] = ()
    """The numbers that are tried for a count."""
    between: bool = True
    """For a count, whether the numbers between them are tried, too."""
    stands_for: tuple[str, ...] = ()
    """Other keys that it says. If one of them is given, this is not fitted."""
    always: bool = False
    """Whether it is written also when it is not fitted, as the kind has no default for it."""
    optional: bool = False
    """Whether it is left out where rows do not determine it, as the model has it without. A count of 0 means that."""

    def is_left_out(self, value: float) -> bool:
        """Whether a value says that the key is not written."""
        return self.optional and self.measure == "count" and value == 0

    def text(self, value: float) -> str | int:
        """The value as scenarios write it."""
        if self.measure == "count":
            return round(value)
        if self.measure == "scale":
            return f"{significant(value, DIGITS):g} x"
        return time_text(value) if self.measure == "time" else rate_text(value)

    def rounded(self, value: float) -> float:
        """The value as it is written."""
        if self.is_left_out(value):
            return value
        value = min(max(value, self.low), self.high)
        return float(round(value)) if self.measure == "count" else significant(value, DIGITS)


@dataclass(frozen=True)
class Model:
    """Something that can be fitted."""

    word: str
    kind: str
    """Kind of components; empty if it is a part of several."""
    about: str
    variables: tuple[Variable, ...]
    """Those first that explain most: of few rows only the first are fitted."""
    beyond: tuple[tuple[Callable[[Rows], bool], str], ...]
    """Effects that rows may contain and the kind does not cover, and the condition of each."""
    keys: Callable[[dict[str, Any], Mapping[str, Any]], dict[str, Any]] = lambda texts, _: texts
    """The table that some values make, as they are written, beside what the kind has without them."""
    settle: Callable[[Values], Values] = lambda values: values
    """Values as near as can be to these that the kind takes."""

    def fitted(self, rows: Rows, given: Iterable[str]) -> tuple[list[Variable], dict[str, float]]:
        """The variables fitted to rows while some keys are given, and the first values of others to be written."""
        taken = set(given)
        free = [one for one in self.variables if not taken & {one.name, one.name.split(".")[0], *one.stands_for}]
        told = [one for one in free if one.needs(rows)][: len(rows)]
        groups = {key for one in told for key in one.stands_for}
        beside = [one for one in free if one not in told and (one.always or groups & set(one.stands_for))]
        return told, {one.name: one.start for one in beside}

    def table(self, values: Values, without: Mapping[str, Any]) -> dict[str, Any]:
        """The keys with these values, beside those that the kind has without them."""
        texts = {
            one.name: one.text(values[one.name])
            for one in self.variables
            if one.name in values and not one.is_left_out(values[one.name])
        }
        return {**({"kind": self.kind} if self.kind else {}), **self.keys(texts, without)}

    @property
    def scales(self) -> bool:
        """Whether a variable is a multiple of the value that the kind has without it."""
        return any(one.measure == "scale" for one in self.variables)
