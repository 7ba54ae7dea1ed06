"""How long the jobs of a study still take, by the work in them and not by their number.

The jobs of a study differ: 65,536 outstanding I/Os take a thousand times as long as one, and often come last. So what
is left is the work of the jobs that are left: the frames that each will send, which its scenario tells beforehand, at
the pace of those that are done.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterable, Mapping

from sansim import _core

NEAR = 1_000
"""How many of the last jobs are given to one worker each in the estimate; of more it is enough to know the sum."""


def frames_of(scenario_toml: str) -> float | None:
    """About how many frames the run of a resolved scenario sends; None if that is not known before."""
    try:
        return _core.Scenario.parse(scenario_toml, "<job>", []).frames()
    except _core.ScenarioError:
        return None


class Pace:
    """Learns from the jobs that are done how long those take that are not."""

    def __init__(
        self, work: Mapping[str, float | None], width: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Takes the jobs to be run by key with the work in each (None if unknown), and how many run at a time."""
        known = [amount for amount in work.values() if amount is not None]
        # Unknown work counts as the mean of the others.
        usual = sum(known) / len(known) if known else 1.0
        self.waiting = {key: usual if amount is None else max(amount, 1.0) for key, amount in work.items()}
        self.running: dict[str, tuple[float, float]] = {}
        """Work and time of the beginning, by key."""
        self.beginnings_told = False
        self.width = max(1, width)
        self.clock = clock
        self.reported = clock()
        self.sums = [0.0] * 5
        """Over jobs that are done: number, work, seconds, work x work, work x seconds."""

    def begun(self, key: str) -> None:
        """A job has begun. This call is optional where the beginning is unknown."""
        self.beginnings_told = True
        work = self.waiting.pop(key, None)
        if work is not None:
            self.running[key] = (work, self.clock())

    def over(self, keys: Iterable[str], seconds: float | None) -> None:
        """Jobs are over and took so long together; None if nothing can be learned from it."""
        self.reported = self.clock()
        works = [self.running.pop(key)[0] if key in self.running else self.waiting.pop(key, 0.0) for key in keys]
        if seconds is None or not works:
            return
        # Jobs that were reported together count as equal.
        work, each = sum(works) / len(works), seconds / len(works)
        for place, value in enumerate((1.0, work, each, work * work, work * each)):
            self.sums[place] += len(works) * value

    def line(self) -> tuple[float, float]:
        """The time of a job in seconds: a constant part and one per unit of work, by least squares over those done."""
        number, works, seconds, squares, products = self.sums
        spread = number * squares - works * works
        if spread > 1e-9 * number * squares:
            slope = (number * products - works * seconds) / spread
            constant = (seconds - slope * works) / number
            if slope > 0.0 and constant >= 0.0:
                return constant, slope
        return 0.0, seconds / works

    def seconds_left(self) -> float | None:
        """How long it takes until all are done; None before the first one is."""
        if not self.waiting and not self.running:
            return 0.0
        if not self.sums[0]:
            return None
        now = self.clock()
        constant, slope = self.line()
        running = []
        for work, begun in self.running.values():
            # One that is late may be as late again.
            running.append(abs(constant + slope * work - (now - begun)))
        # The first free worker takes the next job. Far from the end the assignment does not matter.
        works = list(self.waiting.values())
        far = max(len(works) - NEAR, 0)
        shared = constant * far + slope * sum(works[:far])
        free = [*running, *[0.0] * (self.width - len(running))]
        free = [until + shared / self.width for until in free]
        heapq.heapify(free)
        for work in works[far:]:
            heapq.heapreplace(free, free[0] + constant + slope * work)
        # Without reported beginnings, as many jobs as can be have gone on since the last report.
        return max(free) if self.beginnings_told else abs(max(free) - (now - self.reported))
