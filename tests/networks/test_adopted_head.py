"""The head of adopted networks, against diffusers: one network followed by their samplers and by our chain."""

import math

import diffusers
import pytest
import torch

import noisekernel as nk
from helpers import generator
from noisekernel.core.errors import InputError, ShapeError
from noisekernel.core.levels import level_of_ratio
from noisekernel.networks import AdoptedGaussian, Denoiser
from noisekernel.networks.adopted_head import KNOTS
from noisekernel.networks.exact import exact_denoiser
from noisekernel.recipes.adopted_network import DiffusersUNet
from noisekernel.sampling import chain
from noisekernel.sampling.schedule import Schedule

SHAPE = (3, 8, 8)
SETTINGS = {
    "sample_size": 8,
    "block_out_channels": [8, 16],
    "down_block_types": ["DownBlock2D", "AttnDownBlock2D"],
    "up_block_types": ["AttnUpBlock2D", "UpBlock2D"],
    "layers_per_block": 1,
    "norm_num_groups": 4,
    "attention_head_dim": 4,
}
SCHEDULES = ("linear", "scaled_linear", "squaredcos_cap_v2")


@pytest.fixture(scope="module")
def network():
    """With weights that make noise levels tell, in double precision: what is compared is not rounding."""
    with torch.random.fork_rng():
        torch.manual_seed(1)
        network = DiffusersUNet(SETTINGS)
        with torch.no_grad():
            for weight in network.unet.time_embedding.parameters():
                weight.mul_(3.0)
    return network.double().eval().requires_grad_(False)


def head_for(prediction, scheduler=None, **options):
    head = AdoptedGaussian(3, SHAPE, prediction, **options)
    if scheduler is not None:
        abar = scheduler.alphas_cumprod.double()
        head.follow(0.5 * torch.log((1 - abar) / abar))
    return head


def followed(network, head, sigmas, x):
    """The states of our deterministic steps from x / alpha at these levels, and the mean of r at the end."""
    model = nk.NoiseModel(nk.GaussianKernel(), Denoiser(network, head), SHAPE)
    beta = level_of_ratio(torch.tensor(sigmas, dtype=torch.float64))
    lag = model.kernel.largest_lag(beta[:-1], beta[1:])
    schedule = Schedule(beta, lag, torch.ones(len(lag), dtype=torch.bool))
    streams = nk.Streams.of(0, range(len(x)))
    begin = chain.start(model, x, float(beta[0]), streams)
    run = [begin, *(state for state, _ in chain.run(model, begin, schedule))]
    return [state.x for state in run], chain.best(run[-1].view), [head._scale(level) for level in beta]


def distance(own, other):
    return float((own - other).norm() / other.norm())


def largest_difference(network, head, sigmas, theirs):
    """Between our states in their coordinates and theirs, over the whole way."""
    first = theirs[0] / head._scale(level_of_ratio(torch.tensor(sigmas[0], dtype=torch.float64)))
    states, last, scales = followed(network, head, sigmas, first)
    ours = [state * scale for state, scale in zip(states, scales, strict=True)]
    return max(distance(a, b) for a, b in zip([*ours, last], theirs, strict=True))


def by_ddim(network, scheduler, steps, **options):
    """The states of DDIM, clean data last, and the levels of all but that."""
    scheduler.set_timesteps(steps)
    x = torch.randn(2, *SHAPE, generator=generator(), dtype=torch.float64)
    states, sigmas = [x], []
    for t in scheduler.timesteps:
        abar = float(scheduler.alphas_cumprod[t])
        sigmas.append(math.sqrt((1 - abar) / abar))
        x = scheduler.step(network(x, t.expand(len(x))), t, x, eta=0.0, **options).prev_sample
        states.append(x)
    return states, sigmas


