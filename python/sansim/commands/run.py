"""`sansim run`: simulate a scenario.

Longer than 500 lines: the options of a run, their checks, and the places of what it writes depend on each other.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sansim import colour
from sansim.commands.common import (
    BAD_INPUT,
    INTERRUPTED,
    OTHER,
    SEED_LIMIT,
    fail,
    force_option,
    percentiles_option,
    read_scenario,
    scenario_file,
    set_option,
    tell,
    warn,
)
from sansim.commands.trigger import KINDS, trigger_of
from sansim.runs.recorders import FILE_LIMIT, IO_LIMIT, SLOWEST_LIMIT

if TYPE_CHECKING:
    from sansim._core import Scenario, WrittenFile
    from sansim.output_size import Watches
    from sansim.result import Result
    from sansim.runs.output import RunFolder
    from sansim.runs.recorders import Capture, Playback, Timeline, Trace, Window

Command = Callable[..., None]
WORTH_TELLING = 10e6
"""Length of a file in bytes from which on it is announced in advance."""


def check_interval(_context: click.Context, _option: click.Parameter, value: str | None) -> str | None:
    """Refuses a time that is none, or zero."""
    from sansim.runs.recorders import ticks_of

    if value is not None:
        try:
            ticks = ticks_of("--sample-every", value)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        if ticks == 0:
            raise click.UsageError(f"--sample-every {value}: an interval is longer than 0")
    return value


def no_fio(_context: click.Context, _option: click.Parameter, value: str | None) -> None:
    """Refuses what the option of fio's output was once called, which read as if it took a job of fio."""
    if value is not None:
        raise click.UsageError(
            "--fio has become --fio-json FILE, which writes the result in the form of fio's JSON output; sansim reads"
            f" no job files of fio, and {value} was not touched"
        )


def path_option(name: str, text: str, metavar: str = "FILE") -> Callable[[Command], Command]:
    """An option that names a file or folder to be written."""
    return click.option(name, metavar=metavar, type=click.Path(path_type=Path), help=text)


