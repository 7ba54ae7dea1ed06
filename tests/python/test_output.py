"""The folder of `--out`: complete, ours, or not touched."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import sansim
from conftest import COMMAND, Cli
from sansim.html_report.contents import sections
from sansim.html_report.files import render
from sansim.html_report.folder import read_one
from sansim.runs.output import FILES, OutputError, RunFolder
from shares import share


def test_folder_holds_the_whole_result(cli: Cli, small: Path, tmp_path: Path) -> None:
    done = cli("run", small, "--out", "deep/out")
    assert done.returncode == 0, done.stderr
    out = tmp_path / "deep" / "out"
    assert sorted(path.name for path in out.iterdir()) == sorted(FILES)
    assert [path.name for path in out.parent.iterdir()] == ["out"]
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    run = json.loads((out / "run.json").read_text(encoding="utf-8"))
    assert run["version"] == sansim.__version__
    shown = [line for line in done.stdout.splitlines(keepends=True) if "of wall time" not in line]
    assert len(shown) == len(done.stdout.splitlines()) - 1
    assert (out / "report.txt").read_text(encoding="utf-8") == "".join(shown)
    assert pl.read_parquet(out / "ios.parquet").height == summary["ios"]
    # Running the resolved scenario again gives the same bytes.
    again = cli("run", out / "scenario.toml", "--out", "again")
    assert again.returncode == 0, again.stderr
    for name in ("summary.json", "scenario.toml", "ios.parquet"):
        assert (tmp_path / "again" / name).read_bytes() == (out / name).read_bytes(), name


def test_seed_of_the_command_line_is_in_the_resolved_scenario(cli: Cli, small: Path, tmp_path: Path) -> None:
    first = cli("run", small, "--seed", "77", "--out", "out", "--json")
    again = cli("run", tmp_path / "out" / "scenario.toml", "--json")
    assert json.loads(first.stdout)["summary"]["seed"] == 77
    assert json.loads(first.stdout)["summary"] == json.loads(again.stdout)["summary"]


def test_earlier_result_is_replaced(cli: Cli, small: Path, tmp_path: Path) -> None:
    for seed in (5, 6):
        assert cli("run", small, "--seed", seed, "--out", "out").returncode == 0
        assert json.loads((tmp_path / "out" / "summary.json").read_text(encoding="utf-8"))["seed"] == seed
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_empty_folder_is_taken(cli: Cli, small: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert cli("run", small, "--out", "out").returncode == 0
    assert (tmp_path / "out" / "summary.json").exists()


@pytest.mark.parametrize("names", [["notes.txt"], ["run.json"], ["summary.json", "run.json"], [".git"]])
def test_foreign_folder_is_left_alone(names: list[str], cli: Cli, small: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    for name in names:
        (out / name).write_text("{}", encoding="utf-8")
    done = cli("run", small, "--out", "out")
    assert done.returncode == 2
    assert "was not written by sansim" in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(path.name for path in out.iterdir()) == sorted(names)
    assert all((out / name).read_text(encoding="utf-8") == "{}" for name in names)


def test_result_with_a_foreign_file_is_left_alone(cli: Cli, small: Path, tmp_path: Path) -> None:
    assert cli("run", small, "--out", "out").returncode == 0
    (tmp_path / "out" / "thoughts.txt").write_text("mine", encoding="utf-8")
    assert cli("run", small, "--out", "out").returncode == 2
    assert (tmp_path / "out" / "thoughts.txt").read_text(encoding="utf-8") == "mine"


def test_file_in_the_place_of_the_folder_is_left_alone(cli: Cli, small: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine", encoding="utf-8")
    done = cli("run", small, "--out", "out")
    assert done.returncode == 2
    assert "not a folder" in done.stderr
    assert (tmp_path / "out").read_text(encoding="utf-8") == "mine"


def test_place_below_a_file_is_refused(cli: Cli, small: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    done = cli("run", small, "--out", "file/out")
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_failure_while_writing_leaves_nothing(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = sansim.run(small)

    def broken(_: pl.LazyFrame, file: Path, **__: object) -> None:
        Path(file).write_bytes(b"half")
        raise OSError("no space left")

    monkeypatch.setattr(pl.LazyFrame, "sink_parquet", broken)
    with pytest.raises(OSError, match="no space left"):
        result.save(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_save_refuses_a_foreign_folder(small: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("x", encoding="utf-8")
    with pytest.raises(OutputError, match="was not written by sansim"):
        sansim.run(small).save(tmp_path)


def test_a_trace_asked_for_in_the_run_folder_appears_with_it(cli: Cli, small: Path, tmp_path: Path) -> None:
    for _ in range(2):
        done = cli("run", small, "--out", "run", "--trace", "run/trace.txt", "--trace-kind", "command")
        assert done.returncode == 0, done.stderr
        assert "trace: run/trace.txt, " in done.stderr
        assert (tmp_path / "run" / "trace.txt").read_text().startswith("# sansim trace")
        assert [entry.name for entry in tmp_path.iterdir()] == ["run"]
    about = json.loads((tmp_path / "run" / "run.json").read_text())
    assert about["files"] == ["trace.txt"]
    refused = cli("run", small, "--out", "run", "--trace", "run/ios.parquet")
    assert refused.returncode == 2
    assert "choose another name" in refused.stderr


def test_a_killed_run_leaves_the_earlier_folder(small: Path, tmp_path: Path) -> None:
    sansim.run(small).save(tmp_path / "run")
    earlier = {entry.name: entry.read_bytes() for entry in (tmp_path / "run").iterdir()}
    command = [
        str(p) for p in (COMMAND, "run", small, "--set", "run.measured_ios=100000000", "--out", tmp_path / "run")
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        while len(list(tmp_path.iterdir())) < 2:
            assert run.poll() is None, "it ended by itself"
            time.sleep(0.01)
        run.kill()
    assert {entry.name: entry.read_bytes() for entry in (tmp_path / "run").iterdir()} == earlier
    left = [entry.name for entry in tmp_path.iterdir() if entry.name != "run"]
    assert all(name.startswith(".run.") for name in left), "what is left does not look like a result"


def limited() -> None:
    """Lets files grow to 20 kB only, as a disk that is full does."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))


