"""`[leave_out]`: on which rows constants are chosen again, and from what."""

from __future__ import annotations

from sansim.study.model import LeaveOut, Study, Value, matches
from sansim.study.read.axes import read_axes, read_settings
from sansim.study.read.document import BAD_CHECK, EMPTY_AXIS, NAMED_TWICE, NOT_MEASURED, Table
from sansim.study.read.values import read_axis_name


def read_leave_out(document: Table, study: Study) -> LeaveOut | None:
    """`[leave_out]` of a study, with the rows that have been read."""
    table = document.table("leave_out")
    if table is None:
        return None
    patterns = tuple(pattern for _, pattern in table.texts("rows"))
    for part, pattern in table.texts("rows"):
        rows = [row for row in study.expected if matches(pattern, row.target, row.metric)]
        if not rows:
            table.findings.about(NOT_MEASURED, part, f"no row of this study is `{pattern}`")
        elif any(not isinstance(row.check, Value) for row in rows):
            message = f"among `{pattern}` are claims that are no numbers, so there is no distance to them"
            table.findings.about(BAD_CHECK, part, message)
    if not patterns:
        table.missing("rows", '["W-T65-*"]')
    axis = read_axis_name(table, "halves", study.axes)
    settings = read_settings(table.table("set"))
    constants = read_axes(table, "constants")
    if not constants:
        table.add(
            EMPTY_AXIS,
            "constants",
            "there is nothing to choose",
            "",
            "add [leave_out.constants.NAME] with key and values",
        )
    for constant in constants:
        if constant.name in {other.name for other in study.axes}:
            table.add(NAMED_TWICE, "constants", f"`{constant.name}` is the name of an axis as well")
    table.finish()
    return LeaveOut(patterns, axis.name if axis is not None else "", settings, constants)
