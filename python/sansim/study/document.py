"""Reading the tables of a study file, so that every mistake is reported with its line.

A `Table` hands out the values of its keys in the type that is asked for; what is wrong goes to the `Findings` of the
file, and a placeholder takes its place, so that one reading finds all mistakes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from sansim import _core

UNKNOWN_KEY: Final = "E0102"
MISSING_KEY: Final = "E0104"
NOT_A_TABLE: Final = "E0106"
WRONG_UNIT: Final = "E0202"
UNKNOWN_UNIT: Final = "E0203"
OUT_OF_RANGE: Final = "E0204"
UNKNOWN_WORD: Final = "E0205"
BAD_VALUE: Final = "E0206"
WRONG_TYPE: Final = "E0207"
NAMED_TWICE: Final = "E0306"
UNKNOWN_AXIS: Final = "E0401"
EMPTY_AXIS: Final = "E0402"
NOT_MEASURED: Final = "E0403"
ZIP_LENGTHS: Final = "E0404"
BAD_POINT: Final = "E0405"
BAD_FORMULA: Final = "E0406"
BAD_CHECK: Final = "E0407"
NO_SUCH_FIGURE: Final = "E0408"

Range = tuple[int, int]

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
        return NOUNS[self.kind]

    def items(self) -> list[Item]:
        """The items of a list; a single value counts as a list of one."""
        if self.kind != "list":
            return [self]
        inner = cast("list[_core.Item]", self.content)
        return [make_item(part, f"{self.path}[{number}]") for number, part in enumerate(inner)]

    def plain(self) -> object:
        """The value without its places."""
        if self.kind == "list":
            return [part.plain() for part in self.items()]
        if self.kind == "table":
            members = cast("list[_core.Member]", self.content)
            return {key: make_item(item, key).plain() for key, _, _, item in members}
        return self.content


def make_item(raw: _core.Item, path: str) -> Item:
    """An item as the native part delivers it."""
    kind, content, start, end = raw
    return Item(kind, content, (start, end), path)


@dataclass
class Findings:
    """What is wrong with a file, so far."""

    document: _core.Document
    text: bytes
    found: list[tuple[str, Range | None, str, str, str, str | None]] = field(default_factory=list)

    def add(
        self, code: str, at: Range | None, key: str, message: str, label: str = "", remedy: str | None = None
    ) -> None:
        """Notes a mistake; the same one at the same place counts once."""
        entry = (code, at, key, message, label, remedy)
        if entry not in self.found:
            self.found.append(entry)

    def raise_any(self) -> None:
        """Raises ScenarioError if anything is wrong."""
        if self.found:
            raise self.document.error(self.found)

    def written(self, item: Item) -> str:
        """A value as it stands in the file."""
        return self.text[item.range[0] : item.range[1]].decode("utf-8")


def suggestion(word: str, known: Iterable[str]) -> str:
    """The nearest known word as a question, or all of them."""
    words = list(known)
    near = _core.nearest(word, words)
    if near is not None:
        return f"did you mean `{near}`?"
    return f"known here: {', '.join(f'`{name}`' for name in words)}" if words else "there is none"


class Table:
    """A table of the file that is being read."""

    def __init__(
        self,
        findings: Findings,
        members: Sequence[_core.Member],
        path: str,
        at: Range | None,
        outer: Table | None = None,
    ) -> None:
        self.findings = findings
        self.path = path
        self.range = at
        self.entries: dict[str, tuple[Range, Item]] = {}
        self.asked: list[str] = []
        self.outer = outer
        for key, start, end, item in members:
            inner = f"{path}.{key}" if path else key
            self.entries[key] = ((start, end), make_item(item, inner))

    def place(self, key: str) -> Range | None:
        """Where the key stands, or else the table."""
        return self.entries[key][0] if key in self.entries else self.range

    def item(self, key: str) -> Item | None:
        """The value of a key; of a row also that of its group."""
        self.asked.append(key)
        if key in self.entries:
            return self.entries[key][1]
        return self.outer.item(key) if self.outer is not None else None

    def wrong(self, item: Item, wanted: str, remedy: str | None = None) -> None:
        """Notes that a value has the wrong type."""
        self.findings.add(WRONG_TYPE, item.range, item.path, f"`{item.path}` is {wanted}, not {item.noun}", "", remedy)

    def missing(self, key: str, example: str) -> None:
        """Notes that a key is missing."""
        path = f"{self.path}.{key}" if self.path else key
        owner = f"`{self.path}`" if self.path else "the study"
        message = f"{owner} lacks the key `{key}`"
        self.findings.add(MISSING_KEY, self.range, path, message, f"`{key}` must be given", f"add {key} = {example}")

    def text(self, key: str, default: str = "", *, example: str | None = None) -> str:
        """A text; with an example the key is required."""
        item = self.item(key)
        if item is None:
            if example is not None:
                self.missing(key, example)
            return default
        if item.kind != "text":
            self.wrong(item, "text")
            return default
        return cast(str, item.content)

    def word(self, key: str, choices: Sequence[str], default: str, *, required: bool = False) -> str:
        """One of some words."""
        found = self.text(key, default, example=f'"{choices[0]}"' if required else None)
        if found not in choices and (item := self.item(key)) is not None and item.kind == "text":
            help_ = suggestion(found, choices)
            self.findings.add(UNKNOWN_WORD, item.range, item.path, f"`{found}` is not known here", "", help_)
            return default
        return found

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts, or a single one."""
        item = self.item(key)
        if item is None:
            return ()
        found = []
        for part in item.items():
            if part.kind == "text":
                found.append(cast(str, part.content))
            else:
                self.wrong(part, "text")
        return tuple(found)

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        item = self.item(key)
        if item is None or item.kind == "flag":
            return default if item is None else cast(bool, item.content)
        self.wrong(item, "true or false")
        return default

    def count(self, key: str, default: int, low: int, high: int) -> int:
        """A whole number within limits."""
        item = self.item(key)
        if item is None:
            return default
        if item.kind != "integer":
            self.wrong(item, "a whole number")
            return default
        number = cast(int, item.content)
        if not low <= number <= high:
            message = f"{number} is not within {low} and {high}"
            self.findings.add(OUT_OF_RANGE, item.range, item.path, message)
            return default
        return number

    def table(self, key: str) -> Table | None:
        """A table within this one."""
        item = self.item(key)
        if item is None:
            return None
        return self.as_table(item, self.place(key))

    def tables(self, key: str) -> list[tuple[str, Table]]:
        """The tables within a table, by name, as `[axes.size]`."""
        outer = self.table(key)
        if outer is None:
            return []
        found = []
        for name, (at, item) in outer.entries.items():
            inner = self.as_table(item, at)
            if inner is not None:
                found.append((name, inner))
        return found

    def rows(self, key: str) -> list[Table]:
        """A list of tables, as `[[expected]]`."""
        item = self.item(key)
        if item is None:
            return []
        if item.kind != "list":
            help_ = f"write [[{key}]] with two brackets"
            self.findings.add(NOT_A_TABLE, item.range, item.path, f"`{item.path}` is a list of tables", "", help_)
            return []
        return [table for part in item.items() if (table := self.as_table(part, part.range)) is not None]

    def as_table(self, item: Item, at: Range | None) -> Table | None:
        """A value that has to be a table."""
        if item.kind != "table":
            message = f"`{item.path}` is a table of settings, not {item.noun}"
            self.findings.add(NOT_A_TABLE, item.range, item.path, message)
            return None
        return Table(self.findings, cast("list[_core.Member]", item.content), item.path, at)

    def finish(self) -> None:
        """Reports the keys that nobody asked for. To be called last."""
        known = list(dict.fromkeys(self.asked))
        for key, (at, item) in self.entries.items():
            if key not in known:
                owner = f"`{self.path}`" if self.path else "a study"
                message = f"{owner} has no key `{key[:60]}`"
                self.findings.add(UNKNOWN_KEY, at, item.path, message, "unknown key", suggestion(key, known))
