"""All comparisons in one harness: objectives, recipes, heads, networks, rivals, colour, long walks, lags, categories.

    python benchmarks/bench.py --quick                  a slice of everything on digits, in minutes
    python benchmarks/bench.py --data FOLDER [--jobs 2] everything, in hours; a run that was stopped continues
    python benchmarks/bench.py --quick --study churn    one study alone (one file in lab/studies)

Each result is a line in the file of its study, benchmarks/results/bench/STUDY.jsonl (with --quick: in the work folder).
`bench_report.py` makes tables, plots and headline figures from these files. The rivals need `pip install diffusers POT`
and `pip install --no-deps torchcfm`.
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
        "--data", type=Path, help="the folder with fashion-mnist/ and mnist/ (idx files) and cifar10.npz"
    )
    arguments.add_argument("--quick", action="store_true")
    arguments.add_argument("--jobs", type=int, default=2, help="processes; more can be started at any time")
    arguments.add_argument("--threads", type=int, default=1, help="threads per process")
    arguments.add_argument(
        "--only", metavar="MATERIAL", help="digits, fashion28, mnist28, mnist14, fashion14, cifar16 or cifar32 alone"
    )
    arguments.add_argument("--study", help="this study alone, named as its file in lab/studies")
    arguments.add_argument("--seed", type=int, help="this seed alone")
    arguments.add_argument("--inception", type=Path, help="Inception's weights; with them, cifar32 is measured too")
    arguments.add_argument(
        "--results", type=Path, default=HERE / "results" / "bench", help="the results files to continue"
    )
    arguments.add_argument("--work", type=Path, default=HERE / "scratch", help="weights, which can be trained again")
    options = arguments.parse_args()
    torch.set_num_threads(options.threads)
    from lab import material, programme
    from lab.claims import claimed
    from lab.effort import FULL, QUICK
    from lab.results import ResultsFolder
    from lab.scoring import scorer_of

    studies = [study.STUDY for study in programme.STUDIES]
    if options.study not in (None, *studies):
        raise SystemExit(f"there is no study {options.study!r}; the studies are {', '.join(studies)}")
    effort = QUICK if options.quick else FULL
    measured = (
        *effort.materials,
        *effort.confirmed,
        *effort.walked,
        *effort.corrected,
        *effort.coloured,
        *effort.later,
    )
    names = [options.only] if options.only else list(dict.fromkeys(measured))
    if options.inception and not options.only:
        names += effort.by_inception
    loaded = {name: material.load(name, options.data, effort.share) for name in names}
    scorers = {name: scorer_of(pictures, options.work, options.inception) for name, pictures in loaded.items()}
    results = ResultsFolder(options.work / "quick" if options.quick else options.results)
    for name, scorer in scorers.items():
        results.check_floor(name, effort.samples, scorer.floor(effort.samples))
    if options.jobs > 1:
        environment = {**os.environ, "OMP_NUM_THREADS": str(options.threads)}
        command = [sys.executable, __file__, *sys.argv[1:], "--jobs", "1"]
        running = [subprocess.Popen(command, env=environment) for _ in range(options.jobs)]
        sys.exit(max(process.wait() for process in running))
    pending = [
        unit
        for unit in programme.units(effort)
        if unit.material in loaded and options.seed in (None, unit.seed) and options.study in (None, unit.study)
    ]
    while pending:
        left = []
        for unit in pending:
            with claimed(options.work, *unit.claim) as mine:
                if not mine:
                    left.append(unit)
                    continue
                began = time.perf_counter()
                unit.run(loaded[unit.material], scorers[unit.material], results, options.work, effort)
                seconds = time.perf_counter() - began
                print(f"-- {unit}: {seconds:.0f} s", flush=True)
        if len(left) == len(pending):
            time.sleep(5)
        pending = left


if __name__ == "__main__":
    main()
