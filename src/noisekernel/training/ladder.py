"""Sizes of networks to choose from when time is short: a ladder for each kind of network.

A larger network learns more from each example and sees fewer of them in the same time. Each rung says how many examples
make it worth its size, and the rate that networks of its size were trained with. A time budget takes the highest rung
that sees that many.

What the numbers rest on, for the U-Net (docs/results.md, docs/howto/train.md): at 28 x 28, 16 channels and 120,000
images, 7,500 for each channel, have some 6.5 times the Fréchet distance of real pictures (the network of the bench);
32 channels and 400,000 images, 12,500 for each, three times (the bundled `fashion`); 32 channels and 10,000 images give
pictures covered with specks. So a rung needs 6,250 images per channel, half of what `fashion` had. For an hour on two
cores at 28 x 28 this rule gives the 32 channels that `fashion` has.

For MLPs and transformers a rung needs about half of what the recipes `points` and `tokens` give networks of its size.
Nothing beyond 64 channels was measured here; the rates there are those of the recipes for accelerators.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from noisekernel.recipes.parts import NetworkConfig
from noisekernel.recipes.schema import Recipe

#: Images that a U-Net needs to see for each of its channels.
IMAGES_PER_CHANNEL = 6_250


@dataclass(frozen=True)
class Rung:
    """A size of network: its settings, the images it needs to see, the learning rate."""

    network: Mapping[str, int]
    needs: int
    rate: float

    def of(self, recipe: Recipe) -> Recipe:
        """The recipe with a network of this size, trained at its rate."""
        network: NetworkConfig = recipe.network.model_copy(update=dict(self.network))
        training = recipe.training.model_copy(update={"rate": self.rate})
        return recipe.model_copy(update={"network": network, "training": training})


def _unet(channels: int, rate: float) -> Rung:
    return Rung({"channels": channels}, IMAGES_PER_CHANNEL * channels, rate)


#: By kind of network, the smallest first. A kind that is not here (the paper's U-Net) has the size of its recipe.
LADDERS: Mapping[str, tuple[Rung, ...]] = {
    "unet": (
        _unet(16, 2e-3),
        _unet(24, 1.5e-3),
        _unet(32, 1.5e-3),
        _unet(48, 1e-3),
        _unet(64, 7e-4),
        _unet(96, 4e-4),
        _unet(128, 3e-4),
    ),
    "mlp": (
        Rung({"width": 64}, 200_000, 1e-3),
        Rung({"width": 128}, 500_000, 1e-3),
        Rung({"width": 256}, 2_000_000, 7e-4),
    ),
    "transformer": (
        Rung({"width": 64, "depth": 3}, 150_000, 1e-3),
        Rung({"width": 96, "depth": 3}, 300_000, 1e-3),
        Rung({"width": 128, "depth": 4}, 800_000, 7e-4),
        Rung({"width": 192, "depth": 4}, 2_000_000, 5e-4),
    ),
}
