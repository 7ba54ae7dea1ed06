"""The documentation: the site builds without a warning, examples do what the pages say, what is named exists."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

from doc_examples import ROOT, ExampleError, Page, blocks, commands, environment, joined, matches

DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "ARCHITECTURE.md",
    *sorted(p for p in DOCS.rglob("*.md") if "_build" not in p.parts),
]
"""Every page with examples."""
NOTES = sorted(ROOT.glob("studies/*/README.md"))
"""What people read beside the studies."""
NOTEBOOK = DOCS / "notebook.ipynb"


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("sphinx") is None, reason="Sphinx is not installed")
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    options = ["-W", "--keep-going", "-n", "-q", "-E", "-b", "html"]
    command = [sys.executable, "-m", "sphinx", *options, str(DOCS), str(tmp_path / "html")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    built = {p.relative_to(tmp_path / "html").with_suffix("").as_posix() for p in (tmp_path / "html").rglob("*.html")}
    pages = [p for p in [*PAGES, NOTEBOOK] if p.is_relative_to(DOCS)]
    assert {p.relative_to(DOCS).with_suffix("").as_posix() for p in pages} <= built
    # The notebook was executed: what its cells show is there, and a cell that fails would have been an error.
    notebook = (tmp_path / "html" / "notebook.html").read_text(encoding="utf-8")
    assert notebook.count('<img alt="_images/') == 4
    assert "<td>media transfer</td>" in notebook.replace(' style="text-align:left"', "")
    assert "did you mean" in notebook


def test_the_first_page_shows_a_result_and_its_picture_before_it_lists_pages() -> None:
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    result, picture, pages = text.index("response time  "), text.index("\n!["), text.index("\n* ")
    assert result < picture < pages < text.index("{toctree}")


@pytest.mark.slow
@pytest.mark.parametrize("path", PAGES, ids=name)
def test_examples_do_what_the_page_says(path: Path, tmp_path: Path) -> None:
    problem = ""
    try:
        Page(path, tmp_path, environment()).run()
    except ExampleError as error:
        problem = f"{path}:{error.line}: {error}"
    if problem:
        pytest.fail(problem, pytrace=False)


@pytest.mark.parametrize("path", [*PAGES, *NOTES], ids=name)
def test_links_lead_somewhere(path: Path) -> None:
    """Sphinx checks the pages of the site; this holds for readers of the plain files, too."""
    text = path.read_text(encoding="utf-8")
    # The generated page of the validation ledger may not be there yet.
    for target in re.findall(r"\]\(([^)#:\s]+)(?:#[\w-]*)?\)", prose(text)):
        assert (path.parent / target).exists() or target.endswith("validation.md"), target


@pytest.mark.parametrize("path", [*PAGES, *NOTES], ids=name)
def test_files_that_are_named_exist(path: Path) -> None:
    """Paths in code spans: `crates/fc/src/credit.rs`, and `dma.rs` there behind one in the same folder."""
    for span in re.findall(r"(?<!`)`([^`\s]+)`(?!`)", prose(path.read_text(encoding="utf-8"))):
        if re.match(r"(crates|python|scenarios|studies|plans|tests|docs|bench|fuzz)/[\w./*-]+$", span):
            found = [*ROOT.glob(span.rstrip("/")), *path.parent.glob(span.rstrip("/"))]
            assert found or "_build" in span, span
        elif re.fullmatch(r"[\w-]+\.rs", span):
            assert list((ROOT / "crates").rglob(span)), span


def prose(text: str) -> str:
    """A page without its fenced blocks."""
    return re.sub(r"(?ms)^(`{3,})[^`\n]*\n.*?^\1$", "", text)


def test_outputs_are_compared_but_for_what_is_left_out() -> None:
    printed = ["one", "two 2.5 s", "three"]
    assert matches(["one", "two ... s", "three"], printed)
    assert matches(["...", "three"], printed)
    assert matches(["one", "...", "two 2.5 s", "three"], printed)
    assert not matches(["one", "three"], printed)
    assert not matches(["one", "two ... s"], printed)
    assert not matches(["one.", "...", "three"], printed)


def test_blocks_and_commands_are_found() -> None:
    page = '<!-- exit code: 2 -->\n```console\n$ a \\\n  b\nout\n$ c "d\ne"\n```\n\n```text\nx\n```\n'
    console, text = blocks(page)
    assert (console.language, console.notes, text.text) == ("console", {"exit code": "2"}, ["x"])
    assert [(command, shown) for _, command, shown in commands(console)] == [("a \\\n  b", ["out"]), ('c "d\ne"', [])]
    with pytest.raises(ExampleError, match="no end"):
        list(blocks("```toml\n"))
    with pytest.raises(ExampleError, match="no block"):
        list(blocks("<!-- file: a.toml -->\n\ntext\n"))


def test_parts_of_toml_are_joined() -> None:
    assert joined("a = 1\n[t]\n", "b = [[1]]\n[u]\n") == "b = [[1]]\na = 1\n[t]\n\n[u]\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("```console\n$ echo one\ntwo\n```\n", "prints something else"),
        ("```console\n$ false\n```\n", "exit code 1"),
        ("```python\nprint(1)\n```\n\n```text\n2\n```\n", "prints something else"),
        ("```python\n1 / 0\n```\n", "ZeroDivisionError"),
        ("```toml\n[loop]\nkind = 'ring'\n```\n", "E0105"),
        ("```\nwhat is this?\n```\n", "no language"),
    ],
)
def test_an_example_that_is_wrong_is_noticed(text: str, problem: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    (tmp_path / "folder").mkdir()
    with pytest.raises(ExampleError, match=problem):
        Page(page, tmp_path / "folder", environment()).run()
