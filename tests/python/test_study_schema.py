"""What is declared of study files, and their JSON Schema, agree with what reads them."""

from __future__ import annotations

import copy
import datetime
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli
from sansim import _core
from sansim.study.keys import tables, words
from sansim.study.model import DEFAULT_TOLERANCE
from sansim.study.read import open_study, read_study
from sansim.study.session import study_files
from study_mistakes import WRONG, WRONG_TABLES, text_of
from study_support import STUDY, write

ROOT = Path(__file__).parents[2]
TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "boolean": bool,
    "number": (int, float),
    "integer": int,
    "array": list,
    "object": dict,
}


def study_schema() -> Any:
    """The JSON Schema of study files."""
    return json.loads(_core.study_schema_json())


def faults(schema: Mapping[str, Any], value: object, path: str = "") -> Iterator[str]:
    """What a value lacks, by the part of JSON Schema that the schema uses."""
    known = {
        "type",
        "enum",
        "anyOf",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "description",
        "default",
    }
    assert set(schema) <= known | {"minItems", "maxItems", "minimum", "minProperties", "$schema", "title"}
    wanted = schema.get("type", [])
    types = [TYPES[name] for name in ([wanted] if isinstance(wanted, str) else wanted)]
    if types and not any(isinstance(value, kind) and (kind is bool or not isinstance(value, bool)) for kind in types):
        yield f"{path}: {value!r} is not {wanted}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{path}: {value!r} is none of {schema['enum']}"
    if "anyOf" in schema and all(list(faults(inner, value, path)) for inner in schema["anyOf"]):
        yield f"{path}: {value!r} fits nothing"
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            yield f"{path}: {len(value)} items"
        for number, inner in enumerate(value):
            yield from faults(schema.get("items", {}), inner, f"{path}[{number}]")
    if isinstance(value, dict):
        if len(value) < schema.get("minProperties", 0):
            yield f"{path}: too few keys"
        yield from (f"{path}: lacks {name}" for name in schema.get("required", ()) if name not in value)
        for name, inner in value.items():
            part = schema.get("properties", {}).get(name, schema.get("additionalProperties", {}))
            if part is False:
                yield f"{path}: has {name}"
            else:
                yield from faults(part, inner, f"{path}.{name}")
    if not isinstance(value, bool) and isinstance(value, int | float) and value < schema.get("minimum", value):
        yield f"{path}: {value} is too small"


def wrong(text: str) -> list[str]:
    """What the schema says of a study."""
    return list(faults(study_schema(), tomllib.loads(text)))


@pytest.mark.parametrize("file", study_files([ROOT / "studies"]), ids=lambda file: file.name)
def test_studies_fit_the_schema(file: Path) -> None:
    assert wrong(file.read_text(encoding="utf-8")) == []


def test_examples_of_the_guide_fit_the_schema() -> None:
    page = (ROOT / "docs" / "study-guide.md").read_text(encoding="utf-8")
    blocks = [tomllib.loads(block) for block in re.findall(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)]
    base = tomllib.loads(STUDY)
    parts = [block for block in blocks if "run" not in block]
    assert len(parts) > 5
    for part in parts:
        assert list(faults(study_schema(), base | part)) == []


def test_the_study_of_the_tests_fits_the_schema() -> None:
    assert wrong(STUDY) == []


@pytest.mark.parametrize("name", [name for name in [*WRONG, *WRONG_TABLES] if "unknown key" in name])
def test_unknown_keys_do_not_fit_the_schema(name: str) -> None:
    # What a component of the scenario has is not its business.
    if not name.startswith(("set:", "case")):
        assert wrong(text_of(name)) != []


WHOLE: dict[str, Any] = tomllib.loads(STUDY) | {
    "replications": {"count": 1},
    "remarks": [{"id": "a", "verdict": "no-run", "text": "b"}],
    "chosen": [{"what": "a", "how": "b", "saw": "X-1"}],
    "leave_out": {"rows": "X-1", "halves": "size", "constants": {"access": {"key": "drives.count", "values": [1, 2]}}},
}
WHOLE["axes"]["set"] = {"cases": [{"label": "a", "set": {"run.seed": 1}}]}
WHOLE["metrics"]["gap"] = {"trace": {"from": "controller OPN", "to": "drives[0] CLS"}}
WHOLE["plots"][0]["points"] = [{"label": "measured", "x": [1], "y": [2]}]
WHOLE["expected"].append({"id": "Y-1", "metric": "throughput", "value": 1})
"""A study in which every table stands."""

