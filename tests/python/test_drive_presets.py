"""`sansim drive list` and `sansim drive show`: published drives, each with its source."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result

from sansim import _core
from sansim.cli import cli
from sansim.drive.presets import preset_of, settings_of, value_text
from sansim.toml_text import toml_value


def command(*words: str) -> Result:
    return CliRunner().invoke(cli, ["drive", *words])


def test_every_published_drive_is_listed_with_its_source() -> None:
    done = command("list")
    assert done.exit_code == 0
    for preset in _core.presets():
        assert preset.word in done.output
        assert f"source: {preset.source}" in done.output
    listed = json.loads(command("list", "--json").output)
    assert [one["name"] for one in listed] == [preset.word for preset in _core.presets()]
    assert {one["kind"] for one in listed} == {"disks", "flash-drives", "tape-drives"}
    assert all(one["source"] for one in listed)


@pytest.mark.parametrize("word", [preset.word for preset in _core.presets()])
def test_the_keys_that_a_drive_is_shown_with_are_those_that_it_has(word: str) -> None:
    told = json.loads(command("show", word, "--json").output)
    preset = preset_of(word)
    assert (told["name"], told["source"]) == (word, preset.source)
    # Written by hand they give the same drive.
    written = "\n".join(f"{one.key} = {toml_value(one.value)}" for one in settings_of(preset))
    text = f"""
host = {{ kind = "host", attached = ["drive"] }}
workload = {{ kind = "closed", from = "host", to = ["drive"], size = "4 KiB" }}
drive.kind = "{preset.kind}"
drive.{preset.key} = "{word}"
{written}
"""
    scenario = _core.Scenario.parse(text, "by hand", [])
    by_hand = {one.key: one.value for one in scenario.settings()}
    assert told["keys"] == {key: by_hand[f"drive.{key}"] for key in told["keys"]}
    assert len(told["keys"]) > 4


def test_what_is_shown_of_a_drive_can_be_read_by_people() -> None:
    done = command("show", "cheetah-15k5")
    assert done.exit_code == 0
    assert 'in a scenario: kind = "disks", preset = "cheetah-15k5"' in done.output
    assert "rpm" in done.output
    assert "14 in all" in done.output
    assert max(map(len, done.output.splitlines())) < 160


def test_a_drive_that_nobody_knows_is_told_with_one_that_is_near() -> None:
    done = command("show", "cheetah-15k")
    assert done.exit_code == 2
    assert "there is no drive `cheetah-15k`, did you mean cheetah-15k5?" in done.stderr
    assert "sansim drive list" in done.stderr


def test_long_values_are_told_by_how_many_they_are() -> None:
    assert value_text("4 ms") == '"4 ms"'
    assert value_text([1] * 40) == "[1, ...], 40 in all"
