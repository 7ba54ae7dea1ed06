"""A calibration for a person, and for programs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from sansim.analysis.calibrate.outcome import Compared, Found, Outcome
from sansim.text_blocks import wrapped
from sansim.text_report import duration, quantity

WIDTH = 80
MIXED = 1000.0
"""A mixture of values that is determined so many times worse than another is mentioned."""


def calibration_text(one: Outcome, width: int = WIDTH) -> str:
    """The whole text."""
    return "".join(f"{part}\n" for line in lines(one) for part in wrapped(line, width))


def lines(one: Outcome) -> Iterator[str]:
    """The lines, not wrapped."""
    used = [row for row in one.rows if row.used]
    how = "simulated" if one.simulated else "worked out by the analytic model"
    yield f"{len(used)} of {len(one.rows)} rows were used; what they give is {how}."
    yield ""
    for found in one.found:
        yield found_text(found)
    if one.condition > MIXED and not math.isinf(one.condition):
        yield (
            f"Some mixture of these values is told {one.condition:,.0f} times worse than another: they are "
            f"known together better than one by one."
        )
    yield ""
    yield (
        f"The rows used are off by {100 * one.deviation:.1f} % (root of the mean square, for as many values as "
        f"were sought)."
    )
    yield from held_out_text(one.held_out())
    yield ""
    yield from rows_text(one.rows)
    for why in one.outside:
        yield f"The analytic model is not to be relied on here: {why}. With --simulate runs decide."
    if one.settings:
        yield ""
        yield "To use what was found: " + " ".join(f"--set '{key}={value}'" for key, value in one.settings.items())
    if not one.is_determined:
        yield (
            "What cannot be told is not made up: measure where it matters, or take it from elsewhere and do "
            "not mark it as unknown."
        )


def found_text(one: Found) -> str:
    """A value with its interval, or why there is none."""
    if one.why_untold is not None:
        return f"{one.unknown.key}: {one.why_untold}."
    text = (
        f"{one.unknown.key}: {one.unknown.words(one.value)}, with 95 % certainty from {one.unknown.words(one.low)} to "
        f"{one.unknown.words(one.high)}"
    )
    return f"{text}; it is at an end of its range, and may be beyond" if one.at_end else text


def held_out_text(rows: Sequence[Compared]) -> Iterator[str]:
    """How well the rows that were left out are predicted."""
    errors = [error for row in rows for error in row.errors]
    if not errors:
        yield "No row was left out, so nothing says how well others would be predicted."
        return
    mean = math.sqrt(math.fsum(error * error for error in errors) / len(errors))
    worst = max(errors, key=abs)
    yield (
        f"The {len(rows)} rows that were left out are predicted to {100 * mean:.1f} % (the worst is "
        f"{100 * worst:+.1f} %)."
    )


def rows_text(rows: Sequence[Compared]) -> Iterator[str]:
    """Each row beside what was measured."""
    for one in rows:
        parts = []
        if one.row.iops is not None:
            parts.append(
                f"{quantity(one.row.iops)} IOPS measured, {'-' if one.iops is None else quantity(one.iops)} here"
            )
        if one.row.response_ns is not None:
            parts.append(f"{duration(one.row.response_ns)} measured, {duration(one.response_ns)} here")
        off = ", ".join(f"{100 * error:+.1f} %" for error in one.errors)
        yield f"  {'used     ' if one.used else 'predicted'} {one.row.words}: {'; '.join(parts)} ({off})"


def calibration_json(one: Outcome) -> dict[str, Any]:
    """As `sansim calibrate --json` has it."""
    held = [error for row in one.held_out() for error in row.errors]
    return {
        "values": {
            found.unknown.key: {
                "value": found.unknown.words(found.value) if found.why_untold is None else None,
                "low": found.unknown.words(found.low) if found.why_untold is None else None,
                "high": found.unknown.words(found.high) if found.why_untold is None else None,
                "untold": found.why_untold,
                "at_end": found.at_end,
            }
            for found in one.found
        },
        "set": one.settings,
        "deviation": one.deviation,
        "condition": None if math.isinf(one.condition) else one.condition,
        "held_out_error": math.sqrt(math.fsum(error * error for error in held) / len(held)) if held else None,
        "simulated": one.simulated,
        "outside": list(one.outside),
        "rows": [
            {
                "line": row.row.line,
                "used": row.used,
                "iops": row.iops,
                "measured_iops": row.row.iops,
                "response_ns": row.response_ns,
                "measured_response_ns": row.row.response_ns,
            }
            for row in one.rows
        ],
    }
