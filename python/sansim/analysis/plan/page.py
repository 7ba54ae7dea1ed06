"""A plan as a page: the designs that are best in something, as a table and as charts over cost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sansim.analysis.plan.confirm import MEETS, Simulated
from sansim.analysis.plan.text import (
    VERDICTS,
    answer,
    design_text,
    failed_text,
    goal_text,
    grown_text,
    limited,
    money,
    simulated_text,
    strings,
    why_none,
)
from sansim.file_types import PAGE
from sansim.files import whole_file
from sansim.html_report.contents import Section
from sansim.html_report.frame import rendered
from sansim.html_report.style import FAINT, RUNS, SERIES, Chart, zero_based
from sansim.html_report.tables import Cell, Table, word
from sansim.number_text import duration, quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sansim.analysis.plan.planned import Planned
    from sansim.analysis.plan.search import Worked

MOST_POINTS = 2000
"""Designs that are drawn: more would lie on each other."""
FILE_WIDTH = 100


def sections(found: Planned) -> list[Section]:
    """The content of the page."""
    plan = found.plan
    result = Section("answer", "The design")
    # Without a design: all of why there is none.
    lines = list(answer(found))[:2] if found.winner is not None else list(why_none(found))
    result.notes.append(" ".join(line.strip() for line in lines))
    if found.winner is not None:
        result.tables.append(parts_table(found))
    best = Section("designs", "Designs that are best in something")
    if found.front:
        best.charts.append(trade_chart(found))
        best.tables.append(front_table(found))
    simulated = Section("simulated", "Simulated")
    if found.simulated:
        simulated.tables.append(simulated_table(found))
    later = Section("later", "Growth and failures")
    if found.growth is not None:
        later.notes.append(grown_text(plan, found.growth))
    if found.failures:
        rows = [[word(one.failure.label), word(failed_text(one))] for one in found.failures]
        later.tables.append(Table(["failure", "outcome"], rows))
    hang = Section("strings", "Devices and volumes on links")
    hang.notes += [line.strip() for line in strings(found)]
    return [one for one in (result, best, simulated, later, hang) if one.notes or one.charts or one.tables]


def parts_table(found: Planned) -> Table:
    """The parts to buy."""
    assert found.winner is not None
    plan, candidate = found.plan, found.winner.candidate
    rows = []
    for name, number in candidate.parts:
        part = plan.catalogue.parts[name]
        cells = [Cell(str(number)), Cell(money(plan, part.price)), Cell(money(plan, part.price * number))]
        rows.append([word(part.label), *cells, Cell(f"{part.power_w * number:,.0f} W")])
    rows.append(
        [word("all"), Cell(""), Cell(""), Cell(money(plan, candidate.cost)), Cell(f"{candidate.power_w:,.0f} W")]
    )
    return Table(["part", "number", "each", "together", "power"], rows)


def front_table(found: Planned) -> Table:
    """The designs that are best in something."""
    rows = []
    for one in found.front:
        candidate = one.candidate
        simulated = found.simulated.get(candidate)
        rows.append(
            [
                word(design_text(found.plan, candidate)),
                Cell(money(found.plan, candidate.cost), "cost", candidate.cost),
                Cell(f"{candidate.power_w:,.0f} W", "power_w", candidate.power_w),
                Cell(duration(one.response_ns), "response_ns", one.response_ns),
                Cell(quantity(one.iops or 0.0), "iops", one.iops),
                Cell(f"{100 * one.head_room:.0f} %", "head_room", one.head_room),
                word("" if simulated is None else VERDICTS[simulated.verdict]),
            ]
        )
    return Table(["design", "cost", "power", "response time", "IOPS", "headroom", "simulated"], rows)


def simulated_table(found: Planned) -> Table:
    """The simulated designs, in the order of simulation."""
    rows = [
        [word(design_text(found.plan, one)), Cell(money(found.plan, one.cost)), word(simulated_text(of))]
        for one, of in found.simulated.items()
    ]
    return Table(["design", "cost", "result"], rows)


def trade_chart(found: Planned) -> Chart:
    """The benefit of a higher cost: response time, power and headroom over cost."""
    caption = (
        "Every dot is a design that meets the goal by the analytic model; blue ones are best in something, and the "
        "large one is the chosen design. Squares are simulated results with their 95 % intervals. The headroom is "
        "100 % less the utilisation of the bottleneck."
    )
    return Chart("trade", "Cost, response time, power and headroom", caption, 6.4, lambda figure: draw(figure, found))


def draw(figure: Figure, found: Planned) -> None:
    """Three panels over cost."""
    above, middle, below = figure.subplots(3, 1, sharex=True)
    others, front = found.meet[:MOST_POINTS], found.front
    panel(above, found, others, front, lambda one: (one.response_ns or 0.0) / 1e6)
    for candidate, simulated in found.simulated.items():
        if simulated.response is not None and simulated.verdict == MEETS:
            draw_simulated(above, candidate.cost, simulated)
    panel(middle, found, others, front, lambda one: one.candidate.power_w)
    panel(below, found, others, front, lambda one: 100 * one.head_room)
    above.set_ylabel("response time (ms)")
    above.set_title(limited(found.plan.goal))
    middle.set_ylabel("power (W)")
    below.set_ylabel("headroom (%)")
    below.set_xlabel(f"cost ({found.plan.catalogue.currency})")
    for axes in (above, middle, below):
        zero_based(axes.yaxis)


def panel(axes: Axes, found: Planned, others: Sequence[Worked], front: Sequence[Worked], of: object) -> None:
    """A dot for each design."""
    assert callable(of)
    axes.scatter([one.candidate.cost for one in others], [of(one) for one in others], s=5, color=FAINT, linewidths=0)
    axes.scatter([one.candidate.cost for one in front], [of(one) for one in front], s=14, color=RUNS[0], linewidths=0)
    if found.winner is not None:
        axes.scatter([found.winner.candidate.cost], [of(found.winner)], s=70, color=RUNS[1], linewidths=0, zorder=3)


def draw_simulated(axes: Axes, cost: float, one: Simulated) -> None:
    """A square with its interval."""
    assert one.response is not None
    half = (one.response.half_width_95 or 0.0) / 1e6
    axes.errorbar([cost], [one.response.mean / 1e6], yerr=[half], fmt="s", color=SERIES[2], markersize=4, zorder=4)


def tiles(found: Planned) -> list[tuple[str, str]]:
    """The numbers everyone looks for first."""
    winner = found.winner
    shown = [("designs", f"{found.looked_at:,}"), ("meet the goal", f"{len(found.meet):,}")]
    if winner is None:
        return [*shown, ("chosen", "none")]
    return [
        *shown,
        ("cost", money(found.plan, winner.candidate.cost)),
        ("power", f"{winner.candidate.power_w:,.0f} W"),
        ("response time", duration(winner.response_ns)),
        ("headroom", f"{100 * winner.head_room:.0f} %"),
    ]


def render(found: Planned) -> str:
    """The page as text."""
    notes = [f"Goal: {goal_text(found.plan.goal)}."]
    if found.plan.catalogue.is_example:
        notes.append(f"The prices of {found.plan.catalogue.title} are invented: it is an example.")
    return rendered(
        "plan.html.j2", title=found.plan.title, notes=notes, sections=sections(found), tiles=tiles(found),
        text=found.text(FILE_WIDTH),
    )  # fmt: skip


def write(found: Planned, file: Path, *, force: bool = False) -> None:
    """Writes the page.

    Raises:
        OtherKindError: The place is taken by something else.
        OSError: It cannot be written.
    """
    text = render(found)
    file.absolute().parent.mkdir(parents=True, exist_ok=True)
    with whole_file(file, PAGE, force=force) as stream:
        stream.write(text.encode())
