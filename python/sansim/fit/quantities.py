"""Quantities as scenarios write them: decimal, without exponents, in the unit that suits them."""

from __future__ import annotations

import math
from collections.abc import Sequence

TIMES = (("s", 1e9), ("ms", 1e6), ("us", 1e3), ("ns", 1.0))
RATES = (("GB/s", 1e9), ("MB/s", 1e6), ("KB/s", 1e3), ("B/s", 1.0))
DIGITS = 4
"""Significant digits of a fitted value: more would say what no fit knows."""


def time_text(ns: float, digits: int = DIGITS) -> str:
    """A time."""
    return in_unit(ns, TIMES, digits)


def rate_text(bytes_per_s: float, digits: int = DIGITS) -> str:
    """A rate."""
    return in_unit(bytes_per_s, RATES, digits)


def in_unit(value: float, units: Sequence[tuple[str, float]], digits: int) -> str:
    """With so many significant digits, in the largest unit in which it is 1 or more."""
    value = significant(value, digits)
    unit, factor = next(((unit, factor) for unit, factor in units if value >= factor), units[-1])
    number = value / factor
    before = math.floor(math.log10(number)) + 1 if number >= 1 else 0
    text = f"{number:.{max(digits - before, 0)}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {unit}"


def significant(value: float, digits: int) -> float:
    """A value with so many significant digits."""
    return float(f"{value:.{digits - 1}e}")


def size_text(size: int) -> str:
    """A size, in powers of 1024 where it is a whole number of them."""
    for unit, scale in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size >= scale and size % scale == 0:
            return f"{size // scale} {unit}"
    return f"{size} B"
