"""Reading a study file: the whole of it is checked before anything runs.

Every mistake is reported at once, with line and caret, in the form that scenario files have. `docs/study-guide.md`
describes the file.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from sansim import _core
from sansim.study import units
from sansim.study.document import (
    BAD_POINT,
    BAD_VALUE,
    NAMED_TWICE,
    NOT_MEASURED,
    OUT_OF_RANGE,
    UNKNOWN_AXIS,
    WRONG_TYPE,
    Findings,
    Table,
    suggestion,
)
from sansim.study.model import Axis, Metric, Plot, Replications, Study
from sansim.study.read_axes import read_axes, read_groups, read_settings
from sansim.study.read_checks import read_expected, read_place, read_remarks, vanished
from sansim.study.read_metrics import read_axis_name, read_metrics, read_share

MOST_RUNS = 1_000_000
"""Runs of a study."""


def read_study(file: str | os.PathLike[str]) -> Study:
    """Reads a study file. Its points are checked by `sansim.study.points.plan`.

    Raises:
        ScenarioError: The file cannot be read or is wrong; its text lists every mistake with its line.
    """
    path = Path(file)
    document = _core.Document.load(path)
    return read(document, path.read_bytes(), path)


def read(document: _core.Document, text: bytes, path: Path) -> Study:
    """Reads a study from a document."""
    findings = Findings(document, text)
    table = Table(findings, document.root(), "", None)
    title = table.text("title", path.stem)
    source, description = table.text("source"), table.text("description")
    scenario_text, scenario_name = read_base(table, path)
    settings = read_settings(table.table("set"))
    axes = read_axes(table)
    groups = read_groups(table, axes)
    metrics = read_metrics(table, axes)
    replications = read_replications(table, metrics)
    expected = read_expected(table, axes, metrics)
    remarks = read_remarks(table)
    plots = tuple(read_plot(plot, axes, metrics) for plot in table.rows("plots"))
    for name in {plot.name for plot in plots if [other.name for other in plots].count(plot.name) > 1}:
        findings.add(NAMED_TWICE, table.place("plots"), "plots", f"two plots have the name `{name}`")
    runs = replications.most
    for group in groups:
        runs *= max(len(next(axis for axis in axes if axis.name == name).values) for name in group)
    if runs > MOST_RUNS:
        findings.add(
            OUT_OF_RANGE, table.place("axes"), "axes", f"these are {runs} runs; a study has {MOST_RUNS} at most"
        )
    table.finish()
    findings.raise_any()
    return Study(
        path,
        title,
        source,
        description,
        scenario_text,
        scenario_name,
        settings,
        axes,
        groups,
        replications,
        metrics,
        expected,
        remarks,
        plots,
    )


def read_base(table: Table, path: Path) -> tuple[str, str]:
    """`scenario`: a file beside the study file, or the text of a scenario. It is read and checked by itself."""
    named = table.text("scenario", example='"system.toml"')
    item = table.item("scenario")
    if item is None or item.kind != "text":
        return "", ""
    if "\n" in named:
        text, name = named, f"{path} (scenario)"
    else:
        file = path.parent / named
        name = str(file)
        try:
            # What is wrong with reading it is said by those who read scenarios.
            _core.Document.load(file)
            text = file.read_text(encoding="utf-8")
        except _core.ScenarioError as error:
            first = error.problems[0]
            where = f"{name}:{first.line}" if first.line else name
            table.findings.add(
                BAD_POINT, item.range, "scenario", f"the scenario cannot be read: {first.message}", "", f"see {where}"
            )
            return "", ""
    return text, name


def read_replications(table: Table, metrics: Sequence[Metric]) -> Replications:
    """`[replications]`."""
    inner = table.table("replications")
    if inner is None:
        return Replications()
    count = inner.count("count", 1, 1, 10_000)
    within = None if inner.item("within") is None else read_share(inner, "within", 0.05)
    name = inner.text("metric", "", example='"throughput"' if within is not None else None)
    most = inner.count("most", 100 if within is not None else count, 1, 10_000)
    item = inner.item("metric")
    if item is not None and name not in [metric.name for metric in metrics]:
        help_ = suggestion(name, [metric.name for metric in metrics])
        message = f"the study does not measure `{name}`"
        inner.findings.add(NOT_MEASURED, item.range, item.path, message, "", help_)
    elif item is not None and vanished(next(metric for metric in metrics if metric.name == name), metrics):
        message = f"`{name}` is no metric of a single point, so no point can be run until it is known well enough"
        inner.findings.add(NOT_MEASURED, item.range, item.path, message)
    if within is not None and within <= 0:
        inner.findings.add(OUT_OF_RANGE, inner.place("within"), f"{inner.path}.within", "no interval is that narrow")
    if most < count:
        message = f"`most` is {most}, less than the {count} that are run at least"
        inner.findings.add(OUT_OF_RANGE, inner.place("most"), f"{inner.path}.most", message)
    inner.finish()
    if within is not None:
        # An interval needs two runs.
        return Replications(max(count, 2), within, name, max(most, 2))
    return Replications(count, None, "", count)


def read_plot(table: Table, axes: Sequence[Axis], metrics: Sequence[Metric]) -> Plot:
    """`[[plots]]`."""
    findings = table.findings
    name = table.text("name", example='"figure-1"')
    if name and not all(part.isalnum() or part in "-_." for part in name):
        help_ = "use letters, digits, - and _"
        findings.add(BAD_VALUE, table.place("name"), f"{table.path}.name", f"`{name}` is no name of a file", "", help_)
    title = table.text("title", name)
    x = read_axis_name(table, "x", axes)
    y = table.texts("y")
    if not y:
        table.missing("y", '"throughput"')
    known = {metric.name: metric for metric in metrics}
    for metric in y:
        if metric not in known:
            message = f"the plot shows `{metric}`, which the study does not measure"
            findings.add(NOT_MEASURED, table.place("y"), f"{table.path}.y", message, "", suggestion(metric, known))
        elif x is not None and x.name in vanished(known[metric], metrics):
            message = f"`{metric}` is one value for all of the axis `{x.name}`, so it cannot be drawn along it"
            findings.add(UNKNOWN_AXIS, table.place("x"), f"{table.path}.x", message)
    lines = table.texts("lines")
    for line in lines:
        if line not in [axis.name for axis in axes]:
            help_ = suggestion(line, [axis.name for axis in axes])
            findings.add(
                UNKNOWN_AXIS, table.place("lines"), f"{table.path}.lines", f"there is no axis `{line}`", "", help_
            )
    panels = read_axis_name(table, "panels", axes, required=False)
    place = read_place(table, "at", axes)
    log = table.texts("log")
    for which in log:
        if which not in ("x", "y"):
            findings.add(WRONG_TYPE, table.place("log"), f"{table.path}.log", '`log` is a list of "x" and "y"')
    if "x" in log and x is not None and any(value.number is None or value.number <= 0 for value in x.values):
        message = f"the axis `{x.name}` has values that are no positive numbers, so it cannot be logarithmic"
        findings.add(OUT_OF_RANGE, table.place("log"), f"{table.path}.log", message)
    published = table.flag("published", True)
    table.finish()
    return Plot(
        name,
        title,
        "" if x is None else x.name,
        y,
        lines,
        None if panels is None else panels.name,
        place,
        log,
        published,
    )


def shown(axis: Axis, number: float) -> float:
    """A number of an axis in the unit in which it is shown."""
    return number / units.factor_of(axis.unit)
