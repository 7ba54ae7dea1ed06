"""Runs the scenario of an archive in a fresh folder, and compares the results."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sansim import _core
from sansim.archive.contents import (
    FILES,
    RESULT,
    SCENARIO,
    ArchiveError,
    Manifest,
    found_under,
    identities,
)
from sansim.archive.difference import Difference, compared, versions
from sansim.percentiles import words_of
from sansim.runs.output import FILES as RESULT_FILES
from sansim.software import software

AGAIN = "rerun"
"""The folder of the second run, beside what was in the archive."""


@dataclass(frozen=True)
class Rerun:
    """The outcome of a second run."""

    same: list[str]
    """Files with the same bytes."""
    differences: list[Difference]
    versions: list[str]
    """Parts of the software that are of another version."""
    left_out: list[str]
    """Files of the run that are not written again."""


def read(folder: Path) -> tuple[_core.Scenario, list[Path]]:
    """The scenario of an unpacked archive, and the files of rules in Python that it names. None of them is run.

    The scenario itself decides, and not the manifest: an archive may have been made by anyone.

    Raises:
        ArchiveError: This version cannot read the scenario, or it names a file that is not in the archive.
    """
    try:
        scenario = _core.Scenario.load(folder / SCENARIO, [])
    except _core.ScenarioError as error:
        raise ArchiveError(f"this version of sansim cannot read the scenario of the archive:\n{error}") from None
    tables = tomllib.loads(scenario.to_toml())
    inside = (folder / FILES).resolve()
    for found in identities(tables):
        if not Path(found["path"]).resolve().is_relative_to(inside):
            raise ArchiveError(
                f"the scenario of the archive names {found['path']}, which is not in the archive; it was changed, so"
                " nothing is run"
            )
    rules = [Path(one["path"]) for value in found_under(tables, "python") for one in identities(value)]
    return scenario, list(dict.fromkeys(rules))


def rerun(
    folder: Path,
    manifest: Manifest,
    scenario: _core.Scenario,
    progress: Callable[[_core.Progress], object] | None = None,
) -> Rerun:
    """Runs the scenario of an unpacked archive, with the rules in Python that it names, and compares.

    Raises:
        ClockError, ComponentError, ConservationError: As `sansim.run`.
        Interrupted: Ctrl-C.
        ValueError: The manifest has a percentile or an interval that makes no sense.
        OSError: Something cannot be written.
    """
    from sansim.runs.output import RunFolder
    from sansim.simulate import run_scenario

    with RunFolder(folder / AGAIN) as place:
        result = run_scenario(
            scenario,
            reference_loop=manifest.loop == "reference",
            percentiles=words_of(manifest.percentiles),
            sample_every=manifest.sample_every,
            rows_in=place.rows,
            progress=progress,
        )
        place.complete(result)
    same, differences = compared(folder / RESULT, folder / AGAIN)
    own = {f"{RESULT}/{name}" for name in RESULT_FILES}
    left_out = [name for name in manifest.files if name.startswith(f"{RESULT}/") and name not in own]
    return Rerun(same, differences, versions(manifest.software, software()), sorted(left_out))
