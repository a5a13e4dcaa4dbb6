"""What a model does, as its methods: the short path to the tasks (`noisekernel.tasks`) and to measuring.

Most methods are the functions themselves, with the model as their first argument: `model.vary(z)` is `nk.vary(model,
z)`. They take examples as people have them, files, strings, rows, or clean data z, and return clean data, which `draw`
turns into pictures, strings, rows. Classes go by name.
"""

from typing import Any

from torch import Tensor

from noisekernel import tasks
from noisekernel.data import load_data
from noisekernel.kinds.model import KindModel
from noisekernel.measuring.chains.diagnosis import diagnose
from noisekernel.measuring.chains.found import Diagnosis
from noisekernel.measuring.samples.evaluation import measure
from noisekernel.sampling.model import Labels


class Verbs(KindModel):
    """The methods of a model that make something."""

    vary = tasks.vary
    equilibrate = tasks.equilibrate
    fill = tasks.fill
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
