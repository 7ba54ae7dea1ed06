"""The expected values and remarks of a study file."""

from __future__ import annotations

from collections.abc import Sequence

from sansim._core import Code
from sansim.study import units
from sansim.study.model import (
    DEFAULT_TOLERANCE,
    Axis,
    Bounds,
    Check,
    Chosen,
    Expected,
    Metric,
    Place,
    Remark,
    Setting,
    Study,
    Tolerance,
    Trend,
    Value,
    Word,
    matches,
)
from sansim.study.read.document import Table
from sansim.study.read.metrics import BROKEN
from sansim.study.read.values import (
    read_axis_name,
    read_label,
    read_number,
    read_pair,
    read_place,
    read_share,
    signed_quantity,
)
from sansim.study.suggest import suggestion

CHECKS = ("value", "between", "above", "below", "rule")
"""The conditions of a row; each row has one of them, or `above` and `below` both."""
TREND_KEYS = ("along", "slack", "expect", "over")
"""Keys that belong to a rule."""


def read_expected(document: Table, study: Study) -> tuple[Expected, ...]:
    """`[[expected]]`: groups of rows, or single rows."""
    found: list[Expected | None] = []
    for group in document.rows("expected"):
        rows = group.rows("rows")
        place = read_place(group, "at", study.axes)
        item = group.item("rows")
        if item is None:
            found.append(read_row(group, {}, place, study))
        elif item.plain() == []:
            group.add(Code.BAD_CHECK, "rows", "this group has no rows", "", "give at least one, or take the group out")
        for table in rows:
            own = read_place(table, "at", study.axes)
            table.outer = group
            found.append(read_row(table, place, own, study))
            table.finish()
        group.finish()
    return tuple(row for row in found if row is not None)


def read_row(table: Table, of_group: Place, own: Place, study: Study) -> Expected | None:
    """One expected value or claim.

    Args:
        table: The row, or a group that is its own only row.
        of_group: The place of the rows of the group, if they have none of their own. Axes that the metric lacks do not
            concern this row.
        own: The place in the row.
        study: The study read so far.
    """
    findings = table.findings
    target = table.text("id", example='"W-L04"')
    name = table.text("metric", example=f'"{study.metrics[0].name}"' if study.metrics else '"throughput"')
    kind = table.word("kind")
    source, note, quick = table.text("source"), table.text("note"), table.flag("quick")
    said = {key: table.text(key) for key in ("derived", "corrected", "restates", "means")}
    item = table.item("metric")
    metric = next((metric for metric in study.metrics if metric.name == name), None)
    if metric is None:
        # That nothing is measured has been said.
        if study.metrics and item is not None and item.kind == "text" and name:
            help_ = suggestion(name, [metric.name for metric in study.metrics])
            findings.about(Code.NOT_MEASURED, item, f"the study does not measure `{name}`", "", help_)
        return None
    if metric.rule == BROKEN:
        return None
    groups = study.groups_of(metric)
    place = {name: labels for name, labels in of_group.items() if study.group_of(name) in groups} | dict(own)
    check_place(table, place, metric, study)
    unit = row_unit(table, metric)
    check = read_check(table, kind, unit, metric, study, place)
    return None if check is None else Expected(target, name, place, kind, check, unit, source, note, quick, **said)


def row_unit(table: Table, metric: Metric) -> str:
    """The unit of the published numbers."""
    unit = table.text("unit").strip() or metric.unit
    if unit != metric.unit and units.dimension_of(unit) != units.dimension_of(metric.unit):
        measured = f"in `{metric.unit}`" if metric.unit else "a plain number"
        message = f"`{metric.name}` is {measured}, which cannot be compared with `{unit}`"
        table.add(Code.WRONG_UNIT, "unit", message)
        return metric.unit
    return unit


def check_place(table: Table, place: Place, metric: Metric, study: Study) -> None:
    """Notes places that are none of the metric's."""
    groups = study.groups_of(metric)
    for name in place:
        if study.group_of(name) not in groups:
            message = f"`{metric.name}` is one value for all of the axis `{name}`, so it has none at a place on it"
            table.add(Code.UNKNOWN_AXIS, "at", message, "", f"leave out `{name}`")
            return
    if any(not axis.values for axis in study.axes):
        return
    for group in groups:
        if not study.allowed(group, place):
            names = [name for name in study.groups[group] if name in place]
            told = " and ".join(f"{name} = {' or '.join(place[name])}" for name in names)
            table.add(Code.UNKNOWN_AXIS, "at", f"there is no point with {told}, as these axes advance together")
            return


