"""`sansim init`: a scenario with comments that runs, and no file of a person replaced."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import sansim
from conftest import COMMAND, Cli, clean_environment, within
from sansim import _core
from sansim.bundled import examples
from sansim.catalogue import kinds
from sansim.editor_schema import schema_for
from sansim.starter import QUESTIONS, Starter, StarterError, like

SCENARIOS = [one.name for one in examples() if one.scenario is None]


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return within(tmp_path)


def written(file: Path) -> dict[str, object]:
    """The settings of a scenario."""
    return {setting.key: setting.value for setting in _core.Scenario.load(file, []).settings()}


def test_without_a_terminal_the_usual_example_is_written_and_runs(cli: Cli, tmp_path: Path) -> None:
    done = cli("init")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert done.stderr == "written: scenario.toml\nnext: sansim run scenario.toml\n"
    text = (tmp_path / "scenario.toml").read_text(encoding="utf-8")
    assert text.startswith("# Written by `sansim init --like four-disks`.\n")
    assert "# quantities carry units" in text
    run = cli("run", "scenario.toml", "--set", "run.measured_ios=100")
    assert run.returncode == 0, run.stderr


def test_options_answer_the_questions_and_comments_stay(cli: Cli, tmp_path: Path) -> None:
    done = cli("init", "my.toml", "--drives", "7", "--size", "4KiB", "--reads", "0.25", "--load", "3")
    assert done.returncode == 0, done.stderr
    assert "disks.count = 7" in done.stderr
    found = written(tmp_path / "my.toml")
    assert (found["disks.count"], found["workload.size"]) == (7, "4 KiB")
    assert (found["workload.read_fraction"], found["workload.queue_depth"]) == (0.25, 3)
    assert "# for each drive" in (tmp_path / "my.toml").read_text(encoding="utf-8")


def test_a_load_that_arrives_is_answered_by_a_rate(cli: Cli, tmp_path: Path) -> None:
    done = cli("init", "my.toml", "--like", "open-load", "--load", "123/s")
    assert done.returncode == 0, done.stderr
    assert written(tmp_path / "my.toml")["load.arrivals.rate"] == "123/s"


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_example_can_be_begun_with(name: str) -> None:
    starter = Starter(like(name))
    for question, key, present in list(starter.questions()):
        # The present value, taken as an answer, leaves the system as it is.
        before = {setting.key: setting.value for setting in starter.scenario(starter.text).settings()}
        starter.answer(question, key, str(present))
        after = {setting.key: setting.value for setting in starter.scenario(starter.text).settings()}
        assert after == before
    assert tomllib.loads(starter.written(Path("a.toml")))["title"]


def test_questions_are_at_most_five_and_about_keys_that_are_there() -> None:
    assert len(QUESTIONS) + 1 == 5
    asked = {question.name: key for question, key, _ in Starter(like("four-disks")).questions()}
    assert asked == {
        "drives": "disks.count",
        "size": "workload.size",
        "reads": "workload.read_fraction",
        "load": "workload.queue_depth",
    }


def test_a_kind_stands_for_the_shortest_example_that_has_it() -> None:
    assert "ethernet" in kinds()
    assert 'kind = "ethernet"' in Starter(like("ethernet")).text
    assert like("fabric").scenario is None
    with pytest.raises(StarterError, match="there is neither an example 'fabrik' nor a kind; did you mean `fabric`"):
        like("fabrik")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--like", "four-disk"), "did you mean `four-disks`?"),
        (("--drives", "many"), "--drives: 'many' is not a number; write for instance 8"),
        (("--drives", "0"), "--drives: "),
        (("--size", "4 parsec"), "--size: "),
        (("--size", "4"), "--size: "),
        (("--reads", "2"), "--reads: "),
        (("--reads", "half"), "--reads: 'half' is not a number; write for instance 0.7"),
        (("--load", "-1"), "--load: "),
        (("--like", "replay", "--reads", "0.5"), "--reads: replay has no key for it; edit the file instead"),
        (("nowhere/my.toml",), "there is no folder"),
    ],
)
def test_a_wrong_answer_is_refused_and_nothing_is_written(
    cli: Cli, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    done = cli("init", *options)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_no_file_is_replaced_without_force(cli: Cli, tmp_path: Path) -> None:
    for text in ("my notes\n", '# Written by `sansim init --like four-disks`.\ntitle = "edited"\n'):
        (tmp_path / "scenario.toml").write_text(text, encoding="utf-8")
        done = cli("init")
        assert done.returncode == 2
        assert "scenario.toml is there already and stays as it is; name another file, or add --force" in done.stderr
        assert (tmp_path / "scenario.toml").read_text(encoding="utf-8") == text
    assert cli("init", "--force").returncode == 0
    assert "[loop]" in (tmp_path / "scenario.toml").read_text(encoding="utf-8")


def test_files_that_a_scenario_reads_are_written_beside_it(cli: Cli, tmp_path: Path) -> None:
    done = cli("init", "mine.toml", "--like", "replay")
    assert done.returncode == 0, done.stderr
    files = next(one.files for one in examples() if one.name == "replay")
    assert {file.name for file in tmp_path.iterdir()} == {"mine.toml", *files}
    assert cli("check", "mine.toml").returncode == 0
    # Again elsewhere: what is there already is the same.
    assert cli("init", "other.toml", "--like", "replay").returncode == 0


def test_on_a_terminal_it_asks_and_asks_again_after_a_wrong_answer(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [COMMAND, "init"],
        cwd=tmp_path,
        env=clean_environment() | {"TERM": "dumb"},
        stdin=theirs,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    os.write(ours, b"four-diskss\nfour-disks\nmany\n6\n\n\n9\n")
    heard = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:
            break
        if not part:
            break
        heard += part
    os.close(ours)
    assert process.wait(60) == 0, heard
    text = heard.decode()
    assert "did you mean `four-disks`?" in text
    assert "'many' is not a number" in text
    assert text.count("How many drives") == 2
    found = written(tmp_path / "scenario.toml")
    assert (found["disks.count"], found["workload.queue_depth"], found["workload.size"]) == (6, 9, "16 KiB")
    assert sys.platform != "win32"


# ---------------------------------------------------------------- the schema for editors


def test_the_first_line_names_the_schema_for_editors(tmp_path: Path, cli: Cli) -> None:
    done = cli("init", "--like", "four-disks", "--schema", "my.toml")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "my.toml").read_text(encoding="utf-8")
    assert text.startswith("#:schema my.schema.json\n# Written by `sansim init --like four-disks`.\n")
    schema = json.loads((tmp_path / "my.schema.json").read_text(encoding="utf-8"))
    assert schema["properties"]["disks"]["anyOf"] == [{}, {"$ref": "#/$defs/drives"}]
    assert json.loads(cli("schema", "--for", "my.toml").stdout) == schema
    assert cli("check", "my.toml").returncode == 0
    # Without the option there is neither.
    assert cli("init", "plain.toml").returncode == 0
    assert "#:schema" not in (tmp_path / "plain.toml").read_text(encoding="utf-8")
    assert not (tmp_path / "plain.schema.json").exists()


def test_an_earlier_schema_is_replaced_and_another_file_is_not(tmp_path: Path, cli: Cli) -> None:
    assert cli("init", "--schema", "my.toml").returncode == 0
    (tmp_path / "my.toml").unlink()
    assert cli("init", "--schema", "my.toml").returncode == 0
    (tmp_path / "my.toml").unlink()
    (tmp_path / "my.schema.json").write_text('{"mine": 1}')
    refused = cli("init", "--schema", "my.toml")
    assert refused.returncode == 2 and "my.schema.json is not a schema of scenarios" in refused.stderr
    assert (tmp_path / "my.schema.json").read_text() == '{"mine": 1}'


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_schema_of_an_example_has_each_of_its_components(name: str) -> None:
    text = sansim.example(name)
    schema = json.loads(schema_for(text))
    tables = {key: table for key, table in tomllib.loads(text).items() if isinstance(table, dict)}
    found = {key: table["kind"] for key, table in tables.items() if "kind" in table}
    assert found
    general = sansim.schema()
    assert schema["$defs"]["component"] == general["additionalProperties"]
    for component, kind in found.items():
        entry = schema["properties"][component] if kind in general["$defs"] else None
        # The general schema says what is valid; the kind is only offered.
        if entry is not None:
            assert entry == {"allOf": [{"$ref": "#/$defs/component"}], "anyOf": [{}, {"$ref": f"#/$defs/{kind}"}]}
    assert {name: schema["$defs"][name] for name in general["$defs"]} == general["$defs"]


def test_a_schema_for_what_is_no_scenario_is_refused(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "bad.toml").write_text("[load\n")
    for arguments, words in (
        (("--for", "none.toml"), "none.toml: No such file"),
        (("--for", "bad.toml"), "bad.toml is not TOML: "),
        (("--for", "bad.toml", "--study"), "leave out the other options"),
    ):
        done = cli("schema", *arguments)
        assert done.returncode == 2 and words in done.stderr and "Traceback" not in done.stderr
