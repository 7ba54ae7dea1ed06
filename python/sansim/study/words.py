"""A study in words: how far it is, what failed, how two designs compare."""

from __future__ import annotations

from collections.abc import Sequence

from sansim.study.compare import Difference
from sansim.study.points.plan import Plan
from sansim.study.session import Outcome
from sansim.study.table.text import NOTHING, markdown_table
from sansim.study.verdict import MISS, MISSING, PASS

FAILURES_SHOWN = 10
"""Most failed runs that are shown one by one."""
MISSES_SHOWN = 20
"""Most expected values that are shown one by one."""


def summary(outcome: Outcome) -> str:
    """A study in a few lines: how much of it there is, and the verdicts."""
    study = outcome.study
    runs = len({job.key for job in outcome.plan.all_jobs()})
    lines = [f"{study.name}: {study.title}"]
    done = f"{runs - outcome.missing} of {counted(runs, 'run')}" if outcome.missing else counted(runs, "run")
    lines.append(f"  {done}, {counted(len(outcome.plan.points), 'point')}, {counted(len(study.metrics), 'metric')}")
    if outcome.imprecise:
        within = f"{100 * (study.replications.within or 0.0):g} %"
        more = counted(outcome.imprecise, "point")
        lines.append(f"  more replications to come: {more} known less well than within {within}")
    judged = [verdict.verdict for verdict in outcome.verdicts]
    if judged:
        counts = ", ".join(f"{judged.count(name)} {name}" for name in (PASS, MISS, MISSING) if name in judged)
        lines.append(f"  expected values: {counts or 'none that a run can judge'}")
    missed = [
        f"    {verdict.verdict}: {verdict.target} {verdict.metric}{f' at {verdict.where}' if verdict.where else ''}"
        for verdict in outcome.verdicts
        if verdict.verdict == MISS
    ]
    lines += missed[:MISSES_SHOWN]
    if len(missed) > MISSES_SHOWN:
        lines.append(f"    and {len(missed) - MISSES_SHOWN} more")
    return "\n".join(lines)


def counted(count: int, noun: str) -> str:
    """A number of things."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def warnings(made: Plan) -> list[str]:
    """The suspicious values in the scenarios of a study: a line, however many points have it."""
    if not made.warnings:
        return []
    lines = next(iter(made.warnings.values()))
    count, total = len(made.warnings), len(made.points)
    return [f"{line} (at {count} of {counted(total, 'point')})" for line in lines]


def failures(outcome: Outcome) -> str:
    """Why runs failed, as far as it is shown."""
    study = outcome.study
    lines = [f"{counted(len(outcome.failures), 'run')} of {study.name} failed:"]
    where = {
        job.key: (places, number if len(jobs) > 1 else None)
        for places, jobs in outcome.plan.jobs.items()
        for number, job in enumerate(jobs)
    }
    for key, message in list(outcome.failures.items())[:FAILURES_SHOWN]:
        places, number = where[key]
        replication = "" if number is None else f", replication {number + 1}"
        point = study.in_words(places) or "the only point"
        lines.append(f"  {point}{replication}: {message.strip()}")
    if len(outcome.failures) > FAILURES_SHOWN:
        lines.append(f"  and {len(outcome.failures) - FAILURES_SHOWN} more")
    return "\n".join(lines)


def uncomputed(outcome: Outcome, metrics: Sequence[str] = ()) -> str:
    """The metrics that could not be computed, as far as shown; empty if all could.

    Args:
        outcome: The study with what was found.
        metrics: Only these; all if not given.
    """
    by_reason: dict[tuple[str, str], list[str]] = {}
    for lack in outcome.uncomputed:
        if not metrics or lack.metric in metrics:
            by_reason.setdefault((lack.metric, lack.why), []).append(lack.where)
    lines = []
    for (metric, why), places in by_reason.items():
        at = f" at {places[0]}" if places[0] else ""
        more = f" and at {counted(len(places) - 1, 'more point')}" if len(places) > 1 else ""
        lines.append(f"error: {outcome.study.file}: `{metric}` cannot be computed{at}{more}: {why}")
    if len(lines) > FAILURES_SHOWN:
        rest = len(lines) - FAILURES_SHOWN
        lines[FAILURES_SHOWN:] = [f"error: {outcome.study.file}: and so are {rest} more"]
    return "\n".join(lines)


def comparison(rows: Sequence[Difference], names: tuple[str, str]) -> str:
    """A table of differences."""
    header = ["point", "metric", names[0], names[1], "difference", "gain"]
    lines = []
    for row in rows:
        half = row.difference.half_width_95
        between = f"{row.difference.mean:+.4g}" + ("" if half is None else f" ± {half:.2g}")
        gain = NOTHING if row.gain is None else f"{row.gain:+.2f} %"
        metric = f"{row.metric} [{row.unit}]" if row.unit else row.metric
        lines.append([row.where or "all", metric, f"{row.first:.5g}", f"{row.second:.5g}", between, gain])
    methods = "; ".join(dict.fromkeys(row.difference.method for row in rows))
    known = any(row.difference.half_width_95 is not None for row in rows)
    begin = "± is half the width of the 95 % confidence interval. Method: " if known else "Difference: "
    return f"{markdown_table(header, lines, right=range(2, 6))}\n{begin}{methods}."
