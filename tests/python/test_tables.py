"""Tables of a result as pandas, polars, Arrow and CSV; answers of queries as pictures."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from matplotlib.figure import Figure

import sansim
from conftest import SMALL, Cli
from sansim.query_chart import chart_of

pandas: Any = pytest.importorskip("pandas")
ROWS = pl.DataFrame(
    {
        "depth": [1, 2, 4, 1, 2, 4],
        "run": ["a", "a", "a", "b", "b", "b"],
        "iops": [100.0, 200.0, None, 150.0, 250.0, 300.0],
        "p99": [5, 6, 9, 4, 5, 8],
    }
)


@pytest.fixture(scope="module")
def result() -> sansim.Result:
    return sansim.run(SMALL)


def test_a_table_becomes_pandas_with_the_same_values(result: sansim.Result) -> None:
    table = result.tables["ios"]
    frame = table.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == table.columns == result.ios.columns
    assert len(frame) == len(table) == result.summary["ios"]
    # The names that everybody uses.
    assert set(frame["operation"]) == {"read", "write"}
    assert (frame["bytes"] > 0).all()
    for name in ("io", "lba", "bytes", "response_time_ns", "operation", "write"):
        assert frame[name].to_list() == result.ios[name].to_list(), name
    assert frame["response_time_ns"].mean() == pytest.approx(result.summary["response_time_ns"]["mean"])


def test_truth_values_that_may_be_missing_stay_so_in_pandas() -> None:
    native: Any = pl.DataFrame({"operation": ["read", "flush", "write"], "write": [False, None, True]})
    frame = sansim.Table(native, "ios").to_pandas()
    assert str(frame["write"].dtype) == "boolean"
    assert frame["write"].isna().to_list() == [False, True, False]
    assert frame["operation"].to_list() == ["read", "flush", "write"]


@pytest.mark.parametrize("name", ["ios", "tenancies", "paths", "samples"])
def test_every_table_becomes_csv_that_reads_back(result: sansim.Result, name: str) -> None:
    table = result.tables[name]
    text = table.to_csv()
    assert text is not None
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == table.columns
    assert len(rows) == len(table) + 1
    assert repr(table) == f"<sansim.Table {name}: {len(table):,} rows, {len(table.columns)} columns>"
    assert table.to_polars().equals(getattr(result, name))


def test_a_csv_file_replaces_only_an_earlier_one(result: sansim.Result, tmp_path: Path) -> None:
    file = tmp_path / "ios.csv"
    assert result.tables["ios"].to_csv(file) is None
    result.tables["ios"].to_csv(file)
    assert file.read_text(encoding="utf-8") == result.tables["ios"].to_csv()
    file.write_text("my notes\n", encoding="utf-8")
    with pytest.raises(sansim.OtherKindError):
        result.tables["ios"].to_csv(file)
    assert file.read_text(encoding="utf-8") == "my notes\n"
    result.tables["ios"].to_csv(file, force=True)


@pytest.mark.parametrize(("method", "package"), [("to_pandas", "pandas"), ("to_arrow", "pyarrow")])
def test_a_missing_package_is_named_with_the_command_that_installs_it(
    result: sansim.Result, monkeypatch: pytest.MonkeyPatch, method: str, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(sansim.MissingPackageError, match=f"needs the package {package}.*pip install {package}"):
        getattr(result.tables["ios"], method)()


def test_a_table_becomes_a_pyarrow_table(result: sansim.Result) -> None:
    pytest.importorskip("pyarrow")
    assert result.tables["ios"].to_arrow().num_rows == len(result.tables["ios"])


# ---------------------------------------------------------------- pictures of answers


def test_an_answer_has_a_panel_for_each_number_and_a_line_for_each_text() -> None:
    figure = Figure()
    chart_of(ROWS).draw(figure)
    assert [axes.get_ylabel() for axes in figure.axes] == ["iops", "p99"]
    assert figure.axes[1].get_xlabel() == "depth"
    first = figure.axes[0]
    assert [line.get_label() for line in first.lines] == ["a", "b"]
    assert np.asarray(first.lines[1].get_xdata()).tolist() == [1, 2, 4]
    assert np.asarray(first.lines[1].get_ydata()).tolist() == [150.0, 250.0, 300.0]
    assert first.get_legend() is not None


def test_words_stand_side_by_side() -> None:
    figure = Figure()
    chart_of(pl.DataFrame({"station": ["drives[0]", "drives[1]"], "ios": [3, 4]})).draw(figure)
    assert [text.get_text() for text in figure.axes[0].get_xticklabels()] == ["drives[0]", "drives[1]"]
    assert figure.axes[0].lines[0].get_linestyle() == "None"


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (ROWS.head(0), "the answer has no rows"),
        (ROWS.select("depth"), "no column of numbers behind `depth`"),
        (ROWS.select("depth", "run"), "no column of numbers behind `depth`"),
        (
            pl.DataFrame({"x": range(30), "name": [f"n{n}" for n in range(30)], "y": range(30)}),
            "name would be 30 lines",
        ),
        (pl.DataFrame({"name": [f"n{n}" for n in range(70)], "y": range(70)}), "`name` has 70 different words"),
    ],
)
def test_an_answer_that_cannot_be_drawn_says_what_to_select(table: pl.DataFrame, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        chart_of(table)


def test_the_command_draws_an_answer(cli: Cli, tmp_path: Path) -> None:
    assert cli("run", SMALL, "--out", "run").returncode == 0
    sql = "select at_ns, value, component from samples where quantity = 'owned' order by at_ns"
    done = cli("query", "run", sql, "--plot", "owned.svg", "--limit", "2")
    assert done.returncode == 0, done.stderr
    assert "written: owned.svg" in done.stderr
    drawn = (tmp_path / "owned.svg").read_text(encoding="utf-8")
    assert "<svg" in drawn
    # The same answer gives the same bytes, and replaces the picture.
    assert cli("query", "run", sql, "--plot", "owned.svg").returncode == 0
    assert (tmp_path / "owned.svg").read_text(encoding="utf-8") == drawn


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("select 1 as a, 2 as b", "--plot", "notes.txt"), "ends neither in .png nor in .svg"),
        (("--plot", "a.png"), "--plot draws the answer to SQL, and there is none"),
        (("select station from tenancies", "--plot", "a.png"), "no column of numbers behind `station`"),
        (("select 1 as a, 2 as b", "--plot", "run/a.png"), "is a run folder and stays as it is"),
        (("select 1 as a, 2 as b", "--plot", "mine.png"), "is not a picture of sansim"),
    ],
)
def test_a_picture_that_cannot_be_is_refused(cli: Cli, tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    assert cli("run", SMALL, "--out", "run").returncode == 0
    (tmp_path / "mine.png").write_text("mine")
    done = cli("query", "run", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert (tmp_path / "mine.png").read_text() == "mine"
