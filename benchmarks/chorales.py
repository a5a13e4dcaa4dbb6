"""Chorales of Bach: likelihood beside other models, harmonising sopranos, rules of voice-leading, locked notes.

    python benchmarks/chorales.py FILE.json rival --out rival.pt --minutes 60     trains an autoregressive transformer
    python benchmarks/chorales.py FILE.json measure MODEL [--rival rival.pt] [--record]

FILE has the lists train, valid and test, of pieces as steps of four MIDI pitches. MODEL was trained on
`FILE.json:train` (nk train FILE.json:train --minutes 75). Figures are of `test`:

- nats per step and per note of held-out pieces by the chain rule in time, the voices of a step in an order drawn for
  it, given up to 60 steps before (`lab/melody.py`). Beside it a bigram with the place in the beat, and the rival
  (lab/causal.py), which has as many weights and the minutes of the processor that it says.
- nats per true note of the three lower voices given the soprano of a window, in orders drawn at random.
- breaks of the rules of voice-leading per bar (`kinds.music.rules`): Bach's own, those of new pieces, and of sopranos
  that were harmonised by `nk fill`, by annealed blocked Gibbs sampling, and element by element in an order drawn at
  random, all with the same weights.
- how many notes of the soprano any of it changed.
"""

import argparse
import math
import time
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

import noisekernel as nk
from lab.causal import Causal
from lab.melody import bigram, chronological, framed, pieces_of
from lab.results import record_run
from noisekernel.core.randomness import Streams, uniform
from noisekernel.kernels.categorical import CategoricalKernel
from noisekernel.kinds.music.grid import Piece, pitches_of
from noisekernel.kinds.music.kind import Music
from noisekernel.kinds.music.rules import per_bar, ranges_of
from noisekernel.kinds.music.transposing import Transposition
from noisekernel.sampling.in_order import at_random, draw, log_probs

WIDTH, DEPTH, HEADS = 160, 5, 4


def tokens(codes: Tensor, low: int) -> Tensor:
    """Codes (n, voices, steps) as tokens of the rival, (n, steps x voices): 0 is a rest."""
    pitch = torch.from_numpy(pitches_of(codes.numpy())).long()
    return torch.where(pitch < 0, 0, pitch - low + 1).transpose(1, 2).flatten(1)


def train_rival(options: argparse.Namespace) -> None:
    """By minutes of the processor, so that other work on the machine does not count."""
    torch.manual_seed(options.seed)
    kind, values = _windows(options.file)
    (low, high), (voices, window) = kind.range, kind.shape
    network = Causal(high - low + 2, voices * window, WIDTH, DEPTH, HEADS)
    optimiser = torch.optim.Adam(network.parameters(), options.rate, betas=(0.9, 0.99))
    mix = torch.optim.swa_utils.get_ema_multi_avg_fn(0.998)
    average = torch.optim.swa_utils.AveragedModel(network, multi_avg_fn=mix)
    generator = torch.Generator().manual_seed(options.seed)
    transposing = Transposition(kind.transpose, 0.75)
    began, steps = time.process_time(), 0
    while (done := (time.process_time() - began) / (60.0 * options.minutes)) < 1.0:
        for group in optimiser.param_groups:
            group["lr"] = options.rate * min(1.0, (steps + 1) / 300) * (1.0 - done)
        rows = torch.randint(len(values), (options.batch,), generator=generator)
        how = transposing.drawn(torch.rand(options.batch, 2, generator=generator))
        z = tokens(transposing.applied(values[rows], how), low)
        loss = cross_entropy(network(z).flatten(0, 1), z.flatten())
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        average.update_parameters(network)
        steps += 1
        if steps % 250 == 0:
            print(f"{done:.0%}: {steps} steps, {float(loss.detach()):.3f} nats per note", flush=True)
    about = {"steps": steps, "windows": steps * options.batch, "processor minutes": options.minutes}
    torch.save({"weights": average.module.state_dict(), "about": about}, options.out)


def _windows(file: Path) -> tuple[Music, Tensor]:
    loaded, kind = nk.data.load_data(f"{file}:train")
    return cast(Music, kind), loaded.values


@torch.no_grad()
def of_rival(path: Path, kind: Music, pieces: list[Piece], number: int | None) -> dict[str, Any]:
    """Its nats per step; it is given the window up to the step, too."""
    (low, high), (voices, window) = kind.range, kind.shape
    network = Causal(high - low + 2, voices * window, WIDTH, DEPTH, HEADS)
    kept = torch.load(path, weights_only=True)
    network.load_state_dict(kept["weights"])
    nats = []
    parts = framed(pieces, window, number, 0)
    for first in range(0, len(parts), 64):
        some = parts[first : first + 64]
        z = tokens(torch.from_numpy(np.stack([codes for codes, _ in some])), low)
        each = cross_entropy(network(z).transpose(1, 2), z, reduction="none").unflatten(1, (window, voices))
        nats.append(each[torch.arange(len(some)), torch.tensor([place for _, place in some])].sum(dim=1))
    parameters = sum(weight.numel() for weight in network.parameters())
    return {"nats per step": _mean(torch.cat(nats)), "parameters": parameters, **kept["about"]}


def _mean(nats: Tensor) -> list[float]:
    """The mean and its standard error."""
    return [round(float(nats.mean()), 4), round(float(nats.std() / math.sqrt(len(nats))), 4)]


