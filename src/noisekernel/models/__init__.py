"""Trained models: what they are, and how they are saved, loaded, shared and exported."""

from noisekernel.models.checking import check_model
from noisekernel.models.model import Model, build, told_history
from noisekernel.models.saving import FILE, about, bundled, digest_of, digest_of_weights, file_of, load, save

__all__ = [
    "FILE",
    "Model",
    "about",
    "build",
    "bundled",
    "check_model",
    "digest_of",
    "digest_of_weights",
    "file_of",
    "load",
    "save",
    "told_history",
]
