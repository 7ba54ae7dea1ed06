"""`sansim query`: SQL over the tables of run folders."""

from __future__ import annotations

import itertools
import json
import math
import operator
import shutil
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sansim.commands.common import (
    BAD_INPUT,
    OTHER,
    fail,
    force_option,
    picture_kind,
    stopping,
    tell,
)
from sansim.file_types import PARQUET, Kind, OtherKindError
from sansim.files import cause_of_writing, whole_file, write_parquet

if TYPE_CHECKING:
    import polars as pl

FORMATS = ("table", "csv", "json", "parquet")
TABLE_LIMIT = 200
"""Rows of a table on the screen, when nothing else is said."""
CELL_LIMIT = 60
"""Characters of a text in a table."""
FIRST_WORDS = ("select", "from", "with", "pivot", "describe", "show", "summarize", "table", "values", "(")
"""Beginnings of SQL that contains no blank, as `select(1)`."""

EXAMPLES = {
    "the ten slowest I/Os": """\
select drive, completed_ns / 1e6 as at_ms, response_time_ns / 1e6 as ms,
    "loop.loop_ns" / 1e6 as loop_ms, "loop.port_queue_ns" / 1e6 as queue_ms
from ios order by response_time_ns desc, completed_ns limit 10""",
    "mean wait for the loop, per drive": """\
select drive, count(*) as ios, avg("loop.loop_ns" + "loop.access_window_ns") / 1e3 as mean_wait_us
from ios group by drive order by drive""",
    "tenancies of each station": """\
select station, count(*) as tenancies, avg(ended_ns - won_ns) / 1e3 as mean_us
from tenancies group by station order by tenancies desc, station""",
    "time of the slowest I/O in each segment, with its dwells there": """\
select place, segment, count(*) as dwells, sum(left_ns - entered_ns) / 1e3 as us,
    max(left_ns - entered_ns) / 1e3 as longest_us
from paths where io = (from ios select io order by response_time_ns desc, io limit 1)
group by place, segment order by min(entered_ns)""",
    "share of time in which the loop was owned, over the run": """\
select at_ns / 1e6 as at_ms, value from samples
where component = 'loop' and quantity = 'owned' order by at_ns""",
    "rates and utilisations": """\
select key, number from summary where key similar to '.*(utilisation|iops)'""",
    "several runs side by side": """\
select run, key, number from summary
where key similar to 'iops|response_time_ns.(mean|p99)' order by key, run""",
}
"""Queries of the help. docs/tables.md shows the answers, and the tests run each."""

EPILOG = "\b\nThe SQL for\n" + "\n".join(
    f"  {about}:\n{textwrap.indent(sql, '    ')}" for about, sql in EXAMPLES.items()
)


@click.command(epilog=EPILOG)
@click.argument("arguments", nargs=-1, required=True, metavar='RUN... ["SQL"]')
@click.option(
    "--format", "form", type=click.Choice(FORMATS), help="Form of the output; by default that of FILE, or table."
)
@click.option("--out", metavar="FILE", type=click.Path(path_type=Path), help="Write to a file.")
@click.option(
    "--plot",
    "picture",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Also draw the answer, as .png or .svg: the columns of numbers over the first column, a line for each text.",
)
@force_option
@click.option(
    "--limit",
    metavar="N",
    type=click.IntRange(0),
    help=f"At most N rows, 0 for all; by default {TABLE_LIMIT} for a table, all for other forms.",
)
def query(
    arguments: tuple[str, ...],
    form: str | None,
    out: Path | None,
    picture: Path | None,
    force: bool,
    limit: int | None,
) -> None:
    """Query the tables of run folders with SQL.

    RUN is a folder that `sansim run FILE --out RUN` wrote. With several of them the tables have a column `run`, so that
    the runs can be compared. The SQL is one statement in DuckDB's dialect; without it the tables and their columns are
    listed. The tables are ios, tenancies, paths, samples, summary and scenario.
    """
    from sansim.progress import WorkLine
    from sansim.query import QueryError, describe, missing
    from sansim.query import query as ask

    runs, sql = split(arguments)
    form = form or form_of(out)
    if form == "parquet" and out is None:
        fail("error: --format parquet needs --out FILE: it is not text", BAD_INPUT)
    if not runs:
        fail(f"error: no run folder was named, only SQL: {sql}", BAD_INPUT)
    try:
        if out is not None:
            check_file(out)
        if picture is not None:
            check_file(picture, "--plot")
            picture_kind(picture)
            if sql is None:
                fail("error: --plot draws the answer to SQL, and there is none", BAD_INPUT)
        with stopping("nothing was written"), WorkLine(sys.stderr, "querying") as line:
            table = ask(runs, sql, progress=line.at) if sql is not None else describe(runs)
            lacking = missing(runs, sql or "")
    except QueryError as error:
        fail(f"error: {error}", BAD_INPUT)
    for name, label in lacking:
        tell(f"note: {label} has no table {name}")
    if limit is None:
        limit = TABLE_LIMIT if form == "table" and sql is not None else 0
    shown = table.head(limit) if limit else table
    if form == "table":
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() and out is None else None
        text = listing(shown) if sql is None else table_text(shown, width)
        encoding = "utf-8" if out is not None else sys.stdout.encoding or "ascii"
        data = text.encode(encoding, errors="replace")
    else:
        data = b"" if form == "parquet" else dump(shown, form)
    if out is not None:
        try:
            write(out, shown, data, form, force=force)
        except OtherKindError as error:
            fail(f"error: --out: {error}", BAD_INPUT)
        except OSError as error:
            fail(f"error: --out: cannot write {out}: {cause_of_writing(error, out)}", OTHER)
    else:
        click.echo(data, nl=False)
    if picture is not None:
        draw(picture, table, force=force)
    if shown.height < table.height:
        tell(f"{shown.height:,} of {table.height:,} rows; --limit 0 gives all")


