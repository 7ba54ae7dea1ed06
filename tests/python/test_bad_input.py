"""Every mistake a person can make gives one clear message, exit code 2, no traceback and nothing half-written."""

from __future__ import annotations

import os
import resource
import subprocess
from pathlib import Path

import pytest

import sansim
from conftest import COMMAND, SMALL, Cli
from sansim.html_report import PageError, read
from sansim.query import QueryError, query
from sansim.study.read import read_study
from sansim.study.session import study_files

# What is wrong: a text of the small scenario, what stands in its place, and words the message must have.
WRONG_TEXTS = {
    "unknown key": ('size = "16 KiB"', 'sizze = "16 KiB"', ["sizze", "size"]),
    "unknown table": ("[workload]", "[[[workload]", ["TOML"]),
    "missing unit": ('size = "16 KiB"', "size = 16", ["workload.size"]),
    "unit of the wrong kind": ('size = "16 KiB"', 'size = "16 us"', ["workload.size", "us"]),
    "duplicate AL_PA": ("[drives]\n", '[drives]\nport = { al_pa = ["01", "02"] }\n', ["01"]),
    "invalid AL_PA": ('al_pa = "01"', 'al_pa = "03"', ["03"]),
    "128 ports": ("count = 2", "count = 127", ["127"]),
    "16GFC on a loop": ('"2GFC"', '"16GFC"', ["16GFC"]),
    "zero buffers": ("incoming_buffers = 4", "incoming_buffers = 0", ["incoming_buffers"]),
    "queue depth 0": ("queue_depth = 2", "queue_depth = 0", ["queue_depth"]),
    "broken TOML": ("[loop]", "[loop", ["loop"]),
    "unknown station": ('"drives"]\n\n[controller]', '"drivers"]\n\n[controller]', ["drivers", "drives"]),
}
# What is set on the command line in place of it.
WRONG_SETTINGS = {
    "unknown key": ("workload.sizze=16KiB", ["sizze"]),
    "missing unit": ("workload.size=16", ["workload.size"]),
    "unit of the wrong kind": ("workload.size=16 us", ["workload.size"]),
    "128 ports": ("drives.count=127", ["127"]),
    "16GFC on a loop": ("loop.speed=16GFC", ["16GFC"]),
    "zero buffers": ("controller.port.incoming_buffers=0", ["incoming_buffers"]),
    "queue depth 0": ("workload.queue_depth=0", ["queue_depth"]),
    "no value": ("workload.queue_depth", ["--set"]),
    "no key": ("=3", ["--set"]),
}
WRONG_FILES = {
    "empty file": b"",
    "blank file": b" \n\n",
    "only a comment": b"# nothing\n",
    "not UTF-8": b'title = "\xff\xfe"\n',
    "UTF-16": 'title = "x"\n'.encode("utf-16"),
    "zero bytes": b"\x00" * 100,
    "a picture": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
}


def assert_refused(cli: Cli, tmp_path: Path, file: Path, *more: str, words: list[str]) -> None:
    """Both commands refuse the file, in the same words, and leave no trace."""
    before = sorted(tmp_path.rglob("*"))
    said = []
    for command in (["check"], ["run", "--json", "--out", str(tmp_path / "out")]):
        done = cli(*command, file, *more)
        assert done.returncode == 2, done.stderr
        assert done.stdout == ""
        assert "Traceback" not in done.stderr
        assert "panicked" not in done.stderr
        assert sorted(tmp_path.rglob("*")) == before
        said.append(done.stderr)
    message = said[0]
    assert message.strip()
    for word in words:
        assert word in message
    if "--set" not in words:
        assert said[1] == message


@pytest.mark.parametrize("name", WRONG_TEXTS)
def test_wrong_text_is_refused(name: str, cli: Cli, tmp_path: Path) -> None:
    right, wrong, words = WRONG_TEXTS[name]
    text = SMALL.read_text(encoding="utf-8")
    assert text.count(right) == 1
    file = tmp_path / "wrong.toml"
    file.write_text(text.replace(right, wrong), encoding="utf-8")
    assert_refused(cli, tmp_path, file, words=[*words, "wrong.toml"])


@pytest.mark.parametrize("name", WRONG_SETTINGS)
def test_wrong_setting_is_refused(name: str, cli: Cli, tmp_path: Path) -> None:
    setting, words = WRONG_SETTINGS[name]
    assert_refused(cli, tmp_path, SMALL, "--set", setting, words=words)


