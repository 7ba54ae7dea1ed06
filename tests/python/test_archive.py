"""Archives of runs: what is in them, that they are the same each time, and what a second run says."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import sansim
from conftest import COMMAND, SMALL, Cli, clean_environment, within
from sansim.archive.contents import MANIFEST, MARK, SCENARIO, is_inner
from sansim.archive.difference import compared, versions
from sansim.archive.pack import without_places
from sansim.runs.output import FILES
from test_html_report_support import without_checksums

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"
COMPARED = [name for name in FILES if name != "run.json"]
RULED = """
[run]
measured_ios = 200
[left]
kind = "fabric"
topology = "single-switch"
speed = "4GFC"
stations = ["host.adapters.a", "disks.adapters.a"]
[right]
kind = "fabric"
topology = "single-switch"
speed = "4GFC"
stations = ["host.adapters.b", "disks.adapters.b"]
[host]
kind = "host"
path = { python = "mine.py:Least" }
[host.adapters.a]
[host.adapters.b]
[disks]
kind = "drives"
count = 2
access_time = "1 ms"
transfer_rate = "200 MB/s"
[disks.adapters.a]
[disks.adapters.b]
[load]
kind = "closed"
from = "host"
to = "disks"
size = "16 KiB"
queue_depth = 2
"""
RULE = """
from pathlib import Path
from sansim.rules import Rule
Path({mark!r}).write_text("ran")
class Least(Rule):
    def decide(self, view):
        return view.outstanding.index_of_least()
"""


@pytest.fixture
def sh(tmp_path: Path) -> Cli:
    """The command in an empty folder, in this process."""
    return within(tmp_path)


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive of a run that reads a trace."""
    folder = tmp_path_factory.mktemp("packed")
    run = within(folder)
    assert run("run", SCENARIOS / "replay.toml", "--out", "run").returncode == 0
    assert run("pack", "run").returncode == 0
    return folder / "run.sansim.tar.gz"


def contents(archive: Path) -> dict[str, bytes]:
    """The files of an archive by name."""
    found = {}
    with tarfile.open(archive, "r:gz") as tar:
        for member in tar:
            stream = tar.extractfile(member)
            assert stream is not None
            found[member.name] = stream.read()
    return found


def write(archive: Path, files: dict[str, bytes], more: Callable[[tarfile.TarFile], None] | None = None) -> Path:
    """An archive of files; anyone can make one."""
    with gzip.open(archive, "wb") as zipped, tarfile.open(fileobj=zipped, mode="w") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
        if more is not None:
            more(tar)
    return archive


