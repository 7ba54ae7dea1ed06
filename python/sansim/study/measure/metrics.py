"""The metrics of a study at its points, from the results of the runs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sansim.catalogue import figure, is_at, split_line
from sansim.doubts import UNSTABLE
from sansim.study import units
from sansim.study.measure import formula
from sansim.study.measure.series import COMPARISONS, PLACES, NotTakenError, natural_unit, take
from sansim.study.measure.statistics import Estimate, over_replications
from sansim.study.model import DOUBT, Along, Axis, AxisValue, Figure, Formula, Interval, Metric, Places, Study

Number = float | str | None
"""A value of a metric: a number in its unit, the word of a setting, `UNSTABLE`, or nothing."""

Results = Mapping[str, object]
"""The results of a job: `summary` and `traces`."""


@dataclass(frozen=True)
class Cell:
    """A metric at one point."""

    values: tuple[Number, ...]
    """The value of each replication."""
    within_run: tuple[float, str] | None = None
    """Half width of the interval that the run itself gives, and its method; used if there is one replication."""
    fault: str = ""
    """Why it could not be computed, though there is all that it is made of."""
    excused: bool = False
    """Whether a value may be absent: because a run is, or a metric it is made of, which tells why; or because there is
    none, as the place where a curve rises if it does not."""

    @property
    def numbers(self) -> list[float]:
        """The values that are numbers."""
        return [value for value in self.values if isinstance(value, float)]

    @property
    def estimate(self) -> Estimate | None:
        """The mean over the replications with its interval; None if there is no number, or one is missing."""
        numbers = self.numbers
        if not numbers or len(numbers) < len(self.values):
            return None
        if len(numbers) == 1 and self.within_run is not None:
            half_width, method = self.within_run
            return Estimate(numbers[0], half_width, 1, method)
        return over_replications(numbers)

    @property
    def word(self) -> str | None:
        """The setting, if it is a word."""
        words = {value for value in self.values if isinstance(value, str)}
        return words.pop() if len(words) == 1 else None


@dataclass(frozen=True)
class Measured:
    """A metric at all points."""

    metric: Metric
    groups: tuple[int, ...]
    """The groups of axes it has a value for; a derived metric has lost some."""
    cells: Mapping[Places, Cell]
    """By the places in these groups."""


def cell_of(metric: Metric, runs: Sequence[Results | None], study: Study, places: Places) -> Cell:
    """A metric that each run gives by itself, at a point.

    Args:
        metric: A figure of the summary, or an interval of a trace.
        runs: The results of the replications, as far as there are any.
        study: The study.
        places: The point.
    """
    factor = units.factor_of(metric.unit)
    if isinstance(metric.rule, Interval):
        times = [None if run is None else look_up(run, f"traces.{metric.name}") for run in runs]
        values = tuple(time / factor if isinstance(time, (int, float)) else None for time in times)
        # That what is timed never happens is an answer: a write has no frames of a read.
        return Cell(values, excused=None in values)
    if not isinstance(metric.rule, Figure):
        raise TypeError(metric.rule)
    path = path_at(study, metric.rule.path, places)
    figures = [None if run is None else number_at(run, path) for run in runs]
    half = None if len(runs) != 1 or runs[0] is None else half_width(runs[0], path)
    return Cell(
        tuple(
            figure / factor if figure is not None else UNSTABLE if run is not None and is_unstable(run, path) else None
            for run, figure in zip(runs, figures, strict=True)
        ),
        None if half is None else (half[0] / factor, half[1]),
        excused=None in runs,
    )


def is_unstable(run: Results, path: str) -> bool:
    """Whether a figure is missing because it is a response time, or a part of one, of an unstable run.

    A workload or a stream has this flag beside its response times; otherwise any workload counts.
    """
    if split_line(path) is not None:
        return bool(look_up(run, "summary.unstable"))
    # I/Os in flight are beside response times.
    whose, found, _ = path.partition("under_way" if path.endswith("under_way") else "response_time_ns")
    part = look_up(run, f"summary.{whose.rstrip('.')}") if whose else None
    own = part.get("unstable") if isinstance(part, Mapping) else None
    return bool(found) and (own is True if whose.startswith("workloads.") else bool(look_up(run, "summary.unstable")))


def path_at(study: Study, path: str, places: Places) -> str:
    """The path of a figure at a point: `finished_s.{drive}` is `finished_s.3` where the axis `drive` is 3."""
    for axis in study.axes if "{" in path else ():
        number = axis.values[places[study.group_of(axis.name)]].number
        if number is not None:
            path = path.replace(f"{{{axis.name}}}", units.short(number))
    return path


def setting_in_unit(value: object, unit: str) -> Number:
    """A setting as a number in a unit; as the word it is if it cannot be expressed in it, or if there is no unit."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        # A bare number is one of a plain kind: it can be a share shown in per cent, and no time.
        plain = units.dimension_of(unit) in (units.PLAIN, None)
        return float(value) / units.factor_of(unit) if plain else units.short(value)
    if isinstance(value, list):
        if len(value) == 1:
            return setting_in_unit(value[0], unit)
        return ", ".join(str(setting_in_unit(part, "")) for part in value)
    if not isinstance(value, str):
        return None
    quantity = units.read_quantity(value)
    if quantity is None or not unit or quantity[1] != units.dimension_of(unit):
        return value
    return quantity[0] / units.factor_of(unit)


