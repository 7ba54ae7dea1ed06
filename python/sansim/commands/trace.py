"""`sansim trace`: traces of block I/O, looked at, converted, and made into a workload."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from sansim.commands.common import BAD_INPUT, OTHER, fail, force_option, stopping, tell
from sansim.progress import LiveLine, bar_of, left_of

if TYPE_CHECKING:
    from sansim.io_trace import Reading, Watch

Command = Callable[..., None]


@click.group()
def trace() -> None:
    """Look at traces of block I/O, convert them, make workloads of them.

    Read: MSR Cambridge, SPC, blkparse, fio iolog, DiskSim, Alibaba, Tencent, vSCSI, SYSTOR, FIU, oracleGeneral, and CSV
    with declared columns; plain or compressed with gzip or zstd.
    """


def reading_options(command: Command) -> Command:
    """The options that say how a trace is read."""
    for option in reversed(
        (
            click.option("--format", metavar="F", help="Its format; found by looking if not given."),
            click.option(
                "--columns",
                metavar="COLUMNS",
                help="Columns of a CSV file with their units, as time:us,volume,op,offset:sectors,bytes,latency:ms.",
            ),
            click.option(
                "--count-bad-lines",
                is_flag=True,
                help="Count lines that are no requests and leave them out; else the first one ends the reading.",
            ),
            click.option(
                "--window",
                type=click.IntRange(0, 1 << 24),
                metavar="N",
                help="Sort so many requests at a time; 1024 if not given.",
            ),
            click.option(
                "--fail-backwards",
                is_flag=True,
                help="End at a request that is out of order by more; else it gets the time of the one before.",
            ),
            click.option(
                "--action",
                type=click.Choice(["queued", "issued", "completed"]),
                help="blkparse: the event that stands for a request; queued if not given.",
            ),
            click.option(
                "--fio-wait",
                type=click.Choice(["observed", "documented"]),
                help="fio iolog 2: whether wait is what fio does (observed, if not given) or what its manual says.",
            ),
            click.option(
                "--time-unit",
                type=click.Choice(["s", "ms", "us", "100ns", "ns"]),
                help="The unit of its times, if not that of the format; ns for MQSim, whose files are like DiskSim's.",
            ),
            click.option(
                "--offset-unit",
                type=click.IntRange(1, 1 << 40),
                metavar="BYTES",
                help="The unit of its offsets, if not that of the format: of numbers of blocks or objects.",
            ),
        )
    ):
        command = option(command)
    return command


def reading_of(options: dict[str, Any]) -> Reading:
    """How a trace is to be read."""
    from sansim.io_trace import Reading

    return Reading(**options)


class ReadingLine(LiveLine[tuple[int, float | None]]):
    """Shows how far a trace has been read."""

    def __init__(self) -> None:
        super().__init__(sys.stderr, self.text_of)
        self.begun = self.clock()

    def watch(self) -> Watch:
        """The callback for the reading."""
        return lambda requests, share: self((requests, share))

    def text_of(self, far: tuple[int, float | None]) -> str:
        """The text of the line."""
        requests, share = far
        if share is None:
            return f"{requests:,} requests read"
        return f"{bar_of(share)}{left_of(share, self.clock() - self.begun)}  {requests:,} requests read"


def refuse(error: Exception, file: Path, command: str) -> NoReturn:
    """Ends the command: the trace cannot be read."""
    text = f"error: {error}"
    if "bad lines can also be counted" in text:
        text += f"\n  = help: sansim trace {command} {file} --count-bad-lines"
    fail(text, BAD_INPUT)


@trace.command()
@click.argument("file", type=click.Path(path_type=Path))
@reading_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--html", metavar="FILE.html", type=click.Path(path_type=Path), help="Also write a page with pictures of it."
)
@force_option
def info(file: Path, as_json: bool, html: Path | None, force: bool, **options: Any) -> None:
    """Say what the trace FILE is, and what is odd about it, before anyone trusts it."""
    from sansim._core import TraceFileError
    from sansim.io_trace import info_text, trace_info

    if html is not None:
        check_page(html, force=force)
    try:
        with stopping("nothing was written"), ReadingLine() as line:
            found = trace_info(file, reading_of(options), progress=line.watch())
    except TraceFileError as error:
        refuse(error, file, "info")
    if html is not None:
        write_page(found, html, force=force)
    click.echo(json.dumps(found, indent=2) if as_json else info_text(found), nl=as_json)
    if found["error"] is not None:
        refuse(ValueError(found["error"]), file, "info")


def check_page(place: Path, *, force: bool) -> None:
    """Refuses a place at which there is something else."""
    from sansim.html_report.files import check_file
    from sansim.html_report.folder import PageError

    try:
        check_file(place, force=force)
    except PageError as error:
        fail(f"error: --html: {error}", BAD_INPUT)


def write_page(found: dict[str, Any], place: Path, *, force: bool) -> None:
    """Writes the page about a trace."""
    from sansim.files import cause_of_writing
    from sansim.html_report.io_trace import write

    try:
        write(found, place, force=force)
    except OSError as error:
        where = error.filename or place
        fail(f"error: the page was not written: {where}: {cause_of_writing(error, where)}", OTHER)


@trace.command()
@click.argument("file", metavar="FROM", type=click.Path(path_type=Path))
@click.argument("place", metavar="TO", type=click.Path(path_type=Path))
@click.option(
    "--to", "word", metavar="FORMAT", help="The format to be written; without it those that can be are listed."
)
@reading_options
@force_option
def convert(file: Path, place: Path, word: str | None, force: bool, **options: Any) -> None:
    """Write the trace FROM as the file TO in another format, with gzip if TO ends in .gz, and say what is lost."""
    from sansim._core import TraceFileError, trace_formats
    from sansim.file_types import OtherKindError
    from sansim.io_trace import trace_convert

    written = [(name, about) for name, about, is_written in trace_formats() if is_written]
    if word not in [name for name, _ in written]:
        what = "--to is missing" if word is None else f"no trace can be written as `{word}`"
        fail("\n".join([f"error: {what}; there are", *(f"  {name:15} {about}" for name, about in written)]), BAD_INPUT)
    try:
        with stopping(f"{place} was not written; the same command begins anew"), ReadingLine() as line:
            done = trace_convert(file, place, word, reading_of(options), force=force, progress=line.watch())
    except TraceFileError as error:
        refuse(error, file, f"convert --to {word}")
    except (OtherKindError, IsADirectoryError) as error:
        fail(f"error: {error}", BAD_INPUT)
    tell(f"{done.written:,} of {done.read:,} requests written to {place} as {word}")
    for loss in done.losses:
        tell(f"warning: {loss}")


@trace.command()
@click.argument("file", type=click.Path(path_type=Path))
@reading_options
@click.option(
    "--write",
    "place",
    metavar="SCENARIO.toml",
    type=click.Path(path_type=Path),
    help="Write the workload as a scenario. Its host and device are made up.",
)
@click.option("--as-one", is_flag=True, help="Fit all volumes as one: keeps the bursts that they have together.")
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as one JSON object.")
@force_option
def fit(file: Path, place: Path | None, as_one: bool, as_json: bool, force: bool, **options: Any) -> None:
    """Make a synthetic workload that is like the trace FILE, and say how far it is from it."""
    from sansim._core import TraceFileError
    from sansim.file_types import FITTED, OtherKindError, check_place
    from sansim.io_trace import fit_text, trace_fit, write_scenario

    try:
        if place is not None:
            check_place(place, FITTED, force=force)
        with stopping("nothing was written; the same command begins anew"), ReadingLine() as line:
            fitted = trace_fit(file, reading_of(options), as_one=as_one, progress=line.watch())
        if place is not None:
            write_scenario(fitted.scenario, place, force=force)
    except TraceFileError as error:
        refuse(error, file, "fit")
    except (OtherKindError, IsADirectoryError) as error:
        fail(f"error: --write: {error}", BAD_INPUT)
    click.echo(json.dumps(fitted.comparison, indent=2) if as_json else fit_text(fitted), nl=as_json)
    if place is not None:
        tell(f"written: {place}; its host and device are made up")
