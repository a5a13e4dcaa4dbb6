"""What one step costs: the paper's U-Net, that of `diffusers` and ours, at equal parameters, on 32x32 RGB pictures.

A training step is one step of Adam on the KL objective; a sampling step is one step of the chain (denoiser, transition,
draw). The networks take turns, so that other work on the machine slows all of them. Times are medians over the
repetitions. The ratio is that of samples per second within one repetition: its median, smallest and largest value.
`diffusers` takes part at the small size if it is installed, shaped as its DDPM for CIFAR-10 (attention at 16x16).

FLOPs are counted by torch for the forward pass, and three times that for training. The share of the peak is the FLOPs
per second of the network over those of a 2048x2048 float32 matrix product (the best of all repetitions).

With one thread, the default, time is processor time, which other processes do not add to (though they still use cache
and memory). With more threads it is wall-clock time.

    python benchmarks/step_cost.py [--size small|full|all] [--repeats N] [--threads N] [--record] [--summary]
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from statistics import median
from typing import Any

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from lab.results import record_run, today
from noisekernel import KL, Denoiser, GaussianKernel, PlainGaussian, PreconditionedGaussian
from noisekernel.networks import PaperUNet, UNet

PEAK_SIDE = 2048
KINDS = ("training", "sampling")


@dataclass(frozen=True)
class Contest:
    """Networks with equally many parameters: the options of each, and how they are timed."""

    paper: dict[str, Any]
    ours: dict[str, Any]
    batch: int
    repeats: int
    #: Options of `diffusers`' UNet2DModel.
    diffusers: dict[str, Any] | None = None


# Both networks have four resolutions and spread their parameters over them alike: 80 % at 4x4, 1 to 2 % at 32x32. Ours
# has one block per level each way where the paper's has two around an attention; its blocks on the way up are wider.
# Small: the paper's own widths, 32 to 256; attention at 4x4 (with 8x8 as well it would have 4 % more parameters).
# Full: narrower than the paper's at every resolution, 112 to 1008 against 128 to 1024; attention at 8x8 and 4x4.
CONTESTS = {
    "small": Contest(
        paper={"channels": 32},
        ours={"channels": 32, "multipliers": (1, 2, 4, 8), "blocks": 1, "attention": (3,)},
        diffusers={"block_out_channels": (60, 120, 120, 120), "norm_num_groups": 20},
        batch=16,
        repeats=9,
    ),
    "full": Contest(
        paper={"channels": 128},
        ours={"channels": 112, "multipliers": (1, 2, 4, 9), "blocks": 1},
        batch=16,
        repeats=4,
    ),
}


class Diffusers(torch.nn.Module):
    """The U-Net of `diffusers` as a backbone."""

    def __init__(self, in_channels: int, out_channels: int, **options: Any) -> None:
        from diffusers import UNet2DModel

        super().__init__()
        down = ("DownBlock2D", "AttnDownBlock2D", "DownBlock2D", "DownBlock2D")
        up = ("UpBlock2D", "UpBlock2D", "AttnUpBlock2D", "UpBlock2D")
        self.inner = UNet2DModel(32, in_channels, out_channels, down_block_types=down, up_block_types=up, **options)

    def forward(self, h: torch.Tensor, level: torch.Tensor, label: None = None) -> torch.Tensor:
        return self.inner(h, 1_000 * level).sample


def build(contest: Contest) -> dict[str, Denoiser]:
    plain, preconditioned = PlainGaussian(3), PreconditionedGaussian(3, 0.0, 0.25)
    rivals = {}
    if contest.diffusers is not None and find_spec("diffusers") is not None:
        rivals["diffusers"] = Denoiser(Diffusers(plain.in_channels, plain.out_channels, **contest.diffusers), plain)
    return {
        **rivals,
        "paper": Denoiser(PaperUNet(plain.in_channels, plain.out_channels, **contest.paper), plain),
        "ours": Denoiser(UNet(preconditioned.in_channels, preconditioned.out_channels, **contest.ours), preconditioned),
    }


def count_flops(denoiser: Denoiser) -> int:
    """The FLOPs of one picture's forward pass. Torch counts attention only in its mathematical form."""
    with torch.no_grad(), sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        denoiser(torch.zeros(1, 3, 32, 32), 0.5)
    return counter.get_total_flops()


def steps_of(denoiser: Denoiser, batch: int) -> dict[str, Callable[[], object]]:
    generator = torch.Generator().manual_seed(0)
    z = 0.5 * torch.randn(batch, 3, 32, 32, generator=generator)
    kernel, objective = GaussianKernel(), KL()
    optimizer = torch.optim.Adam(denoiser.parameters(), fused=True)

    def train() -> None:
        optimizer.zero_grad()
        loss, _ = objective(kernel, denoiser, z, generator)
        loss.backward()
        optimizer.step()

    @torch.no_grad()
    def sample() -> torch.Tensor:
        return kernel.transition(denoiser(z, 0.5), z, 0.5, 0.5).sample(generator)

    return {"training": train, "sampling": sample}


