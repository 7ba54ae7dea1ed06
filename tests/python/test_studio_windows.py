"""The player in a browser with a recording round the slowest I/Os: time goes from window to window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import playback_reader
import studio_support
from conftest import within
from playback_reader import NONE
from studio_support import Tour

pytest.importorskip("starlette")
pytest.importorskip("playwright.sync_api")

pytestmark = studio_support.MARKS
SCENARIO = Path(__file__).parents[2] / "scenarios" / "dual-fabric.toml"


def test_the_player_goes_from_window_to_window(tmp_path: Path, visit: Callable[..., Tour]) -> None:
    file = tmp_path / "out.sansim"
    options = ("--set", "run.measured_ios=400", "--trace-slowest", "3", "--playback", file)
    done = within(tmp_path)("run", SCENARIO, *options)
    assert done.returncode == 0, done.stderr
    content = playback_reader.read(file)
    windows = content.index["windows"]
    assert len(windows) > 1
    roots = [row for row in content.tables["requests"] if row["parent"] == NONE and not row["flags"] & 4]
    slowest = sorted(roots, key=lambda row: -int(row["dt"]))[:3]

    tour = visit(tmp_path, file, width=1024, colours="dark")
    tour.opened()
    page = tour.page
    named: set[int] = set()
    for number, (begin, end) in enumerate(windows):
        assert tour.studio("__studio.time_ns") == begin
        text = page.get_by_role("button", name=f"Window {number + 1} of {len(windows)}").inner_text()
        mine = [row for row in slowest if begin <= row["t0"] < end]
        for row in mine:
            assert f"I/O {row['io']}" in text, (text, mine)
            named.add(row["io"])
        if number > 0:
            assert tour.studio("__studio.selection.request") in [row["request"] for row in mine]
        tour.see(f"window-{number}")
        following = page.get_by_role("button", name="Next window")
        if number + 1 < len(windows):
            following.click()
        else:
            assert following.is_disabled()
    assert named == {row["io"] for row in slowest}

    # The player never shows a time that was not recorded: not after a jump, a click on the bar or a step, nor while it
    # plays.
    (_, first_end), (second, _) = windows[0], windows[1]
    page.keyboard.press("Escape")
    tour.studio(f"__studio.setTime({first_end - 2_000})")
    page.get_by_role("button", name="Wider").click()
    page.get_by_role("button", name="All", exact=True).click()
    tour.see("windows-all")
    page.get_by_label("Pace").select_option("linear")
    page.get_by_role("button", name="Play", exact=True).click()
    seen: list[int] = []

    def is_over() -> bool:
        seen.append(tour.studio("__studio.time_ns"))
        return bool(seen[-1] >= second)

    tour.until(is_over, "the next window is reached")
    page.get_by_role("button", name="Pause").click()
    assert [time for time in seen if first_end <= time < second] == []
    tour.studio(f"__studio.setTime({(first_end + second) // 2})")
    assert tour.studio("__studio.time_ns") in (first_end - 1, second)
    tour.studio(f"__studio.setTime({second})")
    page.get_by_role("button", name="One word back").click()
    assert tour.studio("__studio.time_ns") == first_end - 1
    page.get_by_role("button", name="One word on").click()
    page.get_by_role("button", name="One word on").click()
    assert tour.studio("__studio.time_ns") >= second
    bar = page.get_by_label("Time in the recording")
    box = bar.bounding_box()
    times = []
    for share in range(1, 100):
        page.mouse.click(box["x"] + box["width"] * share / 100, box["y"] + 20)
        times.append(tour.studio("__studio.time_ns"))
    # A click between two windows leads to the end of one or the begin of the other.
    inside = [time for time in times if time not in (first_end - 1, second)]
    assert inside == sorted(inside)
    assert all(any(begin <= time < end for begin, end in windows) for time in times)
    # Both windows are as wide on the bar as they are long, however far they are apart.
    for begin, end in windows:
        share = (end - begin) / sum(b - a for a, b in windows)
        assert sum(begin <= time < end for time in times) == pytest.approx(97 * share, abs=2)
    page.keyboard.press("w")
    page.keyboard.press("Shift+W")
    assert tour.studio("__studio.time_ns") == windows[len(windows) - 2][0]