@pytest.mark.parametrize("steps", [10, 50])
@pytest.mark.parametrize("prediction", ["epsilon", "v_prediction", "sample"])
@pytest.mark.parametrize("beta_schedule", SCHEDULES)
def test_deterministic_steps_are_those_of_ddim(network, beta_schedule, prediction, steps):
    scheduler = diffusers.DDIMScheduler(
        beta_schedule=beta_schedule, prediction_type=prediction, clip_sample=False, timestep_spacing="leading"
    )
    theirs, sigmas = by_ddim(network, scheduler, steps)
    head = head_for(prediction, scheduler)
    assert largest_difference(network, head, sigmas, theirs) < 1e-4
    if steps > 10:
        return
    late = head_for(prediction, scheduler)  # the wrong twins: one timestep late, and a state that is not scaled
    late.log_sigmas.copy_(torch.cat((2 * head.log_sigmas[:1] - head.log_sigmas[1:2], head.log_sigmas[:-1])))
    assert largest_difference(network, late, sigmas, theirs) > 1e-4
    unscaled = head_for(prediction, scheduler)
    unscaled._scale = lambda level: torch.ones_like(level)
    first = theirs[0] / head._scale(level_of_ratio(torch.tensor(sigmas[0], dtype=torch.float64)))
    assert distance(followed(network, unscaled, sigmas, first)[1], theirs[-1]) > 1e-4


@pytest.mark.parametrize("steps", [10, 50])
def test_clipping_is_that_of_ddim(network, steps):
    scheduler = diffusers.DDIMScheduler(beta_schedule="linear", clip_sample=True, clip_sample_range=0.7)
    theirs, sigmas = by_ddim(network, scheduler, steps, use_clipped_model_output=True)
    assert largest_difference(network, head_for("epsilon", scheduler, clip=0.7), sigmas, theirs) < 1e-4
    assert largest_difference(network, head_for("epsilon", scheduler), sigmas, theirs) > 1e-4


@pytest.mark.parametrize("steps", [10, 50])
@pytest.mark.parametrize("shift", [1.0, 3.0])
def test_deterministic_steps_of_a_flow_are_eulers(network, shift, steps):
    scheduler = diffusers.FlowMatchEulerDiscreteScheduler(shift=shift)
    scheduler.set_timesteps(steps)
    x = torch.randn(2, *SHAPE, generator=generator(), dtype=torch.float64)
    theirs = [x]
    for t in scheduler.timesteps:
        x = x.float().double()  # the scheduler computes in single precision
        x = scheduler.step(network(x, t.expand(len(x))), t, x).prev_sample
        theirs.append(x)
    levels = scheduler.sigmas[:-1].double()
    sigmas = (levels / (1 - levels)).tolist()  # from infinity, which is pure noise
    assert math.isinf(sigmas[0])
    sigmas[0] = 1e9
    assert largest_difference(network, head_for("flow"), sigmas, theirs) < 1e-4
    late = head_for("flow", timesteps=1001)
    assert largest_difference(network, late, sigmas, theirs) > 1e-4


@pytest.mark.parametrize("prediction", ["epsilon", "v_prediction", "sample", "flow"])
@pytest.mark.parametrize("beta", [1e-3, 0.1, 0.6, 0.95])
def test_the_best_output_of_each_kind_gives_back_z(prediction, beta):
    """What each kind of network is trained to return, for a known z and noise: r's mean is that z."""
    scheduler = diffusers.DDPMScheduler()
    head = head_for(prediction, None if prediction == "flow" else scheduler)
    z, noise = torch.randn(2, 4, *SHAPE, generator=generator(3), dtype=torch.float64)
    level = torch.full((4,), beta, dtype=torch.float64)
    x = (1 - beta) * z + beta**0.5 * noise
    told, t = head.encode(x, level)
    if prediction == "flow":
        s = t[0] / 1000
        a, b = 1 - s, s
    else:
        position = float(t[0])
        low = int(position)
        ends = torch.tensor([float(scheduler.alphas_cumprod[i]) for i in (low, low + 1)], dtype=torch.float64)
        logs = torch.log((1 - ends) / ends)
        abar = torch.sigmoid(-torch.lerp(logs[0], logs[1], position - low))
        a, b = abar.sqrt(), (1 - abar).sqrt()
    torch.testing.assert_close(told, a * z + b * noise, atol=1e-4, rtol=1e-4)
    output = {"epsilon": noise, "sample": z, "v_prediction": a * noise - b * z, "flow": noise - z}[prediction]
    torch.testing.assert_close(head.decode(output, x, level).loc, z, atol=1e-3, rtol=1e-3)


