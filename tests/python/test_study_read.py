"""A study file that is wrong gets the care that a bad scenario gets: what, where, and what to do about it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from conftest import Cli
from sansim import _core
from sansim.study.points.plan import plan
from sansim.study.read import read_study
from study_mistakes import WRONG, WRONG_TABLES, size, text_of
from study_mistakes_checks import PLOT, ROW, SCHEDULE
from study_support import STUDY, changed, read, refused, said, underlined, write

MESSAGES = Path(__file__).parent / "data" / "study_messages"

SNAPSHOTS = (
    *("at an unknown axis", "at an unknown value", "no values", "zip of different lengths", "zip in a table"),
    *("metric that is not measured", "value of the wrong kind", "key that no scenario has", "unknown word"),
    *("figure that no run has", "setting in another unit", "formulas in a circle"),
    *("formula with a strange name", "two checks", "order without expect", "plot that lacks an axis"),
    *("value that breaks another rule", "scenario is missing", "gain between nothing", "too few labels"),
    *("precision of nothing", "expected at an axis it lost", "takes nothing", "trace of a port alone"),
)
"""The messages whose every word is kept in a file. UPDATE_MESSAGES=1 rewrites them; read the difference."""


def test_the_study_that_is_broken_here_is_correct(tmp_path: Path) -> None:
    study = read(tmp_path)
    assert len(plan(study).points) == 6


@pytest.mark.parametrize("name", [*WRONG, *WRONG_TABLES])
def test_a_mistake_is_told_once_with_its_place(name: str, tmp_path: Path) -> None:
    code, place, words = WRONG_TABLES[name][1:] if name in WRONG_TABLES else WRONG[name][1:]
    error = refused(tmp_path, text_of(name))
    text = said(error, tmp_path)
    assert [problem.code for problem in error.problems] == [code], text
    assert underlined(text) == ([place] if place else []), text
    assert "--> study.toml" in text
    assert text.endswith("1 problem in study.toml; nothing was run\n")
    for word in words:
        assert word in text
    if name in SNAPSHOTS:
        snapshot = MESSAGES / f"{name.replace(' ', '_')}.txt"
        if os.environ.get("UPDATE_MESSAGES"):
            snapshot.write_text(text, encoding="utf-8")
        assert text == snapshot.read_text(encoding="utf-8")


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    text = changed(*WRONG["at an unknown value"][0], *WRONG["plot along nothing"][0], *WRONG["too few labels"][0])
    assert [problem.code for problem in refused(tmp_path, text).problems] == ["E0404", "E0401", "E0401"]


def test_a_mistake_of_a_group_is_told_once_for_all_rows(tmp_path: Path) -> None:
    rows = ", ".join(f'{{ id = "X-{number}", value = 1 }}' for number in range(5))
    text = changed((ROW, rows), ('metric = "throughput"', 'metric = "thruput"\nkind = "exakt"'))
    assert [problem.code for problem in refused(tmp_path, text).problems] == ["E0403", "E0205"]


def test_what_is_measured_in_no_way_is_told_once(tmp_path: Path) -> None:
    start, end = STUDY.index("[metrics.throughput]"), STUDY.index("[[expected]]")
    error = refused(tmp_path, STUDY[:start] + STUDY[end:])
    assert [problem.message for problem in error.problems] == ["the study measures nothing"]


@pytest.mark.parametrize(
    ("more", "count"),
    [
        ("\n[replications]\ncount = 10000\n[axes.seed]\nkey = 'run.seed'\nvalues = [1, 2]\n", "120000"),
        ("\n[axes.seed]\nkey = 'run.seed'\nfrom = 1\nto = 9999\nstep = 1\n" * 1, None),
        ("\n[axes.a]\nkey = 'run.seed'\nfrom = 1\nto = 9999\nstep = 1\n[axes.b]\nkey = 'run.warm_up'\n"
         "from = 1\nto = 9999\nstep = 1\n", "5.9988e+08"),
    ],
)  # fmt: skip
def test_too_many_runs_are_refused_before_any_is_planned(more: str, count: str | None, tmp_path: Path) -> None:
    text = changed((f"\n[[plots]]\n{PLOT}\n", ""), more=more)
    if count is None:
        assert len(read(tmp_path, text).axis("seed").values) == 9999
        return
    with pytest.raises(_core.ScenarioError, match=f"these are {re.escape(count)} runs; a study has 100000 at most"):
        read(tmp_path, text)


# ---------------------------------------------------------------- points


def test_a_bad_combination_is_told_once_with_its_place(tmp_path: Path) -> None:
    buffers = 'key = "controller.port.incoming_buffers"\nvalues = [2, 4]\nlabels = ["NORM", "CMDF"]'
    credit = (
        '\n[axes.credit]\nkey = "drives.count"\nvalues = [1, 126]\n[axes.more]\nkey = "run.warm_up"\nvalues = [1, 2]\n'
    )
    text = changed((SCHEDULE, buffers), (f"\n[[plots]]\n{PLOT}\n", ""), more=credit)
    assert len(plan(read(tmp_path, text)).points) == 24
    # 126 drives are too many beside a group of passive ports.
    other = (tmp_path / "small.toml").read_text(encoding="utf-8")
    other = (
        other.replace('"drives"]\n\n[cont', '"drives", "others"]\n\n[cont')
        + '\n[others]\nkind = "passive"\ncount = 0\n'
    )
    text = changed(
        (SCHEDULE, 'key = "others.count"\nvalues = [0, 10]\nlabels = ["NORM", "CMDF"]'),
        (f"\n[[plots]]\n{PLOT}\n", ""),
        ('scenario = "small.toml"', 'scenario = "other.toml"'),
        more=credit,
    )
    (tmp_path / "other.toml").write_text(other, encoding="utf-8")
    error = refused(tmp_path, text)
    assert len(error.problems) <= 2
    assert "137 ports on a loop that has room for 127" in str(error)


def test_a_value_of_a_range_that_is_refused_is_named(tmp_path: Path) -> None:
    text = changed(
        (SCHEDULE, 'key = "drives.count"\nfrom = 100\nto = 140\nstep = 20'), ('at = { schedule = "NORM" }\n', "")
    )
    said_here = str(refused(tmp_path, text))
    assert "at schedule = 140: " in said_here
    assert underlined(said_here)[0] == "from"
    assert "schedule = 100" not in said_here


def test_a_scenario_that_the_study_completes_may_be_incomplete(tmp_path: Path) -> None:
    scenario = write(tmp_path).with_name("small.toml")
    part = scenario.read_text(encoding="utf-8").replace('size = "16 KiB"\n', "")
    (tmp_path / "part.toml").write_text(part, encoding="utf-8")
    text = changed(('"small.toml"', '"part.toml"'))
    assert len(plan(read(tmp_path, text)).points) == 6
    text = changed(('"small.toml"', '"part.toml"'), *size("values = [1, 2, 3]"), ("workload.size", "run.seed"))
    error = refused(tmp_path, text)
    assert [problem.code for problem in error.problems] == ["E0405"]
    assert "`workload` lacks the key `size`" in str(error)
    assert underlined(str(error)) == ["scenario"]


def test_a_mistake_of_the_scenario_itself_is_shown_there(tmp_path: Path) -> None:
    bad = (
        write(tmp_path)
        .with_name("small.toml")
        .read_text(encoding="utf-8")
        .replace("queue_depth = 2", "queue_depth = 0")
    )
    (tmp_path / "bad.toml").write_text(bad, encoding="utf-8")
    text = said(refused(tmp_path, changed(('"small.toml"', '"bad.toml"'))), tmp_path)
    assert underlined(text) == ["0"]
    assert "--> bad.toml:" in text
    (tmp_path / "bad.toml").write_text("[loop", encoding="utf-8")
    text = said(refused(tmp_path, changed(('"small.toml"', '"bad.toml"'))), tmp_path)
    assert "the scenario cannot be read: not valid TOML" in text
    assert "see bad.toml:1" in text


def test_a_scenario_may_stand_in_the_study(tmp_path: Path) -> None:
    scenario = write(tmp_path).with_name("small.toml").read_text(encoding="utf-8")
    text = changed(('scenario = "small.toml"', f"scenario = '''\n{scenario}'''"))
    assert len(plan(read(tmp_path, text)).points) == 6
    error = said(refused(tmp_path, text.replace("queue_depth = 2", "queue_depth = 0")), tmp_path)
    assert "--> study.toml (scenario):" in error
    assert underlined(error) == ["0"]


# ---------------------------------------------------------------- files


FILES = {
    "empty": b"",
    "comment": b"# nothing\n",
    "not UTF-8": b'title = "\xff\xfe"\n',
    "UTF-16": 'title = "x"\n'.encode("utf-16"),
    "zero bytes": b"\x00" * 100,
    "picture": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
    "broken TOML": b"[axes",
    "a scenario": None,
}
COMMANDS = (["study", "run"], ["study", "status"], ["study", "show"], ["study", "export", "--to", "x"], ["validate"])


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_no_study_is_refused(name: str, tmp_path: Path) -> None:
    content = FILES[name]
    file = tmp_path / "study.toml"
    file.write_bytes(write(tmp_path).with_name("small.toml").read_bytes() if content is None else content)
    with pytest.raises(_core.ScenarioError, match=r"study\.toml"):
        read_study(file)


def test_a_scenario_is_called_a_scenario(tmp_path: Path) -> None:
    scenario = write(tmp_path).with_name("small.toml")
    with pytest.raises(_core.ScenarioError) as caught:
        read_study(scenario)
    (problem,) = caught.value.problems
    assert problem.message == "this is a scenario, not a study"
    assert problem.help == '`sansim run` runs it once; a study names it: scenario = "small.toml"'


def test_a_folder_or_nothing_is_no_study(tmp_path: Path) -> None:
    with pytest.raises(_core.ScenarioError, match="no such file"):
        read_study(tmp_path / "missing.toml")
    with pytest.raises(_core.ScenarioError, match="directory"):
        read_study(tmp_path)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:2]))
@pytest.mark.parametrize("name", ["two checks", "value of the wrong kind", "figure that no run has"])
def test_every_command_refuses_a_bad_study(name: str, command: list[str], cli: Cli, tmp_path: Path) -> None:
    write(tmp_path, text_of(name), "wrong.toml")
    before = sorted(tmp_path.rglob("*"))
    done = cli(*command, "wrong.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == said(refused(tmp_path, text_of(name)), tmp_path).replace("study.toml", "wrong.toml")
    (tmp_path / "study.toml").unlink()
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("arguments", [["missing.toml"], ["."], ["sub"], ["study.toml", "missing.toml"]])
def test_places_without_a_study_are_refused(arguments: list[str], cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    if "study.toml" in arguments:
        write(tmp_path)
    done = cli("study", "run", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    assert "no such file" in done.stderr or "there is no study file in" in done.stderr


@pytest.mark.parametrize(
    "where", ["{folder}/smal.toml", "./smal.toml", "../{name}/smal.toml", "/no/such/folder/smal.toml"]
)
def test_a_scenario_that_is_missing_is_told_however_its_path_is_written(where: str, tmp_path: Path) -> None:
    path = where.format(folder=tmp_path, name=tmp_path.name)
    error = refused(tmp_path, changed(('"small.toml"', f'"{path}"')))
    assert "the scenario cannot be read: there is no such file" in str(error)
    meant = path.replace("smal.toml", "small.toml").removeprefix("./")
    assert ("did you mean" in str(error)) == ("/no/such" not in path)
    assert f"did you mean `{meant}`?" in str(error) or "/no/such" in path
