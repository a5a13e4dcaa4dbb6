"""Who takes part: our arms, each a recipe with changes. Rivals are in `methods`, what is asked of all in `studies`."""

from typing import Any

from lab.methods import DEFAULT_SAMPLER, LEVELS, Ours

#: The paper's choices, for the same network and budget as everyone's.
PAPER = {
    "objective.kind": "contrastive",
    "objective.control": 0.0,
    LEVELS: {"kind": "uniform"},
    "head.kind": "plain",
    "kernel.lag": 0.5,
    "training.fall": "constant",
}
#: The default recipe.
DEFAULT = {"objective.kind": "kl"}


def levels(mean: float, std: float, lift: float = 0.0) -> dict[str, Any]:
    return {f"{LEVELS}.mean": mean, f"{LEVELS}.std": std, f"{LEVELS}.lift": lift}


_KINDS: dict[str, dict[str, Any]] = {
    "kl": {"kind": "kl"},
    "contrastive": {"kind": "contrastive", "control": 0.0},
    "contrastive, control .9": {"kind": "contrastive", "control": 0.9},
    "reconstruction": {"kind": "reconstruction"},
    "anchored .1": {"kind": "anchored", "weight": 0.1, "control": 0.0},
    "anchored 1": {"kind": "anchored", "weight": 1.0, "control": 0.0},
    "anchored 1, control .9": {"kind": "anchored", "control": 0.9},
    "unrolled": {"kind": "unrolled"},
}
#: All at log sigma ~ N(-1.2, 1.2^2), not lifted, which suits them all: only the anchors bear a lift.
OBJECTIVES = {
    name: {**{f"objective.{key}": value for key, value in changes.items()}, **levels(-1.2, 1.2)}
    for name, changes in _KINDS.items()
}

#: What adjusting the chain gives beside more training at the same cost, which is twice that of KL; and still more.
ADJUSTED = {
    "kl": Ours("kl", OBJECTIVES["kl"]),
    "kl, twice the images": Ours("kl, twice the images", OBJECTIVES["kl"], budget=2.0),
    "kl, eight times the images": Ours("kl, eight times the images", OBJECTIVES["kl"], budget=8.0),
    "anchored 1, control .9": Ours("anchored 1, control .9", OBJECTIVES["anchored 1, control .9"]),
}

#: Where training looks: beside those of "kl", and of "ours".
LEVEL_ARMS: dict[str, dict[str, Any]] = {
    "levels -.6": {**DEFAULT, **levels(-0.6, 1.2)},
    "levels 0": {**DEFAULT, **levels(0.0, 1.2)},
    "levels -.4, 1.4": {**DEFAULT, **levels(-0.4, 1.4)},
    "levels -1.2, lifted": {**DEFAULT, **levels(-1.2, 1.2, 1.0)},
    "levels -.6, lifted": {**DEFAULT, **levels(-0.6, 1.2, 1.0)},
}


def _without(*keys: str) -> dict[str, Any]:
    return {key: value for key, value in PAPER.items() if key not in keys}


#: Each rung adds one thing to the one before; the last of all, correctors, was tried and is not part of the recipe.
LADDER: dict[str, Ours] = {
    "paper": Ours("paper", PAPER, "paper"),
    "+ falling rate": Ours("+ falling rate", _without("training.fall"), "paper"),
    "+ preconditioning": Ours("+ preconditioning", _without("training.fall", "head.kind"), "paper"),
    "+ log-normal levels": Ours("+ log-normal levels", OBJECTIVES["contrastive"] | {"kernel.lag": 0.5}, "paper"),
    "+ kl": Ours("+ kl", OBJECTIVES["kl"], "paper", weights="kl"),
    "+ log-SNR, largest lag": Ours("kl, first order", OBJECTIVES["kl"], "ddim", weights="kl"),
    "+ second order": Ours("kl, deterministic", OBJECTIVES["kl"], "deterministic", weights="kl"),
    "+ more and heavier high noise": Ours("deterministic", DEFAULT, "deterministic", weights="ours"),
    "+ noise drawn anew": Ours("ours", DEFAULT),
    "+ correctors": Ours("correctors", DEFAULT, "corrected", weights="ours"),
}


def _in_levels(levels: int, head: str) -> dict[str, Any]:
    """Pictures in so many levels of brightness, and a head for them."""
    return {
        "data.codec": {"kind": "levels", "levels": levels},
        "kernel": {"kind": "categorical", "classes": levels, "lag": 0.95},
        "head": {"kind": head, "classes": levels},
        LEVELS: {"kind": "uniform"},
    }


#: What is changed, and the sampler.
_KINDS_OF_CATEGORICAL: dict[str, tuple[dict[str, Any], str]] = {
    "paper": ({"objective.kind": "contrastive", "training.fall": "constant"}, "paper"),
    "contrastive": ({"objective.kind": "contrastive"}, DEFAULT_SAMPLER),
    "kl": ({"objective.kind": "kl"}, DEFAULT_SAMPLER),
    "reconstruction": ({"objective.kind": "reconstruction"}, DEFAULT_SAMPLER),
    "unrolled": ({"objective.kind": "unrolled", "objective.by": "reconstruction"}, DEFAULT_SAMPLER),
    "carried": ({"objective.kind": "kl", "kernel.carry_visible": True}, DEFAULT_SAMPLER),
    "masked diffusion": ({"objective.kind": "kl", "kernel.carry_visible": True}, "deterministic"),
}


def _categorical_arms(prefix: str, levels: int, head: str, *kinds: str) -> dict[str, Ours]:
    arms = {}
    for kind in kinds:
        changes, sampler = _KINDS_OF_CATEGORICAL[kind]
        weights = f"{prefix} carried" if kind == "masked diffusion" else None
        name = f"{prefix} {kind}"
        arms[name] = Ours(name, {**_in_levels(levels, head), **changes}, sampler, weights=weights)
    return arms


#: Ten levels as in the paper, and all 256: in order, and for comparison as names without any.
CATEGORICAL_ARMS = {
    **_categorical_arms("categorical", 10, "categorical", *_KINDS_OF_CATEGORICAL),
    **_categorical_arms("256 ordinal", 256, "ordinal", "paper", "contrastive", "kl", "carried", "masked diffusion"),
    **_categorical_arms("256 unordered", 256, "categorical", "carried"),
}
#: Bengio et al. (2013): learn to come back from one's own steps, then noise and denoise in turn.
GSN = Ours("gsn walkback", {"objective.kind": "unrolled", "kernel.lag": 0.0, **levels(-1.2, 1.2)})
