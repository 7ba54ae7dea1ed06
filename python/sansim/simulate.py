"""A scenario that has been read becomes a result."""

from __future__ import annotations

import contextlib
import errno
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sansim import _core
from sansim.file_types import WATCHED, check_place
from sansim.files import pieces_of
from sansim.percentiles import NATIVE, add
from sansim.result import Result
from sansim.runs.recorders import Capture, Playback, Timeline, Trace, Window
from sansim.tables import Table

if TYPE_CHECKING:
    import polars as pl

TABLES = ("ios", "tenancies", "paths", "samples", "decisions")
"""The tables of an outcome."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a run. The results so far are in `result`."""

    def __init__(self, result: Result) -> None:
        super().__init__("the run was stopped early; what was done is in .result")
        self.result = result


def rows_of(folder: Path, lost: tuple[int | None, str] | None) -> dict[str, Path | OSError]:
    """Where the rows of the tables are that went to a folder, or why they are not there."""
    names = ("ios", "tenancies")
    if lost is None:
        return {name: folder / f"{name}.arrow" for name in names}
    number, why = lost
    return dict.fromkeys(names, OSError(errno.EIO if number is None else number, why))


def ios_in_pieces(result: Result) -> Iterator[pl.DataFrame]:
    """The rows of the I/Os in pieces, of which only one needs to be in memory if they are in a file.

    Raises:
        OSError: They could not be kept.
    """
    file = result.rows.get("ios")
    if isinstance(file, Path):
        yield from pieces_of(file)
    else:
        yield result.ios


def run_scenario(
    scenario: _core.Scenario,
    *,
    reference_loop: bool = False,
    collect_ios: bool = True,
    percentiles: Sequence[str] = (),
    sample_every: str | None = None,
    trace: Trace | None = None,
    capture: Capture | None = None,
    timeline: Timeline | None = None,
    playback: Playback | None = None,
    window: Window | None = None,
    rows_in: Path | None = None,
    decisions: bool = False,
    force: bool = False,
    progress: Callable[[_core.Progress], object] | None = None,
) -> Result:
    """Simulates a scenario that has been read; for the rest see `sansim.run`.

    I/Os and tenancies go to files in the folder `rows_in` while the run goes on, if there is one, so that memory need
    not hold them; the result reads them there. So do the rows of a run that keeps them for its `percentiles` only.
    """
    wanted = [word for word in percentiles if word not in NATIVE]
    window = window or Window()
    # Before the run, which may be long; a file whose name is taken meanwhile keeps its partial name.
    watches = {"trace": trace, "capture": capture, "timeline": timeline, "playback": playback}
    for name, watch in watches.items():
        if watch is not None:
            check_place(watch.file, WATCHED[name], force=force)
    wishes = {
        "reference_loop": reference_loop,
        "collect_ios": collect_ios or bool(wanted),
        "sample_every": sample_every,
        "trace": None if trace is None else trace.wish(),
        "capture": None if capture is None else capture.wish(),
        "timeline": None if timeline is None else timeline.wish(),
        "playback": None if playback is None else playback.wish(),
        "window_from": window.start,
        "window_to": window.end,
        "slowest": window.slowest,
        "file_limit": window.limit,
        "rows_in": rows_in,
        "force": force,
        "decisions": decisions,
    }
    with contextlib.ExitStack() as stack:
        if wanted and not collect_ios:
            scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="sansim-rows-"))
            wishes["rows_in"] = Path(scratch)
        outcome = scenario.run(wishes, progress)
        kept = wishes["rows_in"]
        tables = {name: Table(getattr(outcome, name), name) for name in TABLES}
        result = Result(
            summary=json.loads(outcome.summary_json),
            run=json.loads(outcome.run_json)
            | ({"sample_every": sample_every} if sample_every else {})
            | ({"decisions_cut": True} if outcome.decisions_cut else {}),
            scenario=scenario.to_toml(),
            tables=tables,
            rows=rows_of(kept, outcome.rows_lost) if isinstance(kept, Path) else {},
            files=tuple(outcome.files),
        )
        if wanted:
            add(result.summary, ios_in_pieces(result), wanted)
        if wanted and not collect_ios:
            # The folder with the rows is removed.
            result = replace(result, rows={})
    if outcome.interrupted:
        raise Interrupted(result)
    return result
