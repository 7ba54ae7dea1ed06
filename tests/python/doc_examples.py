"""The examples in Markdown pages: found, run in order, and compared with what the page says they print.

What a page means by a fenced block is told by its language, and by HTML comments on the lines right above it:

* `console`: lines that begin with `$ ` are commands for bash, one after the other in the page's folder, in which
  `scenarios`, `studies` and `plans` are found. A command goes on over lines that end in a backslash or within quotes.
  The lines below it are what it has to print (both streams, as they come); without any it only has to succeed.
* `python`: run in one namespace for the whole page. A `text` block that follows at once is what it has to print.
* `toml`: a scenario or a study file, checked.
* `sql`: a statement for `sansim query`, run over the folder of the comment `run` when all other blocks have been.
* all others (`text`, `html`, `rust`, ...) are not run.

In what a page shows, a line `...` stands for any lines, and `...` within a line for any characters.

| comment | meaning |
|---|---|
| `<!-- not run: why -->` | the block is not run |
| `<!-- file: NAME -->` | the TOML block is also kept as this file, for later blocks |
| `<!-- with: NAME -->` | the TOML block is a part: checked together with the file NAME |
| `<!-- add to: NAME -->` | the same, and the file is kept so |
| `<!-- exit code: N -->` | what the last command of the block has to end with, instead of 0 |
| `<!-- run: NAME -->` | the run folder of an `sql` block |
| `<!-- lines of: COMMAND -->` | the lines of the `text` or `toml` block are among what it prints, in this order |
| `<!-- image: FILE as images/NAME -->` | stands alone: the file that commands before have made is that image |
| `<!-- image: CHART of RUN... as images/NAME -->` | a chart that `sansim report RUN... --export` would make |

Run as a program it tries pages and, with `--write`, writes into them what the commands print today.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sansim

ROOT = Path(__file__).resolve().parents[2]
NOTE = re.compile(r"<!-- (not run|file|with|add to|exit code|run|lines of|image): (.+?) -->")
RUN = ("console", "python", "toml", "image", "sql")
"""Languages of blocks that are run."""
SHOWN = ("text", "html", "rust", "diff", "json", "ini")
"""Languages of blocks that are only shown. A block without a language is neither, so that nothing is forgotten."""
STUDY_KEYS = {
    *("scenario", "axes", "zip", "set", "replications", "metrics", "plots"),
    *("expected", "remarks", "chosen", "leave_out"),
}


@dataclass
class Block:
    """A fenced block, or a comment about an image, which stands alone."""

    line: int
    """Where it begins, from 1."""
    language: str
    text: list[str]
    notes: dict[str, str] = field(default_factory=dict)
    close: int = 0
    """Line of its closing fence."""


class ExampleError(AssertionError):
    """An example does not do what its page says."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def blocks(text: str) -> Iterator[Block]:
    """The fenced blocks of a page, with the comments above them."""
    notes: dict[str, str] = {}
    block: Block | None = None
    fence = ""
    for number, line in enumerate(text.splitlines(), 1):
        if block is not None:
            if line == fence:
                block.close = number
                yield block
                block = None
            else:
                block.text.append(line)
        elif found := re.fullmatch(r"(`{3,})([^`]*)", line):
            fence = found.group(1)
            block, notes = Block(number, found.group(2).strip(), [], notes), {}
        elif (note := NOTE.fullmatch(line)) and note.group(1) == "image":
            yield Block(number, "image", [], {"image": note.group(2)})
        elif note:
            notes[note.group(1)] = note.group(2)
        elif notes:
            raise ExampleError(number, "a comment about an example has no block right below it")
    if block is not None:
        raise ExampleError(block.line, "the block has no end")


def in_order(found: Iterable[Block]) -> list[Block]:
    """The blocks in the order in which they are run: SQL last, when all run folders of the page are there."""
    return sorted(found, key=lambda block: block.language == "sql")


def matches(shown: list[str], printed: list[str]) -> bool:
    """Whether what a page shows fits what was printed."""
    pattern = "".join(
        r"(?:[^\n]*\n)*?" if line.strip() == "..." else ".*".join(map(re.escape, line.split("..."))) + "\n"
        for line in shown
    )
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def tidy(text: str) -> list[str]:
    """Lines without blanks at their ends, and without empty lines before and after."""
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def commands(block: Block) -> Iterator[tuple[int, str, list[str]]]:
    """Commands of a console block: number of its first line in the block, command, lines shown below it."""
    start, command, shown = 0, "", list[str]()
    for number, line in enumerate(block.text):
        if line.startswith("$ "):
            if command:
                yield start, command, shown
            start, command, shown = number, line[2:], []
        elif not command:
            raise ExampleError(block.line + 1 + number, "a console block begins with `$ ` and a command")
        elif not shown and goes_on(command):
            command += "\n" + line
        else:
            shown.append(line)
    if command:
        yield start, command, shown


