"""Points that are not valid scenarios: which value in the study file is to blame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sansim import _core
from sansim._core import Code
from sansim.study.model import Axis, Overrides, Places, Study
from sansim.study.read import open_study
from sansim.study.read.axes import settings_of
from sansim.study.read.document import Range, Table
from sansim.study.read.grid import value_place

Wrong: TypeAlias = "tuple[Places, _core.ScenarioError]"
"""A point with what the scenario crate says of it."""

OF_THE_KEY = (Code.UNKNOWN_KEY, Code.BAD_OVERRIDE, Code.UNKNOWN_NAME)
"""Problems of a key whatever its value is: there is none such, or it is no value."""


@dataclass(frozen=True)
class Said:
    """A problem of a scenario, which several points may have."""

    code: str
    key: str
    message: str
    label: str
    help: str | None


def blame(study: Study, wrong: Sequence[Wrong], looked_at: Iterable[Places]) -> _core.ScenarioError:
    """The errors of the points, as a report that shows the places in the study file.

    Args:
        study: The study.
        wrong: The bad points.
        looked_at: All points that were tried, bad ones included.
    """
    table = open_study(study.file, study.text)
    points: dict[Said, list[Places]] = {}
    for places, error in wrong:
        for problem in error.problems:
            said = Said(problem.code, problem.key, problem.message, problem.label, problem.help)
            points.setdefault(said, []).append(places)
    tried = list(looked_at)
    for said, bad in points.items():
        if not (by_key(study, table, said, bad) or by_value(study, table, said, bad, tried)):
            everywhere(study, table, said, bad, tried)
    return table.findings.error()


def sets(overrides: Overrides, key: str) -> str | None:
    """The key among those that are set that a problem is about."""
    for known, _ in overrides:
        if key == known or key.startswith((f"{known}.", f"{known}[")):
            return known
        # A component that is not there is a part of the key.
        if known.startswith(f"{key}."):
            return known
    return None


def by_key(study: Study, table: Table, said: Said, points: Sequence[Places]) -> bool:
    """Blames what sets the key that the problem is about, if the study does."""
    found = False
    for axis in study.axes:
        group = study.group_of(axis.name)
        for index in dict.fromkeys(places[group] for places in points):
            known = sets(axis.values[index].overrides, said.key)
            if known is None:
                continue
            found = True
            if said.code in OF_THE_KEY:
                at = key_place(table, axis, index, known)
                note(table, said, at, f"axes.{axis.name}", said.message)
            else:
                at = value_place(table, axis, index)
                here = f"{axis.name} = {axis.values[index].label}"
                note(table, said, at, f"axes.{axis.name}", f"`{said.key}` at {here}: {said.message}")
    known = None if found else sets(study.settings, said.key)
    inner = table.table("set")
    if known is None or inner is None:
        return found
    at, item = next((at, item) for path, at, item in settings_of(inner) if path == known)
    of_the_key = said.code in OF_THE_KEY
    note(table, said, at if of_the_key else item.range, f"set.{known}", said.message)
    return True


def key_place(table: Table, axis: Axis, index: int, known: str) -> Range | None:
    """Where an axis names a scenario key."""
    outer = table.table("axes")
    own = None if outer is None else outer.table(axis.name)
    if own is None:
        return None
    for key in ("key", "keys"):
        item = own.item(key)
        if item is not None:
            return next((part.range for part in item.items() if part.content == known), item.range)
    cases = own.rows("cases")
    inner = cases[index].table("set") if index < len(cases) else None
    if inner is None:
        return value_place(table, axis, index)
    return next((at for path, at, _ in settings_of(inner) if path == known), value_place(table, axis, index))


def by_value(study: Study, table: Table, said: Said, points: Sequence[Places], tried: Sequence[Places]) -> bool:
    """Blames the values of an axis at which every point is wrong, if there is such an axis."""
    bad = set(points)
    for axis in study.axes:
        group = study.group_of(axis.name)
        values = list(dict.fromkeys(places[group] for places in points))
        others = {places[group] for places in tried} - set(values)
        if not others or any(places[group] in values and places not in bad for places in tried):
            continue
        for index in values:
            here = f"{axis.name} = {axis.values[index].label}"
            at = value_place(table, axis, index)
            note(table, said, at, f"axes.{axis.name}", f"{about(said)} at {here}: {said.message}")
        return True
    return False


def everywhere(study: Study, table: Table, said: Said, points: Sequence[Places], tried: Sequence[Places]) -> None:
    """Blames no value: it is all points, or some combinations."""
    where = ""
    if len(points) < len(tried):
        more = f" and {len(points) - 1} more points" if len(points) > 1 else ""
        where = f" at {study.in_words(points[0])}{more}"
    note(table, said, table.place("scenario"), "scenario", f"{about(said)}{where}: {said.message}")


def about(said: Said) -> str:
    """The key that a problem is about."""
    return f"`{said.key}`" if said.key else "the scenario"


def note(table: Table, said: Said, at: Range | None, path: str, message: str) -> None:
    """Notes a problem."""
    table.findings.add(Code.BAD_POINT, at, path, message, said.label, said.help)
