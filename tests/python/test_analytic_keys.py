"""Keys that change a simulated mean: the analytic model follows them, or names what it leaves out.

A key that neither is followed nor named is where a verdict is wrong without saying so. Each key of a small system of
each kind is set to other values, and the system is simulated; a key that changes the rate or the mean response time by
more than a tenth has to be followed within the tolerances, or something has to be `outside`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

import pytest

from sansim import _core
from sansim._core import Setting
from sansim.simulate import run_scenario

MATTERS = 0.1
"""A change of the rate or of the mean response time by more than this part matters."""
RATE, RESPONSE = 0.1, 0.2
"""How far the analytic model may be off with another value."""
ANSWERED = 0.85
"""Of the keys that matter so many are followed or named. On 29 November 2026 these were 297 of 332."""
RUN = "[run]\nmeasured_ios = 1500\nwarm_up = 100\n"
DRIVES = """
[drives]
kind = "drives"
count = 4
capacity = "1 GiB"
access_time = { distribution = "exponential", mean = "2 ms" }
transfer_rate = "100 MB/s"
"""


def load(to: str) -> str:
    """A closed load for these devices."""
    return (
        f'[load]\nkind = "synthetic"\nfrom = "host"\nto = "{to}"\nsize = "16 KiB"\nread_fraction = 0.7\n'
        'arrivals = { process = "closed", queue_depth = 4 }\n'
    )


def on_network(kind: str, keys: str, to: str = "drives", port: str = "drives", more: str = "") -> str:
    """A host on a network with devices."""
    net = f'[net]\nkind = "{kind}"\n{keys}\nstations = ["host", "{port}"]\n'
    return RUN + net + '[host]\nkind = "host"\n' + more + DRIVES + load(to)


def attached(name: str, device: str, drives: str = DRIVES) -> str:
    """A host that has a device attached."""
    return RUN + f'[host]\nkind = "host"\nattached = ["{name}"]\n[{name}]\n{device}' + drives + load(name)


SYSTEMS = {
    "loop": on_network("arbitrated-loop", 'speed = "2GFC"', more='schedule = "unfair"\n'),
    "fabric": on_network("fabric", 'speed = "4GFC"'),
    "loop switch": on_network("loop-switch", 'speed = "2GFC"'),
    "SCSI bus": on_network("scsi-bus", 'speed = "ultra160"'),
    "TCP": on_network("tcp", 'rate = "125 MB/s"'),
    "PCI Express": on_network("pcie", "", port="ssd", to="ssd", more='adapter.protocol = "nvme"\n').replace(
        DRIVES, '[ssd]\nkind = "flash-drives"\nadapter.protocol = "nvme"\n'
    ),
    "array": attached("raid", 'kind = "raid"\nto = ["drives"]\nlayout.level = "5"\n'),
    "mirror": attached("mirror", 'kind = "mirror"\nto = ["drives"]\n', DRIVES.replace("count = 4", "count = 2")),
    "cache": attached(
        "cache",
        'kind = "cache"\nto = ["drives"]\ncapacity = "64 MiB"\nlook_up_time = "20 us"\n',
        DRIVES.replace("1 GiB", "64 MiB"),
    ).replace("warm_up = 100", 'warm_up = 100\nfunctional_warm_up = "settled"'),
    "controller": on_network(
        "fabric",
        'speed = "4GFC"',
        "ctl",
        "ctl.front",
        '[ctl]\nkind = "controller"\nto = ["drives"]\nprocessor_time = "50 us"\nresources.command.time = "50 us"\n'
        'resources.memory.bandwidth = "1 GB/s"\n',
    ),
    "appliance": on_network(
        "fabric", 'speed = "4GFC"', "sds", "sds.front", '[sds]\nkind = "appliance"\nto = ["drives"]\n'
    ),
    "disks": attached("disks", 'kind = "disks"\ncount = 4\npreset = "cheetah-15k5"\n', ""),
    "flash": attached("flash", 'kind = "flash-drives"\nblocks = 64\npages = 64\nover_provisioning = "20 %"\n', ""),
    "RAM disk": attached(
        "ram", 'kind = "ram-disks"\nlatency = "100 us"\nbandwidth = "1 GB/s"\ncapacity = "1 GiB"\n', ""
    ),
    "volumes": attached("pool", 'kind = "volumes"\nto = ["drives"]\nequal_volumes = 4\n'),
}
PASSED_OVER = re.compile(r"^(run|fcp)\.|\.kind$|capacity|^(title|description|format)$")
"""Keys that are no part of the system, or change how much data there are."""


def others(setting: Setting) -> list[str]:
    """Other values of a key, as TOML."""
    value = setting.value
    if isinstance(value, bool):
        return ["false" if value else "true"]
    if setting.words:
        return [f'"{word}"' for word in setting.words if word != value][:4]
    if isinstance(value, int):
        return [str(4 * value), str(max(value // 4, 1))] if value else ["4"]
    if isinstance(value, float):
        return [str(0.3 * value)]
    if value in ("unlimited", "none"):
        return ["2", '"1 MB/s"', '"16 KiB"']
    found = re.fullmatch(r"([0-9.]+) ?([A-Za-z/%]+)", value) if isinstance(value, str) else None
    if found is None:
        return []
    number, unit = float(found[1]), found[2]
    return ['"500 us"'] if number == 0 and unit == "ns" else [f'"{factor * number:g} {unit}"' for factor in (4, 0.25)]


@dataclass(frozen=True)
class Means:
    """The means of a system, estimated and simulated."""

    outside: list[str]
    estimate: tuple[float | None, float | None]
    simulated: tuple[float, float]

    def matters_beside(self, base: Means) -> bool:
        """Whether a simulated mean differs."""
        pairs = zip(self.simulated, base.simulated, strict=True)
        return any(abs(one / other - 1) > MATTERS for one, other in pairs)

    @property
    def is_answered(self) -> bool:
        """Whether the analytic model is near, or says that it is not."""
        near = (RATE, RESPONSE)
        pairs = zip(self.estimate, self.simulated, near, strict=True)
        return bool(self.outside) or all(one is not None and abs(one / other - 1) <= most for one, other, most in pairs)


def means(text: str, *settings: tuple[str, str]) -> Means | None:
    """The means of a system with these settings; None if there is no such system, or its times do not settle."""
    try:
        scenario = _core.Scenario.parse(text, "text", list(settings))
        summary = run_scenario(scenario, collect_ios=False).summary
    except (_core.ScenarioError, _core.ClockError, _core.ComponentError):
        return None
    response = summary["response_time_ns"]
    if response is None or summary["unstable"] or not response["mean"] or not summary["iops"]:
        return None
    analysis = json.loads(scenario.analyse())
    estimate = (analysis["iops"], analysis["response_ns"])
    return Means(analysis["outside"], estimate, (summary["iops"], response["mean"]))


def answers(name: str) -> dict[str, bool]:
    """The keys of a system that matter, with the value, and whether they are answered."""
    text = SYSTEMS[name]
    base = means(text)
    assert base is not None
    found = {}
    for setting in _core.Scenario.parse(text, "text", []).settings():
        for value in [] if PASSED_OVER.search(setting.key) else others(setting):
            one = means(text, (setting.key, value))
            if one is not None and one.matters_beside(base):
                found[f"{name}: {setting.key} = {value}"] = one.is_answered
    return found


def hold(found: dict[str, bool]) -> None:
    """Most keys that matter are followed, or something is named."""
    missed = [key for key, is_answered in found.items() if not is_answered]
    assert len(found) - len(missed) >= ANSWERED * len(found), missed


@pytest.mark.long
def test_a_key_that_changes_a_mean_is_followed_or_something_is_named() -> None:
    found: dict[str, bool] = {}
    for name in SYSTEMS:
        found |= answers(name)
    assert len(found) > 250
    hold(found)


@pytest.mark.slow
def test_keys_of_volumes_are_followed_or_something_is_named() -> None:
    found = answers("volumes")
    assert len(found) > 8
    hold(found)
