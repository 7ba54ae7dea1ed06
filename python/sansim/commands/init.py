"""`sansim init`: write a first scenario."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sansim.commands.common import BAD_INPUT, OTHER, complete_examples, fail, force_option, tell

if TYPE_CHECKING:
    from sansim.file_types import Kind
    from sansim.starter import Question, Starter


@click.command(epilog="\b\nsansim init --like fabric my.toml\nsansim run my.toml")
@click.argument("file", type=click.Path(path_type=Path), default=Path("scenario.toml"))
@click.option(
    "--like",
    metavar="NAME",
    shell_complete=complete_examples,
    help="A scenario of `sansim examples`, or a kind of component, as fabric or ethernet.",
)
@click.option("--drives", metavar="N", help="Number of drives.")
@click.option("--size", metavar="SIZE", help="Bytes of each I/O, as 64KiB.")
@click.option("--reads", metavar="SHARE", help="Share of reads, from 0 to 1.")
@click.option("--load", metavar="N", help="I/Os in flight, or I/Os that arrive in a second, as 400/s.")
@click.option(
    "--schema",
    is_flag=True,
    help="Also write its JSON Schema beside it, and the line by which editors find that; see docs/editors.md.",
)
@force_option
def init(file: Path, like: str | None, schema: bool, force: bool, **answers: str | None) -> None:
    """Write a scenario to start from to FILE, scenario.toml if not given.

    On a terminal it asks up to five questions, each with a usual answer; options answer them beforehand. Elsewhere what
    no option says stays as in the example. An existing file is never replaced without `--force`.
    """
    from sansim.file_types import SCHEMA, OtherKindError
    from sansim.files import cause_of_writing, whole_file
    from sansim.starter import USUAL, Starter, StarterError
    from sansim.starter import like as example_like

    refuse_existing(file, force=force)
    asks = sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
    try:
        example = example_like(ask_system(USUAL) if like is None and asks else like or USUAL)
        starter = Starter(example)
        for question, key, present in starter.questions():
            given = answers.pop(question.name, None)
            if given is not None:
                take(starter, question, key, given)
                tell(f"{key} = {given}")
            elif asks:
                ask(starter, question, key, present)
    except StarterError as error:
        fail(f"error: {error}", BAD_INPUT)
    lacking = [name for name, given in answers.items() if given is not None]
    if lacking:
        fail(f"error: --{lacking[0]}: {example.name} has no key for it; edit the file instead", BAD_INPUT)
    beside = file.absolute().with_suffix(".schema.json") if schema else None
    texts = {file: starter.written(file, "" if beside is None else beside.name).encode()}
    if beside is not None:
        from sansim.editor_schema import schema_for

        texts[beside] = schema_for(starter.text).encode()
    texts |= {file.absolute().parent / name: content for name, content in starter.companions().items()}
    try:
        for place, content in texts.items():
            if place != file and place.exists() and place.read_bytes() == content:
                continue
            with whole_file(place, SCHEMA if place == beside else kind_of(content), force=force) as out:
                out.write(content)
            tell(f"written: {place}")
    except OtherKindError as error:
        fail(f"error: {error}", BAD_INPUT)
    except OSError as error:
        fail(f"error: cannot write {error.filename or file}: {cause_of_writing(error, file)}", OTHER)
    tell(f"next: sansim run {file}")


def refuse_existing(file: Path, *, force: bool) -> None:
    """Ends the command if the file is there: also a scenario is the work of a person."""
    if not force and file.is_file() and file.stat().st_size:
        fail(f"error: {file} is there already and stays as it is; name another file, or add --force", BAD_INPUT)
    if not file.absolute().parent.is_dir():
        fail(f"error: there is no folder {file.absolute().parent}; make it first", BAD_INPUT)


def kind_of(content: bytes) -> Kind:
    """The kind of a file that may be replaced: one with the same begin."""
    from sansim.file_types import Kind

    return Kind("this file of the example", content.startswith)


def ask_system(usual: str) -> str:
    """Asks which system the scenario is to be like; the names are those of `sansim examples`."""
    from sansim.bundled import examples
    from sansim.starter import StarterError
    from sansim.starter import like as example_like

    for one in examples():
        if one.scenario is None:
            tell(f"  {one.name:24}  {one.title}")
    while True:
        name: str = click.prompt("Which of these is it like (or a kind, as fabric)", default=usual, err=True)
        try:
            example_like(name)
        except StarterError as error:
            tell(str(error))
        else:
            return name


def ask(starter: Starter, question: Question, key: str, present: object) -> None:
    """Asks until the answer can be taken."""
    from sansim.starter import StarterError

    while True:
        given: str = click.prompt(f"{question.text} ({key})", default=str(present), err=True)
        if given == str(present):
            return
        try:
            starter.answer(question, key, given)
        except StarterError as error:
            tell(str(error))
        else:
            return


def take(starter: Starter, question: Question, key: str, given: str) -> None:
    """Takes an answer of an option; the command ends if it cannot be."""
    from sansim.starter import StarterError

    try:
        starter.answer(question, key, given)
    except StarterError as error:
        fail(f"error: --{question.name}: {error}", BAD_INPUT)
