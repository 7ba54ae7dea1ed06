"""The directive `{commands}`: the command line, as its own help tells it.

It walks through the click commands of `sansim.cli`, so that a command or an option that is added stands on the page
without anybody having to write it there.
"""

from typing import Any, ClassVar

import click
from docutils import nodes  # type: ignore[import-untyped, unused-ignore]
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from sansim.man_page import below


class Commands(SphinxDirective):
    """A section for each command: how it is called, what it does, its options."""

    has_content: ClassVar[bool] = False

    def run(self) -> list[nodes.Node]:
        """Makes the sections."""
        from sansim.cli import cli

        context = click.Context(cli, info_name="sansim")
        return [section(command, inner) for command, inner in below(cli, context)]


def section(command: click.Command, context: click.Context) -> nodes.section:
    """One command."""
    name = context.command_path
    result = nodes.section(ids=[nodes.make_id(name)], names=[nodes.fully_normalize_name(name)])
    result += nodes.title(name, "", nodes.literal("", name))
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    result += nodes.literal_block(usage, usage, language="text")
    for paragraph in paragraphs(command.help):
        result += marked(nodes.paragraph(), paragraph)
    # What every command has, and arguments without a word on them, say nothing here.
    told = [p for p in command.get_params(context) if p.name != "help"]
    options = [record for p in told if (record := p.get_help_record(context)) is not None and record[1]]
    if options:
        result += table(options)
    if command.epilog:
        # Epilogs of examples begin with click's mark for "leave the lines as they are".
        text = command.epilog.replace("\b", "").strip("\n")
        result += nodes.literal_block(text, text, language="text")
    return result


def paragraphs(text: str | None) -> list[str]:
    """The paragraphs of a help text, each as one line."""
    parts = (text or "").replace("\b", "").split("\f")[0].split("\n\n")
    return [" ".join(part.split()) for part in parts if part.strip()]


def marked(node: nodes.TextElement, text: str) -> nodes.TextElement:
    """Text in which what stands between backticks is code."""
    for number, part in enumerate(text.split("`")):
        if part:
            node += nodes.literal("", part) if number % 2 else nodes.Text(part)
    return node


def table(rows: list[tuple[str, str]]) -> nodes.table:
    """Options and what they mean."""
    group = nodes.tgroup(cols=2)
    group += [nodes.colspec(colwidth=width) for width in (30, 70)]
    body = nodes.tbody()
    for option, meaning in rows:
        row = nodes.row()
        for cell in (nodes.literal("", option), marked(nodes.inline(), " ".join(meaning.split()))):
            entry = nodes.entry()
            entry += nodes.paragraph("", "", cell)
            row += entry
        body += row
    group += body
    result = nodes.table()
    result += group
    return result


def setup(app: Sphinx) -> dict[str, Any]:
    """Registers the directive."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True}
