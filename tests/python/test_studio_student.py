"""A student with the studio alone: who waits in `wang-2005-base`, why, and what the other schedule changes.

The clicks are those of docs/studio.md, and the answers are what the page says there.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import studio_support
from studio_support import Tour

pytest.importorskip("starlette")
pytest.importorskip("playwright.sync_api")
pytestmark = studio_support.MARKS

PAGE = (Path(__file__).parents[2] / "docs" / "studio.md").read_text(encoding="utf-8")
STEPS = PAGE.split("## A question answered in six steps")[1].split("\n## ")[0]


def said(text: str) -> str:
    """A text of the page on one line."""
    return re.sub(r"\s+", " ", text.replace("\u202f", " "))


def test_a_student_finds_who_waits_and_why_and_what_the_other_schedule_changes(
    tmp_path: Path, visit: Callable[..., Tour]
) -> None:
    tour = visit(tmp_path, scenario="example:wang-2005-base")
    page = tour.page
    results = page.get_by_label("Results")

    # The answers that the page has, and this test finds.
    for answer in ("1,937 IOPS", "8 wait in *loop* and 6 in *port queue*", "since 2.801 ms", "+59.2 %", "-37.2 %"):
        assert answer in STEPS

    # 1. A run.
    page.get_by_role("button", name="Run\u2026").click(timeout=60_000)
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("button", name="Play it").wait_for(timeout=90_000)
    assert re.search(r"iops\s+1,937", results.inner_text())

    # 2. Who waits.
    page.get_by_role("button", name="Play it").click()
    tour.opened()
    page.get_by_role("tab", name="Request").click()
    page.get_by_label("Go to a time, an I/O, a frame or a kind").fill("2666.2 ms")
    page.get_by_role("button", name="Go", exact=True).click()
    open_ = page.get_by_role("tabpanel").locator("li")
    tour.until(lambda: open_.count() == 16, "sixteen I/Os are open")
    waiting = [said(one) for one in open_.filter(has_text="waits").all_inner_texts()]
    assert sum("loop (loop) waits" in one for one in waiting) == 8
    assert sum("port queue (loop) waits" in one for one in waiting) == 6

    # 3. Why.
    page.get_by_role("button", name="I/O 5159", exact=True).click()
    why = page.get_by_label("Why does this wait?")
    assert "It waits in loop at loop since 2.801 ms, for 83.14 µs more." in said(why.inner_text())
    assert "FCP_DATA of I/O 5158 is on loop, from drives[8] to controller." in why.inner_text()
    assert "7 ports are ARBITRATING: drives[9], drives[10], drives[11]" in why.inner_text()
    tour.see("student-why")

    # 4. What limits the system.
    page.get_by_role("button", name="Runs", exact=True).click()
    page.get_by_label("What").select_option("explain")
    page.get_by_role("button", name="Start", exact=True).click()
    page.locator("strong", has_text="Limit:").wait_for(timeout=90_000)
    assert "commands of a host wait until every drive with data has won the loop once" in said(results.inner_text())

    # 5. The other schedule, by one click.
    row = results.get_by_role("row", name="schedule command-first of controller instead of fair")
    row.get_by_role("button", name="Try").click()
    page.get_by_role("button", name="Play both side by side").wait_for(timeout=90_000)
    assert "+59.2 %" in results.get_by_role("row", name="iops 1,937 3,083").inner_text()
    assert "-37.2 %" in results.get_by_role("row", name="response time, mean 8.263 ms 5.190 ms").inner_text()
    tour.see("student-compare")

    # 6. Both at the same time: each player has loaded what it has there.
    page.get_by_role("button", name="Play both side by side").click()
    tour.opened()
    players = page.locator(".two > section")
    for n in range(2):
        players.nth(n).get_by_role("tab", name="Request").click()
    page.get_by_label("Go to a time, an I/O, a frame or a kind").first.fill("2666.2 ms")
    page.get_by_role("button", name="Go", exact=True).first.click()
    tour.until(lambda: players.locator("[role=tabpanel] li").count() == 32, "sixteen I/Os are open in both")
    fair, first = (players.nth(n).locator("[role=tabpanel]").inner_text() for n in range(2))
    assert (fair.count("port queue"), first.count("port queue")) == (6, 0)
    assert (len(re.findall("access|media", fair)), len(re.findall("access|media", first))) == (1, 10)
    tour.see("student-both")
