"""The page of a studio in a browser, and everything that it complains of: for the tests of the studio."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from chromium import ARGUMENTS, CHROMIUM
from conftest import within
from playback_reader import Playback, read
from sansim.studio_page.assets import assets
from studio_client import Running

FIREFOX = Path("/usr/bin/firefox-esr")
IN_FIREFOX = os.environ.get("SANSIM_STUDIO_BROWSER") == "firefox"
"""Whether the page is opened in Firefox, over WebDriver BiDi.

Playwright gives each page a colour scheme by `emulation.setMediaFeaturesOverride`, which Firefox 153 does not know; for
the tests there that command has to be left out of Playwright, and colours are then those of the system.
"""
PROGRAM = FIREFOX if IN_FIREFOX else CHROMIUM
SCENARIOS = Path(__file__).parents[2] / "scenarios"
SHOTS = os.environ.get("SANSIM_STUDIO_SHOTS")
"""A folder for screenshots, to be looked at."""
VIEWS = ("Lanes", "Ladder", "Frames", "I/Os", "Request")

MARKS = [
    pytest.mark.slow,
    pytest.mark.referee(
        PROGRAM.exists(),
        f"NO BROWSER: {PROGRAM} is absent, so the studio was not opened; `apt-get install {PROGRAM.name}` brings it",
    ),
    pytest.mark.skipif(
        not assets(),
        reason="NO PAGE: the page of the studio is not built, so it was not opened; `./dev page` builds it",
    ),
]

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


@contextlib.contextmanager
def opened_browser() -> Iterator[Any]:
    """A browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        if IN_FIREFOX:
            opened = playwright.firefox.launch(channel="moz-firefox", executable_path=str(FIREFOX))
        else:
            opened = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield opened
        opened.close()


@contextlib.contextmanager
def visits(browser: Any) -> Iterator[Callable[..., Tour]]:
    """Opens studios, and holds that their pages complain of nothing."""
    studios: list[Running] = []
    tours: list[Tour] = []

    def visit(
        folder: Path,
        playback: Path | None = None,
        scenario: str = "",
        *,
        width: int = 1440,
        height: int = 900,
        colours: str = "light",
    ) -> Tour:
        studio = Running(folder, playback, scenario)
        studios.append(studio)
        page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=colours)
        tour = Tour(page, studio.url)
        tours.append(tour)
        page.goto(studio.link)
        # The token has left the address bar.
        assert "token" not in page.url
        return tour

    yield visit
    for tour in tours:
        tour.page.close()
    for studio in studios:
        studio.close()
    faults = [fault for tour in tours for fault in tour.faults]
    assert faults == [], faults


@dataclass(frozen=True)
class Recording:
    """A playback and what is in it."""

    file: Path
    content: Playback


WINDOWS = {"wang-2005-base": ("40 ms", "60 ms"), "two-hosts-one-switch": ("4 ms", "6 ms")}
"""A loop and a fabric, each with a part of its run in which much happens."""


def record(name: str, folder: Path) -> Recording:
    """Records a part of a shipped scenario."""
    file = folder / "out.sansim"
    begin, end = WINDOWS[name]
    options = ("--set", "run.measured_ios=400", "--trace-from", begin, "--trace-to", end)
    done = within(folder)("run", SCENARIOS / f"{name}.toml", *options, "--playback", file)
    assert done.returncode == 0, done.stderr
    return Recording(file, read(file))
