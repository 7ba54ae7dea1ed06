"""A TOML text with the place of each key and value, as sansim's own parser gives it.

Edits are made on bytes of the text, so everything else in it stays: comments, order, layout.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sansim import _core

HEADER = re.compile(rb"[ \t]*\[\[?[ \t]*(?P<path>[^\]\n]*?)[ \t]*\]\]?")
"""The line of a table's header."""
FIRST_PART = re.compile(rb"[ \t]*\[\[?[ \t]*(?P<key>\"[^\"\n]*\"|'[^'\n]*'|[A-Za-z0-9_-]+)")
"""The first part of the path in a header."""


@dataclass(frozen=True)
class Node:
    """A value with the bytes from `begin` to `end` that it takes: of a table with a header those of the header."""

    kind: str
    value: Any
    begin: int
    end: int
    key: str = ""
    key_begin: int = 0
    key_end: int = 0
    members: tuple[Node, ...] = ()
    """The keys of a table, the items of a list."""

    def get(self, key: str) -> Node | None:
        """The member with a key."""
        return next((member for member in self.members if member.key == key), None)

    def at(self, path: str) -> Node | None:
        """The value at a dotted path with numbers in brackets, as `event[0].what`; None if it is not written."""
        node: Node | None = self
        for part, number in re.findall(r"([^.\[\]]+)(?:\[(\d+)\])?", path):
            node = None if node is None else node.get(part)
            if number and node is not None:
                node = node.members[int(number)] if int(number) < len(node.members) else None
        return node

    def everything(self) -> Iterator[Node]:
        """The node and all in it."""
        yield self
        for member in self.members:
            yield from member.everything()


@dataclass
class Source:
    """A text with its tree."""

    text: str
    name: str
    data: bytes = field(init=False)
    root: Node = field(init=False)

    def __post_init__(self) -> None:
        """Reads the text; raises ScenarioError if it is no TOML."""
        self.data = self.text.encode()
        members = tuple(node_of(member) for member in _core.Document.parse(self.text, self.name).root())
        self.root = Node("table", None, 0, len(self.data), members=members)

    def char(self, offset: int) -> int:
        """The place of a byte in UTF-16 units, by which pages count."""
        return len(self.data[:offset].decode("utf-8", "ignore").encode("utf-16-le")) // 2

    def line_begin(self, offset: int) -> int:
        """The first byte of a line."""
        return self.data.rfind(b"\n", 0, offset) + 1

    def line_end(self, offset: int) -> int:
        """The byte behind a line and its end."""
        end = self.data.find(b"\n", offset)
        return len(self.data) if end < 0 else end + 1

    def headers(self) -> list[tuple[int, str]]:
        """The beginnings of the lines with headers of tables, each with the first part of its path."""
        inside = [
            (node.begin, node.end)
            for node in self.root.everything()
            if node is not self.root and node.kind in ("text", "list", "table") and not self.is_header(node)
        ]
        found = []
        at = 0
        while at < len(self.data):
            part = FIRST_PART.match(self.data, at)
            if part and not any(begin < at < end for begin, end in inside):
                found.append((at, part["key"].decode().strip("\"'")))
            at = self.line_end(at)
        return found

    def is_header(self, node: Node) -> bool:
        """Whether the bytes of a table, or of a list of tables, are those of its header."""
        line = HEADER.match(self.data, self.line_begin(node.begin))
        return line is not None and node.begin >= line.start() and node.end <= line.end()

    def regions(self, component: str) -> list[tuple[int, int]]:
        """The bytes of the tables of a component, each with the comment directly above its header."""
        begins = [(self.above(at), name) for at, name in self.headers()]
        ends = [begin for begin, _ in begins[1:]] + [len(self.data)]
        return [(begin, end) for (begin, name), end in zip(begins, ends, strict=True) if name == component]

    def above(self, at: int) -> int:
        """The beginning of the comment lines directly above a line."""
        while at > 0:
            before = self.line_begin(at - 1)
            if not self.data[before:at].lstrip().startswith(b"#"):
                return at
            at = before
        return at


def node_of(member: tuple[str, int, int, Any]) -> Node:
    """A member of a table as the parser gives it."""
    key, begin, end, value = member
    found = value_of(value)
    return Node(found.kind, found.value, found.begin, found.end, key, begin, end, found.members)


def value_of(value: tuple[str, Any, int, int]) -> Node:
    """A value as the parser gives it."""
    kind, content, begin, end = value
    if kind == "table":
        return Node(kind, None, begin, end, members=tuple(node_of(member) for member in content))
    if kind == "list":
        return Node(kind, None, begin, end, members=tuple(value_of(item) for item in content))
    return Node(kind, content, begin, end)
