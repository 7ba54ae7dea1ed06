"""Docstrings of the Python API for Sphinx: Google's sections, and code in single backticks as in Markdown.

Napoleon's own hook is not used: in the docstring of an attribute it takes what stands before a colon for a type.
"""

import re
from typing import Any

from sphinx.application import Sphinx
from sphinx.ext.napoleon import Config
from sphinx.ext.napoleon.docstring import GoogleDocstring

SECTIONS = ("module", "class", "exception", "function", "method")
"""What has docstrings with sections."""


def process(app: Sphinx, what: Any, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Rewrites a docstring as reStructuredText."""
    text = re.sub(r"(?<![`:])`([^`]+)`(?!`)", r"``\1``", "\n".join(lines))
    lines[:] = text.splitlines()
    if what in SECTIONS:
        settings: Any = Config(napoleon_use_rtype=False)
        lines[:] = GoogleDocstring(lines, settings, app, what, name, obj, options).lines()


def name_aliases(*about: Any) -> tuple[str | None, str | None]:
    """Shows aliases of types by their names. The last two of what Sphinx tells are signature and type of the result."""
    signature, returns = (text and re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", text) for text in about[-2:])
    return signature, returns


def setup(app: Sphinx) -> dict[str, Any]:
    """Connects the hooks."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", process)
    app.connect("autodoc-process-signature", name_aliases)
    return {"parallel_read_safe": True}
