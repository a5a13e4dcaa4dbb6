"""Objectives: what a denoiser is trained by."""

from noisekernel.objectives.anchors import KL, Anchor, Reconstruction
from noisekernel.objectives.base import Info, Noised, Objective, Passes
from noisekernel.objectives.combined import Anchored, Unrolled
from noisekernel.objectives.contrastive import ContrastiveAdjustment, contrastive_adjustment

__all__ = [
    "KL",
    "Anchor",
    "Anchored",
    "ContrastiveAdjustment",
    "Info",
    "Noised",
    "Objective",
    "Passes",
    "Reconstruction",
    "Unrolled",
    "contrastive_adjustment",
]
