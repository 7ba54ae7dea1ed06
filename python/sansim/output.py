"""The folder a result is written to: complete or not at all, and never over something of another origin."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from sansim.files import file_mask, whole_file

if TYPE_CHECKING:
    from sansim.result import Result

FILES = (
    "summary.json",
    "run.json",
    "scenario.toml",
    "ios.parquet",
    "tenancies.parquet",
    "paths.parquet",
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
        ours = {*FILES, *files_of(place)}
        foreign = sorted(entry.name for entry in place.iterdir() if entry.name not in ours)
        empty = not any(place.iterdir())
        if foreign or not (empty or is_result(place)):
            what = f"it holds {foreign[0]}" if foreign else "its files are not those of a result"
            raise OutputError(f"{directory} was not written by sansim ({what}); name another folder")
    except (OSError, RuntimeError) as error:
        raise OutputError(f"cannot use {directory}: {error}") from None
    return place


def fio_text(result: Result) -> str:
    """The result in the form of fio's JSON output."""
    from sansim.fio import fio_json

    return json.dumps(fio_json(result), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def save_fio(result: Result, file: str | os.PathLike[str]) -> None:
    """Writes a result for fio's readers; see `Result.save_fio`."""
    with whole_file(file) as place:
        place.write(fio_text(result).encode())


def about_run(place: Path) -> dict[str, Any]:
    """What run.json says; empty if the folder holds no result."""
    try:
        about = json.loads((place / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return about if isinstance(about, dict) and about.get("written_by") == MARK else {}


def is_result(place: Path) -> bool:
    """Whether a folder was written by `save`."""
    return bool(about_run(place))


def files_of(place: Path) -> list[str]:
    """What else the run has written into its folder: a trace, a capture."""
    files = about_run(place).get("files", [])
    return [name for name in files if isinstance(name, str)] if isinstance(files, list) else []


class RunFolder:
    """A run folder while its run goes on: complete at its name in one step at the end, or not there.

    To be used in a `with`.

    Raises:
        OutputError: There is something else at that place.
        OSError: It cannot be made.
    """

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.place = check_place(directory)
        self.place.parent.mkdir(parents=True, exist_ok=True)
        # A sibling is on the same file system, so that the rename at the end is one step.
        self.scratch = Path(tempfile.mkdtemp(dir=self.place.parent, prefix=f".{self.place.name}."))
        self.new = self.scratch / "new"
        self.new.mkdir()
        self.new.chmod(0o777 & ~file_mask())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self.scratch, ignore_errors=True)

    def place_of(self, file: Path) -> Path:
        """Where to write a file of the run: one that is to be in the folder waits with the others until the end.

        Raises:
            OutputError: The folder has a file of its own of that name.
        """
        if file.absolute().parent.resolve() != self.place:
            return file
        if file.name in FILES:
            raise OutputError(f"{file} is what the result itself is written to; choose another name")
        return self.new / file.name

    def complete(self, result: Result) -> None:
        """Writes the result and puts the folder in its place; an earlier result there is gone then.

        Raises:
            OutputError: There is something else at that place by now.
            OSError: It cannot be written.
        """
        write_files(result, self.new, sorted(entry.name for entry in self.new.iterdir()))
        # Somebody may have put something there meanwhile.
        check_place(self.place)
        if not self.place.exists():
            self.new.rename(self.place)
            return
        old = self.scratch / "old"
        self.place.rename(old)
        try:
            self.new.rename(self.place)
        except OSError:
            old.rename(self.place)
            raise


def save(result: Result, directory: str | os.PathLike[str]) -> None:
    """Writes a result; see `Result.save`."""
    with RunFolder(directory) as folder:
        folder.complete(result)


def write_files(result: Result, folder: Path, others: list[str]) -> None:
    """Writes the files of a result into a folder in which there are `others`."""
    about = {"written_by": MARK, "seed": result.summary["seed"], "files": others, **result.run}
    texts = {
        "summary.json": json.dumps(result.summary, indent=2, ensure_ascii=False, allow_nan=False) + "\n",
        "run.json": json.dumps(about, indent=2, ensure_ascii=False) + "\n",
        "scenario.toml": result.scenario,
        "report.txt": result.report(),
        "fio.json": fio_text(result),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    for name in ("ios", "tenancies", "paths", "samples"):
        getattr(result, name).write_parquet(folder / f"{name}.parquet")
