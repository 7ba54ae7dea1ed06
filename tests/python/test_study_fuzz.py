"""Whatever stands in a study file: the only exception that comes of it is the one that says what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sansim import _core
from sansim.study.model import Study
from sansim.study.points.plan import plan
from sansim.study.read import read_study
from study_mistakes_checks import BEST, PLOT, ROW, THROUGHPUT
from study_support import STUDY, changed, write


def attempt(folder: Path, text: str) -> Study | None:
    """Reads and plans a study that may be wrong in any way; only one exception may come of it."""
    file = folder / "study.toml"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        study = read_study(file)
        plan(study)
    except _core.ScenarioError as error:
        assert error.problems
        assert all(problem.message for problem in error.problems)
        return None
    return study


WORDS = (
    *("[", "]", "{", "}", '"', "=", ",", "\n", ".", "#", "'", "0", "-1", "1e400", "nan", "inf", "true", "[]", "{}"),
    *(
        "values",
        "cases",
        "labels",
        "from",
        "to",
        "step",
        "points",
        "factor",
        "zip",
        "at",
        "rows",
        "take",
        "of",
        "along",
    ),
    *('"size"', '"4 KiB"', '"%"', "2020-01-01", '""', "size", "throughput", "between", "rule", "formula", "unit", "x"),
)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """The study with some words put in, taken out or exchanged."""
    text = STUDY + BEST + "\n[replications]\ncount = 2\n"
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        length = draw(st.integers(0, 12))
        text = text[:start] + draw(st.sampled_from(("", *WORDS))) + text[start + length :]
    return text


VALUES = st.recursive(
    st.sampled_from(
        ('"size"', '"4 KiB"', '"throughput"', "1", "-1.5", "nan", "true", '""', "1979-05-27", '"%"', '"\\u0000"', "inf")
    ),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda parts: f"[{', '.join(parts)}]")
        | st.dictionaries(st.sampled_from(("size", "set", "label", "at", "id", "value", "x")), inner, max_size=3).map(
            lambda parts: "{ " + ", ".join(f"{key} = {value}" for key, value in parts.items()) + " }"
        )
    ),
    max_leaves=6,
)
KEYS = st.sampled_from(
    (
        *(
            "title",
            "scenario",
            "zip",
            "set",
            "set.x",
            "axes",
            "axes.a",
            "axes.size.key",
            "axes.size.values",
            "axes.size.to",
        ),
        *(
            "axes.size.from",
            "axes.size.points",
            "axes.size.cases",
            "axes.size.unit",
            "replications",
            "metrics",
            "metrics.m",
        ),
        *(
            "metrics.m.value",
            "metrics.m.formula",
            "metrics.m.of",
            "metrics.m.along",
            "metrics.m.take",
            "metrics.m.between",
        ),
        *("metrics.m.trace", "metrics.m.setting", "expected", "remarks", "plots", "replications.within", "x"),
        *("chosen", "leave_out", "leave_out.rows", "leave_out.halves", "leave_out.constants", "leave_out.constants.c"),
    )
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("fuzz")
    write(place)
    return place


@settings(max_examples=400, deadline=None)
@given(mutated())
def test_only_one_exception_comes_of_a_mutated_study(folder: Path, text: str) -> None:
    attempt(folder, text)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(KEYS, VALUES, min_size=1, max_size=8))
def test_only_one_exception_comes_of_any_tables(folder: Path, content: dict[str, str]) -> None:
    attempt(
        folder,
        'scenario = "small.toml"\n' * ("scenario" not in content)
        + "".join(f"{key} = {value}\n" for key, value in content.items()),
    )


@settings(max_examples=300, deadline=None)
@given(st.sampled_from([line for line in STUDY.splitlines() if "=" in line and not line.endswith("[")]), VALUES)
def test_only_one_exception_comes_of_any_value(folder: Path, line: str, value: str) -> None:
    key = line.partition("=")[0]
    attempt(folder, STUDY.replace(line, f"{key}= {value}", 1))


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200))
def test_only_one_exception_comes_of_any_text(folder: Path, text: str) -> None:
    attempt(folder, text)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="0123456789.eE+-*/()^ ,sizelogmnax\"'\\_=:[]{}<>!%&|~@\n", max_size=60))
def test_only_one_exception_comes_of_any_formula(folder: Path, text: str) -> None:
    quoted = "'''" + text.replace("'", "") + "'''"
    attempt(
        folder,
        changed((THROUGHPUT, f"formula = {quoted}"), (ROW, '{ id = "a", value = 1 }'), (f"\n[[plots]]\n{PLOT}\n", "")),
    )
