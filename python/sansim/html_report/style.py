"""The style of charts in the report: colours, sizes, fonts, units, and the output as SVG or PNG.

The colours are from the palettes of Okabe and Ito (2008) and of Paul Tol (2021), which are made for colour-blind people
too. Kinds of components and segments have theirs from the catalogue.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING
from zlib import crc32

from sansim.catalogue import kinds, place_of, segment_of, segments, waits
from sansim.file_types import PNG_ABOUT, SVG_ABOUT

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

WIDTH = 7.2
"""Inches: the text width of an A4 or letter page."""

RUNS = ("#0072B2", "#D55E00")
"""First and second run."""
READS, WRITES = "#0072B2", "#E69F00"
SERIES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#661100", "#4d4d4d")
"""Components of a run, in order; a test compares each two as people with each colour-vision deficiency see them."""
INK = "#222222"
FAINT = "#8a8a8a"

OTHER_SEGMENTS = ("#4477AA", "#EE6677", "#228833", "#CCBB44", "#66CCEE", "#AA3377")
"""Colours of segments that have none of their own: always the same for a name."""
TONES = (0.0, 0.28, -0.22, 0.45, -0.38)
"""How much lighter or darker a segment is at one place than at another."""
STYLE: dict[str, object] = {
    "axes.axisbelow": True,
    "axes.edgecolor": "#666666",
    "axes.formatter.useoffset": False,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.labelsize": 8,
    "axes.linewidth": 0.7,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 8.5,
    "axes.titley": 1.0,
    "axes.titleweight": "bold",
    "figure.facecolor": "white",
    "font.family": ["DejaVu Sans"],
    "font.size": 8,
    "grid.color": "#e3e3e3",
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.7,
    "legend.borderaxespad": 0.3,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "legend.handlelength": 1.6,
    "lines.linewidth": 1.3,
    "lines.solid_capstyle": "butt",
    "path.simplify": True,
    "svg.fonttype": "path",
    "svg.hashsalt": "sansim",
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": INK,
    "xtick.labelsize": 7.5,
    "xtick.major.width": 0.7,
    "ytick.color": INK,
    "ytick.labelsize": 7.5,
    "ytick.major.width": 0.7,
}


@dataclass(frozen=True)
class Chart:
    """Something that can be drawn."""

    name: str
    """Name of its files, without ending."""
    title: str
    caption: str
    height: float
    """Inches."""
    draw: Callable[[Figure], None]
    svg: Callable[[bool], str] | None = None
    """Writes the SVG without matplotlib; the argument says whether it is to be a file of its own."""


@contextmanager
def house_style() -> Iterator[None]:
    """Our style and nothing of the user's, so that everyone gets the same bytes."""
    import matplotlib.style

    with matplotlib.style.context(["default", STYLE]), warnings.catch_warnings():
        # Names of runs may have letters that the font lacks; boxes are drawn for them.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def drawn(chart: Chart) -> Figure:
    """The chart as a figure; to be called and saved within `house_style`."""
    from matplotlib.figure import Figure

    from sansim.html_report.layout import OneGrid

    figure = Figure(figsize=(WIDTH, chart.height), layout=OneGrid())
    chart.draw(figure)
    return figure


def laid_out(chart: Chart) -> FigureCanvasSVG:
    """The chart with everything in its place, so that drawing need not look for it; within `house_style`."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    figure = drawn(chart)
    canvas = FigureCanvasSVG(figure)
    engine = figure.get_layout_engine()
    assert engine is not None
    engine.execute(figure)
    figure.set_layout_engine("none")
    return canvas


def svg_file(chart: Chart) -> bytes:
    """The chart as an SVG file. The same chart gives the same bytes."""
    if chart.svg is not None:
        return chart.svg(True).encode()
    with house_style():
        file = io.BytesIO()
        # Not savefig: it draws everything once more only to lay it out.
        laid_out(chart).print_svg(file, metadata=SVG_ABOUT)  # type: ignore[no-untyped-call]
    return file.getvalue()


def png_file(chart: Chart, dpi: int = 300) -> bytes:
    """The chart as a PNG file. The same chart gives the same bytes."""
    with house_style():
        file = io.BytesIO()
        drawn(chart).savefig(file, format="png", dpi=dpi, metadata=PNG_ABOUT)
    return file.getvalue()


def svg_inline(chart: Chart) -> str:
    """The chart as an element of a page: nothing that names another place, and ids that no other chart uses."""
    if chart.svg is not None:
        return chart.svg(False)
    text = svg_file(chart).decode()
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text[text.index("<svg") :], flags=re.DOTALL)
    # On a page this would be the style of everything.
    text = re.sub(r"<defs>\s*<style type=\"text/css\">.*?</style>\s*</defs>\s*", "", text, count=1, flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->\s*", "", text, flags=re.DOTALL)
    text = re.sub(r'\bid="', f'id="{chart.name}-', text)
    text = re.sub(r'(xlink:)?href="#', f'href="#{chart.name}-', text)
    text = text.replace("url(#", f"url(#{chart.name}-")
    box = re.search(r'viewBox="[^"]*"', text)
    assert box is not None
    start = (
        f'<svg {box.group()} role="img" aria-label="{escape(chart.title)}"'
        ' style="stroke-linejoin:round;stroke-linecap:butt">'
    )
    return start + text[text.index(">") + 1 :]


# ---------------------------------------------------------------- units


def time_unit(longest_ns: float) -> tuple[float, str]:
    """The unit in which times up to this one are easy to read: its ns and its name."""
    for size, name in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if longest_ns >= size:
            return size, name
    return 1.0, "ns"


def plain_ticks(axis: Axis) -> None:
    """Numbers with thousands grouped, never in powers of ten."""
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))


def zero_based(axis: Axis) -> None:
    """Begins at zero, with a little room above."""
    axes = axis.axes
    high = axes.dataLim.y1
    # Not the margin of matplotlib, which is small if all values are nearly the same.
    axes.set_ylim(0, high * 1.07 if 0 < high < float("inf") else 1)
    plain_ticks(axis)


def kind_colour(kind: str) -> str:
    """The colour of components of a kind; a faint one of what this version does not know."""
    known = kinds().get(kind)
    return FAINT if known is None else known.colour


def line_colour(line: str) -> str:
    """The colour of a line of the ledger, the same in every chart: that of its segment, in a tone of its place."""
    segment, place = segment_of(line), place_of(line)
    known = segments().get(segment)
    other = OTHER_SEGMENTS[crc32(segment.encode()) % len(OTHER_SEGMENTS)]
    colour = known.colour if known is not None and known.colour is not None else other
    return toned(colour, TONES[crc32(place.encode()) % len(TONES)])


def toned(colour: str, tone: float) -> str:
    """A colour, lighter by a tone above zero, darker by one below."""
    towards = 255 if tone > 0 else 0
    parts = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(part + (towards - part) * abs(tone)):02x}" for part in parts)


def line_hatch(line: str) -> str | None:
    """The hatch of a line in which the I/O waits."""
    return "/////" if waits(line) else None