@pytest.mark.parametrize("name", WRONG_FILES)
def test_wrong_file_is_refused(name: str, cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "wrong.toml"
    file.write_bytes(WRONG_FILES[name])
    assert_refused(cli, tmp_path, file, words=["wrong.toml"])


def test_missing_file_is_refused(cli: Cli, tmp_path: Path) -> None:
    assert_refused(cli, tmp_path, tmp_path / "missing.toml", words=["missing.toml"])


def test_directory_is_refused(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "folder.toml"
    folder.mkdir()
    assert_refused(cli, tmp_path, folder, words=["folder.toml", "directory"])


def test_file_below_a_file_is_refused(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x", encoding="utf-8")
    assert_refused(cli, tmp_path, file / "below.toml", words=["below.toml"])


def test_unreadable_file_is_refused(cli: Cli, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        file = tmp_path / "locked.toml"
        file.write_text("x", encoding="utf-8")
        file.chmod(0)
    else:
        # Root may read anything that can be read; this cannot.
        file = Path("/proc/self/mem")
        if not file.exists():
            pytest.skip("no file that root cannot read")
    assert_refused(cli, tmp_path, file, words=[file.name])


def test_all_problems_are_told_at_once(cli: Cli, tmp_path: Path) -> None:
    text = SMALL.read_text(encoding="utf-8")
    file = tmp_path / "wrong.toml"
    file.write_text(text.replace("queue_depth = 2", "queue_depth = 0").replace('"2GFC"', '"3GFC"'), encoding="utf-8")
    assert_refused(cli, tmp_path, file, words=["queue_depth", "3GFC"])


@pytest.mark.parametrize(
    "arguments",
    [
        ["run"],
        ["rum", "x.toml"],
        ["run", "x.toml", "--loop", "quick"],
        ["run", "x.toml", "--seed", "-1"],
        ["run", "x.toml", "--seed", "9223372036854775808"],
        ["run", "x.toml", "--seed", "one"],
        ["run", "x.toml", "--no-such-option"],
        ["run", "x.toml", "y.toml"],
        ["check"],
        ["schema", "x"],
    ],
)
def test_wrong_command_line_is_refused(arguments: list[str], cli: Cli) -> None:
    done = cli(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Error" in done.stderr
    assert "Traceback" not in done.stderr


# ---------------------------------------------------------------- what is no file, or far too large


def limited_memory() -> None:
    """Lets the process have 2 GB, most of which is the address space of libraries."""
    resource.setrlimit(resource.RLIMIT_AS, (2_000_000_000, 2_000_000_000))


@pytest.mark.parametrize("command", [["check"], ["run"], ["study", "run"]])
@pytest.mark.parametrize("size", [5 << 20, 20_000_000_000])
def test_of_a_file_that_is_too_large_nothing_is_read(command: list[str], size: int, tmp_path: Path) -> None:
    file = tmp_path / "large.toml"
    with file.open("wb") as stream:
        stream.truncate(size)
    done = subprocess.run(
        [str(COMMAND), *command, "large.toml"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        preexec_fn=limited_memory,
        timeout=120,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "the file is larger than the 4 MiB a scenario may have\n --> large.toml\n" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_with_a_large_file_in_it_is_looked_through_quickly(tmp_path: Path) -> None:
    with (tmp_path / "large.toml").open("wb") as stream:
        stream.truncate(20_000_000_000)
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(FileNotFoundError, match="there is no study file in"):
        study_files([tmp_path])


@pytest.mark.parametrize("command", [["check"], ["run"], ["study", "run"], ["study", "show"]])
def test_a_named_pipe_as_scenario_is_refused_and_not_waited_for(command: list[str], cli: Cli, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    done = cli(*command, "pipe.toml")
    assert done.returncode == 2
    assert "this is a named pipe, not a file" in done.stderr
    assert "/dev/stdin < pipe.toml" in done.stderr


def test_a_scenario_of_a_study_that_is_a_named_pipe_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "study.toml").write_text('scenario = "pipe.toml"\n[metrics.iops]\nvalue = "iops"\n')
    with pytest.raises(sansim.ScenarioError, match="the scenario cannot be read: this is a named pipe"):
        read_study(tmp_path / "study.toml")


@pytest.mark.parametrize(
    "line",
    [
        "cat {} | {} check /dev/stdin",
        "{1} check /dev/stdin < {0}",
        "{1} check <(cat {0})",
        "{1} check /dev/fd/7 7< <(cat {0})",
    ],
)
def test_a_scenario_may_come_through_a_stream_that_is_open(line: str, tmp_path: Path) -> None:
    command = ["bash", "-c", line.format(SMALL, COMMAND)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert "no problems" in done.stdout


def test_a_study_may_come_through_a_stream_that_is_open(tmp_path: Path) -> None:
    text = f'scenario = "{SMALL}"\n[metrics.iops]\nvalue = "iopps"\n'
    command = [str(COMMAND), "study", "status", "/dev/stdin"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False)
    assert done.returncode == 2
    assert "iopps" in done.stderr


def enlarge(file: Path) -> None:
    """Makes a file of 20 GB, which take no room."""
    file.touch()
    os.truncate(file, 20_000_000_000)


@pytest.mark.parametrize("name", ["run.json", "summary.json", "scenario.toml"])
def test_a_run_folder_with_what_is_no_file_or_far_too_large_is_refused(name: str, small: Path, tmp_path: Path) -> None:
    sansim.run(small, {"run.measured_ios": 50}).save(tmp_path / "run")
    file = tmp_path / "run" / name
    for make in (os.mkfifo, enlarge):
        file.unlink()
        make(file)
        with pytest.raises((QueryError, PageError), match=rf"{name}"):
            query(tmp_path / "run", "select * from summary, scenario")
        with pytest.raises(PageError, match=rf"{name}"):
            read([tmp_path / "run"])
