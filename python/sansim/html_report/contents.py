"""The content of the page, section by section."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sansim import _core, error_text
from sansim.bounds_text import without_bound
from sansim.components import Graph
from sansim.doubts import IMPRECISE, UNSETTLED, drifts_of, is_imprecise, precision
from sansim.html_report import decisions, events, tables, ways
from sansim.html_report.charts import distribution, fairness, hosts, ledger, over_time, requests, usage
from sansim.html_report.fabric import fabric
from sansim.html_report.figures import chosen
from sansim.html_report.graph import graph
from sansim.html_report.looks import Looks, looks_of
from sansim.html_report.system import System, read_systems
from sansim.html_report.tables import Table
from sansim.html_report.topology import same_ring, topology
from sansim.number_text import duration
from sansim.rule_text import rule_cost

if TYPE_CHECKING:
    from sansim.html_report.folder import RunFolder
    from sansim.html_report.style import Chart

SUFFIXES = ("-first", "-second")
GROWING = ("response-times", "over-time", "fairness")
"""Sections whose times depend on the length of the run if it is unstable."""
NO_IOS = "No I/O was measured, so there is nothing to show here."


@dataclass
class Section:
    """A part of the page with a heading."""

    name: str
    title: str
    charts: list[Chart] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def sections(runs: Sequence[RunFolder], progress: Callable[[float], object] | None = None) -> list[Section]:
    """The sections of the page of one run or of two; `progress` is called with the share of the sections made."""
    systems = [read_systems(run.scenario) for run in runs]
    looks = looks_of(runs)

    def times(section: Section) -> None:
        section.charts.append(distribution.response_times(runs))

    makers: list[Callable[[], Section | Iterable[Section]]] = [
        lambda: with_ios("ledger", "Where the time goes", runs, lambda s: add_ledger(s, runs)),
        lambda: rules(runs),
        lambda: with_ios("response-times", "Response times", runs, times),
        lambda: with_ios("over-time", "Over time", runs, lambda s: add_over_time(s, runs, looks)),
        lambda: waterfalls(runs),
        lambda: utilisation(runs, looks),
        lambda: with_ios("fairness", "Fairness between devices", runs, lambda s: add_fairness(s, runs, looks)),
        lambda: hosts_and_ways(runs, looks),
        lambda: tenancies(runs, systems, looks),
        lambda: numbers(runs),
        lambda: [differences(runs)] if len(runs) > 1 else [],
        lambda: system(runs, systems, looks),
        lambda: scenario(runs),
    ]
    found: list[Section] = []
    for number, make in enumerate(makers, 1):
        made = make()
        found += [made] if isinstance(made, Section) else made
        if progress is not None:
            progress(number / len(makers))
    for section in found:
        section.tables = [tables.without_zeros(table) for table in section.tables]
    return found


def with_ios(name: str, title: str, runs: Sequence[RunFolder], fill: Callable[[Section], None]) -> Section:
    """A section that needs I/Os of every run."""
    section = Section(name, title)
    if all(run.ios.height for run in runs):
        fill(section)
        if name in GROWING:
            section.notes += [
                f"{prefix}a workload is unstable, so the times here depend on the length of the run"
                for run, _, prefix in each(runs)
                if run.summary.get("unstable")
            ]
            section.notes += [
                f"{prefix}the state of the system drifts, so the times here are not what they will be"
                for run, _, prefix in each(runs)
                if drifts_of(run.summary)
            ]
    else:
        section.notes.append(NO_IOS)
    return section


def each(runs: Sequence[RunFolder]) -> Iterator[tuple[RunFolder, str, str]]:
    """Each run with a suffix for the names of its charts and a prefix for its captions."""
    for run, suffix in zip(runs, SUFFIXES, strict=False):
        yield run, suffix if len(runs) > 1 else "", f"{run.label}: " if len(runs) > 1 else ""


def numbers(runs: Sequence[RunFolder]) -> Section:
    """All figures of the summary, and what was run."""
    section = Section("numbers", "All figures")
    if len(runs) > 1:
        section.tables.append(tables.compared(runs))
    else:
        section.tables += [tables.rates(runs[0]), tables.response_times(runs[0])]
    for run, _, prefix in each(runs):
        section.tables += tables.parts_tables(run, prefix)
        if run.summary.get("bounds"):
            section.tables.append(tables.bounds_table(run, prefix))
            section.notes += [f"{prefix}{line}" for line in without_bound(run.summary)]
    section.tables.append(tables.facts(runs))
    for run, _, prefix in each(runs):
        section.notes += [f"{prefix}warning: {warning}" for warning in run.summary.get("warnings") or ()]
        section.notes += [f"{prefix}errors: {line}" for line in error_text.lines(run.summary, duration)]
        statistics = run.summary.get("statistics") or {}
        if is_imprecise(statistics):
            section.notes.append(f"{IMPRECISE} {prefix}{precision(statistics)}")
    return section


def differences(runs: Sequence[RunFolder]) -> Section:
    """The differences between the scenarios of the runs."""
    section = Section("differences", "What the scenarios differ in")
    table = tables.scenario_table(runs)
    if table.rows:
        section.tables.append(table)
    else:
        section.notes.append("The resolved scenarios are the same.")
    return section


def system(runs: Sequence[RunFolder], systems: Sequence[Sequence[System]], looks: Looks) -> Section:
    """The graph and the loops; once if both runs have the same."""
    section = Section("topology", "System")
    graphs = [graph_of(run) for run in runs]
    same = graphs[0] == graphs[-1]
    for (_, suffix, prefix), found in list(zip(each(runs), graphs, strict=True))[: 1 if same else None]:
        if found is not None:
            section.charts.append(graph(found, "graph" if same else f"graph{suffix}", "" if same else prefix, looks))
    for (_, suffix, prefix), found in list(zip(each(runs), graphs, strict=True))[: 1 if same else None]:
        section.charts += fabrics(found, "" if same else suffix, "" if same else prefix, looks)
    caption = "The loop with its stations in order; words run clockwise. Lines beside a symbol say what it stands for."
    alone = [loops[0] for loops in systems if len(loops) == 1]
    if len(runs) == 1 and alone:
        section.charts.append(topology(runs, alone, "topology", caption, looks))
    elif len(runs) == 2 and len(alone) == 2 and same_ring(*alone):
        both = f" Where the runs differ: {runs[0].label} | {runs[1].label}."
        section.charts.append(topology(runs, alone, "topology", caption + both, looks))
    else:
        for (run, suffix, prefix), loops in zip(each(runs), systems, strict=True):
            for loop, mark, start in each_loop(loops, suffix, prefix):
                section.charts.append(topology([run], [loop], f"topology{mark}", start + caption, looks))
    return section


def fabrics(found: Graph | None, suffix: str, prefix: str, looks: Looks) -> Iterator[Chart]:
    """A chart of each fabric of a graph."""
    components = found.components if found is not None else ()
    kinds = {one.name: one.kind for one in components}
    several = [one for one in components if one.inside is not None]
    for one in several:
        name = f"fabric{suffix}" + (f"-{one.name}" if len(several) > 1 else "")
        yield fabric(one, kinds, name, prefix, looks)


def graph_of(run: RunFolder) -> Graph | None:
    """The graph of a run's scenario; None if this version cannot read that."""
    try:
        return Graph.of(_core.Scenario.parse(run.scenario_text, "scenario.toml", []))
    except _core.ScenarioError:
        return None


