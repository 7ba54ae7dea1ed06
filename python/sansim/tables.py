"""A table of a result, handed to what people use: pandas, polars, Arrow, CSV."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sansim import arguments

if TYPE_CHECKING:
    import polars as pl

    from sansim import _core


class MissingPackageError(ImportError):
    """A package that sansim does without is needed here; the text says how to install it."""


def package(name: str, what: str) -> Any:
    """A package that is not installed with sansim.

    Raises:
        MissingPackageError: It is not there, or cannot be imported.
    """
    try:
        return import_module(name)
    except ImportError as error:
        text = f"{what} needs the package {name}, which cannot be imported ({error}); install it: pip install {name}"
        raise MissingPackageError(text, name=name) from error


class Table:
    """A table of a result. Every library with the Arrow PyCapsule interface reads its columns in place."""

    def __init__(self, native: _core.Table, name: str) -> None:
        """Takes the columns as the native part has them, and the name of the table."""
        self._native = native
        self.name = name

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in order; `sansim.table_reference` and `sansim query RUN` explain them."""
        return self._native.columns

    def __len__(self) -> int:
        return len(self._native)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The Arrow PyCapsule interface."""
        return self._native.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:  # type: ignore[explicit-override]
        """Its name and size in a line."""
        return f"<sansim.Table {self.name}: {len(self):,} rows, {len(self.columns)} columns>"

    def to_polars(self) -> pl.DataFrame:
        """The table as a polars table; nothing is copied."""
        import polars as pl

        return pl.DataFrame(self)

    def to_pandas(self) -> Any:
        """The table as a `pandas.DataFrame`. Numbers are copied once; truth values that may be missing are `boolean`.

        Raises:
            MissingPackageError: pandas is not installed.
        """
        pandas = package("pandas", "to_pandas()")
        columns = {}
        for column in self.to_polars().iter_columns():
            kind = str(column.dtype)
            if kind == "String":
                columns[column.name] = pandas.Series(column.to_list(), dtype="str")
            elif kind == "Boolean" and column.null_count():
                columns[column.name] = pandas.array(column.to_list(), dtype="boolean")
            else:
                columns[column.name] = column.to_numpy()
        return pandas.DataFrame(columns)

    def to_arrow(self) -> Any:
        """The table as a `pyarrow.Table`; nothing is copied.

        Raises:
            MissingPackageError: pyarrow is not installed.
        """
        return package("pyarrow", "to_arrow()").table(self)

    @arguments.checked("Table.to_csv", file=arguments.FILE.or_none, force=arguments.FLAG)
    def to_csv(self, file: str | os.PathLike[str] | None = None, *, force: bool = False) -> str | None:
        """The table as comma-separated values with a line of column names: written to a file, or returned as text.

        Raises:
            OtherKindError: The file is there and is not an earlier one with these columns, and `force` is not given.
            OSError: It cannot be written.
        """
        from sansim.file_types import Kind
        from sansim.files import whole_file

        text = self.to_polars().write_csv()
        if file is None:
            return text
        heading = text.partition("\n")[0].encode()
        kind = Kind("a table with these columns", lambda head: head.partition(b"\n")[0] == heading)
        with whole_file(file, kind, force=force) as out:
            out.write(text.encode())
        return None
