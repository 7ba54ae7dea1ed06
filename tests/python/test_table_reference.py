"""The reference page of the tables: it is the committed one, and explains every column, segment, figure and key."""

from __future__ import annotations

from pathlib import Path

import pytest

import sansim
from conftest import SMALL, Cli
from sansim import _core
from sansim.catalogue import meaning_of_column
from sansim.query import describe
from sansim.runs.columns import MEANING, UNITS
from sansim.runs.fio import fio_json
from sansim.runs.fio_keys import DIRECTION, DISK, JOB, TOP
from sansim.table_reference import COMMAND, page, schemas, split, under

PAGE = Path(__file__).parents[2] / "docs" / "table-reference.md"


def test_the_committed_reference_is_the_present_one(cli: Cli) -> None:
    done = cli("schema", "--tables")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == PAGE.read_text(encoding="utf-8"), f"run `{COMMAND}` and commit the result"
    assert COMMAND in done.stdout
    assert cli("schema", "--tables", "--study").returncode == 2


def test_every_column_is_explained_once(tmp_path: Path) -> None:
    found = schemas()
    assert {name: list(columns) for name, columns in found.items()} == {
        name: list(columns) for name, columns in MEANING.items()
    }
    assert set(UNITS) <= {column for columns in found.values() for column in columns}
    result = sansim.run(SMALL)
    assert set(result.ios.columns) - set(MEANING["ios"]) == {
        column for column in result.ios.columns if meaning_of_column(column)
    }
    result.save(tmp_path / "run")
    assert all(describe(tmp_path / "run")["meaning"])


def test_every_segment_quantity_and_figure_is_on_the_page() -> None:
    lines = page().splitlines()

    def row(name: str, meaning: str) -> bool:
        return any(line.startswith(f"| `{name}` |") and meaning in line for line in lines)

    meanings = [(one.name, one.meaning) for one in _core.segments()]
    meanings += [(one.name, one.meaning) for one in _core.quantities()]
    for name, meaning in meanings:
        assert row(name, meaning), name
    for figure in _core.figures():
        _, name = split(figure.path)
        ledger = figure.path.startswith("ledger_ns.") and "*" in figure.path
        shown = name + ("[N]" if figure.several else "")
        assert row(figure.path.rpartition(".")[2] if ledger else shown, figure.meaning), figure.path


def test_every_key_of_fio_is_explained_once() -> None:
    content = fio_json(sansim.run(SMALL))
    job = content["jobs"][0]
    latency = {"min", "max", "mean", "stddev", "N", "percentile", "bins"}
    assert set(job["read"]["clat_ns"]) == latency
    parts = [(TOP, content), (JOB, job), (DIRECTION, {*job["read"], *latency}), (DISK, content["disk_util"][0])]
    for keys, written in parts:
        names = [name for one in keys for name in one.names]
        assert sorted(names) == sorted(written)


@pytest.mark.parametrize(
    ("subjects", "text"),
    [
        ([("", "")], "Under the top level"),
        ([("passes.*", "")], "Under `passes.NAME`"),
        ([("", ""), ("", "reads"), ("", "writes")], "Under the top level, and under its `reads` and `writes`"),
        (
            [("", ""), ("", "reads"), ("hosts.*", ""), ("hosts.*", "reads"), ("devices.*", "")],
            "Under the top level, `hosts.NAME`, and under `reads` of each; under `devices.NAME`",
        ),
        ([("", "reads"), ("", "writes")], "Under `reads` and `writes` of the top level"),
    ],
)
def test_places_of_figures_are_named(subjects: list[tuple[str, str]], text: str) -> None:
    assert under(subjects) == text


def test_a_figure_is_split_from_its_place() -> None:
    assert split("iops") == (("", ""), "iops")
    assert split("writes.response_time_ns.mean") == (("", "writes"), "response_time_ns.mean")
    assert split("hosts.*.devices.*.reads.ios") == (("hosts.*.devices.*", "reads"), "ios")
