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
    "measuring",
    "models",
    "training",
    "demo",
    "studio",
    "cli",
    "__main__",
]


#: Names of the groups by which other packages add to this one: no modules.
GROUPS = {"noisekernel.kinds"}
#: The files that import by a name that is computed: of what is asked for, of a kind, of a user's own module. What names
#: they compute with stand in them as text, which is looked at as imports are.
COMPUTED = {"__init__.py", "kinds/registry.py", "measuring/samples/extractors.py"}


def imported(path: Path) -> set[tuple[str, ...]]:
    """The noisekernel modules that a file imports, or names in a text, as paths below the package."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and re.fullmatch(r"noisekernel(\.\w+)+(:\w+)?", str(node.value)):
            if node.value not in GROUPS:
                found.add(tuple(node.value.partition(":")[0].split(".")[1:]))
            continue
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


def test_no_import_hides_behind_a_function():
    """`import_module("noisekernel")` would reach every room from any other."""
    calling = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Name | ast.Attribute)
        and (node.id if isinstance(node, ast.Name) else node.attr) in ("import_module", "__import__", "reload")
    }
    assert calling == COMPUTED


#: What only the kind of pictures knows: Pillow, its formats, contact sheets, the box that a picture is made into.
OF_PICTURES = (
    r"\bPIL\b|image/(png|jpeg)|contact_sheet|png_bytes|kinds\.pictures\b|\bPictures\(|\"pictures\"|\.box\b|"
    r"\.(png|jpe?g)[\" ]|\b(model|kind|size)\.(height|width)\b"
)
#: Where they are named all the same, in so many lines: the list of kinds, and lists of media types.
NAMED = {"kinds/registry.py": 1, "kinds/exchanged.py": 1, "studio/web/server.py": 1}


@pytest.mark.parametrize(
    "path",
    [path for path in sorted(PACKAGE.rglob("*.py")) if path.parts[-2] not in ("pictures", "music")],
    ids=lambda p: str(p.relative_to(PACKAGE)),
)
def test_nothing_but_their_kind_knows_pictures(path):
    found = [line for line in path.read_text().splitlines() if re.search(OF_PICTURES, line)]
    assert len(found) == NAMED.get(str(path.relative_to(PACKAGE)), 0), found


def test_networks_import_torch_alone():
    """Of what has to be installed: nothing else, but for the shapes in annotations."""
    for path in (PACKAGE / "networks").glob("*.py"):
        tree = ast.parse(path.read_text())
        names = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        names |= {a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names}
        foreign = {name.split(".")[0] for name in names} - sys.stdlib_module_names
        assert foreign <= {"torch", "jaxtyping", "noisekernel"}, path


def test_the_studio_knows_of_no_kind_of_data():
    """What is shown, sent and painted is the kind's affair: `Kind.on_page`."""
    telling = re.compile(r"\bPIL\b|picture|pixel|\bPNG\b|image/png|\bheight\b|inpaint", re.IGNORECASE)
    mime = '    "png": "image/png",'  # of the page's own files
    for path in (PACKAGE / "studio").rglob("*.py"):
        lines = [line for line in path.read_text().splitlines() if telling.search(line) and line != mime]
        assert not lines, f"{path}: {lines[0]}"
    outside = [path for path in PACKAGE.rglob("*.py") if "noisekernel.studio" in path.read_text()]
    assert {path.relative_to(PACKAGE).parts[0] for path in outside} <= {"studio", "cli"}


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
    extras = (
        "{'matplotlib', 'torchmetrics', 'arviz', 'datasets', 'tensorboard', 'imageio_ffmpeg', 'fastapi', 'onnx', "
        "'pandas', 'pyarrow', 'diffusers'}"
    )
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
