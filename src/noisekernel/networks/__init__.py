"""Networks: backbones, heads, and the denoiser that joins them.

A backbone maps (input, noise level, label) to features. A head stands on both sides of it: it turns the state into
the backbone's input, and the features into a distribution over z.
"""

from noisekernel.networks.adopted_head import AdoptedGaussian
from noisekernel.networks.backbone import Backbone
from noisekernel.networks.categorical_heads import CategoricalHead, OrdinalHead
from noisekernel.networks.clamped import Clamped
from noisekernel.networks.columns import ColumnsTransformer
from noisekernel.networks.columns_head import ColumnsHead
from noisekernel.networks.correction import Correction
from noisekernel.networks.covariance_head import CovarianceGaussian
from noisekernel.networks.denoiser import Denoise, Denoiser
from noisekernel.networks.exact import exact_denoiser
from noisekernel.networks.gaussian_heads import PlainGaussian, PreconditionedGaussian
from noisekernel.networks.guided import Guided
from noisekernel.networks.head import Head
from noisekernel.networks.interval_head import IntervalHead
from noisekernel.networks.mlp import MLP
from noisekernel.networks.paper_unet import PaperUNet
from noisekernel.networks.product_head import ProductHead
from noisekernel.networks.rotary import RotaryTransformer
from noisekernel.networks.transformer import Transformer
from noisekernel.networks.unet import UNet
from noisekernel.networks.windowed import Windowed

__all__ = [
    "MLP",
    "AdoptedGaussian",
    "Backbone",
    "CategoricalHead",
    "Clamped",
    "ColumnsHead",
    "ColumnsTransformer",
    "Correction",
    "CovarianceGaussian",
    "Denoise",
    "Denoiser",
    "Guided",
    "Head",
    "IntervalHead",
    "OrdinalHead",
    "PaperUNet",
    "PlainGaussian",
    "PreconditionedGaussian",
    "ProductHead",
    "RotaryTransformer",
    "Transformer",
    "UNet",
    "Windowed",
    "exact_denoiser",
]
