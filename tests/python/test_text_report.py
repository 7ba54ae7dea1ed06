"""The report a person reads."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import DATA, Cli
from sansim import _core
from sansim.number_text import duration, plus_minus, quantity
from sansim.simulate import run_scenario
from sansim.text_report import bar, plain, report

SCENARIOS = Path(__file__).parents[2] / "scenarios"
RESULT: dict[str, dict[str, Any]] = json.loads((DATA / "result.json").read_text(encoding="utf-8"))


def changed(**figures: object) -> dict[str, Any]:
    """The recorded summary with other figures."""
    return {**copy.deepcopy(RESULT["summary"]), **figures}


@pytest.mark.parametrize("width", [80, 120])
def test_report_looks_as_recorded(width: int) -> None:
    recorded = (DATA / f"report-{width}.txt").read_text(encoding="utf-8")
    assert report(RESULT["summary"], RESULT["run"], width=width) == recorded


def test_each_kind_of_io_has_its_part_of_the_rate() -> None:
    """Flushes and deallocations count among the I/Os of `all`, and move no data."""
    text = """
        run = { measured_ios = 400, warm_up = 0 }
        host = { kind = "host", attached = ["drives"] }
        drives = { kind = "drives", access_time = "1 ms", transfer_rate = "100 MB/s" }
        load = { kind = "closed", from = "host", to = ["drives"], size = "4 KiB", read_fraction = 0.5, queue_depth = 4 }
    """
    more = [("load.flush_every", "8"), ("load.deallocate_fraction", "0.25")]
    summary = run_scenario(_core.Scenario.parse(text, "text", more)).summary
    lines = report(summary, RESULT["run"], width=80).splitlines()
    rows = [line.split() for line in lines[lines.index(next(line for line in lines if line.startswith("Rate"))) :]]
    rate = {row[0]: [float(cell.replace(",", "")) for cell in row[1:4]] for row in rows[1:6]}
    kinds = ["reads", "writes", "flushes", "deallocations"]
    assert list(rate) == ["all", *kinds]
    for place in range(3):
        assert sum(rate[kind][place] for kind in kinds) == pytest.approx(rate["all"][place], rel=1e-3)
    for kind in kinds:
        share = summary[kind]["ios"] / summary["ios"]
        assert rate[kind][0] == pytest.approx(share * rate["all"][0], rel=1e-3)
    assert rate["flushes"][1:] == rate["deallocations"][1:] == [0, 0]


@pytest.mark.parametrize("width", [80, 100, 132])
def test_report_keeps_to_the_width(width: int) -> None:
    lines = report(RESULT["summary"], RESULT["run"], width=width).splitlines()
    assert max(map(len, lines)) <= width


SHORT = {
    "wang-2005-base": {"run.measured_ios": "1000"},
    "raid-5-cache": {"run.duration": "3 s"},
    "flash-array": {"run.duration": "50 ms", "run.warm_up": "10 ms"},
    "dual-fabric": {"run.measured_ios": "1000"},
    "oltp-and-backup": {"run.duration": "3 s"},
}
"""Shipped scenarios with long names, groups, several workloads and caches, and how they become short."""


@pytest.mark.parametrize("name", SHORT)
def test_the_report_of_a_shipped_scenario_fits_80_columns(name: str, tmp_path: Path) -> None:
    file = tmp_path / f"{name}.toml"
    text, _ = _core.migrate((SCENARIOS / file.name).read_text(encoding="utf-8"), file.name)
    file.write_text(text, encoding="utf-8")
    result = run_scenario(_core.Scenario.load(file, list(SHORT[name].items())), collect_ios=False)
    for every in (False, True):
        for line in result.report(width=80, devices=True, all_rows=every).splitlines():
            assert len(line) <= 80, line


@given(st.integers(1, 120), st.sampled_from([60, 80, 100]))
def test_long_names_fit_the_width(length: int, width: int) -> None:
    name = "drives-" + "x" * length
    summary = changed(fullest_links={"loop": {"from": name, "to": f"san.switches.{name}[3]", "utilisation": 0.4}})
    components = {key.replace("drives", name): figures for key, figures in summary["components"].items()}
    components |= {f"{name}.{number}": {"kind": "adapter", "commands": 12} for number in range(3)}
    components |= {f"{name}.host-{number}": {"kind": "host", "waiting": 0.5, "merged": 3} for number in range(2)}
    summary["components"] = components
    for part in ("mean", "slowest_percent"):
        lines = summary["ledger_ns"][part].items()
        summary["ledger_ns"][part] = {line.replace("drives", name): mean for line, mean in lines}
    for kind in ("workloads", "hosts"):
        (one,) = summary[kind].values()
        summary[kind] = {name: one, f"second-{name}": {**one, "failed_ios": 2}}
        summary["fairness"][kind] = 0.9
    lines = report(summary, RESULT["run"], width=width, devices=True, all_rows=True).splitlines()
    assert max(map(len, lines)) <= max(width, 80)
    assert name in "".join(line.strip() for line in lines)


def test_small_rows_are_left_out_unless_all_are_asked_for() -> None:
    every = report(RESULT["summary"], RESULT["run"], all_rows=True)
    short = report(RESULT["summary"], RESULT["run"])
    assert "left out;" not in every
    *lines, foot = short.splitlines()
    # Without the empty line above the foot.
    gone = len(every.splitlines()) - len(lines) + 1
    assert foot == f"{gone} rows under 0.1 % are left out; --all shows them"
    assert "frame process queue" in every and "frame process queue" not in short
    assert "drives frame process" in every


def test_all_rows_are_printed_by_an_option_and_the_file_says_so(cli: Cli, tmp_path: Path) -> None:
    file = SCENARIOS / "four-disks.toml"
    short = cli("run", file, "--set", "run.measured_ios=500", "--out", tmp_path / "out")
    every = cli("run", file, "--set", "run.measured_ios=500", "--all")
    assert short.stdout.endswith("left out; --all shows them\n") and "--all" not in every.stdout
    assert len(every.stdout.splitlines()) > len(short.stdout.splitlines())
    written = (tmp_path / "out" / "report.txt").read_text(encoding="utf-8")
    assert written.splitlines() == [line for line in short.stdout.splitlines() if "wall time" not in line]


def test_a_row_that_only_the_slowest_have_is_shown() -> None:
    summary = changed()
    ledger = summary["ledger_ns"]
    ledger["mean"]["loop.access_window"] = 1.0
    ledger["slowest_percent"]["loop.access_window"] = 5e6
    assert "    access window " in report(summary, RESULT["run"])


def test_one_row_that_is_left_out_is_one() -> None:
    summary = changed(components={"disks": {"kind": "drives", "utilisation": 0.5, "dma": 0.0004}})
    summary["ledger_ns"]["mean"] = summary["ledger_ns"]["slowest_percent"] = {"disks.access": 1e6}
    assert report(summary, RESULT["run"]).endswith("\n1 row under 0.1 % is left out; --all shows it\n")


def test_times_at_places_have_what_is_left_out() -> None:
    summary = changed()
    small = {f"loop.segment_{number}": 900.0 for number in range(4)}
    summary["ledger_ns"]["mean"] = summary["ledger_ns"]["slowest_percent"] = {"disks.access": 1e6, **small}
    text = report(summary, RESULT["run"])
    (loop,) = [line for line in text.splitlines() if line.startswith("  loop  ")]
    assert loop.split()[1:5] == ["3.600", "us", "0.4", "%"]
    (total,) = [line for line in text.splitlines() if line.startswith("  response time")]
    assert total.split()[2:4] == ["1.004", "ms"]
    assert "5 rows under 0.1 %" in text and "  drives frame process" not in text


def test_the_report_begins_with_the_limit() -> None:
    title, first, *_ = report(RESULT["summary"], RESULT["run"]).splitlines()
    assert title == RESULT["summary"]["title"]
    assert first.startswith("No component is saturated; the busiest is `loop`, 75 % utilised; ")
    components = {name: {"kind": one["kind"]} for name, one in RESULT["summary"]["components"].items()}
    assert "saturated" not in report(changed(components=components), RESULT["run"])


def test_hints_name_the_key_to_set() -> None:
    summary = changed()
    resemble = "rates of neighbouring parts of the run are correlated (lag-1 correlation 0.72): run longer"
    summary["statistics"]["doubts"] = [resemble, "40 I/Os are too few to judge by"]
    text = " ".join(report(summary, RESULT["run"]).split())
    longer = "set a longer `run.duration` or more `run.measured_ios`"
    assert f"(lag-1 correlation 0.72): {longer}; 40 I/Os are too few to judge by: {longer}." in text
    for drift, hint in {
        "`cache`: the content of the cache grows by 7 MB a second: the hit ratio has not settled": (
            "Set `run.functional_warm_up` or a longer `run.warm_up`, so that it settles before it is measured. ! marks"
        ),
        "`disks`: blocks grow by 7 a second: no garbage is collected yet": "yet. Set a longer `run.warm_up`, so",
        "`load`: requests grow by 7 a second: more requests arrive than complete": "complete. ! marks",
    }.items():
        drifting = changed(steady={"ok": False, "drifts": [{"told": drift}]})
        assert hint in " ".join(report(drifting, RESULT["run"]).split())


def test_waiting_is_drawn_lighter_than_work() -> None:
    lines = report(RESULT["summary"], RESULT["run"]).splitlines()
    bars = {name: next(line for line in lines if line.startswith(f"    {name}  ")) for name in ("loop", "wire")}
    assert "░" in bars["loop"] and "█" not in bars["loop"]
    assert "█" in bars["wire"] and "░" not in bars["wire"]
    assert any("█ work  ░ waiting" in line for line in lines)


def test_drives_that_are_taken_and_drives_that_work_are_told_apart() -> None:
    text = report(RESULT["summary"], RESULT["run"])
    drives = RESULT["summary"]["components"]["drives"]
    for key, word in (("utilisation", "utilisation"), ("occupied", "occupied")):
        (line,) = [line for line in text.splitlines() if line.startswith(f"  drives {word} ")]
        assert f"{drives[key] * 100:.1f} %" in line
        assert f"each {drives[f'{key}_min'] * 100:.1f} % to {drives[f'{key}_max'] * 100:.1f} %" in line


def test_a_full_duplex_loop_does_not_carry_frames_for_more_than_the_whole_time() -> None:
    components = copy.deepcopy(RESULT["summary"]["components"])
    components["loop"] |= {"utilisation": 0.991, "both_ways": 0.982, "owned": 1.0}
    text = report(changed(components=components), RESULT["run"])
    assert "loop utilisation           99.1 %" in text
    assert "loop full duplex           98.2 %" in text


def test_the_time_at_a_place_is_that_of_its_segments() -> None:
    ledger = RESULT["summary"]["ledger_ns"]["mean"]
    lines = report(RESULT["summary"], RESULT["run"]).splitlines()
    heads = [line.split()[:3] for line in lines if line.startswith("  drives.adapter ")]
    time = sum(mean for line, mean in ledger.items() if line.startswith("drives.adapter."))
    assert [" ".join(head[1:]) for head in heads] == [duration(time)]


def test_what_each_workload_and_host_got_is_told_where_there_are_several() -> None:
    (part,) = RESULT["summary"]["workloads"].values()
    several = changed(workloads={"first": part, "second": part})
    several["fairness"]["workloads"] = 1.0
    text = report(several, RESULT["run"])
    assert "Workload " in text and "  second " in text and "fairness" in text
    assert max(map(len, text.splitlines())) <= 80
    assert "Workload " not in report(RESULT["summary"], RESULT["run"])


def test_warnings_and_failures_of_a_run_are_told() -> None:
    text = report(changed(warnings=["`drives[3]` got nothing"], failed_ios=12), RESULT["run"])
    assert "WARNING: `drives[3]` got nothing." in text
    assert "12 of the I/Os failed." in text


def test_stopped_run_says_so() -> None:
    assert "STOPPED EARLY" in report(changed(stopped_early=True), RESULT["run"])
    assert "STOPPED EARLY" not in report(RESULT["summary"], RESULT["run"])


def test_run_without_a_single_io_can_be_reported() -> None:
    times = dict.fromkeys(RESULT["summary"]["response_time_ns"])
    nothing = {"ios": 0, "bytes": 0, "response_time_ns": times}
    ledger: dict[str, object] = {"slowest_percent_exact": True}
    for part in ("mean", "slowest_percent"):
        ledger[part] = dict.fromkeys(RESULT["summary"]["ledger_ns"][part], 0)
    summary = changed(
        ios=0,
        iops=0,
        bytes_per_second=0,
        simulated_s=0,
        stopped_early=True,
        response_time_ns=times,
        reads=nothing,
        writes=nothing,
        ledger_ns=ledger,
    )
    text = report(summary, {**RESULT["run"], "simulated_per_wall": 0, "wall_s": 0})
    assert "STOPPED EARLY" in text
    assert "p99.9" not in text


def test_which_loop_it_was_is_told_of_systems_that_have_one() -> None:
    assert " x real time, fast loop\n" in report(RESULT["summary"], RESULT["run"])
    others = {key: value for key, value in RESULT["run"].items() if key != "loop"}
    assert " x real time\n" in report(RESULT["summary"], others)


def test_reads_and_writes_are_told_apart_only_if_there_are_both() -> None:
    both = report(RESULT["summary"], RESULT["run"])
    assert "reads" in both
    only = changed(writes={"ios": 0, "bytes": 0, "response_time_ns": None})
    assert "reads" not in report(only, RESULT["run"])


def test_interval_that_is_not_known_is_left_out() -> None:
    summary = changed()
    for part in (summary, summary["reads"], summary["writes"]):
        part["response_time_ns"]["ci95"] = None
    summary["iops_ci95"] = None
    assert "±" not in report(summary, RESULT["run"])


def test_summary_of_an_earlier_version_can_be_reported() -> None:
    summary = changed()
    for key in ("statistics", "iops_ci95", "bytes_per_second_ci95"):
        del summary[key]
    assert "batch means" in report(RESULT["summary"], RESULT["run"])
    assert "batch means" not in report(summary, RESULT["run"])


@pytest.mark.parametrize(
    ("of", "reached", "relative", "sentence"),
    [
        (
            "response_time_ns.mean",
            True,
            0.00987,
            "mean response time is known to within 1 %: its 95 % interval is ± 0.99 %.",
        ),
        ("iops", False, 0.0123, "I/Os per second is NOT KNOWN to within 1 %: its 95 % interval is ± 1.2 %."),
        ("response_time_ns.p99_9", False, None, "is NOT KNOWN to within 1 %: it has no interval."),
    ],
)
def test_precision_that_was_asked_for_is_told(of: str, reached: bool, relative: float | None, sentence: str) -> None:
    wanted = {"of": of, "within": 0.01, "relative_half_width": relative, "reached": reached}
    summary = changed()
    summary["statistics"]["precision"] = wanted
    assert sentence in " ".join(report(summary, RESULT["run"], width=132).split())


@pytest.mark.parametrize(
    ("of", "figure"),
    [
        ("iops", "iops"),
        ("bytes_per_second", "bytes_per_second"),
        ("response_time_ns.mean", "mean"),
        ("response_time_ns.p99", "p99"),
    ],
)
def test_a_figure_that_is_less_precise_than_asked_for_is_marked(of: str, figure: str) -> None:
    summary = changed()
    wanted = {"of": of, "within": 0.01, "relative_half_width": 0.05, "reached": False, "ended_by": "most_ios"}
    summary["statistics"]["precision"] = wanted
    text = report(summary, RESULT["run"])
    times = summary["response_time_ns"]
    shown = {
        "iops": [quantity(summary["iops"])],
        "bytes_per_second": [quantity(summary["bytes_per_second"] / size) for size in (1e6, 2**20)],
        "mean": [duration(times["mean"])],
        "p99": [duration(times["p99"])],
    }
    assert all(f"{number}*" in text for number in shown[figure])
    # These and the sentence that explains the mark.
    assert text.count("*") == len(shown[figure]) + 1
    assert "the run ended after run.most_ios. * marks it below." in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80
    wanted["reached"] = True
    assert "*" not in report(summary, RESULT["run"])


def test_doubts_are_told_within_the_width() -> None:
    summary = changed()
    summary["statistics"]["doubts"] = ["a doubt of many words " * 9, "another"]
    lines = report(summary, RESULT["run"]).splitlines()
    assert max(map(len, lines)) <= 80
    assert "INTERVALS IN DOUBT: a doubt" in "\n".join(lines)
    assert "DOUBT" not in report(RESULT["summary"], RESULT["run"])


def test_plain_report_is_ascii_and_as_wide() -> None:
    text = report(RESULT["summary"], RESULT["run"])
    assert plain(text).isascii()
    assert len(plain(text)) == len(text)


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (None, "-"),
        (float("nan"), "-"),
        (0, "0 ns"),
        (9.41, "9.410 ns"),
        (561, "561.0 ns"),
        (999.99, "1.000 us"),
        (43_900, "43.90 us"),
        (1_234_567, "1.235 ms"),
        (999_999_999, "1.000 s"),
        (12_345_678_901_234, "12,346 s"),
    ],
)
def test_duration_takes_the_unit_that_suits(ns: float | None, text: str) -> None:
    assert duration(ns) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (0.0123, "0.012"), (9.87654, "9.877"), (2345.67, "2,346"), (1234567.8, "1,234,568")]
)
def test_quantity_shows_four_digits(value: float, text: str) -> None:
    assert quantity(value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "± 0 %"), (3e-8, "± less than 0.01 %"), (0.0034, "± 0.34 %"), (0.0123, "± 1.2 %"), (2.5, "± 250 %")],
)
def test_interval_as_a_share(share: float, text: str) -> None:
    assert plus_minus(share) == text


@given(st.floats(-1, 2), st.integers(1, 60))
def test_bar_never_leaves_its_room(share: float, width: int) -> None:
    assert len(bar(share, width)) <= width
    assert (bar(share, width) == "█" * width) or share < 1
