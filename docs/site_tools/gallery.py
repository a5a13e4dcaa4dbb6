"""The order of the gallery: from the first example to read to the last."""

ORDER = [
    "quickstart.py",
    "digits.py",
    "flowers.py",
    "numerals.py",
    "table.py",
    "walking.py",
    "steering.py",
    "own_kernel.py",
]


def order(filename: str) -> int:
    """Where an example stands; one that is not listed is refused, so that it gets its place."""
    return ORDER.index(filename)