def add_over_time(section: Section, runs: Sequence[RunFolder], looks: Looks) -> None:
    """Throughput and response times, of each run the rates of its workloads and streams, and its events."""
    section.notes += [f"{prefix}{events.interval_text(run)}" for run, _, prefix in each(runs)]
    section.charts.append(over_time.throughput(runs))
    made = (over_time.rates(run, f"rates-over-time{suffix}", prefix, looks) for run, suffix, prefix in each(runs))
    section.charts += [chart for chart in made if chart is not None]
    section.tables += [table for run, _, prefix in each(runs) if (table := tables.events_table(run, prefix)).rows]


def add_ledger(section: Section, runs: Sequence[RunFolder]) -> None:
    """Stacked bars and the numbers behind them; neither if a run has no ledger, as it is unstable."""
    section.notes += [f"{prefix}{UNSETTLED}" for run, _, prefix in each(runs) if run.summary["ledger_ns"] is None]
    if not section.notes:
        section.charts.append(ledger.ledger(runs))
        section.tables.append(tables.ledger_table(runs))


def waterfalls(runs: Sequence[RunFolder]) -> Section:
    """Single requests of each run."""
    section = Section("waterfall", "Single requests")
    for run, suffix, prefix in each(runs):
        kept = ways.chosen_ways(run)
        shown = kept or chosen(run)
        if not shown:
            section.notes.append(f"{prefix}{NO_IOS}")
            continue
        draw = requests.true_places if kept else requests.waterfall
        section.charts.append(draw(run, shown, f"waterfall{suffix}", prefix))
        section.tables.append(tables.requests_table(run, shown, prefix))
    return section