def look_up(content: object, path: str) -> object:
    """The value at a path of nested tables and lists, whose keys may have dots in them; None if there is none."""
    first, dot, rest = path.partition(".")
    if isinstance(content, Sequence) and not isinstance(content, str) and first.isdigit():
        found = content[int(first)] if int(first) < len(content) else None
        return look_up(found, rest) if dot else found
    if not isinstance(content, Mapping):
        return None
    if path in content:
        return content[path]
    parts = path.split(".")
    for taken in range(1, len(parts)):
        key = ".".join(parts[:taken])
        if key in content and (found := look_up(content[key], ".".join(parts[taken:]))) is not None:
            return found
    return None


def number_at(run: Results, path: str) -> float | None:
    """A figure of the summary in base units."""
    value = look_up(run, f"summary.{path}")
    wanted = split_line(path)
    if wanted is not None and isinstance(lines := look_up(run, f"summary.{wanted[0]}"), Mapping):
        # The summary leaves out segments in which no I/O was; with `*` all places count.
        value = math.fsum(time for line, time in lines.items() if is_at(line, wanted[1]))
    if value is None and did_not_occur(run, path):
        value = 0
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return units.base_of_figure(path, float(value))


def did_not_occur(run: Results, path: str) -> bool:
    """Whether the summary leaves out a count as nothing of its kind occurred: errors, flushes or deallocations."""
    found = figure(path)
    if found is None or found.unit not in ("count", "B"):
        return False
    whose, _, operation = path.rpartition(".")[0].rpartition(".")
    match path.split(".", 2):
        case ["errors", "hosts", rest]:
            return look_up(run, f"summary.hosts.{rest.rpartition('.')[0]}") is not None
        case ["errors", "frames_lost", _]:
            return True
    return (
        operation in ("flushes", "deallocations")
        and look_up(run, f"summary.{whose}.reads".replace("..", ".")) is not None
    )


def half_width(run: Results, path: str) -> tuple[float, str] | None:
    """Half the width of the interval that the run gives for a figure, if it does, and how it was formed.

    The text has no numbers of batches, which differ from point to point; `sansim run` tells them.
    """
    parent, _, last = path.rpartition(".")
    value = number_at(run, path)
    found: tuple[float, str] | None = None
    if last == "mean" and isinstance(width := look_up(run, f"summary.{parent}.ci95"), (int, float)):
        found = float(width), "batch means within the run"
    elif isinstance(width := look_up(run, f"summary.{path}_ci95"), (int, float)):
        found = float(width), "completions over time by batches within the run"
    elif value is not None and isinstance(ends := look_up(run, f"summary.{parent}.ci95_percentiles.{last}"), list):
        # The percentile is not in the middle of its interval.
        found = max(value - ends[0], ends[1] - value), "percentile by batch means within the run, the wider side"
    if found is None:
        return found
    width, method = found
    wanted = look_up(run, "summary.statistics.precision")
    imprecise = isinstance(wanted, dict) and wanted["of"] == path and not wanted["reached"]
    if imprecise:
        method = f"{method}, less precise than run.precision asked for"
    steady = look_up(run, "summary.steady")
    if isinstance(steady, Mapping) and steady["drifts"]:
        method = f"{method}, of a run whose state drifts"
    if imprecise or look_up(run, "summary.statistics.trusted") is False:
        method += DOUBT
    return width, method


