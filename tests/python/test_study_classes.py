"""What published values prove: classes that follow from what was chosen, and the ledger that counts by them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from sansim.study.classes import CLASSES, GIVEN, PREDICTED, REMARK, SEEN
from sansim.study.ledger import Count, as_json, count, missed_lines, page, paper_of, summary_lines
from sansim.study.model import Study
from sansim.study.points.measured import measure
from sansim.study.points.plan import plan
from sansim.study.session import Outcome
from sansim.study.verdict import MISS, MISSING, PASS, Verdict, judge
from study_support import HEAD, read, refused, results_by_hand, said, summary, underlined

METRICS = """
[metrics.response]
value = "response_time_ns.mean"
unit = "us"
[metrics.rate]
value = "bytes_per_second"
unit = "MiB/s"
[metrics.best]
of = "rate"
along = "depth"
take = "maximum"
[metrics.commands]
setting = "workload.queue_depth"
[metrics.deepest]
of = "commands"
along = "depth"
take = "maximum"
[metrics.twice]
formula = "2 * deepest + 0 * commands"
[metrics.axis_alone]
formula = "2 * depth"
[metrics.mixed]
formula = "twice + 0 * rate"
"""
AT = 'at = { depth = "2", mix = "read" }'
"""Where the response time is 200 us and the rate 2 MiB/s."""


def judged(folder: Path, rows: str, gaps: Mapping[str, str] | None = None) -> tuple[Study, list[Verdict]]:
    """A study and its verdicts; points with the labels of `gaps` were not run."""
    study = read(folder, f"{HEAD}{METRICS}{rows}")

    def content(labels: Mapping[str, str], replication: int) -> Mapping[str, object] | None:
        return None if gaps and gaps.items() <= labels.items() else summary(labels, replication)

    made = plan(study)
    return study, judge(study, measure(made, results_by_hand(made, content)))


def classes(folder: Path, rows: str) -> list[tuple[str, str, str]]:
    """Target, metric and class of each row."""
    _, verdicts = judged(folder, rows)
    return [(verdict.target, verdict.metric, verdict.class_) for verdict in verdicts]


def chosen(*saw: str) -> str:
    """A constant that was chosen with targets in view."""
    return f'[[chosen]]\nwhat = "drives.access_time"\nhow = "5 ms"\nsaw = {json.dumps(saw)}\n'


# ---------------------------------------------------------------- where the class comes from


ROWS = f"""
[[expected]]
metric = "response"
{AT}
value = 200
rows = [
  {{ id = "T-A-1" }},
  {{ id = "T-A-2" }},
  {{ id = "T-A-2", metric = "rate", value = 2 }},
  {{ id = "T-B" }},
]
"""


@pytest.mark.parametrize(
    ("saw", "seen"),
    [
        ([], []),
        (["T-B"], [("T-B", "response")]),
        (["T-A-*"], [("T-A-1", "response"), ("T-A-2", "response"), ("T-A-2", "rate")]),
        (["T-A-2"], [("T-A-2", "response"), ("T-A-2", "rate")]),
        (["T-A-2/rate"], [("T-A-2", "rate")]),
        (["T-*/rate", "T-B"], [("T-A-2", "rate"), ("T-B", "response")]),
    ],
)
def test_what_was_in_view_is_seen_and_the_rest_predicted(
    saw: list[str], seen: list[tuple[str, str]], tmp_path: Path
) -> None:
    found = classes(tmp_path, ROWS + (chosen(*saw) if saw else ""))
    assert [(target, metric) for target, metric, name in found if name == SEEN] == seen
    assert {name for target, metric, name in found if (target, metric) not in seen} <= {PREDICTED}


def test_the_row_says_for_what_it_was_seen(tmp_path: Path) -> None:
    other = chosen("T-*").replace("drives.access_time", "loop.port_delay")
    _, verdicts = judged(tmp_path, ROWS + chosen("T-B") + other)
    assert verdicts[0].note == "seen for loop.port_delay"
    assert verdicts[3].note == "seen for drives.access_time, loop.port_delay"


def test_what_no_run_can_change_is_given(tmp_path: Path) -> None:
    rows = f"""
