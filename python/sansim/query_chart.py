"""The answer of a query as a picture: columns of numbers over the first column, a line for each text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sansim.html_report.style import SERIES, Chart

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_LINES = 24
"""More lines cannot be distinguished."""
MOST_WORDS = 60
"""More words have no room side by side."""
FEW = 60
"""With more points in a line they have no markers."""
HEIGHT = 2.6
"""Inches, of each panel."""
FONT = 7.0
"""Size of the words at an axis, in points."""


def chart_of(table: pl.DataFrame) -> Chart:
    """The chart of a table: its first column is `x`, each other column of numbers has a panel, texts make lines.

    Raises:
        ValueError: It cannot be drawn; the text says what to select.
    """
    if not table.height:
        raise ValueError("the answer has no rows")
    x, *others = table.columns
    numbers = [name for name in others if table[name].dtype.is_numeric() or str(table[name].dtype) == "Boolean"]
    texts = [name for name in others if name not in numbers]
    if not numbers:
        raise ValueError(
            f"the answer has no column of numbers behind `{x}`; select first what is drawn along, then numbers, as in"
            " 'select at_ns, value from samples'"
        )
    parts = lines_of(table, texts)
    if len(parts) > MOST_LINES:
        raise ValueError(
            f"{', '.join(texts)} would be {len(parts)} lines (at most {MOST_LINES}); select fewer with WHERE,"
            " or leave the column out"
        )
    words = not table[x].dtype.is_numeric()
    if words and (different := table[x].n_unique()) > MOST_WORDS:
        raise ValueError(f"`{x}` has {different:,} different words (at most {MOST_WORDS}); select fewer with WHERE")
    return Chart(
        "query", "Answer of a query", "", HEIGHT * len(numbers), lambda figure: draw(figure, table, x, numbers, parts)
    )


def lines_of(table: pl.DataFrame, texts: list[str]) -> dict[str, pl.DataFrame]:
    """The rows of each combination of texts, in the order in which they occur."""
    if not texts:
        return {"": table}
    groups = table.partition_by(texts, as_dict=True, maintain_order=True)
    return {", ".join("-" if part is None else str(part) for part in key): rows for key, rows in groups.items()}


def draw(figure: Figure, table: pl.DataFrame, x: str, numbers: list[str], parts: dict[str, pl.DataFrame]) -> None:
    """A panel for each column of numbers."""
    panels = figure.subplots(len(numbers), 1, squeeze=False, sharex=True)
    words = None if table[x].dtype.is_numeric() else [str(word) for word in table[x].unique(maintain_order=True)]
    for axes, name in zip(panels[:, 0], numbers, strict=True):
        for number, (label, rows) in enumerate(parts.items()):
            places = rows[x].to_list() if words is None else [words.index(str(word)) for word in rows[x]]
            look = {"marker": "o", "markersize": 3.5} if len(places) <= FEW else {}
            axes.plot(
                places,
                rows[name].cast(float).to_list(),
                # Words have nothing between them.
                linestyle="-" if words is None else "none",
                linewidth=1.2,
                color=SERIES[number % len(SERIES)],
                label=label.lstrip("_") or name,
                **(look or ({"marker": "."} if words is not None else {})),
            )
        axes.set_ylabel(name)
        axes.margins(x=0.02)
        axes.yaxis.set_major_formatter("{x:,.6g}")
    lowest: Axes = panels[-1, 0]
    lowest.set_xlabel(x)
    if words is None:
        lowest.xaxis.set_major_formatter("{x:,.6g}")
    else:
        turned = sum(map(len, words)) > FEW
        lowest.set_xticks(range(len(words)), words, rotation=35 if turned else 0, ha="right" if turned else "center")
        lowest.tick_params(axis="x", labelsize=FONT)
    if len(parts) > 1:
        panels[0, 0].legend(fontsize=FONT)