def read_check(table: Table, kind: str, unit: str, metric: Metric, study: Study, place: Place) -> Check | None:
    """The condition of a row."""
    # A row's own claim replaces that of its group.
    own = [key for key in CHECKS if table.has(key)]
    given = own or [key for key in CHECKS if table.item(key) is not None]
    if set(given) not in ({"above", "below"}, *({key} for key in CHECKS)):
        help_ = "give one of `value`, `between`, `above`, `below` and `rule`"
        if given:
            said = f"this says several things at once: {', '.join(f'`{key}`' for key in given)}"
            table.add(Code.BAD_CHECK, given[1], said, "", help_)
        else:
            table.add(Code.BAD_CHECK, "id", "this says nothing that could be checked", "", help_)
        return None
    if given != ["rule"]:
        table.has_no_use(TREND_KEYS, "belongs to a `rule`")
    if given != ["value"]:
        table.has_no_use(("tolerance", "rounding"), "belongs to a `value`; a `rule` has `slack`")
    if given == ["rule"]:
        return read_trend(table, metric, study, place)
    if given == ["value"]:
        return read_value(table, kind, unit, metric)
    if given == ["between"]:
        return read_between(table, unit)
    limits = {key: read_number(table, item, unit) for key in given if (item := table.item(key)) is not None}
    if None in limits.values():
        return None
    low, high = limits.get("above"), limits.get("below")
    if low is not None and high is not None and low >= high:
        table.add(Code.OUT_OF_RANGE, "below", "nothing is above the one and below the other")
    return Bounds(low, high)


def read_between(table: Table, unit: str) -> Check | None:
    """`between = [a, b]`."""
    item = table.item("between")
    if item is None:
        return None
    parts = item.items()
    if item.kind != "list" or len(parts) != 2:
        label = "needs a list of two numbers"
        table.findings.about(Code.WRONG_TYPE, item, "`between` names two values", label, "as between = [10, 20]")
        return None
    low, high = (read_number(table, part, unit) for part in parts)
    if low is None or high is None:
        return None
    if low > high:
        table.findings.about(
            Code.OUT_OF_RANGE, item, "nothing lies between these", "the first is larger than the second"
        )
    return Bounds(low, high, inclusive=True)


def read_value(table: Table, kind: str, unit: str, metric: Metric) -> Check | None:
    """`value = X` with its tolerance."""
    item = table.item("value")
    if item is None:
        return None
    if isinstance(metric.rule, Setting) and (item.kind == "flag" or (item.kind == "text" and not metric.unit)):
        table.has_no_use(("tolerance", "rounding"), "has no meaning for a word")
        return Word(str(item.content).lower() if item.kind == "flag" else str(item.content))
    value = read_number(table, item, unit)
    return None if value is None else Value(value, read_tolerance(table, kind, unit))


def read_tolerance(table: Table, kind: str, unit: str) -> Tolerance:
    """`tolerance = "3 %"` of the published value, or an absolute one as `"0.1 ns"` or 0.5; and `rounding = 0.005`."""
    item, coarse = table.item("tolerance"), table.item("rounding")
    rounding = 0.0 if coarse is None else read_number(table, coarse, unit) or 0.0
    if coarse is not None and rounding < 0:
        table.findings.about(Code.OUT_OF_RANGE, coarse, "a printed number is not rounded by less than nothing")
    if item is None:
        return Tolerance(relative=DEFAULT_TOLERANCE[kind], rounding=rounding)
    quantity = signed_quantity(item)
    share = quantity is not None and quantity[1] == "%"
    number = quantity[0] / 100 if quantity is not None and share else read_number(table, item, unit)
    if number is not None and number < 0:
        table.findings.about(Code.OUT_OF_RANGE, item, "a tolerance is not negative")
        number = None
    number = number or 0.0
    return Tolerance(number, None, rounding) if share else Tolerance(None, number, rounding)


