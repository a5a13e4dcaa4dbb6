"""Is the chain of `nk redraw` reversible, and what is it without Metropolis' rule?

    python benchmarks/redrawing.py MODEL [--n 2000] [--share 0.3] [--name adult] [--record]

MODEL is of rows or strings. The chain starts at draws from the model itself, the first element first, where it is to
be at home. Classifiers are shown pairs (z, z') one and ten steps apart: the classes of both, and their likelihood. The
area under their curve is 1/2 if the chain is reversible (`measuring.chains.reversible`). Beside it stands the chain
whose proposals are all accepted. Each run is a line of benchmarks/results/redrawing.jsonl.
"""

import argparse
import time
from typing import Any, cast

import torch
from torch import Tensor
from torch.nn.functional import one_hot

import noisekernel as nk
from lab.results import record_run
from noisekernel.core.randomness import Purpose, Streams
from noisekernel.kernels.categorical import CategoricalKernel
from noisekernel.measuring.chains.pairs import Pairs
from noisekernel.measuring.chains.reversible import halves, tell_apart
from noisekernel.sampling import redraws
from noisekernel.sampling.in_order import draw, in_sequence, independent

STEPS = (1, 10)


def at_home(model: nk.Model, n: int, seed: int) -> Tensor:
    """Draws from the model, the first element first."""
    z = torch.zeros(n, *model.shape, dtype=torch.int64)
    kernel, streams = cast(CategoricalKernel, model.kernel), Streams.of(seed, range(n))
    return draw(kernel, model.denoiser, z, in_sequence(z), torch.ones_like(z, dtype=torch.bool), streams)[0]


def shown(model: nk.Model, z: Tensor, log_target: Tensor) -> tuple[Tensor, Tensor]:
    """Of each state all classes in one-hot, and the numbers of the classes with the likelihood."""
    learned = z.flatten(1)[:, : z[0].numel() - independent(model.denoiser)]
    classes = cast(CategoricalKernel, model.kernel).classes
    every = one_hot(learned, classes).flatten(1).float()
    return every[:, every.std(dim=0) > 0.01], torch.cat((learned.float(), log_target[:, None]), dim=1)


def areas(model: nk.Model, z: Tensor, share: float, seed: int, corrected: bool) -> dict[str, Any]:
    """What can be told of pairs, and how many steps are accepted."""
    streams = Streams.of(seed + 1, range(len(z)), purpose=Purpose.REDRAWING)
    begin = state = redraws.start(model, z, streams)
    accepted, changed = [], []
    found: dict[str, Any] = {}
    taught, rest = halves(len(z), seed)
    for _ in range(max(STEPS)):
        if corrected:
            state, info = redraws.step(model, state, share)
            accepted.append(info.accepted.float().mean())
            changed.append(info.changed.float().mean())
        else:
            state = proposed(model, state, share)
        if state.t in STEPS:
            both = torch.cat((begin.z, state.z))
            every, few = shown(model, both, torch.cat((begin.log_target, state.log_target)))
            (here, there), (low, high) = every.chunk(2), few.chunk(2)
            names = tuple(map(str, range(few.shape[1])))
            pairs = Pairs(there - here, high - low, low + high, names, low, high, None)
            test = tell_apart(pairs, taught, rest, seed)
            found[f"auc {state.t}"] = [round(test.auc, 4), round(test.error, 4)]
    if corrected:
        found |= {"accepted": round(float(sum(accepted)) / len(accepted), 4)}
        found |= {"accepted and different": round(float(sum(changed)) / len(changed), 4)}
    return found


def proposed(model: nk.Model, state: redraws.RedrawState, share: float) -> redraws.RedrawState:
    """The twin: what is redrawn is taken as it comes."""
    streams = state.streams.fork()
    chosen, order = redraws.redrawn(model, state.z, share, None, streams)
    z, _ = draw(cast(CategoricalKernel, model.kernel), model.denoiser, state.z, order, chosen, streams)
    return redraws.RedrawState(z, redraws.log_target(model, z), streams, state.t + 1)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("model")
    arguments.add_argument("--name", help="what the model is called in the results")
    arguments.add_argument("--n", type=int, default=2_000)
    arguments.add_argument("--share", type=float, default=0.3)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--record", action="store_true", help="append the figures to the results file")
    options = arguments.parse_args()
    torch.set_num_threads(1)
    model = nk.load(options.model)
    z = at_home(model, options.n, options.seed)
    began = time.perf_counter()
    exact = areas(model, z, options.share, options.seed, corrected=True)
    seconds = round((time.perf_counter() - began) / max(STEPS) / options.n * 1000, 3)
    figures = {
        "model": options.name or options.model,
        "pairs": options.n,
        "share": options.share,
        "seed": options.seed,
        "exact": exact,
        "all accepted": areas(model, z, options.share, options.seed, corrected=False),
        "milliseconds per step": seconds,
    }
    print(figures)
    if options.record:
        record_run("redrawing", figures)


if __name__ == "__main__":
    main()
