"""Results in a notebook: their line, their HTML form, and the report's charts as figures."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

import sansim
from sansim.catalogue import segment_label
from sansim.file_types import PNG_ABOUT
from sansim.html_report.charts import distribution, ledger, over_time
from sansim.html_report.folder import read
from sansim.html_report.style import png_file
from sansim.runs.output import save

CHARTS = {"ledger": ledger.ledger, "response_times": distribution.response_times, "over_time": over_time.throughput}
NOTEBOOK = Path(__file__).resolve().parents[2] / "docs" / "notebook.ipynb"


@pytest.fixture(scope="module")
def result() -> sansim.Result:
    return sansim.run(Path(__file__).with_name("data") / "small.toml")


def bytes_of(figure: Figure) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=300, metadata=PNG_ABOUT)
    return file.getvalue()


def test_repr_of_a_result_is_a_short_line(result: sansim.Result) -> None:
    text = repr(result)
    assert re.fullmatch(r"<sansim\.Result: [\d,.]+ IOPS, [\d,.]+ MB/s, mean response time [\d.]+ \w+, \d+ I/Os>", text)
    assert f"{result.summary['ios']:,} I/Os" in text


def test_repr_says_what_is_not_as_usual(small: Path) -> None:
    early = sansim.run(small, {"run.measured_ios": 10_000_000}, progress=lambda _: False)
    assert repr(early).endswith("stopped early>")
    assert "stopped early" in early._repr_html_()


def test_html_form_has_headline_and_ledger(result: sansim.Result) -> None:
    # Every element is closed, so that nothing of it leaks into the notebook.
    tree = ElementTree.fromstring(f"<div>{result._repr_html_().replace('<br>', '<br/>')}</div>")
    cells = [["".join(cell.itertext()) for cell in row] for row in tree.iter("tr")]
    rows = {row[0]: row for row in cells}
    assert rows["all"][1] == f"{result.summary['ios']:,}"
    ledger = result.ledger.filter(result.ledger["mean_ns"] > 0).select("place", "segment").rows()
    segments = [(place, segment_label(segment)) for place, segment in ledger]
    assert segments == [(row[0], row[1]) for row in cells[-len(segments) - 1 : -1]]
    assert cells[-1][1:4:2] == ["response time", "100.0 %"]
    assert len(list(tree.iter("div"))) == 1 + len(segments), "a bar for each segment"


def test_html_form_needs_nothing_from_elsewhere(small: Path) -> None:
    text = sansim.run(small, {"title": "<script>alert(1)</script>"})._repr_html_()
    assert "&lt;script&gt;" in text
    assert not re.search(r"<(script|style|link|img)|https?:", text)


@pytest.mark.parametrize("name", CHARTS)
def test_plots_are_drawn_as_in_the_report(name: str, result: sansim.Result, tmp_path: Path) -> None:
    figure = getattr(result.plot, name)()
    assert isinstance(figure, Figure)
    save(result, tmp_path / "run")
    assert bytes_of(figure) == png_file(CHARTS[name](read([tmp_path / "run"])))


def test_settings_of_the_user_change_no_plot_and_are_left_alone(result: sansim.Result) -> None:
    plain = bytes_of(result.plot.ledger())
    with mpl.rc_context({"font.size": 30, "hatch.linewidth": 5, "axes.grid": False, "xtick.labelsize": 20}):
        assert bytes_of(result.plot.ledger()) == plain
        assert mpl.rcParams["font.size"] == 30


def test_a_notebook_shows_a_plot_as_a_picture(result: sansim.Result) -> None:
    figure = result.plot.over_time()
    assert figure._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]


def test_plots_without_rows_say_why_there_are_none(small: Path) -> None:
    result = sansim.run(small, collect_ios=False)
    assert "response time" in result._repr_html_()
    with pytest.raises(ValueError, match="collect_ios=False kept no I/Os"):
        result.plot.ledger()


def test_the_notebook_of_the_documentation_holds_no_outputs() -> None:
    """They are made when the site is built, which a test does; kept ones would grow old."""
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert len(code) > 5
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
