"""Data: a word or a path to pictures, pictures to clean data z, and back."""

from noisekernel.data.examples import Examples, InMemory, ReadAsNeeded, Streamed, Treatment
from noisekernel.data.opening import open_source
from noisekernel.data.source import Pictures, Source, Summary, load
from noisekernel.kinds.pictures.codecs import Codec, ContinuousCodec, LevelsCodec
from noisekernel.kinds.pictures.masks import read_mask, tile_masks
from noisekernel.kinds.pictures.reading import BadPictureError, Picture, Size

__all__ = [
    "BadPictureError",
    "Codec",
    "ContinuousCodec",
    "Examples",
    "InMemory",
    "LevelsCodec",
    "Picture",
    "Pictures",
    "ReadAsNeeded",
    "Size",
    "Source",
    "Streamed",
    "Summary",
    "Treatment",
    "load",
    "open_source",
    "read_mask",
    "tile_masks",
]
