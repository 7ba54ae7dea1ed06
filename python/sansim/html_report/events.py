"""Events of a run on its charts over time: those that its scenario plans, and those that happened of themselves.

The clock of charts is that of the scenario: simulated time since the run began, its warm-up included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from sansim import _core
from sansim.html_report.style import INK, WIDTH, time_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sansim.html_report.folder import RunFolder

COLOUR = INK
"""Events have the colour of text everywhere: no component has it, and everyone can tell it from those of components."""
LETTER_PT = 3.9
"""About the width of a letter of the words at marks, in points."""
ROWS = 4
"""So many words stand below each other where marks are close; of more the lines remain."""
FREQUENT = 20
"""More incidents of one kind at one component are one mark, as time-outs are: of as many the summary has each."""
IN_CAPTION = 6
"""So many events are written below a chart; the table of the events has all."""


@dataclass(frozen=True)
class Event:
    """Something that happened at one moment, or lasted for a while."""

    at_s: float
    """Seconds of simulated time."""
    word: str
    """The word at its mark."""
    text: str
    """The event in a few words."""
    until_s: float | None = None
    """The end of an event that lasted; infinite if it had not ended with the run."""


def events_of(run: RunFolder) -> list[Event]:
    """The events of a run, in order of time."""
    found = [*planned(run.scenario), *rebuilds(run), *time_outs(run.summary), *incidents(run.summary)]
    return sorted(found, key=lambda event: event.at_s)


def planned(scenario: Mapping[str, Any]) -> Iterator[Event]:
    """The events that a scenario plans; none that this version cannot read."""
    for event in scenario.get("event") or ():
        try:
            at_s = seconds(event["at"])
        except (KeyError, TypeError, ValueError):
            continue
        word, what = str(event.get("do", "")), str(event.get("what", ""))
        text = f"{word} {what}"
        if word == "change":
            text = f"{word} {what}.{event.get('key', '')} to {event.get('value', '')}"
        yield Event(at_s, word, text)


def seconds(text: str) -> float:
    """A time of a scenario in seconds."""
    return _core.time_ticks(text) / _core.time_ticks("1 s")


def rebuilds(run: RunFolder) -> Iterator[Event]:
    """The rebuilds, from the share of time in which a component rebuilt between two samples.

    A rebuild begins at the end of its first interval less its share of that, and ends so far within its last one.
    """
    import polars as pl

    if run.samples is None:
        return
    rows = run.samples.filter(pl.col("quantity") == "rebuilding").sort("at_ns")
    for (component,), part in rows.partition_by("component", as_dict=True, maintain_order=True).items():
        begin: float | None = None
        before = 0.0
        samples = part.select("at_ns", "value").rows()
        for (last, _), (at, share) in pairwise([(0.0, 0.0), *samples]):
            if begin is None and share:
                begin = at - share * (at - last)
            if begin is not None and share < 1 and (before or not share):
                yield Event(begin / 1e9, "rebuild", f"rebuild of {component}", (last + share * (at - last)) / 1e9)
                begin = None
            before = share
        if begin is not None:
            yield Event(begin / 1e9, "rebuild", f"rebuild of {component}", float("inf"))


def time_outs(summary: Mapping[str, Any]) -> Iterator[Event]:
    """The first time-out; the summary has the times of the first few only."""
    errors = summary.get("errors") or {}
    first = min(errors.get("first_time_outs") or (), key=lambda one: float(one["at_ns"]), default=None)
    if first is not None:
        count = sum(host["time_outs"] for host in errors["hosts"].values())
        what = "time-out" if count == 1 else f"first of {count:,} time-outs"
        yield Event(first["at_ns"] / 1e9, "time-out", f"{what} ({first['host']})")


def incidents(summary: Mapping[str, Any]) -> Iterator[Event]:
    """The incidents of a run, as the summary lists them; of a kind that is frequent at a component the first."""
    listed = summary.get("incidents") or ()
    times = Counter((one["what"], one["component"]) for one in listed)
    drawn = set()
    for one in listed:
        kind = (one["what"], one["component"])
        what, of, until = one["what"].replace("-", " "), one["of"], one["until_ns"]
        if times[kind] > FREQUENT:
            if kind not in drawn:
                yield Event(one["at_ns"] / 1e9, what, f"first of {times[kind]:,} times: {what} ({one['component']})")
            drawn.add(kind)
            continue
        others = f" and {one['count'] - 1:,} more" if one["count"] > 1 else ""
        text = f"{what} ({one['component']}{f': {of}{others}' if of is not None else others})"
        yield Event(one["at_ns"] / 1e9, what, text, None if until is None else until / 1e9)


def together(runs: Sequence[RunFolder]) -> list[Event]:
    """The events of the runs of a chart; one that several have alike is one."""
    found = dict.fromkeys(event for run in runs for event in events_of(run))
    return sorted(found, key=lambda event: event.at_s)


# ---------------------------------------------------------------- on charts


def clock(runs: Sequence[RunFolder]) -> tuple[float, float, float, str]:
    """Begin and end of the measured interval in seconds, and the unit of the axis: its seconds and its name."""
    begins, ends = zip(*(run.interval for run in runs), strict=True)
    size, unit = time_unit(max(ends))
    return min(begins) / 1e9, max(ends) / 1e9, size / 1e9, unit


def axis_label(runs: Sequence[RunFolder]) -> str:
    """The label of an axis of time: the clock, and where the measured interval begins and ends."""
    begin, end, size, unit = clock(runs)
    return f"simulated time ({unit}); measured from {begin / size:,.4g} to {end / size:,.4g} {unit}"


def mark(panels: Sequence[Axes], runs: Sequence[RunFolder], width: float = WIDTH) -> None:
    """Draws the events into panels that share the clock, each with its word at the top of each panel.

    Args:
        panels: The panels. Their limits are those of the measured interval.
        runs: The runs of the chart.
        width: About the width of a panel in inches, by which words that would cover another are moved down.
    """
    begin, end, size, _ = clock(runs)
    found = together(runs)
    for axes in panels:
        mark_between(axes, found, begin, end, size, width)


def mark_between(
    axes: Axes, events: Sequence[Event], begin: float, end: float, size: float, width: float, origin: float = 0.0
) -> None:
    """Draws the events between two moments into a panel whose axis begins at `begin` and ends at `end`, in seconds.

    A unit of the axis is so many seconds, `size`, and its zero is at `origin`.
    """
    ends: list[float] = []
    for event in within(events, begin, end):
        at = max(event.at_s, begin)
        if event.until_s is not None:
            until = min(event.until_s, end)
            axes.axvspan(
                (at - origin) / size, (until - origin) / size, color=COLOUR, alpha=0.08, linewidth=0, zorder=0.5
            )
            axes.axvline((until - origin) / size, color=COLOUR, linewidth=0.5, linestyle=(0, (1, 2)), zorder=3)
        axes.axvline((at - origin) / size, color=COLOUR, linewidth=0.8, linestyle=(0, (4, 2)), zorder=3)
        place = (at - begin) / (end - begin) * width * 72 if end > begin else 0.0
        wide = len(event.word) * LETTER_PT + 6
        # At the right edge the word is on the left of its line.
        left = place + wide > width * 72
        start = place - wide if left else place
        row = next((row for row, taken in enumerate(ends) if taken <= start), len(ends))
        if row < ROWS:
            ends[row : row + 1] = [start + wide]
            word(axes, event.word, (at - origin) / size, row, left)


def word(axes: Axes, text: str, at: float, row: int, left: bool) -> None:
    """A word at a mark, on paper so that it can be read over lines."""
    axes.annotate(
        text,
        (at, 1),
        xycoords=axes.get_xaxis_transform(),
        xytext=(-3 if left else 3, -2 - 9 * row),
        textcoords="offset points",
        ha="right" if left else "left",
        va="top",
        fontsize=6.5,
        color=COLOUR,
        bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.8},
        zorder=4,
    )


def within(events: Sequence[Event], begin: float, end: float) -> list[Event]:
    """The events that can be seen between two times in seconds."""
    return [one for one in events if one.at_s <= end and (one.at_s if one.until_s is None else one.until_s) >= begin]


def caption(runs: Sequence[RunFolder]) -> str:
    """The sentence below a chart about its marks; empty without any."""
    begin, end, _, _ = clock(runs)
    drawn = within(together(runs), begin, end)
    if not drawn:
        return ""
    texts = [when(event) for event in drawn[:IN_CAPTION]]
    more = f"; and {len(drawn) - IN_CAPTION:,} more" if len(drawn) > IN_CAPTION else ""
    return f" Marked: {'; '.join(texts)}{more}."


def interval_text(run: RunFolder) -> str:
    """The clock of the charts, and where the measured interval is on it."""
    begin, end = (time_text(moment / 1e9, 4) for moment in run.interval)
    before = ", after the warm-up" if run.interval[0] else ""
    return (
        "times are those of the scenario, in which an event has its `at`."
        f" The measured interval is from {begin} to {end}{before}."
    )


def when(event: Event) -> str:
    """An event with its time."""
    if event.until_s is None:
        return f"{event.text} at {time_text(event.at_s)}"
    ends = "the end" if event.until_s == float("inf") else time_text(event.until_s)
    return f"{event.text} from {time_text(event.at_s)} to {ends}"


def time_text(seconds: float, digits: int = 6) -> str:
    """A moment in the unit that suits it, as a scenario would say it."""
    size, unit = time_unit(seconds * 1e9)
    return f"{seconds * 1e9 / size:.{digits}g} {unit}"
