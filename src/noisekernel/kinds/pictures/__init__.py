"""Pictures as a kind of data."""

from noisekernel.kinds.pictures.codecs import Continuous, Levels
from noisekernel.kinds.pictures.kind import Pictures
from noisekernel.kinds.pictures.masks import tile_masks
from noisekernel.kinds.pictures.reading import Size

__all__ = ["Continuous", "Levels", "Pictures", "Size", "tile_masks"]
