"""Running the jobs of a study on the workers of a Dask cluster.

The results come back to this process, which keeps each as soon as it is there: the workers need sansim, but no folder
in common; files that jobs name are brought to those that do not have them (`files.py`). Tasks are groups of jobs, so
that a short job is not drowned in what a task costs.
"""

from __future__ import annotations

import collections
import contextlib
import importlib
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from sansim.study.jobs.execute import Progress, Tally, WorkerError, unfinished
from sansim.study.jobs.files import Copies, NamedFile, OtherFileError, files_of
from sansim.study.jobs.job import Job, JobFailed, run_job, software
from sansim.study.jobs.seal import RESULT, opened
from sansim.study.jobs.store import PlaceTakenError, Store

CONNECT_S = 10
"""Time in which the scheduler has to answer, seconds."""
TASK_S = 1.0
"""Simulation in a task. A task costs some milliseconds, most of them here, so this also grows with the cluster."""
TASK_S_PER_THREAD = 0.01
TASK_ENDS_AFTER_S = 3.0
"""When a task gives back what it has not begun: the jobs were longer than the earlier ones."""
MOST_IN_TASK = 512
"""Jobs in a task at most."""
AHEAD = 6
"""Tasks on their way for each thread of the cluster. An adaptive cluster grows if what waits would take its workers
more than 5 s (`distributed.adaptive.target-duration`): six tasks of a second are enough to see."""
POLL_S = 0.01
"""Time between two looks whether a task is done."""
LOOK_S = 1.0
"""Time between two looks which workers there are."""
RESULT_S = 10
"""Time to fetch a result; if its worker has died meanwhile, the task is run again."""
ALONE_S = 60.0
"""How long the cluster may be without a worker before it is given up, at the begin as well."""
COPIES = "sansim-files"
"""The folder of copies of files, in the folder that a worker has for itself."""

Outcome = tuple[bytes | None, str | None]
"""The outcome of a job: its result, or why it failed."""


class Done(NamedTuple):
    """The outcome of a task."""

    outcomes: list[Outcome]
    """The outcomes of its jobs, in their order, as far as they were run."""
    seconds: float
    """The time that they took."""
    worker: str
    """The address of the worker that ran them."""
    lacking: list[NamedFile]
    """Files that the next job names and the worker does not have."""


def run_jobs_on_cluster(
    jobs: Sequence[Job],
    store: Store,
    address: str,
    *,
    progress: Callable[[Progress], None] | None = None,
) -> dict[str, str]:
    """Runs those jobs that have no result yet on a Dask cluster and keeps what comes of them.

    As `sansim.study.jobs.execute.run_jobs`, with the same results to the last byte. The jobs of a worker that dies are
    run by another; a job at which worker after worker dies has failed. A job of which something else than its sealed
    result comes back is run once more.

    Args:
        jobs: What to run. Equal jobs are run once.
        store: Where the results are and come to be, on this machine.
        address: The scheduler, as `tcp://host:8786`.
        progress: Called at the start, some times a second and at the end, always with the same object.

    Returns:
        Why jobs failed, by key. All others have their result in the store.

    Raises:
        WorkerError: There is no cluster, or its workers have no sansim or another one; `distributed` is missing.
        OSError: The store cannot be written.
    """
    distributed = library()
    store.sweep()
    total, waiting = unfinished(jobs, store)
    tally = Tally(store, total, waiting, 1, progress)
    if waiting:
        with connected(distributed, address) as client:
            check_workers(client, address)
            cluster = Cluster(distributed, client, address, store, waiting, tally)
            try:
                cluster.run()
            finally:
                cluster.drop()
    tally.say()
    return tally.failures


def library() -> Any:
    """Dask's package `distributed`, which not everybody has."""
    try:
        return importlib.import_module("distributed")
    except ImportError as error:
        raise WorkerError(f'a cluster needs Dask ({error}): pip install "sansim[cluster]"') from error


@contextlib.contextmanager
def connected(distributed: Any, address: str) -> Iterator[Any]:
    """A client of the scheduler."""
    try:
        client = distributed.Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise WorkerError(f"no Dask scheduler answers at {address}: {error}") from error
    try:
        yield client
    finally:
        client.close()


