"""The live line on a terminal while a run or a study goes on."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Generic, Self, TextIO, TypeVar

if TYPE_CHECKING:
    from sansim._core import Progress
    from sansim.study.jobs.execute import Progress as StudyProgress

BAR_WIDTH = 20
RUN_BAR_WIDTH = 6
"""The line of a run says more, and is to fit 80 columns."""


Shown = TypeVar("Shown")


class LiveLine(Generic[Shown]):
    """A line on a terminal that is written again and again; on anything else it is silent.

    To be used in a `with`, which takes the line away at the end. It is called with how far the work is.
    """

    def __init__(self, stream: TextIO, text: Callable[[Shown], str]) -> None:
        self.stream = stream
        self.text = text
        self.live = stream.isatty() and os.environ.get("TERM") != "dumb"
        self.shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()

    def clear(self) -> None:
        """Takes the line away, so that something else may be printed there."""
        if self.shown:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
            self.shown = False

    def __call__(self, progress: Shown) -> None:
        """Shows how far the work is."""
        if not self.live:
            return
        width = shutil.get_terminal_size().columns - 1
        self.stream.write("\r" + self.text(progress)[:width] + "\x1b[K")
        self.stream.flush()
        self.shown = True


class ProgressLine(LiveLine["Progress"]):
    """Shows how far a run is: simulated time, wall time and their ratio, and how long it still takes."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream, line)


class StudyProgressLine(LiveLine["StudyProgress"]):
    """Shows how far a study is."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream, study_line)


def bar_of(part: float, width: int = BAR_WIDTH) -> str:
    """A bar and the share it shows."""
    return f"[{('=' * round(part * width)).ljust(width)}] {part:4.0%}"


def study_line(progress: StudyProgress) -> str:
    """The text of the line of a study."""
    over = progress.done + progress.failed
    failed = f", {progress.failed} failed" if progress.failed else ""
    left = "" if progress.seconds_left is None or over >= progress.total else f", {spoken(progress.seconds_left)} left"
    return f"{bar_of(over / progress.total if progress.total else 1.0)}  {over} of {progress.total} runs{failed}{left}"


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
    left = f"  {spoken(took / share - took)} left" if share > 0 and took >= TELLING_S else ""
    return f"{bar_of(share, RUN_BAR_WIDTH)}{left}  {progress.preparing} before simulated time begins"


def line(progress: Progress) -> str:
    """The text of the line."""
    if progress.preparing is not None:
        return preparing_line(progress)
    part = min(progress.ios / progress.total_ios, 1.0) if progress.total_ios else 0.0
    ratio = progress.simulated_s / progress.wall_s if progress.wall_s else 0.0
    which = f"run {progress.pass_number} of {progress.passes}  " if progress.passes > 1 else ""
    left = seconds_left(progress)
    # With a precision the run may have to go on for an unknown time.
    least = "or more " if progress.open_end else ""
    still = "" if left is None else f"  {spoken(left)} {least}left"
    return (
        f"{which}{bar_of(part, RUN_BAR_WIDTH)}{still}  {progress.simulated_s:.2f} s simulated"
        f" in {progress.wall_s:.1f} s, {ratio:.3g} x real time"
    )