TABLES: dict[str, tuple[str | int, ...]] = {
    "": (),
    "axes.NAME": ("axes", "size"),
    "axes.NAME.cases": ("axes", "set", "cases", 0),
    "metrics.NAME": ("metrics", "throughput"),
    "metrics.NAME.trace": ("metrics", "gap", "trace"),
    "replications": ("replications",),
    "expected": ("expected", 1),
    "expected.rows": ("expected", 0, "rows", 0),
    "remarks": ("remarks", 0),
    "chosen": ("chosen", 0),
    "leave_out": ("leave_out",),
    "leave_out.constants.NAME": ("leave_out", "constants", "access"),
    "plots": ("plots", 0),
    "plots.points": ("plots", 0, "points", 0),
}
"""Where each table that is declared stands in it. Cases of constants are those of axes."""

DATE = datetime.date(1979, 5, 27)
"""A value that fits nowhere."""


def toml(value: object) -> str:
    """A value as TOML."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{json.dumps(key)} = {toml(inner)}' for key, inner in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(toml(inner) for inner in value)}]"
    return value.isoformat() if isinstance(value, datetime.date) else json.dumps(value)


def complaints(folder: Path, form: str, key: str, value: object) -> set[str]:
    """The codes of what is said of a key of the whole study where it has this value; with None it is left out."""
    study = copy.deepcopy(WHOLE)
    table: Any = study
    for step in TABLES[form]:
        table = table[step]
    table.pop(key, None)
    if value is not None:
        table[key] = value
    text = "".join(f"{name} = {toml(inner)}\n" for name, inner in study.items())
    try:
        read_study(write(folder, text))
    except _core.ScenarioError as error:
        return {problem.code for problem in error.problems if problem.key.rpartition(".")[2] == key}
    return set()


def part_of(form: str) -> Mapping[str, Any]:
    """The schema of a table."""
    schema: Mapping[str, Any] = study_schema()
    for name in form.split(".") if form else ():
        schema = schema["additionalProperties"] if name == "NAME" else schema["properties"][name]
        schema = schema.get("items", schema)
    return schema


def test_all_tables_are_looked_at_and_the_whole_study_is_right(tmp_path: Path) -> None:
    assert {*TABLES, "leave_out.constants.NAME.cases"} == set(tables())
    # It has all keys that are required, and a schema that fits.
    assert list(faults(study_schema(), WHOLE)) == []
    assert complaints(tmp_path, "", "title", "Two drives") == set()


@pytest.mark.parametrize("form", TABLES)
def test_every_declared_key_is_read_and_no_other_is_known(form: str, tmp_path: Path) -> None:
    # Whatever is declared and never asked for would be taken in silence.
    known = part_of(form)["properties"]
    assert list(known) == list(tables()[form])
    unread = [key for key in known if not complaints(tmp_path, form, key, DATE) - {_core.Code.UNKNOWN_KEY}]
    assert unread == []
    assert complaints(tmp_path, form, "lable", DATE) == {_core.Code.UNKNOWN_KEY}


@pytest.mark.parametrize("form", TABLES)
def test_what_is_declared_as_required_is_missed(form: str, tmp_path: Path) -> None:
    required = [key.name for key in tables()[form].values() if key.required is not None]
    assert required == part_of(form).get("required", [])
    missed = {_core.Code.MISSING_KEY, _core.Code.EMPTY_AXIS}
    assert [key for key in required if not complaints(tmp_path, form, key, None) & missed] == []


def test_no_key_can_be_asked_for_that_is_not_declared(tmp_path: Path) -> None:
    table = open_study(write(tmp_path))
    for ask in (table.item, table.has, table.text, table.table, table.rows):
        with pytest.raises(KeyError, match="lable"):
            ask("lable")
    axes = table.table("axes")
    axis = None if axes is None else axes.table("size")
    assert axes is not None
    assert axis is not None
    with pytest.raises(KeyError, match="lable"):
        axis.item("lable")
    assert list(axes.entries) == ["size", "schedule"]
    with pytest.raises(TypeError, match="ask for them one by one"):
        assert axis.entries


def test_each_kind_of_claim_has_the_tolerance_that_its_meaning_tells() -> None:
    assert tuple(DEFAULT_TOLERANCE) == words("expected", "kind")
    page = _core.study_reference_text()
    for kind, tolerance in DEFAULT_TOLERANCE.items():
        told = re.search(rf'`"{kind}"` \((.*?)\)[;| ]', page)
        assert told is not None
        assert (f": {100 * tolerance:g} %" in told[1]) == (tolerance > 0)


def test_codes_are_taken_by_name_and_no_number_of_one_is_copied() -> None:
    files = [*(ROOT / "python" / "sansim").rglob("*.py")]
    assert len(files) > 90
    assert [file for file in files if re.search(r"\bE0\d{3}\b", file.read_text(encoding="utf-8"))] == []
    assert (_core.Code.UNKNOWN_KEY, _core.Code.UNKNOWN_AXIS) == ("E0102", "E0401")


def test_schema_and_reference_are_printed(cli: Cli) -> None:
    assert json.loads(cli("schema", "--study").stdout) == study_schema()
    page = (ROOT / "docs" / "study-reference.md").read_text(encoding="utf-8")
    assert cli("schema", "--study", "--reference").stdout == page
