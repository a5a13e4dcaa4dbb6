"""Kinds of data: pictures, and whatever else is plugged in here.

The contract stands in `base`, the list in `registry`.
"""

from noisekernel.kinds.base import Features, Items, Kind, Named, Shown, Stored
from noisekernel.kinds.on_page import OnPage
from noisekernel.kinds.registry import kind_by_name, kind_of, kinds

__all__ = ["Features", "Items", "Kind", "Named", "OnPage", "Shown", "Stored", "kind_by_name", "kind_of", "kinds"]
