"""The reference page of the tables in run folders, as Markdown: `sansim schema --tables` prints it.

Columns and their types are those of a short run, meanings are the texts of `runs/columns.py` and `runs/fio_keys.py`,
and segments, quantities and figures come from the catalogue. Nothing but the prose between the tables is written here.
"""

from __future__ import annotations

import tempfile
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sansim import _core
from sansim.bundled import EXAMPLES
from sansim.catalogue import ANY, figures_of_components, quantities, segment_of, segments
from sansim.runs.columns import ABOUT, MEANING, RUN_MEANING, unit_of
from sansim.runs.fio_keys import DIRECTION, DISK, JOB, TOP, Keys

if TYPE_CHECKING:
    from polars import DataType

COMMAND = "sansim schema --tables > docs/table-reference.md"
"""The command that rewrites the page of the checkout."""
EXAMPLE = "wang-2005-base.toml"
"""The scenario whose run folder has every table."""
DIRECTIONS = ("reads", "writes", "flushes", "deallocations")
"""Parts that a subject of figures has beside itself."""
LEDGER = "ledger_ns.mean"
"""Figures that have every segment."""
COMPONENTS = f"components.{ANY}."
"""Beginning of the figures of components."""

Row = tuple[str, ...]
Subject = tuple[str, str]
"""A subject of figures: its path without a dot at the end, and `reads`, `writes` or nothing."""

HEAD = f"""\
# Table reference

This page is generated: `{COMMAND}` rewrites it.

For somebody who looks a thing up: this page has every column of the tables of a run folder, every segment of the time
ledger, every sampled quantity, and every key of `summary.json` and `fio.json`. The [guide to tables](tables.md) shows
how to query them.

All times are simulated and count from the start of the simulation. MB is 10^6 bytes, MiB 2^20. Types are those of
[polars](https://pola.rs). If a query names several run folders, each table begins with a column `run`:
{RUN_MEANING}."""

ROWS = {
    "ios": """\
The file is `ios.parquet`, and `Result.ios` in Python. After the columns below it has the columns of the time ledger, a
column `PLACE.SEGMENT_ns` for each [segment](#segments) at each place: `drives.adapter.dma_ns` is the time in the DMA of
the drives' adapters.""",
    "tenancies": """\
The file is `tenancies.parquet`, and `Result.tenancies` in Python. A tenancy begins when a port wins the arbitration and
ends when it releases the loop. Arbitration took `won_ns - arbitration_began_ns`, the tenancy `ended_ns - won_ns`.""",
    "paths": """\
The file is `paths.parquet`, and `Result.paths` in Python. It has each dwell of some I/Os, in order of I/O and time: an
I/O of several frames enters `credit`, `wire` and `loop` several times, and `ios` has the sum for each segment. The I/Os
are the slowest 20 of the run and about 100 others at even distances; those of an automatic warm-up are left out, and so
are dwells of no length. The dwells of an I/O add up to its `response_time_ns`.""",
    "samples": """\
The file is `samples.parquet`, and `Result.samples` in Python. Samples are taken at equal intervals from the start of
the run. The interval follows from the length of the run, or `sansim run --sample-every TIME` sets it.""",
    "summary": "`sansim query` makes this table from `summary.json`.",
    "scenario": "`sansim query` makes this table from `scenario.toml`, the scenario with every default written out.",
}
"""Rules of each table."""

SEGMENTS = """\
## Segments

At each moment an I/O is in exactly one segment at one place, so its columns `PLACE.SEGMENT_ns` add up to
`response_time_ns`. A place is a component or a part of one; all members of a group are one place. The columns depend on
the scenario alone: each place has all of its segments, also those that no I/O entered. In a segment an I/O either
waits, or a block of a component, such as the DMA of an adapter, works for it. The time of all I/Os in the segments of a
block never exceeds the time in which the block was busy. Slashes separate the meanings that a segment has in different
components."""

QUANTITIES = """\
## Quantities

The column `quantity` of `samples` has one of these. A number is that at the moment of the sample; a share is that of
the time since the previous sample. If several kinds of components have a quantity of one name, its meaning here is that
for the first kind."""

FIGURES = """\
## Figures

These are the keys of `summary.json`, and of the column `key` in the table `summary`. `NAME` is any name, `[N]` a number
from 0. Units are ns, s, B, B/s and IOPS; a `share` is from 0 to 1, a `count` whole, a `number` any number, a `word`
text, and a `flag` true or false. A figure that has no value is null: for example an interval of too few I/Os, or a
response time that depends on an [unstable](workloads.md#open-loads) workload.

`ledger_ns.mean.PLACE.SEGMENT` is the mean time of an I/O in a [segment](#segments), ns;
`ledger_ns.slowest_percent.PLACE.SEGMENT` is the same mean over the slowest 1 % of the I/Os.

All intervals are 95 % confidence intervals from one run, by batches of equally many consecutive I/Os; an interval of a
percentile is given by its two ends, and the percentile is not in its middle.
[Measurement](model/measurement.md#intervals) explains how they are formed and when they are in doubt."""

