"""What every objective keeps: its name, its passes, its levels, independence of the batch."""

import inspect
import math

import pytest
import torch

import noisekernel as nk
from helpers import LinearDenoiser, generator
from noisekernel.core.errors import InputError
from noisekernel.objectives.anchors import KL, Reconstruction
from noisekernel.objectives.any_order import AnyOrder
from noisekernel.objectives.base import Noised, Objective
from noisekernel.objectives.combined import Anchored, Unrolled
from noisekernel.objectives.contrastive import ContrastiveAdjustment

GAUSSIAN = nk.GaussianKernel(0.5)


CATEGORICAL = nk.CategoricalKernel(0.8, classes=3)


OBJECTIVES = [
    KL(),
    Reconstruction(),
    ContrastiveAdjustment(),
    ContrastiveAdjustment(control=0.5),
    Anchored(),
    Anchored(control=0.5),
    Unrolled(),
]


def concrete(kind):
    below = [each for sub in kind.__subclasses__() for each in concrete(sub)]
    return below if inspect.isabstract(kind) else [kind, *below]


def test_the_passes_an_objective_names_are_those_it_makes():
    """What `plan` reckons with: counted on the network, forward and backward."""
    assert {type(objective) for objective in OBJECTIVES} | {AnyOrder} == {  # which is for categories
        kind for kind in concrete(Objective) if kind.__module__.startswith("noisekernel.objectives")
    }
    z = torch.randn(4, 3, generator=generator())
    for objective in OBJECTIVES:
        calls = {"forward": 0, "with_gradient": 0, "back": 0}
        network = LinearDenoiser(0.4, -1.0)

        def denoiser(x, beta, network=network, calls=calls):
            calls["with_gradient" if torch.is_grad_enabled() else "forward"] += 1
            r = network(x, beta)
            if r.mean.requires_grad:
                # One gradient arrives for each pass forward that there is a pass back for.
                r.mean.register_hook(lambda _: calls.update(back=calls["back"] + 1))
            return r

        loss, _ = objective(GAUSSIAN, denoiser, z, generator(1))
        loss.backward()
        passes = objective.passes
        assert calls == {"forward": passes.forward, "with_gradient": passes.with_gradient, "back": passes.with_gradient}


def test_the_weight_of_the_levels_multiplies_every_sample():
    z = torch.randn(64, 3, generator=generator())
    plain, lifted = (
        KL(nk.LogNormalLevels(lift=lift))(GAUSSIAN, LinearDenoiser(0.4, -1.0), z, generator(1)) for lift in (0.0, 1.0)
    )
    weight = 1 + plain[1].beta / (1 - plain[1].beta) ** 2
    torch.testing.assert_close(lifted[1].loss, plain[1].loss * weight)
    torch.testing.assert_close(lifted[0].detach(), (plain[1].loss * weight).mean())


@pytest.mark.parametrize(
    "objective",
    [
        ContrastiveAdjustment(),
        ContrastiveAdjustment(control=0.5),
        KL(),
        Reconstruction(),
        Anchored(),
        Anchored(by=Reconstruction(), weight=0.3, control=0.5),
        Unrolled(),
        Unrolled(by=Reconstruction(), weight=0.3),
    ],
    ids=[
        "contrastive",
        "control",
        "kl",
        "reconstruction",
        "anchored",
        "anchored by reconstruction",
        "unrolled",
        "unrolled reconstruction",
    ],
)
@pytest.mark.parametrize("kernel", [GAUSSIAN, CATEGORICAL], ids=["gaussian", "categorical"])
def test_every_objective_with_every_kernel(objective, kernel):
    head = nk.PreconditionedGaussian(2, 0.0, 1.0) if kernel is GAUSSIAN else nk.CategoricalHead(3, 2)
    denoiser = nk.Denoiser(nk.networks.MLP(head.in_channels, head.out_channels, width=16, depth=1), head)
    z = torch.randn(32, 2) if kernel is GAUSSIAN else torch.randint(3, (32, 2))
    loss, info = objective(kernel, denoiser, z, nk.Streams.of(0, range(32)))
    loss.backward()
    assert torch.isfinite(loss)
    assert all(torch.isfinite(p.grad).all() for p in denoiser.parameters() if p.grad is not None)
    assert info.loss.shape == info.beta.shape == (32,)
    assert not info.loss.requires_grad
    torch.testing.assert_close(sum(info.parts.values()), info.loss)
    assert float(info.loss.mean()) == pytest.approx(float(loss.detach()), rel=1e-5)
    assert set(info.by_level()) <= {"0-0.01", "0.01-0.03", "0.03-0.1", "0.1-0.3", "0.3-0.6", "0.6-1"}


