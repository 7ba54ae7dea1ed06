"""The list of sources: every file, test, key and target that it names exists, and its page says what the list says."""

from __future__ import annotations

import fnmatch
import importlib.util
import re
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@cache
def the_list() -> ModuleType:
    """The script docs/sources.py, as a module."""
    spec = importlib.util.spec_from_file_location("sources", ROOT / "docs" / "sources.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["sources"] = module
    spec.loader.exec_module(module)
    return module


def name_of(item: object) -> str:
    return f"{item.source} {item.section}: {item.item}"  # type: ignore[attr-defined]


def test_the_page_is_that_of_the_list() -> None:
    script = the_list()
    assert script.PAGE.read_text(encoding="utf-8") == script.page()


def test_every_file_that_a_line_names_exists() -> None:
    missing = [(name_of(item), file) for item in the_list().read_items() for file in item.files()]
    assert [(name, file) for name, file in missing if not (ROOT / file).exists()] == []


def test_every_test_that_a_line_names_is_in_its_file_and_is_a_test() -> None:
    missing = []
    for item in the_list().read_items():
        for file, name in item.tests():
            text = (ROOT / file).read_text(encoding="utf-8")
            in_python = rf"^def {name}\(" if name.startswith("test_") else r"(?!)"
            in_rust = rf"#\[test\](?:\s*(?:#\[[^\]]*\]|//[^\n]*))*\s*(?:pub )?fn {name}\("
            if not re.search(in_python, text, re.MULTILINE) and not re.search(in_rust, text):
                missing.append((name_of(item), file, name))
    assert missing == []


def test_every_key_that_a_line_names_is_in_the_reference() -> None:
    keys = the_list().keys_of_scenarios()
    assert {"host.adapter.command_time", "run.warm_up", "event.at", "fabric.switch.control.buffers"} <= keys
    assert "host.adapter.comand_time" not in keys
    items = the_list().read_items()
    assert [(name_of(item), key) for item in items for key in item.scenario_keys() if key not in keys] == []


def test_every_target_that_a_line_names_is_in_the_ledger_and_belongs_to_its_source_or_another() -> None:
    ledger = the_list().verdicts()
    items = the_list().read_items()
    assert [
        (name_of(item), target) for item in items for target in item.targets() if not fnmatch.filter(ledger, target)
    ] == []


def test_every_target_of_the_ledger_is_in_a_line_or_is_a_remark_on_the_text_of_a_source() -> None:
    ledger = the_list().verdicts()
    named = {
        target
        for item in the_list().read_items()
        for pattern in item.targets()
        for target in fnmatch.filter(ledger, pattern)
    }
    left = {target for target in ledger if target not in named}
    judged = {target for target in left if ledger[target] - {"corrected", "no-run", "no-data"}}
    assert judged == set()


def test_a_line_that_works_has_a_place_and_a_check_and_no_missed_target() -> None:
    script = the_list()
    ledger = script.verdicts()
    faults = []
    for item in script.read_items():
        found = script.verdicts_of(item, ledger)
        is_checked = item.checks() or "pass" in found
        works = item.where and is_checked and "miss" not in found and not item.reason
        if not (works if item.state == script.WORKS else item.reason):
            faults.append(name_of(item))
    assert faults == []


def test_no_line_is_there_twice_and_states_and_sources_are_known() -> None:
    script = the_list()
    items = script.read_items()
    names = [name_of(item) for item in items]
    assert sorted({name for name in names if names.count(name) > 1}) == []
    assert {item.state for item in items} == set(script.STATES)
    assert {item.source for item in items} == set(script.SOURCES)


def test_the_share_on_the_page_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    script = the_list()
    items = script.read_items()
    works = sum(item.state == "works" for item in items)
    assert f"**Of {len(items)} items {works} ({100 * works / len(items):.1f} %) work, " in script.page()
    monkeypatch.setattr(script, "read_items", lambda: [item._replace(state="missing") for item in items])
    assert f"**Of {len(items)} items 0 (0.0 %) work, " in script.page()
