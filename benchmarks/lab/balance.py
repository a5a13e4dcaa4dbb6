"""Is the learned chain in balance? The two-sample test of `nk diagnose` on held-out pictures, and on broken chains.

A broken chain is the learned chain with a slightly wrong denoiser. A test that does not detect it proves nothing about
the learned chain.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

import noisekernel as nk
from lab.walk_arms import BETA
from noisekernel.core.distributions import Normal
from noisekernel.measuring.chains import reversibility

#: With more pairs the figure would be more precise than seeds are alike.
PAIRS = 10_000
Wrong = Callable[[Any], Normal]

BROKEN: dict[str, Wrong] = {
    "guesses 5 % too bold": lambda r: replace(r, loc=1.05 * r.loc),
    "guesses one pixel to the right": lambda r: replace(r, loc=r.loc.roll(1, -1)),
    "guesses turned to their mirror image by a tenth": lambda r: replace(r, loc=0.9 * r.loc + 0.1 * r.loc.flip(-1)),
}


def balance(model: nk.Model, z: Tensor, lag: float | None = None) -> dict[str, Any]:
    """The AUC for pairs that are one and ten steps apart, at a lag; for broken chains, one step apart."""
    z = z[:PAIRS]
    found = {r.steps: r for r in reversibility(model, z, beta=BETA, lag=lag, steps=(1, 10), seed=5)}
    broken = {
        name: reversibility(_with(model, wrong), z, beta=BETA, lag=lag, steps=(1,), seed=5)[0]
        for name, wrong in BROKEN.items()
    }
    return {
        "pairs": len(z),
        **({} if lag is None else {"lag": lag}),
        "judged": found[1].test.held_out,
        **{f"after {steps}": _figures(r) for steps, r in found.items()},
        "broken": {name: _figures(r) for name, r in broken.items()},
    }


def _figures(r: Any) -> dict[str, float]:
    strongest = min(r.statistics, key=lambda s: s.p_value)
    return {
        "auc": round(r.test.auc, 4),
        "error": round(r.test.error, 4),
        "p_value": r.test.p_value,
        "statistic": strongest.name,
        "statistic_p_value": strongest.p_value,
    }


def _with(model: nk.Model, wrong: Wrong) -> nk.NoiseModel:
    def denoise(x: Tensor, beta: Any) -> Any:
        with torch.no_grad():
            return wrong(model.denoiser(x, beta))

    return nk.NoiseModel(model.kernel, denoise, model.shape)
