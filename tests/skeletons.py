"""The skeletons of docs/extending, as modules."""

import importlib.util
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "docs" / "extending"
#: Data for the skeleton of a kind.
PIECES = ["ACGTAC", "AACCGG", "TTGACA", "GATTAC", "CCCGTA", "ACGTTT"] * 4


def skeleton(name):
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module
