"""The statistics of a diagnosis on numbers whose answer is known, and what they refuse."""

import json
import sys
from functools import partial
from itertools import islice

import numpy as np
import pytest
import torch
from sklearn.metrics import roc_auc_score

import noisekernel as nk
from helpers import generator
from noisekernel.measuring import chains
from noisekernel.measuring.chains import Directions, StrengthCurve, diagnosis, noise, pairs, swap_test, walk
from noisekernel.measuring.chains.walk import dispersed, marks_of
from noisekernel.measuring.samples.features import Described
from noisekernel.networks.exact import exact_denoiser


def gaussian(n=60, shape=(3,), lag=0.5):
    z = 0.7 + 0.5 * torch.randn(n, *shape, generator=generator())
    return nk.NoiseModel(nk.GaussianKernel(lag), partial(exact_denoiser, mean=0.7, variance=0.25), shape), z


def test_the_auc_is_that_of_the_roc_curve_without_a_pairs_own_mirror_image():
    scores = np.random.default_rng(0).normal(0.3, 1.0, size=50).round(1)  # with ties, and zeros
    n = len(scores)
    whole = roc_auc_score(np.repeat([1, 0], n), np.concatenate((scores, -scores)))
    own = np.where(scores > 0, 1.0, np.where(scores < 0, 0.0, 0.5)).sum()
    assert swap_test(scores).auc == pytest.approx((whole * n * n - own) / (n * (n - 1)))
    assert swap_test(-scores).auc == pytest.approx(1 - swap_test(scores).auc)
    assert swap_test(-scores).p_value == pytest.approx(1 - swap_test(scores).p_value, abs=0.01)


def test_the_error_of_the_auc_in_balance_is_that_of_wilcoxons_statistic():
    rng = np.random.default_rng(0)
    found = [swap_test(rng.normal(size=200)) for _ in range(400)]
    assert np.std([f.auc for f in found]) == pytest.approx((1 / (3 * 200)) ** 0.5, rel=0.1)
    assert np.mean([f.error for f in found]) == pytest.approx((1 / (3 * 200)) ** 0.5, rel=0.05)


def test_where_nothing_can_be_told_the_auc_is_a_half():
    found = swap_test(np.zeros(30))
    assert (found.auc, found.p_value) == (0.5, 1.0)


def test_what_is_shown_of_a_pair_changes_sign_or_stays_when_it_is_swapped():
    model, z = gaussian()
    run = nk.tasks.equilibration(model, z, steps=1)
    x = run.state
    ((y, info),) = run
    directions = Directions.of(z)
    ratio = info.proposal.log_prob(y.x) - pairs._backward(model, x, y, torch.tensor(0.5))
    seen = pairs._look(x, directions), pairs._look(y, directions)
    there = pairs.join([(*seen, ratio)])
    back = pairs.join([(*seen[::-1], -ratio)])
    assert torch.allclose(there.odd, -back.odd, atol=1e-5)
    assert torch.allclose(there.few_odd, -back.few_odd, atol=1e-5)
    assert torch.allclose(there.even, back.even, atol=1e-5)
    assert torch.allclose(there.at_x, back.at_y, atol=1e-5)
    (drawn,) = pairs.draw_pairs(
        model, z, directions, beta=0.2, lag=None, steps=[1], seed=0, batch_size=7, advance=lambda: None
    ).values()
    torch.testing.assert_close(drawn.odd, there.odd, rtol=1e-3, atol=1e-3)  # in any batch size


def test_the_log_ratio_is_the_difference_of_the_stationary_log_densities():
    model, z = gaussian()
    drawn = pairs.draw_pairs(
        model, z, Directions.of(z), beta=0.2, lag=None, steps=[1], seed=0, batch_size=60, advance=lambda: None
    )[1]
    run = nk.tasks.equilibration(model, z, steps=1)
    x = run.state.x
    ((y, _),) = run
    law = torch.distributions.Normal(0.8 * 0.7, (0.64 * 0.25 + 0.2) ** 0.5)
    assert torch.allclose(drawn.log_ratio, (law.log_prob(y.x) - law.log_prob(x)).sum(dim=1), atol=1e-4)