@click.command()
@scenario_file
@set_option
@click.option("--seed", type=click.IntRange(0, SEED_LIMIT), help="Seed of all random streams.")
@click.option(
    "--loop",
    type=click.Choice(["fast", "reference"]),
    help="The fast loop, or the slow one it is checked against, which a trace needs; results are the same.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
@click.option("--devices", is_flag=True, help="Also show the figures of each device, and of each host at each.")
@click.option("--all", "all_rows", is_flag=True, help="Also show rows whose share is under 0.1 %.")
@percentiles_option
@path_option("--out", "Also write the result, with its tables, to a folder; see docs/tables.md.", "DIR")
@path_option("--fio-json", "Also write the result in the form of fio's JSON output.")
@click.option("--fio", hidden=True, metavar="FILE", expose_value=False, callback=no_fio)
@click.option(
    "--sample-every",
    metavar="TIME",
    callback=check_interval,
    help="Interval of the samples of queues and use; else it is chosen.",
)
@path_option("--trace", "Write what the ports of a loop send, word by word, as a protocol analyzer shows it.")
@click.option("--trace-loop", metavar="NAME", help="Which loop, if there are several.")
@click.option("--trace-at", metavar="PORT", help="An analyzer at this port: both directions of its link side by side.")
@click.option("--trace-port", metavar="NAME", multiple=True, help="Only this port: controller, drives[3], drives.")
@click.option(
    "--trace-address",
    metavar="ADDRESS",
    multiple=True,
    help="Only frames, OPN and ARB that bear this address: drives[3], 0xE1.",
)
@click.option(
    "--trace-io", metavar="N", multiple=True, type=click.IntRange(0, IO_LIMIT), help="Only frames of this I/O."
)
@click.option("--trace-kind", multiple=True, type=click.Choice(KINDS), help="Only lines of this kind.")
@click.option(
    "--trace-trigger",
    metavar="CONDITION",
    help="Begin at the line that fits, as kind=opn,address=drives[3],io=7,count=2,before=20,after=100.",
)
@click.option("--trace-states", is_flag=True, help="Also the transitions of the ports' states.")
@path_option("--capture", "Write the frames as pcapng for Wireshark: those that hosts send and receive.")
@click.option("--capture-port", metavar="NAME", multiple=True, help="At this port instead; all for every port.")
@click.option(
    "--capture-io", metavar="N", multiple=True, type=click.IntRange(0, IO_LIMIT), help="Only frames of this I/O."
)
@click.option(
    "--capture-payload",
    metavar="BYTES",
    type=click.IntRange(0, 2112),
    help="Cut payloads to so many bytes; they are zeros anyway.",
)
@path_option("--timeline", "Write states, tenancies, jobs and I/Os over time for the Perfetto viewer.")
@path_option("--playback", "Write moves, states and requests over time, for sansim studio to play.")
@path_option("--decisions", "Write each decision of rules of your own, as Parquet; see docs/policies.md.")
@click.option("--trace-from", metavar="TIME", help="Files of the run begin at this simulated time, as 2.5ms.")
@click.option("--trace-to", metavar="TIME", help="Files of the run end at this simulated time.")
@click.option(
    "--trace-slowest",
    metavar="N",
    type=click.IntRange(1, SLOWEST_LIMIT),
    help="Files of the run show the times in which the N slowest I/Os were in the system; the run is made twice.",
)
@click.option(
    "--trace-limit",
    metavar="SIZE",
    help=f"How long each file of the run may be, as 1GB; {FILE_LIMIT} (10^6) if not given, none for no limit.",
)
@force_option
def run(file: Path, settings: tuple[str, ...], seed: int | None, as_json: bool, **options: Any) -> None:
    """Simulate the scenario FILE and print the result."""
    from sansim._core import ClockError, ComponentError, ConservationError, FileError
    from sansim.file_types import OtherKindError
    from sansim.files import cause_of_writing
    from sansim.progress import ProgressLine
    from sansim.runs.output import OutputError, RunFolder
    from sansim.runs.recorders import Window
    from sansim.simulate import Interrupted, run_scenario

    scenario = read_scenario(file, settings, seed)
    warn(file, scenario)
    watches = {name: wish for name, make in WATCHES.items() if (wish := make(options)) is not None}
    window = window_of(options)
    if "trace" in watches and options["loop"] == "fast":
        fail(
            "error: --trace needs the reference loop, in which every port sees every word; leave out --loop", BAD_INPUT
        )
    check_places(file, options)
    with contextlib.ExitStack() as stack:
        folder = None
        # Before the run, which may be long.
        try:
            if options["out"] is not None:
                folder = stack.enter_context(RunFolder(options["out"], force=options["force"]))
                tell_left_over(folder.place.parent)
                for name, wish in watches.items():
                    watches[name] = replace(wish, file=folder.place_of(Path(wish.file)))
        except OutputError as error:
            fail(f"error: --out: {error}", BAD_INPUT)
        except OSError as error:
            fail(f"error: --out: cannot make {options['out']}: {cause_of_writing(error, options['out'])}", OTHER)
        with ProgressLine(sys.stderr) as progress:
            try:
                if watches and window == Window(limit=window.limit):
                    foretell(scenario, watches, options, window.limit)
                result = run_scenario(
                    scenario,
                    reference_loop=options["loop"] == "reference" or "trace" in watches,
                    collect_ios=any(options[name] is not None for name in ("out", "fio_json", "decisions")),
                    decisions=options["decisions"] is not None,
                    percentiles=options["percentiles"],
                    sample_every=options["sample_every"],
                    **watches,
                    window=window,
                    rows_in=None if folder is None else folder.rows,
                    force=options["force"],
                    progress=progress,
                )
            except Interrupted as interrupted:
                result = interrupted.result
            except BrokenPipeError as error:
                if any(os.fspath(wish.file) != "/dev/stdout" for wish in watches.values()):
                    fail(f"error: {error}", OTHER)
                raise
            except OtherKindError as error:
                fail(f"error: {error}", BAD_INPUT)
            except FileError as error:
                kept = any(Path(wish.file).is_file() for wish in watches.values())
                fail(f"error: {error}{'; no earlier file was replaced' if kept else ''}", OTHER)
            except (ClockError, ComponentError, ConservationError) as error:
                fail(f"error: {error}", OTHER)
            except ValueError as error:
                fail(f"error: {error}", BAD_INPUT)
        finish(result, as_json, folder, options)


def tell_left_over(parent: Path) -> None:
    """Tells of what killed runs have left where a run folder is to be."""
    from sansim.runs.abandoned import found

    left = list(found(parent))
    if left:
        names = ", ".join(one.folder.name for one in left[:3]) + (", ..." if len(left) > 3 else "")
        many = "a killed run has" if len(left) == 1 else f"{len(left)} killed runs have"
        tell(f"note: {many} left {names} in {parent}; `sansim tidy {parent}` takes that away")


def check_places(scenario: Path, options: dict[str, Any]) -> None:
    """Ends the command if a file of the run would be written over something that it must not replace."""
    from sansim.decisions import FILE as DECISIONS
    from sansim.file_types import FIO_JSON, PARQUET, WATCHED, check_place
    from sansim.files import in_words
    from sansim.runs.output import is_result

    taken = {scenario.absolute().resolve(): "the scenario"}
    out = None if options["out"] is None else options["out"].absolute().resolve()
    if out is not None and out in scenario.absolute().resolve().parents:
        raise click.UsageError(f"--out: {options['out']} is where the scenario is; name another folder")
    for name, kind in {"out": None, "fio_json": FIO_JSON, "decisions": PARQUET, **WATCHED}.items():
        if options[name] is None:
            continue
        option = f"--{name.replace('_', '-')}"
        place = options[name].absolute().resolve()
        if place in taken and (not place.exists() or place.is_file() or place.is_dir()):
            raise click.UsageError(f"{option}: {options[name]} is where {taken[place]} is; name another place")
        taken[place] = f"what {option} writes"
        if name == "fio_json" and place.parent == out:
            raise click.UsageError(
                f"{option}: the folder {options['out']} has a fio.json of its own; leave out {option}, or name a"
                " file elsewhere"
            )
        if name == "decisions" and place.parent == out and place.name != DECISIONS:
            raise click.UsageError(f"{option}: in the folder {options['out']} the file is called {DECISIONS}")
        if kind is None or place.parent == out:
            continue
        if is_result(place.parent):
            raise click.UsageError(
                f"{option}: {options[name]} lies in the run folder {place.parent}, which stays as it is;"
                " name a file elsewhere, or the folder with --out"
            )
        if not options[name].absolute().parent.is_dir():
            fail(f"error: {option}: there is no folder {options[name].absolute().parent}", BAD_INPUT)
        try:
            check_place(options[name], kind, force=options["force"])
        except OSError as error:
            fail(f"error: {option}: {in_words(error)}", BAD_INPUT)


def finish(result: Result, as_json: bool, folder: RunFolder | None, options: dict[str, Any]) -> None:
    """Writes and prints a result, and ends the command."""
    from sansim.doubts import is_imprecise, precision
    from sansim.files import cause_of_writing
    from sansim.progress import WorkLine
    from sansim.runs.output import OutputError, has_fio_json, save_decisions

    where, place = "--out", options["out"]
    if result.stopped_early and folder is not None:
        tell(f"stopped; writing the {result.summary['ios']:,} I/Os measured to {place}; Ctrl-C again discards them")
    try:
        if folder is not None:
            with WorkLine(sys.stderr, f"writing {place}") as line:
                folder.complete(result, lambda file, share: line.at(share, f"writing {file}"))
        if options["fio_json"] is not None:
            where, place = "--fio-json", options["fio_json"]
            result.save_fio_json(place, force=options["force"])
        if options["decisions"] is not None and not is_in(options["decisions"], options["out"]):
            where, place = "--decisions", options["decisions"]
            save_decisions(result, place, force=options["force"])
    except KeyboardInterrupt:
        show(result, as_json, devices=options["devices"], all_rows=options["all_rows"])
        fail(f"stopped; {place} was not written, and only the report above is kept", INTERRUPTED)
    except (OutputError, OSError) as error:
        # The result itself is not lost.
        show(result, as_json, devices=options["devices"], all_rows=options["all_rows"])
        if isinstance(error, OSError) and error.errno is not None:
            fail(f"error: {where}: cannot write {error.filename or place}: {cause_of_writing(error, place)}", OTHER)
        fail(f"error: {where}: {error}", OTHER)
    show(result, as_json, devices=options["devices"], all_rows=options["all_rows"])
    if options["decisions"] is not None:
        tell_decisions(result)
    late = []
    for written in result.files:
        path = written.path
        if folder is not None and path.parent == folder.new:
            path = options["out"] / path.name
        elif not result.stopped_early and path != options[written.kind]:
            late.append(f"error: --{written.kind}: {options[written.kind]} is another's file since the run began; see")
            late[-1] += f" {path}"
        tell(f"{written.kind}: {path}, {amount(written)}")
    if folder is not None and options["fio_json"] is None and not has_fio_json(result):
        tell(
            f"note: {place} has no fio.json, which would take {0.2e-6 * result.summary['ios']:,.1f} GB of memory;"
            " --fio-json FILE writes it all the same"
        )
    tell_extreme(result.summary["ios"], options["percentiles"])
    statistics = result.summary["statistics"]
    if is_imprecise(statistics) and not result.stopped_early:
        tell(f"warning: {precision(statistics)}")
    if result.stopped_early and not result.files and any(options[name] is not None for name in WATCHES):
        tell("no file was written: the slowest I/Os were still being looked for")
    if result.stopped_early:
        kept = "in the report" if folder is None else f"in {place}"
        fail(f"stopped early; the I/Os measured until then are {kept}, and a run begins anew", INTERRUPTED)
    if late:
        fail("\n".join(late), OTHER)


def is_in(file: Path, folder: Path | None) -> bool:
    """Whether a file is one of a folder's."""
    return folder is not None and file.absolute().resolve().parent == folder.absolute().resolve()


def tell_decisions(result: Result) -> None:
    """Says how many decisions were recorded."""
    recorded = 0 if result.decisions.is_empty() else result.decisions["number"].n_unique()
    if not recorded:
        tell("decisions: none; the scenario has no rule of your own, or none that decided")
        return
    cut = ", and then the log was full" if result.run.get("decisions_cut") else ""
    tell(f"decisions: {recorded:,} recorded{cut}")


def tell_extreme(ios: int, words: tuple[str, ...]) -> None:
    """Says of requested percentiles that hardly any I/O is beyond that they depend on those few."""
    from sansim.percentiles import NEEDED_BEYOND, beyond, needed_for, percent_of

    for word in words:
        if ios and (few := beyond(word, ios)) < NEEDED_BEYOND:
            many = f"{few} of {ios:,} I/Os {'is' if few == 1 else 'are'} beyond it"
            tell(f"note: p{percent_of(word)}: {many}; measure {needed_for(word):,} I/Os or more")


def foretell(scenario: Scenario, watches: Watches, options: dict[str, Any], limit: str | None) -> None:
    """Says of files that will be long how long, and how to have less or more."""
    from sansim.output_size import expected_bytes

    growing = {kind: wish for kind, wish in watches.items() if grows(wish)}
    if not growing:
        return
    lengths = expected_bytes(scenario, growing, reference_loop=options["loop"] == "reference" or "trace" in growing)
    for kind, length in lengths.items():
        if length >= WORTH_TELLING:
            end = "" if limit is None else f", and ends at {limit}"
            tell(
                f"{kind}: will be about {in_bytes(length)} long{end}; --trace-limit sets that,"
                " --trace-from, --trace-to and --trace-slowest show a part of the run"
            )


def grows(wish: Trace | Capture | Timeline | Playback) -> bool:
    """Whether a file will take room on a disk: not what is no plain file, nor what cannot be made."""
    place = Path(wish.file)
    return place.is_file() or (not place.exists() and place.absolute().parent.is_dir())


def in_bytes(size: float) -> str:
    """A number of bytes in the unit that suits it."""
    for unit, least in (("GB", 1e9), ("MB", 1e6)):
        if size >= least:
            return f"{size / least:,.1f} {unit}"
    return f"{size / 1e3:.1f} kB"


def amount(written: WrittenFile) -> str:
    """How much is in a file, in words."""
    text = in_bytes(written.bytes)
    if written.limited:
        return f"{text}: as long as it may be, so it ends before the run does (--trace-limit)"
    if written.kind == "trace" and written.counts.get("triggers") == 0:
        return f"{text}: nothing was seen that fits the trigger"
    if written.kind == "trace" and not written.counts["lines"]:
        return f"{text}: nothing was seen of what was asked for"
    packets = sum(number for name, number in written.counts.items() if name.endswith((" in", " out")))
    if written.kind == "capture" and not packets:
        return f"{text}: no frame was seen of what was asked for"
    return text


def trace_of(options: dict[str, Any]) -> Trace | None:
    """The trace that the options ask for."""
    from sansim.runs.recorders import Trace

    if options["trace"] is None:
        refuse_details("trace", options)
        return None
    if options["trace_at"] is not None and options["trace_port"]:
        raise click.UsageError("--trace-at shows both directions at one port; leave out --trace-port")
    return Trace(
        file=options["trace"],
        loop=options["trace_loop"],
        at=options["trace_at"],
        ports=options["trace_port"],
        addresses=options["trace_address"],
        ios=options["trace_io"],
        kinds=options["trace_kind"],
        trigger=None if options["trace_trigger"] is None else trigger_of(options["trace_trigger"]),
        states=options["trace_states"],
    )


def capture_of(options: dict[str, Any]) -> Capture | None:
    """The capture that the options ask for."""
    from sansim.runs.recorders import Capture

    if options["capture"] is None:
        refuse_details("capture", options)
        return None
    return Capture(
        file=options["capture"],
        ports=options["capture_port"],
        ios=options["capture_io"],
        payload_bytes=options["capture_payload"],
    )


def timeline_of(options: dict[str, Any]) -> Timeline | None:
    """The timeline that the options ask for."""
    from sansim.runs.recorders import Timeline

    return None if options["timeline"] is None else Timeline(file=options["timeline"])


def playback_of(options: dict[str, Any]) -> Playback | None:
    """The playback that the options ask for."""
    from sansim.runs.recorders import Playback

    return None if options["playback"] is None else Playback(file=options["playback"])


WATCHES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "trace": trace_of,
    "capture": capture_of,
    "timeline": timeline_of,
    "playback": playback_of,
}
"""Files that are written while the run goes on, each with what makes its wish of the options."""


