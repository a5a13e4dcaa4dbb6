"""Pairs (x, y) of states at constant noise, and what the test of reversibility is shown of them.

x is data, noised: a draw from p(x), where the chain should be at home. y is one step on, or k steps: k steps of a
reversible chain are reversible too, and small faults add up in them. Each example gives one pair, so that the pairs
are independent.

What is shown changes sign when x and y are swapped (`odd`) or stays as it is (`even`):

    odd     h(y) - h(x), f(x) g(y) - g(x) f(y), log p(y|x) - log p(x|y)
    even    h(x) + h(y)

where h are the elements of the state and of its denoised view, their squares, and summaries. Together h(y) - h(x) and
h(x) + h(y) say all that h says of the pair.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import torch
from jaxtyping import Float
from torch import Tensor

from noisekernel import tasks
from noisekernel.core.distributions import Elementwise
from noisekernel.measuring.chains.functions import Directions
from noisekernel.sampling.chain import ChainState
from noisekernel.sampling.model import NoiseModel
from noisekernel.tasks.distances import flat

#: So many elements are shown at most, the same random ones for all pairs; summaries are of all of them.
MOST_ELEMENTS = 1024
#: Beyond this a log ratio says only "impossible the other way round".
MOST_LOG_RATIO = 1e4
#: What varies by less than this share of its largest value does not vary.
ROUNDING = 1e-5


@dataclass(frozen=True)
class Pairs:
    """What is shown of n pairs, and the summaries by name at either end."""

    odd: Float[Tensor, "n odd"]
    few_odd: Float[Tensor, "n few"]
    even: Float[Tensor, "n few"]
    names: tuple[str, ...]
    at_x: Float[Tensor, "n few"]
    at_y: Float[Tensor, "n few"]
    #: log p(y|x) - log p(x|y), where y is one step from x.
    log_ratio: Float[Tensor, " n"] | None


@dataclass(frozen=True)
class Seen:
    """h at a batch of states: elements, and named summaries."""

    elements: Tensor
    few: Tensor
    names: tuple[str, ...]


def draw_pairs(
    model: NoiseModel,
    z: Tensor,
    directions: Directions,
    *,
    beta: float,
    lag: float | None,
    steps: Sequence[int],
    seed: int,
    batch_size: int,
    advance: Callable[[], None],
) -> dict[int, Pairs]:
    """For each number of steps, a pair of each z. `advance` is called after every step of every batch."""
    parts: dict[int, list[tuple[Seen, Seen, Tensor | None]]] = {count: [] for count in steps}
    for first in range(0, len(z), batch_size):
        rows = z[first : first + batch_size]
        run = tasks.equilibration(model, rows, beta=beta, steps=max(steps), lag=lag, readout=0, seed=seed, first=first)
        begin, at_x = run.state, _look(run.state, directions)
        for state, info in run:
            if state.t in parts:
                forward = info.proposal.log_prob(state.x) if state.t == 1 else None
                ratio = None if forward is None else forward - _backward(model, begin, state, run.schedule.lag[0])
                if ratio is not None and run.score is not None:  # of the accepting: f(y) - f(x), 0 for what stayed
                    ratio = ratio + run.score(state.x, state.view) - run.score(begin.x, begin.view)
                parts[state.t].append((at_x, _look(state, directions), ratio))
            advance()
    return {count: join(some) for count, some in parts.items()}


def _backward(model: NoiseModel, begin: ChainState, state: ChainState, lag: Tensor) -> Tensor:
    """log p(x | y) for the first step."""
    return model.step(state.view, state.x, state.beta, begin.beta, float(lag), False).log_prob(begin.x)


def _look(state: ChainState, directions: Directions) -> Seen:
    assert isinstance(state.view, Elementwise)
    x, guess = flat(state.x), flat(state.view.best)
    sure = state.view.log_prob(state.view.best) / x.shape[1]
    along_x, along_guess = directions(state.x), directions(state.view.best)
    columns = {
        **{f"pc{i + 1}": along_x[:, i] for i in range(len(directions))},
        **{f"guess pc{i + 1}": along_guess[:, i] for i in range(len(directions))},
        "mean": x.mean(dim=1),
        "energy": x.square().mean(dim=1),
        "guess mean": guess.mean(dim=1),
        "guess energy": guess.square().mean(dim=1),
        "residual": (x - guess).square().mean(dim=1),
        "sureness": sure,
    }
    return seen([x, guess], columns)


def seen(parts: Sequence[Tensor], columns: Mapping[str, Tensor]) -> Seen:
    """Elements of these parts, some of them where they are many, and the summaries."""
    size = parts[0].shape[1]
    if size > MOST_ELEMENTS:
        chosen = torch.randperm(size, generator=torch.Generator().manual_seed(0))[:MOST_ELEMENTS].to(parts[0].device)
        parts = [part[:, chosen] for part in parts]
    elements = torch.cat([each for part in parts for each in (part, part.square())], dim=1)
    return Seen(elements.cpu(), torch.stack(list(columns.values()), dim=1).cpu(), tuple(columns))


def join(parts: Sequence[tuple[Seen, Seen, Tensor | None]]) -> Pairs:
    """What is shown of the pairs of all batches: what is seen of x and of y, and the log ratio where it is known."""
    names = parts[0][0].names
    x, y = torch.cat([p[0].few for p in parts]), torch.cat([p[1].few for p in parts])
    # By moments of both ends together, which a swap leaves alone. A summary that varies by rounding alone (the sureness
    # of a denoiser whose variance is the same everywhere) would be made into noise, so it is nought.
    both = torch.cat((x, y))
    middle, scale = both.mean(dim=0), both.std(dim=0)
    varies = scale > ROUNDING * both.abs().amax(dim=0)
    x, y = (torch.where(varies, (end - middle) / torch.where(varies, scale, 1.0), 0.0) for end in (x, y))
    odd = [torch.cat([p[1].elements - p[0].elements for p in parts]), y - x, y.square() - x.square()]
    for kind in ("pc", "guess pc"):
        leading = [names.index(f"{kind}{i}") for i in range(1, 7) if f"{kind}{i}" in names]
        odd += [(x[:, a] * y[:, b] - x[:, b] * y[:, a])[:, None] for a, b in combinations(leading, 2)]
    ratio = None
    if parts[0][2] is not None:
        found = torch.cat([p[2] for p in parts if p[2] is not None]).cpu()
        ratio = found.clamp(-MOST_LOG_RATIO, MOST_LOG_RATIO)
        odd.append(ratio[:, None])
    few_odd = y - x if ratio is None else torch.cat((y - x, ratio[:, None]), dim=1)
    return Pairs(torch.cat(odd, dim=1), few_odd, x + y, names, x, y, ratio)
