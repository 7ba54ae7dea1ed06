"""`[leave_out]`: on which rows constants are chosen again, and from what."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sansim._core import Code
from sansim.study.model import Axis, LeaveOut, Study, Value, matches
from sansim.study.read.axes import read_axes, read_settings
from sansim.study.read.document import Table
from sansim.study.read.grid import keys_of
from sansim.study.read.values import read_axis_name


def read_leave_out(document: Table, study: Study, most: int) -> LeaveOut | None:
    """`[leave_out]` of a study, whose rows have been read.

    Args:
        document: The study file.
        study: What has been read of it.
        most: How many combinations of constants and points there may be.
    """
    table = document.table("leave_out")
    if table is None:
        return None
    halves = read_axis_name(table, "halves", study.axes)
    patterns = read_rows(table, study, halves)
    settings = read_settings(table.table("set"))
    constants = read_axes(table, "constants")
    if not constants:
        help_ = "add [leave_out.constants.NAME] with key and values"
        table.add(Code.EMPTY_AXIS, "constants", "there is nothing to choose", "", help_)
    check_constants(table, constants, study)
    runs = math.prod(len(constant.values) for constant in constants) * math.prod(study.lengths())
    if runs > most:
        table.add(Code.OUT_OF_RANGE, "constants", f"these are {runs:.6g} runs; there may be {most} at most")
    table.finish()
    return LeaveOut(patterns, halves.name if halves is not None else "", settings, constants)


def read_rows(table: Table, study: Study, halves: Axis | None) -> tuple[str, ...]:
    """The targets that take part: numbers, each at one value of the axis that halves them."""
    patterns = table.texts("rows")
    if not patterns:
        table.missing("rows")
    before, places = len(table.findings.found), set[tuple[str, ...]]()
    for part, pattern in patterns:
        rows = [row for row in study.expected if matches(pattern, row.target, row.metric)]
        if not rows:
            table.findings.about(Code.NOT_MEASURED, part, f"no row of this study is `{pattern}`")
        elif any(not isinstance(row.check, Value) for row in rows):
            message = f"among `{pattern}` are claims that are no numbers, so there is no distance to them"
            table.findings.about(Code.BAD_CHECK, part, message)
        elif halves is not None and any(len(row.at.get(halves.name, ())) != 1 for row in rows):
            message = f"among `{pattern}` are rows that are not at one value of `{halves.name}`, so in no half"
            table.findings.about(Code.BAD_CHECK, part, message)
        elif halves is not None:
            places |= {row.at[halves.name] for row in rows}
    if len(places) == 1 and len(table.findings.found) == before:
        message = "all of these rows are at the same value of this axis, so there are no two halves"
        table.add(Code.BAD_CHECK, "halves", message)
    return tuple(pattern for _, pattern in patterns)


def check_constants(table: Table, constants: Sequence[Axis], study: Study) -> None:
    """Notes constants with a name that the study has already, or that its axes set."""
    names = {axis.name for axis in study.axes} | {metric.name for metric in study.metrics}
    keys = {key: axis.name for axis in study.axes for key in keys_of(axis, any)}
    for constant, (name, at, _) in zip(constants, table.tables("constants"), strict=True):
        path = table.inner(f"constants.{name}")
        if name in names:
            message = f"`{name}` is the name of an axis or a metric as well"
            table.findings.add(Code.NAMED_TWICE, at, path, message, "", "give the constant another name")
        both = sorted(keys_of(constant, any) & set(keys))
        if both:
            message = f"the axis `{keys[both[0]]}` sets `{both[0]}` as well, so this constant has no effect"
            table.findings.add(Code.CONTRADICTION, at, path, message, "", "leave it out")
