"""What all commands share: help, odd values, long work, interruption."""

import itertools
import subprocess
import sys
from types import SimpleNamespace

import noisekernel as nk
from helpers import refused
from noisekernel import models
from noisekernel.cli.cost import TIMED

COMMANDS = (
    "train",
    "sample",
    "vary",
    "equilibrate",
    "fill",
    "walk",
    "info",
    "recipes",
    "push",
    "pull",
    "export",
    "demo",
)


def test_who_interrupts_is_told(run, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(models, "load", interrupt)
    code, _, err = run("sample", "digits")
    assert (code, err) == (130, "nk: interrupted; what is written so far is whole\n")


def test_long_work_is_not_begun_unasked(run, tmp_path, picture, monkeypatch):
    """Memory and disk are known beforehand; time after a few steps, by a clock that says that each takes a minute."""
    with monkeypatch.context() as large:
        large.setattr("noisekernel.core.machine.memory_of", lambda device: 10**18)
        large.setattr("shutil.disk_usage", lambda place: SimpleNamespace(free=10**18))
        refused(run("sample", "digits", "-n", 10**9), "1,000,000,000 pictures take about", "of disk", "add --yes")
        refused(run("sample", "digits", "-n", 10**6, "--batch-size", 10**6), "of memory", "or for smaller batches")
        refused(run("vary", "digits", picture, "-n", 10**8), "100,000,000 pictures take about", "add --yes")
        refused(run("fill", "digits", picture, "--tiles", 2, "-n", 10**8), "100,000,000 pictures take about")
        refused(run("walk", "digits", "--steps", 10**8), "of memory", "add --yes", "fewer steps")
    with monkeypatch.context() as small:
        small.setattr("noisekernel.core.machine.memory_of", lambda device: 10**9)
        small.setattr("shutil.disk_usage", lambda place: SimpleNamespace(free=10**6))
        refused(run("sample", "digits", "-n", 10**7, "--batch-size", 1, "--yes"), "there are 1.0 GB of memory; ask for")
        refused(run("walk", "digits", "--steps", 10**8, "--yes"), "there are 1.0 GB of memory; ask for fewer steps")
        small.setattr("noisekernel.core.machine.memory_of", lambda device: 10**18)
        refused(run("sample", "digits", "-n", 10**7, "--yes"), "there are 1.0 MB of disk; ask for fewer pictures")
    for command in (("sample", "digits"), ("vary", "digits", picture), ("fill", "digits", picture, "--tiles", 2)):
        refused(run(*command, "--steps", 10**9, "--out", "x"), "steps is 1000000000; it is at most 10,000,000")
    minutes = itertools.count(0.0, 60.0 * (TIMED - 1))
    monkeypatch.setattr("noisekernel.cli.cost.clock", lambda: next(minutes))
    for command, said in [
        (("sample", "digits", "-n", 2, "--steps", 500), "this takes about 8.2 hours; add --yes to go on all the same"),
        (("equilibrate", "digits", picture, "-n", 1, "--steps", 100), "this takes about 1.6 hours; add --yes"),
        (
            ("vary", "digits", picture, "-n", 1, "--rounds", 9, "--score", "dark"),
            "this takes about 2.9 hours; add --yes",
        ),
        (("fill", "digits", picture, "--tiles", 2, "-n", 1), "this takes about 1.6 hours; add --yes"),
        (("walk", "digits", "-n", 1, "--steps", 100), "this takes about 1.6 hours; add --yes"),
    ]:
        refused(run(*command, "--out", "x.gif" if command[0] == "walk" else "x"), said)
        assert not list(tmp_path.glob("x*"))
    code, _, err = run("fill", "digits", picture, "--tiles", 2, "-n", 1, "--steps", 70, "--yes")
    assert code == 0
    assert "nk: this takes about 65 minutes" in err


def test_odd_values_are_refused(run, picture):
    refused(run("walk", "digits", "--fps", "nan"), "--fps is nan; it lies in [0.1, 100]")
    refused(run("walk", "digits", "--fps", "inf"), "--fps is inf")
    refused(run("walk", "digits", *[picture] * 3, "-n", 2), "give each picture a chain")
    refused(run("sample", "digits", "--sampler", "corrected", "--steps", 51), "51 is odd")
    refused(run("sample", "digits", "--device", "meta"), "cannot be used here")
    refused(run("sample", "digits", "--seed", 2**64), "18446744073709551616; give a whole number from 0")


def test_help_is_light():
    """It names every command and imports nothing that would make one wait. (benchmarks/start_up.py has times.)"""
    code = (
        "import sys; from noisekernel.cli.main import main; sys.argv = ['nk', '--help']\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print({'torch', 'numpy', 'pydantic', 'PIL', 'sklearn', 'scipy', 'accelerate'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "set()"
    for command in COMMANDS:
        assert command in done.stdout


def test_every_command_explains_itself(run):
    for command in COMMANDS:
        code, out, _ = run(command, "--help")
        assert code == 0
        assert "--json" in out
    assert run("--version")[1].strip() == nk.__version__


def test_help_says_what_is_taken(run):
    """Training takes a kind of device only, and only folders of pictures have a manifest."""
    for command in ("train", "demo"):
        assert "cuda:1" not in run(command, "--help")[1]
    for command, listed in (("sample", True), ("export", False), ("push", False), ("evaluate", False)):
        assert ("manifest" in run(command, "--help")[1].split("--force")[1]) is listed