def read_trend(table: Table, metric: Metric, study: Study, place: Place) -> Trend | None:
    """`rule`, `along`, `slack`, `expect`, `over`."""
    rule = table.word("rule")
    axis = read_axis_name(table, "along", study.axes, needed=True)
    slack = read_share(table, "slack", "1 %", 0.01 if rule in ("constant", "linear") else 0.0)
    if rule != "order":
        table.has_no_use(("expect",), "belongs to the rule `order`")
    else:
        table.has_no_use(("over",), "has no meaning with the rule `order`, which names its values")
    if axis is None or not rule or not axis.values:
        return None
    if study.group_of(axis.name) not in study.groups_of(metric):
        message = f"`{metric.name}` is one value for all of the axis `{axis.name}`, so it has no shape along it"
        table.add(Code.UNKNOWN_AXIS, "along", message)
        return None
    if rule == "order":
        order = read_order(table, axis, place)
        return Trend(rule, axis.name, slack, order) if order else None
    over = read_pair(table, "over", axis)
    part = [index for index in axis.part(over) if index in study.allowed(study.group_of(axis.name), place)]
    if len(part) < 2:
        message = f"there is no shape along `{axis.name}`: only {len(part)} of its values is looked at"
        table.add(Code.BAD_CHECK, "along", message.replace("only 0 of its values is", "none of its values is"))
    word = next((axis.values[index] for index in part if axis.values[index].number is None), None)
    if rule == "linear" and word is not None:
        message = f"there is no straight line along `{axis.name}`, whose value `{word.label}` is no number"
        table.add(
            Code.BAD_CHECK, "along", message, "", "`cases` can have a number for each of their values: value = 12"
        )
    return Trend(rule, axis.name, slack, (), over)


def read_order(table: Table, axis: Axis, place: Place) -> tuple[str, ...]:
    """`expect = ["largest", ..., "smallest"]`; nothing if it cannot be used."""
    item = table.item("expect")
    if item is None:
        example = ", ".join(f'"{label}"' for label in axis.labels[:4])
        help_ = f"add expect = [{example}], the one with the largest value first"
        table.add(Code.MISSING_KEY, "rule", "this expects an order but does not say which", "", help_)
        return ()
    found: list[str] = []
    for part in item.items():
        label = read_label(axis, part, table)
        if label is None:
            continue
        if label in found:
            table.findings.about(Code.NAMED_TWICE, part, f"`{label}` stands twice in this order")
        elif axis.name in place and label not in place[axis.name]:
            table.findings.about(Code.BAD_VALUE, part, f"`{label}` is not among the values that `at` leaves")
        found.append(label)
    if len(item.items()) < 2:
        table.findings.about(Code.BAD_CHECK, item, "an order needs at least two values")
    return tuple(found)


def read_remarks(document: Table, expected: Sequence[Expected]) -> tuple[Remark, ...]:
    """`[[remarks]]`, each about a target that has no row in this file."""
    found = []
    judged = {row.target for row in expected}
    for table in document.rows("remarks"):
        target, verdict, text = table.text("id"), table.word("verdict"), table.text("text")
        same_as = table.text("same_as")
        if target and target in judged:
            message = f"`{target}` has rows that are judged, so it would count twice"
            table.add(Code.BAD_CHECK, "id", message, "", "say it with `note` or `corrected` of the row")
        if same_as and same_as == target:
            table.add(Code.BAD_CHECK, "same_as", "this is the target itself", "", "name the other one")
        table.finish()
        found.append(Remark(target, verdict, text, same_as))
    return tuple(found)


def read_chosen(document: Table, expected: Sequence[Expected]) -> tuple[Chosen, ...]:
    """`[[chosen]]`: the constants that were fitted or chosen, and the targets of this file used for that."""
    found = []
    for table in document.rows("chosen"):
        what, how, saw = table.text("what"), table.text("how"), table.texts("saw")
        item = table.item("saw")
        if item is None:
            table.missing("saw")
        elif item.plain() == []:
            table.add(
                Code.BAD_VALUE, "saw", "`saw` names no target", "", "what was chosen with none in view needs no table"
            )
        for part, pattern in saw:
            if not any(matches(pattern, row.target, row.metric) for row in expected):
                help_ = suggestion(pattern, sorted({row.target for row in expected}))
                table.findings.about(Code.NOT_MEASURED, part, f"no row of this study is `{pattern}`", "", help_)
        table.finish()
        found.append(Chosen(what, how, tuple(pattern for _, pattern in saw)))
    return tuple(found)
