"""The outcome of changes of a scenario: more of a component, a faster one, a larger cache, another schedule.

The keys of the resolved scenario determine which changes are tried.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sansim import _core
from sansim.catalogue import kinds as known_kinds
from sansim.toml_text import toml_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from sansim._core import Scenario, Setting

NAMES_STATIONS = ("stations", "members", "holds")
"""Last words of keys that list stations of a network: a second one would need others there."""
PORTS = ("a", "b")
"""Ports of those who stand on two loops."""
EVENLY = "least-outstanding"
"""The policy by which a host with two paths to a device uses both."""
MOST = 14
"""Changes that are tried at most."""


@dataclass(frozen=True)
class Change:
    """A change of a scenario."""

    words: str
    settings: dict[str, str]
    """The settings, as for `--set`."""
    analytic: bool = True
    """Whether the analytic model tells a difference; a schedule of a loop it does not follow."""


def changes(scenario: Scenario, first: Sequence[str]) -> list[Change]:
    """Changes worth trying, those of the components that limit first.

    Args:
        scenario: The scenario.
        first: Names of components, the fullest first.
    """
    order = {name: number for number, name in enumerate(first)}
    found = list(candidates(scenario))
    found.sort(key=lambda pair: order.get(pair[0], len(order)))
    return [change for _, change in found][:MOST]


def candidates(scenario: Scenario) -> Iterator[tuple[str, Change]]:
    """Every change that the keys of a scenario suggest, each with the component that it is of."""
    settings = scenario.settings()
    kinds = {one.key.partition(".")[0]: one.value for one in settings if one.key.endswith(".kind")}
    for setting in settings:
        component, _, key = setting.key.partition(".")
        if "." not in setting.key:
            continue
        of_kind = MAKERS.get(f"{kinds.get(component)} {key}")
        make = of_kind or MAKERS.get(key) or MAKERS.get(key.rpartition(".")[2])
        if make is not None and setting.follows is None:
            for change in make(component, setting):
                yield component, change
    yield from more_adapters({one.key: one.value for one in settings if one.follows is None}, kinds)


def more_adapters(settings: Mapping[str, object], kinds: Mapping[str, object]) -> Iterator[tuple[str, Change]]:
    """One more adapter in the host of a network, and a second network like it from there to all who stand at it.

    Each with a second port.
    """
    for network, kind in kinds.items():
        second_one = known_kinds()[str(kind)].second if kind in known_kinds() else None
        stations = settings.get(f"{network}.stations")
        if (
            second_one is None
            or not isinstance(stations, list)
            or any("." in one or one not in kinds for one in stations)
        ):
            continue
        hosts = [one for one in stations if known_kinds()[str(kinds[one])].is_host]
        own = {key.partition(".")[2]: value for key, value in settings.items() if key.startswith(f"{network}.")}
        lists_stations = any(key.count(".") and key.rpartition(".")[2] in NAMES_STATIONS for key in own)
        if len(hosts) != 1 or len(stations) < 2 or lists_stations:
            continue
        second = next(name for number in itertools.count(2) if (name := f"{network}-{number}") not in kinds)
        first_ports, second_ports = ([f"{one}.adapters.{port}" for one in stations] for port in PORTS)
        changed = {
            f"{network}.stations": toml_value(first_ports),
            second: toml_value(nested({**own, "stations": second_ports})),
            f"{hosts[0]}.path": toml_value(EVENLY),
            **{f"{one}.adapters": toml_value({port: {} for port in PORTS}) for one in stations},
        }
        devices = ", ".join(f"`{one}`" for one in stations if one not in hosts)
        words = (
            f"one more adapter in `{hosts[0]}`, with a second {second_one} like `{network}` to a second "
            f"port of {devices}"
        )
        yield network, Change(words, changed)


def nested(keys: Mapping[str, object]) -> dict[str, object]:
    """Keys with dots as tables within tables."""
    found: dict[str, Any] = {}
    for key, value in keys.items():
        *tables, last = key.split(".")
        table = found
        for name in tables:
            table = table.setdefault(name, {})
        table[last] = value
    return found


def more_members(component: str, setting: Setting) -> Iterator[Change]:
    """One more of a group, and twice as many."""
    value = setting.value
    if isinstance(value, int) and value > 0:
        yield Change(f"one more of `{component}` ({value + 1})", {setting.key: str(value + 1)})
        if value > 1:
            yield Change(f"twice as many of `{component}` ({2 * value})", {setting.key: str(2 * value)})


def faster_link(component: str, setting: Setting) -> Iterator[Change]:
    """The next speed, where the words are in the order of speeds."""
    for slower, faster in itertools.pairwise(setting.words):
        if slower == setting.value:
            yield Change(f"`{component}` at {faster} instead of {slower}", {setting.key: f'"{faster}"'})


def larger(component: str, setting: Setting) -> Iterator[Change]:
    """Twice the size of a cache."""
    if (twice := scaled(setting.value, 2)) is not None:
        yield Change(f"`{component}` twice as large ({twice})", {setting.key: f'"{twice}"'})


def quicker(component: str, setting: Setting) -> Iterator[Change]:
    """Half of the access time."""
    if (half := scaled(setting.value, 0.5)) is not None and not half.startswith("0 "):
        yield Change(f"`{component}` with half the access time ({half})", {setting.key: f'"{half}"'})


def deeper(component: str, setting: Setting) -> Iterator[Change]:
    """Twice as many requests at a time."""
    if isinstance(setting.value, int):
        yield Change(f"twice as many I/Os of `{component}` at a time", {setting.key: str(2 * setting.value)})


def scheduled(component: str, setting: Setting) -> Iterator[Change]:
    """Another way of asking for the loop."""
    for other in setting.words:
        if other != setting.value:
            words = f"schedule {other} of `{component}` instead of {setting.value}"
            yield Change(words, {setting.key: f'"{other}"'}, analytic=False)


def arbitrated(component: str, setting: Setting) -> Iterator[Change]:
    """Another rule of who is next at a port of a loop switch."""
    for other in setting.words:
        if other != setting.value:
            words = f"arbitration {other} in `{component}` instead of {setting.value}"
            yield Change(words, {setting.key: f'"{other}"'}, analytic=False)


MAKERS: dict[str, Callable[[str, Setting], Iterator[Change]]] = {
    "count": more_members,
    "speed": faster_link,
    "cache capacity": larger,
    "access_time": quicker,
    "queue_depth": deeper,
    "schedule": scheduled,
    "loop-switch arbitration": arbitrated,
}
"""The changes that are tried for a key: by its kind of component and itself, or by itself, or by its last word."""


def scaled(value: object, by: float) -> str | None:
    """A quantity with its unit, so many times as large; None of what is none."""
    found = re.fullmatch(r"([0-9.]+) ?([A-Za-z/]+)", value) if isinstance(value, str) else None
    if found is None:
        return None
    number = float(found[1]) * by
    return f"{number:g} {found[2]}"


def analysed(load: Callable[[dict[str, str]], Scenario], change: Change) -> dict[str, Any] | None:
    """The results of the analytic model for a changed scenario; None if the change is not valid or means nothing."""
    try:
        scenario = load(change.settings)
    except _core.ScenarioError:
        return None
    if means_nothing(scenario, change):
        return None
    value: dict[str, Any] = json.loads(scenario.analyse())
    return value


def means_nothing(scenario: Scenario, change: Change) -> bool:
    """Whether a key that the change sets means nothing there, as a schedule of arbitration on a fabric."""
    marks = [f"`{key}` means nothing" for key in change.settings]
    return any(mark in warning for warning in scenario.warnings() for mark in marks)
