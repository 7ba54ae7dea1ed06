"""The report in a real browser: nothing goes wrong, and the numbers can be read back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from chromium import ARGUMENTS, CHROMIUM
from sansim.commands.report import report
from test_html_report_support import full_folder

if TYPE_CHECKING:
    from playwright.sync_api import Browser


pytestmark = [
    pytest.mark.slow,
    pytest.mark.referee(
        CHROMIUM.exists(),
        f"NO BROWSER: {CHROMIUM} is absent, so the report was not opened; `apt-get install chromium` brings it",
    ),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two run folders."""
    return [full_folder(tmp_path_factory.mktemp("runs") / f"run{seed}", seed=seed) for seed in (1, 2)]


@pytest.fixture(scope="module")
def pages(folders: list[Path], tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """The page of the first of them, and that of both."""
    made = {runs: tmp_path_factory.mktemp("pages") / f"{runs}.html" for runs in (1, 2)}
    for runs, place in made.items():
        done = CliRunner().invoke(report, [*map(str, folders[:runs]), "--out", str(place)])
        assert done.exit_code == 0, done.output
    return made


@pytest.mark.parametrize(("runs", "width"), [(1, 480), (2, 1200)])
def test_page_opens_without_an_error_and_gives_its_numbers(
    runs: int, width: int, browser: Browser, folders: list[Path], pages: dict[int, Path]
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    complaints: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("requestfailed", lambda request: complaints.append(f"failed: {request.url}"))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(pages[runs].as_uri())
    assert complaints == []
    assert all(url.startswith(("file:", "data:")) for url in requests), requests

    for number, folder in enumerate(folders[:runs], start=1):
        summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        where = f'[data-metric="iops"][data-run="{number}"]'
        assert float(page.locator(where).first.get_attribute("data-value") or "nan") == summary["iops"]
        assert page.locator(where).first.inner_text().strip() != ""
        mean = page.locator(f'[data-metric="response_mean_ns"][data-run="{number}"]').first
        assert float(mean.get_attribute("data-value") or "nan") == summary["response_time_ns"]["mean"]
    # Every chart has a size, and nothing is wider than the window.
    boxes = [box for box in (figure.bounding_box() for figure in page.locator("figure svg").all()) if box is not None]
    assert len(boxes) == page.locator("figure").count()
    assert all(box["width"] > 300 and box["height"] > 50 for box in boxes)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


@pytest.mark.parametrize("runs", [1, 2])
def test_no_table_is_cut_off_in_a_window_of_1280_pixels(runs: int, browser: Browser, pages: dict[int, Path]) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(pages[runs].as_uri())
    wider = "Array.from(document.querySelectorAll('.wide')).filter(t => t.scrollWidth > t.clientWidth).length"
    assert page.evaluate(wider) == 0
    page.close()
