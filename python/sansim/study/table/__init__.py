"""The results of a study as tables: Markdown, CSV, Parquet, xarray, and the published values beside ours."""

from sansim.study.table.formats import csv, parquet, to_xarray
from sansim.study.table.text import markdown
from sansim.study.table.verdicts import verdict_csv, verdict_markdown, verdict_text

__all__ = [
    "csv",
    "markdown",
    "parquet",
    "to_xarray",
    "verdict_csv",
    "verdict_markdown",
    "verdict_text",
]
