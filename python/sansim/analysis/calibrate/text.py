"""A calibration, for the terminal and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from sansim.analysis.calibrate.outcome import Compared, Found, Outcome
from sansim.number_text import duration, quantity
from sansim.text_blocks import wrapped

WIDTH = 80
MIXED = 1000.0
"""A combination of values that is determined so many times less precisely than another is mentioned."""
WIDER = 10
"""A range that is too narrow is extended by this factor at the end where the value is."""


def calibration_text(one: Outcome, width: int = WIDTH) -> str:
    """The whole text."""
    return "".join(f"{part}\n" for line in lines(one) for part in wrapped(line, width))


def lines(one: Outcome) -> Iterator[str]:
    """The lines, not wrapped."""
    used = [row for row in one.rows if row.used]
    how = "simulation" if one.simulated else "analytic model"
    yield f"{len(used)} of {len(one.rows)} rows were used for fitting, with the {how}."
    if one.simulated_rows:
        several = "rows of lines" if len(one.simulated_rows) > 1 else "row of line"
        yield (
            f"The {several} {', '.join(map(str, one.simulated_rows))} were simulated where the load exceeds the "
            "capacity, of which the analytic model says no more."
        )
    yield ""
    for found in one.found:
        yield from found_text(found)
    if one.condition > MIXED and not math.isinf(one.condition):
        yield (
            f"One combination of these values is determined {one.condition:,.0f} times less precisely than another, "
            "so the values are known better together than one by one."
        )
    yield ""
    yield (
        f"The rows used for fitting have an error of {100 * one.deviation:.1f} % (root mean square per degree of "
        "freedom)."
    )
    yield from held_out_text(one.held_out())
    yield ""
    yield from rows_text(one.rows)
    for why in one.outside:
        yield f"The analytic model is not reliable here: {why}."
    if one.outside:
        yield "Use --simulate to end the search with simulations."
    if one.settings:
        yield ""
        yield "These options set the values:"
        yield from (f"  --set '{key}={value}'" for key, value in one.settings.items())
    for found in one.found:
        if found.why_untold is not None:
            key = found.unknown.key
            yield f"Measure rows that depend on {key}, or set {key} from another source and leave it out of --unknown."


def found_text(one: Found) -> Iterator[str]:
    """A value with its interval, or why there is none."""
    if one.why_untold is not None:
        yield f"{one.unknown.key} cannot be determined: {one.reason}."
        return
    words = one.unknown.words
    yield f"{one.unknown.key} is {words(one.value)}; its 95 % interval is {words(one.low)} to {words(one.high)}."
    if one.at_end:
        yield f"  It is at an end of its range; try a wider one: --unknown '{one.unknown.key}={wider(one)}'"


def wider(one: Found) -> str:
    """A range that goes on beyond the end at which a value is."""
    low, high, words = one.unknown.low, one.unknown.high, one.unknown.words
    if one.value <= math.sqrt(low * high):
        return f"{words(low / WIDER)}..{words(high)}"
    return f"{words(low)}..{words(high * WIDER)}"


def held_out_text(rows: Sequence[Compared]) -> Iterator[str]:
    """How well the rows that were not used for fitting are predicted."""
    errors = [error for row in rows for error in row.errors]
    if not errors:
        yield "No row was left for prediction, so the error of predictions is unknown."
        yield "Use 4 rows or more without --all to predict every second row."
        return
    mean = math.sqrt(math.fsum(error * error for error in errors) / len(errors))
    worst = max(errors, key=abs)
    yield (
        f"The {len(rows)} other rows are predicted with an error of {100 * mean:.1f} % (root mean square); the largest "
        f"is {100 * worst:+.1f} %."
    )


def rows_text(rows: Sequence[Compared]) -> Iterator[str]:
    """Each row beside what was measured."""
    for one in rows:
        parts = []
        if one.row.iops is not None:
            parts.append(
                f"{quantity(one.row.iops)} IOPS measured, {'-' if one.iops is None else quantity(one.iops)} computed"
            )
        if one.row.response_ns is not None:
            parts.append(f"{duration(one.row.response_ns)} measured, {duration(one.response_ns)} computed")
        off = ", ".join(f"{100 * error:+.1f} %" for error in one.errors)
        yield f"  {'fitted   ' if one.used else 'predicted'} {one.row.words}: {'; '.join(parts)} ({off})"


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
        "simulated_rows": list(one.simulated_rows),
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
