"""A scenario to start from: an example like the system that is meant, with some of its values replaced.

The text of the example keeps its comments; the parser says where each value is. Every question is about a key that the
example has, so a system that has no drives of its own is not asked for their number.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sansim import _core
from sansim.bundled import EXAMPLES, Example, companion, examples, text_of
from sansim.editor_schema import LINE
from sansim.study.suggest import suggestion

USUAL = "four-disks"
"""The example that is taken if none is named."""


class StarterError(ValueError):
    """No such scenario can be made; the text says why and what to do."""


@dataclass(frozen=True)
class Question:
    """A value of the scenario that is asked for."""

    name: str
    """The name of the option."""
    text: str
    keys: tuple[str, ...]
    """The keys that answer it, of which a scenario has one."""
    of_load: bool
    """Whether it is a key of the load, and not of the devices."""
    example: str


QUESTIONS = (
    Question("drives", "How many drives", ("count",), False, "8"),
    Question("size", "Bytes of each I/O", ("size",), True, "64 KiB"),
    Question("reads", "Share of reads, from 0 to 1", ("read_fraction",), True, "0.7"),
    Question("load", "I/Os in flight, or I/Os that arrive in a second", ("queue_depth", "arrivals.rate"), True, "16"),
)
"""The questions beside the first one, which system it is like."""


def like(name: str) -> Example:
    """The example with a name; or the shortest one with a component of a kind.

    Raises:
        StarterError: There is neither.
    """
    known = {one.name: one for one in examples() if one.scenario is None}
    if name in known:
        return known[name]
    having = [one for one in known.values() if name in kinds_in(text_of(file_of(one)))]
    if having:
        return min(having, key=lambda one: (len(one.files), len(text_of(file_of(one)))))
    kinds = sorted({kind for one in known.values() for kind in kinds_in(text_of(file_of(one)))})
    raise StarterError(f"there is neither an example {name!r} nor a kind; {suggestion(name, [*known, *kinds])}")


def file_of(example: Example) -> Path:
    """The file of an example."""
    return EXAMPLES / f"{example.name}.toml"


def kinds_in(text: str) -> set[str]:
    """The kinds of the components of a scenario."""
    tables = tomllib.loads(text).values()
    return {table["kind"] for table in tables if isinstance(table, dict) and isinstance(table.get("kind"), str)}


class Starter:
    """A scenario while it is made."""

    def __init__(self, example: Example) -> None:
        """Begins with the text of an example."""
        self.example = example
        self.text = text_of(file_of(example))

    def scenario(self, text: str) -> _core.Scenario:
        """A text as a scenario; raises ScenarioError."""
        return _core.Scenario.parse(text, f"{self.example.name}.toml", [], "sansim init", EXAMPLES)

    def questions(self) -> Iterator[tuple[Question, str, object]]:
        """The questions about keys that this scenario has, each with its key and its present value."""
        settings = {setting.key: setting.value for setting in self.scenario(self.text).settings()}
        written = tomllib.loads(self.text)
        named = {name for table in written.values() for name in targets(table)}
        loads = [name for name, table in written.items() if is_load(name, table, settings)]
        devices = [name for name in written if name in named and not targets(written[name])]
        for question in QUESTIONS:
            for component in loads if question.of_load else devices:
                keys = [f"{component}.{key}" for key in question.keys]
                found = next((key for key in keys if is_plain(settings.get(key))), None)
                if found is not None:
                    yield question, found, settings[found]
                    break

    def answer(self, question: Question, key: str, answer: str) -> None:
        """Takes an answer.

        Raises:
            StarterError: The value cannot be that of the key, or the scenario cannot be run with it.
        """
        from sansim.studio.edit import Editor
        from sansim.studio.errors import StudioError

        component, _, inner = key.partition(".")
        settings = {setting.key: setting.value for setting in self.scenario(self.text).settings()}
        present = settings[key]
        value: object = answer.strip()
        if isinstance(present, (int, float)):
            try:
                value = int(answer) if isinstance(present, int) else float(answer)
            except ValueError:
                raise StarterError(f"{answer!r} is not a number; write for instance {question.example}") from None
        try:
            edit = {"component": component, "key": inner, "value": value}
            text = Editor(self.text, f"{self.example.name}.toml", EXAMPLES).set(edit).text
            self.scenario(text)
        except StudioError as error:
            raise StarterError(str(error)) from None
        except _core.ScenarioError as error:
            problem = error.problems[0]
            details = f"; {problem.help}" if problem.help else ""
            label = f" ({problem.label})" if problem.label else ""
            raise StarterError(f"{problem.message}{label}{details}") from None
        self.text = text

    def written(self, file: Path, schema: str = "") -> str:
        """The text of the file, with a head that says what to do with it, and the line for editors with a schema."""
        line = f"{LINE}{schema}\n" if schema else ""
        return (
            f"{line}# Written by `sansim init --like {self.example.name}`.\n"
            f"#   sansim run {file}        simulates it\n"
            f"#   sansim explain {file}    names its bottleneck and the changes that help\n"
            f"#   sansim studio {file}     shows it as a picture\n"
            "# `sansim schema` has every key; `--set key=value` tries another value.\n\n"
            f"{self.text}"
        )

    def companions(self) -> Mapping[str, bytes]:
        """The files that the scenario reads, by name."""
        return {name: content for name in self.example.files if (content := companion(name)) is not None}


def targets(table: Any) -> tuple[str, ...]:
    """The components that a table of a scenario addresses by `to`."""
    to = table.get("to", ()) if isinstance(table, dict) else ()
    found = [to] if isinstance(to, str) else to
    return tuple(name for name in found if isinstance(name, str))


def is_load(name: str, table: Any, settings: Mapping[str, object]) -> bool:
    """Whether a table is a source of I/Os: it addresses devices, and its I/Os have a size."""
    return bool(targets(table)) and "kind" in table and is_plain(settings.get(f"{name}.size"))


def is_plain(value: object) -> bool:
    """Whether a value is a number or a quantity, and no table and no word for none."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return False
    return not isinstance(value, str) or value[:1].isdigit()
