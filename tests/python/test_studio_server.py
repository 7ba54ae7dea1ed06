"""The server of the studio, without a browser: who is let in, what is read and written, runs and their progress."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest

from sansim import bundled
from studio_client import SMALL, Running, Served, entered

pytest.importorskip("starlette")
pytestmark = pytest.mark.slow


HOST, COOKIE, ORIGIN = "Host: 127.0.0.1:{port}", "Cookie: {cookie}", "Origin: http://127.0.0.1:{port}"
JSON = "Content-Type: application/json\nContent-Length: 2"
FORM = JSON.replace("application/json", "text/plain")
RAW = {
    "the page's own request": (f"GET /api/session HTTP/1.1\n{HOST}\n{COOKIE}\n\n", 200),
    "localhost is this machine": (f"GET /api/session HTTP/1.1\nHost: localhost:{{port}}\n{COOKIE}\n\n", 200),
    "so is ::1": (f"GET /api/session HTTP/1.1\nHost: [::1]:{{port}}\n{COOKIE}\n\n", 200),
    "no cookie": (f"GET /api/session HTTP/1.1\n{HOST}\n\n", 401),
    "a wrong cookie": (f"GET /api/session HTTP/1.1\n{HOST}\nCookie: sansim-studio-{{port}}=x\n\n", 401),
    "the cookie of another studio": (f"GET /api/session HTTP/1.1\n{HOST}\nCookie: sansim-studio-1={{secret}}\n\n", 401),
    "no cookie for the page either": (f"GET / HTTP/1.1\n{HOST}\n\n", 401),
    "a foreign host": (f"GET /api/session HTTP/1.1\nHost: evil.example\n{COOKIE}\n\n", 403),
    "a foreign host with the port": (f"GET /api/session HTTP/1.1\nHost: evil.example:{{port}}\n{COOKIE}\n\n", 403),
    "the right host with another port": (f"GET /api/session HTTP/1.1\nHost: 127.0.0.1:1\n{COOKIE}\n\n", 403),
    "the host without a port": (f"GET /api/session HTTP/1.1\nHost: 127.0.0.1\n{COOKIE}\n\n", 403),
    "no host": (f"GET /api/session HTTP/1.1\n{COOKIE}\n\n", 400),
    "two hosts": (f"GET /api/session HTTP/1.1\n{HOST}\nHost: evil.example\n{COOKIE}\n\n", 400),
    "a bad token": (f"GET /start?token=guess HTTP/1.1\n{HOST}\n\n", 403),
    "two tokens": (f"GET /start?token={{token}}&token=x HTTP/1.1\n{HOST}\n\n", 403),
    "a token at a foreign host": ("GET /start?token={token} HTTP/1.1\nHost: evil.example:{port}\n\n", 403),
    "a read of another page": (f"GET /api/session HTTP/1.1\n{HOST}\n{COOKIE}\nOrigin: http://evil.example\n\n", 403),
    "a write without an origin": (f"POST /api/check HTTP/1.1\n{HOST}\n{COOKIE}\n{JSON}\n\n{{{{}}}}", 403),
    "a write of no origin": (f"POST /api/check HTTP/1.1\n{HOST}\n{COOKIE}\nOrigin: null\n{JSON}\n\n{{{{}}}}", 403),
    "a write of another page": (
        f"POST /api/check HTTP/1.1\n{HOST}\n{COOKIE}\nOrigin: http://evil.example\n{JSON}\n\n{{{{}}}}",
        403,
    ),
    "an origin that is another name": (
        f"POST /api/check HTTP/1.1\nHost: localhost:{{port}}\n{COOKIE}\n{ORIGIN}\n{JSON}\n\n{{{{}}}}",
        403,
    ),
    "a form of another site": (
        f"POST /api/check HTTP/1.1\n{HOST}\n{COOKIE}\n{ORIGIN}\n{FORM}\n\n{{{{}}}}",
        415,
    ),
    "a fetch of another site": (f"GET /api/session HTTP/1.1\n{HOST}\n{COOKIE}\nSec-Fetch-Site: cross-site\n\n", 403),
    "a delete without an origin": (f"DELETE /api/runs/r1 HTTP/1.1\n{HOST}\n{COOKIE}\n\n", 403),
    "a whole address": (f"GET http://evil.example/api/session HTTP/1.1\n{HOST}\n{COOKIE}\n\n", 400),
    "a path that leads up": (f"GET /../../etc/passwd HTTP/1.1\n{HOST}\n{COOKIE}\n\n", 404),
    "an encoded path that leads up": (f"GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\n{HOST}\n{COOKIE}\n\n", 404),
    "a run that leads up": (f"GET /api/runs/..%2f..%2fx/playback HTTP/1.1\n{HOST}\n{COOKIE}\n\n", 404),
    "positions of another page": (
        f"PUT /api/layout HTTP/1.1\n{HOST}\n{COOKIE}\nOrigin: http://evil.example\n{JSON}\n\n{{{{}}}}",
        403,
    ),
    "positions that are no JSON": (
        f"PUT /api/layout HTTP/1.1\n{HOST}\n{COOKIE}\n{ORIGIN}\n{JSON}\n\nxx",
        400,
    ),
    "options": (f"OPTIONS /api/session HTTP/1.1\n{HOST}\n{COOKIE}\n{ORIGIN}\n\n", 405),
    "a web socket of another host": (
        f"GET /api/session HTTP/1.1\nHost: evil.example\n{COOKIE}\nUpgrade: websocket\nConnection: Upgrade\n\n",
        403,
    ),
}


@pytest.mark.parametrize("case", RAW)
def test_only_the_page_of_this_server_is_let_in(served: Served, case: str) -> None:
    text, wanted = RAW[case]
    secret = served.cookie.partition("=")[2]
    filled = text.format(port=served.port, cookie=served.cookie, token=served.token, secret=secret)
    status, answer = served.raw(filled)
    if "leads up" in case and status == 503:
        # A checkout without the page answers so for every page.
        status = 404
    assert status == wanted, answer
    assert "root:" not in answer


def test_answers_forbid_scripts_of_others_and_frames(served: Served) -> None:
    _, answer = served.raw(f"GET /api/session HTTP/1.1\nHost: 127.0.0.1:{served.port}\nCookie: {served.cookie}\n\n")
    policy = re.search(r"content-security-policy: ([^\r]+)", answer)
    assert policy is not None
    assert "default-src 'self'" in policy[1]
    assert "frame-ancestors 'none'" in policy[1]
    assert "script-src" not in policy[1]
    assert "nosniff" in answer
    assert "access-control" not in answer.lower()


def test_scenarios_of_the_folder_and_examples_are_listed_and_links_out_of_it_are_not(served: Served) -> None:
    status, found = served.ask("GET", "/api/scenarios")
    assert status == 200
    assert {"id": "file:small.toml", "title": "Small"} in found["files"]
    assert not any("link" in one["id"] for one in found["files"])
    assert "example:wang-2005-base" in [one["id"] for one in found["examples"]]


@pytest.mark.parametrize(
    "id_",
    [
        "file:../outside.toml",
        "file:/etc/passwd",
        "file:link.toml",
        "file:link.csv",
        "file:./../folder/../outside.toml",
        "file:%2e%2e/outside.toml",
        "file:..\\outside.toml",
        "file:",
        "example:../README",
        "example:/etc/passwd",
        "other:small.toml",
        "/etc/passwd",
        "",
    ],
)
def test_an_id_leads_to_no_file_outside_the_folder(served: Served, id_: str) -> None:
    from urllib.parse import quote

    status, found = served.ask("GET", f"/api/text?id={quote(id_, safe='')}")
    assert status == 404, found
    assert found["error"]["code"] == "no-file"
    status, found = served.ask("PUT", "/api/text", {"id": id_, "text": "x", "digest": "y"})
    assert status in (403, 404)


@pytest.mark.parametrize(
    "name", ["../secret.csv", "link.csv", "/etc/passwd", "nothing/../../secret.csv", "/nothing", "../nothing.csv"]
)
def test_no_file_key_reads_outside_the_folder_whether_checked_run_or_swept(served: Served, name: str) -> None:
    text = SMALL.replace('kind = "closed"', 'kind = "trace"').replace('size = "64 KiB"', f"file = {json.dumps(name)}")
    status, found = served.ask("POST", "/api/check", {"text": text, "id": "file:small.toml"})
    assert status == 200
    assert [problem["code"] for problem in found["problems"] if problem["key"] == "reads.file"] == ["E0318"]
    sweep: dict[str, object] = {"what": "sweep", "key": "reads.file", "values": [name]}
    whats: list[dict[str, object]] = [{"what": "run"}, {"what": "explain"}, sweep]
    for more in whats:
        status, begun = served.ask("POST", "/api/runs", {"text": text, "id": "file:small.toml", "name": "x", **more})
        assert status == 200
        ended = served.done(begun["run"])
        assert (ended["state"], ended["error"]["code"]) == ("failed", "E0318")
        assert "secret" not in json.dumps(ended).replace(name, "")
        assert "root:" not in json.dumps(ended)


def test_a_text_that_is_a_path_is_a_text(served: Served) -> None:
    for text in ("/etc/hostname", str(served.folder / "small.toml"), "small.toml"):
        status, found = served.ask("POST", "/api/check", {"text": text, "id": "new:x"})
        assert status == 200
        assert found["graph"] is None
        assert found["problems"]


def test_a_text_is_stored_only_if_nobody_changed_it(served: Served) -> None:
    file = served.folder / "kept.toml"
    file.write_text(SMALL)
    _, read = served.ask("GET", "/api/text?id=file:kept.toml")
    assert read["text"] == SMALL
    changed = SMALL.replace("Small", "Smaller")
    status, stored = served.ask("PUT", "/api/text", {"id": read["id"], "text": changed, "digest": read["digest"]})
    assert status == 200
    assert file.read_text() == changed
    assert served.ask("GET", f"/api/changed?id=file:kept.toml&digest={stored['digest']}")[1] == {"changed": False}
    file.write_text(SMALL)
    assert served.ask("GET", f"/api/changed?id=file:kept.toml&digest={stored['digest']}")[1] == {"changed": True}
    status, found = served.ask("PUT", "/api/text", {"id": read["id"], "text": "x", "digest": stored["digest"]})
    assert (status, found["error"]["code"]) == (409, "changed")
    assert file.read_text() == SMALL
    status, _ = served.ask("PUT", "/api/text", {"id": "example:four-disks", "text": "x", "digest": "y"})
    assert status == 403


def test_a_new_file_has_a_plain_name_and_replaces_nothing(served: Served) -> None:
    status, made = served.ask("POST", "/api/text", {"name": "mine", "text": SMALL})
    assert (status, made["id"]) == (200, "file:mine.toml")
    assert (served.folder / "mine.toml").read_text() == SMALL
    assert served.ask("POST", "/api/text", {"name": "mine", "text": "x"})[0] == 409
    for name in ("../mine", "a/b", "", ".hidden", "x\n"):
        assert served.ask("POST", "/api/text", {"name": name, "text": SMALL})[0] == 422
    assert not (served.folder.parent / "mine.toml").exists()


def test_problems_say_their_place_to_the_character(served: Served) -> None:
    text = SMALL.replace('"Small"', '"Größe 😀"').replace('"100 us"', '"100 uss"')
    _, found = served.ask("POST", "/api/check", {"text": text, "id": "file:small.toml"})
    (problem,) = found["problems"]
    units = text.encode("utf-16-le")
    there = units[2 * problem["begin"] : 2 * problem["end"]].decode("utf-16-le")
    assert there == "uss"
    assert problem["severity"] == "error"
    assert found["graph"] is None
    assert [one["name"] for one in found["names"]] == ["san", "host", "drives", "reads"]


def test_a_run_gives_what_sansim_run_gives_with_progress_playback_and_report(served: Served) -> None:
    import sansim

    content = {"text": SMALL, "id": "file:small.toml", "name": "first", "what": "run", "playback": {"to": "20 ms"}}
    status, begun = served.ask("POST", "/api/runs", content)
    assert status == 200
    ended = served.done(begun["run"])
    assert ended["state"] == "done", ended
    assert ended["summary"] == sansim.run(SMALL + "\n").summary
    status, data = served.ask("GET", f"/api/runs/{begun['run']}/playback")
    assert status == 200
    assert data.startswith(b"SANP")
    status, page = served.ask("GET", f"/api/runs/{begun['run']}/report")
    assert status == 200
    assert b"<html" in page
    _, listed = served.ask("GET", "/api/runs")
    mine = next(run for run in listed["runs"] if run["run"] == begun["run"])
    assert (mine["state"], mine["name"], mine["playback"]) == ("done", "first", True)
    # A page that comes back hears only what it has not heard.
    _, rest = served.ask("GET", f"/api/runs/{begun['run']}/progress", Last_Event_ID="100000")
    assert b"event" not in rest


def test_a_run_is_cancelled_and_a_bad_one_says_why(served: Served) -> None:
    long = SMALL.replace("measured_ios = 200", "measured_ios = 900_000_000")
    _, begun = served.ask("POST", "/api/runs", {"text": long, "id": "file:small.toml", "name": "long", "what": "run"})
    time.sleep(1.5)
    assert served.ask("DELETE", f"/api/runs/{begun['run']}", {})[0] == 200
    assert served.done(begun["run"])["state"] == "cancelled"
    _, begun = served.ask("POST", "/api/runs", {"text": "x = 1", "id": "new:x", "name": "bad", "what": "run"})
    ended = served.done(begun["run"])
    assert ended["state"] == "failed"
    assert ended["error"]["message"]
    for wrong in (
        {"what": "shell"},
        {"what": "sweep", "values": []},
        {"settings": ["x"]},
        {"playback": {"slowest": "x"}},
    ):
        assert served.ask("POST", "/api/runs", {"text": SMALL, "id": "new:x", **wrong})[0] == 422


def test_explain_and_a_sweep_are_jobs_too(served: Served) -> None:
    content = {"text": SMALL, "id": "file:small.toml", "name": "why", "what": "explain"}
    ended = served.done(served.ask("POST", "/api/runs", content)[1]["run"])
    assert ended["state"] == "done"
    assert ended["explain"]["bottleneck"]
    sweep = {**content, "what": "sweep", "key": "reads.queue_depth", "values": ["1", "2", "4"]}
    ended = served.done(served.ask("POST", "/api/runs", sweep)[1]["run"])
    points = ended["sweep"]["points"]
    assert [point["value"] for point in points] == ["1", "2", "4"]
    assert points[0]["summary"]["iops"] < points[2]["summary"]["iops"]


def test_an_explanation_tells_what_it_knows_while_it_goes_on(served: Served) -> None:
    text = SMALL.replace("measured_ios = 200", "measured_ios = 900_000_000")
    content = {"text": text, "id": "file:small.toml", "name": "why", "what": "explain"}
    run = served.ask("POST", "/api/runs", content)[1]["run"]
    events = served.events(run)
    kinds = [kind for kind, _ in events]
    found = [said["explain"] for kind, said in events if kind == "found"]
    assert kinds.index("found") < len(kinds) - 1
    shares = [said["share"] for kind, said in events if kind == "progress"]
    assert shares == sorted(shares)
    assert max(shares) > 0
    whole = events[-1][1]["explain"]
    assert set(whole["utilised"]) >= {"drives"}
    assert f"{whole['utilised']['drives']:.0%}".replace("%", " %") in whole["limit"]
    assert whole["what_if"]
    assert found[0]["what_if"] == []
    assert found[0]["simulated"] == whole["simulated"]
    for one in found:
        assert one["what_if"] == whole["what_if"][: len(one["what_if"])]
        assert one["bottleneck"] == whole["bottleneck"]
    assert found[-1] == whole
    # A page that comes later gets the latest of it.
    later = served.events(run)
    assert [kind for kind, _ in later] == ["progress", "found", "done"]


def test_an_explanation_is_cancelled_while_it_simulates(served: Served) -> None:
    text = SMALL.replace("measured_ios = 200", "measured_ios = 900_000_000")
    content = {"text": text, "id": "file:small.toml", "name": "why", "what": "explain"}
    run = served.ask("POST", "/api/runs", content)[1]["run"]
    time.sleep(1.5)
    begin = time.monotonic()
    assert served.ask("DELETE", f"/api/runs/{run}", {})[0] == 200
    assert served.done(run)["state"] == "cancelled"
    # The runs of the changes would take longer.
    assert time.monotonic() - begin < 5


def runs(process: str) -> bool:
    """Whether a process runs; what has ended may wait for whoever asks for its exit code."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_the_studio_ends_with_its_jobs(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL)
    running = Running(tmp_path)
    studio = entered(running, tmp_path)
    long = SMALL.replace("measured_ios = 200", "measured_ios = 900_000_000")
    studio.ask("POST", "/api/runs", {"text": long, "id": "file:small.toml", "name": "long", "what": "run"})
    time.sleep(1.0)
    # A job may be the child of any thread.
    threads = Path(f"/proc/{running.process.pid}/task").iterdir()
    children = [child for thread in threads for child in (thread / "children").read_text().split()]
    assert children
    assert running.close() == 0
    end = time.monotonic() + 20
    while any(runs(child) for child in children):
        assert time.monotonic() < end
        time.sleep(0.05)


def test_every_shipped_example_round_trips_to_the_byte(served: Served) -> None:
    for one in bundled.examples():
        if one.scenario is None:
            _, found = served.ask("GET", f"/api/text?id=example:{one.name}")
            assert found["text"] == bundled.example(one.name)
