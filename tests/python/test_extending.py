"""What `docs/extending.md` tells is so: each of its patches fits, touches little, and what it adds works.

Most patches fit on top of each other: with all of them the compiler is content. The long run builds each by itself and
runs the tests that it brings.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from doc_examples import ROOT

PATCHES = sorted((ROOT / "docs" / "patches").glob("*.patch"))
MOST = 2
"""So many files outside what is new may a patch touch, tests not counted."""
GENERATED = (
    "docs/scenario-reference.md",
    "docs/scenario.schema.json",
    "docs/table-reference.md",
    "crates/scenario/tests/messages/",
)
"""What is generated, and snapshots: not counted either."""
TREE = ROOT / "target" / "extending" / "tree"
BUILT = ROOT / "target" / "extending" / "built"
QUICKLY_BUILT = {
    f"CARGO_PROFILE_{profile}_{setting}": "0" for profile in ("DEV", "TEST") for setting in ("OPT_LEVEL", "DEBUG")
}
"""Nothing here runs for long."""

needs_cargo = pytest.mark.referee(shutil.which("cargo") is not None, "cargo is not installed")
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def stem(path: Path) -> str:
    return path.stem


def touched(patch: str) -> list[str]:
    """The files that a patch writes, as it names them."""
    return re.findall(r"(?m)^diff --git a/\S+ b/(\S+)$", patch)


def is_test(path: str) -> bool:
    return "/tests/" in f"/{path}" or path.endswith("/tests.rs")


def outside(patch: str) -> list[str]:
    """What a patch touches outside a new folder; tests, what is generated, and snapshots are left out."""

    def is_new(path: str) -> bool:
        return not (ROOT / path).parent.exists()

    return [path for path in touched(patch) if not (is_new(path) or is_test(path) or path.startswith(GENERATED))]


def commands(patch: str) -> list[list[str]]:
    """What has to pass with a patch: the tests that it adds or extends."""
    found = []
    for path in filter(is_test, touched(patch)):
        if path.startswith("tests/python/"):
            found.append([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", path])
            continue
        _, crate, *within = path.split("/")
        if within[:2] == ["tests", "common"]:
            continue  # what tests share is no program of its own
        # A file in a folder belongs to the program of that folder.
        which = ["--lib"] if within[0] == "src" else ["--test", Path(within[1]).stem]
        found.append(["cargo", "test", "--locked", "--package", f"sansim-{crate}", *which])
    return found


def git_apply(patch: Path, folder: Path, *options: str) -> None:
    # The folder is a tree by itself, even where it lies in a repository that leaves it out.
    env = os.environ | {"GIT_CEILING_DIRECTORIES": str(folder.parent)}
    command = ["git", "apply", *options, str(patch)]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def clean_tree() -> None:
    """Makes the tree what is here. A file that is as it should be is left alone, so that cargo knows it again."""
    here = {}
    for top in ("Cargo.toml", "Cargo.lock", "crates"):
        for path in sorted([ROOT / top] if (ROOT / top).is_file() else (ROOT / top).rglob("*")):
            if path.is_file() and "target" not in path.relative_to(ROOT).parts:
                here[path.relative_to(ROOT)] = path
    for path in [path for path in TREE.rglob("*") if path.is_file() and path.relative_to(TREE) not in here]:
        path.unlink()
    for name, path in here.items():
        copy = TREE / name
        if not copy.is_file() or copy.read_bytes() != path.read_bytes():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    for folder in sorted((path for path in TREE.rglob("*") if path.is_dir()), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()


def test_there_is_a_patch_for_each_kind_of_thing_and_the_page_shows_it() -> None:
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    of_components = {"cache_policy", "component", "drive", "figure", "raid_level", "scheduler", "segment"}
    of_fabrics = {"arbiter", "routing", "topology"}
    others = {"command", "network", "policy", "speed", "trace_format", "workload"}
    assert of_components | of_fabrics | others <= {path.stem for path in PATCHES}
    assert [path.name for path in PATCHES if f"literalinclude}} patches/{path.name}" not in page] == []


@needs_git
@pytest.mark.parametrize("path", PATCHES, ids=stem)
def test_a_patch_fits_and_touches_at_most_two_files_outside_what_is_new(path: Path) -> None:
    git_apply(path, ROOT, "--check")
    patch = path.read_text(encoding="utf-8")
    assert len(outside(patch)) <= MOST, outside(patch)
    assert commands(patch), "it has no test of its own"
    # All that is new stands in one folder.
    folders = {Path(name).parent for name in touched(patch) if not (ROOT / name).parent.exists()}
    assert len(folders) <= 1, folders


def test_what_passes_requests_on_with_something_in_between_is_short() -> None:
    patch = (ROOT / "docs" / "patches" / "component.patch").read_text(encoding="utf-8")
    [source] = re.findall(r"(?ms)^diff --git a/crates/arrays/src/delay/mod\.rs .*?(?=^diff |\Z)", patch)
    assert 20 < len(re.findall(r"(?m)^\+(?!\+\+)", source)) <= 60


def test_files_outside_are_counted_and_what_follows_from_them_is_not() -> None:
    names = [
        "crates/registry/src/lib.rs",
        "crates/drives/src/lib.rs",
        "crates/drives/src/a_new_file.rs",
        "crates/drives/src/a_new_folder/mod.rs",
        "crates/drives/src/drive/tests.rs",
        "crates/simulator/tests/another.rs",
        "crates/trace/tests/common/shared.rs",
        *GENERATED,
    ]
    patch = "".join(f"diff --git a/{name} b/{name}\n" for name in names)
    assert outside(patch) == names[:3]
    assert [command[4:] for command in commands(patch)] == [
        ["sansim-drives", "--lib"],
        ["sansim-simulator", "--test", "another"],
        ["sansim-scenario", "--test", "messages"],
    ]


def works(path: Path) -> None:
    """Builds and runs the tests of a patch that has been applied."""
    env = os.environ | QUICKLY_BUILT | {"CARGO_TARGET_DIR": str(BUILT), "RUSTFLAGS": "-D warnings"}
    for command in commands(path.read_text(encoding="utf-8")):
        done = subprocess.run(command, cwd=TREE, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{path.name}: {done.stdout}{done.stderr}"
        assert re.search(r"test result: ok\. [1-9]\d* passed; 0 failed", done.stdout), done.stdout


def fits(patch: Path) -> bool:
    """Whether a patch can be applied to the tree as it is."""
    env = os.environ | {"GIT_CEILING_DIRECTORIES": str(TREE.parent)}
    command = ["git", "apply", "--check", str(patch)]
    return subprocess.run(command, cwd=TREE, env=env, capture_output=True, check=False).returncode == 0


def compiles(paths: Sequence[Path]) -> None:
    """Has the compiler look at the crates and tests of patches that have been applied, and find nothing to warn of.

    As clippy does of the tree itself: in the same folder and for the same profile, so that crates of others are there.
    """
    # `cargo check` has no tests of a library by itself.
    whole: list[str] = []
    programs: list[str] = []
    for command in (command for path in paths for command in commands(path.read_text(encoding="utf-8"))):
        if command[0] != "cargo":
            continue
        package, which = command[3:5], command[5:]
        if which == ["--lib"]:
            whole += package
        else:
            programs += [*package, *which]
    env = os.environ | {"CARGO_TARGET_DIR": str(ROOT / "target")}
    for options in filter(None, ([*whole, "--tests"] if whole else [], programs)):
        command = ["cargo", "check", "--locked", *options]
        done = subprocess.run(command, cwd=TREE, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert not re.search(r"(?m)^warning", done.stderr), done.stderr


@needs_git
@needs_cargo
@pytest.mark.slow
def test_what_patches_add_compiles_together() -> None:
    left = PATCHES
    while left:
        clean_tree()
        together = []
        for path in left:
            if is_of_python(path):
                together.append(path)
            elif fits(path):
                git_apply(path, TREE)
                together.append(path)
        assert together, f"{[path.name for path in left]} do not fit"
        compiles(together)
        left = [path for path in left if path not in together]


def is_of_python(path: Path) -> bool:
    """Whether what a patch adds is in Python."""
    return all(command[0] != "cargo" for command in commands(path.read_text(encoding="utf-8")))


@needs_git
@pytest.mark.parametrize("path", [path for path in PATCHES if is_of_python(path)], ids=stem)
def test_what_a_patch_adds_to_python_works(path: Path, tmp_path: Path) -> None:
    for folder in ("python", "tests/python", "scenarios"):
        left_out = shutil.ignore_patterns("__pycache__", "examples")
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=left_out)
    git_apply(path, tmp_path)
    env = os.environ | {"PYTHONPATH": f"{tmp_path / 'python'}{os.pathsep}{tmp_path / 'tests' / 'python'}"}
    for command in commands(path.read_text(encoding="utf-8")):
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{path.name}: {done.stdout}{done.stderr}"
        assert re.search(r"\b[1-9]\d* passed", done.stdout), done.stdout


@needs_git
@needs_cargo
@pytest.mark.long
@pytest.mark.parametrize("path", [path for path in PATCHES if not is_of_python(path)], ids=stem)
def test_what_a_patch_adds_works(path: Path) -> None:
    clean_tree()
    git_apply(path, TREE)
    works(path)
