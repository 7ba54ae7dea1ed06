"""What comes of a plan: which designs meet the goal, which one is chosen, what becomes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sansim.analysis.plan.candidates import Candidate, settings_of
from sansim.analysis.plan.confirm import Simulated
from sansim.analysis.plan.model import Failure, Plan, Settings
from sansim.analysis.plan.placement import Placement
from sansim.analysis.plan.search import Worked
from sansim.analysis.plan.volumes import VolumePlacement


@dataclass(frozen=True)
class Grown:
    """When a design stops meeting the goal."""

    lasts_months: int | None
    """The last month in which it does by what was worked out; None if it does not even today."""
    looked_to: int
    """The last month that was looked at."""
    simulated: Simulated | None = None
    """That month simulated."""


@dataclass(frozen=True)
class Failed:
    """A design with something down."""

    failure: Failure
    worked: Worked | None
    """What is worked out, if the failure says what to work out."""
    simulated: Simulated | None


@dataclass
class Outcome:
    """A plan carried out."""

    plan: Plan
    looked_at: int
    """Designs there are."""
    within: list[Worked]
    """Those within the bounds, worked out."""
    meet: list[Worked]
    """Of these those that meet the goal by what was worked out, the cheapest first."""
    front: list[Worked]
    """Of these those that are the best in something."""
    simulated: dict[Candidate, Simulated] = field(default_factory=dict)
    """In the order in which they were simulated."""
    winner: Worked | None = None
    """The cheapest design that meets the goal in the simulation; without one, by what was worked out."""
    is_confirmed: bool = False
    growth: Grown | None = None
    failures: list[Failed] = field(default_factory=list)
    placement: Placement | None = None
    """Which devices of the design that was found hang on which link, hot spots, and what to move."""
    volumes: VolumePlacement | None = None
    """The same of volumes; None where it makes no difference to links where they lie."""
    cheapest: Candidate | None = None
    """Of all designs, whatever the bounds are."""
    least_power: Candidate | None = None
    fewest: Mapping[str, int] = field(default_factory=dict)
    """Of parts that are bounded: how many the design has that has the fewest of them."""
    closest: Worked | None = None
    """If no design meets the goal: the one that comes nearest."""
    beyond: Worked | None = None
    """If no design meets the goal within the bounds: the cheapest that does beyond them."""

    def settings(self, one: Worked) -> Settings:
        """What a design sets in its scenario."""
        return settings_of(self.plan, one.candidate)
