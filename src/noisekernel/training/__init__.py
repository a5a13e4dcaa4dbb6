"""Training: the loop, its checkpoints and its averages. It knows nothing of pictures."""

from noisekernel.training.checkpoint import Checkpoints
from noisekernel.training.settings import TrainingSettings
from noisekernel.training.trainer import Entry, Observer, Trainer

__all__ = ["Checkpoints", "Entry", "Observer", "Trainer", "TrainingSettings"]
