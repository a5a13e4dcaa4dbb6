"""Guided models: every task of both kernels, the law that is drawn, calls counted, and what is refused."""

import math
from dataclasses import replace
from functools import partial
from itertools import islice

import pytest
import torch
from scipy import stats

import noisekernel as nk
from cases import examples, kinds, noise_model
from helpers import LEVEL, generator
from noisekernel.core.errors import InputError, ShapeError
from noisekernel.networks import Guided
from noisekernel.networks.exact import exact_denoiser
from noisekernel.sampling.guidance import network_calls
from noisekernel.tasks.strength import RENEWAL

LABEL = torch.tensor([2, 0, 1, 2, 0])


def guided(kind, way, shape=(1, 6, 6), **options):
    """An untrained but not trivial model that is guided in this way, and the model that it was made of."""
    plain, worse = noise_model(kind, shape, classes=3), noise_model(kind, shape, classes=3)
    torch.manual_seed(2)
    with torch.no_grad():
        for parameter in worse.denoiser.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    return plain.guided(2.0, worse=worse if way == "auto" else None, **options), plain


TASKS = {
    "synthesize": lambda model, z: nk.synthesize(model, 5, steps=4, label=LABEL, seed=1),
    "vary": lambda model, z: nk.vary(model, z, below=0.6, steps=4, label=LABEL),
    "fill": lambda model, z: nk.fill(model, z, (torch.arange(36).reshape(1, 6, 6) % 2), steps=4, label=LABEL),
    "equilibrate": lambda model, z: nk.equilibrate(model, z, beta=0.5, steps=4, label=LABEL),
    "steer": lambda model, z: nk.steer(
        model, z, lambda z: z.flatten(1).float().mean(dim=1), beta=0.5, steps=4, readout=2, label=LABEL
    ),
    "walk": lambda model, z: _after(nk.walk(model, z, pace=0.5, steps=4, label=LABEL), 3).clean,
}


def _after(walk, steps):
    for _ in islice(walk, steps):
        pass
    return walk


@kinds
@pytest.mark.parametrize("way", ["free", "auto"])
@pytest.mark.parametrize("name", TASKS)
def test_every_task_takes_a_guided_model(kind, way, name):
    model, plain = guided(kind, way)
    z = examples(plain)
    result = TASKS[name](model, z)
    plain.kernel.check_data(result.reshape(-1, *plain.shape))
    assert not torch.allclose(result.double(), TASKS[name](plain, z).double(), atol=1e-3)
    if name == "fill":
        kept = (torch.arange(36).reshape(1, 6, 6) % 2 == 0).expand_as(z)
        assert torch.equal(result.reshape(z.shape)[kept], z[kept])


@kinds
def test_a_strength_of_one_is_the_model_itself(kind):
    """Up to rounding for numbers; of categories nearly all are equal, since a draw may fall on either side."""
    plain = noise_model(kind, classes=3)
    one, other = (nk.synthesize(model, 5, steps=4, label=LABEL) for model in (plain.guided(1.0), plain))
    assert float(((one - other).abs() < 1e-4).double().mean()) > 0.99


@kinds
def test_a_strength_of_nought_is_the_model_without_the_label(kind):
    plain = noise_model(kind, classes=3)
    one = nk.synthesize(plain.guided(0.0), 5, steps=4, label=LABEL)
    other, wrong = nk.synthesize(plain, 5, steps=4), nk.synthesize(plain, 5, steps=4, label=LABEL)
    assert float(((one - other).abs() < 1e-4).double().mean()) > 0.99
    assert float(((one - wrong).abs() < 1e-4).double().mean()) < 0.99


def exact(mean, variance=0.25):
    return nk.NoiseModel(nk.GaussianKernel(), partial(exact_denoiser, mean=mean, variance=variance), shape=(1,))


def agrees(model, mean, variance=0.25):
    z = nk.synthesize(model, 4000, steps=40, seed=3)[:, 0].double()
    return stats.kstest((z - mean).numpy() / math.sqrt(variance), "norm").pvalue > LEVEL


