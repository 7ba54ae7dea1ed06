"""The house as its files make it: no file needs itself by way of others, and none has outgrown a room."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

from sansim import _core

ROOT = Path(__file__).parents[2]
LONGEST = 500
"""Lines of a file; a longer one says why at its head: `Longer than 500 lines: ...`."""
REASON = "Longer than 500 lines:"

Imports = dict[str, set[str]]
"""Of each file the files it names."""


def circles(imports: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """The groups of files of which each needs all others, itself included: Tarjan's strongly connected components."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(file: str) -> None:
        number[file] = lowest[file] = len(number)
        stack.append(file)
        for other in sorted(imports.get(file, ())):
            if other not in number:
                visit(other)
                lowest[file] = min(lowest[file], lowest[other])
            elif other in stack:
                lowest[file] = min(lowest[file], number[other])
        if lowest[file] == number[file]:
            group = stack[stack.index(file) :]
            del stack[stack.index(file) :]
            if len(group) > 1:
                found.append(sorted(group))

    for file in sorted(imports):
        if file not in number:
            visit(file)
    return found


# ---------------------------------------------------------------- Python


def python_imports(root: Path, package: str) -> Imports:
    """Which files of a package name which, also for types only and within functions."""
    files = {module_name(root, file): file for file in sorted((root / package).rglob("*.py"))}
    found: Imports = {}
    for file in files.values():
        tree = ast.parse(file.read_text(encoding="utf-8"))
        named = {name for node in ast.walk(tree) for name in names_of(node, files)}
        found[told(root, file)] = {told(root, files[name]) for name in named if files[name] != file}
    return found


def module_name(root: Path, file: Path) -> str:
    """`sansim.html_report.style` of its file."""
    parts = file.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def names_of(node: ast.AST, files: Mapping[str, Path]) -> Iterator[str]:
    """The modules of ours that a statement imports."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in files)
    elif isinstance(node, ast.ImportFrom) and node.module is not None and node.module in files and not node.level:
        for alias in node.names:
            inner = f"{node.module}.{alias.name}"
            if inner in files:
                yield inner
            elif inner != "sansim._core":
                # Something that the file itself has; the native part is no file of ours.
                yield node.module


def neighbours(imports: Mapping[str, Iterable[str]], folder: str) -> Imports:
    """Which of the files and packages that stand side by side in a folder name which, by any file in them."""

    def within(file: str) -> str | None:
        inner = file.removeprefix(f"{folder}/")
        return None if inner == file else inner.partition("/")[0]

    found: Imports = {}
    for file, others in imports.items():
        if (one := within(file)) is not None:
            found.setdefault(one, set()).update(
                name for name in map(within, others) if name is not None and name != one
            )
    return found


def told(root: Path, file: Path) -> str:
    """A file as a person names it."""
    return file.relative_to(root).as_posix()


# ---------------------------------------------------------------- Rust


def rust_imports(crate: Path) -> Imports:
    """Which files of a crate name which, by paths that begin with `crate`, `super` or `self`, tests left out."""
    source = crate / "src"
    files = {rust_module(source, file): file for file in sorted(source.rglob("*.rs"))}
    found: Imports = {}
    for module, file in files.items():
        named = {target(path, files) for path in rust_paths(without_tests(file.read_text(encoding="utf-8")), module)}
        others = {files[name] for name in named if name is not None and files[name] != file}
        found[told(crate.parent, file)] = {told(crate.parent, other) for other in others}
    return found


def rust_module(source: Path, file: Path) -> tuple[str, ...]:
    """The path of a module within its crate."""
    parts = file.relative_to(source).with_suffix("").parts
    return parts[:-1] if parts[-1] in ("lib", "main", "mod") else parts


def without_tests(text: str) -> str:
    """The code without comments, texts and what is only built for tests, which stands at the end of our files."""
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r'"(?:\\.|[^"\\])*"', '""', text)
    return re.split(r"#\[cfg\(test\)\]\s*(?:pub )?mod \w+ *\{", text)[0]


def rust_paths(text: str, module: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Every path that a file names, from the root of the crate."""
    for use in re.findall(r"\b(?:crate|super|self)(?:::(?:\{[^;]*?\}(?=;)|\w+|\*))+", text):
        for path in spread(use):
            first, *rest = path
            if first == "crate":
                yield tuple(rest)
                continue
            here = module if first == "self" else module[:-1]
            while rest and rest[0] == "super":
                here, rest = here[:-1], rest[1:]
            yield (*here, *rest)


