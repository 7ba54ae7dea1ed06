"""Builds an extension of sansim with rules in Rust from a crate of the user, for `./dev with CRATE`.

The build has a manifest of its own in `target/with/NAME`: that of the binding, with the crate of the user as
`with_rules` and the versions of `Cargo.lock`. Beside it are the package, whose modules are those of this checkout, and
the command.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
BINDING = ROOT / "crates" / "python"

COMMAND = """\
#!{python}
import os
import sys

PACKAGE = {package!r}
# Processes of studies take the same package.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [PACKAGE, os.environ.get("PYTHONPATH")]))
sys.path.insert(0, PACKAGE)
from sansim.entry import main

sys.exit(main())
"""


class CrateError(Exception):
    """The crate of the user cannot be built; the text says why, and what to do."""


def name_of(crate: Path) -> str:
    """The name of the package in a folder.

    Raises:
        CrateError: The folder has no manifest of a package.
    """
    manifest = crate / "Cargo.toml"
    try:
        return str(tomllib.loads(manifest.read_text(encoding="utf-8"))["package"]["name"])
    except (OSError, tomllib.TOMLDecodeError, KeyError) as error:
        raise CrateError(
            f"{crate} is no crate of Rust: {manifest}: {error}\n  docs/rules/fewest is one to start from"
        ) from None


def manifest_of(crate: Path, name: str) -> str:
    """The manifest of the binding with the crate of the user."""
    workspace = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    own = (BINDING / "Cargo.toml").read_text(encoding="utf-8")
    shared = tomllib.loads(workspace)["workspace"]

    def package(found: re.Match[str]) -> str:
        value = shared["package"][found[1]]
        return f"{found[1]} = {str(value).lower() if isinstance(value, bool) else repr(value)}"

    def dependency(found: re.Match[str]) -> str:
        of = shared["dependencies"][found[1]]
        if isinstance(of, str):
            return f"{found[1]} = {of!r}"
        entries = [f"{key} = {value!r}" for key, value in of.items() if key not in ("path", "default-features")]
        entries += [f"path = {str(ROOT / of['path'])!r}"] if "path" in of else []
        entries += [f"default-features = {str(of['default-features']).lower()}"] if "default-features" in of else []
        return f"{found[1]} = {{ {', '.join(entries)} }}"

    own = own.replace("[lints]\nworkspace = true\n", "")
    own = re.sub(r'^name = "sansim-python"', f'name = "sansim-with-{name}"', own, flags=re.MULTILINE)
    head, _, dependencies = own.partition("[dependencies]\n")
    head = re.sub(r"^([\w-]+)\.workspace = true$", package, head, flags=re.MULTILINE)
    head = head.replace("[package]\n", f"[package]\nbuild = {str(BINDING / 'build.rs')!r}\n")
    head = head.replace("[lib]\n", f"[lib]\npath = {str(BINDING / 'src' / 'lib.rs')!r}\n")
    dependencies = re.sub(r"^([\w-]+)\.workspace = true$", dependency, dependencies, flags=re.MULTILINE)
    rules = f"with_rules = {{ package = {name!r}, path = {str(crate)!r} }}\n"
    return f"{head}[dependencies]\n{rules}{dependencies}\n[workspace]\n{profiles_of(tomllib.loads(workspace))}"


def profiles_of(workspace: dict[str, Any]) -> str:
    """The profiles of an extension.

    Crates outside the workspace of a manifest are those of others, which a checkout optimises less; here the crates of
    sansim are outside.
    """
    found = ""
    for name in ("release", "checkout"):
        profile: dict[str, Any] = workspace["profile"][name]
        found += f"\n[profile.{name}]\n"
        found += "".join(f"{key} = {value!r}\n" for key, value in profile.items() if not isinstance(value, dict))
    return found


def build(crate: Path, python: Path, env: Mapping[str, str]) -> Path:
    """Builds the extension; returns the command that has it.

    Raises:
        CrateError: The folder has no crate, or it cannot be built.
    """
    crate = crate.resolve()
    name = name_of(crate)
    folder = ROOT / "target" / "with" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "Cargo.toml").write_text(manifest_of(crate, name), encoding="utf-8")
    shutil.copyfile(ROOT / "Cargo.lock", folder / "Cargo.lock")
    own = {"SANSIM_CRATES": str(ROOT / "crates"), "SANSIM_WITH_RULES": str(crate)}
    target = ROOT / "target" / "with" / "build"
    command = ["cargo", "rustc", "--profile", "checkout", "--manifest-path", str(folder / "Cargo.toml"), "--lib"]
    done = subprocess.run(command, env={**env, **own, "CARGO_TARGET_DIR": str(target)}, check=False)
    if done.returncode:
        raise CrateError(f"{name} cannot be built; the messages are above. It needs a constant `RULES` in its root")
    return pack(folder, target / "checkout", python)


def pack(folder: Path, built: Path, python: Path) -> Path:
    """Puts the package and the command beside the manifest."""
    package = folder / "python" / "sansim"
    shutil.rmtree(package, ignore_errors=True)
    package.mkdir(parents=True)
    for entry in (ROOT / "python" / "sansim").iterdir():
        if not entry.name.startswith("_core.") or entry.suffix == ".pyi":
            (package / entry.name).symlink_to(entry)
    library = next(built / name for name in ("lib_core.so", "lib_core.dylib", "_core.dll") if (built / name).is_file())
    suffix = ".pyd" if library.suffix == ".dll" else ".abi3.so"
    shutil.copyfile(library, package / f"_core{suffix}")
    command = folder / "sansim"
    command.write_text(COMMAND.format(python=python, package=str(package.parent)), encoding="utf-8")
    command.chmod(0o755)
    return command
