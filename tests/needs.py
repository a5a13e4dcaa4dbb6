"""What `make test` needs of the system, how to get it, and what is left out where it is not there.

    python tests/needs.py                says what is there
    python tests/needs.py --browser      installs a browser where it may: as root, or by a sudo that asks no password
    python tests/needs.py --has node     exits with 0 if it is there
    python tests/needs.py --left-out     says what was left out, loudly

Only Python itself must be there; the rest of the suite passes without a browser and without node. Where NK_REQUIRE_ALL
or CI is set, whatever is missing is a failure.
"""

from __future__ import annotations  # an older Python is told that it is too old

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from typing import NamedTuple


class Need(NamedTuple):
    """Something of the system's: which, how to get it, and what cannot be tested without it."""

    name: str
    wanted: str
    get: str
    tests: str


NODE = "apt-get install nodejs npm where that is 20 or newer, else the Node project's own download"
NEEDS = (
    Need("python", "Python 3.11 or newer", "apt-get install python3 python3-venv", "anything at all"),
    Need("node", "Node 20 or newer, with npm", NODE, "types, lint and unit tests of the page"),
    Need("chromium", "Chromium or Chrome", "apt-get install chromium", "tests/browser, which drive the page"),
)

#: Why a browser test is left out, or fails where none may be.
NO_BROWSER = "the browser tests drive chromium, which is not there: apt-get install chromium"


def required(env: Mapping[str, str] = os.environ) -> bool:
    """Whether nothing may be left out."""
    return any(env.get(name, "") not in ("", "0", "false") for name in ("NK_REQUIRE_ALL", "CI"))


def browser(env: Mapping[str, str] = os.environ) -> str | None:
    """The browser that the tests drive: what NK_BROWSER names (`none`: as if there were none), or the system's."""
    path = env.get("PATH")
    named = env.get("NK_BROWSER")
    if named:
        return None if named == "none" else shutil.which(named, path=path)
    found = (shutil.which(name, path=path) for name in ("chromium", "chromium-browser", "google-chrome"))
    return next((one for one in found if one), None)


def node(env: Mapping[str, str] = os.environ) -> str | None:
    """Node of an age that will do, if npm is there too."""
    found, npm = (shutil.which(name, path=env.get("PATH")) for name in ("node", "npm"))
    if found is None or npm is None:
        return None
    said = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout
    major = said.strip().lstrip("v").partition(".")[0]
    return found if major.isdecimal() and int(major) >= 20 else None


def python() -> str | None:
    return sys.executable if sys.version_info >= (3, 11) else None


def missing() -> list[Need]:
    there = {"python": python(), "node": node(), "chromium": browser()}
    return [need for need in NEEDS if there[need.name] is None]


def left_out() -> list[str]:
    """A line for each thing that is missing."""
    return [f"{need.tests}: {need.wanted} is not there ({need.get})" for need in missing()]


def install_browser() -> None:
    """Where it may. What fails here is told by `left_out`."""
    if browser() is not None or os.environ.get("NK_BROWSER"):
        return
    apt = shutil.which("apt-get")
    sudo = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if apt is None or (sudo and not _works([*sudo, "true"])):
        print("There is no browser, and it cannot be installed from here: apt-get install chromium, as root")
        return
    print("Installing chromium, which the browser tests drive.", flush=True)
    if not (_works([*sudo, apt, "update", "-qq"]) and _works([*sudo, apt, "install", "-y", "-qq", "chromium"])):
        print("chromium could not be installed.")


def _works(command: list[str]) -> bool:
    try:
        done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    except OSError:
        return False
    return done.returncode == 0


def main(arguments: list[str]) -> int:
    if arguments == ["--browser"]:
        install_browser()
        return 0
    if arguments[:1] == ["--has"]:
        return int(any(need.name == arguments[1] for need in missing()))
    lacking = missing()
    if arguments == ["--left-out"]:
        if lacking:
            print("\n".join(["=" * 120, "LEFT OUT, for want of what it needs:", *left_out(), "=" * 120]))
        return 0
    print("make test needs, of the system:")
    for need in NEEDS:
        print(f"  {need.wanted:28}{'not there: ' + need.get if need in lacking else 'is there'}")
    if any(need.name == "python" for need in lacking):
        return 1
    if lacking and required():
        print("Nothing may be left out here (NK_REQUIRE_ALL or CI is set).")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
