"""Common text of fits: the fitted values, and the errors of the used rows and of those held out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias, TypeVar

from sansim.fit.beside import Beside
from sansim.fit.trial import UNKNOWN, Fitted
from sansim.io_trace import table

POOR = 0.1
"""Mean error of the used rows from which on the model is called unsuitable."""
INDENT = "  "


Row: TypeAlias = Beside[Any]
One = TypeVar("One", bound=Row)


def mean_error(rows: Sequence[Row]) -> float | None:
    """The mean size of the errors of rows; None if none of them has one."""
    errors = [abs(row.error) for row in rows if row.error is not None]
    return math.fsum(errors) / len(errors) if errors else None


def worst(rows: Sequence[One]) -> One | None:
    """The row with the largest error; None if none of them has one."""
    return max((row for row in rows if row.error is not None), key=lambda row: abs(row.error or 0.0), default=None)


def share(value: float | None, *, sign: bool = True) -> str:
    """A difference in per cent."""
    if value is None:
        return "-"
    digits = 1 if abs(value) < 9.995 else 0
    return f"{value * 100:{'+' if sign else ''},.{digits}f} %"


def verdicts(fitted: Iterable[Fitted], used: Sequence[Row], held_out: Sequence[Row], what: str) -> Iterator[str]:
    """Cautions before a fit is trusted; `what` names the unsuitable model, as `drive of this model`."""
    fitted = list(fitted)
    mean = mean_error(used)
    if mean is not None and mean > POOR:
        yield f"no {what}: even those that it was fitted to are off by {share(mean, sign=False)} in the mean"
    if not held_out:
        yield "nothing was held out, so nothing says how well it predicts"
    ends = [one.key for one in fitted if one.at_end]
    if ends:
        yield f"at an end of what was searched, and perhaps beyond: {', '.join(ends)}"
    unknown = [one.key for one in fitted if one.error is not None and one.error >= UNKNOWN]
    counts = [one.key for one in fitted if one.others]
    if counts:
        yield f"not told by the rows used, as other numbers do as well: {', '.join(counts)}"
    if unknown:
        yield f"not told by the rows used, alone or apart from the others: {', '.join(unknown)}"


def fitted_lines(fitted: Iterable[Fitted], not_fitted: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The keys that were fitted, and those that were not."""
    rows = [[one.key, str(one.value), error_text(one)] for one in fitted]
    if rows:
        yield from (f"{INDENT}{line}" for line in table(["", "fitted", "standard error"], rows))
    yield from (f"{INDENT}{key}: not fitted: {why}" for key, why in not_fitted)


def error_text(one: Fitted) -> str:
    """How well the rows tell a value."""
    if one.error is None:
        return f"or {', '.join(map(str, one.others))}" if one.others else "no other"
    if one.error >= UNKNOWN:
        return "not told"
    return f"± {share(one.error, sign=False)}" if one.error >= 5e-4 else "± less than 0.1 %"


def summed_lines(used: Sequence[One], held_out: Sequence[One], asked: Callable[[One], str]) -> Iterator[str]:
    """How far rows are off, those used and those predicted; `asked` is what was asked in a row."""

    def summed(rows: Sequence[One]) -> list[str]:
        far = worst(rows)
        return [
            share(mean_error(rows), sign=False),
            share(None if far is None else far.error),
            "" if far is None else asked(far),
        ]

    def name(word: str, rows: Sequence[One]) -> str:
        return f"{word}, {len(rows)} row{'s' if len(rows) != 1 else ''}"

    rows = [[name("used", used), *summed(used)], [name("predicted", held_out), *summed(held_out)]]
    yield from (f"{INDENT}{line}" for line in table(["", "mean", "worst", "where"], rows))


def far_off(what: str, used: Sequence[Row], held_out: Sequence[Row]) -> str:
    """How far it is from what was measured, in a sentence; `what` begins it, as `Rates are`."""
    text = f"{what} off by {share(mean_error(used), sign=False)} in the mean of the {len(used)} rows it was fitted to"
    if not held_out:
        return f"{text}; none was held out."
    return f"{text}, and by {share(mean_error(held_out), sign=False)} of the {len(held_out)} held out."


def beyond_lines(beyond: Sequence[str]) -> Iterator[str]:
    """Effects that the rows may contain and the model does not cover."""
    if beyond:
        yield ""
        yield "Beyond this model"
        yield from (f"{INDENT}{text}" for text in beyond)


def fitted_data(fitted: Iterable[Fitted]) -> list[dict[str, Any]]:
    """The keys that were fitted, as plain data."""
    return [
        {
            "key": one.key,
            "value": one.value,
            "standard_error": one.error if one.error is not None and math.isfinite(one.error) else None,
            "told": one.error is None or one.error < UNKNOWN,
            "at_end_of_range": one.at_end,
            "others": list(one.others),
        }
        for one in fitted
    ]


def errors_data(rows: Sequence[Row]) -> dict[str, Any]:
    """Mean and worst error of rows."""
    far = worst(rows)
    return {"rows": len(rows), "mean": mean_error(rows), "worst": None if far is None else far.error}


def beside_data(row: Row) -> dict[str, Any]:
    """How far a row is off, as plain data."""
    return {"error": row.error, "use": row.use, "why": row.why}
