"""Taste: a planted preference is learned and steered by; likes without a reason give no confidence."""

import numpy as np
import pytest
import torch

import noisekernel as nk
from noisekernel.core.errors import InputError
from noisekernel.studio.opinions import opinions_of
from noisekernel.studio.taste import Taste, _gram, _mode, features

EACH = 12


@pytest.fixture(scope="module")
def pictures(digits):
    """Examples with their classes, and what the denoiser sees in them."""
    read = nk.data.load_data("digits")[0]
    z = digits.model.kind.encode(read.values[:400])
    return z, read.labels[:400].numpy(), features(digits.model, z)


def judged(labels, kind):
    likes, others = (np.flatnonzero(each)[:EACH] for each in (labels == kind, labels != kind))
    return np.concatenate((likes, others)), [1] * EACH + [-1] * EACH


@pytest.mark.statistical
@pytest.mark.parametrize("kind", [1, 3, 8])
def test_a_liking_for_one_class_is_learned(digits, pictures, kind):
    """On pictures it has not seen; by chance the rank test would reach this with probability far below 1e-3."""
    _, labels, phi = pictures
    rows, opinions = judged(labels, kind)
    taste = Taste.of(digits.model, phi[rows], opinions)
    rest = np.setdiff1d(np.arange(len(phi)), rows)
    odds, liked = taste.log_odds(phi[rest]).numpy(), labels[rest] == kind
    better = (odds[liked][:, None] > odds[~liked][None, :]).mean()
    assert better > 0.9
    assert taste.sure > 0.3
    assert taste.said.startswith(f"Foretells {taste.right:g} of your {2 * EACH}")


@pytest.mark.statistical
def test_likes_without_a_reason_give_no_confidence(digits, pictures):
    """The wrong twin: the same pictures, the same number of likes, dealt out by chance."""
    _, labels, phi = pictures
    rows, opinions = judged(labels, 3)
    sure = [
        Taste.of(digits.model, phi[rows], np.random.default_rng(seed).permutation(opinions).tolist()).sure
        for seed in range(10)
    ]
    assert np.median(sure) == 0.0
    assert max(sure) < 0.3


def test_more_opinions_make_it_surer(digits, pictures):
    _, labels, phi = pictures
    rows, opinions = judged(labels, 1)
    few = [*range(3), *range(EACH, EACH + 3)]
    little = Taste.of(digits.model, phi[rows[few]], [opinions[i] for i in few])
    assert 0.0 <= little.sure < Taste.of(digits.model, phi[rows], opinions).sure < 1.0


def test_too_few_opinions(digits, pictures):
    z, _, _ = pictures
    with pytest.raises(InputError, match="at least 2 likes and 2 dislikes"):
        Taste.fit(digits.model, z[:4], [1, 1, 1, -1])


@pytest.mark.statistical
def test_a_chain_is_steered_towards_it(digits, pictures):
    """The same noise with and without: the log-odds of being liked are higher where they count. One-sided, paired."""
    z, labels, phi = pictures
    rows, opinions = judged(labels, 1)
    taste = Taste.of(digits.model, phi[rows], opinions)
    starts = z[-16:]
    options = {"beta": 0.3, "steps": 30, "lag": 0.9, "readout": 5, "seed": 2}
    plain = nk.tasks.equilibration(digits.model, starts, **options).result()
    steered = nk.tasks.steering(digits.model, starts, taste.score(1.0), **options).result()
    odds = [taste.log_odds(features(digits.model, each)) for each in (steered, plain)]
    gain = (odds[0] - odds[1]).numpy()
    assert gain.mean() > 3.1 * gain.std(ddof=1) / np.sqrt(len(gain))  # the level 1e-3
    nothing = nk.tasks.steering(digits.model, starts, taste.score(0.0), **options).result()
    assert torch.isfinite(nothing).all()


def test_leaving_one_out_is_what_a_fit_without_it_says(digits, pictures):
    """The closed form foretells as the long way does, opinion by opinion fitted anew."""
    _, labels, phi = pictures
    rows, opinions = judged(labels, 3)
    known = Taste.of(digits.model, phi[rows], opinions)
    right = 0
    for i, opinion in enumerate(opinions):
        rest = [j for j in range(len(rows)) if j != i]
        y = known.liked[rest]
        gram = _gram(known.known, known.known)
        dual, _ = _mode(gram[rest][:, rest], y)
        odds = float(gram[i, rest] @ dual) - float(torch.log(y.sum() / (len(y) - y.sum())))
        right += (odds > 0) == (opinion > 0)
    assert abs(known.right - right) <= 1


def test_hundreds_of_opinions_are_one_fit(digits, pictures, monkeypatch):
    """Steering asks for no leaving out, and to be asked how sure it is costs no fit more."""
    _, labels, phi = pictures
    fits = []
    monkeypatch.setattr("noisekernel.studio.taste._mode", lambda *given: fits.append(1) or _mode(*given))
    taste = Taste.of(digits.model, phi[:200], [1 if label == 1 else -1 for label in labels[:200]])
    assert taste.sure > 0.5
    assert len(fits) == 1


def test_many_pictures_are_shown_a_few_at_a_time(digits, pictures, monkeypatch):
    z, _, phi = pictures
    sizes = []
    handle = digits.model.denoiser.backbone.stem.register_forward_pre_hook(lambda _, given: sizes.append(len(given[0])))
    try:
        assert torch.allclose(features(digits.model, z[:150]), phi[:150])
    finally:
        handle.remove()
    assert max(sizes) == 64


def test_the_algebra_is_torchs(digits, pictures):
    """Its threads are those of the round: NumPy's are governed by nobody."""
    _, labels, phi = pictures
    rows, opinions = judged(labels, 1)
    taste = Taste.of(digits.model, phi[rows], opinions)
    for each in (taste.known, taste.dual, taste.width, taste.log_odds(phi[:3])):
        assert (type(each), each.dtype) == (torch.Tensor, torch.float64)


def test_the_latest_opinions_count(studio, monkeypatch):
    monkeypatch.setattr("noisekernel.studio.opinions.MOST", 3)
    design = studio.store.new_design("one", "digits")["id"]
    nodes = studio.store.add_nodes(design, torch.zeros(5, 1, 8, 8), [{"origin": "upload"}] * 5, [None] * 5)
    for node in nodes:
        studio.store.change_node(node["id"], opinion=1)
    assert list(opinions_of(studio.store, design)) == [node["id"] for node in nodes[2:]]


def test_features_are_those_of_this_thread_alone(digits, pictures):
    """Other threads use the same network at the same time."""
    import threading

    z, _, phi = pictures
    stop = threading.Event()

    def disturb():
        while not stop.is_set():
            digits.model.denoiser(z[:2], 0.5)

    other = threading.Thread(target=disturb)
    other.start()
    try:
        for _ in range(5):
            assert features(digits.model, z[:3]).shape == (3, phi.shape[1])
    finally:
        stop.set()
        other.join()
