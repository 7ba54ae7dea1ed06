"""Studies on worker processes: nothing is lost, run twice or different, whatever dies."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sansim.study.jobs import execute
from sansim.study.jobs.execute import Progress, WorkerError, run_jobs
from sansim.study.jobs.job import Job, job_of, run_job
from sansim.study.jobs.store import Store
from study_jobs import PATIENCE_S, contents, shards, some_jobs

pytestmark = pytest.mark.slow

# A worker as the product has it, but for what `patch` does to the module `worker`. It holds a shared lock while it
# lives, and notes every job it begins.
WORKER = """
import fcntl, os, signal, sys, time
from pathlib import Path
folder = Path({folder!r})
alive = open(folder / "alive", "a")
fcntl.flock(alive, fcntl.LOCK_SH)
from sansim.study.jobs import worker
from sansim.study.jobs.store import Store
real = worker.run_job
def run_job(job):
    with open(folder / "begun", "a") as notes:
        notes.write(job.key + "\\n")
    return special(job)
def special(job):
    return real(job)
worker.run_job = run_job
{patch}
worker.main()
"""

DRIVER = """
import json, sys
from pathlib import Path
from sansim.study.jobs.execute import run_jobs
from sansim.study.jobs.job import Job
from sansim.study.jobs.store import Store
jobs = [Job(*line) for line in json.loads(Path(sys.argv[1]).read_text())]
try:
    print(run_jobs(jobs, Store(Path(sys.argv[2])), workers=2, worker_command=[sys.executable, sys.argv[3]]))
except KeyboardInterrupt:
    sys.exit("stopped")
