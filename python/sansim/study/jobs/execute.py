"""Running the jobs of a study in worker processes of this machine.

Processes and not threads, so that a job that crashes costs only itself. This process simulates nothing: it hands out
jobs, a fraction of a second's worth at a time, takes jobs back from a worker that still has some when another has none,
and counts. The workers write the results themselves.
"""

from __future__ import annotations

import collections
import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sansim.study.jobs.job import Job, software
from sansim.study.jobs.pace import Pace, frames_of
from sansim.study.jobs.store import Store

HAND_OUT_S = 0.2
"""Simulation that a worker is given at a time: much longer than the millisecond that talking to it takes."""
MOST_IN_HAND = 64
"""Jobs that a worker is given at most."""
PROGRESS_INTERVAL_S = 0.1
"""Time between two calls of `progress`: often enough for a live line."""
END_S = 5.0
"""Time in which a worker has to end when asked; it takes milliseconds."""
MOST_STILLBORN = 3
"""Workers in a row that may be killed before they are ready; then something is wrong with all."""
LAST_WORDS = 2000
"""Bytes kept of what a worker writes to standard error."""


RUNS = "runs"


class WorkerError(Exception):
    """Workers cannot be started or do not fit; no job is to blame."""


@dataclass
class Progress:
    """How far the jobs are, or the work before them."""

    total: int
    """Different jobs there are, or how many there are of `what`."""
    done: int = 0
    """Jobs with a result, `found` ones included."""
    failed: int = 0
    """Jobs that could not be run."""
    found: int = 0
    """Jobs that had a result before anything was run."""
    seconds_left: float | None = None
    """Estimate from the work that is left and the pace so far; None before the first job is done."""
    what: str = RUNS
    """The things that are counted: runs, or before them `points planned` or `designs estimated`."""


class Counter:
    """Counts work that is not a run, and tells the caller now and then how much is done."""

    def __init__(self, total: int, what: str, tell: Callable[[Progress], object] | None) -> None:
        """Takes how much there is of what, and the callback."""
        self.now = Progress(total=total, what=what)
        self.tell = tell
        self.begun = self.told = time.monotonic()

    def add(self, count: int = 1) -> None:
        """So many more are done."""
        self.now.done += count
        here = time.monotonic()
        if self.tell is not None and here - self.told >= PROGRESS_INTERVAL_S:
            self.told = here
            self.now.seconds_left = (here - self.begun) / self.now.done * (self.now.total - self.now.done)
            self.tell(self.now)


class Tally:
    """Counts what becomes of jobs and tells the caller, but not more often than is of use."""

    def __init__(
        self, store: Store, total: int, waiting: Sequence[Job], width: int, tell: Callable[[Progress], None] | None
    ) -> None:
        """Takes where failures are recorded, all jobs, those to be run, how many run at a time, and whom to tell."""
        self.store = store
        found = total - len(waiting)
        self.now = Progress(total=total, done=found, found=found)
        self.tell = tell
        self.failures: dict[str, str] = {}
        # Without a callback the pace is not needed.
        self.pace = Pace({job.key: frames_of(job.scenario) if tell else None for job in waiting}, width)
        self.told = time.monotonic()
        self.say()

    def finished(self, key: str, seconds: float | None = None) -> None:
        """A job has its result in the store; it took so long, if it was run here and is known."""
        self.now.done += 1
        self.pace.over([key], seconds)

    def failed(self, key: str, message: str) -> None:
        """A job could not be run."""
        self.store.record(key, message)
        self.failures[key] = message
        self.now.failed += 1
        # How long a failure took says nothing of the others.
        self.pace.over([key], None)

    def maybe_say(self) -> None:
        """Tells the caller if that was long ago."""
        if time.monotonic() - self.told >= PROGRESS_INTERVAL_S:
            self.say()

    def say(self) -> None:
        """Tells the caller."""
        self.told = time.monotonic()
        over = self.now.done + self.now.failed
        self.now.seconds_left = self.pace.seconds_left() if over > self.now.found else None
        if self.tell is not None:
            self.tell(self.now)


def unfinished(jobs: Iterable[Job], store: Store) -> tuple[int, list[Job]]:
    """How many different jobs there are, and those without a result, in the given order."""
    different = {job.key: job for job in jobs}
    return len(different), [job for job in different.values() if not store.has(job.key)]


