"""Cascades of single requests: at the true times where the run folder tells them, else one segment after the other."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from sansim.catalogue import column_of, line_label
from sansim.html_report.charts.ledger import box
from sansim.html_report.drawing import shortened
from sansim.html_report.events import Event, events_of, mark_between, time_text
from sansim.html_report.style import WIDTH, Chart, line_colour, line_hatch, plain_ticks, time_unit
from sansim.html_report.topology import micro
from sansim.html_report.ways import Bar, Stay, bars, turns, way, with_way
from sansim.number_text import duration

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sansim.html_report.folder import RunFolder

Requests = list[tuple[str, dict[str, Any]]]
"""I/Os, as rows of ios.parquet, each with the reason for showing it."""

TITLE = "Waterfall of single requests"
ROW = 0.185
"""Inches for each segment."""
NAMES = 1.35
"""Inches that the names of the segments and the margins take."""
HAIR = 0.5
"""Points: the narrowest width that is drawn, and the least distance that can be distinguished."""
WHY = 12
"""Letters of a line of a heading, which has to fit into its column."""
HIGH = 0.76
"""Height of a bar, of a row."""


def waterfall(run: RunFolder, requests: Requests, name: str, prefix: str) -> Chart:
    """Some I/Os, a column each, of a run folder that does not tell when they entered a segment."""
    segments = [s for s in run.lines if any(row[column_of(s)] for _, row in requests)]
    caption = (
        f"{prefix}Single I/Os, each on a scale of its own. ios.parquet holds the total time in each segment, not"
        " when it was entered: a segment that was entered several times (loop and wire, for instance) is drawn once, at"
        " its place in the path of a read. The widths are exact, the places are not."
    )
    return Chart(name, TITLE, caption, height(segments), lambda f: draw_cascades(f, requests, segments))


def true_places(run: RunFolder, requests: Requests, name: str, prefix: str) -> Chart:
    """Some I/Os, a column each, as paths.parquet tells of them."""
    ways = [way(run, io) for _, io in requests]
    met = {stay.line for stays in ways for stay in stays}
    segments = [*(s for s in run.lines if s in met), *sorted(met.difference(run.lines))]
    kept = with_way(run)
    assert kept is not None
    caption = (
        f"{prefix}Single I/Os, each on a time scale of its own that begins when it was issued; chosen from the"
        f" {kept.height:,} of {run.ios.height:,} whose way was kept (paths.parquet). Every bar is a stay in a segment,"
        " at its true place and as long as it was; segments stand in the order in which a read meets them. A stay too"
        " short for a bar is a hairline, which shows its place and not its length. Where such stays lie closer together"
        " than a hairline is wide, one bar stands for them all, and its height is the share of its time that they"
        " take. Hatched: the I/O waits. Dashed and with a word: an event of the scenario or of the run meanwhile."
    )
    return Chart(
        name, TITLE, caption, height(segments), lambda f: draw_ways(f, events_of(run), requests, ways, segments)
    )


def height(segments: Sequence[str]) -> float:
    """Inches of a chart with these rows."""
    return 1.25 + ROW * len(segments)


# ---------------------------------------------------------------- one after the other


def draw_cascades(figure: Figure, requests: Requests, segments: list[str]) -> None:
    """A row for each segment; each begins where the last ended."""
    for axes, io, size in columns(figure, requests, segments):
        left = 0.0
        for row, segment in enumerate(segments):
            time = io[column_of(segment)] / size
            # A thin line down the cascade, so that a segment too short to be seen has a place.
            axes.plot([left, left], [row - 0.5, row + 0.5], color="#999999", linewidth=0.5)
            box(axes, segment, row, left, time, HIGH)
            left += time
        axes.set_xlim(0, left * 1.03 if left else 1)


# ---------------------------------------------------------------- at their times


def draw_ways(
    figure: Figure, events: Sequence[Event], requests: Requests, ways: Sequence[Sequence[Stay]], segments: list[str]
) -> None:
    """A row for each segment, with a bar for each stay."""
    room = (WIDTH - NAMES) / len(requests) * 72
    room_inches = (WIDTH - NAMES) / len(requests)
    for (axes, io, size), stays in zip(columns(figure, requests, segments), ways, strict=True):
        longest = max([io["response_time_ns"], *(stay.end for stay in stays)]) * 1.03
        axes.set_xlim(0, longest / size if longest else 1)
        issued = issued_ns(io) / 1e9
        mark_between(axes, events, issued, issued + longest / 1e9, size / 1e9, room_inches, issued)
        axes.grid(False, axis="y")
        finest = longest * HAIR / room
        rows = {segment: row for row, segment in enumerate(segments)}
        steps = [((at / size, rows[a]), (at / size, rows[b])) for at, a, b in turns(stays, finest)]
        lines(axes, steps, "#bbbbbb", 0.4, 1)
        for segment, row in rows.items():
            made = bars([stay for stay in stays if stay.line == segment], finest)
            draw_row(axes, segment, row, made, finest, size)


def draw_row(axes: Axes, segment: str, row: int, made: Sequence[Bar], finest: float, size: float) -> None:
    """The bars of a segment as one shape, and its hairlines as another: a page need not hold each by itself."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    wide = [bar for bar in made if bar.end - bar.begin >= finest]
    if wide:
        least = HAIR / (ROW * 72)
        shapes = []
        for bar in wide:
            half = max(HIGH * bar.share, least) / 2
            left, right = bar.begin / size, bar.end / size
            corners = [(left, row - half), (right, row - half), (right, row + half), (left, row + half)]
            shapes.append(Path([*corners, corners[0]], closed=True))
        patch = PathPatch(
            Path.make_compound_path(*shapes),
            facecolor=line_colour(segment),
            hatch=line_hatch(segment),
            edgecolor="white",
            linewidth=0,
            zorder=2,
        )
        axes.add_patch(patch)
    middles = [(bar.begin + bar.end) / 2 / size for bar in made if bar.end - bar.begin < finest]
    lines(axes, [((x, row - HIGH / 2), (x, row + HIGH / 2)) for x in middles], line_colour(segment), HAIR, 3)


