"""The folder a result is written to: complete or not at all, and never over something of another origin."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sansim.result import Result

FILES = (
    "summary.json",
    "run.json",
    "scenario.toml",
    "ios.parquet",
    "tenancies.parquet",
    "samples.parquet",
    "fio.json",
    "report.txt",
)
"""What a result folder holds."""

MARK = "sansim-result"
"""The value of `written_by` in run.json: by it a folder is known as ours."""


class OutputError(Exception):
    """The place for the result is taken by something that is not a result."""


def check_place(directory: str | os.PathLike[str]) -> Path:
    """The absolute path of a folder that a result may be written to.

    Free is a place with nothing there, an empty folder, or a folder that holds a result and nothing else.

    Raises:
        OutputError: The place is taken or cannot be looked at.
    """
    place = Path(directory).absolute()
    try:
        # A link stays; what it points to is replaced.
        place = place.resolve()
        if not place.exists():
            return place
        if not place.is_dir():
            raise OutputError(f"{directory} is not a folder")
        foreign = sorted(entry.name for entry in place.iterdir() if entry.name not in FILES)
        empty = not any(place.iterdir())
        if foreign or not (empty or is_result(place)):
            what = f"it holds {foreign[0]}" if foreign else "its files are not those of a result"
            raise OutputError(f"{directory} was not written by sansim ({what}); name another folder")
    except (OSError, RuntimeError) as error:
        raise OutputError(f"cannot use {directory}: {error}") from None
    return place


def check_file(file: str | os.PathLike[str]) -> Path:
    """The absolute path of a file that may be written.

    Raises:
        OutputError: There is a folder at that place.
    """
    place = Path(file).absolute()
    if place.is_dir():
        raise OutputError(f"{file} is a folder; name a file")
    return place


def fio_text(result: Result) -> str:
    """The result in the form of fio's JSON output."""
    from sansim.fio import fio_json

    return json.dumps(fio_json(result), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def save_fio(result: Result, file: str | os.PathLike[str]) -> None:
    """Writes a result for fio's readers; see `Result.save_fio`."""
    place = check_file(file)
    text = fio_text(result)
    if place.exists() and not place.is_file():
        place.write_text(text, encoding="utf-8")
        return
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", dir=place.parent, prefix=f".{place.name}.", delete=False
    ) as new:
        try:
            new.write(text)
            new.close()
            Path(new.name).chmod(0o666 & ~mask())
            Path(new.name).replace(place)
        except BaseException:
            Path(new.name).unlink(missing_ok=True)
            raise


def mask() -> int:
    """The process's file mode mask."""
    now = os.umask(0)
    os.umask(now)
    return now


def is_result(place: Path) -> bool:
    """Whether a folder was written by `save`."""
    try:
        mark = json.loads((place / "run.json").read_text(encoding="utf-8"))["written_by"]
    except (OSError, ValueError, LookupError, TypeError):
        return False
    return bool(mark == MARK)


def save(result: Result, directory: str | os.PathLike[str]) -> None:
    """Writes a result; see `Result.save`."""
    place = check_place(directory)
    place.parent.mkdir(parents=True, exist_ok=True)
    # A sibling is on the same file system, so that the rename at the end is one step.
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=f".{place.name}.", ignore_cleanup_errors=True) as scratch:
        new = Path(scratch) / "new"
        new.mkdir()
        write_files(result, new)
        if place.exists():
            old = Path(scratch) / "old"
            place.rename(old)
            try:
                new.rename(place)
            except OSError:
                old.rename(place)
                raise
            shutil.rmtree(old, ignore_errors=True)
        else:
            new.rename(place)


def write_files(result: Result, folder: Path) -> None:
    """Writes the files of a result into a folder."""
    texts = {
        "summary.json": json.dumps(result.summary, indent=2, ensure_ascii=False, allow_nan=False) + "\n",
        "run.json": json.dumps({"written_by": MARK, **result.run}, indent=2, ensure_ascii=False) + "\n",
        "scenario.toml": result.scenario,
        "report.txt": result.report(),
        "fio.json": fio_text(result),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    for name in ("ios", "tenancies", "samples"):
        getattr(result, name).write_parquet(folder / f"{name}.parquet")
