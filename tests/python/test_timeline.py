"""The timeline: a valid Perfetto trace that agrees with the tables of the run."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import perfetto_reader
from conftest import SMALL, within
from perfetto_reader import Slice, Timeline
from sansim.catalogue import segments as known_segments

pytestmark = pytest.mark.slow

SCENARIOS = Path(__file__).parents[2] / "scenarios"
BASE = SCENARIOS / "wang-2005-base.toml"
TWO_NODES = SCENARIOS / "two-nodes.toml"
# Nothing is left out, so that what the result counts is what the timeline shows.
WHOLE = ("run.warm_up=0", "run.measured_ios=80")
# Every block of the adapters takes time, so that all are seen.
BUSY = tuple(
    f"{who}.adapter.{key}"
    for who in ("controller", "drives")
    for key in (
        "message_time=1 us",
        "command_time=43.9 us",
        "response_time=10.3 us",
        "xfer_rdy_time=11.8 us",
        "dma_setup_time=15.5 us",
        "frame_time=1.7 us",
        "single_frame_time=20.2 us",
    )
)
CASES = {
    "reads": ("workload.read_fraction=1",),
    "writes": ("workload.read_fraction=0",),
    "mixture": ("workload.read_fraction=0.5",),
    "command-first": ("controller.schedule=command-first", "workload.size=64 KiB"),
    "full-duplex": ("controller.port.full_duplex=true", "drives.port.full_duplex=true"),
    "queue-depth-4": ("workload.queue_depth=4",),
    "drives-at-work-on-several": ("workload.queue_depth=4", "drives.concurrency=3"),
    "five-drives": ("drives.count=5",),
    "several-bursts": ("workload.size=100 KiB", "drives.burst=16 KiB", "drives.read_sequence=32 KiB"),
}


@dataclass
class Run:
    """A run with its timeline and what it has to agree with."""

    path: Path
    timeline: Timeline
    summary: dict[str, Any]
    ios: pl.DataFrame

    @property
    def loop(self) -> dict[str, Any]:
        """What the result says of the loop."""
        found: dict[str, Any] = self.summary["components"]["loop"]
        return found


def run(folder: Path, *settings: str, scenario: Path = SMALL, options: tuple[str, ...] = ()) -> Run:
    """Runs a scenario with a timeline. The only place that knows the command, which it runs in this process."""
    out = folder / f"run-{len(list(folder.iterdir()))}"
    path = out.with_suffix(".pftrace")
    sets = [word for setting in settings for word in ("--set", setting)]
    done = within(folder)("run", scenario, *sets, "--timeline", path, "--out", out, "--json", *options)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)["summary"]
    return Run(path, perfetto_reader.read(path), summary, pl.read_parquet(out / "ios.parquet"))


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """One run of each kind, read once for all tests."""
    return run(tmp_path_factory.mktemp("timeline"), *WHOLE, *BUSY, *CASES[request.param])


def ios_of(timeline: Timeline) -> dict[int, Slice]:
    """The slices of I/Os by number."""
    found = {int(s.arguments["io"]): s for s in timeline.slices("io")}
    assert len(found) == len(list(timeline.slices("io")))
    return found


def segments_of(timeline: Timeline) -> dict[int, list[Slice]]:
    """The segments of each I/O."""
    found: dict[int, list[Slice]] = defaultdict(list)
    for segment in timeline.slices("segment"):
        around = segment.parent
        if around is not None and around.category == "waiting":
            around = around.parent
        assert around is not None
        assert around.category == "io"
        found[int(around.arguments["io"])].append(segment)
    return found


def test_segments_in_which_an_io_waits_are_drawn_as_waiting(case: Run) -> None:
    for segment in case.timeline.slices("segment"):
        assert segment.parent is not None
        assert (segment.parent.category == "waiting") == known_segments()[segment.name].waits, segment.name
    for waiting in case.timeline.slices("waiting"):
        parts = [s for s in waiting.track.slices if s.parent is waiting]
        assert (waiting.begin, waiting.end) == (parts[0].begin, parts[-1].end)


def test_nothing_overlaps_where_it_cannot(case: Run) -> None:
    for track in case.timeline.tracks.values():
        deepest = max((s.depth for s in track.slices), default=0)
        # An I/O, its waiting, and the segments of that.
        assert deepest == (2 if track.path.startswith("I/Os > ") else 0), track.path
        for before, after in pairwise(track.slices):
            if before.depth == after.depth:
                assert before.end <= after.begin, track.path


def test_tracks_stand_under_the_loop_the_ios_and_the_stations(case: Run) -> None:
    drives = {f"drives[{n}]" for n in range(case.ios["drive"].n_unique())}
    root, *tracks = case.timeline.tracks.values()
    assert root.parent is None
    assert {track.name for track in tracks if track.parent is root} == {"loop", "I/Os", "controller"} | drives
    ranks = sorted((track.rank, track.name) for track in tracks if track.parent is root)
    assert [name for _, name in ranks][:3] == ["loop", "I/Os", "controller"]


def test_segments_add_up_to_the_slice_and_to_the_table(case: Run) -> None:
    slices, segments = ios_of(case.timeline), segments_of(case.timeline)
    assert set(slices) == set(case.ios["io"])
    for row in case.ios.iter_rows(named=True):
        whole, parts = slices[row["io"]], segments[row["io"]]
        assert (whole.arguments["lba"], whole.arguments["bytes"]) == (row["lba"], row["bytes"])
        kind = "write" if row["write"] else "read"
        assert whole.name.startswith(kind)
        assert whole.begin == int(row["issued_ns"] + 1e-3)
        assert abs(whole.length - row["response_time_ns"]) <= 1
        # They follow each other without a gap, so that they add up exactly.
        assert [s.begin for s in parts] == [whole.begin, *(s.end for s in parts[:-1])]
        assert parts[-1].end == whole.end
        spent: Counter[str] = Counter()
        for part in parts:
            spent[part.name] += part.length
        for name in known_segments():
            pieces = sum(part.name == name for part in parts)
            everywhere = sum(time for column, time in row.items() if column.endswith(f".{name}_ns"))
            assert abs(spent[name] - everywhere) <= pieces, name
        assert set(spent) <= set(known_segments())


def test_a_flow_leads_each_io_through_controller_and_drive(case: Run) -> None:
    visited: dict[int, set[str]] = defaultdict(set)
    for track in case.timeline.tracks.values():
        for found in track.slices:
            for flow in found.flows:
                visited[flow].add(track.path)
                if "io" in found.arguments:
                    assert found.arguments["io"] == flow - 1
    slices = ios_of(case.timeline)
    assert set(visited) == {io + 1 for io in slices}
    for row in case.ios.iter_rows(named=True):
        # The first station is the controller.
        drive = f"drives[{row['drive'] - 1}]"
        passed = visited[row["io"] + 1]
        assert {path.split(" > ")[0] for path in passed} == {"I/Os", "controller", drive}
        assert {"controller > frames out", f"{drive} > frames out"} <= passed
        assert any(path.startswith(f"{drive} > drive ") for path in passed)


def test_the_work_of_the_drives_is_that_of_the_table(case: Run) -> None:
    spent: Counter[tuple[int, str]] = Counter()
    pieces: Counter[tuple[int, str]] = Counter()
    for found in case.timeline.slices("drive"):
        spent[int(found.arguments["io"]), found.name] += found.length
        pieces[int(found.arguments["io"]), found.name] += 1
    for row in case.ios.iter_rows(named=True):
        for name, segment in (("access", "drives.access_ns"), ("media transfer", "drives.media_transfer_ns")):
            assert abs(spent[row["io"], name] - row[segment]) <= pieces[row["io"], name]


def test_blocks_work_as_long_as_the_result_says(case: Run) -> None:
    simulated_ns = case.summary["simulated_s"] * 1e9
    kinds = {io: found.name.split()[0] for io, found in ios_of(case.timeline).items()}
    busy: Counter[str] = Counter()
    for job in case.timeline.slices("adapter"):
        assert job.name == f"{kinds[int(job.arguments['io'])]} #{job.arguments['io']}"
        busy[job.track.path] += job.length
    for key, name in {
        "processor": "processor",
        "dma": "dma",
        "incoming": "incoming",
        "single_frame": "single frame",
    }.items():
        share = busy[f"controller > {name}"] / simulated_ns
        assert share == pytest.approx(case.summary["components"]["controller"][key], rel=1e-3), name
    for way in ("in", "out"):
        # A microsecond for each I/O.
        assert busy[f"controller > messages {way}"] == pytest.approx(1000 * len(case.ios), abs=len(case.ios))


def test_gauges_end_where_the_system_is_empty(case: Run) -> None:
    counters = {track.path: track.values for track in case.timeline.tracks.values() if track.is_counter}
    assert "controller > outstanding" in counters
    assert "drives[0] > buffers" in counters
    for path, values in counters.items():
        assert values[-1][1] == 0, path
        for before, after in pairwise(values):
            assert before[1] != after[1], path
    # All requests of the closed workload are with the adapter, for the driver takes no time.
    lanes = [track for track in case.timeline.tracks.values() if track.path.startswith("I/Os > ")]
    assert max(value for _, value in counters["controller > outstanding"]) == len(lanes)


def test_frames_are_those_that_the_result_counts(case: Run) -> None:
    frames = list(case.timeline.slices("frame"))
    assert len(frames) == case.loop["frames"]
    by_words: dict[int, set[int]] = defaultdict(set)
    for frame in frames:
        by_words[int(frame.arguments["words"])].add(frame.length)
    word_ns = 40 / 2.125
    for words, lengths in by_words.items():
        # Rounding moves each end by less than a nanosecond.
        assert all(abs(length - words * word_ns) < 1 for length in lengths), words
    on_the_wire = sum(frame.length for frame in frames) / (case.summary["simulated_s"] * 1e9)
    assert on_the_wire == pytest.approx(case.loop["utilisation"] + case.loop["both_ways"], rel=1e-3)
    data_of: dict[int, list[Slice]] = defaultdict(list)
    for frame in frames:
        if frame.name == "FCP_DATA":
            data_of[int(frame.arguments["io"])].append(frame)
    for row in case.ios.iter_rows(named=True):
        data = data_of[row["io"]]
        assert sum(int(f.arguments["bytes"]) for f in data) == row["bytes"]
        goes_to = f"drives[{row['drive'] - 1}]" if row["write"] else "controller"
        assert {f.arguments["to"] for f in data} == {goes_to}


def test_tenancies_are_those_that_the_result_counts(case: Run) -> None:
    tenancies = case.timeline.track("loop").slices
    assert len(tenancies) == case.loop["tenancies"]
    owned = sum(t.length for t in tenancies) / (case.summary["simulated_s"] * 1e9)
    assert owned == pytest.approx(case.loop["owned"], rel=0.02)
    for direction in ("frames", "bytes"):
        sent = sum(int(t.arguments[f"{direction}_{way}"]) for t in tenancies for way in ("out", "in"))
        assert sent == (case.loop["frames"] if direction == "frames" else case.ios["bytes"].sum())
    assert all(int(t.arguments["circuits"]) >= 1 for t in tenancies)


def test_what_owners_of_the_loop_receive_is_told_of_tenancies_too(tmp_path: Path) -> None:
    # In full duplex either of two nodes sends while the other owns the loop.
    done = run(tmp_path, *WHOLE, scenario=TWO_NODES)
    sums = Counter[tuple[str, str]]()
    for tenancy in done.timeline.track("loop").slices:
        for way in ("out", "in"):
            sums[tenancy.name, way] += int(tenancy.arguments[f"bytes_{way}"])
    written, read = (
        done.ios.filter(pl.col("write") == write).select(pl.col("bytes").sum()).item() for write in (True, False)
    )
    assert sums["controller", "out"] + sums["drive[0]", "in"] == written
    assert sums["drive[0]", "out"] + sums["controller", "in"] == read
    assert min(sums.values()) > 0
    assert len(sums) == 4


def test_a_tenancy_is_what_its_owner_does_from_winning_to_repeating(case: Run) -> None:
    for tenancy in case.timeline.track("loop").slices:
        states = case.timeline.track(f"{tenancy.name} > port").slices
        own = [s for s in states if tenancy.begin <= s.begin < tenancy.end]
        assert own[0].name == "ARBITRATION WON"
        assert own[0].begin == tenancy.begin
        assert sum(s.length for s in own) == tenancy.length
        assert {s.name for s in own} <= {
            "ARBITRATION WON",
            "OPEN",
            "TRANSMITTED CLOSE",
            "RECEIVED CLOSE",
            "TRANSFER",
        }


def test_ports_spend_their_time_as_it_must_be(case: Run) -> None:
    spent: Counter[str] = Counter()
    for state in case.timeline.slices("port"):
        spent[state.name] += state.length
    assert "MONITORING" not in spent
    assert {"ARBITRATING", "ARBITRATION WON", "OPEN", "OPENED"} <= set(spent)
    tenancies = sum(t.length for t in case.timeline.track("loop").slices)
    # While a port owns the loop at most one other is in a circuit with it.
    assert spent["OPEN"] + spent["ARBITRATION WON"] < tenancies
    assert 0.5 * tenancies < spent["OPENED"] < tenancies
    won = sum(s.name == "ARBITRATION WON" for s in case.timeline.slices("port"))
    assert spent["ARBITRATION WON"] < won * 10 * 40 / 2.125


def test_signals_pair_up(case: Run) -> None:
    signals: Counter[str] = Counter()
    for track in case.timeline.tracks.values():
        signals.update(name.split("(")[0] for _, name in track.instants)
    circuits = sum(int(t.arguments["circuits"]) for t in case.timeline.track("loop").slices)
    assert signals["OPN"] == circuits
    assert signals["CLS"] == 2 * circuits
    assert signals["R_RDY"] >= case.loop["frames"]


def test_drives_at_work_on_several_commands_have_a_lane_for_each(tmp_path: Path) -> None:
    done = run(tmp_path, *WHOLE, "drives.count=1", "workload.queue_depth=8", "drives.concurrency=3")
    lanes = [t.name for t in done.timeline.tracks.values() if t.path.startswith("drives[0] > drive ")]
    assert lanes == ["drive 1", "drive 2", "drive 3"]
    lanes = [t.name for t in done.timeline.tracks.values() if t.path.startswith("I/Os > ")]
    assert lanes == [f"I/O lane {n}" for n in range(1, 9)]


def test_titles_name_size_and_drive(tmp_path: Path) -> None:
    done = run(tmp_path, *WHOLE, "workload.size=64 KiB")
    assert {s.name for s in done.timeline.slices("io")} == {
        f"{verb} drives[{n}]" for verb in ("read 64 KiB from", "write 64 KiB to") for n in (0, 1)
    }


@pytest.mark.parametrize("loop", ["fast", "reference"])
def test_the_file_is_the_same_twice(loop: str, tmp_path: Path) -> None:
    first, second = (run(tmp_path, *WHOLE, options=(f"--loop={loop}",)).path for _ in range(2))
    assert first.read_bytes() == second.read_bytes()


def test_both_loops_give_the_same_slices(tmp_path: Path) -> None:
    def content(loop: str) -> dict[str, list[tuple[int, int, str]]]:
        done = run(tmp_path, *WHOLE, options=(f"--loop={loop}",))
        tracks = done.timeline.tracks.values()
        return {t.path: [(s.begin, s.end, s.name) for s in t.slices] for t in tracks if t.slices}

    assert content("fast") == content("reference")


def test_the_warm_up_is_shown_too(tmp_path: Path) -> None:
    done = run(tmp_path, "run.warm_up=3", "run.measured_ios=40")
    assert set(ios_of(done.timeline)) == set(range(40 + 2 * 3 * 4))
    assert len(done.ios) == 40


def test_the_base_scenario_is_valid(tmp_path: Path) -> None:
    done = run(tmp_path, *WHOLE, scenario=BASE)
    assert len(ios_of(done.timeline)) == 80
    assert len(done.timeline.track("loop").slices) == done.loop["tenancies"]


@pytest.mark.parametrize("loop", ["fast", "reference"])
def test_a_window_shows_what_happens_in_it(loop: str, tmp_path: Path) -> None:
    begin, end = 20_000_000, 35_000_000
    whole = run(tmp_path, *WHOLE, options=(f"--loop={loop}",)).timeline
    window = (f"--trace-from={begin} ns", f"--trace-to={end} ns")
    part = run(tmp_path, *WHOLE, options=(f"--loop={loop}", *window)).timeline
    for track in part.tracks.values():
        for found in track.slices:
            assert begin <= found.begin <= found.end <= end, track.path
        assert all(begin <= at <= end for at, _ in [*track.instants, *track.values])
    for category in ("frame", "adapter", "drive", "tenancy"):
        inside = {
            (s.track.path, s.name, s.begin, s.end) for s in whole.slices(category) if begin <= s.begin and s.end < end
        }
        shown = {(s.track.path, s.name, s.begin, s.end) for s in part.slices(category)}
        assert inside <= shown, category
    uncut = [s for s in part.slices("io") if not {"cut_begin", "cut_end"} & set(s.arguments)]
    inside_ios = {s.arguments["io"]: s.length for s in whole.slices("io") if begin <= s.begin and s.end < end}
    assert {s.arguments["io"]: s.length for s in uncut} == inside_ios
    assert inside_ios
    assert any("cut_begin" in s.arguments for s in part.slices("io"))
    assert any("cut_end" in s.arguments for s in part.slices("io"))


def test_windows_about_the_slowest_ios_show_them_whole(tmp_path: Path) -> None:
    done = run(tmp_path, *WHOLE, options=("--trace-slowest=3",))
    slowest = done.ios.sort("response_time_ns", descending=True).head(3)
    shown = {int(s.arguments["io"]): s for s in done.timeline.slices("io")}
    for row in slowest.iter_rows(named=True):
        found = shown[row["io"]]
        assert not {"cut_begin", "cut_end"} & set(found.arguments)
        assert abs(found.length - row["response_time_ns"]) <= 1
    assert len(shown) < len(done.ios)
