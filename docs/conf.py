"""Settings of Sphinx for the documentation site; `./dev docs` builds it, with warnings as errors."""

import logging
import os
import sys
from importlib.metadata import version as version_of
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "sansim"
copyright = "the authors of sansim"  # noqa: A001, the name is Sphinx's
version = release = version_of("sansim")

extensions = ["myst_nb", "sphinx.ext.autodoc", "docstrings", "commands"]
exclude_patterns = ["_build", "_extensions", "_kernel"]

# The pages are also read as plain Markdown, so only little of MyST is used.
myst_heading_anchors = 4
# Every build runs the notebook, which holds no outputs of its own; a cell that fails is an error.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
# By our own entry of a kernel, which has no news on standard error; whatever is there would be a warning to the tests.
os.environ["JUPYTER_PATH"] = str(Path(__file__).parent / "_kernel")
logging.getLogger("traitlets").setLevel(logging.WARNING)
# The page of `sansim validate` may not have been generated yet.
suppress_warnings = ["toc.empty_glob"]

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_type_aliases = {name: name for name in ("Overrides", "OverrideValue", "ScenarioSource", "File", "Runs")}
nitpicky = True
# What other projects document; their inventories are on the network, which the build does without. And names of types
# that are explained where they are used.
nitpick_ignore_regex = [
    ("py:.*", r"(os|pathlib|collections|pl|polars|typing|sansim\._core)(\..*)?"),
    # What stands for any row of a fit.
    ("py:class", r"sansim\.fit\.beside\.Row"),
    ("py:.*", r"sansim\.(study\.(model|jobs\.execute)|analysis\.calibrate\.outcome|adapter\.(system|intervals))\.\w+"),
    ("py:class", r"sansim\.studio_page\.player\.Player"),
    ("py:.*", r"StudyProgress|xr\..*|Figure|Table|RunData|OutputError|PlayerError|WorkerError"),
    ("py:.*", r".*TypeAliasForwardRef|'?(Overrides|OverrideValue|ScenarioSource|File|Runs|Watch)'?"),
]

html_theme = "furo"
html_title = f"sansim {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}
