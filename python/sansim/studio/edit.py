"""Edits of a scenario as changes of its text: the text is the truth, and everything that is not edited stays.

Each edit is made on the bytes that the parser names, and is checked: an edit that would leave more problems than
before because of a name is refused, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from sansim._core import Code, ScenarioError
from sansim.studio.checked import Checked, check
from sansim.studio.errors import StudioError
from sansim.studio.forms import forms
from sansim.studio.spans import FIRST_PART, Node, Source
from sansim.toml_text import toml_key, toml_value

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
UNKNOWN_NAME = Code.UNKNOWN_NAME
"""The code of a problem about a name that no component has."""
JOINING = ("from", "to", "attached", "inside", "shares", "manages", "over")
"""Keys by which a component names another one, in the order in which they are tried."""
INCOMPLETE = (Code.MISSING_KEY, Code.ON_NO_LOOP, Code.NO_WAY)
"""Codes of problems that say what is still to do: a join may bring them to light and does not cause them."""
MOST_ROUNDS = 64
"""How many places a rename follows that only the checker knows."""


class Editor:
    """Edits one text."""

    def __init__(self, text: str, name: str, folder: Path) -> None:
        """A text with its name in messages and the folder for the files that it names."""
        self.name, self.folder = name, folder
        self.source = self.parsed(text)

    def parsed(self, text: str) -> Source:
        """The text with its tree; raises StudioError if it is no TOML, which has to be mended by hand."""
        try:
            return Source(text, self.name)
        except ScenarioError as error:
            raise StudioError(
                "not-toml", f"the text has to be TOML before it can be edited as a picture: {error.problems[0].message}"
            ) from None

    def check(self, source: Source) -> Checked:
        """The answer to a check of a text."""
        return check(source.text, self.name, self.folder)

    def apply(self, edit: dict[str, Any]) -> Source:
        """The text after an edit."""
        edits: dict[str, Callable[[dict[str, Any]], Source]] = {
            "set": self.set,
            "unset": self.unset,
            "add": self.add,
            "connect": self.connect,
            "disconnect": self.disconnect,
            "rename": self.rename,
            "remove": self.remove,
        }
        do = edits.get(str(edit.get("do")))
        if do is None:
            raise StudioError("bad-edit", f"there is no edit {edit.get('do')!r}; edits: {', '.join(edits)}")
        return do(edit)

    # ---------------------------------------------------------------- keys

    def component(self, name: object) -> Node:
        """The table of a component."""
        node = self.source.root.get(str(name))
        if node is None or node.kind != "table":
            raise StudioError("no-component", f"there is no component {name!r}")
        return node

    def set(self, edit: dict[str, Any]) -> Source:
        """Sets a key of a component, or of a table such as `run`."""
        component, key = str(edit.get("component")), str(edit.get("key"))
        try:
            value = toml_value(edit.get("value"))
        except TypeError as error:
            raise StudioError("bad-value", str(error)) from None
        if self.source.root.get(component) is None and component in forms()["tables"]:
            return self.appended(f"[{component}]\n{dotted(key)} = {value}\n", first=True)
        return self.with_key(self.source, component, key, value)

    def with_key(self, source: Source, component: str, key: str, value: str) -> Source:
        """The text with a value, written as TOML, for a key of a component."""
        node = source.root.get(component)
        if node is None or node.kind != "table":
            raise StudioError("no-component", f"there is no component {component!r}")
        found = node.at(key)
        if found is not None and found.kind != "table":
            return self.replaced(source, [(found.begin, found.end, value)])
        # The deepest table of the path that is written as a table of its own; dotted keys are added in dotted keys.
        parts = key.split(".")
        depth, inner = 0, node
        for at, part in enumerate(parts[:-1], 1):
            found = inner.get(part)
            if found is None or found.kind != "table":
                break
            inner = found
            if source.is_header(inner) or is_inline(source, inner):
                node, depth = inner, at
        line = f"{dotted('.'.join(parts[depth:]))} = {value}"
        if is_inline(source, node):
            filled = any(member.kind != "none" for member in node.members)
            at = max((member.end for member in node.members), default=node.begin + 1)
            return self.replaced(source, [(at, at, f", {line}" if filled else f" {line} ")])
        if not source.is_header(node):
            raise StudioError("not-editable", f"{component} is written in dotted keys; add {key} in the text")
        own = [member for member in node.members if not source.is_header(member)]
        last = max((member.end for member in own), default=node.end)
        at = source.line_end(last)
        begin = "" if at == 0 or source.data[at - 1 : at] == b"\n" else "\n"
        return self.replaced(source, [(at, at, f"{begin}{line}\n")])

    def unset(self, edit: dict[str, Any]) -> Source:
        """Takes out a key, which has its default from then on."""
        node = self.component(edit.get("component")).at(str(edit.get("key")))
        if node is None or node.kind == "table":
            raise StudioError("no-key", f"{edit.get('component')} has no key {edit.get('key')!r} in the text")
        begin, end = self.source.line_begin(node.key_begin), self.source.line_end(node.end)
        if self.source.data[begin : node.key_begin].strip():
            raise StudioError("not-editable", f"{edit.get('key')} shares its line with other keys; edit the text")
        return self.replaced(self.source, [(begin, end, "")])

    # ---------------------------------------------------------------- components

    def add(self, edit: dict[str, Any]) -> Source:
        """Adds a component with the keys that its kind requires."""
        kind, name = str(edit.get("kind")), str(edit.get("name"))
        described = next((one for one in forms()["kinds"] if one["kind"] == kind), None)
        if described is None:
            raise StudioError("no-kind", f"there is no kind of component {kind!r}")
        if not NAME.fullmatch(name):
            raise StudioError("bad-name", f"{name!r} cannot be a name: a letter, then letters, digits, - and _")
        if self.source.root.get(name) is not None:
            raise StudioError("taken", f"there is a table {name!r} already", "choose another name")
        lines = [f"[{name}]", f"kind = {toml_value(kind)}"]
        for key in described["keys"]:
            if key["required"]:
                lines.append(f"{dotted(key['key'])} = {toml_value(first_value(key))}")
        added = self.appended("\n".join(lines) + "\n")
        keys = {key["key"]: key["required"] for key in described["keys"]}
        # The devices behind a device are for the user to choose; a workload has hosts and devices to begin with.
        named = [key for key, required in keys.items() if required and (key != "to" or "from" in keys)]
        return self.with_names(added, name, named)

    def with_names(self, source: Source, component: str, keys: list[str]) -> Source:
        """Gives required keys that name another component the first one that fits."""
        tables = [node for node in source.root.members if node.kind == "table" and node.get("kind")]
        asked = {item.value for node in tables for item in members_of(node, "to")}
        # A device that nothing asks yet is more often meant than one behind another.
        names = sorted((node.key for node in tables), key=asked.__contains__)
        for key in keys:
            place = f"{component}.{key}"

            def is_wrong(tried: Source, place: str = place) -> bool:
                return any(problem["key"].startswith(place) for problem in self.check(tried).problems)

            if is_wrong(source):
                tries = (self.with_key(source, component, key, toml_value(name)) for name in names if name != component)
                source = next((tried for tried in tries if not is_wrong(tried)), source)
        return source

    def remove(self, edit: dict[str, Any]) -> Source:
        """Takes out a component, with the comments directly above its tables, and its names elsewhere."""
        name = str(edit.get("component"))
        self.component(name)
        regions = self.source.regions(name)
        if not regions:
            raise StudioError("not-editable", f"{name} has no header of its own; take it out in the text")
        inside = [(begin, end, "") for begin, end in regions]
        names = [
            change
            for node, parent in self.names_of(name)
            if not any(begin <= node.begin < end for begin, end in regions)
            for change in self.without(node, parent)
        ]
        return self.replaced(self.source, inside + names)

    def without(self, node: Node, parent: Node) -> list[tuple[int, int, str]]:
        """The change that takes a name out of its list; a name that is in no list stays, and is a problem then."""
        if parent.kind != "list":
            return []
        place = parent.members.index(node)
        if place + 1 < len(parent.members):
            return [(node.begin, parent.members[place + 1].begin, "")]
        if place:
            return [(parent.members[place - 1].end, node.end, "")]
        return [(node.begin, node.end, "")]

    def rename(self, edit: dict[str, Any]) -> Source:
        """Gives a component another name, here and wherever it is named."""
        old, new = str(edit.get("component")), str(edit.get("name"))
        self.component(old)
        if not NAME.fullmatch(new):
            raise StudioError("bad-name", f"{new!r} cannot be a name: a letter, then letters, digits, - and _")
        if self.source.root.get(new) is not None:
            raise StudioError("taken", f"there is a table {new!r} already", "choose another name")
        before = self.check(self.source)
        changes = list(self.header_changes(old, new))
        if not changes:
            raise StudioError("not-editable", f"{old} has no header of its own; rename it in the text")
        changes += [(node.begin, node.end, toml_value(renamed(node.value, old, new))) for node, _ in self.names_of(old)]
        if self.is_template(old):
            # The components of a template are named after its use.
            changes += [(node.begin, node.end, toml_value(renamed(node.value, old, new))) for node in self.made_of(old)]
        source = self.replaced(self.source, changes)
        # A name that only the checker knows as such is reported now as unknown.
        for _ in range(MOST_ROUNDS):
            wrong = self.unknown(source, old, new)
            if wrong is None:
                break
            source = self.replaced(source, [wrong])
        after = self.check(source)
        if after.errors > before.errors:
            reason = next(problem for problem in after.problems if problem["severity"] == "error")
            raise StudioError("not-renamed", f"{old} cannot be renamed in the picture: {reason['message']}")
        return source

    def is_template(self, name: str) -> bool:
        """Whether a table is a use of a template of this file."""
        kind = value_of(self.component(name), "kind")
        templates = self.source.root.get("templates")
        return templates is not None and templates.get(kind) is not None

    def made_of(self, name: str) -> Iterator[Node]:
        """The texts that name components that a use of a template makes: `left-host` and `left-0-host` for `left`."""
        scenario = self.check(self.source).scenario
        seen: set[int] = set()
        for key, _, written, _ in [] if scenario is None else scenario.references():
            if written.startswith(f"{name}-"):
                for item, _ in texts(self.source.root.at(key), self.source.root):
                    if str(item.value).startswith(f"{name}-") and item.begin not in seen:
                        seen.add(item.begin)
                        yield item

    def unknown(self, source: Source, old: str, new: str) -> tuple[int, int, str] | None:
        """The change of a text or a key that still has a component's old name, and that the checker does not know."""
        for problem in self.check(source).problems:
            if problem["severity"] != "error":
                continue
            for node in source.root.everything():
                if self.is_there(source, problem, node.key_begin, node.key_end) and is_name_of(node.key, old):
                    return node.key_begin, node.key_end, toml_key(renamed(node.key, old, new))
                if (
                    node.kind == "text"
                    and self.is_there(source, problem, node.begin, node.end)
                    and is_name_of(node.value, old)
                ):
                    return node.begin, node.end, toml_value(renamed(node.value, old, new))
        return None

    def is_there(self, source: Source, problem: dict[str, Any], begin: int, end: int) -> bool:
        """Whether a problem is at these bytes, or is about something around them."""
        first, last = source.char(begin), source.char(end)
        return first < last and problem["begin"] < last and first < problem["end"]

    def header_changes(self, old: str, new: str) -> Iterator[tuple[int, int, str]]:
        """The changes of the headers of a component's tables."""
        for at, first in self.source.headers():
            part = FIRST_PART.match(self.source.data, at)
            if first == old and part is not None:
                yield part.start("key"), part.end("key"), toml_key(new)

    def names_of(self, name: str) -> Iterator[tuple[Node, Node]]:
        """The texts that name a component, its ports or its members, each with the list or table that it is in."""
        scenario = self.check(self.source).scenario
        if scenario is None:
            # A scenario that cannot be read yet: its names are those in the keys that join components.
            for component in self.source.root.members:
                for key in ("stations", *JOINING):
                    node = component.at(key) if component.kind == "table" else None
                    for item, parent in texts(node, component):
                        if is_name_of(item.value, name):
                            yield item, parent
            return
        seen: set[int] = set()
        for key, _, written, _ in scenario.references():
            node = self.source.root.at(key)
            if not is_name_of(written, name) or node is None:
                continue
            for item, parent in texts(node, self.source.root):
                if is_name_of(item.value, name) and item.begin not in seen:
                    seen.add(item.begin)
                    yield item, parent

    # ---------------------------------------------------------------- joins

    def connect(self, edit: dict[str, Any]) -> Source:
        """Joins a component to another one: puts it into the list of a network, or names the other in a key."""
        one, other = str(edit.get("component")), str(edit.get("to"))
        nodes = {name: self.component(name) for name in (one, other)}
        kinds = {one["kind"]: one for one in forms()["kinds"]}
        before = self.check(self.source)
        reasons: list[str] = []
        for name, to in ((one, other), (other, one)):
            for source, at in self.joined(name, nodes[name], to, nodes[to], kinds):
                after = self.check(source)
                wrong = [problem for problem in named_problems(after) if problem["key"].startswith(at)]
                wrong += [problem for problem in caused(before, after) if problem not in wrong]
                if not wrong:
                    return source
                reasons += [problem["message"] for problem in wrong]
        reason = f": {reasons[0]}" if reasons else ""
        raise StudioError("not-joined", f"{one} and {other} cannot be joined{reason}")

    def joined(
        self, name: str, node: Node, to: str, to_node: Node, kinds: dict[str, Any]
    ) -> Iterator[tuple[Source, str]]:
        """The texts in which a component is joined to another, one text for each key that could join them."""
        kind = kinds.get(value_of(node, "kind"))
        known = {} if kind is None else {key["key"]: key for key in kind["keys"]}
        to_kind = kinds.get(value_of(to_node, "kind"))
        if to_kind is not None and to_kind["drawn"]:
            # Ports are tables of a component: those that are written, then those that its kind has.
            tables = (*ports_of(node), *dict.fromkeys(key.split(".")[0] for key in known if "." in key))
            for port in (name, *(f"{name}.{path}" for path in tables)):
                if port not in [item.value for item in members_of(to_node, "stations")]:
                    yield self.named(to, "stations", port), f"{to}.stations"
        for key in JOINING:
            if key in known and to not in [item.value for item in members_of(node, key)]:
                yield self.named(name, key, to), f"{name}.{key}"

    def named(self, component: str, key: str, name: str) -> Source:
        """The text with one more name in a key: in its list, or instead of the only name that it may have."""
        node = self.component(component)
        found = node.at(key)
        takes_several = key == "stations" or self.takes_list(value_of(node, "kind"), key)
        if found is None:
            return self.with_key(self.source, component, key, toml_value([name] if takes_several else name))
        if found.kind == "list" and found.members:
            last = found.members[-1].end
            return self.replaced(self.source, [(last, last, f", {toml_value(name)}")])
        kept = [found.value] if takes_several and found.kind == "text" and found.value else []
        value = toml_value([*kept, name] if takes_several else name)
        return self.replaced(self.source, [(found.begin, found.end, value)])

    def takes_list(self, kind: str, key: str) -> bool:
        """Whether a key of a kind may have a list."""
        described = next((one for one in forms()["kinds"] if one["kind"] == kind), None)
        return described is not None and any(one["key"] == key and one["type"] == "list" for one in described["keys"])

    def disconnect(self, edit: dict[str, Any]) -> Source:
        """Takes the names of one component out of the keys of the other, either way."""
        one, other = str(edit.get("component")), str(edit.get("to"))
        changes = []
        for name, owner in ((one, other), (other, one)):
            table = self.component(owner)
            mine = {id(node) for node in table.everything()}
            changes += [
                change
                for node, parent in self.names_of(name)
                if id(node) in mine
                for change in self.without(node, parent) or self.emptied(node, value_of(table, "kind"))
            ]
        if not changes:
            raise StudioError(
                "not-joined", f"{one} and {other} are not joined by a list; change the key that joins them"
            )
        return self.replaced(self.source, changes)

    def emptied(self, node: Node, kind: str) -> list[tuple[int, int, str]]:
        """The change that leaves an empty list where the only name of a list is written without it."""
        return [(node.begin, node.end, "[]")] if self.takes_list(kind, node.key) else []

    # ---------------------------------------------------------------- text

    def appended(self, lines: str, *, first: bool = False) -> Source:
        """The text with a table at its end, or before all other tables."""
        source = self.source
        if first and source.headers():
            at = source.above(source.headers()[0][0])
            return self.replaced(source, [(at, at, lines + "\n")])
        data = source.data
        gap = "" if not data or data.endswith(b"\n\n") else "\n" if data.endswith(b"\n") else "\n\n"
        return self.replaced(source, [(len(data), len(data), gap + lines)])

    def replaced(self, source: Source, changes: list[tuple[int, int, str]]) -> Source:
        """The text with some of its bytes replaced; all others stay."""
        data = source.data
        for begin, end, text in sorted(set(changes), reverse=True):
            data = data[:begin] + text.encode() + data[end:]
        return self.parsed(data.decode())