def refuse_details(kind: str, options: dict[str, Any]) -> None:
    """Ends the command if there are options about a file that was not asked for."""
    about_window = ("trace_from", "trace_to", "trace_slowest", "trace_limit")
    for name, value in options.items():
        if (
            name.startswith(f"{kind}_")
            and name not in about_window
            and value is not None
            and value is not False
            and value != ()
        ):
            option = name.replace("_", "-")
            raise click.UsageError(f"--{option} says how to {kind}, but not where to; add --{kind} FILE")


def window_of(options: dict[str, Any]) -> Window:
    """The window that the options ask for, and the limit of the files."""
    from sansim.runs.recorders import Window, check_window

    start, end, slowest = options["trace_from"], options["trace_to"], options["trace_slowest"]
    limit = options["trace_limit"]
    if limit is None and any(grows(make(options)) for name, make in WATCHES.items() if options[name] is not None):
        limit = FILE_LIMIT
    if limit == "none":
        limit = None
    if start is None and end is None and slowest is None:
        return Window(limit=limit)
    if all(options[name] is None for name in WATCHES):
        raise click.UsageError("--trace-from, --trace-to and --trace-slowest say when to look; add --trace FILE")
    try:
        check_window(start, end, slowest, ("--trace-from", "--trace-to", "--trace-slowest"))
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    return Window(start=start, end=end, slowest=slowest, limit=limit)


def show(result: Result, as_json: bool, *, devices: bool, all_rows: bool) -> None:
    """Prints a result; a closed standard output gets nothing."""
    if sys.stdout is None:
        return
    if as_json:
        click.echo(result.to_json())
        return
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 80
    text = result.report(width=min(width, 100), devices=devices, all_rows=all_rows)
    encoding = sys.stdout.encoding or "ascii"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        from sansim.text_report import plain

        text = plain(text).encode(encoding, errors="replace").decode(encoding)
    if colour.wanted(sys.stdout):
        text = colour.report(text)
    click.echo(text, nl=False, color=True)
