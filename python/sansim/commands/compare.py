"""`sansim compare`: two scenarios on the same random numbers."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from sansim.commands.common import (
    INTERRUPTED,
    OTHER,
    SEED_LIMIT,
    fail,
    load_scenario,
    percentiles_option,
    read_scenario,
    set_option,
    stopping,
    warn,
)

MOST_REPLICATIONS = 1000


@click.command()
@click.argument("first", type=click.Path(path_type=Path), metavar="A.toml")
@click.argument("second", type=click.Path(path_type=Path), metavar="B.toml")
@set_option
@click.option(
    "--set-b",
    "only_second",
    metavar="KEY=VALUE",
    multiple=True,
    help="The same for the second scenario only, so that a scenario can be compared with a changed one.",
)
@click.option(
    "--replications",
    type=click.IntRange(1, MOST_REPLICATIONS),
    default=5,
    show_default=True,
    help="Number of runs of each, with consecutive seeds.",
)
@click.option("--seed", type=click.IntRange(0, SEED_LIMIT - MOST_REPLICATIONS), help="The first seed; else that of A.")
@percentiles_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with `metrics` and `comes_from`.")
def compare(
    first: Path,
    second: Path,
    settings: tuple[str, ...],
    only_second: tuple[str, ...],
    replications: int,
    seed: int | None,
    percentiles: tuple[str, ...],
    as_json: bool,
) -> None:
    """Simulate two scenarios with the same random numbers, and say by how much they differ and where.

    Run i of both has the same seed, so chance affects both alike and the interval of the difference is narrow.
    """
    from sansim import _core
    from sansim.analysis.compare import compare as compared
    from sansim.progress import RunsLine
    from sansim.simulate import run_scenario

    of_second = (*settings, *only_second)
    a, b = read_scenario(first, settings), read_scenario(second, of_second)
    warn(first, a)
    warn(second, b)
    try:
        with stopping("no pair of runs is complete yet"), RunsLine(sys.stderr, 2 * replications) as progress:
            found = compared(
                lambda seed: load_scenario(first, settings, seed),
                lambda seed: load_scenario(second, of_second, seed),
                (str(first), " ".join([str(second), *only_second])),
                seed=min(a.seed(), SEED_LIMIT - MOST_REPLICATIONS) if seed is None else seed,
                replications=replications,
                run=lambda scenario: run_scenario(
                    scenario, collect_ios=False, percentiles=percentiles, progress=progress.of_next_run()
                ),
                percentiles=percentiles,
                keeps_pairs=True,
            )
    except (_core.ClockError, _core.ComponentError, _core.ConservationError) as error:
        fail(f"error: {error}", OTHER)
    click.echo(json.dumps(found.as_json(), indent=2) if as_json else found.text(), nl=as_json)
    if (pairs := len(found.seeds)) < replications:
        told = f"{pairs} of {replications} pairs of runs were compared; the same command begins anew"
        fail(f"stopped early: {told}", INTERRUPTED)
