"""Who may speak to the studio, and how much at once: one layer around the whole application.

| against | what is done |
|---|---|
| a web site whose name is made to point here (DNS rebinding) | only known names of this host are answered |
| a web site that makes the browser send something | other origins are refused, on reading too where the browser tells |
| anybody on the network | where more than this machine is served, a token, compared in constant time |
| a page that frames or injects | Content-Security-Policy without inline code, and the other usual headers |
| a body without end | bytes are counted as they come |

A browser says the token once, at `/?token=…`, and gets a cookie that no script can read and no other site can use.
"""

import hashlib
import hmac
import json
from collections.abc import Sequence
from contextlib import suppress
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from noisekernel.studio.design_file.record import MOST_FILE_BYTES

COOKIE = "noisekernel"
LOOPBACK = ("localhost", "127.0.0.1", "::1")
#: Bytes of a request's body: of most, and where files are sent.
MOST_BYTES = 4_000_000
READING = ("GET", "HEAD", "OPTIONS")

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "media-src 'self' blob:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)


class _TooLargeError(Exception):
    """A body went over its limit."""


class Guard:
    """The layer. `hosts` are the names this server answers to; None answers to any, which only a token makes safe."""

    def __init__(self, app: ASGIApp, *, token: str | None = None, hosts: Sequence[str] | None = LOOPBACK) -> None:
        if hosts is None and token is None:
            raise ValueError("a studio that answers to any name needs a token")
        self.app, self.token, self.hosts = app, token, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        with_headers = _sending(send)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            return await _answer(with_headers, *refusal, scope)
        if self.token is not None and scope["path"] == "/" and b"token=" in scope["query_string"]:
            given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
            if not _same(given, self.token):
                return await _answer(with_headers, 401, "this is not the token that the studio printed", scope)
            return await _welcome(with_headers, _ticket(self.token))
        if self.token is not None and not self._known(headers):
            return await _answer(with_headers, 401, "open the address that the studio printed when it started", scope)
        await self._limited(scope, headers, receive, with_headers)

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if self.hosts is not None and _name(host) not in self.hosts:
            return 421, "this server does not answer to that name; use the address that it printed when it started"
        writing = scope["method"] not in READING
        origin = headers.get("origin")
        if writing and origin is not None and origin.partition("//")[2].lower() != host.lower():
            return 403, "requests from other sites are refused"
        site = headers.get("sec-fetch-site", "same-origin")
        if (writing or scope["path"].startswith("/api")) and site not in ("same-origin", "none"):
            return 403, "requests from other sites are refused"
        return None

    def _known(self, headers: dict[str, str]) -> bool:
        assert self.token is not None
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer" and _same(given.strip(), self.token):
            return True
        try:
            morsel = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            return False
        return morsel is not None and _same(morsel.value, _ticket(self.token))

    async def _limited(self, scope: Scope, headers: dict[str, str], receive: Receive, send: Send) -> None:
        most = MOST_FILE_BYTES + MOST_BYTES if headers.get("content-type", "").startswith("multipart/") else MOST_BYTES
        said = headers.get("content-length", "0")
        too_large = f"the request is larger than the {most:,} bytes that are taken"
        if not said.isdecimal():
            return await _answer(send, 400, "the length of the request is no number", scope)
        if int(said) > most:
            return await _answer(send, 413, too_large, scope)
        came, begun = 0, False

        async def counted() -> Message:
            nonlocal came
            message = await receive()
            came += len(message.get("body", b""))
            if came > most:
                raise _TooLargeError
            return message

        async def sent(message: Message) -> None:
            nonlocal begun
            if came > most and not begun:
                return  # the application's own words on a body that it could not read
            begun = True
            await send(message)

        with suppress(_TooLargeError):
            await self.app(scope, counted, sent)
        if came > most and not begun:
            await _answer(send, 413, too_large, scope)


def _same(given: str, expected: str) -> bool:
    """In a time that tells nothing of where they differ, nor of the length."""
    return hmac.compare_digest(hashlib.sha256(given.encode()).digest(), hashlib.sha256(expected.encode()).digest())


def _ticket(token: str) -> str:
    """What the cookie holds: enough to be known by, not the token itself."""
    return hmac.new(token.encode(), b"noisekernel studio", hashlib.sha256).hexdigest()


def _name(host: str) -> str:
    """A Host header without its port; nothing if it is none."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _sending(send: Send) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message["headers"]}
            message["headers"] = [*message["headers"], *(pair for pair in HEADERS if pair[0] not in present)]
            if b"cache-control" not in present:
                message["headers"].append((b"cache-control", b"no-store"))
        await send(message)

    return with_headers


async def _answer(send: Send, status: int, detail: str, scope: Scope) -> None:
    """A sentence: as JSON for programs, plain where a person may have typed the address."""
    plain = not scope["path"].startswith("/api")
    content = (detail if plain else json.dumps({"detail": detail})).encode()
    kind = b"text/plain; charset=utf-8" if plain else b"application/json"
    headers = [(b"content-type", kind), (b"content-length", str(len(content)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})


async def _welcome(send: Send, ticket: str) -> None:
    cookie = f"{COOKIE}={ticket}; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000"
    headers = [(b"location", b"/"), (b"set-cookie", cookie.encode()), (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 303, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
