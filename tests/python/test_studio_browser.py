"""The studio in a browser: the picture agrees with the file, scenarios open as picture and text, nothing overlaps."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import shares
import studio_support
from playback_reader import NONE, Playback
from sansim import bundled
from studio_support import EMPTY, VIEWS, Recording, Tour

pytest.importorskip("starlette")
pytest.importorskip("playwright.sync_api")
pytestmark = studio_support.MARKS

EXAMPLES = [one.name for one in bundled.examples() if one.scenario is None]
LINES = """async () => {
  // The whole text of the editor, which makes only the lines that are in sight.
  const scroller = document.querySelector('.cm-scroller')
  const lines = new Map()
  for (let y = 0; ; y += 200) {
    scroller.scrollTop = y
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
    const top = (one) => Math.round(one.getBoundingClientRect().top)
    const numbers = [...document.querySelectorAll('.cm-lineNumbers .cm-gutterElement')]
      .filter((one) => one.style.visibility !== 'hidden')
    const at = new Map(numbers.map((one) => [top(one), Number(one.textContent)]))
    for (const one of document.querySelectorAll('.cm-line')) {
      const number = at.get(top(one)) ?? at.get(top(one) - 1) ?? at.get(top(one) + 1)
      if (number !== undefined) lines.set(number, one.textContent)
    }
    if (y >= scroller.scrollHeight - scroller.clientHeight) break
  }
  return [...lines].sort((a, b) => a[0] - b[0]).map((one) => one[1]).join('\\n')
}"""
CLICKED = """async () => {
  // The components that a click somewhere in the picture selects.
  const picture = document.querySelector('.right .picture')
  const box = picture.getBoundingClientRect()
  const found = new Set()
  picture.setPointerCapture = () => undefined
  const at = (kind, x, y) =>
    picture.dispatchEvent(new PointerEvent(kind, { clientX: x, clientY: y, pointerId: 1, bubbles: true, button: 0 }))
  for (let y = box.top + 4; y < box.bottom; y += 7) for (let x = box.left + 4; x < box.right; x += 14) {
    at('pointerdown', x, y)
    at('pointerup', x, y)
    for (let n = 0; n < 3; n += 1) await Promise.resolve()
    const name = document.querySelector('.form h2')?.firstChild?.textContent.trim()
    if (name) found.add(name)
  }
  return [...found]
}"""
LISTED = "[...document.querySelectorAll('.form .list button')].map((one) => one.textContent.trim())"
MOMENT = """async ([moment, stations, name]) => {
  // The page at a moment: the frames in flight, the states of ports, and all values of one component.
  __studio.setTime(moment)
  const buttons = [...document.querySelectorAll('aside .components button')]
  buttons.find((one) => one.textContent.trim() === name).click()
  await new Promise((done) => setTimeout(done))
  const said = [...document.querySelectorAll('aside section:nth-of-type(2) dt')].map((one) =>
    [one.firstChild.textContent.trim(), one.nextElementSibling.textContent.trim()])
  return [__studio.moving(), stations.map((one) => __studio.state(one)), said]
}"""


@pytest.fixture(scope="module", params=studio_support.WINDOWS)
def recording(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """The playback of a loop, and of a fabric."""
    return studio_support.record(request.param, tmp_path_factory.mktemp("recording"))


class Lanes:
    """The lanes of a playback at any moment."""

    def __init__(self, content: Playback) -> None:
        """Reads the steps and the jobs of all lanes."""
        self.content = content
        self.steps: dict[int, tuple[list[int], list[int]]] = {}
        for row in content.tables["steps"]:
            times, values = self.steps.setdefault(row["lane"], ([], []))
            times.append(row["t"])
            values.append(row["value"])
        self.jobs: dict[int, list[dict[str, int]]] = {}
        for row in content.tables["jobs"]:
            self.jobs.setdefault(row["lane"], []).append(row)

    def value(self, lane: int, moment: int) -> int:
        """The value of a lane."""
        times, values = self.steps.get(lane, ([], []))
        place = bisect_right(times, moment)
        return values[place - 1] if place else 0

    def text(self, lane: int, moment: int) -> str:
        """The begin of what the page says of a lane."""
        described = self.content.index["lanes"][lane]
        if described["what"] == "state":
            return str(described["states"][self.value(lane, moment)])
        if described["what"] == "gauge":
            return str(self.value(lane, moment))
        open_ = sum(row["t0"] <= moment < row["t0"] + row["dt"] for row in self.jobs.get(lane, ()))
        if described["what"] == "block":
            return "busy" if open_ else "idle"
        return f"{open_} frames" if open_ else "none"


@pytest.mark.parametrize("count", [100, pytest.param(1000, marks=shares.LONG)])
def test_the_player_shows_every_frame_and_value_of_the_file_at_random_moments(
    count: int, recording: Recording, visit: Callable[..., Tour]
) -> None:
    tour = visit(recording.file.parent, recording.file)
    tour.opened()
    content = recording.content
    lanes = Lanes(content)
    stations = content.header["stations"]
    names = [station["name"] for station in stations]
    # The ports of components; those of switches are within the network.
    ends = [n for n, station in enumerate(stations) if station["network"] is not None and station["switch"] is None]
    ports = [(n, lane) for n, lane in enumerate(content.index["lanes"]) if lane["what"] == "state"]
    kinds = content.index["kinds"]
    begin, end = content.index["windows"][0]
    draws = random.Random(f"{shares.SEED} {count}")
    moves = [row for row in content.tables["moves"] if row["arrives"] != NONE]
    # Moments at which nothing moves show little: half of them are while a frame is on its way.
    moments = [draws.randrange(begin, end) for _ in range(count // 2)]
    some = draws.choices(moves, k=count // 2)
    moments += [row["t0"] + draws.randrange(row["arrives"] + row["dt"] + 1) for row in some]
    compared = seen = 0
    for moment in (moment for moment in moments if begin <= moment < end):
        station = draws.choice(ends)
        shown, states, values = tour.page.evaluate(
            MOMENT, [moment, [one["station"] for _, one in ports], names[station]]
        )
        mine = sorted(
            (kinds[row["kind"]]["name"], names[row["from"]], names[row["to"]])
            for row in moves
            if row["t0"] <= moment < row["t0"] + row["arrives"] + row["dt"]
        )
        assert sorted((one["kind"], one["from"], one["to"]) for one in shown) == mine, moment
        compared += len(mine)
        for (lane, described), state in zip(ports, states, strict=True):
            assert (state or described["states"][0]) == lanes.text(lane, moment), (moment, described)
        own = [n for n, lane in enumerate(content.index["lanes"]) if lane["station"] == station]
        expected = sorted((content.index["lanes"][lane]["label"], lanes.text(lane, moment)) for lane in own)
        said = [(label, text) for label, text in values if label not in ("phase", names[station])]
        assert sorted((label, text.split(",")[0].split(" with")[0]) for label, text in said) == expected, moment
        seen += len(said)
    assert compared > count // 4
    assert seen > 3 * count


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
    for view in VIEWS:
        page.get_by_role("tab", name=view).click()
        tour.see(f"view-{view.replace('/', '')}")
    page.get_by_role("button", name="Play this I/O").click()
    page.wait_for_timeout(600)
    assert tour.studio("__studio.playing")
    page.keyboard.press("Escape")


@pytest.mark.parametrize("name", shares.share(EXAMPLES, 2, "studio"))
def test_a_scenario_opens_as_picture_and_as_the_same_text(
    name: str, tmp_path: Path, visit: Callable[..., Tour]
) -> None:
    tour = visit(tmp_path, scenario=f"example:{name}")
    tour.page.locator(".cm-content").wait_for()
    tour.until(lambda: "no errors" in tour.page.locator(".state").inner_text(), name)
    listed = set(tour.page.evaluate(LISTED))
    assert listed
    assert tour.page.evaluate(LINES) == bundled.example(name)
    tour.see(f"open-{name}")
    assert set(tour.page.evaluate(CLICKED)) == listed
    tour.see(f"form-{name}")


def test_nothing_overlaps_and_every_control_has_a_name(
    recording: Recording, tmp_path: Path, visit: Callable[..., Tour]
) -> None:
    is_loop = recording.content.header["networks"][0]["drawn"] == "ring"
    width, colours = (1440, "dark") if is_loop else (1024, "light")
    tour = visit(recording.file.parent, recording.file, width=width, colours=colours)
    tour.opened()
    for view in VIEWS:
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
