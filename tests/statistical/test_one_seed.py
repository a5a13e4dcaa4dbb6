"""Under one seed, what a task makes of another's results is as it would be under two: no noise is met twice.

The twins draw for every purpose the same, as one would who numbers streams by sample and draw alone.
"""

from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest
import torch
from scipy import stats

import noisekernel as nk
from helpers import LEVEL
from noisekernel import tasks
from noisekernel.core.randomness import Purpose, normal, uniform
from noisekernel.data import examples
from noisekernel.data.examples import Treatment
from noisekernel.kinds.pictures import Pictures, masks
from noisekernel.kinds.pictures.reading import Size
from noisekernel.networks.exact import exact_denoiser
from noisekernel.objectives import base
from noisekernel.sampling import renewal
from noisekernel.sampling.samplers import annealing
from noisekernel.tasks import fills, run, samples, variants

pytestmark = pytest.mark.statistical

N, STEPS, MEAN, VARIANCE = 10_000, 20, 0.7, 0.25
MODEL = nk.NoiseModel(nk.GaussianKernel(0.5), partial(exact_denoiser, mean=MEAN, variance=VARIANCE), (1,))


def all_the_same(monkeypatch):
    streams = run.streams_of
    for module in (samples, variants, fills):
        monkeypatch.setattr(module, "streams_of", lambda *given: streams(*given[:-1], Purpose.NEW))


def none_of_its_own(monkeypatch, module):
    monkeypatch.setattr(module, "Purpose", SimpleNamespace(**dict.fromkeys(Purpose.__members__, Purpose.NEW)))


def correlation(a, b):
    """Whether there is one: the probability of one as large by chance."""
    return float(stats.pearsonr(a.flatten().numpy(), b.flatten().numpy()).pvalue)


def test_what_is_hidden_of_a_sample_is_not_found_again_by_its_seed(monkeypatch):
    z = nk.synthesize(MODEL, N, steps=STEPS)

    def filled():
        return nk.inpaint(MODEL, z, torch.ones(N, 1), steps=STEPS)

    assert correlation(z, filled()) > LEVEL
    all_the_same(monkeypatch)
    assert correlation(z, filled()) < LEVEL


def test_a_walk_from_a_sample_does_not_go_the_way_that_the_sample_came(monkeypatch):
    def walked():
        z = nk.synthesize(MODEL, N, steps=STEPS)
        run = tasks.variation(MODEL, z, beta=0.2, steps=STEPS, lag=0.9, readout=0)
        run.result()
        truth = stats.norm(0.8 * MEAN, (0.8**2 * VARIANCE + 0.2) ** 0.5)
        return stats.kstest(run.state.x.flatten().numpy(), truth.cdf).pvalue

    assert walked() > LEVEL
    all_the_same(monkeypatch)
    assert walked() < LEVEL


@pytest.mark.parametrize("spent", [True, False], ids=["counted", "forgotten"])
def test_variants_of_variants_may_have_one_seed(spent):
    """Else what is drawn anew adds up."""
    run = tasks.renewal(MODEL, nk.synthesize(MODEL, N, steps=STEPS), below=0.4)
    for _ in range(8):
        noise = run.noise if spent else replace(run.noise, spent=0)
        run = tasks.renewal(MODEL, run.result(), below=0.4, noise=noise)
    new = nk.synthesize(MODEL, N, steps=STEPS, seed=5)
    same = stats.ks_2samp(run.result().flatten().numpy(), new.flatten().numpy()).pvalue > LEVEL
    assert same == spent


def test_noise_that_is_drawn_and_renewed_under_one_seed_is_renewed():
    down = annealing(MODEL.kernel, STEPS)
    noise = renewal.fresh(MODEL, N, down, nk.Streams.of(0, range(N)))
    run = tasks.renewal(MODEL, torch.zeros(N, 1), below=1.0, steps=STEPS, noise=noise)
    assert all(correlation(old, new) > LEVEL / 21 for old, new in zip(noise.noise, run.noise.noise, strict=True))


