"""Studies on a Dask cluster: the same bytes as on one machine, whatever dies."""

from __future__ import annotations

import hashlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sansim import _core
from sansim.study.jobs import cluster
from sansim.study.jobs.cluster import run_group, run_jobs_on_cluster
from sansim.study.jobs.execute import Progress, WorkerError, run_jobs
from sansim.study.jobs.files import Copies, NamedFile, files_of
from sansim.study.jobs.job import Job, job_of, run_job, software
from sansim.study.jobs.store import Store
from sansim.toml_text import toml_value
from study_jobs import PATIENCE_S, contents, some_jobs

pytestmark = pytest.mark.slow

distributed = pytest.importorskip("distributed")


class Site:
    """A scheduler and workers, each a process of its own on this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = (folder / "log").open("w")
        self.processes: list[subprocess.Popen[bytes]] = []
        address = folder / "scheduler.json"
        self.scheduler = self.start("dask_scheduler", "--scheduler-file", address, "--host", "127.0.0.1", "--port", 0)
        self.wait(address.exists)
        with distributed.Client(scheduler_file=str(address), set_as_default=False) as client:
            self.address: str = client.scheduler.address

    def start(self, program: str, *arguments: object) -> subprocess.Popen[bytes]:
        """Starts a part of the cluster."""
        command = [sys.executable, "-m", f"distributed.cli.{program}", "--no-dashboard", *map(str, arguments)]
        # A task is given up when one worker has died of it; Dask's default are four, which only takes longer.
        environment = os.environ | {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}
        process = subprocess.Popen(command, stdout=self.log, stderr=self.log, env=environment)
        self.processes.append(process)
        return process

    def worker(self, preload: str = "") -> subprocess.Popen[bytes]:
        """Starts a worker that runs `preload` first."""
        script = self.folder / f"preload{len(self.processes)}.py"
        script.write_text(preload)
        arguments = ["--nthreads", 1, "--local-directory", self.folder, "--preload", script]
        # No nanny that starts it again when it dies.
        return self.start("dask_worker", self.address, "--no-nanny", *arguments)

    def wait_for_workers(self, count: int) -> None:
        """Waits until there are so many workers."""
        with distributed.Client(self.address, set_as_default=False) as client:
            self.wait(lambda: len(client.nthreads()) == count)

    def wait(self, done: Callable[[], bool]) -> None:
        """Waits until something is so."""
        deadline = time.monotonic() + PATIENCE_S
        while not done():
            assert time.monotonic() < deadline, (self.folder / "log").read_text()
            time.sleep(0.02)

    def end(self) -> None:
        """Ends all processes."""
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait(PATIENCE_S)
        self.log.close()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    folder = tmp_path / "site"
    folder.mkdir()
    here = Site(folder)
    try:
        yield here
    finally:
        here.end()


def test_a_worker_killed_in_the_middle_changes_nothing(site: Site, tmp_path: Path) -> None:
    victim = site.worker()
    site.worker()
    jobs = [*some_jobs(60, 1000), job_of("[run]\nseeed = 1\n")]
    local, store = Store(tmp_path / "local"), Store(tmp_path / "store")
    failures = run_jobs(jobs, local)
    site.wait_for_workers(2)

    def interrupt(now: Progress) -> None:
        if now.done >= 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_jobs_on_cluster(jobs, store, site.address, progress=interrupt)
    finished = len(contents(store))
    seen: list[Progress] = []

    def kill(now: Progress) -> None:
        seen.append(Progress(**vars(now)))
        if now.done > 15 and victim.poll() is None:
            victim.kill()
            victim.wait(PATIENCE_S)

    assert run_jobs_on_cluster(jobs * 2, store, site.address, progress=kill) == failures
    assert list(failures) == [jobs[-1].key]
    assert victim.poll() is not None
    assert contents(store) == contents(local)
    assert seen[0].found == seen[0].done == finished >= 3
    assert seen[0].seconds_left is None
    assert (seen[-1].done, seen[-1].failed, seen[-1].total) == (60, 1, 61)
    # What is there is not run again, and needs no cluster.
    assert run_jobs_on_cluster(jobs[:60], store, "tcp://127.0.0.1:1") == {}


def test_the_job_that_kills_workers_is_found(site: Site, tmp_path: Path) -> None:
    jobs = some_jobs(20)
    guilty = {jobs[13].key}
    crash = f"""
