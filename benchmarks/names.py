"""The kind `tokens` on names, beside a plain autoregressive transformer of equal size, in equal time.

    python benchmarks/names.py NAMES.txt [--seeds 3] [--images 320000] [--record]

The file has one name per line. A fixed random tenth is held out for validation and another for the test. Ours is
trained by `nk.fit` with the recipe `tokens`. After every 2,000 images the rival (lab/causal.py) is trained for as many
seconds of the processor as ours has taken, in the same process and on one thread, so that other work on the machine
slows both alike. Both are judged on held-out names by the chain rule, in nats per character, the end of a name counted
as one character. The lengths of samples are compared with those of the data. With --validation the names for
validation take the place of the test, which is how the settings were chosen. With --record the figures are appended to
benchmarks/results/names.jsonl, and the plot is DATE-names.png.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import torch
from torch import Tensor

import noisekernel as nk
from lab.causal import Causal, Rival
from lab.results import RESULTS, record_run, today
from noisekernel import recipes
from noisekernel.core.randomness import Streams
from noisekernel.kernels.categorical import CategoricalKernel
from noisekernel.networks.denoiser import Denoiser
from noisekernel.recipes.parts import TransformerConfig
from noisekernel.sampling.in_order import at_random, in_sequence, log_probs, mixture
from noisekernel.training.log import Entry
from noisekernel.training.observers import Silent

SAMPLES = 2_000
#: Orders at random per name, and the number of names that they are tried on.
ORDERS, IN_ORDERS = 8, 500


def split(names: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Training, validation and test: 80, 10 and 10 percent, the same at every call."""
    order = torch.randperm(len(names), generator=torch.Generator().manual_seed(0)).tolist()
    first, second = len(names) * 8 // 10, len(names) * 9 // 10
    training, validation, test = order[:first], order[first:second], order[second:]
    return [names[i] for i in training], [names[i] for i in validation], [names[i] for i in test]


class Turns(Silent):
    """Trains the rival after each part of ours, until it has had as many seconds."""

    def __init__(self, rival: Rival, images: int) -> None:
        self.rival, self.images = rival, images
        self.seconds, self.share = 0.0, 0.0

    def begin(self, make: Any) -> None:
        super().begin(make)
        self.since = time.process_time()

    def logged(self, entry: Entry) -> None:
        self.seconds += time.process_time() - self.since
        last = entry.images / self.images
        self.rival.train(self.seconds, self.share, last)
        self.share, self.since = last, time.process_time()


def judged(model: nk.Model, z: Tensor) -> dict[str, float]:
    """Nats per character of ours: in sequence, and in orders drawn at random."""
    kind: Any = model.kind

    def logs(z: Tensor, order: Tensor) -> Tensor:
        return log_probs(cast(CategoricalKernel, model.kernel), model.denoiser, z, order, known=kind.known).sum(dim=1)

    some = z[:IN_ORDERS]
    orders = torch.stack([logs(some, at_random(some, Streams.of(i, range(len(some))))) for i in range(ORDERS)])
    characters = int(kind.characters(some).sum())
    return {
        "in sequence": -float(logs(z, in_sequence(z)).sum()) / int(kind.characters(z).sum()),
        "in sequence, some": -float(logs(some, in_sequence(some)).sum()) / characters,
        "at random, some": -float(orders.mean(dim=0).sum()) / characters,
        "mixture, some": -float(mixture(orders).sum()) / characters,
    }


def lengths(names: Sequence[str], longest: int) -> Tensor:
    """The share of names of each length, from 0 on."""
    return torch.bincount(torch.tensor([len(name) for name in names]), minlength=longest + 1) / len(names)


