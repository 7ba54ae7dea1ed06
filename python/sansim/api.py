"""The public functions: run, run_study, explain, compare, plan, calibrate, check, resolve, graph, schema."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from sansim import _core
from sansim import arguments as given
from sansim.percentiles import words_of
from sansim.result import Result
from sansim.runs.recorders import Capture, File, Playback, Timeline, Trace, Window
from sansim.simulate import run_scenario
from sansim.toml_text import toml_at, toml_text, toml_value

if TYPE_CHECKING:
    from sansim.analysis.calibrate.fit import Calibration
    from sansim.analysis.compare import Comparison
    from sansim.analysis.explain.explanation import Explanation
    from sansim.analysis.plan.planned import Planned
    from sansim.study.jobs.execute import Progress as StudyProgress
    from sansim.study.session import Outcome

OverrideValue: TypeAlias = "str | float | Sequence[OverrideValue] | Mapping[str, OverrideValue]"
"""A value of a scenario key: text with a unit, number, truth value, list or table."""

ScenarioSource: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any]"
"""A scenario: path of a file, text with a line break in it, or dictionary of tables as TOML would give it."""

Overrides: TypeAlias = Mapping[str, OverrideValue]
"""Values that replace those of a scenario file, by key path: `{"workload.size": "64 KiB"}`."""


class ScenarioWarning(UserWarning):
    """A scenario says what is allowed and probably not meant, as a cable that no medium carries a signal along."""


@given.checked(
    scenario=given.SCENARIO,
    overrides=given.OVERRIDES,
    collect_ios=given.FLAG,
    percentiles=given.PERCENTILES,
    sample_every=given.TIME.or_none,
    trace=given.file_or(Trace).or_none,
    capture=given.file_or(Capture).or_none,
    timeline=given.file_or(Timeline).or_none,
    playback=given.file_or(Playback).or_none,
    window=given.instance(Window, 'sansim.Window(start="2 ms", end="3 ms")').or_none,
    decisions=given.FLAG,
    force=given.FLAG,
    progress=given.FUNCTION.or_none,
)
def run(
    scenario: ScenarioSource,
    overrides: Overrides | None = None,
    *,
    seed: int | None = None,
    loop: Literal["fast", "reference"] | None = None,
    collect_ios: bool = True,
    percentiles: str | float | Sequence[str | float] = (),
    sample_every: str | None = None,
    trace: Trace | File | None = None,
    capture: Capture | File | None = None,
    timeline: Timeline | File | None = None,
    playback: Playback | File | None = None,
    window: Window | None = None,
    decisions: bool = False,
    force: bool = False,
    progress: Callable[[_core.Progress], object] | None = None,
) -> Result:
    """Simulates a scenario.

    The interpreter lock is free meanwhile, so several runs may go on in threads.

    Args:
        scenario: Path of a scenario file. A text with a line break in it is taken as the scenario itself, as is a
            dictionary of tables: `{"loop": {"kind": "arbitrated-loop", ...}, ...}`.
        overrides: Values that replace those of the file, by key path, as `{"workload.size": "64 KiB"}`.
        seed: Seed of all random streams, instead of the scenario's `run.seed`.
        loop: `"fast"`, or `"reference"` for the simple slow loop that the fast one is checked against, which a trace
            needs. The results are the same. Chosen if not given.
        collect_ios: Whether to keep the tables: a row per I/O, per tenancy, per sample.
        percentiles: Percentiles of response times that the summary has beside p50, p90, p99 and p99_9, as `95`,
            `"p99.99"`; exact, by nearest rank. The rows of the I/Os are kept for them until the run is complete.
        sample_every: Interval of the samples, as `"1 ms"`; chosen to give a few hundred if not given.
        trace: Where to write an analyzer trace, or a `Trace` that says more.
        capture: Where to write a capture of frames for Wireshark, or a `Capture` that says more.
        timeline: Where to write a timeline for the Perfetto viewer.
        playback: Where to write a playback for `sansim studio`.
        window: When the files written during the run look, and how long they may be; all the time, and 100 MB (10^6)
            each, if not given.
        decisions: Whether to record each decision of rules of your own, for `Result.decisions`; see docs/policies.md.
        force: Whether these files replace what is not of their kind, as a text that has the name of the capture.
        progress: Called a few times a second with how far the run is. If it returns False the run ends and the
            result is marked `stopped_early`. An exception in it ends the run and comes out of this function.

    Returns:
        The result, the same to the last bit for the same scenario and seed, but for `Result.run`.

    Warns:
        ScenarioWarning: The scenario has permitted but suspicious values.

    Raises:
        ArgumentError: An argument does not fit; a TypeError and a ValueError. Nothing was run.
        ScenarioError: The scenario cannot be read or is wrong. Nothing was run.
        TypeError: A dictionary or the overrides hold something that TOML has nothing like; the text names the key.
        ValueError: Something else that was asked for makes no sense, as a port that is not there.
        ClockError: The run does not end within the 300 days of simulated time, or time does not advance because
            components exchange messages for ever at one instant. There is no result and no file.
        ComponentError: A component could not go on, as a workload whose trace has a broken line. There is no result
            and no file.
        ConservationError: The run does not add up, which is an error of sansim. There is no result and no file.
        OtherKindError: A file that is to be written has the name of one of another kind; an OSError. Nothing was run.
        FileError: A file cannot be written; an OSError. An earlier file of that name is as it was.
        Interrupted: Ctrl-C; the exception holds the result so far.
    """
    if loop not in ("fast", "reference", None):
        raise ValueError(f'loop must be "fast" or "reference", not {loop!r}')
    if trace is not None and loop == "fast":
        raise ValueError("a trace needs the reference loop, in which every port sees every word; leave out loop")
    pairs = override_texts(overrides)
    if seed is not None:
        pairs.append(("run.seed", toml_value(seed)))
    read = load(scenario, pairs, "run")
    for line in read.warnings():
        warnings.warn(line, ScenarioWarning, stacklevel=3)
    return run_scenario(
        read,
        reference_loop=loop == "reference" or trace is not None,
        collect_ios=collect_ios,
        percentiles=words_of(percentiles),
        sample_every=sample_every,
        trace=trace if trace is None or isinstance(trace, Trace) else Trace(file=trace),
        capture=capture if capture is None or isinstance(capture, Capture) else Capture(file=capture),
        timeline=timeline if timeline is None or isinstance(timeline, Timeline) else Timeline(file=timeline),
        playback=playback if playback is None or isinstance(playback, Playback) else Playback(file=playback),
        window=window,
        decisions=decisions,
        force=force,
        progress=progress,
    )


@given.checked(
    study=given.FILE,
    out=given.FOLDER.or_none,
    workers=(given.WHOLE.or_none, given.at_least(1)),
    cluster=given.TEXT.or_none,
    progress=given.FUNCTION.or_none,
)
def run_study(
    study: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Callable[[StudyProgress], None] | None = None,
) -> Outcome:
    """Runs what has not been run yet of a study file.

    Args:
        study: Path of the study file; see docs/study-guide.md.
        out: Folder in which the result of each run is kept; `results` beside the study file if not given.
        workers: Local processes; as many as there are processors if not given.
        cluster: Address of a Dask scheduler that is to make the runs instead.
        progress: Called some times a second with how far the study is.

    Returns:
        The results: `.frame()` as a data frame, `.to_xarray()`, `.measured` by metric, `.verdicts` on the expected
        values, in `.failures` why runs failed, and in `.uncomputed` which metrics have no value where, and why.

    Raises:
        ScenarioError: The study file, or one of its points, is wrong. Nothing was run.
        WorkerError: The workers or the cluster cannot be used.
    """
    from sansim.study.read import read_study
    from sansim.study.session import run_studies

    place = None if out is None else Path(out)
    return run_studies([read_study(study)], out=place, workers=workers, cluster=cluster, progress=progress)[0]


@given.checked(scenario=given.SCENARIO, overrides=given.OVERRIDES)
def check(scenario: ScenarioSource, overrides: Overrides | None = None) -> list[_core.Problem]:
    """Lists everything that is wrong with a scenario; an empty list means it can be run. Arguments as in `run`."""
    try:
        load(scenario, override_texts(overrides), "check")
    except _core.ScenarioError as error:
        return error.problems
    return []


@given.checked(scenario=given.SCENARIO, overrides=given.OVERRIDES)
def resolve(scenario: ScenarioSource, overrides: Overrides | None = None) -> str:
    """The scenario as TOML with overrides applied and every default written out. Arguments as in `run`.

    Raises:
        ScenarioError: The scenario cannot be read or is wrong.
    """
    return load(scenario, override_texts(overrides), "resolve").to_toml()


@given.checked(scenario=given.SCENARIO, overrides=given.OVERRIDES)
def graph(scenario: ScenarioSource, overrides: Overrides | None = None) -> dict[str, Any]:
    """The components of a scenario, their ports, and how they are joined. Arguments as in `run`.

    Returns:
        `components`, each with `name`, `kind`, number of `members` and `ports`; `links`, each with the ends `from` and
        `to`, and what `flows` there: `frames`, or `requests`, these from who asks to who serves.

    Raises:
        ScenarioError: The scenario cannot be read or is wrong.
    """
    value: dict[str, Any] = json.loads(load(scenario, override_texts(overrides), "graph").graph_json())
    return value


@given.checked(scenario=given.SCENARIO, overrides=given.OVERRIDES, analytic=given.FLAG, every_change=given.FLAG)
def explain(
    scenario: ScenarioSource,
    overrides: Overrides | None = None,
    *,
    analytic: bool = False,
    every_change: bool = False,
) -> Explanation:
    """The bottleneck of a scenario, its headroom, and the outcomes of changes. Arguments as in `run`.

    Args:
        scenario: See `run`.
        overrides: See `run`.
        analytic: Whether to ask the analytic model only, which takes milliseconds and simulates nothing. Its limits of
            validity are in `.analysis["outside"]`.
        every_change: Whether to simulate the scenario and every change to the end; otherwise the scenario and the
            three changes that promise the most, for some seconds of wall time each.

    Returns:
        `.simulated` with the run of the scenario, `.analysis` with the estimate, `.bottleneck` and `.next_bottleneck`,
        `.limits` of all components, `.what_if`, `.placement` and `.volumes` for where devices and volumes hang;
        `.text()` for a person, `.as_json()` as the command line has it.

    Raises:
        ScenarioError: The scenario cannot be read or is wrong.
        ClockError, ComponentError, ConservationError: As `run`.
    """
    from sansim.analysis.explain.explanation import explain as explained

    own = dict(overrides or {})

    def read(more: dict[str, str]) -> _core.Scenario:
        kept = {key: value for key, value in own.items() if key not in more}
        return load(scenario, override_texts(kept) + list(more.items()), "explain")

    return explained(read, analytic=analytic, every_change=every_change)


@given.checked(
    first=given.SCENARIO,
    second=given.SCENARIO,
    overrides=given.OVERRIDES,
    second_overrides=given.OVERRIDES,
    replications=(given.WHOLE, given.at_least(1)),
    seed=(given.WHOLE.or_none, given.at_least(0)),
    percentiles=given.PERCENTILES,
)
def compare(
    first: ScenarioSource,
    second: ScenarioSource,
    overrides: Overrides | None = None,
    second_overrides: Overrides | None = None,
    *,
    replications: int = 5,
    seed: int | None = None,
    percentiles: str | float | Sequence[str | float] = (),
) -> Comparison:
    """Simulates two scenarios with the same random numbers, and takes their differences.

    Args:
        first: The one; see `run`.
        second: The other.
        overrides: Values that replace those of both.
        second_overrides: Values that replace those of the second only.
        replications: How many runs of each, with seeds one after the other.
        seed: The first seed; that of the first scenario if not given.
        percentiles: Percentiles of response times that are compared, too; see `run`.

    Returns:
        `.metrics` with the intervals of the differences, `.segments` with what they come from; `.text()` for a person.

    Raises:
        ScenarioError: A scenario cannot be read or is wrong.
        ClockError, ComponentError, ConservationError: As `run`.
    """
    from sansim.analysis.compare import compare as compared

    words = words_of(percentiles)
    both, other = override_texts(overrides), override_texts(second_overrides)
    if seed is None:
        seed = load(first, both, "compare").seed()

    def seeded(scenario: ScenarioSource, pairs: list[tuple[str, str]]) -> Callable[[int], _core.Scenario]:
        return lambda seed: load(scenario, [*pairs, ("run.seed", toml_value(seed))], "compare")

    return compared(
        seeded(first, both),
        seeded(second, both + other),
        ("first", "second"),
        seed=seed,
        replications=replications,
        run=lambda one: run_scenario(one, collect_ios=False, percentiles=words),
        percentiles=words,
    )


@given.checked(
    file=given.FILE,
    analytic=given.FLAG,
    out=given.FOLDER.or_none,
    workers=(given.WHOLE.or_none, given.at_least(1)),
    cluster=given.TEXT.or_none,
    progress=given.FUNCTION.or_none,
)
def plan(
    file: str | os.PathLike[str],
    *,
    analytic: bool = False,
    out: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Callable[[StudyProgress], None] | None = None,
) -> Planned:
    """Finds the cheapest design that meets a goal: all designs are worked out, the best are simulated.

    Args:
        file: Path of the plan; see docs/plan.md.
        analytic: Whether the analytic model decides alone; all is an estimate then.
        out: Folder in which the result of each run is kept; `results` beside the plan if not given.
        workers: Local processes; as many as there are processors if not given.
        cluster: Address of a Dask scheduler that is to make the runs instead.
        progress: Called some times a second with how far the runs are.

    Returns:
        `.winner`, None if no design meets the goal; `.front`, the designs that are the best in something;
        `.closest`; `.text()` for a
        person, `.as_json()` as the command line has it.

    Raises:
        ScenarioError: The plan or its catalogue is wrong. Nothing was run.
        WorkerError: The workers or the cluster cannot be used.
    """
    from sansim.analysis.plan.planned import carry_out
    from sansim.analysis.plan.read import read_plan

    place = None if out is None else Path(out)
    return carry_out(read_plan(file), analytic=analytic, out=place, workers=workers, cluster=cluster, progress=progress)


@given.checked(
    scenario=given.FILE,
    measurements=given.FILE,
    unknown=given.list_like("disks.access_time=1 ms..20 ms", "keys with their ranges"),
    overrides=given.OVERRIDES,
    use_all=given.FLAG,
    simulate=given.FLAG,
)
def calibrate(
    scenario: str | os.PathLike[str],
    measurements: str | os.PathLike[str],
    unknown: Sequence[str],
    overrides: Overrides | None = None,
    *,
    use_all: bool = False,
    simulate: bool = False,
) -> Calibration:
    """Finds unknown values of a scenario from measurements.

    Args:
        scenario: Path of the scenario.
        measurements: Path of comma-separated values: columns `iops` or `response_ms`, and keys of the scenario.
        unknown: The unknown keys with their ranges, as `"drives.access_time=1 ms..20 ms"`.
        overrides: Values that replace those of the scenario.
        use_all: Whether all rows are used; otherwise every second one is left out and predicted.
        simulate: Whether the search ends with simulations.

    Returns:
        `.found`, each with its interval or why it cannot be determined; `.settings`, which are overrides; `.text()`
        for a person.

    Raises:
        ScenarioError: The scenario, or a row, is wrong.
        MeasurementError: The measurements cannot be used; a ValueError.
        ValueError: An unknown key is none, or has no range.
    """
    from sansim.analysis.calibrate.fit import calibrate as calibrated
    from sansim.analysis.calibrate.fit import unknown_of
    from sansim.analysis.calibrate.measured import read_rows
    from sansim.analysis.plan.model import Base

    pairs = override_texts(overrides)
    read = load(scenario, pairs, "calibrate")
    file = Path(scenario)
    return calibrated(
        Base(_core.read_text(file), str(file), file.parent),
        read_rows(measurements),
        [unknown_of(text, read) for text in unknown],
        tuple(pairs),
        use_all=use_all,
        simulate=simulate,
    )


def schema() -> dict[str, Any]:
    """The JSON Schema of scenario files."""
    value: dict[str, Any] = json.loads(_core.schema_json())
    return value


def load(scenario: ScenarioSource, overrides: list[tuple[str, str]], called: str) -> _core.Scenario:
    """Reads a scenario from a file or, given a text with a line break or a dictionary, from that.

    Args:
        scenario: The file, the text or the dictionary.
        overrides: Key paths and TOML values.
        called: The function of this module that was called, which messages about overrides name.
    """
    given_by = f"overrides of sansim.{called}"
    if isinstance(scenario, Mapping):
        return _core.Scenario.parse(toml_text(scenario), _core.DICTIONARY, overrides, given_by)
    if isinstance(scenario, str) and "\n" in scenario:
        return _core.Scenario.parse(scenario, "<text>", overrides, given_by)
    return _core.Scenario.load(scenario, overrides, given_by)


def override_texts(overrides: Overrides | None) -> list[tuple[str, str]]:
    """Overrides in the form the command line gives them: key path and TOML value."""
    return [(key, toml_at(key, value)) for key, value in (overrides or {}).items()]
