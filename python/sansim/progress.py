"""The live line on a terminal while a run goes on."""

from __future__ import annotations

import os
import shutil
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

if TYPE_CHECKING:
    from sansim._core import Progress

BAR_WIDTH = 20


class ProgressLine:
    """Shows simulated time, wall time and their ratio on a terminal; on anything else it is silent.

    To be used in a `with`, which takes the line away at the end.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.live = stream.isatty() and os.environ.get("TERM") != "dumb"
        self.shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.shown:
            self.stream.write("\r\x1b[K")
            self.stream.flush()

    def __call__(self, progress: Progress) -> None:
        """Shows how far the run is."""
        if not self.live:
            return
        width = shutil.get_terminal_size().columns - 1
        self.stream.write("\r" + line(progress)[:width] + "\x1b[K")
        self.stream.flush()
        self.shown = True


def line(progress: Progress) -> str:
    """The text of the line."""
    part = min(progress.ios / progress.total_ios, 1.0) if progress.total_ios else 0.0
    bar = ("=" * round(part * BAR_WIDTH)).ljust(BAR_WIDTH)
    ratio = progress.simulated_s / progress.wall_s if progress.wall_s else 0.0
    which = f"run {progress.pass_number} of {progress.passes}  " if progress.passes > 1 else ""
    return (
        f"{which}[{bar}] {part:4.0%}  {progress.simulated_s:.3f} s simulated in {progress.wall_s:.1f} s"
        f"  ({ratio:.3g} x real time)"
    )
