"""Tasks: what people want of a chain. New data, variants, missing parts, a direction.

Each task is a start, a schedule and an end, and comes twice. The verb does it: `synthesize`, `renew`, `vary`,
`inpaint`, `steer` return clean data z. The noun is the doing itself, a `Run` to iterate over: `synthesis`, `renewal`,
`variation`, `inpainting`, `steering` give every state as it comes, can be left at any moment, and end in the same z.

    for state, info in (run := synthesis(model, 4)):
        show(state.view.best)
    z = run.result()

Sample number i of a seed is the same whatever else is in its batch, up to rounding: `first` numbers the first sample,
so that workers which share the work number theirs on. Variant k of n of example i is sample i n + k. (The random words
are equal to the bit; the arithmetic of a network, and of normal numbers, may differ in the last bits between batch
sizes and between processors.)
"""

from noisekernel.tasks.fills import inpaint, inpainting
from noisekernel.tasks.noise_walk import NoiseWalk
from noisekernel.tasks.run import Run, best, lag_of
from noisekernel.tasks.samples import read_out, synthesis, synthesize
from noisekernel.tasks.steered import steer, steering
from noisekernel.tasks.variants import development, renew, renewal, variation, vary

__all__ = [
    "NoiseWalk",
    "Run",
    "best",
    "development",
    "inpaint",
    "inpainting",
    "lag_of",
    "read_out",
    "renew",
    "renewal",
    "steer",
    "steering",
    "synthesis",
    "synthesize",
    "variation",
    "vary",
]
