"""Drives the built page in Chromium with the server of tests/server.mjs.

    python studio/tests/browser.py [FOLDER FOR SCREENSHOTS]

It needs a build (`npm run build`), Node, and Playwright with /usr/bin/chromium.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import ConsoleMessage, Page, Request, Route, sync_playwright

HERE = Path(__file__).parent
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SIZES = ((1440, 900, "light"), (1024, 768, "dark"), (1440, 900, "dark"), (1024, 768, "light"))
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


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Tour:
    """One walk through all pages at one size, in one set of colours."""

    def __init__(self, page: Page, url: str, shots: Path | None, name: str) -> None:
        self.page, self.url, self.shots, self.name = page, url, shots, name
        self.faults: list[str] = []
        page.on("console", self.said)
        page.on("pageerror", lambda error: self.faults.append(f"page: {error}"))
        page.on("request", self.asked)

    def said(self, message: ConsoleMessage) -> None:
        """Keeps what the page complains of."""
        if message.type in ("error", "warning"):
            self.faults.append(f"console: {message.text}")

    def asked(self, request: Request) -> None:
        """Keeps what the page asks of others than its server."""
        if not request.url.startswith((self.url, "data:")):
            self.faults.append(f"request: {request.url}")

    def see(self, what: str) -> None:
        """Takes a screenshot, and looks for what lies on something else."""
        self.page.wait_for_timeout(250)
        if self.shots is not None:
            self.page.screenshot(path=self.shots / f"{what}-{self.name}.png")
        self.faults += [f"{what}: {one}" for one in self.page.evaluate(OVERLAPS)]

    def text(self) -> str:
        """The text in the editor."""
        return self.page.locator(".cm-content").inner_text()

    def until(self, holds: Callable[[], bool], what: str) -> None:
        """Waits until something holds."""
        end = time.monotonic() + 10
        while not holds():
            if time.monotonic() > end:
                raise AssertionError(what)
            self.page.wait_for_timeout(50)

    def studio(self, expression: str) -> Any:
        """The value of an expression in the page."""
        return self.page.evaluate(f"(() => {expression})()")

    def player(self) -> None:
        """Steps, selects and plays, with each view."""
        page = self.page
        page.goto(f"{self.url}player.html?file=ring")
        self.until(lambda: self.studio("window.__studio !== undefined"), "the player opens")
        page.get_by_label("Go to a time, an I/O, a frame or a kind").fill("io 1012")
        page.keyboard.press("Enter")
        self.until(lambda: self.studio("__studio.selection.request === 12"), "the I/O is selected")
        begin = self.studio("__studio.time_ns")
        page.keyboard.press("Tab")
        for _ in range(3):
            page.get_by_role("button", name="Next event").click()
        later = self.studio("__studio.time_ns")
        assert later > begin
        page.get_by_role("button", name="Next event").click()
        page.get_by_role("button", name="Event before").click()
        assert self.studio("__studio.time_ns") == later
        for view in ("Lanes", "Ladder", "Frames", "I/Os", "Request"):
            page.get_by_role("tab", name=view).click()
            self.see(f"view-{view.replace('/', '')}")
        page.get_by_role("button", name="Play this I/O").click()
        page.wait_for_timeout(900)
        assert self.studio("__studio.playing")
        page.keyboard.press("Escape")
        page.keyboard.press("?")
        self.see("keys")
        page.keyboard.press("Escape")
        page.goto(f"{self.url}player.html?file=fabric")
        self.until(lambda: self.studio("window.__studio !== undefined"), "the fabric opens")
        self.studio("__studio.setTime(500500000)")
        self.see("fabric")
        assert len(self.studio("__studio.moving()")) > 2

    def build(self) -> None:
        """Builds a scenario from nothing by mouse and keyboard, undoes all of it, and does it again."""
        page = self.page
        page.goto(self.url)
        page.get_by_role("button", name="empty.toml").wait_for()
        self.see("start")
        page.get_by_role("button", name="empty.toml").click()
        page.locator(".cm-content").wait_for()
        start = self.text()
        for kind, name in (("arbitrated-loop", "loop"), ("host", "host"), ("drives", "disks"), ("closed", "reads")):
            page.get_by_label("Kind to add").select_option(kind)
            page.get_by_label("Name of the new component").fill(name)
            page.get_by_role("button", name="Add", exact=True).click()
            self.until(lambda: f"[{name}]" in self.text(), f"{name} is added")  # noqa: B023
        for name in ("host", "disks"):
            page.keyboard.press("Escape")
            page.locator(".cm-line", has_text=f"[{name}]").click()
            page.get_by_label("Join it to").select_option("loop")
            page.get_by_role("button", name="Join", exact=True).click()
            self.until(lambda: f'"{name}"' in self.text(), f"{name} is joined")  # noqa: B023
        page.locator(".cm-line", has_text="[disks]").click()
        page.get_by_text("further keys").click()
        page.get_by_label("count").fill("4")
        page.keyboard.press("Enter")
        self.until(lambda: "count = 4" in self.text(), "the count is set")
        page.locator(".cm-line", has_text="[reads]").click()
        page.get_by_label("from *").fill("host")
        page.keyboard.press("Enter")
        self.until(lambda: 'from = "host"' in self.text(), "the workload has its host")
        page.wait_for_timeout(500)
        self.see("built")
        built = self.text()
        for _ in range(100):
            if page.get_by_role("button", name="Undo").is_disabled():
                break
            page.get_by_role("button", name="Undo").click()
        assert self.text() == start, "undo goes back to the begin"
        while page.get_by_role("button", name="Redo").is_enabled():
            page.get_by_role("button", name="Redo").click()
        assert self.text() == built
        page.locator(".cm-content").click()
        page.keyboard.press("Control+End")
        page.keyboard.type("wrong = 1\n")
        page.locator(".cm-lintRange-error").wait_for()
        assert page.locator(".cm-lintRange-error").inner_text() == "wrong"
        self.see("wrong-key")
        while self.text() != built:
            page.get_by_role("button", name="Undo").click()
        self.until(lambda: "no errors" in page.locator(".state").inner_text(), "the error is gone")
        page.get_by_role("button", name="Save").click()
        self.until(lambda: "not saved" not in page.locator("header").inner_text(), "it is saved")
        page.evaluate("fetch('/api/test-change', {method: 'POST', body: JSON.stringify({id: 'file:empty.toml'})})")
        page.get_by_text("Another program has changed this file.").wait_for()
        page.get_by_role("button", name="Take the file's text").click()
        self.until(lambda: "changed by another program" in self.text(), "the file's text is taken")

    def runs(self) -> None:
        """Runs, explains, sweeps, compares and cancels."""
        page = self.page
        page.get_by_role("button", name="Run…").click()
        page.get_by_role("button", name="Start", exact=True).click()
        self.see("running")
        page.get_by_role("button", name="Play it").wait_for()
        page.get_by_label("What").select_option("explain")
        page.get_by_role("button", name="Start", exact=True).click()
        page.get_by_role("button", name="Start", exact=True).wait_for()
        page.get_by_text("Limit:").wait_for()
        self.see("explain")
        page.get_by_label("What").select_option("sweep")
        page.get_by_label("Key", exact=True).fill("reads.queue_depth")
        page.get_by_label("Values").fill("1, 2, 4, 8")
        page.get_by_role("button", name="Start", exact=True).click()
        page.locator("figure").first.wait_for()
        self.see("sweep")
        page.get_by_label("What").select_option("run")
        page.get_by_label("Settings, one in a line").fill("disks.access_time=1 ms")
        page.get_by_role("button", name="Start", exact=True).click()
        page.get_by_role("button", name="Play it").wait_for()
        for box in page.get_by_role("checkbox").all():
            if box.is_enabled():
                box.check()
        self.see("compare")
        page.get_by_role("button", name="Play both side by side").click()
        self.until(lambda: self.studio("window.__studio !== undefined"), "both players open")
        page.wait_for_timeout(400)
        page.get_by_role("button", name="Play", exact=True).first.click()
        page.wait_for_timeout(600)
        page.get_by_role("button", name="Pause", exact=True).first.click()
        times = page.get_by_label("Time", exact=True).all_inner_texts()
        assert len(times) == 2 and times[0] == times[1]
        self.see("beside")
        page.get_by_role("button", name="Runs", exact=True).click()
        page.get_by_label("Settings, one in a line").fill("run.duration=1 h")
        page.get_by_role("button", name="Start", exact=True).click()
        page.get_by_role("button", name="Cancel").first.click()
        page.get_by_text("It was cancelled").wait_for()


def refused(route: Route) -> None:
    """The answer of a server that does not know the page."""
    error = {"code": "cookie", "message": "This page has no session.", "hint": None}
    route.fulfill(status=401, content_type="application/json", body=json.dumps({"error": error}))


def main() -> int:
    """Walks through the page at each size."""
    shots = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    if shots is not None:
        shots.mkdir(parents=True, exist_ok=True)
    faults: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
        for width, height, colours in SIZES:
            port = free_port()
            server = subprocess.Popen(["node", str(HERE / "server.mjs"), str(port)], stdout=subprocess.PIPE, text=True)
            try:
                assert server.stdout is not None
                url = server.stdout.readline().strip()
                page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=colours)
                tour = Tour(page, url, shots, f"{width}-{colours}")
                tour.player()
                tour.build()
                tour.runs()
                # An answer of the API that is an error is said in the page.
                page.route("**/api/session", refused)
                before = list(tour.faults)
                page.goto(url)
                page.get_by_role("alert").wait_for()
                tour.see("refused")
                tour.faults = before
                faults += [f"{width} {colours}: {one}" for one in tour.faults]
                page.close()
            finally:
                server.terminate()
                server.wait()
        browser.close()
    sys.stdout.write("\n".join(faults) + "\n" if faults else "nothing was found\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
