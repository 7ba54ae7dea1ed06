"""The share of each of several hosts in each device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sansim.html_report.charts.fairness import NUMBERED, station_axis
from sansim.html_report.looks import Looks, looks_of, without_numbers
from sansim.html_report.style import FAINT, SERIES, Chart, time_unit, toned, zero_based
from sansim.html_report.system import devices

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sansim.html_report.folder import RunFolder

LIGHTEST = 0.78
"""The tone of the last member of a group: so far towards white."""
EDGE = {"edgecolor": FAINT, "linewidth": 0.3}
"""The outline of bars, by which the lightest is seen on paper."""
REST = "other hosts"
"""Hosts for which there is no colour are one."""


def hosts_of(run: RunFolder) -> Mapping[str, Any]:
    """The hosts by name; none in results of versions that did not tell them apart at each device."""
    found: Mapping[str, Any] = run.summary.get("hosts") or {}
    return found if len(found) > 1 and all(host.get("devices") for host in found.values()) else {}


def at_devices(run: RunFolder, name: str, prefix: str, looks: Looks | None = None) -> Chart | None:
    """Rate and mean response time of each host at each device; None if there is only one host."""
    if not hosts_of(run):
        return None
    shown = looks_of([run]) if looks is None else looks
    caption = (
        f"{prefix}Each device that a workload addresses. Above: the I/Os a second of the hosts, one upon the other."
        " Below: the mean response time of each host there."
    )
    return Chart(name, "What each host got of each device", caption, 3.8, lambda figure: draw(figure, run, shown))


def draw(figure: Figure, run: RunFolder, looks: Looks) -> None:
    """Two panels with the same devices."""
    above, below = figure.subplots(2, 1, sharex=True)
    hosts, names = hosts_of(run), list(run.summary["devices"])
    parts = [[host["devices"].get(name) for name in names] for host in hosts.values()]
    means = [[mean_of(part) for part in row] for row in parts]
    size, unit = time_unit(max((mean for row in means for mean in row if mean is not None), default=1.0))
    bottom = [0.0] * len(names)
    colours = colours_of(list(hosts), looks)
    for number, (host, row, times) in enumerate(zip(hosts, parts, means, strict=True)):
        told = number < len(SERIES)
        colour = colours[number] if told else FAINT
        # A name that begins with an underscore would be left out, and so are all of the rest but the first.
        label = (host.lstrip("_") or "-") if told else REST if number == len(SERIES) else "_"
        rates = [part["iops"] if part else 0.0 for part in row]
        above.bar(range(len(names)), rates, bottom=bottom, color=colour, width=0.75, label=label, **EDGE)
        bottom = [below_it + rate for below_it, rate in zip(bottom, rates, strict=True)]
        known = [(x, mean / size) for x, mean in enumerate(times) if mean is not None]
        dot = 4.5 if len(names) <= NUMBERED else 2.6
        below.plot(
            [x for x, _ in known],
            [mean for _, mean in known],
            "o",
            color=colour,
            markersize=dot,
            markeredgecolor=FAINT,
            markeredgewidth=0.4,
        )
    for axes in (above, below):
        zero_based(axes.yaxis)
        axes.grid(False, axis="x")
    above.set_ylabel("I/Os per second")
    below.set_ylabel(f"mean response\ntime ({unit})")
    above.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=4)
    station_axis(below, devices(run.summary))


def colours_of(hosts: Sequence[str], looks: Looks) -> list[str]:
    """The colours of hosts: those of their components, in lighter and lighter tones for the members of a group."""
    groups: dict[str, list[str]] = {}
    for host in hosts:
        groups.setdefault(without_numbers(host), []).append(host)
    tones = {
        host: LIGHTEST * number / max(min(len(group), len(SERIES)) - 1, 1)
        for group in groups.values()
        for number, host in enumerate(group)
    }
    return [toned(looks.of(host).colour, min(tones[host], LIGHTEST)) for host in hosts]


def mean_of(part: Mapping[str, Any] | None) -> float | None:
    """The mean response time of a part, if it has one."""
    times = part["response_time_ns"] if part else None
    return times["mean"] if times else None
