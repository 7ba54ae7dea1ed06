"""Jobs of studies, and the files that keep what comes of them."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import SMALL, clean_environment
from sansim import _core, components, percentiles, rules, simulate
from sansim.runs import recorders as watch
from sansim.study.jobs import job
from sansim.study.jobs.job import JobFailed, job_of, run_job
from sansim.study.jobs.seal import canonical
from sansim.study.jobs.store import SWEPT_AFTER_S, Store
from sansim.study.measure import trace
from study_jobs import contents, made_up, some_jobs


def test_a_job_gives_the_same_bytes_each_time() -> None:
    (one,) = some_jobs(1)
    content = run_job(one)
    assert content == run_job(one)
    assert content.endswith(b"}\n")
    read = json.loads(content)
    assert list(read) == ["checksum", "key", "summary", "traces", "version"]
    assert content == canonical(read)
    # As anybody can check: what it is the checksum of is the rest of the file, as if it were not there.
    assert read.pop("checksum") == hashlib.sha256(canonical(read)).hexdigest()
    assert read["key"] == one.key
    assert read["traces"] == {}
    assert read["summary"]["ios"] == 20
    assert "wall" not in content.decode()


def test_a_key_depends_on_all_that_changes_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = some_jobs(2)
    interval = ("open", "controller OPN", "drive[0] R_RDY")
    keys = {first.key, second.key, job_of(first.scenario, [interval]).key}
    monkeypatch.setattr(job, "software", lambda: ("0.0.0", "other model"))
    keys.add(job_of(first.scenario).key)
    assert len(keys) == 4
    assert all(len(key) == 32 for key in keys)


def test_a_key_depends_on_the_content_of_a_file_that_the_scenario_names() -> None:
    """The resolved scenario has path, size and SHA-256 of every such file; the key covers each character of it."""
    (one,) = some_jobs(1)
    digests = [hashlib.sha256(content).hexdigest() for content in (b"first", b"other")]
    digests.append(digests[0][:-1] + ("0" if digests[0][-1] != "0" else "1"))
    line = '\n[trace]\nfile = {{ path = "trace.csv", size = 5, sha256 = "{}" }}\n'
    texts = [one.scenario + line.format(digest) for digest in digests]
    assert len({job_of(text).key for text in texts}) == len(texts)


def test_a_key_is_that_of_what_the_scenario_says_not_of_how_it_is_written() -> None:
    text = SMALL.read_text(encoding="utf-8")
    assert "[workload]" in text
    remarked = "# A remark.\n" + text.replace("[workload]", "# Another one: seed = 5\n\n[workload]")
    keys = {job_of(_core.Scenario.parse(written, "small.toml", []).to_toml()).key for written in (text, remarked)}
    assert len(keys) == 1
    spelled = [("workload.size", "4096 B"), ("workload.size", "4 KiB")]
    keys = {job_of(_core.Scenario.parse(text, "small.toml", [change]).to_toml()).key for change in spelled}
    assert len(keys) == 1
    # What is resolved is resolved: a worker that reads it again comes to the same.
    again = _core.Scenario.parse(_core.Scenario.parse(text, "small.toml", []).to_toml(), "<job>", []).to_toml()
    assert again == _core.Scenario.parse(text, "small.toml", []).to_toml()


def test_a_result_does_not_depend_on_the_surroundings_of_the_process(tmp_path: Path) -> None:
    """Neither on the environment, the folder, the locale, the time zone nor the hash seed: none of it is in the key."""
    (one,) = some_jobs(1)
    intervals = [("credit", "controller OPN", "drives[0] R_RDY")]
    code = (
        "import sys, hashlib; from sansim.study.jobs.job import job_of, run_job\n"
        f"job = job_of({one.scenario!r}, {intervals!r})\n"
        "print(job.key, hashlib.sha256(run_job(job)).hexdigest())"
    )
    told = set()
    for number, more in enumerate(
        ({}, {"LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Kathmandu", "HOME": "/", "SANSIM_SEED": "9"})
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        environment = {**clean_environment(), "PYTHONHASHSEED": str(number), **more}
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, check=True
        )
        told.add(done.stdout)
        assert not list(folder.iterdir())
    assert len(told) == 1
    assert told.pop().split()[0] == job_of(one.scenario, intervals).key


def test_a_key_depends_on_the_sources_that_read_a_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {
        Path(module.__file__ or "") for module in (components, job, percentiles, rules, simulate, watch, trace)
    } == set(job.SOURCES)
    (one,) = some_jobs(1)
    intervals = [("credit", "controller OPN", "drive[0] R_RDY")]
    keys = {job_of(one.scenario, intervals).key, one.key}
    for number, file in enumerate(job.SOURCES):
        changed = tmp_path / file.name
        changed.write_bytes(file.read_bytes() + b"# mended\n")
        sources = [*job.SOURCES[:number], changed, *job.SOURCES[number + 1 :]]
        monkeypatch.setattr(job, "SOURCES", sources)
        job.software.cache_clear()
        keys |= {job_of(one.scenario, intervals).key, job_of(one.scenario).key}
        monkeypatch.undo()
    job.software.cache_clear()
    assert len(keys) == 2 + 2 * len(job.SOURCES)
    assert job_of(one.scenario).key == one.key


def test_intervals_are_read_off_a_trace() -> None:
    plain = some_jobs(1)[0]
    intervals = [
        ("credit", "controller OPN", "drive[0] R_RDY"),
        ("won", "controller => ARBITRATING", "controller => OPEN"),
        ("never", "controller OPN", "drive[0] X"),
    ]
    read = json.loads(run_job(job_of(plain.scenario, intervals)))
    # As `sansim run --trace --trace-states` shows it: 1204 to 1548 ns, 677 to 1204 ns.
    assert read["traces"] == {"credit": 344.0, "won": 527.0, "never": None}
    assert read["summary"] == json.loads(run_job(plain))["summary"]


class Panic(BaseException):
    """As the native part's PanicException."""


