"""One job of a study: a resolved scenario that is simulated once, and the bytes that come of it."""

from __future__ import annotations

import functools
import hashlib
import json
import tempfile
from collections.abc import Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from sansim import _core
from sansim.components import FRAMES, Graph
from sansim.percentiles import NATIVE
from sansim.runs.recorders import Trace
from sansim.simulate import run_scenario
from sansim.study.jobs.seal import sealed

KEY_CHARACTERS = 32
"""Length of a key: 128 bits, so that two different jobs never meet."""
PACKAGE = Path(__file__).parents[2]
SOURCES = (
    Path(__file__),
    *(
        PACKAGE / name
        for name in (
            "components.py",
            "percentiles.py",
            "rules.py",
            "simulate.py",
            "runs/recorders.py",
            "study/measure/trace.py",
        )
    ),
)
"""The Python files on which results depend: the calls of the simulator, rules, percentiles, times read off its trace.

All other figures come from the native part, which has a fingerprint of its own sources.
"""


@dataclass(frozen=True)
class Job:
    """A resolved scenario to be simulated. Made by `job_of`."""

    key: str
    """Identity: a hash of all that the result depends on."""
    scenario: str
    """The resolved scenario as TOML, seed included."""
    traces: tuple[tuple[str, str, str], ...] = ()
    """Intervals read off a word trace of the run: name, first line, later line; see `sansim.study.measure.trace`."""
    percentiles: tuple[str, ...] = ()
    """Percentiles of response times that the run has on request, as `p95`; see `sansim.percentiles`."""


class JobFailed(Exception):  # noqa: N818  (what happened, not what kind of error)
    """A job could not be run; the text says why. Other jobs are not concerned."""


def job_of(scenario_toml: str, traces: Sequence[tuple[str, str, str]] = (), percentiles: Sequence[str] = ()) -> Job:
    """The job that simulates a resolved scenario.

    Two jobs have the same key if and only if nothing that can change their result differs: the scenario with all
    defaults and the seed, the version of sansim, its model, what is read off a trace.

    Args:
        scenario_toml: As `Scenario.to_toml` gives it.
        traces: Intervals to be read off a trace: name, first line, later line.
        percentiles: Percentiles that the run has on request.
    """
    traces, percentiles = tuple(traces), tuple(word for word in percentiles if word not in NATIVE)
    identity = json.dumps([*software(), scenario_toml, traces, *([percentiles] if percentiles else [])])
    key = hashlib.sha256(identity.encode()).hexdigest()[:KEY_CHARACTERS]
    return Job(key, scenario_toml, traces, percentiles)


@functools.cache
def software() -> tuple[str, str]:
    """Version of sansim and fingerprint of all sources that results depend on."""
    sources = hashlib.sha256(_core.model_fingerprint().encode())
    for file in SOURCES:
        sources.update(file.read_bytes())
    return _core.__version__, sources.hexdigest()[:16]


def run_job(job: Job) -> bytes:
    """Simulates a job.

    Returns:
        JSON with `key`, `version`, `summary` and `traces` (name to nanoseconds), sealed (`seal.py`): the same bytes for
        the same job on every machine. Nothing in it depends on the wall clock.

    Raises:
        JobFailed: The scenario is wrong, simulated time does not come to the end of the run, the simulator panicked,
            memory ran out.
    """
    try:
        summary, intervals = simulated(job)
    except (KeyboardInterrupt, SystemExit):
        raise
    except (_core.ScenarioError, _core.ClockError, _core.ComponentError, _core.ConservationError) as error:
        raise JobFailed(str(error)) from error
    except BaseException as error:
        # A panic of the native part is a BaseException of its own; it ends this job and nothing else.
        raise JobFailed(f"{type(error).__name__}: {error}".removesuffix(": ")) from error
    return sealed({"key": job.key, "summary": summary, "traces": intervals, "version": software()[0]})


def simulated(job: Job) -> tuple[dict[str, object], dict[str, float | None]]:
    """The summary of the job's run, and the intervals in nanoseconds that are read off its trace."""
    scenario = _core.Scenario.parse(job.scenario, "<job>", [])
    if not job.traces:
        return run_scenario(scenario, collect_ios=False, percentiles=job.percentiles).summary, {}
    # Only here, as most jobs have no trace.
    from sansim.study.measure.trace import parse_pattern, read_intervals

    loop = loop_of(scenario, {parse_pattern(text).port for _, *texts in job.traces for text in texts})
    with tempfile.TemporaryDirectory(prefix="sansim-trace-") as folder:
        trace = Trace(
            file=Path(folder) / "trace.txt",
            loop=loop,
            # Changes of ports' states are in the trace only if asked for.
            states=any("=>" in pattern for _, *patterns in job.traces for pattern in patterns),
        )
        result = run_scenario(
            scenario, reference_loop=True, collect_ios=False, trace=trace, percentiles=job.percentiles
        )
        return result.summary, read_intervals(Path(trace.file), job.traces, scenario.word_time_ns(loop))


def loop_of(scenario: _core.Scenario, ports: Set[str]) -> str | None:
    """The loop that all these ports stand on; None if there is none, or if there is only one anyhow."""
    loops = {link.end for link in Graph.of(scenario).links if link.flows == FRAMES}
    return next((loop for loop in sorted(loops) if len(loops) > 1 and ports <= set(scenario.ports(loop))), None)
