"""The result table for a person: rates, response times, utilisations, and where the time went.

Plain text, so that it reads the same on a terminal, in a pipe and in a file.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from sansim import error_text
from sansim import percentiles as named_percentiles
from sansim.bounds_text import bounds
from sansim.catalogue import figures_of_components, place_of, segment_label, shares, waits
from sansim.doubts import (
    DRIFTING,
    IMPRECISE,
    UNSETTLED,
    UNSTABLE,
    doubts_of,
    drifts_of,
    instability,
    is_imprecise,
    is_unstable,
    marked,
    mean_time,
    precision,
    settling,
    streams_of,
    unsteadiness,
    with_key,
    workloads_of,
)
from sansim.number_text import COUNTED, MB, MIB, counted_text, duration, in_unit, percent, plus_minus, quantity
from sansim.rule_text import rule_cost
from sansim.saturation import limit

TITLES = {"workloads": "Workload", "hosts": "Host", "device_groups": "Devices"}
"""The groups of parts that are shown where there are several workloads or hosts."""
MOST_PARTS = 16
"""More are a table of the report page, and not one of a terminal."""
EIGHTHS = " ▏▎▍▌▋▊▉█"
WAITS = "░"
PLAIN = str.maketrans({**dict.fromkeys("█▉▊▋▌", "#"), **dict.fromkeys("▍▎▏", " "), WAITS: ".", "±": "~"})
NARROWEST = 80
"""The tables need this many columns; a narrower terminal wraps."""
SMALLEST = 0.001
"""Rows with a smaller share are left out of tables of shares, unless all rows are asked for."""
SHORTEST_BAR = 8
LONGEST_NOTE = 24
"""A longer note beside a bar is on the next line."""


def report(
    summary: Mapping[str, Any],
    run: Mapping[str, Any],
    *,
    width: int = 80,
    wall_time: bool = True,
    devices: bool = False,
    all_rows: bool = False,
) -> str:
    """The whole report, ending in a line break. Only the line of the wall time differs from run to run.

    No line is longer than the width.

    Args:
        summary: What `sansim run --json` says under `summary`.
        run: What it says under `run`.
        width: Columns of the terminal.
        wall_time: Whether to say how long the run took.
        devices: Whether to show every device, and each host at each, however many there are.
        all_rows: Whether to show rows with a share under 0.1 %.
    """
    width = max(width, NARROWEST)
    blocks = [heading(summary, run if wall_time else {}, width), rates(summary)]
    if summary["ios"]:
        blocks.append(response_times(summary))
    if several(summary):
        blocks += [parts(summary, kind, width) for kind in TITLES]
    elif any(map(streams_of, workloads_of(summary).values())):
        blocks.append(parts(summary, "workloads", width))
    if devices:
        blocks.append(each_device(summary, width))
    if len(summary.get("hosts") or ()) > 1:
        blocks.append(counted(summary, "host", "Driver", width))
    blocks.append(counted(summary, "adapter", "Adapter", width))
    rows = Rows(all_rows)
    blocks += [errors(summary, width), utilisations(summary, width, rows), bounded(summary, width)]
    blocks += [ledger(summary, width, rows), rows.foot()]
    texts = ["".join(f"{line}\n" for whole in block for line in fitted(whole.rstrip(), width)) for block in blocks]
    return "\n".join(text for text in texts if text)


class Rows:
    """The rows of tables of shares: which are shown, and how many are left out."""

    def __init__(self, every: bool = True) -> None:
        """Shows all rows, or only those whose share is not too small."""
        self.every = every
        self.left_out = 0

    def shows(self, *of: float) -> bool:
        """Whether a row is shown: if one of its shares is not too small. Counts it if it is left out."""
        shown = self.every or any(share >= SMALLEST for share in of)
        self.left_out += not shown
        return shown

    def foot(self) -> Iterator[str]:
        """The line about rows that were left out."""
        if self.left_out:
            rows, them = ("row", "it") if self.left_out == 1 else ("rows", "them")
            are = "is" if self.left_out == 1 else "are"
            yield f"{self.left_out:,} {rows} under {SMALLEST * 100:g} % {are} left out; --all shows {them}"


def fitted(line: str, width: int) -> list[str]:
    """A line, or the lines that it needs at this width."""
    if len(line) <= width:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    return textwrap.wrap(line, width, subsequent_indent=f"{indent}    ", break_on_hyphens=False, drop_whitespace=True)


def named(name: str, columns: int, cells: str) -> Iterator[str]:
    """A row of a table; a name that is longer than its columns is on a line of its own."""
    if len(name) > columns:
        yield name
        name = ""
    yield f"{name:<{columns}}{cells}"


def errors(summary: Mapping[str, Any], width: int) -> Iterator[str]:
    """The errors, if there were any."""
    lines = error_text.lines(summary, duration)
    if lines:
        yield "Errors in the whole run"
    for line in lines:
        yield from textwrap.wrap(line, width, initial_indent="  ", subsequent_indent="      ")


def plain(text: str) -> str:
    """A report without the characters that an old terminal's encoding lacks."""
    return text.translate(PLAIN)