def compare(names: Sequence[str], settings: dict[str, Any], rival_rate: float | None, seed: int, on: str) -> Any:
    """Train both, and judge them."""
    training, validation, test = split(names)
    held = validation if on == "validation" else test
    fixed = {"data.alphabet": "".join(sorted(set("".join(names)))), "data.length": max(map(len, names)) + 1}
    recipe = recipes.recipe("tokens", {**settings, **fixed})
    kind, network = recipe.data, cast(TransformerConfig, recipe.network)
    own = recipe.training
    theirs = own if rival_rate is None else own.model_copy(update={"rate": rival_rate})

    def encoded(these: Sequence[str]) -> Tensor:
        return kind.encode(torch.stack([torch.from_numpy(kind.store(name).values) for name in these]))

    torch.manual_seed(seed)
    causal = Causal(kind.classes, kind.length, network.width, network.depth, network.heads)
    rival = Rival(encoded(training), kind.end, causal, theirs, seed)
    turns = Turns(rival, own.images)
    began = time.perf_counter()
    model = nk.fit(training, recipe=recipe, seed=seed, device="cpu", observers=[turns], progress=False)
    wall = time.perf_counter() - began
    z = encoded(held)
    ours, other = judged(model, z), rival.nats_per_character(z)
    drawn = {
        "data": names,
        "held out": held[:SAMPLES],
        "ours": model.draw(model.sample(SAMPLES, seed=seed)),
        "rival": kind.drawn(kind.decode(rival.sample(SAMPLES, torch.Generator().manual_seed(seed)))),
    }
    shares = {name: lengths(these, kind.length) for name, these in drawn.items()}
    off = {name: round(float((share - shares["data"]).abs().sum()) / 2, 4) for name, share in shares.items()}
    figures = {
        "seed": seed,
        "on": on,
        "ratio": round(ours["in sequence"] / other, 4),
        "ours": {name: round(value, 4) for name, value in ours.items()},
        "rival": round(other, 4),
        "seconds": {
            "ours": round(turns.seconds, 1),
            "rival": round(rival.seconds, 1),
            "both, by the wall": round(wall),
        },
        "names seen": {"ours": own.images, "rival": rival.images},
        "parameters": {
            "ours": sum(p.numel() for p in cast(Denoiser, model.denoiser).parameters()),
            "rival": sum(p.numel() for p in causal.parameters()),
        },
        "rates": {"ours": own.rate, "rival": theirs.rate},
        "lengths off by": off,
        "new names": {name: round(len(set(drawn[name]) - set(training)) / len(set(drawn[name])), 3) for name in drawn},
    }
    for name, value in figures.items():
        print(f"{name}: {value}", flush=True)
    for name in ("ours", "rival"):
        print(f"{name}: {' '.join(drawn[name][:20])}", flush=True)
    return figures, shares


def plot(shares: dict[str, Tensor], path: Path) -> None:
    """The histograms of lengths, beside each other."""
    figure, axes = plt.subplots(figsize=(6.5, 3.5), layout="constrained")
    colours = {"data": "#999999", "ours": "#3b5ba5", "rival": "#e87a5d"}
    labels = {"data": "the data", "ours": "samples of ours", "rival": "samples of the autoregressive transformer"}
    for i, (name, colour) in enumerate(colours.items()):
        places = torch.arange(len(shares[name])) + 0.27 * (i - 1)
        axes.bar(places.tolist(), shares[name].tolist(), 0.27, color=colour, label=labels[name])
    axes.set(xlabel="characters in a name", ylabel="share of names", xlim=(0.5, 13.5))
    axes.legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=110)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("names", type=Path, help="a file with one name per line")
    arguments.add_argument("--seeds", type=int, default=3)
    arguments.add_argument("--first", type=int, default=0, help="the first seed")
    arguments.add_argument("--images", type=int, help="names that ours sees; by default those of the recipe")
    arguments.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the recipe")
    arguments.add_argument("--rival-rate", type=float, help="the rival's learning rate; by default ours")
    arguments.add_argument("--validation", action="store_true", help="judge on the names for validation")
    arguments.add_argument("--record", action="store_true", help="append the figures to the results file")
    options = arguments.parse_args()
    torch.set_num_threads(1)
    names = options.names.read_text(encoding="utf-8").split()
    settings: dict[str, Any] = dict(each.split("=", 1) for each in options.set)
    if options.images:
        settings["training.images"] = options.images
    on = "validation" if options.validation else "test"
    for seed in range(options.first, options.first + options.seeds):
        figures, shares = compare(names, settings, options.rival_rate, seed, on)
        if options.record:
            record_run("names", {"threads": 1, "torch": torch.__version__, **figures})
            plot(shares, RESULTS / f"{today()}-names.png")


if __name__ == "__main__":
    main()
