"""Reading the tables of a study file, so that every mistake is reported with its line.

A `Table` returns the values of its keys in the requested type; errors go to the `Findings` of the file, and a
placeholder takes the place of the value, so that one reading finds all mistakes. The keys of a table, the required
ones, and their words are declared in `crates/study`: no other key can be requested.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias, cast

from sansim import _core
from sansim._core import FORMAT, Code
from sansim.study.keys import above_tables, default, tables
from sansim.study.suggest import suggestion

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
        """The noun for people."""
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
    """The errors of a file so far."""

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
        """A value as it is written in the file, in one line."""
        return " ".join(self.text[item.range[0] : item.range[1]].decode("utf-8", "replace").split())


def one_of(words: Sequence[str]) -> str:
    """Words in prose: `a`, `b` or `c`."""
    *most, last = (f"`{word}`" for word in words)
    return f"{', '.join(most)} or {last}" if most else last


def check_format(table: Table) -> None:
    """Notes a format of the file that this version cannot read."""
    if "format" not in table.written:
        return
    _, item = table.written["format"]
    if item.kind != "integer" or not isinstance(item.content, int) or item.content < 0:
        table.findings.about(Code.BAD_VALUE, item, "the format of a file is a whole number", "", f"write {FORMAT}")
    elif item.content > FORMAT:
        message = f"the file has format {item.content}, and this version of sansim reads formats 0 to {FORMAT}"
        remedy = f"read it with the version that wrote it or a later one; this is {_core.__version__}"
        table.findings.about(Code.NEWER_FORMAT, item, message, "too new", remedy)


class Table:
    """A table of the file that is being read."""

    def __init__(
        self, findings: Findings, members: Sequence[RawMember], path: str, at: Range | None, form: str = ""
    ) -> None:
        """Takes the keys of a table. Its form is the path by which it is declared, as `axes.NAME`."""
        self.findings = findings
        self.path = path
        self.range = at
        self.form = form
        self.keys = tables().get(form)
        """The declared keys; None for a table whose keys are the user's own, as names of axes."""
        self.outer: Table | None = None
        """The table whose values are defaults of this one."""
        self.written: dict[str, tuple[Range, Item]] = {}
        """The keys in the file."""
        for key, start, end, item in members:
            self.written[key] = ((start, end), make_item(item, self.inner(key)))

    @property
    def entries(self) -> Mapping[str, tuple[Range, Item]]:
        """The entries of a table whose keys are the user's own, by key with its place."""
        if self.keys is not None:
            raise TypeError(f"the keys of `{self.form}` are declared: ask for them one by one")
        return self.written

    def declared(self, key: str) -> _core.StudyKey | None:
        """The declaration of a key, if it is not the user's own.

        Raises:
            KeyError: It is not declared, so it must not be requested.
        """
        return None if self.keys is None else self.keys[key]

    def form_of(self, key: str) -> str:
        """The form of a table within this one."""
        named = f"{self.form}.NAME"
        return named if named in tables() else f"{self.form}.{key}".removeprefix(".")

    def inner(self, key: str) -> str:
        """The path of a key; with no key, that of the table."""
        return f"{self.path}.{key}" if self.path and key else self.path or key

    def place(self, key: str) -> Range | None:
        """The place of the key, or else of the table."""
        if self.has(key):
            return self.written[key][0]
        return self.outer.place(key) if self.outer is not None and self.outer.has(key) else self.range

    def has(self, key: str) -> bool:
        """Whether the key is in this very table."""
        self.declared(key)
        return key in self.written

    def item(self, key: str) -> Item | None:
        """The value of a key; of a row also that of its group."""
        if self.has(key):
            return self.written[key][1]
        return self.outer.item(key) if self.outer is not None else None

    def add(self, code: str, key: str, message: str, label: str = "", remedy: str | None = None) -> None:
        """Notes a mistake in the value of a key; without such a key, in the table."""
        item = self.item(key) if key else None
        at, path = (self.range, self.inner(key)) if item is None else (item.range, item.path)
        self.findings.add(code, at, path, message, label, remedy)

    def wrong(self, item: Item, wanted: str, remedy: str | None = None) -> None:
        """Notes that a value has the wrong type."""
        self.findings.about(Code.WRONG_TYPE, item, f"{item.noun} does not fit here", f"needs {wanted}", remedy)

    def example(self, key: str) -> str | None:
        """An example of a required key; None if it is optional."""
        declared = self.declared(key)
        return None if declared is None else declared.required

    def missing(self, key: str, example: str | None = None) -> None:
        """Notes that a key is missing."""
        example = example or self.example(key)
        owner = f"`{self.path}`" if self.path else "the study"
        message = f"{owner} lacks the key `{key}`"
        self.findings.add(
            Code.MISSING_KEY, self.range, self.inner(key), message, f"`{key}` must be given", f"add {key} = {example}"
        )

    def text(self, key: str, default: str = "", *, example: str | None = None) -> str:
        """A text; with an example the key is needed here even if it is not required everywhere."""
        item = self.item(key)
        example = example or self.example(key)
        if item is None:
            if example is not None:
                self.missing(key, example)
            return default
        if item.kind != "text":
            self.wrong(item, "text", f'write "{self.findings.written(item)}"' if item.number is not None else None)
            return default
        text = cast(str, item.content)
        if example is not None and not text.strip():
            self.findings.about(Code.BAD_VALUE, item, f"`{key}` is empty", "", f"write {key} = {example}")
        return text

    def word(self, key: str, *, needed: bool = False) -> str:
        """One of the words of a key. It can be needed here even if it is not required everywhere."""
        item, choices, usual = self.item(key), self.choices(key), str(self.usual(key) or "")
        if item is None and (needed or self.example(key) is not None):
            message = f"`{self.path}` lacks the key `{key}`"
            self.findings.add(
                Code.MISSING_KEY, self.range, self.inner(key), message, "", f"it is one of {one_of(choices)}"
            )
            return usual
        if item is None or item.kind != "text":
            return self.text(key, usual)
        found = str(item.content)
        if found not in choices:
            self.unknown_word(item, found, choices)
        return found if found in choices else usual

    def choices(self, key: str) -> Sequence[str]:
        """The words that may stand at a key."""
        declared = self.declared(key)
        return () if declared is None else declared.words

    def usual(self, key: str) -> object:
        """The default of a key; None where that depends."""
        declared = self.declared(key)
        return None if declared is None else default(declared)

    def unknown_word(self, item: Item, word: str, choices: Sequence[str]) -> None:
        """Notes that a word is none of those that there are."""
        near = _core.nearest(word, list(choices)) if len(word) > 2 else None
        help_ = FORMER.get(word, None if near is None else f'did you mean "{near}"?')
        self.findings.about(Code.UNKNOWN_WORD, item, f"`{word}` is not known here", f"must be {one_of(choices)}", help_)

    def words(self, key: str) -> tuple[str, ...]:
        """Some of the words of a key."""
        found, choices = self.texts(key), self.choices(key)
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

    def flag(self, key: str) -> bool:
        """True or false."""
        item, usual = self.item(key), self.usual(key) is True
        if item is None or item.kind == "flag":
            return usual if item is None else cast(bool, item.content)
        word = str(item.content)
        self.wrong(item, "true or false", f"write {word} without quotes" if word in ("true", "false") else None)
        return usual

    def count(self, key: str, default: int, high: int) -> int:
        """A whole number from 1 up to a limit."""
        item = self.item(key)
        if item is None:
            return default
        if item.kind != "integer":
            word = str(item.content)
            self.wrong(item, "a whole number", f"write {word} without quotes" if word.isdigit() else None)
            return default
        number = cast(int, item.content)
        if not 1 <= number <= high:
            limit = "must be at least 1" if number < 1 else f"must be at most {high}"
            self.findings.about(Code.OUT_OF_RANGE, item, f"`{number}` is out of range", limit)
            return default
        return number

    def table(self, key: str, example: str | None = None) -> Table | None:
        """A table within this one."""
        item = self.item(key)
        if item is None:
            return None
        help_ = None if example is None else f"as {key} = {example}"
        return self.as_table(item, self.place(key), self.form_of(key), help_)

    def tables(self, key: str) -> list[tuple[str, Range, Table | None]]:
        """The tables in a table, by name, with their places, as `[axes.size]`; None where a value is something else."""
        outer = self.table(key)
        if outer is None:
            return []
        return [(name, at, outer.table(name)) for name, (at, _) in outer.entries.items()]

    def rows(self, key: str) -> list[Table]:
        """A list of tables, as `[[expected]]`."""
        item = self.item(key)
        if item is None:
            return []
        if item.kind != "list":
            label = f"write [[{item.path}]], with two pairs of brackets" if item.kind == "table" else ""
            self.findings.about(Code.NOT_A_TABLE, item, f"`{item.path}` is a list of tables, not {item.noun}", label)
            return []
        form = self.form_of(key)
        return [table for part in item.items() if (table := self.as_table(part, part.range, form)) is not None]

    def as_table(self, item: Item, at: Range | None, form: str, remedy: str | None = None) -> Table | None:
        """A value that has to be a table of a form."""
        if item.kind != "table":
            self.findings.about(Code.NOT_A_TABLE, item, f"`{item.path}` is a table, not {item.noun}", "", remedy)
            return None
        return Table(self.findings, cast("list[RawMember]", item.content), item.path, at, form)

    def has_no_use(self, keys: Iterable[str], reason: str) -> None:
        """Notes keys of this very table that have no meaning beside what else it says."""
        for key in keys:
            if self.has(key):
                at, item = self.written[key]
                self.findings.add(Code.CONTRADICTION, at, item.path, f"`{key}` {reason}", "", f"leave out `{key}`")

    def finish(self) -> None:
        """Reports the keys that are not declared."""
        for key, (at, item) in self.written.items():
            if self.keys is not None and key not in self.keys:
                owner = f"`{self.path}`" if self.path else "a study"
                remedy = FORMER.get(key) or suggestion(key, self.keys)
                if self.path and key in above_tables():
                    # TOML gives a key to the table above it, whatever an empty line says.
                    remedy = f"`{key}` belongs to the study as a whole: write it above the first [table]"
                message = f"{owner} has no key `{key[:60]}`"
                self.findings.add(Code.UNKNOWN_KEY, at, item.path, message, "unknown key", remedy)


FORMER: Final = {
    "fitted": 'name the parameter as `what` of a table [[chosen]], and this target in its list `saw`: saw = ["X-1"]',
    "given": 'write "no-run"; a row that restates a setting has the key `restates`',
}
"""The replacements of former keys and words of study files."""
