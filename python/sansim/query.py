"""SQL queries over the tables of run folders: I/Os, samples, tenancies and their columns.

The SQL is the user's, so it must not be able to harm a run folder. DuckDB can shut itself off from the file system for
good, and this module does that before the user's SQL is even parsed. A list of files that may still be read would
be leaner than loading them, but DuckDB knows no permission to read without permission to write: with DuckDB 2.0
`with x as (copy (select 1) to 'ios.parquet' (use_tmp_file false)) select 1` is a SELECT and overwrites a file of
that list. So the tables that the SQL names are loaded into memory first, and nothing else is.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from sansim import arguments
from sansim.catalogue import meaning_of_column
from sansim.files import cause, read_bytes
from sansim.interruptible import interruptible
from sansim.runs.columns import MEANING, RUN_MEANING
from sansim.runs.output import changed, is_result, too_new

if TYPE_CHECKING:
    import duckdb
    import polars as pl

Runs: TypeAlias = "str | os.PathLike[str] | Sequence[str | os.PathLike[str]]"
"""A run folder or several."""

PARQUET = ("ios", "tenancies", "paths", "samples")
"""Tables that are Parquet files of the run folder."""

LONG = {"summary": "summary.json", "scenario": "scenario.toml"}
"""Tables made of a file of nested keys: a row per value."""

FULL = frozenset(
    (
        *("BOOLEAN", "VARCHAR", "FLOAT", "DOUBLE"),
        *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"),
        *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
    )
)
"""Types that come through as they are; every other one becomes text (polars stops at an INTERVAL, for instance)."""


class QueryError(ValueError):
    """The folders or the SQL are no good; the text says what is wrong with them."""


class Stream:
    """Hands the rows of a relation to polars.

    polars remembers the class of everything it has read; if that is one of DuckDB's, DuckDB complains on standard
    error at the end of the program.
    """

    def __init__(self, relation: duckdb.DuckDBPyRelation) -> None:
        self.relation = relation

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The Arrow PyCapsule interface."""
        return self.relation.__arrow_c_stream__(requested_schema)


@arguments.checked("sansim.query.query", runs=arguments.RUNS, sql=arguments.TEXT, progress=arguments.FUNCTION.or_none)
def query(runs: Runs, sql: str, *, progress: Callable[[float | None], object] | None = None) -> pl.DataFrame:
    """Runs one SQL statement, DuckDB's dialect, over the tables of one or more run folders.

    Tables are `ios`, `tenancies`, `paths`, `samples`, `summary` and `scenario`; those that the SQL names are loaded
    into memory. With several folders each table begins with a column `run`, the name of the folder. The statement can
    neither read nor write any file, and nothing of it outlives the call.

    Args:
        runs: A run folder, or several to be compared.
        sql: One statement that reads.
        progress: Called some times a second with the share of the present step that is done, None where DuckDB does
            not know it. Tables are loaded in one step, and the statement is another.

    Returns:
        The rows. Types that polars lacks become text.

    Raises:
        QueryError: A folder is not a run folder, or the SQL is wrong.
    """
    import duckdb
    import polars as pl

    def look() -> None:
        if progress is not None:
            percent = connection.query_progress()
            progress(percent / 100 if percent > 0 else None)

    named = labels(runs)
    connection = duckdb.connect(":memory:", config={"python_enable_replacements": False, "temp_directory": ""})
    try:
        table = interruptible(lambda: answer(connection, named, sql), connection.interrupt, look)
    except duckdb.Error as error:
        raise QueryError(explain(error, named)) from None
    except pl.exceptions.PolarsError as error:
        raise QueryError(f"the result cannot be taken over: {error}") from None
    except KeyboardInterrupt:
        # Not closed: that would wait for a statement that does not end.
        raise
    except BaseException:
        connection.close()
        raise
    connection.close()
    return table


def answer(connection: duckdb.DuckDBPyConnection, named: Mapping[str, Path], sql: str) -> pl.DataFrame:
    """The rows of a statement, without the checks of `query`."""
    import polars as pl

    statements = parse(connection, sql)
    wanted = [name for name in (*PARQUET, *LONG) if name in sql.lower()]
    # DuckDB knows how far it is only with its bar, which would be printed among the rows.
    connection.execute("SET enable_progress_bar = true")
    connection.execute("SET enable_progress_bar_print = false")
    # Without any the SQL may still ask for all, as SHOW TABLES does.
    load(connection, named, wanted or (*PARQUET, *LONG))
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    relation = connection.sql(statements)
    if relation is None:
        raise QueryError(READS_ONLY)
    return plain_types(pl.DataFrame(Stream(checked(relation))))


