"""The style of plots of a study: colours, markers and dashes of lines, sizes of texts.

The colours are those of the report: from the palettes of Okabe and Ito (2008) and of Paul Tol (2021), which are made
for colour-blind people too. More lines than that palette has take theirs from viridis, which is as well.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from sansim.html_report.style import INK, SERIES, house_style
from sansim.study.plot.series import Contents, Line
from sansim.study.table.text import one_line

DPI = 200
LABEL, TICK, LEGEND, TITLE = 9.0, 8.5, 8.5, 10.0
"""Sizes of texts in points."""
MARKERS = "os^Dv<>p"
DASHES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1.2, 1.2)), (0, (5, 1.5, 1.2, 1.5)))
DANGLING = frozenset(("a", "at", "by", "for", "from", "in", "of", "on", "over", "per", "the", "to", "with"))
"""Words that nothing ends with."""
HOLLOW: dict[str, Any] = {"markersize": 7.5, "markerfacecolor": "none", "markeredgewidth": 1.0}
"""A published point: a ring around the dot of ours, if the two agree."""
MARKED: dict[str, Any] = {
    "linestyle": "none",
    "marker": "D",
    "markersize": 8.5,
    "markerfacecolor": "none",
    "markeredgecolor": INK,
    "markeredgewidth": 1.2,
}
"""A place of a line that is marked, as its knee."""
BEYOND: dict[str, Any] = {"linestyle": "none", "marker": "x", "markersize": 5.0, "markeredgewidth": 1.3}
"""A place without a value because more requests arrive than complete."""
GREYS = ("#444444", "#777777", "#111111", "#999999")
"""The colours of points of other sources."""
BAND = 0.22
"""Opacity of the band of an interval."""
SIZES: dict[str, object] = {
    "axes.labelsize": LABEL,
    "axes.titlesize": LABEL,
    "figure.titlesize": TITLE,
    "figure.titleweight": "bold",
    "font.size": LABEL,
    "legend.fontsize": LEGEND,
    "legend.title_fontsize": LEGEND,
    "xtick.labelsize": TICK,
    "ytick.labelsize": TICK,
}


@contextmanager
def plot_style() -> Iterator[None]:
    """The style of the report with letters that stay legible when a figure is scaled down."""
    import matplotlib.style

    with house_style(), matplotlib.style.context(SIZES):
        yield


@dataclass(frozen=True)
class Look:
    """How a line is drawn."""

    colour: str
    marker: str
    dash: Any
    """As matplotlib takes it."""


@dataclass(frozen=True)
class Dimension:
    """Something by which lines differ: an axis, or the metric."""

    title: str
    """Its name in the legend; empty for metrics, whose labels name it."""
    labels: tuple[str, ...]


class Looks:
    """How the lines of a plot look: the first thing by which they differ decides the colour, the rest the dashes.

    Where they differ in one thing only, each line has a colour and a marker of its own.
    """

    def __init__(self, contents: Contents) -> None:
        self.contents = contents
        found = [(axis.label, labels_in_order(contents, place)) for place, axis in enumerate(contents.lines_axes)]
        self.places = [place for place, (_, labels) in enumerate(found) if len(labels) > 1]
        self.dimensions = [Dimension(*found[place]) for place in self.places]
        self.by_metric = max(map(len, contents.groups)) > 1
        # The common part of the labels of an axis is beside the axis.
        rests = [rest for group in contents.groups for rest in common_words([metric.label for metric in group])[1]]
        self.metrics = dict(zip((metric.name for group in contents.groups for metric in group), rests, strict=True))
        if self.by_metric:
            self.dimensions.append(Dimension("", tuple(rests)))
        self.colours = palette(len(self.dimensions[0].labels) if self.dimensions else 1)

    def indices(self, line: Line) -> list[int]:
        """The index of the label of a line in each dimension."""
        indices = []
        for place, dimension in zip(self.places, self.dimensions, strict=False):
            label = line.key[place]
            indices.append(dimension.labels.index(label) if label in dimension.labels else 0)
        if self.by_metric:
            indices.append([metric for group in self.contents.groups for metric in group].index(line.metric))
        return indices

    def of(self, line: Line) -> Look:
        """The look of a line."""
        return self.look(self.indices(line))

    def look(self, indices: Sequence[int]) -> Look:
        """The look of the line with these labels."""
        if not indices:
            return Look(self.colours[0], MARKERS[0], DASHES[0])
        if len(indices) == 1:
            return Look(self.colours[indices[0]], MARKERS[indices[0] % len(MARKERS)], DASHES[0])
        rest = 0
        for index, dimension in zip(indices[1:], self.dimensions[1:], strict=True):
            rest = rest * len(dimension.labels) + index
        return Look(self.colours[indices[0]], MARKERS[rest % len(MARKERS)], DASHES[rest % len(DASHES)])

    def label(self, line: Line) -> str:
        """The label of a line in the legend: the labels that distinguish it."""
        parts = [line.key[place] for place in self.places]
        if self.by_metric:
            parts.append(self.metrics[line.metric.name])
        return one_line(", ".join(part for part in parts if part)) or "simulated"

    def title(self) -> str:
        """The title of the legend, if labels such as 16 are not clear by themselves."""
        bare = any(are_numbers(dimension.labels) for dimension in self.dimensions if dimension.title)
        return one_line(", ".join(d.title for d in self.dimensions if d.title)) if bare else ""


def look_of_points(number: int) -> Look:
    """The look of points of another source: grey, so that no line of ours has it."""
    marks, dashes = ("X", "P", "d", "*"), ((0, (4, 2)), (0, (1, 1.5)))
    return Look(GREYS[number % len(GREYS)], marks[number % len(marks)], dashes[number % len(dashes)])


def labels_in_order(contents: Contents, place: int) -> tuple[str, ...]:
    """The labels on an axis of the lines that occur."""
    found = {line.key[place] for line in contents.lines}
    return tuple(label for label in dict.fromkeys(contents.lines_axes[place].labels) if label in found)


def palette(count: int) -> list[str]:
    """So many colours that can be distinguished."""
    if count <= len(SERIES):
        return list(SERIES[:count])
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    # Without its lightest end, which is hardly seen on white.
    return [to_hex(colormaps["viridis"](0.92 * index / (count - 1))) for index in range(count)]


# ---------------------------------------------------------------- texts


def common_words(texts: Sequence[str]) -> tuple[str, list[str]]:
    """The words that texts begin or end with, and what is left of each; of a single text there is left all of it."""
    words = [one_line(text).split() for text in texts]
    if len(words) == 1:
        return " ".join(words[0]), [" ".join(words[0])]
    least = min(map(len, words))
    front = next((n for n in range(least) if len({w[n] for w in words}) > 1), least)
    back = next((n for n in range(least) if len({w[-1 - n] for w in words}) > 1), least)
    if front >= back:
        common, rests = words[0][:front], [w[front:] for w in words]
    else:
        common, rests = words[0][-back:], [w[:-back] for w in words]
    while common and common[-1] in DANGLING:
        common.pop()
    if not all(rests):
        rests = words
    return " ".join(common).strip(" ,:;-"), [" ".join(rest) for rest in rests]


def are_numbers(labels: Sequence[str | None]) -> bool:
    """Whether labels are numbers, which do not say of what."""
    return all(label and label[:1].isdigit() for label in labels)


@cache
def text_width(text: str, size: float, bold: bool = False) -> float:
    """How wide a text will be, in inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextToPath

    font = FontProperties(family="DejaVu Sans", size=size, weight="bold" if bold else "normal")
    return float(TextToPath().get_text_width_height_descent(text, font, ismath=False)[0]) / 72


def fitted(text: str, width: float, size: float, lines: int = 2, bold: bool = False) -> str:
    """A text in lines that are at most so many inches wide, cut if it takes more lines than it may."""
    text = one_line(text)
    if text_width(text, size, bold) <= width:
        return text
    letters = max(int(len(text) * width / text_width(text, size, bold)), 4)
    while letters > 4:
        parts = textwrap.wrap(text, letters, max_lines=lines, placeholder=" …")
        if all(text_width(part, size, bold) <= width for part in parts):
            break
        letters -= 1
    return "\n".join(textwrap.wrap(text, letters, max_lines=lines, placeholder=" …"))


def pretty(unit: str) -> str:
    """A unit as it is printed."""
    return "µs" + unit[2:] if unit == "us" or unit.startswith("us/") else unit
