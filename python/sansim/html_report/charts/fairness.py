"""How evenly drives are served and stations win the loop."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sansim.html_report.drawing import shortened
from sansim.html_report.figures import per_device, tenancies_by_station
from sansim.html_report.looks import Looks, looks_of
from sansim.html_report.style import INK, RUNS, Chart, plain_ticks, time_unit, zero_based
from sansim.html_report.system import Station, System, devices

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sansim.html_report.folder import RunFolder

NUMBERED = 34
"""With more stations only every few of them get a number."""
LOPSIDED = 8
"""A station with more than so many times the median needs a logarithmic scale."""
LETTER_PT = 5.0
"""About the width of a letter of the axis labels, in points."""


def drives(runs: Sequence[RunFolder], looks: Looks | None = None) -> Chart:
    """Rate and mean response time of each device."""
    shown = looks_of(runs) if looks is None else looks
    caption = "Each device that a workload addresses. Dashed: their mean."
    return Chart("drives", "Rate and response time of each device", caption, 3.6, lambda f: draw_drives(f, runs, shown))


def draw_drives(figure: Figure, runs: Sequence[RunFolder], looks: Looks) -> None:
    """Two panels with the same devices."""
    above, below = figure.subplots(2, 1, sharex=True)
    tables = [per_device(run) for run in runs]
    longest = max(float(table["mean_ns"].max() or 1) for table in tables)  # type: ignore[arg-type]
    size, unit = time_unit(longest)
    for place, (run, table) in enumerate(zip(runs, tables, strict=True)):
        times = [None if v is None else v / size for v in table["mean_ns"].to_list()]
        for axes, values in ((above, table["iops"].to_list()), (below, times)):
            if len(runs) == 1:
                bars(axes, values, [looks.of(name).colour for name in table["name"]])
            else:
                dots(axes, values, place, run.label)
    for axes in (above, below):
        zero_based(axes.yaxis)
    above.set_ylabel("I/Os per second")
    below.set_ylabel(f"mean response\ntime ({unit})")
    if len(runs) > 1:
        above.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2)
    station_axis(below, max((devices(run.summary) for run in runs), key=len))
    for axes in (above, below):
        axes.grid(False, axis="x")


def bars(axes: Axes, values: list[float | None], colours: list[str]) -> None:
    """Bars of a single run in the colours of the components, and a line at their mean."""
    axes.bar(range(len(values)), [value or 0 for value in values], color=colours, width=0.75)
    mean_line(axes, values, INK)


def dots(axes: Axes, values: list[float | None], place: int, label: str) -> None:
    """Dots of one of two runs, and a line at their mean."""
    at = [x + (place - 0.5) * 0.3 for x in range(len(values))]
    size = 4.5 if len(values) <= NUMBERED else 2.6
    pairs = [(x, value) for x, value in zip(at, values, strict=True) if value is not None]
    axes.plot(
        [x for x, _ in pairs], [v for _, v in pairs], "os"[place], color=RUNS[place], markersize=size, label=label
    )
    mean_line(axes, values, RUNS[place])


def mean_line(axes: Axes, values: list[float | None], colour: str) -> None:
    """A dashed line at the mean of the known values."""
    if known := [value for value in values if value is not None]:
        axes.axhline(sum(known) / len(known), color=colour, linewidth=0.8, linestyle="--")


def tenancies(run: RunFolder, system: System, name: str, prefix: str, looks: Looks | None = None) -> Chart:
    """Tenancies, waiting and holding of each station."""
    shown = looks_of([run]) if looks is None else looks
    caption = (
        f"{prefix}Each station that is not passive, in the order of the loop: how often it owned the loop, for which"
        " share of the measured interval, and how long it waited from the begin of arbitration to winning"
        " (bar: mean, dot: p99)."
    )
    return Chart(name, "Tenancies of each station", caption, 4.6, lambda f: draw_tenancies(f, run, system, shown))


def draw_tenancies(figure: Figure, run: RunFolder, system: System, looks: Looks) -> None:
    """Three panels with the same stations."""
    panels = figure.subplots(3, 1, sharex=True)
    table = tenancies_by_station(run, system)
    places = range(table.height)
    longest = float(table["wait_p99_ns"].max() or 1)  # type: ignore[arg-type]
    size, unit = time_unit(longest)
    colours = [looks.of(name).colour for name in table["name"]]
    amounts(panels[0], table["tenancies"].cast(float).to_list(), colours)
    amounts(panels[1], (table["held"] * 100).to_list(), colours)
    panels[2].bar(places, (table["wait_mean_ns"].fill_null(0) / size).to_list(), color=colours, width=0.75)
    panels[2].plot(
        places,
        (table["wait_p99_ns"] / size).to_list(),
        "o",
        color=INK,
        markersize=3 if table.height <= NUMBERED else 2,
    )
    for axes, text in zip(panels, ("tenancies", "loop held (%)", f"wait to win ({unit})"), strict=True):
        axes.set_ylabel(text)
    zero_based(panels[2].yaxis)
    for axes in panels:
        axes.grid(False, axis="x")
    station_axis(panels[2], [station for station in system.stations if station.group.kind != "passive"])


def amounts(axes: Axes, values: list[float], colours: list[str]) -> None:
    """Bars from zero; where one station has many times what others have, dots on a scale of powers of ten."""
    some = sorted(value for value in values if value)
    if not some or some[-1] <= LOPSIDED * some[len(some) // 2]:
        axes.bar(range(len(values)), values, color=colours, width=0.75)
        zero_based(axes.yaxis)
        return
    shown = [place for place, value in enumerate(values) if value]
    size = 16 if len(values) <= NUMBERED else 6
    axes.scatter(shown, [values[place] for place in shown], s=size, c=[colours[place] for place in shown])
    axes.set_yscale("log")
    # A decade at least, or differences of a per cent would look like much.
    axes.set_ylim(10 ** math.floor(math.log10(some[0]) - 0.05), some[-1] * 2)
    plain_ticks(axes.yaxis)


def station_axis(axes: Axes, stations: list[Station]) -> None:
    """The numbers of the stations within their groups, and below them the names of the groups."""
    axes.set_xlim(-0.7, len(stations) - 0.3)
    every = 1 if len(stations) <= NUMBERED else 10
    numbered = [(x, s.index) for x, s in enumerate(stations) if s.group.count > 1 and s.index % every == 0]
    axes.set_xticks([x for x, _ in numbered], [str(index) for _, index in numbered])
    axes.tick_params(axis="x", length=2)
    spans: dict[str, list[int]] = {}
    for x, station in enumerate(stations):
        spans.setdefault(station.group.name, []).append(x)
    per_station = 440 / max(len(stations), 1)
    ends: list[float] = []
    for name, places in spans.items():
        middle = (places[0] + places[-1]) / 2
        text = shortened(name, 20)
        half = len(text) * LETTER_PT / 2
        begin = middle * per_station - half
        # The first line in which nothing is in the way.
        level = next((i for i, end in enumerate(ends) if end < begin), len(ends))
        ends[level : level + 1] = [begin + 2 * half + 4]
        axes.annotate(
            text,
            (middle, 0),
            xycoords=("data", "axes fraction"),
            xytext=(0, -15 - 10 * level),
            textcoords="offset points",
            ha="center",
            va="top",
            fontsize=7.5,
        )
        if places[0] > 0:
            axes.axvline(places[0] - 0.5, color="#bbbbbb", linewidth=0.7)
