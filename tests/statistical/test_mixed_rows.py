"""Rows of numbers and categories: chains of the true denoiser, and one that learns how columns depend on each other."""

import pytest
import torch
from scipy import stats

import noisekernel as nk
from helpers import LEVEL, generator, train
from mixed_rows import COUNTS, MASKED, MEANS, VARIANCES, WEIGHTS, apart, model, posterior, rows, truth
from noisekernel.core.errors import InputError
from noisekernel.sampling.samplers import SAMPLERS, annealing
from noisekernel.tasks.run import development

pytestmark = pytest.mark.statistical
N = 3000


def p_values(z, other):
    """How likely it is that two samples of rows differ so much: in shares of classes, and in the number by class."""
    found = []
    for column in (1, 2):
        table = torch.stack([torch.bincount(each[:, column].long(), minlength=4) for each in (z, other)])
        found.append(stats.chi2_contingency(table[:, table.sum(dim=0) > 0].numpy()).pvalue)
    for k in range(4):
        mine, theirs = (each[each[:, 1] == k, 0].numpy() for each in (z, other))
        if min(len(mine), len(theirs)) > 20:
            found.append(stats.ks_2samp(mine, theirs).pvalue)
    return torch.tensor(found)


def differ(z, other):
    """Whether two samples of rows differ at the level of the tests, Bonferroni's correction included."""
    found = p_values(z, other)
    return float(found.min()) * len(found) < LEVEL


@pytest.mark.parametrize("name", [name for name in SAMPLERS if name != "paper"])
def test_every_sampler_draws_rows_of_the_data(name):
    z = nk.synthesize(model(), N, schedule=SAMPLERS[name](model().kernel, 100))
    assert bool((z[:, 1:] == z[:, 1:].round()).all())
    assert not differ(z, rows(N, seed=1))
    assert differ(nk.synthesize(model(apart), N, schedule=SAMPLERS[name](model().kernel, 100)), rows(N, seed=1))


@pytest.mark.parametrize("beta", [0.3, 0.7])
def test_the_chain_at_constant_noise_keeps_the_noisy_data(beta):
    """At a large lag the columns that r takes for independent hardly matter."""
    kernel, streams = nk.ProductKernel(0.97, counts=COUNTS), nk.Streams.of(0, range(N))
    x = kernel.noise(rows(N), beta).sample(streams)
    fresh = kernel.noise(rows(N, seed=1), beta).sample(generator(2))
    walk = nk.Schedule.along(nk.levels.flat(beta), 150, 0.97)
    for denoiser, stays in ((truth, True), (apart, False)):
        chain = model(denoiser)
        state = nk.chain.start(chain, x, beta, streams)
        for after, _ in nk.chain.run(chain, state, walk):
            state = after
        assert (state.x[:, 1] != x[:, 1]).float().mean() > 0.2
        assert differ(state.x, fresh) != stays


def test_a_pinned_class_decides_the_number_and_a_pinned_number_the_class():
    z, known = torch.zeros(1, 3), torch.tensor([[1, 0, 1]])
    for k in range(3):
        z[:, 1] = k
        filled = nk.fill(model(), z, known, n=800)[0]
        assert bool((filled[:, 1] == k).all())
        spread = float(VARIANCES[k] + 1e-4) ** 0.5
        assert stats.kstest(filled[:, 0].numpy(), "norm", args=(float(MEANS[k]), spread)).pvalue > LEVEL
        other = (k + 1) % 3
        assert stats.kstest(filled[:, 0].numpy(), "norm", args=(float(MEANS[other]), spread)).pvalue < LEVEL
    z[:, 0] = -0.2
    filled = nk.fill(model(), z, torch.tensor([[0, 1, 1]]), n=2000, steps=200)[0]
    assert bool((filled[:, 0] == z[0, 0]).all())
    state = torch.tensor([[-0.2, MASKED, MASKED]])
    share = posterior(state, torch.tensor([1e-9], dtype=torch.float64))[0][0]
    seen = torch.bincount(filled[:, 1].long(), minlength=3)
    possible = share > 0.01
    total = int(seen[possible].sum())
    p = stats.chisquare(seen[possible].numpy(), (share[possible] / share[possible].sum() * total).numpy()).pvalue
    assert p > LEVEL
    assert stats.chisquare(seen.numpy(), (WEIGHTS * len(filled)).numpy()).pvalue < LEVEL


