"""Kinds of data: pictures, and whatever else is plugged in here.

The contract stands in `base`, the list in `registry`.
"""

from noisekernel.kinds.base import Kind
from noisekernel.kinds.exchanged import Features, Hidden, How, Items, Named, Shown, Stored
from noisekernel.kinds.registry import kind_by_name, kind_of, kinds

__all__ = ["Features", "Hidden", "How", "Items", "Kind", "Named", "Shown", "Stored", "kind_by_name", "kind_of", "kinds"]