def spread(use: str) -> Iterator[list[str]]:
    """The paths of a `use` with braces: `a::{b, c::d}` is `a::b` and `a::c::d`."""
    head, brace, rest = use.partition("{")
    start = [part for part in head.split("::") if part]
    if not brace:
        yield start
        return
    depth, part = 0, ""
    for character in rest:
        if character == "," and depth == 0:
            yield from (start + inner for inner in spread(part.strip()) if part.strip())
            part = ""
            continue
        if character == "}" and depth == 0:
            break
        depth += {"{": 1, "}": -1}.get(character, 0)
        part += character
    if part.strip():
        yield from (start + inner for inner in spread(part.strip()))


def target(path: tuple[str, ...], files: Mapping[tuple[str, ...], Path]) -> tuple[str, ...] | None:
    """The module that a path leads to: its longest beginning that is a file."""
    for length in range(len(path), -1, -1):
        if path[:length] in files:
            return path[:length]
    return None


CRATES = sorted(file.parent.name for file in (ROOT / "crates").glob("*/Cargo.toml"))


# ---------------------------------------------------------------- the tests


def test_no_python_file_needs_itself_by_way_of_others() -> None:
    imports = python_imports(ROOT / "python", "sansim")
    assert len(imports) > 90
    assert circles(imports) == []


def test_no_python_package_needs_itself_by_way_of_its_neighbours() -> None:
    imports = python_imports(ROOT / "python", "sansim")
    folders = sorted({file.rpartition("/")[0] for file in imports})
    assert {"sansim", "sansim/html_report", "sansim/study"} <= set(folders)
    assert {folder: found for folder in folders if (found := circles(neighbours(imports, folder)))} == {}


@pytest.mark.parametrize("crate", CRATES)
def test_no_rust_file_needs_itself_by_way_of_others(crate: str) -> None:
    imports = rust_imports(ROOT / "crates" / crate)
    assert imports
    assert circles(imports) == []


