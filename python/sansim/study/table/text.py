"""Results as Markdown tables for people."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sansim.study.model import DOUBT, Axis, Metric, Study
from sansim.study.table.frame import Cell, Row, axes_of_metrics, finite, ordered, rows, with_unit

if TYPE_CHECKING:
    import polars as pl

NOTHING = "-"
"""The text for a missing value."""
SIGNIFICANT = 4
"""Digits of a value whose uncertainty is unknown."""
MOST_SIGNIFICANT = 7
"""Digits of a value at most, however narrow its interval is."""
MOST_ACROSS, WIDEST = 12, 130
"""A cross table has at most so many columns of values, and lines of so many letters."""
DOUBTFUL = " ?"
"""Follows a value whose interval is in doubt."""


def markdown(study: Study, frame: pl.DataFrame, *, level: int = 2, width: int | None = None) -> str:
    """The results as Markdown: a heading, and a table for all metrics that have the same axes.

    A row is a point, with its axes first. One metric over several axes makes a cross table. Below a table is the
    meaning of `±`: the methods of the intervals.

    Args:
        study: Gives title, axes and metrics.
        frame: The long frame.
        level: The level of the heading.
        width: Columns of a terminal that the tables have to fit: wider ones are stacked. A file has no such limit.
    """
    present = axes_of_metrics(frame, [axis.name for axis in study.axes])
    groups: dict[tuple[str, ...], list[Metric]] = {}
    for metric in study.metrics:
        if metric.name in present:
            groups.setdefault(present[metric.name], []).append(metric)
    parts = [f"{'#' * level} {one_line(study.title)}\n"]
    for names, metrics in groups.items():
        axes = [axis for axis in study.axes if axis.name in names]
        part = frame.filter(frame["metric"].is_in([metric.name for metric in metrics]))
        points = ordered(rows(part, [axis.name for axis in axes]), axes)
        parts += [table_of(axes, metrics, points, width), *(wrapped(text, width) for text in methods(metrics, points))]
    if not groups:
        parts.append("No results.\n")
    return "\n".join(parts)


def wrapped(text: str, width: int | None) -> str:
    """Lines of a text, those of a list indented, within a width."""
    if width is None:
        return text
    lines = [textwrap.wrap(line, width, subsequent_indent="  " * line.startswith("- ")) for line in text.splitlines()]
    return "".join("".join(f"{part}\n" for part in parts or [""]) for parts in lines)


def table_of(axes: Sequence[Axis], metrics: Sequence[Metric], points: Sequence[Row], width: int | None) -> str:
    """The table that suits the number of axes and metrics, and the width if there is a limit."""
    if not axes:
        return table_of_one_point(metrics, points)
    crossed = cross_table_of(axes, metrics[0], points, width or WIDEST) if len(metrics) == 1 else None
    if crossed:
        return crossed
    listed = list_table(axes, metrics, points)
    if width is None or width_of(listed) <= width:
        return listed
    return "\n".join(
        part if width_of(part := list_table(axes, some, points)) <= width else stacked(axes, some, points, width)
        for some in fitting(axes, metrics, points, width)
    )


def width_of(text: str) -> int:
    """Letters of the longest line."""
    return max(map(len, text.splitlines()))


def fitting(axes: Sequence[Axis], metrics: Sequence[Metric], points: Sequence[Row], width: int) -> list[list[Metric]]:
    """The metrics in runs, each as long as its table fits; one that does not fit alone is with those like it."""
    runs: list[list[Metric]] = []
    fits = False
    for metric in metrics:
        alone = width_of(list_table(axes, [metric], points)) <= width
        together = [*runs[-1], metric] if runs else []
        if runs and alone == fits and (not alone or width_of(list_table(axes, together, points)) <= width):
            runs[-1] = together
        else:
            runs.append([metric])
        fits = alone
    return runs


def stacked(axes: Sequence[Axis], metrics: Sequence[Metric], points: Sequence[Row], width: int) -> str:
    """A block of lines for each point: its place, and a line for each metric."""
    columns = [column(metric, points) for metric in metrics]
    names = [one_line(with_unit(metric.label, metric.unit)) for metric in metrics]
    wide = min(max(map(len, names)), width // 2)
    lines: list[str] = []
    for number, row in enumerate(points):
        place = ", ".join(
            f"{axis.label} {label}" for axis, label in zip(axes, row.labels, strict=True) if label is not None
        )
        lines += textwrap.wrap(one_line(place), width)
        for name, texts in zip(names, columns, strict=True):
            *first, last = textwrap.wrap(name, wide)
            lines += [f"  {part}" for part in first]
            lines.append(f"  {last:<{wide}}  {texts[number]}")
    return "".join(f"{line}\n" for line in lines)


def list_table(axes: Sequence[Axis], metrics: Sequence[Metric], points: Sequence[Row]) -> str:
    """A row for each point, a column for each metric."""
    columns = [column(metric, points) for metric in metrics]
    header = [*(axis.label for axis in axes), *(with_unit(metric.label, metric.unit) for metric in metrics)]
    lines = [
        [*(label or NOTHING for label in row.labels), *cells]
        for row, cells in zip(points, zip(*columns, strict=True), strict=True)
    ]
    return markdown_table(header, lines, right=range(len(axes), len(header)))


def table_of_one_point(metrics: Sequence[Metric], points: Sequence[Row]) -> str:
    """The metrics one below the other."""
    lines = [[with_unit(metric.label, metric.unit), column(metric, points)[0]] for metric in metrics]
    return markdown_table(["Metric", "Value"], lines, right=[1])


def cross_table_of(axes: Sequence[Axis], metric: Metric, points: Sequence[Row], widest: int) -> str | None:
    """A cross table with as many axes across as are legible; None if points, as on zipped axes, do not fill one."""
    for first in range(1, len(axes)):
        across = len({row.labels[first:] for row in points})
        down = len({row.labels[:first] for row in points})
        if 1 < across <= MOST_ACROSS and down > 1 and 2 * len(points) > down * across:
            text = cross_table(axes, metric, points, first)
            if width_of(text) <= widest:
                return text
    return None


def cross_table(axes: Sequence[Axis], metric: Metric, points: Sequence[Row], first: int) -> str:
    """A metric over several axes, those from the given one on across."""
    cells = dict(zip((row.labels for row in points), column(metric, points), strict=True))
    down = list(dict.fromkeys(row.labels[:first] for row in points))
    across = list(dict.fromkeys(row.labels[first:] for row in ordered(points, axes, first)))
    header = [*(axis.label for axis in axes[:first]), *(", ".join(map(str, labels)) for labels in across)]
    lines = [
        [*(label or NOTHING for label in begin), *(cells.get(begin + end, NOTHING) for end in across)] for begin in down
    ]
    names = [", ".join(axis.label for axis in part) for part in (axes[:first], axes[first:])]
    caption = f"{with_unit(metric.label, metric.unit)}, by {names[0]} (down) and {names[1]} (across):"
    return f"{one_line(caption)}\n\n{markdown_table(header, lines, right=range(first, len(header)))}"


def markdown_table(header: Sequence[str], lines: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """A Markdown table whose source is aligned, too; `right` are the columns of numbers."""
    table = [[escaped(text) for text in line] for line in [header, *lines]]
    widths = [max(3, *(len(line[place]) for line in table)) for place in range(len(header))]
    rule = ["-" * (width - 1) + ":" if place in right else "-" * width for place, width in enumerate(widths)]
    padded = [
        [
            text.rjust(width) if place in right else text.ljust(width)
            for place, (text, width) in enumerate(zip(line, widths, strict=True))
        ]
        for line in table
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in [padded[0], rule, *padded[1:]])


def one_line(text: str) -> str:
    """A text without line breaks and other control characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def escaped(text: str) -> str:
    """A text that stays within its cell and is no HTML."""
    return re.sub(r"<(?=[A-Za-z/!?])", "&lt;", one_line(text)).replace("|", "\\|")