import os, signal
from sansim.study.jobs import cluster
from sansim.study.jobs.job import run_job
def deadly(job):
    if job.key in {guilty!r}:
        os.kill(os.getpid(), signal.SIGSEGV)
    return run_job(job)
cluster.run_job = deadly
"""
    # One dies of the group, one of the job alone.
    for _ in range(3):
        site.worker(crash)
    site.wait_for_workers(3)
    store = Store(tmp_path / "store")
    failures = run_jobs_on_cluster(jobs, store, site.address)
    assert failures == dict.fromkeys(failures, "its worker died")
    assert set(failures) == guilty
    assert {key: store.failure(key) for key in guilty} == failures
    assert {job.key: store.place(job.key).read_bytes() for job in jobs if job.key not in guilty} == {
        job.key: run_job(job) for job in jobs if job.key not in guilty
    }


def test_only_the_result_of_a_job_is_kept_as_its_result(site: Site, tmp_path: Path) -> None:
    jobs = some_jobs(12)
    once, unsealed, copied = (job.key for job in jobs[3:6])
    other = jobs[9]
    # The first is damaged on its way once; the others never send what they should.
    site.worker(f"""
import json
from sansim.study.jobs import cluster
from sansim.study.jobs.job import Job, run_job
from sansim.study.jobs.seal import canonical
sent = set()
def strange(job):
    content = run_job(job)
    if job.key == {once!r} and job.key not in sent:
        sent.add(job.key)
        return content.replace(b'"ios":', b'"ios":1')
    if job.key == {unsealed!r}:
        return canonical({{name: value for name, value in json.loads(content).items() if name != "checksum"}})
    if job.key == {copied!r}:
        return run_job(Job({other.key!r}, {other.scenario!r}))
    return content
