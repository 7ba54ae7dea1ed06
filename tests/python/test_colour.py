"""Colour: only for people who see it, and nothing but colour is added."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from conftest import COMMAND, clean_environment
from sansim import colour

ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


def on_a_terminal(*arguments: object, **environment: str) -> str:
    """Runs sansim with a terminal as standard output and error, and returns what it got."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [str(COMMAND), *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env={**clean_environment(), "TERM": "xterm", "COLUMNS": "80", **environment},
    )
    os.close(theirs)
    parts = []
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        parts.append(part)
    process.wait()
    os.close(ours)
    return b"".join(parts).decode().replace("\r\n", "\n")


def test_a_report_on_a_terminal_has_colour_and_the_same_text(small: Path) -> None:
    plain = subprocess.run(
        [str(COMMAND), "run", str(small)], capture_output=True, encoding="utf-8", env=clean_environment(), check=True
    )
    assert "\x1b" not in plain.stdout
    shown = on_a_terminal("run", small)
    report = shown[shown.rindex("\x1b[K") + 3 :] if "\x1b[K" in shown else shown
    assert ESCAPES.search(report)

    def without_wall_time(text: str) -> list[str]:
        return [line for line in ESCAPES.sub("", text).splitlines() if "wall time" not in line]

    assert without_wall_time(report) == without_wall_time(plain.stdout)


def test_waiting_and_work_have_bars_of_different_colour() -> None:
    text = "Title\nWhere the time goes\n  port queue   ░░\n  on the wire  █\n"
    shown = colour.report(text)
    assert f"{colour.WAITING}░░{colour.RESET}" in shown
    assert f"{colour.WORK}█{colour.RESET}" in shown
    assert ESCAPES.sub("", shown) == text


def test_an_error_on_a_terminal_has_colour(tmp_path: Path) -> None:
    missing = on_a_terminal("run", tmp_path / "no.toml")
    assert f"{colour.RED}error" in missing
    usage = on_a_terminal("run")
    assert f"{colour.RED}Error{colour.RESET}:" in usage


def test_a_message_keeps_its_text_and_marks_its_parts() -> None:
    text = "error[E0201]: no\n  --> a.toml:3:1\n   |\n 3 | size = 4\n   |        ^ no unit\n   = help: write 4 KiB"
    shown = colour.message(text)
    assert ESCAPES.sub("", shown) == text
    for part in ("error[E0201]", "help", "^"):
        assert re.search(rf"\x1b\[[0-9;]+m{re.escape(part)}\x1b\[0m", shown), part


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_who_wants_no_colour_gets_none(environment: dict[str, str], tmp_path: Path) -> None:
    shown = on_a_terminal("run", tmp_path / "no.toml", **environment)
    assert "error" in shown
    assert "\x1b[" not in shown


def test_colour_can_be_forced_through_a_pipe(tmp_path: Path) -> None:
    done = subprocess.run(
        [str(COMMAND), "run", str(tmp_path / "no.toml")],
        capture_output=True,
        encoding="utf-8",
        env={**clean_environment(), "FORCE_COLOR": "1"},
        check=False,
    )
    assert colour.RED in done.stderr