def by_formula(study: Study, metric: Metric, rule: Formula, known: Mapping[str, Measured]) -> Measured:
    """A metric that is computed from others at the same point."""
    parts = {name: known[name] for name in rule.names if name in known}
    axes = [axis for axis in study.axes if axis.name in rule.names]
    groups = study.groups_of(metric)
    lengths = study.lengths()
    cells: dict[Places, Cell] = {}
    for places in itertools.product(*(range(lengths[group]) for group in groups)):
        found = {name: part.cells.get(project(places, groups, part.groups)) for name, part in parts.items()}
        inner = {name: cell for name, cell in found.items() if cell is not None}
        if len(inner) < len(parts):
            continue
        here = {axis.name: axis.values[places[groups.index(study.group_of(axis.name))]].number for axis in axes}
        values: list[Number] = []
        faults: list[str] = []
        for replication in range(replications_of(inner.values())):
            numbers = {name: cell.values[replication] for name, cell in inner.items()} | here
            usable = {name: number for name, number in numbers.items() if isinstance(number, float)}
            value, fault = None, ""
            if UNSTABLE in numbers.values():
                values.append(UNSTABLE)
                faults.append("")
                continue
            if len(usable) == len(numbers):
                try:
                    value = formula.evaluate(rule.text, usable)
                except formula.NoValueError as error:
                    fault = str(error)
            else:
                fault = next(filter(None, (lack(name, number, inner) for name, number in numbers.items())), "")
            values.append(value)
            faults.append(fault)
        excused = any(cell.excused or cell.fault for cell in inner.values())
        names = list(inner)

        def computed(
            numbers: Sequence[float], names: Sequence[str] = names, here: Mapping[str, object] = here
        ) -> float:
            given = dict(zip(names, numbers, strict=True)) | {k: v for k, v in here.items() if isinstance(v, float)}
            return formula.evaluate(rule.text, given)

        cell = Cell(tuple(values), carried(list(inner.values()), values, computed), first_fault(faults), excused)
        cells[places] = checked(cell)
    return Measured(metric, groups, cells)


def carried(
    parts: Sequence[Cell], values: Sequence[Number], computed: Callable[[Sequence[float]], float | None]
) -> tuple[float, str] | None:
    """Half the width of the interval of a value that is computed from others, and how it was formed; None without any.

    To first order and as if the parts were independent: each is moved by half the width of its own interval, and what
    that does to the value adds up by squares. Parts that share their random numbers move together, so that the
    interval of a difference or a ratio of them is wide rather than narrow.

    Args:
        parts: What it is computed from, of one replication each.
        values: The value, of the same replication.
        computed: The value with other numbers.
    """
    if len(values) != 1 or not isinstance(values[0], float) or not any(part.within_run for part in parts):
        return None
    numbers = [part.values[0] for part in parts]
    known = [number for number in numbers if isinstance(number, float)]
    if len(known) < len(numbers):
        return None
    squares, doubt = 0.0, False
    for place, part in enumerate(parts):
        half, method = part.within_run or (0.0, "")
        doubt = doubt or method.endswith(DOUBT)
        moved = []
        for way in (half, -half) if half else ():
            try:
                changed = computed([*known[:place], known[place] + way, *known[place + 1 :]])
            except ArithmeticError:
                return None
            moved.append(math.inf if changed is None else abs(changed - values[0]))
        squares += max(moved, default=0.0) ** 2
    return (math.sqrt(squares), CARRIED + (DOUBT if doubt else "")) if math.isfinite(squares) else None


CARRIED = "from the intervals of what it is computed from"
"""How the interval of a computed value was formed."""


def lack(name: str, number: Number, cells: Mapping[str, Cell]) -> str:
    """Why a part of a formula is no number, if that is not reported elsewhere."""
    if isinstance(number, str):
        return f"`{name}` is `{number}`, which is no number"
    if number is None and name in cells and not cells[name].excused and not cells[name].fault:
        return f"the run gives no number for `{name}`"
    return ""


