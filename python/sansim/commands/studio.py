"""`sansim studio`: build a system as a picture, run it and watch it, in a browser on this machine."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from sansim.commands.common import BAD_INPUT, OTHER, fail, tell

EXTRA = 'the studio needs two more packages: pip install "sansim[studio]"'


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--example", metavar="NAME", help="Open a shipped example; `sansim examples` lists them.")
@click.option("--folder", type=click.Path(path_type=Path), metavar="DIR", help="The folder whose scenarios are shown.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="The port of this machine; a free one if not given."
)
@click.option("--no-browser", is_flag=True, help="Print the link, and open no browser.")
def studio(file: Path | None, example: str | None, folder: Path | None, port: int, no_browser: bool) -> None:
    """Open the studio for FILE: a scenario, a run folder, or a playback that `sansim run --playback` wrote.

    The studio answers to this machine alone and reads no file outside its folder: that of FILE, or the working folder.
    Ctrl-C ends it. From another machine, forward the port: ssh -L PORT:127.0.0.1:PORT HOST, with --port PORT here.
    """
    try:
        from sansim.studio.server import Studio, serve
    except ModuleNotFoundError as error:
        if error.name not in ("starlette", "uvicorn", "anyio", "h11"):
            raise
        fail(f"error: {EXTRA}", OTHER)
    from sansim.studio_page.assets import MISSING, assets

    root, opened, playback = place_of(file, example, folder)
    if not assets():
        fail(f"error: {MISSING}", BAD_INPUT)

    def told(link: str) -> None:
        if no_browser:
            click.echo(link)
            sys.stdout.flush()
            return
        import webbrowser

        if not webbrowser.open(link):
            tell("no browser was found; open this link:")
        click.echo(link)
        sys.stdout.flush()

    try:
        serve(Studio(root, opened, playback), told, port)
    except OSError as error:
        fail(f"error: the studio cannot listen on port {port}: {error.strerror or error}", OTHER)


def place_of(file: Path | None, example: str | None, folder: Path | None) -> tuple[Path, dict[str, Any], Path | None]:
    """The folder of the studio, what it opens, and the playback it shows."""
    from sansim import bundled
    from sansim.file_types import PLAYBACK, is_of
    from sansim.studio.folder import EXAMPLE, Folder

    opened: dict[str, Any] = {"scenario": None, "playback": False}
    root = Path.cwd() if folder is None else folder
    if not root.is_dir():
        fail(f"error: --folder {root}: there is no such folder", BAD_INPUT)
    if example is not None:
        if file is not None:
            fail("error: --example and FILE: give one of them", BAD_INPUT)
        try:
            bundled.example(example)
        except LookupError as error:
            fail(f"error: {error}", BAD_INPUT)
        return root, {**opened, "scenario": EXAMPLE + example}, None
    if file is None:
        return root, opened, None
    if not file.exists():
        fail(f"error: {file}: there is no such file", BAD_INPUT)
    root = (file.resolve() if file.is_dir() else file.resolve().parent) if folder is None else folder
    if file.is_dir():
        return of_run_folder(file, root, opened)
    if is_of(file, PLAYBACK):
        return root, {**opened, "playback": True}, file.resolve()
    if not file.resolve().is_relative_to(root.resolve()):
        fail(f"error: {file} is not in --folder {root}", BAD_INPUT)
    if file.suffix != ".toml":
        fail(f"error: {file}: a scenario ends in .toml; a playback is what `sansim run --playback` writes", BAD_INPUT)
    return root, {**opened, "scenario": Folder(root).id_of(file)}, None


def of_run_folder(file: Path, root: Path, opened: dict[str, Any]) -> tuple[Path, dict[str, Any], Path | None]:
    """The scenario of a run folder, and its playback if there is one in it."""
    from sansim.file_types import PLAYBACK, is_of
    from sansim.studio.folder import Folder

    scenario = file / "scenario.toml"
    found = next((one for one in sorted(file.glob("*.sansim")) if is_of(one, PLAYBACK)), None)
    if not scenario.is_file() and found is None:
        fail(f"error: {file}: no run folder; `sansim run FILE --out DIR` writes one", BAD_INPUT)
    id_ = Folder(root).id_of(scenario) if scenario.is_file() else None
    return root, {**opened, "scenario": id_, "playback": found is not None}, found
