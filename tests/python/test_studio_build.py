"""Systems that are built in the studio from nothing by mouse and keyboard, then run, played, explained, compared."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import studio_support
from studio_support import EMPTY, Tour

pytest.importorskip("starlette")
pytest.importorskip("playwright.sync_api")
pytestmark = studio_support.MARKS


class Builder:
    """Builds a scenario as a user does: with the palette, the form and the picture."""

    def __init__(self, tour: Tour) -> None:
        """Works on the scenario that is open."""
        self.tour = tour
        self.page = tour.page

    def add(self, kind: str, name: str) -> None:
        """Adds a component from the palette; it is selected then."""
        self.page.get_by_label("Kind to add").select_option(kind)
        self.page.get_by_label("Name of the new component").fill(name)
        self.page.get_by_role("button", name="Add", exact=True).click()
        self.tour.until(lambda: f"[{name}]" in self.tour.text(), f"{name} is added")
        self.selected(name)

    def selected(self, name: str) -> None:
        """Waits for the form of a component."""
        self.page.locator(".form h2", has_text=name).wait_for()

    def select(self, name: str) -> None:
        """Selects a component by its name in the text."""
        self.page.locator(".cm-line", has_text=f"[{name}]").click()
        self.selected(name)

    def changed(self, act: Callable[[], None], what: str) -> None:
        """Does something, and waits until it has changed the text."""
        before = self.tour.text()
        act()
        self.tour.until(lambda: self.tour.text() != before, what)

    def join(self, name: str, to: str) -> None:
        """Joins a component to another one in its form."""

        def act() -> None:
            self.page.get_by_label("Join it to").select_option(to)
            self.page.get_by_role("button", name="Join", exact=True).click()

        self.select(name)
        self.changed(act, f"{name} is joined to {to}")

    def set(self, name: str, **values: str) -> None:
        """Sets keys of a component in its form; two underscores are written for a dot."""
        self.select(name)
        if self.page.get_by_text("further keys").count():
            self.page.get_by_text("further keys").click()
        for key, value in values.items():

            def act(key: str = key, value: str = value) -> None:
                path = key.replace("__", ".")
                field = self.page.locator(f'[id="key-{path}"]')
                if field.evaluate("(one) => one.tagName") == "SELECT":
                    field.select_option(value)
                else:
                    # Typed and not filled in: Firefox says that a field has changed only if a user changed it.
                    field.click()
                    self.page.keyboard.press("Control+A")
                    self.page.keyboard.type(value)
                    self.page.keyboard.press("Enter")

            self.changed(act, f"{key} of {name} is set")

    def is_right(self, what: str) -> None:
        """Waits until the scenario has no errors, and looks at the page."""
        state = self.page.locator(".state")
        self.tour.until(lambda: "no errors" in state.inner_text(), f"{state.inner_text()}\n{self.tour.text()}")
        self.tour.see(what)

    def run_and_play(self, what: str) -> list[str]:
        """Runs it, plays it, and returns the kinds of frames that were seen on their way."""
        self.page.get_by_role("button", name="Run\u2026").click()
        self.page.get_by_role("button", name="Start", exact=True).click()
        self.page.get_by_role("button", name="Play it").wait_for(timeout=90_000)
        self.tour.see(f"{what}-run")
        self.page.get_by_role("button", name="Play it").click()
        self.tour.opened()
        found: list[str] = []
        for _ in range(40):
            self.page.get_by_role("button", name="Next event").click()
            found += [one["kind"] for one in self.tour.studio("__studio.moving()")]
        self.page.get_by_role("button", name="Play", exact=True).click()
        begun = self.tour.studio("__studio.time_ns")
        self.tour.until(lambda: self.tour.studio("__studio.time_ns") > begun, "time passes")
        self.page.get_by_role("button", name="Pause").click()
        self.tour.see(f"{what}-played")
        return found


@pytest.fixture
def builder(tmp_path: Path, visit: Callable[..., Tour]) -> Builder:
    """A studio with an empty scenario."""
    (tmp_path / "empty.toml").write_text(EMPTY)
    tour = visit(tmp_path)
    tour.page.get_by_role("button", name="empty.toml").click()
    tour.page.locator(".cm-content").wait_for()
    return Builder(tour)


@pytest.mark.long
def test_a_fabric_with_two_hosts_is_built_run_and_played(builder: Builder) -> None:
    for kind, name in (("fabric", "san"), ("host", "first"), ("host", "second"), ("drives", "disks")):
        builder.add(kind, name)
    for name in ("first", "second", "disks"):
        builder.join(name, "san")
    builder.set("disks", access_time="100 us", count="3", transfer_rate="400 MB/s")
    builder.set("san", topology="single-switch", switch__routing_delay="500 ns", speed="8GFC")
    builder.add("closed", "reads")
    builder.add("closed", "writes")
    builder.join("writes", "second")
    builder.page.get_by_title("Part writes from first").click()
    builder.set("writes", read_fraction="0", size="16 KiB")
    builder.is_right("built-fabric")
    assert {"FCP_CMND", "FCP_DATA"} <= set(builder.run_and_play("built-fabric"))


@pytest.mark.long
def test_a_controller_with_cache_and_raid_is_built_run_and_played(builder: Builder) -> None:
    kinds = ("fabric", "san"), ("host", "host"), ("controller", "array"), ("cache", "cache"), ("raid", "raid")
    for kind, name in (*kinds, ("disks", "disks"), ("closed", "load")):
        builder.add(kind, name)
    for name, to in (("host", "san"), ("array", "san"), ("array", "cache"), ("cache", "raid"), ("raid", "disks")):
        builder.join(name, to)
    builder.set("array", resources__command__time="15 us", resources__processors="2")
    # The modules of the controller are within it.
    builder.join("cache", "array")
    builder.join("raid", "array")
    builder.set("cache", capacity="16 MiB", write__mode="back")
    builder.set("raid", layout__level="5")
    builder.set("disks", preset="cheetah-15k5", count="5")
    builder.set("load", size="8 KiB", read_fraction="0.5", queue_depth="4")
    builder.is_right("built-controller")
    text = builder.tour.text()
    assert text.count('inside = ["array"]') == 2, text
    assert 'stations = ["host", "array.front"]' in text
    assert "FCP_CMND" in builder.run_and_play("built-controller")
    builder.page.get_by_role("button", name="array", exact=True).click()
    assert "disks" in builder.page.locator("aside .components").inner_text()


def test_a_system_is_built_run_played_explained_changed_and_compared(builder: Builder, tmp_path: Path) -> None:
    tour, page = builder.tour, builder.page
    start = tour.text()
    for kind, name in (("arbitrated-loop", "loop"), ("host", "host"), ("drives", "disks"), ("closed", "reads")):
        builder.add(kind, name)
    for name in ("host", "disks"):
        builder.join(name, "loop")
    builder.set("disks", count="4", access_time="4 ms")
    builder.is_right("built")
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
