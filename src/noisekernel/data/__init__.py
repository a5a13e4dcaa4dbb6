"""Data: a word or a path to pictures, pictures to clean data z, and back."""

from noisekernel.data.codecs import Codec, ContinuousCodec, LevelsCodec
from noisekernel.data.examples import Examples, InMemory, ReadAsNeeded, Streamed, Treatment
from noisekernel.data.masks import read_mask, tile_masks
from noisekernel.data.pictures import BadPictureError, Picture, Size
from noisekernel.data.source import Pictures, Source, Summary, load
from noisekernel.data.sources import open_source

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