def test_too_few_examples_are_refused():
    model, z = gaussian(39)
    with pytest.raises(nk.errors.InputError, match="at least 40"):
        chains.reversibility(model, z)
    with pytest.raises(nk.errors.InputError, match="at least 40"):
        nk.diagnose(model, z)
    with pytest.raises(nk.errors.InputError, match="do not differ"):
        Directions.of(torch.ones(5, 2))


def test_a_walk_is_the_same_in_any_batch_size():
    model, z = gaussian(12)
    directions = Directions.of(z)
    whole, parts = (
        walk(model, z, lambda z: z, directions, steps=12, traced=[7, 1], readout=2, batch_size=size) for size in (12, 5)
    )
    assert list(whole.features) == [0, 1, 10, 12]
    assert set(whole.traces) == {"pc1", "pc2", "pc3", "mean", "distance"}
    for name, trace in whole.traces.items():
        assert trace.shape == (2, 12)
        assert torch.allclose(trace, parts.traces[name], atol=1e-5)
    for mark, features in whole.features.items():
        assert features.shape == (12, 3)
        assert torch.allclose(features, parts.features[mark], atol=1e-5)
    assert torch.equal(whole.shown[12], whole.features[12][:10])
    last = nk.tasks.equilibration(model, z, steps=12)
    last.result()
    assert torch.allclose(last.clean[[7, 1]].mean(dim=1), whole.traces["mean"][:, -1], atol=1e-5)


def test_a_walk_of_the_noise_is_watched_the_same_in_any_batch_size(monkeypatch):
    model, z = gaussian(12)
    directions = Directions.of(z)
    monkeypatch.setattr(noise, "MOST_LOOKS", 6)
    whole, parts = (
        noise.walk_noise(model, z, lambda z: z, directions, pace=0.3, steps=12, traced=[7, 1], batch_size=size)
        for size in (12, 5)
    )
    assert (list(whole.features), whole.every, whole.lag) == ([0, 1, 10, 12], 2, None)
    for name, trace in whole.traces.items():
        assert trace.shape == (2, 6)
        assert torch.allclose(trace, parts.traces[name], atol=1e-4)
    for mark, features in whole.features.items():
        assert torch.allclose(features, parts.features[mark], atol=1e-4)
    assert torch.allclose(whole.features[0], z, atol=0.1)  # the start, read out again
    walk = nk.walk(model, z, pace=0.3)
    for _ in islice(walk, 12):
        pass
    assert torch.allclose(walk.clean, whole.features[12], atol=1e-5)
    assert torch.allclose(walk.clean[[7, 1]].mean(dim=1), whole.traces["mean"][:, -1], atol=1e-5)


def test_a_long_walk_keeps_a_thinned_trace(monkeypatch):
    model, z = gaussian(4)
    monkeypatch.setattr(sys.modules["noisekernel.measuring.chains.walk"], "MOST_POINTS", 5)
    walked = walk(model, z, lambda z: z, Directions.of(z), steps=14, readout=0)
    assert walked.every == 3
    assert walked.traces["mean"].shape == (4, 4)


def test_chains_to_trace_come_from_different_classes():
    assert marks_of(10_000) == [0, 1, 10, 100, 1000, 10_000]
    assert marks_of(1) == [0, 1]
    labels = torch.tensor([3, 3, 3, 1, 2, 3])
    assert sorted(dispersed(labels, 6, most=3)) == [0, 3, 4]
    assert dispersed(None, 30, most=3) == [0, 1, 2]


def test_a_strength_curve_reads_both_ways():
    curve = StrengthCurve((0.1, 0.2, 0.4, 0.8), (0.2, 0.5, 0.4, 0.9), (0.01,) * 4, steps=100, lag=0.9, readout=10)
    assert curve.monotone == pytest.approx((0.2, 0.45, 0.45, 0.9))
    assert curve.distance(0.0) == 0.0
    assert curve.distance(1.0) == pytest.approx(0.9)
    assert curve.beta(0.45) == pytest.approx(0.2)  # the lowest that goes this far
    assert curve.beta(5.0) == 0.8
    assert curve.beta(0.0) == 0.0
    for distance in np.linspace(0.01, 0.9, 20):
        assert curve.distance(curve.beta(distance)) == pytest.approx(distance)
    assert StrengthCurve.of(json.loads(json.dumps(curve.figures()))) == curve
    assert curve.turned(0.5) == pytest.approx(curve.beta(0.45), rel=1e-2)
    assert (curve.turned(0.0, 0.05), curve.turned(1.0, 0.05)) == (0.05, 0.8)
    with pytest.raises(nk.errors.InputError, match="rise"):
        StrengthCurve((0.2, 0.1), (0.1, 0.2), (0.0, 0.0), steps=1, lag=0.5, readout=0)


