"""Every noise kernel keeps the same promises: one test for all of them."""

import inspect
import math
import runpy
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import noisekernel as nk
from helpers import generator
from noisekernel.core.categories import LOG_ZERO
from noisekernel.core.errors import DtypeError, InputError, NoiseKernelError, ScheduleError, ShapeError
from noisekernel.core.products import parted
from noisekernel.sampling.samplers import annealing

SKELETON = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "extending" / "my_kernel.py"))

KERNELS = {
    "gaussian": nk.GaussianKernel(lag=0.5),
    "categorical": nk.CategoricalKernel(lag=0.6, classes=4),
    "categorical carrying": nk.CategoricalKernel(lag=0.6, classes=4, carry_visible=True),
    "product": nk.ProductKernel(lag=0.6, counts=(0, 3, 4)),
    "product carrying": nk.ProductKernel(lag=0.6, counts=(3, 0, 4), carry_visible=True),
    "the skeleton of the docs": SKELETON["VariancePreserving"](lag=0.5),
}
kernels = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
SHAPES = {"vector": (3,), "sequence": (5, 2), "image": (3, 4, 5), "volume": (1, 2, 3, 2), "scalar": ()}
shapes = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)


def data(kernel, shape, n=6, seed=0):
    """Of that shape, but for a kernel of rows, which has a shape of its own."""
    if isinstance(kernel, nk.ProductKernel):
        columns = [torch.randint(k, (n,), generator=generator(k)) if k else torch.randn(n) for k in kernel.counts]
        return torch.stack([column.float() for column in columns], dim=1)
    if isinstance(kernel, nk.CategoricalKernel):
        return torch.randint(kernel.classes, (n, *shape), generator=generator(seed))
    return torch.randn((n, *shape), generator=generator(seed))


def denoised(kernel, x):
    """Some r, right or wrong, for each state."""
    if isinstance(kernel, nk.ProductKernel):
        counts = kernel.counts[: x.shape[1]]
        numbers = parted(x, counts)[0]
        missing = torch.arange(kernel.classes) >= torch.tensor([count for count in counts if count])[:, None]
        logits = torch.randn((len(x), *missing.shape), generator=generator(1)).masked_fill(missing, LOG_ZERO)
        return nk.Product(
            nk.Normal(0.3 * numbers + 0.1, torch.full_like(numbers, 0.2)), nk.Categorical.from_logits(logits), counts
        )
    if isinstance(kernel, nk.CategoricalKernel):
        return nk.Categorical.from_logits(torch.randn((*x.shape, kernel.classes), generator=generator(1)))
    return nk.Normal(0.3 * x + 0.1, torch.full_like(x, 0.2))


def sample_of(r, i):
    """The distribution of one sample alone."""

    def one(value):
        if isinstance(value, nk.Distribution):
            return sample_of(value, i)
        return value[i : i + 1] if isinstance(value, torch.Tensor) else value

    return type(r)(**{name: one(value) for name, value in vars(r).items()})


@kernels
@shapes
def test_any_shape_and_a_level_a_sample(kernel, shape):
    z = data(kernel, shape)
    beta = torch.linspace(0.1, 1.0, len(z))
    x = kernel.noise(z, beta).sample(nk.Streams.of(0, range(len(z))))
    assert x.shape == z.shape
    for step in (kernel.conditional(z, x, beta, beta), kernel.transition(denoised(kernel, x), x, beta, beta)):
        y = step.sample(nk.Streams.of(1, range(len(z))))
        assert y.shape == z.shape
        assert y.dtype == x.dtype
        assert step.log_prob(y).shape == (len(z),)
        assert torch.isfinite(step.log_prob(y)).all()


def spread_beside_signal(kernel, beta):
    """The standard deviation over the mean of what is left of a signal of 1, from the noise distribution itself."""
    if isinstance(kernel, nk.CategoricalKernel):
        seen = float(kernel.noise(torch.zeros(1, 1, dtype=torch.int64), beta).probs[0, 0, 0])  # 1 with this probability
        return (seen * (1.0 - seen)) ** 0.5 / seen
    if isinstance(kernel, nk.ProductKernel):  # the level says of categories how loud it is; numbers go along
        seen = float(kernel.noise(torch.zeros(1, len(kernel.counts)), beta).categories.probs[0, 0, 0])
        return (seen * (1.0 - seen)) ** 0.5 / seen
    noisy = kernel.noise(torch.ones(1, 1), beta)
    return float(noisy.variance.sqrt() / noisy.mean)


@kernels
@given(beta=st.floats(0.001, 0.999))
def test_loudness_is_the_noise_beside_the_signal(kernel, beta):
    found = float(kernel.loudness(torch.tensor(beta, dtype=torch.float64)))
    assert found == pytest.approx(spread_beside_signal(kernel, beta), rel=1e-3)
    ends = kernel.loudness(torch.tensor([0.0, beta, 1.0], dtype=torch.float64))
    assert (float(ends[0]), float(ends[2])) == (0.0, math.inf)
    assert bool((torch.diff(ends) > 0).all())


@kernels
def test_a_level_a_sample_is_that_sample_alone(kernel):
    z = data(kernel, (3,))
    beta, after = torch.linspace(0.3, 0.9, len(z)), torch.linspace(0.25, 0.8, len(z))
    x = kernel.noise(z, beta).sample(generator())
    r = denoised(kernel, x)
    together = kernel.transition(r, x, beta, after).log_prob(x)
    for i in range(len(z)):
        alone = kernel.transition(sample_of(r, i), x[i : i + 1], float(beta[i]), float(after[i])).log_prob(x[i : i + 1])
        torch.testing.assert_close(alone, together[i : i + 1])


