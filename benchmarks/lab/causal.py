"""A plain autoregressive transformer for short strings: the rival of the kind `tokens`.

The network is that of GPT-2 in small: learned positions, layer norms before attention and feed-forward, a causal mask.
It reads a start token and z, and predicts each token from those before it. Places behind the first end do not count.
Optimiser, batches, learning rate, clipping and average follow the same settings as ours (`TrainingSettings`).
"""

import time
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, scaled_dot_product_attention

from noisekernel.networks.transformer import Block
from noisekernel.recipes.training import TrainingSettings


class CausalBlock(Block):
    """The block of our transformer, with attention to the places before alone."""

    def attention(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return scaled_dot_product_attention(q, k, v, is_causal=True)


class Causal(nn.Module):
    """From tokens (batch, length) to the logits of each, given those before it: (batch, length, classes)."""

    def __init__(self, classes: int, length: int, width: int, depth: int, heads: int) -> None:
        super().__init__()
        self.start = classes
        self.tokens = nn.Embedding(classes + 1, width)
        self.places = nn.Parameter(0.1 * torch.randn(length, width))
        self.blocks = nn.ModuleList(CausalBlock(width, heads, depth) for _ in range(depth))
        self.norm = nn.LayerNorm(width)
        self.outlet = nn.Linear(width, classes)
        nn.init.normal_(self.tokens.weight, std=0.5)
        nn.init.zeros_(self.outlet.weight)
        nn.init.zeros_(self.outlet.bias)

    def forward(self, z: Tensor) -> Tensor:
        h = self.tokens(nn.functional.pad(z[:, :-1], (1, 0), value=self.start)) + self.places
        for block in self.blocks:
            h = block(h)
        logits: Tensor = self.outlet(self.norm(h))
        return logits


def nats(network: Causal, z: Tensor, end: int) -> Tensor:
    """Minus the log probability of each token up to and with the first end; 0 behind it."""
    each = cross_entropy(network(z).transpose(1, 2), z, reduction="none")
    return torch.where(((z == end).cumsum(dim=1) - (z == end).long()) > 0, 0.0, each)


class Rival:
    """The network, its average and its optimiser, trained for as many seconds as it is given."""

    def __init__(self, z: Tensor, end: int, network: Causal, settings: TrainingSettings, seed: int) -> None:
        self.z, self.end, self.network, self.settings = z, end, network, settings
        self.average: Any = torch.optim.swa_utils.AveragedModel(network, multi_avg_fn=self._mix)
        self.optimiser = torch.optim.Adam(network.parameters(), settings.rate, betas=settings.betas)
        self.generator = torch.Generator().manual_seed(seed)
        self.order = torch.empty(0, dtype=torch.int64)
        self.images, self.seconds = 0, 0.0

    def _mix(self, averages: Any, currents: Any, _: Any) -> None:
        torch._foreach_lerp_(averages, currents, 1.0 - self.settings.average.decay(self.images, self.settings.batch))

    def train(self, until: float, first: float, last: float) -> None:
        """Train until it has had so many seconds of the processor in all.

        The rate is that of the part of the run from `first` to `last`, which are shares of the whole.
        """
        began = self.seconds
        while self.seconds < until:
            start = time.process_time()
            share = first + (last - first) * (self.seconds - began) / (until - began)
            self._step(self.settings.rate_at(int(share * self.settings.images)))
            self.seconds += time.process_time() - start

    def _step(self, rate: float) -> None:
        batch = self.settings.batch
        if len(self.order) < batch:
            self.order = torch.cat((self.order, torch.randperm(len(self.z), generator=self.generator)))
        rows, self.order = self.order[:batch], self.order[batch:]
        z = self.z[rows]
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        each = nats(self.network, z, self.end)
        (each.sum() / self.characters(z)).backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), self.settings.clip or float("inf"))
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        self.images += batch
        self.average.update_parameters(self.network)

    def characters(self, z: Tensor) -> int:
        """Of all strings together, their ends counted."""
        return int((z != self.end).sum()) + len(z)

    @torch.no_grad()
    def nats_per_character(self, z: Tensor) -> float:
        """Of the average, on strings that it was not trained on."""
        return float(nats(self.average.module, z, self.end).double().sum()) / self.characters(z)

    @torch.no_grad()
    def sample(self, n: int, generator: torch.Generator) -> Tensor:
        """Strings of the average, drawn a token at a time."""
        z = torch.full((n, self.z.shape[1]), self.end)
        for place in range(z.shape[1]):
            chances = self.average.module(z)[:, place].softmax(dim=-1)
            z[:, place] = torch.multinomial(chances, 1, generator=generator).squeeze(1)
        return z
