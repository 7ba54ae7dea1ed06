"""An adapter is fitted to some of the rows of a table, or to an analyzer trace, and predicts the rest."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from sansim import _core, arguments
from sansim.adapter.frames import is_trace
from sansim.adapter.intervals import INITIATOR, TARGET, Interval
from sansim.adapter.measured import COLUMNS, Rate, read_rates
from sansim.adapter.models import INITIATOR_TRACE, RATES, TARGET_TRACE, TOGETHER, every_second, one_row_each
from sansim.adapter.simulated import RateBench, TraceBench, rates_system
from sansim.adapter.system import Load, System, made, of_scenario, one_workload
from sansim.adapter.traced import TRACE_COLUMNS, Traced, read_traced
from sansim.files import named, read_bytes
from sansim.fit.beside import Beside, Split, all_beside
from sansim.fit.rows import MeasurementError, choice_of, chosen, used_rows
from sansim.fit.trial import Fitted, Trial, Watch, reason_of, searched_by_one
from sansim.fit.variables import Model

HALF, ONE, MADE = "half", "one", "made"
IOS = 2000
"""I/Os that are simulated of each row of a table."""
TRACE_IOS = 200
"""I/Os of a trace that are looked at, and simulated."""
WAYS = ((-0.3, 0.0), (0.0, 0.3))
"""The effect of a key on rates is measured by large steps, down and up separately.

