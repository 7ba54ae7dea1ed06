"""The software that makes a result, as run folders and archives note it."""

from __future__ import annotations

import platform
from importlib import metadata

from sansim import _core
from sansim.commit import commit

NAMES = {
    "sansim": "sansim",
    "commit": "commit of sansim",
    "model": "model",
    "python": "Python",
    "platform": "platform",
    "polars": "polars",
}
"""The parts of the software, with their names for people."""


def software() -> dict[str, str]:
    """Each part with its version; without the commit if that is unknown.

    `model` identifies the sources of the native part. polars writes the tables, so their bytes depend on it.
    """
    found = {
        "sansim": _core.__version__,
        "commit": commit() or "",
        "model": _core.model_fingerprint()[:12],
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": f"{platform.system()} {platform.machine()}",
        "polars": metadata.version("polars"),
    }
    return {name: version for name, version in found.items() if version}
