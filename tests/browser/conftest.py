"""A real server in a process of its own, and a real browser."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, Request, sync_playwright

import needs
from browser.hand import Hand

SOURCE = Path(__file__).parents[2] / "src"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 300.0


def pytest_collection_modifyitems(items):
    """Without a browser the tests that need one are left out, which tests/conftest.py tells at the end."""
    if needs.browser() is not None or needs.required():
        return
    for item in items:
        if "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.skip(reason=needs.NO_BROWSER))


class Server:
    """`nk studio` on a free port, with a home of its own; it can be killed and started again."""

    def __init__(self, home: Path, *models: str, path: Path = SOURCE) -> None:
        self.home, self.log = home, home / "log.txt"
        self.models, self.path = models or ("digits",), path
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def start(self) -> None:
        asked = [*self.models, "--port", str(self.port), "--no-browser"]
        command = [sys.executable, "-m", "noisekernel", "studio", *asked]
        path = os.pathsep.join(map(str, dict.fromkeys((self.path, SOURCE))))
        env = {**os.environ, "NK_HOME": str(self.home), "OMP_NUM_THREADS": "1", "PYTHONPATH": path}
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, env=env, stdout=log, stderr=subprocess.STDOUT)
        until = time.monotonic() + PATIENCE
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > until:
                pytest.fail(f"the studio did not start:\n{self.log.read_text()}")
            time.sleep(0.1)

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}api/health", timeout=5) as answer:
                return answer.status == 200
        except OSError:
            return False

    def kill(self) -> None:
        """As a crash would: no farewell."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@pytest.fixture(scope="session")
def server(tmp_path_factory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("studio"))
    yield server
    server.kill()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    found = needs.browser()
    if found is None:
        pytest.fail(needs.NO_BROWSER)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


class Window:
    """Contexts of the browser with the studio's page in them, watched for what should never happen."""

    def __init__(self, chromium: Browser) -> None:
        self.chromium = chromium
        self.wrong: list[str] = []
        self.diary: deque[str] = deque(maxlen=80)
        self.contexts: list[BrowserContext] = []

    def context(self, width: int = 1280, height: int = 800, **options) -> BrowserContext:
        context = self.chromium.new_context(viewport={"width": width, "height": height}, **options)
        # Small rounds: what is tested is the page, not the model.
        context.add_init_script(
            "localStorage.getItem('nk-settings') ?? localStorage.setItem('nk-settings', "
            "JSON.stringify({count: 4, steps: 10}))"
        )
        # A message stays until it is dismissed: a machine that is busy for so long does not see it go.
        context.add_init_script(
            "{ const wait = window.setTimeout; "
            "window.setTimeout = (run, after, ...given) => after === 8000 ? 0 : wait(run, after, ...given); }"
        )
        context.set_default_timeout(120_000)
        self.contexts.append(context)
        return context

    def page(self, context: BrowserContext | None = None, **options) -> Page:
        page = (context or self.context(**options)).new_page()
        page.on("pageerror", lambda error: self.wrong.append(f"{error.name}: {error.message}\n{error.stack}"))
        page.on("console", lambda said: self.wrong.append(said.text) if "Content Security" in said.text else None)
        number = sum(len(context.pages) for context in self.contexts)

        def note(what: str, request: Request) -> None:
            if "/api/" in request.url:
                address = urlsplit(request.url).path
                self.diary.append(f"{time.monotonic():.2f} page {number} {what} {request.method} {address}")

        page.on("request", lambda request: note("asks", request))
        page.on("response", lambda response: note(f"hears {response.status} of", response.request))
        page.on("requestfailed", lambda request: note(f"fails ({request.failure}) at", request))
        return page

    def tells(self) -> str:
        """What there is to know when a test has failed on a machine that is not at hand."""
        pages = [page for context in self.contexts for page in context.pages]
        return "\n".join([*self.diary, f"{time.monotonic():.2f} it failed", *map(_seen, pages)])


def _seen(page: Page) -> str:
    try:
        said = page.locator(".toast, [role=status], h2").filter(visible=True).all_inner_texts()
        on_its_way = page.evaluate("sessionStorage.getItem('nk-changes')")
    except Error as error:
        return f"{page.url} does not answer: {error.message}"
    return f"{page.url} shows {list(filter(None, said))}, on its way {on_its_way}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    window = getattr(item, "funcargs", {}).get("window")
    if report.when == "call" and report.failed and window is not None:
        report.sections.append(("what the pages asked and heard", window.tells()))
        if "server" in item.funcargs:
            report.sections.append(("what the server said last", item.funcargs["server"].log.read_text()[-2000:]))
    return report


@pytest.fixture
def window(chromium) -> Iterator[Window]:
    window = Window(chromium)
    yield window
    for context in window.contexts:
        context.close()
    assert not window.wrong


@pytest.fixture
def hand(window, server) -> Hand:
    """Someone at the start page."""
    hand = Hand(window.page(), server)
    hand.go()
    return hand
