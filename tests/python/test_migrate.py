"""Files of an earlier format: `sansim migrate` rewrites them, and what is not rewritten is refused by name."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

import sansim
from sansim import ScenarioError, _core

Cli = Callable[..., "CompletedProcess[str]"]
FORMAT_0 = Path(__file__).parent / "data" / "format-0.tar.gz"
"""The scenarios, studies and plans that were shipped before files said their format."""
ARRAY = """[array]
kind = "raid"
to = ["disks"]
strip = "16 KiB"     # of each disk
rebuild.chunk = "1 MiB"
layout = { level = "5" }
[disks]
kind = "disks"
count = 5
[host]
kind = "host"
attached = ["array"]
[load]
kind = "closed"
from = "host"
to = ["array"]
size = "16 KiB"
"""


def old_files() -> dict[str, str]:
    with tarfile.open(FORMAT_0) as archive:
        files = [member for member in archive.getmembers() if member.isfile()]
        return {file.name: read(archive, file) for file in files}


def read(archive: tarfile.TarFile, file: tarfile.TarInfo) -> str:
    content = archive.extractfile(file)
    assert content is not None
    return io.TextIOWrapper(content, encoding="utf-8").read()


def test_every_file_that_was_shipped_in_format_0_is_rewritten_once_and_keeps_its_comments() -> None:
    files = old_files()
    assert len(files) > 150
    renamed = 0
    for name, text in files.items():
        migrated, changes = _core.migrate(text, name)
        assert changes, name
        assert _core.migrate(migrated, name) == (migrated, [])
        before, after = text.splitlines(), migrated.splitlines()
        added = after.index(f"format = {_core.FORMAT}")
        del after[added]
        assert [line.partition("#")[2] for line in before] == [line.partition("#")[2] for line in after], name
        different = sum(one != other for one, other in zip(before, after, strict=True))
        assert different <= len(changes) - 1, name
        renamed += different
    assert renamed >= 60


@pytest.mark.slow
def test_every_scenario_of_format_0_can_be_run_when_it_is_rewritten_or_is_refused_by_the_name_of_a_key(
    tmp_path: Path,
) -> None:
    for name, text in old_files().items():
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(_core.migrate(text, name)[0], encoding="utf-8")
    refused = {}
    for place in sorted((tmp_path / "scenarios").glob("*.toml")):
        problems = sansim.check(place)
        # Traces and sheets are no TOML and not in the archive.
        codes = {problem.code for problem in problems}
        assert codes <= {_core.Code.REMOVED_KEY, _core.Code.UNREADABLE}, f"{place.name}: {problems}"
        if codes:
            refused[place.name] = codes
    assert len(refused) < 8, refused


def test_an_old_key_is_refused_with_the_new_one_and_the_command_that_writes_it() -> None:
    with pytest.raises(ScenarioError) as error:
        sansim.resolve(ARRAY)
    assert "`array.strip` is called `array.stripe_unit` since format 1" in str(error.value)
    assert "sansim migrate FILE" in str(error.value)
    assert sansim.check(_core.migrate(ARRAY, "array.toml")[0]) == []


def test_the_command_rewrites_files_in_place_and_says_what_it_changed(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "array.toml").write_text(ARRAY, encoding="utf-8")
    (tmp_path / "broken.toml").write_text("[array\n", encoding="utf-8")
    tried = cli("migrate", "array.toml", "--dry-run")
    assert (tmp_path / "array.toml").read_text(encoding="utf-8") == ARRAY
    done = cli("migrate", "array.toml", "broken.toml")
    assert (done.returncode, done.stdout) == (2, tried.stdout)
    assert done.stdout == ("array.toml:\n  line 4: strip -> stripe_unit\n  line 5: chunk -> step\n  format = 1\n")
    assert "broken.toml:1" in done.stderr
    new = (tmp_path / "array.toml").read_text(encoding="utf-8")
    assert 'stripe_unit = "16 KiB"     # of each disk' in new
    assert cli("migrate", "array.toml").stdout == "array.toml: already in format 1\n"
    assert cli("check", "array.toml").returncode == 0


@pytest.mark.parametrize(
    "text", ['format = 2\n[host]\nkind = "host"\n', 'format = 2\nscenario = "a.toml"\n[metrics.a]\nvalue = "iops"\n']
)
def test_a_file_of_a_later_format_is_refused_with_the_formats_that_are_read(
    text: str, cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / "later.toml").write_text(text, encoding="utf-8")
    done = cli("check", "later.toml")
    assert done.returncode == 2
    assert "the file has format 2, and this version of sansim reads formats 0 to 1" in done.stderr
    assert "E0110" in done.stderr


def test_a_plan_of_a_later_format_is_refused(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text('format = 2\nscenario = "a.toml"\n[goal]\nresponse = "5 ms"\n', "utf-8")
    done = cli("plan", "plan.toml")
    assert done.returncode == 2
    assert "the file has format 2" in done.stderr


def test_a_run_folder_says_its_format_and_one_of_a_later_format_is_refused(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(_core.migrate(ARRAY, "a.toml")[0], encoding="utf-8")
    assert cli("run", "a.toml", "--set", "run.measured_ios=100", "--out", "run").returncode == 0
    about = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert about["format"] == _core.FORMAT
    assert f"format = {_core.FORMAT}\n" in (tmp_path / "run" / "scenario.toml").read_text(encoding="utf-8")
    (tmp_path / "run" / "run.json").write_text(json.dumps({**about, "format": 2}), encoding="utf-8")
    for command in (("report", "run"), ("query", "run", "select count(*) from ios")):
        done = cli(*command)
        assert done.returncode != 0
        assert "its format is 2, and this version of sansim reads formats up to 1" in done.stderr