@pytest.mark.parametrize("option", ["--out", "--fio-json", "--trace", "--capture", "--timeline"])
def test_a_disk_that_is_full_is_told_and_nothing_is_left_behind(small: Path, tmp_path: Path, option: str) -> None:
    earlier = tmp_path / "earlier"
    if option == "--out":
        sansim.run(small).save(earlier)
        before = {entry.name: entry.read_bytes() for entry in earlier.iterdir()}
    else:
        # An empty file is anyone's.
        earlier.write_text("")
    # So many drives that every file would be larger.
    command = [COMMAND, "run", small, "--set", "drives.count=100", option, earlier]
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, preexec_fn=limited, timeout=100, check=False
    )
    assert done.returncode == 1, done.stderr
    assert "File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == [earlier]
    if option == "--out":
        assert {entry.name: entry.read_bytes() for entry in earlier.iterdir()} == before
    else:
        assert earlier.read_text() == ""


def test_what_was_put_into_the_folder_during_the_run_stays(small: Path, tmp_path: Path) -> None:
    place = tmp_path / "run"

    def put(_: sansim.Progress) -> None:
        place.mkdir(exist_ok=True)
        (place / "thesis.md").write_text("years of work")

    with RunFolder(place) as folder:
        result = sansim.run(small, {"run.measured_ios": 50_000}, progress=put)
        put(None)  # type: ignore[arg-type]
        with pytest.raises(OutputError, match=r"thesis\.md"):
            folder.complete(result)
    assert [entry.name for entry in tmp_path.iterdir()] == ["run"]
    assert (place / "thesis.md").read_text() == "years of work"


def with_files_of_at_most(limit: int, command: Sequence[object], folder: Path) -> subprocess.CompletedProcess[str]:
    """What a command does if no file may be longer, as if the disk were full."""
    return subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        cwd=folder,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        timeout=100,
        check=False,
    )


@pytest.mark.parametrize("ios", [200, 20_000])
def test_a_disk_that_is_full_while_a_run_goes_on_does_not_cost_the_figures(
    small: Path, tmp_path: Path, ios: int
) -> None:
    command = [COMMAND, "run", small, "--set", f"run.measured_ios={ios}", "--out", "out"]
    done = with_files_of_at_most(1000, command, tmp_path)
    assert done.returncode == 1
    assert done.stderr.endswith("error: --out: cannot write out/ios.parquet: File too large\n")
    assert "Rate" in done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("limit", "file"), [(200_000, "ios.parquet"), (20_000, "fio.json"), (500, "summary.json")])
def test_a_disk_that_is_full_is_told_with_the_file(small: Path, tmp_path: Path, limit: int, file: str) -> None:
    # The tables are written by polars, which has errors of its own.
    program = f"import sansim; sansim.run({str(small)!r}, {{'run.measured_ios': 20_000}}).save('out')"
    done = with_files_of_at_most(limit, [sys.executable, "-c", program], tmp_path)
    assert done.returncode == 1
    assert done.stderr.endswith(f"OSError: [Errno 27] File too large: 'out/{file}'\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("warm_up", share([10, "2 s", "auto"], 1, "rows"))
def test_the_rows_of_a_run_that_went_to_its_folder_while_it_went_on_are_those_of_one_that_held_them(
    cli: Cli, small: Path, tmp_path: Path, warm_up: int | str
) -> None:
    # More than a batch of I/Os, and of tenancies.
    many: dict[str, Any] = {"run.measured_ios": 70_000, "workload.size": "512 B", "run.warm_up": warm_up}
    settings = [part for key, value in many.items() for part in ("--set", f"{key}={value}")]
    done = cli("run", small, *settings, "--out", "out")
    assert done.returncode == 0, done.stderr
    sansim.run(small, many).save(tmp_path / "held")
    for name in ("ios.parquet", "tenancies.parquet", "fio.json"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "held" / name).read_bytes(), name


def test_two_runs_of_a_scenario_have_the_same_report_and_page(small: Path, tmp_path: Path) -> None:
    places = [tmp_path / "first" / "run", tmp_path / "second" / "run"]
    for place in places:
        sansim.run(small).save(place)
    first, second = ({file.name: file.read_bytes() for file in place.iterdir()} for place in places)
    assert [name for name in first if first[name] != second[name]] == ["run.json"]
    pages = [render(runs, sections(runs)) for runs in ([run] for run in map(read_one, places))]
    assert pages[0] == pages[1]
    walls = [json.loads(text["run.json"])["wall_s"] for text in (first, second)]
    assert walls[0] != walls[1]
    assert "wall time" in sansim.run(small).report()
