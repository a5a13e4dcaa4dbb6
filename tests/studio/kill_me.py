"""A nursery of servers: reads a line, forks a studio on the same port, says its number and, once it is dead, so.

Forking saves every server but the first the loading of torch and the model.
"""

import os
import select
import socket
import sys
from pathlib import Path

import uvicorn

from noisekernel.studio.launch import bind
from noisekernel.studio.models import serve
from noisekernel.studio.studio import Studio
from noisekernel.studio.web.server import create_app
from noisekernel.studio.work.queue import Queue


def wanted(listener: socket.socket) -> bool:
    """Wait to be asked for a server. Who calls meanwhile gets no answer at once, rather than none for a minute."""
    while listener in select.select([sys.stdin, listener], [], [])[0]:
        listener.accept()[0].close()
    return bool(sys.stdin.readline())


def main() -> None:
    home = Path(sys.argv[1])
    served = serve("digits")
    listener = bind("127.0.0.1", 0)
    listener.listen(64)
    print(listener.getsockname()[1], flush=True)
    while wanted(listener):
        child = os.fork()
        if child == 0:
            studio = Studio(home, {"digits": served}, threads=1, queue=Queue())
            config = uvicorn.Config(create_app(studio), log_level="critical", fd=listener.fileno())
            uvicorn.Server(config).run(sockets=[listener])
            os._exit(0)
        print(child, flush=True)
        os.waitpid(child, 0)
        print("dead", flush=True)


if __name__ == "__main__":
    main()
