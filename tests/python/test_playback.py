"""The playback of a run agrees with the tables, the timeline and the trace of the same run."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import perfetto_reader
import playback_reader
from conftest import within
from playback_reader import NONE, NONE_SHORT, Playback

pytestmark = pytest.mark.slow

SCENARIOS = Path(__file__).parents[2] / "scenarios"
WHOLE = ("run.warm_up=0", "run.duration=none", "run.measured_ios=60")
CASES = {
    "loop": "wang-2005-base.toml",
    "loop-switch": "sbod-30.toml",
    "fabric": "two-hosts-one-switch.toml",
    "two-fabrics": "dual-fabric.toml",
    "raid-with-cache": "raid-5-cache.toml",
    "loop-behind-fabric": "loop-behind-switch.toml",
    "scsi-bus": "scsi-bus.toml",
    "tcp": "nas.toml",
    "ethernet": "nvme-tcp.toml",
    "rdma": "nvme-rdma.toml",
    "pcie": "direct-nvme.toml",
    "metadata": "metadata-controller.toml",
}
WRITE, BACKGROUND, OPEN = 1, 2, 4


def record(folder: Path, scenario: Path, *options: str | Path, sets: tuple[str, ...] = WHOLE) -> tuple[Playback, Path]:
    """Runs a scenario with a playback; returns the file and the folder of the run."""
    out, file = folder / "run", folder / "out.sansim"
    given = [word for setting in sets for word in ("--set", setting)]
    done = within(folder)("run", scenario, *given, "--playback", file, "--out", out, "--json", *options)
    assert done.returncode == 0, done.stderr
    return playback_reader.read(file), out


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Playback, Path]:
    """A whole run of each kind, read once for all tests."""
    path = SCENARIOS / CASES[request.param]
    if not path.exists():
        pytest.fail(f"there is no scenario {path.name}")
    return record(tmp_path_factory.mktemp("playback"), path)


def merged(playback: Playback) -> dict[int, dict[str, int]]:
    """The requests, each once: with its end if it is in the file, else with the duration so far."""
    found: dict[int, dict[str, int]] = {}
    for row in playback.tables["requests"]:
        before = found.get(row["request"])
        if before is None or before["t0"] + before["dt"] <= row["t0"] + row["dt"]:
            begin = row["t0"] if before is None else min(before["t0"], row["t0"])
            found[row["request"]] = {**row, "t0": begin, "dt": row["t0"] + row["dt"] - begin}
    return found


def test_requests_are_those_of_the_table_with_their_response_times(case: tuple[Playback, Path]) -> None:
    playback, out = case
    requests = [row for row in merged(playback).values() if row["parent"] == NONE and not row["flags"] & BACKGROUND]
    by_io = {(row["workload"], row["io"]): row for row in requests}
    names = [workload["name"] for workload in playback.header["workloads"]]
    ios = pl.read_parquet(out / "ios.parquet")
    assert ios.height
    for row in ios.iter_rows(named=True):
        workload = names.index(row["workload"]) if "workload" in row and row["workload"] is not None else 0
        mine = by_io.get((workload, row["io"]))
        if mine is None:
            mine = next(found for found in requests if found["io"] == row["io"])
        assert bool(mine["flags"] & WRITE) == row["write"]
        assert (mine["bytes"], mine["block"] + (mine["block_high"] << 32)) == (row["bytes"], row["lba"])
        assert mine["t0"] == int(row["issued_ns"] + 1e-3)
        assert abs(mine["dt"] - row["response_time_ns"]) <= 1


def test_dwells_and_the_times_of_children_lie_end_to_end(case: tuple[Playback, Path]) -> None:
    playback, _ = case
    requests = merged(playback)
    dwells: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for row in playback.tables["dwells"]:
        dwells[row["request"]].append((row["t0"], row["t0"] + row["dt"]))
    children: dict[int, set[int]] = defaultdict(set)
    ends: dict[int, set[int]] = defaultdict(set)
    for row in requests.values():
        if row["parent"] != NONE:
            children[row["parent"]].add(row["t0"])
            ends[row["parent"]].add(row["t0"] + row["dt"])
    complete = [row for row in requests.values() if not row["flags"] & OPEN]
    assert complete
    for row in complete:
        at = row["t0"]
        for begin, end in sorted(dwells[row["request"]]):
            if begin != at:
                # In the gap the request was where a child was.
                assert at in children[row["request"]] | {row["t0"]}
                assert begin in ends[row["request"]]
            at = end
        last = row["t0"] + row["dt"]
        assert at == last or last in ends[row["request"]]


def test_every_dwell_is_at_a_member_of_its_place(case: tuple[Playback, Path]) -> None:
    playback, _ = case
    lines, components = playback.header["lines"], playback.header["components"]
    known = 0
    for row in playback.tables["dwells"]:
        if row["component"] == NONE_SHORT:
            continue
        known += 1
        place = lines[row["line"]]["place"]
        assert re.sub(r"\[\d+\]", "", components[row["component"]]["name"]) == re.sub(r"\[\d+\]", "", place)
    assert known > 0.98 * len(playback.tables["dwells"])


def test_every_frame_arrives_at_its_receiver_once_and_in_order_of_its_links(case: tuple[Playback, Path]) -> None:
    playback, _ = case
    stations, kinds = playback.header["stations"], playback.index["kinds"]
    hops: dict[int, list[dict[str, int]]] = defaultdict(list)
    for row in playback.tables["moves"]:
        kind = kinds[row["kind"]]
        if kind["signal"]:
            assert row["frame"] == NONE
            assert row["bytes"] == 0
            continue
        hops[row["frame"]].append(row)
    assert hops
    for moves in hops.values():
        receivers = {row["receiver"] for row in moves}
        assert len(receivers) == 1
        for before, after in itertools.pairwise(moves):
            # The next link begins at the switch to which the last one led, after the first word was there.
            assert before["arrives"] != NONE
            assert after["t0"] >= before["t0"] + before["arrives"]
            one, other = stations[before["to"]], stations[after["from"]]
            # Between two networks it passes a port that is at both.
            assert one["network"] == other["network"] or (one["role"], other["role"]) == ("passive", "passive")
            assert one["network"] != other["network"] or one["switch"] == other["switch"]
        if moves[-1]["arrives"] != NONE:
            assert moves[-1]["to"] == moves[-1]["receiver"] or stations[moves[-1]["to"]]["role"] == "passive"


def test_frames_are_those_of_the_timeline(tmp_path: Path) -> None:
    for name in ("wang-2005-base.toml", "two-hosts-one-switch.toml", "loop-behind-switch.toml"):
        folder = tmp_path / name
        folder.mkdir()
        playback, _ = record(folder, SCENARIOS / name, "--timeline", folder / "out.pftrace")
        timeline = perfetto_reader.read(folder / "out.pftrace")
        drawn = Counter(
            (found.track.path.removesuffix(" > frames out"), found.name, found.begin, found.length)
            for found in timeline.slices("frame")
            if found.track.path.endswith(" > frames out")
        )
        buffered = Counter(
            (found.track.path.split(" > ")[0], found.begin, found.length)
            for found in timeline.slices("frame")
            if " > buffer " in found.track.path
        )
        stations, kinds = playback.header["stations"], playback.index["kinds"]
        mine = Counter(
            (stations[row["from"]]["name"], kinds[row["kind"]]["name"], row["t0"], row["dt"])
            for row in playback.tables["moves"]
            if not kinds[row["kind"]]["signal"]
        )
        # At the end of the run the timeline cuts what is under way.
        assert sum(((mine - drawn) + (drawn - mine)).values()) <= 4
        assert mine.total() > 100
        lanes = playback.index["lanes"]
        held = Counter(
            (stations[lanes[row["lane"]]["station"]]["name"], row["t0"], row["dt"])
            for row in playback.tables["jobs"]
            if lanes[row["lane"]]["what"] == "buffers"
        )
        assert sum(((held - buffered) + (buffered - held)).values()) <= 4


def test_states_and_frames_are_those_of_the_trace_at_random_moments(tmp_path: Path) -> None:
    """The trace runs on the reference loop, in which every port sees every word."""
    scenario = SCENARIOS / "wang-2005-base.toml"
    playback, _ = record(tmp_path, scenario, sets=(*WHOLE, "drives.count=6"))
    given = [word for setting in (*WHOLE, "drives.count=6") for word in ("--set", setting)]
    trace = tmp_path / "out.trace"
    done = within(tmp_path)("run", scenario, *given, "--trace", trace, "--trace-states", "--trace-limit", "none")
    assert done.returncode == 0, done.stderr
    states: dict[str, list[tuple[int, str]]] = defaultdict(list)
    frames: dict[str, list[tuple[int, str]]] = defaultdict(list)
    addresses = {station["name"]: station["address"] for station in playback.header["stations"]}
    for line in trace.read_text().splitlines()[2:]:
        at, _, port, count, what, *rest = line.split()
        hours, minutes, seconds, rest_ns = re.split(r"[:.]", at)
        ns = (int(hours) * 3600 + int(minutes) * 60 + int(seconds)) * 10**9 + int(rest_ns.replace("_", ""))
        if what == "=>":
            states[port].append((ns, " ".join(rest)))
        elif what.startswith("SOF") and rest[2].startswith(f"{addresses[port]}->"):
            # Other ports repeat the frame.
            frames[port].append((ns, rest[1]))
        assert count
    names = [station["name"] for station in playback.header["stations"]]
    stepped: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for row in playback.tables["steps"]:
        lane = playback.index["lanes"][row["lane"]]
        if lane["what"] == "state":
            stepped[names[lane["station"]]].append((row["t"], lane["states"][row["value"]]))
    sent: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for row in playback.tables["moves"]:
        kind = playback.index["kinds"][row["kind"]]
        if not kind["signal"]:
            sent[names[row["from"]]].append((row["t0"], kind["name"]))
    ends = max(at for rows in states.values() for at, _ in rows)
    draws = random.Random(56)

    def value_at(rows: list[tuple[int, str]], moment: int) -> str:
        before = [value for time, value in sorted(rows, key=lambda row: row[0]) if time <= moment]
        return before[-1] if before else "MONITORING"

    moments = [draws.randrange(ends) for _ in range(100)]
    for port in states:
        edges = {time for time, _ in states[port]}
        for moment in moments:
            # Times of the trace are rounded; a moment next to a transition is left out.
            if not edges & set(range(moment - 2, moment + 3)):
                assert value_at(stepped[port], moment) == value_at(states[port], moment), (port, moment)
        written = [kind for _, kind in frames[port]]
        assert written == [kind for _, kind in sorted(sent[port])]
        assert all(abs(one - other) <= 1 for (one, _), (other, _) in zip(frames[port], sorted(sent[port]), strict=True))


def test_a_window_shows_what_the_whole_file_shows_in_it(tmp_path: Path) -> None:
    for name in ("two-hosts-one-switch.toml", "raid-5-cache.toml"):
        folder = tmp_path / name
        folder.mkdir()
        whole, _ = record(folder, SCENARIOS / name)
        last = max(row["t0"] + row["dt"] for row in whole.tables["requests"])
        begin, end = last // 3, last // 2
        part, _ = record(folder, SCENARIOS / name, "--trace-from", f"{begin} ns", "--trace-to", f"{end} ns", "--force")
        assert part.index["windows"] == [[begin, end]]

        def moves(playback: Playback, begin: int = begin, end: int = end) -> Counter[tuple[Any, ...]]:
            kinds = playback.index["kinds"]
            return Counter(
                (kinds[row["kind"]]["name"], row["t0"], row["dt"], row["arrives"], row["from"], row["to"])
                for row in playback.tables["moves"]
                if begin <= row["t0"] < end and row["arrives"] != NONE and row["t0"] + row["arrives"] < end
            )

        assert moves(part) == moves(whole)
        # A cut request has no dwells behind its fork until a child of it is complete.
        unfinished = {row["request"] for row in part.tables["requests"] if row["flags"] & OPEN}
        draws = random.Random(3)
        for moment in (draws.randrange(begin, end) for _ in range(40)):

            def where(
                playback: Playback, moment: int = moment, unfinished: set[int] = unfinished
            ) -> set[tuple[int, int, int]]:
                open_ = {
                    row["request"]: row["io"]
                    for row in playback.tables["requests"]
                    if row["t0"] <= moment < row["t0"] + row["dt"] and row["request"] not in unfinished
                }
                return {
                    (open_[row["request"]], row["line"], row["component"])
                    for row in playback.tables["dwells"]
                    if row["t0"] <= moment < row["t0"] + row["dt"] and row["request"] in open_
                }

            def values(playback: Playback, moment: int = moment) -> dict[tuple[Any, ...], int]:
                lanes = playback.index["lanes"]
                found: dict[tuple[Any, ...], int] = {}
                for row in playback.tables["steps"]:
                    if row["t"] <= moment:
                        lane = lanes[row["lane"]]
                        found[lane["what"], lane["name"], lane["component"], lane["station"]] = row["value"]
                return {lane: value for lane, value in found.items() if value}

            assert where(part) == where(whole)
            assert values(part) == values(whole)


def test_a_playback_changes_no_figure(tmp_path: Path) -> None:
    for name in ("wang-2005-base.toml", "two-hosts-one-switch.toml", "scsi-bus.toml", "nas.toml", "raid-5-cache.toml"):
        summaries = []
        for number, more in enumerate(([], ["--playback", tmp_path / "p.sansim", "--force"])):
            given = [word for setting in WHOLE for word in ("--set", setting)]
            done = within(tmp_path)(
                "run", SCENARIOS / name, *given, *more, "--json", "--out", tmp_path / f"{name}{number}"
            )
            assert done.returncode == 0, done.stderr
            summaries.append(json.loads(done.stdout)["summary"])
        assert summaries[0] == summaries[1]


def test_chunks_are_bounded_and_a_limit_ends_the_file(tmp_path: Path) -> None:
    sets = ("run.warm_up=0", "run.measured_ios=1500")
    whole, _ = record(tmp_path, SCENARIOS / "two-hosts-one-switch.toml", sets=sets)
    chunks = whole.index["chunks"]
    assert len(chunks) > 1
    for chunk, following in itertools.pairwise(chunks):
        assert sum(chunk["rows"].values()) < 140_000
        assert chunk["to_ns"] == following["from_ns"]
    file = tmp_path / "short.sansim"
    given = [word for setting in sets for word in ("--set", setting)]
    scenario = SCENARIOS / "two-hosts-one-switch.toml"
    done = within(tmp_path)("run", scenario, *given, "--playback", file, "--trace-limit", "900 KB")
    assert done.returncode == 0, done.stderr
    short = playback_reader.read(file)
    assert short.index["limited"]
    assert file.stat().st_size < 1_000_000
    assert short.index["chunks"][0]["rows"] == chunks[0]["rows"]


def test_a_file_of_another_kind_is_kept(tmp_path: Path) -> None:
    mine = tmp_path / "notes.txt"
    mine.write_text("measured last week")
    done = within(tmp_path)("run", SCENARIOS / "two-nodes.toml", "--playback", mine)
    assert done.returncode != 0
    assert "no playback of sansim" in done.stderr or "a playback of sansim" in done.stderr
    assert mine.read_text() == "measured last week"
