"""Every view of the studio at two widths and in both colours, and the pictures of docs/studio.md."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngImageFile

import shares
import studio_support
from conftest import within
from playback_reader import NONE, read
from sansim import bundled
from studio_support import SCENARIOS, VIEWS, Tour

pytest.importorskip("starlette")
pytest.importorskip("playwright.sync_api")
pytestmark = [*studio_support.MARKS, shares.LONG]

PICTURES = os.environ.get("SANSIM_STUDIO_PICTURES")
"""The folder to which the pictures of docs/studio.md are written; docs/images to renew them."""
SHORT = re.sub(r"measured_ios = \d+", "measured_ios = 400", bundled.example("wang-2005-base"))
FILM = ("506 ms", "507 ms")


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """The folder for pictures."""
    folder = Path(PICTURES) if PICTURES else tmp_path / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def open_scenario(tour: Tour, name: str) -> None:
    """Waits until a scenario is open and checked."""
    tour.page.locator(".cm-content").wait_for()
    tour.until(lambda: "no errors" in tour.page.locator(".state").inner_text(), name)
    tour.page.wait_for_timeout(300)


def start(tour: Tour, what: str, awaited: Callable[[], Any]) -> None:
    """Starts a run, and waits for something that its end shows."""
    tour.page.get_by_label("What").select_option(what)
    if what == "sweep":
        tour.page.get_by_role("combobox", name="Key", exact=True).fill("drives.count")
        tour.page.get_by_role("textbox", name="Values").fill("2, 4, 8, 16")
    tour.page.get_by_role("button", name="Start", exact=True).click()
    awaited()


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 1024])
def test_no_view_has_anything_that_overlaps(
    width: int, colours: str, tmp_path: Path, visit: Callable[..., Tour]
) -> None:
    (tmp_path / "mine.toml").write_text(SHORT)
    tour = visit(tmp_path, width=width, colours=colours)
    page = tour.page

    def see(what: str) -> None:
        tour.see(f"{colours}-{what}")

    page.get_by_role("button", name="mine.toml").wait_for()
    see("start")
    page.get_by_role("button", name="mine.toml").click()
    open_scenario(tour, "mine.toml")
    see("scenario")
    page.locator(".form").get_by_role("button", name="controller", exact=True).click()
    page.get_by_text("further keys").click()
    see("form")
    page.get_by_label("Kind to add").select_option("controller")
    see("add")
    page.get_by_role("button", name="Run\u2026").click()
    see("runs")
    for _ in range(2):
        page.get_by_role("button", name="Start", exact=True).click()
        page.wait_for_timeout(500)
    tour.until(lambda: page.locator("li", has_text="done").count() == 2, "both runs are done", 90)
    for one in page.get_by_label("Compare").all():
        one.check()
    page.get_by_role("button", name="Play both side by side").wait_for()
    see("compare")
    start(tour, "explain", lambda: page.locator("strong", has_text="Limit:").wait_for(timeout=90_000))
    see("explain")
    start(tour, "sweep", lambda: page.locator("figure").first.wait_for(timeout=90_000))
    see("sweep")
    page.locator("li").get_by_role("button", name="mine.toml (2)", exact=True).click()
    page.get_by_role("button", name="Play both side by side").click()
    tour.opened()
    see("both")
    page.get_by_role("button", name="Runs", exact=True).click()
    page.locator("li").get_by_role("button", name="mine.toml", exact=True).last.click()
    page.get_by_role("button", name="Play it").click()
    tour.opened()
    page.get_by_label("Go to a time, an I/O, a frame or a kind").fill("io 100")
    page.keyboard.press("Enter")
    for view in VIEWS:
        page.get_by_role("tab", name=view).click()
        see(f"player-{view.replace('/', '')}")
    page.get_by_role("button", name="drives[3]", exact=True).click()
    see("player-component")
    page.keyboard.press("?")
    see("keys")


def recorded(folder: Path, begin: str, end: str) -> Path:
    """A playback of the base scenario."""
    file = folder / "out.sansim"
    options = ("--trace-from", begin, "--trace-to", end, "--playback", file)
    done = within(folder)("run", SCENARIOS / "wang-2005-base.toml", "--set", "run.measured_ios=1200", *options)
    assert done.returncode == 0, done.stderr
    return file


def test_the_pictures_of_the_page_are_made(tmp_path: Path, pictures: Path, visit: Callable[..., Tour]) -> None:
    tour = visit(tmp_path, recorded(tmp_path, "500 ms", "520 ms"), width=1200, height=760)
    tour.opened()
    page = tour.page
    for place in ("506 ms", "FCP_DATA"):
        page.get_by_label("Go to a time, an I/O, a frame or a kind").fill(place)
        page.keyboard.press("Enter")
    for _ in range(5):
        page.get_by_role("button", name="Narrower").click()
    for _ in range(2):
        page.get_by_role("button", name="Next event").click()
    assert tour.studio("__studio.moving()")
    page.get_by_role("button", name="controller", exact=True).click()
    page.mouse.move(0, 0)
    page.wait_for_timeout(500)
    kept(page.screenshot(), pictures / "studio-player.png")

    tour = visit(tmp_path, scenario="example:wang-2005-base", width=1200, height=760)
    open_scenario(tour, "wang-2005-base")
    tour.page.locator(".form").get_by_role("button", name="controller", exact=True).click()
    tour.page.wait_for_timeout(300)
    kept(tour.page.screenshot(), pictures / "studio-editor.png")

    tour = visit(tmp_path, scenario="example:two-hosts-one-switch", width=1200, height=900)
    open_scenario(tour, "two-hosts-one-switch")
    tour.page.get_by_role("button", name="Run\u2026").click()
    limit = tour.page.locator("strong", has_text="Limit:")
    start(tour, "explain", lambda: limit.wait_for(timeout=120_000))
    tour.page.wait_for_timeout(500)
    kept(tour.page.screenshot(), pictures / "studio-explain.png")


def kept(picture: bytes, file: Path) -> None:
    """Stores a picture with as many colours as it needs to look the same."""
    Image.open(io.BytesIO(picture)).convert("RGB").quantize(192).save(file, optimize=True)
    assert 20_000 < file.stat().st_size < 200_000


def test_the_film_is_made_from_the_player(tmp_path: Path, pictures: Path, visit: Callable[..., Tour]) -> None:
    file = recorded(tmp_path, *FILM)
    content = read(file)
    moves = [row for row in content.tables["moves"] if row["arrives"] != NONE]
    # From a status on: the end of a circuit, the next one that a drive opens, and its first frames of data.
    status = next(n for n, kind in enumerate(content.index["kinds"]) if kind["name"] == "FCP_RSP")
    first = next(row["t0"] for row in moves if row["kind"] == status)
    times = sorted({time for row in moves for time in (row["t0"], row["t0"] + row["arrives"]) if time >= first})
    shown = [time + (after - time) * step // 3 for time, after in pairwise(times[:33]) for step in range(3)]
    tour = visit(tmp_path, file, width=960, height=720)
    tour.opened()
    scene = tour.page.locator("section.scene")
    frames: list[Image.Image] = []
    busy = 0
    for time in shown:
        tour.studio(f"__studio.setTime({time})")
        tour.page.wait_for_timeout(60)
        busy += bool(tour.studio("__studio.moving()"))
        frames.append(Image.open(io.BytesIO(scene.screenshot())).convert("RGB"))
    # Something moves in most of them.
    assert busy > len(frames) * 0.8
    colours = frames[len(frames) // 2].quantize(255)
    film = pictures / "studio-film.png"
    few = [frame.quantize(palette=colours, dither=Image.Dither.NONE) for frame in frames]
    few[0].save(film, save_all=True, append_images=few[1:], duration=140, loop=0, optimize=True)
    with Image.open(film) as made:
        assert isinstance(made, PngImageFile)
        assert made.n_frames > 60
    assert 40_000 < film.stat().st_size < 1_000_000