@pytest.mark.parametrize("error", [Panic("at a wall"), MemoryError(), ValueError("no")])
def test_whatever_a_run_raises_is_a_failure_of_the_job(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def run(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(job, "run_scenario", run)
    with pytest.raises(JobFailed, match=type(error).__name__):
        run_job(some_jobs(1)[0])


def test_a_wrong_scenario_is_a_failure_that_says_what_is_wrong() -> None:
    with pytest.raises(JobFailed, match="seeed"):
        run_job(job_of("[run]\nseeed = 1\n"))


def test_a_store_gives_back_what_it_was_given(tmp_path: Path) -> None:
    store = Store(tmp_path / "new" / "store")
    assert not store.has("abcd")
    with pytest.raises(KeyError):
        store.read("abcd")
    store.write("abcd", made_up("abcd", {"ios": 20}))
    assert store.has("abcd")
    assert store.read("abcd") == {"key": "abcd", "summary": {"ios": 20}, "traces": {}, "version": "0.0.0"}
    assert list(contents(store)) == ["points/ab/abcd.json"]


def test_a_failure_is_remembered_until_the_job_succeeds(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.forget("abcd")
    assert store.failure("abcd") is None
    store.record("abcd", "too \udcff big")
    assert store.failure("abcd") == "too \udcff big"
    store.write("abcd", made_up("abcd"))
    assert store.failure("abcd") is None
    assert not list(store.failed.iterdir())
    # Another process fails at it later.
    store.record("abcd", "too big")
    assert store.failure("abcd") is None


def test_what_a_killed_writer_left_is_swept_later(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.sweep()
    store.write("abcd", made_up("abcd"))
    store.record("abce", "no")
    left = [store.points / "ab" / ".abcd.json.1.2.tmp", store.failed / ".abce.json.1.2.tmp"]
    fresh = store.points / "ab" / ".abcf.json.3.4.tmp"
    for file in [*left, fresh]:
        file.write_bytes(b'{"key"')
    for file in left:
        os.utime(file, (0, time.time() - SWEPT_AFTER_S - 60))
    store.sweep()
    assert not any(file.exists() for file in left)
    assert fresh.exists()
    assert store.has("abcd")


def test_a_file_has_its_name_only_when_it_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path)
    written = []

    def no(scratch: Path, file: Path) -> None:
        assert not file.exists()
        assert scratch.parent == file.parent
        written.append(scratch.read_bytes())
        raise OSError("no room")

    monkeypatch.setattr(Path, "replace", no)
    with pytest.raises(OSError, match="no room"):
        store.write("abcd", b"{}")
    assert written == [b"{}"]
    # And what could not be named leaves nothing.
    assert not [file for file in tmp_path.rglob("*") if file.is_file()]
