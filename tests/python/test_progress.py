"""The live lines: how far a run or a study is, and how long it still takes, held against what a clock then showed."""

from __future__ import annotations

import io
import itertools
import time
from types import SimpleNamespace
from typing import Any

import pytest

from sansim.api import resolve
from sansim.progress import LiveLine, RunsLine, WorkLine, line, seconds_left, study_line
from sansim.study.jobs.execute import Counter
from sansim.study.jobs.execute import Progress as StudyProgress
from sansim.study.jobs.pace import Pace, frames_of

BASE = "scenarios/wang-2005-base.toml"


class Workshop:
    """Jobs that take a known time on some workers, on a clock of its own."""

    def __init__(self, works: list[float], width: int, constant_s: float, per_work_s: float) -> None:
        """Takes the work of each job, in the order in which they are begun."""
        self.now = 0.0
        self.keys = [str(place) for place in range(len(works))]
        self.pace = Pace(dict(zip(self.keys, works, strict=True)), width, lambda: self.now)
        self.takes = {key: constant_s + per_work_s * work for key, work in zip(self.keys, works, strict=True)}
        self.width = width
        self.said: list[tuple[float, float | None]] = []
        """When, and how long it was said to take from then."""

    def run(self, *, tell_beginnings: bool = True, step_s: float = 0.01) -> float:
        """Runs all, asking now and then; answers when the last one was over."""
        waiting, running = list(self.keys), dict[str, float]()
        while waiting or running:
            while waiting and len(running) < self.width:
                key = waiting.pop(0)
                running[key] = self.now + self.takes[key]
                if tell_beginnings:
                    self.pace.begun(key)
            end = min(running.values())
            while self.now + step_s < end:
                self.now += step_s
                self.said.append((self.now, self.pace.seconds_left()))
            self.now = end
            for key in [key for key, until in running.items() if until <= end]:
                del running[key]
                self.pace.over([key], self.takes[key])
            self.said.append((self.now, self.pace.seconds_left()))
        return self.now


SMALL_FIRST = [1_000.0] * 20 + [100_000.0, 100_000.0, 200_000.0]


@pytest.mark.parametrize(("width", "constant_s"), [(1, 0.0), (1, 0.002), (2, 0.0), (2, 0.01), (4, 0.0)])
def test_a_study_whose_large_jobs_come_last_says_how_long_it_really_takes(width: int, constant_s: float) -> None:
    shop = Workshop(SMALL_FIRST, width, constant_s, 1e-4)
    end = shop.run()
    told = [(at, left) for at, left in shop.said if left is not None]
    assert len(told) > 0.9 * len(shop.said)
    # A constant part is known only when two jobs of different size are done: until then it counts as work.
    slack = 1.1 + 20 * constant_s
    for at, left in told:
        assert (end - at) / 1.25 - 0.05 <= left <= (end - at) * slack + 0.05, f"{left} s at {at} of {end}"
    # By their number twenty of 23 jobs were nearly all.
    small_over = 20 * (0.1 + constant_s) / width
    assert small_over * 3 / 20 < 0.1 * (end - small_over)


def test_the_time_left_runs_down_while_a_long_job_runs() -> None:
    shop = Workshop([100.0, 100.0, 10_000.0], 1, 0.0, 1e-3)
    shop.run()
    left = [left for at, left in shop.said if at > 0.21 and left is not None]
    assert left[0] == pytest.approx(10.0, abs=0.05)
    assert all(a > b for a, b in itertools.pairwise(left))


def test_a_job_that_takes_longer_than_expected_is_not_said_to_be_over() -> None:
    now = 0.0
    pace = Pace({"a": 100.0, "b": 100.0}, 1, lambda: now)
    pace.begun("a")
    assert pace.seconds_left() is None
    now = 1.0
    pace.over(["a"], 1.0)
    pace.begun("b")
    assert pace.seconds_left() == pytest.approx(1.0)
    now = 9.0
    # Seven seconds late, and perhaps as late again.
    assert pace.seconds_left() == pytest.approx(7.0)
    pace.over(["b"], None)
    assert pace.seconds_left() == 0.0


