"""The JSON Schema of study files agrees with what reads them."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli
from sansim import _core
from sansim.study.read import read_study
from sansim.study.schema import study_schema
from sansim.study.session import study_files
from study_mistakes import WRONG, WRONG_TABLES, text_of
from study_support import STUDY, changed, write

ROOT = Path(__file__).parents[2]
TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "boolean": bool,
    "number": (int, float),
    "integer": int,
    "array": list,
    "object": dict,
}


def faults(schema: Mapping[str, Any], value: object, path: str = "") -> Iterator[str]:
    """What a value lacks, by the part of JSON Schema that the schema uses."""
    known = {"type", "enum", "anyOf", "properties", "required", "additionalProperties", "items", "description"}
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


TABLES = {
    (): "",
    ("axes",): "[axes.size]\n",
    ("axes", "cases"): 'cases = [{ label = "a", set = {}, KEY }]',
    ("metrics",): "[metrics.response]\n",
    ("metrics", "trace"): 'trace = { from = "controller OPN", to = "drives[0] CLS", KEY }',
    ("replications",): "[replications]\n",
    ("expected",): "[[expected]]\n",
    ("expected", "rows"): "rows = [\n  { KEY, ",
    ("remarks",): "[[remarks]]\n",
    ("chosen",): "[[chosen]]\n",
    ("leave_out",): "[leave_out]\n",
    ("leave_out", "constants"): "[leave_out.constants.access]\n",
    ("plots",): "[[plots]]\n",
}
"""Where the keys of each table stand."""


def part_of(path: tuple[str, ...]) -> Mapping[str, Any]:
    """The schema of a table."""
    schema: Mapping[str, Any] = study_schema()
    for name in path:
        schema = schema["properties"][name]
        schema = schema.get("items", schema)
        if isinstance(schema.get("additionalProperties"), dict):
            schema = schema["additionalProperties"]
    return schema


def with_key(path: tuple[str, ...], key: str) -> str:
    """A study that has a key in a table, and the key may be wrong there for another reason."""
    line = f"{key} = 1979-05-27"
    more = '[[chosen]]\nwhat = "a"\nhow = "b"\nsaw = "X-1"\n[leave_out]\n[leave_out.constants.access]\n'
    text = changed(more=more + '\n[[remarks]]\nid = "a"\nverdict = "no-run"\ntext = "b"\n[replications]\ncount = 1\n')
    where = TABLES[path]
    if path == ("axes", "cases"):
        axis = 'key = "workload.size"\nvalues = ["4 KiB", "16 KiB", "64 KiB"]'
        return text.replace(axis, where.replace("KEY", line), 1)
    if path == ("metrics", "trace"):
        return text.replace('value = "bytes_per_second"\nunit = "MiB/s"', where.replace("KEY", line), 1)
    if path == ("expected", "rows"):
        return text.replace("rows = [\n  { ", where.replace("KEY", line), 1)
    return text.replace(where, f"{where}{line}\n", 1) if where else f"{line}\n{text}"


@pytest.mark.parametrize("path", TABLES, ids=".".join)
def test_the_reader_knows_the_keys_of_the_schema_and_no_others(path: tuple[str, ...], tmp_path: Path) -> None:
    known = part_of(path)["properties"]
    for key in [*known, "lable"]:
        try:
            read_study(write(tmp_path, with_key(path, key)))
            codes = []
        except _core.ScenarioError as error:
            codes = [problem.code for problem in error.problems if problem.key.endswith(key)]
        assert ("E0102" in codes) == (key not in known), (key, codes)


def test_the_schema_is_printed(cli: Cli) -> None:
    assert json.loads(cli("schema", "--study").stdout) == study_schema()
    done = cli("schema", "--study", "--reference")
    assert (done.returncode, done.stdout) == (2, "")
