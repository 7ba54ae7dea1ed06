"""`--version` with its commit, `sansim doctor`, completion of shells, manual pages."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest

from conftest import COMMAND, SMALL, Cli, clean_environment, within
from sansim import _core, commit, installation
from sansim.cli import cli as top
from sansim.commands.completion import SHELLS
from sansim.installation import GOOD, MISSING, NOTE, WRONG, Finding
from sansim.man_page import MARK, below, escaped, pages

HASH = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return within(tmp_path)


def checkout(root: Path) -> Path:
    """A folder like a checkout; the folder of the package in it."""
    package = root / "python" / "sansim"
    package.mkdir(parents=True)
    (root / "Cargo.toml").touch()
    return package


# ---------------------------------------------------------------- the commit


def test_the_commit_of_a_checkout_is_read_from_its_branch(tmp_path: Path) -> None:
    package = checkout(tmp_path)
    assert commit.commit(package) is None
    (tmp_path / ".git" / "refs" / "heads").mkdir(parents=True)
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / ".git" / "refs" / "heads" / "main").write_text(f"{HASH}\n")
    assert commit.commit(package) == HASH[:12]


def test_the_commit_is_read_from_packed_branches_work_trees_and_detached_heads(tmp_path: Path) -> None:
    package = checkout(tmp_path / "tree")
    git = tmp_path / "repository"
    own = git / "worktrees" / "tree"
    own.mkdir(parents=True)
    (tmp_path / "tree" / ".git").write_text(f"gitdir: {own}\n")
    (own / "commondir").write_text("../..\n")
    (own / "HEAD").write_text("ref: refs/heads/side\n")
    (git / "packed-refs").write_text(f"# pack-refs with: peeled\n{HASH} refs/heads/side\n")
    assert commit.commit(package) == HASH[:12]
    (own / "HEAD").write_text(f"{HASH[::-1]}\n")
    assert commit.commit(package) == HASH[::-1][:12]


def test_a_wheel_has_the_commit_that_it_was_built_from_and_no_other(tmp_path: Path) -> None:
    package = tmp_path / "lib" / "site-packages" / "sansim"
    package.mkdir(parents=True)
    # The repository of somebody else, into which sansim was installed.
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text(f"{HASH}\n")
    assert commit.commit(package) is None
    (package / "commit.txt").write_text(f"{HASH[::-1]}\n")
    assert commit.commit(package) == HASH[::-1][:12]


def test_this_checkout_tells_the_commit_that_git_tells() -> None:
    root = Path(__file__).parents[2]
    if shutil.which("git") is None or not (root / ".git").exists():
        pytest.skip("no git, or no checkout")
    said = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, capture_output=True, text=True, check=False).stdout
    if commit.checkout_of() == root and said:
        assert commit.commit() == said[:12]


# ---------------------------------------------------------------- sansim doctor


def test_an_installation_that_runs_is_in_order(cli: Cli) -> None:
    done = cli("doctor")
    assert done.returncode == 0, done.stdout
    assert done.stdout.endswith("\nsansim is in order.\n")
    for about in ("extension", "Python", "processors", "memory", "polars", "starlette", "trial run"):
        assert f"\n{about}" in done.stdout
    found = json.loads(cli("doctor", "--json").stdout)
    assert found["ok"] is True
    states = {one["state"] for one in found["findings"]}
    assert states <= {GOOD, NOTE, MISSING}


def test_what_is_wrong_or_not_there_has_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    assert installation.package("polars", "1.30").state == GOOD
    old = installation.package("polars", "999.1")
    assert (old.state, old.remedy) == (WRONG, 'pip install "polars>=999.1"')
    gone = installation.package("no_such_package_of_any_kind", "1")
    assert gone.state == WRONG
    assert "No module named" in gone.text
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "xarray", None)
    found = {one.about: one for one in installation.optional_packages()}
    assert found["pyarrow"] == Finding("pyarrow", MISSING, "for tables of results for pyarrow", "pip install pyarrow")
    assert found["xarray"].remedy == 'pip install "sansim[xarray]"'


def test_versions_are_compared_by_their_numbers() -> None:
    assert installation.numbers("2.10.0") > installation.numbers("2.9")
    assert installation.numbers("1.30") == installation.numbers("1.30.0")
    assert installation.numbers("8.1.dev3+local7") == (8, 1, 3)


def test_an_extension_of_another_version_is_wrong_and_an_old_one_is_noted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "core.so"
    file.touch()
    other = installation.extension(file, "99.0")
    assert other.state == WRONG
    assert "but the package is" in other.text
    source = tmp_path / "crates" / "a" / "src" / "lib.rs"
    source.parent.mkdir(parents=True)
    source.touch()
    monkeypatch.setattr(installation, "checkout_of", lambda: tmp_path)
    os.utime(source, (1, 1))
    assert installation.extension(file, _core.__version__).state == GOOD
    os.utime(file, (0, 0))
    stale = installation.extension(file, _core.__version__)
    assert (stale.state, stale.remedy) == (NOTE, "build it anew: ./dev setup")


def test_a_trial_run_that_fails_makes_the_exit_code_1(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise _core.ConservationError("an I/O was lost")

    monkeypatch.setattr("sansim.api.run", broken)
    found = installation.trial()
    assert (found.state, found.remedy) == (WRONG, "report it with this output")
    assert "ConservationError: an I/O was lost" in found.text
    monkeypatch.setattr(installation, "findings", lambda: iter([found]))
    from click.testing import CliRunner

    from sansim.commands.doctor import doctor

    done = CliRunner().invoke(doctor)
    assert done.exit_code == 1
    assert "wrong: trial run" in done.output
    assert json.loads(CliRunner().invoke(doctor, ["--json"]).output)["ok"] is False


# ---------------------------------------------------------------- completion


def completed(folder: Path, words: str, number: int) -> list[str]:
    """The words that bash is offered."""
    env = clean_environment() | {"COMP_WORDS": words, "COMP_CWORD": str(number), "_SANSIM_COMPLETE": "bash_complete"}
    done = subprocess.run([COMMAND], cwd=folder, env=env, capture_output=True, text=True, check=False)
    return [line.partition(",")[2] for line in done.stdout.splitlines() if line]


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_gets_a_script(cli: Cli, shell: str) -> None:
    done = cli("completion", shell)
    assert done.returncode == 0, done.stderr
    assert f"_SANSIM_COMPLETE={shell}_complete" in done.stdout
    checker = shutil.which(shell)
    if checker is not None:
        subprocess.run([checker, "-n"], input=done.stdout, text=True, check=True)


def test_commands_options_examples_and_keys_are_completed(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_bytes(SMALL.read_bytes())
    assert completed(tmp_path, "sansim st", 1) == ["studio", "study"]
    assert completed(tmp_path, "sansim run --perc", 2) == ["--percentiles"]
    assert completed(tmp_path, "sansim examples four-d", 2) == ["four-disks"]
    assert "workload.size=" in completed(tmp_path, "sansim run small.toml --set workload.s", 4)
    assert completed(tmp_path, "sansim run missing.toml --set workload.s", 4) == []


def test_another_shell_is_refused(cli: Cli) -> None:
    done = cli("completion", "csh")
    assert done.returncode == 2
    assert "'bash'" in done.stderr


# ---------------------------------------------------------------- manual pages


def test_every_command_has_a_page_with_all_its_options() -> None:
    made = pages(top, "1.2.3")
    context = click.Context(top, info_name="sansim")
    commands = [(top, context), *below(top, context)]
    assert len(made) == len(commands)
    for command, inner in commands:
        text = made[f"{inner.command_path.replace(' ', '-')}.1"]
        assert text.startswith(MARK)
        for parameter in command.get_params(inner):
            record = parameter.get_help_record(inner)
            if record is not None and record[1]:
                assert f".B {escaped(record[0])}\n" in text


def test_pages_are_roff_without_warnings() -> None:
    if shutil.which("groff") is None:
        pytest.skip("no groff")
    for name, text in pages(top, "1.2.3").items():
        command = ["groff", "-man", "-Tutf8", "-ww"]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
        assert done.stderr == "", name
        assert "NAME" in done.stdout or "N" in done.stdout


def test_text_keeps_its_dots_hyphens_and_backslashes() -> None:
    assert escaped(".toml") == "\\&.toml"
    assert escaped("--set a\\b") == "\\-\\-set a\\eb"


def test_the_command_prints_one_page_or_writes_all(cli: Cli, tmp_path: Path) -> None:
    assert cli("man", "study", "run").stdout == pages(top, _core.__version__)["sansim-study-run.1"]
    assert "sansim \\- Simulate storage networks" in cli("man").stdout
    done = cli("man", "--out", "pages")
    assert done.returncode == 0, done.stderr
    assert {file.name for file in (tmp_path / "pages").iterdir()} == set(pages(top, _core.__version__))
    (tmp_path / "pages" / "sansim.1").write_text("my notes")
    again = cli("man", "--out", "pages")
    assert again.returncode == 2
    assert (tmp_path / "pages" / "sansim.1").read_text() == "my notes"


def test_a_page_that_is_not_there_is_refused(cli: Cli) -> None:
    done = cli("man", "stduy")
    assert done.returncode == 2
    assert done.stderr == "error: there is no command 'stduy'; did you mean 'study'?\n"
    assert "leave out the command" in cli("man", "run", "--out", "pages").stderr


# ---------------------------------------------------------------- files that people look for


def test_the_citation_has_the_version_and_the_licences_of_the_package() -> None:
    root = Path(__file__).parents[2]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = (root / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {project['version']}\n" in text
    listed = re.findall(r"^  - (\S+)$", text.partition("license:\n")[2].partition("keywords:")[0], re.MULTILINE)
    assert " OR ".join(listed) == project["license"]
    for key in ("cff-version: 1.2.0", "message: ", "title: sansim", "authors:\n  - name: "):
        assert key in text


def test_the_page_on_security_names_commands_that_exist() -> None:
    text = (Path(__file__).parents[2] / "SECURITY.md").read_text(encoding="utf-8")
    commands = set(re.findall(r"`sansim ([a-z]+)", text))
    assert {"query", "studio", "doctor"} <= commands <= set(top.commands)
