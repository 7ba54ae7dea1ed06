"""The answers of the studio's server, on loopback and for one user.

docs/studio-api.md lists the requests. No answer takes a path: files and runs have ids.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from sansim import _core, bundled
from sansim._core import __version__
from sansim.studio import positions
from sansim.studio.checked import check
from sansim.studio.edit import Editor
from sansim.studio.errors import StudioError
from sansim.studio.folder import LARGEST, Folder
from sansim.studio.forms import forms
from sansim.studio.guard import Guard
from sansim.studio.jobs import Jobs
from sansim.studio.worker import Task
from sansim.studio_page.assets import MISSING, PAGE, Asset, assets

LONGEST_SWEEP = 50
"""The most values of a sweep."""
WHATS = ("run", "explain", "sweep")
Answer = Callable[[Request], Awaitable[Response]]


class Studio:
    """A studio for one folder."""

    def __init__(self, root: Path, opened: dict[str, Any], playback: Path | None) -> None:
        """A studio for a folder, with what is opened at first."""
        self.folder = Folder(root)
        self.opened = {"scenario": None, "example": None, "playback": False} | opened
        self.recording = playback
        self.jobs = Jobs()
        self.assets = assets()

    @property
    def allowed(self) -> tuple[str, ...]:
        """The folders from which scenarios may name files."""
        return (str(self.folder.root), str(bundled.EXAMPLES.resolve()))

    def app(self) -> Starlette:
        """The application."""
        routes = [
            ("/api/session", "GET", self.session),
            ("/api/scenarios", "GET", self.scenarios),
            ("/api/text", "GET", self.text),
            ("/api/text", "PUT", self.store),
            ("/api/text", "POST", self.create),
            ("/api/changed", "GET", self.changed),
            ("/api/layout", "GET", self.layout),
            ("/api/layout", "PUT", self.store_layout),
            ("/api/check", "POST", self.checked),
            ("/api/edit", "POST", self.edited),
            ("/api/kinds", "GET", self.kinds),
            ("/api/runs", "GET", self.runs),
            ("/api/runs", "POST", self.begin),
            ("/api/runs/{run}", "DELETE", self.cancel),
            ("/api/runs/{run}/progress", "GET", self.progress),
            ("/api/runs/{run}/playback", "GET", self.playback_of),
            ("/api/runs/{run}/report", "GET", self.report),
            ("/api/playback", "GET", self.playback),
            ("/{path:path}", "GET", self.asset),
        ]

        @contextlib.asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncIterator[None]:
            yield
            await self.jobs.close()

        made = [Route(path, answered(answer), methods=[method]) for path, method, answer in routes]
        return Starlette(routes=made, lifespan=lifespan)

    # ---------------------------------------------------------------- texts

    async def session(self, _: Request) -> Response:
        """The opened scenario or playback, and the folder."""
        return JSONResponse({"sansim": __version__, "folder": self.folder.root.name, "opened": self.opened})

    async def scenarios(self, _: Request) -> Response:
        """The scenarios of the folder, and the shipped examples."""
        return JSONResponse(await asyncio.to_thread(self.folder.scenarios))

    async def text(self, request: Request) -> Response:
        """A scenario."""
        return JSONResponse(self.folder.read(request.query_params.get("id", "")).as_json())

    async def store(self, request: Request) -> Response:
        """Stores a scenario, unless it was changed since it was read."""
        given = await content(request)
        digest = self.folder.write(word(given, "id"), word(given, "text"), word(given, "digest"))
        return JSONResponse({"digest": digest})

    async def create(self, request: Request) -> Response:
        """Stores a text under a new name in the folder."""
        given = await content(request)
        id_ = self.folder.create(word(given, "name"), word(given, "text"))
        return JSONResponse(self.folder.read(id_).as_json())

    async def changed(self, request: Request) -> Response:
        """Whether a file is another one than it was."""
        text = self.folder.read(request.query_params.get("id", ""))
        return JSONResponse({"changed": text.digest != request.query_params.get("digest")})

    async def layout(self, request: Request) -> Response:
        """The positions of a scenario's picture."""
        return JSONResponse(positions.read(self.folder, request.query_params.get("id", "")))

    async def store_layout(self, request: Request) -> Response:
        """Stores the positions of a picture, unless they were changed since they were read."""
        given = await content(request)
        digest = None if given.get("digest") is None else word(given, "digest")
        return JSONResponse({"digest": positions.write(self.folder, word(given, "id"), given.get("positions"), digest)})

    async def checked(self, request: Request) -> Response:
        """The answer to a check of a text."""
        given = await content(request)
        text, id_ = word(given, "text"), word(given, "id")
        found = await asyncio.to_thread(check, text, name_of(id_), self.folder.place_of(id_))
        return JSONResponse(await asyncio.to_thread(found.as_json))

    async def edited(self, request: Request) -> Response:
        """A text after an edit of the picture."""
        given = await content(request)
        text, id_, edit = word(given, "text"), word(given, "id"), given.get("edit")
        if not isinstance(edit, dict):
            raise StudioError("bad-edit", "`edit` has to be an object")
        place = self.folder.place_of(id_)
        source = await asyncio.to_thread(lambda: Editor(text, name_of(id_), place).apply(edit))
        found = await asyncio.to_thread(check, source.text, name_of(id_), place)
        return JSONResponse({"text": source.text, **found.as_json()})

    async def kinds(self, _: Request) -> Response:
        """The keys of each kind."""
        return JSONResponse(await asyncio.to_thread(forms))

    # ---------------------------------------------------------------- runs

    async def runs(self, _: Request) -> Response:
        """All runs."""
        return JSONResponse({"runs": [job.as_json() for job in self.jobs.all.values()]})

    async def begin(self, request: Request) -> Response:
        """Begins a run."""
        given = await content(request)
        what = given.get("what", "run")
        if what not in WHATS:
            raise StudioError("bad-run", f"`what` has to be one of {', '.join(WHATS)}")
        id_ = word(given, "id")
        values = [str(value) for value in given.get("values") or []]
        if what == "sweep" and not 1 <= len(values) <= LONGEST_SWEEP:
            raise StudioError("bad-run", f"a sweep has 1 to {LONGEST_SWEEP} values")
        task = Task(
            what=what,
            text=word(given, "text"),
            name=name_of(id_),
            folder=str(self.folder.place_of(id_)),
            allowed=self.allowed,
            settings=tuple(setting(text) for text in given.get("settings") or []),
            playback=window_of(given.get("playback")),
            key=str(given.get("key") or ""),
            values=tuple(values),
        )
        job = self.jobs.begin(id_, str(given.get("name") or name_of(id_))[:200], task)
        return JSONResponse({"run": job.id})

    async def cancel(self, request: Request) -> Response:
        """Cancels a run."""
        await self.jobs.cancel(self.jobs.get(request.path_params["run"]))
        return JSONResponse({})

    async def progress(self, request: Request) -> Response:
        """The progress of a run and its result, as a stream of events."""
        job = self.jobs.get(request.path_params["run"])
        last = request.headers.get("last-event-id", "0")
        after = int(last) if last.isdecimal() and len(last) < 10 else 0
        headers = {"cache-control": "no-store"}
        return StreamingResponse(self.jobs.stream(job, after), media_type="text/event-stream", headers=headers)

    async def playback_of(self, request: Request) -> Response:
        """The playback of a run."""
        file = self.jobs.playback(self.jobs.get(request.path_params["run"]))
        return binary(await asyncio.to_thread(file.read_bytes))

    async def report(self, request: Request) -> Response:
        """The report of a run, which has styles and charts of its own and no script."""
        from sansim.html_report import read
        from sansim.html_report.contents import sections
        from sansim.html_report.files import render

        folder = self.jobs.run_folder(self.jobs.get(request.path_params["run"]))

        def page() -> str:
            runs = read([folder])
            return render(runs, sections(runs))

        return Response(await asyncio.to_thread(page), media_type="text/html")

    async def playback(self, _: Request) -> Response:
        """The playback for which the studio was started."""
        if self.recording is None:
            raise StudioError("no-playback", "the studio was started without a playback", status=404)
        return binary(await asyncio.to_thread(self.recording.read_bytes))

    async def asset(self, request: Request) -> Response:
        """A file of the page."""
        if not self.assets:
            raise StudioError("not-built", MISSING, status=503)
        path = "/" + request.path_params["path"]
        name = f"/{PAGE}" if path == "/" else path
        asset: Asset | None = self.assets.get(name)
        if asset is None:
            raise StudioError("no-page", "there is no such page", status=404)
        kept = "public, max-age=31536000, immutable" if name.startswith("/assets/") else "no-cache"
        return Response(asset.content, media_type=asset.type, headers={"cache-control": kept})


