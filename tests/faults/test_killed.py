"""kill -9 at twenty moments, some of them inside the writing of a checkpoint: all go on, to the same weights."""

import multiprocessing
import os
import random
import signal
from pathlib import Path

import pytest
import torch

from noisekernel import models
from noisekernel.files import formats
from noisekernel.training import run

SETTINGS = {
    "network.channels": 8,
    "training.batch": 16,
    "training.images": 16 * 400,
    "training.save_every": 16,
    "training.log_every": 160,
    "training.draw_every": 10**6,
}


def train(folder: str, moment: str | None, writes: int) -> None:
    """A whole run, or one that kills itself at a moment of its n-th write of a file that holds tensors."""
    torch.set_num_threads(1)
    counted = 0
    real = formats.save_file

    def die() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def save_file(tensors, path, metadata):
        nonlocal counted
        counted += 1
        real(tensors, path, metadata)
        if counted == writes and moment == "half a file":
            content = Path(path).read_bytes()
            Path(path).write_bytes(content[: len(content) // 2])
            die()
        if counted == writes and moment == "before the rename":
            die()
        if counted == writes and moment == "after the rename":
            replace = os.replace

            def then_die(*paths):
                replace(*paths)
                die()

            os.replace = then_die

    formats.save_file = save_file
    run.fit("digits", folder, settings=SETTINGS, resume=True, progress=False, tensorboard=False)


@pytest.mark.training
@pytest.mark.timeout(900)
def test_twenty_kills(tmp_path):
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["noisekernel.training.run", "sklearn.datasets"])
    chance = random.Random(0)

    def attempt(folder: Path, moment: str | None = None, writes: int = 0, delay: float | None = None) -> int:
        process = context.Process(target=train, args=(str(folder), moment, writes))
        process.start()
        process.join(delay)
        if process.is_alive():
            process.kill()
        process.join()
        return process.exitcode

    assert attempt(tmp_path / "whole") == 0
    ended, kills, run = [], 0, tmp_path / "killed0"
    moments = ["half a file", "before the rename", "after the rename"] * 3
    while kills < 20:
        if moments:
            code = attempt(run, moments.pop(), chance.randrange(1, 20))
        else:
            code = attempt(run, delay=chance.uniform(0.1, 1.2))
        assert code in (0, -signal.SIGKILL)
        kills += code != 0
        if code == 0:  # the machine is so fast that it came to its end between two kills: then another
            ended, run = [*ended, run], tmp_path / f"killed{len(ended) + 1}"
    assert attempt(run) == 0
    whole = models.load(tmp_path / "whole").denoiser.state_dict()
    for folder in (*ended, run):
        killed = models.load(folder).denoiser.state_dict()
        assert all(torch.equal(whole[name], killed[name]) for name in whole)
        assert not list(folder.rglob("*.unfinished"))
