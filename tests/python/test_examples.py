"""The examples that come with sansim, and what is built to be installed elsewhere."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

import sansim
from conftest import COMMAND, Cli
from installation import (
    folders,
    gives_the_same,
    pythons,
    says_what_the_studio_lacks,
    shows_the_studio,
    smoke,
    version_of,
)
from sansim.studio_page.assets import assets
from study_cli_support import invoke

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = {file.stem: file for file in (ROOT / "scenarios").glob("*.toml")}
STUDIES = {file.stem: file for file in (ROOT / "studies" / "examples").glob("*.toml")}
PLANS = {"department": ROOT / "plans" / "department.toml"}
SHIPPED = sorted([*SCENARIOS, *STUDIES, *PLANS])
OF_PLANS = ("department-parts.toml", "department-system.toml")
"""What plans need beside themselves."""
NEEDED = ("adapter-rates.csv", "data-sheet.csv", "fio-job.fio", "replay.csv.gz")
"""What scenarios and the examples of fits need beside themselves."""
FOLDERS = ("examples", "example_studies", "example_plans")
"""Where they are in the package."""


def test_examples_are_listed_with_a_line_each(cli: Cli) -> None:
    done = cli("examples")
    assert (done.returncode, done.stderr) == (0, "")
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    lines = [line for line in done.stdout.splitlines() if line.startswith("  ") and line[2] != " "]
    assert sorted(line.split()[0] for line in lines) == SHIPPED
    assert all(len(line.split()) > 3 for line in lines)
    assert "needs four-disks.toml" in next(line for line in lines if "queue-depth" in line)
    plan = done.stdout.partition("  department")[2].splitlines()
    assert plan[1].strip() == "(needs department-system.toml, department-parts.toml)"


def test_examples_are_written_as_they_are_and_are_sound(tmp_path: Path) -> None:
    for name in SHIPPED:
        code, written, errors = invoke(tmp_path, "examples", name)
        assert (code, errors) == (0, "")
        text = (SCENARIOS | STUDIES | PLANS)[name].read_text(encoding="utf-8")
        if name in STUDIES:
            # Its scenario is looked for beside it.
            assert text.count('\nscenario = "../../scenarios/') == 1
            text = text.replace("../../scenarios/", "")
        assert written == text
        (tmp_path / f"{name}.toml").write_text(written, encoding="utf-8")
    for file in NEEDED:
        (tmp_path / file).write_bytes(
            subprocess.run([COMMAND, "examples", file], capture_output=True, check=True).stdout
        )
        assert (tmp_path / file).read_bytes() == (ROOT / "scenarios" / file).read_bytes()
    for file in OF_PLANS:
        code, written, errors = invoke(tmp_path, "examples", file)
        assert (code, errors, written) == (0, "", (ROOT / "plans" / file).read_text(encoding="utf-8"))
        (tmp_path / file).write_text(written, encoding="utf-8")
    # Checked when all are there, as studies need their scenarios and scenarios the files that they name.
    for name in SHIPPED:
        code, _, errors = invoke(tmp_path, "check", f"{name}.toml")
        # What a job file says that means nothing here is told.
        assert (code, "error" in errors) == (0, False), name


def test_an_example_may_be_named_as_the_file_it_becomes(cli: Cli) -> None:
    assert cli("examples", "four-disks.toml").stdout == sansim.example("four-disks")


def test_unknown_example_is_refused_with_what_there_is(cli: Cli) -> None:
    done = cli("examples", "two-node")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: there is no example 'two-node'; did you mean `two-nodes`?\n"
    assert "known here: `all-flash-array`" in cli("examples", "zzz").stderr


def test_there_is_one_copy_of_the_examples() -> None:
    assert (ROOT / "python" / "sansim" / "examples").samefile(ROOT / "scenarios")
    assert (ROOT / "python" / "sansim" / "example_studies").samefile(ROOT / "studies" / "examples")
    assert (ROOT / "python" / "sansim" / "example_plans").samefile(ROOT / "plans")


@pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not on PATH")
def test_the_source_distribution_holds_the_examples_as_files(tmp_path: Path) -> None:
    maturin = COMMAND.with_name("maturin")
    subprocess.run([maturin, "sdist", "--out", tmp_path], cwd=ROOT, capture_output=True, timeout=100, check=True)
    (package,) = tmp_path.iterdir()
    with tarfile.open(package) as content:
        held = [Path(member.name) for member in content if member.isfile()]
    names = {folder: {path.name for path in held if path.match(f"python/sansim/{folder}/*")} for folder in FOLDERS}
    assert names == {
        "examples": {*(f"{name}.toml" for name in SCENARIOS), *NEEDED},
        "example_studies": {f"{name}.toml" for name in STUDIES},
        "example_plans": {*(f"{name}.toml" for name in PLANS), *OF_PLANS},
    }


def script(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    file.chmod(0o755)


def test_every_supported_python_is_found_once(tmp_path: Path) -> None:
    script(tmp_path / "a" / "python3.12", "echo 3 12")
    script(tmp_path / "b" / "python3.12", "echo 3 12")
    script(tmp_path / "b" / "python3.14", "echo 3 14")
    script(tmp_path / "b" / "python3.10", "echo 3 10")
    script(tmp_path / "b" / "python3.13", "echo 'pyenv: python3.13: command not found' >&2; exit 127")
    script(tmp_path / "b" / "python3.14t", "echo 3 14")
    script(tmp_path / "b" / "python3.15", "echo 0 0")
    script(tmp_path / "b" / "python3.12-config", "echo 3 12")
    found = pythons([tmp_path / "a", tmp_path / "missing", tmp_path / "b"])
    assert found == {(3, 12): tmp_path / "a" / "python3.12", (3, 14): tmp_path / "b" / "python3.14"}


def test_this_python_is_among_those_that_are_tried(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert version_of(Path(sys.executable)) == sys.version_info[:2]
    script(tmp_path / "versions" / "3.99.1" / "bin" / "python3.99", "echo 3 99")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert {sys.version_info[:2], (3, 99)} <= pythons(folders()).keys()


@pytest.mark.long
def test_what_is_tried_of_an_installation_works_here(tmp_path: Path) -> None:
    """Other tests look at the same from the checkout: all examples (above), runs, pages, and studies."""
    smoke(COMMAND.parent, tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(not assets(), reason="NO PAGE: the page of the studio is not built; `./dev page` builds it")
def test_the_studio_of_an_installation_is_asked_for_its_page(tmp_path: Path) -> None:
    shows_the_studio(COMMAND.parent, tmp_path)
    with pytest.raises(AssertionError):
        script(tmp_path / "bin" / "sansim", "echo error: no such command >&2; exit 2")
        says_what_the_studio_lacks(tmp_path / "bin", tmp_path)
    script(tmp_path / "without" / "sansim", """echo 'error: pip install "sansim[studio]"' >&2; exit 1""")
    says_what_the_studio_lacks(tmp_path / "without", tmp_path)


def test_an_installation_that_lacks_something_is_noticed(tmp_path: Path) -> None:
    script(tmp_path / "bin" / "sansim", "exit 3")
    with pytest.raises(subprocess.CalledProcessError):
        smoke(tmp_path / "bin", tmp_path)


def test_an_installation_that_gives_something_else_is_noticed(tmp_path: Path) -> None:
    script(tmp_path / "here" / "sansim", """echo '{"summary": {"iops": 1.0}, "run": {"wall_s": 1}}'""")
    script(tmp_path / "same" / "sansim", """echo '{"summary": {"iops": 1.0}, "run": {"wall_s": 2}}'""")
    script(tmp_path / "other" / "sansim", """echo '{"summary": {"iops": 1.0000000000000002}, "run": {"wall_s": 1}}'""")
    gives_the_same(tmp_path / "here", tmp_path / "same", tmp_path)
    with pytest.raises(AssertionError, match="four-disks gives something else"):
        gives_the_same(tmp_path / "here", tmp_path / "other", tmp_path)
