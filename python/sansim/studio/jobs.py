"""The runs of the studio: each in a process of its own, with its progress for the page, and cancelled by the page."""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
import shutil
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from sansim.studio.errors import StudioError
from sansim.studio.worker import PLAYBACK, RUN, Task, work

AT_ONCE = 2
"""How many jobs work at a time; further ones wait."""
KEPT = 32
"""How many jobs are kept with their files; the oldest that is over goes first."""
BEAT_S = 10.0
"""The time after which a silent stream sends a comment, so that nothing in between ends it."""


@dataclass
class Job:
    """A job with its events for the page."""

    id: str
    scenario: str
    """The id of the scenario."""
    name: str
    task: Task
    folder: Path
    state: str = "waiting"
    events: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    """Events for the page, in order."""
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    pipe: Connection | None = None
    cancelled: bool = False

    @property
    def is_over(self) -> bool:
        """Whether no event will follow."""
        return self.state not in ("waiting", "running")

    def as_json(self) -> dict[str, Any]:
        """As the page lists it."""
        has_playback = (self.folder / PLAYBACK).is_file()
        return {
            "run": self.id,
            "id": self.scenario,
            "name": self.name,
            "what": self.task.what,
            "state": self.state,
            "key": self.task.key or None,
            "playback": has_playback and self.state == "done",
        }


class Jobs:
    """All jobs of a studio. Their files are in a folder that goes with the studio."""

    def __init__(self) -> None:
        """No jobs yet."""
        self.place = Path(tempfile.mkdtemp(prefix="sansim-studio-"))
        self.all: dict[str, Job] = {}
        self.number = 0
        self.turn = asyncio.Semaphore(AT_ONCE)
        self.tasks: set[asyncio.Task[None]] = set()

    def get(self, id_: str) -> Job:
        """The job with an id; raises StudioError if there is none."""
        job = self.all.get(id_)
        if job is None:
            raise StudioError("no-run", f"there is no run {id_!r}", status=404)
        return job

    def begin(self, scenario: str, name: str, task: Task) -> Job:
        """Begins a job, as soon as it is its turn."""
        self.number += 1
        id_ = f"r{self.number}"
        folder = self.place / id_
        folder.mkdir()
        job = Job(id_, scenario, name, task, folder)
        self.all[id_] = job
        over = [other for other in self.all.values() if other.is_over]
        for old in over[: max(len(self.all) - KEPT, 0)]:
            shutil.rmtree(old.folder, ignore_errors=True)
            del self.all[old.id]
        running = asyncio.create_task(self.follow(job))
        self.tasks.add(running)
        running.add_done_callback(self.tasks.discard)
        return job

    async def follow(self, job: Job) -> None:
        """Runs the process of a job and tells what it says."""
        async with self.turn:
            if job.cancelled:
                await self.tell(job, "done", {"state": "cancelled", "error": None}, "cancelled")
                return
            job.state = "running"
            mine, other = multiprocessing.Pipe()
            job.pipe = mine
            process = multiprocessing.get_context("spawn").Process(
                target=work, args=(job.task, str(job.folder), other), daemon=True
            )
            try:
                await asyncio.to_thread(process.start)
                other.close()
                await self.listen(job, mine)
            finally:
                if process.is_alive():
                    process.terminate()
                await asyncio.to_thread(process.join)
                mine.close()
                job.pipe = None

    async def listen(self, job: Job, pipe: Connection) -> None:
        """Passes on the messages of a job until its last one."""
        while True:
            try:
                kind, *said = await asyncio.to_thread(pipe.recv)
            except (EOFError, OSError):
                error = {"code": "ended", "message": "the process of the run has ended without a result", "hint": None}
                kind, said = ("cancelled", [None]) if job.cancelled else ("failed", [error])
            if kind == "progress":
                await self.tell(job, "progress", {"share": said[0], "text": said[1]})
                continue
            if kind == "found":
                await self.tell(job, "found", said[0])
                continue
            state = kind
            content: dict[str, Any] = {"state": state, "error": None}
            if kind == "failed":
                content["error"] = said[0]
            elif kind == "done":
                content |= said[0]
            await self.tell(job, "done", content, state)
            return

    async def tell(self, job: Job, kind: str, content: dict[str, Any], state: str | None = None) -> None:
        """Adds an event; of the progress only the latest is kept for a page that comes later."""
        async with job.changed:
            job.state = state or job.state
            job.events.append((kind, content))
            job.changed.notify_all()

    async def cancel(self, job: Job) -> None:
        """Ends a job at its next sign of life."""
        job.cancelled = True
        if job.pipe is not None:
            with contextlib.suppress(OSError):
                job.pipe.send("cancel")

    async def stream(self, job: Job, after: int) -> AsyncIterator[str]:
        """The events of a job from one on, as Server-Sent Events."""
        yield "retry: 1000\n\n"
        while True:
            async with job.changed:
                if len(job.events) <= after and not job.is_over:
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(job.changed.wait(), BEAT_S)
                events = list(enumerate(job.events))[after:]
            if not events:
                if job.is_over:
                    return
                yield ": still here\n\n"
                continue
            latest = {kind: number for number, (kind, _) in events}
            for number, (kind, content) in events:
                # A page that was away needs the latest of each kind only.
                if number < latest[kind]:
                    continue
                yield f"id: {number + 1}\nevent: {kind}\ndata: {json.dumps(content)}\n\n"
            after += len(events)
            if job.is_over and after >= len(job.events):
                return

    def playback(self, job: Job) -> Path:
        """The playback of a job; raises StudioError if there is none."""
        file = job.folder / PLAYBACK
        if not file.is_file():
            raise StudioError("no-playback", f"run {job.id} has no playback", status=404)
        return file

    def run_folder(self, job: Job) -> Path:
        """The folder of the run of a job; raises StudioError if there is none."""
        folder = job.folder / RUN
        if not folder.is_dir():
            raise StudioError("no-report", f"run {job.id} has no result to report on", status=404)
        return folder

    async def close(self) -> None:
        """Ends all jobs and removes their files."""
        for job in self.all.values():
            await self.cancel(job)
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        shutil.rmtree(self.place, ignore_errors=True)
