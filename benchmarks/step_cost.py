"""What one step costs: the paper's U-Net against ours, at equal parameters, on 32x32 RGB pictures.

Training is one step of Adam on the KL objective; sampling one step of the chain (denoiser, transition, draw). The two
networks take turns, so that whatever else the machine does hits both alike. Times are medians over the repetitions. The
ratio is that of the samples a second, taken within each repetition: its median, smallest and largest.

FLOPs are counted by torch on the forward pass, and three times that for training. The share of the peak is the FLOPs a
second that the network reaches over those of a 2048x2048 float32 matrix product, the best of all repetitions.

With one thread, the default, time is the time on the processor, which other processes on the machine do not add to
(though they still take cache and memory). With more it is the time on the wall.

    python benchmarks/step_cost.py [--size small|full|all] [--repeats N] [--threads N] [--json FILE]
"""

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from noisekernel import KL, Denoiser, GaussianKernel, PlainGaussian, PreconditionedGaussian
from noisekernel.nn import PaperUNet, UNet

PEAK_SIDE = 2048
KINDS = ("training", "sampling")


@dataclass(frozen=True)
class Size:
    paper: dict[str, Any]
    ours: dict[str, Any]
    batch: int
    repeats: int


# Both have four resolutions and spread their parameters over them alike: 80 % at 4x4, 1 to 2 % at 32x32. Ours has one
# block a level each way where the paper's has two around an attention; its blocks on the way up are wider inside.
# Small: the paper's own widths, 32 to 256; attention at 4x4 (with 8x8 as well it would have 4 % more parameters).
# Full: narrower than the paper's at every resolution, 112 to 1008 against 128 to 1024; attention at 8x8 and 4x4.
SIZES = {
    "small": Size(
        {"channels": 32}, {"channels": 32, "multipliers": (1, 2, 4, 8), "blocks": 1, "attention": (3,)}, 16, 9
    ),
    "full": Size({"channels": 128}, {"channels": 112, "multipliers": (1, 2, 4, 9), "blocks": 1}, 16, 4),
}


def build(size: Size) -> dict[str, Denoiser]:
    plain, preconditioned = PlainGaussian(3), PreconditionedGaussian(3, 0.0, 0.25)
    return {
        "paper": Denoiser(PaperUNet(plain.in_channels, plain.out_channels, **size.paper), plain),
        "ours": Denoiser(UNet(preconditioned.in_channels, preconditioned.out_channels, **size.ours), preconditioned),
    }


def count_flops(denoiser: Denoiser) -> int:
    """The FLOPs of one picture's forward pass; torch counts attention only where it is written out."""
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


def measure(name: str, size: Size, repeats: int, threads: int) -> dict[str, Any]:
    """Every figure of one size."""
    now = time.process_time if threads == 1 else time.perf_counter

    def seconds(work: Callable[[], object]) -> float:
        begin = now()
        work()
        return now() - begin

    networks = build(size)
    steps = {who: steps_of(denoiser, size.batch) for who, denoiser in networks.items()}
    times: dict[tuple[str, str], list[float]] = {(who, kind): [] for who in networks for kind in KINDS}
    square, products = torch.randn(PEAK_SIDE, PEAK_SIDE), []
    for repeat in range(repeats + 1):  # the first round warms up
        products += [seconds(lambda: square @ square) for _ in range(3)]
        for who, kind in ((who, kind) for kind in KINDS for who in networks):
            taken = seconds(steps[who][kind]) / size.batch
            if repeat > 0:
                times[who, kind].append(taken)

    peak = 2 * PEAK_SIDE**3 / min(products)
    figures: dict[str, Any] = {"size": name, "batch": size.batch, "repeats": repeats, "threads": threads, "peak": peak}
    for who, denoiser in networks.items():
        flops = count_flops(denoiser)
        typical = {kind: median(times[who, kind]) for kind in KINDS}
        figures[who] = {
            "parameters": sum(parameter.numel() for parameter in denoiser.parameters()),
            "flops": flops,
            "ms": {kind: 1000 * typical[kind] for kind in KINDS},
            "share": {
                "training": 3 * flops / typical["training"] / peak,
                "sampling": flops / typical["sampling"] / peak,
            },
        }
    pairs = {kind: list(zip(times["paper", kind], times["ours", kind], strict=True)) for kind in KINDS}
    ratios = {kind: [paper / ours for paper, ours in pairs[kind]] for kind in KINDS}
    figures["ratio"] = {kind: {"median": median(r), "low": min(r), "high": max(r)} for kind, r in ratios.items()}
    return figures


def show(figures: dict[str, Any]) -> None:
    paper, ours = figures["paper"], figures["ours"]
    more = ours["parameters"] / paper["parameters"] - 1
    print(
        f"\n{figures['size']}: 32x32 RGB, batch {figures['batch']}, {figures['threads']} thread(s), "
        f"{figures['repeats']} repetitions, peak {figures['peak'] / 1e9:.0f} GFLOP/s"
    )
    print(f"{'':24}{'paper':>10}{'ours':>10}   ours / paper")
    millions, billions = ([n[key] / unit for n in (paper, ours)] for key, unit in (("parameters", 1e6), ("flops", 1e9)))
    print(f"{'parameters, millions':24}{millions[0]:10.2f}{millions[1]:10.2f}   {more:+.1%}")
    print(f"{'GFLOPs a picture':24}{billions[0]:10.3f}{billions[1]:10.3f}   {billions[1] / billions[0]:.2f}")
    for kind in KINDS:
        ratio = figures["ratio"][kind]
        spread = f"{ratio['median']:.2f} times the samples a second ({ratio['low']:.2f} to {ratio['high']:.2f})"
        print(f"{kind + ', ms a picture':24}{paper['ms'][kind]:10.2f}{ours['ms'][kind]:10.2f}   {spread}")
        print(f"{kind + ', of peak':24}{paper['share'][kind]:10.0%}{ours['share'][kind]:10.0%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=(*SIZES, "all"), default="all")
    parser.add_argument("--repeats", type=int, help="timed repetitions of each step; by default 9 small, 4 full")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here too")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    results = []
    for name in SIZES if options.size == "all" else (options.size,):
        results.append(measure(name, SIZES[name], options.repeats or SIZES[name].repeats, options.threads))
        show(results[-1])
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
