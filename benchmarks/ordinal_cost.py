"""256 ordered classes, with and without a table of them all: the times of a training step and of a sampling step.

    python benchmarks/ordinal_cost.py

Both ways have the same network, head and random numbers, and their results are compared. They take turns, so that other
work on the machine slows both. The figures are appended to benchmarks/results/ordinal_cost.jsonl.
"""

import argparse
import statistics
import time
from collections.abc import Callable

import torch
from torch import Tensor

import noisekernel as nk
from lab.results import record_run
from noisekernel.core.categories import Categories
from noisekernel.networks.denoiser import Denoise

BATCH, SHAPE, CLASSES = 64, (1, 8, 8), 256


def with_table(denoiser: Denoise) -> Denoise:
    """The same r, computed from a table of all classes."""
    return lambda x, beta: nk.Categorical(denoiser(x, beta).table())  # type: ignore[attr-defined]


def training(objective: nk.objectives.Objective, kernel: nk.CategoricalKernel, z: Tensor) -> Callable[[Denoise], float]:
    def step(denoiser: Denoise) -> float:
        loss, _ = objective(kernel, denoiser, z, nk.Streams.of(0, range(BATCH)))
        loss.backward()
        return float(loss.detach())

    return step


def sampling(kernel: nk.CategoricalKernel) -> Callable[[Denoise], float]:
    x = torch.full((BATCH, *SHAPE), kernel.masked)

    @torch.no_grad()
    def step(denoiser: Denoise) -> float:
        r = denoiser(x, 0.5)
        assert isinstance(r, Categories)
        y = kernel.transition(r, x, 0.5, 0.45).sample(nk.Streams.of(0, range(BATCH)))
        return float(y.float().mean())

    return step


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rounds", type=int, default=15)
    options = arguments.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    head = nk.OrdinalHead(CLASSES, 1)
    plain = nk.Denoiser(nk.networks.UNet(head.in_channels, head.out_channels, 24, (1, 2), blocks=1), head)
    kernel = nk.CategoricalKernel(0.9, classes=CLASSES)
    z = torch.randint(CLASSES, (BATCH, *SHAPE))
    found = {}
    for name, step in {
        "training, KL": training(nk.KL(), kernel, z),
        "training, contrastive adjustment": training(nk.ContrastiveAdjustment(), kernel, z),
        "sampling": sampling(kernel),
    }.items():
        seconds: dict[str, list[float]] = {"table": [], "curve": []}
        for _ in range(options.rounds):
            results = []
            for way, denoiser in (("table", with_table(plain)), ("curve", plain)):
                began = time.process_time()
                results.append(step(denoiser))
                seconds[way].append(time.process_time() - began)
            assert abs(results[0] - results[1]) < 1e-3 * abs(results[0]), f"{name}: {results}"
        medians = {way: statistics.median(values) for way, values in seconds.items()}
        ratios = sorted(one / other for one, other in zip(seconds["table"], seconds["curve"], strict=True))
        found[name] = {
            "milliseconds": {way: round(1e3 * value, 1) for way, value in medians.items()},
            "times as fast": round(statistics.median(ratios), 2),
            "range": [round(ratios[0], 2), round(ratios[-1], 2)],
        }
        print(name, found[name], flush=True)
    record_run("ordinal_cost", found)


if __name__ == "__main__":
    main()
