"""A fitted adapter as a scenario."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from sansim.adapter.fit import AdapterFit, IntervalRow, RateRow
from sansim.adapter.simulated import LEAST_ROUNDS
from sansim.adapter.system import Load
from sansim.file_types import FITTED
from sansim.files import whole_file
from sansim.fit.text import far_off
from sansim.toml_text import toml_lines, toml_value


def write_adapter(fit: AdapterFit, file: str | os.PathLike[str], *, force: bool = False) -> Path:
    """Writes a fitted adapter as a scenario.

    Raises:
        OtherKindError: There is a file already.
        OSError: It cannot be written.
    """
    with whole_file(file, FITTED, force=force) as out:
        out.write(scenario_text(fit).encode())
    return Path(file)


def scenario_text(fit: AdapterFit) -> str:
    """The scenario of the first row used, with what was fitted and what was given in it."""
    load, ios = first_load(fit)
    scenario = fit.system.scenario(fit.table, load, ios)
    return "\n".join([*head(fit), ""]) + "\n" + scenario.to_toml()


def head(fit: AdapterFit) -> Iterator[str]:
    """Its origin, as comments."""
    yield f"# An adapter fitted to {', '.join(fit.files)} by `sansim adapter fit`."
    what = "Times are" if isinstance(fit.rows[0], IntervalRow) else "Rates are"
    yield f"# {far_off(what, fit.used, fit.held_out)}"
    if fit.system.file is not None:
        yield f"# All else is as in {fit.system.file}."
    yield "#"
    for path, text in toml_lines(fit.table, ()):
        for full in fit.system.full(".".join(path)):
            yield f"#   {full} = {text}   fitted"
    for key, value in fit.system.given:
        for full in fit.system.spread(key):
            yield f"#   {full} = {toml_value(value)}   given"


def first_load(fit: AdapterFit) -> tuple[Load | None, int]:
    """The load of the first row used, and how many I/Os; nothing where the scenario has it."""
    row = fit.used[0]
    if isinstance(row, RateRow):
        one = row.measured
        load = Load(one.bytes, 0.0 if one.write else 1.0, one.queue_depth, one.in_all)
        return load, max(fit.ios, LEAST_ROUNDS * one.outstanding)
    return fit.load, fit.ios