# ---------------------------------------------------------------- methods


def methods(metrics: Sequence[Metric], points: Sequence[Row]) -> list[str]:
    """The notes below a table about its intervals; empty if there are none."""
    by_text: dict[str, list[str]] = {}
    for metric in metrics:
        for text in method_texts([row.cells[metric.name] for row in points if metric.name in row.cells]):
            by_text.setdefault(text, []).append(metric.label)
    if not by_text:
        return []
    cells = [row.cells.get(metric.name) for row in points for metric in metrics]
    begin = ""
    if any(cell and finite(cell.half_width_95) is not None for cell in cells):
        begin = "± is half the width of the 95 % confidence interval. "
    if any(cell and cell.doubtful for cell in cells):
        begin += f"Values with `{DOUBTFUL.strip()}` have an interval that the run itself doubts. "
    if len(by_text) == 1:
        return [f"{begin}Method: {next(iter(by_text))}.\n"]
    texts = [f"{', '.join(labels)}: {text}." for text, labels in by_text.items()]
    return [f"{begin}Methods:\n", "".join(f"- {one_line(text)}\n" for text in texts)]


def method_texts(cells: Sequence[Cell]) -> list[str]:
    """The methods of some values, each once; methods that differ in the number of replications only are one."""
    counts: dict[tuple[str, str], list[int]] = {}
    for cell in cells:
        if cell.method and not cell.word:
            # The cells of doubtful values are marked.
            method = cell.method.removesuffix(DOUBT)
            number = re.search(rf"\b{cell.n}\b", method) if cell.n is not None else None
            begin, end = number.span() if number else (len(method), len(method))
            parts = method[:begin], method[end:]
            counts.setdefault(parts, []).extend([int(number.group())] if number else [])
    return [before + span(numbers) + after for (before, after), numbers in counts.items()]


