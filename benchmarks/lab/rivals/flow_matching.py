"""Conditional flow matching (Lipman et al. 2023) as in `torchcfm`.

The network predicts v = z - n at x = t z + (1 - t) n, with t from 0 (noise) to 1 (data).
"""

from dataclasses import dataclass

from torch import Tensor, nn

from lab.rivals.rival import Rival
from noisekernel.core.randomness import Streams, normal, uniform


@dataclass
class FlowMatching(Rival):
    """Sampled by Euler's rule or by the midpoint rule."""

    name: str = "flow matching"
    midpoint: bool = False

    def loss(self, network: nn.Module, z: Tensor, streams: Streams) -> Tensor:
        from torchcfm.conditional_flow_matching import ConditionalFlowMatcher

        t, noise = uniform((len(z),), streams), normal(z.shape, streams)
        _, x, u = ConditionalFlowMatcher(sigma=0.0).sample_location_and_conditional_flow(noise, z, t)
        return (network(x, t) - u).square().flatten(1).mean(1)

    def run(self, noise: Tensor, calls: int, streams: Streams) -> Tensor:
        steps = calls // 2 if self.midpoint else calls
        x = noise
        for i in range(steps):
            t, h = i / steps, 1.0 / steps
            v = self.call(x, t)
            x = x + h * (self.call(x + 0.5 * h * v, t + 0.5 * h) if self.midpoint else v)
        return x

    def estimate(self, noisy: Tensor, sigma: float) -> Tensor:
        """x = t (z + sigma n) at t = 1 / (1 + sigma), and z = x + (1 - t) v."""
        t = 1.0 / (1.0 + sigma)
        x = t * noisy
        return x + (1.0 - t) * self.call(x, t)
