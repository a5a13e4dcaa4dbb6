"""A finite chain: a learned transition matrix over n states.

The smallest kernel that contrastive adjustment can train, and the one where nothing is left to estimates: its
stationary distribution is an eigenvector, its distance from detailed balance (eq. 1) a finite sum.

It is not a noise kernel: there is no z, no beta. It offers what Algorithm 2 asks for, `transition(x) -> Distribution`.
"""

import torch
from jaxtyping import Float, Integer
from torch import Tensor, nn

from noisekernel.core import checks
from noisekernel.core.categories import Categorical
from noisekernel.core.errors import InputError
from noisekernel.core.randomness import Randomness


class FiniteKernel(nn.Module):
    """p(y | x) = softmax(logits[x])[y] over states 0 … n-1. Before training, every jump is equally probable.

    Args:
        states: The number of states n, at least 2.

    >>> kernel = FiniteKernel(3)
    >>> kernel.stationary()
    tensor([0.3333, 0.3333, 0.3333], dtype=torch.float64)
    """

    def __init__(self, states: int) -> None:
        super().__init__()
        self.states = checks.count("states", states, 2)
        self.logits = nn.Parameter(torch.zeros(states, states))

    def transition(self, x: Integer[Tensor, " batch"]) -> Categorical:
        """p(y | x), one row of the matrix for each sample.

        Args:
            x: States, whole numbers from 0 to n - 1, (batch,).
        """
        return Categorical(torch.log_softmax(self.logits, dim=-1)[checks.classes("x", x, self.states)])

    def matrix(self) -> Float[Tensor, "states states"]:
        """P[x, y] = p(y | x), in double precision."""
        return torch.softmax(self.logits.detach().double(), dim=-1)

    def stationary(self) -> Float[Tensor, " states"]:
        """The exact stationary distribution: pi P = pi, sum pi = 1."""
        n = self.states
        system = torch.cat((self.matrix().T - torch.eye(n, dtype=torch.float64), torch.ones(1, n, dtype=torch.float64)))
        right = torch.zeros(n + 1, 1, dtype=torch.float64)
        right[-1] = 1.0
        return torch.linalg.lstsq(system, right).solution[:, 0]

    def balance_gap(self, p: Float[Tensor, " states"]) -> float:
        """How far the chain is from detailed balance with p: half of sum over x, y of |p(x)p(y|x) - p(y)p(x|y)|.

        This is the total variation distance between the laws of (x, y) and of (y, x), a number in [0, 1].

        Args:
            p: A distribution over the states, (states,).
        """
        flow = self.flow(p)
        return float(0.5 * (flow - flow.T).abs().sum())

    def flow(self, p: Float[Tensor, " states"]) -> Float[Tensor, "states states"]:
        """p(x) p(y | x), (states, states).

        Args:
            p: A distribution over the states, (states,).
        """
        if p.shape != (self.states,) or bool((p < 0).any()) or abs(float(p.sum()) - 1.0) > 1e-6:
            raise InputError(f"p must be {self.states} probabilities that sum to 1")
        return p.double()[:, None] * self.matrix()

    def expected_loss(self, p: Float[Tensor, " states"]) -> Float[Tensor, ""]:
        """The loss of Algorithm 2 with both of its expectations taken exactly: - sum of p(x) p(y|x) log p(x|y).

        As in Algorithm 2 the law of (x, y) is held fixed. What is left is free of sampling noise.

        Args:
            p: The distribution of the data over the states, (states,).
        """
        backward = torch.log_softmax(self.logits, dim=-1).T
        return -(self.flow(p).to(backward) * backward).sum()

    @torch.no_grad()
    def adjust(self, x: Integer[Tensor, " batch"], rate: float, generator: Randomness) -> None:
        """Algorithm 1, to the letter: sample y ~ p(y | x), decrease p(y | x), increase p(x | y).

        The logits are adjusted. In expectation logits[x, y] moves by -rate (p(x)p(y|x) - p(y)p(x|y)), so that it rests
        exactly in detailed balance.

        Args:
            x: Data: whole numbers from 0 to n - 1, (batch,).
            rate: How far an example moves a logit; the batch shares it.
            generator: Draws y.
        """
        x = checks.classes("x", x, self.states)
        y = self.transition(x).sample(generator)
        step = torch.full(x.shape, rate / len(x), dtype=self.logits.dtype, device=self.logits.device)
        self.logits.index_put_((x, y), -step, accumulate=True)
        self.logits.index_put_((y, x), step, accumulate=True)
