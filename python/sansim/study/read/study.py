"""Reading a study file: the whole of it is checked before anything runs.

Every mistake is reported at once, with line and caret, in the form that scenario files have. `docs/study-guide.md`
explains the file, `docs/study-reference.md` has every key.
"""

from __future__ import annotations

import math
import os
from dataclasses import replace
from pathlib import Path

from sansim import _core, arguments
from sansim._core import Code
from sansim.study.model import Replications, Study
from sansim.study.read.axes import read_axes, read_settings
from sansim.study.read.checks import read_chosen, read_expected, read_remarks
from sansim.study.read.document import Findings, Table, check_format
from sansim.study.read.grid import check_keys, check_labels, read_groups
from sansim.study.read.holdout import read_leave_out
from sansim.study.read.metrics import BROKEN, read_metrics
from sansim.study.read.plots import read_plots
from sansim.study.read.values import read_share
from sansim.study.suggest import suggestion

MOST_RUNS = 100_000
"""Runs of a study. A million would take a day to plan."""
MOST_REPLICATIONS = 10_000


@arguments.checked("sansim.study.read.read_study", file=arguments.FILE)
def read_study(file: str | os.PathLike[str]) -> Study:
    """Reads a study file. Its points are checked by `sansim.study.points.plan.plan`.

    Raises:
        ScenarioError: The file cannot be read or is wrong; its text lists every mistake with its line.
    """
    path = Path(file)
    return read(open_study(path), path)


def open_study(file: Path, text: str | None = None) -> Table:
    """The top level of a study file, whose text may be known: what came through a pipe cannot be read again.

    Raises:
        ScenarioError: The file cannot be read.
    """
    text = _core.read_text(file) if text is None else text
    document = _core.Document.parse(text, str(file))
    return Table(Findings(document, text.encode()), document.root(), "", None)


def read(table: Table, path: Path) -> Study:
    """Reads a study.

    Each part is read with those before it, of which it may name anything.
    """
    findings = table.findings
    if is_scenario(table):
        help_ = f'`sansim run` runs it once; a study names it: scenario = "{path.name}"'
        findings.add(Code.MISSING_KEY, None, "", "this is a scenario, not a study", "", help_)
        findings.raise_any()
    check_format(table)
    title = table.text("title", path.stem)
    source, description = table.text("source"), table.text("description")
    base = read_base(table, path)
    settings = read_settings(table.table("set"))
    axes = read_axes(table)
    groups = read_groups(table, axes)
    axes = check_labels(table, axes, groups)
    check_keys(table, axes, settings)
    study = Study(path, title, source, description, *base, settings, axes, groups)
    study = replace(study, metrics=read_metrics(table, study))
    study = replace(study, replications=read_replications(table, study))
    study = replace(study, expected=read_expected(table, study))
    study = replace(study, remarks=read_remarks(table, study.expected), chosen=read_chosen(table, study.expected))
    study = replace(study, leave_out=read_leave_out(table, study, MOST_RUNS))
    study = replace(study, plots=read_plots(table, study), text=findings.text.decode())
    runs = study.replications.most * math.prod(study.lengths())
    if runs > MOST_RUNS:
        key = "axes" if math.prod(study.lengths()) > MOST_RUNS else "replications"
        message = f"these are {runs:.6g} runs; a study has {MOST_RUNS} at most"
        table.add(Code.OUT_OF_RANGE, key, message, "", "make several studies of it, or use fewer values")
    table.finish()
    findings.raise_any()
    return study


def is_scenario(table: Table) -> bool:
    """Whether a file that should be a study is a scenario: it has components and nothing of a study."""
    if any(table.has(key) for key in ("scenario", "axes", "metrics", "expected", "plots")):
        return False
    tables = [item.plain() for _, item in table.written.values() if item.kind == "table"]
    return any(isinstance(inner, dict) and "kind" in inner for inner in tables)


def read_base(table: Table, path: Path) -> tuple[str, str, Path]:
    """`scenario`: a file beside the study file, or the text of one. The text, its name, the folder of its files."""
    named = table.text("scenario")
    item = table.item("scenario")
    if item is None or item.kind != "text" or not named.strip():
        return "", "", path.parent
    if "\n" in named:
        return named, f"{path} (scenario)", path.parent
    file = path.parent / named
    try:
        text = _core.read_text(file)
        # The reader of scenarios reports its errors.
        _core.Document.parse(text, str(file))
        return text, str(file), file.parent
    except _core.ScenarioError as error:
        first = error.problems[0]
        where = f"see {file}:{first.line}" if first.line else ""
        others = [other.name for other in sorted(file.parent.glob("*.toml")) if other != path]
        found = None if file.exists() else _core.nearest(file.name, others)
        # Written as the missing one is, absolute or not.
        near = None if found is None else Path(named).with_name(found)
        looked = None if file.exists() else f"looked for it as {file}; names are relative to the study"
        help_ = (first.help or looked) if near is None else f"did you mean `{near}`?"
        table.findings.about(Code.BAD_POINT, item, f"the scenario cannot be read: {first.message}", where, help_)
    except (OSError, ValueError) as error:
        table.findings.about(Code.BAD_POINT, item, f"the scenario cannot be read: {error}")
    return "", "", path.parent


def read_replications(table: Table, study: Study) -> Replications:
    """`[replications]`."""
    inner = table.table("replications")
    if inner is None:
        return Replications()
    count = inner.count("count", 1, MOST_REPLICATIONS)
    if inner.item("within") is None:
        inner.has_no_use(("metric", "most"), "belongs to `within`, the precision that is wanted")
        inner.finish()
        return Replications(count, None, "", count)
    before = len(inner.findings.found)
    within = read_share(inner, "within", "1 %", 0.05)
    if within <= 0 and len(inner.findings.found) == before:
        inner.add(Code.OUT_OF_RANGE, "within", "no interval is that narrow", "must be above 0 %")
    name = inner.text("metric", example=f'"{study.metrics[0].name}"' if study.metrics else '"throughput"')
    check_metric(inner, name, study)
    most = inner.count("most", max(count, 100), MOST_REPLICATIONS)
    if most < count:
        message = f"`most` is {most}, less than the {count} replications of `count`"
        inner.add(Code.CONTRADICTION, "most", message)
    inner.finish()
    # An interval needs two runs.
    return Replications(max(count, 2), within, name, max(most, 2))


def check_metric(table: Table, name: str, study: Study) -> None:
    """Notes a metric by which no point can be known well enough."""
    item = table.item("metric")
    if item is None or item.kind != "text" or not name.strip():
        return
    metric = next((metric for metric in study.metrics if metric.name == name), None)
    if metric is None:
        help_ = suggestion(name, [metric.name for metric in study.metrics])
        table.findings.about(Code.NOT_MEASURED, item, f"the study does not measure `{name}`", "", help_)
    elif metric.rule != BROKEN and study.groups_of(metric) != study.every_group:
        message = f"`{name}` is not a metric of single points, so it cannot say when a point has been run enough"
        table.findings.about(Code.NOT_MEASURED, item, message)