def dotted(key: str) -> str:
    """A path of keys as TOML writes it."""
    return ".".join(toml_key(part) for part in key.split("."))


def is_inline(source: Source, node: Node) -> bool:
    """Whether a table is written in braces."""
    return source.data[node.begin : node.begin + 1] == b"{"


def is_name_of(written: object, name: str) -> bool:
    """Whether a text names a component, one of its ports, or some of its members."""
    return isinstance(written, str) and re.match(rf"{re.escape(name)}(?:[.\[]|$)", written) is not None


def renamed(written: str, old: str, new: str) -> str:
    """A name with its component renamed."""
    return new + written[len(old) :]


def texts(node: Node | None, parent: Node) -> Iterator[tuple[Node, Node]]:
    """The texts of a value: itself, or those in its list, each with what it is in."""
    if node is None:
        return
    if node.kind == "text":
        yield node, parent
    elif node.kind == "list":
        for item in node.members:
            yield from texts(item, node)


def members_of(table: Node, key: str) -> tuple[Node, ...]:
    """The texts of a key."""
    return tuple(item for item, _ in texts(table.at(key), table))


def value_of(table: Node, key: str) -> str:
    """The text of a key; empty if it is not written."""
    node = table.get(key)
    return str(node.value) if node is not None and node.kind == "text" else ""


def ports_of(node: Node) -> Iterator[str]:
    """The paths of tables that may be ports of a component, such as `adapters.a`."""
    for group in node.members:
        if group.kind == "table":
            for member in group.members:
                if member.kind == "table":
                    yield f"{group.key}.{member.key}"


def named_problems(found: Checked) -> list[dict[str, Any]]:
    """The problems about names."""
    return [problem for problem in found.problems if problem["code"] == UNKNOWN_NAME]


def caused(before: Checked, after: Checked) -> list[dict[str, Any]]:
    """The errors that an edit made, apart from those that say what is still to do."""
    known = {(problem["code"], problem["key"], problem["message"]) for problem in before.problems}
    return [
        problem
        for problem in after.problems
        if problem["severity"] == "error"
        and problem["code"] not in INCOMPLETE
        and (problem["code"], problem["key"], problem["message"]) not in known
    ]


def first_value(key: dict[str, Any]) -> Any:
    """A value to begin with for a required key."""
    if key["example"] is not None:
        return key["example"]
    if key["choices"]:
        return key["choices"][0]
    return {"integer": key["minimum"] or 1, "float": 1.0, "flag": False, "list": []}.get(key["type"], "")
