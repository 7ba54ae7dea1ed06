"""The studio in a browser: a system is built, run, played, explained, compared; the picture agrees with the file."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import playback_reader
from conftest import within
from playback_reader import NONE, Playback
from sansim import bundled
from sansim.studio_page.assets import assets

pytest.importorskip("starlette")
sync_api = pytest.importorskip("playwright.sync_api")

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SCENARIOS = Path(__file__).parents[2] / "scenarios"
SHOTS = os.environ.get("SANSIM_STUDIO_SHOTS")
"""A folder for screenshots, to be looked at."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.referee(
        CHROMIUM.exists(),
        f"NO BROWSER: {CHROMIUM} is absent, so the studio was not opened; `apt-get install chromium` brings it",
    ),
    pytest.mark.skipif(
        not assets(),
        reason="NO PAGE: the page of the studio is not built, so it was not opened; `./dev page` builds it",
    ),
]

SERVE = """
import sys
from pathlib import Path
from sansim.studio.server import Studio, serve
playback = Path(sys.argv[2]) if sys.argv[2] else None
opened = {"scenario": sys.argv[3] or None, "playback": playback is not None}
serve(Studio(Path(sys.argv[1]), opened, playback), lambda link: print(link, flush=True))
"""
EMPTY = """# A system of my own.
format = 1
title = "Mine"

[run]
warm_up = 0
measured_ios = 300
"""
OVERLAPS = """() => {
  // Controls and texts of one page that lie on each other, and what is wider than the window.
  const seen = [...document.querySelectorAll('button, select, input, output, h2, h3, [role=tab]')].filter((one) => {
    const style = getComputedStyle(one)
    const box = one.getBoundingClientRect()
    return box.width > 0 && box.height > 0 && style.visibility !== 'hidden' && one.closest('[hidden]') === null
      && !one.classList.contains('real') && one.type !== 'file'
  })
  const wrong = []
  const visible = (one) => {
    let box = one.getBoundingClientRect()
    let [l, t, r, b] = [box.left, box.top, box.right, box.bottom]
    for (let up = one.parentElement; up !== null; up = up.parentElement) {
      if (getComputedStyle(up).overflow === 'visible') continue
      const clip = up.getBoundingClientRect()
        l = Math.max(l, clip.left)
      t = Math.max(t, clip.top)
      r = Math.min(r, clip.right)
      b = Math.min(b, clip.bottom)
    }
    return [l, t, r, b]
  }
  const boxes = seen.map(visible)
  for (let a = 0; a < seen.length; a += 1) for (let c = a + 1; c < seen.length; c += 1) {
    if (seen[a].contains(seen[c]) || seen[c].contains(seen[a])) continue
    const [p, q] = [boxes[a], boxes[c]]
    const w = Math.min(p[2], q[2]) - Math.max(p[0], q[0])
    const h = Math.min(p[3], q[3]) - Math.max(p[1], q[1])
    const sticky = seen[a].closest('thead') !== null || seen[c].closest('thead') !== null
    if (w > 1 && h > 1 && !sticky) wrong.push([seen[a].outerHTML.slice(0, 90), seen[c].outerHTML.slice(0, 90)])
  }
  if (document.documentElement.scrollWidth > innerWidth) wrong.push(['the page is wider than the window', ''])
  const fields = [...document.querySelectorAll('button, select, input')]
  const nameless = fields.filter((one) => one.closest('[hidden]') === null
    && !(one.textContent.trim() || one.getAttribute('aria-label') || one.title || one.labels?.length))
  for (const one of nameless) wrong.push(['has no name', one.outerHTML.slice(0, 120)])
  return wrong
}"""


@dataclass
class Tour:
    """A page of the studio, and everything that it complains of."""

    page: Any
    url: str
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Listens to the page."""
        self.page.on("console", self.said)
        self.page.on("pageerror", lambda error: self.faults.append(f"page: {error}"))
        self.page.on("request", self.asked)

    def said(self, message: Any) -> None:
        """Keeps what the page complains of."""
        if message.type in ("error", "warning"):
            self.faults.append(f"console: {message.text}")

    def asked(self, request: Any) -> None:
        """Keeps what the page asks of others than its server."""
        if not request.url.startswith((self.url, "data:", "blob:")):
            self.faults.append(f"request: {request.url}")

    def see(self, what: str) -> None:
        """Looks for controls that lie on each other or have no name."""
        self.page.wait_for_timeout(200)
        if SHOTS:
            size = self.page.viewport_size["width"]
            Path(SHOTS).mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=Path(SHOTS) / f"{what}-{size}.png")
        self.faults += [f"{what}: {one}" for one in self.page.evaluate(OVERLAPS)]

    def text(self) -> str:
        """The text in the editor."""
        return str(self.page.locator(".cm-content").inner_text())

    def until(self, holds: Callable[[], bool], what: str, seconds: float = 30) -> None:
        """Waits until something holds."""
        end = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > end:
                raise AssertionError(what)
            self.page.wait_for_timeout(50)

    def studio(self, expression: str) -> Any:
        """The value of an expression in the page."""
        return self.page.evaluate(f"(() => {expression})()")

    def opened(self) -> None:
        """Waits for the player."""
        self.until(lambda: bool(self.studio("window.__studio !== undefined")), "the player opens")
        self.page.wait_for_timeout(300)
        assert self.page.get_by_role("alert").all_inner_texts() == []


class Served:
    """A studio that runs."""

    def __init__(self, folder: Path, playback: Path | None = None, scenario: str = "") -> None:
        """Starts a studio for a folder."""
        arguments = [str(folder), str(playback or ""), scenario]
        self.process = subprocess.Popen([sys.executable, "-c", SERVE, *arguments], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.link = self.process.stdout.readline().strip()
        self.url = self.link.split("start?")[0]

    def close(self) -> None:
        """Ends it."""
        self.process.terminate()
        self.process.wait(20)
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture
def visit(browser: Any) -> Iterator[Callable[..., Tour]]:
    """Opens a studio, and holds that its page complains of nothing."""
    served: list[Served] = []
    tours: list[Tour] = []

    def open_(
        folder: Path, playback: Path | None = None, scenario: str = "", *, width: int = 1440, colours: str = "light"
    ) -> Tour:
        studio = Served(folder, playback, scenario)
        served.append(studio)
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=colours)
        tour = Tour(page, studio.url)
        tours.append(tour)
        page.goto(studio.link)
        # The token has left the address bar.
        assert "token" not in page.url
        return tour

    yield open_
    for tour in tours:
        tour.page.close()
    for studio in served:
        studio.close()
    assert [fault for tour in tours for fault in tour.faults] == []


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