@kernels
def test_the_prior_is_the_noise_at_level_one(kernel):
    z = data(kernel, (4,))
    prior, noise = kernel.prior(z.shape), kernel.noise(z, 1.0)
    x = prior.sample(generator())
    if isinstance(kernel, nk.CategoricalKernel):
        assert (x == kernel.masked).all()
    torch.testing.assert_close(prior.log_prob(x), noise.log_prob(x))


@kernels
@given(beta=st.floats(0.01, 1.0), share=st.floats(0.01, 1.0))
def test_the_largest_lag_is_allowed_and_a_larger_one_is_not(kernel, beta, share):
    after = beta * share
    limit = float(kernel.largest_lag(torch.tensor(beta), torch.tensor(after)))  # in single precision, as users will
    z = data(kernel, (2,))
    x = kernel.noise(z, beta).sample(generator())
    kernel.with_lag(limit).conditional(z, x, beta, after)
    kernel.with_lag(0.0).conditional(z, x, beta, after)
    if limit < 0.99:
        with pytest.raises(ScheduleError, match="largest lag there is"):
            kernel.with_lag(min(1.0, limit * 1.01 + 1e-3)).conditional(z, x, beta, after)


@kernels
def test_a_lag_a_sample(kernel):
    z = data(kernel, (2,), n=2)
    x = kernel.noise(z, 0.5).sample(generator())
    r = denoised(kernel, x)
    both = kernel.with_lag(torch.tensor([0.2, 0.8])).transition(r, x, 0.5, 0.5).log_prob(x)
    for i, lag in enumerate((0.2, 0.8)):
        torch.testing.assert_close(kernel.with_lag(lag).transition(r, x, 0.5, 0.5).log_prob(x)[i], both[i])


@kernels
def test_the_annealing_of_each_kernel_is_one_it_can_follow(kernel):
    for steps in (1, 2, 10, 100):
        schedule = annealing(kernel, steps).check(kernel)
        assert schedule.steps == steps
        assert schedule.beta[0] == 1.0
        lower = annealing(kernel, steps, first=0.2).check(kernel)
        assert float(lower.beta[0]) == pytest.approx(0.2, rel=1e-9)
        assert lower.steps == steps


HOSTILE_LEVELS = [0.0, -0.1, 1.0001, math.nan, math.inf]


@kernels
@pytest.mark.parametrize("beta", HOSTILE_LEVELS)
def test_levels_outside_the_interval_are_refused(kernel, beta):
    z = data(kernel, (2,))
    for given_as in (beta, torch.tensor(beta), torch.full((len(z),), beta)):
        with pytest.raises(InputError, match=r"\(0, 1\]"):
            kernel.noise(z, given_as)
        with pytest.raises(InputError, match=r"\(0, 1\]"):
            kernel.conditional(z, z, 0.5, given_as)


@kernels
def test_hostile_data_is_refused(kernel):
    z = data(kernel, (3,))
    wrong_kind = z.float() if isinstance(kernel, nk.CategoricalKernel) else z.long()
    with pytest.raises(DtypeError, match="convert it with"):
        kernel.noise(wrong_kind, 0.5)
    with pytest.raises(DtypeError, match=r"give a torch\.Tensor"):
        kernel.noise(z.tolist(), 0.5)
    with pytest.raises(ShapeError, match="at least one sample"):
        kernel.noise(z[:0], 0.5)
    with pytest.raises(ShapeError, match="at least one sample"):
        kernel.noise(z[0, 0], 0.5)
    with pytest.raises(ShapeError, match="one number, or one per sample"):
        kernel.noise(z, torch.full((len(z) + 1,), 0.5))
    with pytest.raises(ShapeError, match="one number, or one per sample"):
        kernel.noise(z, torch.full((len(z), 3), 0.5))
    with pytest.raises(ShapeError, match=r"must agree|for rows of 3 columns"):
        kernel.conditional(z[:, :2], z, 0.5, 0.5)
    with pytest.raises(NoiseKernelError):
        kernel.transition(denoised(kernel, z[:, :2]), z, 0.5, 0.5)
    with pytest.raises(DtypeError, match="needs a denoiser that returns"):
        kernel.transition(nk.Delta(z), z, 0.5, 0.5)
    for lag in (-0.1, 1.1, math.nan):
        with pytest.raises(InputError, match="lag"):
            kernel.with_lag(lag)


def test_nan_infinite_and_impossible_classes_are_refused():
    z = torch.zeros(4, 2)
    z[1, 0], z[3, 1] = math.nan, math.inf
    with pytest.raises(InputError, match=r"2 numbers that are NaN or infinite, in sample\(s\) 1, 3"):
        nk.GaussianKernel().noise(z, 0.5)
    kernel = nk.CategoricalKernel(classes=3)
    for bad in (-1, 3):
        with pytest.raises(InputError, match="with 3 classes they run from 0 to 2"):
            kernel.noise(torch.tensor([[0, bad]]), 0.5)
    kernel.conditional(torch.tensor([[0]]), torch.tensor([[3]]), 0.5, 0.5)  # a state may be masked
    with pytest.raises(InputError, match="with 4 classes"):
        kernel.conditional(torch.tensor([[0]]), torch.tensor([[4]]), 0.5, 0.5)
    with pytest.raises(InputError, match="classes is 1"):
        nk.CategoricalKernel(classes=1)


def parameters(kind, method):
    """Names, defaults, and how they are given; annotations are left to the type checker."""
    signature = inspect.signature(getattr(kind, method))
    return [(each.name, each.default, each.kind) for each in signature.parameters.values()]


def test_every_kernel_has_the_signatures_of_the_contract():
    for kind in {type(kernel) for kernel in KERNELS.values()}:
        for method in nk.NoiseKernel.__abstractmethods__:
            assert parameters(kind, method) == parameters(nk.NoiseKernel, method), (kind, method)
