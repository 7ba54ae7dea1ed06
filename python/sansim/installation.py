"""The state of an installation: versions, machine, packages, programs, and a trial run."""

from __future__ import annotations

import contextlib
import importlib
import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from sansim.commit import checkout_of, commit
from sansim.machine import memory
from sansim.number_text import quantity

GOOD, NOTE, MISSING, WRONG = "ok", "note", "not there", "WRONG"
"""States of a finding: in order; worth a look; optional and absent; in the way of something that every user needs."""

PURPOSES = {
    "distributed": ("cluster", "runs of studies on a Dask cluster"),
    "starlette": ("studio", "sansim studio"),
    "uvicorn": ("studio", "sansim studio"),
    "xarray": ("xarray", "results of studies as xarray"),
    "pandas": ("", "tables of results for pandas"),
    "pyarrow": ("", "tables of results for pyarrow"),
}
"""Packages that sansim does without: the extra that installs each, and what it is for."""

PROGRAMS = {
    "wireshark": "shows captures of sansim run --capture",
    "tshark": "reads captures without a window",
    "man": "shows the pages of sansim man",
}
"""Programs that sansim does without, and what each is for."""

LEAST_ROOM = 1e9
"""Bytes in the folder for temporary files that a run of some million I/Os takes for its rows."""


@dataclass(frozen=True)
class Finding:
    """Something that was looked at."""

    about: str
    state: str
    text: str
    remedy: str = ""

    def as_json(self) -> dict[str, str]:
        """As `sansim doctor --json` has it."""
        found = {"about": self.about, "state": self.state, "text": self.text}
        return found | ({"remedy": self.remedy} if self.remedy else {})


def findings() -> Iterator[Finding]:
    """Everything that is looked at, in the order of the report."""
    yield from versions()
    yield from machine()
    yield from needed_packages()
    yield from optional_packages()
    yield from programs()
    yield trial()


def versions() -> Iterator[Finding]:
    """sansim, its extension, Python."""
    from sansim import _core

    of = commit()
    where = "checkout" if checkout_of() else "installed in"
    text = f"{_core.__version__}{f', commit {of}' if of else ''}, {where} {checkout_of() or Path(__file__).parent}"
    yield Finding("sansim", GOOD, text)
    yield extension(Path(_core.__file__ or ""), _core.__version__)
    least = required_python()
    enough = sys.version_info[:2] >= least
    text = f"{platform.python_version()} ({platform.python_implementation()}), {sys.executable}"
    wanted = ".".join(map(str, least))
    yield Finding("Python", GOOD if enough else WRONG, text, "" if enough else f"sansim needs Python {wanted} or newer")


def extension(file: Path, version: str) -> Finding:
    """The native part: whether it is of the version of the package, and in a checkout not older than its sources."""
    text = f"{version}, {file}"
    root = checkout_of()
    with contextlib.suppress(metadata.PackageNotFoundError):
        installed = metadata.version("sansim")
        if installed != version:
            remedy = "install both anew: ./dev setup in a checkout, or pip install --force-reinstall with the wheel"
            return Finding("extension", WRONG, f"{text}, but the package is {installed}", remedy)
    if root is not None:
        newest = max((source.stat().st_mtime for source in root.glob("crates/*/src/**/*.rs")), default=0.0)
        if newest > file.stat().st_mtime:
            return Finding("extension", NOTE, f"{text}, older than its sources", "build it anew: ./dev setup")
    return Finding("extension", GOOD, text)


def required_python() -> tuple[int, int]:
    """The oldest Python that this sansim supports, as its metadata has it; this one if it has none."""
    found = None
    with contextlib.suppress(metadata.PackageNotFoundError):
        found = re.search(r">=\s*(\d+)\.(\d+)", metadata.metadata("sansim")["Requires-Python"] or "")
    return (int(found[1]), int(found[2])) if found else (sys.version_info[0], sys.version_info[1])


def machine() -> Iterator[Finding]:
    """System, processors, memory, room for temporary files."""
    from sansim.study.jobs.execute import processors

    yield Finding("system", GOOD, f"{platform.system()} {platform.release()}, {platform.machine()}")
    yield Finding("processors", GOOD, f"{processors()} for this process, of {os.cpu_count()}")
    total = memory()
    if total is not None:
        yield Finding("memory", GOOD, f"{quantity(total / 2**30, 3)} GiB")
    folder = tempfile.gettempdir()
    try:
        with tempfile.TemporaryFile():
            free = shutil.disk_usage(folder).free
    except OSError as error:
        remedy = "set TMPDIR to a folder that can be written"
        yield Finding("temporary files", WRONG, f"{folder}: {error.strerror or error}", remedy)
        return
    text = f"{folder}, {quantity(free / 1e9, 3)} GB free"
    little = "" if free >= LEAST_ROOM else "set TMPDIR to a folder with more room, for runs of many I/Os"
    yield Finding("temporary files", NOTE if little else GOOD, text, little)


def needed_packages() -> Iterator[Finding]:
    """The packages that every sansim needs, as its metadata names them."""
    try:
        required = metadata.requires("sansim") or []
    except metadata.PackageNotFoundError:
        yield Finding("packages", NOTE, "sansim is not installed by pip, so what it needs is unknown")
        return
    for text in required:
        name, condition = re.split(r"[\s<>=!~;\[(]", text, maxsplit=1)[0], text.partition(";")[2]
        if "extra" in condition:
            continue
        wanted = re.search(r">=\s*([\d.]+)", text)
        yield package(name, wanted[1] if wanted else "")


def package(name: str, least: str) -> Finding:
    """A package that is needed: whether it can be imported, and is new enough."""
    remedy = f'pip install "{name}{f">={least}" if least else ""}"'
    try:
        importlib.import_module(name)
        version = metadata.version(name)
    except ImportError as error:
        return Finding(name, WRONG, f"cannot be imported: {error}", remedy)
    if numbers(version) < numbers(least):
        return Finding(name, WRONG, f"{version}, older than {least}", remedy)
    return Finding(name, GOOD, version)


def numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version, without zeros at its end."""
    found = [int(part) for part in re.findall(r"\d+", version.partition("+")[0])[:3]]
    while found and not found[-1]:
        found.pop()
    return tuple(found)


def optional_packages() -> Iterator[Finding]:
    """Packages that sansim does without, and what each is for."""
    for name, (extra, purpose) in PURPOSES.items():
        wanted = f'"sansim[{extra}]"' if extra else name
        try:
            importlib.import_module(name)
            yield Finding(name, GOOD, f"{metadata.version(name)}, for {purpose}")
        except ImportError:
            yield Finding(name, MISSING, f"for {purpose}", f"pip install {wanted}")


def programs() -> Iterator[Finding]:
    """Programs that sansim does without, and what each is for."""
    for name, purpose in PROGRAMS.items():
        place = shutil.which(name)
        yield Finding(name, GOOD if place else MISSING, f"{place + ', ' if place else ''}{purpose}")


def trial() -> Finding:
    """A short run of an example: whether the extension works on this machine."""
    from sansim.api import run
    from sansim.bundled import example
    from sansim.starter import USUAL

    try:
        found = run(example(USUAL), {"run.measured_ios": 1000}, collect_ios=False)
    except Exception as error:  # noqa: BLE001  (whatever goes wrong is the finding)
        remedy = "report it with this output"
        return Finding("trial run", WRONG, f"{USUAL}: {type(error).__name__}: {error}", remedy)
    wall, ios = found.run["wall_s"], found.summary["ios"]
    return Finding("trial run", GOOD, f"{ios:,} I/Os of {USUAL} in {quantity(wall * 1e3, 3)} ms")
