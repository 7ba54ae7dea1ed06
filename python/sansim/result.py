"""The result of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from sansim import arguments
from sansim.runs.data import RunData

if TYPE_CHECKING:
    import os

    from sansim.html_report.notebook import Plots


@dataclass(frozen=True, repr=False)
class Result(RunData):
    """The results of a run. Everything but `run` is the same to the last bit for the same scenario and seed."""

    @property
    def plot(self) -> Plots:
        """The report's charts of this result as matplotlib figures.

        `result.plot.ledger()`, `.response_times()` and `.over_time()`.
        """
        from sansim.html_report.notebook import Plots

        return Plots(self)

    def __repr__(self) -> str:  # type: ignore[explicit-override]
        """The headline in a line."""
        from sansim.text_report import headline

        return f"<sansim.Result: {headline(self.summary)}>"

    def _repr_html_(self) -> str:
        """Headline and ledger, as notebooks show them."""
        from sansim.html_report.notebook import html

        return html(self)

    @arguments.checked("Result.save", directory=arguments.FOLDER, force=arguments.FLAG)
    def save(self, directory: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes the result to a folder: the figures, the resolved scenario, the tables, the report.

        The folder appears complete or not at all. A folder that an earlier run wrote is replaced, unless a file in it
        was changed; with `force` also then.

        Raises:
            OutputError: There is something else at that place.
            OSError: It cannot be written.
        """
        from sansim.runs.output import save

        save(self, directory, force=force)

    @arguments.checked("Result.save_fio_json", file=arguments.FILE, force=arguments.FLAG)
    def save_fio_json(self, file: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes the result in the form of fio's JSON output, whole or not at all.

        Raises:
            OtherKindError: There is a file that is no such result, and `force` is not given.
            OSError: It cannot be written, or a folder has the name.
        """
        from sansim.runs.output import save_fio_json

        save_fio_json(self, file, force=force)

    def save_fio(self, *_: object) -> NoReturn:
        """The earlier name of `save_fio_json`."""
        raise TypeError("save_fio has become save_fio_json: what it writes is fio's JSON output, not a job of fio")
