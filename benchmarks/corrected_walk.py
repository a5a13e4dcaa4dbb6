"""What a correction does to a walk at constant noise, to look at: the same walkers without it and with it.

    python benchmarks/corrected_walk.py MODEL DATA

MODEL has a correction (recipe `correction`; `bench.py --study corrections` leaves one in the work folder). The first 16
examples of DATA walk. DATE-corrected_walk.png has the examples, then the walkers after 100, 400 and 1,000 steps without
the correction, and the same with it.
"""

import argparse

import torch

import noisekernel as nk
from lab.results import RESULTS, today
from noisekernel import tasks
from noisekernel.kinds.pictures.drawing import contact_sheet

WALKERS, STOPS = 16, (100, 400, 1_000)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("model")
    arguments.add_argument("data")
    options = arguments.parse_args()
    model = nk.load(options.model)
    loaded, _ = nk.data.load_data(options.data, model.kind)
    z = model.kind.encode(loaded.values[:WALKERS])
    rows = [z]
    for corrected in (False, True):
        run = tasks.equilibration(model, z, steps=STOPS[-1], lag=tasks.lag_of(model, None), corrected=corrected, seed=3)
        for number, (state, _) in enumerate(run, start=1):
            if number in STOPS:
                rows.append(tasks.read_out(model, state, 10).cpu())
    contact_sheet(model.draw(torch.cat(rows)), columns=WALKERS, least=42).save(
        RESULTS / f"{today()}-corrected_walk.png"
    )


if __name__ == "__main__":
    main()