[[expected]]
metric = "commands"
{AT}
rows = [
  {{ id = "setting", value = 2 }},
  {{ id = "setting", value = 2, kind = "parameter" }},
  {{ id = "along", metric = "deepest", value = 8 }},
  {{ id = "formula", metric = "twice", value = 16 }},
  {{ id = "axis", metric = "axis_alone", value = 4 }},
  {{ id = "restates", metric = "rate", value = 2, restates = "a setting" }},
  {{ id = "mixed", metric = "mixed", value = 16 }},
  {{ id = "measured", metric = "best", value = 8, kind = "parameter" }},
]
"""
    rows = rows.replace('"along", metric = "deepest"', '"along", at = { mix = "read" }, metric = "deepest"')
    found = {target: name for target, _, name in classes(tmp_path, rows)}
    assert {target for target, name in found.items() if name == GIVEN} == {
        *("setting", "along", "formula", "axis", "restates"),
    }
    # A kind is typed, and so no proof: what a run measures is no setting because somebody says so.
    assert (found["mixed"], found["measured"]) == (PREDICTED, PREDICTED)


def test_what_is_given_stays_so_though_it_was_in_view(tmp_path: Path) -> None:
    rows = f'[[expected]]\nid = "T"\nmetric = "rate"\n{AT}\nvalue = 2\nrestates = "a setting"\n'
    _, (verdict,) = judged(tmp_path, rows + chosen("T"))
    assert (verdict.class_, verdict.note) == (GIVEN, "given: a setting")


def test_marks_and_what_a_miss_means_are_told(tmp_path: Path) -> None:
    rows = f"""