def lines(
    axes: Axes, ends: Sequence[tuple[tuple[float, float], tuple[float, float]]], colour: str, width: float, order: float
) -> None:
    """Straight lines as one shape."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    if ends:
        path = Path([point for pair in ends for point in pair], [Path.MOVETO, Path.LINETO] * len(ends))
        axes.add_patch(PathPatch(path, facecolor="none", edgecolor=colour, linewidth=width, zorder=order))


# ---------------------------------------------------------------- the sheet


def issued_ns(io: dict[str, Any]) -> float:
    """The moment at which an I/O was issued, in ns of simulated time."""
    return float(io.get("issued_ns", io["completed_ns"] - io["response_time_ns"]))


def columns(figure: Figure, requests: Requests, segments: list[str]) -> list[tuple[Axes, dict[str, Any], float]]:
    """Axes for each request with a row for each segment; with the request, and the ns of a unit of its time."""
    from matplotlib.ticker import MaxNLocator

    made = []
    sheet = figure.subplots(1, len(requests), sharey=True, squeeze=False)[0]
    for axes, (why, io) in zip(sheet, requests, strict=True):
        size, unit = time_unit(io["response_time_ns"])
        kind = io.get("operation") or ("write" if io["write"] else "read")
        number = f"I/O {io['io']:,}\n" if "io" in io else ""
        drive = shortened(io.get("station") or f"station {io['drive']}", 17)
        issued = time_text(issued_ns(io) / 1e9)
        axes.annotate(
            f"{number}{kind}, {drive}\n{micro(duration(io['response_time_ns']))}\nfrom {issued}",
            (0, 1),
            xycoords="axes fraction",
            xytext=(0, 3),
            textcoords="offset points",
            fontsize=6.5,
            va="bottom",
        )
        axes.set_title("\n".join(wrap(why, WHY)), fontsize=7, pad=39 if number else 30)
        axes.set_xlabel(f"time ({unit})")
        axes.xaxis.set_major_locator(MaxNLocator(3))
        plain_ticks(axes.xaxis)
        axes.tick_params(axis="y", length=0)
        made.append((axes, io, size))
    sheet[0].set_yticks(range(len(segments)), [line_label(segment) for segment in segments])
    sheet[0].set_ylim(len(segments) - 0.5, -0.5)
    return made