GROUPS = """\
Each of `workloads`, `hosts`, `device_groups` (all devices of a component) and `devices` contains all I/Os, so each adds
up to the whole. `flushes` and `deallocations`, `errors`, and `fullest_links` (of a network with several links, the link
and direction with the highest utilisation) are left out if there are none. `streams` exist for a workload with several,
`hosts.NAME.devices` if there are several hosts. In Python all of it is one table, `Result.parts`."""

OF_COMPONENTS = """\
### Figures of components

Under `components.NAME`; shares are those of the measured interval. A component has the figures of its parts: a host
those of its adapter, a group of drives those of the drive and of its adapter. If several parts have a figure of the
same name, the component has that of the first. A group has the mean of its members unless the meaning says otherwise.
Each of several adapters has an entry of its own, as `host.adapters.a` with the kind `adapter`; so has each bus. A drive
that can work on several commands at a time has `utilisation` or `occupied` 1 only when it works on that many. Slashes
separate the meanings that a figure has in different components."""

OTHER_KEYS = """\
### Keys without a figure

The catalogue of figures does not have these keys of `summary.json`. The lists of `passes` (above) have an entry per
drive, the highest priority first; a study indexes such a list with an axis that sets nothing, as
`studies/ruwart-1999/drives-in-order.toml` does."""

UNLISTED: Sequence[Row] = (
    (
        "`steady.drifts[N]`",
        "A stock that grew or shrank, so that the [state was not steady](model/measurement.md#a-state-that-drifts):"
        " `part` (the component, or a part of one), `what` (the stock), `unit`, `level` at the end, `rate` (growth per"
        " second), `full_at` (the level at which it ends, or null), `full_in_s` (simulated seconds until then, or"
        " null), and the same as a sentence, `told`.",
    ),
    (
        "`errors.first_time_outs[N]`",
        "A time-out, of which the first ones are listed: `at_ns`, `host`, `workload`, `stream`, `io` (its number),"
        " `operation`, `write`, `device`, `block`, `bytes`, `attempt`, `waited_ns`, `place` (in the ledger), `cause`"
        " (`no_answer`, `frame_lost` or `slow`), and `by`, the component of the cause, or null.",
    ),
    (
        "`culprits[N]`",
        "A port of a switch that kept frames to other destinations waiting: `network`, the switch `from`, the node or"
        " switch `to`, `cause` (`withholds-credit` or `oversubscribed`), `stalled` (share of the time with frames and"
        " without credit), `busy` (utilisation of its link), `holds` (mean number of other ports without credit because"
        " of it), and `victims`, the worst first: from which node to which how many frames waited on average.",
    ),
    (
        "`incidents[N]`",
        "What happened of itself in the whole run, in order of time: `at_ns`, `until_ns` (null if it lasted for no"
        " time), `what`, `component`, the device or node `of` (null if it concerns the component alone), and `count`."
        " `what` is `initialisation` (of a loop, which carries no frame meanwhile), `owner-change` (of a device, among"
        " the controllers of a pair), `path-failed` and `path-back` (the component has noticed it), or `quarantine`"
        " (frames to the node go by a channel of their own). What happens to several things of a component at one"
        " moment is one incident, with the first of them as `of`. Up to 10,000 incidents are listed.",
    ),
)
"""Keys of `summary.json` that are no figures."""

FIO = """\
## JSON of fio

Keys and types are those of `fio --output-format=json`, version 3.33. There are two additions: the key `sansim`, and the
`bins` of `json+` in `clat_ns`. I/Os that had not completed at the end of the measured interval are in no figure. A job
whose workload is [unstable](workloads.md#open-loads) has counts and rates, but no latencies: there `N` and the bins of
`latency_ns`, `latency_us` and `latency_ms` are 0, there are no percentiles, and `read_ticks` and `write_ticks` of the
disks leave the job out."""


def page() -> str:
    """The page."""
    parts = [HEAD]
    for name, schema in schemas().items():
        parts += [f"## `{name}`", wrapped(f"The table has {ABOUT[name]}. {ROWS[name]}"), columns(name, schema)]
        if name == "ios":
            parts += [SEGMENTS, segment_table()]
        elif name == "samples":
            parts += [QUANTITIES, quantity_table()]
    parts += [
        FIGURES,
        *figure_tables(),
        OF_COMPONENTS,
        component_table(),
        OTHER_KEYS,
        table(("key", "meaning"), UNLISTED),
        FIO,
        *fio_tables(),
    ]
    return "\n\n".join(parts) + "\n"


