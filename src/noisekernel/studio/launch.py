"""From the command line to a running server."""

import secrets
import socket
import webbrowser
from collections.abc import Sequence
from urllib.parse import quote

import uvicorn

from noisekernel.core.errors import InputError, NoiseKernelError
from noisekernel.studio.models import serve_all
from noisekernel.studio.studio import Studio, home
from noisekernel.studio.web.security import LOOPBACK
from noisekernel.studio.web.server import create_app
from noisekernel.studio.work.threads import threads_to_spare

#: Addresses that stand for all of a machine's: which names it is called by is then not known.
ANY = ("0.0.0.0", "::", "")


def run(
    models: Sequence[str],
    *,
    port: int,
    host: str | None,
    token: str | None,
    data: str | None,
    length: int | None,
    threads: int | None,
    browser: bool,
) -> None:
    """Serve until interrupted."""
    if token is not None and len(token) < 16:
        raise InputError("a token has at least 16 characters; leave --token out to have one drawn")
    address = host or "127.0.0.1"
    if address not in LOOPBACK:
        token = token or secrets.token_urlsafe(24)
    hosts = None if address in ANY else (*LOOPBACK, address.lower())
    folder = home()
    served = serve_all(models, data, length)
    listener = bind(address, port)
    shown = "127.0.0.1" if address in ANY else address
    shown = f"[{shown}]" if ":" in shown else shown
    url = f"http://{shown}:{listener.getsockname()[1]}/" + (f"?token={quote(token, safe='')}" if token else "")
    studio = Studio(folder, served, threads=threads or threads_to_spare())
    print(f"The studio is at {url}\nDesigns are kept in {folder}. Stop it with Ctrl-C.", flush=True)
    if browser:
        webbrowser.open(url)
    settings = uvicorn.Config(
        create_app(studio, token=token, hosts=hosts),
        log_level="warning",
        timeout_graceful_shutdown=1,
        ws="none",
        server_header=False,
        date_header=False,
        h11_max_incomplete_event_size=65536,
    )
    try:
        uvicorn.Server(settings).run(sockets=[listener])
    finally:
        studio.close()


def bind(address: str, port: int) -> socket.socket:
    """A socket to listen on: taken before anything else is done, so that a busy port is one sentence."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    # By the name of its protocol: asyncio sends small answers at once (TCP_NODELAY) only where it knows that it is TCP.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((address, port))
        listener.listen(128)  # whoever comes before the server is up waits, instead of being turned away
    except OSError as error:
        listener.close()
        raise NoiseKernelError(
            f"port {port} of {address} cannot be used ({error.strerror or error}); choose another with --port"
        ) from None
    return listener