# ---------------------------------------------------------------- arguments


def split(arguments: tuple[str, ...]) -> tuple[list[str], str | None]:
    """The run folders, and the SQL if the last argument is that."""
    *runs, last = arguments
    is_sql = (" " in last.strip() or "\n" in last or last.lower().startswith(FIRST_WORDS)) and not exists(last)
    if is_sql or not last.strip():
        return runs, last
    # Not there, perhaps, but then a mistyped folder: there is hardly any SQL in one word.
    return [*runs, last], None


def exists(path: str) -> bool:
    """Whether there is such a file or folder; what cannot be a name is none."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def form_of(out: Path | None) -> str:
    """The form that a file's name asks for."""
    suffix = out.suffix.lower().lstrip(".") if out is not None else ""
    return suffix if suffix in FORMATS else "table"


def check_file(out: Path, option: str = "--out") -> None:
    """Refuses to write into a run folder, where the next run or query would trip over the file."""
    from sansim.query import QueryError
    from sansim.runs.output import is_result

    place = out.resolve()
    if place.is_dir():
        raise QueryError(f"{option}: {out} is a folder; name a file")
    for folder in place.parents:
        if is_result(folder):
            raise QueryError(f"{option}: {folder} is a run folder and stays as it is; name a file elsewhere")


# ---------------------------------------------------------------- output


def write(out: Path, table: pl.DataFrame, data: bytes, form: str, *, force: bool) -> None:
    """Writes a file: whole or not at all, unless it is a pipe or a device."""
    with whole_file(out, kind_of(table, data, form), force=force) as file:
        if form == "parquet":
            write_parquet(table, file)
        else:
            file.write(data)


def draw(picture: Path, table: pl.DataFrame, *, force: bool) -> None:
    """Draws the rows, all of them."""
    from sansim.html_report.style import png_file, svg_file
    from sansim.query_chart import chart_of

    try:
        chart = chart_of(table)
    except ValueError as error:
        fail(f"error: --plot: {error}", BAD_INPUT)
    drawn = png_file(chart) if picture.suffix.lower() == ".png" else svg_file(chart)
    try:
        with whole_file(picture, picture_kind(picture), force=force) as out:
            out.write(drawn)
    except OtherKindError as error:
        fail(f"error: --plot: {error}", BAD_INPUT)
    except OSError as error:
        fail(f"error: --plot: cannot write {picture}: {cause_of_writing(error, picture)}", OTHER)
    tell(f"written: {picture}")


def kind_of(table: pl.DataFrame, data: bytes, form: str) -> Kind:
    """The kind of a file with rows: text has no mark of ours, but an earlier answer has the same columns."""
    if form == "parquet":
        return PARQUET
    if form == "json":
        return Kind("an earlier answer with these columns", lambda head: json_columns(head) in ([], table.columns))
    heading = data.split(b"\n", 1)[0]
    if form == "csv":
        return Kind("an earlier answer with these columns", lambda head: head.split(b"\n", 1)[0] == heading)
    # The columns are as wide as their widest cell. A list of tables begins with one, and its number of rows.
    words = 1 if heading.split()[:1] == [b"ios:"] else None
    same = heading.split()[:words]
    return Kind("an earlier answer with these columns", lambda head: head.split(b"\n", 1)[0].split()[:words] == same)


