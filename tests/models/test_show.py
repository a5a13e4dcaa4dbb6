"""Samples are displayed by notebooks, whatever their kind; progress is printed there too."""

import base64
import builtins
import sys
from types import ModuleType, SimpleNamespace

import pytest
import torch
from rich.console import Console

import noisekernel as nk
from noisekernel.core.errors import InputError
from noisekernel.kinds.pictures import Pictures
from noisekernel.kinds.points.kind import Points
from noisekernel.kinds.tokens import Tokens
from noisekernel.models import build

KINDS = {
    "image/png": (Pictures(size=(1, 4, 4)), "small", ".png"),
    "image/svg+xml": (Points(columns=("a", "b"), means=(0, 0), scales=(1, 1)), "points", ".svg"),
    "text/plain": (Tokens(alphabet="abc", length=5), "tokens", ".txt"),
}


@pytest.mark.parametrize("media", KINDS)
def test_a_notebook_is_given_what_it_displays(media, tmp_path):
    kind, recipe, suffix = KINDS[media]
    model = build(nk.recipes.recipe(recipe).design(kind))
    dtype = torch.int64 if kind.categorical else torch.float32
    z = torch.ones(2, 3, *model.shape, dtype=dtype)
    page = model.show(z)
    bundle = page._repr_mimebundle_()
    assert set(bundle) == {media, "text/plain"}
    content = page.save(tmp_path / "page").read_bytes()
    assert (tmp_path / f"page{suffix}").exists()
    assert (base64.b64decode(bundle[media]) if media == "image/png" else bundle[media].encode().strip()) in (
        content,
        content.strip(),
    )
    if media == "text/plain":
        assert repr(page).splitlines() == ["bbbbb\tbbbbb\tbbbbb"] * 2  # variants of an example stand in its row
    else:
        assert repr(page) == f"<6 {kind.many} of {' x '.join(map(str, kind.shape))}>"
    with pytest.raises(InputError, match=f"let the name end in {suffix}"):
        page.save(tmp_path / "page.jpg")
    assert model.show(z, hidden=torch.ones_like(z))._repr_mimebundle_() != bundle or media == "image/svg+xml"
    with pytest.raises(InputError, match=f"there is no {kind.one} to show"):
        model.show(z[:0])


def test_the_console_of_training_prints_in_a_notebook(monkeypatch):
    """rich asks IPython's own function what it runs in, and hands what is printed to its display."""
    shown: list[str] = []
    display = ModuleType("IPython.display")
    display.display = lambda one: shown.append(one._repr_mimebundle_([], [])["text/plain"])
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(display=display))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(builtins, "get_ipython", lambda: type("ZMQInteractiveShell", (), {})(), raising=False)
    Console(stderr=True, quiet=False).print("100 of 200 images", highlight=False)  # as `nk.fit` makes it
    assert "100 of 200 images" in "".join(shown)