def answered(answer: Answer) -> Answer:
    """An answer whose errors are JSON."""

    async def tell(request: Request) -> Response:
        try:
            return await answer(request)
        except StudioError as error:
            return JSONResponse(error.as_json(), error.status)

    return tell


def binary(data: bytes) -> Response:
    """A file for the page."""
    return Response(data, media_type="application/octet-stream", headers={"cache-control": "no-store"})


async def content(request: Request) -> dict[str, Any]:
    """The JSON object of a request."""
    data = bytearray()
    async for piece in request.stream():
        data += piece
        if len(data) > 2 * LARGEST:
            raise StudioError("too-long", "the request is too long", status=413)
    try:
        found = json.loads(bytes(data))
    except (UnicodeDecodeError, ValueError):
        raise StudioError("not-json", "the content is no JSON", status=400) from None
    if not isinstance(found, dict):
        raise StudioError("not-json", "the content has to be an object", status=400)
    return found


def word(given: dict[str, Any], key: str) -> str:
    """A text of a request."""
    value = given.get(key)
    if not isinstance(value, str):
        raise StudioError("bad-request", f"`{key}` has to be a text", status=400)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise StudioError("bad-request", f"`{key}` has half of a character", status=400) from None
    return value


def name_of(id_: str) -> str:
    """The name of a text in messages."""
    return id_.partition(":")[2] or "scenario"


