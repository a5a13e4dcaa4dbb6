"""Tables as a kind of data: rows of categories, numbers, dates, and cells in which nothing stands."""

from noisekernel.kinds.tables.kind import Tables

__all__ = ["Tables"]
