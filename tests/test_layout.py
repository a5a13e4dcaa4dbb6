"""The frame: imports point one way, exports are what they say, importing is light, version and changelog agree."""

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import noisekernel as nk

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "noisekernel"

#: A module may import only what stands before it.
ORDER = [
    "core",
    "kernels",
    "networks",
    "sampling",
    "objectives",
    "tasks",
    "files",
    "kinds",
    "data",
    "recipes",
    "models",
    "training",
    "measuring",
    "demo",
    "studio",
    "cli",
    "__main__",
]


def imported(path: Path) -> set[tuple[str, ...]]:
    """The noisekernel modules that a file imports, as paths below the package."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [f"{node.module}.{a.name}" for a in node.names] if node.module == "noisekernel" else [node.module]
        else:
            continue
        found |= {tuple(name.split(".")[1:]) for name in names if name.split(".")[0] == "noisekernel"}
    return found - {("__version__",)}


def test_every_module_has_a_place_in_the_order():
    assert {p.stem for p in PACKAGE.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()} == {
        *ORDER,
        "__init__",
    }


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_one_way(path):
    place = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if place == "__init__":
        return
    for name, *_ in imported(path):
        assert name == place or ORDER.index(name) < ORDER.index(place), f"{path} imports {name}"


def test_networks_import_torch_alone():
    for path in (PACKAGE / "nn").glob("*.py"):
        names = {
            node.module or "" for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)
        }
        names |= {a.name for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Import) for a in n.names}
        ours = {name for name in names if name.startswith("noisekernel")}
        assert all(name.startswith(("noisekernel.networks", "noisekernel.core.errors")) for name in ours)
        assert {name.split(".")[0] for name in names - ours} <= {"torch", "math", "itertools"}


def test_exports_are_what_they_say():
    assert nk.__all__ == sorted(nk.__all__, key=lambda n: (not n.isupper(), not n[0].isupper(), n))
    for name in nk.__all__:
        assert getattr(nk, name) is not None
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    typed = {a.asname or a.name for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) for a in n.names}
    assert set(nk.__all__) == typed - {"import_module", "TYPE_CHECKING", "Any"}
    assert set(dir(nk)) == {*nk.__all__, "__version__"}
    with pytest.raises(AttributeError, match="no attribute 'synthesise'"):
        _ = nk.synthesise


def test_every_public_thing_has_a_docstring():
    for name in nk.__all__:
        assert getattr(nk, name).__doc__, name
    for path in PACKAGE.rglob("*.py"):
        assert ast.get_docstring(ast.parse(path.read_text())), path


def test_importing_is_light():
    """Nothing heavy until it is used, and no extra even then. (Times are in benchmarks/start_up.py.)"""
    heavy = "{'torch', 'numpy', 'sklearn', 'scipy', 'accelerate', 'matplotlib', 'torchmetrics', 'fastapi'}"
    code = f"import sys, noisekernel; print({heavy} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "set()"
    extras = "{'matplotlib', 'torchmetrics', 'arviz', 'datasets', 'tensorboard', 'imageio_ffmpeg', 'fastapi', 'onnx'}"
    code = (
        f"import sys, noisekernel as nk; [getattr(nk, name) for name in nk.__all__];print({extras} & set(sys.modules))"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "set()"


def test_version_and_changelog_agree():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == nk.__version__
    latest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert latest is not None
    assert latest[1] == nk.__version__


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_the_examples_in_docstrings_run(path):
    import doctest

    name = ".".join(("noisekernel", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
    assert doctest.testmod(importlib.import_module(name)).failed == 0
