"""The tables of the page: cells that show a number and carry it exactly."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sansim.bounds_text import bounds
from sansim.catalogue import figure, label_of, place_of, segment_label
from sansim.doubts import UNSTABLE, is_unstable, marked, mean_time, precision, streams_of
from sansim.html_report import events, figures
from sansim.html_report.charts.usage import uses
from sansim.html_report.figures import Difference, Metric, difference
from sansim.html_report.system import System
from sansim.html_report.topology import micro
from sansim.number_text import MB, MIB, duration, in_unit, percent, quantity

if TYPE_CHECKING:
    from sansim.html_report.folder import RunFolder

MINUS = "\N{MINUS SIGN}"
TIMES = ("mean", "ci95", "min")
ZERO = re.compile(r"[±+\N{MINUS SIGN}-]?0(\.0+)?( .+)?")
"""The text of a number that is zero, whatever its unit is."""
MOST_EVENTS = 12
"""More events are a table that is shown on demand."""


@dataclass(frozen=True)
class Cell:
    """A cell. One with a metric carries its value for programs that read the page."""

    text: str
    metric: str | None = None
    value: float | None = None
    run: int = 1
    word: bool = False
    """Words stand left, numbers right."""


@dataclass
class Table:
    """A table of the page."""

    head: list[str]
    rows: list[list[Cell]] = field(default_factory=list)
    caption: str = ""
    folded: str = ""
    """If not empty the table is shown on demand, under this line."""
    foot: str = ""
    """A line below the table."""
    whole: bool = True
    """Whether all columns are shown, also one in which every row is zero."""


def word(text: str) -> Cell:
    """A cell with words."""
    return Cell(text, word=True)


def shown(value: float | None, kind: str) -> str:
    """A value as people read it; see `Metric.kind`."""
    if value is None:
        return "-"
    match kind:
        case "ns":
            return micro(duration(value))
        case "s":
            return micro(duration(value * 1e9))
        case "share":
            return percent(value)
        case "count":
            return f"{value:,.0f}"
    return quantity(value)


def signed(value: float | None, kind: str) -> str:
    """A difference with its sign; of shares in percentage points."""
    if value is None:
        return "-"
    sign = MINUS if value < 0 else "+" if value > 0 else "\N{PLUS-MINUS SIGN}"
    text = f"{abs(value) * 100:.1f} points" if kind == "share" else shown(abs(value), kind)
    return f"{sign}{text}"


def metric_cell(metric: Metric, run: int = 1) -> Cell:
    """A cell with a headline number."""
    return Cell(shown(metric.value, metric.kind), metric.key, metric.value, run)


def bounds_table(run: RunFolder, prefix: str) -> Table:
    """Every bound that applies beside what was simulated."""
    table = Table(["", "bound", "simulated", "simulated / bound"], caption=f"{prefix}bounds")
    for one in bounds(run.summary):
        if one.not_applicable is None:
            share = "-" if one.share is None else f"{one.share:.3f}"
            both = [Cell(in_unit(value, one.unit)) for value in (one.bound, one.simulated)]
            table.rows.append([word(one.label), *both, Cell(share)])
    return table


def without_zeros(table: Table) -> Table:
    """A table without the columns in which every row is zero or unknown; a line below says which those are."""
    if table.whole or not table.rows or not table.head:
        return table
    said: dict[str, list[str]] = {}
    kept = []
    for place, head in enumerate(table.head):
        texts = {row[place].text for row in table.rows}
        number = not any(row[place].word for row in table.rows)
        if number and texts == {"-"}:
            said.setdefault("Not known in any row", []).append(head.replace("\n", " "))
        elif number and all(ZERO.fullmatch(text) for text in texts):
            exact = not any(row[place].value for row in table.rows)
            how = "Zero in every row" if exact else "Rounded to zero in every row"
            said.setdefault(how, []).append(head.replace("\n", " "))
        else:
            kept.append(place)
    if not said:
        return table
    return replace(
        table,
        head=[table.head[place] for place in kept],
        rows=[[row[place] for place in kept] for row in table.rows],
        foot=" ".join(f"{how}: {', '.join(names)}." for how, names in said.items()),
    )


def events_table(run: RunFolder, prefix: str) -> Table:
    """The events of a run; also those before and after the measured interval, which charts do not show."""
    begin, end = (moment / 1e9 for moment in run.interval)
    found = events.events_of(run)
    lasting = any(event.until_s is not None for event in found)
    table = Table([f"{prefix}event", "at", *(["until"] if lasting else []), "in the measured interval"])
    drawn = events.within(found, begin, end)
    for event in found:
        until = "-"
        if event.until_s is not None:
            until = "the end" if event.until_s == math.inf else events.time_text(event.until_s)
        table.rows.append(
            [
                word(event.text),
                Cell(events.time_text(event.at_s)),
                *([Cell(until)] if lasting else []),
                word("yes" if event in drawn else "before it" if event.at_s < begin else "after it"),
            ]
        )
    if len(found) > MOST_EVENTS:
        table.folded = f"Every event of {run.label}"
    return table


# ---------------------------------------------------------------- headline


def parts_of(run: RunFolder) -> list[tuple[str, str, Mapping[str, Any]]]:
    """Name, start of the names of its metrics, and figures: of all I/Os, and of each direction if there are both."""
    summary = run.summary
    parts = {name: summary.get(name) or {} for name in ("reads", "writes")}
    both = summary["ios"] and all(part.get("ios") for part in parts.values())
    return [("all", "", summary), *((name, f"{name}_", part) for name, part in (parts if both else {}).items())]


def marked_cells(run: RunFolder, row: Sequence[Metric]) -> list[Cell]:
    """The cells of some metrics; those that are not as precise as was asked for are marked."""
    cells = [metric_cell(metric) for metric in row]
    return [
        replace(cell, text=marked(run.summary, metric.path, cell.text)) for metric, cell in zip(row, cells, strict=True)
    ]


def rates(run: RunFolder) -> Table:
    """Rates of all I/Os, of the reads and of the writes."""
    summary = run.summary
    table = Table(["", "I/Os", "IOPS", "± 95 %", "MB/s\n(10⁶)", "MiB/s\n(2²⁰)"])
    for name, start, part in parts_of(run):
        whole = name == "all"
        part_of = "" if whole else f"{name}."
        seconds = summary["simulated_s"]
        iops = summary["iops"] if whole else part["ios"] / seconds
        rate = summary["bytes_per_second"] if whole else part["bytes"] / seconds
        row = [
            Metric(f"{start}ios", "", part["ios"], f"{part_of}ios"),
            Metric(f"{start}iops", "", iops, "iops" if whole else ""),
            Metric(f"{start}iops_ci95", "", summary.get("iops_ci95") if whole else None, "iops_ci95"),
            Metric(f"{start}mb_per_s", "", rate / MB, "bytes_per_second" if whole else ""),
            Metric(f"{start}mib_per_s", "", rate / MIB, "bytes_per_second" if whole else ""),
        ]
        table.rows.append([word(name), *marked_cells(run, row)])
    return table


def response_times(run: RunFolder) -> Table:
    """Response times of all I/Os, of the reads and of the writes."""
    keys = (*TIMES, *figures.labels_of(run.summary["response_time_ns"] or {}))
    table = Table(["response time", "mean", "± 95 %", *(key.replace("_", ".") for key in keys[2:])])
    for name, start, part in parts_of(run):
        times = (part.get("response_time_ns") or {}) if part["ios"] else {}
        at = f"{'' if name == 'all' else f'{name}.'}response_time_ns"
        row = [Metric(f"{start}response_{key}_ns", "", times.get(key), f"{at}.{key}") for key in keys]
        mean, *rest = marked_cells(run, row)
        table.rows.append([word(name), replace(mean, text=UNSTABLE) if is_unstable(part) else mean, *rest])
    return table


def compared(runs: Sequence[RunFolder]) -> Table:
    """The headline numbers of two runs with their differences."""
    first, second = runs
    table = Table(["", first.label, second.label, "difference", "in %"])
    other = {metric.key: metric for metric in figures.headline(second.summary)}
    for metric in figures.headline(first.summary):
        twin = other.get(metric.key, Metric(metric.key, metric.label, None, metric.path))
        # How sure a figure is, is not a figure to be compared.
        change = Difference(None, None) if "_ci95" in metric.key else difference(metric.value, twin.value)
        table.rows.append(
            [
                word(metric.label),
                metric_cell(metric, 1),
                metric_cell(twin, 2),
                Cell(signed(change.absolute, metric.kind), f"{metric.key}_difference", change.absolute),
                percent_cell(change.percent, metric.key),
            ]
        )
    return table


def percent_cell(value: float | None, key: str) -> Cell:
    """A difference in per cent."""
    return Cell(signed_percent(value), f"{key}_percent", value)


def signed_percent(value: float | None) -> str:
    """A difference in per cent with its sign."""
    sign = "" if not value else MINUS if value < 0 else "+"
    return "-" if value is None else f"{sign}{abs(value):.1f} %"


def facts(runs: Sequence[RunFolder]) -> Table:
    """The runs, and the software that made them."""
    found = [run.summary.get("statistics") or {} for run in runs]
    rows: list[tuple[str, list[Any], str | None, str]] = [
        ("scenario", [run.summary.get("title", "") for run in runs], None, ""),
        ("run folder", [run.path.name for run in runs], None, ""),
        ("version of sansim", [run.run.get("version", "-") for run in runs], "version", ""),
        ("seed", [run.summary.get("seed") for run in runs], "seed", ""),
        ("loop model", [run.run.get("loop", "-") for run in runs], "loop_model", ""),
        ("simulated time, measured", [run.summary["simulated_s"] for run in runs], "simulated_s", "s"),
        ("I/Os left out as warm-up", [run.summary.get("warm_up_ios") for run in runs], "warm_up_ios", "count"),
        ("method of the intervals", [statistics.get("mean_method", "-") for statistics in found], None, ""),
        ("doubts about them", ["; ".join(statistics.get("doubts", [])) or "-" for statistics in found], None, ""),
        ("precision", [precision(statistics) or "-" for statistics in found], None, ""),
    ]
    table = Table(["", *(run.label for run in runs)] if len(runs) > 1 else [])
    for name, values, key, kind in rows:
        if all(value == "-" for value in values):
            continue
        cells = [
            Cell(shown(value, kind) if kind else str(value), key, value, place, word=True)
            for place, value in enumerate(values, start=1)
        ]
        table.rows.append([word(name), *cells])
    return table


def scenario_table(runs: Sequence[RunFolder]) -> Table:
    """The keys in which two scenarios differ."""
    table = Table(["key", *(run.label for run in runs)])
    for row in figures.scenario_differences(runs[0].scenario, runs[1].scenario):
        table.rows.append([word(text) for text in row])
    return table


def parts_tables(run: RunFolder, prefix: str) -> list[Table]:
    """The results of each workload with its streams, where there are several."""
    found: Mapping[str, Any] = run.summary.get("workloads") or {}
    if len(found) < 2 and not any(map(streams_of, found.values())):
        return []
    table = Table(part_head(f"{prefix}workload"), whole=False)
    for name, part in found.items():
        table.rows.append(part_row(name, f"workloads_{name}", part))
        for stream, of in streams_of(part).items():
            table.rows.append(part_row(f"{name}, {stream}", f"workloads_{name}_streams_{stream}", of))
    return [table]


def hosts_tables(run: RunFolder, prefix: str) -> list[Table]:
    """The results of each of several hosts, in all and at each device; and the traffic of each of several adapters."""
    hosts: Mapping[str, Any] = run.summary.get("hosts") or {}
    found = []
    if len(hosts) > 1:
        table = Table(part_head(f"{prefix}host"), whole=False)
        table.rows += [part_row(name, f"hosts_{name}", part) for name, part in hosts.items()]
        found.append(table)
    at = Table(
        ["host", "device", "I/Os", "failed", "share", "IOPS", "MB/s\n(10⁶)", "under\nway", "mean\nresponse"],
        folded=f"Each host of {run.label} at each device",
        whole=False,
    )
    for name, host in hosts.items():
        for device, part in (host.get("devices") or {}).items():
            row = part_row(device, f"hosts_{name}_devices_{device}", part)
            at.rows.append([word(name), *row[:8]])
    kinds = [("host", "driver and adapter")] if len(hosts) > 1 else []
    told = [component_figures(run, kind, f"{prefix}{title}") for kind, title in [*kinds, ("adapter", "adapter")]]
    return found + [table for table in (at, *told) if table.rows]


def component_figures(run: RunFolder, kind: str, title: str) -> Table:
    """The figures of the components of a kind, with the names that the native part gives them."""
    found = {name: of for name, of in run.summary["components"].items() if of["kind"] == kind}
    keys = list(dict.fromkeys(key for of in found.values() for key in of if key not in ("kind", "count")))
    labels = [label_of(f"components.{name}.{key}") for name in list(found)[:1] for key in keys]
    # A word a line, as there are many columns.
    table = Table([title, *(label.replace(" ", "\n") for label in labels)], whole=False)
    for name, of in found.items():
        cells = [Cell(shown(of.get(key), kind_of(name, key)), f"use_{name}_{key}", of.get(key)) for key in keys]
        table.rows.append([word(name), *cells])
    return table


def kind_of(component: str, key: str) -> str:
    """How a figure of a component is shown."""
    known = figure(f"components.{component}.{key}")
    return "" if known is None else known.unit


def part_head(title: str) -> list[str]:
    """The columns of `part_row`."""
    times = ["mean\nresponse", "± 95 %", "p50", "p99"]
    return [title, "I/Os", "failed", "share", "IOPS", "MB/s\n(10⁶)", "under\nway", *times]


def part_row(name: str, key: str, part: Mapping[str, Any]) -> list[Cell]:
    """The results of a workload, a stream, a host or a device. Results of earlier versions lack some."""
    times = part["response_time_ns"] or {}
    failed, under_way = part.get("failed_ios"), part.get("under_way")
    return [
        word(name),
        Cell(f"{part['ios']:,}"),
        Cell(shown(failed, "count"), f"{key}_failed_ios", failed),
        Cell(percent(part["share"]), f"{key}_share", part["share"]),
        Cell(quantity(part["iops"]), f"{key}_iops", part["iops"]),
        Cell(quantity(part["bytes_per_second"] / MB)),
        Cell("-" if under_way is None else quantity(under_way, 3), f"{key}_under_way", under_way),
        Cell(micro(mean_time(part)), f"{key}_mean_ns", times.get("mean")),
        Cell(shown(times.get("ci95"), "ns")),
        Cell(shown(times.get("p50"), "ns")),
        Cell(shown(times.get("p99"), "ns")),
    ]


# ---------------------------------------------------------------- ledger and requests


def ledger_table(runs: Sequence[RunFolder]) -> Table:
    """Mean time in each segment at each place; with two runs side by side."""
    ledgers = [run.summary["ledger_ns"] for run in runs]
    names = [name for name in dict.fromkeys(s for run in runs for s in run.lines) if in_ledger(name, ledgers)]
    head = ["place", "segment"]
    for run in runs:
        start = f"{run.label}\n" if len(runs) > 1 else ""
        head += [f"{start}mean", *(["share"] if len(runs) == 1 else []), f"{start}slowest 1 %"]
    table = Table(head + (["difference\nof the means", "in %"] if len(runs) > 1 else []))
    totals = [{key: sum(ledger[key].values()) for key in ("mean", "slowest_percent")} for ledger in ledgers]
    for name in [*names, "response_time"]:
        row = (
            [word(""), word("response time")]
            if name == "response_time"
            else [word(place_of(name)), word(segment_label(name))]
        )
        means = []
        for place, (ledger, total) in enumerate(zip(ledgers, totals, strict=True), start=1):
            sums = name == "response_time"
            mean = total["mean"] if sums else ledger["mean"].get(name, 0.0)
            slow = total["slowest_percent"] if sums else ledger["slowest_percent"].get(name, 0.0)
            means.append(mean)
            row.append(Cell(shown(mean, "ns"), f"ledger_mean_{name}_ns", mean, place))
            if len(runs) == 1:
                row.append(Cell(percent(mean / total["mean"]) if total["mean"] else "-"))
            row.append(Cell(shown(slow, "ns"), f"ledger_slowest_{name}_ns", slow, place))
        if len(runs) > 1:
            change = difference(*means)
            row.append(Cell(signed(change.absolute, "ns"), f"ledger_mean_{name}_difference", change.absolute))
            row.append(percent_cell(change.percent, f"ledger_mean_{name}"))
        table.rows.append(row)
    return table


def in_ledger(name: str, ledgers: Sequence[dict[str, Any]]) -> bool:
    """Whether a segment occurs at all."""
    return any(ledger[key].get(name) for ledger in ledgers for key in ("mean", "slowest_percent"))


def requests_table(run: RunFolder, requests: list[tuple[str, dict[str, Any]]], prefix: str) -> Table:
    """The requests of the waterfall."""
    columns = run.ios.columns
    extra = [(key, title) for key, title in (("io", "I/O"), ("lba", "LBA")) if key in columns]
    table = Table(
        ["", *(title for _, title in extra), "drive", "kind", "bytes", "issued at", "completed at", "response"]
    )
    for why, io in requests:
        issued = io.get("issued_ns", io["completed_ns"] - io["response_time_ns"])
        table.rows.append(
            [
                word(prefix + why),
                *(Cell(f"{io[key]:,}") for key, _ in extra),
                word(io.get("station") or str(io["drive"])),
                word(io.get("operation") or ("write" if io["write"] else "read")),
                Cell(f"{io['bytes']:,}"),
                *(Cell(f"{moment / 1e6:,.6f} ms") for moment in (issued, io["completed_ns"])),
                Cell(shown(io["response_time_ns"], "ns")),
            ]
        )
    return table


def uses_table(run: RunFolder, place: int) -> Table:
    """The shares behind the bars of the utilisation."""
    table = Table(["", "busy", "least used", "most used"], folded=f"Utilisation of {run.label} in numbers")
    for use in uses(run):
        share = Cell(percent(use.share), f"use_{use.key}", use.share, place)
        table.rows.append([word(use.label), share, *(Cell(percent(side)) for side in (use.low, use.high))])
    return table


# ---------------------------------------------------------------- fairness


def fairness_table(runs: Sequence[RunFolder]) -> Table:
    """Indices of fairness, of all devices and of each group."""
    table = Table(
        [
            "",
            "devices",
            "IOPS,\nleast",
            "IOPS,\nmost",
            "least /\nmost",
            "Jain's\nindex",
            "mean response,\nshortest",
            "mean response,\nlongest",
        ]
    )
    for place, run in enumerate(runs, start=1):
        prefix = f"{run.label}: " if len(runs) > 1 else ""
        for row in figures.fairness(figures.per_device(run)):
            key = "" if row.group == "all devices" else f"{row.group}_"
            table.rows.append(
                [
                    word(prefix + row.group),
                    Cell(f"{row.drives:,}"),
                    Cell(quantity(row.iops_min)),
                    Cell(quantity(row.iops_max)),
                    Cell(index(row.ratio), f"{key}drive_iops_min_max_ratio", row.ratio, place),
                    Cell(index(row.jain), f"{key}drive_iops_jain", row.jain, place),
                    Cell(shown(row.mean_min_ns, "ns")),
                    Cell(shown(row.mean_max_ns, "ns")),
                ]
            )
    return table


def index(value: float | None) -> str:
    """An index between zero and one."""
    return "-" if value is None else f"{value:.4f}"


def devices_table(run: RunFolder) -> Table:
    """Every device, below what their groups got as wholes."""
    table = Table(part_head("device"), folded=f"Every device of {run.label}", whole=False)
    groups: Mapping[str, Any] = run.summary.get("device_groups") or {}
    for name, group in groups.items():
        if group["count"] > 1:
            table.rows.append(part_row(f"{name} ({group['count']})", f"device_groups_{name}", group))
    for name, device in run.summary["devices"].items():
        table.rows.append(part_row(name, f"devices_{name}", device))
    return table


def tenancies_table(run: RunFolder, system: System) -> Table:
    """Every station that is not passive."""
    head = ["station", "tenancies", "loop held", "wait to win,\nmean", "wait to win,\np99"]
    table = Table(head, folded=f"Every station of {system.loop}, {run.label}")
    for row in figures.tenancies_by_station(run, system).rows(named=True):
        table.rows.append(
            [
                word(row["name"]),
                Cell(f"{row['tenancies']:,}"),
                Cell(percent(row["held"])),
                Cell(shown(row["wait_mean_ns"], "ns")),
                Cell(shown(row["wait_p99_ns"], "ns")),
            ]
        )
    return table
