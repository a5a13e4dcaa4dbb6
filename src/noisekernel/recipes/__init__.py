"""Recipes: whole runs as data. The only place that maps names to classes.

A recipe says what the data becomes, which kernel, network, head and objective, how to train and how to sample.
"""

from noisekernel.recipes.objectives import ObjectiveConfig
from noisekernel.recipes.parts import AdoptedHeadConfig, CovarianceHeadConfig, Measured, PreconditionedHeadConfig
from noisekernel.recipes.reading import recipe, recipe_names, recorded
from noisekernel.recipes.schema import Design, Recipe
from noisekernel.recipes.training import TrainingSettings

__all__ = [
    "AdoptedHeadConfig",
    "CovarianceHeadConfig",
    "Design",
    "Measured",
    "ObjectiveConfig",
    "PreconditionedHeadConfig",
    "Recipe",
    "TrainingSettings",
    "recipe",
    "recipe_names",
    "recorded",
]
