"""Streams: right by published test vectors, right in distribution, one a sample."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from helpers import LEVEL, generator
from noisekernel.core.errors import InputError, ShapeError
from noisekernel.core.randomness import Purpose, Recorded, Streams, drawing_for, normal, philox, uniform

# Known answers of Philox4x32-10 that the authors' reference library publishes: counter, key, result.
KNOWN = [
    ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        [0xA4093822, 0x299F31D0],
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ),
]


@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN)
def test_philox_gives_the_published_answers(counter, key, expected):
    words = philox([torch.tensor([c]) for c in counter], (key[0], key[1]))
    assert [int(word) for word in words] == expected


@pytest.mark.statistical
@pytest.mark.parametrize("source", [Streams.of(3, range(200)), "generator"])
@pytest.mark.parametrize(("draw", "law", "wrong"), [(normal, "norm", (0, 1.03)), (uniform, "uniform", (0, 1.03))])
def test_law_of_the_draws(source, draw, law, wrong):
    values = draw((200, 501), generator(1) if source == "generator" else source.fork()).flatten().numpy()
    assert stats.kstest(values, law).pvalue > LEVEL
    assert stats.kstest(values, law, args=wrong).pvalue < LEVEL  # the wrong twin: a scale 3 % off


@pytest.mark.statistical
def test_streams_and_draws_are_uncorrelated():
    streams = Streams.of(0, range(400))
    first, second = normal((400, 400), streams), normal((400, 400), streams)
    for a, b in [(first, second), (first[:-1], first[1:]), (first[:, :-1], first[:, 1:])]:
        z = float((a * b).mean() * a.numel() ** 0.5)
        assert abs(z) < stats.norm.isf(LEVEL / 2)
    z = float((first * first).mean() * first.numel() ** 0.5)
    assert abs(z) > stats.norm.isf(LEVEL / 2)  # the wrong twin: the same draw twice


@given(
    n=st.integers(1, 9),
    elements=st.integers(1, 70),
    seed=st.integers(0, 2**64 - 1),
    draws=st.integers(0, 5),
    data=st.data(),
)
def test_a_sample_has_its_own_stream_whatever_the_batch(n, elements, seed, draws, data):
    i = data.draw(st.integers(0, n - 1))
    together = Streams(seed, torch.arange(n), draws)
    alone = Streams(seed, torch.tensor([i]), draws)
    assert torch.equal(uniform((n, elements), together)[i], uniform((1, elements), alone)[0])
    # Normals go through log, sin and cos, which processors round differently at the end of an array.
    torch.testing.assert_close(
        normal((n, elements), together)[i], normal((1, elements), alone)[0], rtol=1e-4, atol=1e-6
    )
    assert together.draws == alone.draws == draws + 2


def test_neighbours_seeds_and_draws_differ():
    base = normal((2, 8), Streams.of(0, [0, 1]))
    assert not torch.equal(base[0], base[1])
    assert not torch.equal(base, normal((2, 8), Streams.of(1, [0, 1])))
    assert not torch.equal(base, normal((2, 8), Streams(0, torch.tensor([0, 1]), draws=1)))
    others = [Streams.of(0, [0, 1], purpose=purpose) for purpose in Purpose if purpose != Purpose.NEW]
    assert not any(torch.equal(base, normal((2, 8), other)) for other in others)
    far = Streams(0, torch.tensor([2**32, 1]))  # a sample number beyond 32 bits is not sample 0
    assert not torch.equal(base[0], normal((2, 8), far)[0])


@pytest.mark.statistical
def test_purposes_are_uncorrelated():
    drawn = [normal((300, 300), Streams.of(0, range(300), purpose=purpose)) for purpose in Purpose]
    pairs = [(a, b) for i, a in enumerate(drawn) for b in drawn[:i]]
    for a, b in pairs:
        z = float((a * b).mean() * a.numel() ** 0.5)
        assert abs(z) < stats.norm.isf(LEVEL / 2 / len(pairs))


def test_streams_draw_for_a_purpose_while_it_lasts():
    streams, plain = Streams.of(0, range(2)), generator()
    with drawing_for(Purpose.TRAINING, streams), drawing_for(Purpose.TRAINING, plain):
        within = normal((2, 3), streams)
        assert torch.equal(normal((2, 3), plain), normal((2, 3), generator()))
    assert torch.equal(within, normal((2, 3), Streams.of(0, range(2), purpose=Purpose.TRAINING)))
    assert torch.equal(normal((2, 3), streams), normal((2, 3), Streams(0, torch.arange(2), draws=1)))
    with pytest.raises(KeyError), drawing_for(Purpose.TRAINING, streams):
        raise KeyError
    assert streams.purpose == Purpose.NEW


def test_uniform_is_open():
    class Extreme(Streams):
        def words(self, elements):
            return torch.tensor([[0, 0xFFFFFFFF]])

    values = uniform((1, 2), Extreme.of(0, [0]))
    assert 0.0 < float(values[0, 0]) < float(values[0, 1]) < 1.0
    assert torch.isfinite(normal((1, 2), Extreme.of(0, [0]))).all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_uniform_is_open_in_any_precision(dtype):
    values = uniform((100, 1000), Streams.of(0, range(100)), dtype=dtype)
    assert values.dtype == dtype
    known = Recorded(0, torch.arange(1), noise=(torch.tensor([[-9.0, 9.0]]),))
    assert 0.0 < float(uniform((1, 2), known, dtype=dtype).max()) < 1.0
    assert 0.0 < float(values.min()) < float(values.max()) < 1.0


def test_bad_streams():
    with pytest.raises(InputError, match="seed is -1"):
        Streams.of(-1, [0])
    with pytest.raises(InputError, match="give whole numbers"):
        Streams.of(0, [0.5, 1.7])
    with pytest.raises(ShapeError, match="use Streams"):
        Streams(0, [0, 1])
    with pytest.raises(InputError, match="draws is -1"):
        Streams(0, torch.tensor([0]), -1)
    with pytest.raises(ShapeError, match="int64 vector"):
        Streams(0, torch.zeros(2))
    with pytest.raises(ShapeError, match="3 streams"):
        normal((2, 5), Streams.of(0, range(3)))
