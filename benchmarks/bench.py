"""All comparisons in one harness: objectives, the ladder of recipes, rivals, long walks, lags, categories.

    python benchmarks/bench.py --quick                  a slice of everything, in minutes, on digits
    python benchmarks/bench.py --data FOLDER [--jobs 2] everything, in hours; stopped, it goes on where it was

Every result is a file of its own in benchmarks/results/bench/ (quick: in the work folder); `bench_report.py` makes the
tables, plots and summary from them. Needs: pip install diffusers, and torchcfm with --no-deps beside POT.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

import torch

HERE = Path(__file__).parent


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument(
        "--data", type=Path, help="where fashion-mnist/ and mnist/ with their idx files lie, and cifar10.npz"
    )
    arguments.add_argument("--quick", action="store_true")
    arguments.add_argument("--jobs", type=int, default=2, help="processes; more can be added any time")
    arguments.add_argument("--threads", type=int, default=1, help="of each process")
    arguments.add_argument("--only", metavar="MATERIAL", help="digits, fashion28, mnist28, fashion14 or cifar32 alone")
    arguments.add_argument("--seed", type=int, help="this seed alone")
    arguments.add_argument("--inception", type=Path, help="Inception's weights; with them, CIFAR-10 is measured too")
    arguments.add_argument(
        "--results", type=Path, default=HERE / "results" / "bench", help="what is known, and where new results go"
    )
    arguments.add_argument("--work", type=Path, default=HERE / "scratch", help="weights, which can be made again")
    options = arguments.parse_args()
    torch.set_num_threads(options.threads)
    from lab import material, studies
    from lab.judge import judge_of
    from lab.store import Store

    size = studies.QUICK if options.quick else studies.FULL
    names = [options.only] if options.only else [*size.materials, *size.confirmed, *size.walked, *size.later]
    if options.inception and not options.only and not options.quick:
        names += size.coloured
    loaded = {name: material.load(name, options.data, size.share) for name in names}
    judges = {name: judge_of(pictures, options.work, options.inception) for name, pictures in loaded.items()}
    store = Store(options.work / "quick" if options.quick else options.results, options.work)
    for name, judge in judges.items():
        store.check_judge(name, size.samples, judge.floor(size.samples))
    if options.jobs > 1:
        environment = {**os.environ, "OMP_NUM_THREADS": str(options.threads)}
        command = [sys.executable, __file__, *sys.argv[1:], "--jobs", "1"]
        running = [subprocess.Popen(command, env=environment) for _ in range(options.jobs)]
        sys.exit(max(process.wait() for process in running))
    pending = [unit for unit in studies.units(size) if unit.material in loaded and options.seed in (None, unit.seed)]
    while pending:
        left = []
        for unit in pending:
            with store.claimed(unit.material, unit.weights.weights or unit.weights.name, unit.seed) as mine:
                if not mine:
                    left.append(unit)
                    continue
                began = time.perf_counter()
                unit.run(loaded[unit.material], judges[unit.material], store, size)
                seconds = time.perf_counter() - began
                print(f"-- {unit.material} {unit.weights.name} seed {unit.seed}: {seconds:.0f} s", flush=True)
        if len(left) == len(pending):
            time.sleep(5)
        pending = left


if __name__ == "__main__":
    main()
