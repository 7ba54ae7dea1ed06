"""The frame of every page: what all templates are given."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from sansim.file_types import PAGE_MARK
from sansim.html_report.style import svg_inline

if TYPE_CHECKING:
    from markupsafe import Markup


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
        return Markup(svg_inline(chart))  # type: ignore[arg-type]

    return environment.get_template(template).render(
        mark=Markup(PAGE_MARK),
        version=__version__,
        style=Markup(files("sansim.html_report").joinpath("templates", "report.css").read_text(encoding="utf-8")),
        svg=svg,
        value=attribute,
        **values,
    )


def attribute(value: object) -> str:
    """A number as an attribute that reads back as the same number."""
    return repr(value) if isinstance(value, float) else str(value)
