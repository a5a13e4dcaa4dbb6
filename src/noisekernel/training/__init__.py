"""Training: the loop, its checkpoints and its averages. It knows nothing of pictures."""

from noisekernel.recipes.training import TrainingSettings
from noisekernel.training.checkpoint import Checkpoints
from noisekernel.training.log import Entry
from noisekernel.training.trainer import Observer, Trainer
from noisekernel.training.watch import Look, Watch

__all__ = ["Checkpoints", "Entry", "Look", "Observer", "Trainer", "TrainingSettings", "Watch"]