def run_jobs(
    jobs: Sequence[Job],
    store: Store,
    *,
    workers: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    worker_command: Sequence[str] | None = None,
) -> dict[str, str]:
    """Runs those jobs that have no result yet and keeps what comes of them.

    May be interrupted or killed at any moment: what was finished stays, and another call goes on from there. An
    exception in `progress` ends it, too.

    Args:
        jobs: What to run, begun in this order. Equal jobs are run once.
        store: Where the results are and come to be.
        workers: Number of processes; if not given, as many as there are processors for this process.
        progress: Called at the start, some times a second and at the end, always with the same object.
        worker_command: Program of a worker, to which the folders of the store and of temporary files are added.

    Returns:
        Why jobs failed, by key, in the order in which they did. All others have their result in the store.

    Raises:
        WorkerError: Workers cannot be started.
        OSError: The store cannot be written.
    """
    if workers is not None and workers < 1:
        raise ValueError(f"workers: {workers} is less than 1")
    store.sweep()
    total, waiting = unfinished(jobs, store)
    count = min(workers or processors(), len(waiting))
    tally = Tally(store, total, waiting, count, progress)
    if waiting:
        with Crew(store, waiting, tally, count, worker_command or default_command()) as crew:
            crew.run()
    tally.say()
    return tally.failures


def processors() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def default_command() -> list[str]:
    """The program of a worker."""
    # -P: what lies in the folder the user happens to be in is not to be imported.
    return [sys.executable, "-P", "-m", "sansim.study.jobs.worker"]