def test_masks_of_a_seed_do_not_depend_on_its_new_samples(monkeypatch):
    """The lines of the README: `new` and `mask` have the same seed and the same numbers."""
    model = nk.NoiseModel(nk.GaussianKernel(0.5), partial(exact_denoiser, mean=MEAN, variance=VARIANCE), (2,))
    new = tasks.synthesis(model, N).state.x  # the noise that they are made of

    def hidden():
        return masks.tile_masks(Size(1, 1, 2), 1, 0.5, N)[:, 0, 0, 0].float()

    assert correlation(new.square().sum(dim=1), hidden()) > LEVEL
    none_of_its_own(monkeypatch, masks)
    assert correlation(new.square().sum(dim=1), hidden()) < LEVEL


@pytest.mark.parametrize(
    "objective", [nk.KL(), nk.ContrastiveAdjustment(), nk.Unrolled()], ids=lambda o: type(o).__name__
)
def test_training_noise_of_a_seed_is_not_that_of_its_new_samples(objective, monkeypatch):
    def noise_of_training():
        seen = []

        def denoiser(x, beta):
            seen.append(x / beta[:, None].sqrt())
            return exact_denoiser(x, beta, mean=0.0, variance=VARIANCE)

        objective(MODEL.kernel, denoiser, torch.zeros(N, 1), nk.Streams.of(0, range(N)))
        return seen[0]

    streams = nk.Streams.of(0, range(N))
    new = [normal((N, 1), streams) for _ in range(2)]
    assert all(correlation(each, noise_of_training()) > LEVEL / 2 for each in new)
    none_of_its_own(monkeypatch, base)
    assert correlation(new[1], noise_of_training()) < LEVEL


def test_what_is_mirrored_does_not_depend_on_noise_of_the_same_seed(monkeypatch):
    pixels = torch.tensor([0, 255], dtype=torch.uint8).expand(N, 1, 1, 2)

    def mirrored():
        z, _ = Treatment(Pictures(size=(1, 1, 2), flip=True), seed=0)(pixels, None, range(N), torch.device("cpu"))
        return z[:, 0, 0, 0]

    def drawn(purpose):
        return uniform((N, 1), nk.Streams.of(0, range(N), purpose=purpose))

    assert correlation(drawn(Purpose.NEW), mirrored()) > LEVEL / 2
    assert correlation(drawn(Purpose.TRAINING), mirrored()) > LEVEL / 2
    none_of_its_own(monkeypatch, examples)
    assert correlation(drawn(Purpose.NEW), mirrored()) < LEVEL


@pytest.mark.parametrize("spent", [True, False], ids=["counted", "forgotten"])
def test_noise_that_is_carried_on_with_default_arguments_stays_standard_normal(spent):
    """Round after round with one seed; the twin forgets what it drew, and draws the same again."""
    run = tasks.renewal(MODEL, nk.synthesize(MODEL, N, steps=STEPS), below=0.6)
    for _ in range(12):
        noise = run.noise if spent else replace(run.noise, spent=0)
        run = tasks.renewal(MODEL, run.result(), below=0.6, noise=noise)
    deviations = torch.stack([each.std() for each in run.noise.noise])
    # Its standard error is 1 / sqrt(2 N) = 0.7 %; seven of those, over 21 draws.
    assert (float((deviations - 1.0).abs().max()) < 0.05) == spent


@pytest.mark.parametrize("move", [nk.NoiseWalk.step, nk.NoiseWalk.glide], ids=["step", "glide"])
@pytest.mark.parametrize("start", [N, "from data"])
def test_the_noise_of_a_walk_stays_standard_normal(move, start):
    walk = nk.NoiseWalk.of(MODEL, nk.synthesize(MODEL, N, steps=STEPS) if start == "from data" else start)
    for _ in range(40):  # until the noise that was found, which is only nearly normal, is forgotten
        move(walk, 0.5, below=0.6)
    deviations = torch.stack([each.std() for each in walk.noise.noise])
    assert float((deviations - 1.0).abs().max()) < 0.05
