"""Puts the crates of others into a source distribution, so that it builds without a network.

Used by `./dev wheel`, and as a program: `python dev_sdist.py dist/sansim-*.tar.gz`. Cargo finds the crates by a file
`.cargo/config.toml` beside them.
"""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path

CONFIG = """\
# Written by `./dev wheel`: what is built from this distribution takes the crates of others from `vendor`.
[source.crates-io]
replace-with = "vendored-sources"

[source.vendored-sources]
directory = "vendor"
"""


def vendor(sdist: Path, env: Mapping[str, str]) -> None:
    """Adds the crates that `Cargo.lock` names to a source distribution, in place.

    Raises:
        CalledProcessError: Cargo cannot get a crate.
    """
    with tempfile.TemporaryDirectory(prefix="sansim-sdist-") as scratch:
        with tarfile.open(sdist) as packed:
            packed.extractall(scratch, filter="data")
            known = packed.getnames()
        (folder,) = Path(scratch).iterdir()
        command = ["cargo", "vendor", "--locked", "--versioned-dirs", "--quiet", "vendor"]
        subprocess.run(command, cwd=folder, env=dict(env), stdout=subprocess.DEVNULL, check=True)
        (folder / ".cargo").mkdir(exist_ok=True)
        (folder / ".cargo" / "config.toml").write_text(CONFIG, encoding="utf-8")
        pack(folder, sdist, first=[Path(scratch) / name for name in known])


def pack(folder: Path, sdist: Path, first: list[Path]) -> None:
    """Packs a folder, some files first: installers read `PKG-INFO` at once. The same content gives the same bytes."""
    every = [*first, *sorted(file for file in folder.rglob("*") if file.is_file())]
    new = sdist.with_name(f".{sdist.name}")
    with (
        new.open("wb") as out,
        gzip.GzipFile(filename="", mode="wb", fileobj=out, mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as packed,
    ):
        for file in dict.fromkeys(every):
            if not file.is_file():
                continue
            content = file.read_bytes()
            about = tarfile.TarInfo(str(file.relative_to(folder.parent)))
            about.size = len(content)
            about.mode = 0o755 if os.access(file, os.X_OK) else 0o644
            # The oldest time that zip archives know, as wheels are: nothing depends on the clock.
            about.mtime = 315_532_800
            packed.addfile(about, io.BytesIO(content))
    new.replace(sdist)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        vendor(Path(name), os.environ)
