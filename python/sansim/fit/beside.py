"""Rows that were measured beside what was fitted to some of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from sansim import _core


class Counted(Protocol):
    """Something that was measured."""

    @property
    def counts(self) -> float:
        """The compared value: a time in ns, or I/Os per second."""


Measured = TypeVar("Measured", bound=Counted)


@dataclass(frozen=True)
class Beside(Generic[Measured]):
    """A row beside what the fitted drive or adapter does."""

    measured: Measured
    used: bool
    """Whether it was used for the fit. Only of the others is what is simulated a prediction."""
    simulated: float | None
    """The same that counts of what was measured; None if it cannot be carried out."""
    why: str | None = None
    """Why it cannot."""

    @property
    def error(self) -> float | None:
        """By which share what is simulated is more than what was measured."""
        return None if self.simulated is None else self.simulated / self.measured.counts - 1

    @property
    def use(self) -> str:
        """`used` or `predicted`."""
        return "used" if self.used else "predicted"


Row = TypeVar("Row", bound="Beside[Any]")


class Split(Generic[Row]):
    """A fit by its rows."""

    rows: tuple[Row, ...]

    @property
    def used(self) -> list[Row]:
        """The rows to which it was fitted."""
        return [row for row in self.rows if row.used]

    @property
    def held_out(self) -> list[Row]:
        """The rows that it predicts."""
        return [row for row in self.rows if not row.used]


def all_beside(
    make: Callable[[Measured, bool, float | None, str | None], Row],
    rows: Iterable[Measured],
    used: Collection[Measured],
    simulated: Callable[[Measured], float],
) -> Iterator[Row]:
    """All rows, those used and those held out, beside what is simulated of each."""
    for row in rows:
        try:
            yield make(row, row in used, simulated(row), None)
        except _core.ScenarioError as error:
            yield make(row, row in used, None, error.problems[0].message)
