"""The outcome of a plan: the designs that meet the goal, the chosen one, and its later years and failures."""

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
    """The result of the analytic model, if the failure has settings for it."""
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
    """Those that meet the goal by the analytic model, the cheapest first."""
    front: list[Worked]
    """Those of them that are the best in some respect."""
    simulated: dict[Candidate, Simulated] = field(default_factory=dict)
    """In the order in which they were simulated."""
    without_room: int = 0
    """How many of the designs have more of some part than another has room for."""
    winner: Worked | None = None
    """The cheapest design that meets the goal in the simulation; without one, by what was worked out."""
    is_confirmed: bool = False
    growth: Grown | None = None
    failures: list[Failed] = field(default_factory=list)
    placement: Placement | None = None
    """The devices of the design that was found on each link, hot spots, and moves."""
    volumes: VolumePlacement | None = None
    """The same of volumes; None where it makes no difference to links where they lie."""
    cheapest: Candidate | None = None
    """The cheapest of all designs, regardless of the bounds."""
    least_power: Candidate | None = None
    fewest: Mapping[str, int] = field(default_factory=dict)
    """For each bounded part, its number in the design that has the fewest of them."""
    closest: Worked | None = None
    """If no design meets the goal: the one that comes nearest."""
    beyond: Worked | None = None
    """If no design meets the goal within the bounds: the cheapest that does beyond them."""

    @property
    def next_cheaper(self) -> Worked | None:
        """The costliest design within the bounds that costs less than the winner and can be built; None without one."""
        winner = self.winner
        if winner is None:
            return None
        less = [one for one in self.within if one.problem is None and one.candidate.cost < winner.candidate.cost]
        return max(less, key=lambda one: one.candidate.cost, default=None)

    def settings(self, one: Worked) -> Settings:
        """The settings of a design in its scenario."""
        return settings_of(self.plan, one.candidate)