def describe(runs: Runs) -> pl.DataFrame:
    """The tables of one or more run folders and their columns.

    Returns:
        A row per column: `table`, `rows` (of all folders together), `column`, `type` (DuckDB's name) and `meaning`.

    Raises:
        QueryError: A folder is not a run folder.
    """
    import duckdb
    import polars as pl

    named = labels(runs)
    rows = []
    connection = duckdb.connect(":memory:")
    try:
        for name in (*PARQUET, *LONG):
            source = make(connection, name, named, kind="VIEW")
            if not source:
                continue
            [(count,)] = connection.execute(f"SELECT count(*) FROM {name}").fetchall()
            for column, kind, *_ in connection.execute(f"DESCRIBE {name}").fetchall():
                meaning = RUN_MEANING if column == "run" else MEANING[name].get(column) or meaning_of_column(column)
                rows.append((name, count, column, kind, meaning))
    except duckdb.Error as error:
        raise QueryError(explain(error, named)) from None
    finally:
        connection.close()
    schema = {"table": pl.String, "rows": pl.Int64, "column": pl.String, "type": pl.String, "meaning": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")


def missing(runs: Runs, sql: str = "") -> list[tuple[str, str]]:
    """Tables that some of the folders lack, as (table, name of the folder); with SQL only those that it names.

    Raises:
        QueryError: A folder is not a run folder.
    """
    return [
        (name, label)
        for name in PARQUET
        for label, folder in labels(runs).items()
        if name in (sql.lower() or name) and not (folder / f"{name}.parquet").is_file()
    ]


# ---------------------------------------------------------------- folders


def labels(runs: Runs) -> dict[str, Path]:
    """The run folders by the names that the column `run` gives them: the folder's own, or the whole path."""
    given = [runs] if isinstance(runs, str | os.PathLike) else list(runs)
    if not given:
        raise QueryError("no run folder was named")
    folders = [run_folder(path) for path in given]
    if len(set(folders)) < len(folders):
        twice = next(path for path, folder in zip(given, folders, strict=True) if folders.count(folder) > 1)
        raise QueryError(f"{os.fspath(twice)} is named twice; its rows would count twice")
    names = [folder.name for folder in folders]
    if len(set(names)) < len(names):
        names = [os.fspath(path) for path in given]
    return dict(zip(names, folders, strict=True))


def run_folder(path: str | os.PathLike[str]) -> Path:
    """The absolute path of a run folder."""
    folder = Path(path)
    try:
        folder = folder.resolve()
        if not folder.exists():
            raise QueryError(f"{path}: there is no such folder; `sansim run FILE --out DIR` writes one")
        if not folder.is_dir():
            raise QueryError(f"{path} is not a folder; name the folder that `sansim run FILE --out DIR` wrote")
    except (OSError, ValueError, RuntimeError) as error:
        if isinstance(error, QueryError):
            raise
        reason = cause(error) if isinstance(error, OSError) else error
        raise QueryError(f"cannot use {path}: {reason}") from None
    if not is_result(folder):
        raise QueryError(f"{path} is not a run folder: it has no run.json written by sansim")
    if why := too_new(folder):
        raise QueryError(f"{path}: {why}; read it with the version that wrote it or a later one")
    try:
        why = changed(folder)
    except OSError as error:
        raise QueryError(f"{error.filename or path} cannot be read: {error.strerror or error}") from None
    if why:
        raise QueryError(f"{path}: {why}, so its figures are no longer those of the run; run it again")
    return folder


def flatten(value: object, path: str = "") -> Iterator[tuple[str, str | None, float | None]]:
    """Every value of a nested structure with its key path, as text and, if it is a number, as that."""
    match value:
        case dict() if value:
            for key, part in value.items():
                yield from flatten(part, f"{path}.{key}" if path else str(key))
        case list() if value:
            for number, part in enumerate(value):
                yield from flatten(part, f"{path}[{number}]")
        case None:
            yield path, None, None
        case str():
            yield path, value, None
        case int() | float() if not isinstance(value, bool):
            yield path, json.dumps(value), float(value)
        case _:
            yield path, json.dumps(value), None


def read_nested(file: Path) -> Mapping[str, Any]:
    """A JSON or TOML file."""
    try:
        text = read_bytes(file).decode()
        value = tomllib.loads(text) if file.suffix == ".toml" else json.loads(text)
    except OSError as error:
        raise QueryError(f"cannot read {file}: {cause(error)}") from None
    except (ValueError, RecursionError) as error:
        raise QueryError(f"cannot read {file}: {error}") from None
    if not isinstance(value, dict):
        raise QueryError(f"cannot read {file}: it does not hold keys and values")
    return value


# ---------------------------------------------------------------- DuckDB


READS_ONLY = "only statements that read are allowed: SELECT, and FROM, WITH, PIVOT, DESCRIBE, SUMMARIZE, SHOW"


def quoted(text: str) -> str:
    """A text as SQL."""
    return "'" + text.replace("'", "''") + "'"


def this_very(file: Path) -> str:
    """A file for DuckDB, which takes names for patterns: `run[12]` would mean run1 and run2, and count both."""
    return re.sub(r"([\[*?])", r"[\1]", str(file))


def make(connection: duckdb.DuckDBPyConnection, name: str, named: Mapping[str, Path], kind: str = "TABLE") -> bool:
    """Makes a table or view; False if none of the folders has what it takes."""
    several = len(named) > 1
    if name in LONG:
        connection.execute(
            f"CREATE TABLE {name} ({'run VARCHAR, ' if several else ''}key VARCHAR, value VARCHAR, number DOUBLE)"
        )
        for label, folder in named.items():
            first = (label,) if several else ()
            rows = [(*first, *row) for row in flatten(read_nested(folder / LONG[name]))]
            if rows:
                connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(rows[0]))})", rows)
        return True
    parts = [
        f"SELECT {f'{quoted(label)} AS run, ' if several else ''}* FROM read_parquet({quoted(this_very(file))})"
        for label, folder in named.items()
        if (file := folder / f"{name}.parquet").is_file()
    ]
    if parts:
        # By name: folders of different versions may differ in their columns.
        connection.execute(f"CREATE {kind} {name} AS " + " UNION ALL BY NAME ".join(parts))
    return bool(parts)