"""


class Bench:
    """A folder with a store, a worker program and notes of what was begun."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = Store(folder / "store")
        self.script = folder / "worker.py"
        self.command = [sys.executable, str(self.script)]
        self.scratch = folder / "scratch"
        self.scratch.mkdir()
        self.patch("")

    def patch(self, patch: str) -> None:
        """Changes what workers do."""
        self.script.write_text(WORKER.format(folder=str(self.folder), patch=patch))

    def begun(self) -> list[str]:
        """Keys of the jobs that were begun."""
        notes = self.folder / "begun"
        return notes.read_text().split() if notes.exists() else []

    def start(self, jobs: list[Job]) -> subprocess.Popen[str]:
        """Runs jobs in a process of their own, as `sansim study run` would."""
        (self.folder / "driver.py").write_text(DRIVER)
        (self.folder / "jobs.json").write_text(json.dumps([[job.key, job.scenario] for job in jobs]))
        arguments = [self.folder / "driver.py", self.folder / "jobs.json", self.store.root, self.script]
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [sys.executable, *map(str, arguments)],
            stdout=pipe,
            stderr=pipe,
            encoding="utf-8",
            process_group=0,
            env=os.environ | {"TMPDIR": str(self.scratch)},
        )

    def wait_for_points(self, process: subprocess.Popen[str], count: int) -> None:
        """Waits until so many jobs are done."""
        while process.poll() is None and len(shards(self.store)) < count:
            time.sleep(0.001)

    def wait_for_end_of_workers(self) -> None:
        """Waits until no worker is alive."""
        deadline = time.monotonic() + PATIENCE_S
        with (self.folder / "alive").open("a") as alive:
            while True:
                try:
                    fcntl.flock(alive, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    assert time.monotonic() < deadline, "a worker lives on"
                    time.sleep(0.005)
                else:
                    return


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def finish(process: subprocess.Popen[str]) -> str:
    """What the process says at its end, which has to be a good one."""
    output, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, errors
    return output.strip()


def test_the_number_of_workers_changes_nothing(bench: Bench, tmp_path: Path) -> None:
    jobs = some_jobs(40)
    assert run_jobs(jobs, bench.store, workers=1) == {}
    other = Store(tmp_path / "other")
    assert run_jobs(list(reversed(jobs)), other, workers=3) == {}
    assert contents(bench.store) == contents(other)
    assert {job.key: run_job(job) for job in jobs} == {job.key: other.place(job.key).read_bytes() for job in jobs}


def test_equal_jobs_are_run_once_and_finished_ones_not_again(bench: Bench) -> None:
    jobs = some_jobs(6)
    run_jobs(jobs[:2], bench.store, worker_command=bench.command)
    seen: list[Progress] = []
    run_jobs(
        jobs * 3,
        bench.store,
        worker_command=bench.command,
        progress=lambda now: seen.append(Progress(**vars(now))),
    )
    assert sorted(bench.begun()) == sorted(job.key for job in jobs)
    assert (seen[0].total, seen[0].done, seen[0].found, seen[0].seconds_left) == (6, 2, 2, None)
    assert (seen[-1].total, seen[-1].done, seen[-1].failed, seen[-1].seconds_left) == (6, 6, 0, 0.0)
    # And a run with nothing to do starts no worker.
    assert run_jobs(jobs, bench.store, worker_command=["/nowhere"]) == {}


def test_no_workers_make_no_sense(bench: Bench) -> None:
    with pytest.raises(ValueError, match="workers"):
        run_jobs(some_jobs(1), bench.store, workers=0)


def test_jobs_behind_a_long_one_are_done_by_others(bench: Bench) -> None:
    jobs = some_jobs(50)
    long = jobs[20].key
    # It lasts until all others are done, of which the worker has some in hand.
    bench.patch(
        f"""
def special(job):
    deadline = time.monotonic() + {PATIENCE_S}
    while job.key == "{long}" and len(list(Path(sys.argv[1], "points").glob("*/*.json"))) < 49:
        assert time.monotonic() < deadline
        time.sleep(0.001)
    return real(job)
"""
    )
    assert run_jobs(jobs, bench.store, workers=2, worker_command=bench.command) == {}
    assert sorted(bench.begun()) == sorted(job.key for job in jobs)


@pytest.mark.parametrize(
    ("deed", "message"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", "was ended by SIGSEGV"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "was ended by SIGKILL (out of memory?)"),
        (
            "sys.stderr.write('memory allocation failed\\\\n'); sys.stderr.flush(); os.abort()",
            "memory allocation failed",
        ),
        ("os._exit(7)", "ended with exit code 7"),
    ],
)
def test_a_job_that_kills_its_worker_costs_only_itself(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, deed: str, message: str
) -> None:
    jobs = some_jobs(30)
    monkeypatch.setattr(tempfile, "tempdir", str(bench.scratch))
    guilty = {jobs[0].key, jobs[17].key, jobs[29].key}
    bench.patch(f'def special(job):\n    if job.key in {guilty!r}:\n        exec("{deed}")\n    return real(job)')
    failures = run_jobs(jobs, bench.store, workers=2, worker_command=bench.command)
    assert set(failures) == guilty
    assert all(message in text for text in failures.values())
    assert {job.key for job in jobs if bench.store.has(job.key)} == {job.key for job in jobs} - guilty
    assert {key for key in guilty if bench.store.failure(key) == failures[key]} == guilty
    # None of the others was run again.
    assert sorted(bench.begun()) == sorted(job.key for job in jobs)
    bench.patch("")
    assert run_jobs(jobs, bench.store, workers=2, worker_command=bench.command) == {}
    assert not any(bench.store.failure(key) for key in guilty)
    assert list(bench.scratch.iterdir()) == []


def test_a_worker_that_dies_between_writing_and_reporting_loses_nothing(bench: Bench) -> None:
    jobs = some_jobs(8)
    bench.patch(
        f"""
put = Store.write
def write(store, key, content):
    put(store, key, content)
    if key == "{jobs[3].key}":
        os._exit(1)
Store.write = write
"""
    )
    assert run_jobs(jobs, bench.store, workers=1, worker_command=bench.command) == {}
    assert sorted(bench.begun()) == sorted(job.key for job in jobs)


def test_an_exception_costs_only_its_job(bench: Bench) -> None:
    jobs = some_jobs(10)
    jobs[3] = job_of("[run]\nseeed = 1\n")
    seen: list[Progress] = []
    failures = run_jobs(jobs, bench.store, workers=2, worker_command=bench.command, progress=seen.append)
    assert list(failures) == [jobs[3].key]
    assert "seeed" in failures[jobs[3].key]
    assert bench.store.failure(jobs[3].key) == failures[jobs[3].key]
    assert (seen[-1].done, seen[-1].failed) == (9, 1)
    assert len(set(bench.begun())) == 10


def test_workers_that_cannot_start_are_no_fault_of_jobs(bench: Bench) -> None:
    jobs = some_jobs(3)
    with pytest.raises(WorkerError, match="exit code 1: no such thing"):
        run_jobs(jobs, bench.store, worker_command=[sys.executable, "-c", "raise SystemExit('no such thing')"])
    with pytest.raises(WorkerError, match="cannot be started"):
        run_jobs(jobs, bench.store, worker_command=["/nowhere"])
    bench.patch('worker.software = lambda: ("0.0.0", "old")')
    with pytest.raises(WorkerError, match=r"workers have sansim 0.0.0 old"):
        run_jobs(jobs, bench.store, worker_command=bench.command)
    kill = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    with pytest.raises(WorkerError, match="SIGKILL"):
        run_jobs(jobs, bench.store, worker_command=[sys.executable, "-c", kill])
    assert contents(bench.store) == {}
    bench.wait_for_end_of_workers()


def test_a_full_disk_ends_the_run(bench: Bench) -> None:
    bench.patch('def write(*_):\n    raise OSError(28, "No space left on device")\nStore.write = write')
    with pytest.raises(OSError, match="No space left"):
        run_jobs(some_jobs(5), bench.store, worker_command=bench.command)
    assert contents(bench.store) == {}
    bench.wait_for_end_of_workers()


def test_an_exception_of_the_caller_ends_the_workers(bench: Bench) -> None:
    def stop(now: Progress) -> None:
        if now.done > now.found:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        run_jobs(some_jobs(20), bench.store, worker_command=bench.command, progress=stop)
    bench.wait_for_end_of_workers()
    assert shards(bench.store)


def test_the_folder_one_is_in_is_not_imported_from(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    (bench.folder / "json.py").write_text("raise SystemExit('not this one')")
    monkeypatch.chdir(bench.folder)
    assert run_jobs(some_jobs(2), bench.store) == {}


# Ends of all kinds


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[list[Job], dict[str, bytes]]]:
    """Sixty jobs of some 20 ms, and what the store holds when they are done."""
    jobs = some_jobs(60, 250)
    store = Store(tmp_path_factory.mktemp("undisturbed"))
    assert run_jobs(jobs, store) == {}
    yield jobs, contents(store)


def test_a_study_killed_ten_times_comes_to_the_same_end(
    bench: Bench, undisturbed: tuple[list[Job], dict[str, bytes]]
) -> None:
    jobs, expected = undisturbed
    dice = random.Random(2005)
    finished: dict[str, tuple[int, int]] = {}
    for count in sorted(dice.sample(range(45), 10)):
        process = bench.start(jobs)
        bench.wait_for_points(process, count)
        time.sleep(dice.uniform(0.0, 0.03))
        # The parent alone; the workers have to notice.
        process.kill()
        process.communicate(timeout=PATIENCE_S)
        assert process.returncode == -signal.SIGKILL
        bench.wait_for_end_of_workers()
        # Only a folder that no worker had seen may be left.
        assert not [left for folder in bench.scratch.iterdir() for left in folder.iterdir()]
        now = shards(bench.store)
        assert finished.items() <= now.items(), "a finished job was lost or run again"
        finished = now
    assert 0 < len(finished) < len(jobs)
    assert finish(bench.start(jobs)) == "{}"
    assert finished.items() <= shards(bench.store).items()
    assert contents(bench.store) == expected
    # What was begun more often than once had been begun by a worker that was then ended.
    assert len(bench.begun()) <= len(jobs) + 2 * 10


def test_ctrl_c_keeps_what_is_done_and_leaves_no_worker(
    bench: Bench, undisturbed: tuple[list[Job], dict[str, bytes]]
) -> None:
    jobs, expected = undisturbed
    process = bench.start(jobs)
    bench.wait_for_points(process, 7)
    # As a terminal does: to the whole process group.
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, output, errors) == (1, "", "stopped\n")
    bench.wait_for_end_of_workers()
    assert list(bench.scratch.iterdir()) == []
    finished = shards(bench.store)
    assert 7 <= len(finished) < len(jobs)
    assert not bench.store.failed.exists()
    assert finish(bench.start(jobs)) == "{}"
    assert finished.items() <= shards(bench.store).items()
    assert contents(bench.store) == expected


