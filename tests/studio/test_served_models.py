"""Models of every kind: categories as well as shades, and curves that are measured when they are not known."""

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import torch
from studio_records import begun, record

from noisekernel import models, recipes
from noisekernel.core.errors import InputError
from noisekernel.measuring.familiarity import Familiarity
from noisekernel.measuring.kept import KnownCurves
from noisekernel.studio.launch import bind
from noisekernel.studio.models import WAYS, serve, serve_all
from noisekernel.studio.rounds.walking import LiveWalk, frames_again
from noisekernel.studio.taste import Taste


@pytest.fixture(scope="module")
def levels(tmp_path_factory):
    """A model of categories, untrained: what it draws is noise, but it is drawn by the same rules."""
    torch.manual_seed(0)
    settings = {
        "data.codec": {"kind": "levels", "levels": 5},
        "kernel": {"kind": "categorical", "classes": 5},
        "head": {"kind": "categorical", "classes": 5},
        "network": {"kind": "unet", "channels": 8, "multipliers": [1, 1], "blocks": 1},
        "objective.levels": {"kind": "uniform"},
        "objective.kind": "reconstruction",
    }
    design = recipes.recipe("default", {**settings, "data.size": [1, 4, 4]})
    design = design.design(design.data)
    folder = tmp_path_factory.mktemp("levels")
    models.save(models.build(design), folder / "shades.safetensors")
    return serve(str(folder / "shades.safetensors"))


@pytest.mark.same_call
def test_categories_are_drawn_varied_judged_and_walked(levels):
    assert levels.id == "shades"
    told = levels.told()
    assert (told["categorical"], told["examples"], told["strength"]["measured"]) == (True, 0, False)
    z = torch.randint(0, 5, (4, 1, 4, 4), generator=torch.Generator().manual_seed(0))
    settings = {"beta": 0.5, "lag": 0.9, "steps": 2, "readout": 2, "label": None}
    doing = begun(levels.model, *record("vary", settings, 0, 4, z))
    frame = levels.model.kind.on_page.frame(doing.clean, doing.run.state.x)  # what is masked is drawn grey
    assert frame["n"] == 4
    assert int(doing.run.state.x.max()) == 5
    assert doing.run.result().dtype == torch.int64
    steered = {**settings, "taste": 0.5, "opinions": dict(zip("abcd", (1, 1, -1, -1), strict=True))}
    assert begun(levels.model, *record("steer", steered, 0, 2, z[:1], z)).run.result().shape == (2, 1, 4, 4)
    assert 0 <= Taste.fit(levels.model, z, [1, 1, -1, -1]).sure <= 1
    assert Familiarity.measure(levels.model, n=4).strangeness(levels.model, z).isfinite().all()
    walk = LiveWalk.of(levels.model, z[:1], 1, 0.4)
    walk.step()
    (again,) = frames_again(levels.model, z[:1], 1, None, [walk.place()])
    assert torch.equal(again, walk.clean)


def test_a_curve_that_is_not_known_is_guessed_until_it_is_measured(studio, digits):
    curves = KnownCurves(None, lambda: "1" * 64)
    unknown = replace(digits, model=replace(digits.model, curves=curves), weights="1" * 64, familiarity=None)
    assert (unknown.unmeasured, unknown.told()["strength"]["measured"]) == ([*WAYS], False)
    assert all(unknown.curve(way) == way.guess for way in WAYS)
    assert unknown.strangeness(digits.example(0)) is None
    studio.models = {"digits": unknown}
    studio._measure()
    assert Familiarity.known(unknown.weights) == unknown.familiarity
    assert unknown.strangeness(digits.example(0)) == pytest.approx(digits.strangeness(digits.example(0)), abs=0.01)
    assert unknown.told()["strength"]["measured"]
    again = KnownCurves(None, lambda: "1" * 64)  # kept for the next time
    assert all(again[way.name] == unknown.curve(way) != way.guess for way in WAYS)


def test_the_models_of_the_package_come_measured():
    found = serve_all([])
    assert list(found) == ["emoji", "bach", "digits", "fashion"]  # the page opens with the first one
    for name, served in found.items():
        assert not served.unmeasured, name
        assert served.familiarity is not None, name
    with pytest.raises(InputError, match="no example"):
        found["fashion"].example(0)


def test_answers_are_sent_at_once():
    """Without TCP_NODELAY a small answer waits until the one before it is acknowledged, some 40 ms."""

    async def accepted():
        options = asyncio.get_running_loop().create_future()

        def connected(_, writer):
            connection = writer.get_extra_info("socket")
            options.set_result(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        listener = bind("127.0.0.1", 0)
        async with await asyncio.start_server(connected, sock=listener):
            _, writer = await asyncio.open_connection(*listener.getsockname())
            found = await options
            writer.close()
        return found

    with ThreadPoolExecutor(1) as apart:  # the browser's driver has a loop in this thread
        assert apart.submit(lambda: asyncio.run(accepted())).result() != 0
