"""The answer to a check of a text: problems with their places, components with their keys, the graph."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sansim import _core
from sansim.studio.spans import Node, Source


@dataclass(frozen=True)
class Checked:
    """The answer to a check."""

    problems: list[dict[str, Any]]
    scenario: _core.Scenario | None
    source: Source | None

    @property
    def errors(self) -> int:
        """How many problems keep the scenario from running."""
        return sum(problem["severity"] == "error" for problem in self.problems)

    def as_json(self) -> dict[str, Any]:
        """As the page gets it."""
        components = [] if self.source is None else components_of(self.source)
        return {
            "problems": self.problems,
            "graph": None if self.scenario is None else json.loads(self.scenario.graph_json()),
            "names": [{key: one[key] for key in ("name", "begin", "end", "table_begin")} for one in components],
            "components": components,
        }


def check(text: str, name: str, folder: Path) -> Checked:
    """Checks the text of a scenario; files that it names are looked for in the folder."""
    problems: list[dict[str, Any]] = []
    scenario = None
    try:
        scenario = _core.Scenario.parse(text, name, [], folder=folder)
    except _core.ScenarioError as error:
        problems = [problem_of(text, problem) for problem in error.problems]
    source = None
    # If the text is no TOML, the problems say it already.
    with contextlib.suppress(_core.ScenarioError):
        source = Source(text, name)
    if scenario is not None:
        problems = [warning_of(source, line) for line in scenario.warnings()]
    return Checked(problems, scenario, source)


def problem_of(text: str, problem: _core.Problem) -> dict[str, Any]:
    """A problem with its place in UTF-16 units, by which pages count."""
    begin = end = 0
    if problem.line is not None and problem.column is not None:
        lines = text.splitlines(keepends=True)
        before = "".join(lines[: problem.line - 1])
        line = lines[problem.line - 1].rstrip("\r\n") if problem.line <= len(lines) else ""
        first = problem.column - 1
        begin = units(before) + units(line[:first])
        end = begin + max(units(line[first : first + (problem.width or 1)]), 1)
    return {
        "code": problem.code,
        "severity": "error",
        "message": problem.message,
        "label": problem.label,
        "hint": problem.help,
        "key": problem.key,
        "begin": begin,
        "end": min(end, units(text)),
        "line": problem.line,
        "column": problem.column,
    }


def units(text: str) -> int:
    """The length of a text in UTF-16 units."""
    return len(text.encode("utf-16-le")) // 2


def warning_of(source: Source | None, line: str) -> dict[str, Any]:
    """A warning, at the key with which it begins, if it begins with one."""
    key = line.split(":")[0].strip("` ")
    node = None if source is None else source.root.at(key)
    begin, end = (0, 0) if node is None or source is None else (source.char(node.key_begin), source.char(node.key_end))
    return {
        "code": "warning",
        "severity": "warning",
        "message": line,
        "label": "",
        "hint": None,
        "key": key if node else "",
        "begin": begin,
        "end": end,
        "line": None,
        "column": None,
    }


def components_of(source: Source) -> list[dict[str, Any]]:
    """The components in the order of the text, with the keys that are written."""
    found = []
    for node in source.root.members:
        kind = node.get("kind") if node.kind == "table" else None
        if kind is None or kind.kind != "text":
            continue
        keys = [
            {"key": path, "value": plain(key), "begin": source.char(key.begin), "end": source.char(key.end)}
            for path, key in scalars(node)
        ]
        begin, end = source.char(node.key_begin), source.char(node.key_end)
        count = node.get("count")
        found.append(
            {
                "name": node.key,
                "kind": kind.value,
                "count": count.value if count is not None and count.kind == "integer" else None,
                "begin": begin,
                "end": end,
                "table_begin": source.char(source.line_begin(node.key_begin)),
                "keys": keys,
            }
        )
    return found


def scalars(table: Node, before: str = "") -> list[tuple[str, Node]]:
    """The keys of a table and of the tables in it, with their paths."""
    found = []
    for node in table.members:
        path = f"{before}{node.key}"
        if node.kind == "table":
            found += scalars(node, f"{path}.")
        else:
            found.append((path, node))
    return found


def plain(node: Node) -> Any:
    """A value as JSON has it."""
    if node.kind == "list":
        return [plain(item) for item in node.members]
    if node.kind == "table":
        return {member.key: plain(member) for member in node.members}
    return node.value
