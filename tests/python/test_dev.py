"""The ./dev command where it can be tested without setting up again."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import signal
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def dev() -> ModuleType:
    loader = importlib.machinery.SourceFileLoader("dev", str(ROOT / "dev"))
    spec = importlib.util.spec_from_loader("dev", loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = writes
    return module


def test_tests_are_counted_by_their_closing_lines(dev: ModuleType) -> None:
    cargo = [
        "running 3 tests\n",
        "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
        "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
    ]
    assert dev.count(cargo) == (4, 2, 1)
    assert dev.count(["12 passed in 0.31s\n"]) == (12, 0, 0)
    assert dev.count(["=== 1 failed, 3 passed, 2 skipped, 1 warning, 2 errors in 61.2s (0:01:01) ===\n"]) == (3, 3, 2)
    assert dev.count(["All checks passed!\n", "2 files already formatted\n"]) == (0, 0, 0)


def test_a_step_beside_others_is_shown_and_counted_when_it_is_awaited(
    dev: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    tally = dev.Tally()
    env = dict(os.environ)
    tally.begin("good", [sys.executable, "-c", "print('12 passed in 0.31s')"], env)
    tally.begin("bad", [sys.executable, "-c", "print('told why'); raise SystemExit(3)"], env)
    assert "told why" not in capsys.readouterr().out
    assert not tally.wait("bad")
    assert tally.wait("good")
    assert tally.wait("never begun")
    assert "told why" in capsys.readouterr().out
    assert (tally.passed, tally.failed, tally.bad_steps) == (12, 1, ["bad"])
    assert tally.close() == 1


def test_pins_have_hashes(dev: ModuleType) -> None:
    for package in ("uv", "pip"):
        version, sums = dev.pinned(package)
        assert version
        assert sums
    assert len(dev.pinned("uv")[1]) > 10
    assert len(dev.pinned("pip")[1]) == 2


def test_missing_prerequisites_are_named_with_a_command(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "dev"), "setup"],
        env={"PATH": str(tmp_path), "CARGO_HOME": str(tmp_path), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "a C compiler" in done.stderr
    assert "Rust 1." in done.stderr
    assert done.stderr.count("install it:") == 2
    assert "Traceback" not in done.stderr


def test_old_cargo_is_named_with_its_version(tmp_path: Path) -> None:
    for name, text in {"cargo": "cargo 1.63.0 (abc 2022-01-01)", "cc": "cc"}.items():
        script = tmp_path / name
        script.write_text(f"#!/bin/sh\necho '{text}'\n", encoding="utf-8")
        script.chmod(0o755)
    done = subprocess.run(
        [sys.executable, str(ROOT / "dev"), "test"],
        env={"PATH": str(tmp_path), "CARGO_HOME": str(tmp_path), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "found 1.63" in done.stderr


@pytest.mark.parametrize(
    "arguments", [["tset"], ["test", "--rusty"], ["test", "--quick", "--long"], ["setup", "x"], []]
)
def test_wrong_command_is_refused(arguments: list[str]) -> None:
    done = subprocess.run([sys.executable, str(ROOT / "dev"), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "usage" in done.stderr + done.stdout


def test_help_names_the_commands() -> None:
    done = subprocess.run([sys.executable, str(ROOT / "dev"), "help"], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert all(word in done.stdout for word in ("demo", "test", "bench", "docs", "setup", "wheel", "where"))


@pytest.mark.parametrize("given", [["--only", "kernel"], ["--only=kernel"], ["--quick", "--only", "kernel"], []])
def test_what_follows_bench_is_passed_on(given: list[str], dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    passed: list[list[str]] = []
    monkeypatch.setattr(dev, "bench", passed.append)
    monkeypatch.setattr(sys, "argv", ["dev", "bench", *given])
    dev.main()
    assert passed == [given]


def test_ctrl_c_is_tested_in_the_background_too() -> None:
    """There a shell makes everything ignore SIGINT."""
    one = "test_api.py::test_ctrl_c_comes_out_with_the_result_so_far"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(Path(__file__).with_name(one))],
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert "1 passed" in done.stdout, done.stdout


def test_each_scope_runs_what_the_smaller_ones_run(dev: ModuleType) -> None:
    marks = {"slow", "long"}
    left_out = {scope: {mark for mark in marks if f"not {mark}" in dev.pytest_marks(scope)} for scope in dev.SCOPES}
    assert list(left_out.values()) == [{"slow", "long"}, {"long"}, set()]
    known = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    # Besides them one that says what a test needs, not when it runs.
    assert {line.split(":")[0].split("(")[0] for line in known["markers"]} == marks | {"referee"}
    # In a hurry, what has changed is tested whole, and what depends on it by the tests within.
    changed, dependents = {"sansim-raid"}, {"sansim-raid", "sansim-arrays"}
    own, within = dev.cargo_tests("quick", changed, dependents)
    assert own[-5:] == ["--package", "sansim-raid", "--lib", "--bins", "--tests"]
    assert within[-5:] == ["--package", "sansim-arrays", "--package", "sansim-raid", "--lib"]
    [whole] = dev.cargo_tests("whole", changed, dependents)
    assert set(own[own.index("--lib") :] + within) <= set(whole)
    [whole], [long] = dev.cargo_tests("whole"), dev.cargo_tests("long")
    assert "--workspace" in whole
    assert long == [*whole, "--", "--include-ignored"]


def test_who_depends_on_a_crate_is_tested_with_it(dev: ModuleType) -> None:
    workspace = dev.Workspace(dict(os.environ))
    assert workspace.named(["raid", "sansim-disk"]) == {"sansim-raid", "sansim-disk"}
    found = workspace.with_dependents({"sansim-raid"})
    assert {"sansim-raid", "sansim-arrays", "sansim-simulator", "sansim-python"} <= found
    assert "sansim-kernel" not in found
    # What is written for another crate's tests alone counts, too.
    assert "sansim-simulator" in workspace.with_dependents({"sansim-trace"})
    with pytest.raises(dev.DevError, match=r"there is no crate riad\n.*raid"):
        workspace.named(["riad"])


def test_files_belong_to_crates_and_some_to_all_of_them(dev: ModuleType) -> None:
    workspace = dev.Workspace(dict(os.environ))
    assert workspace.of(["crates/raid/src/plan/write.rs", "docs/index.md"]) == {"sansim-raid"}
    assert workspace.of(["Cargo.lock"]) == set(workspace.needs)
    assert workspace.of(["python/sansim/text_report.py", "crates/gone/src/lib.rs"]) == set()


def test_examples_in_documentation_of_rust_are_run_of_every_crate_that_has_one(dev: ModuleType) -> None:
    command = dev.cargo_doc_tests()
    named = {command[place + 1] for place, word in enumerate(command) if word == "--package"}
    having = {
        f"sansim-{file.relative_to(ROOT / 'crates').parts[0]}"
        for file in (ROOT / "crates").glob("*/src/**/*.rs")
        if any(line.strip() in ("/// ```", "//! ```") for line in file.read_text(encoding="utf-8").splitlines())
    }
    assert having
    assert having <= named


def test_random_tests_draw_from_a_seed_that_is_given_or_said(
    dev: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    given = {dev.SEED: "5"}
    assert dev.seed_random_tests(given) == given[dev.SEED] == "5"
    drawn: list[dict[str, str]] = [{}, {}]
    seeds = [dev.seed_random_tests(env) for env in drawn]
    assert seeds == [env[dev.SEED] for env in drawn]
    assert seeds[0] != seeds[1]
    said = capsys.readouterr().err
    assert all(f"{dev.SEED}={seed}" in said for seed in ("5", *seeds))
    # In CI the commit says it.
    assert f"export {dev.SEED}=" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_whole_is_what_runs_if_nothing_is_said(dev: ModuleType) -> None:
    assert dev.parser().parse_args(["test"]).scope == "whole"
    assert dev.parser().parse_args(["test", "--long", "--python"]).scope == "long"
    assert dev.parser().parse_args(["test"]).crates == []
    assert "exec ./dev test <" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


REFEREED = """
import pytest

