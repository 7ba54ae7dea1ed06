"""A fit in words, and as plain data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from sansim.drive.fit import UNKNOWN, DriveFit, Fitted, Row
from sansim.drive.models import MODELS, SHEET_KIND
from sansim.drive.texts import size_text
from sansim.io_trace import table
from sansim.report import duration, quantity

POOR = 0.1
"""A drive that is off by more than this in the mean where it was fitted is not such a drive."""
INDENT = "  "


def kind_of(fit: DriveFit) -> str:
    """The kind of the drive."""
    return MODELS[fit.model].kind if fit.model in MODELS else SHEET_KIND


def mean_error(rows: Sequence[Row]) -> float | None:
    """The mean size of the errors of rows; None if none of them has one."""
    errors = [abs(row.error) for row in rows if row.error is not None]
    return math.fsum(errors) / len(errors) if errors else None


def worst(rows: Sequence[Row]) -> Row | None:
    """The row with the largest error; None if none of them has one."""
    return max((row for row in rows if row.error is not None), key=lambda row: abs(row.error or 0.0), default=None)


def asked(row: Row) -> str:
    """What was asked in a row."""
    one = row.measured
    return f"{one.pattern} {one.operation} {size_text(one.bytes)} at depth {one.queue_depth}"


def share(value: float | None, *, sign: bool = True) -> str:
    """A difference in per cent."""
    if value is None:
        return "-"
    digits = 1 if abs(value) < 9.995 else 0
    return f"{value * 100:{'+' if sign else ''},.{digits}f} %"


# ---------------------------------------------------------------- words


def fit_text(fit: DriveFit) -> str:
    """A fit for a terminal: what was fitted, how far it is from the rows used and from those held out."""
    return "".join(f"{line}\n" for line in lines(fit))


def lines(fit: DriveFit) -> Iterator[str]:
    """The lines of it."""
    used, held = len(fit.used), len(fit.held_out)
    yield f"{fit.measurements.name}: {len(fit.rows)} rows; {used} used for the fit, {held} held out"
    yield from (f"{INDENT}! left out: {text}" for text in fit.measurements.left_out)
    yield from (f"{INDENT}! {text}" for text in fit.measurements.notes)
    yield from (f"{INDENT}! {text}" for text in verdicts(fit))
    yield ""
    yield from fitted_lines(fit)
    yield "Response times against what was measured"
    rows = [
        [f"used, {used} row{'s' if used != 1 else ''}", *summed(fit.used)],
        [f"predicted, {held} row{'s' if held != 1 else ''}", *summed(fit.held_out)],
    ]
    yield from (f"{INDENT}{line}" for line in table(["", "mean", "worst", "where"], rows))
    yield ""
    head = ["", "size", "depth", "measured", "simulated", "difference", ""]
    yield from (f"{INDENT}{line}" for line in table(head, [cells(row) for row in fit.rows]))
    for row in fit.rows:
        if row.why is not None:
            yield f"{INDENT}{row.measured.place}: the drive cannot carry it out: {row.why}"
    if fit.beyond:
        yield ""
        yield "Beyond this model"
        yield from (f"{INDENT}{text}" for text in fit.beyond)


def verdicts(fit: DriveFit) -> Iterator[str]:
    """What is to be known before the fit is trusted."""
    used = mean_error(fit.used)
    if used is not None and used > POOR:
        yield (
            "no drive of this model makes these times: even those that it was fitted to are off by"
            f" {share(used, sign=False)} in the mean"
        )
    if not fit.held_out:
        yield "nothing was held out, so nothing says how well it predicts"
    ends = [one.key for one in fit.fitted if one.at_end]
    if ends:
        yield f"at an end of what was searched, and perhaps beyond: {', '.join(ends)}"
    unknown = [one.key for one in fit.fitted if one.error is not None and one.error >= UNKNOWN]
    counts = [one.key for one in fit.fitted if one.others]
    if counts:
        yield f"not told by the rows used, as other numbers do as well: {', '.join(counts)}"
    if unknown:
        yield f"not told by the rows used, alone or apart from the others: {', '.join(unknown)}"


def fitted_lines(fit: DriveFit) -> Iterator[str]:
    """What was fitted and what was not."""
    if fit.sheet is not None:
        yield f"Kind {kind_of(fit)}: the {len(fit.used)} rows used, as they are"
    else:
        yield f"Kind {kind_of(fit)}, fitted to the {len(fit.used)} rows used"
        rows = [[one.key, str(one.value), error_text(one)] for one in fit.fitted]
        yield from (f"{INDENT}{line}" for line in table(["", "fitted", "standard error"], rows))
        yield from (f"{INDENT}{key}: not fitted: {why}" for key, why in fit.not_fitted)
    yield from (f"{INDENT}{key} = {value}, as given" for key, value in fit.given)
    yield ""


def error_text(one: Fitted) -> str:
    """How well the rows tell a value."""
    if one.error is None:
        return f"or {', '.join(map(str, one.others))}" if one.others else "no other"
    return "not told" if one.error >= UNKNOWN else f"± {share(one.error, sign=False)}"


def summed(rows: Sequence[Row]) -> list[str]:
    """Mean and worst error of rows."""
    far = worst(rows)
    return [
        share(mean_error(rows), sign=False),
        share(None if far is None else far.error),
        "" if far is None else asked(far),
    ]


def cells(row: Row) -> list[str]:
    """A row of the table."""
    one = row.measured
    return [
        f"{one.pattern} {one.operation}",
        size_text(one.bytes),
        quantity(one.queue_depth, 1),
        duration(one.response_ns),
        duration(row.simulated_ns),
        share(row.error),
        "used" if row.used else "predicted",
    ]


# ---------------------------------------------------------------- data


def fit_data(fit: DriveFit) -> dict[str, Any]:
    """A fit as plain data, of which `--json` is made."""
    return {
        "files": list(fit.measurements.files),
        "model": fit.model,
        "kind": kind_of(fit),
        "fitted": [
            {
                "key": one.key,
                "value": one.value,
                "standard_error": one.error if one.error is not None and math.isfinite(one.error) else None,
                "told": one.error is None or one.error < UNKNOWN,
                "at_end_of_range": one.at_end,
                "others": list(one.others),
            }
            for one in fit.fitted
        ],
        "not_fitted": [{"key": key, "why": why} for key, why in fit.not_fitted],
        "given": dict(fit.given),
        "errors": {"used": errors_data(fit.used), "predicted": errors_data(fit.held_out)},
        "rows": [row_data(row) for row in fit.rows],
        "left_out": list(fit.measurements.left_out),
        "notes": [*fit.measurements.notes, *verdicts(fit)],
        "beyond": list(fit.beyond),
        "ios": fit.ios,
        "seed": fit.seed,
    }


def errors_data(rows: Sequence[Row]) -> dict[str, Any]:
    """Mean and worst error of rows."""
    far = worst(rows)
    return {"rows": len(rows), "mean": mean_error(rows), "worst": None if far is None else far.error}


def row_data(row: Row) -> dict[str, Any]:
    """A row of the table."""
    one = row.measured
    return {
        "place": one.place,
        "operation": one.operation,
        "pattern": one.pattern,
        "bytes": one.bytes,
        "queue_depth": one.queue_depth,
        "measured_ns": one.response_ns,
        "simulated_ns": row.simulated_ns,
        "error": row.error,
        "use": "used" if row.used else "predicted",
        "why": row.why,
    }
