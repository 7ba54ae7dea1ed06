"""Finding out, before anything is run, whether the runs of a study have what its metrics name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sansim import _core, percentiles
from sansim._core import Code
from sansim.catalogue import NO_NUMBERS, is_at, split_line
from sansim.study import units
from sansim.study.measure.metrics import path_at, setting_in_unit
from sansim.study.measure.trace import parse_pattern
from sansim.study.model import Along, Figure, Formula, Interval, Setting
from sansim.study.points.plan import Plan
from sansim.study.read import open_study
from sansim.study.read.document import Table
from sansim.study.resolved import keys_of, read_again, setting_of
from sansim.study.suggest import listed, suggestion


def probe(made: Plan) -> None:
    """Reports figures and settings that no run has, before anything is run.

    The figures of a run follow from its scenario; nothing is simulated.

    Raises:
        ScenarioError: A metric names a figure that is not in the summary of a run, a setting that no scenario has, or
            computes with one that is a word.
    """
    if not made.points:
        return
    table = open_study(made.study.file, made.study.text)
    inner = {name: part for name, _, part in table.tables("metrics") if part is not None}
    if any(isinstance(metric.rule, Figure) for metric in made.study.metrics):
        check_figures(made, inner)
    check_settings(made, inner)
    check_words(made, inner)
    check_ports(made, inner)
    table.findings.raise_any()


def check_figures(made: Plan, tables: dict[str, Table]) -> None:
    """Notes figures that the summary of a run of the first point will not have."""
    first = made.points[0].places
    known = {figure.path: figure for figure in read_again(made.jobs[first][0].scenario).figures()}
    numbers = [path for path, figure in known.items() if figure.unit not in NO_NUMBERS and not figure.several]
    for metric in made.study.metrics:
        table = tables.get(metric.name)
        item = None if table is None else table.item("value")
        if not isinstance(metric.rule, Figure) or table is None or item is None:
            continue
        path = path_at(made.study, metric.rule.path, first)
        parent, _, last = path.rpartition(".")
        numbered = known.get(parent) if last.isdigit() else None
        found = numbered if numbered is not None and numbered.several else known.get(path)
        found = found or at_any_place(path, known) or known.get(percentiles.beside_native(path) or "")
        inside = [other for other in numbers if other.startswith(f"{path}.")]
        if found is None and inside:
            table.findings.about(
                Code.NO_SUCH_FIGURE, item, f"`{path}` is a group of figures", "", f"it has {listed(inside)}"
            )
        elif found is None:
            help_ = percentiles.meant(path) or nearest_path(path, numbers)
            table.findings.about(Code.NO_SUCH_FIGURE, item, f"a run has no figure `{path}`", "", help_)
        elif found.several and found is not numbered:
            parts = f"its parts are `{path}.0` and so on, with an axis that counts `{path}.{{AXIS}}`"
            table.findings.about(Code.NO_SUCH_FIGURE, item, f"`{path}` is a list", "", parts)
        elif found.unit in NO_NUMBERS:
            table.findings.about(Code.NO_SUCH_FIGURE, item, f"`{path}` is no number", "", None)


def at_any_place(path: str, known: Mapping[str, _core.Figure]) -> _core.Figure | None:
    """The first of the lines of the ledger that `ledger_ns.mean.*.SEGMENT` adds up; None if there is none."""
    wanted = split_line(path)
    if wanted is None:
        return None
    lines = ((split_line(other), figure) for other, figure in known.items())
    return next((one for line, one in lines if line and line[0] == wanted[0] and is_at(line[1], wanted[1])), None)


def check_settings(made: Plan, tables: dict[str, Table]) -> None:
    """Notes settings that no scenario of the study has, or that are not measured in the unit that is asked for."""
    scenarios = [made.jobs[point.places][0].scenario for point in made.points]
    for metric in made.study.metrics:
        table = tables.get(metric.name)
        item = None if table is None else table.item("setting")
        if not isinstance(metric.rule, Setting) or table is None or item is None:
            continue
        key = metric.rule.key
        value = next((value for scenario in scenarios if (value := setting_of(scenario, key)) is not None), None)
        if value is None:
            help_ = nearest_path(key, keys_of(scenarios[0]))
            table.findings.about(Code.NO_SUCH_FIGURE, item, f"no scenario of this study has the key `{key}`", "", help_)
        elif isinstance(value, dict):
            inside = f"it has {listed([f'{key}.{name}' for name in value])}"
            table.findings.about(Code.NO_SUCH_FIGURE, item, f"`{key}` is a table of settings", "", inside)
        elif metric.unit and isinstance(setting_in_unit(value, metric.unit), str):
            message = f"`{key}` is `{value}`, which cannot be expressed in `{metric.unit}`"
            table.add(Code.WRONG_UNIT, "unit", message)


def check_words(made: Plan, tables: dict[str, Table]) -> None:
    """Notes metrics that compute with a setting that is a word."""
    first = made.jobs[made.points[0].places][0].scenario
    words = {}
    for metric in made.study.metrics:
        if isinstance(metric.rule, Setting):
            value = setting_in_unit(setting_of(first, metric.rule.key), metric.unit)
            if isinstance(value, str):
                words[metric.name] = value
    for metric in made.study.metrics:
        needed: Iterable[str] = ()
        if isinstance(metric.rule, Formula):
            needed = metric.rule.names
        elif isinstance(metric.rule, Along):
            needed = (metric.rule.of,)
        table = tables.get(metric.name)
        for name in sorted(set(needed) & set(words)):
            item = None if table is None else table.item("of") or table.item("formula")
            if table is not None and item is not None:
                quantity = units.split_quantity(words[name])
                help_ = None if quantity is None else f'give the metric `{name}` a unit, as unit = "{quantity[1]}"'
                message = f"`{name}` is the setting `{words[name]}`, which is no number"
                table.findings.about(Code.BAD_FORMULA, item, message, "", help_)


def check_ports(made: Plan, tables: dict[str, Table]) -> None:
    """Notes intervals between lines of ports that no point has."""
    if not made.traces:
        return
    ports = {port for point in made.points for port in read_again(made.jobs[point.places][0].scenario).ports()}
    for metric in made.study.metrics:
        table = tables.get(metric.name)
        inner = None if table is None else table.table("trace")
        if not isinstance(metric.rule, Interval) or inner is None:
            continue
        for key, text in (("from", metric.rule.start), ("to", metric.rule.end)):
            port = parse_pattern(text).port
            if port not in ports:
                inner.add(Code.NO_SUCH_FIGURE, key, f"there is no port `{port}`", "", suggestion(port, sorted(ports)))


def nearest_path(path: str, known: list[str]) -> str:
    """The path that is most likely meant: the nearest one, or those with the same last or first part."""
    near = _core.nearest(path, known)
    if near is not None:
        return f"did you mean `{near}`?"
    first, _, last = path.rpartition(".")
    alike = [other for other in known if other.rpartition(".")[2] == last]
    alike = alike or [other for other in known if first and other.startswith(f"{first.partition('.')[0]}.")]
    more = "" if alike else "; `sansim run --json` prints all of them"
    return f"there are {listed(alike or known)}{more}"