def test_of_normals_of_one_variance_the_law_is_shifted():
    """In closed form: m + (w - 1) (m - m'), of the same variance. At level 1e-3; the wrong twin is the plain law."""
    model = exact(1.0).guided(1.5, worse=exact(0.6))
    assert agrees(model, 1.2)
    assert not agrees(model, 1.0)
    assert not agrees(exact(1.0).guided(2.5, worse=exact(0.6)), 1.2)


def test_in_one_step_the_law_is_that_of_the_product():
    """From pure noise to clean data in one draw of r: r^w q^(1 - w) at beta = 1, at level 1e-3."""
    model = exact(1.0).guided(1.5, worse=exact(0.6))
    view = model.look(torch.zeros(4000, 1), 1.0)
    z = view.sample(generator(4))[:, 0].double()
    assert stats.kstest((z - 1.2).numpy() / 0.5, "norm").pvalue > LEVEL
    assert not stats.kstest((z - 1.0).numpy() / 0.5, "norm").pvalue > LEVEL


def test_of_normals_of_two_variances_the_law_is_not_the_product():
    """The deterministic way down is a linear map of its first noise, whose square has the limit v^w v'^(1 - w).

    (dx / d sigma = -sigma score, integrated over all sigma.) The product of the two densities has another variance.
    """
    model, z = exact(0.0, 0.25).guided(2.0, worse=exact(0.0, 1.0)), torch.tensor([[1.0], [-2.0]])
    schedule = nk.sampling.samplers.sampler("deterministic", model.kernel, 400)
    for x in z:  # a sample is its first noise times one and the same number
        state = nk.chain.start(model, x[None], 1.0, nk.Streams.of(0, range(1)))
        *_, (last, _) = nk.chain.run(model, state, schedule)
        factor = float(last.view.mean / x)
        assert factor**2 == pytest.approx(0.25**2 / 1.0, rel=0.02)
        assert factor**2 != pytest.approx(1 / (2 / 0.25 - 1 / 1.0), rel=0.2)


@pytest.mark.parametrize(
    ("strength", "between", "both"), [(2.0, (0.0, 1.0), 21), (2.0, (0.05, 0.8), 6), (1.0, (0.0, 1.0), 0)]
)
def test_network_calls_are_told_as_they_are_made(strength, between, both):
    calls = []

    def counted(x, beta, *, mean):
        calls.append(mean)
        return exact_denoiser(x, beta, mean, 0.25)

    good, worse = (nk.NoiseModel(nk.GaussianKernel(), partial(counted, mean=mean), shape=(1,)) for mean in (1.0, 0.0))
    model = good.guided(strength, worse=worse, between=between)
    schedule = nk.sampling.samplers.sampler("stochastic", model.kernel, 20)
    nk.synthesize(model, 3, schedule=schedule)
    assert (calls.count(1.0), calls.count(0.0)) == (21, both)
    assert network_calls(model, schedule) == 21 + both
    assert network_calls(good, schedule) == 21


def test_a_guided_model_copes_as_a_model():
    model, plain = guided("gaussian", "auto")
    free = plain.guided(2.0, between=(0.1, 0.7))
    assert model.parameters == 2 * plain.parameters
    assert free.parameters == plain.parameters
    assert "guided 2 away from a worse one" in repr(model)
    assert "guided 2 away from no label between noise levels 0.1 and 0.7" in repr(free)
    assert plain.guidance is None
    assert free.labelled(LABEL, 5).guidance is free.guidance
    assert free.to("cpu") is free
    moved = nk.sampling.model._moved(free.labelled(LABEL, 5).denoiser, torch.device("cpu")).func
    assert moved.worse is moved.denoiser
    assert moved.denoiser is not free.denoiser.denoiser
    moved = nk.sampling.model._moved(model.denoiser, torch.device("cpu"))
    assert len({id(part) for part in (moved.worse, moved.denoiser, model.denoiser.worse, model.denoiser.denoiser)}) == 4


