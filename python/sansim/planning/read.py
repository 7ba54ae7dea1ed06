"""Reading a plan and its catalogue: all of both is checked before anything is worked out.

Each mistake with its line.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import cast

from sansim import _core
from sansim._core import Code
from sansim.planning.model import (
    PERCENTILES,
    Base,
    Bounds,
    Catalogue,
    Choice,
    Confirming,
    Failure,
    Goal,
    Growth,
    Needed,
    Option,
    Part,
    Plan,
    Settings,
)
from sansim.study.read.document import Findings, Item, Table, one_of
from sansim.study.read.values import read_number
from sansim.study.suggest import suggestion
from sansim.toml_text import toml_value

FORM = "plan"
"""No study has tables of this form, so any key may be asked for."""
COUNT = "{count}"
"""Stands for how many of a part are chosen."""
MOST_DESIGNS = 200_000
MOST_COUNT = 100_000
WATTS = {"W": 1.0, "kW": 1000.0}
TOP = {
    *("title", "scenario", "catalogue", "set", "goal", "bounds", "choices", "fixed", "needs", "growth", "failure"),
    "confirm",
}


def read_plan(file: str | os.PathLike[str]) -> Plan:
    """Reads a plan and the catalogue that it names.

    Raises:
        ScenarioError: One of them cannot be read or is wrong; the text lists every mistake with its line.
    """
    path = Path(file)
    table = opened(path)
    known(table, TOP)
    catalogue = read_catalogue_of(table, path)
    parts = catalogue.parts
    bases = read_bases(table, path)
    choices = tuple(read_choice(name, inner, parts) for name, inner in inner_tables(table, "choices"))
    plan = Plan(
        file=path,
        title=table.text("title", path.stem),
        bases=bases,
        catalogue=catalogue,
        settings=read_settings(table, "set"),
        fixed=tuple(read_counts(table, "fixed", parts).items()),
        needed=tuple(read_needed(name, inner, parts) for name, inner in inner_tables(table, "needs")),
        choices=choices,
        goal=read_goal(table),
        bounds=read_bounds(table, catalogue),
        growth=read_growth(table),
        failures=tuple(read_failure(number, inner) for number, inner in enumerate(table.rows("failure"))),
        confirming=read_confirming(table),
    )
    number = len(bases)
    for choice in choices:
        number *= len(choice.options)
    if number > MOST_DESIGNS:
        table.add(
            Code.OUT_OF_RANGE,
            "choices",
            f"these are {number:,} designs; a plan has {MOST_DESIGNS:,} at most",
            "",
            "leave out options, or make several plans of it",
        )
    table.findings.raise_any()
    check_scenarios(table, plan)
    table.findings.raise_any()
    return plan


def opened(path: Path) -> Table:
    """The top level of a file; raises ScenarioError."""
    text = _core.read_text(path)
    document = _core.Document.parse(text, str(path))
    return Table(Findings(document, text.encode()), document.root(), "", None, FORM)


def known(table: Table, keys: Iterable[str]) -> None:
    """Notes keys that a table does not have."""
    for key, (at, item) in table.written.items():
        if key not in keys:
            owner = f"`{table.path}`" if table.path else "a plan"
            table.findings.add(
                Code.UNKNOWN_KEY,
                at,
                item.path,
                f"{owner} has no key `{key}`",
                "unknown key",
                suggestion(key, list(keys)),
            )


def inner_tables(table: Table, key: str) -> list[tuple[str, Table]]:
    """The tables within a table, by name."""
    outer = table.table(key)
    if outer is None:
        return []
    found = [(name, outer.table(name)) for name in outer.written]
    return [(name, inner) for name, inner in found if inner is not None]


# ---------------------------------------------------------------- the catalogue


def read_catalogue_of(table: Table, path: Path) -> Catalogue:
    """`catalogue`: a file beside the plan."""
    nothing = Catalogue("", "", False, {})
    named = table.text("catalogue", example='"parts.toml"')
    item = table.item("catalogue")
    if not named.strip() or item is None:
        return nothing
    try:
        return read_catalogue(path.parent / named)
    except _core.ScenarioError as error:
        first = error.problems[0]
        where = f"see {path.parent / named}:{first.line}" if first.line else ""
        table.findings.about(Code.OTHER_FILE, item, f"the catalogue cannot be used: {first.message}", where, first.help)
    return nothing


def read_catalogue(path: Path) -> Catalogue:
    """Reads a catalogue.

    Raises:
        ScenarioError: It cannot be read or is wrong.
    """
    table = opened(path)
    known(table, {"title", "currency", "example", "parts"})
    parts = {name: read_part(name, inner) for name, inner in inner_tables(table, "parts")}
    if not parts and not table.findings.found:
        table.findings.add(
            Code.EMPTY, None, "parts", "the catalogue has no part, so nothing can be chosen", "",
            "write a table [parts.NAME] with price and power for each part",
        )  # fmt: skip
    currency = table.text("currency", example='"EUR"')
    found = Catalogue(table.text("title", path.stem), currency, table.flag("example"), parts)
    table.findings.raise_any()
    return found


def read_part(name: str, table: Table) -> Part:
    """A part."""
    known(table, {"label", "price", "power", "set"})
    price = read_money(table, "price", None)
    return Part(
        name, table.text("label", name), price or 0.0, read_power(table, "power") or 0.0, read_settings(table, "set")
    )


def read_money(table: Table, key: str, currency: str | None) -> float | None:
    """A price: a number, or one with the currency behind it."""
    item = table.item(key)
    if item is None:
        if currency is None:
            table.missing(key, "120")
        return None
    number = item.number
    if number is None and currency is not None and (quantity := with_unit(item)) is not None:
        number, unit = quantity
        if unit != currency:
            table.findings.about(
                Code.WRONG_UNIT, item, f"`{item.content}` is not in {currency}", f"the catalogue is in {currency}"
            )
            return None
    if number is None:
        table.wrong(item, "a number, in the currency of the catalogue")
        return None
    if number < 0:
        table.findings.about(Code.OUT_OF_RANGE, item, f"`{number:g}` is less than nothing", "must be 0 or more")
        return None
    return number


def with_unit(item: Item) -> tuple[float, str] | None:
    """A number and what stands behind it, whatever that is; None if it is none."""
    return _core.split_quantity(str(item.content).strip()) if item.kind == "text" else None


def read_power(table: Table, key: str) -> float | None:
    """A power, as `"12 W"`."""
    item = table.item(key)
    if item is None:
        return None
    quantity = with_unit(item)
    if quantity is None or quantity[1] not in WATTS or quantity[0] < 0:
        table.wrong(item, 'a power, as "12 W"')
        return None
    return quantity[0] * WATTS[quantity[1]]


# ---------------------------------------------------------------- the plan


def read_bases(table: Table, path: Path) -> tuple[Base, ...]:
    """`scenario`: a file beside the plan, or several to choose from."""
    found = []
    if table.item("scenario") is None:
        table.missing("scenario", '"system.toml"')
    for item, named in table.texts("scenario"):
        file = path.parent / named
        try:
            found.append(Base(_core.read_text(file), str(file), file.parent))
        except _core.ScenarioError as error:
            table.findings.about(Code.OTHER_FILE, item, f"the scenario cannot be read: {error.problems[0].message}")
    return tuple(found)


def read_settings(table: Table, key: str) -> Settings:
    """Keys of a scenario with values. Tables within are paths, as in `--set`."""
    item = table.item(key)
    if item is None:
        return ()
    inner = table.table(key)
    return () if inner is None else tuple(settings_in(inner.written.values(), inner.path))


def settings_in(members: Iterable[tuple[tuple[int, int], Item]], within: str) -> list[tuple[str, str]]:
    """Each key with the TOML text of its value."""
    return [(item.path.removeprefix(f"{within}."), toml_value(item.plain())) for _, item in members]


def read_counts(table: Table, key: str, parts: Iterable[str]) -> dict[str, int]:
    """Parts with how many."""
    inner = table.table(key)
    found = {}
    for name, (at, item) in {} if inner is None else inner.written.items():
        if inner is not None and not is_part(inner, at, item, name, parts):
            continue
        number = whole(item)
        if number is None:
            table.wrong(item, "a whole number")
        else:
            found[name] = number
    return found


def whole(item: Item) -> int | None:
    """A whole number from zero on; None if it is none."""
    if item.kind != "integer":
        return None
    number = cast(int, item.content)
    return number if 0 <= number <= MOST_COUNT else None


def is_part(table: Table, at: tuple[int, int], item: Item, name: str, parts: Iterable[str]) -> bool:
    """Whether a name is that of a part; notes it if not."""
    names = list(parts)
    # If there is no catalogue at all that is said, and not again at each name.
    if name not in names and names:
        table.findings.add(
            Code.UNKNOWN_NAME, at, item.path, f"the catalogue has no part `{name}`", "", suggestion(name, names)
        )
    return name in names


def read_choice(name: str, table: Table, parts: dict[str, Part] | object) -> Choice:
    """A choice: among parts in numbers, or among options that are written out."""
    of_parts = cast("dict[str, Part]", parts)
    known(table, {"component", "parts", "counts", "set", "options"})
    if table.has("options"):
        table.has_no_use(("component", "parts", "counts", "set"), "has no meaning beside `options`")
        options = [read_option(label, inner, of_parts) for label, inner in inner_tables(table, "options")]
    else:
        options = read_parts(table, of_parts)
    if not options and not table.findings.found:
        table.findings.add(
            Code.EMPTY_AXIS, table.range, table.path, f"`{table.path}` has nothing to choose from", "",
            "give `parts` of the catalogue, `counts`, or `options`",
        )  # fmt: skip
    return Choice(name, tuple(options))


def read_option(label: str, table: Table, parts: dict[str, Part]) -> Option:
    """An option that is written out."""
    known(table, {"set", "parts"})
    return Option(label, read_settings(table, "set"), tuple(read_counts(table, "parts", parts).items()))


def read_parts(table: Table, parts: dict[str, Part]) -> list[Option]:
    """The options of a choice among parts: each of them in each of the numbers."""
    component = table.text("component")
    names = [
        text for item, text in table.texts("parts") if is_part(table, item.range, item, text, parts)
    ]  # fmt: skip
    counts = read_numbers(table, "counts")
    settings = read_settings(table, "set")
    found = []
    chosen: list[str | None] = [*names]
    for name, number in itertools.product(chosen or [None], counts or [1]):
        part = None if name is None else parts[name]
        prefix = f"{component}." if component else ""
        own = [(f"{prefix}{key}", value) for key, value in (part.settings if part else ())]
        filled = [(key, with_count(value, number)) for key, value in (*own, *settings)]
        label = " ".join([*([str(number)] if counts else []), *([part.label] if part else [])])
        taken = ((part.name, number),) if part and number else ()
        found.append(Option(label, tuple(filled), taken))
    return found if names or counts else []


def with_count(value: str, number: int) -> str:
    """The TOML text of a value in which a number stands for `{count}`."""
    return str(number) if value == f'"{COUNT}"' else value.replace(COUNT, str(number))


def read_numbers(table: Table, key: str) -> list[int]:
    """A list of whole numbers, in which `"4..12"` stands for all from 4 to 12."""
    item = table.item(key)
    found: list[int] = []
    for part in [] if item is None else item.items():
        first, dots, last = str(part.content).partition("..")
        if (number := whole(part)) is not None:
            found.append(number)
        elif part.kind == "text" and dots and first.strip().isdigit() and last.strip().isdigit():
            low, high = int(first), int(last)
            if low > high or high > MOST_COUNT:
                table.findings.about(
                    Code.CONTRADICTION, part, f"there is no number from {low} to {high}", "the first is the smaller one"
                )
            else:
                found.extend(range(low, high + 1))
        else:
            table.wrong(part, 'whole numbers, or "4..12" for all from 4 to 12')
    return found


def read_goal(table: Table) -> Goal:
    """`[goal]`."""
    inner = table.table("goal")
    if inner is None:
        if table.item("goal") is None:
            table.missing("goal", '{ response = "10 ms" }')
        return Goal(None, "mean", None, None)
    known(inner, {"response", "of", "workload", "iops"})
    response, iops = read_time(inner, "response"), read_positive(inner, "iops", "IOPS")
    if response is None and iops is None and not inner.findings.found:
        inner.missing("response", '"10 ms"')
    return Goal(response, read_of(inner), inner.text("workload") or None, iops)


def read_of(table: Table) -> str:
    """`of`: what of the response times."""
    word = table.text("of", "mean")
    if word not in PERCENTILES:
        item = table.item("of")
        assert item is not None
        table.findings.about(
            Code.UNKNOWN_WORD, item, f"`{word}` is not known here", f"must be {one_of(list(PERCENTILES))}"
        )
    return word if word in PERCENTILES else "mean"


def read_time(table: Table, key: str) -> float | None:
    """A time in ns."""
    item = table.item(key)
    if item is None:
        return None
    if item.number is not None:
        table.findings.about(
            Code.MISSING_UNIT, item, f"`{key}` needs a unit", "", f'write "{item.number:g} ms" if ms are meant'
        )
        return None
    return above_zero(table, item, read_number(table, item, "ns"))


def read_positive(table: Table, key: str, unit: str) -> float | None:
    """A number above zero."""
    item = table.item(key)
    return None if item is None else above_zero(table, item, read_number(table, item, unit))


def above_zero(table: Table, item: Item, number: float | None) -> float | None:
    """A number if it is above zero."""
    if number is not None and number <= 0:
        table.findings.about(Code.OUT_OF_RANGE, item, f"{table.findings.written(item)} is not above zero")
        return None
    return number


def read_bounds(table: Table, catalogue: Catalogue) -> Bounds:
    """`[bounds]`."""
    inner = table.table("bounds")
    if inner is None:
        return Bounds()
    known(inner, {"cost", "power", "parts"})
    cost = read_money(inner, "cost", catalogue.currency) if inner.has("cost") else None
    return Bounds(cost, read_power(inner, "power"), read_counts(inner, "parts", catalogue.parts))


def read_needed(name: str, table: Table, parts: dict[str, Part] | object) -> Needed:
    """A part that comes with others."""
    of_parts = cast("dict[str, Part]", parts)
    known(table, {"of", "per"})
    at = table.range or (0, 0)
    if name not in of_parts and of_parts:
        table.findings.add(
            Code.UNKNOWN_NAME,
            at,
            table.path,
            f"the catalogue has no part `{name}`",
            "",
            suggestion(name, list(of_parts)),
        )
    of = tuple(text for item, text in table.texts("of") if is_part(table, item.range, item, text, of_parts))
    if not of and not table.findings.found:
        table.missing("of", '["a part"]')
    return Needed(name, of, table.count("per", 1, MOST_COUNT))


def read_growth(table: Table) -> Growth | None:
    """`[growth]`."""
    inner = table.table("growth")
    if inner is None:
        return None
    known(inner, {"per_month", "keys", "months"})
    item = inner.item("per_month")
    share = None
    if item is None:
        inner.missing("per_month", '"3 %"')
    elif (quantity := with_unit(item)) is not None and quantity[1] == "%" and quantity[0] > 0:
        share = quantity[0] / 100
    else:
        inner.wrong(item, 'a share above zero, as "3 %"')
    keys = tuple(text for _, text in inner.texts("keys"))
    if not keys and not inner.findings.found:
        inner.missing("keys", '["load.arrivals.rate"]')
    return Growth(share or 0.03, keys, inner.count("months", 60, 600))


def read_failure(number: int, table: Table) -> Failure:
    """A row of `[[failure]]`."""
    known(table, {"label", "fail", "set", "response"})
    fail = tuple(text for _, text in table.texts("fail"))
    settings = read_settings(table, "set")
    if not fail and not settings and not table.findings.found:
        table.missing("fail", '["drives[0]"]')
    return Failure(table.text("label", f"failure {number + 1}"), fail, settings, read_time(table, "response"))


def read_confirming(table: Table) -> Confirming:
    """`[confirm]`."""
    inner, usual = table.table("confirm"), Confirming()
    if inner is None:
        return usual
    known(inner, {"designs", "most", "replications"})
    return Confirming(
        inner.count("designs", usual.designs, 1000),
        inner.count("most", usual.most, 10_000),
        inner.count("replications", usual.replications, 1000),
    )


def check_scenarios(table: Table, plan: Plan) -> None:
    """Notes a workload that no scenario has, a key of growth that is no number.

    And scenarios that cannot be read at all.
    """
    first = plan.choices and [option.settings for choice in plan.choices for option in choice.options[:1]]
    settings = dict(itertools.chain(plan.settings, *(first or ())))
    for base in plan.bases:
        try:
            scenario = _core.Scenario.parse(base.text, base.name, list(settings.items()), folder=base.folder)
        except _core.ScenarioError:
            # Whether any design can be is seen when all are worked out.
            continue
        known_settings = {setting.key: setting.value for setting in scenario.settings()}
        check_workload(table, plan, known_settings)
        for key in plan.growth.keys if plan.growth else ():
            if scaled(known_settings.get(key), 2.0) is None:
                inner = table.table("growth")
                assert inner is not None
                inner.add(
                    Code.UNKNOWN_NAME,
                    "keys",
                    f"`{key}` of the scenario is no number that could grow",
                    "",
                    suggestion(key, [name for name, value in known_settings.items() if scaled(value, 2.0) is not None]),
                )


def check_workload(table: Table, plan: Plan, settings: dict[str, object]) -> None:
    """Notes a workload of the goal that is none."""
    wanted = plan.goal.workload
    workloads = [key.removesuffix(".from") for key in settings if key.endswith(".from") and key.count(".") == 1]
    if wanted is not None and wanted not in workloads:
        inner = table.table("goal")
        assert inner is not None
        inner.add(
            Code.UNKNOWN_NAME, "workload", f"the scenario has no workload `{wanted}`", "", suggestion(wanted, workloads)
        )


def scaled(value: object, factor: float) -> str | None:
    """A value of a scenario made larger by a factor, as TOML; None of what is no number.

    Whole numbers stay whole, so that a queue depth of 2 is 2 for a while.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return str(round(value * factor))
    if isinstance(value, float):
        return repr(value * factor)
    quantity = _core.split_quantity(value) if isinstance(value, str) else None
    return None if quantity is None else toml_value(f"{quantity[0] * factor:.9g}{joined(quantity[1])}")


def joined(unit: str) -> str:
    """A unit behind its number: `/s` without a gap."""
    return unit if unit.startswith("/") else f" {unit}"


def names(these: Sequence[str]) -> str:
    """Names in prose."""
    return ", ".join(f"`{one}`" for one in these)
