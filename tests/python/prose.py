"""Sentences of comments, docstrings and pages, and the words that they may not have: those of docs/vocabulary.md."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
VOCABULARY = ROOT / "docs" / "vocabulary.md"
HEADING = "## Words that a linter refuses"


class Sentence(NamedTuple):
    """A sentence, with the line on which its paragraph begins."""

    line: int
    text: str


def refused_words() -> re.Pattern[str]:
    """The words of the first column of the vocabulary's last table."""
    table = VOCABULARY.read_text(encoding="utf-8").partition(HEADING)[2]
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \|$", table, re.MULTILINE)[1:]
    words = [word.strip() for row in rows for word in row.split(",")]
    return re.compile(rf"\b({'|'.join(re.escape(word) for word in words)})\b", re.IGNORECASE)


def refused_openings() -> re.Pattern[str]:
    """The words with which no sentence begins, unless it is a question."""
    text = VOCABULARY.read_text(encoding="utf-8").partition(HEADING)[2]
    found = re.search(r"No sentence begins with a bare ([\w, ]+?) or (\w+)[.,]", text)
    assert found is not None
    words = [*found[1].split(", "), found[2]]
    return re.compile(rf"^({'|'.join(words)})\b(?!.*\?$)")


def rust(text: str) -> Iterator[tuple[int, list[str]]]:
    """Blocks of comments of a Rust file, each with its first line."""
    block: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r"\s*//[/!]?(.*)$", line)
        if found:
            block.append(found[1].strip())
        elif block:
            yield number - len(block), block
            block = []
    if block:
        yield len(text.splitlines()) - len(block) + 1, block


def python(text: str) -> Iterator[tuple[int, list[str]]]:
    """Docstrings and comments of a Python file, each with its first line."""
    for node in ast.walk(ast.parse(text)):
        for inner in ast.iter_child_nodes(node):
            if (
                isinstance(inner, ast.Expr)
                and isinstance(inner.value, ast.Constant)
                and isinstance(inner.value.value, str)
            ):
                yield inner.lineno, [line.strip() for line in inner.value.value.splitlines()]
    block: list[str] = []
    last = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not re.match(r"#\s*(noqa|type:|ruff|mypy)", token.string):
            if block and token.start[0] != last + 1:
                yield last - len(block) + 1, block
                block = []
            block.append(token.string.lstrip("#").strip())
            last = token.start[0]
    if block:
        yield last - len(block) + 1, block


def page(text: str) -> Iterator[tuple[int, list[str]]]:
    """The prose of a Markdown page."""
    yield 1, text.splitlines()


def sentences(first: int, block: Iterable[str]) -> Iterator[Sentence]:
    """The sentences of a block, without code, tables and what stands in code spans."""
    is_code, begins = False, first
    paragraph: list[str] = []

    def split() -> Iterator[Sentence]:
        text = re.sub(r"`[^`]*`", "`x`", " ".join(paragraph))
        text = re.sub(r"\]\([^)]*\)", "]", text)
        for sentence in re.split(r"(?<=[.!?;])\s+(?=[A-Z`\[(])", text):
            if sentence.strip():
                yield Sentence(begins, sentence.strip())

    for number, line in enumerate(block, first):
        if line.startswith(("```", "~~~")):
            is_code = not is_code
        is_break = is_code or not line or line.startswith(("|", "```", "~~~", "#", "* ", "- ", "<!--", ">>>", "    "))
        if is_break or re.match(r"\d+\. ", line):
            yield from split()
            paragraph, begins = [], number
            # A heading is no sentence.
            if is_code or line.startswith(("|", "```", "~~~", "#", "<!--", ">>>", "    ")):
                continue
            line = re.sub(r"^(\* |- |\d+\. )", "", line)
        if line:
            paragraph.append(line)
    yield from split()


def faults(file: Path) -> Iterator[str]:
    """The sentences of a file that have a refused word or opening."""
    text = file.read_text(encoding="utf-8")
    blocks = {".rs": rust, ".py": python, ".md": page}[file.suffix](text)
    words, openings = refused_words(), refused_openings()
    for first, block in blocks:
        for sentence in sentences(first, block):
            found = openings.match(sentence.text) or words.search(sentence.text)
            if found:
                place = file.relative_to(ROOT) if file.is_relative_to(ROOT) else file
                yield f"{place}:{sentence.line}: `{found[1]}`: {sentence.text[:160]}"