def utilisation(runs: Sequence[RunFolder], looks: Looks) -> Section:
    """Bars from the summary, lines from the samples."""
    section = Section("utilisation", "Utilisation and queues")
    section.charts.append(usage.utilisation(runs, looks))
    section.tables += [tables.uses_table(run, place) for place, run in enumerate(runs, start=1)]
    for run, suffix, prefix in each(runs):
        if run.samples is None:
            section.notes.append(
                f"{prefix}the run folder has no samples.parquet, so utilisation and queues over time are left out."
            )
            continue
        if run.samples.is_empty():
            section.notes.append(f"{prefix}no samples were taken, so utilisation and queues over time are left out.")
            continue
        made = (
            usage.shares_over_time(run, f"utilisation-over-time{suffix}", prefix, looks),
            usage.queues_over_time(run, f"queues{suffix}", prefix, looks),
        )
        section.charts += [chart for chart in made if chart is not None]
        for unit, title, drawn in zip(
            ("share", "count"), ("utilisation", "queues, buffers and credit"), made, strict=True
        ):
            if drawn is None and (still := usage.still_text(usage.panels_of(run, unit))):
                section.notes.append(f"{prefix}{title} over time are not drawn, as nothing happens there: {still}.")
    return section


def add_fairness(section: Section, runs: Sequence[RunFolder], looks: Looks) -> None:
    """Rates of the devices and indices over them."""
    if all(len(run.summary["devices"]) == 1 for run in runs):
        section.notes += [
            f"{prefix}the only device is `{next(iter(run.summary['devices']))}`." for run, _, prefix in each(runs)
        ]
    else:
        section.charts.append(fairness.drives(runs, looks))
        section.tables.append(tables.fairness_table(runs))
    section.tables += [tables.devices_table(run) for run in runs]


def hosts_and_ways(runs: Sequence[RunFolder], looks: Looks) -> list[Section]:
    """The results of each of several hosts, at each device too, and the traffic of each of several adapters."""
    section = Section("hosts", "Hosts and ways")
    for run, suffix, prefix in each(runs):
        chart = hosts.at_devices(run, f"hosts{suffix}", prefix, looks) if run.ios.height else None
        section.charts += [] if chart is None else [chart]
        section.tables += tables.hosts_tables(run, prefix)
    return [section] if section.charts or section.tables else []


def rules(runs: Sequence[RunFolder]) -> list[Section]:
    """The rules of the user: what they cost, and what they decided if the run recorded it."""
    section = Section("rules", "Rules of your own")
    for run, _, prefix in each(runs):
        section.notes += [f"{prefix}{rule_cost(rule)}" for rule in run.run.get("rules", ())]
        if run.decisions is not None:
            section.tables += decisions.decisions_tables(run, run.decisions, prefix)
    return [section] if section.notes or section.tables else []


def tenancies(runs: Sequence[RunFolder], systems: Sequence[Sequence[System]], looks: Looks) -> list[Section]:
    """The tenancies of each loop, and the waits for it; nothing of systems without a loop."""
    most = max(map(len, systems))
    if not most:
        return []
    section = Section("tenancies", "Tenancies of the loops" if most > 1 else "Tenancies of the loop")
    for (run, suffix, prefix), loops in zip(each(runs), systems, strict=True):
        if not loops:
            section.notes.append(f"{prefix}this system has no loop.")
        elif run.tenancies is None:
            section.notes.append(f"{prefix}the run folder has no tenancies.parquet, so tenancies are left out.")
        elif run.tenancies.is_empty():
            section.notes.append(f"{prefix}no station owned a loop in the measured interval.")
        else:
            for loop, mark, start in each_loop(loops, suffix, prefix):
                section.charts.append(fairness.tenancies(run, loop, f"tenancies{mark}", start, looks))
                section.tables.append(tables.tenancies_table(run, loop))
    return [section]


def each_loop(loops: Sequence[System], suffix: str, prefix: str) -> Iterator[tuple[System, str, str]]:
    """Each loop of a run with a suffix for the names of its charts and a prefix for their captions."""
    for loop in loops:
        several = len(loops) > 1
        yield loop, f"{suffix}-{loop.loop}" if several else suffix, f"{prefix}{loop.loop}: " if several else prefix


def scenario(runs: Sequence[RunFolder]) -> Section:
    """The scenarios in full; the template shows their text."""
    return Section("scenario", "Resolved scenario" if len(runs) == 1 else "Resolved scenarios")
