"""The frame of every page: what all templates are given."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from sansim.file_types import PAGE_MARK
from sansim.html_report.dark import variables, with_variables
from sansim.html_report.style import svg_inline

if TYPE_CHECKING:
    from markupsafe import Markup


COLOURS = "/* The colours of charts. */"
"""The line of the style sheet in whose place they are."""


def rendered(template: str, **values: object) -> str:
    """A page as text."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    from sansim._core import __version__

    environment = Environment(
        loader=PackageLoader("sansim.html_report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )

    def svg(chart: object) -> Markup:
        return Markup(with_variables(svg_inline(chart)))  # type: ignore[arg-type]

    environment.filters["code"] = code
    page = environment.get_template(template).render(
        mark=Markup(PAGE_MARK),
        version=__version__,
        style=Markup(files("sansim.html_report").joinpath("templates", "report.css").read_text(encoding="utf-8")),
        svg=svg,
        value=attribute,
        **values,
    )
    return page.replace(COLOURS, variables(page), 1)


def code(text: str) -> Markup:
    """A text whose names are in backquotes as one that has them as code."""
    from markupsafe import Markup, escape

    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    made = [Markup("<code>{}</code>").format(part) if odd % 2 else escape(part) for odd, part in enumerate(parts)]
    return Markup("").join(made)


def attribute(value: object) -> str:
    """A number as an attribute that reads back as the same number."""
    return repr(value) if isinstance(value, float) else str(value)
