"""A fit of an adapter in words, and as plain data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sansim.adapter.fit import AdapterFit, IntervalRow, RateRow
from sansim.adapter.system import SPEED
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


def asked(row: RateRow | IntervalRow) -> str:
    """The commands of a row, or the name of its interval."""
    if isinstance(row, IntervalRow):
        one = row.measured
        return f"{one.between.name}, {one.operation} {size_text(one.bytes)}"
    rate = row.measured
    depth = f"{rate.queue_depth} in all" if rate.in_all else f"depth {rate.queue_depth}"
    ports = "" if rate.ports is None else f", {counted(rate.ports, 'port')}"
    devices = "" if rate.devices is None else f", {counted(rate.devices, 'device')}"
    return f"{rate.operation} {size_text(rate.bytes)} at {depth}{ports}{devices}"


def counted(number: int, what: str) -> str:
    """A number of things."""
    return f"{number} {what}{'s' if number != 1 else ''}"


def around(fit: AdapterFit) -> str:
    """The system around the adapter, in a sentence."""
    system = fit.system
    if system.file is not None:
        return f"Around it: {system.file}"
    said = "; --set says otherwise of some of it" if any("." in key for key, _ in system.given) else ""
    several = {row.measured.ports or 1 for row in fit.rows if isinstance(row, RateRow)} != {1}
    each = "each port" if several and fit.word_ns is None else "its port"
    return f"Around it: {each} on a loop of {SPEED} with devices that take no time{said}"


# ---------------------------------------------------------------- words


def fit_text(fit: AdapterFit) -> str:
    """A fit for a terminal: what was fitted, how far it is from the rows used and from those held out."""
    return "".join(f"{line}\n" for line in lines(fit))


def lines(fit: AdapterFit) -> Iterator[str]:
    """The lines of it."""
    what = "rows" if fit.word_ns is None else f"intervals of {fit.ios} I/Os"
    used, held = len(fit.used), len(fit.held_out)
    yield f"{', '.join(fit.files)}: {len(fit.rows)} {what}; {used} used for the fit, {held} held out"
    yield from (f"{INDENT}! {text}" for text in fit.notes)
    yield from (f"{INDENT}! {text}" for text in verdicts_of(fit))
    yield ""
    yield f"Adapter {', '.join(fit.system.adapters)}, fitted to the {counted(used, 'row')} used"
    yield around(fit)
    yield from fitted_lines(fit.fitted, fit.not_fitted)
    yield from (f"{INDENT}{key} = {value}, as given" for key, value in fit.system.given)
    yield ""
    yield "Rates against what was measured" if fit.word_ns is None else "Times against what was measured"
    yield from summed_lines(fit.used, fit.held_out, asked)
    yield ""
    yield from (f"{INDENT}{line}" for line in all_rows(fit))
    for row in fit.rows:
        if row.why is not None:
            yield f"{INDENT}{asked(row)}: {row.why}"
    yield from beyond_lines(fit.beyond)


def verdicts_of(fit: AdapterFit) -> Iterator[str]:
    """Cautions before the fit is trusted."""
    what = "rates" if fit.word_ns is None else "times"
    return verdicts(fit.fitted, fit.used, fit.held_out, f"adapter of this model makes these {what}")


def all_rows(fit: AdapterFit) -> Iterator[str]:
    """The table of the rows."""
    rates = [row for row in fit.rows if isinstance(row, RateRow)]
    if not rates:
        head = ["", "", "size", "seen", "", "measured", "simulated", "difference", ""]
        return table(head, [interval_cells(row) for row in fit.rows if isinstance(row, IntervalRow)])
    ports = any(row.measured.ports is not None for row in rates)
    devices = any(row.measured.devices is not None for row in rates)
    depth = "in all" if all(row.measured.in_all for row in rates) else "depth"
    head = ["", "size", depth, *["ports"] * ports, *["devices"] * devices]
    head += ["measured I/O/s", "simulated", "difference", ""]
    return table(head, [rate_cells(row, ports=ports, devices=devices) for row in rates])


def rate_cells(row: RateRow, *, ports: bool, devices: bool) -> list[str]:
    """A row of a table of rates."""
    one = row.measured
    return [
        one.operation,
        size_text(one.bytes),
        quantity(one.queue_depth, 1),
        *[quantity(one.ports or 1, 1)] * ports,
        *[quantity(one.devices or one.ports or 1, 1)] * devices,
        rate_text(one.iops),
        "-" if row.simulated is None else rate_text(row.simulated),
        share(row.error),
        row.use,
    ]


def interval_cells(row: IntervalRow) -> list[str]:
    """An interval."""
    one = row.measured
    return [
        one.between.name,
        one.operation,
        size_text(one.bytes),
        quantity(one.count, 1),
        "mean" if one.between.by_mean else "median",
        duration(one.counts),
        duration(row.simulated),
        share(row.error),
        row.use,
    ]


def rate_text(iops: float) -> str:
    """I/Os per second, with four digits at least."""
    return f"{iops:,.0f}" if iops >= 1000 else f"{iops:.4g}"


# ---------------------------------------------------------------- data


def fit_data(fit: AdapterFit) -> dict[str, Any]:
    """A fit as plain data, of which `--json` is made."""
    return {
        "files": list(fit.files),
        "model": fit.model,
        "adapters": list(fit.system.adapters),
        "scenario": fit.system.file,
        "fitted": fitted_data(fit.fitted),
        "not_fitted": [{"key": key, "why": why} for key, why in fit.not_fitted],
        "given": dict(fit.system.given),
        "errors": {"used": errors_data(fit.used), "predicted": errors_data(fit.held_out)},
        "rows": [rate_data(row) if isinstance(row, RateRow) else interval_data(row) for row in fit.rows],
        "notes": [*fit.notes, *verdicts_of(fit)],
        "beyond": list(fit.beyond),
        "ios": fit.ios,
    }


def rate_data(row: RateRow) -> dict[str, Any]:
    """A row of a table of rates."""
    one = row.measured
    return {
        "place": one.place,
        "operation": one.operation,
        "bytes": one.bytes,
        "queue_depth": one.queue_depth,
        "outstanding": one.outstanding,
        "ports": one.ports,
        "devices": one.devices,
        "measured_iops": one.iops,
        "simulated_iops": row.simulated,
        **beside_data(row),
    }


def interval_data(row: IntervalRow) -> dict[str, Any]:
    """An interval."""
    one = row.measured
    return {
        "interval": one.between.name,
        "about": one.between.about,
        "operation": one.operation,
        "bytes": one.bytes,
        "count": one.count,
        "of": "mean" if one.between.by_mean else "median",
        "measured_ns": one.counts,
        "mean_ns": one.mean_ns,
        "simulated_ns": row.simulated,
        **beside_data(row),
    }