def check_workers(client: Any, address: str) -> None:
    """Sees to it that there are workers and that all have this sansim."""

    def theirs() -> str:
        # As a function within a function it travels as code, so that a worker without sansim can answer, too.
        try:
            from sansim.study.jobs.job import software as software_there
        except ImportError as error:
            return f"no sansim of use ({error})"
        return " ".join(("sansim", *software_there())).strip()

    ours = " ".join(("sansim", *software())).strip()
    # A task that waits makes an adaptive cluster begin to grow, from no worker at all.
    asked = client.submit(theirs, pure=False)
    try:
        client.wait_for_workers(1, timeout=ALONE_S)
    except TimeoutError:
        told = f"the Dask scheduler at {address} has no workers, and none came within {ALONE_S:.0f} s"
        raise WorkerError(f"{told}; start some with `dask worker {address}`") from None
    finally:
        asked.release()
    found = client.run(theirs, on_error="return")
    # One that cannot answer is about to leave.
    answers = {worker: answer for worker, answer in found.items() if isinstance(answer, str)}
    wrong = [f"  {worker} has {answer}" for worker, answer in sorted(answers.items()) if answer != ours]
    if wrong:
        raise WorkerError("\n".join([f"workers that do not fit, as this process has {ours}:", *wrong]))


def copies_here() -> tuple[str, Copies]:
    """The address of this worker, and its copies of files; outside any worker a folder of this machine."""
    distributed = library()
    try:
        worker = distributed.get_worker()
    except ValueError:
        return "", Copies(Path(tempfile.gettempdir()) / COPIES)
    return worker.address, copies_of(worker)


def copies_of(worker: Any) -> Copies:
    """The copies of files that a worker has; they are removed with its folder."""
    return Copies(Path(worker.local_directory) / COPIES)


def keep_piece(file: NamedFile, begin: int, piece: bytes, dask_worker: Any) -> None:
    """Keeps a piece of a file on a worker, which Dask adds to the arguments."""
    copies_of(dask_worker).keep(file, begin, piece)


def run_group(jobs: Sequence[Job], made_by: tuple[str, str]) -> Done:
    """Runs jobs on a worker in order until they are done, the time is up, or a file is lacking.

    Raises:
        WorkerError: This worker has another sansim than the process that `made_by` describes; it came later.
    """
    if software() != made_by:
        raise WorkerError(f"a worker has sansim {' '.join(software())}, not {' '.join(made_by)}")
    begin = time.perf_counter()
    here, copies = copies_here()
    outcomes: list[Outcome] = []
    lacking: list[NamedFile] = []
    for job in jobs:
        if lacking := copies.lacking(files_of(job.scenario)):
            break
        try:
            outcomes.append((run_job(replace(job, scenario=copies.placed(job.scenario))), None))
        except JobFailed as error:
            outcomes.append((None, copies.in_words(str(error), job.scenario)))
        if time.perf_counter() - begin > TASK_ENDS_AFTER_S:
            break
    return Done(outcomes, time.perf_counter() - begin, here, lacking)


