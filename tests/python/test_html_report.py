"""`sansim report`: what the page holds, and what happens when it cannot be made."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest
from click.testing import CliRunner, Result

import sansim
from conftest import SMALL
from sansim.commands.report import report
from sansim.html_report.contents import sections
from sansim.html_report.folder import read
from sansim.html_report.style import png_file, svg_file
from sansim.number_text import quantity
from sansim.runs.output import FILES
from test_html_report_support import full_folder, plain_folder

pytestmark = pytest.mark.slow

SECTIONS = [
    "ledger",
    "response-times",
    "over-time",
    "waterfall",
    "utilisation",
    "fairness",
    "tenancies",
    "numbers",
    "topology",
    "scenario",
]
CHARTS = [
    "ledger",
    "response-times",
    "over-time",
    "waterfall",
    "utilisation",
    "utilisation-over-time",
    "queues",
    "drives",
    "tenancies",
    "graph",
    "topology",
]
VOID = {"meta", "link", "br", "img", "input", "hr"}


class Page(HTMLParser):
    """Reads back what a page holds."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.metrics: dict[tuple[str, str], set[str]] = {}
        self.ids: list[str] = []
        self.sections: list[str] = []
        self.figures: list[str] = []
        self.notes: list[str] = []
        self.names: list[str] = []
        self.resources: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        assert self.open == [], "elements that were not closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # type: ignore[explicit-override]
        values = {name: value or "" for name, value in attrs}
        self.names.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        if "id" in values:
            self.ids.append(values["id"])
        if tag == "section":
            self.sections.append(values["id"])
        if tag == "figure":
            self.figures.append(values["id"].removeprefix("chart-"))
        if "data-metric" in values and "data-value" in values:
            self.metrics.setdefault((values["data-metric"], values["data-run"]), set()).add(values["data-value"])
        self.resources += [values[name] for name in ("src", "href", "xlink:href", "data", "action") if name in values]

    def handle_endtag(self, tag: str) -> None:  # type: ignore[explicit-override]
        assert self.open.pop() == tag, f"</{tag}> does not close what is open"

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # type: ignore[explicit-override]
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def number(self, metric: str, run: int = 1) -> float:
        """The value of a metric, which is the same wherever it stands."""
        (text,) = self.metrics[metric, str(run)]
        return float(text)


def make(*arguments: object) -> Result:
    """Runs the command."""
    return CliRunner().invoke(report, [str(argument) for argument in arguments])


def page_of(*arguments: object, out: Path) -> tuple[str, Page]:
    """The page that the command writes."""
    done = make(*arguments, "--out", out)
    assert done.exit_code == 0, done.output
    text = out.read_text(encoding="utf-8")
    return text, Page(text)


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return full_folder(tmp_path_factory.mktemp("page") / "fair")