@pytest.mark.referee(False, "the scales ARE NOT INSTALLED")
def test_weighs() -> None: ...
"""


@pytest.mark.parametrize(("required", "outcome"), [("", "1 skipped"), ("required", "1 error")])
def test_a_missing_referee_is_left_out_at_a_desk_and_fails_in_ci(required: str, outcome: str, tmp_path: Path) -> None:
    conftest = Path(__file__).with_name("conftest.py")
    (tmp_path / "conftest.py").write_bytes(conftest.read_bytes())
    (tmp_path / "test_scales.py").write_text(REFEREED, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-rs", "-p", "no:cacheprovider", "-W", "ignore", str(tmp_path)]
    environment = {**os.environ, "SANSIM_REFEREES": required}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False)
    assert outcome in done.stdout
    assert "the scales ARE NOT INSTALLED" in done.stdout
    assert (done.returncode == 0) == (not required)


@pytest.mark.parametrize(
    ("questions", "file"),
    [
        (["disk queue order", "order of a disk's queue", "disk scheduler"], "crates/disk/src/scheduling/mod.rs"),
        (["switch lost credit", "what does a switch do with a lost credit", "credit loss fabric"], "losses.rs"),
        (["a new column in the I/O table", "table columns"], "table.rs"),
        (["colour report", "a colour in the report", "chart colours"], "looks.py"),
        (["the default of access_time", "access_time"], "drive/parameters.rs"),
        (["default routing_delay", "key routing delay"], "switch/parameters.rs"),
    ],
)
def test_the_file_to_change_is_found_by_what_files_say_of_themselves(questions: list[str], file: str) -> None:
    for question in questions:
        done = where(*question.split())
        assert any(line.endswith(file) for line in done.stdout.splitlines()[:6]), (question, done.stdout)


def where(*words: str) -> subprocess.CompletedProcess[str]:
    """Runs `./dev where`."""
    command = [sys.executable, str(ROOT / "dev"), "where", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_search_without_an_answer_says_so_and_one_with_many_shows_few() -> None:
    nothing = where("xylophone")
    assert (nothing.returncode, nothing.stdout) == (1, "")
    assert "xylophone" in nothing.stderr
    partly = where("xylophone", "scheduler")
    assert partly.returncode == 0
    assert "no file has all of these words" in partly.stderr
    assert sum(not line.startswith(" ") for line in where("disk").stdout.splitlines()) == 15


@pytest.fixture(scope="module")
def search() -> Iterator[ModuleType]:
    sys.path.insert(0, str(ROOT))
    yield importlib.import_module("dev_where")
    sys.path.remove(str(ROOT))


def test_every_file_that_is_searched_says_what_it_is_or_is_a_test(search: ModuleType) -> None:
    found = list(search.entries(ROOT))
    assert len(found) > 1000
    sources = [entry for entry in found if entry.path.endswith((".rs", ".py")) and not entry.is_test]
    assert [entry.path for entry in sources if not entry.head] == []


def test_words_are_found_in_other_forms_and_by_their_synonyms(search: ModuleType, tmp_path: Path) -> None:
    source = tmp_path / "crates" / "disk" / "src"
    source.mkdir(parents=True)
    (source / "order.rs").write_text("//! Which of the queued commands is next. More.\n", encoding="utf-8")
    (source / "keys.rs").write_text(
        "//! Keys.\ntable! {\n        spin_up: Span = WHOLE, default 0;\n}\n", encoding="utf-8"
    )
    (tmp_path / "docs").mkdir()
    page = f"# Words\n\n{search.SYNONYMS}\n\n| word | also |\n|---|---|\n| elevator | order, next command |\n"
    (tmp_path / "docs" / "vocabulary.md").write_text(page, encoding="utf-8")

    def files(query: str) -> list[str]:
        return [Path(entry.path).name for entry in search.search(tmp_path, query)[0]]

    assert files("command queue") == files("the queues of a command") == files("elevator queue") == ["order.rs"]
    assert files("default spin_up") == ["keys.rs"]
    assert files("elevator")[0] == "order.rs"
    assert search.search(tmp_path, "the")[0] == []


def test_only_a_checkout_without_changes_has_a_commit_for_its_wheel(
    dev: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*arguments: str) -> str:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.strip()

    monkeypatch.setattr(dev, "ROOT", tmp_path)
    assert dev.commit_of_checkout() == ""
    git("init", "-q")
    (tmp_path / "a").write_text("a")
    git("add", "a")
    git("commit", "-q", "-m", "a")
    assert dev.commit_of_checkout() == git("rev-parse", "HEAD")
    (tmp_path / "a").write_text("b")
    assert dev.commit_of_checkout() == ""


def test_the_file_with_the_commit_of_a_wheel_is_ignored_by_git_and_packed(dev: ModuleType) -> None:
    place = dev.COMMIT.relative_to(dev.ROOT).as_posix()
    assert f"/{place}\n" in (ROOT / ".gitignore").read_text(encoding="utf-8")
    packed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["maturin"]["include"]
    assert place in [one["path"] for one in packed]
    assert not dev.COMMIT.exists()


def test_a_packed_folder_has_the_same_bytes_each_time_and_its_metadata_first(tmp_path: Path) -> None:
    sys.path.insert(0, str(ROOT))
    packer = importlib.import_module("dev_sdist")
    sys.path.remove(str(ROOT))
    folder = tmp_path / "sansim-1"
    (folder / "vendor").mkdir(parents=True)
    for name in ("PKG-INFO", "Cargo.toml", "vendor/a.rs"):
        (folder / name).write_text(name)
    (folder / "run").write_text("#!/bin/sh\n")
    (folder / "run").chmod(0o755)
    packs = []
    for number in (1, 2):
        packs.append(tmp_path / f"{number}.tar.gz")
        packer.pack(folder, packs[-1], first=[folder / "PKG-INFO"])
        (folder / "Cargo.toml").touch()
    assert packs[0].read_bytes() == packs[1].read_bytes()
    with tarfile.open(packs[0]) as packed:
        assert packed.getnames() == [f"sansim-1/{name}" for name in ("PKG-INFO", "Cargo.toml", "run", "vendor/a.rs")]
        assert [member.mode for member in packed] == [0o644, 0o644, 0o755, 0o644]
