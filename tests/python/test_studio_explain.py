"""The studio in a browser: what an explanation knows is shown while it goes on, and when it is cancelled."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import studio_support
from studio_client import SMALL
from studio_support import Tour

pytest.importorskip("starlette")
pytest.importorskip("playwright.sync_api")

pytestmark = studio_support.MARKS


def test_findings_are_shown_as_they_come(tmp_path: Path, visit: Callable[..., Tour]) -> None:
    (tmp_path / "small.toml").write_text(SMALL.replace("measured_ios = 200", "measured_ios = 900_000_000"))
    tour = visit(tmp_path, scenario="file:small.toml")
    page = tour.page
    page.get_by_role("button", name="Run\u2026").click()
    page.get_by_label("What").select_option("explain")
    page.get_by_role("button", name="Start", exact=True).click()
    limit = page.locator(".explained strong")
    limit.wait_for(timeout=60_000)
    assert limit.inner_text().startswith("Limit so far: ")
    assert page.get_by_role("button", name="Cancel small.toml").count() == 1
    known = limit.inner_text().partition(": ")[2]
    tour.see("explain-goes-on")
    # The runs of the changes are not waited for: what is known stays.
    page.get_by_role("button", name="Cancel small.toml").click()
    page.get_by_text("It was cancelled").wait_for(timeout=20_000)
    assert limit.inner_text() == f"Limit: {known}"
    tour.see("explain-cancelled")
    page.get_by_role("button", name="Start", exact=True).click()
    # Until the new run is shown, the page shows the cancelled one, whose table then goes.
    page.get_by_text("It was cancelled").wait_for(state="detached", timeout=20_000)
    tour.until(lambda: limit.count() == 1 and limit.inner_text().startswith("Limit: "), "it is explained", 60)
    assert limit.inner_text() == f"Limit: {known}"
    # On a busy machine no time is left to simulate a change, and its estimate is shown.
    assert page.locator(".explained td", has_text=re.compile("simulation|estimate")).count() > 0
    components = page.locator(".explained table").first.locator("tbody td:first-child").all_inner_texts()
    assert "san" in components
    assert set(components) <= {"san", "host", "drives"}
    tour.see("explain-done")
