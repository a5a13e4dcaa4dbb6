"""Measures of how good denoisers, samples and chains are."""

from noisekernel.measuring.denoising import DenoisingCurve, curve_of, denoising_curve, estimate_of, yardstick

__all__ = ["DenoisingCurve", "curve_of", "denoising_curve", "estimate_of", "yardstick"]
