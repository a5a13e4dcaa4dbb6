"""Tasks: what people want of a chain. New data, variants, missing parts, a direction.

Each task comes twice, with one signature. The verb does it and returns clean data z: `synthesize`, `vary`,
`equilibrate`, `steer`, `fill`, `redraw`. The noun is the doing itself, a `Run` or `Redraws` to iterate over:
`synthesis`, `variation`, `equilibration`, `steering`, `filling`, `redrawing` give every state as it comes, can be left
at any moment, and end in the same z. A verb is a method of `Model`, too. How a task is written is in `tasks.task`.

    for state, info in (run := synthesis(model, 4)):
        show(state.view.best)
    z = run.result()

`walk` has no end, and so no verb beside it: it returns a `Walk` to iterate over.

Sample number i of a seed is the same whatever else is in its batch, up to rounding: `first` numbers the first sample,
so that workers which share the work number theirs on. Variant k of n of example i is sample i n + k. (The random words
are equal to the bit; the arithmetic of a network, and of normal numbers, may differ in the last bits between batch
sizes and between processors.)
"""

from noisekernel.sampling.chain import best
from noisekernel.tasks.batching import batches, in_batches
from noisekernel.tasks.equilibrium import chain_lag, equilibrate, equilibration
from noisekernel.tasks.fills import fill, filling
from noisekernel.tasks.redraws import Redraws, redraw, redrawing
from noisekernel.tasks.run import Run, development, lag_of
from noisekernel.tasks.samples import read_out, synthesis, synthesize
from noisekernel.tasks.steered import steer, steering
from noisekernel.tasks.task import Work, as_run, as_work, task
from noisekernel.tasks.variants import variation, vary
from noisekernel.tasks.walks import Walk, walk, walking

__all__ = [
    "Redraws",
    "Run",
    "Walk",
    "Work",
    "as_run",
    "as_work",
    "batches",
    "best",
    "chain_lag",
    "development",
    "equilibrate",
    "equilibration",
    "fill",
    "filling",
    "in_batches",
    "lag_of",
    "read_out",
    "redraw",
    "redrawing",
    "steer",
    "steering",
    "synthesis",
    "synthesize",
    "task",
    "variation",
    "vary",
    "walk",
    "walking",
]
