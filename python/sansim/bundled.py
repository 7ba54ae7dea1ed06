"""The examples that come with sansim: scenarios to start from, studies of them, and plans."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from sansim import arguments

EXAMPLES = Path(__file__).parent / "examples"
"""Scenarios. In a checkout a link to `scenarios`; in a wheel the files themselves."""
STUDIES = Path(__file__).parent / "example_studies"
"""Studies of them. In a checkout a link to `studies/examples`; in a wheel the files themselves."""
PLANS = Path(__file__).parent / "example_plans"
"""Plans, with the scenarios and the catalogues that they name. In a checkout a link to `plans`; in a wheel the files
themselves."""
MEASURED = ("adapter-rates.csv",)
"""Measurements beside them, as examples for `sansim adapter fit`."""
SCENARIOS_BESIDE = 'scenario = "../../scenarios/'
"""The text by which a study of the checkout names its scenario. The printed text names a file beside the study."""


@dataclass(frozen=True)
class Example:
    """A file that comes with sansim."""

    name: str
    """Its name without ending."""
    title: str
    scenario: str | None
    """The file of the scenario of a study or a plan, which it looks for beside itself. None if this is a scenario."""
    catalogue: str | None
    """The file of the catalogue of a plan, which it looks for beside itself. None if this is no plan."""
    files: tuple[str, ...]
    """Files that a scenario names, which it looks for beside itself."""


def files() -> dict[str, Path]:
    """The files of scenarios, studies and plans by name, in the order of the names."""
    plans = (file for file in PLANS.glob("*.toml") if "catalogue" in tomllib.loads(file.read_text(encoding="utf-8")))
    found = [*EXAMPLES.glob("*.toml"), *STUDIES.glob("*.toml"), *plans]
    return {file.stem: file for file in sorted(found, key=lambda file: file.stem)}


def text_of(file: Path) -> str:
    """The printed text of an example."""
    return file.read_text(encoding="utf-8").replace(SCENARIOS_BESIDE, 'scenario = "')


def examples() -> list[Example]:
    """The bundled files, in the order of the names."""
    found = []
    for name, file in files().items():
        content = tomllib.loads(text_of(file))
        tables = [table for table in content.values() if isinstance(table, dict)]
        named = tuple(table["file"] for table in tables if isinstance(table.get("file"), str))
        found.append(Example(name, content["title"], content.get("scenario"), content.get("catalogue"), named))
    return found


def companion(name: str) -> bytes | None:
    """The content of a file that a scenario or a plan names, or of measurements; None if it is none of them."""
    shipped = examples()
    if name in {*MEASURED, *(file for one in shipped for file in one.files)}:
        return (EXAMPLES / name).read_bytes()
    of_plans = {file for one in shipped if one.catalogue is not None for file in (one.scenario, one.catalogue)}
    return (PLANS / name).read_bytes() if name in of_plans else None


@arguments.checked(name=arguments.TEXT)
def example(name: str) -> str:
    """The text of an example, as `sansim.run` takes it: `sansim.run(sansim.example("four-disks"))`.

    Args:
        name: One of those that `sansim examples` lists.

    Raises:
        LookupError: There is none of this name.
    """
    # Not by making a path of the name, which could lead anywhere.
    known = files()
    if name not in known:
        from sansim.study.suggest import suggestion

        raise LookupError(f"there is no example {name!r}; {suggestion(name, sorted(known))}")
    return text_of(known[name])