def test_noise_that_is_found_leads_back_to_the_row_and_renewed_noise_to_new_rows():
    z, down = rows(N), annealing(model().kernel, 60)
    noise = nk.renewal.retrace(model(), z, down, nk.Streams.of(0, range(N)))
    same = development(model(), noise, down).result()
    assert (same[:, 1:] == z[:, 1:]).float().mean() > 0.99
    assert float((same[:, 0] - z[:, 0]).abs().median()) < 0.02
    streams = nk.Streams.of(1, range(N))
    half = development(model(), nk.renewal.renewed(noise, [0.5] * len(noise.noise), streams), down).result()
    assert 0.02 < (half[:, 1] != z[:, 1]).float().mean() < 0.5
    assert not differ(half, rows(N, seed=1))


def test_what_one_cannot_do_with_mixed_rows_is_said():
    z = rows(4)
    with pytest.raises(InputError, match="for data in categories"):
        nk.redraw(model(), z)
    down = nk.Schedule.along(nk.levels.linear(1.0, 0.1), 5, 0.1, point=True).second_order()
    with pytest.raises(InputError, match="only continuous data can look ahead"):
        nk.synthesize(model(), 3, schedule=down)
    with pytest.raises(InputError, match="any-order likelihood is for kernels that mask"):
        nk.objectives.AnyOrder()(model().kernel, truth, z, generator())


def small_network(seed=0):
    torch.manual_seed(seed)
    head = nk.networks.ProductHead(COUNTS)
    network = nk.networks.ColumnsTransformer(
        head.in_channels, head.out_channels, head.learned, head.in_order, width=32, depth=2, heads=2
    )
    return nk.Denoiser(network, head)


def test_training_learns_how_the_number_and_the_class_depend_on_each_other():
    denoiser, kernel = small_network(), nk.ProductKernel(0.9, counts=COUNTS)
    train(nk.KL(), kernel, denoiser, rows(4000), steps=700, batch=256, rate=5e-3)
    denoiser.requires_grad_(False)
    for beta in (0.1, 0.5):
        x = kernel.noise(rows(N, seed=5), beta).sample(generator(1))
        off, none = (float(truth(x, beta).kl(other(x, beta)).mean()) for other in (denoiser, apart))
        assert off < 0.1 * none
    learned = nk.NoiseModel(kernel, denoiser, (3,))
    assert not differ(nk.synthesize(learned, N, steps=60), rows(N, seed=1))
    # And its chain is stationary: after 60 steps at constant noise the rows are still those of the data.
    moved = nk.equilibrate(learned, rows(N, seed=2), beta=0.5, steps=60, lag=0.95, readout=40)[:, 0]
    assert not differ(moved, rows(N, seed=1))
    wrong = nk.equilibrate(model(apart), rows(N, seed=2), beta=0.5, steps=60, lag=0.95, readout=40)[:, 0]
    assert differ(wrong, rows(N, seed=1))


def test_contrastive_adjustment_finds_the_truth_in_balance_and_its_wrong_twin_not():
    """log p(y | x) - log p(x | y) has the mean 0 for a chain in balance, and a positive one for one that is not."""
    objective, kernel = nk.ContrastiveAdjustment(nk.UniformLevels(0.2, 0.9)), nk.ProductKernel(0.9, counts=COUNTS)
    means = []

    def shifted(x, beta):
        r = truth(x, beta)
        return nk.Product(nk.Normal(r.normal.loc + 0.5, r.normal.variance), r.categories, COUNTS)

    for denoiser in (truth, shifted):
        ratio = objective(kernel, denoiser, rows(20_000), nk.Streams.of(0, range(20_000)))[1].seen["log_ratio"]
        means.append(float(ratio.mean() / (ratio.std() / len(ratio) ** 0.5)))
    assert abs(means[0]) < 3.3  # at the level of the tests
    assert means[1] > 3.3


@pytest.mark.parametrize(
    "objective",
    [
        nk.KL(),
        nk.Reconstruction(),
        nk.ContrastiveAdjustment(),
        nk.ContrastiveAdjustment(control=0.9),
        nk.Anchored(),
        nk.Unrolled(),
    ],
    ids=lambda objective: type(objective).__name__,
)
def test_every_objective_has_finite_gradients(objective):
    denoiser = small_network()
    for carry in (False, True):
        kernel = nk.ProductKernel(0.9, counts=COUNTS, carry_visible=carry)
        loss, info = objective(kernel, denoiser, rows(64), generator(1))
        loss.backward()
        assert bool(torch.isfinite(loss))
        assert info.loss.shape == (64,)
        gradients = [each.grad for each in denoiser.parameters() if each.grad is not None]
        assert all(bool(torch.isfinite(each).all()) for each in gradients)
        assert any(bool((each != 0).any()) for each in gradients)
