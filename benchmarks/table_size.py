"""What a large table costs: `nk train` on CSV files of up to 50,000 rows and twenty columns, and what follows from it.

    python benchmarks/table_size.py [--rows 12500 25000 50000] [--passes 3] [--threads 1] [--record]

Half of the columns are numbers, half are categories, all depend on one hidden number, and one cell in fifty is missing.
Each file is read and trained on by a process of its own, so that its memory can be told. Told are

- seconds to read the file and to encode it, and the memory that the process has taken by then;
- rows trained a second, and the memory after each pass through the data: it must not grow by passes;
- rows a second for `log_prob` (one order), for filling 30 % of the cells (30 steps), and for new rows (one call per
  element of a row).

Seconds are those of the processor, so that other work on the machine counts little. Each file is a line of
benchmarks/results/table_size.jsonl.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from lab.results import record_run

COLUMNS, MISSING = 20, 0.02
#: Rows that throughput is measured on.
ASKED = 512


def write(path: Path, rows: int) -> None:
    """A table as CSV."""
    chance = np.random.default_rng(0)
    hidden = chance.normal(size=rows)
    columns = []
    for k in range(COLUMNS):
        mixed = hidden + chance.normal(size=rows)
        if k % 2:
            columns.append(np.array([f"c{int(value)}" for value in np.digitize(mixed, np.linspace(-2, 2, 3 + k))]))
        else:
            columns.append(np.array([f"{value:.{k % 5}f}" for value in 10.0 * mixed]))
    cells = np.where(chance.random((rows, COLUMNS)) < MISSING, "", np.stack(columns, axis=1))
    names = ",".join(f"column {k}" for k in range(COLUMNS))
    path.write_text(names + "\n" + "\n".join(map(",".join, cells)) + "\n", encoding="utf-8")


def resident() -> int:
    """The memory of this process at present, in bytes."""
    words = Path("/proc/self/statm").read_text(encoding="ascii").split()
    return int(words[1]) * resource.getpagesize()


def costs(path: Path, passes: int) -> dict[str, Any]:
    """What one file costs, in this process."""
    import itertools

    from rich.console import Console

    from noisekernel import recipes
    from noisekernel.training import beginning
    from noisekernel.training.log import Window
    from noisekernel.training.preparation import prepare

    before, began = resident(), time.process_time()
    recipe = recipes.recipe("tables", {"training.images": 10_000_000})
    ready = prepare(str(path), recipe, 0, Console(quiet=True))
    trainer = beginning.trainer_for(ready, recipe, seed=0, cpu=True)
    reading = time.process_time() - began
    taken = resident() - before
    stream = trainer.examples.stream(trainer.parts(), torch.device("cpu"))
    number, window = itertools.count(), Window()
    rows = sum(1 for _ in path.open(encoding="utf-8")) - 1
    steps = -(-rows // trainer.settings.batch)
    trainer.step(next(number), stream, window)
    after, began = [], time.process_time()
    for _ in range(passes):
        for _ in range(steps):
            trainer.step(next(number), stream, window)
            window.clear(0.0)
        after.append(resident() - before)
    training = time.process_time() - began
    return {
        "rows": rows,
        "bytes of the file": path.stat().st_size,
        "reading seconds": round(reading, 2),
        "megabytes after reading": round(taken / 1e6),
        "megabytes after each pass": [round(value / 1e6) for value in after],
        "rows trained a second": round(passes * steps * trainer.settings.batch / training),
    }


def speeds(path: Path) -> dict[str, Any]:
    """Rows a second for what is done with a model."""
    import noisekernel as nk

    model = nk.fit(str(path), settings={"training.images": 5_000}, progress=False, calibrate=False)
    z = model.sample(ASKED, steps=5, seed=0)
    holes = torch.rand(z.shape, generator=torch.Generator().manual_seed(0)) < 0.3
    jobs = {
        "log_prob": lambda: model.log_prob(z),
        "filled (30 steps)": lambda: model.fill(z, holes, 1, steps=30, seed=1),
        f"new ({model.shape[0]} calls)": lambda: model.sample(ASKED, steps=model.shape[0], seed=2),
    }
    found: dict[str, Any] = {"elements of a row": model.shape[0], "parameters": model.parameters}
    for name, job in jobs.items():
        began = time.process_time()
        job()
        found[f"rows a second: {name}"] = round(ASKED / (time.process_time() - began), 1)
    return found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rows", type=int, nargs="+", default=[12_500, 25_000, 50_000])
    arguments.add_argument("--passes", type=int, default=3)
    arguments.add_argument("--threads", type=int, default=1)
    arguments.add_argument("--record", action="store_true")
    arguments.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    options = arguments.parse_args()
    torch.set_num_threads(options.threads)
    if options.file is not None:
        print(json.dumps(costs(options.file, options.passes) if options.passes else speeds(options.file)))
        return
    with tempfile.TemporaryDirectory() as folder:
        for rows in options.rows:
            path = Path(folder) / f"{rows}.csv"
            write(path, rows)
            figures: dict[str, Any] = {}
            for passes in (options.passes, 0) if rows == max(options.rows) else (options.passes,):
                command = [sys.executable, __file__, "--file", str(path), "--passes", str(passes)]
                command += ["--threads", str(options.threads)]
                told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
                figures |= json.loads(told.splitlines()[-1])
            figures |= {"columns": COLUMNS, "threads": options.threads}
            print(figures, flush=True)
            if options.record:
                record_run("table_size", figures)


if __name__ == "__main__":
    main()
