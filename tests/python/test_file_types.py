"""Nothing that sansim writes replaces a file of another kind, in any way of writing; `--force` does."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import sansim
from conftest import SMALL
from sansim import file_types as kinds
from sansim.cli import cli
from sansim.file_types import Kind, OtherKindError, is_of
from sansim.study.jobs.store import Store
from study_jobs import made_up
from study_support import STUDY, changed, write

NOTES = "years of work\n"
LONG = ("--set", "run.measured_ios=1000000000")
"""A run that nobody waits for: what is refused is refused before it."""
Give = Callable[..., Result]


@pytest.fixture
def give(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Give:
    """Gives a command in this process, which is quicker than the command itself."""
    monkeypatch.chdir(tmp_path)

    def give(*arguments: object) -> Result:
        done = CliRunner().invoke(cli, [*map(str, arguments)])
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return done

    return give


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A file of each kind, as sansim writes it, by the name of the kind in `sansim.file_types`."""
    folder = tmp_path_factory.mktemp("written")
    files = {"TRACE": "t.txt", "CAPTURE": "c.pcapng", "TIMELINE": "p.perfetto"}
    watched = {name.lower(): folder / file for name, file in files.items()}
    result = sansim.run(SMALL, {"run.measured_ios": 200}, **watched)  # type: ignore[arg-type]
    result.save(folder / "run")
    result.save_fio_json(folder / "fio.json")
    write(folder, changed(('values = ["4 KiB", "16 KiB", "64 KiB"]', 'values = ["4 KiB"]')))
    invoke = CliRunner().invoke
    for command in (
        ["report", folder / "run", "--export", folder / "charts"],
        ["study", "run", folder / "study.toml", "--workers", "1"],
        ["validate", folder / "study.toml", "--write", folder / "ledger.md"],
    ):
        done = invoke(cli, [str(part) for part in command])
        assert done.exit_code == 0, done.output
    tables = folder / "results" / "study"
    return {
        **{name: folder / file for name, file in files.items()},
        "FIO_JSON": folder / "fio.json",
        "PAGE": folder / "run-report.html",
        "PNG": folder / "charts" / "ledger.png",
        "SVG": folder / "charts" / "ledger.svg",
        "PARQUET": folder / "run" / "ios.parquet",
        "STUDY_CSV": tables / "results.csv",
        "VERDICT_CSV": tables / "verdicts.csv",
        "MARKDOWN": tables / "results.md",
        "LEDGER": folder / "ledger.md",
    }


def test_a_file_is_of_its_own_kind_and_of_no_other(written: dict[str, Path]) -> None:
    for name, file in written.items():
        known = [other for other in written if is_of(file, getattr(kinds, other))]
        assert known == [name]
    folder = written["SVG"].parent
    assert is_of(folder / "topology.svg", kinds.SVG), "drawn without matplotlib"
    figures = folder.parent / "results" / "study"
    assert is_of(figures / "throughput.svg", kinds.SVG)
    assert is_of(figures / "throughput.png", kinds.PNG)


def a_capture_of(application: bytes) -> bytes:
    """The begin of a capture that another program wrote."""
    option = struct.pack("<HH", 4, len(application)) + application + bytes(-len(application) % 4) + bytes(4)
    length = 28 + len(option)
    return (
        struct.pack("<IIIHHqI", 0x0A0D0D0A, length, 0x1A2B3C4D, 1, 0, -1, 0)[:-4] + option + struct.pack("<I", length)
    )


FOREIGN = {
    "text": NOTES.encode(),
    "a real capture": a_capture_of(b"Dumpcap (Wireshark) 4.0.17"),
    "a result of fio": b'{\n  "fio version" : "fio-3.33",\n  "jobs" : []\n}\n',
    "a job of fio": b"[global]\nrw=read\n[sansim]\nsize=4k\n",
    "another page": b'<!DOCTYPE html>\n<html><head><meta name="generator" content="pandoc"></head></html>\n',
    "another picture": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
    "another drawing": b'<svg xmlns="http://www.w3.org/2000/svg"><title>sansim</title></svg>',
    "other Markdown": b"# Validation\n\nof my thesis\n",
    "another table": b"drive,iops\n1,2\n",
    "another timeline": b"\x0a\x30\x10\x01" + b"track" * 10,
}


