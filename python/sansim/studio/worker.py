"""A run of the studio, in a process of its own: it simulates, explains, or sweeps a key.

The process is confined to the folders of the studio before it reads anything, so no key of a scenario reads elsewhere.
Messages go through a pipe: `("progress", share, text)`, `("found", result)` with what is known so far, and at the end
`("done", result)` or `("failed", error)`.
"""

from __future__ import annotations

import json
import os
import signal
import time
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sansim.analysis.explain.explanation import Explanation, Outcome

RESULT = "result.json"
PLAYBACK = "playback.sansim"
RUN = "run"
"""The files of a job, in its folder."""
PLAYED = "100 MB"
"""The longest playback of a job."""


@dataclass(frozen=True)
class Task:
    """A job: what to do with which scenario."""

    what: str
    """`run`, `explain` or `sweep`."""
    text: str
    name: str
    folder: str
    """Where files that the scenario names are looked for."""
    allowed: tuple[str, ...]
    """The folders outside of which no file is read."""
    settings: tuple[tuple[str, str], ...] = ()
    playback: dict[str, Any] | None = None
    """Window of the playback: `from`, `to`, `slowest`; None for none."""
    key: str = ""
    values: tuple[str, ...] = ()
    """The key that a sweep changes, and its values."""


@dataclass
class StoppedError(Exception):
    """The page has cancelled the job."""


@dataclass
class Teller:
    """The end of the pipe in the process of the job."""

    pipe: Connection
    share: float = field(default=0.0)

    def progress(self, share: float, text: str) -> None:
        """Tells how far the job is; raises StoppedError if it is cancelled."""
        self.pipe.send(("progress", min(max(share, 0.0), 1.0), text))
        self.check()

    def found(self, result: dict[str, Any]) -> None:
        """Tells what is known so far; raises StoppedError if the job is cancelled."""
        self.pipe.send(("found", result))
        self.check()

    def check(self) -> None:
        """Raises StoppedError if the job is cancelled."""
        if self.pipe.poll():
            raise StoppedError

    def of_run(self, begin: float, width: float, label: str) -> Any:
        """A callback for a run that is a part of the job; it ends the run if the job is cancelled."""

        def call(progress: Any) -> bool:
            share = progress.ios / progress.total_ios if progress.total_ios else 0.0
            text = progress.preparing or f"{label}{progress.ios:,} of {progress.total_ios:,} I/Os"
            try:
                self.progress(begin + width * min(share, 1.0), text)
            except StoppedError:
                return False
            return True

        return call


def work(task: Task, out: str, pipe: Connection) -> None:
    """Does a job; the entry of its process."""
    from sansim import _core
    from sansim.rules import REFUSED_BY
    from sansim.simulate import Interrupted

    REFUSED_BY.set("the studio")
    # The server ends its jobs by itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    teller = Teller(pipe)
    try:
        _core.confine(list(task.allowed))
        os.chdir(task.folder)
        does = {"run": simulate, "explain": explain, "sweep": sweep}
        result = does[task.what](task, Path(out), teller)
        (Path(out) / RESULT).write_text(json.dumps(result), encoding="utf-8")
        pipe.send(("done", result))
    except (StoppedError, Interrupted):
        pipe.send(("cancelled", None))
    except _core.ScenarioError as error:
        first = error.problems[0]
        pipe.send(("failed", {"code": first.code, "message": first.message, "hint": first.help}))
    except (OSError, ValueError, RuntimeError) as error:
        pipe.send(("failed", {"code": type(error).__name__, "message": str(error), "hint": None}))


def scenario_of(task: Task, more: tuple[tuple[str, str], ...] = ()) -> Any:
    """The scenario of a task with further settings."""
    from sansim import _core

    keys = {key for key, _ in more}
    pairs = [pair for pair in task.settings if pair[0] not in keys] + list(more)
    return _core.Scenario.parse(task.text, task.name, pairs, "the studio", Path(task.folder))


def simulate(task: Task, out: Path, teller: Teller) -> dict[str, Any]:
    """Runs a scenario with a playback, and stores the run for its report."""
    from sansim.runs.recorders import Playback, Window
    from sansim.simulate import run_scenario

    scenario = scenario_of(task)
    wanted = task.playback
    window = Window(limit=PLAYED)
    if wanted is not None:
        window = Window(start=wanted.get("from"), end=wanted.get("to"), slowest=wanted.get("slowest"), limit=PLAYED)
    result = run_scenario(
        scenario,
        playback=None if wanted is None else Playback(file=out / PLAYBACK),
        window=window,
        progress=teller.of_run(0.0, 1.0, ""),
    )
    if result.stopped_early:
        raise StoppedError
    result.save(out / RUN)
    return {"summary": result.summary, "run": result.run}


def explain(task: Task, _out: Path, teller: Teller) -> dict[str, Any]:
    """Explains what limits a scenario, and tries changes; tells each finding as soon as there is one."""
    from sansim.analysis.explain.explanation import ALL_S, WATCH
    from sansim.analysis.explain.explanation import explain as explained
    from sansim.analysis.explain.simulated import WARM

    begin = time.monotonic()
    outcomes: list[Outcome] = []
    label = ""

    def share() -> float:
        # Runs of changes are stopped by time, so that the number of I/Os says little.
        return min((time.monotonic() - begin) / ALL_S, 0.95)

    def load(more: dict[str, str]) -> Any:
        nonlocal label
        # Estimates are made in other threads, which must not use the pipe at the same time: they only ask it.
        teller.check()
        # Those of the scenario as it is change nothing that a user would name.
        changed = ", ".join(f"{key} = {value}" for key, value in more.items() if not key.endswith((WARM, WATCH)))
        label = f"trying {changed}: " if changed else "simulating: "
        return scenario_of(task, tuple(more.items()))

    def show(progress: Any) -> bool:
        text = progress.preparing or f"{label}{progress.ios:,} of {progress.total_ios:,} I/Os"
        try:
            teller.progress(share(), text)
        except StoppedError:
            return False
        return True

    def early(found: Explanation) -> None:
        teller.found({"explain": for_page(found)})

    def known(found: Explanation) -> None:
        teller.found({"explain": for_page(found)})
        teller.progress(share(), "estimating changes")

    def change(found: Explanation, one: Outcome) -> None:
        outcomes.append(one)
        teller.found({"explain": for_page(replace(found, what_if=list(outcomes)))})

    found = explained(load, show=show, on_early=early, on_head=known, on_change=change)
    return {"explain": for_page(found), "text": found.text(100)}


def for_page(found: Explanation) -> dict[str, Any]:
    """An explanation as `sansim explain --json` has it, with the simulated utilisation of each component."""
    from sansim.saturation import utilisations

    return {**found.as_json(), "utilised": None if found.summary is None else utilisations(found.summary)}


def sweep(task: Task, _out: Path, teller: Teller) -> dict[str, Any]:
    """Runs a scenario once for each value of a key."""
    from sansim.simulate import run_scenario

    points = []
    for number, value in enumerate(task.values):
        scenario = scenario_of(task, ((task.key, value),))
        begin, width = number / len(task.values), 1 / len(task.values)
        label = f"{task.key} = {value}: "
        result = run_scenario(scenario, collect_ios=False, progress=teller.of_run(begin, width, label))
        if result.stopped_early:
            raise StoppedError
        points.append({"value": value, "summary": result.summary})
    return {"sweep": {"key": task.key, "points": points}}
