"""How busy the components were, in all and over time, and how long their queues were."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sansim import text_report
from sansim.catalogue import quantities
from sansim.html_report.samples import Band, bands
from sansim.html_report.style import INK, RUNS, SERIES, Chart, plain_ticks, zero_based

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sansim.html_report.folder import RunFolder

SMALLEST_SHARE = 0.0005
"""Less is not drawn: it would read 0.0 %."""

OF_A_GROUP = (
    "Lines are means of the members of a group and of neighbouring samples, bands reach from the lowest to the highest."
)


@dataclass(frozen=True)
class Use:
    """A bar: a share of the measured interval, in a group with its least and its most used member."""

    key: str
    """Component and block, as in summary.json."""
    label: str
    share: float
    low: float | None = None
    high: float | None = None


def uses(run: RunFolder) -> Iterator[Use]:
    """A bar for all that was used at all."""
    for name, figures in run.summary["components"].items():
        if link := text_report.fullest_link(run.summary, name):
            yield Use(f"{name}_fullest_link", f"{name} fullest link", link[0])
        for key, what, share, ends in text_report.uses(figures):
            if share >= SMALLEST_SHARE:
                yield Use(f"{name}_{key}", f"{name} {what}", share, *(ends or ()))


def utilisation(runs: Sequence[RunFolder]) -> Chart:
    """A bar for each component, of each run."""
    names = list(dict.fromkeys(use.label for run in runs for use in uses(run)))
    caption = (
        "Share of the measured interval in which the component worked; a drive is occupied from the start of a command"
        " until its status has been made. Of a group the mean; the thin line reaches from its least to its most used"
        " member. What was busy for less than 0.05 % is left out."
    )
    height = 0.62 + (0.21 if len(runs) == 1 else 0.33) * max(len(names), 1)
    return Chart("utilisation", "Utilisation", caption, height, lambda f: draw_bars(f, runs, names))


def draw_bars(figure: Figure, runs: Sequence[RunFolder], names: list[str]) -> None:
    """Horizontal bars with their values."""
    axes = figure.subplots()
    thick = 0.68 / len(runs)
    for place, (run, colour) in enumerate(zip(runs, RUNS, strict=False)):
        found = {use.label: use for use in uses(run)}
        for row, name in enumerate(names):
            use = found.get(name, Use("", name, 0.0))
            y = row + (place - (len(runs) - 1) / 2) * thick
            label = run.label if row == 0 else None
            axes.barh(y, use.share * 100, height=thick * 0.92, color=colour, label=label)
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


def titles(unit: str) -> dict[str, str]:
    """The sampled quantities with a unit, with their labels."""
    return {name: quantity.label for name, quantity in quantities(unit).items()}


def shares_over_time(run: RunFolder, name: str, prefix: str) -> Chart | None:
    """Utilisations from the samples; None if there are none."""
    parts = [part for part in bands(run, list(quantities("share"))) if not part.empty]
    panels = {key: title for key, title in titles("share").items() if any(part.quantity == key for part in parts)}
    if not panels:
        return None
    caption = f"{prefix}Share of the time since the sample before. {OF_A_GROUP}"
    return grid_chart(name, "Utilisation over time", caption, parts, panels, percent=True)


def queues_over_time(run: RunFolder, name: str, prefix: str) -> Chart | None:
    """Queue lengths, buffers and credit from the samples; None if there are none."""
    every = bands(run, list(quantities("count")))
    parts = [part for part in every if not part.empty]
    panels = {key: title for key, title in titles("count").items() if any(part.quantity == key for part in parts)}
    if not panels:
        return None
    caption = f"{prefix}Number at the time of the sample. {OF_A_GROUP}"
    idle: dict[str, list[str]] = {}
    for part in every:
        if part.empty:
            idle.setdefault(quantities("count")[part.quantity].label, []).append(part.component)
    if idle:
        names = (f"{title} ({', '.join(components)})" for title, components in idle.items())
        caption += f" Always zero and not drawn: {'; '.join(names)}."
    return grid_chart(name, "Queues, buffers and credit over time", caption, parts, panels, percent=False)


def grid_chart(
    name: str, title: str, caption: str, parts: list[Band], panels: dict[str, str], *, percent: bool
) -> Chart:
    """A chart with two panels in a row."""
    rows = (len(panels) + 1) // 2
    height = 0.55 + 1.45 * rows
    return Chart(name, title, caption, height, lambda f: draw_grid(f, parts, panels, rows, percent))


def draw_grid(figure: Figure, parts: list[Band], panels: dict[str, str], rows: int, percent: bool) -> None:
    """A panel for each quantity, a colour for each component."""
    cells = figure.subplots(rows, 2, squeeze=False, sharex=True).flatten()
    components = list(dict.fromkeys(part.component for part in parts))
    colours = {part.component: SERIES[part.place % len(SERIES)] for part in parts}
    end = max(part.at_s[-1] for part in parts)
    for axes, (quantity, title) in zip(cells, panels.items(), strict=False):
        for part in (part for part in parts if part.quantity == quantity):
            draw_band(axes, part, colours[part.component], 100 if percent else 1)
        axes.set_title(title + (" (%)" if percent else ""))
        zero_based(axes.yaxis)
        if percent:
            axes.set_ylim(0, max(104.0, axes.get_ylim()[1]))
        axes.set_xlim(0, end)
        plain_ticks(axes.xaxis)
    for axes in cells[len(panels) :]:
        axes.set_axis_off()
    for place in (len(panels) - 1, len(panels) - 2):
        # The lowest of its column, which need not be in the last row.
        if place >= 0:
            cells[place].tick_params(labelbottom=True)
            cells[place].set_xlabel("time since the measured interval began (s)")
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=colours[component]) for component in components]
    if len(panels) < len(cells):
        cells[-1].legend(handles, components, loc="center", ncols=2, fontsize=8)
    else:
        figure.legend(handles, components, loc="outside upper right", ncols=min(len(components), 6))


def draw_band(axes: Axes, part: Band, colour: str, factor: float) -> None:
    """A line, and a band if it represents several values."""
    if part.wide:
        low, high = ([value * factor for value in side] for side in (part.low, part.high))
        axes.fill_between(part.at_s, low, high, color=colour, alpha=0.2, linewidth=0)
    axes.plot(part.at_s, [value * factor for value in part.mean], color=colour, linewidth=1.0)