[[expected]]
metric = "rate"
{AT}
rows = [
  {{ id = "T-1", value = 2, derived = "table 1", means = "nothing, for it holds" }},
  {{ id = "T-2", value = 3, corrected = "4; it is 3", note = "known", means = "half of it is missing" }},
]
"""
    _, (first, second) = judged(tmp_path, rows)
    assert (first.marks, first.note, first.means) == (("derived",), "derived: table 1", "")
    assert (second.marks, second.note) == (("corrected",), "printed: 4; it is 3; known")
    assert (second.verdict, second.means) == (MISS, "half of it is missing")


@pytest.mark.parametrize(
    ("row", "tolerance"),
    [
        ("value = 200", "3 %"),
        ('value = 200\nkind = "measured"', "10 %"),
        ('value = 200\ntolerance = "0.5 %"', "0.5 %"),
        ("value = 200\ntolerance = 5", "5 us"),
        ("value = 200\nrounding = 7", "7 us"),
        ("value = 200\nrounding = 5", "3 %"),
        ("above = 100", ""),
        ('rule = "constant"\nalong = "mix"\nslack = "60 %"', "60 %"),
        ('rule = "order"\nalong = "mix"\nexpect = ["write", "read"]', ""),
    ],
)
def test_the_tolerance_is_told_in_words(row: str, tolerance: str, tmp_path: Path) -> None:
    place = 'at = { depth = "2" }' if "along" in row else AT
    _, (verdict,) = judged(tmp_path, f'[[expected]]\nid = "T"\nmetric = "response"\n{place}\n{row}\n')
    assert verdict.tolerance == tolerance


# ---------------------------------------------------------------- what cannot be said


@pytest.mark.parametrize(
    ("text", "code", "place", "words"),
    [
        (chosen("T-C"), "E0403", '"T-C"', ["no row of this study is `T-C`", "did you mean `T-B`?"]),
        (chosen("T-B", "U-*"), "E0403", '"U-*"', ["no row of this study is `U-*`"]),
        (chosen("T-B/rate"), "E0403", '"T-B/rate"', ["no row of this study is `T-B/rate`"]),
        (chosen(), "E0206", "[]", ["`saw` names no target"]),
        (chosen("T-B").replace("saw = ", "# "), "E0104", "[[chosen]]", ["`saw`"]),
        (chosen("T-B").replace("how = ", "# "), "E0104", "[[chosen]]", ["`how`"]),
        (
            '[[remarks]]\nid = "T-B"\nverdict = "corrected"\ntext = "1 is printed"\n',
            "E0407",
            '"T-B"',
            ["`T-B` has rows that are judged, so it would count twice", "`corrected` of the row"],
        ),
        (
            '[[remarks]]\nid = "T-C"\nsame_as = "T-C"\nverdict = "corrected"\ntext = "1 is printed"\n',
            "E0407",
            '"T-C"',
            ["this is the target itself"],
        ),
        (
            '[[remarks]]\nid = "T-C"\nverdict = "given"\ntext = "a definition"\n',
            "E0205",
            '"given"',
            ['write "no-run"', "`restates`"],
        ),
        (
            f'[[expected]]\nid = "T-C"\nmetric = "rate"\n{AT}\nvalue = 2\nfitted = "drives.access_time"\n',
            "E0102",
            "fitted",
            ["[[chosen]]", "`saw`"],
        ),
    ],
)
def test_what_contradicts_the_classes_is_an_error_with_its_place(
    text: str, code: str, place: str, words: list[str], tmp_path: Path
) -> None:
    error = refused(tmp_path, f"{HEAD}{METRICS}{ROWS}{text}")
    assert [problem.code for problem in error.problems] == [code], said(error, tmp_path)
    assert underlined(said(error, tmp_path)) == [place]
    for word in words:
        assert word in said(error, tmp_path)


# ---------------------------------------------------------------- counting


COUNTED = """
[[expected]]
metric = "response"
at = { depth = "2", mix = "read" }
rows = [
  { id = "A-1", value = 200 },
  { id = "A-1", value = 201 },
  { id = "A-2", value = 300, means = "a third is missing" },
  { id = "A-2", value = 200 },
  { id = "A-2", metric = "rate", value = 2 },
  { id = "A-3", value = 300, note = "known" },
  { id = "A-3", metric = "rate", value = 2 },
  { id = "A-4", metric = "commands", value = 2 },
  { id = "A-5", at = { depth = "8" }, value = 800 },
  { id = "B-1", value = 200 },
  { id = "B-1", value = 300, restates = "a setting" },
]
[[chosen]]
what = "drives.access_time"
how = "5 ms"
saw = ["A-2/rate", "A-3"]
[[remarks]]
id = "A-6"
verdict = "corrected"
text = "printed 1; it is 2"
same_as = "A-1"
[[remarks]]
id = "B-2"
verdict = "no-run"
text = "a definition"
"""
"""Targets with rows of one class and of several, held and missed, and one that is not run."""
GAP = {"depth": "8"}


def test_a_target_counts_in_each_class_that_its_rows_are_of(tmp_path: Path) -> None:
    _, verdicts = judged(tmp_path, COUNTED, GAP)
    assert [verdict.verdict for verdict in verdicts] == [
        *[PASS, PASS, MISS, PASS, PASS, MISS, PASS, PASS, MISSING, PASS, MISS],
        *["corrected", "no-run"],
    ]
    assert count(verdicts) == {
        # A-1 and B-1 hold; A-2 has one row that does not; A-5 is not run.
        PREDICTED: Count(2, 4, 1),
        # With the row that was seen A-2 holds; A-3 only with one of two.
        SEEN: Count(1, 2),
        # A-4 holds, the other row of B-1 does not.
        GIVEN: Count(1, 2),
        REMARK: Count(0, 2),
    }
    assert list(count(verdicts)) == list(CLASSES)


def test_remarks_say_what_they_count_as_and_hold_nothing(tmp_path: Path) -> None:
    _, verdicts = judged(tmp_path, COUNTED)
    corrected, definition = verdicts[-2:]
    assert (corrected.published, corrected.kind, corrected.note) == ("printed 1; it is 2", "remark", "counts as A-1")
    assert (definition.class_, definition.verdict, definition.note) == (REMARK, "no-run", "")
    assert count([corrected, definition])[REMARK] == Count(0, 2)


def test_the_headline_is_of_what_was_predicted_and_of_nothing_else(tmp_path: Path) -> None:
    _, verdicts = judged(tmp_path, COUNTED, GAP)
    headline, *lines = summary_lines(verdicts)
    assert headline == "predicted: 2 of 4 hold (50.0 %), 1 not run"
    assert [line.split()[:2] for line in lines] == [
        ["predicted", "2/4"],
        ["seen", "1/2"],
        ["given", "1/2"],
        ["remark", "2"],
    ]
    assert lines[0].endswith(": A 1/3, B 1/1")
    assert lines[1].endswith(": A 1/2")
    assert lines[3].endswith(": A 1, B 1")
    assert summary_lines([])[0] == "predicted: 0 of 0 hold"
    assert paper_of("W-T65-R") == "W"


def test_the_ledger_for_programs_counts_what_its_rows_say(tmp_path: Path) -> None:
    _, verdicts = judged(tmp_path, COUNTED, GAP)
    ledger = as_json(verdicts)
    assert ledger["classes"] == {
        PREDICTED: {"held": 2, "total": 4},
        SEEN: {"held": 1, "total": 2},
        GIVEN: {"held": 1, "total": 2},
        REMARK: {"held": 0, "total": 2},
    }
    assert list(ledger["papers"]) == ["A", "B"]
    for name, counts in ledger["classes"].items():
        for key, number in counts.items():
            assert sum(paper[name][key] for paper in ledger["papers"].values()) == number
    first, missing = ledger["rows"][0], ledger["rows"][8]
    assert (first["id"], first["class"], first["published"], first["ours"]) == ("A-1", PREDICTED, 200.0, 200.0)
    assert (first["error"], first["tolerance"], first["verdict"]) == (0.0, "3 %", PASS)
    assert (missing["ours"], missing["error"], missing["verdict"]) == (None, None, MISSING)


def test_the_ledger_for_programs_has_no_number_that_is_none() -> None:
    row = Verdict("X-1", "s", "", "exact", "m", "", 1e-300, float("inf"), "", float("nan"), MISS)
    text = json.dumps(as_json([row]), allow_nan=False)
    assert (json.loads(text)["rows"][0]["ours"], json.loads(text)["rows"][0]["error"]) == (None, None)


def test_the_page_of_the_ledger_has_every_row_and_what_misses_mean(tmp_path: Path) -> None:
    study, verdicts = judged(tmp_path, COUNTED)
    text = page([Outcome(plan(study), {}, verdicts)], "sansim validate x")
    assert "`sansim validate x` rewrites it" in text
    for verdict in verdicts:
        assert f"| {verdict.target}" in text
    assert str(tmp_path) in text
    assert "**Predicted: 3 of 4 hold (75.0 %).**" in text
    assert "| predicted | 3/4 | 2/3 | 1/1 |" in text
    assert "| remark | 2 | 1 | 1 |" in text
    missed, seen, given = (
        text.index(f"\n## {title}\n")
        for title in (*("Predicted and not reproduced", "Seen and not reproduced", "Given and not met"),)
    )
    assert text[missed:seen].count("\n| A-2") == 1
    assert "* A-2: a third is missing." in text[missed:seen]
    assert text[seen:given].count("\n| A-3") == 1
    assert "* drives.access_time (`" in text
    assert ": 5 ms. In view: `A-2/rate`, `A-3`." in text


def test_a_meaning_that_several_misses_share_is_told_once_and_none_is_lost() -> None:
    def row(target: str, means: str) -> Verdict:
        return Verdict(target, "s", "", "exact", "m", "", 1.0, 2.0, "", 100.0, MISS, means=means)

    lines = missed_lines([row("X-1", "slow"), row("X-2", "slow"), row("X-1", "late")])
    assert lines[-2:] == ["* X-1, X-2: slow.", "* X-1: late."]
    assert missed_lines([]) == ["Nothing."]
