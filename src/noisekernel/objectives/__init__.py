"""Objectives: what a denoiser is trained by."""

from noisekernel.objectives.anchors import KL, Anchor, Reconstruction
from noisekernel.objectives.any_order import AnyOrder
from noisekernel.objectives.base import Info, Noised, Objective, Passes, TrainerObjective
from noisekernel.objectives.combined import Anchored, Unrolled
from noisekernel.objectives.contrastive import ContrastiveAdjustment, contrastive_adjustment
from noisekernel.objectives.persistent import PersistentContrast, Walkers, persistent_contrast

__all__ = [
    "KL",
    "Anchor",
    "Anchored",
    "AnyOrder",
    "ContrastiveAdjustment",
    "Info",
    "Noised",
    "Objective",
    "Passes",
    "PersistentContrast",
    "Reconstruction",
    "TrainerObjective",
    "Unrolled",
    "Walkers",
    "contrastive_adjustment",
    "persistent_contrast",
]