def level_aware(x, beta):
    """A denoiser that depends on the noise level it is told."""
    return nk.Normal(beta[:, None] * x + 0.1, (0.2 + beta[:, None]).expand_as(x))


@pytest.mark.parametrize("control", [0.0, 0.3])
def test_each_loss_is_what_its_name_says(control):
    """Recomputed by hand, from the same draws, with a denoiser that notices the wrong noise level."""
    z, g = torch.randn(16, 2, generator=generator()), generator(1)
    beta = nk.UniformLevels().sample(16, g)
    x = GAUSSIAN.noise(z, beta).sample(g)
    forth = GAUSSIAN.transition(level_aware(x, beta), x, beta, beta)
    y = forth.sample(g)
    back = GAUSSIAN.transition(level_aware(y, beta), y, beta, beta)
    contrastive = (-back.log_prob(x) - control * forth.log_prob(y)) / 2
    anchor = GAUSSIAN.conditional(z, x, beta, beta).kl(forth) / 2
    for objective, expected in [
        (ContrastiveAdjustment(control=control), contrastive),
        (KL(), anchor),
        (Anchored(weight=0.7, control=control), anchor + 0.7 * contrastive),
        (Reconstruction(), -level_aware(x, beta).log_prob(z) / 2),
    ]:
        loss, info = objective(GAUSSIAN, level_aware, z, generator(1))
        torch.testing.assert_close(info.loss, expected)
        torch.testing.assert_close(loss, expected.mean())
        if "contrastive" in info.parts:
            torch.testing.assert_close(info.seen["log_ratio"], forth.log_prob(y) - back.log_prob(x))


def test_the_loss_of_a_sample_does_not_depend_on_its_batch():
    z, denoiser = torch.randn(8, 2), LinearDenoiser(0.4, -1.0)
    _, together = Anchored()(GAUSSIAN, denoiser, z, nk.Streams.of(5, range(8)))
    _, last = Anchored()(GAUSSIAN, denoiser, z[6:], nk.Streams.of(5, range(6, 8)))
    torch.testing.assert_close(last.loss, together.loss[6:])


def test_mistakes():
    with pytest.raises(InputError, match="never moves"):
        KL()(nk.GaussianKernel(1.0), LinearDenoiser(), torch.zeros(2, 1), generator())
    with pytest.raises(InputError, match="NaN"):
        KL()(GAUSSIAN, LinearDenoiser(), torch.full((2, 1), math.nan), generator())
    for lag in (1 - 1e-9, torch.tensor([0.5, 1.0])):
        with pytest.raises(InputError, match="never moves"):
            KL()(nk.GaussianKernel(lag), LinearDenoiser(), torch.zeros(2, 1), generator())
    with pytest.raises(InputError, match="levels to the objective around it"):
        Anchored(by=KL(nk.LogNormalLevels()))
    with pytest.raises(InputError, match="what draws levels"):
        Anchored(KL())(GAUSSIAN, LinearDenoiser(), torch.zeros(2, 1), generator())
    with pytest.raises(InputError, match="weight is -1"):
        Anchored(weight=-1.0)


@pytest.mark.statistical
def test_unrolled_sees_the_chains_own_next_state_and_what_that_does_to_a_gaussian():
    """Gaussian data, exact denoiser: the best linear guess of z from y is the true slope times the autocorrelation
    (y saw z only through x). So that the slope's gradient vanishes there, and not at the true slope."""
    n, beta, s2 = 200_000, 0.3, 0.25
    total = (1 - beta) ** 2 * s2 + beta
    slope, variance = (1 - beta) * s2 / total, s2 * beta / total
    rho = GAUSSIAN.lag + (1 - GAUSSIAN.lag) * (1 - beta) * slope
    z = s2**0.5 * torch.randn(n, 1, generator=generator())
    seen = []

    def denoiser(x, level):
        seen.append(x)
        return nk.Normal(slope * x, torch.full_like(x, variance))

    _, info = Unrolled(nk.UniformLevels(beta, beta), weight=2.0)(GAUSSIAN, denoiser, z, generator(1))
    x, y = seen
    assert float((x * y).mean() / (x * x).mean()) == pytest.approx(rho, abs=0.01)
    assert float((z * y).mean() / (y * y).mean()) == pytest.approx(rho * slope, abs=0.01)
    levels = torch.full((n,), beta)
    r = nk.Normal(slope * y, torch.full_like(y, variance))
    torch.testing.assert_close(info.parts["unrolled"], 2.0 * KL().anchor(GAUSSIAN, r, Noised(z, y, levels)))
    with pytest.raises(InputError, match="by is"):
        Unrolled(by=ContrastiveAdjustment())
