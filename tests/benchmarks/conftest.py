import sys
from pathlib import Path

# The benchmarks are scripts: they import `lab` from their own folder.
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