@pytest.fixture(scope="module")
def made(full: Path) -> tuple[str, Page]:
    """The page of the full run folder."""
    return page_of(full, out=full.with_name("made.html"))


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("page") / "unfair"
    return full_folder(place, {"controller.schedule": "unfair", "drives.count": 3}, seed=2)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of where a page goes: it is made without its charts, which take most of the time."""
    monkeypatch.setattr("sansim.html_report.frame.svg_inline", lambda _: "<svg></svg>")


def summary_of(folder: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    return value


def headline_of(summary: dict[str, Any]) -> Iterator[tuple[str, float]]:
    yield "iops", summary["iops"]
    yield "iops_ci95", summary["iops_ci95"]
    yield "mb_per_s", summary["bytes_per_second"] / 1e6
    yield "mib_per_s", summary["bytes_per_second"] / 2**20
    for key in ("mean", "ci95", "p50", "p90", "p99", "p99_9", "max"):
        yield f"response_{key}_ns", summary["response_time_ns"][key]
    yield "loop_utilisation", summary["components"]["loop"]["utilisation"]
    yield "simulated_s", summary["simulated_s"]


# ---------------------------------------------------------------- one run


def test_page_has_every_section_and_chart(made: tuple[str, Page]) -> None:
    _, page = made
    assert page.sections == SECTIONS
    assert page.figures == CHARTS
    assert len(page.ids) == len(set(page.ids)), "an id stands twice"


def test_page_needs_nothing_from_elsewhere(made: tuple[str, Page]) -> None:
    text, page = made
    assert re.search(r"https?://", text) is None
    assert "@import" not in text
    assert "script" not in page.names
    assert all(place.startswith(("#", "data:")) for place in page.resources)
    assert {place[1:] for place in page.resources if place.startswith("#")} <= set(page.ids)
    used = set(re.findall(r"url\(#([^)]*)\)", text))
    assert used
    assert used <= set(page.ids)


def test_numbers_on_the_page_are_those_of_the_summary(full: Path, made: tuple[str, Page]) -> None:
    _, page = made
    summary = summary_of(full)
    for key, value in headline_of(summary):
        assert page.number(key) == value, key
    for direction in ("reads", "writes"):
        assert page.number(f"{direction}_ios") == summary[direction]["ios"]
        assert page.number(f"{direction}_response_p99_ns") == summary[direction]["response_time_ns"]["p99"]
    for key, part in (("mean", "mean"), ("slowest", "slowest_percent")):
        for segment, value in summary["ledger_ns"][part].items():
            assert page.number(f"ledger_{key}_{segment}_ns") == value
    assert page.number("use_loop_owned") == summary["components"]["loop"]["owned"]
    assert page.number("use_drives_utilisation") == summary["components"]["drives"]["utilisation"]
    assert page.number("seed") == summary["seed"]
    assert page.metrics["version", "1"] == {sansim.__version__}
    assert page.metrics["loop_model", "1"] == {"fast"}


def test_fairness_on_the_page_is_that_of_the_ios(full: Path, made: tuple[str, Page]) -> None:
    _, page = made
    counts = pl.read_parquet(full / "ios.parquet").group_by("drive").len()["len"].to_list()
    assert page.number("drive_iops_min_max_ratio") == pytest.approx(min(counts) / max(counts))
    assert page.number("drive_iops_jain") == pytest.approx(sum(counts) ** 2 / (2 * sum(c * c for c in counts)))


def test_folder_as_it_comes_from_a_run_has_every_chart(tmp_path: Path) -> None:
    sansim.run(SMALL).save(tmp_path / "run")
    _, page = page_of(tmp_path / "run", out=tmp_path / "page.html")
    assert page.sections == SECTIONS
    assert page.figures == CHARTS


@pytest.mark.usefixtures("quick")
def test_folder_without_tenancies_and_samples_leaves_out_their_charts_and_says_so(tmp_path: Path) -> None:
    folder = plain_folder(tmp_path / "old")
    text, page = page_of(folder, out=tmp_path / "page.html")
    assert page.sections == SECTIONS
    assert {"tenancies", "queues", "utilisation-over-time"}.isdisjoint(page.figures)
    assert "has no tenancies.parquet" in text
    assert "has no samples.parquet" in text


@pytest.mark.usefixtures("quick")
def test_page_without_out_lies_beside_the_run_folder(tmp_path: Path) -> None:
    folder = plain_folder(tmp_path / "run")
    done = make(folder)
    assert done.exit_code == 0, done.output
    assert done.output == f"{tmp_path / 'run-report.html'}\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "run-report.html"]
    assert {path.name for path in folder.iterdir()} <= set(FILES)
    # A second report replaces the first.
    assert make(folder).exit_code == 0


def test_same_run_gives_the_same_page(full: Path, made: tuple[str, Page], tmp_path: Path) -> None:
    assert page_of(full, out=tmp_path / "again.html")[0] == made[0]


@pytest.mark.usefixtures("quick")
def test_title_cannot_bring_markup_onto_the_page(tmp_path: Path) -> None:
    folder = plain_folder(tmp_path / "run", {"title": "<script>alert(1)</script> $x_$"})
    text, page = page_of(folder, out=tmp_path / "page.html")
    assert "script" not in page.names
    assert "&lt;script&gt;" in text


def test_run_of_one_direction_and_one_io_can_be_shown(tmp_path: Path) -> None:
    folder = full_folder(tmp_path / "run", {"workload.read_fraction": 1.0, "run.measured_ios": 1})
    _, page = page_of(folder, out=tmp_path / "page.html")
    assert page.figures == CHARTS
    assert page.number("ios") == 1


def test_run_that_ended_before_an_io_was_measured_says_so(tmp_path: Path) -> None:
    folder = plain_folder(tmp_path / "run")
    summary = summary_of(folder)
    nothing: dict[str, Any] = {
        "ios": 0,
        "iops": 0.0,
        "bytes_per_second": 0.0,
        "simulated_s": 0.0,
        "stopped_early": True,
    }
    nothing |= {"ledger_ns": {"mean": {}, "slowest_percent": {}}}
    (folder / "summary.json").write_text(json.dumps(summary | nothing), encoding="utf-8")
    pl.read_parquet(folder / "ios.parquet").clear().write_parquet(folder / "ios.parquet")
    text, page = page_of(folder, out=tmp_path / "page.html")
    assert page.sections == SECTIONS
    assert page.figures == ["utilisation", "graph", "topology"]
    assert "No I/O was measured" in text
    assert "Stopped early" in text


def test_loop_of_126_drives_can_be_shown(tmp_path: Path) -> None:
    folder = full_folder(tmp_path / "run", {"drives.count": 126, "run.warm_up": 0})
    text, page = page_of(folder, out=tmp_path / "page.html")
    assert page.figures == CHARTS
    assert "drives[125]" in text


# ---------------------------------------------------------------- two runs


@pytest.mark.usefixtures("quick")
def test_two_runs_stand_side_by_side_with_their_differences(full: Path, other: Path, tmp_path: Path) -> None:
    text, page = page_of(full, other, out=tmp_path / "page.html")
    assert page.sections == [*SECTIONS[:-2], "differences", *SECTIONS[-2:]]
    assert len(page.ids) == len(set(page.ids))
    first, second = (dict(headline_of(summary_of(folder))) for folder in (full, other))
    for key in first:
        assert page.number(key, 1) == first[key], key
        assert page.number(key, 2) == second[key], key
        if key.endswith(("ci95", "ci95_ns")):
            # How sure a figure is, is not a figure to be compared.
            assert (f"{key}_difference", "1") not in page.metrics
            continue
        assert page.number(f"{key}_difference") == pytest.approx(second[key] - first[key])
        assert page.number(f"{key}_percent") == pytest.approx((second[key] / first[key] - 1) * 100)
    for key in ("controller.schedule", "drives.count", "run.seed"):
        assert f">{key}</th>" in text
    assert ">workload.size</th>" not in text
    assert {"response-times", "ledger", "waterfall-first", "waterfall-second", "queues-second"} <= set(page.figures)


@pytest.mark.usefixtures("quick")
def test_equal_systems_are_drawn_once(full: Path, tmp_path: Path) -> None:
    twin = full_folder(tmp_path / "twin")
    text, page = page_of(full, twin, out=tmp_path / "page.html")
    assert "topology" in page.figures
    assert "The resolved scenarios are the same" in text
    assert page.number("iops_difference") == 0


def test_one_ring_stands_for_two_runs_that_differ_only_in_what_stations_do(full: Path, tmp_path: Path) -> None:
    twin = full_folder(tmp_path / "twin", {"controller.schedule": "unfair"})
    charts = [chart for part in sections(read([full, twin])) for chart in part.charts]
    (ring,) = (chart for chart in charts if chart.name.startswith("topology"))
    assert "schedule fair | unfair" in svg_file(ring).decode()


@pytest.mark.usefixtures("quick")
def test_headline_and_ledger_stand_before_tables_and_topology(full: Path, tmp_path: Path) -> None:
    text, _ = page_of(full, out=tmp_path / "page.html")
    places = [text.index(mark) for mark in ('class="tiles', 'id="ledger"', 'id="numbers"', 'id="topology"')]
    assert places == sorted(places)


@pytest.mark.usefixtures("quick")
def test_two_runs_without_out_get_a_name_from_both(tmp_path: Path) -> None:
    first, second = plain_folder(tmp_path / "a"), plain_folder(tmp_path / "b", seed=3)
    assert make(first, second).exit_code == 0
    assert (tmp_path / "a-vs-b-report.html").exists()


# ---------------------------------------------------------------- export


@pytest.mark.usefixtures("quick")
def test_export_writes_every_chart_the_same_each_time(full: Path, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "charts"
    done = make(full, "--out", tmp_path / "page.html", "--export", folder)
    assert done.exit_code == 0, done.output
    names = sorted(path.name for path in folder.iterdir())
    assert names == sorted(f"{chart}.{ending}" for chart in CHARTS for ending in ("svg", "png"))
    for chart in (chart for part in sections(read([full])) for chart in part.charts):
        svg, png = ((folder / f"{chart.name}.{ending}").read_bytes() for ending in ("svg", "png"))
        assert svg == svg_file(chart), chart.name
        # Drawing so many dots takes its time: one that matplotlib draws is drawn again, and one that is drawn for it.
        assert chart.name not in ("ledger", "topology") or png == png_file(chart), chart.name
        ElementTree.fromstring(svg)
        assert png.startswith(b"\x89PNG")
        # Width in pixels: 7.2 inches at 300 dpi.
        assert int.from_bytes(png[16:20], "big") == 2160


def test_user_settings_of_matplotlib_change_nothing(full: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import matplotlib as mpl

    from sansim.html_report.charts.ledger import ledger

    chart = ledger(read([full]))
    plain = svg_file(chart), png_file(chart, dpi=50)
    monkeypatch.setitem(mpl.rcParams, "font.size", 25.0)
    monkeypatch.setitem(mpl.rcParams, "axes.facecolor", "red")
    assert (svg_file(chart), png_file(chart, dpi=50)) == plain


# ---------------------------------------------------------------- what a person can do wrong


def refused(done: Result, code: int, *words: str) -> None:
    """The command ended with one line of explanation."""
    assert done.exit_code == code, done.output
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.exception is None or isinstance(done.exception, SystemExit)
    for text in words:
        assert text in done.stderr


def test_place_that_is_no_run_folder_is_refused(tmp_path: Path) -> None:
    refused(make(tmp_path / "nowhere"), 2, "nowhere", "no such folder")
    (tmp_path / "empty").mkdir()
    refused(make(tmp_path / "empty"), 2, "not a run folder", "run.json")
    (tmp_path / "file").write_text("x", encoding="utf-8")
    refused(make(tmp_path / "file"), 2, "not a run folder but a file")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "file"]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("summary.json", "{", "not JSON"),
        ("summary.json", "[1]", "does not hold a JSON object"),
        ("summary.json", "{}", "has no ios"),
        ("summary.json", None, "has no summary.json"),
        ("scenario.toml", "a = = b", "not TOML"),
        ("ios.parquet", "nonsense", "cannot read"),
        ("ios.parquet", None, "has no ios.parquet"),
        ("tenancies.parquet", "nonsense", "cannot read"),
        ("paths.parquet", "nonsense", "cannot read"),
    ],
)
def test_damaged_run_folder_is_refused(name: str, content: str | None, words: str, tmp_path: Path) -> None:
    folder = full_folder(tmp_path / "run")
    if content is None:
        (folder / name).unlink()
    else:
        (folder / name).write_text(content, encoding="utf-8")
    refused(make(folder), 2, words)
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_table_without_a_needed_column_is_refused(tmp_path: Path) -> None:
    folder = full_folder(tmp_path / "run")
    pl.read_parquet(folder / "samples.parquet").drop("value").write_parquet(folder / "samples.parquet")
    refused(make(folder), 2, "samples.parquet has no column value")


def test_page_within_a_run_folder_is_refused(tmp_path: Path) -> None:
    folder = plain_folder(tmp_path / "run")
    names = sorted(path.name for path in folder.iterdir())
    refused(make(folder, "--out", folder / "page.html"), 2, "lies in the run folder")
    refused(make(folder, "--out", tmp_path / "p.html", "--export", folder / "charts"), 2, "lies in the run folder")
    assert sorted(path.name for path in folder.iterdir()) == names
    assert not (tmp_path / "p.html").exists()


def test_file_of_another_origin_is_left_alone(tmp_path: Path) -> None:
    folder = plain_folder(tmp_path / "run")
    (tmp_path / "mine.html").write_text("mine", encoding="utf-8")
    refused(make(folder, "--out", tmp_path / "mine.html"), 2, "is not a report page of sansim")
    assert (tmp_path / "mine.html").read_text(encoding="utf-8") == "mine"
    refused(make(folder, "--out", tmp_path), 2, "is a folder")
    refused(make(folder, "--out", tmp_path / "p.html", "--export", tmp_path / "mine.html"), 2, "not a folder")


@pytest.mark.usefixtures("quick")
def test_place_that_cannot_be_written_is_told_and_nothing_is_left(tmp_path: Path) -> None:
    folder = plain_folder(tmp_path / "run")
    (tmp_path / "file").write_text("x", encoding="utf-8")
    refused(make(folder, "--out", tmp_path / "file" / "page.html"), 1, "the report was not written")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "run"]


@pytest.mark.usefixtures("quick")
def test_failure_while_writing_keeps_the_earlier_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = plain_folder(tmp_path / "run")
    assert make(folder).exit_code == 0
    before = (tmp_path / "run-report.html").read_bytes()

    def broken(_: Path, __: Path) -> Path:
        raise OSError("no space left on device")

    monkeypatch.setattr(Path, "replace", broken)
    refused(make(folder), 1, "no space left on device")
    assert (tmp_path / "run-report.html").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "run-report.html"]


@pytest.mark.usefixtures("quick")
def test_open_hands_the_page_to_the_browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = plain_folder(tmp_path / "run")
    opened: list[str] = []

    def remember(place: str) -> bool:
        opened.append(place)
        return True

    monkeypatch.setattr("webbrowser.open", remember)
    assert make(folder, "--open").exit_code == 0
    assert opened == [(tmp_path / "run-report.html").as_uri()]
    monkeypatch.setattr("webbrowser.open", lambda _: False)
    done = make(folder, "--open")
    assert done.exit_code == 1
    assert "no browser was found" in done.stderr


@pytest.mark.usefixtures("quick")
def test_a_figure_that_is_less_precise_than_asked_for_is_marked_on_the_page(full: Path, tmp_path: Path) -> None:
    folder = tmp_path / "imprecise"
    shutil.copytree(full, folder)
    summary = summary_of(folder)
    wanted = {"of": "iops", "within": 0.001, "relative_half_width": 0.05, "reached": False, "ended_by": "most_ios"}
    summary["statistics"]["precision"] = wanted
    (folder / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
    text, _ = page_of(folder, out=tmp_path / "page.html")
    sentence = "I/Os per second is NOT KNOWN to within 0.1 %"
    assert f"* The number of {sentence}" in text
    assert f"{quantity(summary['iops'])}*</td>" in text
    plain, _ = page_of(full, out=tmp_path / "plain.html")
    assert "*</td>" not in plain