def goes_on(command: str) -> bool:
    """Whether a command is not complete yet: a backslash at its end, or a quote that is open."""
    quote = ""
    for letter in re.sub(r"\\.", "", command):
        if letter in "\"'" and quote in ("", letter):
            quote = "" if quote else letter
    return bool(quote) or command.endswith("\\")


class Page:
    """A page and the folder in which its examples run."""

    def __init__(self, path: Path, folder: Path, environment: dict[str, str]) -> None:
        self.path = path
        self.lines = path.read_text(encoding="utf-8").splitlines()
        self.folder = folder
        self.environment = environment
        self.names: dict[str, Any] = {}
        self.changes: list[tuple[int, int, list[str]]] = []
        """Lines of the page (from, to, counted from 0) and what they should be; kept when `write` is set."""
        self.write = False
        for name in ("scenarios", "studies", "plans"):
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("results"))

    def run(self) -> int:
        """Runs the examples in order and returns how many there were; raises ExampleError at the first bad one."""
        count = 0
        before: Block | None = None
        printed = ""
        for block in in_order(blocks("\n".join(self.lines))):
            if block.language.startswith("{") or "not run" in block.notes:
                pass
            elif block.language in RUN:
                runner: Callable[[Block], str] = getattr(self, block.language)
                printed = runner(block)
                count += 1
                if "lines of" in block.notes:
                    self.excerpt(block)
            elif block.language not in SHOWN:
                raise ExampleError(block.line, f"no language, or an unknown one: {block.language!r}")
            elif block.language == "text" and "lines of" in block.notes:
                self.excerpt(block)
                count += 1
            elif block.language == "text" and follows(before, block, self.lines):
                self.compare(block.line, block.text, tidy(printed))
            before = block
        return count

    def compare(self, first: int, shown: list[str], printed: list[str]) -> None:
        """Holds the shown lines, of which the first is the page's line `first` counted from 0, against the printed."""
        if matches(tidy("\n".join(shown)), printed):
            return
        if self.write:
            self.changes.append((first, first + len(shown), printed))
            return
        difference = "\n".join(difflib.unified_diff(shown, printed, "shown", "printed", lineterm="", n=2))
        raise ExampleError(first, f"it prints something else than the page shows\n{difference}")

    def console(self, block: Block) -> str:
        """Runs the commands of a block."""
        steps = list(commands(block))
        for number, (start, command, shown) in enumerate(steps, 1):
            expected = int(block.notes.get("exit code", "0")) if number == len(steps) else 0
            done = self.shell(command)
            if done.returncode != expected:
                raise ExampleError(block.line + 1 + start, f"exit code {done.returncode}: {command}\n{done.stdout}")
            if tidy("\n".join(shown)):
                below = block.line + start + command.count("\n") + 1
                self.compare(below, shown, tidy(done.stdout))
        return ""

    def shell(self, command: str) -> subprocess.CompletedProcess[str]:
        """Runs a command in the page's folder; both streams come out as one."""
        return subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    def excerpt(self, block: Block) -> None:
        """Holds some lines of an output against the command that prints it."""
        printed = tidy(self.shell(block.notes["lines of"]).stdout)
        rest = iter(printed)
        for number, line in enumerate(block.text):
            if line.strip() and line.rstrip() not in rest:
                missing = "\n".join(printed)
                raise ExampleError(block.line + 1 + number, f"this line is not printed, or not here: {line}\n{missing}")

    def python(self, block: Block) -> str:
        """Runs a block of Python and returns what it printed."""
        code = compile("\n" * block.line + "\n".join(block.text), str(self.path), "exec")
        out = io.StringIO()
        try:
            with contextlib.chdir(self.folder), contextlib.redirect_stdout(out):
                exec(code, self.names)
        except Exception:  # noqa: BLE001, whatever an example raises is told with its place
            raise ExampleError(block.line, traceback.format_exc(limit=-2)) from None
        return out.getvalue()

    def toml(self, block: Block) -> str:
        """Checks a scenario or a study, whole or a part."""
        text = "\n".join(block.text) + "\n"
        base = block.notes.get("with") or block.notes.get("add to")
        if base is None:
            is_study = bool(STUDY_KEYS & tomllib.loads(text).keys())
            problems = self.study(text) if is_study else scenario_problems(text, {})
        else:
            file = self.folder / base
            whole = file.read_text(encoding="utf-8")
            is_study = bool(STUDY_KEYS & tomllib.loads(whole).keys())
            if is_study:
                text = joined(whole, text)
                problems = self.study(text)
            else:
                problems = scenario_problems(whole, flat(tomllib.loads(text)))
        if problems:
            raise ExampleError(block.line, problems)
        if name := block.notes.get("file") or (block.notes.get("add to") if is_study else None):
            (self.folder / name).write_text(text, encoding="utf-8")
        return ""

    def study(self, text: str) -> str:
        """What is wrong with a study file in the page's folder, its points and figures included."""
        from sansim.study.points.plan import plan
        from sansim.study.points.probe import probe
        from sansim.study.read import read_study

        file = self.folder / "example-of-the-page.toml"
        file.write_text(text, encoding="utf-8")
        try:
            probe(plan(read_study(file)))
        except sansim.ScenarioError as error:
            return str(error)
        finally:
            file.unlink()
        return ""

    def sql(self, block: Block) -> str:
        """Asks a run folder."""
        from sansim.query import query

        query(self.folder / block.notes["run"], "\n".join(block.text))
        return ""

    def image(self, block: Block) -> str:
        """Compares an image of the documentation with the one that was just made."""
        made, name = block.notes["image"].split(" as ")
        old = self.path.parent / name
        if " of " in made:
            new = self.chart(*made.split(" of "))
        elif (self.folder / made).is_file():
            new = (self.folder / made).read_bytes()
        else:
            raise ExampleError(block.line, f"nothing has made {made}")
        if not old.is_file() or old.read_bytes() != new:
            if not self.write:
                raise ExampleError(block.line, f"{name} is not what {made} is today")
            old.parent.mkdir(exist_ok=True)
            old.write_bytes(new)
        return ""

    def chart(self, name: str, runs: str) -> bytes:
        """One chart of a report. All of them, as the command exports them, take ten times as long."""
        from sansim.html_report.contents import sections
        from sansim.html_report.folder import read
        from sansim.html_report.style import svg_file

        parts = sections(read([self.folder / run for run in runs.split()]))
        return svg_file(next(chart for part in parts for chart in part.charts if f"{chart.name}.svg" == name))

    def rewritten(self) -> str:
        """The page with what the commands print today."""
        lines = list(self.lines)
        for start, end, new in reversed(self.changes):
            lines[start:end] = new
        return "\n".join(lines) + "\n"


