"""What a release is optimised for: `./dev wheel` builds it twice, and runs this with the first, which counts.

What is never run here is laid out as if it never were. So all that simulates has a part in it: the scenarios whose
instructions are counted, which weigh most, each that is shipped, and the files that are written during a run. Plans and
fits have none but by their runs. What a run gives does not depend on it (`tests/python/installation.py`).
"""

import tempfile
from pathlib import Path

from instructions import BASE, RUNS, changed

import sansim

SHIPPED = sorted(BASE.parent.glob("*.toml"))
IOS = 300
"""Length of the run of a shipped scenario."""


def main():
    """Runs all that is to be fast."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for run in RUNS.values():
            sansim.run(changed(run, folder), {"run.measured_ios": max(run.lengths)}, collect_ios=False)
        for scenario in SHIPPED:
            sansim.run(scenario, {"run.duration": "none", "run.measured_ios": IOS})
        watched = {"capture": folder / "base.pcapng", "timeline": folder / "base.perfetto-trace"}
        sansim.run(BASE, {"run.measured_ios": IOS}, **watched)
        sansim.run(BASE, {"run.measured_ios": IOS}, trace=folder / "base.txt")


if __name__ == "__main__":
    main()