@pytest.mark.parametrize("width", [1, 3])
def test_on_a_cluster_where_beginnings_are_not_known_the_time_left_is_near(width: int) -> None:
    shop = Workshop(SMALL_FIRST, width, 0.0, 1e-4)
    end = shop.run(tell_beginnings=False)
    first = next(left for at, left in shop.said if left is not None and at >= 20 * 0.1 / width - 0.01)
    assert first == pytest.approx(end - 20 * 0.1 / width, rel=0.35)


def test_jobs_of_unknown_size_count_like_the_others() -> None:
    now = 0.0
    pace = Pace({"a": 100.0, "b": None, "c": 300.0}, 1, lambda: now)
    pace.over(["a"], 1.0)
    assert pace.seconds_left() == pytest.approx(2.0 + 3.0)
    unknown = Pace({"a": None, "b": None, "c": None}, 1, lambda: now)
    unknown.over(["a"], 2.0)
    assert unknown.seconds_left() == pytest.approx(4.0)


def test_the_work_of_a_job_grows_with_its_ios_and_their_size() -> None:
    def frames(**settings: str | int) -> float | None:
        overrides: dict[str, Any] = {
            f"run.{key}" if key != "size" else "workload.size": value for key, value in settings.items()
        }
        return frames_of(resolve(BASE, overrides))

    few, many, large = (
        frames(measured_ios=1_000),
        frames(measured_ios=100_000),
        frames(measured_ios=1_000, size="1 MiB"),
    )
    assert few is not None and many is not None and large is not None
    assert many > 50 * few and large > 5 * few
    assert frames(measured_ios="none", duration="1 s") is None
    assert frames_of("no scenario") is None


def progress(**values: Any) -> Any:
    """How far a run is."""
    usual: dict[str, Any] = {"simulated_s": 1.0, "wall_s": 10.0, "ios": 250, "total_ios": 1_000, "open_end": False}
    usual |= {"preparing": None, "prepared": 1.0, "preparing_s": 0.0}
    return SimpleNamespace(**{"pass_number": 1, "passes": 1, **usual, **values})


def test_the_line_of_a_run_says_how_long_it_still_takes() -> None:
    assert "25%  30 s left  1.00 s simulated in 10.0 s" in line(progress())
    assert "100%  0 s left" in line(progress(ios=1_000))
    # Too early to say.
    assert "left" not in line(progress(wall_s=0.5))
    assert "left" not in line(progress(ios=0))
    # The slowest I/Os are found by a run of their own: after the 30 s of this one come the 40 s of the next.
    assert "run 1 of 2" in line(progress(passes=2)) and "1 min 10 s left" in line(progress(passes=2))
    assert seconds_left(progress(passes=2, pass_number=2)) == 30.0
    # What was done before simulated time began says nothing of the pace, and is done again before the next run.
    filled = progress(wall_s=110.0, preparing_s=100.0, passes=2)
    assert seconds_left(filled) == 30.0 + 100.0 + 40.0
    # Until it is known whether the precision is reached.
    assert "30 s or more left" in line(progress(open_end=True))
    # On a usual terminal nothing is cut off.
    assert len(line(progress(simulated_s=123.456, wall_s=100.0))) < 80


def test_the_line_says_what_is_done_before_simulated_time_begins_and_how_long_that_still_takes() -> None:
    filling = progress(preparing="filling the drives", prepared=0.25, preparing_s=10.0)
    assert " 25%  30 s or less left  filling the drives before simulated time begins" in line(filling)
    assert "left" not in line(progress(preparing="filling the drives", prepared=0.25, preparing_s=0.5))


