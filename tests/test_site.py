"""How the documentation site is made: docstrings become reStructuredText, and every name is in the reference."""

import doctest
import sys
from pathlib import Path
from types import ModuleType

import pytest

import noisekernel as nk

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture
def site_tools(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    from site_tools import docstrings, reference

    yield docstrings, reference
    for name in ("site_tools", "site_tools.docstrings", "site_tools.reference"):
        sys.modules.pop(name, None)


def test_docstrings_become_restructured_text(site_tools):
    docstrings, _ = site_tools
    assert doctest.testmod(docstrings).failed == 0
    arguments = ["Does so.", "", "Args:", "    z: Data, (batch, *event).", "", ">>> 1", "1"]
    assert docstrings.converted(arguments) == [
        *arguments[:3],
        "    z: Data, (batch, \\*event).",
        *arguments[4:],
    ]


def test_a_method_shows_the_arguments_of_the_one_it_overrides(site_tools):
    docstrings, _ = site_tools
    shown = docstrings.inherited_arguments("noisekernel.GaussianKernel.noise", ["Eq. 14."])
    assert [line.strip().partition(":")[0] for line in shown] == ["", "Args", "z", "beta", ""]
    assert docstrings.inherited_arguments("noisekernel.NoiseKernel.noise", ["…", "", "Args:", "    z: …"]) == []


def test_every_public_name_is_in_the_reference(site_tools, tmp_path):
    _, reference = site_tools
    reference.write(tmp_path)
    pages = "".join(page.read_text() for page in tmp_path.glob("*.rst"))
    for name in nk.__all__:
        thing = getattr(nk, name)
        directive = f"automodule:: {thing.__name__}\n" if isinstance(thing, ModuleType) else f":: noisekernel.{name}\n"
        assert directive in pages, name
    listed = (DOCS / "reference" / "index.md").read_text()
    assert all(f"rooms/{room}\n" in listed for room in reference.ROOMS)
