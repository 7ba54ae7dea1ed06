"""The lengths of the files of a run, announced before they grow."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from sansim.runs.recorders import Window

if TYPE_CHECKING:
    from sansim._core import Progress, Scenario
    from sansim.runs.recorders import Capture, Playback, Timeline, Trace

Watches: TypeAlias = "Mapping[str, Trace | Capture | Timeline | Playback]"


def expected_bytes(scenario: Scenario, watches: Watches, *, reference_loop: bool) -> dict[str, float]:
    """About how many bytes each file will have if nothing limits it.

    The run is begun for a fraction of a second with its files thrown away; what they got for each I/O is taken for all
    I/Os. Empty if no I/O was done meanwhile.
    """
    from sansim.simulate import Interrupted, run_scenario

    share = 1.0

    def stop(progress: Progress) -> bool:
        nonlocal share
        if progress.preparing is not None:
            # A long preparation before simulated time begins is not done twice.
            return progress.wall_s < 1.0
        share = progress.ios / progress.total_ios if progress.total_ios else 0.0
        return False

    nowhere = {name: replace(wish, file=os.devnull) for name, wish in watches.items()}
    try:
        result = run_scenario(
            scenario,
            reference_loop=reference_loop,
            collect_ios=False,
            window=Window(limit=None),
            progress=stop,
            **nowhere,  # type: ignore[arg-type]
        )
    except Interrupted:
        # The results so far are not those of the requested run.
        raise KeyboardInterrupt from None
    if result.stopped_early and not share:
        return {}
    return {file.kind: file.bytes / (share if result.stopped_early else 1.0) for file in result.files}