def load(connection: duckdb.DuckDBPyConnection, named: Mapping[str, Path], tables: Sequence[str]) -> None:
    """Loads tables into memory."""
    for name in tables:
        make(connection, name, named)


def parse(connection: duckdb.DuckDBPyConnection, sql: str) -> str:
    """The SQL, if it is one statement that reads."""
    statements = connection.extract_statements(sql)
    if not statements:
        raise QueryError("the SQL is empty")
    if len(statements) > 1:
        raise QueryError(f"the SQL has {len(statements)} statements; give one at a time")
    # MULTI is what a PIVOT becomes. Nothing rests on this: whatever runs, runs without any file in reach.
    if statements[0].type.name not in ("SELECT", "MULTI"):
        raise QueryError(READS_ONLY)
    return sql


def checked(relation: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """A relation whose columns polars can take: no name twice, unusual types as text."""
    names = relation.columns
    for name in names:
        if names.count(name) > 1:
            raise QueryError(f"two columns of the result are named {name}; give one of them another name with AS")
    kinds = [str(kind) for kind in relation.types]
    if all(kind in FULL or kind.startswith("DECIMAL") for kind in kinds):
        return relation
    columns = []
    for name, kind in zip(names, kinds, strict=True):
        column = '"' + name.replace('"', '""') + '"'
        good = kind in FULL or kind.startswith("DECIMAL")
        columns.append(column if good else f"CAST({column} AS VARCHAR) AS {column}")
    return relation.project(", ".join(columns))


def plain_types(table: pl.DataFrame) -> pl.DataFrame:
    """The table with decimal numbers, such as sums of whole numbers are for DuckDB, as ordinary ones."""
    import polars as pl

    columns: dict[str, pl.Series] = {}
    for column in table.iter_columns():
        if isinstance(column.dtype, pl.Decimal):
            whole = column.cast(pl.Int64, strict=False) if column.dtype.scale == 0 else None
            fits = whole is not None and whole.null_count() == column.null_count()
            columns[column.name] = whole if whole is not None and fits else column.cast(pl.Float64)
    return table.with_columns(**columns)


def explain(error: duckdb.Error, named: Mapping[str, Path]) -> str:
    """The message of DuckDB, with the tables that the folders have."""
    text = str(error).rstrip()
    unknown = re.search(r"Table with name (\S+) does not exist", text)
    if unknown:
        name = unknown[1].lower()
        if name in PARQUET:
            return (
                f"{', '.join(named)}: there is no table {name}; the run was written by an earlier version of sansim or"
                " without it. Run its scenario.toml again to have it"
            )
        have = [t for t in PARQUET if any((f / f"{t}.parquet").is_file() for f in named.values())]
        where = re.search(r"\n\nLINE .*", text, re.DOTALL)
        return f"there is no table {unknown[1]}; the tables are {', '.join((*have, *LONG))}" + (
            where[0] if where else ""
        )
    if "disabled by configuration" in text:
        text += "\nA query sees the tables of its run folders and no files."
    return text
