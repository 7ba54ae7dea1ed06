"""Reading the tables of a study file, so that every mistake is reported with its line.

A `Table` hands out the values of its keys in the type that is asked for; what is wrong goes to the `Findings` of the
file, and a placeholder takes its place, so that one reading finds all mistakes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias, cast

from sansim import _core
from sansim.study.suggest import suggestion

UNKNOWN_KEY: Final = "E0102"
MISSING_KEY: Final = "E0104"
NOT_A_TABLE: Final = "E0106"
WRONG_UNIT: Final = "E0202"
UNKNOWN_UNIT: Final = "E0203"
OUT_OF_RANGE: Final = "E0204"
UNKNOWN_WORD: Final = "E0205"
BAD_VALUE: Final = "E0206"
WRONG_TYPE: Final = "E0207"
CONTRADICTION: Final = "E0304"
NAMED_TWICE: Final = "E0306"
UNKNOWN_AXIS: Final = "E0401"
EMPTY_AXIS: Final = "E0402"
NOT_MEASURED: Final = "E0403"
ZIP_LENGTHS: Final = "E0404"
BAD_POINT: Final = "E0405"
BAD_FORMULA: Final = "E0406"
BAD_CHECK: Final = "E0407"
NO_SUCH_FIGURE: Final = "E0408"

RawItem: TypeAlias = tuple[str, object, int, int]
"""A value as the native part delivers it: kind, content, first byte, one past the last."""
RawMember: TypeAlias = tuple[str, int, int, RawItem]
"""A key of a table: key, first byte, one past the last, value."""

Range: TypeAlias = tuple[int, int]
"""A place in the file: first byte, and one past the last."""

NOUNS = {
    "text": "text",
    "integer": "a number",
    "float": "a number",
    "flag": "true or false",
    "date": "a date",
    "list": "a list",
    "table": "a table",
}


@dataclass(frozen=True)
class Item:
    """A value with its place and its key path."""

    kind: str
    content: object
    range: Range
    path: str

    @property
    def noun(self) -> str:
        """What a person would call it."""
        if self.kind == "float" and self.number is None:
            return f"`{self.content}`"
        return NOUNS[self.kind]

    @property
    def number(self) -> float | None:
        """The value if it is a finite number."""
        if self.kind not in ("integer", "float"):
            return None
        number = float(cast(float, self.content))
        return number if math.isfinite(number) else None

    def items(self) -> list[Item]:
        """The items of a list; a single value counts as a list of one."""
        if self.kind != "list":
            return [self]
        inner = cast("list[RawItem]", self.content)
        return [make_item(part, f"{self.path}[{number}]") for number, part in enumerate(inner)]

    def plain(self) -> object:
        """The value without its places."""
        if self.kind == "list":
            return [part.plain() for part in self.items()]
        if self.kind == "table":
            members = cast("list[RawMember]", self.content)
            return {key: make_item(item, key).plain() for key, _, _, item in members}
        return self.content


def make_item(raw: RawItem, path: str) -> Item:
    """An item as the native part delivers it."""
    kind, content, start, end = raw
    return Item(kind, content, (start, end), path)


@dataclass
class Findings:
    """What is wrong with a file, so far."""

    document: _core.Document
    text: bytes
    found: dict[tuple[str, Range | None, str, str, str, str | None], None] = field(default_factory=dict)
    """In the order in which it was found; the same at the same place counts once."""

    def add(
        self, code: str, at: Range | None, key: str, message: str, label: str = "", remedy: str | None = None
    ) -> None:
        """Notes a mistake: what is wrong, a few words beside the caret, and what to do about it."""
        self.found[code, at, key, message, label, remedy] = None

    def about(self, code: str, item: Item, message: str, label: str = "", remedy: str | None = None) -> None:
        """Notes a mistake in a value."""
        self.add(code, item.range, item.path, message, label, remedy)

    def error(self) -> _core.ScenarioError:
        """The exception that reports it all."""
        return self.document.error(list(self.found))

    def raise_any(self) -> None:
        """Raises ScenarioError if anything is wrong."""
        if self.found:
            raise self.error()

    def written(self, item: Item) -> str:
        """A value as it stands in the file, in one line."""
        return " ".join(self.text[item.range[0] : item.range[1]].decode("utf-8", "replace").split())


def one_of(words: Sequence[str]) -> str:
    """Words in prose: `a`, `b` or `c`."""
    *most, last = (f"`{word}`" for word in words)
    return f"{', '.join(most)} or {last}" if most else last


class Table:
    """A table of the file that is being read."""

    def __init__(
        self,
        findings: Findings,
        members: Sequence[RawMember],
        path: str,
        at: Range | None,
        outer: Table | None = None,
    ) -> None:
        """Takes the keys of a table, and the table whose values are defaults of this one."""
        self.findings = findings
        self.path = path
        self.range = at
        self.entries: dict[str, tuple[Range, Item]] = {}
        self.asked: dict[str, None] = {}
        self.outer = outer
        for key, start, end, item in members:
            self.entries[key] = ((start, end), make_item(item, self.inner(key)))

    def inner(self, key: str) -> str:
        """The path of a key; with no key, that of the table."""
        return f"{self.path}.{key}" if self.path and key else self.path or key

    def place(self, key: str) -> Range | None:
        """Where the key stands, or else the table."""
        if key in self.entries:
            return self.entries[key][0]
        return self.outer.place(key) if self.outer is not None and key in self.outer.entries else self.range

    def item(self, key: str) -> Item | None:
        """The value of a key; of a row also that of its group."""
        self.asked[key] = None
        if key in self.entries:
            return self.entries[key][1]
        return self.outer.item(key) if self.outer is not None else None

    def add(self, code: str, key: str, message: str, label: str = "", remedy: str | None = None) -> None:
        """Notes a mistake in the value of a key; without such a key, in the table."""
        item = self.item(key) if key else None
        at, path = (self.range, self.inner(key)) if item is None else (item.range, item.path)
        self.findings.add(code, at, path, message, label, remedy)

    def wrong(self, item: Item, wanted: str, remedy: str | None = None) -> None:
        """Notes that a value has the wrong type."""
        self.findings.about(WRONG_TYPE, item, f"{item.noun} does not fit here", f"needs {wanted}", remedy)

    def missing(self, key: str, example: str) -> None:
        """Notes that a key is missing."""
        owner = f"`{self.path}`" if self.path else "the study"
        message = f"{owner} lacks the key `{key}`"
        self.findings.add(
            MISSING_KEY, self.range, self.inner(key), message, f"`{key}` must be given", f"add {key} = {example}"
        )

    def text(self, key: str, default: str = "", *, example: str | None = None) -> str:
        """A text; with an example the key is required."""
        item = self.item(key)
        if item is None:
            if example is not None:
                self.missing(key, example)
            return default
        if item.kind != "text":
            self.wrong(item, "text", f'write "{self.findings.written(item)}"' if item.number is not None else None)
            return default
        text = cast(str, item.content)
        if example is not None and not text.strip():
            self.findings.about(BAD_VALUE, item, f"`{key}` is empty", "", f"write {key} = {example}")
        return text

    def word(self, key: str, choices: Sequence[str], default: str, *, required: bool = False) -> str:
        """One of some words."""
        item = self.item(key)
        if item is None and required:
            message = f"`{self.path}` lacks the key `{key}`"
            self.findings.add(MISSING_KEY, self.range, self.inner(key), message, "", f"it is one of {one_of(choices)}")
            return default
        found = self.text(key, default)
        if found not in choices and item is not None and item.kind == "text":
            self.unknown_word(item, found, choices)
            return default
        return found if found in choices else default

    def unknown_word(self, item: Item, word: str, choices: Sequence[str]) -> None:
        """Notes that a word is none of those that there are."""
        near = _core.nearest(word, list(choices)) if len(word) > 2 else None
        help_ = FORMER.get(word, None if near is None else f'did you mean "{near}"?')
        self.findings.about(UNKNOWN_WORD, item, f"`{word}` is not known here", f"must be {one_of(choices)}", help_)

    def words(self, key: str, choices: Sequence[str]) -> tuple[str, ...]:
        """Some of some words."""
        found = self.texts(key)
        for item, word in found:
            if word not in choices:
                self.unknown_word(item, word, choices)
        return tuple(word for _, word in found)

    def texts(self, key: str) -> list[tuple[Item, str]]:
        """A list of texts, or a single one."""
        item = self.item(key)
        parts = [] if item is None else item.items()
        for part in parts:
            if part.kind != "text":
                self.wrong(part, "text")
        return [(part, cast(str, part.content)) for part in parts if part.kind == "text"]

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        item = self.item(key)
        if item is None or item.kind == "flag":
            return default if item is None else cast(bool, item.content)
        word = str(item.content)
        self.wrong(item, "true or false", f"write {word} without quotes" if word in ("true", "false") else None)
        return default

    def count(self, key: str, default: int, low: int, high: int) -> int:
        """A whole number within limits."""
        item = self.item(key)
        if item is None:
            return default
        if item.kind != "integer":
            word = str(item.content)
            self.wrong(item, "a whole number", f"write {word} without quotes" if word.isdigit() else None)
            return default
        number = cast(int, item.content)
        if not low <= number <= high:
            limit = f"must be at least {low}" if number < low else f"must be at most {high}"
            self.findings.about(OUT_OF_RANGE, item, f"`{number}` is out of range", limit)
            return default
        return number

    def table(self, key: str, example: str | None = None) -> Table | None:
        """A table within this one."""
        item = self.item(key)
        if item is None:
            return None
        return self.as_table(item, self.place(key), None if example is None else f"as {key} = {example}")

    def tables(self, key: str) -> list[tuple[str, Range, Table | None]]:
        """What stands in a table, by name, with its place, as `[axes.size]`; no table where it is something else."""
        outer = self.table(key)
        if outer is None:
            return []
        return [(name, at, outer.as_table(item, at)) for name, (at, item) in outer.entries.items()]

    def rows(self, key: str) -> list[Table]:
        """A list of tables, as `[[expected]]`."""
        item = self.item(key)
        if item is None:
            return []
        if item.kind != "list":
            label = f"write [[{item.path}]], with two pairs of brackets" if item.kind == "table" else ""
            self.findings.about(NOT_A_TABLE, item, f"`{item.path}` is a list of tables, not {item.noun}", label)
            return []
        return [table for part in item.items() if (table := self.as_table(part, part.range)) is not None]

    def as_table(self, item: Item, at: Range | None, example: str | None = None) -> Table | None:
        """A value that has to be a table."""
        if item.kind != "table":
            self.findings.about(NOT_A_TABLE, item, f"`{item.path}` is a table, not {item.noun}", "", example)
            return None
        return Table(self.findings, cast("list[RawMember]", item.content), item.path, at)

    def has_no_use(self, keys: Iterable[str], reason: str) -> None:
        """Notes keys of this very table that have no meaning beside what else it says."""
        for key in keys:
            self.asked[key] = None
            if key in self.entries:
                at, item = self.entries[key]
                self.findings.add(CONTRADICTION, at, item.path, f"`{key}` {reason}", "", f"leave out `{key}`")

    def finish(self) -> None:
        """Reports the keys that nobody asked for. To be called last."""
        for key, (at, item) in self.entries.items():
            if key not in self.asked:
                owner = f"`{self.path}`" if self.path else "a study"
                remedy = FORMER.get(key) or suggestion(key, self.asked)
                if self.path and key in ABOVE_TABLES:
                    # TOML gives a key to the table above it, whatever an empty line says.
                    remedy = f"`{key}` belongs to the study as a whole: write it above the first [table]"
                message = f"{owner} has no key `{key[:60]}`"
                self.findings.add(UNKNOWN_KEY, at, item.path, message, "unknown key", remedy)


ABOVE_TABLES: Final = ("title", "source", "description", "scenario", "zip")
"""Keys of a study that are no tables."""

FORMER: Final = {
    "fitted": 'name the parameter as `what` of a table [[chosen]], and this target in its list `saw`: saw = ["X-1"]',
    "given": 'write "no-run"; a row that restates a setting has the key `restates`',
}
"""What to write instead of keys and words that study files had once."""