def span(numbers: Sequence[int]) -> str:
    """From the least to the most."""
    if not numbers:
        return ""
    least, most = min(numbers), max(numbers)
    return f"{least} to {most}" if least < most else str(least)


# ---------------------------------------------------------------- numbers


def column(metric: Metric, points: Sequence[Row]) -> list[str]:
    """The values of a metric as texts; whole numbers only if all of them are."""
    cells = [row.cells.get(metric.name, Cell(None, None, None, "")) for row in points]
    values = [cell.value for cell in cells if finite(cell.value) is not None]
    whole = all(value is not None and float(value).is_integer() for value in values)
    return [
        cell.word or number(cell.value, cell.half_width_95, whole=whole) + DOUBTFUL * cell.doubtful for cell in cells
    ]


NEXT_TO_NOTHING = 1e-4
"""A half width below this share of the value has no digits that anyone reads."""


def number(value: float | None, half_width: float | None = None, *, whole: bool = False) -> str:
    """A value with as many digits as make sense, and its uncertainty: `121.42 ± 0.35`.

    A known uncertainty has two significant digits and decides those of the value. Otherwise a value has four, or all
    of those before the point; `whole` says that it counts something.
    """
    if finite(value) is None:
        return NOTHING
    assert value is not None
    if finite(half_width) is None:
        return f"{value:.0f}" if whole and abs(value) < 1e15 else significant(value)
    assert half_width is not None
    if half_width == 0:
        return f"{f'{value:.0f}' if whole and abs(value) < 1e15 else significant(value)} ± 0"
    if half_width < NEXT_TO_NOTHING * abs(value):
        return f"{f'{value:.0f}' if whole and abs(value) < 1e15 else significant(value, 5)} ± less than 0.01 %"
    decimals = max(1 - exponent(half_width, 2), 0)
    most = max(MOST_SIGNIFICANT - 1 - exponent(value, MOST_SIGNIFICANT), 0) if value else decimals
    if max(abs(value), half_width) >= 1e15 or min(decimals, most) > 12:
        return f"{value:.{SIGNIFICANT - 1}e} ± {half_width:.1e}"
    decimals = min(decimals, most)
    width = f"{half_width:.{decimals}f}"
    return f"{unsigned_zero(f'{value:.{decimals}f}')} ± {width if float(width) else f'{half_width:.0e}'}"


def significant(value: float, digits: int = SIGNIFICANT) -> str:
    """So many significant digits, or all of those before the point; powers of ten only where there is no other way."""
    if value == 0:
        return "0"
    power = exponent(value, digits)
    if power < -5 or power >= 15:
        return f"{value:.{digits - 1}e}"
    return f"{value:.{max(digits - 1 - power, 0)}f}"


def exponent(value: float, digits: int) -> int:
    """The power of ten of the first digit, once rounded to so many digits: 999.97 to four is 1000, so 3."""
    return int(f"{abs(value):.{digits - 1}e}".partition("e")[2]) if value else 0


def unsigned_zero(text: str) -> str:
    """Zero without the minus that rounding has left."""
    return text if float(text) else text.removeprefix("-")