def setting(text: object) -> tuple[str, str]:
    """A setting `key=value`."""
    key, sign, value = str(text).partition("=")
    if not sign or not key.strip():
        raise StudioError("bad-setting", f"{text!r} is no setting: KEY=VALUE")
    return key.strip(), value.strip()


def window_of(given: object) -> dict[str, Any] | None:
    """The window of a playback."""
    if given is None:
        return None
    if not isinstance(given, dict):
        raise StudioError("bad-window", "`playback` has to be an object", status=400)
    slowest = given.get("slowest")
    if slowest is not None and (isinstance(slowest, bool) or not isinstance(slowest, int) or not 1 <= slowest <= 1000):
        raise StudioError("bad-window", "`slowest` has to be a number from 1 to 1000")
    return {"from": text_or_none(given, "from"), "to": text_or_none(given, "to"), "slowest": slowest}


def text_or_none(given: dict[str, Any], key: str) -> str | None:
    """A text, or None if it is left out."""
    value = given.get(key)
    if value is not None and not isinstance(value, str):
        raise StudioError("bad-window", f'`{key}` has to be a time such as "2 ms"')
    return value or None


def serve(studio: Studio, told: Callable[[str], None], port: int = 0) -> None:
    """Serves until Ctrl-C; tells the link when the page can be opened."""
    _core.confine(list(studio.allowed))
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        # Before the link is printed, so that a reader of the link can connect at once.
        listening.listen(64)
        guard = Guard(studio.app(), listening.getsockname()[1])
        config = uvicorn.Config(
            guard, log_level="error", server_header=False, proxy_headers=False, timeout_graceful_shutdown=2
        )
        server = uvicorn.Server(config)
        told(guard.link)

        async def main() -> None:
            loop = asyncio.get_running_loop()
            for number in (signal.SIGINT, signal.SIGTERM):
                with contextlib.suppress(NotImplementedError):
                    loop.add_signal_handler(number, stop)
            # The server's own handlers would send the signal to this process once more.
            with contextlib.suppress(AttributeError):
                server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign, assignment]
            await server.serve(sockets=[listening])

        def stop() -> None:
            server.should_exit = True

        asyncio.run(main())
    sys.stderr.flush()
