"""Nats per character of strings."""

import pytest
import torch

import noisekernel as nk
from noisekernel.core.errors import InputError
from noisekernel.measuring.samples.likelihood import nats_per_character
from noisekernel.sampling.in_order import in_sequence, log_probs

WORDS = ["anna", "otto", "bob", "hannah", "ada", "eve", "nan", "abba"] * 6


@pytest.fixture(scope="module")
def model():
    small = {"network.width": 16, "network.depth": 1, "network.heads": 2, "training.images": 640}
    return nk.fit(WORDS, recipe="tokens", settings=small, device="cpu", progress=False)


def test_nats_per_character_are_of_characters_and_ends(model):
    z = model.read(WORDS)
    found = nats_per_character(model, z)
    each = log_probs(model.kernel, model.denoiser, z, in_sequence(z), known=model.kind.known)
    assert found.value == pytest.approx(-float(each.sum()) / sum(len(word) + 1 for word in WORDS), rel=1e-4)
    assert found.low < found.value < found.high
    # Fewer words, a wider interval.
    few = nats_per_character(model, z[:6])
    assert few.high - few.low > found.high - found.low


def test_strings_are_evaluated_by_their_likelihood_too(model):
    judged = nk.measure(model, WORDS, n=40, steps=2)
    assert judged.figures["nats"].value == pytest.approx(nats_per_character(model, model.read(WORDS)).value, rel=1e-4)
    assert "nats per character" in str(judged)
    unlike = nk.measure(model, WORDS, n=40, steps=2, held_out=["hhhhhh", "vvv"] * 20)
    assert unlike.figures["nats"].value > judged.figures["nats"].value


def test_pictures_have_no_characters():
    with pytest.raises(InputError, match="pictures have no characters"):
        nats_per_character(nk.load("digits", "cpu"), torch.zeros(1, 1, 8, 8))
