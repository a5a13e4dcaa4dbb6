"""The head for music: intervals in and out, against loops over cells, and moved to other keys."""

import pytest
import torch

import noisekernel as nk
from noisekernel.core.errors import InputError
from noisekernel.networks import CategoricalHead, IntervalHead
from noisekernel.networks.interval_head import BETWEEN, WITHIN, nearest, pitches

PITCHES, VOICES, STEPS = 30, 3, 6
CLASSES = 2 * PITCHES + 1
HEAD = IntervalHead(CLASSES, VOICES)


def grids(n: int = 4, low: int = 5, high: int = 25) -> torch.Tensor:
    """Cells of which a fifth are masked and a tenth rests."""
    generator = torch.Generator().manual_seed(0)
    pitch = torch.randint(low, high, (n, VOICES, STEPS), generator=generator)
    struck = torch.randint(0, 2, pitch.shape, generator=generator)
    chance = torch.rand(pitch.shape, generator=generator)
    sounding = torch.where(chance < 0.1, 0, 1 + 2 * pitch + struck)
    return torch.where(chance > 0.8, CLASSES, sounding)


def moved(x: torch.Tensor, by: int) -> torch.Tensor:
    """The same music, so many semitones higher."""
    return torch.where((x > 0) & (x < CLASSES), x + 2 * by, x)


def features_of(n: int) -> torch.Tensor:
    return torch.randn(n, HEAD.out_channels, STEPS, generator=torch.Generator().manual_seed(1))


def by_loops(features: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """The logits, cell by cell, as the formula has them."""
    found = torch.zeros(*x.shape, CLASSES)
    pitch = pitches(x, CLASSES)
    for i, voice, step in torch.cartesian_prod(*map(torch.arange, x.shape)).tolist():
        own = features[i].unflatten(0, (VOICES, -1))[voice, :, step]
        sizes = [CLASSES, *(rows * (2 * reach + 1) for reach, rows in HEAD.tables)]
        absolute, last, following, *others = own.split(sizes)
        line = pitch[i, voice].tolist()
        before = next((p for p in reversed(line[:step]) if p >= 0), None)
        after = next((p for p in line[step + 1 :] if p >= 0), None)
        sounding = [int(pitch[i, (voice - by) % VOICES, step]) for by in range(1, VOICES)]
        for c in range(CLASSES):
            total = float(absolute[c])
            p, s = (c - 1) // 2, (c - 1) % 2
            for table, reference in ((last, before), (following, after)):
                if c > 0 and reference is not None and abs(p - reference) <= WITHIN:
                    total += float(table[s * (2 * WITHIN + 1) + p - reference + WITHIN])
            for table, reference in zip(others, sounding, strict=True):
                if c > 0 and reference >= 0 and abs(p - reference) <= BETWEEN:
                    total += float(table[p - reference + BETWEEN])
            found[i, voice, step, c] = total
    return found


def test_the_nearest_pitches_are_those_of_the_voice():
    before, after = nearest(torch.tensor([[[3, -1, -1, 8], [-1, 4, 4, -1]]]))
    assert before.tolist() == [[[-1, 3, 3, 3], [-1, -1, 4, 4]]]
    assert after.tolist() == [[[8, 8, 8, -1], [4, 4, -1, -1]]]


def test_logits_are_those_of_the_formula():
    x = grids()
    r = HEAD.decode(features_of(len(x)), x, torch.ones(len(x)))
    wanted = torch.log_softmax(by_loops(features_of(len(x)), x), dim=-1)
    torch.testing.assert_close(r.table(), wanted, atol=1e-5, rtol=1e-5)


def test_music_in_another_key_is_seen_and_predicted_alike():
    """Features that say nothing of absolute pitches give the same intervals in any key. Plain logits do not."""
    x, by = grids(), 3
    features = features_of(len(x)).unflatten(1, (VOICES, -1))
    features[:, :, :CLASSES] = 0.0
    features = features.flatten(1, 2)
    here, there = (HEAD.decode(features, each, torch.ones(len(x))).table() for each in (x, moved(x, by)))
    # Of one cell, classes differ by a constant alone: the logarithm of the norm, to which the ends contribute.
    inside = slice(1, CLASSES - 2 * by)
    gap = there[..., 1 + 2 * by :] - here[..., inside]
    torch.testing.assert_close(gap, gap[..., :1].expand_as(gap), atol=1e-4, rtol=1e-4)
    plain = CategoricalHead(CLASSES, VOICES)
    more = torch.randn(len(x), plain.out_channels, STEPS, generator=torch.Generator().manual_seed(2))
    here, there = (plain.decode(more, each, torch.ones(len(x))).table() for each in (x, moved(x, by)))
    gap = there[..., 1 + 2 * by :] - here[..., inside]
    assert not torch.allclose(gap, gap[..., :1].expand_as(gap), atol=1e-1)


def test_what_is_seen_beside_the_classes_does_not_depend_on_the_key():
    x = grids()
    here, there = (HEAD.encode(each, torch.ones(len(x)))[0] for each in (x, moved(x, 3)))
    assert here.shape[1] == HEAD.in_channels
    first = VOICES * (CLASSES + 1)
    torch.testing.assert_close(here[:, first:], there[:, first:])
    assert not torch.equal(here[:, :first], there[:, :first])


def test_a_cell_does_not_see_itself_where_it_is_masked():
    x = grids()
    x[:, 1, 2] = CLASSES
    other = x.clone()
    assert torch.equal(*(HEAD.encode(each, torch.ones(len(x)))[0] for each in (x, other)))
    other[:, 1, 2] = 21  # what is visible there is seen
    assert not torch.equal(*(HEAD.encode(each, torch.ones(len(x)))[0] for each in (x, other)))


@pytest.mark.parametrize("voices", [1, 2, 5])
def test_any_number_of_voices(voices):
    head = IntervalHead(CLASSES, voices)
    x = torch.full((2, voices, STEPS), CLASSES)
    h, _ = head.encode(x, torch.ones(2))
    assert h.shape == (2, head.in_channels, STEPS)
    r = head.decode(torch.zeros(2, head.out_channels, STEPS), x, torch.ones(2))
    torch.testing.assert_close(r.probs, torch.full((*x.shape, CLASSES), 1.0 / CLASSES))


def test_an_even_number_of_classes_is_refused():
    with pytest.raises(InputError, match="an odd number"):
        IntervalHead(20, 4)


def test_it_is_saved_and_loaded(tmp_path):
    kind = nk.load("bach").kind
    head = IntervalHead(kind.classes, kind.channels)
    network = nk.networks.RotaryTransformer(head.in_channels, head.out_channels, width=16, depth=1, heads=2, period=4)
    torch.nn.init.normal_(network.outlet.weight)
    model = nk.NoiseModel(nk.CategoricalKernel(classes=kind.classes), nk.Denoiser(network, head), kind.shape)
    again = nk.load(nk.save(model, tmp_path / "model.safetensors", kind=kind), "cpu")
    assert again.design.head.kind == "intervals"
    x = torch.full((1, *kind.shape), kind.classes)
    x[0, 0, :8] = 41
    torch.testing.assert_close(again.denoiser(x, 0.5).table(), model.denoiser(x, 0.5).table(), atol=1e-4, rtol=1e-4)