@pytest.mark.parametrize("what", FOREIGN)
def test_what_others_wrote_is_of_no_kind_of_ours(what: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(FOREIGN[what])
    every = [kind for kind in vars(kinds).values() if isinstance(kind, Kind)]
    assert len(every) >= 13
    assert not is_of(file, *every)
    file.write_bytes(b"")
    assert all(is_of(file, kind) for kind in every), "an empty file is anyone's"


# ---------------------------------------------------------------- a run


@pytest.mark.parametrize("option", ["--fio-json", "--trace", "--capture", "--timeline"])
def test_a_file_of_another_kind_is_refused_before_the_run(option: str, give: Give, tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text(NOTES)
    done = give("run", SMALL, *LONG, option, "notes.txt")
    assert done.exit_code == 2
    assert done.stderr.startswith(f"error: {option}: notes.txt is not a ")
    assert done.stderr.endswith("stays as it is; name another file, or use --force\n")
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]
    assert notes.read_text() == NOTES
    assert give("run", SMALL, option, "notes.txt", "--force").exit_code == 0
    assert notes.read_bytes()[:9] != NOTES[:9].encode()
    # It is of the kind now.
    assert give("run", SMALL, option, "notes.txt").exit_code == 0


def test_the_option_that_was_called_fio_explains_what_it_has_become(give: Give, tmp_path: Path) -> None:
    job = tmp_path / "job.fio"
    job.write_text("[global]\nrw=read\n")
    for arguments in (["--fio", "job.fio"], ["--fio=job.fio", "--force"]):
        done = give("run", SMALL, *LONG, *arguments)
        assert done.exit_code == 2
        assert "reads no job files" in done.stderr
        assert "--fio-json FILE" in done.stderr
    assert job.read_text() == "[global]\nrw=read\n"
    assert "--fio " not in give("run", "--help").stdout
    with pytest.raises(TypeError, match="save_fio_json"):
        sansim.run(SMALL, {"run.measured_ios": 50}).save_fio(job)


def test_python_refuses_what_the_command_line_refuses(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text(NOTES)
    few = {"run.measured_ios": 50}
    for option in ("trace", "capture", "timeline"):
        with pytest.raises(OtherKindError, match=r"notes\.txt is not a .* of sansim"):
            sansim.run(SMALL, {"run.measured_ios": 10**9}, **{option: notes})  # type: ignore[arg-type]
    result = sansim.run(SMALL, few)
    with pytest.raises(OtherKindError, match="fio's form"):
        result.save_fio_json(notes)
    assert notes.read_text() == NOTES
    result.save_fio_json(notes, force=True)
    assert json.loads(notes.read_text())["jobs"]
    sansim.run(SMALL, few, trace=notes, force=True)
    assert notes.read_text().startswith("# sansim trace")


def test_devices_and_pipes_are_written_to(give: Give, tmp_path: Path) -> None:
    assert give("run", SMALL, "--trace", "/dev/null", "--capture", "/dev/null").exit_code == 0
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert give("run", SMALL, "--set", "run.measured_ios=1", "--fio-json", "pipe").exit_code == 0
    assert os.read(reader, 20) == b'{\n  "fio version": "f'[:20]
    os.close(reader)


@pytest.mark.parametrize("option", ["trace", "capture", "timeline"])
def test_what_takes_the_name_during_a_run_stays_and_nothing_is_lost(option: str, tmp_path: Path) -> None:
    place = tmp_path / "file"

    def put(_: sansim.Progress) -> None:
        place.write_text(NOTES)

    overrides = {"run.measured_ios": 20_000}
    result = sansim.run(SMALL, overrides, progress=put, **{option: place})  # type: ignore[arg-type]
    assert place.read_text() == NOTES
    (file,) = result.files
    assert file.path.name.endswith(".partial")
    assert is_of(file.path, kinds.WATCHED[option])
    assert file.path.stat().st_size == file.bytes


# ---------------------------------------------------------------- a run folder


def folder_of(tmp_path: Path) -> Path:
    """A run folder with a trace."""
    out = tmp_path / "out"
    done = CliRunner().invoke(cli, ["run", str(SMALL), "--out", str(out), "--trace", str(out / "trace.txt")])
    assert done.exit_code == 0, done.output
    return out


@pytest.mark.parametrize("name", ["scenario.toml", "report.txt", "summary.json", "ios.parquet", "trace.txt"])
def test_a_file_of_a_run_folder_that_somebody_has_changed_stays(name: str, give: Give, tmp_path: Path) -> None:
    out = folder_of(tmp_path)
    (out / name).write_text(NOTES)
    done = give("run", SMALL, *LONG, "--out", "out")
    assert done.exit_code == 2
    assert name in done.stderr
    assert "--force" in done.stderr
    assert (out / name).read_text() == NOTES
    assert give("run", SMALL, "--out", "out", "--force").exit_code == 0
    assert not (out / name).exists() or (out / name).read_bytes() != NOTES.encode()


def test_a_link_in_a_run_folder_is_never_followed(give: Give, tmp_path: Path) -> None:
    out, notes = folder_of(tmp_path), tmp_path / "notes.txt"
    notes.write_text(NOTES)
    (out / "report.txt").unlink()
    (out / "report.txt").symlink_to(notes)
    done = give("run", SMALL, *LONG, "--out", "out")
    assert done.exit_code == 2
    assert "in it report.txt is a link" in done.stderr
    assert give("run", SMALL, "--out", "out", "--force").exit_code == 0
    assert not (out / "report.txt").is_symlink()
    assert notes.read_text() == NOTES


def test_a_folder_within_a_run_folder_is_kept_even_with_force(give: Give, tmp_path: Path) -> None:
    out = folder_of(tmp_path)
    (out / "report.txt").unlink()
    (out / "report.txt").mkdir()
    (out / "report.txt" / "thesis").write_text(NOTES)
    for force in ((), ("--force",)):
        done = give("run", SMALL, *LONG, "--out", "out", *force)
        assert done.exit_code == 2
        assert "in it report.txt is a folder" in done.stderr
    assert (out / "report.txt" / "thesis").read_text() == NOTES


def test_force_does_not_make_a_folder_of_other_things_ours(give: Give, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.md").write_text(NOTES)
    done = give("run", SMALL, *LONG, "--out", "mine", "--force")
    assert done.exit_code == 2
    assert "it holds thesis.md" in done.stderr
    assert (tmp_path / "mine" / "thesis.md").read_text() == NOTES


def test_the_scenario_that_is_run_is_not_replaced_by_its_result(give: Give, tmp_path: Path) -> None:
    out = folder_of(tmp_path)
    before = (out / "scenario.toml").read_bytes()
    done = give("run", "out/scenario.toml", *LONG, "--out", "out", "--force")
    assert done.exit_code == 2
    assert "--out: out is where the scenario is" in done.stderr
    assert (out / "scenario.toml").read_bytes() == before


# ---------------------------------------------------------------- pages, studies, queries


def test_a_page_and_its_charts_replace_nothing_else(written: dict[str, Path], give: Give, tmp_path: Path) -> None:
    run = written["PARQUET"].parent
    (tmp_path / "charts").mkdir()
    (tmp_path / "notes.html").write_text(NOTES)
    (tmp_path / "charts" / "tenancies.png").write_text(NOTES)
    target = tmp_path / "target.svg"
    target.write_bytes((written["SVG"]).read_bytes())
    (tmp_path / "charts" / "ledger.svg").symlink_to(target)
    done = give("report", run, "--out", "notes.html")
    assert (done.exit_code, "notes.html is not a report page of sansim" in done.stderr) == (2, True)
    done = give("report", run, "--out", "page.html", "--export", "charts")
    assert done.exit_code == 2
    assert "charts/ledger.svg is a link" in done.stderr
    (tmp_path / "charts" / "ledger.svg").unlink()
    done = give("report", run, "--out", "page.html", "--export", "charts")
    assert done.exit_code == 2
    assert "charts/tenancies.png is not a picture of sansim" in done.stderr
    assert not (tmp_path / "page.html").exists()
    (tmp_path / "charts" / "ledger.svg").symlink_to(target)
    assert give("report", run, "--out", "notes.html", "--export", "charts", "--force").exit_code == 0
    assert not (tmp_path / "charts" / "ledger.svg").is_symlink()
    assert target.read_bytes() == written["SVG"].read_bytes()


@pytest.mark.parametrize("name", ["results.csv", "verdicts.csv", "results.md", "results.parquet", "throughput.png"])
def test_a_study_replaces_nothing_else_and_says_so_before_it_runs(name: str, give: Give, tmp_path: Path) -> None:
    write(tmp_path, STUDY)
    folder = tmp_path / "results" / "study"
    folder.mkdir(parents=True)
    (folder / name).write_text(NOTES)
    done = give("study", "run", "study.toml")
    assert done.exit_code == 2
    assert f"{folder.relative_to(tmp_path) / name} is not a " in done.stderr
    (folder / name).unlink()
    target = tmp_path / "target"
    target.write_text(NOTES)
    (folder / name).symlink_to(target)
    done = give("study", "export", "study.toml", "--to", folder)
    assert done.exit_code == 2
    assert f"{name} is a link, which is not followed here" in done.stderr
    assert not (tmp_path / "results" / "points").exists(), "nothing was run"
    assert target.read_text() == NOTES


def test_a_study_with_force_replaces_a_link_and_not_what_it_leads_to(give: Give, tmp_path: Path) -> None:
    write(tmp_path, changed(('values = ["4 KiB", "16 KiB", "64 KiB"]', 'values = ["4 KiB"]')))
    folder, target = tmp_path / "results" / "study", tmp_path / "target"
    folder.mkdir(parents=True)
    target.write_text(NOTES)
    for name in ("results.csv", "results.parquet", "throughput.svg"):
        (folder / name).symlink_to(target)
    done = give("study", "run", "study.toml", "--workers", "1", "--force")
    assert done.exit_code == 0, done.output
    assert not any(file.is_symlink() for file in folder.iterdir())
    assert target.read_text() == NOTES


def test_a_result_of_a_store_is_never_written_through_a_link(tmp_path: Path) -> None:
    store, target = Store(tmp_path / "results"), tmp_path / "target"
    target.write_text(NOTES)
    store.place("abcd").parent.mkdir(parents=True)
    store.place("abcd").symlink_to(target)
    assert not store.has("abcd")
    store.write("abcd", made_up("abcd"))
    assert store.has("abcd")
    assert target.read_text() == NOTES


def test_the_page_of_a_validation_replaces_nothing_else(give: Give, tmp_path: Path) -> None:
    write(tmp_path, STUDY)
    (tmp_path / "notes.md").write_text(f"# Validation\n\n{NOTES}")
    done = give("validate", "study.toml", "--write", "notes.md")
    assert done.exit_code == 2
    assert "error: --write: notes.md is not a page of `sansim validate`" in done.stderr
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize("name", ["a.csv", "a.json", "a.txt", "a.parquet"])
def test_an_answer_replaces_only_an_earlier_one(
    name: str, written: dict[str, Path], give: Give, tmp_path: Path
) -> None:
    run = written["PARQUET"].parent
    sql = "select drive, count(*) as ios from ios group by drive order by drive"
    for _ in range(2):
        assert give("query", run, sql, "--out", name).exit_code == 0
    before = (tmp_path / name).read_bytes()
    assert give("query", run, f"{sql} limit 1", "--out", name).exit_code == 0
    assert (tmp_path / name).read_bytes() != before
    if name != "a.parquet":
        done = give("query", run, "select drive from ios", "--out", name)
        assert done.exit_code == 2
        assert f"--out: {name} is not an earlier answer with these columns" in done.stderr
    (tmp_path / name).write_text(NOTES)
    assert give("query", run, sql, "--out", name).exit_code == 2
    assert (tmp_path / name).read_text() == NOTES
    assert give("query", run, sql, "--out", name, "--force").exit_code == 0
