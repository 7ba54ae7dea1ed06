"""How far a command is: a line that is written again and again on a terminal, a line every ten seconds elsewhere."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Generic, Self, TextIO, TypeVar

if TYPE_CHECKING:
    from sansim._core import Progress
    from sansim.study.jobs.execute import Progress as StudyProgress

BAR_WIDTH = 20
RUN_BAR_WIDTH = 6
"""The line of a run says more, and is to fit 80 columns."""
PLAIN_INTERVAL_S = 10.0
"""Seconds between two lines where there is no terminal; work that takes less time writes none."""


Shown = TypeVar("Shown")


class LiveLine(Generic[Shown]):
    """A line on a terminal that is written again and again. Pipes and files get a line every ten seconds.

    To be used in a `with`, which takes the line away at the end. Any thread may call it with how far the work is.
    """

    def __init__(
        self, stream: TextIO | None, text: Callable[[Shown], str], clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Takes where to write (None if that was closed), the text for how far the work is, and a clock in seconds."""
        self.stream = stream
        self.text = text
        self.clock = clock
        self.live = stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"
        self.shown = False
        self.last = clock()
        """The time of the last plain line, or of the beginning."""
        self.writing = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()

    def clear(self) -> None:
        """Takes the line away, so that something else may be printed there."""
        with self.writing:
            if self.shown:
                self.write("\r\x1b[K")
                self.shown = False

    def __call__(self, progress: Shown) -> None:
        """Shows how far the work is."""
        if self.live:
            width = shutil.get_terminal_size().columns - 1
            with self.writing:
                self.write("\r" + self.text(progress)[:width] + "\x1b[K")
                self.shown = True
        elif self.clock() - self.last >= PLAIN_INTERVAL_S:
            with self.writing:
                self.last = self.clock()
                self.write(self.text(progress) + "\n")

    def write(self, text: str) -> None:
        """Writes to the stream; a reader that went away does not end the work."""
        if self.stream is not None:
            with suppress(OSError, ValueError):
                self.stream.write(text)
                self.stream.flush()


@dataclass
class Work:
    """Work that takes its time, as `drawing charts`."""

    doing: str
    begun: float
    """The time on the clock of its line."""
    share: float | None = None
    """The share that is done; None if it is not known."""
    now: float = 0.0