def measure(name: str, contest: Contest, repeats: int, threads: int) -> dict[str, Any]:
    """Every figure of one size."""
    now = time.process_time if threads == 1 else time.perf_counter

    def seconds(work: Callable[[], object]) -> float:
        begin = now()
        work()
        return now() - begin

    networks = build(contest)
    steps = {who: steps_of(denoiser, contest.batch) for who, denoiser in networks.items()}
    times: dict[tuple[str, str], list[float]] = {(who, kind): [] for who in networks for kind in KINDS}
    square, products = torch.randn(PEAK_SIDE, PEAK_SIDE), []
    for repeat in range(repeats + 1):  # the first round warms up
        products += [seconds(lambda: square @ square) for _ in range(3)]
        for who, kind in ((who, kind) for kind in KINDS for who in networks):
            taken = seconds(steps[who][kind]) / contest.batch
            if repeat > 0:
                times[who, kind].append(taken)

    peak = 2 * PEAK_SIDE**3 / min(products)
    figures: dict[str, Any] = {
        "size": name,
        "batch": contest.batch,
        "repeats": repeats,
        "threads": threads,
        "peak": peak,
    }
    for who, denoiser in networks.items():
        flops = count_flops(denoiser)
        typical = {kind: median(times[who, kind]) for kind in KINDS}
        figures[who] = {
            "parameters": sum(parameter.numel() for parameter in denoiser.parameters()),
            "flops": flops,
            "ms": {kind: 1000 * typical[kind] for kind in KINDS},
            "share": {
                kind: _spread([times_flops * flops / peak] * repeats, times[who, kind])
                for kind, times_flops in (("training", 3), ("sampling", 1))
            },
        }
    figures["ratio"] = {
        who: {kind: _spread(times[who, kind], times["ours", kind]) for kind in KINDS}
        for who in networks
        if who != "ours"
    }
    return figures


def _spread(theirs: list[float], ours: list[float]) -> dict[str, float]:
    ratios = [a / b for a, b in zip(theirs, ours, strict=True)]
    return {"median": median(ratios), "low": min(ratios), "high": max(ratios)}


def show(figures: dict[str, Any]) -> None:
    ours = figures["ours"]
    print(
        f"\n{figures['size']}: 32x32 RGB, batch {figures['batch']}, {figures['threads']} thread(s), "
        f"{figures['repeats']} repetitions, peak {figures['peak'] / 1e9:.0f} GFLOP/s"
    )
    for who in (*figures["ratio"], "ours"):
        network = figures[who]
        print(f"{who}: {network['parameters'] / 1e6:.2f} M parameters, {network['flops'] / 1e9:.3f} GFLOPs a picture")
        for kind in KINDS:
            line = f"  {kind}: {network['ms'][kind]:.2f} ms a picture, {network['share'][kind]['median']:.0%} of peak"
            if who != "ours":
                ratio = figures["ratio"][who][kind]
                line += f"; ours {ratio['median']:.2f} times as fast ({ratio['low']:.2f} to {ratio['high']:.2f})"
            print(line)
    more = {who: ours["parameters"] / figures[who]["parameters"] - 1 for who in figures["ratio"]}
    print("parameters of ours: " + ", ".join(f"{extra:+.1%} against {who}" for who, extra in more.items()))


def summarise(figures: dict[str, Any]) -> None:
    """The headline figures of one size."""
    from lab import headlines

    script = "benchmarks/step_cost.py"
    for who, name in (("diffusers", "train_ips_over_diffusers"), ("paper", "train_ips_over_paper_unet")):
        if who in figures["ratio"]:
            ratio = figures["ratio"][who]["training"]
            headlines.put(name, ratio["median"], (ratio["low"], ratio["high"]), script, today(), size=figures["size"])
    share = figures["ours"]["share"]["training"]
    headlines.put("sgemm_share", share["median"], (share["low"], share["high"]), script, today(), size=figures["size"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=(*CONTESTS, "all"), default="all")
    parser.add_argument("--repeats", type=int, help="timed repetitions of each step; by default 9 small, 4 full")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--record", action="store_true", help="append the figures to results/step_cost.jsonl")
    parser.add_argument(
        "--summary", action="store_true", help="write the figures of the small size into results/summary.json"
    )
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    for name in CONTESTS if options.size == "all" else (options.size,):
        figures = measure(name, CONTESTS[name], options.repeats or CONTESTS[name].repeats, options.threads)
        show(figures)
        if options.record:
            record_run("step_cost", figures)
        if options.summary and name == "small":
            summarise(figures)


if __name__ == "__main__":
    main()
