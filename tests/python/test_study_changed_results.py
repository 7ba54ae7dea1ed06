"""Results that somebody changed are neither shown nor kept."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from study_cli_support import bytes_of, invoke

pytestmark = pytest.mark.slow


def forge(folder: Path) -> None:
    """Changes a digit of a figure in each result of a run."""
    for file in folder.rglob("points/*/*.json"):
        old = file.read_bytes()
        new = re.sub(rb'("bytes_per_second":)(\d)', lambda found: found[1] + b"%d" % (9 - int(found[2])), old)
        assert (len(old), old == new) == (len(new), False)
        file.write_bytes(new)


LOOKING = [
    ("status", "study.toml"),
    ("show", "study.toml"),
    ("compare", "study.toml", "--axis", "schedule", "--values", "NORM", "CMDF"),
    ("export", "study.toml", "--to", "exported", "--format", "csv", "--format", "markdown"),
]


@pytest.mark.parametrize("command", LOOKING, ids=[command[0] for command in LOOKING])
def test_a_result_with_a_changed_digit_is_shown_as_none(command: tuple[str, ...], copied: Path) -> None:
    def answer() -> tuple[object, ...]:
        return invoke(copied, "study", *command), bytes_of(copied.glob("exported/*"))

    good = answer()
    forge(copied)
    forged = answer()
    shutil.rmtree(copied / "results" / "points")
    assert forged == answer()
    assert forged != good


@pytest.mark.parametrize("command", [("study", "run"), ("validate",)], ids=["run", "validate"])
def test_a_result_with_a_changed_digit_is_run_again(command: tuple[str, ...], copied: Path) -> None:
    def answer() -> tuple[object, ...]:
        return invoke(copied, *command, "study.toml", "--workers", "2"), bytes_of(copied.glob("results/study/*"))

    before, good = bytes_of(copied.rglob("points/*/*.json")), answer()
    forge(copied)
    forged = bytes_of(copied.rglob("points/*/*.json"))
    assert forged.keys() == before.keys()
    assert not forged.items() & before.items()
    assert answer() == good
    assert bytes_of(copied.rglob("points/*/*.json")) == before