def first_fault(faults: Sequence[str]) -> str:
    """The first of the faults of replications, with its place if there are several."""
    number = next((number for number, fault in enumerate(faults) if fault), None)
    if number is None:
        return ""
    return faults[number] if len(faults) == 1 else f"{faults[number]} (replication {number + 1})"


def checked(cell: Cell) -> Cell:
    """A cell whose mean and interval can be computed; else one without values, and with the fault."""
    try:
        estimate = cell.estimate
        numbers = [] if estimate is None else [estimate.mean, estimate.half_width_95 or 0.0]
        if all(map(math.isfinite, numbers)):
            return cell
    except (OverflowError, ValueError):
        pass
    fault = "its values are too large for a mean and an interval over the replications"
    return replace(cell, values=(None,) * len(cell.values), fault=cell.fault or fault)


def replications_of(cells: Iterable[Cell]) -> int:
    """How many replications several cells share."""
    return min((len(cell.values) for cell in cells), default=1)


def project(places: Places, groups: Sequence[int], onto: Sequence[int]) -> Places:
    """The part of a point that belongs to some of its groups."""
    return tuple(places[groups.index(group)] for group in onto)


def by_axis(study: Study, metric: Metric, rule: Along, known: Mapping[str, Measured]) -> Measured:
    """A metric that says what becomes of another one along an axis."""
    inner = known[rule.of]
    axis = study.axis(rule.axis)
    gone = study.group_of(rule.axis)
    groups = study.groups_of(metric)
    lengths = study.lengths()
    natural = natural_unit(rule, axis, inner.metric)
    cells: dict[Places, Cell] = {}
    for places in itertools.product(*(range(lengths[group]) for group in groups)):
        line = []
        for index in chosen(axis, rule):
            full = tuple(index if group == gone else places[groups.index(group)] for group in inner.groups)
            cell = inner.cells.get(full)
            if cell is not None:
                line.append((axis.values[index], cell))
        if len(line) < len(chosen(axis, rule)):
            continue
        at = [value for value, _ in line]

        def derived(numbers: Sequence[float], at: Sequence[AxisValue] = at) -> float | None:
            found = take(rule, list(zip(at, numbers, strict=True)))
            return None if found is None else units.converted(found, natural, metric.unit)

        values: list[Number] = []
        faults: list[str] = []
        for replication in range(replications_of(cell for _, cell in line)):
            numbers = [cell.values[replication] for _, cell in line]
            stable = [place for place, number in enumerate(numbers) if number != UNSTABLE]
            if len(stable) < len(numbers) and rule.take != "elbow":
                values.append(AGAINST_UNSTABLE if against(rule, numbers) else UNSTABLE)
                faults.append("")
                continue
            # A curve of response times ends where more requests arrive than complete.
            usable = [number for place in stable if isinstance(number := numbers[place], float)]
            taken, fault = None, ""
            if len(usable) == len(stable):
                try:
                    taken = derived(usable, [at[place] for place in stable])
                except NotTakenError as error:
                    fault = str(error)
            values.append(taken)
            faults.append(fault)
        # A place on the axis is found or not: it does not move a little with the values.
        whole = rule.take not in PLACES
        interval = carried([cell for _, cell in line], values, derived) if whole else None
        # Without a fault it has a value, or there is none.
        cells[places] = checked(Cell(tuple(values), interval, first_fault(faults), excused=True))
    return Measured(metric, groups, cells)


AGAINST_UNSTABLE = "against unstable"
"""A comparison with what is unstable, which says nothing: the longer the run, the larger what it is held against."""


def against(rule: Along, numbers: Sequence[Number]) -> bool:
    """Whether it is the second of two compared values that is unstable."""
    return rule.take in COMPARISONS and numbers[-1] == UNSTABLE


def grows_where_unstable(metric: Metric) -> bool:
    """Whether a metric that is `UNSTABLE` is larger than any number, as it grows with the length of the run.

    A response time is, and comparisons of it with a stable one. A formula of it may be anything.
    """
    return isinstance(metric.rule, Figure) or (isinstance(metric.rule, Along) and metric.rule.take in COMPARISONS)


def chosen(axis: Axis, rule: Along) -> list[int]:
    """The values of the axis that a derived metric looks at."""
    if rule.between is not None:
        return [min(axis.indices(label)) for label in rule.between]
    return axis.part(rule.over)
