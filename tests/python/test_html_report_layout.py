"""Reports of shipped scenarios in a browser: no text covers text, nothing sticks out, and every colour can be read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

import sansim
from chromium import ARGUMENTS, CHROMIUM
from colour_vision import contrast
from sansim.html_report import read, write

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [
    pytest.mark.slow,
    pytest.mark.referee(
        CHROMIUM.exists(),
        f"NO BROWSER: {CHROMIUM} is absent, so the reports were not opened; `apt-get install chromium` brings it",
    ),
]

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"
NAMES = ("raid-5-cache", "dual-fabric", "nvme-tcp", "rebuild", "wang-2005-base")
WIDTHS = (1280, 420)
MODES: tuple[Literal["light", "dark"], ...] = ("light", "dark")

TEXTS = """
() => {
  document.querySelectorAll('details').forEach(one => { one.open = true; });
  const found = [];
  const add = (text, box, element) => {
    if (box.width < 0.5 || box.height < 0.5) return;
    const scrolled = element.closest('.picture, .wide, pre');
    const outer = scrolled ? scrolled.getBoundingClientRect() : null;
    const left = box.left + (scrolled ? scrolled.scrollLeft : 0);
    const room = scrolled
      ? [outer.left, outer.left + scrolled.scrollWidth]
      : [0, document.documentElement.clientWidth];
    const svg = element.closest('svg');
    const sheet = svg ? svg.getBoundingClientRect() : null;
    found.push({
      text: text.trim().slice(0, 60), left: left, right: left + box.width, top: box.top + scrollY,
      bottom: box.bottom + scrollY,
      room: room, sheet: sheet ? [sheet.left, sheet.right, sheet.top + scrollY, sheet.bottom + scrollY] : null,
      owner: svg ? svg.closest('figure').id : element.tagName,
    });
  };
  // Letters of charts are outlines in groups; those of pictures are texts.
  document.querySelectorAll('svg g[id*="-text_"], svg text').forEach(one => {
    const comment = one.id || one.textContent;
    add(comment, one.getBoundingClientRect(), one);
  });
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (!node.textContent.trim() || node.parentElement.closest('svg, script, style, pre')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) add(node.textContent, box, node.parentElement);
  }
  return found;
}
"""
COLOURS = """
() => {
  const body = getComputedStyle(document.body);
  const found = {};
  const see = (element, behind) => { found[getComputedStyle(element).color + ' on ' + behind] = element.tagName; };
  document.querySelectorAll('h1, h2, p, td, th, dt, dd, figcaption, a, summary, pre').forEach(one => {
    const own = getComputedStyle(one).backgroundColor;
    see(one, own === 'rgba(0, 0, 0, 0)' ? body.backgroundColor : own);
  });
  return Object.keys(found);
}
"""
TOUCH = 1.0
"""Pixels by which boxes of letters may overlap: their heights are those of the tallest letters."""
GAP = 2.0
"""Pixels between texts of a chart beside each other, at least."""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The reports of the scenarios as they are shipped, and that of two runs side by side."""
    folder = tmp_path_factory.mktemp("reports")
    for name in NAMES:
        sansim.run(SCENARIOS / f"{name}.toml").save(folder / name)
    sansim.run(SCENARIOS / "wang-2005-base.toml", {"controller.schedule": "command-first"}).save(folder / "second")
    made = {}
    for name, runs in {**{name: [name] for name in NAMES}, "two": ["wang-2005-base", "second"]}.items():
        made[name] = folder / f"{name}.html"
        write(read([folder / run for run in runs]), made[name])
    return made


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield browser
        browser.close()


def opened(browser: Browser, page: Path, width: int, mode: Literal["light", "dark"]) -> Page:
    sheet = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=mode)
    sheet.goto(page.as_uri())
    return sheet