def headline(summary: Mapping[str, Any]) -> str:
    """The figures that everyone looks for first, in a line."""
    parts = [f"{quantity(summary['iops'])} IOPS", f"{quantity(summary['bytes_per_second'] / MB)} MB/s"]
    if summary["ios"]:
        parts.append(f"mean response time {mean_time(summary)}")
    parts.append(f"{summary['ios']:,} I/Os")
    if drifts_of(summary):
        parts.append("not steady")
    if summary["stopped_early"]:
        parts.append("stopped early")
    return ", ".join(parts)


def bar(share: float, width: int) -> str:
    """A bar that is full at a share of 1."""
    eighths = round(min(max(share, 0.0), 1.0) * width * 8)
    return EIGHTHS[8] * (eighths // 8) + (EIGHTHS[eighths % 8] if eighths % 8 else "")


def waiting_bar(share: float, width: int) -> str:
    """The bar of something that waits: lighter, and in whole characters, for there are no eighths of that tone."""
    return WAITS * round(min(max(share, 0.0), 1.0) * width)


def heading(summary: Mapping[str, Any], run: Mapping[str, Any], width: int) -> Iterator[str]:
    """The scenario of the run; without wall time if nothing is known of this very run."""
    title = summary.get("title") or "Result"
    yield title if len(title) <= width else title[: width - 3] + "..."
    if found := limit(summary):
        yield from wrapped(found, width)
    warm_up = f", {summary['warm_up_ios']:,} left out as warm-up" if summary.get("warm_up_ios") else ""
    yield (
        f"{summary['ios']:,} I/Os measured in {duration(summary['simulated_s'] * 1e9)}{warm_up}; seed {summary['seed']}"
    )
    if run:
        # Without a loop it does not matter which of the two equal ones would have been used.
        which = f", {run['loop']} loop" if run.get("loop") else ""
        pace = quantity(run["simulated_per_wall"], 3)
        yield f"{duration(run['wall_s'] * 1e9)} of wall time, {pace} x real time{which}"
    for rule in (run or {}).get("rules", ()):
        yield from wrapped(rule_cost(rule), width)
    if summary.get("failed_ios"):
        yield f"{summary['failed_ios']:,} of the I/Os failed."
    if summary["stopped_early"]:
        yield "STOPPED EARLY: the figures are those up to that moment."
    if found := instability(summary):
        yield from wrapped(f"UNSTABLE: {found}.", width)
    if found := unsteadiness(summary):
        mark = f"{DRIFTING} marks figures that have not settled."
        yield from wrapped(f"NOT STEADY: {found}. {settling(summary)}{mark}", width)
    yield from reliability(summary, width)
    for warning in summary.get("warnings") or ():
        yield from wrapped(f"WARNING: {warning}.", width)


def wrapped(text: str, width: int) -> list[str]:
    """A sentence on as many lines as it needs; names are not broken at their hyphens."""
    return textwrap.wrap(text, width, break_on_hyphens=False)


def reliability(summary: Mapping[str, Any], width: int) -> Iterator[str]:
    """Whether the precision that was asked for was reached, and what else speaks against the intervals."""
    statistics: Mapping[str, Any] = summary.get("statistics") or {}
    text = precision(statistics)
    if text:
        mark = f" {IMPRECISE} marks it below." if is_imprecise(statistics) else ""
        yield from wrapped(text + mark, width)
    said = {instability(summary), f"the state of the system is not steady: {'; '.join(drifts_of(summary))}"}
    if doubts := [with_key(doubt, not summary.get("unstable")) for doubt in doubts_of(summary) if doubt not in said]:
        yield from wrapped("INTERVALS IN DOUBT: " + "; ".join(doubts) + ".", width)


def kinds_of(summary: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The figures of each kind of I/O, if there are several kinds."""
    kinds = {name: summary.get(name) or {} for name in ("reads", "writes", "flushes", "deallocations")}
    kinds = {name: part for name, part in kinds.items() if part.get("ios")}
    return kinds if len(kinds) > 1 else {}


def rates(summary: Mapping[str, Any]) -> Iterator[str]:
    """I/Os and bytes a second; each kind of I/O apart if there are several. Flushes and deallocations move no data."""
    interval = summary.get("iops_ci95")
    spread = f"   {plus_minus(interval / summary['iops'])}" if interval is not None and summary["iops"] else ""
    rows = [("all", summary["iops"], summary["bytes_per_second"])]
    kinds = kinds_of(summary) if summary["simulated_s"] else {}
    all_ios = sum(part["ios"] for part in kinds.values())
    moved = {name: part["bytes"] if name in {"reads", "writes"} else 0 for name, part in kinds.items()}
    for name, part in kinds.items():
        # Shares of the rate of all, which knows over which time it was measured.
        rate = summary["bytes_per_second"] * moved[name] / (sum(moved.values()) or 1)
        rows.append((name, summary["iops"] * part["ios"] / all_ios, rate))
    names = max(10, *(len(name) for name, *_ in rows))
    head = f"{'Rate':<{names + 2}}{'IOPS':>12}{'MB/s (10^6)':>14}{'MiB/s (2^20)':>15}"
    yield head + ("   95 % interval" if spread else "")
    for name, iops, rate in rows:
        cells = [quantity(iops), quantity(rate / MB), quantity(rate / MIB)]
        places = ("iops", "bytes_per_second", "bytes_per_second") if name == "all" else ("", "", "")
        cells = [marked(summary, place, cell) for place, cell in zip(places, cells, strict=True)]
        row = f"  {name:<{names}}{cells[0]:>12}{cells[1]:>14}{cells[2]:>15}"
        yield row + (spread if name == "all" else "")


def response_times(summary: Mapping[str, Any]) -> Iterator[str]:
    """Mean with interval, and percentiles; each kind of I/O apart if there are several."""
    rows = [("all", summary["response_time_ns"])]
    rows += [(name, part["response_time_ns"]) for name, part in kinds_of(summary).items()]
    batches = (summary.get("statistics") or {}).get("response_time_ns")
    method = f" by {batches['batches']} batch means of {batches['ios_per_batch']:,} I/Os" if batches else ""
    if is_unstable(summary):
        yield f"{'Response time':<15}{UNSTABLE:>10}"
        return
    yield f"{'Response time':<15}{'mean':>10}   95 % interval{method}"
    for name, times in rows:
        interval = times.get("ci95")
        spread = f"   ± {duration(interval)}" if interval is not None else ""
        mean = duration(times["mean"])
        mean = marked(summary, "response_time_ns.mean" if name == "all" else "", mean)
        yield f"  {name:<13}{mean:>10}{spread}"
    yield ""
    names = max(6, *(len(name) for name, _ in rows))
    # Two characters fewer for each column where names are long, so that the table fits 80 characters.
    wide = 12 if names == 6 else 10
    keys = ("min", *named_percentiles.in_order(summary["response_time_ns"]), "max")
    room = (NARROWEST - names - 2) // wide
    for columns in (keys[at : at + room] for at in range(0, len(keys), room)):
        yield " " * (names + 2) + "".join(f"{key.replace('_', '.'):>{wide}}" for key in columns)
        for name, times in rows:
            place = "response_time_ns" if name == "all" else ""
            cells = [marked(summary, f"{place}.{key}", duration(times.get(key))) for key in columns]
            yield f"  {name:<{names}}" + "".join(f"{cell:>{wide}}" for cell in cells)


def utilisations(summary: Mapping[str, Any], width: int, rows: Rows) -> Iterator[str]:
    """The utilisation of each component; a note that is too long is below its row."""
    shown = [row for row in utilisation_rows(summary) if rows.shows(row[1], row[3])]
    if not shown:
        return
    notes = max(len(note) if len(note) <= LONGEST_NOTE else 0 for _, _, note, _ in shown)
    # Indent, share, bar, and the blanks before the bar and before the note.
    fixed = 2 + 9 + 2 + SHORTEST_BAR + (notes + 2 if notes else 0)
    names = min(max(len(name) for name, *_ in shown), width - fixed)
    room = min(SHORTEST_BAR + width - fixed - names, 40)
    yield "Utilisation"
    for name, share, note, _ in shown:
        beside = note if len(note) <= LONGEST_NOTE else ""
        yield from named(f"  {name}", names + 2, f"{percent(share):>9}  {bar(share, room):<{room}}  {beside}")
        if note != beside:
            yield from textwrap.wrap(note, width, initial_indent=" " * 6, subsequent_indent=" " * 6)


def uses(figures: Mapping[str, Any]) -> Iterator[tuple[str, str, float, tuple[float, float] | None]]:
    """The utilisations of a component: name, what it is called, share, and of a group that of its least and most used.

    Whatever is a share of the time is one; the native part says what is.
    """
    for key, what in shares().items():
        share = figures.get(key)
        if share:
            several = figures.get("count", 1) > 1 and f"{key}_max" in figures
            yield key, what, share, (figures[f"{key}_min"], figures[f"{key}_max"]) if several else None


def fullest_link(summary: Mapping[str, Any], network: str) -> tuple[float, str] | None:
    """The share of the time in which the fullest link of a network carried frames, and its two ends."""
    link = (summary.get("fullest_links") or {}).get(network)
    return (link["utilisation"], f"{link['from']} to {link['to']}") if link else None


def utilisation_rows(summary: Mapping[str, Any]) -> Iterator[tuple[str, float, str, float]]:
    """Name, share, note and greatest share of everything that was used at all; of a network its fullest link first."""
    for name, figures in summary["components"].items():
        if link := fullest_link(summary, name):
            yield f"{name} fullest link", *link, link[0]
        for _, what, share, ends in uses(figures):
            note = "" if ends is None else f"each {percent(ends[0])} to {percent(ends[1])}"
            yield f"{name} {what}", share, note, share if ends is None else ends[1]


def parts(summary: Mapping[str, Any], kind: str, width: int) -> Iterator[str]:
    """The results of each of the workloads with its streams, the hosts or the groups of devices.

    Empty if there is only one, or if there are more than can be read. Each group of devices is shown as a whole, as
    there are more devices than hosts.
    """
    found: Mapping[str, Any] = summary.get(kind) or {}
    devices = kind == "device_groups"
    least = 0 if devices else 1
    if not least < sum(1 + len(streams_of(part)) for part in found.values()) <= MOST_PARTS:
        return
    rows = list(part_rows(found))
    yield from table_of(TITLES[kind], rows, width, times=kind == "workloads")
    names, columns = columns_of_parts(TITLES[kind], rows, width, times=kind == "workloads")
    index = summary["fairness"]["devices" if devices else kind]
    if index is not None and len((summary.get("devices") or {}) if devices else found) > 1:
        what = " devices" if devices else ""
        wide = columns[0] + columns[1]
        yield f"  {'fairness':<{names - 2}}{index:>{wide + 1}.3f}   1 if all{what} have equally many I/Os"


def each_device(summary: Mapping[str, Any], width: int) -> Iterator[str]:
    """The results of each device, and below them those of each host there, where there are several hosts."""
    hosts: Mapping[str, Any] = summary.get("hosts") or {}
    rows: list[tuple[str, Mapping[str, Any]]] = []
    for name, device in (summary.get("devices") or {}).items():
        rows.append((f"  {name}", device))
        rows += [(f"    {host}", at[name]) for host, of in hosts.items() if name in (at := of.get("devices") or {})]
    if rows:
        yield from table_of("Each device", rows, width, times=False)


def table_of(title: str, rows: list[tuple[str, Mapping[str, Any]]], width: int, *, times: bool) -> Iterator[str]:
    """A table of parts; with more of their times, or with how many of their I/Os were in flight."""
    heads, table = cells_of(rows, times=times)
    names, columns = columns_of_parts(title, rows, width, times=times)
    yield f"{title:<{names}}" + "".join(f"{head:>{wide}}" for head, wide in zip(heads, columns, strict=True))
    for (name, _), cells in zip(rows, table, strict=True):
        yield from named(name, names, "".join(f"{cell:>{wide}}" for cell, wide in zip(cells, columns, strict=True)))
    failed = [f"{part['failed_ios']:,} of {name.strip()}" for name, part in rows if part.get("failed_ios")]
    if failed:
        text = f"failed: {', '.join(failed)}"
        yield from textwrap.wrap(text, width, initial_indent="  ", subsequent_indent="    ")


def cells_of(rows: list[tuple[str, Mapping[str, Any]]], *, times: bool) -> tuple[list[str], list[list[str]]]:
    """The heads of a table of parts, and the cells of each row."""
    table = []
    for _, part in rows:
        found = part["response_time_ns"] or {}
        # Results of earlier versions do not have it.
        in_flight = part.get("under_way")
        p99, flying = duration(found.get("p99")), "-" if in_flight is None else quantity(in_flight, 3)
        cells = [f"{part['ios']:,}", percent(part["share"]), quantity(part["iops"])]
        cells += [quantity(part["bytes_per_second"] / MB), mean_time(part)]
        table.append(cells + ([duration(found.get("p50")), p99] if times else [p99, flying]))
    return ["I/Os", "share", "IOPS", "MB/s", "mean", *(("p50", "p99") if times else ("p99", "in flight"))], table


def columns_of_parts(
    title: str, rows: list[tuple[str, Mapping[str, Any]]], width: int, *, times: bool
) -> tuple[int, list[int]]:
    """The columns of the names and of each figure of a table of parts; narrower if names are long."""
    heads, table = cells_of(rows, times=times)
    names = max(len(title), *(len(name) for name, _ in rows))
    columns = [10, 8, 10, 9, 10, 10, 10 if times else 11]
    longest = [max(map(len, column)) for column in zip(heads, *table, strict=True)]
    for gap in (2, 1):
        if names + sum(columns) <= width:
            break
        columns = [length + gap for length in longest]
    return min(names, width - sum(columns)), columns


def counted(summary: Mapping[str, Any], kind: str, title: str, width: int) -> Iterator[str]:
    """The figures of the components of a kind that are no share of the time, a row each; a last line names zeros."""
    rows = {name: figures for name, figures in summary["components"].items() if figures["kind"] == kind}
    known = {key: one for key, one in figures_of_components().items() if one.unit in COUNTED}
    found = [key for key in known if key != "count" and any(key in figures for figures in rows.values())]
    keys = [key for key in found if any(figures.get(key) for figures in rows.values())]
    if not keys:
        return
    names = max(len(title), *(len(name) + 2 for name in rows))
    heads = {key: [known[key].label] for key in keys}
    if names + columns_of(heads) > width:
        heads = {key: known[key].label.split() for key in keys}
    names = min(names, max(width - columns_of(heads), len(title)))
    widths = {key: max(8, *map(len, words)) + 2 for key, words in heads.items()}
    for line in range(lines := max(map(len, heads.values()))):
        # Labels of fewer lines are at the bottom.
        words = {key: ([""] * (lines - len(head)) + head)[line] for key, head in heads.items()}
        first = title if line == lines - 1 else ""
        yield f"{first:<{names}}" + "".join(f"{words[key]:>{wide}}" for key, wide in widths.items())
    for name, figures in rows.items():
        cells = {key: counted_text(figures.get(key), known[key].unit) for key in keys}
        yield from named(f"  {name}", names, "".join(f"{cells[key]:>{wide}}" for key, wide in widths.items()))
    if zeros := ", ".join(known[key].label for key in found if key not in keys):
        yield from textwrap.wrap(f"zero: {zeros}", width, initial_indent="  ", subsequent_indent="    ")


def columns_of(heads: Mapping[str, list[str]]) -> int:
    """The columns that a table of counts needs for its figures."""
    return sum(max(8, *map(len, words)) + 2 for words in heads.values())


def part_rows(found: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each part with its name, indented, of a group with how many it has, and under a workload its streams."""
    for name, part in found.items():
        count = part.get("count", 1)
        yield f"  {name} ({count})" if count > 1 else f"  {name}", part
        for stream, of in streams_of(part).items():
            yield f"    {stream}", of


def several(summary: Mapping[str, Any]) -> bool:
    """Whether there are several workloads or hosts, so that each is shown separately."""
    return any(len(summary.get(kind) or ()) > 1 for kind in ("workloads", "hosts"))


def bounded(summary: Mapping[str, Any], width: int) -> Iterator[str]:
    """The bounds that apply, each beside what was simulated; summary.json says why others do not."""
    known = [one for one in bounds(summary) if one.share is not None]
    names = min(max((len(one.label) + 2 for one in known), default=0), width - 46)
    if known:
        yield f"{'Bounds':<{names}}{'bound':>13}{'simulated':>14}{'simulated / bound':>19}"
    for one in known:
        both = f"{in_unit(one.bound, one.unit):>13}{in_unit(one.simulated, one.unit):>14}"
        yield from named(f"  {one.label}", names, f"{both}{one.share:>19.3f}")


def ledger(summary: Mapping[str, Any], width: int, rows: Rows) -> Iterator[str]:
    """The time of an I/O: at each place a row per segment that is not empty, under the time at the place.

    Bars are lighter where it waits. An unstable run has none. A row is left out if its shares of the mean and of the
    mean of the slowest percent are both small; the times at places and the response time have it nevertheless.
    """
    if summary["ledger_ns"] is None:
        yield from wrapped(f"Where the time goes: {UNSETTLED}.", width)
        return
    means: Mapping[str, float] = summary["ledger_ns"]["mean"]
    slowest: Mapping[str, float] = summary["ledger_ns"]["slowest_percent"]
    total, slow_total = sum(means.values()), sum(slowest.values())
    if not total:
        return

    def shown(mean: float, slow: float) -> bool:
        return rows.shows(mean / total, slow / slow_total if slow_total else 0.0)

    places: dict[str, list[str]] = {}
    for line, mean in means.items():
        if mean or slowest.get(line):
            places.setdefault(place_of(line), []).append(line)
    # Name, mean, line of the ledger if it is not the sum of a place, mean of the slowest.
    table: list[tuple[str, float, str, float]] = []
    for place, here in places.items():
        mean, slow = sum(means[line] for line in here), sum(slowest.get(line, 0.0) for line in here)
        if shown(mean, slow):
            table.append((f"  {place}", mean, "", slow))
        for line in here:
            if shown(means[line], slowest.get(line, 0.0)):
                table.append((f"    {segment_label(line)}", means[line], line, slowest.get(line, 0.0)))
    fixed = 11 + 9 + 2 + 2 + 12
    names = max(len("Where the time goes"), *(len(name) for name, *_ in table))
    names = min(names, width - fixed - SHORTEST_BAR)
    room = width - fixed - names
    # The longest bar fills the room.
    scale = max(means.values())
    tones = f"{EIGHTHS[8]} work  {WAITS} waiting"
    key = tones if len(tones) <= room else ""
    yield f"{'Where the time goes':<{names}}{'mean':>11}{'share':>9}  {key:<{room}}  {'slowest 1 %':>12}"
    for name, mean, line, slow in [*table, ("  response time", total, "", slow_total)]:
        drawn = (waiting_bar if waits(line) else bar)(mean / scale, room) if line else ""
        yield from named(
            name, names, f"{duration(mean):>11}{percent(mean / total):>9}  {drawn:<{room}}  {duration(slow):>12}"
        )