def json_columns(head: bytes) -> list[str] | None:
    """The columns of a JSON file that `dump` wrote, by its first row; none if it has no rows, None if it is another."""
    first, _, rest = head.partition(b"\n")
    try:
        row = json.loads(rest.split(b"\n", 1)[0].removesuffix(b",")) if rest != b"]\n" else {}
    except ValueError:
        return None
    return list(row) if first == b"[" and isinstance(row, dict) else None


def dump(table: pl.DataFrame, form: str) -> bytes:
    """The rows as CSV, or as a JSON list of objects, one to a line; numbers that JSON lacks become null."""
    if form == "csv":
        return table.write_csv().encode()
    rows = (
        {name: None if isinstance(cell, float) and not math.isfinite(cell) else cell for name, cell in row.items()}
        for row in table.iter_rows(named=True)
    )
    return ("[" + ",".join("\n" + json.dumps(row, ensure_ascii=False, default=str) for row in rows) + "\n]\n").encode()


def listing(table: pl.DataFrame) -> str:
    """Tables and columns for a person."""
    from sansim.runs.columns import ABOUT

    lines: list[str] = []
    for name, rows in itertools.groupby(table.iter_rows(named=True), key=operator.itemgetter("table")):
        columns = list(rows)
        count = columns[0]["rows"]
        lines += ["", f"{name}: {count:,} {'row' if count == 1 else 'rows'}, {ABOUT[name]}"]
        names, kinds = (max(len(row[key]) for row in columns) for key in ("column", "type"))
        lines += [f"  {row['column']:<{names}}  {row['type']:<{kinds}}  {row['meaning']}".rstrip() for row in columns]
    return "\n".join(lines[1:]) + "\n"


def table_text(table: pl.DataFrame, width: int | None) -> str:
    """A table in columns: numbers to the right, text to the left.

    A table wider than `width` columns is cut into several tables one below the other; None means any width.
    """
    columns = [cells(column) for column in table.iter_columns()]
    lines: list[str] = []
    for block in blocks([len(column[0]) for column in columns], width):
        if lines:
            lines.append("")
        lines += ["  ".join(row).rstrip() for row in zip(*(columns[i] for i in block), strict=True)]
    if not table.height:
        lines.append("no rows")
    return "\n".join(lines) + "\n"


def blocks(widths: list[int], width: int | None) -> Iterator[range]:
    """Numbers of the columns that stand side by side; at least one at a time."""
    first = 0
    while first < len(widths):
        end, used = first + 1, widths[first]
        while end < len(widths) and (width is None or used + 2 + widths[end] <= width):
            used += 2 + widths[end]
            end += 1
        yield range(first, end)
        first = end


def cells(column: pl.Series) -> list[str]:
    """Head, rule and values of a column, all of one width."""
    numeric = column.dtype.is_numeric()
    if numeric and column.dtype.is_float():
        decimals = decimals_of(column)
        values = [number_text(value, decimals) for value in column]
    elif numeric:
        values = ["-" if value is None else f"{value:,}" for value in column]
    else:
        values = [shown_text(value) for value in column]
    name = shown_text(column.name)
    room = max(map(len, [name, *values]))
    sides = ">" if numeric else "<"
    return [f"{name:{sides}{room}}", "-" * room, *(f"{value:{sides}{room}}" for value in values)]


def decimals_of(column: pl.Series) -> int:
    """With how many digits after the point the numbers of a column are written.

    Six significant digits in the largest and three in the smallest, if that takes no more than six after the point;
    none if all are whole.
    """
    sizes = column.filter(column.is_finite() & (column != 0)).abs()
    largest, smallest = sizes.max(), sizes.min()
    if not isinstance(largest, float) or not isinstance(smallest, float) or (sizes == sizes.floor()).all():
        return 0
    return max(5 - math.floor(math.log10(largest)), min(2 - math.floor(math.log10(smallest)), 6), 0)


def number_text(value: float | None, decimals: int) -> str:
    """A number with so many digits after the point, but none so that it cannot be read or looks like zero."""
    if value is None:
        return "-"
    if math.isfinite(value) and abs(value) < 1e18 and (value == 0 or abs(value) >= 0.5 * 10.0**-decimals):
        return f"{value:,.{decimals}f}"
    return f"{value:.3g}"


def shown_text(value: object) -> str:
    """A value as one line of text that cannot upset a terminal."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(value))
    return text if len(text) <= CELL_LIMIT else text[: CELL_LIMIT - 3] + "..."
