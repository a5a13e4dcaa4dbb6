"""Every kind of data keeps the promises of the contract, whoever wrote it."""

import numpy as np
import pytest
import torch

import noisekernel as nk
from helpers import generator
from noisekernel.core.errors import BadExampleError, InputError
from noisekernel.kinds import Kind, kind_of, kinds

WORDS = ["anna", "otto", "bob", "hannah", "ada", "eve", "nan", "abba"] * 4


def some(kind):
    """Data of this kind, items that are none, and how a user names an example and a mask."""
    g = generator(1)
    if kind == "pictures":
        pixels = torch.randint(256, (32, 6, 6), generator=g, dtype=torch.uint8).numpy()
        return pixels, [b"", b"no picture", np.zeros((6, 6)), 3.0], None, None
    if kind == "points":
        points = torch.randn(32, 3, generator=g).numpy() * [1.0, 5.0, 0.1] + [0.0, 2.0, -7.0]
        return (
            points,
            [np.array([1.0]), {"x0": "a", "x1": 0, "x2": 0}, "word", [1.0, float("nan"), 0.0]],
            "0.5,1,-7",
            "x1",
        )
    return WORDS, ["x" * 99, "ANNA", 3, "é"], "anna", "_n*"


def test_every_kind_has_a_case():
    assert set(kinds()) == {"pictures", "points", "tokens"}


@pytest.fixture(params=sorted(kinds()))
def case(request):
    data, bad, word, mask = some(request.param)
    loaded, kind = nk.data.load_data(data)
    return kind, loaded, bad, word, mask


def test_data_are_recognised_by_one_kind_alone(case):
    kind, _, _, _, _ = case
    data = some(kind.kind)[0]
    source = nk.data.open_source(data)
    assert kind_of(source, "these") is type(kind)
    assert [name for name, each in kinds().items() if each.recognises(source)] == [kind.kind]


def test_values_become_data_and_come_back(case):
    kind, loaded, _, _, _ = case
    z = kind.encode(loaded.values)
    assert z.shape == (len(loaded), *kind.shape)
    assert (kind.classes is None) == z.is_floating_point()
    assert kind.classes is None or int(z.max()) < kind.classes
    torch.testing.assert_close(kind.decode(z), loaded.values, rtol=1e-5, atol=1e-5)
    assert len(kind.drawn(loaded.values)) == len(loaded)
    # What is drawn is an item again.
    drawn = kind.drawn(loaded.values)[3]
    torch.testing.assert_close(torch.from_numpy(kind.store(drawn).values), loaded.values[3], rtol=1e-5, atol=1e-5)


def test_what_is_no_example_is_refused_with_a_reason(case):
    kind, _, bad, _, _ = case
    for item in bad:
        with pytest.raises((BadExampleError, InputError)) as refused:
            kind.store(item)
        assert len(str(refused.value)) > 10


def test_something_is_shown(case):
    kind, loaded, _, _, _ = case
    shown = kind.show(loaded.values[:5])
    assert len(shown) == 5
    assert all(each.content and "/" in each.media and each.suffix != ".bin" for each in shown)
    assert kind.overview(loaded.values[:5], columns=2).content
    hidden = torch.ones(5, *kind.shape, dtype=torch.bool)
    assert kind.show(loaded.values[:5], hidden)[0].content != shown[0].content
    assert kind.described().startswith(kind.many)
    if kind.gathered:
        assert kind.together(shown).content.count(b"\n") >= 5


def test_masks_fit_the_data(case):
    kind, _, _, word, mask = case
    masks = kind.masks(2, 0.5, 4, seed=3)
    assert masks.shape == (4, *kind.shape)
    assert masks.dtype == torch.bool
    assert 0 < int(masks[0].sum()) < masks[0].numel()
    assert torch.equal(kind.masks(2, 0.5, 2, seed=3, first=2), masks[2:])
    if word is not None:
        (named,) = kind.given([word])
        assert kind.store(named.item).values.shape == torch.Size(kind.shape)
        assert kind.mask(mask, [named.item])[0].shape == kind.shape


@pytest.mark.training
def test_defaults_train_and_the_model_does_everything(case, tmp_path):
    kind, loaded, _, _, _ = case
    model = nk.fit(some(kind.kind)[0], settings={"training.images": 16, "training.batch": 8}, progress=False)
    assert model.kind == kind.bare
    nk.save(model, tmp_path)
    again = nk.load(tmp_path)
    assert (again.kind, again.shape) == (model.kind, model.shape)
    z = kind.encode(loaded.values[:3])
    mask = kind.masks(1, 0.5, 3)
    filled = nk.fill(again, z, mask, 2, steps=3)
    assert torch.equal(
        filled[~mask[:, None].expand_as(filled)], z[:, None].expand_as(filled)[~mask[:, None].expand_as(filled)]
    )
    variants = nk.vary(again, z, 2, below=0.3, steps=3)
    assert variants.shape == (3, 2, *kind.shape)
    for result in (nk.synthesize(again, 2, steps=3), variants, filled):
        again.kernel.check_data(result.reshape(-1, *kind.shape))
        assert len(again.draw(result)) == result.numel() // z[0].numel()
    judged = nk.measure(again, some(kind.kind)[0], n=20, steps=2)
    assert judged.how["kind"] == kind.many


def test_the_model_file_keeps_what_the_model_is_made_for(case):
    kind = case[0]
    assert isinstance(kind, Kind)
    bare = kind.model_copy(update={"bad": "skip", "memory": 1}).bare
    assert bare == kind.bare
    assert all(getattr(bare, name) == getattr(kind, name) for name in kind.fixed)


def test_data_of_no_kind_and_of_two():
    with pytest.raises(InputError, match="of no kind of data that is known here"):
        nk.data.load_data(np.zeros((3, 2, 2, 2, 2)))
    with pytest.raises(InputError, match=r"there is no kind of data called 'picture'\. Did you mean 'pictures'"):
        nk.data.load_data("digits", "picture")