def schemas() -> Mapping[str, Mapping[str, DataType]]:
    """The columns and types of each table of a short run, without those of the ledger, whose names have dots."""
    from sansim.query import query
    from sansim.simulate import run_scenario

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "run"
        scenario = _core.Scenario.load(EXAMPLES / EXAMPLE, [("run.measured_ios", "10")])
        run_scenario(scenario).save(place)
        found = {name: query(place, f"from {name} limit 0").schema for name in ABOUT}
    return {
        name: {column: kind for column, kind in schema.items() if "." not in column} for name, schema in found.items()
    }


# ---------------------------------------------------------------- Markdown


def wrapped(text: str) -> str:
    """A paragraph in lines of the usual width."""
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def table(head: Row, rows: Iterable[Row]) -> str:
    """A table."""
    return "\n".join(f"| {' | '.join(row)} |".replace("|  |", "| |") for row in (head, ("---",) * len(head), *rows))


def code(names: Iterable[str]) -> str:
    """Names as code."""
    return ", ".join(f"`{name}`" for name in names)


def columns(name: str, schema: Mapping[str, DataType]) -> str:
    """The columns of a table."""
    rows = ((f"`{column}`", str(kind), unit_of(column), MEANING[name][column]) for column, kind in schema.items())
    return table(("column", "type", "unit", "meaning"), rows)


def segment_table() -> str:
    """The segments of the ledger. A figure has all meanings of a name, the segment only the first."""
    meanings = {segment_of(figure.path): figure.meaning for figure in _core.figures() if figure.path.startswith(LEDGER)}
    rows = (
        (f"`{name}`", one.label, "waits" if one.waits else "work", meanings[name]) for name, one in segments().items()
    )
    return table(("segment", "in reports", "the I/O", "meaning"), rows)


def quantity_table() -> str:
    """The quantities of the samples."""
    rows = (
        (f"`{name}`", one.label, kind, one.meaning)
        for unit, kind in (("count", "number"), ("share", "share"))
        for name, one in quantities(unit).items()
    )
    return table(("quantity", "in reports", "unit", "meaning"), rows)


def component_table() -> str:
    """The figures of components."""
    rows = ((f"`{name}`", one.unit, one.meaning) for name, one in figures_of_components().items())
    return table(("figure", "unit", "meaning"), rows)


def fio_tables() -> Iterator[str]:
    """The keys of `fio.json`."""
    parts: Mapping[str, Sequence[Keys]] = {
        "The file has these keys:": TOP,
        "Each of `jobs` has these keys:": JOB,
        "`read` and `write` of a job have these keys:": DIRECTION,
        "Each of `disk_util` has these keys:": DISK,
    }
    for about, keys in parts.items():
        yield about
        yield table(("key", "made from"), ((code(one.names), one.meaning) for one in keys))


# ---------------------------------------------------------------- figures


def figure_tables() -> Iterator[str]:
    """The figures but for the ledger and the components: a table for those that have the same subjects."""
    subjects: dict[Row, list[Subject]] = {}
    for figure in _core.figures():
        if figure.path.startswith(COMPONENTS) or (figure.path.startswith("ledger_ns.") and ANY in figure.path):
            continue
        subject, name = split(figure.path)
        row: Row = (f"`{name}{'[N]' if figure.several else ''}`", figure.unit, figure.meaning)
        subjects.setdefault(row, []).append(subject)
    tables: dict[tuple[Subject, ...], list[Row]] = {}
    for row, found in subjects.items():
        tables.setdefault(tuple(found), []).append(row)
    yield "### Figures of the run, of workloads, hosts and devices"
    yield GROUPS
    for having, rows in tables.items():
        yield f"{under(having)}:"
        yield table(("figure", "unit", "meaning"), rows)


def split(path: str) -> tuple[Subject, str]:
    """The subject of a figure and the rest of its path: `hosts.*`, `reads` and `response_time_ns.mean`."""
    parts = path.split(".")
    if parts[-1] == ANY:
        return (".".join(parts[:-2]), ""), f"{parts[-2]}.NAME"
    start = len(parts) - parts[::-1].index(ANY) if ANY in parts else 0
    direction = parts[start] if parts[start] in DIRECTIONS and start + 1 < len(parts) else ""
    return (".".join(parts[:start]), direction), ".".join(parts[start + bool(direction) :])


def under(subjects: Sequence[Subject]) -> str:
    """The places of figures, in words."""
    having: dict[tuple[str, ...], list[str]] = {}
    for base in dict.fromkeys(base for base, _ in subjects):
        having.setdefault(tuple(one for at, one in subjects if at == base), []).append(base)
    texts = []
    for directions, bases in having.items():
        named = ", ".join(f"`{base.replace(ANY, 'NAME')}`" if base else "the top level" for base in bases)
        wanted = " and ".join(code(one for one in directions if one).rsplit(", ", 1))
        if "" not in directions:
            named = f"{wanted} of {named}"
        elif wanted:
            named += f", and under {wanted} of each" if len(bases) > 1 else f", and under its {wanted}"
        texts.append(named)
    return "Under " + "; under ".join(texts)
