"""Who is refused: other names, other sites, no token, too much, and whatever is not what it says."""

import io
import struct
import zipfile
import zlib

import httpx
import numpy as np
import pytest
from PIL import Image
from studio_client import ok, serving

from noisekernel.core.errors import BadExampleError
from noisekernel.studio.web.security import Guard

TOKEN = "a-token-of-some-length"


@pytest.fixture
def guarded(studio):
    with serving(studio, token=TOKEN, hosts=None) as client:
        yield client


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "", "[::", "a b"]
)
def test_other_names_are_not_answered(api, host):
    """DNS rebinding: the site's own name is made to point here."""
    answer = api.get("/api/health", headers={"host": host})
    assert answer.status_code in (400, 421)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:8765", "[::1]:8765"])
def test_our_names_are(api, host):
    assert api.get("/api/health", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://["},
        {"origin": "http://127.0.0.1:1"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_other_sites_write_nothing(api, studio, headers):
    answer = api.post("/api/designs", json={"model": "digits"}, headers=headers)
    assert answer.status_code == 403
    assert studio.store.designs() == []
    if "sec-fetch-site" in headers:
        assert api.get("/api/designs", headers=headers).status_code == 403


def test_the_page_itself_may_write(api):
    own = {"origin": str(api.base_url).rstrip("/"), "sec-fetch-site": "same-origin"}
    assert api.post("/api/designs", json={"model": "digits"}, headers=own).status_code == 201
    assert api.get("/", headers={"sec-fetch-site": "cross-site"}).status_code == 200  # a link from elsewhere


def test_headers_forbid_code_from_elsewhere_and_inline(api):
    for path in ("/", "/api/health", "/api/nothing", "/main.js", "/lib/api.js"):
        headers = api.get(path).headers
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in headers


def test_without_the_token_nothing(guarded):
    for path in ("/", "/main.js", "/viewers/pictures/mask.js", "/api/health", "/api/designs", "/openapi.json"):
        answer = guarded.get(path)
        assert (answer.status_code, "printed" in answer.text) == (401, True)
        assert answer.headers["content-type"].startswith("application/json" if "/api" in path else "text/plain")
    for wrong in ("x", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), "ä"):
        answer = guarded.get("/api/health", headers={"authorization": f"Bearer {wrong}".encode()})
        assert answer.status_code == 401
        assert guarded.get("/", params={"token": wrong}).status_code == 401
    assert guarded.get("/api/health", headers={"cookie": f"noisekernel={TOKEN}"}).status_code == 401


def test_with_the_token_everything(guarded):
    assert guarded.get("/api/health", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200
    welcome = guarded.get("/", params={"token": TOKEN})
    assert (welcome.status_code, welcome.headers["location"]) == (303, "/")
    cookie = welcome.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert TOKEN not in cookie
    assert guarded.get("/api/health").status_code == 200  # the client kept the cookie
    assert guarded.get("/").status_code == 200


def test_tokens_are_compared_in_constant_time(monkeypatch):
    """Through hmac.compare_digest, on hashes: the length does not tell either."""
    from noisekernel.studio.web import security

    seen = []
    real = security.hmac.compare_digest
    monkeypatch.setattr(security.hmac, "compare_digest", lambda a, b: seen.append((len(a), len(b))) or real(a, b))
    assert not security._same("x", TOKEN)
    assert seen == [(32, 32)]


def test_any_name_needs_a_token():
    with pytest.raises(ValueError, match="needs a token"):
        Guard(None, hosts=None)


def test_bodies_have_an_end(api):
    said = api.post("/api/designs", content=b"x" * 4_000_001, headers={"content-type": "application/json"})
    assert (said.status_code, "larger" in said.json()["detail"]) == (413, True)

    def endless():
        for _ in range(100):
            yield b" " * 100_000

    unsaid = api.post("/api/designs", content=endless(), headers={"content-type": "application/json"})
    assert unsaid.status_code == 413


def bomb(width, height):
    """A PNG that says it is huge; its data are a few bytes."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b"\0" * 10_000))
        + chunk(b"IEND", b"")
    )


def hostile():
    good = io.BytesIO()
    Image.fromarray(np.zeros((9, 9), np.uint8)).save(good, "PNG")
    jpeg = io.BytesIO()
    Image.fromarray(np.zeros((64, 64, 3), np.uint8)).save(jpeg, "JPEG")
    return {
        "nothing": b"",
        "text": b"#!/bin/sh\nrm -rf /\n",
        "half a png": good.getvalue()[:40],
        "half a jpeg": jpeg.getvalue()[:300],
        "postscript": b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n",
        "svg": b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
        "100,000 x 100,000": bomb(100_000, 100_000),
        "10,000 x 5,001": bomb(10_000, 5_001),
        "of no size": bomb(0, 0),
        "floats": _tiff(),
    }


def _tiff():
    content = io.BytesIO()
    Image.fromarray(np.zeros((4, 4), np.float32)).save(content, "TIFF")
    return content.getvalue()


@pytest.mark.parametrize("name", hostile())
def test_uploads_that_are_no_pictures(api, studio, name):
    design = ok(api.post("/api/designs", json={"model": "digits"}))["id"]
    for path in (f"/api/designs/{design}/origins", "/api/models/digits/preview"):
        answer = api.post(path, files={"file": ("../../../etc/passwd", hostile()[name])})
        assert answer.status_code == 422, answer.text
        assert "picture" in answer.json()["detail"]
        assert "passwd" not in answer.text
    assert studio.store.nodes_of(design) == []


def test_uploads_are_opened_in_one_place_with_its_bounds(api, design, monkeypatch):
    """What the reader of pictures refuses is refused here, in its words; and it is told the studio's bounds."""
    given = {}

    def refusing(content, **bounds):
        given.update(bounds)
        raise BadExampleError("half of it is missing")

    monkeypatch.setattr("noisekernel.kinds.pictures.on_page.open_picture", refusing)
    answer = api.post(f"/api/designs/{design}/origins", files={"file": ("a.png", hostile()["half a png"])})
    assert (answer.status_code, "half of it is missing" in answer.json()["detail"]) == (422, True)
    assert (given["most"], "PNG" in given["formats"], "EPS" in given["formats"]) == (50_000_000, True, False)


def test_a_picture_of_too_many_bytes(api, design):
    answer = api.post(f"/api/designs/{design}/origins", files={"file": ("a.png", b"\x89PNG" + b"x" * 20_000_001)})
    assert answer.status_code == 422
    assert "20,000,000" in answer.json()["detail"]


@pytest.mark.parametrize(
    "path",
    ["/../pyproject.toml", "/..%2fserver.py", "/%2e%2e/server.py", "/page%2findex.html", "//etc/passwd", "/server.py",
     "/index.html%00.js", "/C:%5cwindows", "/lib", "/lib/", "/lib/../../server.py", "/lib/no.js"],
)  # fmt: skip
def test_no_path_leads_out_of_the_page(api, path):
    # httpx tidies paths up; a hostile client does not.
    request = httpx.Request("GET", str(api.base_url))
    request.url = request.url.copy_with(raw_path=path.encode())
    answer = api.send(request)
    assert answer.status_code == 404
    assert "noisekernel" not in answer.text


def test_errors_say_nothing_of_the_servers_paths(studio, api, design, monkeypatch, tmp_path):
    from noisekernel.core.errors import StorageError

    def full(*_, **__):
        raise StorageError(f"{tmp_path}/objects cannot be written: no space left on device")

    monkeypatch.setattr("noisekernel.studio.store.objects.write_tensors", full)
    answer = api.post(f"/api/designs/{design}/origins/example", json={"example": 1})
    assert answer.status_code == 507
    assert str(tmp_path) not in answer.text
    monkeypatch.setattr(studio.store, "designs", lambda *_: 1 / 0)
    answer = api.get("/api/designs")
    assert answer.status_code == 500
    assert "division" not in answer.text


def zipped(**parts):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as file:
        for name, part in parts.items():
            file.writestr(name.replace("__", "."), part)
    return content.getvalue()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"PK", "not a design file"),
        (zipped(a=b""), "not a design file"),
        (zipped(design__json=b"{}", z__safetensors=b""), "damaged"),
        (zipped(design__json=b"[" * 100_000, z__safetensors=b""), "not a design file"),
        (zipped(design__json=b" " * 20_000_001, z__safetensors=b""), "too large"),
        (zipped(design__json=b"{}", z__safetensors=b"\0" * 200_000_001), "too large"),
    ],
)
def test_design_files_that_are_none(api, content, said):
    answer = api.post("/api/designs/import", files={"file": ("d.nkd", content)})
    assert answer.status_code == 422
    assert said in answer.json()["detail"]
