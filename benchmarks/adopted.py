"""One network, trained by diffusers: how good are its samples by that library's samplers, and by ours once adopted?

    python benchmarks/adopted.py --data DATA --work FOLDER [--images 400000] [--seeds 0] [--n 2000] [--calls 10 20 50]

DATA holds fashion-mnist/ with its idx files. A small UNet2DModel learns Fashion-MNIST (28 x 28) by the library's own
loop: noise prediction at 1,000 linear timesteps, AdamW with warm-up and cosine decay, an average of the weights
(EMAModel). The pipeline is saved, adopted (`nk.adopt`, its error measured on 64 training pictures), and both draw the
same number of samples with the same number of network calls. Samples are judged by the Fréchet distance of the
benchmarks (`lab.scoring`): on the features of a small classifier, to the training pictures and to those held out.

Each figure is appended to benchmarks/results/adopted.jsonl as it is measured, and is not measured again; --table prints
those that are there. Pipelines are kept in --work. --quick is a minute that shows that all of it runs, and keeps its
figures in --work.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

import noisekernel as nk
from lab import jsonlines
from lab.material import Material, load
from lab.results import RESULTS, record_run
from lab.scoring import Scorer, scorer_of
from noisekernel.measuring.denoising import denoising_curve, estimate_of
from noisekernel.sampling.guidance import network_calls

#: The size of the pictures, and the network.
SIDE = 28
NETWORK = {
    "sample_size": SIDE,
    "in_channels": 1,
    "out_channels": 1,
    "block_out_channels": (32, 64, 64),
    "down_block_types": ("DownBlock2D", "AttnDownBlock2D", "AttnDownBlock2D"),
    "up_block_types": ("AttnUpBlock2D", "AttnUpBlock2D", "UpBlock2D"),
    "layers_per_block": 1,
    "norm_num_groups": 8,
}
BATCH, RATE, WARMUP, DECAY = 64, 1e-3, 500, 0.999
AT_ONCE = 250
#: The library's samplers, by their class and its settings beside those of the training schedule.
THEIRS: dict[str, tuple[str, dict[str, Any]]] = {
    "DDIM": ("DDIMScheduler", {}),
    "DPM-Solver++ (SDE)": ("DPMSolverMultistepScheduler", {"algorithm_type": "sde-dpmsolver++"}),
    "DPM-Solver++": ("DPMSolverMultistepScheduler", {"algorithm_type": "dpmsolver++"}),
    "Euler ancestral": ("EulerAncestralDiscreteScheduler", {}),
}
#: Ours, by their names.
OURS = ("stochastic", "deterministic", "ddim")


def train(material: Material, images: int, seed: int, folder: Path) -> None:
    """The library's own loop, as its example of unconditional training has it; the pipeline is saved."""
    from diffusers import DDPMPipeline, DDPMScheduler, UNet2DModel
    from diffusers.optimization import get_cosine_schedule_with_warmup
    from diffusers.training_utils import EMAModel

    torch.manual_seed(seed)
    network, scheduler = UNet2DModel(**NETWORK), DDPMScheduler(num_train_timesteps=1000)
    steps = images // BATCH
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE)
    rate = get_cosine_schedule_with_warmup(optimizer, min(WARMUP, steps // 10), steps)
    average = EMAModel(network.parameters(), decay=DECAY, use_ema_warmup=True, inv_gamma=1.0, power=0.75)
    began = time.perf_counter()
    for step in range(steps):
        clean = material.z[torch.randint(len(material.z), (BATCH,))]
        noise, at = torch.randn_like(clean), torch.randint(1000, (BATCH,))
        loss = (network(scheduler.add_noise(clean, noise, at), at).sample - noise).square().mean()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        rate.step()
        average.step(network.parameters())
        if step % 500 == 0:
            print(f"{step * BATCH:,} images, loss {loss.item():.4f}, {time.perf_counter() - began:.0f} s", flush=True)
    average.copy_to(network.parameters())
    DDPMPipeline(network, scheduler).save_pretrained(folder)


@torch.no_grad()
def by_theirs(folder: Path, name: str, n: int, calls: int, seed: int) -> Tensor:
    """Samples in [-1, 1] by a sampler of the library, from its own class and this model's schedule."""
    import diffusers

    kind, settings = THEIRS[name]
    pipeline = diffusers.DDPMPipeline.from_pretrained(folder)
    drawn = []
    for first in range(0, n, AT_ONCE):
        scheduler = getattr(diffusers, kind).from_config(pipeline.scheduler.config, **settings)
        scheduler.set_timesteps(calls)
        generator = torch.Generator().manual_seed(1_000_003 * seed + first)
        x = torch.randn(min(AT_ONCE, n - first), 1, SIDE, SIDE, generator=generator) * scheduler.init_noise_sigma
        for t in scheduler.timesteps:
            told = pipeline.unet(scheduler.scale_model_input(x, t), t).sample
            x = scheduler.step(told, t, x, generator=generator).prev_sample
        drawn.append(x)
    return torch.cat(drawn).clamp(-1, 1)


def by_ours(model: nk.Model, sampler: str, n: int, calls: int, seed: int) -> Tensor:
    """Samples in [-1, 1] by a sampler of ours, in as many network calls."""
    _, schedule = model.schedule(sampler, calls - 1)
    assert network_calls(model, schedule) == calls
    drawn = nk.synthesize(model, n, schedule=schedule, seed=seed, batch_size=AT_ONCE)
    return drawn.clamp(-1, 1)


def of_seed(material: Material, scorer: Scorer, seed: int, options: argparse.Namespace) -> None:
    """All figures of a seed that are not there yet."""
    folder = options.work / f"pipeline-{options.images}-{seed}"
    if not (folder / "model_index.json").exists():
        train(material, options.images, seed, folder)
    kept = folder.with_suffix(".safetensors")
    if not kept.exists():
        pixels = material.pixels[:10_000, 0].numpy()
        nk.adopt(folder, pictures=pixels, device="cpu").save(kept)
    model = nk.load(kept, "cpu")
    said = {"images": options.images, "seed": seed, "n": options.n}
    known = {(each["sampler"], each["calls"]) for each in _known(options) if said.items() <= each.items()}

    def measured(sampler: str, calls: int, draw: Callable[[], Tensor]) -> None:
        if (sampler, calls) not in known:
            began = time.perf_counter()
            distances = scorer.distances(draw())
            figures = {**distances, "seconds": round(time.perf_counter() - began)}
            print(f"{sampler}, {calls} calls: {figures}", flush=True)
            record_run("adopted", {**said, "sampler": sampler, "calls": calls, **figures}, options.results)

    if ("curve", 0) not in known:
        bits = denoising_curve(estimate_of(model.denoiser), material.held_out_z[:500]).bits.value
        record_run("adopted", {**said, "sampler": "curve", "calls": 0, "bits": round(bits, 4)}, options.results)
    for calls in options.calls:
        for sampler in OURS:
            measured(f"ours, {sampler}", calls, lambda s=sampler, c=calls: by_ours(model, s, options.n, c, seed))  # type: ignore[misc]
        for sampler in THEIRS:
            measured(sampler, calls, lambda s=sampler, c=calls: by_theirs(folder, s, options.n, c, seed))  # type: ignore[misc]


def _known(options: argparse.Namespace) -> list[dict[str, Any]]:
    path = options.results / "adopted.jsonl"
    return jsonlines.read(path) if path.exists() else []


def table(options: argparse.Namespace) -> str:
    """The mean distance to the held-out pictures over seeds, and that to the training pictures."""
    runs = [run for run in _known(options) if run["calls"]]
    lines = ["| images | samples | calls | sampler | seeds | held out | training |", "|---|---|---|---|---|---|---|"]
    groups = sorted({(run["images"], run["n"], run["calls"], run["sampler"]) for run in runs})
    for group in groups:
        own = [run for run in runs if (run["images"], run["n"], run["calls"], run["sampler"]) == group]
        held, fid = (np.mean([run[name] for run in own]) for name in ("held_out", "fid"))
        images, n, calls, sampler = group
        lines.append(f"| {images:,} | {n:,} | {calls} | {sampler} | {len(own)} | {held:.3f} | {fid:.3f} |")
    return "\n".join(lines)


def main() -> None:
    from diffusers.utils import logging

    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, help="the folder that holds fashion-mnist/")
    arguments.add_argument("--work", type=Path, required=True)
    arguments.add_argument("--images", type=int, default=400_000)
    arguments.add_argument("--seeds", type=int, nargs="+", default=[0])
    arguments.add_argument("--n", type=int, default=2000)
    arguments.add_argument("--calls", type=int, nargs="+", default=[10, 20, 50])
    arguments.add_argument("--quick", action="store_true", help="a minute: few images, few samples, figures in --work")
    arguments.add_argument("--table", action="store_true", help="train nothing; print what is known")
    options = arguments.parse_args()
    torch.set_num_threads(1)
    logging.disable_progress_bar()
    options.results = RESULTS
    if options.quick:
        options.images, options.n, options.calls, options.results = 64 * 20, 100, [5], options.work
    if not options.table:
        material = load("fashion28", options.data)
        scorer = scorer_of(material, options.work)
        print(f"the distance of as many held-out pictures: {scorer.floor(options.n)}", flush=True)
        for seed in options.seeds:
            of_seed(material, scorer, seed, options)
    print(table(options))


if __name__ == "__main__":
    main()
