"""The studio in a browser: a system is built, run, played, explained, compared; the picture agrees with the file."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import playback_reader
from conftest import within
from playback_reader import NONE, Playback
from sansim import bundled
from studio_tour import MARKS, Tour, browsers, visits

pytest.importorskip("starlette")
pytest.importorskip("playwright.sync_api")

SCENARIOS = Path(__file__).parents[2] / "scenarios"

pytestmark = MARKS

EMPTY = """# A system of my own.
format = 1
title = "Mine"

[run]
warm_up = 0
measured_ios = 300
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    yield from browsers()


@pytest.fixture
def visit(browser: Any) -> Iterator[Callable[..., Tour]]:
    yield from visits(browser)


@dataclass(frozen=True)
class Recording:
    """A playback and what is in it."""

    file: Path
    content: Playback


WINDOWS = {"wang-2005-base": ("40 ms", "60 ms"), "two-hosts-one-switch": ("4 ms", "6 ms")}


@pytest.fixture(scope="module", params=WINDOWS)
def recording(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """The playback of a loop, and of a fabric."""
    folder = tmp_path_factory.mktemp("recording")
    file = folder / "out.sansim"
    begin, end = WINDOWS[request.param]
    options = ("--set", "run.measured_ios=400", "--trace-from", begin, "--trace-to", end)
    done = within(folder)("run", SCENARIOS / f"{request.param}.toml", *options, "--playback", file)
    assert done.returncode == 0, done.stderr
    return Recording(file, playback_reader.read(file))


def test_the_player_shows_every_frame_and_state_of_the_file_at_random_moments(
    recording: Recording, visit: Callable[..., Tour]
) -> None:
    tour = visit(recording.file.parent, recording.file)
    tour.opened()
    content = recording.content
    stations = [station["name"] for station in content.header["stations"]]
    kinds = content.index["kinds"]
    begin, end = content.index["windows"][0]
    draws = random.Random(100)
    lanes = {n: lane for n, lane in enumerate(content.index["lanes"]) if lane["what"] == "state"}
    moves = [row for row in content.tables["moves"] if row["arrives"] != NONE]
    # Moments at which nothing moves show little: half of them are while a frame is on its way.
    moments = [draws.randrange(begin, end) for _ in range(50)]
    moments += [row["t0"] + draws.randrange(row["arrives"] + row["dt"] + 1) for row in draws.sample(moves, 50)]
    compared = 0
    for moment in (moment for moment in moments if begin <= moment < end):
        tour.studio(f"__studio.setTime({moment})")
        shown = tour.studio("__studio.moving()")
        mine = sorted(
            (kinds[row["kind"]]["name"], stations[row["from"]], stations[row["to"]])
            for row in moves
            if row["t0"] <= moment < row["t0"] + row["arrives"] + row["dt"]
        )
        found = sorted((one["kind"], name_of(one["from"], stations), name_of(one["to"], stations)) for one in shown)
        assert found == mine, moment
        compared += len(mine)
        for lane, described in lanes.items():
            steps = [row for row in content.tables["steps"] if row["lane"] == lane and row["t"] <= moment]
            state = described["states"][steps[-1]["value"] if steps else 0]
            seen = tour.studio(f"__studio.state({described['station']})")
            assert (seen or described["states"][0]) == state, (moment, described)
    assert compared > 30


def name_of(station: object, stations: list[str]) -> str:
    """The name of a station that the page gives by number or by name."""
    return stations[station] if isinstance(station, int) else str(station)


def test_the_player_steps_forward_and_back_and_follows_an_io(recording: Recording, visit: Callable[..., Tour]) -> None:
    tour = visit(recording.file.parent, recording.file)
    tour.opened()
    page = tour.page
    io = next(row for row in recording.content.tables["requests"] if row["parent"] == NONE and not row["flags"] & 4)
    page.get_by_label("Go to a time, an I/O, a frame or a kind").fill(f"io {io['io']}")
    page.keyboard.press("Enter")
    tour.until(lambda: tour.studio("__studio.selection.request") == io["request"], "the I/O is selected")
    times = [tour.studio("__studio.time_ns")]
    for _ in range(6):
        page.get_by_role("button", name="Next event").click()
        times.append(tour.studio("__studio.time_ns"))
    assert times == sorted(set(times))
    for before in reversed(times[1:-1]):
        page.get_by_role("button", name="Event before").click()
        assert tour.studio("__studio.time_ns") == before
    for view in ("Lanes", "Ladder", "Frames", "I/Os", "Request"):
        page.get_by_role("tab", name=view).click()
        tour.see(f"view-{view.replace('/', '')}")
    page.get_by_role("button", name="Play this I/O").click()
    page.wait_for_timeout(600)
    assert tour.studio("__studio.playing")
    page.keyboard.press("Escape")


def test_a_system_is_built_run_played_explained_changed_and_compared(
    tmp_path: Path, visit: Callable[..., Tour]
) -> None:
    (tmp_path / "empty.toml").write_text(EMPTY)
    tour = visit(tmp_path)
    page = tour.page
    page.get_by_role("button", name="empty.toml").click()
    page.locator(".cm-content").wait_for()
    start = tour.text()
    for kind, name in (("arbitrated-loop", "loop"), ("host", "host"), ("drives", "disks"), ("closed", "reads")):
        page.get_by_label("Kind to add").select_option(kind)
        page.get_by_label("Name of the new component").fill(name)
        page.get_by_role("button", name="Add", exact=True).click()
        tour.until(lambda name=name: f"[{name}]" in tour.text(), f"{name} is added")  # type: ignore[misc]
    for name in ("host", "disks"):
        if f'"{name}"' not in tour.text().split("[host]")[0]:
            page.keyboard.press("Escape")
            page.locator(".cm-line", has_text=f"[{name}]").click()
            page.get_by_label("Join it to").select_option("loop")
            page.get_by_role("button", name="Join", exact=True).click()
            tour.until(lambda name=name: f'"{name}"' in tour.text(), f"{name} is joined")  # type: ignore[misc]
    page.locator(".cm-line", has_text="[disks]").click()
    page.get_by_text("further keys").click()
    page.get_by_label("count").fill("4")
    page.keyboard.press("Enter")
    tour.until(lambda: "count = 4" in tour.text(), "the count is set")
    page.get_by_label("access_time").first.fill("4 ms")
    page.keyboard.press("Enter")
    tour.until(lambda: 'access_time = "4 ms"' in tour.text(), "the access time is set")
    for key, name in (("from", "host"), ("to", "disks")):
        if f'"{name}"' not in tour.text().split("[reads]")[1]:
            page.locator(".cm-line", has_text="[reads]").click()
            page.get_by_label("Join it to").select_option(name)
            page.get_by_role("button", name="Join", exact=True).click()
            tour.until(lambda name=name: f'"{name}"' in tour.text().split("[reads]")[1], key)  # type: ignore[misc]
    tour.until(lambda: "no errors" in page.locator(".state").inner_text(), tour.text())
    tour.see("built")
    built = tour.text()
    for _ in range(200):
        if page.get_by_role("button", name="Undo").is_disabled():
            break
        page.get_by_role("button", name="Undo").click()
    assert tour.text() == start
    while page.get_by_role("button", name="Redo").is_enabled():
        page.get_by_role("button", name="Redo").click()
    assert tour.text() == built
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("wrong = 1")
    page.locator(".cm-lintRange-error").first.wait_for()
    assert page.locator(".cm-lintRange-error").first.inner_text() == "wrong"
    tour.see("wrong-key")
    while tour.text() != built:
        page.get_by_role("button", name="Undo").click()
    tour.until(lambda: "no errors" in page.locator(".state").inner_text(), "the error is gone")
    page.get_by_role("button", name="Save").click()
    tour.until(lambda: "access_time" in (tmp_path / "empty.toml").read_text(), "it is saved")
    assert (tmp_path / "empty.toml").read_text().startswith(EMPTY)

    page.get_by_role("button", name="Run\u2026").click()
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("button", name="Play it").wait_for()
    tour.see("running")
    page.get_by_role("button", name="Play it").click()
    tour.opened()
    tour.until(lambda: bool(tour.studio("__studio.time_ns >= 0")), "it is played")
    page.get_by_role("button", name="Next event").click()
    page.get_by_role("button", name="Runs", exact=True).click()
    page.get_by_label("What").select_option("explain")
    page.get_by_role("button", name="Start", exact=True).click()
    page.locator("strong", has_text="Limit:").wait_for(timeout=60_000)
    tour.see("explain")
    before = tour.page.get_by_role("listitem").count()
    page.get_by_role("button", name="Try", exact=True).first.click()
    page.get_by_role("button", name="Play both side by side").wait_for(timeout=60_000)
    assert before == 0 or tour.page.get_by_role("listitem").count() > before
    tour.see("compare")


def test_four_scenarios_open_as_picture_and_as_the_same_text(tmp_path: Path, visit: Callable[..., Tour]) -> None:
    for name in ("wang-2005-base", "dual-fabric", "raid-5-cache", "nas"):
        tour = visit(tmp_path, scenario=f"example:{name}")
        tour.page.locator(".cm-content").wait_for()
        tour.until(lambda tour=tour: "no errors" in tour.page.locator(".state").inner_text(), name)  # type: ignore[misc]
        # The editor shows some of its lines only.
        shown = tour.text()
        assert bundled.example(name).startswith(shown[: shown.find("\n\n")].replace("\n\n", "\n"))
        components = set(re.findall(r"^\[([A-Za-z0-9_-]+)\]", bundled.example(name), re.MULTILINE)) - {"run", "fcp"}
        tour.until(
            lambda tour=tour, components=components: (
                components  # type: ignore[misc]
                <= {one.strip() for one in tour.page.get_by_role("button").all_inner_texts()}
            ),
            name,
        )
        tour.see(f"open-{name}")


@pytest.mark.parametrize(("width", "colours"), [(1440, "dark"), (1024, "light")])
def test_nothing_overlaps_and_every_control_has_a_name(
    width: int, colours: str, recording: Recording, tmp_path: Path, visit: Callable[..., Tour]
) -> None:
    tour = visit(recording.file.parent, recording.file, width=width, colours=colours)
    tour.opened()
    for view in ("Lanes", "Ladder", "Frames", "I/Os", "Request"):
        tour.page.get_by_role("tab", name=view).click()
        tour.see(f"{colours}-{view.replace('/', '')}")
    tour.page.keyboard.press("?")
    tour.see(f"{colours}-keys")
    (tmp_path / "mine.toml").write_text(EMPTY)
    tour = visit(tmp_path, width=width, colours=colours)
    tour.page.get_by_role("button", name="mine.toml").wait_for()
    tour.see(f"{colours}-start")


def test_a_page_without_the_cookie_says_so(tmp_path: Path, browser: Any, visit: Callable[..., Tour]) -> None:
    tour = visit(tmp_path)
    stranger = browser.new_context().new_page()
    answer = stranger.goto(tour.url)
    assert answer.status == 401
    stranger.close()
