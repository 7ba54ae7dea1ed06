"""Events on the charts of the report, and their clock: that of the scenario."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import sansim
from sansim.html_report import events, read
from sansim.html_report.charts import usage
from sansim.html_report.contents import Section, sections
from sansim.html_report.folder import RunFolder
from sansim.html_report.samples import bands
from sansim.html_report.style import drawn, house_style
from test_html_report_support import full_folder

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sansim.html_report.style import Chart

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """The run of `rebuild.toml`: measured from 1 s to 61 s, a disk fails at 5 s, and is rebuilt from 6 s on."""
    place = tmp_path_factory.mktemp("events") / "rebuild"
    sansim.run(SCENARIOS / "rebuild.toml").save(place)
    (run,) = read([place])
    return run


@pytest.fixture(scope="module")
def parts(rebuilt: RunFolder) -> dict[str, Section]:
    return {section.name: section for section in sections([rebuilt])}


def figure_of(chart: Chart) -> Figure:
    with house_style():
        return drawn(chart)


def lines_at(axes: Any) -> list[float]:
    """Where a panel has vertical lines from its lower to its upper edge."""
    found = [line.get_xdata() for line in axes.lines if list(line.get_ydata()) == [0, 1]]
    return sorted(float(x[0]) for x in found)


OVER_TIME = ("over-time", "utilisation-over-time", "queues")


@pytest.mark.parametrize("name", OVER_TIME)
def test_every_chart_over_time_has_the_events_with_a_word_each(name: str, parts: dict[str, Section]) -> None:
    chart = next(chart for part in parts.values() for chart in part.charts if chart.name == name)
    figure = figure_of(chart)
    panels = [axes for axes in figure.axes if axes.axison]
    assert len(panels) >= 2
    for axes in panels:
        fail, rebuild, end = lines_at(axes)
        assert fail == 5.0
        assert rebuild == pytest.approx(6.0, abs=1e-6)
        assert 39 < end < 40
        assert [text.get_text() for text in axes.texts] == ["fail", "rebuild"]
        assert list(axes.get_xlim()) == pytest.approx([1.0, 61.0])
    assert "simulated time (s); measured from 1 to 61 s" in {axes.get_xlabel() for axes in panels}
    assert " Marked: fail disks[2] at 5 s; rebuild of array[0] from 6 s to 39." in chart.caption


def test_the_rebuild_lasts_as_long_as_the_array_says(rebuilt: RunFolder) -> None:
    (rebuild,) = events.rebuilds(rebuilt)
    assert rebuild.until_s is not None
    # The array measures the same, from the samples of its state, to the last digits of a share.
    lasted = rebuilt.summary["components"]["array"]["rebuild_time"]
    assert rebuild.until_s - rebuild.at_s == pytest.approx(lasted, rel=1e-6)


def test_lines_of_samples_and_of_ios_are_on_the_same_clock(rebuilt: RunFolder) -> None:
    (members,) = bands(rebuilt, ["members"])
    # The disk fails at 5 s: samples before have five members, and later ones four.
    before = [value for at, value in zip(members.at_s, members.mean, strict=True) if at < 4.5]
    after = [value for at, value in zip(members.at_s, members.mean, strict=True) if 5.5 < at < 39]
    assert set(before) == {5.0} and set(after) == {4.0}


def test_the_section_says_where_the_measured_interval_is_and_lists_the_events(parts: dict[str, Section]) -> None:
    section = parts["over-time"]
    assert section.notes[0] == (
        "times are those of the scenario, in which an event has its `at`."
        " The measured interval is from 1 s to 61 s, after the warm-up."
    )
    (table,) = section.tables
    assert [[cell.text for cell in row][:2] for row in table.rows] == [
        ["fail disks[2]", "5 s"],
        ["rebuild of array[0]", "6 s"],
    ]


def test_single_requests_show_what_happened_meanwhile(parts: dict[str, Section]) -> None:
    (chart,) = parts["waterfall"].charts
    figure = figure_of(chart)
    # The three slowest I/Os were slow because of the rebuild, in which they lie as a whole.
    words = [{text.get_text() for text in axes.texts} & {"rebuild", "fail"} for axes in figure.axes]
    assert words[:3] == [{"rebuild"}] * 3
    assert words[3] == words[4] == set()


def test_a_scenario_says_its_events_in_words() -> None:
    scenario = {
        "event": [
            {"at": "100 ms", "do": "change", "what": "san", "key": "links.trunk.cable", "value": "80 km"},
            {"at": "2.5 s", "do": "fail", "what": "drives[1]"},
            {"at": "a while", "do": "fail", "what": "drives[2]"},
        ]
    }
    assert list(events.planned(scenario)) == [
        events.Event(0.1, "change", "change san.links.trunk.cable to 80 km"),
        events.Event(2.5, "fail", "fail drives[1]"),
    ]


def test_time_outs_are_one_event_at_the_first_of_them() -> None:
    hosts = {"first": {"time_outs": 8}, "second": {"time_outs": 3}}
    first = [{"at_ns": 5e7, "host": "second"}, {"at_ns": 6e7, "host": "first"}]
    found = list(events.time_outs({"errors": {"hosts": hosts, "first_time_outs": first}}))
    assert found == [events.Event(0.05, "time-out", "first of 11 time-outs (second)")]
    assert list(events.time_outs({})) == []


def incident(at_ns: float, what: str, component: str, **others: Any) -> dict[str, Any]:
    return {"at_ns": at_ns, "until_ns": None, "what": what, "component": component, "of": None, "count": 1, **others}


def test_incidents_are_said_with_their_component_and_what_they_concern() -> None:
    listed = [
        incident(2e6, "initialisation", "loop", until_ns=17e6),
        incident(5e7, "path-failed", "host", of="drives[0]", count=8),
        incident(6e7, "quarantine", "san", of="slow"),
    ]
    assert list(events.incidents({"incidents": listed})) == [
        events.Event(0.002, "initialisation", "initialisation (loop)", 0.017),
        events.Event(0.05, "path failed", "path failed (host: drives[0] and 7 more)"),
        events.Event(0.06, "quarantine", "quarantine (san: slow)"),
    ]
    assert list(events.incidents({})) == []


def test_incidents_that_are_frequent_at_a_component_are_one_mark() -> None:
    many = [incident(at * 1e9, "initialisation", "left", until_ns=at * 1e9 + 1) for at in range(1, 1_235)]
    few = [incident(at * 1e9, "initialisation", "right") for at in range(1, 4)]
    first, *others = events.incidents({"incidents": [*many, *few]})
    assert first == events.Event(1.0, "initialisation", "first of 1,234 times: initialisation (left)")
    assert [event.text for event in others] == ["initialisation (right)"] * 3


def test_paths_that_a_host_finds_failed_and_back_are_marked_on_charts(tmp_path: Path) -> None:
    short = {"run.measured_ios": "none", "run.duration": "160 ms", "run.warm_up": "10 ms"}
    sansim.run(SCENARIOS / "dual-fabric.toml", short).save(tmp_path / "run")
    (run,) = read([tmp_path / "run"])
    words = {event.word: event.at_s for event in events.events_of(run)}
    assert words["path failed"] == words["fail"] == 0.04
    assert words["path back"] == words["repair"] == 0.12
    (section,) = [part for part in sections([run]) if part.name == "over-time"]
    assert "path failed (first: drives[0] and 7 more) at 40 ms" in section.charts[0].caption
    texts = {text.get_text() for axes in figure_of(section.charts[0]).axes for text in axes.texts}
    assert {"path failed", "path back"} <= texts


def test_events_outside_the_measured_interval_are_in_the_table_only(tmp_path: Path) -> None:
    full_folder(tmp_path / "run")
    (run,) = read([tmp_path / "run"])
    begin, end = (moment / 1e9 for moment in run.interval)
    inside = (begin + end) / 2
    planned = [
        {"at": f"{at * 1e6:.3f} us", "do": "slow", "what": f"drives[{n}]"} for n, at in enumerate((0, inside, 9))
    ]
    run = replace(run, scenario={**run.scenario, "event": planned})
    assert [event.text for event in events.within(events.events_of(run), begin, end)] == ["slow drives[1]"]
    (table,) = next(part for part in sections([run]) if part.name == "over-time").tables
    assert [row[-1].text for row in table.rows] == ["before it", "yes", "after it"]


def test_an_event_that_two_runs_share_is_drawn_once(rebuilt: RunFolder) -> None:
    twin = replace(rebuilt, label="twin")
    assert events.together([rebuilt, twin]) == events.events_of(rebuilt)
    other = replace(twin, scenario={**twin.scenario, "event": [{"at": "7 s", "do": "slow", "what": "disks[1]"}]})
    words = [event.word for event in events.together([rebuilt, other])]
    assert words == ["fail", "rebuild", "slow"]


def test_a_rebuild_that_does_not_end_with_the_run_lasts_to_the_end(rebuilt: RunFolder) -> None:
    assert rebuilt.samples is not None
    short = replace(rebuilt, samples=rebuilt.samples.filter(pl.col("at_ns") < 20e9))
    (rebuild,) = events.rebuilds(short)
    assert rebuild.until_s == float("inf")
    assert events.when(rebuild) == "rebuild of array[0] from 6 s to the end"


def test_words_that_would_cover_each_other_stand_below_each_other_and_are_left_out_at_last() -> None:
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    crowd = [events.Event(5.0 + number / 1000, "repair", "") for number in range(9)]
    events.mark_between(axes, crowd, 0.0, 10.0, 1.0, 7.0)
    assert len(lines_at(axes)) == 9
    heights = [text.xyann[1] for text in axes.texts]  # type: ignore[attr-defined]
    assert len(heights) == events.ROWS == len(set(heights))


# ---------------------------------------------------------------- what does not change


def samples_of(run: RunFolder, **values: list[float]) -> RunFolder:
    """The run with samples of its drives at the begin, the middle and the end of its interval."""
    begin, end = run.interval
    times = [begin + 1, (begin + end) / 2, end - 1]
    rows = [
        (at, "drives[0]", name, value) for name, given in values.items() for at, value in zip(times, given, strict=True)
    ]
    return replace(run, samples=pl.DataFrame(rows, schema=["at_ns", "component", "quantity", "value"], orient="row"))


def test_what_does_not_change_is_said_and_not_drawn(tmp_path: Path) -> None:
    full_folder(tmp_path / "run")
    (run,) = read([tmp_path / "run"])
    run = samples_of(run, credit=[2.0, 2.0, 2.0], waiting=[0.0, 0.0, 0.0], drive_queue=[0.0, 3.0, 1.0])
    chart = usage.queues_over_time(run, "queues", "")
    assert chart is not None
    assert [axes.get_title(loc="left") for axes in figure_of(chart).axes] == ["drive queue"]
    assert (
        "Not drawn, as nothing happens there: always 2: credit (drives); always 0: waiting (drives)." in chart.caption
    )


def test_a_share_that_would_read_zero_is_said_and_not_drawn(tmp_path: Path) -> None:
    full_folder(tmp_path / "run")
    (run,) = read([tmp_path / "run"])
    run = samples_of(run, dma=[1e-7, 2e-7, 0.0], processor=[0.01, 0.005, 0.0], drive=[0.2, 0.5, 0.4])
    chart = usage.shares_over_time(run, "utilisation-over-time", "")
    assert chart is not None
    assert [axes.get_title(loc="left") for axes in figure_of(chart).axes] == ["drive (%)"]
    assert "always under 0.05 %: dma (drives)" in chart.caption
    assert "always under 2 %: processor (drives)" in chart.caption


def test_a_chart_in_which_nothing_changes_is_a_line(tmp_path: Path) -> None:
    full_folder(tmp_path / "run")
    (run,) = read([tmp_path / "run"])
    run = samples_of(run, credit=[2.0, 2.0, 2.0], drive=[0.2, 0.5, 0.4])
    section = next(part for part in sections([run]) if part.name == "utilisation")
    assert "queues" not in [chart.name for chart in section.charts]
    assert section.notes == [
        "queues, buffers and credit over time are not drawn, as nothing happens there: always 2: credit (drives)."
    ]


def test_a_column_of_zeros_is_a_line_below_the_table(parts: dict[str, Section]) -> None:
    from sansim.html_report.tables import Cell, Table, without_zeros, word

    table = Table(["drive", "failed", "IOPS", "moved", "± 95 %"], whole=False)
    table.rows = [
        [word("a"), Cell("0"), Cell("5"), Cell("0 ns"), Cell("-")],
        [word("b"), Cell("0"), Cell("0"), Cell("0.0 %"), Cell("-")],
    ]
    shown = without_zeros(table)
    assert shown.head == ["drive", "IOPS"] and [len(row) for row in shown.rows] == [2, 2]
    assert shown.foot == "Zero in every row: failed, moved. Not known in any row: ± 95 %."
    table.rows = [[row[0], replace(row[1], text="0.0 %", value=1e-7), *row[2:]] for row in table.rows]
    assert without_zeros(table).foot.startswith("Rounded to zero in every row: failed. Zero in every row: moved.")
    assert without_zeros(replace(table, whole=True)).head == table.head
    (devices,) = (one for one in parts["fairness"].tables if one.folded)
    assert "failed" not in devices.head


def test_a_system_with_one_device_has_no_chart_that_compares_devices(tmp_path: Path) -> None:
    full_folder(tmp_path / "run", {"drives.count": 1})
    section = next(part for part in sections(read([tmp_path / "run"])) if part.name == "fairness")
    assert section.charts == []
    assert section.notes == ["the only device is `drives[0]`."]


def test_a_system_without_a_loop_has_no_section_about_loops(parts: dict[str, Section]) -> None:
    assert not [part.title for part in parts.values() if "loop" in part.title]
    told = [row[0].text for table in parts["numbers"].tables for row in table.rows]
    assert "version of sansim" in told and "loop model" not in told
