"""Kinds of data: pictures, and whatever else is plugged in here.

The contract stands in `base`, the list in `registry`, and `checking` says whether a kind keeps the contract.
"""

from noisekernel.kinds.base import Kind
from noisekernel.kinds.checking import ContractError, check_kind
from noisekernel.kinds.exchanged import Features, Hidden, How, Items, Named, Shown, Stored
from noisekernel.kinds.masking import blocks
from noisekernel.kinds.on_page import OnPage
from noisekernel.kinds.registry import kind_by_name, kind_of, kinds

__all__ = [
    "ContractError",
    "Features",
    "Hidden",
    "How",
    "Items",
    "Kind",
    "Named",
    "OnPage",
    "Shown",
    "Stored",
    "blocks",
    "check_kind",
    "kind_by_name",
    "kind_of",
    "kinds",
]