def sopranos(kind: Music, pieces: list[Piece], number: int) -> Tensor:
    """Windows of test pieces from their beginnings on, one per piece, as clean data."""
    windows = [piece.codes[:, : kind.steps] for piece in pieces if piece.steps >= kind.steps][:number]
    return kind.encode(torch.from_numpy(np.stack(windows)))


@torch.no_grad()
def gibbs(model: nk.Model, z: Tensor, hidden: Tensor, steps: int, seed: int) -> Tensor:
    """Annealed blocked Gibbs sampling: a falling share of the hidden elements is redrawn at once (Yao et al. 2014)."""
    streams, masked = Streams.of(seed, range(len(z))), model.kernel.absorbing
    assert masked is not None
    state = z.clone()
    for k in range(steps + 1):
        share = 1.0 if k == 0 else max(0.05, 0.9 - 0.85 * k / (0.75 * steps))
        chosen = hidden & (uniform(z.shape, streams) < share)
        level = chosen.flatten(1).float().mean(dim=1).clamp(min=1e-3)
        drawn = model.denoiser(torch.where(chosen, masked, state), level).sample(streams)
        state = torch.where(chosen, drawn, state)
    return state


def ancestral(model: nk.Model, z: Tensor, hidden: Tensor, seed: int) -> Tensor:
    """One element at a time, in an order drawn at random."""
    streams = Streams.of(seed, range(len(z)))
    kernel = cast(CategoricalKernel, model.kernel)
    return draw(kernel, model.denoiser, z, at_random(z, streams), hidden, streams)[0]


def breaks(kind: Music, z: Tensor, ranges: Any) -> dict[str, float]:
    """Breaks of each rule per bar, the mean over pieces, and their sum."""
    each = [per_bar(codes, kind.per_beat, kind.bar, ranges) for codes in kind.decode(z).numpy()]
    found = {name: round(float(np.mean([one[name] for one in each])), 4) for name in each[0]}
    kept = sum(value for name, value in found.items() if name != "leaps")
    return {**found, "all but leaps": round(kept, 4)}


def measure(options: argparse.Namespace) -> None:
    torch.set_num_threads(options.threads)
    model = nk.load(options.model)
    kind = cast(Music, model.kind)
    train, test = (pieces_of(options.file, part) for part in ("train", "test"))
    number = options.steps or None
    figures: dict[str, Any] = {
        "images": model.history.get("images"),
        "seconds": model.history.get("seconds"),
        "parameters": model.parameters,
        "steps measured": number or sum(piece.steps for piece in test),
    }
    nats = chronological(model, test, number)
    figures["nats per step"] = _mean(nats.sum(dim=1))
    figures["nats per note"] = round(float(nats.mean()), 4)
    figures["bigram: nats per step"] = round(bigram(train, test), 4)
    print(figures, flush=True)
    if options.rival is not None:
        figures["autoregressive"] = of_rival(options.rival, kind, test, number)
        print(figures["autoregressive"], flush=True)
    z = sopranos(kind, test, options.pieces)
    hidden = torch.ones_like(z, dtype=torch.bool)
    hidden[:, 0] = False
    streams = Streams.of(0, range(len(z)))
    lower = log_probs(
        cast(CategoricalKernel, model.kernel), model.denoiser, z, at_random(z, streams), hidden=hidden, batch_size=256
    )
    figures["lower voices given the soprano: nats per note"] = _mean(-lower.flatten(1).sum(dim=1) / (3 * kind.steps))
    print(figures["lower voices given the soprano: nats per note"], flush=True)
    ranges = ranges_of([pitches_of(piece.codes) for piece in train])
    arms = {
        "Bach": z,
        "new pieces": model.sample(len(z), steps=options.anneal, seed=5),
        "nk fill": model.fill(z, hidden[0], 1, steps=options.anneal, seed=5)[:, 0],
        "annealed Gibbs": gibbs(model, z, hidden, options.anneal, 5),
        "ancestral": ancestral(model, z, hidden, 5),
    }
    figures["rule breaks per bar"] = {name: breaks(kind, made, ranges) for name, made in arms.items()}
    given = {name: made[:, 0] for name, made in arms.items() if name not in ("Bach", "new pieces")}
    figures["notes of sopranos changed"] = {name: int((own != z[:, 0]).sum()) for name, own in given.items()}
    figures |= {"pieces": len(z), "annealing steps": options.anneal}
    print(figures, flush=True)
    if options.record:
        record_run("chorales", figures)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("file", type=Path)
    verbs = arguments.add_subparsers(required=True)
    rival = verbs.add_parser("rival")
    rival.add_argument("--out", type=Path, required=True)
    rival.add_argument("--minutes", type=float, default=60.0)
    rival.add_argument("--batch", type=int, default=16)
    rival.add_argument("--rate", type=float, default=1.5e-3)
    rival.add_argument("--seed", type=int, default=0)
    rival.set_defaults(run=train_rival)
    measuring = verbs.add_parser("measure")
    measuring.add_argument("model")
    measuring.add_argument("--rival", type=Path)
    measuring.add_argument("--steps", type=int, default=0, help="steps of test pieces that are measured; 0 for all")
    measuring.add_argument("--pieces", type=int, default=76, help="windows that are harmonised")
    measuring.add_argument("--anneal", type=int, default=100)
    measuring.add_argument("--threads", type=int, default=1)
    measuring.add_argument("--record", action="store_true")
    measuring.set_defaults(run=measure)
    options = arguments.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
