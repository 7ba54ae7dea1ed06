"""The command line as manual pages, from the help of its commands: one page for each, in the macros of man(7)."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

MARK = '.\\" Written by sansim from its help.'
"""The first line of a page, by which a file is known as one."""
EXIT_STATUS = (
    ("0", "done"),
    ("2", "unusable input"),
    ("3", "a metric has no value somewhere, or a published value is missed with --strict"),
    ("130", "stopped by Ctrl-C"),
    ("1", "any other error"),
)


def pages(top: click.Group, version: str) -> dict[str, str]:
    """The page of each command by the name of its file: `sansim.1`, `sansim-study-run.1`."""
    context = click.Context(top, info_name="sansim")
    found = {}
    for command, inner in [(top, context), *below(top, context)]:
        found[f"{inner.command_path.replace(' ', '-')}.1"] = page(command, inner, version)
    return found


def below(group: click.Group, context: click.Context) -> Iterator[tuple[click.Command, click.Context]]:
    """All commands of a group and of its groups, each with the context that it is called in."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        inner = click.Context(command, info_name=name, parent=context)
        yield command, inner
        if isinstance(command, click.Group):
            yield from below(command, inner)


def page(command: click.Command, context: click.Context, version: str) -> str:
    """The page of a command."""
    path = context.command_path
    name = path.replace(" ", "-")
    blocks = text_blocks(command.help)
    first = " ".join(blocks[0][1]) if blocks else ""
    lines = [MARK, f'.TH "{name.upper()}" "1" "" "sansim {version}" "sansim"']
    lines += [".SH NAME", f"{escaped(name)} \\- {escaped(first.rstrip('.'))}"]
    usage = " ".join(command.collect_usage_pieces(context))
    lines += [".SH SYNOPSIS", f".B {escaped(path)}", escaped(usage)]
    lines += [".SH DESCRIPTION"]
    for plain, block in blocks:
        lines += [".PP", *([".nf", *map(escaped, block), ".fi"] if plain else [escaped(" ".join(block))])]
    records = [parameter.get_help_record(context) for parameter in command.get_params(context)]
    options = [record for record in records if record is not None and record[1]]
    if options:
        lines.append(".SH OPTIONS")
        for term, meaning in options:
            lines += [".TP", f".B {escaped(term)}", escaped(meaning)]
    if isinstance(command, click.Group):
        lines.append(".SH COMMANDS")
        for inner, at in below(command, context):
            if at.parent is context:
                lines += [".TP", f".B {escaped(str(at.info_name))}", escaped(inner.get_short_help_str(200))]
    if command.epilog:
        lines += [".SH EXAMPLES", ".nf", *map(escaped, command.epilog.replace("\b", "").strip("\n").split("\n")), ".fi"]
    lines.append(".SH EXIT STATUS")
    for code, meaning in EXIT_STATUS:
        lines += [".TP", f".B {code}", escaped(meaning)]
    if context.parent is not None:
        above = context.parent.command_path.replace(" ", "-")
        lines += [".SH SEE ALSO", f".BR {escaped(above)} (1)"]
    return "\n".join(line for line in lines if line) + "\n"


def text_blocks(text: str | None) -> list[tuple[bool, list[str]]]:
    """The paragraphs of a help text: their lines, and whether these stay as they are, as after click's mark."""
    found = []
    for part in inspect.cleandoc((text or "").split("\f")[0]).split("\n\n"):
        lines = part.strip("\n").split("\n")
        plain = lines[0].strip() == "\b"
        kept = [line for line in lines if line.strip("\b ")]
        if kept:
            found.append((plain, kept))
    return found


def escaped(text: str) -> str:
    """Text that roff prints as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text[:1] in (".", "'") else text
