"""A studio that runs, and a client that asks it as the page does and as no page would."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SERVE = """
import sys
from pathlib import Path
from sansim.studio.server import Studio, serve
playback = Path(sys.argv[2]) if sys.argv[2] else None
opened = {"scenario": sys.argv[3] or None, "playback": playback is not None}
serve(Studio(Path(sys.argv[1]), opened, playback), lambda link: print(link, flush=True))
"""
SMALL = """# A host and two drives.
format = 1
title = "Small"

[run]
warm_up = 0
measured_ios = 200

[san]
kind = "fabric"
speed = "8GFC"
topology = "single-switch"
stations = ["host", "drives"] # both

[host]
kind = "host"

# The drives.
[drives]
kind = "drives"
count = 2
access_time = "100 us" # as measured
transfer_rate = "400 MB/s"

[reads]
kind = "closed"
from = "host"
to = ["drives"]
size = "64 KiB"
"""


class Running:
    """A studio that runs in a process of its own."""

    def __init__(self, folder: Path, playback: Path | None = None, scenario: str = "") -> None:
        """Starts a studio for a folder."""
        arguments = [str(folder), str(playback or ""), scenario]
        self.process = subprocess.Popen([sys.executable, "-c", SERVE, *arguments], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.link = self.process.stdout.readline().strip()
        found = re.fullmatch(r"(http://127\.0\.0\.1:(\d+)/)start\?token=(\S+)", self.link)
        assert found is not None, self.link
        self.url, self.port, self.token = found[1], int(found[2]), found[3]

    def close(self) -> int:
        """Ends it, and returns its exit code."""
        self.process.terminate()
        code = self.process.wait(20)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


@dataclass
class Served:
    """A studio that runs, and a client with its cookie."""

    port: int
    token: str
    cookie: str
    folder: Path

    def ask(self, method: str, path: str, content: object = None, **headers: str | None) -> tuple[int, Any]:
        """Asks as the page does; headers that are None are left out. Returns status and content."""
        given: dict[str, str | None] = {"Host": f"127.0.0.1:{self.port}", "Cookie": self.cookie}
        body = None
        if method not in ("GET", "HEAD"):
            given["Origin"] = f"http://127.0.0.1:{self.port}"
            given["Content-Type"] = "application/json"
            body = json.dumps(content).encode()
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in given.items():
                if value is not None:
                    connection.putheader(name, value)
            connection.putheader("Content-Length", str(len(body or b"")))
            connection.endheaders(body)
            answer = connection.getresponse()
            data = answer.read()
        finally:
            connection.close()
        is_json = "json" in (answer.getheader("content-type") or "")
        return answer.status, json.loads(data) if is_json else data

    def raw(self, text: str) -> tuple[int, str]:
        """Sends what no client would, and returns status and answer."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as connection:
            connection.sendall(text.replace("\n", "\r\n").encode())
            connection.shutdown(socket.SHUT_WR)
            answer = b""
            while piece := connection.recv(65536):
                answer += piece
        return int(answer.split()[1]), answer.decode("utf-8", "replace")

    def done(self, run: str) -> dict[str, Any]:
        """The last event of a run."""
        kind, content = self.events(run)[-1]
        assert kind == "done"
        return content

    def events(self, run: str) -> list[tuple[str, dict[str, Any]]]:
        """The events of a run until it is over: their kinds and contents."""
        status, data = self.ask("GET", f"/api/runs/{run}/progress")
        assert status == 200
        events = [
            dict(line.split(": ", 1) for line in block.splitlines())
            for block in data.decode().split("\n\n")
            if "data:" in block
        ]
        return [(event["event"], json.loads(event["data"])) for event in events]


def entered(running: Running, folder: Path) -> Served:
    """A client with the cookie that the link of a studio gives."""
    studio = Served(running.port, running.token, "", folder)
    status, answer = studio.raw(f"GET /start?token={studio.token} HTTP/1.1\nHost: 127.0.0.1:{studio.port}\n\n")
    assert status == 303
    cookie = re.search(r"set-cookie: ([^;]+);([^\r]*)", answer)
    assert cookie is not None
    assert "HttpOnly" in cookie[2]
    assert "SameSite=Strict" in cookie[2]
    assert str(studio.port) in cookie[1].split("=")[0]
    assert re.search(r"location: /\r", answer)
    studio.cookie = cookie[1]
    return studio


@contextlib.contextmanager
def serving(base: Path) -> Iterator[Served]:
    """A studio for the folder `folder` in `base`, with what is not to be reached beside and in it."""
    folder = base / "folder"
    folder.mkdir()
    (folder / "small.toml").write_text(SMALL)
    (base / "secret.csv").write_text("a secret\n1,2,3\n")
    os.mkfifo(folder / "pipe.toml")
    (folder / "link.csv").symlink_to(base / "secret.csv")
    (folder / "link.toml").symlink_to(base / "outside.toml")
    (base / "outside.toml").write_text(SMALL)
    running = Running(folder)
    yield entered(running, folder)
    assert running.close() == 0
