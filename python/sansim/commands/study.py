"""`sansim study`: sweeps, comparisons, reproductions."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sansim.commands.common import (
    BAD_INPUT,
    INTERRUPTED,
    NOT_COMPUTED,
    OTHER,
    fail,
    force_option,
    stopping,
    tell,
    terminal_width,
)

if TYPE_CHECKING:
    from sansim.study.model import Study
    from sansim.study.points.plan import Plan
    from sansim.study.session import Outcome

WRITES_AGAIN = "all runs are kept, and the same command writes the tables and figures"
Command = Callable[..., None]
Found = TypeVar("Found")

places_argument = click.argument("places", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
out_option = click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the results; else `results` beside the study file.",
)


def run_options(command: Command) -> Command:
    """Options that say where runs are made."""
    for option in (
        click.option("--workers", metavar="N", type=click.IntRange(1, 4096), help="Processes; else one per processor."),
        click.option("--cluster", metavar="ADDRESS", help="Run on a Dask cluster: the address of its scheduler."),
    ):
        command = option(command)
    return command


@click.group()
def study() -> None:
    """Run many points of a scenario: sweeps, comparisons, reproductions.

    A study file names a scenario, what is varied and what is measured; docs/study-guide.md describes it. FILE may also
    be a folder with study files. Results are kept per run: an interrupted study goes on where it was.
    """


@study.command()
@places_argument
@out_option
@run_options
@click.option("--plots/--no-plots", default=True, help="Whether to draw the figures of the study files.")
@force_option
def run(places: tuple[Path, ...], out: Path | None, plots: bool, force: bool, **options: Any) -> None:
    """Run what has not been run yet, and write tables and figures."""
    from sansim.progress import WorkLine
    from sansim.study.words import failures, summary

    studies = read_studies(places)
    check_names(studies, "--out", out)
    formats = ("csv", "parquet", "markdown", *(("png", "svg") if plots else ()))
    for inner in studies:
        check_folder(inner, products_folder(inner, out), formats, force)
    codes = []
    for outcome in run_all(studies, out, **options):
        warn_of(outcome.plan)
        click.echo(summary(outcome))
        folder = products_folder(outcome.study, out)
        # An incomplete study does not keep the others back.
        try:
            with stopping(WRITES_AGAIN), WorkLine(sys.stderr, f"writing tables and figures to {folder}"):
                write(outcome, folder, plots, force)
            click.echo(f"  written to {folder}")
        except ValueError as error:
            tell(f"error: {outcome.study.file}: {error}")
            codes.append(BAD_INPUT)
        except OSError as error:
            tell(f"error: {unwritten(error)}")
            codes.append(OTHER)
        if outcome.failures:
            tell(failures(outcome))
            codes.append(OTHER)
        if lacks(outcome):
            codes.append(NOT_COMPUTED)
        click.echo()
    # A figure that cannot be drawn may come of a metric that cannot be computed, which says more.
    sys.exit(next((code for code in (OTHER, NOT_COMPUTED, BAD_INPUT) if code in codes), 0))


def lacks(outcome: Outcome, metrics: Sequence[str] = ()) -> bool:
    """Whether metrics could not be computed; says which, and where."""
    from sansim.study.words import uncomputed

    text = uncomputed(outcome, metrics)
    if text:
        tell(text)
    return bool(text)


def unwritten(error: OSError) -> str:
    """The file that could not be written, and why."""
    from sansim.files import cause, cause_of_writing

    if not error.filename:
        return cause(error)
    return f"cannot write {error.filename}: {cause_of_writing(error, error.filename)}"


def check_folder(study: Study, folder: Path, formats: Sequence[str], force: bool) -> None:
    """Ends the command if a file of a study would replace something that is not of its kind."""
    from sansim.study.products import check_products

    try:
        check_products(study, folder, formats, force=force)
    except OSError as error:
        fail(f"error: {study.file}: {unwritten(error)}", BAD_INPUT)


def write(outcome: Outcome, folder: Path, plots: bool, force: bool) -> None:
    """Writes the files of a study."""
    from sansim.study.products import write_plots, write_tables

    write_tables(outcome, folder, force=force)
    # A plot of nothing is no figure.
    if plots and outcome.missing < len({job.key for job in outcome.plan.all_jobs()}):
        write_plots(outcome, folder, force=force)


def products_folder(study: Study, out: Path | None) -> Path:
    """The folder of a study's tables and figures."""
    from sansim.study.session import root_of

    return root_of(study, out) / study.name