def test_two_processes_in_one_store_do_not_hurt_each_other(
    bench: Bench, undisturbed: tuple[list[Job], dict[str, bytes]]
) -> None:
    jobs, expected = undisturbed
    processes = [bench.start(jobs), bench.start(jobs)]
    assert [finish(process) for process in processes] == ["{}", "{}"]
    assert contents(bench.store) == expected


def test_what_a_killed_worker_had_in_hand_is_done_by_others(
    bench: Bench, undisturbed: tuple[list[Job], dict[str, bytes]]
) -> None:
    jobs, expected = undisturbed
    pids = bench.folder / "pids"
    bench.patch(f'open({str(pids)!r}, "a").write(f"{{os.getpid()}}\\n")')
    dice = random.Random(6)
    killed: set[str] = set()

    def kill(now: Progress) -> None:
        if now.done + now.failed > 10 * (len(killed) + 1) and len(killed) < 3:
            victim = dice.choice([pid for pid in pids.read_text().split() if pid not in killed])
            killed.add(victim)
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(victim), signal.SIGKILL)

    failures = run_jobs(jobs, bench.store, workers=2, worker_command=bench.command, progress=kill)
    assert len(failures) <= len(killed) <= 3
    assert all("SIGKILL" in text for text in failures.values())
    assert run_jobs(jobs, bench.store, workers=2, worker_command=bench.command) == {}
    assert contents(bench.store) == expected


def test_nothing_here_needs_the_cluster_library() -> None:
    code = """
import sys
sys.modules["distributed"] = sys.modules["dask"] = None
from pathlib import Path
from sansim.study.jobs import cluster, execute
from sansim.study.jobs.store import Store
try:
    cluster.run_jobs_on_cluster([], Store(Path("nowhere")), "tcp://127.0.0.1:1")
except execute.WorkerError as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert 'pip install "sansim[cluster]"' in run.stdout


def test_signals_have_names() -> None:
    assert execute.signal_name(signal.SIGSEGV) == "SIGSEGV"
    assert execute.signal_name(63) == "signal 63"
