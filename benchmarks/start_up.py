"""How long does it take to start? `import noisekernel`, every public name, `nk --help`, and the quickstart.

Each is run in its own process. Processor time and wall-clock time are printed, each the smallest of several rounds.

    python benchmarks/start_up.py [--rounds 5]
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

QUICKSTART = Path(__file__).parents[1] / "examples" / "quickstart.py"
EVERYTHING = "import noisekernel as nk; [getattr(nk, name) for name in nk.__all__]"


def seconds(*arguments: str) -> tuple[float, float]:
    """Processor time and wall-clock time of Python with these arguments."""
    before, began = os.times(), time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return used, time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        what = {
            "import noisekernel": (rounds, ("-c", "import noisekernel")),
            "nk --help": (rounds, ("-m", "noisekernel", "--help")),
            "import torch": (rounds, ("-c", "import torch")),
            "every public name": (rounds, ("-c", EVERYTHING)),
            "examples/quickstart.py": (1, (str(QUICKSTART), str(Path(folder) / "picture.png"))),
        }
        print(f"{'':24}  processor   clock   (seconds, the least of {rounds}; the quickstart once)")
        for name, (times, arguments) in what.items():
            found = [seconds(*arguments) for _ in range(times)]
            print(f"{name:24} {min(used for used, _ in found):9.2f} {min(clock for _, clock in found):8.2f}")


if __name__ == "__main__":
    main()