def check_names(studies: Sequence[Study], option: str, folder: Path | None) -> None:
    """Ends the command if two studies would write the same files."""
    seen: dict[str, Path] = {}
    for inner in studies if folder is not None else ():
        if inner.name in seen:
            other = seen[inner.name]
            fail(f"error: {option}: {other} and {inner.file} would both write to {folder}/{inner.name}", BAD_INPUT)
        seen[inner.name] = inner.file


def read_studies(places: Sequence[Path]) -> list[Study]:
    """Reads study files; with a bad one the command ends."""
    from sansim._core import ScenarioError
    from sansim.study.read import read_study
    from sansim.study.session import study_files

    found, wrong = [], []
    try:
        files = study_files(places)
    except FileNotFoundError as error:
        fail(f"error: {error}", BAD_INPUT)
    for file in files:
        try:
            found.append(read_study(file))
        except ScenarioError as error:
            wrong.append(str(error).rstrip())
    if wrong:
        fail("\n\n".join(wrong), BAD_INPUT)
    return found


def run_all(
    studies: Sequence[Study],
    out: Path | None,
    *,
    workers: int | None,
    cluster: str | None,
    quick: bool = False,
) -> list[Outcome]:
    """Runs studies with a progress line; what goes wrong as a whole ends the command."""
    from sansim.study.session import run_studies

    with_progress = functools.partial(run_studies, studies, out=out, workers=workers, cluster=cluster, quick=quick)
    return or_fail(with_progress)


def or_fail(work: Callable[..., Found]) -> Found:
    """Does something that runs jobs, with a progress line; what goes wrong as a whole ends the command."""
    from sansim._core import ScenarioError
    from sansim.progress import StudyProgressLine
    from sansim.study.jobs.execute import WorkerError

    try:
        with StudyProgressLine(sys.stderr) as progress:
            return work(progress=progress)
    except ScenarioError as error:
        fail(str(error), BAD_INPUT)
    except WorkerError as error:
        fail(f"error: {error}", OTHER)
    except KeyboardInterrupt:
        fail("stopped; what was finished is kept, and the same command goes on from there", INTERRUPTED)


def warn_of(made: Plan) -> None:
    """Tells what the scenarios of a study say that is probably not meant, in a line each."""
    from sansim.study.words import warnings

    for line in warnings(made):
        tell(f"warning: {made.study.file}: {line}")


def look_at(study: Study, out: Path | None) -> Outcome:
    """The results there are of a study; bad points end the command."""
    from sansim._core import ScenarioError
    from sansim.study.session import look

    try:
        return look(study, out)
    except ScenarioError as error:
        fail(str(error), BAD_INPUT)


@study.command()
@places_argument
@out_option
def status(places: tuple[Path, ...], out: Path | None) -> None:
    """Say how much of a study has been run."""
    from sansim.study.words import failures, summary

    lacking = False
    for inner in read_studies(places):
        outcome = look_at(inner, out)
        click.echo(summary(outcome))
        if outcome.failures:
            click.echo(failures(outcome))
        lacking |= lacks(outcome)
    if lacking:
        sys.exit(NOT_COMPUTED)


@study.command()
@places_argument
@out_option
@click.option(
    "--metric", "metrics", metavar="NAME", multiple=True, help="Only this metric; may be given several times."
)
def show(places: tuple[Path, ...], out: Path | None, metrics: tuple[str, ...]) -> None:
    """Print the results as tables, and the published values beside ours."""
    from sansim.study.table import markdown, verdict_text

    lacking = False
    for inner in read_studies(places):
        check_metrics(inner, metrics)
        outcome = look_at(inner, out)
        frame = outcome.frame()
        if metrics:
            frame = frame.filter(frame["metric"].is_in(list(metrics)))
        width = terminal_width()
        click.echo(markdown(inner, frame, width=width))
        rows = [row for row in outcome.verdicts if not metrics or row.metric in metrics]
        if rows:
            click.echo(verdict_text(rows, width=width))
        if outcome.missing:
            tell(f"{outcome.missing} runs are missing: sansim study run {inner.file}")
        lacking |= lacks(outcome, metrics)
    if lacking:
        sys.exit(NOT_COMPUTED)


def check_metrics(study: Study, metrics: Sequence[str]) -> None:
    """Ends the command if a metric is not measured."""
    from sansim.study.suggest import suggestion

    known = [metric.name for metric in study.metrics]
    for name in metrics:
        if name not in known:
            fail(f"error: --metric: {study.file} does not measure `{name}`; {suggestion(name, known)}", BAD_INPUT)


