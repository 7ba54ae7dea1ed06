"""Whether what `./dev wheel` built can be installed and used: in an empty environment of every supported Python.

Run as a program with the built files it makes the environments and tries each; see `smoke` for what is tried.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import urllib.request
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
UV = Path(sys.executable).with_name("uv")
NAME = re.compile(r"python3\.\d+")
PROBE = """
import sys, sysconfig
fits = sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED")
print(*sys.version_info[:2] if fits else (0, 0))
"""
"""Prints the version of a Python; none if it has another binary interface than our wheel."""


def oldest() -> tuple[int, int]:
    """The oldest supported Python, as pyproject.toml has it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    major, minor = project["requires-python"].removeprefix(">=").split(".")
    return int(major), int(minor)


def folders() -> Iterator[Path]:
    """Where Pythons may be: where this one is, on PATH, and where pyenv and uv put them."""
    yield Path(sys.base_prefix) / "bin"
    yield from map(Path, os.get_exec_path())
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    yield from sorted((Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions").glob("*/bin"))
    yield from sorted((data / "uv" / "python").glob("*/bin"))


def version_of(python: Path) -> tuple[int, int] | None:
    """The version of a Python that runs; a version manager's stand-in may be there without the Python behind it."""
    try:
        done = subprocess.run([python, "-I", "-c", PROBE], capture_output=True, text=True, timeout=60, check=False)
    except OSError:
        return None
    found = re.fullmatch(r"(\d+) (\d+)\n", done.stdout)
    return (int(found.group(1)), int(found.group(2))) if found and not done.returncode else None


def pythons(places: Iterable[Path]) -> dict[tuple[int, int], Path]:
    """The supported Pythons in some folders, the first of each version."""
    found: dict[tuple[int, int], Path] = {}
    for place in places:
        for file in sorted(place.glob("python3.*")):
            version = version_of(file) if NAME.fullmatch(file.name) else None
            if version is not None and version >= oldest():
                found.setdefault(version, file)
    return dict(sorted(found.items()))


def environment() -> dict[str, str]:
    """Nothing of the environment from which this is started."""
    ours = ("PYTHON", "VIRTUAL_ENV", "UV_PROJECT", "CONDA")
    env = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
    # What other people's crates are compiled to is the same for every Python.
    env["CARGO_TARGET_DIR"] = str(ROOT / "target" / "sdist")
    return env


def call(command: list[str | Path], folder: Path) -> str:
    """Runs a command and returns what it printed; raises CalledProcessError if it fails."""
    return subprocess.run(command, cwd=folder, env=environment(), stdout=subprocess.PIPE, text=True, check=True).stdout


def install(python: Path, package: Path, folder: Path) -> Path:
    """Makes an environment with nothing but a package and what it needs, and returns the folder of its commands."""
    call([UV, "venv", "--quiet", "--no-python-downloads", "--python", python, "env"], folder)
    target = folder / "env" / "bin"
    call([UV, "pip", "install", "--quiet", "--python", target / "python", package], folder)
    return target


def add_studio(package: Path, target: Path, folder: Path) -> None:
    """Installs what the studio needs besides."""
    call(
        [UV, "pip", "install", "--quiet", "--python", target / "python", f"sansim[studio] @ {package.as_uri()}"], folder
    )


def smoke(target: Path, folder: Path) -> None:
    """Uses an installed sansim as somebody would who has nothing else: examples, a run, a report, a study, Python."""
    sansim = target / "sansim"
    lines = [line for line in call([sansim, "examples"], folder).splitlines() if line.startswith("  ")]
    names = [line.split()[0] for line in lines]
    needed = [line.rpartition("(needs ")[2].rstrip(")") for line in lines if "(needs " in line]
    for file in [*(f"{name}.toml" for name in names), *(file for file in needed if not file.endswith(".toml"))]:
        with (folder / file).open("wb") as out:
            subprocess.run([sansim, "examples", file], cwd=folder, stdout=out, check=True)
    for name in names:
        call([sansim, "check", f"{name}.toml"], folder)
    call([sansim, "doctor"], folder)
    call([sansim, "init", "--like", "four-disks", "mine.toml"], folder)
    call([sansim, "run", "mine.toml"], folder)
    said = json.loads(call([sansim, "run", "four-disks.toml", "--json", "--out", "result"], folder))
    assert said["summary"]["ios"] > 1000, said["run"]
    page = call([sansim, "report", "result"], folder).strip()
    assert "</html>" in (folder / page).read_text(encoding="utf-8"), page
    call([sansim, "study", "run", "queue-depth.toml"], folder)
    assert (folder / "results" / "queue-depth" / "queue-depth.svg").is_file()
    program = "import sansim; r = sansim.run(sansim.example('four-disks')); r.plot.ledger(); print(r.summary['iops'])"
    assert float(call([target / "python", "-I", "-c", program], folder)) == said["summary"]["iops"]


def says_what_the_studio_lacks(target: Path, folder: Path) -> None:
    """Asks an installation without the extra for the studio."""
    command: list[str | Path] = [target / "sansim", "studio", "--no-browser"]
    done = subprocess.run(command, cwd=folder, env=environment(), stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode, "the studio ran without what it needs"
    assert 'pip install "sansim[studio]"' in done.stderr, done.stderr


def shows_the_studio(target: Path, folder: Path) -> None:
    """Opens the studio of an installation with the extra, and fetches its page, the files of that, and its licences."""
    command: list[str | Path] = [target / "sansim", "studio", "--no-browser", "--example", "wang-2005-base"]
    with subprocess.Popen(command, cwd=folder, env=environment(), stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            link = server.stdout.readline().strip()
            browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            with browser.open(link, timeout=60) as answer:
                page = answer.read().decode()
            root = link.split("start?")[0]
            files = re.findall(r'(?:src|href)="\.?/?([^"]+)"', page)
            assert any(file.endswith(".js") for file in files), page
            for file in [*files, "licences.txt", "player.html", "api/session"]:
                with browser.open(root + file, timeout=60) as answer:
                    content = answer.read()
                assert len(content) > 100, file
            assert json.loads(content)["opened"]["scenario"] == "example:wang-2005-base"
        finally:
            server.terminate()


def gives_the_same(here: Path, target: Path, folder: Path) -> None:
    """Compares an installed sansim, which may be optimised otherwise, with that of the checkout: to the last digit."""
    for name in ("four-disks", "wang-2005-base", "raid-5-cache", "two-hosts-one-switch"):
        file = ROOT / "scenarios" / f"{name}.toml"
        ours, theirs = (json.loads(call([place / "sansim", "run", file, "--json"], folder)) for place in (here, target))
        assert ours["summary"] == theirs["summary"], f"{name} gives something else than from the checkout"


def main() -> int:
    """Tries the packages named on the command line and returns how many tries failed."""
    packages = [Path(argument).absolute() for argument in sys.argv[1:]]
    failed = 0
    for (major, minor), python in pythons(folders()).items():
        for package in packages:
            what = f"Python {major}.{minor} ({python}), {package.name}"
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                try:
                    target = install(python, package, folder)
                    smoke(target, folder)
                    gives_the_same(Path(sys.executable).parent, target, folder)
                    says_what_the_studio_lacks(target, folder)
                    add_studio(package, target, folder)
                    shows_the_studio(target, folder)
                except (subprocess.CalledProcessError, AssertionError, OSError, ValueError) as error:
                    failed += 1
                    print(f"failed: {what}: {error!r}", flush=True)  # noqa: T201
                else:
                    print(f"works: {what}", flush=True)  # noqa: T201
    return min(failed, 100)


if __name__ == "__main__":
    sys.exit(main())
