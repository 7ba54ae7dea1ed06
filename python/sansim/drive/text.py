"""A fit in words, and as plain data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sansim.drive.fit import DriveFit, Row
from sansim.drive.models import MODELS, SHEET_KIND
from sansim.fit.quantities import size_text
from sansim.fit.text import (
    INDENT,
    beside_data,
    beyond_lines,
    errors_data,
    fitted_data,
    fitted_lines,
    share,
    summed_lines,
    verdicts,
)
from sansim.io_trace import table
from sansim.number_text import duration, quantity


def kind_of(fit: DriveFit) -> str:
    """The kind of the drive."""
    return MODELS[fit.model].kind if fit.model in MODELS else SHEET_KIND


def asked(row: Row) -> str:
    """The commands of a row."""
    one = row.measured
    return f"{one.pattern} {one.operation} {size_text(one.bytes)} at depth {one.queue_depth}"


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
    yield from (f"{INDENT}! {text}" for text in verdicts_of(fit))
    yield ""
    yield from kind_lines(fit)
    yield "Response times against what was measured"
    yield from summed_lines(fit.used, fit.held_out, asked)
    yield ""
    head = ["", "size", "depth", "measured", "simulated", "difference", ""]
    yield from (f"{INDENT}{line}" for line in table(head, [cells(row) for row in fit.rows]))
    for row in fit.rows:
        if row.why is not None:
            yield f"{INDENT}{row.measured.place}: the drive cannot carry it out: {row.why}"
    yield from beyond_lines(fit.beyond)


def verdicts_of(fit: DriveFit) -> Iterator[str]:
    """Cautions before the fit is trusted."""
    return verdicts(fit.fitted, fit.used, fit.held_out, "drive of this model makes these times")


def kind_lines(fit: DriveFit) -> Iterator[str]:
    """The fitted and the other parameters."""
    if fit.sheet is not None:
        yield f"Kind {kind_of(fit)}: the {len(fit.used)} rows used, as they are"
    else:
        yield f"Kind {kind_of(fit)}, fitted to the {len(fit.used)} rows used"
        yield from fitted_lines(fit.fitted, fit.not_fitted)
    yield from (f"{INDENT}{key} = {value}, as given" for key, value in fit.given)
    yield ""


def cells(row: Row) -> list[str]:
    """A row of the table."""
    one = row.measured
    return [
        f"{one.pattern} {one.operation}",
        size_text(one.bytes),
        quantity(one.queue_depth, 1),
        duration(one.response_ns),
        duration(row.simulated),
        share(row.error),
        row.use,
    ]


# ---------------------------------------------------------------- data


def fit_data(fit: DriveFit) -> dict[str, Any]:
    """A fit as plain data, of which `--json` is made."""
    return {
        "files": list(fit.measurements.files),
        "model": fit.model,
        "kind": kind_of(fit),
        "fitted": fitted_data(fit.fitted),
        "not_fitted": [{"key": key, "why": why} for key, why in fit.not_fitted],
        "given": dict(fit.given),
        "errors": {"used": errors_data(fit.used), "predicted": errors_data(fit.held_out)},
        "rows": [row_data(row) for row in fit.rows],
        "left_out": list(fit.measurements.left_out),
        "notes": [*fit.measurements.notes, *verdicts_of(fit)],
        "beyond": list(fit.beyond),
        "ios": fit.ios,
        "seed": fit.seed,
    }


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
        "simulated_ns": row.simulated,
        **beside_data(row),
    }
