"""The sentence that says which component limits a system."""

from __future__ import annotations

from typing import Any

import pytest

from sansim.saturation import SATURATED, limit


def summary(ios: int = 100, links: dict[str, Any] | None = None, **components: dict[str, Any]) -> dict[str, Any]:
    """A summary with these components, `_` of their names as `-`."""
    named = {name.replace("_", "-"): figures for name, figures in components.items()}
    return {"ios": ios, "components": named, "fullest_links": links}


def disks(least: float, mean: float, most: float, **figures: float) -> dict[str, Any]:
    """A group of four drives."""
    spread = {"utilisation": mean, "utilisation_min": least, "utilisation_max": most}
    return {"kind": "drives", "count": 4, **spread, **figures}


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (summary(disks=disks(0.96, 0.97, 0.971)), "`disks` limit this system: their access is 97 % utilised."),
        (
            summary(disks=disks(0.2, 0.5, 0.99)),
            "`disks` limit this system: the access of the busiest is 99 % utilised.",
        ),
        (
            summary(loop={"kind": "arbitrated-loop", "utilisation": 0.953, "owned": 1.0}),
            "`loop` limits this system: it is 95 % utilised.",
        ),
        (
            summary(flash={"kind": "flash-drives", "utilisation": 0.993, "garbage_collection": 0.9}),
            "`flash` limits this system: its dies are 99 % utilised.",
        ),
        (
            summary(host={"kind": "host", "utilisation": 0.93, "processor": 0.93, "dma": 0.2}),
            "`host` limits this system: its processor is 93 % utilised.",
        ),
        (
            summary(tape={"kind": "tape-drives", "utilisation": 0.55, "locating": 0.4, "back_hitching": 0.01}),
            "`tape` limits this system: it is 96 % utilised.",
        ),
        (
            summary(fast=disks(0.97, 0.975, 0.98), slow=disks(0.98, 0.99, 0.991)),
            "`slow` and `fast` limit this system: their access is 98 to 99 % utilised.",
        ),
        (
            summary(disks=disks(0.9, 0.95, 0.97), loop={"kind": "arbitrated-loop", "utilisation": 0.93}),
            "`disks` and `loop` limit this system: the access of `disks` is 97 % and `loop` 93 % utilised.",
        ),
        (
            summary(
                san={"kind": "fabric", "utilisation": 0.1, "credit_stalled": 0.95},
                links={"san": {"from": "san.switch", "to": "first", "utilisation": 0.958}},
            ),
            "The link from `san.switch` to `first` limits this system: it is 96 % utilised.",
        ),
    ],
)
def test_a_saturated_component_is_named(found: dict[str, Any], sentence: str) -> None:
    assert limit(found) == sentence


def test_components_that_differ_by_their_numbers_are_named_once() -> None:
    grid: dict[str, Any] = {
        f"array_{number}": {"kind": "drives", "utilisation": 0.92 + number / 1000} for number in range(1, 13)
    }
    assert limit(summary(**grid)) == (
        "`array-1` to `array-12` (12) limit this system: their access is 92 to 93 % utilised."
    )
    two: dict[str, Any] = {name: grid[name] for name in ("array_1", "array_10")}
    assert limit(summary(**two)).startswith("`array-1` and `array-10` limit this system: their access is ")


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (
            summary(disks=disks(0.58, 0.6, 0.612)),
            "No component is saturated; the busiest is the access of `disks`, 61 % utilised.",
        ),
        (
            # A loop in which arbitration waits.
            summary(loop={"kind": "arbitrated-loop", "utilisation": 0.075, "owned": 0.93}),
            "No component is saturated; the busiest is `loop`, 8 % utilised; `loop` is owned 93 % of the time.",
        ),
        (
            # Drives with one I/O in flight each, whose data wait for the link.
            summary(disks=disks(0.4, 0.5, 0.6, occupied=0.98, occupied_max=1.0)),
            "No component is saturated; the busiest is the access of `disks`, 60 % utilised; `disks` are occupied 98 %"
            " of the time.",
        ),
        (
            summary(
                switch={"kind": "loop-switch", "utilisation": 0.97, "busy": 0.99, "talking": 0.4},
                disk={"kind": "drives", "utilisation": 0.004},
            ),
            "No component is saturated; the busiest is the access of `disk`, 0.4 % utilised; `switch` is in use 97 %"
            " of the time.",
        ),
        (
            summary(disk={"kind": "drives", "utilisation": 0.8999}),
            "No component is saturated; the busiest is the access of `disk`, 89.9 % utilised.",
        ),
    ],
)
def test_without_a_saturated_component_the_plain_fact_is_said(found: dict[str, Any], sentence: str) -> None:
    assert limit(found) == sentence


