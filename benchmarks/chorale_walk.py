"""Do long walks through chorales stay chorales? Rules of voice-leading and pitches, beside new pieces.

    python benchmarks/chorale_walk.py FILE.json MODEL [--steps 10000] [--walkers 32] [--record]

FILE has the list train, for the ranges of the voices. All pieces are drawn by the same network with the same number of
annealing steps; what is compared is where their noise comes from:

- new: noise drawn for each piece; twice, by two seeds, so that one sees what chance alone does;
- walk: `nk walk`, looked at ten times, at tenths of the way;
- chain: the paper's chain at constant noise (`nk equilibrate`), at --beta, read out ten times likewise. Its walkers
  are fewer (--chains), since each of its steps asks the network.

Each arm begins at new pieces of its own. Told are means over all looks with standard errors over walkers, whose looks
are averaged first since they are of one walk, and the ratio to both sets of new pieces together.
"""

import argparse
import time
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

import noisekernel as nk
from lab.melody import pieces_of
from lab.results import record_run
from noisekernel.kinds.music.grid import pitches_of, struck_in
from noisekernel.kinds.music.kind import Music
from noisekernel.kinds.music.rules import dissonant, per_bar, ranges_of
from noisekernel.sampling import chain
from noisekernel.sampling.samplers import annealing
from noisekernel.tasks.equilibrium import AtConstantNoise, paper_lag

LOOKS = 10
Seen = dict[str, NDArray[np.float64]]


def seen(kind: Music, z: Tensor, ranges: Any) -> Seen:
    """Figures of each piece, (pieces,) each."""
    found: dict[str, list[float]] = {}
    for codes in kind.decode(z).numpy():
        broken = per_bar(codes, kind.per_beat, kind.bar, ranges)
        pitch = pitches_of(codes).astype(np.float64)
        pitch[pitch < 0] = np.nan
        figures = {
            "rule breaks per bar": sum(value for name, value in broken.items() if name != "leaps"),
            "leaps per bar": broken["leaps"],
            "dissonance": dissonant(codes, kind.per_beat),
            "notes per step": float(struck_in(codes).sum() / codes.shape[-1]),
            **{f"pitch of voice {k + 1}": float(np.nanmean(line)) for k, line in enumerate(pitch)},
            "spread of pitch": float(np.nanmean(np.nanstd(pitch, axis=1))),
        }
        for name, value in figures.items():
            found.setdefault(name, []).append(value)
    return {name: np.array(values) for name, values in found.items()}


def averaged(looks: list[Seen]) -> Seen:
    """The mean over the looks at each walker."""
    return {name: np.mean([look[name] for look in looks], axis=0) for name in looks[0]}


def of_noise(model: nk.Model, options: argparse.Namespace, ranges: Any) -> Seen:
    going = nk.walk(model, options.walkers, steps=options.anneal, seed=21)
    looks = []
    for k in range(options.steps):
        going.step()
        if (k + 1) % (options.steps // LOOKS) == 0:
            looks.append(seen(cast(Music, model.kind), going.clean, ranges))
            print(f"walk: {k + 1} steps", flush=True)
    return averaged(looks)


def of_chain(model: nk.Model, options: argparse.Namespace, ranges: Any) -> Seen:
    z = model.sample(options.chains, steps=options.anneal, seed=22)
    how = AtConstantNoise(options.beta, options.steps, paper_lag(model), readout=0)
    looks = []
    for k, (state, _) in enumerate(how.begin(model, z, None, 23, 0)):
        if (k + 1) % (options.steps // LOOKS) == 0:
            schedule = annealing(model.kernel, options.anneal, first=options.beta)
            streams = nk.core.randomness.Streams.of(24 + k, range(options.chains))
            *_, (end, _) = chain.run(model, chain.start(model, state.x, options.beta, streams), schedule)
            looks.append(seen(cast(Music, model.kind), chain.best(end.view), ranges))
            print(f"chain: {k + 1} steps, {looks[-1]['rule breaks per bar'].mean():.3f} breaks per bar", flush=True)
    return averaged(looks)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("file", type=Path)
    arguments.add_argument("model")
    arguments.add_argument("--steps", type=int, default=10_000)
    arguments.add_argument("--walkers", type=int, default=32)
    arguments.add_argument("--chains", type=int, default=8, help="walkers of the chain at constant noise; 0 for none")
    arguments.add_argument("--beta", type=float, default=0.5, help="the noise level of that chain")
    arguments.add_argument("--anneal", type=int, default=50)
    arguments.add_argument("--threads", type=int, default=1)
    arguments.add_argument("--record", action="store_true")
    options = arguments.parse_args()
    torch.set_num_threads(options.threads)
    model = nk.load(options.model)
    kind = cast(Music, model.kind)
    ranges = ranges_of([pitches_of(piece.codes) for piece in pieces_of(options.file, "train")])
    number, began = options.walkers * LOOKS, time.process_time()
    new = [
        seen(kind, model.sample(number, steps=options.anneal, seed=seed, batch_size=128), ranges) for seed in (31, 32)
    ]
    together = {name: np.concatenate([one[name] for one in new]) for name in new[0]}
    arms = {"new": new[0], "new again": new[1], "walk": of_noise(model, options, ranges)}
    if options.chains:
        arms["chain"] = of_chain(model, options, ranges)
    figures: dict[str, Any] = {
        arm: {
            name: {
                "mean": round(float(values.mean()), 4),
                "error": round(float(values.std(ddof=1) / len(values) ** 0.5), 4),
                "over new": round(float(values.mean() / together[name].mean()), 4),
            }
            for name, values in found.items()
        }
        for arm, found in arms.items()
    }
    figures |= {
        "steps": options.steps,
        "walkers": options.walkers,
        "chains": options.chains,
        "beta": options.beta,
        "annealing steps": options.anneal,
        "looks": LOOKS,
        "images": model.history.get("images"),
        "processor seconds": round(time.process_time() - began),
    }
    for name in together:
        print(name, {arm: figures[arm][name] for arm in arms}, flush=True)
    if options.record:
        record_run("chorale_walk", figures)


if __name__ == "__main__":
    main()