def floors_told() -> dict[str, int]:
    """The floor of each crate, as the table of ARCHITECTURE.md has it."""
    rows = re.findall(r"^\| (\d+) \| ([^|]+) \|", (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"), re.MULTILINE)
    return {crate: int(floor) for floor, rooms in rows for crate in re.findall(r"`crates/(\w+)`", rooms)}


def needed(crate: str) -> set[str]:
    """The crates of ours that one depends on, tests left out."""
    manifest = tomllib.loads((ROOT / "crates" / crate / "Cargo.toml").read_text(encoding="utf-8"))
    return {name.removeprefix("sansim-") for name in manifest.get("dependencies", {}) if name.startswith("sansim-")}


def test_every_crate_has_a_floor() -> None:
    assert sorted(floors_told()) == CRATES


@pytest.mark.parametrize("crate", CRATES)
def test_a_crate_depends_on_crates_of_lower_floors_only(crate: str) -> None:
    floors = floors_told()
    assert {other for other in needed(crate) if floors[other] >= floors[crate]} == set()


OF_FIBRE_CHANNEL = {"burst", "fabric", "fcp", "registry", "lookahead", "network", "observe", "scenario"}
"""Crates that use the rules of Fibre Channel: adapters, networks, the registry, keys of ports, formats of analyzers."""


def test_the_rules_of_fibre_channel_are_known_to_its_own_rooms_only() -> None:
    """The contract, devices, the assembly, the analytic model and the simulation know no frames."""
    assert {crate for crate in CRATES if "fc" in needed(crate)} == OF_FIBRE_CHANNEL


KINDLESS = (
    "crates/assembly/src",
    "crates/analytic/src",
    "crates/simulator/src",
    "crates/scenario/src",
    "crates/observe/src",
)
"""Rooms that know no kind of component: what differs between kinds these say themselves."""
PYTHON_WITHOUT_LISTS = ("python/sansim/html_report", "python/sansim/analysis/explain", "python/sansim/components.py")
"""What looks up kinds, colours, speeds and schedules in the catalogue, and has no lists of them."""


def rust_files(folder: str) -> Iterator[tuple[str, str]]:
    """The files of a folder without their tests, each with its text."""
    for file in sorted((ROOT / folder).rglob("*.rs")):
        if "tests" not in file.relative_to(ROOT / folder).parts and file.stem != "tests":
            yield told(ROOT, file), without_tests(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("folder", KINDLESS)
def test_a_room_above_the_registry_names_no_kind(folder: str) -> None:
    named = re.compile(r"\b(?:AnyComponent|Part|Described)::[A-Z]\w+\b(?!_)")
    constants = re.compile(r"::[A-Z_]+$")
    found = {
        file: [one for one in named.findall(text) if not constants.search(one)] for file, text in rust_files(folder)
    }
    assert {file: kinds for file, kinds in found.items() if kinds} == {}


def test_nobody_asks_a_network_of_which_kind_it_is() -> None:
    asked = re.compile(r"\b(?:is_loop|is_fabric|one_circuit)\b")
    crates = [f"crates/{crate}/src" for crate in CRATES]
    assert [file for folder in crates for file, text in rust_files(folder) if asked.search(text)] == []


def test_what_a_role_is_told_is_used_by_that_role_alone() -> None:
    text = (ROOT / "crates/component/src/build_context.rs").read_text(encoding="utf-8")
    fields = {
        name: re.findall(r"(?m)^    pub (\w+):", body)
        for name, body in re.findall(r"(?ms)^pub struct (\w+)[^{]*\{(.*?)^\}", text)
    }
    assert len(fields["BuildContext"]) <= 7
    assert {role: len(fields[role]) for role in fields if role.endswith("Role")} == {
        "NetworkRole": 3,
        "AdapterRole": 5,
        "DeviceRole": 6,
        "HostRole": 3,
        "SourceRole": 2,
        "SharedRole": 2,
    }


def test_python_has_no_list_of_kinds_or_colours_of_them() -> None:
    kinds = {kind.word for kind in _core.kinds()}
    words = {word for word in kinds if "-" in word} | {"drives", "passive", "fabric", "mirror"}
    for name in PYTHON_WITHOUT_LISTS:
        place = ROOT / name
        for file in [place] if place.is_file() else sorted(place.rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Dict | ast.Tuple | ast.List | ast.Set):
                    parts = node.keys if isinstance(node, ast.Dict) else node.elts
                    values = {part.value for part in parts if isinstance(part, ast.Constant)}
                    assert len(values & words) < 2, f"{told(ROOT, file)}:{node.lineno} lists kinds"


FACE = "the Python class of the same thing"
IN_SEVERAL_CRATES = {
    **dict.fromkeys(
        ("Code", "Document", "Figure", "Kind", "Problem", "Progress", "Quantity", "Scenario", "Segment", "Setting"),
        FACE,
    ),
    "Table": FACE,
    "Preset": "a published drive, as its crate, the registry and Python have it",
    "CLook": "the same discipline over requests of any device and over those of a disk with cylinders",
    "Fcfs": "the same discipline over requests of any device and over those of a disk with cylinders",
    "Look": "the same discipline over requests of any device and over those of a disk with cylinders",
    "LookParameters": "the same discipline over requests of any device and over those of a disk with cylinders",
    "Time": "an instant of the simulation, and the quantity that keys of a length of time have",
}
"""Public types whose name several crates have, and why."""


def test_a_public_type_has_a_name_that_no_other_crate_uses() -> None:
    """One word, one meaning: who reads a name need not ask from which crate it comes."""
    public = re.compile(r"^\s*pub (?:struct|enum|trait|type|union) (\w+)", re.MULTILINE)
    crates: dict[str, set[str]] = {}
    for crate in CRATES:
        for _, text in rust_files(f"crates/{crate}/src"):
            for name in public.findall(text):
                crates.setdefault(name, set()).add(crate)
    assert len(crates) > 1000
    several = {name: sorted(found) for name, found in crates.items() if len(found) > 1}
    assert set(several) == set(IN_SEVERAL_CRATES), several
    assert len(IN_SEVERAL_CRATES) <= 20


def test_a_file_of_more_than_500_lines_says_why() -> None:
    files = [
        file
        for folder, ending in (("crates", "*.rs"), ("python/sansim", "*.py"))
        for file in (ROOT / folder).rglob(ending)
        if "target" not in file.parts
    ]
    assert len(files) > 150
    texts = {told(ROOT, file): file.read_text(encoding="utf-8") for file in files}
    long = {file: text for file, text in texts.items() if text.count("\n") > LONGEST}
    assert [file for file, text in long.items() if REASON not in text[:2000]] == []


def test_a_circle_is_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]
    assert circles({"a": {"b"}, "b": set()}) == []


def test_a_circle_of_packages_is_found_where_no_file_is_in_one() -> None:
    imports = {"a/b/one.py": {"a/c/two.py"}, "a/c/other.py": {"a/b/more.py"}, "a/top.py": {"a/b/one.py"}, "z.py": set()}
    assert circles(imports) == []
    assert circles(neighbours(imports, "a")) == [["b", "c"]]


def test_paths_of_rust_are_read_as_the_compiler_does() -> None:
    text = """
use crate::table::{Table, quantity::{Rate, Size}};
use super::order::Timer;
// use crate::comment::Ignored;
fn f() { self::inner::g(); crate::units::short(1.0) }
#[cfg(test)]
mod tests { use crate::only_for_tests::X; }
"""
    found = set(rust_paths(without_tests(text), ("simulation", "effects")))
    assert found == {
        ("table", "Table"),
        ("table", "quantity", "Rate"),
        ("table", "quantity", "Size"),
        ("simulation", "order", "Timer"),
        ("simulation", "effects", "inner", "g"),
        ("units", "short"),
    }
