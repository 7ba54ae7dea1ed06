"""A worker process of `sansim.study.jobs.execute`: `python -m sansim.study.jobs.worker STORE SCRATCH`.

It talks in lines of JSON. On standard input come `{"run": [[key, scenario, traces, percentiles], ...]}`, jobs to be run
in that order, and `{"give_back": n}`, which asks for up to `n` jobs that have not begun. On standard output go, once,
`{"ready": [version, model]}`; `{"key": ..., "seconds": ...}` for a finished job, whose result is in the store by then,
with `"error"` if it could not be run; `{"given_back": [keys]}`; and `{"broken": text}` when the store cannot be
written. At the end of its input, which is also that of a parent that was killed, it ends at once, whatever it is doing.
"""

from __future__ import annotations

import collections
import contextlib
import json
import os
import shutil
import sys
import tempfile
import threading
import time
import traceback
from pathlib import Path
from typing import Any

from sansim.files import cause_of_writing
from sansim.study.jobs.job import Job, JobFailed, run_job, software
from sansim.study.jobs.store import PlaceTakenError, Store


class Worker:
    """The jobs that are waiting, and the thread that listens meanwhile."""

    def __init__(self, store: Store, scratch: str, reports: int) -> None:
        """Takes the store, a folder for temporary files, and the descriptor that reports go to."""
        self.store = store
        self.scratch = scratch
        self.reports = reports
        self.waiting: collections.deque[Job] = collections.deque()
        self.changed = threading.Condition()
        self.speaking = threading.Lock()

    def listen(self) -> None:
        """Takes what the parent sends, to the end of the input; then ends the process.

        The interpreter lock is free while a job is simulated, so this is heard at any time.
        """
        try:
            for line in sys.stdin.buffer:
                self.take(json.loads(line))
        except BaseException:  # noqa: BLE001  (the process ends, and says why)
            traceback.print_exc()
            self.end(1)
        self.end(0)

    def end(self, code: int) -> None:
        """Ends the process whatever its threads are doing."""
        shutil.rmtree(self.scratch, ignore_errors=True)
        # If the parent was killed, the last worker puts out the light.
        with contextlib.suppress(OSError):
            Path(self.scratch).parent.rmdir()
        os._exit(code)

    def take(self, message: dict[str, Any]) -> None:
        """Does what the parent asks for."""
        with self.changed:
            for key, scenario, traces, percentiles in message.get("run", ()):
                self.waiting.append(Job(key, scenario, tuple(map(tuple, traces)), tuple(percentiles)))
            self.changed.notify()
            if "give_back" in message:
                count = min(message["give_back"], len(self.waiting))
                self.report(given_back=[self.waiting.pop().key for _ in range(count)])

    def report(self, **message: object) -> None:
        """Tells the parent."""
        line = json.dumps(message).encode() + b"\n"
        with self.speaking:
            while line:
                line = line[os.write(self.reports, line) :]

    def work(self) -> None:
        """Runs jobs until the process is ended."""
        self.report(ready=software())
        while True:
            with self.changed:
                while not self.waiting:
                    self.changed.wait()
                job = self.waiting.popleft()
            self.do(job)

    def do(self, job: Job) -> None:
        """Runs a job, keeps what comes of it and reports."""
        begin = time.perf_counter()
        try:
            self.store.check_place(job.key)
            self.store.write(job.key, run_job(job))
        except (JobFailed, PlaceTakenError) as error:
            self.report(key=job.key, error=str(error), seconds=time.perf_counter() - begin)
            return
        except OSError as error:
            place = error.filename or self.store.root
            self.report(broken=f"cannot write {place}: {cause_of_writing(error, place)}")
            return
        self.report(key=job.key, seconds=time.perf_counter() - begin)


def main() -> None:
    """The process."""
    # Reports have a descriptor of their own; whatever else prints does so on standard error.
    reports = os.dup(1)
    os.dup2(2, 1)
    # Other files of a run vanish with the worker, also when it is ended in the middle of a run; or with the parent, if
    # the worker crashes.
    scratch = tempfile.tempdir = tempfile.mkdtemp(dir=sys.argv[2])
    worker = Worker(Store(Path(sys.argv[1])), scratch, reports)
    threading.Thread(target=worker.listen, daemon=True).start()
    try:
        worker.work()
    except BrokenPipeError:
        # The parent is gone; `listen` may not have noticed yet.
        worker.end(0)
    except BaseException:  # noqa: BLE001  (the process ends, and says why)
        traceback.print_exc()
        worker.end(1)


if __name__ == "__main__":
    main()