def test_beyond_the_schedule_r_is_that_of_data_with_these_moments():
    scheduler = diffusers.DDPMScheduler(beta_schedule="scaled_linear", beta_start=0.00085, beta_end=0.012)
    z = 0.3 * torch.randn(500, *SHAPE, generator=generator()) + torch.linspace(-1, 1, 8)
    head = head_for("epsilon", scheduler)
    head.fit(z)
    last = float(head.log_sigmas[-1].exp())
    assert 10 < last < 20
    x = torch.randn(3, *SHAPE, generator=generator(1))
    beta = level_of_ratio(torch.tensor([last * 1.01, last * 0.99, 1e9], dtype=torch.float64))
    r = head.decode(torch.zeros(3, *SHAPE), x, beta)
    exact = exact_denoiser(x, beta, head.mean, head.variance)
    torch.testing.assert_close(r.loc[0], exact.loc[0])
    assert distance(r.loc[1], exact.loc[1]) > 0.1  # the network's own, which knows better
    torch.testing.assert_close(r.loc[2], z.mean(dim=0), atol=1e-4, rtol=1e-4)
    assert float(r.variance[2, 0, 0, 0]) == pytest.approx(0.09, rel=0.05)
    # One that was trained on pure noise is asked there too.
    asked = head_for("v_prediction", scheduler, from_noise=True)
    output = torch.full((1, *SHAPE), 0.5)
    torch.testing.assert_close(asked.decode(output, x[:1], torch.ones(1)).loc, -output)


def test_the_variance_is_what_was_measured():
    head = head_for("epsilon", diffusers.DDPMScheduler())
    head.variance.fill_(0.25)
    errors = torch.linspace(0.001, 0.2, KNOTS)
    head.calibrate(errors)
    x = torch.zeros(KNOTS, *SHAPE)
    r = head.decode(torch.zeros_like(x), x, head.levels)
    torch.testing.assert_close(r.variance[:, 0, 0, 0], errors, rtol=1e-4, atol=0)
    between = level_of_ratio(torch.tensor([0.5 * float(head.knots[3] + head.knots[4])], dtype=torch.float64).exp())
    middle = float(head.decode(torch.zeros(1, *SHAPE), x[:1], between).variance[0, 0, 0, 0])
    assert errors[3] < middle < errors[4]
    # Below the lowest knot it falls as sigma does.
    low = level_of_ratio(head.knots[:1].double().exp() * 0.1)
    lower = float(head.decode(torch.zeros(1, *SHAPE), x[:1], low).variance[0, 0, 0, 0])
    assert lower == pytest.approx(0.01 * float(errors[0]), rel=0.01)


def test_in_training_a_clipped_mean_has_the_gradient_of_the_mean():
    head = head_for("sample", diffusers.DDPMScheduler(), clip=0.5)
    output = torch.full((1, *SHAPE), 2.0, requires_grad=True)
    r = head.decode(output, torch.zeros(1, *SHAPE), torch.tensor([0.5]))
    assert float(r.loc.detach().max()) == 0.5
    r.loc.sum().backward()
    assert bool((output.grad == 1).all())


def test_mistakes():
    with pytest.raises(InputError, match="prediction is 'noise'; give one of epsilon"):
        AdoptedGaussian(3, SHAPE, "noise")
    head = AdoptedGaussian(3, SHAPE)
    with pytest.raises(ShapeError, match="this head takes 1000"):
        head.follow(torch.linspace(-4, 4, 10))
    with pytest.raises(InputError, match="does not grow"):
        head.follow(torch.linspace(4, -4, 1000))
    with pytest.raises(InputError, match="one and the same"):
        head.fit(torch.ones(3, *SHAPE))
    with pytest.raises(InputError, match="r has no variance"):
        head.calibrate(torch.zeros(KNOTS))