def overlaps(texts: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    """The pairs of texts that cover each other."""
    found = []
    ordered = sorted(texts, key=lambda one: one["top"])
    for place, one in enumerate(ordered):
        for other in ordered[place + 1 :]:
            if other["top"] > one["bottom"] - TOUCH:
                break
            # Parts of a line of the page follow each other; those of a chart have a gap between them.
            least = GAP if one["sheet"] and other["sheet"] else -TOUCH
            beside = other["left"] > one["right"] + least or one["left"] > other["right"] + least
            if not beside:
                found.append((one["owner"], one["text"], other["text"]))
    return found


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", [*NAMES, "two"])
def test_no_text_covers_text_and_nothing_sticks_out(
    name: str, width: int, mode: Literal["light", "dark"], browser: Browser, pages: dict[str, Path]
) -> None:
    page = opened(browser, pages[name], width, mode)
    texts = page.evaluate(TEXTS)
    assert len(texts) > 200
    assert overlaps(texts) == []
    out = [one for one in texts if one["left"] < one["room"][0] - 1 or one["right"] > one["room"][1] + 1]
    assert out == []
    # A heading or a label beyond the edge of its chart would be cut.
    charts = [one for one in texts if one["sheet"]]
    assert len(charts) > 50
    cut = [
        one
        for one in charts
        if one["left"] < one["sheet"][0] - 1
        or one["right"] > one["sheet"][1] + 1
        or one["top"] < one["sheet"][2] - 1
        or one["bottom"] > one["sheet"][3] + 1
    ]
    assert cut == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


def hexadecimal(colour: str) -> str:
    """`rgb(34, 34, 34)` as `#222222`."""
    parts = colour[colour.index("(") + 1 : -1].split(",")
    return "#" + "".join(f"{int(part):02x}" for part in parts[:3])


@pytest.mark.parametrize("mode", MODES)
def test_every_text_of_the_page_can_be_read_in_both_modes(
    mode: Literal["light", "dark"], browser: Browser, pages: dict[str, Path]
) -> None:
    page = opened(browser, pages["dual-fabric"], 1280, mode)
    pairs = [pair.split(" on ") for pair in page.evaluate(COLOURS)]
    assert len(pairs) > 2
    # WCAG 2.1, 1.4.3: text has a contrast of 4.5 at least.
    assert min(contrast(hexadecimal(ink), hexadecimal(paper)) for ink, paper in pairs) >= 4.5
    dark = contrast(hexadecimal(page.evaluate("getComputedStyle(document.body).backgroundColor")), "#000000") < 2
    assert dark == (mode == "dark")
    page.close()


def test_a_page_in_dark_mode_prints_on_white_and_cuts_no_chart(browser: Browser, pages: dict[str, Path]) -> None:
    page = opened(browser, pages["dual-fabric"], 1280, "dark")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    # A page of A4 without its margins, in pixels of CSS: 182 mm by 267 mm.
    page.set_viewport_size({"width": 688, "height": 1009})
    boxes = page.evaluate(
        "Array.from(document.querySelectorAll('figure svg')).map(one => one.getBoundingClientRect())"
        ".map(box => [box.width, box.height, box.left])"
    )
    assert all(width <= 688 and height <= 1009 and left >= 0 for width, height, left in boxes)
    assert page.evaluate("document.documentElement.scrollWidth") <= 688
    assert page.locator("nav a").first.is_visible()
    page.close()


def test_the_page_begins_with_the_sentence_about_the_limit(browser: Browser, pages: dict[str, Path]) -> None:
    page = opened(browser, pages["wang-2005-base"], 1280, "light")
    assert page.locator(".limit").inner_text() == (
        "No component is saturated; the busiest is loop, 61 % utilised; 55 % of the response time is waiting at loop"
        " (loop, port queue)."
    )
    assert page.locator(".limit code").all_inner_texts() == ["loop", "loop"]
    page.goto(pages["two"].as_uri())
    first, second = page.locator(".limit").all_inner_texts()
    assert first.startswith("wang-2005-base: No component") and second.startswith("second: ")
    page.close()