def test_the_line_of_a_study_says_how_long_it_still_takes() -> None:
    assert study_line(StudyProgress(total=23, done=20, seconds_left=20.0)).endswith("20 of 23 runs, 20 s left")
    assert "left" not in study_line(StudyProgress(total=23))


class Clock:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_pipe_gets_a_line_every_ten_seconds_and_none_for_less() -> None:
    clock, pipe = Clock(), io.StringIO()
    with LiveLine[int](pipe, lambda number: f"{number} done", clock) as live:
        for now in range(1, 10):
            clock.now = now
            live(now)
        assert pipe.getvalue() == ""
        for now in range(10, 36):
            clock.now = now
            live(now)
    assert pipe.getvalue() == "10 done\n20 done\n30 done\n"


class Terminal(io.StringIO):
    """A stream that says of itself that it is a terminal."""

    def isatty(self) -> bool:  # type: ignore[explicit-override]
        return True


def test_a_terminal_gets_one_line_that_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    with LiveLine[int](stream, lambda number: f"{number} done", Clock()) as live:
        live(1)
        live(2)
    assert stream.getvalue() == "\r1 done\x1b[K\r2 done\x1b[K\r\x1b[K"


@pytest.mark.parametrize("kind", ["closed", "none"])
def test_a_stream_that_is_gone_does_not_end_the_work(kind: str) -> None:
    clock, stream = Clock(), io.StringIO()
    stream.close()

    class Gone(io.StringIO):
        def write(self, text: str) -> int:  # type: ignore[explicit-override]  # noqa: ARG002
            raise BrokenPipeError

    with LiveLine[int](None if kind == "none" else Gone(), str, clock) as live:
        clock.now = 11.0
        live(1)


def test_work_without_callbacks_says_what_is_done_and_how_long_it_still_takes() -> None:
    clock, pipe = Clock(), io.StringIO()
    work = WorkLine(pipe, "reading", clock)
    clock.now = 12.0
    work.show()
    work.at(0.25, "drawing")
    clock.now = 22.0
    work.show()
    work.say("drawing the last chart")
    clock.now = 32.0
    work.show()
    assert pipe.getvalue().splitlines() == [
        "reading, for 12 s so far",
        "[=====               ]  25%  30 s left  drawing",
        "[=====               ]  25%  1 min 00 s left  drawing the last chart",
    ]


def test_work_that_is_stuck_in_native_code_is_shown_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WorkLine, "BEAT_S", 0.001)
    clock, pipe = Clock(), io.StringIO()
    with WorkLine(pipe, "reading", clock):
        clock.now = 10.0
        deadline = time.monotonic() + 60
        while not pipe.getvalue() and time.monotonic() < deadline:
            time.sleep(0.001)
    assert pipe.getvalue() == "reading, for 10 s so far\n"


def test_several_runs_say_how_long_all_of_them_still_take() -> None:
    clock, pipe = Clock(), io.StringIO()
    runs = RunsLine(pipe, 4, clock)
    first = runs.of_next_run()
    clock.now = 10.0
    # A quarter in ten seconds: 30 s for the rest of this run, and three times 40 s.
    first(progress())
    runs.of_next_run()
    clock.now = 50.0
    # Two runs take 80 s, so the two behind them take as long.
    first(progress())
    assert [text[:38] for text in pipe.getvalue().splitlines()] == [
        "run 1 of 4  [==    ]  25%  2 min 30 s ",
        "run 2 of 4  [==    ]  25%  1 min 50 s ",
    ]


def test_points_are_counted_before_they_are_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sansim.study.jobs.execute.PROGRESS_INTERVAL_S", 0.0)
    seen: list[str] = []
    counter = Counter(4_000, "points planned", lambda now: seen.append(study_line(now)))
    counter.add(1_000)
    counter.add(3_000)
    assert seen[0].startswith("[=====               ]  25%  1,000 of 4,000 points planned, ")
    assert seen[1] == "[====================] 100%  4,000 of 4,000 points planned"
