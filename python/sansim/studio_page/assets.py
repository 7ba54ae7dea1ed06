"""The built page, read once: no path of a request ever reaches the file system."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
}
PAGE = "index.html"
MISSING = "the page of the studio is not built: `./dev page` builds it in a checkout"


@dataclass(frozen=True)
class Asset:
    """A file of the page."""

    content: bytes
    type: str


def assets() -> dict[str, Asset]:
    """The files of the page by path; empty if the page is not built."""
    found: dict[str, Asset] = {}

    def walk(folder: Traversable, before: str) -> None:
        for entry in folder.iterdir():
            if entry.is_dir():
                walk(entry, f"{before}{entry.name}/")
            elif (type_ := TYPES.get(suffix(entry.name))) is not None:
                found[before + entry.name] = Asset(entry.read_bytes(), type_)

    built = files("sansim.studio_page") / "dist"
    if built.is_dir():
        walk(built, "/")
    return found


def suffix(name: str) -> str:
    """The ending of a name, with its dot."""
    return name[name.rfind(".") :] if "." in name else ""
