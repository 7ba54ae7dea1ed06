"""Numbers as people read them: times, rates, shares and counts with their units."""

from __future__ import annotations

import math

MB = 1_000_000
MIB = 1_048_576
COUNTED = ("count", "number")
"""Units of figures that are no share of the time, and no time."""


def quantity(value: float, digits: int = 4) -> str:
    """A number with so many significant digits, thousands grouped, never in powers of ten."""
    if not math.isfinite(value):
        return "-"
    if value == 0:
        return "0"
    before = max(math.floor(math.log10(abs(value))) + 1, 1)
    decimals = max(digits - before, 0) if abs(value) >= 1 else digits - 1
    return f"{value:,.{decimals}f}"


def duration(ns: float | None) -> str:
    """A time in the unit that suits it."""
    if ns is None or not math.isfinite(ns):
        return "-"
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        # 999.96 us would be shown as 1,000 us.
        if abs(ns) >= size * 0.99995:
            return f"{quantity(ns / size)} {unit}"
    return f"{quantity(ns)} ns" if ns else "0 ns"


def percent(share: float | None) -> str:
    """A share as per cent."""
    return "-" if share is None or not math.isfinite(share) else f"{share * 100:.1f} %"


def plus_minus(share: float) -> str:
    """Half the width of an interval as per cent of what it is an interval of."""
    number = share * 100
    if number < 0.01:
        return "± less than 0.01 %" if number else "± 0 %"
    return f"± {number:,.{0 if number >= 10 else 1 if number >= 1 else 2}f} %"


def counted_text(value: float | None, unit: str) -> str:
    """A number of things, or a mean of such numbers."""
    return "-" if value is None else f"{value:,.0f}" if unit == "count" else quantity(value, 3)


def in_unit(value: float | None, unit: str) -> str:
    """A value with its unit, as it suits it."""
    if value is None or unit == "ns":
        return duration(value)
    return f"{quantity(value / MB)} MB/s" if unit == "B/s" else f"{quantity(value)} {unit}"
