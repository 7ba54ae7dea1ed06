"""The studio in a browser: components are moved on the picture and joined from it, and stay where they were put."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import studio_support
from sansim import bundled
from studio_client import SMALL
from studio_support import Tour

pytest.importorskip("starlette")
pytest.importorskip("playwright.sync_api")

pytestmark = studio_support.MARKS


POINTED = """async ([points, name]) => {
  // The first of some points of the picture at which a name is shown beside the pointer; without a name, nothing is.
  const picture = [...document.querySelectorAll('.scene .picture')].find((one) => one.offsetParent !== null)
  for (const [x, y] of points) {
    picture.dispatchEvent(new PointerEvent('pointermove', { clientX: x, clientY: y, pointerId: 1, bubbles: true }))
    for (let n = 0; n < 3; n += 1) await Promise.resolve()
    const hint = picture.querySelector('.hint')?.textContent.trim().split('\\n')[0] ?? null
    if (hint === name) return [x, y]
  }
  return null
}"""


def place_of(tour: Tour, name: str) -> tuple[float, float]:
    """A point of a box of the picture, found by what is shown beside the pointer."""
    box = tour.page.locator(".scene .picture:visible").bounding_box()
    rows = range(int(box["y"]) + 6, int(box["y"] + box["height"]), 14)
    columns = range(int(box["x"]) + 6, int(box["x"] + box["width"]), 22)
    found = tour.page.evaluate(POINTED, [[(x, y) for y in rows for x in columns], name])
    assert found is not None, f"{name} is not on the picture"
    tour.page.mouse.move(*found)
    assert tour.page.locator(".picture:visible .hint").inner_text().splitlines()[0] == name
    # A little inside, as positions are multiples of ten.
    return found[0] + 9, found[1] + 9


def edge(tour: Tour, begin: tuple[float, float], way: tuple[int, int]) -> int:
    """How far it is from a point of a box to its edge."""
    points = [(begin[0] + way[0] * far, begin[1] + way[1] * far) for far in range(2, 400, 2)]
    found = tour.page.evaluate(POINTED, [points, None])
    assert found is not None, "the box has no edge"
    return 2 * points.index(tuple(found))


def drag(tour: Tour, begin: tuple[float, float], end: tuple[float, float]) -> None:
    """Drags with the pointer."""
    tour.page.mouse.move(*begin)
    tour.page.mouse.down()
    tour.page.mouse.move((begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2)
    tour.page.mouse.move(*end)
    tour.page.mouse.up()


def opened(tour: Tour) -> None:
    """Waits for the editor with its picture."""
    tour.page.locator(".cm-content").wait_for()
    tour.until(lambda: "no errors" in tour.page.locator(".state").inner_text(), "the scenario is checked")
    tour.page.locator(".note").wait_for()


def test_what_is_moved_stays_there_in_the_editor_and_in_the_player(tmp_path: Path, visit: Callable[..., Tour]) -> None:
    (tmp_path / "small.toml").write_text(SMALL)
    file = tmp_path / "small.layout.json"

    def kept() -> dict[str, list[float]]:
        found: dict[str, list[float]] = json.loads(file.read_text())["positions"] if file.exists() else {}
        return found

    tour = visit(tmp_path, scenario="file:small.toml")
    page = tour.page
    opened(tour)
    assert page.get_by_role("button", name="Arrange").is_disabled()
    x, y = place_of(tour, "host")
    drag(tour, (x, y), (x + 60, y + 90))
    tour.until(lambda: "host" in kept(), "the position is kept")
    assert list(kept()) == ["host"]
    first = kept()["host"]
    assert "small.layout.json" in page.locator(".note").inner_text()
    tour.see("moved")
    # It is moved by key, and is under the pointer where it was dropped.
    page.mouse.move(x + 60, y + 90)
    assert page.locator(".picture:visible .hint").inner_text().splitlines()[0] == "host"
    page.mouse.click(x + 60, y + 90)
    page.keyboard.press("Alt+ArrowRight")
    page.keyboard.press("Alt+Shift+ArrowUp")
    tour.until(lambda: kept()["host"] == [first[0] + 10, first[1] - 1], "it is moved by key")
    # A renamed component keeps its place, and one that is gone has none after the text is stored.
    page.get_by_label("Name", exact=True).fill("server")
    page.keyboard.press("Enter")
    tour.until(lambda: "[server]" in tour.text(), "it is renamed")
    page.get_by_role("button", name="Save").click()
    tour.until(lambda: list(kept()) == ["server"], f"the renamed one has the position: {kept()}")
    assert kept()["server"] == [first[0] + 10, first[1] - 1]

    # Another visit shows it there, and so does the player with a run.
    again = visit(tmp_path, scenario="file:small.toml")
    opened(again)
    fresh = place_of(again, "server")
    page.get_by_role("button", name="Arrange").click()
    tour.until(lambda: not file.exists(), "nothing is kept")
    page.get_by_role("button", name="Put back").click()
    tour.until(lambda: list(kept()) == ["server"], "it is put back")
    page.get_by_role("button", name="Run\u2026").click()
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("button", name="Play it").click(timeout=60_000)
    tour.opened()
    moved = place_of(tour, "server")
    tour.see("moved-in-player")
    file.unlink()
    plain = visit(tmp_path, scenario="file:small.toml")
    opened(plain)
    assert place_of(plain, "server") != fresh
    assert moved[1] > page.locator(".scene .picture:visible").bounding_box()["height"] / 2


def test_a_drag_from_the_handle_joins(tmp_path: Path, visit: Callable[..., Tour]) -> None:
    (tmp_path / "small.toml").write_text(SMALL)
    tour = visit(tmp_path, scenario="file:small.toml")
    page = tour.page
    opened(tour)
    page.locator(".list button", has_text="drives").click()
    page.get_by_role("button", name="san", exact=False).last.click()
    tour.until(lambda: 'stations = ["host"]' in tour.text(), "the drives are at no network")
    begin = place_of(tour, "drives[0]")
    right, top, bottom = (edge(tour, begin, way) for way in ((1, 0), (0, -1), (0, 1)))
    target = place_of(tour, "switch")
    # The handle is at the right end of the box that is pointed at, in its middle.
    page.mouse.move(*begin)
    drag(tour, (begin[0] + right + 6, begin[1] + (bottom - top) / 2), target)
    tour.until(lambda: 'stations = ["host", "drives"]' in tour.text(), "they are joined")
    assert not (tmp_path / "small.layout.json").exists()


def test_positions_of_an_example_last_as_long_as_the_page(tmp_path: Path, visit: Callable[..., Tour]) -> None:
    tour = visit(tmp_path, scenario="example:four-disks", colours="dark", width=1024)
    opened(tour)
    tour.page.locator(".list button", has_text="controller").first.click()
    tour.page.locator(".scene .picture:visible").focus()
    tour.page.keyboard.press("Alt+ArrowDown")
    tour.until(lambda: "last as long as this page" in tour.page.locator(".note").inner_text(), "the page says so")
    tour.see("example")
    assert list(tmp_path.iterdir()) == []
    # A copy is a file of the folder, with what was moved.
    tour.page.get_by_label("Name of the copy").fill("mine")
    tour.page.keyboard.press("Enter")
    tour.until(lambda: (tmp_path / "mine.layout.json").exists(), "the copy has the positions")
    assert (tmp_path / "mine.toml").read_text() == bundled.example("four-disks")
    assert list(json.loads((tmp_path / "mine.layout.json").read_text())["positions"]) == ["controller"]
    opened(tour)
    tour.see("copied")
