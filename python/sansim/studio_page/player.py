"""The player of a playback as one page that needs no server: for reports and notebooks."""

from __future__ import annotations

import base64
import hashlib
import os
from dataclasses import dataclass
from html import escape
from pathlib import Path

from sansim import arguments
from sansim.file_types import PLAYBACK, is_of
from sansim.studio_page.assets import MISSING, assets

SCRIPT, STYLE = "/assets/player.js", "/assets/player.css"
LONGEST = 20_000_000
"""The length of the longest playback that is put into a page, in bytes. A page holds it as text, a third longer."""


class PlayerError(Exception):
    """A playback cannot be put into a page; the text says why and what instead."""


def player_page(file: str | os.PathLike[str]) -> str:
    """A page that plays a playback file, with everything in it.

    Raises:
        PlayerError: The file is no playback or is too long, or the page of the studio is not built.
        OSError: The file cannot be read.
    """
    place = Path(file)
    data = place.read_bytes()
    if not data or not is_of(place, PLAYBACK):
        raise PlayerError(f"{place} is no playback; `sansim run FILE --playback OUT.sansim` writes one")
    if len(data) > LONGEST:
        raise PlayerError(
            f"{place} has {len(data) / 1e6:.0f} MB, and a page holds a playback of {LONGEST / 1e6:.0f} MB at most;"
            " record a shorter window with --trace-from and --trace-to, or open it with `sansim studio`"
        )
    built = assets()
    if SCRIPT not in built or STYLE not in built:
        raise PlayerError(MISSING)
    script = script_text()
    style = built[STYLE].content.decode().replace("</style", "<\\/style")
    content = base64.b64encode(data).decode()
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>sansim player</title>'
        f'<style>{style}</style></head><body><div id="page"></div>'
        f'<script type="application/json" id="sansim-playback">"{content}"</script>'
        f'<script type="module">{script}</script></body></html>'
    )


@dataclass(frozen=True)
class Player:
    """A playback in a notebook: the last expression of a cell shows the player."""

    file: Path
    height: int = 720
    """Pixels."""

    def _repr_html_(self) -> str:
        """The player in a frame of its own."""
        return frame(player_page(self.file), self.height)


def frame(page: str, height: int) -> str:
    """A page in a frame, which shares nothing with the page around it."""
    return (
        f'<iframe title="Playback" sandbox="allow-scripts" style="width:100%;height:{height}px;border:1px solid #8888"'
        f' srcdoc="{escape(page)}"></iframe>'
    )


def script_text() -> str:
    """The script of the player, as a page contains it."""
    return assets()[SCRIPT].content.decode().replace("</script", "<\\/script")


def script_hash() -> str:
    """The script's hash, by which a content security policy lets it run and no other."""
    digest = hashlib.sha256(script_text().encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


@arguments.checked(file=arguments.FILE, height=arguments.WHOLE)
def play(file: str | os.PathLike[str], *, height: int = 720) -> Player:
    """Shows a playback in a notebook.

    Args:
        file: What `sansim.run(..., playback=file)` or `sansim run --playback` wrote.
        height: Pixels of the player.

    Raises:
        PlayerError: The file is no playback.
    """
    # At once, and not when the cell is shown.
    player_page(file)
    return Player(Path(file), height)