class Member:
    """A worker process as the parent sees it."""

    def __init__(self, command: Sequence[str]) -> None:
        """Starts the process."""
        # In a process group of its own, so that Ctrl-C comes to the parent alone, which then ends the workers.
        self.process = subprocess.Popen(
            command, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, process_group=0
        )
        self.in_hand: collections.deque[Job] = collections.deque()
        """The jobs that it was given and has not reported; it runs the first one."""
        self.ready = False
        self.asked = False
        """Whether it was asked to give jobs back and has not answered."""
        self.unread = b""
        self.last_words = b""

    def send(self, **message: object) -> None:
        """Tells the worker, which listens all the time."""
        assert self.process.stdin
        rest = memoryview(json.dumps(message).encode() + b"\n")
        # One that has died is noticed when its output ends.
        with contextlib.suppress(BrokenPipeError):
            while rest:
                rest = rest[self.process.stdin.write(rest) or 0 :]

    def messages(self) -> list[dict[str, Any]] | None:
        """The messages of the worker so far; None at the end of its output."""
        assert self.process.stdout
        read = os.read(self.process.stdout.fileno(), 1 << 16)
        *lines, self.unread = (self.unread + read).split(b"\n")
        return [json.loads(line) for line in lines] if read else None

    def listen_to_errors(self) -> bool:
        """Keeps the end of what the worker writes to standard error; False when there will be no more."""
        assert self.process.stderr
        read = os.read(self.process.stderr.fileno(), 1 << 16)
        self.last_words = (self.last_words + read)[-LAST_WORDS:]
        return bool(read)

    def fate(self) -> str:
        """How the process ended, which it has."""
        code = self.process.returncode
        words = [line.strip() for line in self.last_words.decode(errors="replace").splitlines() if line.strip()]
        last = f": {words[-1]}" if words else ""
        if code >= 0:
            return f"ended with exit code {code}{last}"
        return f"was ended by {signal_name(-code)}{last}"

    def let_go(self) -> None:
        """Closes the worker's input, at which it ends."""
        assert self.process.stdin
        self.process.stdin.close()

    def end(self) -> None:
        """Waits until the process is gone, and sees to it."""
        try:
            self.process.wait(END_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe
            pipe.close()


def signal_name(number: int) -> str:
    """The name of a signal, and what it usually means for a simulation."""
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    return f"{name} (out of memory?)" if name == "SIGKILL" else name


class Crew:
    """The workers, and the jobs that wait for them. To be used in a `with`, which ends the workers."""

    def __init__(self, store: Store, jobs: list[Job], tally: Tally, count: int, command: Sequence[str]) -> None:
        """Takes the jobs to be run and how many workers there are to be."""
        self.store = store
        self.waiting = collections.deque(jobs)
        self.tally = tally
        self.count = count
        self.scratch = tempfile.TemporaryDirectory(prefix="sansim-study-", ignore_cleanup_errors=True)
        self.command = [*command, os.fspath(store.root), self.scratch.name]
        self.members: list[Member] = []
        self.selector = selectors.DefaultSelector()
        self.stillborn = 0
        """Workers in a row that were killed before they could do anything."""
        self.seconds = 0.0
        """Time that the jobs reported so far have taken."""
        self.reported = 0

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        # First all at once, so that none is left should the waiting be interrupted.
        for member in self.members:
            member.let_go()
        for member in self.members:
            member.end()
        self.selector.close()
        self.scratch.cleanup()

    def run(self) -> None:
        """Runs all jobs."""
        for _ in range(self.count):
            self.start()
        while self.waiting or any(member.in_hand for member in self.members):
            while len(self.members) < min(self.count, len(self.waiting)):
                self.start()
            for member in self.members:
                self.supply(member)
            self.balance()
            for key, _ in self.selector.select(PROGRESS_INTERVAL_S):
                key.data()
            self.tally.maybe_say()

    def start(self) -> None:
        """Starts a worker."""
        try:
            member = Member(self.command)
        except OSError as error:
            raise WorkerError(f"a worker process cannot be started: {error}") from error
        self.members.append(member)
        assert member.process.stdout and member.process.stderr
        self.selector.register(member.process.stdout, selectors.EVENT_READ, lambda: self.hear(member))
        self.selector.register(member.process.stderr, selectors.EVENT_READ, lambda: self.hear_errors(member))

    def supply(self, member: Member) -> None:
        """Gives a worker jobs if it has few."""
        if not member.ready or member.asked or not self.waiting:
            return
        # Less towards the end, so that all finish together; and one by one until it is known how long they take.
        share = -(-len(self.waiting) // (2 * self.count))
        mean_s = self.seconds / self.reported if self.reported else HAND_OUT_S
        aim = max(1, min(share, MOST_IN_HAND, int(HAND_OUT_S / max(mean_s, 1e-6))))
        if len(member.in_hand) > aim // 2:
            return
        jobs: list[Job] = []
        while self.waiting and len(member.in_hand) + len(jobs) < aim:
            job = self.waiting.popleft()
            # Another process at work in the same store may have been faster.
            if self.store.has(job.key):
                self.tally.finished(job.key)
            else:
                jobs.append(job)
        if jobs:
            member.in_hand.extend(jobs)
            self.tally.pace.begun(member.in_hand[0].key)
            member.send(run=[[job.key, job.scenario, job.traces, job.percentiles] for job in jobs])

    def balance(self) -> None:
        """When nothing waits and a worker is idle, asks the one with most in hand for half of it."""
        if self.waiting or all(member.in_hand for member in self.members):
            return
        fullest = max(self.members, key=lambda member: len(member.in_hand))
        if len(fullest.in_hand) > 1 and not any(member.asked for member in self.members):
            fullest.asked = True
            fullest.send(give_back=len(fullest.in_hand) // 2)

    def hear(self, member: Member) -> None:
        """Takes what a worker reports."""
        messages = member.messages()
        if messages is None:
            self.bury(member)
            return
        for message in messages:
            if "key" in message:
                self.account(member, message)
            elif "given_back" in message:
                member.asked = False
                returned = [member.in_hand.pop() for _ in message["given_back"]]
                self.waiting.extendleft(returned)
            elif "ready" in message:
                member.ready = True
                self.stillborn = 0
                if tuple(message["ready"]) != software():
                    theirs, ours = " ".join(message["ready"]), " ".join(software())
                    raise WorkerError(f"workers have sansim {theirs}, this process has {ours}")
            else:
                raise OSError(message["broken"])

    def account(self, member: Member, message: dict[str, Any]) -> None:
        """Counts a job that a worker is done with."""
        job = member.in_hand.popleft()
        assert job.key == message["key"]
        self.seconds += message["seconds"]
        self.reported += 1
        if "error" in message:
            self.tally.failed(job.key, message["error"])
        else:
            self.tally.finished(job.key, message["seconds"])
        if member.in_hand:
            self.tally.pace.begun(member.in_hand[0].key)

    def hear_errors(self, member: Member) -> None:
        """Takes what a worker writes to standard error."""
        assert member.process.stderr
        # It may have been buried a moment ago.
        if not member.process.stderr.closed and not member.listen_to_errors():
            self.selector.unregister(member.process.stderr)

    def bury(self, member: Member) -> None:
        """Takes the jobs of a worker that has died; the one it was at has failed."""
        assert member.process.stdout and member.process.stderr
        self.selector.unregister(member.process.stdout)
        member.let_go()
        if member.process.stderr in self.selector.get_map():
            while member.listen_to_errors():
                pass
            self.selector.unregister(member.process.stderr)
        self.members.remove(member)
        member.end()
        if not member.ready:
            self.stillborn += 1
            if member.process.returncode >= 0 or self.stillborn == MOST_STILLBORN:
                raise WorkerError(f"a worker process {member.fate()}")
        if member.in_hand:
            job = member.in_hand.popleft()
            if self.store.has(job.key):
                # It died between writing the result and reporting it.
                self.tally.finished(job.key)
            else:
                self.tally.failed(job.key, f"the worker process {member.fate()}")
            self.waiting.extendleft(reversed(member.in_hand))
