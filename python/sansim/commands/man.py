"""`sansim man`: the help of the commands as manual pages."""

from __future__ import annotations

from pathlib import Path

import click

from sansim.commands.common import BAD_INPUT, OTHER, fail, force_option, tell


@click.command(epilog="\b\nsansim man run | man -l -\nsansim man --out ~/.local/share/man/man1")
@click.argument("command", nargs=-1)
@click.option("--out", metavar="DIR", type=click.Path(path_type=Path), help="Write the pages of all commands to DIR.")
@force_option
@click.pass_context
def man(context: click.Context, command: tuple[str, ...], out: Path | None, force: bool) -> None:
    """Print the manual page of a command, as `sansim man study run`; or write those of all."""
    from sansim._core import __version__, nearest
    from sansim.file_types import Kind
    from sansim.files import cause_of_writing, in_words, whole_file
    from sansim.man_page import MARK, pages

    top = context.find_root().command
    assert isinstance(top, click.Group)
    made = pages(top, __version__)
    if out is None:
        name = "-".join(["sansim", *command])
        if f"{name}.1" not in made:
            known = [file.removesuffix(".1").removeprefix("sansim-").replace("-", " ") for file in made]
            near = nearest(" ".join(command), known)
            hint = f"did you mean {near!r}?" if near else "`sansim --help` lists the commands"
            fail(f"error: there is no command {' '.join(command)!r}; {hint}", BAD_INPUT)
        click.echo(made[f"{name}.1"], nl=False)
        return
    if command:
        fail("error: --out writes the pages of all commands; leave out the command", BAD_INPUT)
    kind = Kind("a manual page of sansim", lambda head: head.startswith(MARK.encode()))
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, text in made.items():
            with whole_file(out / name, kind, force=force) as file:
                file.write(text.encode())
    except OSError as error:
        if error.errno is None:
            fail(f"error: --out: {in_words(error)}", BAD_INPUT)
        fail(f"error: --out: cannot write {error.filename or out}: {cause_of_writing(error, out)}", OTHER)
    tell(f"written: {len(made)} pages in {out}")
