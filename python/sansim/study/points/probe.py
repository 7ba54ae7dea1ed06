"""Finding out, before anything is run, whether the runs of a study have what its metrics name."""

from __future__ import annotations

from collections.abc import Iterable

from sansim import _core
from sansim._core import Code
from sansim.study import units
from sansim.study.measure.metrics import is_segment, look_up, path_at, setting_in_unit
from sansim.study.measure.trace import parse_pattern, ports_of
from sansim.study.model import Along, Figure, Formula, Interval, Setting
from sansim.study.points.plan import Plan, keys_of, parsed, setting_of
from sansim.study.read import open_study
from sansim.study.read.document import Table
from sansim.study.suggest import listed, suggestion


def probe(made: Plan) -> None:
    """Reports figures and settings that no run has, before anything is run.

    For figures the first point is begun and left at once.

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


def first_summary(made: Plan) -> object:
    """The summary of a run of the first point that has hardly begun."""
    from sansim.simulate import run_scenario

    first = made.jobs[made.points[0].places][0]
    scenario = _core.Scenario.parse(first.scenario, "<point>", [])
    return run_scenario(scenario, collect_ios=False, progress=lambda _: False).summary


def check_figures(made: Plan, tables: dict[str, Table]) -> None:
    """Notes figures that are not in the summary of a run."""
    summary = first_summary(made)
    for metric in made.study.metrics:
        table = tables.get(metric.name)
        item = None if table is None else table.item("value")
        if not isinstance(metric.rule, Figure) or table is None or item is None:
            continue
        path = path_at(made.study, metric.rule.path, made.points[0].places)
        found = look_up(summary, path)
        if isinstance(found, dict):
            inside = f"it has {listed([f'{path}.{key}' for key in paths_of(found)])}"
            table.findings.about(Code.NO_SUCH_FIGURE, item, f"`{path}` is a group of figures", "", inside)
        elif isinstance(found, list):
            inside = f"its parts are `{path}.0` and so on, with an axis that counts `{path}.{{AXIS}}`"
            table.findings.about(Code.NO_SUCH_FIGURE, item, f"`{path}` is a list", "", inside)
        elif isinstance(found, (str, bool)):
            table.findings.about(Code.NO_SUCH_FIGURE, item, f"`{path}` is no number", "", None)
        elif not exists(summary, path) and not is_segment(path):
            help_ = nearest_path(path, paths_of(summary))
            table.findings.about(Code.NO_SUCH_FIGURE, item, f"a run has no figure `{path}`", "", help_)


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
    ports = {port for point in made.points for port in ports_of(parsed(made.jobs[point.places][0].scenario))}
    for metric in made.study.metrics:
        table = tables.get(metric.name)
        inner = None if table is None else table.table("trace")
        if not isinstance(metric.rule, Interval) or inner is None:
            continue
        for key, text in (("from", metric.rule.start), ("to", metric.rule.end)):
            port = parse_pattern(text).port
            if port not in ports:
                inner.add(Code.NO_SUCH_FIGURE, key, f"there is no port `{port}`", "", suggestion(port, sorted(ports)))


def exists(summary: object, path: str) -> bool:
    """Whether a summary has a figure, or could have: below a null there may be anything at another point."""
    parts = path.split(".")
    for length in range(1, len(parts) + 1):
        if look_up(summary, ".".join(parts[:length])) is None:
            parent = look_up(summary, ".".join(parts[: length - 1])) if length > 1 else summary
            # A list may yet grow.
            return (
                parent is None or isinstance(parent, list) or (isinstance(parent, dict) and parts[length - 1] in parent)
            )
    return True


def paths_of(content: object, prefix: str = "") -> list[str]:
    """The paths of all numbers of a summary, and of what has none yet."""
    if isinstance(content, dict):
        deeper = [paths_of(value, f"{prefix}.{key}" if prefix else key) for key, value in content.items()]
        return [path for paths in deeper for path in paths]
    return [] if isinstance(content, (str, bool, list)) else [prefix]


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