class WorkLine(LiveLine[Work]):
    """Shows what is done, for how long, and if the share that is done is known how long it still takes.

    A thread of its own keeps the line alive while the work calls nothing.
    """

    BEAT_S = 0.25
    """Seconds between two looks at the clock."""
    SHOWN_AFTER_S = 1.0
    """Seconds until the line appears on a terminal; most work of this kind is done by then."""

    def __init__(self, stream: TextIO | None, doing: str, clock: Callable[[], float] = time.monotonic) -> None:
        """Takes where to write, what is done first, and a clock in seconds."""
        super().__init__(stream, work_line, clock)
        self.work = Work(doing, clock())
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.beat, daemon=True)

    def __enter__(self) -> Self:  # type: ignore[explicit-override]
        self.thread.start()
        return self

    def __exit__(  # type: ignore[explicit-override]
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.over.set()
        self.thread.join(self.BEAT_S)
        self.clear()

    def at(self, share: float | None, doing: str | None = None) -> None:
        """Notes how far the work is, and what is done from now on if that is something else."""
        if doing is not None and doing != self.work.doing:
            self.work = Work(doing, self.clock())
        self.work.share = share

    def say(self, doing: str) -> None:
        """Says more precisely what is done; the time of the work goes on."""
        self.work.doing = doing

    def beat(self) -> None:
        """Shows the line until the work is over."""
        while not self.over.wait(self.BEAT_S):
            self.show()

    def show(self) -> None:
        """Shows the line, unless the work has just begun."""
        work = self.work
        work.now = self.clock()
        if not self.live or work.now - work.begun >= self.SHOWN_AFTER_S:
            self(work)


def work_line(work: Work) -> str:
    """The text of the line of work that is not a run."""
    took = work.now - work.begun
    if work.share is None:
        return f"{work.doing}, for {spoken(took)} so far"
    return f"{bar_of(min(work.share, 1.0))}{left_of(work.share, took)}  {work.doing}"


def left_of(share: float, took: float) -> str:
    """How long work still takes of which a share took so many seconds, in words; nothing if it is too early to say."""
    return f"  {spoken(took / share - took)} left" if 0 < share <= 1 and took >= TELLING_S else ""


class ProgressLine(LiveLine["Progress"]):
    """Shows how far a run is: simulated time, wall time and their ratio, and how long it still takes."""

    def __init__(self, stream: TextIO | None) -> None:
        super().__init__(stream, line)


class RunsLine(LiveLine["Progress"]):
    """Shows how far one of several runs is that follow each other, and how long all of them still take."""

    def __init__(self, stream: TextIO | None, runs: int, clock: Callable[[], float] = time.monotonic) -> None:
        """Takes where to write, how many runs there are, and a clock in seconds."""
        super().__init__(stream, self.text_of, clock)
        self.runs = runs
        self.number = 0
        """The number of the present run, from 1."""
        self.begun = clock()
        """The time at which the first run began."""

    def of_next_run(self) -> Self:
        """Begins the next run; the callback for its progress."""
        self.number += 1
        return self

    def text_of(self, progress: Progress) -> str:
        """The text of the line."""
        return f"run {self.number} of {self.runs}  {line(progress, self.left_after(progress))}"

    def left_after(self, progress: Progress) -> float:
        """Seconds of the runs that follow, if they take as long as those before and the present one."""
        left = seconds_left(progress) or 0.0
        return (self.clock() - self.begun + left) / max(self.number, 1) * (self.runs - self.number)


class StudyProgressLine(LiveLine["StudyProgress"]):
    """Shows how far a study is."""

    def __init__(self, stream: TextIO | None) -> None:
        super().__init__(stream, study_line)


def bar_of(part: float, width: int = BAR_WIDTH) -> str:
    """A bar and the share it shows."""
    return f"[{('=' * round(part * width)).ljust(width)}] {part:4.0%}"


def study_line(progress: StudyProgress) -> str:
    """The text of the line of a study."""
    over = progress.done + progress.failed
    failed = f", {progress.failed} failed" if progress.failed else ""
    left = "" if progress.seconds_left is None or over >= progress.total else f", {spoken(progress.seconds_left)} left"
    bar = bar_of(over / progress.total if progress.total else 1.0)
    return f"{bar}  {over:,} of {progress.total:,} {progress.what}{failed}{left}"


def spoken(seconds: float) -> str:
    """A time as people say it: 2 min 05 s."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"


TELLING_S = 1.0
"""Wall time from which on the pace of a run says how long it still takes."""


def seconds_left(progress: Progress) -> float | None:
    """How long a run still takes at its pace so far, further passes included; None if it is too early to say."""
    if progress.wall_s < TELLING_S or not progress.ios or not progress.total_ios:
        return None
    took = progress.wall_s - progress.preparing_s
    whole = took * progress.total_ios / progress.ios
    return max(whole - took, 0.0) + (progress.preparing_s + whole) * (progress.passes - progress.pass_number)


def preparing_line(progress: Progress) -> str:
    """The text of the line before simulated time begins: what is done, how far it is, and how long it still takes."""
    share, took = progress.prepared, progress.preparing_s
    # It may end before all is done: a functional warm-up when the hit ratios have settled.
    left = left_of(share, took).replace(" left", " or less left")
    return f"{bar_of(share, RUN_BAR_WIDTH)}{left}  {progress.preparing} before simulated time begins"


def line(progress: Progress, more_s: float = 0.0) -> str:
    """The text of the line of a run, behind which other work takes so many seconds."""
    if progress.preparing is not None:
        return preparing_line(progress)
    part = min(progress.ios / progress.total_ios, 1.0) if progress.total_ios else 0.0
    ratio = progress.simulated_s / progress.wall_s if progress.wall_s else 0.0
    which = f"run {progress.pass_number} of {progress.passes}  " if progress.passes > 1 else ""
    left = seconds_left(progress)
    # With a precision the run may have to go on for an unknown time.
    least = "or more " if progress.open_end else ""
    still = "" if left is None else f"  {spoken(left + more_s)} {least}left"
    return (
        f"{which}{bar_of(part, RUN_BAR_WIDTH)}{still}  {progress.simulated_s:.2f} s simulated"
        f" in {progress.wall_s:.1f} s, {ratio:.3g} x real time"
    )
