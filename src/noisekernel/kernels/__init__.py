"""The mathematics of noise and transition, one kernel per file."""

from noisekernel.kernels.base import NoiseKernel
from noisekernel.kernels.categorical import CategoricalKernel
from noisekernel.kernels.finite import FiniteKernel
from noisekernel.kernels.gaussian import GaussianKernel
from noisekernel.kernels.product import ProductKernel

__all__ = ["CategoricalKernel", "FiniteKernel", "GaussianKernel", "NoiseKernel", "ProductKernel"]