def test_traces_that_say_nothing_are_said_to():
    stuck = chains.mixing("stuck", np.ones((4, 100)))
    assert not stuck.trusted
    assert stuck.integrated_time is None
    assert "nothing moves" in stuck.remark
    frozen = chains.mixing("frozen", np.repeat([[0.0], [1.0], [2.0]], 100, axis=1))
    assert not frozen.trusted
    with pytest.raises(nk.errors.InputError, match="at least 2 chains"):
        chains.mixing("one", np.ones((1, 100)))


def test_a_missing_extra_is_named_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "arviz", None)
    model, z = gaussian()
    with pytest.raises(nk.NoiseKernelError, match=r"pip install 'noisekernel\[diagnose\]'"):
        nk.diagnose(model, z)


@pytest.mark.same_call
def test_a_diagnosis_is_plain_data_and_a_few_lines_of_text(monkeypatch):
    monkeypatch.setattr(diagnosis, "VARIANT_STEPS", 3)
    model, z = gaussian(80, lag=0.9)
    same = Described(lambda z: z.flatten(1).double(), "the data themselves")
    found = nk.diagnose(model, z, steps=20, n=60, levels=[0.5], features=same)
    figures = found.figures()
    written = json.dumps(figures, allow_nan=False)
    walk, paper = figures["walk"], figures["paper"]
    for one, of in ((walk, found.walk), (paper, found.paper)):
        assert one["stationary"]["chains"] == 40  # at most half of the examples
        assert one["summary"]["auc"] == of.main.test.auc
        assert [d["steps"] for d in one["stationary"]["distances"]] == [0, 1, 10, 20]
        assert {m["steps"] for m in one["mixing"]} == {20}
        assert not one["summary"]["trusted"]  # twenty steps are few
        level = 0.01 / len(of.p_values)
        assert of.irreversible == [(r, by) for r, by, p in of.p_values if p < level]
    assert [(r["beta"], r["steps"]) for r in paper["reversible"]] == [(0.2, 1), (0.2, 10), (0.5, 1), (0.5, 10)]
    assert {r["lag"] for r in paper["reversible"]} == {0.5} == {paper["stationary"]["lag"], paper["strength"]["lag"]}
    assert [s["name"] for s in paper["reversible"][0]["statistics"]][-1] == "log p(y|x) - log p(x|y)"
    assert len(found.paper.p_values) == 4 + 2 * 9 + 2 * 8
    assert {(r["beta"], r["steps"]) for r in walk["reversible"]} == {(b, k) for b in (0.1, 0.5, 0.9) for k in (1, 10)}
    assert {r["lag"] for r in walk["reversible"]} == {None}
    assert walk["strength"]["betas"][-1] == 1.0
    assert len(str(found).splitlines()) == 10
    again = diagnosis.diagnose(model, z, steps=20, n=60, levels=[0.5], features=same)
    assert json.dumps(again.figures()) == written


def test_classes_are_diagnosed_too(monkeypatch):
    monkeypatch.setattr(diagnosis, "VARIANT_STEPS", 3)

    def guess(x, beta):
        return nk.Categorical.from_probs(torch.full((*x.shape, 3), 1 / 3))

    model = nk.NoiseModel(nk.CategoricalKernel(lag=0.5, classes=3), guess, (4,))
    z = torch.randint(3, (60, 4), generator=generator())
    same = Described(lambda z: z.double(), "the data themselves")
    figures = nk.diagnose(model, z, steps=10, n=20, levels=[], features=same).figures()
    json.dumps(figures, allow_nan=False)
    for chain in ("walk", "paper"):
        assert figures[chain]["summary"]["p_value"] > 1e-3  # elements are independent and even, so this is exact
