"""Axes with ticks that people read: 1 KiB, 64 KiB, 1 MiB; 1, 2, 5, 10; words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sansim.study.plot.look import TICK, common_words, fitted, pretty, text_width
from sansim.study.plot.series import XAxis
from sansim.study.table.frame import with_unit
from sansim.study.table.text import one_line
from sansim.study.units import dimension_of, factor_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GAP = 0.16
"""Inches between the labels of ticks."""
LINE = 0.24
"""Inches from one label to the next of an upright axis."""
LONGEST_TURNED = 1.5
"""Inches: a turned label is cut beyond this."""
FROM_ZERO = 0.6
"""An axis begins at zero if the least value is less than this share of the largest."""
MARGIN = 0.05
"""Room at both ends of an axis, as a share of it."""
BINARY = ("B", "KiB", "MiB", "GiB", "TiB")


# ---------------------------------------------------------------- numbers at ticks


def number(value: float) -> str:
    """A number at a tick."""
    return f"{value:,.10g}" if 1e-4 <= abs(value) < 1e10 or value == 0 else f"{value:.6g}"


def size_parts(count: float) -> tuple[float, str]:
    """A number of bytes in the largest unit of which it is at least one."""
    power = 0
    while power + 1 < len(BINARY) and abs(count) >= 1024 ** (power + 1):
        power += 1
    return count / 1024**power, BINARY[power]


def size(count: float) -> str:
    """A number of bytes as people write it: 512 B, 64 KiB, 1.5 MiB."""
    amount, unit = size_parts(count)
    return f"{amount:.6g} {unit}"


def is_size(x: XAxis) -> bool:
    """Whether the places of an axis are sizes that look well in KiB and MiB; 1000 bytes do not."""
    if x.numbers is None or dimension_of(x.unit) != "size":
        return False
    factor = factor_of(x.unit)
    return all((size_parts(value * factor)[0] * 4).is_integer() for value in x.numbers)


def shown_by(x: XAxis) -> Callable[[float], str]:
    """How the numbers of an axis are written at its ticks."""
    factor = factor_of(x.unit)
    return (lambda value: size(value * factor)) if is_size(x) else number


def x_label(x: XAxis) -> str:
    """The label of an axis. Ticks of sizes have their units, words have none."""
    label = one_line(x.axis.label)
    if x.measured:
        label, _ = common_words([metric.label for metric in x.measured])
        label = label[:1].upper() + label[1:] if label else one_line(x.measured[0].label)
    return label if x.numbers is None or is_size(x) else with_unit(label, pretty(x.unit))


# ---------------------------------------------------------------- x


def set_x(axes: Axes, x: XAxis, log: bool, width: float) -> None:
    """Scale and ticks of the x axis of a panel that is so many inches wide."""
    if x.numbers is None:
        set_words(axes, x.labels, width)
        return
    shown = shown_by(x)
    low, high = min(x.numbers + x.beyond), max(x.numbers + x.beyond)
    if not log:
        if x.measured and 0 <= low <= FROM_ZERO * high:
            low = 0.0
        margin = (high - low) * MARGIN or abs(low) * 0.5 or 0.5
        begin = low - margin if low or not x.measured else 0.0
        axes.set_xlim(begin, high + margin)
        span = Span(begin, high + margin, width, None, shown)
        ticks = next((ticks for ticks in linear_candidates(x, span) if span.fits(ticks)), [low, high])
        axes.set_xticks(ticks, [shown(tick) for tick in ticks])
        return
    base = base_of(x)
    margin = (high / low) ** MARGIN if high > low else math.sqrt(base)
    axes.set_xscale("log", base=base)
    axes.set_xlim(low / margin, high * margin)
    # Powers of two are those of bytes, whatever the unit.
    factor = factor_of(x.unit) if is_size(x) else 1.0
    own = () if x.measured else x.numbers
    set_log_ticks(axes, "x", Span(low / margin, high * margin, width, base, shown, factor), own)


def base_of(x: XAxis) -> int:
    """The base of a logarithmic axis: 2 for sizes and for numbers that double, else 10."""
    assert x.numbers is not None
    powers = [math.log2(value) for value in x.numbers]
    doubles = not x.measured
    return 2 if is_size(x) or (doubles and len(powers) > 2 and all(power.is_integer() for power in powers)) else 10


def linear_candidates(x: XAxis, span: Span) -> Iterator[Sequence[float]]:
    """Ticks of a linear x axis: its places themselves, or else round numbers, ever fewer."""
    from matplotlib.ticker import MaxNLocator

    assert x.numbers is not None
    if not x.measured:
        yield x.numbers
    low, high = (span.low, span.high) if x.measured else (x.numbers[0], x.numbers[-1])
    whole = not x.measured and all(value.is_integer() for value in x.numbers)
    for most in (9, 8, 7, 6, 5, 4, 3, 2, 1):
        if is_size(x):
            # 200 KiB would be no round number.
            step = 2.0 ** math.ceil(math.log2((high - low) / most))
            yield [step * count for count in range(math.ceil(span.low / step), math.floor(span.high / step) + 1)]
        else:
            found = MaxNLocator(nbins=most, integer=whole, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
            yield [float(tick) for tick in found if span.low <= tick <= span.high]


def set_words(axes: Axes, labels: Sequence[str], width: float) -> None:
    """Places side by side, each with its word, wrapped or turned if there is little room."""
    count = len(labels)
    axes.set_xlim(-0.5, count - 0.5)
    room = width / count - GAP / 2
    if longest_word(labels) <= room:
        axes.set_xticks(range(count), [fitted(label, room, TICK, lines=3) for label in labels], rotation=0, ha="center")
    else:
        short = [fitted(label, LONGEST_TURNED, TICK, lines=1) for label in labels]
        # Lines that stand closer than they are high would cover each other unless they are upright.
        angle = 35 if width / count > LINE / math.sin(math.radians(35)) * 0.8 else 90
        axes.set_xticks(
            range(count),
            short,
            rotation=angle,
            ha="right",
            va="center" if angle == 90 else "top",
            rotation_mode="anchor",
        )
    axes.tick_params(axis="x", length=0)
    axes.grid(False, axis="x")


def longest_word(labels: Sequence[str]) -> float:
    """How wide labels are if they are broken wherever they may be, in inches."""
    return max((text_width(word, TICK) for label in labels for word in one_line(label).split()), default=0.0)


# ---------------------------------------------------------------- y


def set_y(axes: Axes, values: Sequence[float], log: bool, height: float) -> None:
    """Scale and ticks of a y axis that has to show these values and is so many inches high."""
    low, high = min(values), max(values)
    if log:
        margin = (high / low) ** MARGIN if high > low else 2.0
        axes.set_yscale("log")
        axes.set_ylim(low / margin, high * margin)
        set_log_ticks(axes, "y", Span(low / margin, high * margin, height, 10, number, upright=True))
        return
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    if 0 <= low <= FROM_ZERO * high:
        low = 0.0
    elif FROM_ZERO * low >= high and high <= 0:
        high = 0.0
    margin = (high - low) * MARGIN or abs(high) * 0.5 or 1.0
    axes.set_ylim(low - margin if low else 0.0 if high > 0 else -margin, high + margin if high else margin)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=max(int(height / 0.33), 4), steps=[1, 2, 2.5, 5, 10]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: number(round(value, 12))))
    if low < 0 < high:
        axes.axhline(0, color="#666666", linewidth=0.7, zorder=1)


# ---------------------------------------------------------------- logarithms


@dataclass(frozen=True)
class Span:
    """A stretch of an axis on paper."""

    low: float
    high: float
    inches: float
    base: int | None
    """The base of its logarithm, or None if it is linear."""
    shown: Callable[[float], str]
    factor: float = 1.0
    """Its numbers times this are those that ticks should be round in."""
    upright: bool = False

    def fits(self, ticks: Sequence[float]) -> bool:
        """Whether there are ticks and their labels have room beside each other."""
        if not ticks or (len(ticks) < 2 and self.high > 4 * self.low > 0):
            return False
        places = [self.place(tick) for tick in ticks]
        widths = [LINE - GAP if self.upright else text_width(self.shown(tick), TICK) for tick in ticks]
        return all(places[n + 1] - places[n] >= (widths[n] + widths[n + 1]) / 2 + GAP for n in range(len(ticks) - 1))

    def place(self, value: float) -> float:
        """Inches from its begin."""
        if self.base is None:
            return self.inches * (value - self.low) / (self.high - self.low)
        return self.inches * math.log(value / self.low) / math.log(self.high / self.low)


def set_log_ticks(axes: Axes, which: str, span: Span, own: Sequence[float] = ()) -> None:
    """Ticks of a logarithmic axis: its places if they have room, else powers of the base and what lies between."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

    candidates = list(log_candidates(span))
    chosen = next((ticks for ticks in [own, *candidates] if span.fits(ticks)), candidates[-1])
    labels = {tick: span.shown(tick) for tick in chosen}
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_major_locator(FixedLocator(list(labels)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: labels.get(value, "")))
    between = log_ticks(span, range(1, 10)) if span.base == 10 else log_ticks(span, [1])
    axis.set_minor_locator(FixedLocator([tick for tick in between if tick not in labels] if len(between) < 60 else []))
    axis.set_minor_formatter(NullFormatter())


