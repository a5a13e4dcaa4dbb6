"""Backbones: (input, noise level, label) to features. They import torch, each other and our errors."""

from noisekernel.nn.mlp import MLP
from noisekernel.nn.paper_unet import PaperUNet
from noisekernel.nn.transformer import Transformer
from noisekernel.nn.unet import UNet

__all__ = ["MLP", "PaperUNet", "Transformer", "UNet"]
