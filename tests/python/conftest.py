"""What the tests share: a small scenario and the installed command."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from studio_client import Served
    from studio_support import Tour

DATA = Path(__file__).parent / "data"
SMALL = DATA / "small.toml"
COMMAND = Path(sys.executable).with_name("sansim")

Cli = Callable[..., "subprocess.CompletedProcess[str]"]


def clean_environment() -> dict[str, str]:
    """The environment without what would change how programs print."""
    return {k: v for k, v in os.environ.items() if k not in {"FORCE_COLOR", "PY_COLORS", "COLUMNS", "LINES"}}


REQUIRED = os.environ.get("SANSIM_REFEREES") == "required"
"""Whether a referee that is missing is a failure, as in CI, and not a reason to leave its tests out."""


def without(missing: str) -> None:
    """Ends a test whose referee is not installed: left out at somebody's desk, failed where it has to be there."""
    if REQUIRED:
        pytest.fail(f"{missing} (SANSIM_REFEREES=required)", pytrace=False)
    pytest.skip(missing)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Looks after `@pytest.mark.referee(present, missing)`: whether the program is there, and what to say if not."""
    for mark in item.iter_markers("referee"):
        present, missing = mark.args
        if not present:
            without(missing)


@pytest.fixture(scope="session", autouse=True)
def ctrl_c_is_heard() -> Iterator[None]:
    """Lets SIGINT reach the tests and what they start.

    A shell that starts something in the background makes it ignore SIGINT, and what that starts inherits it.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """Runs the sansim command in an empty folder and returns its exit code and output."""

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(COMMAND), *map(str, arguments)],
            capture_output=True,
            encoding="utf-8",
            cwd=tmp_path,
            env=clean_environment(),
            timeout=120,
            check=False,
        )

    return run


def within(folder: Path) -> Cli:
    """Runs the sansim command in a folder and in this process, which spares half a second of imports each time.

    For modules that give many commands, in the place of the fixture `cli`.
    """

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        from sansim.cli import main

        command = ["sansim", *map(str, arguments)]
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        code: object = None
        with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            patch.chdir(folder)
            patch.setattr(sys, "argv", command)
            try:
                main()
            except SystemExit as end:
                code = end.code
        texts = [stream.buffer.getvalue().decode() for stream in (out, err)]
        assert code is None or isinstance(code, int)
        return subprocess.CompletedProcess(command, code or 0, *texts)

    return run


@pytest.fixture
def small() -> Path:
    """A scenario that takes a fraction of a second."""
    return SMALL


# ---------------------------------------------------------------- a study from the command line


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a study that has been run."""
    from study_cli_support import run_once

    return run_once(tmp_path_factory.mktemp("ran"))


@pytest.fixture
def copied(ran: Path, tmp_path: Path) -> Path:
    """A copy of that folder in which commands are given."""
    shutil.copytree(ran, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture
def failing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Makes workers that fail at some jobs."""
    from sansim.study.jobs import execute
    from study_cli_support import fail_at

    def make(word: str, what: str) -> None:
        command = fail_at(tmp_path, word, what)
        monkeypatch.setattr(execute, "default_command", lambda: command)

    return make


# ---------------------------------------------------------------- the studio


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A studio, for modules that ask its server without a browser."""
    from studio_client import serving

    with serving(tmp_path_factory.mktemp("studio")) as studio:
        yield studio


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser, for modules that open the studio."""
    from studio_support import opened_browser

    with opened_browser() as opened:
        yield opened


@pytest.fixture
def visit(browser: Any) -> Iterator[Callable[..., Tour]]:
    """Opens a studio, and holds that its page complains of nothing."""
    from studio_support import visits

    with visits(browser) as visit:
        yield visit