def log_candidates(span: Span) -> Iterator[Sequence[float]]:
    """Ticks of a logarithmic axis, ever fewer."""
    from matplotlib.ticker import MaxNLocator

    if span.base == 10:
        fine = log_ticks(span, [1, 2, 5])
        if len(fine) < 3:
            # Too short a stretch for logarithms.
            found = MaxNLocator(nbins=5, steps=[1, 2, 2.5, 5, 10]).tick_values(span.low, span.high)
            yield [float(tick) for tick in found if span.low <= tick <= span.high]
        yield fine
        yield log_ticks(span, [1, 3])
    every = log_ticks(span, [1])
    for step in range(1, max(len(every), 2)):
        yield every[::step]
    yield every[:1]


def log_ticks(span: Span, multiples: Sequence[int]) -> list[float]:
    """Multiples of the powers of the base within a stretch."""
    base = span.base or 10
    low, high = span.low * span.factor, span.high * span.factor
    # A hair beyond the ends, for the sake of the logarithm's last bit.
    first, last = math.floor(math.log(low, base) - 1e-9), math.ceil(math.log(high, base) + 1e-9)
    found = [float(base) ** power * multiple for power in range(first, last + 1) for multiple in multiples]
    return [tick / span.factor for tick in found if low <= tick <= high]