cluster.run_job = strange
""")
    site.wait_for_workers(1)
    store = Store(tmp_path / "store")
    # What somebody changed here is run again there.
    store.write(jobs[0].key, run_job(jobs[0]).replace(b'"ios":', b'"ios":1'))
    store.write(jobs[1].key, run_job(jobs[2]))
    seen: list[Progress] = []
    failures = run_jobs_on_cluster(jobs, store, site.address, progress=lambda now: seen.append(Progress(**vars(now))))
    guilty = {unsealed, copied}
    assert failures == dict.fromkeys(guilty, "what its worker sent is not its result, or was damaged on the way")
    assert {key: store.failure(key) for key in guilty} == failures
    assert {job.key: store.place(job.key).read_bytes() for job in jobs if store.place(job.key).exists()} == {
        job.key: run_job(job) for job in jobs if job.key not in guilty
    }
    assert (seen[0].found, seen[-1].done, seen[-1].failed, seen[-1].total) == (0, 10, 2, 12)
    assert seen[-1].seconds_left == 0.0


@pytest.mark.long
def test_workers_have_to_fit(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path / "store")
    monkeypatch.setattr(cluster, "ALONE_S", 1)
    with pytest.raises(WorkerError, match=f"{site.address} has no workers"):
        run_jobs_on_cluster(some_jobs(2), store, site.address)
    site.worker()
    site.worker('from sansim.study.jobs import job\njob.software = lambda: ("0.0.0", "old")')
    site.worker('import sys\nsys.modules["sansim"] = None')
    site.wait_for_workers(3)
    with pytest.raises(WorkerError) as error:
        run_jobs_on_cluster(some_jobs(2), store, site.address)
    lines = str(error.value).splitlines()
    assert lines[0].endswith(" ".join(("this process has sansim", *software())).strip() + ":")
    assert len(lines) == 3
    assert all(line.startswith("  tcp://127.0.0.1:") for line in lines[1:])
    assert any("has sansim 0.0.0 old" in line for line in lines)
    assert any("has no sansim of use" in line for line in lines)
    assert not store.root.exists()


def test_a_worker_that_comes_later_has_to_fit_too() -> None:
    assert run_group([], software())[0] == []
    with pytest.raises(WorkerError, match=r"not 0.0.0 old"):
        run_group([], ("0.0.0", "old"))


def test_a_task_that_takes_long_gives_the_rest_back(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = some_jobs(3)
    monkeypatch.setattr(cluster, "TASK_ENDS_AFTER_S", 0.0)
    outcomes, seconds, _, lacking = run_group(jobs, software())
    assert not lacking
    assert outcomes == [(run_job(jobs[0]), None)]
    assert seconds > 0


@pytest.mark.long
def test_a_cluster_that_goes_away_is_an_error_and_not_a_wait(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = some_jobs(60, 1000)
    store = Store(tmp_path / "store")
    monkeypatch.setattr(cluster, "ALONE_S", 1.0)
    monkeypatch.setattr(cluster, "CONNECT_S", 5)
    worker = site.worker()
    site.wait_for_workers(1)

    def kill(process: subprocess.Popen[bytes], after: int) -> Callable[[Progress], None]:
        def tell(now: Progress) -> None:
            if now.done >= after and process.poll() is None:
                process.kill()
                process.wait(PATIENCE_S)

        return tell

    with pytest.raises(WorkerError, match="has had no workers"):
        run_jobs_on_cluster(jobs, store, site.address, progress=kill(worker, 5))
    before = len(contents(store))
    assert 5 <= before < 60
    site.worker()
    site.wait_for_workers(1)
    with pytest.raises(WorkerError, match="was lost"):
        run_jobs_on_cluster(jobs, store, site.address, progress=kill(site.scheduler, before + 5))
    assert before + 5 <= len(contents(store)) < 60
    assert not store.failed.exists()


def test_an_address_where_nobody_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_S", 1)
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{closed.getsockname()[1]}"
        with pytest.raises(WorkerError, match=f"no Dask scheduler answers at {address}"):
            run_jobs_on_cluster(some_jobs(1), Store(tmp_path), address)
    with pytest.raises(WorkerError, match="no Dask scheduler answers at nonsense://x"):
        run_jobs_on_cluster(some_jobs(1), Store(tmp_path), "nonsense://x")


SHORTEST = """
from sansim.rules import Rule


class Shortest(Rule):
    def decide(self, view):
        return view.outstanding.index_of_least()
"""

REPLAY = """
[run]
measured_ios = 30
warm_up = 0
[host]
kind = "host"
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
[host.adapters.a]
[host.adapters.b]
[disks]
kind = "drives"
count = 2
access_time = { distribution = "exponential", mean = "3 ms" }
transfer_rate = "80 MB/s"
capacity = "64 GiB"
[disks.adapters.a]
[disks.adapters.b]
[requests]
kind = "trace"
from = "host"
to = ["disks"]
file = "trace.csv"
volumes = "turns"
"""

HIDING = """
from pathlib import Path
from sansim.study.jobs import cluster
from sansim.study.jobs.files import NamedFile
from sansim.study.jobs.job import JobFailed, run_job

if not hasattr(NamedFile, "really_at"):
    NamedFile.really_at = NamedFile.is_at

def hidden(self, place):
    return not str(place).startswith({folder!r}) and self.really_at(place)

def blind(job):
    if {folder!r} in job.scenario:
        raise JobFailed("it names a file of the client")
    return run_job(job)