def forged(archive: Path, packed: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    """An archive in which somebody changed files, and wrote the checksums that they have then."""
    import hashlib

    files = contents(packed)
    change(files)
    manifest = json.loads(files[MANIFEST])
    manifest["files"] = {
        name: {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
        for name, content in files.items()
        if name != MANIFEST
    }
    return write(archive, {**files, MANIFEST: json.dumps(manifest).encode()})


# ---------------------------------------------------------------- packing


def test_a_packed_run_gives_the_same_bytes_without_the_files_it_read(tmp_path: Path, sh: Cli) -> None:
    for name in ("replay.toml", "replay.csv.gz"):
        shutil.copy(SCENARIOS / name, tmp_path / name)
    assert sh("run", "replay.toml", "--out", "run").returncode == 0
    done = sh("pack", "run", "-o", "kept.tar.gz")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("kept.tar.gz: 11 files, ")
    for name in ("replay.toml", "replay.csv.gz"):
        (tmp_path / name).unlink()
    shutil.rmtree(tmp_path / "run")
    done = sh("rerun", "kept.tar.gz")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"kept.tar.gz: the same bytes in 8 files: {', '.join(COMPARED)}\n"
    # Nothing is left of the second run.
    assert [path.name for path in tmp_path.iterdir()] == ["kept.tar.gz"]


def test_an_archive_has_the_scenario_its_files_versions_seed_and_results(packed: Path) -> None:
    files = contents(packed)
    assert next(iter(files)) == MANIFEST
    assert files["files/1/replay.csv.gz"] == (SCENARIOS / "replay.csv.gz").read_bytes()
    assert {f"result/{name}" for name in FILES} <= set(files)
    assert b'file = { path = "files/1/replay.csv.gz", bytes = 2075, ' in files[SCENARIO]
    manifest = json.loads(files[MANIFEST])
    assert (manifest["seed"], manifest["loop"]) == (1, "fast")
    assert set(manifest["software"]) >= {"sansim", "model", "python", "platform", "polars"}
    assert manifest["software"]["sansim"] == sansim.__version__
    assert set(manifest["files"]) == set(files) - {MANIFEST}


def test_the_same_run_folder_gives_the_same_archive_wherever_it_is(packed: Path, tmp_path: Path, sh: Cli) -> None:
    shutil.copytree(packed.parent / "run", tmp_path / "elsewhere" / "other")
    os.utime(tmp_path / "elsewhere" / "other" / "summary.json", (1, 1))
    assert sh("pack", "elsewhere/other", "-o", "a.tar.gz").returncode == 0
    assert (tmp_path / "a.tar.gz").read_bytes() == packed.read_bytes()


def test_options_of_the_run_are_those_of_the_second_run(tmp_path: Path, sh: Cli) -> None:
    options = ("--sample-every", "3ms", "--percentiles", "p95,p99.99", "--loop", "reference", "--seed", "7")
    done = sh("run", SMALL, *options, "--out", "run", "--capture", "run/frames.pcapng")
    assert done.returncode == 0, done.stderr
    assert sh("pack", "run").returncode == 0
    done = sh("rerun", "run.sansim.tar.gz", "--out", "again")
    assert done.returncode == 0, done.stdout
    assert "the same bytes in 8 files" in done.stdout
    assert done.stdout.endswith("Not written again, as nothing says what was asked for: result/frames.pcapng\n")
    summary = json.loads((tmp_path / "again" / "rerun" / "summary.json").read_text(encoding="utf-8"))
    assert summary["seed"] == 7 and "p99_99" in summary["response_time_ns"]
    capture = (tmp_path / "run" / "frames.pcapng").read_bytes()
    assert (tmp_path / "again" / "result" / "frames.pcapng").read_bytes() == capture


@pytest.mark.parametrize("name", ["fio-job", "data-sheet", "rebuild"])
def test_scenarios_with_files_of_other_kinds_give_the_same_bytes(name: str, sh: Cli) -> None:
    assert sh("run", SCENARIOS / f"{name}.toml", "--out", "run").returncode == 0
    assert sh("pack", "run").returncode == 0
    assert "the same bytes in 8 files" in sh("rerun", "run.sansim.tar.gz").stdout


def test_two_files_of_one_name_are_both_packed(tmp_path: Path, sh: Cli) -> None:
    text = (SCENARIOS / "replay.toml").read_text(encoding="utf-8")
    content = gzip.decompress((SCENARIOS / "replay.csv.gz").read_bytes())
    for folder, part in (("a", content), ("b", content.rsplit(b"\n", 5)[0] + b"\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "replay.csv").write_bytes(part)
    start = text.rindex("\n[", 0, text.index('kind = "trace"')) + 1
    load = text[start:]
    twin = f"[twin]{load[load.index(']') + 1 :]}".replace("replay.csv.gz", "b/replay.csv")
    (tmp_path / "two.toml").write_text(f"{text.replace('replay.csv.gz', 'a/replay.csv')}\n{twin}", encoding="utf-8")
    done = sh("run", "two.toml", "--out", "run")
    assert done.returncode == 0, done.stderr
    assert sh("pack", "run").returncode == 0
    files = contents(tmp_path / "run.sansim.tar.gz")
    assert files["files/1/replay.csv"] != files["files/2/replay.csv"]
    assert "the same bytes" in sh("rerun", "run.sansim.tar.gz").stdout


def refused(done: subprocess.CompletedProcess[str], *words: str) -> None:
    """A command that ended with bad input, and with one message."""
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stderr.startswith("error: ") and "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr


def test_what_is_no_run_folder_is_not_packed(tmp_path: Path, sh: Cli) -> None:
    refused(sh("pack", "nothing"), "there is no such folder", "sansim run FILE --out DIR")
    (tmp_path / "notes").mkdir()
    refused(sh("pack", "notes"), "it has no run.json of sansim")
    (tmp_path / "text.toml").write_text("")
    refused(sh("pack", "text.toml"), "is not a run folder but a file")
    (tmp_path / "study" / "points").mkdir(parents=True)
    refused(sh("pack", "study"), "has results of a study, which are not packed", "`sansim study run`")


def test_a_run_folder_that_was_changed_is_not_packed(packed: Path, tmp_path: Path, sh: Cli) -> None:
    shutil.copytree(packed.parent / "run", tmp_path / "run")
    summary = tmp_path / "run" / "summary.json"
    summary.write_text(summary.read_text(encoding="utf-8").replace('"ios": 141', '"ios": 142'), encoding="utf-8")
    refused(sh("pack", "run"), "summary.json has been changed since the run wrote it", "run it again")
    assert not (tmp_path / "run.sansim.tar.gz").exists()


def test_a_run_that_was_stopped_early_is_not_packed(packed: Path, tmp_path: Path, sh: Cli) -> None:
    shutil.copytree(packed.parent / "run", tmp_path / "run")
    without_checksums(tmp_path / "run")
    summary = tmp_path / "run" / "summary.json"
    told = json.loads(summary.read_text(encoding="utf-8"))
    summary.write_text(json.dumps({**told, "stopped_early": True}), encoding="utf-8")
    refused(sh("pack", "run"), "was stopped early, at a moment that no later run can repeat")


@pytest.mark.parametrize("fate", ["changed", "missing"])
def test_a_named_file_that_is_not_as_the_run_read_it_is_not_packed(fate: str, tmp_path: Path, sh: Cli) -> None:
    for name in ("replay.toml", "replay.csv.gz"):
        shutil.copy(SCENARIOS / name, tmp_path / name)
    assert sh("run", "replay.toml", "--out", "run").returncode == 0
    trace = tmp_path / "replay.csv.gz"
    if fate == "changed":
        trace.write_bytes(gzip.compress(gzip.decompress(trace.read_bytes())[:-40]))
    else:
        trace.unlink()
    words = {"changed": "has been changed since the run read it", "missing": "is missing, which the scenario"}
    refused(sh("pack", "run"), f"replay.csv.gz {words[fate]}", "run again")


def test_a_file_of_another_kind_is_not_replaced_by_an_archive(packed: Path, tmp_path: Path, sh: Cli) -> None:
    work = tmp_path / "work.tar.gz"
    work.write_bytes(gzip.compress(b"mine"))
    refused(sh("pack", packed.parent / "run", "-o", "work.tar.gz"), "is not an archive of sansim")
    assert gzip.decompress(work.read_bytes()) == b"mine"
    assert sh("pack", packed.parent / "run", "-o", "work.tar.gz", "--force").returncode == 0
    # An earlier archive is replaced without being asked for.
    assert sh("pack", packed.parent / "run", "-o", "work.tar.gz").returncode == 0
    refused(sh("pack", packed.parent / "run", "-o", packed.parent / "run" / "x.tar.gz"), "lies in the run folder")


# ---------------------------------------------------------------- archives that are damaged, or of others


def test_a_damaged_archive_is_an_error_whatever_byte_is_wrong(packed: Path, tmp_path: Path, sh: Cli) -> None:
    whole = packed.read_bytes()
    source = random.Random(5)
    for at in [*range(10, 40, 5), *(source.randrange(40, len(whole) - 8) for _ in range(25))]:
        (tmp_path / "bad.tar.gz").write_bytes(whole[:at] + bytes([whole[at] ^ 0x40]) + whole[at + 1 :])
        done = sh("rerun", "bad.tar.gz")
        # The name in the header of gzip is no part of the content.
        if at > 10 + len(MARK):
            refused(done, "bad.tar.gz")
        assert "Traceback" not in done.stderr


def test_a_cut_archive_is_an_error(packed: Path, tmp_path: Path, sh: Cli) -> None:
    whole = packed.read_bytes()
    for length in (0, 1, 12, 200, len(whole) // 2, len(whole) - 9):
        (tmp_path / "cut.tar.gz").write_bytes(whole[:length])
        refused(sh("rerun", "cut.tar.gz"), "cut.tar.gz")


def test_what_is_no_archive_is_refused(tmp_path: Path, sh: Cli) -> None:
    refused(sh("rerun", "none.tar.gz"), "there is no such file", "`sansim pack RUN` writes an archive")
    (tmp_path / "folder").mkdir()
    refused(sh("rerun", "folder"), "is not an archive but a folder")
    (tmp_path / "text").write_text("a text")
    refused(sh("rerun", "text"), "cannot be read as an archive of sansim")
    write(tmp_path / "foreign.tar.gz", {"README": b"something"})
    refused(sh("rerun", "foreign.tar.gz"), "is no archive of sansim: its first file is not manifest.json")
    write(tmp_path / "other.tar.gz", {MANIFEST: b'{"written_by": "me"}'})
    refused(sh("rerun", "other.tar.gz"), "is no archive of sansim")
    write(tmp_path / "json.tar.gz", {MANIFEST: b"{"})
    refused(sh("rerun", "json.tar.gz"), "is damaged or was changed")


def test_an_archive_of_a_later_format_is_refused(packed: Path, tmp_path: Path, sh: Cli) -> None:
    files = contents(packed)
    manifest = {**json.loads(files[MANIFEST]), "format": 2}
    write(tmp_path / "later.tar.gz", {**files, MANIFEST: json.dumps(manifest).encode()})
    refused(sh("rerun", "later.tar.gz"), "has the format 2, and this version of sansim reads archives up to 1")


OUTSIDE = ["../evil", "/evil", "files/../../evil", "files/1/../evil", "result/a/b", "C:evil", "result/..", ""]


@pytest.mark.parametrize("name", OUTSIDE)
def test_no_name_leads_out_of_the_folder(name: str, packed: Path, tmp_path: Path, sh: Cli) -> None:
    assert not is_inner(name)
    files = contents(packed)
    # In the manifest, and, as its checksums are right, in the archive itself.
    archive = forged(tmp_path / "evil.tar.gz", packed, lambda found: found.update({name: b"evil"}))
    refused(sh("rerun", "evil.tar.gz", "--out", "inner"), "which would lie outside the archive's folder")
    # In the archive alone.
    write(archive, {**files, name: b"evil"})
    refused(sh("rerun", "evil.tar.gz", "--out", "other"), "does not list; it was changed, so nothing is run")
    assert not list(tmp_path.rglob("evil")) and not list(tmp_path.parent.glob("evil"))


def test_links_and_files_that_come_twice_are_refused(packed: Path, tmp_path: Path, sh: Cli) -> None:
    files = contents(packed)

    def link(tar: tarfile.TarFile) -> None:
        member = tarfile.TarInfo("result/link")
        member.type, member.linkname = tarfile.SYMTYPE, "/etc"
        tar.addfile(member)

    write(tmp_path / "link.tar.gz", files, link)
    refused(sh("rerun", "link.tar.gz"), "has 'result/link'")

    def twice(tar: tarfile.TarFile) -> None:
        member = tarfile.TarInfo(SCENARIO)
        member.size = len(files[SCENARIO])
        tar.addfile(member, io.BytesIO(files[SCENARIO]))

    write(tmp_path / "twice.tar.gz", files, twice)
    refused(sh("rerun", "twice.tar.gz"), "has 'scenario.toml'")


def test_an_archive_that_lacks_a_file_is_refused(packed: Path, tmp_path: Path, sh: Cli) -> None:
    for name in ("files/1/replay.csv.gz", "result/ios.parquet"):
        files = contents(packed)
        del files[name]
        write(tmp_path / "short.tar.gz", files)
        refused(sh("rerun", "short.tar.gz"), f"is not complete: it has no {name}")

    def without_scenario(files: dict[str, bytes]) -> None:
        del files[SCENARIO]

    forged(tmp_path / "short.tar.gz", packed, without_scenario)
    refused(sh("rerun", "short.tar.gz"), "is not complete: its manifest.json has no scenario.toml")


def test_a_scenario_that_names_a_file_outside_the_archive_is_not_run(packed: Path, tmp_path: Path, sh: Cli) -> None:
    secret = tmp_path / "secret.csv.gz"
    shutil.copy(SCENARIOS / "replay.csv.gz", secret)

    def change(files: dict[str, bytes]) -> None:
        files[SCENARIO] = files[SCENARIO].replace(b"files/1/replay.csv.gz", str(secret).encode())

    forged(tmp_path / "outside.tar.gz", packed, change)
    refused(sh("rerun", "outside.tar.gz"), "secret.csv.gz, which is not in the archive", "nothing is run")


# ---------------------------------------------------------------- differences


def test_a_result_that_differs_is_named_with_file_column_and_row(packed: Path, tmp_path: Path, sh: Cli) -> None:
    def change(files: dict[str, bytes]) -> None:
        summary = json.loads(files["result/summary.json"])
        summary["ios"] += 1
        files["result/summary.json"] = (json.dumps(summary, indent=2, ensure_ascii=False) + "\n").encode()
        table = pl.read_parquet(io.BytesIO(files["result/ios.parquet"]))
        rows = table.with_row_index("row").with_columns(
            completed_ns=pl.when(pl.col("row") == 7).then(pl.col("completed_ns") + 1).otherwise(pl.col("completed_ns"))
        )
        out = io.BytesIO()
        rows.drop("row").write_parquet(out)
        files["result/ios.parquet"] = out.getvalue()
        files["result/report.txt"] = files["result/report.txt"].replace(b"seed 1", b"seed 9")
        manifest = json.loads(files[MANIFEST])
        manifest["software"] |= {"polars": "0.1", "python": "CPython 3.99.0"}
        files[MANIFEST] = json.dumps(manifest).encode()

    forged(tmp_path / "other.tar.gz", packed, change)
    done = sh("rerun", "other.tar.gz")
    assert done.returncode == 1
    first, *lines = done.stdout.splitlines()
    assert first == "other.tar.gz: 3 of 8 files differ"
    assert "  summary.json: ios: 142, now 141" in lines
    (column,) = [line for line in lines if line.startswith("  ios.parquet")]
    assert column.startswith("  ios.parquet: column completed_ns, row 7: ")
    (text,) = [line for line in lines if line.startswith("  report.txt")]
    assert "line 4: " in text and "seed 9" in text and "seed 1" in text
    assert any(line.startswith("  other version: polars: 0.1 then, ") for line in lines)
    assert any(line.startswith("  other version: Python: CPython 3.99.0 then, ") for line in lines)


def test_the_same_values_in_other_bytes_are_told_apart_from_other_values(packed: Path, tmp_path: Path, sh: Cli) -> None:
    def change(files: dict[str, bytes]) -> None:
        out = io.BytesIO()
        pl.read_parquet(io.BytesIO(files["result/ios.parquet"])).write_parquet(out, compression="uncompressed")
        files["result/ios.parquet"] = out.getvalue()

    forged(tmp_path / "bytes.tar.gz", packed, change)
    done = sh("rerun", "bytes.tar.gz")
    assert done.returncode == 1
    assert "  ios.parquet: the same values in other bytes, as another version of polars writes them\n" in done.stdout
    assert "  The software has the same versions.\n" in done.stdout


def test_tables_with_other_columns_rows_or_kinds_differ(tmp_path: Path) -> None:
    for name, table in {
        "one": pl.DataFrame({"a": [1, 2], "b": [1.0, None], "c": ["x", "y"]}),
        "two": pl.DataFrame({"a": [1, 2, 3], "b": [1.0, 2.0, 3.0], "d": [1, 2, 3]}),
    }.items():
        (tmp_path / name).mkdir()
        table.write_parquet(tmp_path / name / "ios.parquet")
    same, found = compared(tmp_path / "one", tmp_path / "two")
    assert same == []
    assert [one.where for one in found] == [
        "columns c are gone; columns d are new",
        "2 rows, now 3",
        "column b, row 1: nothing, now 2.0",
    ]
    (tmp_path / "two" / "report.txt").write_text("x\n")
    assert "the archive has none" in [one.where for one in compared(tmp_path / "one", tmp_path / "two")[1]]


def test_places_of_files_do_not_make_scenarios_differ() -> None:
    identity = '", bytes = 12, sha256 = "' + "ab" * 32 + '" }'
    places = ("/home/me/a.csv", r"C:\\data\"b.csv")
    first, second = (f'file = {{ path = "{place}{identity}\nx = 1\n' for place in places)
    assert first != second and without_places(first) == without_places(second)
    assert without_places(first) != without_places(second.replace("12", "13"))


def test_a_version_that_is_unknown_now_is_another_one() -> None:
    assert versions({"commit": "a", "python": "3"}, {"python": "3"}) == ["commit of sansim: a then, unknown now"]


# ---------------------------------------------------------------- rules in Python


@pytest.fixture
def ruled(tmp_path: Path, sh: Cli) -> Path:
    """The archive of a run with a rule in Python that leaves a mark when it is loaded."""
    (tmp_path / "mine.py").write_text(RULE.format(mark=str(tmp_path / "mark")), encoding="utf-8")
    (tmp_path / "ruled.toml").write_text(RULED, encoding="utf-8")
    assert sh("run", "ruled.toml", "--out", "run").returncode == 0
    (tmp_path / "mark").unlink()
    assert sh("pack", "run").returncode == 0
    assert not (tmp_path / "mark").exists(), "packing runs no rule"
    return tmp_path / "run.sansim.tar.gz"


def test_rules_of_an_archive_are_run_only_if_the_user_agrees(ruled: Path, tmp_path: Path, sh: Cli) -> None:
    done = sh("rerun", ruled)
    assert done.returncode == 2
    note, error = done.stderr.splitlines()
    assert note.endswith("has a file of rules in Python, which `sansim rerun` runs as your own code: files/1/mine.py")
    assert error == "error: nothing was run; look at the rules and add --trust if you agree to run them"
    assert not (tmp_path / "mark").exists()
    done = sh("rerun", ruled, "--trust")
    assert done.returncode == 0 and "the same bytes in 8 files" in done.stdout
    assert "runs as your own code" in done.stderr
    assert (tmp_path / "mark").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize(("answer", "runs"), [("n", False), ("y", True)])
def test_on_a_terminal_rules_are_shown_and_asked_for(answer: str, runs: bool, ruled: Path, tmp_path: Path) -> None:
    import pty

    mother, child = pty.openpty()
    process = subprocess.Popen(
        [str(COMMAND), "rerun", str(ruled)],
        stdin=child,
        stdout=subprocess.PIPE,
        stderr=child,
        cwd=tmp_path,
        env=clean_environment(),
        close_fds=True,
    )
    os.close(child)
    said = b""
    while b"Run this code?" not in said:
        said += os.read(mother, 4096)
    os.write(mother, f"{answer}\n".encode())
    try:
        while piece := os.read(mother, 4096):
            said += piece
    except OSError:
        # The other end is closed.
        pass
    with process:
        assert process.stdout is not None
        out = process.stdout.read().decode()
    os.close(mother)
    assert b"return view.outstanding.index_of_least()" in said
    assert (process.returncode == 0) == runs == ("the same bytes" in out) == (tmp_path / "mark").exists()


def test_a_rule_that_only_the_scenario_admits_is_asked_for_too(ruled: Path, tmp_path: Path, sh: Cli) -> None:
    def change(files: dict[str, bytes]) -> None:
        # As a person writes it, without a checksum.
        text = files[SCENARIO].decode()
        start = text.index("path = { python = ")
        end = text.index("\n", start)
        files[SCENARIO] = f'{text[:start]}path = {{ python = "files/1/mine.py:Least" }}{text[end:]}'.encode()

    forged(tmp_path / "sly.tar.gz", ruled, change)
    done = sh("rerun", "sly.tar.gz")
    assert done.returncode == 2 and "runs as your own code: files/1/mine.py" in done.stderr
    assert not (tmp_path / "mark").exists()


# ---------------------------------------------------------------- the command


def test_a_folder_that_is_not_empty_is_not_used(packed: Path, tmp_path: Path, sh: Cli) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes").write_text("x")
    refused(sh("rerun", packed, "--out", "mine"), "is there already")
    (tmp_path / "empty").mkdir()
    assert sh("rerun", packed, "--out", "empty").returncode == 0
    assert (tmp_path / "empty" / "rerun" / "summary.json").exists()


def test_a_manifest_with_a_percentile_that_is_none_is_refused(packed: Path, tmp_path: Path, sh: Cli) -> None:
    def change(files: dict[str, bytes]) -> None:
        manifest: dict[str, Any] = json.loads(files[MANIFEST])
        files[MANIFEST] = json.dumps({**manifest, "percentiles": ["p0"], "sample_every": "often"}).encode()

    forged(tmp_path / "odd.tar.gz", packed, change)
    refused(sh("rerun", "odd.tar.gz"), "its manifest cannot be followed")
