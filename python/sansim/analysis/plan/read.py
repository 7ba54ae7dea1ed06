"""Reading a plan and its catalogue: all of both is checked before anything is worked out.

Each mistake with its line.
"""

from __future__ import annotations

import itertools
import os
import re
from pathlib import Path
from typing import cast

from sansim import _core
from sansim._core import Code
from sansim.analysis.plan.model import (
    MEAN,
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
    Room,
)
from sansim.analysis.plan.values import (
    MOST_COUNT,
    inner_tables,
    is_part,
    known,
    opened,
    read_counts,
    read_money,
    read_numbers,
    read_positive,
    read_power,
    read_settings,
    read_time,
    scaled,
    with_unit,
)
from sansim.percentiles import word_of
from sansim.study.read.document import Table
from sansim.study.suggest import suggestion

PLAN_KEYS = re.compile(r"^[ \t]*(catalogue[ \t]*=|\[[ \t]*(goal|choices)[ \t]*[.\]]|goal[ \t]*=)", re.MULTILINE)
"""The begin of a key or a table that only plans have."""
COUNT = "{count}"
"""A placeholder for the chosen number of a part."""
MOST_DESIGNS = 200_000
TOP = {
    *(
        "format",
        "title",
        "scenario",
        "catalogue",
        "set",
        "goal",
        "bounds",
        "choices",
        "fixed",
        "needs",
        "room",
        "growth",
        "failure",
    ),
    "confirm",
}


def looks_like_plan(text: str) -> bool:
    """Whether a text has a key or a table that only plans have."""
    return PLAN_KEYS.search(text) is not None


def is_scenario(table: Table) -> bool:
    """Whether a file that should be a plan is a scenario: it has components, and nothing of a plan."""
    tables = [item.plain() for _, item in table.written.values() if item.kind == "table"]
    has_components = any(isinstance(inner, dict) and "kind" in inner for inner in tables)
    return has_components and not any(key in table.written for key in ("catalogue", "goal", "choices", "scenario"))


def read_plan(file: str | os.PathLike[str]) -> Plan:
    """Reads a plan and the catalogue that it names.

    Raises:
        ScenarioError: One of them cannot be read or is wrong; the text lists every mistake with its line.
    """
    path = Path(file)
    table = opened(path)
    if is_scenario(table):
        help_ = f'a plan names it: scenario = "{path.name}", beside a `catalogue`, a `goal` and `choices`'
        table.findings.add(Code.MISSING_KEY, None, "", "this is a scenario, not a plan", "", help_)
        table.findings.raise_any()
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
        rooms=tuple(read_room(name, inner, parts) for name, inner in inner_tables(table, "room")),
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
    known(table, {"format", "title", "currency", "example", "parts"})
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
    known(table, {"label", "price", "prices", "power", "set"})
    price = read_money(table, "price", None)
    return Part(
        name,
        table.text("label", name),
        price or 0.0,
        read_power(table, "power") or 0.0,
        read_settings(table, "set"),
        read_prices(table),
    )


def read_prices(table: Table) -> tuple[tuple[int, float], ...]:
    """`prices`: the price of each if so many or more are bought, `{ "10" = 390, "24" = 360 }`."""
    inner = table.table("prices")
    found: dict[int, float] = {}
    for key, (_, item) in {} if inner is None else inner.written.items():
        if not (key.isdecimal() and 1 <= int(key) <= MOST_COUNT):
            table.wrong(item, f"the price of so many or more, by their number: `{key}` is none")
        elif (price := read_money(cast(Table, inner), key, None)) is not None:
            found[int(key)] = price
    return tuple(sorted(found.items()))


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
        words = [str(number)] if counts else []
        label = " x ".join([*words, *([part.label] if part else [])])
        taken = ((part.name, number),) if part and number else ()
        found.append(Option(label, tuple(filled), taken))
    return found if names or counts else []


def with_count(value: str, number: int) -> str:
    """The TOML text of a value, with a number in place of `{count}`."""
    return str(number) if value == f'"{COUNT}"' else value.replace(COUNT, str(number))


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
    word = table.text("of", MEAN)
    if word == MEAN:
        return word
    try:
        return word_of(word)
    except ValueError:
        item = table.item("of")
        assert item is not None
        must = "must be `mean` or a percentile, as `p50`, `p95`, `p99`, `p99.9`"
        table.findings.about(Code.UNKNOWN_WORD, item, f"`{word}` is not known here", must)
        return MEAN


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
    known(table, {"of", "per"})
    return Needed(name, read_others(name, table, parts), table.count("per", 1, MOST_COUNT))


def read_room(name: str, table: Table, parts: dict[str, Part] | object) -> Room:
    """A part that has room for others."""
    known(table, {"of", "each"})
    if not table.has("each"):
        table.missing("each", "24")
    return Room(name, read_others(name, table, parts), table.count("each", 1, MOST_COUNT))


def read_others(name: str, table: Table, parts: dict[str, Part] | object) -> tuple[str, ...]:
    """`of`: the parts that go with the part of a table."""
    of_parts = cast("dict[str, Part]", parts)
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
    return of


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