def follows(before: Block | None, block: Block, lines: list[str]) -> bool:
    """Whether the block stands right below a block of Python that was run."""
    if before is None or before.language != "python" or "not run" in before.notes:
        return False
    return not any(line.strip() for line in lines[before.close : block.line - 1])


def joined(whole: str, part: str) -> str:
    """A TOML file and a part of one, whose keys outside of tables come to the top."""
    head, *tables = re.split(r"(?m)^(?=\[)", part, maxsplit=1)
    return head + whole + "\n" + "".join(tables)


def flat(tree: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """A tree of tables as key paths and values."""
    result: dict[str, Any] = {}
    for key, value in tree.items():
        if isinstance(value, dict) and "distribution" not in value:
            result |= flat(value, f"{prefix}{key}.")
        else:
            result[prefix + key] = value
    return result


def scenario_problems(text: str, overrides: dict[str, Any]) -> str:
    """What is wrong with a scenario, as text; empty if nothing is."""
    return "\n".join(f"{p.code} {p.key}: {p.message}" for p in sansim.check(text, overrides))


def environment() -> dict[str, str]:
    """The environment of commands: this sansim first on the path, and nothing that changes how programs print."""
    from conftest import COMMAND, clean_environment

    return {**clean_environment(), "PATH": os.pathsep.join([str(COMMAND.parent), os.environ.get("PATH", os.defpath)])}


def main() -> int:
    """Tries pages."""
    parser = argparse.ArgumentParser(description="Try the examples of Markdown pages.")
    parser.add_argument("pages", nargs="+", type=Path, metavar="PAGE.md")
    parser.add_argument("--write", action="store_true", help="write into the pages what the commands print today")
    arguments = parser.parse_args()
    failed = 0
    for path in arguments.pages:
        with tempfile.TemporaryDirectory() as folder:
            page = Page(path, Path(folder), environment())
            page.write = arguments.write
            try:
                print(f"{path}: {page.run()} examples")  # noqa: T201
            except ExampleError as error:
                failed += 1
                print(f"{path}:{error.line}: {error}")  # noqa: T201
            if page.changes:
                path.write_text(page.rewritten(), encoding="utf-8")
                print(f"{path}: {len(page.changes)} outputs written")  # noqa: T201
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
