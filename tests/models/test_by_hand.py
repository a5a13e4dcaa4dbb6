"""Models that were put together by hand are saved too, or a sentence names what stands in the way."""

from functools import partial

import pytest
import torch

import noisekernel as nk
from noisekernel.core.errors import InputError, ShapeError
from noisekernel.kinds.pictures import Pictures
from noisekernel.kinds.tokens import Tokens
from noisekernel.networks.exact import exact_denoiser


def trained(head, network, kernel, data, steps=3):
    """The loop of docs/howto/own-loop.md, a few steps of it."""
    torch.manual_seed(0)
    denoiser = nk.Denoiser(network(head.in_channels, head.out_channels), head)
    objective, batch = nk.KL(), 8
    optimiser = torch.optim.Adam(denoiser.parameters(), 1e-3)
    for step in range(steps):
        numbers = range(step * batch, (step + 1) * batch)
        z = data[torch.tensor(numbers) % len(data)]
        loss, _ = objective(kernel, denoiser, z, nk.Streams.of(0, numbers))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return nk.NoiseModel(kernel, denoiser.eval(), tuple(data.shape[1:]))


def random(*shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(1))


def of_points():
    data = random(40, 3)
    head = nk.PreconditionedGaussian.of(data, channels=3)
    return trained(head, partial(nk.networks.MLP, width=16, depth=1), nk.GaussianKernel(0.8), data), None


def of_pictures():
    head = nk.PlainGaussian(1)
    network = partial(nk.networks.UNet, channels=8, multipliers=(1, 2), blocks=1)
    return trained(head, network, nk.GaussianKernel(0.9), random(16, 1, 4, 4)), Pictures(size=(1, 4, 4))


def of_tokens():
    data = torch.randint(0, 4, (40, 6), generator=torch.Generator().manual_seed(1))
    head = nk.CategoricalHead(4, channels=None)
    network = partial(nk.networks.Transformer, width=16, depth=1, heads=2)
    kernel = nk.CategoricalKernel(classes=4, lag=0.9, carry_visible=True)
    return trained(head, network, kernel, data), Tokens(alphabet="abc", length=6)


@pytest.mark.same_call
@pytest.mark.parametrize("made", [of_points, of_pictures, of_tokens])
def test_what_a_loop_of_ones_own_trained_is_saved_and_comes_back(made, tmp_path):
    model, kind = made()
    again = nk.load(nk.save(model, tmp_path / "m", kind=kind), "cpu")
    assert isinstance(again, nk.Model)
    assert again.kernel == model.kernel
    assert again.denoiser.head == model.denoiser.head
    weights = again.denoiser.state_dict()
    assert all(torch.equal(value, weights[name]) for name, value in model.denoiser.state_dict().items())
    model.denoiser.to(memory_format=torch.channels_last)  # as it is loaded
    with torch.no_grad():
        assert torch.equal(nk.synthesize(again, 4, steps=4), nk.synthesize(model, 4, steps=4))
    assert len(again.draw(again.vary(again.sample(1, steps=2), 2, below=0.5, steps=2))) == 2


def test_labels_have_the_names_that_the_kind_gives(tmp_path):
    head = nk.PlainGaussian(2)
    denoiser = nk.Denoiser(nk.networks.MLP(2, 4, width=8, depth=1, classes=2), head)
    model = nk.NoiseModel(nk.GaussianKernel(), denoiser, (2,))
    assert nk.load(nk.save(model, tmp_path / "a"), "cpu").classes == ("0", "1")
    points = nk.kinds.kinds()["points"]
    kind = points(columns=("a", "b"), means=(0, 0), scales=(1, 1), class_names=("left", "right"))
    assert nk.load(nk.save(model, tmp_path / "b", kind=kind), "cpu").classes == ("left", "right")
    with pytest.raises(InputError, match="class_names of the kind are 1, and the network has 2 classes"):
        nk.save(model, tmp_path / "c", kind=kind.model_copy(update={"class_names": ("one",)}))


def test_what_stands_in_the_way_is_named(tmp_path):
    model, kind = of_pictures()
    kernel, denoiser, shape = model.kernel, model.denoiser, model.shape

    def saved(kernel=kernel, denoiser=denoiser, kind=kind):
        return nk.save(nk.NoiseModel(kernel, denoiser, shape), tmp_path / "m", kind=kind)

    class MyNet(nk.networks.UNet):
        pass

    with pytest.raises(InputError, match="the denoiser of this model, exact_denoiser, is your own"):
        saved(denoiser=partial(exact_denoiser, mean=0.0, variance=1.0).func)
    with pytest.raises(InputError, match=r"the network of this model, MyNet, is your own.*UNet, PaperUNet, MLP, Trans"):
        saved(denoiser=nk.Denoiser(MyNet(1, 2, 8), nk.PlainGaussian(1)))
    with pytest.raises(InputError, match=r"has to say what the data are, and shape \(1, 4, 4\) does not tell"):
        saved(kind=None)
    with pytest.raises(ShapeError, match=r"shape \(1, 4, 4\), and pictures of this kind have \(1, 8, 8\)"):
        saved(kind=Pictures(size=(1, 8, 8)))
    with pytest.raises(InputError, match="do not go together"):
        saved(kind=Pictures(size=(1, 4, 4), codec={"kind": "levels", "levels": 4}))
    with pytest.raises(InputError, match="has to say what the data are"):
        saved(kind="pictures")
    denoiser.backbone.stem = torch.nn.Conv2d(1, 8, 1)
    with pytest.raises(InputError, match=r"the network is not as it was built, in backbone\.stem"):
        saved()
    with pytest.raises(InputError, match="knows its kind of data; leave out kind"):
        nk.save(nk.load("digits"), tmp_path / "m", kind=kind)
    assert not (tmp_path / "m").exists()
