"""Comments, docstrings and pages keep to the vocabulary: no refused word, no sentence without a subject."""

from __future__ import annotations

from pathlib import Path

import pytest

from prose import ROOT, faults

GENERATED = {
    "policy-reference.md",
    "scenario-reference.md",
    "sources.md",
    "study-reference.md",
    "table-reference.md",
    "validation.md",
}
PAGES = [
    *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")),
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if "_build" not in page.parts),
]
BY_HAND = [page for page in PAGES if page.name not in GENERATED]
MOST_WORDS = 85_500
"""Words that all pages written by hand may have."""


@pytest.mark.parametrize("crate", sorted(folder.name for folder in (ROOT / "crates").iterdir() if folder.is_dir()))
def test_comments_of_a_crate_keep_to_the_vocabulary(crate: str) -> None:
    files = sorted((ROOT / "crates" / crate / "src").rglob("*.rs"))
    assert files
    assert [fault for file in files for fault in faults(file)] == []


def test_docstrings_and_comments_of_the_package_keep_to_the_vocabulary() -> None:
    files = sorted((ROOT / "python" / "sansim").rglob("*.py"))
    assert [fault for file in files for fault in faults(file)] == []


@pytest.mark.parametrize("page", BY_HAND, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_keeps_to_the_vocabulary_and_names_its_reader(page: Path) -> None:
    if page.name == "vocabulary.md":
        return
    assert list(faults(page)) == []


def test_pages_written_by_hand_are_short_enough_to_be_read() -> None:
    words = {page.relative_to(ROOT).as_posix(): len(page.read_text(encoding="utf-8").split()) for page in BY_HAND}
    assert sum(words.values()) < MOST_WORDS, sorted(words.items(), key=lambda item: -item[1])[:20]


@pytest.mark.parametrize(
    ("suffix", "text", "expected"),
    [
        (".rs", "/// What is told.\nfn a() {}\n", ["`What`"]),
        (".rs", "/// The train of frames.\nfn a() {}\n", ["`train`"]),
        (".rs", "/// The `train` of frames. What is it?\nfn a() {}\n", []),
        (".rs", "fn a() {\n    // It is ready. Of these\n    // none waits.\n}\n", ["`Of`"]),
        (".py", '"""Who asks."""\n\nx = 1  # in flight\n', ["`Who`"]),
        (".py", '"""A thing."""\n# Nobody waits.\nx = "told"\n', ["`Nobody`"]),
        (".md", "# What is told\n\nA port stands there.\n\n| told | x |\n\n```\ntold\n```\n", ["`stands`"]),
    ],
)
def test_the_linter_finds_refused_words_and_openings_outside_code(
    suffix: str, text: str, expected: list[str], tmp_path: Path
) -> None:
    file = tmp_path / f"file{suffix}"
    file.write_text(text, encoding="utf-8")
    assert [fault.split(": ")[1] for fault in faults(file)] == expected
