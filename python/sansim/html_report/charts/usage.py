"""How busy the components were, in all and over time, and how long their queues were."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sansim import text_report
from sansim.catalogue import quantities
from sansim.html_report import events
from sansim.html_report.looks import Look, Looks, looks_of
from sansim.html_report.samples import Band, bands
from sansim.html_report.style import INK, RUNS, WIDTH, Chart, plain_ticks, zero_based

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sansim.html_report.folder import RunFolder

SMALLEST_SHARE = 0.0005
"""Less is not drawn: it would read 0.0 %."""
FLAT = 0.02
"""A share that never exceeds this is said and not drawn: its line would lie on the axis of a panel from 0 to 100 %."""
NAMED = 4
"""So many components that do not change are named; of more the rest is counted."""
LETTER_PT = 4.6
"""About the width of a letter of a legend, in points."""

OF_A_GROUP = (
    "Lines are means of the members of a group and of neighbouring samples, bands reach from the lowest to the highest."
)


@dataclass(frozen=True)
class Use:
    """A bar: a share of the measured interval, in a group with its least and its most used member."""

    key: str
    """Component and block, as in summary.json."""
    component: str
    label: str
    share: float
    low: float | None = None
    high: float | None = None


def uses(run: RunFolder) -> Iterator[Use]:
    """A bar for all that was used at all."""
    for name, figures in run.summary["components"].items():
        if link := text_report.fullest_link(run.summary, name):
            yield Use(f"{name}_fullest_link", name, f"{name} fullest link", link[0])
        for key, what, share, ends in text_report.uses(figures):
            if share >= SMALLEST_SHARE:
                yield Use(f"{name}_{key}", name, f"{name} {what}", share, *(ends or ()))


def utilisation(runs: Sequence[RunFolder], looks: Looks | None = None) -> Chart:
    """A bar for each component, of each run."""
    names = list(dict.fromkeys(use.label for run in runs for use in uses(run)))
    caption = (
        "Share of the measured interval in which the component worked; a drive is occupied from the start of a command"
        " until its status has been made. Of a group the mean; the thin line reaches from its least to its most used"
        " member. What was busy for less than 0.05 % is left out."
    )
    shown = looks_of(runs) if looks is None else looks
    height = 0.62 + (0.21 if len(runs) == 1 else 0.33) * max(len(names), 1)
    return Chart("utilisation", "Utilisation", caption, height, lambda f: draw_bars(f, runs, names, shown))


def draw_bars(figure: Figure, runs: Sequence[RunFolder], names: list[str], looks: Looks) -> None:
    """Horizontal bars with their values: of one run in the colours of the components, of two in those of the runs."""
    axes = figure.subplots()
    thick = 0.68 / len(runs)
    for place, (run, colour) in enumerate(zip(runs, RUNS, strict=False)):
        found = {use.label: use for use in uses(run)}
        for row, name in enumerate(names):
            use = found.get(name, Use("", "", name, 0.0))
            y = row + (place - (len(runs) - 1) / 2) * thick
            label = run.label if row == 0 else None
            filled = looks.of(use.component).colour if len(runs) == 1 and use.component else colour
            axes.barh(y, use.share * 100, height=thick * 0.92, color=filled, label=label)
            end = use.share
            if use.low is not None and use.high is not None:
                axes.plot([use.low * 100, use.high * 100], [y, y], color=INK, linewidth=1.0, marker="|", markersize=5)
                end = max(end, use.high)
            axes.text(
                end * 100 + 1.0, y, f"{use.share * 100:.1f} %", va="center", fontsize=7.5 if len(runs) == 1 else 7
            )
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    # Accesses are counted from the receipt of a command, so a drive may come out a little above the whole time.
    most = max([1.0, *(use.high or use.share for run in runs for use in uses(run))])
    axes.set_xlim(0, 110 * most)
    axes.set_xticks(range(0, int(100 * most) + 1, 20))
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")
    axes.set_xlabel("share of the measured interval (%)")
    if len(runs) > 1:
        axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2)


# ---------------------------------------------------------------- over time


@dataclass(frozen=True)
class Panel:
    """A sampled quantity over time: what changes of it, and where it does not."""

    name: str
    label: str
    share: bool
    moving: list[Band]
    still: list[Band]
    """Components whose value is the same all the time, or so small a share that its line would lie on the axis."""


def panels_of(run: RunFolder, unit: str) -> list[Panel]:
    """The sampled quantities with a unit, `share` or `count`."""
    known = quantities(unit)
    found = bands(run, list(known))
    made = []
    for name, quantity in known.items():
        parts = [part for part in found if part.quantity == name]
        still = [part for part in parts if part.constant or (unit == "share" and max(part.high) < FLAT)]
        moving = [part for part in parts if part not in still]
        made.append(Panel(name, quantity.label, unit == "share", moving, still))
    return [panel for panel in made if panel.moving or panel.still]


def shares_over_time(run: RunFolder, name: str, prefix: str, looks: Looks | None = None) -> Chart | None:
    """Utilisations from the samples; None if none of them changes."""
    caption = f"{prefix}Share of the time since the sample before. {OF_A_GROUP}"
    return grid_chart(run, name, "Utilisation over time", caption, panels_of(run, "share"), looks)


def queues_over_time(run: RunFolder, name: str, prefix: str, looks: Looks | None = None) -> Chart | None:
    """Queue lengths, buffers and credit from the samples; None if none of them changes."""
    caption = f"{prefix}Number at the time of the sample. {OF_A_GROUP}"
    return grid_chart(run, name, "Queues, buffers and credit over time", caption, panels_of(run, "count"), looks)


def still_text(panels: Sequence[Panel]) -> str:
    """The quantities that are not drawn as they do not change, with their values; empty if there are none."""
    said: dict[str, list[str]] = {}
    for panel in panels:
        for value in dict.fromkeys(value_text(part, panel.share) for part in panel.still):
            names = [part.component for part in panel.still if value_text(part, panel.share) == value]
            of = ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
            said.setdefault(value, []).append(f"{panel.label} of {of}" if panel.moving else f"{panel.label} ({of})")
    return "; ".join(f"always {value}: {', '.join(texts)}" for value, texts in said.items())


def value_text(part: Band, share: bool) -> str:
    """The value of a component that does not change; of a group that of its lowest and of its highest member."""
    if share and not max(part.high):
        return "0"
    if share and not part.constant:
        return "under 0.05 %" if max(part.high) < SMALLEST_SHARE else f"under {FLAT * 100:g} %"
    low, high = (value * (100 if share else 1) for value in part.constant or (min(part.low), max(part.high)))
    text = " to ".join(dict.fromkeys(f"{side:,.0f}" if side >= 1000 else f"{side:.4g}" for side in (low, high)))
    return f"{text} %" if share else text


def grid_chart(
    run: RunFolder, name: str, title: str, caption: str, panels: list[Panel], looks: Looks | None
) -> Chart | None:
    """A chart with two panels in a row."""
    shown = [panel for panel in panels if panel.moving]
    if not shown:
        return None
    looks = looks_of([run]) if looks is None else looks
    if still := still_text(panels):
        caption += f" Not drawn, as nothing happens there: {still}."
    components = looks.in_order(part.component for panel in shown for part in panel.moving)
    rows = (len(shown) + 1) // 2
    legend = -(-len(components) // legend_columns(components))
    height = 0.45 + 1.5 * rows + 0.17 * legend
    caption += events.caption([run])
    return Chart(name, title, caption, height, lambda f: draw_grid(f, run, shown, components, looks))


def draw_grid(figure: Figure, run: RunFolder, panels: list[Panel], components: list[str], looks: Looks) -> None:
    """A panel for each quantity, a look for each component."""
    columns = 2 if len(panels) > 1 else 1
    cells = figure.subplots(-(-len(panels) // columns), columns, squeeze=False, sharex=True).flatten()
    begin, end, size, _ = events.clock([run])
    for axes, panel in zip(cells, panels, strict=False):
        for part in panel.moving:
            draw_band(axes, part, looks.of(part.component), 100 if panel.share else 1, size)
        axes.set_title(panel.label + (" (%)" if panel.share else ""))
        zero_based(axes.yaxis)
        if panel.share:
            axes.set_ylim(0, max(104.0, axes.get_ylim()[1]))
        axes.set_xlim(begin / size, end / size)
        plain_ticks(axes.xaxis)
    for axes in cells[len(panels) :]:
        axes.set_axis_off()
    for axes in cells[max(len(panels) - columns, 0) : len(panels)]:
        # The lowest of its column, which need not be in the last row.
        axes.tick_params(labelbottom=True)
        axes.set_xlabel(events.axis_label([run]), fontsize=7 if columns > 1 else 8)
    events.mark(list(cells[: len(panels)]), [run], WIDTH / columns - 0.6)
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], **looks.of(component).line(1)) for component in components]
    figure.legend(handles, components, loc="outside upper right", ncols=legend_columns(components))


def legend_columns(labels: Sequence[str]) -> int:
    """The number of columns in which labels have room beside each other."""
    widest = max(len(label) for label in labels) * LETTER_PT + 30
    return max(min(int(WIDTH * 72 / widest), len(labels), 6), 1)


def draw_band(axes: Axes, part: Band, look: Look, factor: float, size: float) -> None:
    """A line, and a band if it represents several values; `size` are the seconds of a unit of the axis."""
    at = [moment / size for moment in part.at_s]
    if part.wide:
        low, high = ([value * factor for value in side] for side in (part.low, part.high))
        axes.fill_between(at, low, high, color=look.colour, alpha=0.2, linewidth=0)
    axes.plot(at, [value * factor for value in part.mean], linewidth=1.0, **look.line(len(at)))
