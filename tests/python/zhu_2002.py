"""The study `studies/zhu-2002` with the analytic model beside it: the table of its README.

`python tests/python/zhu_2002.py --write` runs what has not been run and renews the table.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sansim
from sansim import _core
from sansim.study.points.plan import parse, plan
from sansim.study.read import read_study

FOLDER = Path(__file__).parents[2] / "studies" / "zhu-2002"
STUDY = FOLDER / "tiers.toml"
BEGIN, END = "<!-- table: tests/python/zhu_2002.py --write -->\n", "<!-- end of table -->\n"
COLUMNS = (
    *("I/Os per second asked for", "size", "mean response, simulated", "worked out", "off by"),
    *("disks in use", "worked out", "loop in use", "worked out", "inside its domain"),
)
HEAD = f"| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|\n"


@dataclass(frozen=True)
class Beside:
    """A point of the study, simulated and worked out."""

    rate: float
    size: str
    simulated: Mapping[str, float]
    half_ms: float
    """Half of the interval of the simulated response time."""
    analysis: Mapping[str, Any]

    @property
    def response(self) -> float:
        """By which share the response time that is worked out is longer."""
        return float(self.analysis["response_ns"] or "inf") / 1e6 / self.simulated["response"] - 1

    @property
    def throughput(self) -> float:
        """By which share the throughput that is worked out is larger."""
        return float(self.analysis["iops"]) / self.simulated["iops"] - 1

    def use(self, place: str) -> float:
        """How much of a component is used, as worked out, in per cent."""
        return max(100 * float(one["utilisation"]) for one in self.analysis["stations"] if one["place"] == place)

    def row(self) -> str:
        """A row of the table."""
        mean, ours = self.simulated["response"], (self.analysis["response_ns"] or float("inf")) / 1e6
        uses = " | ".join(f"{self.simulated[one]:.0f} % | {self.use(one):.0f} %" for one in ("disks", "loop"))
        return (
            f"| {2 * self.rate:.0f} | {self.size} | {mean:.1f} +- {self.half_ms:.1f} ms | {ours:.1f} ms | "
            f"{100 * self.response:+.0f} % | {uses} | {'no' if self.analysis['outside'] else 'yes'} |\n"
        )


def beside(out: Path) -> Iterator[Beside]:
    """Every point of the study; results of runs are kept in a folder."""
    study = read_study(STUDY)
    frame = sansim.run_study(STUDY, out=out).frame()
    for point in plan(study).points:
        rate, size = (axis.values[place] for axis, place in zip(study.axes, point.places, strict=True))
        rows = frame.filter((frame["rate"] == rate.label) & (frame["size"] == size.label))
        of = {row["metric"]: row for row in rows.to_dicts()}
        analysis = json.loads(parse(study, point.overrides).analyse())
        simulated = {name: float(row["value"]) for name, row in of.items()}
        assert rate.number is not None
        yield Beside(rate.number, size.label, simulated, of["response"]["half_width_95"] or 0.0, analysis)


def table(out: Path) -> str:
    """The table of the README."""
    return HEAD + "".join(one.row() for one in beside(out))


def written() -> str:
    """The table that stands in the README."""
    return (FOLDER / "README.md").read_text().partition(BEGIN)[2].partition(END)[0]


if __name__ == "__main__" and "--write" in sys.argv:
    with tempfile.TemporaryDirectory() as folder:
        found = table(Path(folder))
    file = FOLDER / "README.md"
    before, _, rest = file.read_text().partition(BEGIN)
    file.write_text(before + BEGIN + found + END + rest.partition(END)[2])
    print(_core.__version__, found)  # noqa: T201
