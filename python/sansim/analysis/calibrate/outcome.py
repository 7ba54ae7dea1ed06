"""The outcome of a calibration: values with intervals, and measured rows beside those of the scenario."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sansim.analysis.calibrate.measured import Row
from sansim.fit.quantities import DIGITS, significant
from sansim.fit.variables import Variable
from sansim.toml_text import toml_value


@dataclass(frozen=True)
class Unknown:
    """A key of the scenario whose value is sought."""

    key: str
    low: float
    high: float
    unit: str
    """In which both ends are written; empty for plain numbers."""

    def text(self, value: float) -> str:
        """A value as TOML."""
        number = f"{significant(value, DIGITS):.12g}"
        if not self.unit:
            return number if any(mark in number for mark in ".e") else f"{number}.0"
        return toml_value(f"{number}{self.unit}" if self.unit.startswith("/") else f"{number} {self.unit}")

    def words(self, value: float) -> str:
        """A value for a person."""
        return self.text(value).strip('"')

    @property
    def variable(self) -> Variable:
        """As the search knows it: with the middle of the range, in logarithms, to begin at."""
        return Variable(self.key, "scale", self.low, self.high, math.sqrt(self.low * self.high))


@dataclass(frozen=True)
class Found:
    """The result for an unknown key."""

    unknown: Unknown
    value: float
    low: float
    """The lower end of the 95 % interval."""
    high: float
    why_untold: str | None
    """Why the value is not to be used, if it is not, as `sansim calibrate --json` has it."""
    at_end: bool
    """Whether it is at an end of the range that was given, so that it may be beyond."""
    reason: str | None = None
    """The same as `why_untold` for the terminal."""


@dataclass(frozen=True)
class Compared:
    """A row beside what the fitted scenario does."""

    row: Row
    used: bool
    """Whether it was used for the fit. Only of the others is it a prediction."""
    iops: float | None
    response_ns: float | None

    @property
    def errors(self) -> list[float]:
        """By which shares it is off."""
        pairs = [(self.iops, self.row.iops), (self.response_ns, self.row.response_ns)]
        return [ours / theirs - 1 for ours, theirs in pairs if ours is not None and theirs is not None]


@dataclass(frozen=True)
class Outcome:
    """Unknown values of a scenario, found from measurements."""

    found: tuple[Found, ...]
    rows: tuple[Compared, ...]
    deviation: float
    """The error of the rows used, as a share."""
    outside: tuple[str, ...]
    """Why the analytic model is not to be relied on, if it was used."""
    simulated: bool
    condition: float
    """How many times less the rows tell of the mixture of the values that they tell least of than of that which they
    tell most of."""
    simulated_rows: tuple[int, ...] = ()
    """The lines of rows that were simulated at some values, as the analytic model has no answer there."""

    @property
    def is_determined(self) -> bool:
        """Whether the rows tell all values."""
        return all(one.why_untold is None for one in self.found)

    @property
    def settings(self) -> dict[str, str]:
        """The values that the rows tell, as overrides."""
        return {one.unknown.key: one.unknown.text(one.value) for one in self.found if one.why_untold is None}

    def held_out(self) -> list[Compared]:
        """The rows that it predicts."""
        return [one for one in self.rows if not one.used]
