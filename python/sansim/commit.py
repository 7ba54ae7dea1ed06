"""The commit that this sansim is of: of the checkout that it is run from, or the one that its wheel was built from."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).parent
BUILT = "commit.txt"
"""The file in a wheel with its commit; `./dev wheel` writes it, so that other builds do not depend on the commit."""
SHOWN = 12
"""Digits of a commit that are shown."""


def commit(package: Path = PACKAGE) -> str | None:
    """The commit, shortened; None if it is unknown. A checkout knows better than a file that a build left in it."""
    found = head_of_checkout(package)
    if found is None:
        try:
            found = (package / BUILT).read_text(encoding="ascii").strip()
        except (OSError, UnicodeError):
            return None
    return found[:SHOWN] or None


def checkout_of(package: Path = PACKAGE) -> Path | None:
    """The root of the checkout that the package is in; None if it is installed."""
    root = package.resolve().parent.parent
    return root if root / "python" / "sansim" == package.resolve() and (root / "Cargo.toml").is_file() else None


def head_of_checkout(package: Path) -> str | None:
    """The commit of a checkout, from the files of git, so that git itself need not be there."""
    root = checkout_of(package)
    if root is None:
        return None
    try:
        git = root / ".git"
        if git.is_file():
            # A work tree beside the repository.
            git = root / git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
        common = git / "commondir"
        shared = git / common.read_text(encoding="utf-8").strip() if common.is_file() else git
        head = (git / "HEAD").read_text(encoding="utf-8").strip()
        if not head.startswith("ref:"):
            return head
        name = head.removeprefix("ref:").strip()
        for place in (git / name, shared / name):
            if place.is_file():
                return place.read_text(encoding="utf-8").strip()
        for line in (shared / "packed-refs").read_text(encoding="utf-8").splitlines():
            if line.endswith(f" {name}"):
                return line.partition(" ")[0]
    except (OSError, UnicodeError):
        return None
    return None
