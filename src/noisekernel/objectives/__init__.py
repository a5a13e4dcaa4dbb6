"""Objectives: what a denoiser is trained by."""

from noisekernel.objectives.anchors import KL, Anchor, Reconstruction
from noisekernel.objectives.base import AnyObjective, Info, Noised, Objective, Passes
from noisekernel.objectives.combined import Anchored, Unrolled
from noisekernel.objectives.contrastive import ContrastiveAdjustment, contrastive_adjustment
from noisekernel.objectives.persistent import PersistentContrast, Walkers, persistent_contrast

__all__ = [
    "KL",
    "Anchor",
    "Anchored",
    "AnyObjective",
    "ContrastiveAdjustment",
    "Info",
    "Noised",
    "Objective",
    "Passes",
    "PersistentContrast",
    "Reconstruction",
    "Unrolled",
    "Walkers",
    "contrastive_adjustment",
    "persistent_contrast",
]