A small change may make frames meet in another order, so that rates jump for reasons that are not the key's.
"""
TRACE_WAYS = ((-0.1, 0.1),)
"""The same of intervals, which grow in proportion to what they come from but for whole words."""
BLUR_WORDS = 1.5
"""By how many words an interval may be off as frames begin with whole words, of either port."""
KNOWN_TO_WORDS = 2.0
"""No interval is known better than to a word at either end."""
LARGEST_TRACE = 512 << 20
"""Bytes of the longest trace that is read."""
File: TypeAlias = "str | os.PathLike[str]"


class RateRow(Beside[Rate]):
    """A row of a table beside what the fitted adapter does: I/Os per second."""


class IntervalRow(Beside[Interval]):
    """A kind of interval of a trace beside what the fitted adapter does: ns, the mean or the median."""


Rows: TypeAlias = "tuple[RateRow, ...] | tuple[IntervalRow, ...]"


@dataclass(frozen=True)
class AdapterFit(Split[RateRow | IntervalRow]):
    """An adapter that was fitted to measurements, and how far it is from them."""

    files: tuple[str, ...]
    model: str
    """`rates`, or of a trace `initiator` or `target`."""
    system: System
    """The system around the adapter, and the place of its keys."""
    table: dict[str, Any]
    """The keys that were fitted."""
    fitted: tuple[Fitted, ...]
    not_fitted: tuple[tuple[str, str], ...]
    """Keys that could have been fitted, and why they were not."""
    rows: Rows
    beyond: tuple[str, ...]
    """Effects that the rows may contain and the model does not cover."""
    notes: tuple[str, ...]
    """Oddities of the measurements."""
    ios: int
    load: Load | None = None
    """The load of a trace without a scenario."""
    word_ns: float | None = None
    """The time of a word in a trace, which limits the precision of its times."""


@arguments.checked(
    files=arguments.FILES,
    scenario=arguments.FILE.or_none,
    adapter=arguments.TEXT.or_none,
    fit=arguments.KEYS,
    use=arguments.ROWS,
    only=arguments.ROWS,
    settings=arguments.SETTINGS,
    ios=(arguments.WHOLE.or_none, arguments.at_least(1)),
    seed=(arguments.WHOLE.or_none, arguments.at_least(0)),
    progress=arguments.FUNCTION.or_none,
)
def adapter_fit(
    files: Sequence[File] | File,
    *,
    scenario: File | None = None,
    adapter: str | None = None,
    fit: Iterable[str] = (),
    use: Iterable[str] = (),
    only: Iterable[str] = (),
    settings: Mapping[str, str] | Iterable[tuple[str, str]] = (),
    ios: int | None = None,
    seed: int | None = None,
    progress: Watch | None = None,
) -> AdapterFit:
    """Fits an adapter to a table of rates or to an analyzer trace, and predicts what was held out.

    Args:
        files: Tables of comma-separated values with operation, size, depth and rate; or one trace of sansim's form, or
            one capture in pcapng.
        scenario: The system around the adapter; without it each port leads to devices that take no time, at 2GFC.
        adapter: The table of the adapter that is fitted, as `drives.adapter`; all of the hosts if not given.
        fit: Keys that are fitted; all that the rows determine if not given.
        use: The rows that the fit uses; the others are predicted. For a table `half` (if not given), `one` (one row for
            each key), `all`, or the values of columns, as `size=4KiB`; for a trace `made` (if not given: the intervals
            that the adapter makes), `all`, or `interval=...`.
        only: Leaves out all rows but those with these values, as `operation=read`.
        settings: Fixed keys: those of the scenario (`loop.speed`), and of the adapter without a dot.
        ios: How many I/Os of each row are simulated in the end: 2000, of a trace 200, if not given.
        seed: Seed of all runs; that of the scenario, or 1, if not given.
        progress: Called with the progress of the fit.

    Raises:
        MeasurementError: The measurements cannot be used.
        ScenarioError: The scenario or a setting is wrong.
        OSError: A file cannot be read.
    """
    names = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    given = tuple(settings.items() if isinstance(settings, Mapping) else settings)
    asked = Asked(scenario, adapter, tuple(fit), tuple(use), tuple(only), given, seed, progress or (lambda _: None))
    traces = [name for name in names if is_trace(head_of(name))]
    if not traces:
        return rates_fit(names, asked, ios or IOS)
    if len(names) > 1:
        raise MeasurementError(f"{os.fspath(traces[0])} is a trace, and a fit to a trace is to that alone")
    return trace_fit(names[0], asked, ios or TRACE_IOS)


@dataclass(frozen=True)
class Asked:
    """The wishes of the user for a fit."""

    scenario: File | None
    adapter: str | None
    fit: tuple[str, ...]
    use: tuple[str, ...]
    only: tuple[str, ...]
    given: tuple[tuple[str, str], ...]
    seed: int | None
    watch: Watch

    def model(self, model: Model) -> Model:
        """A model of which only the keys are fitted that are asked for.

        Raises:
            MeasurementError: It does not have one of them.
        """
        known = [one.name for one in model.variables]
        for key in self.fit:
            if key not in known:
                near = _core.nearest(key, known)
                hint = "" if near is None else f", did you mean {near}?"
                raise MeasurementError(f"`{key}` is not fitted{hint}; there are {', '.join(known)}")
        if not self.fit:
            return model
        return replace(model, variables=tuple(one for one in model.variables if one.name in self.fit))


def head_of(file: File) -> bytes:
    """How a file begins.

    Raises:
        OSError: It cannot be read.
    """
    return content_of(file)[:64]


def content_of(file: File) -> bytes:
    """The content of a file.

    Raises:
        OSError: It cannot be read, or is larger than what is read of traces.
    """
    try:
        return read_bytes(file, LARGEST_TRACE)
    except OSError as error:
        raise named(error, file) from None


# ---------------------------------------------------------------- a table of rates


def rates_fit(files: Sequence[File], asked: Asked, ios: int) -> AdapterFit:
    """Fits an adapter to rates."""
    measured = read_rates(files)
    rows = chosen(measured.rows, [choice_of(text, COLUMNS) for text in asked.only])
    if not rows:
        raise MeasurementError(f"no row of {', '.join(measured.files)} has {' and '.join(asked.only)}")
    used = used_rows(rows, list(asked.use), {HALF: every_second, ONE: one_row_each}, COLUMNS)
    kept = [row for row in rows if row in used]
    if asked.scenario is not None:
        system = of_scenario(asked.scenario, asked.given, asked.adapter, seed=asked.seed)
        one_workload(system)
        check_places(rows, system)
        bench = RateBench(lambda _: system)
    else:
        bench = RateBench(rates_system(asked.given, asked.adapter, asked.seed))
    system = bench.system(kept[0])
    model = asked.model(RATES)
    keys = system.given_of(one.name for one in model.variables)
    variables, beside = model.fitted(kept, keys)

    def errors(table: Mapping[str, Any], ios: int) -> list[float]:
        """The logarithms of simulated over measured rates."""
        found = bench.rates(table, kept, ios)
        return [math.log(rate / row.iops) for rate, row in zip(found, kept, strict=True)]

    trial = Trial(
        model, variables, beside, errors, rows=len(kept), watch=asked.watch, ways=WAYS, left_out_as=left_out_as(system)
    )
    start = trial.table(tuple(one.start for one in variables))
    for row in kept:
        # An error in the settings is reported at once, rather than that no adapter fits.
        bench.scenario(start, row, ios)
    found = searched_by_one(trial, ios, reason_of(kept, keys), together=TOGETHER)
    return AdapterFit(
        files=measured.files,
        model=model.word,
        system=system,
        table=found.table,
        fitted=found.fitted,
        not_fitted=found.not_fitted,
        rows=tuple(all_beside(RateRow, rows, used, lambda row: bench.rate(found.table, row, ios))),
        beyond=tuple(text for is_there, text in model.beyond if is_there(rows)),
        notes=measured.notes,
        ios=ios,
    )


def left_out_as(system: System) -> str | None:
    """The text for a key that is left out; None if there is none."""
    return None if system.file is None else "as the scenario has it"


def check_places(rows: Sequence[Rate], system: System) -> None:
    """Refuses rows of which some cannot be of a scenario.

    Raises:
        MeasurementError: They were measured with several numbers of ports or devices.
    """
    for column, values in (("ports", {row.ports for row in rows}), ("devices", {row.devices for row in rows})):
        if len(values) > 1:
            told = ", ".join(sorted(str(value or "not said") for value in values))
            raise MeasurementError(
                f"the rows have several numbers of {column} ({told}), and {system.file} has one: choose by --only"
                f" {column}=N, or leave out --scenario"
            )


# ---------------------------------------------------------------- a trace

HELD_BACK = 1e4
"""Words by which an interval is off that a simulation does not have."""


def trace_fit(file: File, asked: Asked, ios: int) -> AdapterFit:
    """Fits an adapter to the intervals of a trace."""
    data = content_of(file)
    system = None
    if asked.scenario is not None:
        system = of_scenario(asked.scenario, asked.given, asked.adapter, seed=asked.seed)
    elif asked.adapter not in (None, "host.adapter", "drives.adapter"):
        raise MeasurementError(
            f"without --scenario there are the adapters `host.adapter` and `drives.adapter`, not `{asked.adapter}`"
        )
    target = asked.adapter == "drives.adapter" if system is None else not system.initiates
    traced = read_traced(data, os.fspath(file), TARGET if target else INITIATOR, ios)
    load = None
    if system is None:
        load = traced.load
        system = made(
            1,
            traced.devices,
            load.queue_depth * traced.devices,
            asked.given,
            seed=1 if asked.seed is None else asked.seed,
            target=target,
        )
    return intervals_fit(TraceBench(system, load, traced), traced, asked)


def intervals_fit(bench: TraceBench, traced: Traced, asked: Asked) -> AdapterFit:
    """The same, when the system around the adapter is known."""
    rows = chosen(traced.intervals, [choice_of(text, TRACE_COLUMNS) for text in asked.only])
    if not rows:
        raise MeasurementError(f"no interval of {traced.recorded.name} has {' and '.join(asked.only)}")

    def made_by_it(rows: Sequence[Interval]) -> set[Interval]:
        return {row for row in rows if row.between.made_by == traced.side}

    used = used_rows(rows, list(asked.use), {MADE: made_by_it}, TRACE_COLUMNS)
    kept = [row for row in rows if row in used]
    if not kept:
        raise MeasurementError(
            f"{traced.recorded.name}: there is no interval that the adapter of the {traced.side} makes; it needs the"
            " frames of both directions"
        )
    model = asked.model(INITIATOR_TRACE if traced.side == INITIATOR else TARGET_TRACE)
    keys = bench.system.given_of(one.name for one in model.variables)
    start = trial_table(model, *model.fitted(kept, keys))
    there = bench.intervals(start)
    if not used - set(made_by_it(rows)) and any(row.asked in there for row in kept):
        # Some are only seen where a trace begins or ends. Rows that the user names are not left out.
        used = {row for row in used if row.asked in there}
        kept = [row for row in kept if row in used]
    variables, beside = model.fitted(kept, keys)
    word = traced.recorded.word_ns or bench.word_ns(start)

    def errors(table: Mapping[str, Any], _: int) -> list[float]:
        """By how many words simulated intervals are longer."""
        found = bench.intervals(table)
        return [(found[row.asked] - row.counts) / word if row.asked in found else HELD_BACK for row in kept]

    trial = Trial(
        model,
        variables,
        beside,
        errors,
        rows=len(kept),
        watch=asked.watch,
        known_to=KNOWN_TO_WORDS,
        exact=0.05,
        ways=TRACE_WAYS,
        blur=BLUR_WORDS,
        left_out_as=left_out_as(bench.system) or "left out",
    )
    ios = len(traced.exchanges)
    found = searched_by_one(trial, ios, reason_of(kept, keys), over_ranges=False, few=ios)
    again = bench.intervals(found.table)
    missing = "the simulation has no such interval: it is asked for something else than the trace has"
    return AdapterFit(
        files=(traced.recorded.name,),
        model=model.word,
        system=bench.system,
        table=found.table,
        fitted=found.fitted,
        not_fitted=found.not_fitted,
        rows=tuple(
            IntervalRow(row, row in used, again.get(row.asked), None if row.asked in again else missing) for row in rows
        ),
        beyond=tuple(text for is_there, text in model.beyond if is_there(rows)),
        notes=traced.notes,
        ios=ios,
        load=bench.load,
        word_ns=word,
    )


def trial_table(model: Model, variables: Sequence[Any], beside: Mapping[str, float]) -> dict[str, Any]:
    """The keys with which a fit begins."""
    return model.table({**beside, **{one.name: one.start for one in variables}}, {})
