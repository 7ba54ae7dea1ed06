"""Times between lines of a word trace."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sansim import _core
from sansim.runs.recorders import Trace
from sansim.simulate import run_scenario
from sansim.study.jobs.job import job_of, run_job
from sansim.study.measure import trace as trace_module
from sansim.study.measure.trace import (
    PatternError,
    check_pattern,
    parse_pattern,
    read_intervals,
    read_lines,
)
from sansim.study.points.plan import plan
from sansim.study.session import run_studies
from study_support import read
from test_graph import BRIDGE

ROOT = Path(__file__).parents[2]
TRACE = """\
# sansim trace of Two nodes: what each port sends; a word takes 37.647 ns
hhh:mm:ss.ms_us_ns        dt/port_us port           count ordered set     size frame  [state]
000:00:00.000_000_000          0.000 controller        18 IDLE               4  [MONITORING]
000:00:00.000_000_677          0.678 controller         - => ARBITRATING
000:00:00.000_000_677          0.000 controller        14 ARB(01,01)         4  [ARBITRATING]
000:00:00.000_001_204          0.038 controller         1 OPN(02,01)         4  [OPEN]
000:00:00.000_001_317          0.075 controller         1 R_RDY              4  [OPEN]
000:00:00.000_001_435          0.527 drive[0]           - => OPENED
000:00:00.000_001_468          0.038 controller         1 SOFi3             64 FCP_CMND 01->02 io 0  [OPEN]
000:00:00.000_002_000          0.038 drive[0]           2 R_RDY              4
000:00:01.002_003_004          0.038 drive[0]           1 SOFn3             64 FCP_RSP 02->01 io 0
010:01:00.000_000_000          0.038 controller         1 CLS                4
"""


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    file = tmp_path / "trace.txt"
    file.write_text(TRACE, encoding="utf-8")
    return file


def interval(file: Path, start: str, end: str) -> float | None:
    """One interval of a trace whose words take 40 ns."""
    return read_intervals(file, [("x", start, end)], 40.0)["x"]


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("controller IDLE", "controller OPN", 1204.0),
        ("controller OPN", "controller R_RDY", 113.0),
        ("controller OPN(02,01)", "drive[0] R_RDY", 796.0),
        ("controller ARB(01,01)", "controller FCP_CMND", 791.0),
        ("controller ARB", "controller SOFi3", 791.0),
        ("controller => ARBITRATING", "drive[0] => OPENED", 758.0),
        ("controller OPN", "drive[0] FCP_RSP", 1e9 + 2_003_004 - 1204),
        ("controller IDLE", "controller CLS", 36_060e9),
        # The end of a line: so many words behind its begin.
        ("controller OPN", "end of controller FCP_CMND", 264.0 + 16 * 40),
        ("end of controller FCP_CMND", "drive[0] R_RDY", 532.0 - 16 * 40),
        ("end of drive[0] R_RDY", "drive[0] FCP_RSP", 1e9 + 2_003_004 - 2000 - 2 * 40),
        # Only what comes behind the first line counts.
        ("controller R_RDY", "controller OPN", None),
        ("controller R_RDY", "controller R_RDY", None),
        ("controller OPN(01,02)", "controller CLS", None),
        ("controller OPN #2", "controller CLS", None),
        ("drive[1] R_RDY", "controller CLS", None),
    ],
)
def test_a_time_is_that_from_one_line_to_a_later_one(start: str, end: str, expected: float | None, trace: Path) -> None:
    assert interval(trace, start, end) == expected


def test_the_nth_line_is_counted_from_the_first_one_on(tmp_path: Path) -> None:
    file = tmp_path / "trace.txt"
    times = [100, 200, 300, 500, 800]
    lines = [f"000:00:00.000_000_{at}  0.0 a[0]  1 R_RDY  4" for at in times]
    file.write_text("\n".join(lines), encoding="utf-8")
    assert interval(file, "a[0] R_RDY", "a[0] R_RDY") == 100.0
    assert interval(file, "a[0] R_RDY #2", "a[0] R_RDY #3") == 600.0
    assert interval(file, "a[0] R_RDY", "a[0] R_RDY #5") is None


def test_several_intervals_are_read_at_once(trace: Path) -> None:
    wanted = [("a", "controller IDLE", "controller OPN"), ("b", "controller CLS", "controller CLS")]
    assert read_intervals(trace, wanted, 40.0) == {"a": 1204.0, "b": None}
    assert read_intervals(trace, [], 40.0) == {}


@pytest.mark.parametrize(
    "text", ["", "controller", "OPN", "controller OPN #0", "controller OPN #x", "end of OPN", "a b c", "controller =>"]
)
def test_what_names_no_line_is_refused(text: str) -> None:
    with pytest.raises(PatternError, match="does not name a line"):
        parse_pattern(text)


@pytest.mark.parametrize(
    ("text", "name", "remedy"),
    [
        ("controller OPEN", "OPEN", "did you mean `OPN`?"),
        ("controller => OPN", "OPN", "did you mean `OPEN`?"),
        ("controller FCP_RESP", "FCP_RESP", "did you mean `FCP_RSP`?"),
        ("controller r_rdy", "r_rdy", "did you mean `R_RDY`?"),
    ],
)
def test_what_no_trace_shows_is_refused(text: str, name: str, remedy: str) -> None:
    with pytest.raises(PatternError, match=f"a trace never shows `{name}`") as caught:
        check_pattern(text)
    assert caught.value.remedy == remedy


# ---------------------------------------------------------------- real traces


def real_trace(folder: Path, changes: list[tuple[str, str]]) -> tuple[Path, _core.Scenario]:
    """A trace with states, and the scenario it belongs to."""
    scenario = _core.Scenario.load(ROOT / "scenarios" / "two-nodes.toml", changes)
    file = folder / "trace.txt"
    run_scenario(scenario, reference_loop=True, collect_ios=False, trace=Trace(file=file, states=True))
    return file, scenario


@pytest.mark.parametrize("speed", ["1GFC", "2GFC", "4GFC", "8GFC"])
def test_every_line_of_a_trace_is_understood(speed: str, tmp_path: Path) -> None:
    few = [("run.measured_ios", "4"), ("run.warm_up", "1"), ("workload.size", '"4 KiB"'), ("loop.speed", f'"{speed}"')]
    file, scenario = real_trace(tmp_path, few)
    text = file.read_text(encoding="utf-8")
    lines = list(read_lines(file))
    assert len(lines) == len(text.splitlines()) - 2 > 100
    for line in lines:
        shown = line.frame or line.what
        check_pattern(f"{line.port} {shown}")
        assert parse_pattern(f"{line.port} {shown}").matches(line)
    assert {line.port for line in lines} == set(scenario.ports())
    told = re.search(r"a word takes ([0-9.]+) ns", text)
    assert told is not None
    assert scenario.word_time_ns() == pytest.approx(float(told[1]), abs=5e-4)
    # A frame of 2048 bytes lasts its words: SOF, header, payload, CRC, EOF.
    data = next(line for line in lines if line.frame == "FCP_DATA")
    assert data.words == (4 + 24 + 2048 + 4 + 4) // 4


def test_a_word_may_be_given_another_time() -> None:
    scenario = _core.Scenario.load(ROOT / "scenarios" / "two-nodes.toml", [("loop.word_time", '"38 ns"')])
    assert scenario.word_time_ns() == 38.0


def test_of_several_loops_a_study_traces_the_one_on_which_its_ports_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = _core.Scenario.parse(BRIDGE, "bridge", [("run.measured_ios", "4"), ("run.warm_up", "1")])
    words: list[float] = []

    def read(_file: Path, _traces: object, word_ns: float) -> dict[str, float | None]:
        words.append(word_ns)
        return {}

    monkeypatch.setattr(trace_module, "read_intervals", read)
    for port in ("bridge.back", "bridge.front"):
        run_job(job_of(scenario.to_toml(), [("frame", f"{port} OPN", f"{port} CLS")]))
    assert words == [scenario.word_time_ns("back"), scenario.word_time_ns("front")]
    assert words[0] == 2 * words[1]


def test_the_end_of_a_frame_is_told_with_the_word_time_of_the_simulator(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """There is one definition of it; another number there is another number here."""
    times = []
    for word in ('"exact"', '"19 ns"'):
        few = [("run.measured_ios", "4"), ("run.warm_up", "1"), ("loop.word_time", word), ("loop.speed", "2GFC")]
        scenario = _core.Scenario.load(ROOT / "scenarios" / "two-nodes.toml", few)
        one = job_of(scenario.to_toml(), [("frame", "drive[0] FCP_DATA", "end of drive[0] FCP_DATA #1")])
        used: list[float] = []
        monkeypatch.setattr(trace_module, "read_intervals", lambda *given, used=used: used.append(given[2]) or {})
        run_job(one)
        assert used == [scenario.word_time_ns()]
        times += used
    assert times == [pytest.approx(320 / 17, rel=1e-15), 19.0]


STUDY = """\
scenario = "small.toml"
[set]
"run.measured_ios" = 10
"run.warm_up" = 1
[axes.size]
key = "workload.size"
values = ["2 KiB", "4 KiB"]
[metrics.arbitration]
trace = { from = "controller => ARBITRATING", to = "controller => OPEN" }
[metrics.data]
trace = { from = "drives[0] FCP_DATA", to = "end of drives[0] FCP_DATA" }
unit = "us"
[metrics.never]
trace = { from = "controller FCP_CMND #5000", to = "controller CLS" }
[metrics.per_word]
formula = "arbitration / 18.82"
[metrics.of_never]
formula = "never + 1"
"""


def test_a_study_reads_times_off_the_traces_of_its_runs(tmp_path: Path) -> None:
    study = read(tmp_path, STUDY)
    (outcome,) = run_studies([study], workers=1)
    cells = {name: [cell.values for cell in found.cells.values()] for name, found in outcome.measured.items()}
    assert all(isinstance(value, float) and 0 < value < 1e6 for (value,) in cells["arbitration"])
    assert cells["never"] == [(None,), (None,)]
    # That it never happens is an answer, also to who computes with it.
    assert outcome.uncomputed == []
    for (share,), (time,) in zip(cells["per_word"], cells["arbitration"], strict=True):
        assert share == pytest.approx(float(str(time)) / 18.82)
    job = outcome.plan.all_jobs()[0]
    assert job.traces[0] == ("arbitration", "controller => ARBITRATING", "controller => OPEN")
    assert run_job(job) == (tmp_path / "results" / "points" / job.key[:2] / f"{job.key}.json").read_bytes()
    # What is read off a trace is part of what a result is.
    assert job_of(job.scenario).key != job.key == plan(study).all_jobs()[0].key
