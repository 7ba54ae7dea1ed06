"""The positions of a picture: kept beside the scenario, never elsewhere, and never in place of another file."""

from __future__ import annotations

import json

import pytest

from sansim import bundled
from studio_client import SMALL, Served

pytest.importorskip("starlette")
pytestmark = pytest.mark.slow


def test_positions_are_kept_in_a_file_beside_the_scenario(served: Served) -> None:
    (served.folder / "drawn.toml").write_text(SMALL)
    file = served.folder / "drawn.layout.json"
    layout = "/api/layout?id=file:drawn.toml"
    assert served.ask("GET", layout) == (200, {"positions": {}, "digest": None, "unkept": None})
    given = {"host": [10, -20.5], "drives[1]": [0, 1e6]}
    status, first = served.ask("PUT", "/api/layout", {"id": "file:drawn.toml", "positions": given, "digest": None})
    assert status == 200
    assert json.loads(file.read_text()) == {"sansim": "layout", "format": 1, "positions": given}
    assert served.ask("GET", layout) == (200, {"positions": given, "digest": first["digest"], "unkept": None})
    # Another window has moved something: nothing is overwritten unseen.
    again = {"id": "file:drawn.toml", "positions": {"host": [1, 1]}, "digest": None}
    status, found = served.ask("PUT", "/api/layout", again)
    assert (status, found["error"]["code"]) == (409, "changed")
    file.write_text(file.read_text().replace("-20.5", "-30"))
    status, found = served.ask("PUT", "/api/layout", {**again, "digest": first["digest"]})
    assert (status, found["error"]["code"]) == (409, "changed")
    digest = served.ask("GET", layout)[1]["digest"]
    assert served.ask("PUT", "/api/layout", {**again, "digest": digest})[0] == 200
    digest = served.ask("GET", layout)[1]["digest"]
    assert served.ask("PUT", "/api/layout", {**again, "positions": {}, "digest": digest}) == (200, {"digest": None})
    assert not file.exists()
    assert (served.folder / "drawn.toml").read_text() == SMALL
    assert [one.name for one in served.folder.iterdir() if one.name.startswith(".")] == []


FOREIGN = {
    "no JSON": b"positions = 1",
    "no UTF-8": b"\xff\xfe{}",
    "another JSON": b'{"host": [1, 2]}',
    "a list": b'[{"sansim": "layout", "format": 1}]',
    "a later format": b'{"sansim": "layout", "format": 2, "positions": {}}',
    "positions that are none": b'{"sansim": "layout", "format": 1, "positions": {"host": [1]}}',
    "too long": b" " * 1_000_001,
    "very deep": b"[" * 100_000,
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_a_file_that_holds_no_positions_is_neither_read_nor_replaced(served: Served, kind: str) -> None:
    (served.folder / "foreign.toml").write_text(SMALL)
    file = served.folder / "foreign.layout.json"
    file.write_bytes(FOREIGN[kind])
    status, found = served.ask("GET", "/api/layout?id=file:foreign.toml")
    assert (status, found["positions"], found["digest"]) == (200, {}, None)
    assert found["unkept"].startswith("foreign.layout.json ")
    given = {"id": "file:foreign.toml", "positions": {"host": [1, 2]}, "digest": None}
    status, found = served.ask("PUT", "/api/layout", given)
    assert (status, found["error"]["code"]) == (409, "other-kind")
    assert file.read_bytes() == FOREIGN[kind]
    file.unlink()


def test_positions_lead_nowhere_outside_the_folder(served: Served) -> None:
    from urllib.parse import quote

    outside = served.folder.parent / "outside.layout.json"
    ids = (
        "file:../outside.toml",
        "file:/etc/passwd",
        "file:link.toml",
        "file:link.csv",
        "file:%2e%2e/outside.toml",
        "",
    )
    for id_ in ids:
        assert served.ask("GET", f"/api/layout?id={quote(id_, safe='')}")[0] == 404
        given = {"id": id_, "positions": {"host": [1, 2]}, "digest": None}
        assert served.ask("PUT", "/api/layout", given)[0] in (403, 404)
    outside.write_text('{"sansim": "layout", "format": 1, "positions": {"host": [1, 2]}}')
    (served.folder / "led.toml").write_text(SMALL)
    (served.folder / "led.layout.json").symlink_to(outside)
    status, found = served.ask("GET", "/api/layout?id=file:led.toml")
    assert (status, found["positions"]) == (200, {})
    assert "is a link" in found["unkept"]
    given = {"id": "file:led.toml", "positions": {"host": [3, 4]}, "digest": None}
    assert served.ask("PUT", "/api/layout", given)[0] == 409
    assert "[1, 2]" in outside.read_text()
    assert (served.folder / "led.layout.json").is_symlink()
    # An example has no file, and none appears beside it.
    status, found = served.ask("GET", "/api/layout?id=example:four-disks")
    assert (status, found["positions"]) == (200, {})
    assert found["unkept"]
    given = {"id": "example:four-disks", "positions": {"host": [3, 4]}, "digest": None}
    assert served.ask("PUT", "/api/layout", given)[0] == 403
    assert list(bundled.EXAMPLES.glob("*.json")) == []


@pytest.mark.parametrize(
    "positions",
    [
        None,
        [],
        {"host": 1},
        {"host": [1]},
        {"host": [1, 2, 3]},
        {"host": [1, "2"]},
        {"host": [1, True]},
        {"host": [1, 2e6]},
        {"host": [float("nan"), 0]},
        {"host": [float("inf"), 0]},
        {"host": [10**400, 0]},
        {"": [1, 2]},
        {"x" * 301: [1, 2]},
        {f"d[{n}]": [1, 2] for n in range(10_001)},
    ],
    ids=lambda value: str(value)[:30],
)
def test_only_positions_are_stored(served: Served, positions: object) -> None:
    (served.folder / "plain.toml").write_text(SMALL)
    given = {"id": "file:plain.toml", "positions": positions, "digest": None}
    status, found = served.ask("PUT", "/api/layout", given)
    assert (status, found["error"]["code"]) == (422, "bad-positions")
    assert not (served.folder / "plain.layout.json").exists()
