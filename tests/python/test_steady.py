"""Which shipped scenarios drift while they are measured, and that no other does."""

from __future__ import annotations

from pathlib import Path

import pytest

from sansim._core import Scenario
from sansim.simulate import run_scenario
from shares import share

SCENARIOS = Path(__file__).parents[2] / "scenarios"

DRIFTS = {
    # It begins amid the cycle of its marks, and is measured for a part of it.
    "cached-volumes": {"cache"},
    # At the end a limit lets fewer I/Os through than come.
    "changing-keys": {"load"},
    # Their caches are empty at first, and larger than what is read in the time.
    "mirrored-appliances": {"cache-a", "cache-b"},
    "nas": {"cache"},
    # What waits behind the frames for a host that drains slowly comes faster than it goes.
    "slow-drain": {"reads-well"},
}
"""By scenario the parts that drift."""


NAMES = sorted(file.stem for file in SCENARIOS.glob("*.toml"))


@pytest.mark.slow
@pytest.mark.parametrize("name", share(NAMES, len(NAMES) // 2, "steady"))
def test_a_shipped_scenario_is_steady_unless_it_is_known_to_drift(name: str) -> None:
    result = run_scenario(Scenario.load(SCENARIOS / f"{name}.toml", []), collect_ios=False)
    steady = result.summary["steady"]
    assert {drift["part"] for drift in steady["drifts"]} == DRIFTS.get(name, set()), steady
    assert steady["ok"] == (name not in DRIFTS)
    assert ("NOT STEADY" in result.report(wall_time=False)) == (name in DRIFTS)


def test_there_is_every_scenario_that_is_said_to_drift() -> None:
    assert set(DRIFTS) <= {file.stem for file in SCENARIOS.glob("*.toml")}