@study.command()
@click.argument("places", metavar="FILE [OTHER]", nargs=-1, required=True, type=click.Path(path_type=Path))
@out_option
@click.option("--axis", metavar="NAME", help="The axis whose values are compared.")
@click.option(
    "--values", metavar="A B", nargs=2, help="The two values of the axis; the first minus the second is told."
)
@click.option(
    "--metric", "metrics", metavar="NAME", multiple=True, help="Only this metric; may be given several times."
)
def compare(
    places: tuple[Path, ...],
    out: Path | None,
    axis: str | None,
    values: tuple[str, str] | None,
    metrics: tuple[str, ...],
) -> None:
    """Compare two designs: two values of an axis of FILE, or two study files at the points they share.

    Runs with the same replication number have the same random numbers, so the interval is that of the differences
    (paired), which is narrower than the two intervals suggest.
    """
    from sansim.study.compare import compare_studies, compare_values
    from sansim.study.suggest import suggestion
    from sansim.study.words import comparison

    if len(places) > 2 or (len(places) == 2) == (axis is not None):
        raise click.UsageError("give one FILE with --axis and --values, or two study files")
    if any(place.is_dir() for place in places):
        raise click.UsageError("study files are compared, not folders")
    studies = read_studies(places)
    outcomes = [look_at(inner, out) for inner in studies]
    for inner in studies:
        check_metrics(inner, metrics)
    if axis is None:
        if len(outcomes) != 2:
            raise click.UsageError("two different study files are compared")
        rows, names = compare_studies(outcomes[0], outcomes[1], metrics), (studies[0].name, studies[1].name)
    else:
        known = [inner.name for inner in studies[0].axes]
        if axis not in known:
            fail(f"error: --axis: {places[0]} has no axis `{axis}`; {suggestion(axis, known)}", BAD_INPUT)
        found = studies[0].axis(axis)
        if values is None:
            raise click.UsageError(f"--axis needs --values: two of {', '.join(found.labels)}")
        for value in values:
            if value not in found.labels:
                help_ = suggestion(value, found.labels)
                fail(f"error: --values: the axis `{axis}` has no value `{value}`; {help_}", BAD_INPUT)
        rows, names = compare_values(outcomes[0], found, *values, metrics), values
    missing = sum(outcome.missing for outcome in outcomes)
    if missing:
        tell(f"{missing} runs are missing: sansim study run {' '.join(map(str, places))}")
    lacking = [outcome for outcome in outcomes if lacks(outcome, metrics)]
    if not rows:
        fail("error: there is no point at which both have results", NOT_COMPUTED if lacking else OTHER)
    click.echo(comparison(rows, names))
    if lacking:
        sys.exit(NOT_COMPUTED)


@study.command()
@places_argument
@out_option
@click.option("--to", metavar="DIR", required=True, type=click.Path(path_type=Path, file_okay=False), help="Where to.")
@click.option(
    "--format",
    "formats",
    multiple=True,
    type=click.Choice(["csv", "parquet", "markdown", "netcdf", "png", "svg"]),
    help="Which files; CSV, Parquet, Markdown, PNG and SVG if not given.",
)
@force_option
def export(places: tuple[Path, ...], out: Path | None, to: Path, formats: tuple[str, ...], force: bool) -> None:
    """Write the results as tables and figures to a folder."""
    from sansim.study.products import write_plots, write_tables

    wanted = formats or ("csv", "parquet", "markdown", "png", "svg")
    studies = read_studies(places)
    check_names(studies, "--to", to)
    folders = {inner.name: to if len(studies) == 1 else to / inner.name for inner in studies}
    for inner in studies:
        check_folder(inner, folders[inner.name], wanted, force)
    lacking = False
    for inner in studies:
        outcome = look_at(inner, out)
        folder = folders[inner.name]
        drawn = tuple(name for name in wanted if name in ("png", "svg"))
        try:
            written = write_tables(outcome, folder, wanted, force=force)
            written += write_plots(outcome, folder, drawn, force=force) if drawn else []
        except (ValueError, ImportError) as error:
            code = NOT_COMPUTED if lacks(outcome) else BAD_INPUT if isinstance(error, ValueError) else OTHER
            fail(f"error: {error}", code)
        except OSError as error:
            fail(f"error: {unwritten(error)}", OTHER)
        for file in written:
            click.echo(file)
        if outcome.missing:
            tell(f"{outcome.missing} runs are missing: sansim study run {inner.file}")
        lacking |= lacks(outcome)
    if lacking:
        sys.exit(NOT_COMPUTED)
