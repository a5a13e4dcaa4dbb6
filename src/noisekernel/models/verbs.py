"""What a model does, as its methods: the short path to the tasks (`noisekernel.tasks`) and to measuring.

Most methods are the functions themselves, with the model as their first argument: `model.vary(z)` is `nk.vary(model,
z)`. They take examples as people have them, files, strings, rows, or clean data z, and return clean data, which `draw`
turns into pictures, strings, rows. Classes go by name.
"""

from typing import Any

import torch
from torch import Tensor

from noisekernel import tasks
from noisekernel.core import checks
from noisekernel.core.errors import InputError
from noisekernel.core.randomness import Streams
from noisekernel.data import load_data
from noisekernel.kernels.categorical import CategoricalKernel
from noisekernel.kinds.model import KindModel
from noisekernel.measuring.chains.diagnosis import diagnose
from noisekernel.measuring.chains.found import Diagnosis
from noisekernel.measuring.samples.evaluation import measure
from noisekernel.sampling.in_order import at_random, in_sequence, log_probs, mixture
from noisekernel.sampling.model import Examples, Labels


class Verbs(KindModel):
    """The methods of a model that make something."""

    vary = tasks.vary
    equilibrate = tasks.equilibrate
    fill = tasks.fill
    redraw = tasks.redraw
    steer = tasks.steer
    walk = tasks.walk
    evaluate = measure

    def sample(
        self,
        n: int = 16,
        *,
        label: Labels | None = None,
        sampler: str | None = None,
        steps: int | None = None,
        seed: int = 0,
        batch_size: int = 64,
    ) -> Tensor:
        """Draw new samples, as `nk sample` does.

        Args:
            n: How many samples.
            label: A class, or several that are taken by turns, by name or number.
            sampler: The name of a sampler (the model's own).
            steps: Network calls per sample (the sampler's own number).
            seed: The same seed gives the same samples.
            batch_size: How many samples are made at a time.

        Returns:
            Clean data of shape (n, *shape).

        >>> from noisekernel import load
        >>> load("digits").sample(2, label=["3", "7"], steps=5).shape
        torch.Size([2, 1, 8, 8])
        """
        _, schedule = self.schedule(sampler, steps)
        return tasks.synthesize(self, n, schedule=schedule, label=label, seed=seed, batch_size=batch_size)

    def log_prob(self, z: Examples, *, orders: int = 0, seed: int = 0, batch_size: int = 1024) -> Tensor:
        """How probable examples in categories are, by the chain rule: one element at a time, exactly.

        Args:
            z: Clean data of shape (batch, *shape), or examples that the model reads: strings, rows.
            orders: In how many orders, drawn at random, the elements come. Then it is the logarithm of the mean
                probability, the same orders for all examples. With 0 it is one order, the first element first.
            seed: The same seed gives the same orders.
            batch_size: How many inputs the network is given at a time. An example of L elements makes at most L.

        Returns:
            Nats, of shape (batch,). Of a table they are of classes and places, and not of the numbers themselves.

        """
        batch = self.entering(self.as_batch(z))
        kernel = self.kernel
        if not isinstance(kernel, CategoricalKernel):
            raise InputError(
                f"{self.kind.many} in numbers have no probability by the chain rule, which is for categories; "
                "nk.evaluate has their error by level, in bits"
            )
        streams = [Streams.of(seed, [number]) for number in range(checks.count("orders", orders, 0))]
        several = [at_random(batch[:1], each).expand(len(batch), -1) for each in streams] or [in_sequence(batch)]
        found = [
            log_probs(kernel, self.denoiser, batch, order, known=self.kind.known, batch_size=batch_size)
            for order in several
        ]
        return mixture(torch.stack([each.flatten(1).sum(dim=1) for each in found]))

    def diagnose(
        self, data: Any = None, *, steps: int = 1000, n: int = 64, pairs: int = 1000, seed: int = 0
    ) -> Diagnosis:
        """Measure the chains of the model: reversible, stationary, mixing, and how far variants go.

        Args:
            data: Data like those it learned from, better ones that it never saw; its own new samples unless given.
            steps: The steps of the long walks.
            n: The chains of the long walks.
            pairs: How many pairs test reversibility, at most.
            seed: The same seed gives the same figures.

        Returns:
            A diagnosis: `print` shows four lines for each chain. See `nk.diagnose`.

        >>> from noisekernel import load
        >>> load("digits").diagnose("digits", steps=8, n=16, pairs=40).walk.main.steps
        1
        """
        if data is None:
            z, labels = self.sample(max(2 * n, 500), seed=seed).cpu(), None
        elif isinstance(data, Tensor):
            z, labels = data, None
        else:
            loaded, _ = load_data(data, self.kind)
            z, labels = self.kind.encode(loaded.values), loaded.labels
        return diagnose(self, z, labels, steps=steps, n=n, pairs=pairs, seed=seed)
