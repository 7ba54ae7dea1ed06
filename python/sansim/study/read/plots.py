"""The plots of a study file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sansim._core import Code
from sansim.study.model import Along, Axis, Metric, Plot, Points, Study
from sansim.study.read.document import Item, Table
from sansim.study.read.metrics import BROKEN
from sansim.study.read.series import PLACES
from sansim.study.read.values import read_axis_name, read_axis_names, read_numbers, read_place
from sansim.study.suggest import suggestion


def read_plots(document: Table, study: Study) -> tuple[Plot, ...]:
    """`[[plots]]`."""
    found: list[Plot] = []
    for table in document.rows("plots"):
        plot = read_plot(table, study)
        if plot.name and plot.name in [other.name for other in found]:
            table.add(
                Code.NAMED_TWICE, "name", f"two plots have the name `{plot.name}`", "", "each is a file of its own"
            )
        found.append(plot)
    return tuple(found)


def read_plot(table: Table, study: Study) -> Plot:
    """One plot."""
    findings = table.findings
    before = len(findings.found)
    name = table.text("name")
    item = table.item("name")
    if item is not None and name.strip() and not is_file_name(name):
        help_ = "use letters, digits, - and _; what people read is `title`"
        findings.about(Code.BAD_VALUE, item, f"`{name}` cannot be the name of a file", "", help_)
    title = table.text("title", name)
    x, over = read_x(table, study)
    y = table.texts("y")
    if (item := table.item("y")) is None or not item.items():
        table.missing("y", f'"{study.metrics[0].name}"' if study.metrics else '"throughput"')
    metrics = [(item, metric) for item, name in y if (metric := named_metric(table, item, name, study)) is not None]
    lines = read_axis_names(table, "lines", study.axes)
    panels = read_axis_name(table, "panels", study.axes)
    plot = Plot(
        name,
        title,
        "" if x is None else x.name,
        tuple(name for _, name in y),
        tuple(axis.name for axis in lines),
        None if panels is None else panels.name,
        read_place(table, "at", study.axes),
        table.words("log"),
        table.flag("published"),
        tuple(name for _, name in table.texts("marks")),
        tuple(metric.name for metric in over),
        read_points(table, tuple(name for _, name in y)),
    )
    if over and len(findings.found) == before:
        # Only what is read without a mistake leaves a certain axis.
        x = axis_left(table, plot, [*over, *(metric for _, metric in metrics)], study)
        plot = plot if x is None else replace(plot, x=x.name)
    if not over:
        check_log(table, plot, x)
        item = table.item("points")
        word = next((value.label for value in x.values if value.number is None), None) if x and plot.points else None
        if word is not None and item is not None:
            message = f"points need an `x` of numbers, and `{plot.x}` has the value `{word}`"
            findings.about(Code.BAD_VALUE, item, message)
    for item, name in table.texts("marks"):
        check_mark(table, plot, item, named_metric(table, item, name, study))
    table.finish()
    if len(findings.found) == before:
        check_roles(table, plot)
    if len(findings.found) == before:
        for item, metric in metrics:
            check_axes(table, plot, item, metric, study)
    return plot


def read_x(table: Table, study: Study) -> tuple[Axis | None, list[Metric]]:
    """The axis along which a plot is drawn; or the metrics over which it is drawn."""
    texts = table.texts("x")
    axes = [axis.name for axis in study.axes]
    if len(texts) < 2 and (not texts or texts[0][1] in axes):
        item = table.item("x")
        if item is None or item.kind == "text":
            return read_axis_name(table, "x", study.axes), []
        if not item.items():
            table.missing("x", f'"{axes[0]}"' if axes else None)
        return (study.axis(texts[0][1]) if texts else None), []
    found: list[Metric] = []
    for item, name in texts:
        if name in axes:
            message = f"`{name}` is an axis; several `x` are metrics, one for each metric of `y`"
            table.findings.about(Code.BAD_CHECK, item, message)
        elif name not in [metric.name for metric in study.metrics]:
            help_ = suggestion(name, [*axes, *(metric.name for metric in study.metrics)])
            table.findings.about(Code.UNKNOWN_AXIS, item, f"there is no axis `{name}`, nor a metric", "", help_)
        elif (metric := named_metric(table, item, name, study)) is not None:
            found.append(metric)
    item, y = table.item("x"), table.item("y")
    if item is not None and y is not None and len(texts) > 1 and len(texts) != len(y.items()):
        message = f"there are {len(texts)} metrics in `x` for {len(y.items())} in `y`"
        table.findings.about(Code.BAD_CHECK, item, message, "", "name one for all of them, or one for each, in order")
    units = list(dict.fromkeys(metric.unit for metric in found))
    if item is not None and len(units) > 1:
        message = f"the metrics in `x` have different units: {', '.join(f'`{unit}`' for unit in units)}"
        table.findings.about(Code.WRONG_UNIT, item, message, "", "give them the same `unit`")
    return None, found


def axis_left(table: Table, plot: Plot, metrics: Sequence[Metric], study: Study) -> Axis | None:
    """The axis along which points over a metric are joined: the one that nothing else in the plot uses."""
    shown = {*plot.lines, *([plot.panels] if plot.panels else [])}
    groups = sorted({group for metric in metrics for group in study.groups_of(metric)})
    left = [
        [study.axis(name) for name in study.groups[group]]
        for group in groups
        if len(study.allowed(group, plot.at)) > 1 and not shown & set(study.groups[group])
    ]
    item = table.item("x")
    if len(left) == 1 or item is None:
        return left[0][0] if left else None
    if left:
        names = ", ".join(f"`{axes[0].name}`" for axes in left)
        message = f"points over a metric are joined along one axis, and several are left: {names}"
        help_ = "name all but one of them in `lines` or `panels`, or fix them with `at`"
    else:
        message = "points over a metric are joined along one axis, and none is left"
        help_ = "leave the axis along which the load grows out of `lines`, `panels` and `at`"
    table.findings.about(Code.UNKNOWN_AXIS, item, message, "", help_)
    return None


def read_points(table: Table, y: Sequence[str]) -> tuple[Points, ...]:
    """`[[plots.points]]`: points of another source."""
    found = []
    for inner in table.rows("points"):
        label, of = inner.text("label"), inner.text("of", y[0] if y else "")
        item = inner.item("of")
        if item is not None and of not in y:
            help_ = suggestion(of, list(y))
            inner.findings.about(Code.NOT_MEASURED, item, f"the plot does not show `{of}`", "", help_)
        places, heights = read_numbers(inner, "x"), read_numbers(inner, "y")
        if places and heights and len(places) != len(heights):
            message = f"there are {len(places)} numbers in `x` and {len(heights)} in `y`"
            inner.add(Code.BAD_CHECK, "y", message, "", "a point has one of each")
        found.append(Points(label, of, places, heights, inner.text("source")))
        inner.finish()
    return tuple(found)


def is_file_name(name: str) -> bool:
    """Whether a text can be the name of a file on any system."""
    return len(name) <= 100 and not name.startswith(".") and all(c.isalnum() or c in "-_." for c in name)


def named_metric(table: Table, item: Item, name: str, study: Study) -> Metric | None:
    """A metric of a plot, unless it is wrong."""
    metric = next((metric for metric in study.metrics if metric.name == name), None)
    if metric is None and study.metrics:
        help_ = suggestion(name, [metric.name for metric in study.metrics])
        table.findings.about(Code.NOT_MEASURED, item, f"the study does not measure `{name}`", "", help_)
    return None if metric is None or metric.rule == BROKEN else metric


def check_log(table: Table, plot: Plot, x: Axis | None) -> None:
    """Notes a logarithmic axis of values that have no logarithm."""
    item = table.item("log")
    if item is None or x is None or "x" not in plot.log:
        return
    wrong = next((value for value in x.values if value.number is None or value.number <= 0), None)
    if wrong is not None:
        said = "is no number" if wrong.number is None else "is not above 0"
        message = f"the axis `{x.name}` cannot be logarithmic: its value `{wrong.label}` {said}"
        table.findings.about(Code.OUT_OF_RANGE, item, message)


def check_mark(table: Table, plot: Plot, item: Item, metric: Metric | None) -> None:
    """Notes a mark that is no value of the x axis, or of a metric that is not drawn."""
    if metric is None:
        return
    rule = metric.rule
    if not isinstance(rule, Along) or rule.take not in PLACES or rule.axis != plot.x:
        message = f"`{metric.name}` is no value of the axis `{plot.x}`, so it cannot be marked there"
        help_ = f'a mark is taken with along = "{plot.x}" and take = "elbow", for instance'
        table.findings.about(Code.BAD_CHECK, item, message, "", help_)
    elif rule.of not in plot.y:
        message = f"`{metric.name}` is taken of `{rule.of}`, which the plot does not show"
        table.findings.about(Code.NOT_MEASURED, item, message, "", f'add "{rule.of}" to `y`')


def check_roles(table: Table, plot: Plot) -> None:
    """Notes an axis that has two roles."""
    roles = [
        ("x", plot.x),
        *(("lines", name) for name in plot.lines),
        *([("panels", plot.panels)] if plot.panels else []),
    ]
    seen: dict[str, str] = {}
    for role, name in roles:
        if name in seen:
            message = f"the axis `{name}` is in `{seen[name]}` already"
            table.add(Code.NAMED_TWICE, role, message, "", f"leave it out of `{role}`")
        seen[name or ""] = role


def check_axes(table: Table, plot: Plot, item: Item, metric: Metric, study: Study) -> None:
    """Notes a metric that has no value at a place of the plot, or several of them."""
    groups = study.groups_of(metric)
    if study.group_of(plot.x) not in groups:
        message = f"`{metric.name}` is one value for all of the axis `{plot.x}`, so it cannot be drawn along it"
        table.findings.about(Code.UNKNOWN_AXIS, item, message)
        return
    shown = (plot.x, *plot.lines, *([plot.panels] if plot.panels else []))
    for group in groups:
        axes = [study.axis(name) for name in study.groups[group]]
        allowed = study.allowed(group, plot.at)
        places = {tuple(axis.labels[index] for axis in axes if axis.name in shown) for index in allowed}
        if len(places) < len(allowed):
            names = " and ".join(f"`{axis.name}`" for axis in axes)
            message = f"`{metric.name}` has {len(allowed)} values at each place of the plot, which differ in {names}"
            help_ = "name the axis in `lines` or `panels`, or fix it with `at`"
            table.findings.about(Code.BAD_CHECK, item, message, "", help_)
