"""The guard before every answer: loopback names only, the page's own origin, and a cookie that only the link gives.

A page of another site can make a browser send requests to this machine. So the guard wants the name of the host to be
one of this machine with the port of this server (against DNS rebinding), the origin to be this server's, and the
cookie, which is handed out once for the token in the printed link.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qs

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

NAMES = ("127.0.0.1", "localhost", "[::1]")
"""The names of this machine that a browser may have used."""
WRITES = ("POST", "PUT", "PATCH")
"""Methods whose content has to be JSON, which a form of another site cannot send."""
POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'"
)
"""The content security policy: scripts come from this server alone, and none are inline."""
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


class Guard:
    """An ASGI application around another one, which it protects."""

    def __init__(self, app: App, port: int) -> None:
        """Protects the application of the server at a port of this machine."""
        self.app = app
        self.port = port
        self.token = secrets.token_urlsafe(24)
        self.secret = secrets.token_urlsafe(24)
        # Cookies know no port: two studios on one machine have cookies of their own.
        self.cookie = f"sansim-studio-{port}"

    @property
    def link(self) -> str:
        """The link that opens the page."""
        return f"http://127.0.0.1:{self.port}/start?token={self.token}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            return
        refused = self.refusal(scope)
        if refused is not None:
            await answer(send, *refused)
            return
        if scope["path"] == "/start":
            await self.start(scope, send)
            return
        if not self.has_cookie(scope):
            await answer(send, 401, "no-cookie", "open the page by the link that `sansim studio` printed")
            return

        async def with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *HEADERS]
            await send(message)

        await self.app(scope, receive, with_headers)

    def refusal(self, scope: Scope) -> tuple[int, str, str] | None:
        """Status, code and reason if a request is refused; None if it may pass."""
        if not scope["path"].startswith("/"):
            return 400, "bad-path", "a path begins with /"
        hosts = values(scope, b"host")
        if len(hosts) != 1 or hosts[0] not in [f"{name}:{self.port}" for name in NAMES]:
            return 403, "bad-host", f"this server answers to 127.0.0.1:{self.port} and localhost:{self.port} only"
        method, origins = scope["method"], values(scope, b"origin")
        if (origins or method not in ("GET", "HEAD")) and origins != [f"http://{hosts[0]}"]:
            return 403, "bad-origin", "only the page of this server may ask"
        if any(site not in ("same-origin", "none") for site in values(scope, b"sec-fetch-site")):
            return 403, "bad-origin", "only the page of this server may ask"
        kinds = [kind.split(";")[0].strip() for kind in values(scope, b"content-type")]
        if method in WRITES and kinds != ["application/json"]:
            return 415, "not-json", "the content has to be application/json"
        return None

    def has_cookie(self, scope: Scope) -> bool:
        """Whether a request has the cookie."""
        pairs = [pair.strip().partition("=") for text in values(scope, b"cookie") for pair in text.split(";")]
        mine = [value for name, _, value in pairs if name == self.cookie]
        return len(mine) == 1 and hmac.compare_digest(mine[0].encode(), self.secret.encode())

    async def start(self, scope: Scope, send: Send) -> None:
        """Takes the token of the link and hands out the cookie; the token leaves the address bar."""
        given = parse_qs(scope["query_string"].decode("ascii", "replace")).get("token", [])
        if len(given) != 1 or not hmac.compare_digest(given[0].encode(), self.token.encode()):
            await answer(send, 403, "bad-token", "the link is not that of this studio, or is incomplete")
            return
        cookie = f"{self.cookie}={self.secret}; Path=/; HttpOnly; SameSite=Strict"
        headers = [(b"location", b"/"), (b"set-cookie", cookie.encode()), (b"content-length", b"0"), *HEADERS]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


def values(scope: Scope, name: bytes) -> list[str]:
    """The values of a header, as they were sent."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


async def answer(send: Send, status: int, code: str, message: str) -> None:
    """Sends an error."""
    body = json.dumps({"error": {"code": code, "message": message, "hint": None}}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
