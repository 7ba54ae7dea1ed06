"""What killed runs leave, and folders that somebody has changed since their runs wrote them."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

import sansim
from conftest import Cli
from sansim.runs.abandoned import found
from sansim.runs.output import FILES, RunFolder

COMMAND = Path(sys.executable).with_name("sansim")


def killed(small: Path, place: Path) -> None:
    """A run that is killed while it goes on."""
    command = [str(p) for p in (COMMAND, "run", small, "--set", "run.measured_ios=100000000", "--out", place)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        while not list(place.parent.glob(f".{place.name}.*/new")):
            assert run.poll() is None, "it ended by itself"
            time.sleep(0.01)
        time.sleep(0.1)
        assert not list(found(place.parent)), "a run that goes on has left nothing"
        run.kill()


def test_what_a_killed_run_left_is_told_and_can_be_taken_away(cli: Cli, small: Path, tmp_path: Path) -> None:
    killed(small, tmp_path / "run")
    (left,) = found(tmp_path)
    assert left.place == tmp_path / "run"
    told = cli("run", small, "--out", "run")
    assert told.returncode == 0
    assert left.folder.name in told.stderr and f"sansim tidy {tmp_path}" in told.stderr
    listed = cli("tidy", "--dry-run", tmp_path)
    assert listed.stdout.startswith(f"left: {left.folder}") and left.folder.exists()
    removed = cli("tidy", tmp_path)
    assert removed.returncode == 0 and removed.stdout.startswith(f"removed: {left.folder}")
    assert not left.folder.exists() and (tmp_path / "run" / "run.json").exists()
    assert cli("tidy", tmp_path).stdout == ""


def test_an_earlier_folder_that_was_being_replaced_goes_back_to_its_place(small: Path, tmp_path: Path) -> None:
    sansim.run(small).save(tmp_path / "run")
    folder = RunFolder(tmp_path / "run")
    folder.place.rename(folder.scratch / "old")
    # As if the process had ended here.
    folder.held.close()
    (left,) = found(tmp_path)
    left.take_away()
    assert (tmp_path / "run" / "summary.json").exists() and not folder.scratch.exists()


def test_folders_that_no_run_has_marked_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".run.abc" / "new").mkdir(parents=True)
    (tmp_path / ".mine").mkdir()
    (tmp_path / ".mine" / "sansim-run.json").write_text('{"written_by": "me"}')
    assert list(found(tmp_path)) == []


@pytest.mark.parametrize("name", [name for name in FILES if name != "run.json"])
def test_a_run_folder_that_was_changed_is_refused_by_the_name_of_the_file(
    name: str, cli: Cli, small: Path, tmp_path: Path
) -> None:
    sansim.run(small).save(tmp_path / "run")
    file = tmp_path / "run" / name
    file.write_bytes(file.read_bytes() + b" ")
    for command in (["report", "run"], ["query", "run", "select count(*) from ios"]):
        refused = cli(*command)
        assert refused.returncode == 2
        assert f"{name} has been changed since the run wrote it" in refused.stderr
    file.unlink()
    assert f"{name} is missing, which the run wrote" in cli("query", "run", "select 1").stderr


def test_a_folder_of_a_version_that_noted_no_checksums_is_read(cli: Cli, small: Path, tmp_path: Path) -> None:
    sansim.run(small).save(tmp_path / "run")
    about = tmp_path / "run" / "run.json"
    told = json.loads(about.read_text())
    del told["sha256"]
    about.write_text(json.dumps(told))
    assert cli("query", "run", "select count(*) from ios").returncode == 0