NamedFile.is_at = hidden
cluster.run_job = blind
"""
"""A worker that sees no file in the folder of the client, as one of another machine."""


def jobs_with_files(folder: Path, count: int) -> list[Job]:
    """Jobs that name a trace and a rule in Python."""
    folder.mkdir()
    rows = [f"{128166372003061629 + 200_000 * io},srv,0,Read,{8192 * (io * 37 % 4096)},4096,500" for io in range(60)]
    (folder / "trace.csv").write_text("".join(f"{row}\n" for row in rows))
    (folder / "mine.py").write_text(SHORTEST)
    (folder / "system.toml").write_text(REPLAY)
    rule = ("host.path", '{ python = "mine.py:Shortest" }')
    return [
        job_of(_core.Scenario.load(folder / "system.toml", [rule, ("run.seed", str(seed))]).to_toml())
        for seed in range(count)
    ]


def test_files_come_to_workers_that_do_not_have_them(site: Site, tmp_path: Path) -> None:
    client = tmp_path / "client"
    jobs = jobs_with_files(client, 40)
    assert sorted(Path(file.path).name for file in files_of(jobs[0].scenario)) == ["mine.py", "trace.csv"]
    first = site.worker(HIDING.format(folder=str(client)))
    site.wait_for_workers(1)

    def another(now: Progress) -> None:
        # One that comes later needs the files as well.
        if now.done >= 5 and first.poll() is None:
            first.kill()
            first.wait(PATIENCE_S)
            site.worker(HIDING.format(folder=str(client)))

    store, local = Store(tmp_path / "store"), Store(tmp_path / "local")
    assert run_jobs_on_cluster(jobs, store, site.address, progress=another) == {}
    assert first.poll() is not None
    assert run_jobs(jobs, local) == {}
    assert contents(store) == contents(local)


def test_a_file_that_has_changed_fails_the_jobs_that_name_it(site: Site, tmp_path: Path) -> None:
    client = tmp_path / "client"
    jobs = jobs_with_files(client, 2)
    (client / "mine.py").write_text(SHORTEST.replace("view.outstanding", "view.bytes"))
    site.worker(HIDING.format(folder=str(client)))
    site.wait_for_workers(1)
    store = Store(tmp_path / "store")
    failures = run_jobs_on_cluster([*jobs, *some_jobs(1)], store, site.address)
    told = f"{client / 'mine.py'} is not what it was when the study began"
    assert failures == dict.fromkeys([job.key for job in jobs], told)
    assert len(contents(store)) == 3


def test_a_copy_is_complete_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sansim.study.jobs.files.PIECE_BYTES", 10)
    source = tmp_path / 'it\'s a "trace".csv.gz'
    for content in (b"", b"0123456789", b"0123456789" * 3 + b"tail"):
        source.write_bytes(content)
        file = NamedFile(str(source), len(content), hashlib.sha256(content).hexdigest())
        copies = Copies(tmp_path / f"copies{len(content)}")
        for begin, piece in file.pieces():
            assert copies.lacking([file]) == []
            assert not copies.place(file).exists()
            copies.keep(file, begin, piece)
        assert copies.place(file).read_bytes() == content
        assert copies.place(file).name == source.name
        text = f"file = {{ path = {toml_value(file.path)}, bytes = {file.size}, sha256 = {toml_value(file.sha256)} }}"
        assert files_of(text) == [file]
        assert copies.placed(text) == text
        source.unlink()
        placed = copies.placed(text)
        assert files_of(placed) == [NamedFile(str(copies.place(file)), file.size, file.sha256)]
        assert copies.in_words(f"{copies.place(file)} is bad", text) == f"{source} is bad"
        # A file at the place of the copy counts only if it has the content.
        copies.place(file).write_bytes(content + b"x")
        assert copies.lacking([file]) == [file]


@pytest.mark.long
def test_an_adaptive_cluster_grows_from_no_worker_and_shrinks(tmp_path: Path) -> None:
    jobs = some_jobs(600, 1000)
    most = 0
    with distributed.LocalCluster(n_workers=0, threads_per_worker=1, dashboard_address=None) as grown:
        grown.adapt(minimum=0, maximum=2, interval="200ms")

        def look(_: Progress) -> None:
            nonlocal most
            most = max(most, len(grown.scheduler_info["workers"]))

        store = Store(tmp_path / "store")
        assert run_jobs_on_cluster(jobs, store, grown.scheduler_address, progress=look) == {}
        assert most == 2
        deadline = time.monotonic() + PATIENCE_S
        while grown.scheduler_info["workers"] and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not grown.scheduler_info["workers"]
    assert len(contents(store)) == 600
