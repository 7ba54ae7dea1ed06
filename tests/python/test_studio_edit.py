"""Edits of a scenario as a picture: each changes its bytes and no others, on every shipped scenario."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from sansim import bundled
from sansim.studio.checked import Checked, check
from sansim.studio.edit import Editor
from sansim.studio.errors import StudioError
from sansim.studio.forms import forms

SCENARIOS = {one.name: bundled.example(one.name) for one in bundled.examples() if one.scenario is None}
PLACE = bundled.EXAMPLES.resolve()
TEXT = """# Before all.
title = "t"

[san]  # the network
kind = "fabric"
speed = "8GFC"
topology = "single-switch"
stations = [
  "host",   # first
  "drives", # then these
]

[san.switch]
buffers = 8

# The host.
# It has two lines of comment.
[host]
kind = "host"

[drives]
kind = "drives"
count = 3
access_time = "1 ms" # measured
transfer_rate = "100 MB/s"

# The load.
[reads]
kind = "closed"
from = "host"
to = ["drives[0]", "drives[1..2]"]
size = "4 KiB"

[[event]]
at = "1 ms"
do = "fail"
what = "drives[1]"
"""


def look(text: str) -> Checked:
    return check(text, "text", PLACE)


def edited(text: str, **edit: object) -> str:
    return Editor(text, "text", PLACE).apply(edit).text


def common(one: str, other: str) -> tuple[str, str]:
    """What two texts have and the other has not, between their common begin and end."""
    begin = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    one, other = one[begin:], other[begin:]
    end = next(
        (n for n, (a, b) in enumerate(zip(reversed(one), reversed(other), strict=False)) if a != b),
        min(len(one), len(other)),
    )
    return one[: len(one) - end], other[: len(other) - end]


def test_a_value_is_replaced_and_its_comment_stays() -> None:
    after = edited(TEXT, do="set", component="drives", key="access_time", value="2 ms")
    assert common(TEXT, after) == ("1", "2")
    assert 'access_time = "2 ms" # measured\n' in after


def test_a_new_key_follows_the_last_of_its_own_table() -> None:
    after = edited(TEXT, do="set", component="san", key="cable", value="10 m")
    assert '  "drives", # then these\n]\ncable = "10 m"\n\n[san.switch]' in after
    after = edited(TEXT, do="set", component="san", key="switch.routing_delay", value="500 ns")
    assert 'buffers = 8\nrouting_delay = "500 ns"\n' in after
    after = edited(TEXT, do="set", component="host", key="driver.issue_time", value="1 us")
    assert 'kind = "host"\ndriver.issue_time = "1 us"\n' in after
    after = edited(TEXT, do="set", component="run", key="measured_ios", value=500)
    assert after.startswith('# Before all.\ntitle = "t"\n\n[run]\nmeasured_ios = 500\n\n[san]')
    assert not look(after).errors


def test_several_keys_of_an_inner_table_are_set_one_after_the_other() -> None:
    text = TEXT
    keys = {"driver.arrival_time": "1 us", "adapter.command_time": "2 us", "driver.completion_time": "3 us"}
    for key, value in keys.items():
        text = edited(text, do="set", component="host", key=key, value=value)
    host = text.split("[host]\n")[1].split("\n\n")[0]
    assert host == "\n".join(['kind = "host"', *(f'{key} = "{value}"' for key, value in keys.items())])
    assert not look(text).errors
    text = text.replace('driver.arrival_time = "1 us"', 'driver.issue = { time = "1 us" }')
    text = edited(text, do="set", component="host", key="driver.issue.more", value=1)
    assert 'driver.issue = { time = "1 us", more = 1 }' in text


def test_a_key_is_taken_out_with_its_line() -> None:
    after = edited(TEXT, do="unset", component="drives", key="count")
    assert common(TEXT, after)[0].count("count = 3") == 1
    with pytest.raises(StudioError, match="has no key"):
        edited(TEXT, do="unset", component="drives", key="capacity")


def test_a_rename_follows_headers_lists_members_and_events() -> None:
    after = edited(TEXT, do="rename", component="drives", name="disks")
    assert after == TEXT.replace("drives]\n", "disks]\n").replace('"drives', '"disks').replace(
        'kind = "disks"', 'kind = "drives"'
    )
    assert not look(after).errors
    after = edited(TEXT, do="rename", component="san", name="fabric-a")
    assert "[fabric-a]  # the network\n" in after
    assert "[fabric-a.switch]\n" in after
    for name in ("host", "9x", "a b", ""):
        with pytest.raises(StudioError):
            edited(TEXT, do="rename", component="drives", name=name)


def test_a_component_goes_with_its_tables_its_comment_and_its_names() -> None:
    after = edited(TEXT, do="remove", component="host")
    assert "The host" not in after
    assert "two lines" not in after
    assert '"host",' not in after
    assert "# The load." in after
    after = edited(TEXT, do="remove", component="san")
    assert "[san" not in after
    assert "# The host." in after


def test_a_component_is_added_with_what_its_kind_requires_and_joined() -> None:
    text = edited(TEXT, do="add", kind="ram-disks", name="fast")
    assert text.startswith(TEXT)
    text = edited(text, do="connect", component="fast", to="san")
    assert '"drives", "fast", # then these' in text or '"drives", # then these' in text
    text = edited(text, do="connect", component="reads", to="fast")
    found = look(text)
    assert not found.errors, found.problems
    assert {"from": "fast", "to": "san", "flows": "frames"} in json.loads(found.scenario.graph_json())["links"]  # type: ignore[union-attr]
    text = edited(text, do="disconnect", component="reads", to="fast")
    text = edited(text, do="disconnect", component="fast", to="san")
    text = edited(text, do="remove", component="fast")
    assert text.rstrip() == TEXT.rstrip()


def test_a_system_is_built_from_nothing() -> None:
    text = "format = 1\n"
    for kind, name in (("fabric", "san"), ("host", "host"), ("drives", "drives")):
        text = edited(text, do="add", kind=kind, name=name)
    text = edited(text, do="connect", component="host", to="san")
    text = edited(text, do="connect", component="drives", to="san")
    text = edited(text, do="set", component="san", key="topology", value="single-switch")
    text = edited(text, do="add", kind="closed", name="reads")
    text = edited(text, do="set", component="drives", key="access_time", value="1 ms")
    text = edited(text, do="set", component="drives", key="count", value=4)
    found = look(text)
    assert not found.errors, (text, found.problems)


def built(*edits: tuple[str, ...]) -> str:
    """The text after edits, each written as its verb and its two names."""
    keys = {"add": ("kind", "name"), "connect": ("component", "to"), "disconnect": ("component", "to")}
    text = "format = 1\n"
    for do, *words in edits:
        keyed = dict(zip(keys.get(do, ("component", "key", "value")), words, strict=True))
        text = edited(text, do=do, **keyed)
    return text


def test_components_are_joined_while_others_are_not_joined_yet() -> None:
    kinds = (("fabric", "san"), ("host", "first"), ("host", "second"), ("drives", "disks"), ("closed", "reads"))
    text = built(*(("add", *one) for one in kinds), *(("connect", one, "san") for one in ("first", "second", "disks")))
    assert 'stations = ["first", "second", "disks"]' in text
    assert [problem["key"] for problem in look(text).problems] == ["disks.access_time"]


def test_a_controller_with_its_modules_is_built_from_nothing() -> None:
    kinds = (("fabric", "san"), ("host", "host"), ("controller", "array"), ("cache", "cache"), ("raid", "raid"))
    text = built(
        *(("add", *one) for one in (*kinds, ("disks", "disks"), ("closed", "load"))),
        ("connect", "host", "san"),
        ("connect", "array", "san"),
        ("connect", "array", "cache"),
        ("connect", "raid", "cache"),
        ("disconnect", "raid", "cache"),
        ("connect", "cache", "raid"),
        ("connect", "raid", "disks"),
        ("set", "array", "resources.command.time", "15 us"),
        ("connect", "cache", "array"),
        ("connect", "raid", "array"),
        ("set", "raid", "layout.level", "5"),
        ("set", "disks", "preset", "cheetah-15k5"),
        ("set", "disks", "count", "5"),
    ).replace('count = "5"', "count = 5")
    found = look(text)
    assert not found.errors, (text, found.problems)
    # A port of the controller is at the network, as its kind has several.
    assert 'stations = ["host", "array.front"]' in text
    assert text.count('inside = ["array"]') == 2
    load = text.split("[load]")[1]
    assert 'from = "host"\nto = "array"' in load
    # The only name of a list that is written without brackets is taken out, too.
    assert "to = []" in edited(text, do="disconnect", component="load", to="array").split("[load]")[1]


def test_what_cannot_be_joined_is_refused_with_the_reason() -> None:
    with pytest.raises(StudioError, match="cannot be joined"):
        edited(TEXT, do="connect", component="reads", to="san")
    loops = built(("add", "fabric", "one"), ("add", "fabric", "two"), ("add", "host", "h"), ("connect", "h", "one"))
    with pytest.raises(StudioError, match="it is on `one` already"):
        edited(loops, do="connect", component="h", to="two")
    caches = built(("add", "cache", "a"), ("add", "cache", "b"), ("connect", "a", "b"))
    with pytest.raises(StudioError, match="in a ring"):
        edited(caches, do="connect", component="b", to="a")
    with pytest.raises(StudioError, match="no component"):
        edited(TEXT, do="connect", component="reads", to="nobody")
    with pytest.raises(StudioError, match="TOML"):
        edited("x = [", do="add", kind="host", name="h")


def test_values_of_pages_are_written_as_toml_and_nothing_else() -> None:
    for value in ('a"\nkind = "host', "\\", "\u2028", True, 3, 0.5, ["a", 'b"]']):
        after = edited(TEXT, do="set", component="drives", key="access_time", value=value)
        tables = len(re.findall(r"^\[", after, re.MULTILINE))
        assert tables == len(re.findall(r"^\[", TEXT, re.MULTILINE))
    with pytest.raises(StudioError):
        edited(TEXT, do="set", component="drives", key="access_time", value=None)


def ends(link: dict[str, str], name: str, is_template: bool) -> dict[str, str]:
    """The ends of a link when a component has another name; those that a template makes begin with it."""
    word = re.compile(rf"^{re.escape(name)}(?=[.\[{'-' if is_template else ''}]|$)")
    return {end: word.sub("zz-renamed", link[end]) for end in ("from", "to")}


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_shipped_scenario_takes_every_edit(name: str) -> None:
    text = SCENARIOS[name]
    before = look(text)
    assert before.scenario is not None
    assert before.errors == 0
    components: list[dict[str, Any]] = before.as_json()["components"]
    graph = json.loads(before.scenario.graph_json())
    for one in components:
        for key in one["keys"]:
            if key["key"] == "kind" or isinstance(key["value"], list):
                continue
            # A value set to itself changes nothing, and every value is where it is said to be.
            same = edited(text, do="set", component=one["name"], key=key["key"], value=key["value"])
            assert look(same).errors == 0
            units = text.encode("utf-16-le")[2 * key["begin"] : 2 * key["end"]].decode("utf-16-le")
            assert common(text, same)[0] in units
    renamed, refused = 0, []
    templates = tomllib.loads(text).get("templates", {})
    for one in components:
        try:
            after = edited(text, do="rename", component=one["name"], name="zz-renamed")
        except StudioError as error:
            refused.append((one["name"], str(error)))
            continue
        renamed += 1
        found = look(after)
        assert found.errors == 0
        assert found.scenario is not None
        mine = sorted(map(str, json.loads(found.scenario.graph_json())["links"]))
        is_template = one["kind"] in templates
        assert mine == sorted(str({**link, **ends(link, one["name"], is_template)}) for link in graph["links"])
        back = edited(after, do="rename", component="zz-renamed", name=one["name"])
        assert back == text
    # Adapters that a template names in one dotted key are not followed.
    assert len(refused) <= 1, refused
    assert renamed > len(refused)
    for one in components:
        try:
            after = edited(text, do="remove", component=one["name"])
        except StudioError:
            continue
        assert len(after) < len(text)
        assert one["name"] not in [left["name"] for left in look(after).as_json()["components"]]
        # The edit only takes letters out: the rest keeps its order.
        rest = iter(text)
        assert all(letter in rest for letter in after)


def test_the_form_of_a_kind_has_each_key_and_each_choice_once() -> None:
    for kind in forms()["kinds"]:
        keys = [key["key"] for key in kind["keys"]]
        assert len(set(keys)) == len(keys)
        for key in kind["keys"]:
            choices = key["choices"] or []
            assert len(set(choices)) == len(choices), (kind["kind"], key["key"])
    size = next(
        key for kind in forms()["kinds"] if kind["kind"] == "synthetic" for key in kind["keys"] if key["key"] == "size"
    )
    # A mix by its name, or any size.
    assert "database" in size["choices"]
    assert (size["type"], size["units"][:2]) == ("quantity", ["B", "KB"])


def test_places_are_those_of_the_shipped_texts() -> None:
    for text in SCENARIOS.values():
        for one in look(text).as_json()["components"]:
            units = text.encode("utf-16-le")
            assert units[2 * one["begin"] : 2 * one["end"]].decode("utf-16-le") == one["name"]
    assert Path(PLACE).is_dir()
