"""How the axes of a study file make a grid: which advance together, and whether they contradict each other."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from sansim._core import Code
from sansim.study.model import Axis, Overrides
from sansim.study.read.axes import settings_of
from sansim.study.read.document import Item, Range, Table
from sansim.study.suggest import suggestion


def read_groups(study: Table, axes: tuple[Axis, ...]) -> tuple[tuple[str, ...], ...]:
    """`zip = [["size", "ios"]]`: which axes advance together. The order is that of the file."""
    names = [axis.name for axis in axes]
    lengths = {axis.name: len(axis.values) for axis in axes}
    zipped: list[tuple[str, ...]] = []
    taken: set[str] = set()
    for part in zip_items(study):
        group: list[str] = []
        for member in part.items():
            name = str(member.content)
            if member.kind != "text":
                study.wrong(member, "the name of an axis")
            elif name not in names:
                study.findings.about(
                    Code.UNKNOWN_AXIS, member, f"there is no axis `{name}`", "", suggestion(name, names)
                )
            elif name in taken:
                study.findings.about(Code.NAMED_TWICE, member, f"the axis `{name}` stands twice in `zip`")
            else:
                group.append(name)
                taken.add(name)
        counts = {lengths[name] for name in group}
        if len(counts) > 1 and 0 not in counts:
            told = ", ".join(f"`{name}` has {lengths[name]}" for name in group)
            message = f"axes that advance together need equally many values: {told}"
            help_ = "give them the same number of values, or take one out of `zip` to get every combination"
            study.findings.about(Code.ZIP_LENGTHS, part, message, "", help_)
        elif group and 0 not in counts:
            zipped.append(tuple(group))
    together = {name for group in zipped for name in group}
    groups = [*zipped, *((name,) for name in names if name not in together)]
    return tuple(sorted(groups, key=lambda group: min(names.index(name) for name in group)))


def zip_items(study: Table) -> list[Item]:
    """The lists of names in `zip`; a single list may stand for itself."""
    item = study.item("zip")
    if item is None:
        return []
    parts = item.items() if item.kind == "list" else []
    if parts and all(part.kind == "text" for part in parts):
        parts = [item]
    good = [part for part in parts if part.kind == "list" and len(part.items()) > 1]
    if len(good) < len(parts) or item.kind != "list":
        wrong = next((part for part in parts if part not in good), item)
        help_ = 'as zip = [["size", "ios"]]'
        study.findings.about(
            Code.BAD_CHECK, wrong, "`zip` has lists of axes that advance together, two or more", "", help_
        )
    return good


def check_labels(study: Table, axes: Sequence[Axis], groups: Iterable[Sequence[str]]) -> tuple[Axis, ...]:
    """Notes values that cannot be distinguished; returns the axes, without values where that is so."""
    by_name = {axis.name: axis for axis in axes}
    wrong: set[str] = set()
    for group in groups:
        seen: set[tuple[str, ...]] = set()
        for number, row in enumerate(zip(*(by_name[name].labels for name in group), strict=False)):
            if row in seen:
                place = label_place(study, by_name[group[0]], number)
                wrong |= set(group)
                message = f"`{row[0]}` stands twice on the axis `{group[0]}`"
                if len(group) > 1:
                    message = f"two values of the axes {' and '.join(group)} have the labels {', '.join(row)}"
                help_ = "take one out, or tell them apart with `labels`"
                study.findings.add(Code.NAMED_TWICE, place, f"axes.{group[0]}", message, "", help_)
            seen.add(row)
    return tuple(replace(axis, values=()) if axis.name in wrong else axis for axis in axes)


def check_keys(study: Table, axes: Sequence[Axis], settings: Overrides) -> None:
    """Notes keys that are set by two axes, or by an axis and for all points."""
    for one, other in itertools.combinations(axes, 2):
        both = sorted(keys_of(one, any) & keys_of(other, any))
        if both:
            message = f"the axes `{one.name}` and `{other.name}` both set `{both[0]}`"
            place = value_place(study, other, None)
            study.findings.add(
                Code.CONTRADICTION, place, f"axes.{other.name}", message, "", "only one of them can set it"
            )
    for axis in axes:
        for path in sorted(keys_of(axis, all) & {path for path, _ in settings}):
            table = study.table("set")
            at = None if table is None else next(at for known, at, _ in settings_of(table) if known == path)
            message = f"`{path}` has no effect here, as every value of the axis `{axis.name}` sets it, too"
            study.findings.add(Code.CONTRADICTION, at, f"set.{path}", message, "", "leave it out")


def keys_of(axis: Axis, how: Callable[[Iterable[bool]], bool]) -> set[str]:
    """The scenario keys that any or all values of an axis set."""
    every = {key for value in axis.values for key, _ in value.overrides}
    return {key for key in every if how(key in dict(value.overrides) for value in axis.values)}


def value_place(study: Table, axis: Axis, number: int | None) -> Range | None:
    """The place of a value of an axis; for a range, or without a number, the place of all values."""
    outer = study.table("axes")
    table = None if outer is None else outer.table(axis.name)
    if table is None:
        return study.place("axes")
    for way in ("values", "cases"):
        item = table.item(way)
        if item is not None and item.kind == "list" and number is not None and number < len(item.items()):
            return item.items()[number].range
    keys = ("from", "cases") if number is not None else ("key", "keys", "cases")
    return next((table.place(key) for key in keys if table.has(key)), table.range)


def label_place(study: Table, axis: Axis, number: int) -> Range | None:
    """Where a value of an axis has its label."""
    outer = study.table("axes")
    table = None if outer is None else outer.table(axis.name)
    item = None if table is None else table.item("labels")
    return value_place(study, axis, number) if item is None else item.items()[number].range