@pytest.mark.parametrize("way", ["free", "auto"])
def test_strength_curves_are_its_own(way):
    """Measured with the guidance, and, where that needs a label, with the classes by turns."""
    model, plain = guided("gaussian", way, shape=(2,))
    RENEWAL.curve(plain)
    assert not model.curves
    curve = RENEWAL.curve(model)
    assert set(model.curves) == {"renewal"}
    assert max(abs(a - b) for a, b in zip(curve.distances, plain.curves["renewal"].distances, strict=True)) > 1e-3
    assert nk.vary(model, examples(plain), strength=0.3, steps=4, label=LABEL).shape == (5, 1, 2)


def test_saving_and_training_from_it_are_refused(tmp_path):
    model = nk.load("digits")
    for other in (model.guided(1.5), model.labelled(torch.tensor([1]), 1)):
        with pytest.raises(InputError, match="save the model that it was made of"):
            nk.save(other, tmp_path / "guided")
    with pytest.raises(InputError, match="the model that it was made of"):
        nk.models.digest_of_weights(model.guided(1.5))  # which training asks of a model to start from
    assert not (tmp_path / "guided").exists()


def test_what_cannot_be_guided_is_refused():
    plain, exactly = noise_model("gaussian", classes=3), exact(0.0)
    with pytest.raises(InputError, match="learned no classes"):
        noise_model("gaussian").guided(1.5)
    with pytest.raises(InputError, match="is guided already"):
        plain.guided(1.5).guided(2.0)
    with pytest.raises(InputError, match="labels or observations filled in"):
        plain.labelled(LABEL, 5).guided(1.5)
    with pytest.raises(InputError, match="no label was given"):
        nk.synthesize(plain.guided(1.5), 2, steps=2)
    with pytest.raises(InputError, match="the strength of guidance is -1"):
        plain.guided(-1.0)
    with pytest.raises(InputError, match="give the lower one first"):
        plain.guided(2.0, between=(0.8, 0.1))
    for worse, error, said in (
        (plain, InputError, "this model itself"),
        (plain.guided(1.5), InputError, "the worse model is guided already"),
        (noise_model("categorical", classes=3), InputError, "a CategoricalKernel, and this one a GaussianKernel"),
        (noise_model("gaussian", shape=(1, 4, 4), classes=3), ShapeError, "is of shape"),
        (noise_model("gaussian", classes=4), InputError, "learned 4 classes, and this one 3"),
        ("digits", InputError, "worse is a str"),
    ):
        with pytest.raises(error, match=said):
            plain.guided(2.0, worse=worse)
    wide = nk.NoiseModel(nk.CategoricalKernel(classes=4), exactly.denoiser, shape=(1, 6, 6))
    with pytest.raises(InputError, match="3 categories, and this one 4"):
        wide.guided(2.0, worse=noise_model("categorical"))


def test_a_worse_model_without_classes_is_not_told_any():
    plain, worse = noise_model("gaussian", classes=3), noise_model("gaussian")
    model = plain.guided(2.0, worse=worse)
    assert isinstance(model.denoiser, Guided)
    assert not model.denoiser.told
    assert nk.synthesize(model, 5, steps=2, label=LABEL).shape == (5, 1, 6, 6)


def test_models_of_other_data_do_not_guide():
    digits, fashion = nk.load("digits"), nk.load("fashion")
    with pytest.raises(InputError, match="differ in size"):
        digits.guided(1.5, worse=fashion)
    with pytest.raises(InputError, match="there is no class called 'hat'"):
        digits.guided(1.5).sample(2, label="hat")
    other = replace(digits, design=digits.design.model_copy(update={"classes": tuple("abcdefghij")}))
    with pytest.raises(InputError, match="learned the classes a, b, c, d, e …, and this one 0, 1, 2"):
        digits.guided(1.5, worse=other)