class Cluster:
    """The tasks on their way, and the jobs that wait."""

    def __init__(
        self, distributed: Any, client: Any, address: str, store: Store, jobs: list[Job], tally: Tally
    ) -> None:
        """Takes the connection and the jobs to be run."""
        self.distributed = distributed
        self.client = client
        self.address = address
        self.store = store
        self.waiting = collections.deque(jobs)
        self.suspects: collections.deque[Job] = collections.deque()
        """Jobs of tasks at which workers died, and those of which something else than their result came back, to be
        tried one by one when nothing else runs."""
        self.tally = tally
        self.finished = distributed.as_completed(loop=client.loop, raise_errors=False)
        self.trial: Any = None
        """The task of a suspect, which runs alone."""
        self.tasks: dict[Any, list[Job]] = {}
        self.sent: dict[Any, float] = {}
        """When each task was sent."""
        self.brought: dict[tuple[str, str], float] = {}
        """When a worker got a file, by its address and the SHA-256."""
        self.threads = 0
        self.looked = self.last_seen = time.monotonic()
        self.seconds = 0.0
        self.reported = 0
        self.look()

    def run(self) -> None:
        """Runs all jobs."""
        while self.waiting or self.suspects or self.tasks:
            while self.waiting and len(self.tasks) < AHEAD * max(1, self.threads):
                self.submit(self.next_group())
            if self.suspects and not self.tasks:
                self.trial = self.submit([self.suspects.popleft()])
            done = self.finished.next_batch(block=False)
            for future in done:
                self.take(future)
            if not done:
                time.sleep(POLL_S)
            if time.monotonic() - self.looked > LOOK_S:
                self.look()
            self.tally.maybe_say()

    def next_group(self) -> list[Job]:
        """The jobs of the next task: fewer towards the end, and one by one until it is known how long they take."""
        mean_s = max(self.seconds / self.reported, 1e-6) if self.reported else TASK_S
        task_s = TASK_S + TASK_S_PER_THREAD * self.threads
        share = len(self.waiting) // (AHEAD * max(1, self.threads))
        size = max(min(share, int(task_s / mean_s)), int(TASK_S / 2 / mean_s), 1)
        return [self.waiting.popleft() for _ in range(min(size, MOST_IN_TASK, len(self.waiting)))]

    def submit(self, jobs: list[Job]) -> Any:
        """Sends a task on its way."""
        future = self.client.submit(run_group, jobs, software(), pure=False)
        self.tasks[future] = jobs
        self.sent[future] = time.monotonic()
        self.finished.add(future)
        return future

    def take(self, future: Any) -> None:
        """Keeps what came of a task."""
        if future.cancelled():
            raise WorkerError(f"the connection to the Dask scheduler at {self.address} was lost")
        if future.status == "error":
            self.suspect(future)
            return
        try:
            done: Done = future.result(timeout=RESULT_S)
        except (OSError, self.distributed.KilledWorker):
            # Its worker died with the result, and the scheduler has the task run again; or that has just failed.
            self.finished.add(future)
            return
        jobs, sent = self.tasks.pop(future), self.sent.pop(future)
        future.release()
        self.seconds += done.seconds if done.outcomes else 0.0
        self.reported += len(done.outcomes)
        rest = jobs[len(done.outcomes) :]
        if done.lacking:
            try:
                self.bring(done.worker, done.lacking, sent)
            except OtherFileError as other:
                self.tally.failed(rest.pop(0).key, str(other))
        self.waiting.extendleft(reversed(rest))
        over = list(zip(jobs, done.outcomes, strict=False))
        if over and all(content is not None for content, _ in done.outcomes):
            self.tally.pace.over([job.key for job, _ in over], done.seconds)
        for job, (content, error) in over:
            if content is None:
                self.tally.failed(job.key, error or "")
            elif opened(content, job.key, RESULT) is not None:
                self.keep(job.key, content)
            elif future is self.trial:
                self.tally.failed(job.key, "what its worker sent is not its result, or was damaged on the way")
            else:
                self.suspects.append(job)

    def bring(self, worker: str, files: Sequence[NamedFile], since: float) -> None:
        """Sends files to a worker, unless that was done after the moment at which they were lacking.

        Raises:
            OtherFileError: A file is not there any more, or another one.
            WorkerError: The worker cannot keep it.
        """
        for file in files:
            if self.brought.get((worker, file.sha256), -1.0) > since:
                continue
            for begin, piece in file.pieces():
                answers = self.client.run(keep_piece, file, begin, piece, workers=[worker], on_error="return")
                if isinstance(answer := answers.get(worker, worker), OSError):
                    raise WorkerError(f"the worker {worker} cannot keep a copy of {file.path}: {answer}")
                if answer is not None:
                    # The worker has gone, and another will run its jobs.
                    return
                self.tally.maybe_say()
            self.brought[worker, file.sha256] = time.monotonic()

    def keep(self, key: str, content: bytes) -> None:
        """Keeps the result of a job."""
        try:
            self.store.write(key, content)
            self.tally.finished(key)
        except PlaceTakenError as taken:
            self.tally.failed(key, str(taken))

    def suspect(self, future: Any) -> None:
        """Puts the jobs of a task that failed aside, or finds the guilty one."""
        jobs = self.tasks.pop(future)
        del self.sent[future]
        error = future.exception()
        future.release()
        if isinstance(error, WorkerError):
            raise error
        killed = isinstance(error, self.distributed.KilledWorker)
        if not killed:
            # Perhaps a worker that came later has no sansim.
            check_workers(self.client, self.address)
        if future is not self.trial:
            # Workers may have died of another task that they had at the same time.
            self.suspects.extend(jobs)
        elif killed:
            deaths = error.allowed_failures + 1
            died = "its worker died" if deaths == 1 else f"{deaths} workers died of it, one after another"
            self.tally.failed(jobs[0].key, died)
        else:
            self.tally.failed(jobs[0].key, f"{type(error).__name__}: {error}")

    def look(self) -> None:
        """Sees which workers there are."""
        self.looked = time.monotonic()
        # Without an answer nothing is known; a connection that is lost for good cancels the tasks.
        with contextlib.suppress(OSError):
            self.threads = sum(self.client.nthreads(callback_timeout=RESULT_S).values())
            if self.threads:
                self.last_seen = self.looked
                self.tally.pace.width = self.threads
        if self.looked - self.last_seen > ALONE_S:
            raise WorkerError(f"the Dask scheduler at {self.address} has had no workers for {ALONE_S:.0f} s")

    def drop(self) -> None:
        """Lets go of what is still on its way, after an error or Ctrl-C."""
        if self.tasks:
            with contextlib.suppress(OSError):
                self.client.cancel(list(self.tasks), force=True)
