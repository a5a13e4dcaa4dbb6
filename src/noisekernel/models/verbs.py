"""What a model does, as its methods: the short path to the tasks (`noisekernel.tasks`).

Each method takes examples as people have them, files, strings, rows, or clean data z, and returns clean data, which
`draw` turns into pictures, strings, rows. Classes go by name.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from torch import Tensor

from noisekernel import tasks
from noisekernel.core.errors import InputError
from noisekernel.data import load_data
from noisekernel.kinds.examples import read_examples, read_mask, warn
from noisekernel.measuring.chains.diagnosis import diagnose
from noisekernel.measuring.chains.found import Diagnosis
from noisekernel.measuring.samples.evaluation import Judgement, measure
from noisekernel.sampling.noise_walk import NoiseState
from noisekernel.tasks.walks import Walk

if TYPE_CHECKING:
    from noisekernel.models.model import Model

#: Examples: clean data, or one or several of what the kind of data reads.
Examples = Tensor | Any
#: Classes by name or number, one for all or taken by turns.
Classes = str | int | Sequence[str | int] | None


class Verbs:
    """The methods of a model that make something."""

    def sample(
        self,
        n: int = 16,
        *,
        label: Classes = None,
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
        model = self._model
        _, schedule = model.schedule(sampler, steps)
        return tasks.synthesize(
            model, n, schedule=schedule, label=self._classes(label, n), seed=seed, batch_size=batch_size
        )

    def vary(
        self,
        z: Examples,
        n: int = 8,
        *,
        strength: float | None = None,
        below: float | None = None,
        steps: int = 20,
        label: Classes = None,
        seed: int = 0,
        batch_size: int = 64,
    ) -> Tensor:
        """Make variants of examples, as `nk vary` does.

        Args:
            z: Clean data of shape (batch, *shape) or (*shape), or examples that the model reads.
            n: Variants of each.
            strength: How far they go, from 0 (the example) to 1 (an unrelated one); 0.3 unless given.
            below: The noise level below which noise is redrawn, in place of a strength.
            steps: Annealing steps.
            label: The class of the examples.
            seed: The same seed gives the same variants.
            batch_size: How many are made at a time.

        Returns:
            Clean data of shape (batch, n, *shape).

        >>> from noisekernel import load
        >>> model = load("digits")
        >>> model.vary(model.sample(2, steps=5), n=3, strength=0.3, steps=5).shape
        torch.Size([2, 3, 1, 8, 8])
        """
        model, batch = self._model, self._batch(z)
        own = self._classes(label, len(batch))
        return tasks.vary(
            model, batch, n, strength=strength, below=below, steps=steps, label=own, seed=seed, batch_size=batch_size
        )

    def equilibrate(
        self,
        z: Examples,
        n: int = 8,
        *,
        beta: float = 0.2,
        steps: int = 100,
        lag: float | None = None,
        readout: int = 0,
        label: Classes = None,
        seed: int = 0,
        batch_size: int = 64,
    ) -> Tensor:
        """Make variants by the paper's chain at constant noise, as `nk equilibrate` does.

        Args:
            z: Clean data of shape (batch, *shape) or (*shape), or examples that the model reads.
            n: Variants of each.
            beta: The constant noise level.
            steps: Steps at that level.
            lag: How much of the state a step carries over (the paper's).
            readout: Annealing steps at the end; 0 for the paper's mean, 10 for sharp results.
            label: The class of the examples.
            seed: The same seed gives the same variants.
            batch_size: How many are made at a time.

        Returns:
            Clean data of shape (batch, n, *shape).

        >>> from noisekernel import load
        >>> model = load("digits")
        >>> model.equilibrate(model.sample(1, steps=5), n=2, steps=3).shape
        torch.Size([1, 2, 1, 8, 8])
        """
        model, batch = self._model, self._batch(z)
        own = self._classes(label, len(batch))
        return tasks.equilibrate(
            model,
            batch,
            n,
            beta=beta,
            steps=steps,
            lag=lag,
            readout=readout,
            label=own,
            seed=seed,
            batch_size=batch_size,
        )

    def fill(
        self,
        z: Examples,
        mask: Tensor | str | Path,
        n: int = 4,
        *,
        steps: int = 100,
        equilibrium: int = 0,
        label: Classes = None,
        seed: int = 0,
        batch_size: int = 64,
    ) -> Tensor:
        """Fill in what a mask hides, as `nk fill` does (the paper's inpainting); all else comes back bit by bit.

        Args:
            z: Clean data of shape (batch, *shape) or (*shape), or examples that the model reads.
            mask: 1 (fill in) or 0 (keep), of shape (*shape) for all or (batch, *shape); or what the kind of data reads
                as one: the file of a black and white picture, a pattern, the names of columns.
            n: Ways to fill in each.
            steps: Annealing steps.
            equilibrium: Equilibrium steps after each of them.
            label: The class of the examples.
            seed: The same seed gives the same results.
            batch_size: How many are made at a time.

        Returns:
            Clean data of shape (batch, n, *shape).

        >>> from noisekernel import load
        >>> model = load("digits")
        >>> model.fill(model.sample(2, steps=5), model.kind.masks(2, 0.5, 2), n=3, steps=5).shape
        torch.Size([2, 3, 1, 8, 8])
        """
        model, (batch, items) = self._model, self._given(z)
        if isinstance(mask, Tensor):
            fill = mask
        else:
            fill, notes = read_mask(model.kind, mask, items)
            warn(notes)
        own = self._classes(label, len(batch))
        return tasks.fill(
            model, batch, fill, n, steps=steps, equilibrium=equilibrium, label=own, seed=seed, batch_size=batch_size
        )

    def steer(
        self,
        z: Examples,
        score: Callable[[Tensor], Tensor],
        n: int = 1,
        *,
        strength: float | None = None,
        beta: float | None = None,
        steps: int = 100,
        lag: float | None = None,
        readout: int = 10,
        label: Classes = None,
        seed: int = 0,
        batch_size: int = 64,
    ) -> Tensor:
        """Walk from examples towards high values of a score.

        Args:
            z: Clean data of shape (batch, *shape) or (*shape), or examples that the model reads.
            score: Maps a batch of clean data to one number per sample; twice the score is twice as insistent.
            n: Walks from each.
            strength: How far they may go, from 0 to 1; 0.3 unless given.
            beta: The noise level of the walk, in place of a strength.
            steps: Steps of the walk.
            lag: How much of the state a step carries over (the kernel's).
            readout: Annealing steps at the end.
            label: The class of the examples.
            seed: The same seed gives the same results.
            batch_size: How many are made at a time.

        Returns:
            Clean data of shape (batch, n, *shape).

        >>> from noisekernel import load
        >>> model = load("digits")
        >>> model.steer(model.sample(2, steps=5), lambda z: -9 * z.mean(dim=(1, 2, 3)), beta=0.1, steps=3).shape
        torch.Size([2, 1, 1, 8, 8])
        """
        model, batch = self._model, self._batch(z)
        own = self._classes(label, len(batch))
        return tasks.steer(
            model,
            batch,
            score,
            n,
            strength=strength,
            beta=beta,
            steps=steps,
            lag=lag,
            readout=readout,
            label=own,
            seed=seed,
            batch_size=batch_size,
        )

    def walk(
        self,
        z: "Examples | int | NoiseState" = 1,
        *,
        pace: float = 0.08,
        steps: int = 20,
        glide: bool = True,
        score: Callable[[Tensor], Tensor] | None = None,
        label: Classes = None,
        seed: int = 0,
    ) -> Walk:
        """Walk through the data without end: `for state, info in model.walk(z)`.

        Args:
            z: Clean data or examples to start from, the number of new samples to start from, or a state to go on from.
            pace: The share of the noise that a step moves.
            steps: Network calls per look.
            glide: Whether the walk keeps its direction for a while.
            score: Maps clean data to one number per sample, towards whose high values the walk is steered.
            label: The class of the examples.
            seed: The same seed gives the same walk.

        Returns:
            A walk to iterate over; `walk.clean` shows where it is.

        >>> from noisekernel import load
        >>> walk = load("digits").walk(2, steps=5)
        >>> state, info = next(iter(walk))
        >>> walk.clean.shape
        torch.Size([2, 1, 8, 8])
        """
        if not isinstance(z, int | NoiseState):
            z = self._batch(z)
        n = z if isinstance(z, int) else len(z) if isinstance(z, Tensor) else 0
        own = None if isinstance(z, NoiseState) else self._classes(label, n)
        return tasks.walk(self._model, z, pace=pace, steps=steps, glide=glide, score=score, label=own, seed=seed)

    def evaluate(
        self, data: Any, *, n: int | None = None, held_out: Any = None, steps: int | None = None, seed: int = 0
    ) -> Judgement:
        """Measure samples of the model against data, as `nk evaluate` does.

        Args:
            data: The data to compare with, as for training.
            n: How many samples (as many as the data has examples).
            held_out: Data that the model never saw, which show what real data score.
            steps: Network calls per sample (the model's own number).
            seed: The same seed gives the same figures.

        Returns:
            A judgement: `print` shows a table, `figures` has each figure with its interval. See `nk.measure`.

        >>> from noisekernel import load
        >>> sorted(load("digits").evaluate("digits", n=40, steps=2).figures)[:2]
        ['coverage', 'density']
        """
        return measure(self._model, data, n=n, held_out=held_out, steps=steps, seed=seed)

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
        model = self._model
        if data is None:
            z, labels = self.sample(max(2 * n, 500), seed=seed).cpu(), None
        elif isinstance(data, Tensor):
            z, labels = data, None
        else:
            loaded, _ = load_data(data, model.kind)
            z, labels = model.kind.encode(loaded.values), loaded.labels
        return diagnose(model, z, labels, steps=steps, n=n, pairs=pairs, seed=seed)

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the model as one file, which `nk.load` reads.

        Args:
            path: The file, if it ends in .safetensors, else a folder for model.safetensors.
            force: Whether a file that is there may be replaced.

        Returns:
            The path of the file.

        >>> import tempfile
        >>> from noisekernel import load
        >>> load("digits").save(tempfile.mkdtemp()).name
        'model.safetensors'
        """
        from noisekernel.models.saving import save

        return save(self._model, path, force=force)

    @property
    def _model(self) -> "Model":
        return cast("Model", self)

    def _batch(self, z: Examples) -> Tensor:
        """Clean data as a batch, from whatever was given."""
        return self._given(z)[0]

    def _given(self, z: Examples) -> tuple[Tensor, list[Any]]:
        """Clean data as a batch, and the items that they were read from, where they were."""
        model = self._model
        if isinstance(z, Tensor):
            return z[None] if tuple(z.shape) == model.shape else z, []
        given = read_examples(model.kind, z)
        warn(given.notes)
        return given.z, given.items

    def _classes(self, label: Classes, n: int) -> Tensor | None:
        if label is None:
            return None
        if isinstance(label, Tensor):
            raise InputError("give classes by name or number, such as label='3' or label=[3, 7]")
        return self._model.label([label] if isinstance(label, str | int) else label, n)
