"""`sansim adapter`: adapters of the model that are like adapters that were measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sansim.commands.common import split_setting
from sansim.commands.fitting import check_files, fit_options, refusals, searching, write_files

if TYPE_CHECKING:
    from sansim.fit.trial import Far


@click.group()
def adapter() -> None:
    """Adapters that are like adapters that were measured."""


@adapter.command()
@click.option(
    "--scenario",
    metavar="FILE.toml",
    type=click.Path(path_type=Path),
    help="What stands around the adapter. Without it each port leads by a loop of 2GFC to devices that take no time.",
)
@click.option(
    "--adapter",
    "name",
    metavar="NAME",
    help="The adapter that is fitted, as drives.adapter; all of the hosts if not given.",
)
@click.option(
    "--fit",
    "keys",
    multiple=True,
    metavar="KEYS",
    help="Keys that are fitted, as command_time,dma_bandwidth; whatever the rows tell if not given.",
)
@fit_options(
    use="Of a table `half` (if not given): every second one of each operation, by size and depth; `one`: one row for"
    " each key; `all`; or values of a column, as size=4KiB. Of a trace `made` (if not given): the intervals that the"
    " adapter makes; `all`; or interval=NAME.",
    only="operation=read",
    given="A key of the scenario, as loop.speed=4GFC, or without a dot of the adapter, which is not fitted then, as"
    " dma_bandwidth=800MB/s",
    ios=", 2000 if not given; of a trace those looked at, 200 if not given.",
    seed="that of the scenario, or 1,",
    written="Write the adapter as a scenario with it.",
)
def fit(
    files: tuple[Path, ...],
    scenario: Path | None,
    name: str | None,
    keys: tuple[str, ...],
    use: tuple[str, ...],
    only: tuple[str, ...],
    settings: tuple[str, ...],
    ios: int | None,
    seed: int | None,
    place: Path | None,
    picture: Path | None,
    as_json: bool,
    force: bool,
) -> None:
    """Fit an adapter to the measurements in FILE, and say how well it predicts those that it was not fitted to.

    FILE is comma-separated values with the columns operation, size, queue_depth (at each device) or outstanding (in
    all), iops or bandwidth or response_time, and perhaps ports and devices; or one analyzer trace of sansim's form; or
    one capture in pcapng.
    """
    from sansim.adapter.chart import chart_of
    from sansim.adapter.fit import adapter_fit
    from sansim.adapter.text import fit_data, fit_text
    from sansim.adapter.written import write_adapter
    from sansim.file_types import FITTED, check_place

    news = [] if place is None else [place]
    read = [*files, *([scenario] if scenario is not None else [])]

    def check() -> None:
        for new in news:
            check_place(new, FITTED, force=force)

    check_files("an adapter", news, picture, read, check, force=force)
    with refusals(), searching(text_of) as progress:
        found = adapter_fit(
            files,
            scenario=scenario,
            adapter=name,
            fit=[key.strip() for text in keys for key in text.split(",")],
            use=use,
            only=only,
            settings=[split_setting(text) for text in settings],
            ios=ios,
            seed=seed,
            progress=progress,
        )
    click.echo(json.dumps(fit_data(found), indent=2, ensure_ascii=False) if as_json else fit_text(found), nl=as_json)
    write_files(
        place, lambda where: [write_adapter(found, where, force=force)], picture, lambda: chart_of(found), force=force
    )


def text_of(far: Far) -> str:
    """The text of the line while a fit goes on."""
    return f"{far.doing}: {far.tried:,} adapters tried"
