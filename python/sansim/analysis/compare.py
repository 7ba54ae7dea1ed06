"""Two designs side by side on the same random numbers: their differences with intervals, and where these come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from sansim.catalogue import line_label, waits
from sansim.number_text import duration, quantity
from sansim.percentiles import ordinal
from sansim.study.measure.statistics import over_replications, paired_difference
from sansim.text_blocks import ROW, wrapped

if TYPE_CHECKING:
    from sansim._core import Scenario
    from sansim.result import Result
    from sansim.study.measure.statistics import Estimate

LEAST_LINE = 0.02
"""Smallest share of all differences of a ledger line that is shown to a person."""
LINES = 10
WIDTH = 80


@dataclass(frozen=True)
class Difference:
    """A metric of both designs, and by how much it is larger in the second."""

    metric: str
    label: str
    first: Estimate
    second: Estimate
    difference: Estimate

    @property
    def relative(self) -> float | None:
        """The difference over the first; None if that is zero."""
        return self.difference.mean / self.first.mean if self.first.mean else None

    @property
    def is_certain(self) -> bool:
        """Whether the interval of the difference leaves zero out."""
        half = self.difference.half_width_95
        return half is not None and abs(self.difference.mean) > half

    def as_json(self) -> dict[str, Any]:
        """As `sansim compare --json` has it."""
        return {
            "first": self.first.mean,
            "second": self.second.mean,
            "difference": self.difference.mean,
            "ci95": self.difference.half_width_95,
            "relative": self.relative,
            "is_certain": self.is_certain,
        }


@dataclass(frozen=True)
class Segment:
    """How much longer an I/O is in a line of the ledger with the second design."""

    line: str
    difference: Estimate

    def as_json(self) -> dict[str, Any]:
        """As `sansim compare --json` has it."""
        return {
            "line": self.line,
            "waits": waits(self.line),
            "difference_ns": self.difference.mean,
            "ci95_ns": self.difference.half_width_95,
        }


@dataclass(frozen=True)
class Comparison:
    """Two designs side by side."""

    titles: tuple[str, str]
    seeds: tuple[int, ...]
    metrics: tuple[Difference, ...]
    """Without those that one of the designs does not have, as response times of what is unstable."""
    segments: tuple[Segment, ...]
    """The segments of the mean I/O, the largest difference first."""
    lacking: tuple[tuple[str, tuple[str, ...]], ...]
    """Metrics that cannot be compared, each with the designs of which not every run has it."""

    @property
    def missing(self) -> tuple[str, ...]:
        """Metrics that cannot be compared, and why, as `sansim compare --json` has it."""
        return tuple(f"{label}: not every run of {' and '.join(of)} has one" for label, of in self.lacking)

    def as_json(self) -> dict[str, Any]:
        """As `sansim compare --json` has it."""
        return {
            "titles": list(self.titles),
            "seeds": list(self.seeds),
            "metrics": {one.metric: one.as_json() for one in self.metrics},
            "comes_from": [one.as_json() for one in self.segments],
            "missing": list(self.missing),
        }

    def text(self) -> str:
        """For a person."""
        return "".join(f"{part}\n" for line in comparison_text(self) for part in wrapped(line, WIDTH))


Metrics: TypeAlias = Mapping[str, tuple[str, Callable[[Mapping[str, Any]], float | None]]]

METRICS: Metrics = {
    "iops": ("IOPS", lambda summary: summary["iops"]),
    "bytes_per_second": ("bytes per second", lambda summary: summary["bytes_per_second"]),
    "response_time_ns.mean": ("mean response time", lambda summary: response(summary, "mean")),
    "response_time_ns.p99": ("99th percentile", lambda summary: response(summary, "p99")),
}
"""The metrics that are always compared: the label, and the function that reads it from a summary."""


def metrics_with(percentiles: Sequence[str]) -> Metrics:
    """The compared metrics, with more percentiles of response times behind them."""
    more: Metrics = {
        f"response_time_ns.{word}": (ordinal(word), lambda summary, word=word: response(summary, word))  # type: ignore[misc]
        for word in percentiles
    }
    return {**METRICS, **more}


def response(summary: Mapping[str, Any], which: str) -> float | None:
    """A response time; None where there is none."""
    value: float | None = (summary["response_time_ns"] or {}).get(which)
    return value


def compare(
    first: Callable[[int], Scenario],
    second: Callable[[int], Scenario],
    titles: tuple[str, str],
    *,
    seed: int,
    replications: int,
    run: Callable[[Scenario], Result],
    percentiles: Sequence[str] = (),
    keeps_pairs: bool = False,
) -> Comparison:
    """Runs both designs with the same seeds and takes the differences pair by pair.

    Args:
        first: Reads the one with a seed.
        second: The other.
        titles: What they are called.
        seed: The first seed; the others follow it.
        replications: How many runs of each.
        run: How one is simulated, with these percentiles.
        percentiles: Percentiles of response times that are compared, too.

        keeps_pairs: Whether Ctrl-C leaves a comparison of the pairs that are complete by then, with their seeds.

    Raises:
        KeyboardInterrupt: Ctrl-C ended a run, and no pair was complete or pairs are not kept.
    """
    seeds = tuple(range(seed, seed + replications))
    pairs: list[tuple[dict[str, Any], ...]] = []
    for one in seeds:
        try:
            pairs.append(tuple(run(read(one)).summary for read in (first, second)))
        except KeyboardInterrupt:
            if not (keeps_pairs and pairs):
                raise
            break
    seeds = seeds[: len(pairs)]
    metrics, lacking = [], []
    for metric, (label, of) in metrics_with(percentiles).items():
        values = [[of(summary) for summary in design] for design in zip(*pairs, strict=True)]
        known = [[value for value in design if value is not None] for design in values]
        if any(len(design) < len(seeds) for design in known):
            lacking.append(
                (label, tuple(title for title, design in zip(titles, known, strict=True) if len(design) < len(seeds)))
            )
            continue
        a, b = known
        metrics.append(Difference(metric, label, over_replications(a), over_replications(b), paired_difference(b, a)))
    return Comparison(titles, seeds, tuple(metrics), segments(pairs), tuple(lacking))


def segments(pairs: Sequence[Sequence[Mapping[str, Any]]]) -> tuple[Segment, ...]:
    """Where the difference of the mean response times comes from: what an I/O is longer in each line of the ledger."""
    ledgers: list[list[Mapping[str, float]]] = [
        [(summary.get("ledger_ns") or {}).get("mean") or {} for summary in pair] for pair in pairs
    ]
    if not all(ledger for pair in ledgers for ledger in pair):
        return ()
    lines = sorted({line for pair in ledgers for ledger in pair for line in ledger})
    found = []
    for line in lines:
        a, b = ([pair[which].get(line, 0.0) for pair in ledgers] for which in (0, 1))
        found.append(Segment(line, paired_difference(b, a)))
    return tuple(sorted(found, key=lambda one: -abs(one.difference.mean)))


def comparison_text(comparison: Comparison) -> list[str]:
    """The lines for the terminal, not wrapped."""
    first, second = comparison.titles
    count = len(comparison.seeds)
    lines = [
        f"A  {first}",
        f"B  {second}",
        f"Both were run {'once' if count == 1 else f'{count} times'} with the same random numbers.",
        "The column +- has the 95 % interval of B - A.",
        "",
        f"{ROW}{'':20}{'A':>14}{'B':>14}{'B - A':>14}{'+-':>12}",
    ]
    for one in comparison.metrics:
        show = duration if "response" in one.metric else quantity
        half = one.difference.half_width_95
        within = "-" if half is None else show(half)
        lines.append(
            f"{ROW}{one.label:20}{show(one.first.mean):>14}{show(one.second.mean):>14}{show(one.difference.mean):>14}{within:>12}"
        )
    for label, of in comparison.lacking:
        lines.append(f"The {label} is not compared: not every run of {' and '.join(of)} has one.")
    lines += ["", *verdicts(comparison)]
    large = sum(abs(one.difference.mean) for one in comparison.segments)
    shown = [one for one in comparison.segments[:LINES] if abs(one.difference.mean) > LEAST_LINE * large]
    if shown:
        lines += ["", "The difference of the mean response time comes from:"]
    for segment in shown:
        half = segment.difference.half_width_95
        within = "" if half is None else f" +- {duration(half)}"
        kind = "waiting" if waits(segment.line) else "work"
        sign = "+" if segment.difference.mean > 0 else "-"
        lines.append(f"  {sign}{duration(abs(segment.difference.mean))}{within}  {line_label(segment.line)} ({kind})")
    return lines


def verdicts(comparison: Comparison) -> list[str]:
    """The better design, or that the difference is not significant."""
    said = []
    for metric, more, less in (
        ("iops", "B has {} more IOPS.", "B has {} fewer IOPS."),
        (
            "response_time_ns.mean",
            "B is slower: its mean response time is {} longer.",
            "B is faster: its mean response time is {} shorter.",
        ),
    ):
        one = next((one for one in comparison.metrics if one.metric == metric), None)
        if one is None:
            continue
        part = "-" if one.relative is None else f"{100 * abs(one.relative):.1f} %"
        if one.is_certain:
            said.append((more if one.difference.mean > 0 else less).format(part))
        elif one.difference.half_width_95 is None:
            said.append(f"{one.label}: one run of each cannot separate a difference from chance; try --replications 5.")
        elif one.difference.mean == 0 and one.difference.half_width_95 == 0:
            said.append(f"{one.label}: no run has a difference.")
        else:
            more_runs = 2 * len(comparison.seeds)
            said.append(
                f"{one.label}: the difference is not significant; --replications {more_runs} narrows its interval."
            )
    return said
