"""Models that were trained as diffusion or flow models by `diffusers`, as models of ours: their folders and pipelines,
the schedules that they were trained with, and what has to be measured."""

from noisekernel.models.adopting.adoption import adopt, work

__all__ = ["adopt", "work"]