@pytest.mark.parametrize(
    "found",
    [
        summary(host={"kind": "host"}),
        summary(cache={"kind": "cache", "read_hit_ratio": 1.0, "write_back_ratio": 1.0}),
        summary(disks=disks(0.9, 0.95, 0.97), ios=0),
        summary(),
    ],
)
def test_nothing_is_said_without_a_utilisation(found: dict[str, Any]) -> None:
    assert limit(found) == ""


def test_the_threshold_itself_is_saturated() -> None:
    disk = {"kind": "drives", "utilisation": SATURATED}
    assert limit(summary(disk=disk)) == "`disk` limits this system: its access is 90 % utilised."


def waited(unstable: list[str] | None = None, **ledger: float) -> dict[str, Any]:
    """A summary of a disk that is half utilised, with a ledger; `__` of its lines as `.`."""
    found = summary(disk={"kind": "drives", "utilisation": 0.5})
    means = {line.replace("__", "."): time for line, time in ledger.items()}
    return {**found, "ledger_ns": {"mean": means} if means else None, "unstable": unstable or []}


@pytest.mark.parametrize(
    ("found", "end"),
    [
        (
            waited(disk__access=60.0, disk__drive_queue=40.0),
            "only 40 % of the response time is waiting, so the load is the limit.",
        ),
        (
            waited(disk__access=50.0, disk__drive_queue=50.0),
            "50 % of the response time is waiting at `disk` (drive queue).",
        ),
        # Two places: the sum, and the place with more of it.
        (
            waited(disk__access=20.0, disk__drive_queue=30.0, loop__credit=50.0),
            "80 % of the response time is waiting, 50 % at `loop` (credit).",
        ),
        # Places that differ by a number only are one.
        (
            waited(disk_1__drive_queue=30.0, disk_2__drive_queue=30.0, loop__credit=40.0),
            "100 % of the response time is waiting, 60 % at `disk_1` and others alike (drive queue).",
        ),
        # A second segment is named if it is a quarter of the waits there.
        (
            waited(loop__credit=75.0, loop__port_queue=25.0),
            "100 % of the response time is waiting at `loop` (credit, port queue).",
        ),
        (waited(loop__credit=76.0, loop__port_queue=24.0), "100 % of the response time is waiting at `loop` (credit)."),
        (
            waited(disk__access=1.0, disk__drive_queue=0.001),
            "less than 1 % of the response time is waiting, so the load is the limit.",
        ),
        (waited(["load", "log"]), "yet more requests of `load` and `log` arrive than complete."),
        (waited(), "the busiest is the access of `disk`, 50 % utilised."),
    ],
)
def test_without_a_saturated_component_the_wait_or_the_load_is_named(found: dict[str, Any], end: str) -> None:
    sentence = limit(found)
    assert sentence.startswith("No component is saturated; the busiest is the access of `disk`, 50 % utilised")
    assert sentence.endswith(f"; {end}"), sentence


def test_a_device_that_is_in_use_all_the_time_is_not_said_to_lack_load() -> None:
    found = summary(
        sheet={"kind": "data-sheet-drives", "utilisation": 1.0}, disk={"kind": "drives", "utilisation": 0.1}
    )
    found["ledger_ns"] = {"mean": {"sheet.drive_response": 99.0, "disk.access": 1.0}}
    assert limit(found).endswith(
        "; `sheet` is in use 100 % of the time; 99 % of the response time is drive response at `sheet`."
    )


def test_a_saturated_component_is_the_limit_whatever_the_waits_are() -> None:
    found = summary(disk={"kind": "drives", "utilisation": 0.95})
    found["ledger_ns"] = {"mean": {"disk.drive_queue": 99.0, "disk.access": 1.0}}
    assert limit(found) == "`disk` limits this system: its access is 95 % utilised."
