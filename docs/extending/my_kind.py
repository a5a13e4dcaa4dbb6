"""A kind of data of your own: pieces of DNA of one length, a category per base.

z    (length,), categories 0 to 3 for A, C, G, T
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import torch
from pydantic import PositiveInt
from torch import Tensor

from noisekernel.core.errors import BadExampleError, InputError
from noisekernel.kinds import Hidden, How, Items, Kind, Named, Shown, Stored, blocks

BASES = "ACGT"


class Dna(Kind):
    """Pieces of DNA. The fields are settings. A model file keeps those in `fixed`, which the model is made for."""

    kind: Literal["dna"] = "dna"
    length: PositiveInt | None = None

    one: ClassVar[str] = "piece"
    many: ClassVar[str] = "pieces"
    fixed: ClassVar[frozenset[str]] = frozenset({"length"})
    suffix: ClassVar[str] = ".txt"
    gathered: ClassVar[bool] = True  # commands write all pieces into one file

    # What the data are

    @classmethod
    def recognises(cls, items: Items) -> bool:
        """Whether these may be pieces of DNA, from a look at some."""
        some = [items.item(i) for i in range(min(len(items), 50))]
        return all(isinstance(item, str) and bool(item) and set(item) <= set(BASES) for item in some)

    @classmethod
    def recipe(cls, items: Items | None, on_cpu: bool) -> Mapping[str, Any]:
        """How to train on them, where no recipe is asked for."""
        return {
            "name": "dna",
            "data": {"kind": "dna"},
            "kernel": {"kind": "categorical", "carry_visible": True},
            "head": {"kind": "categorical"},
            "network": {"kind": "transformer", "width": 64, "depth": 2, "heads": 4},
            "objective": {"kind": "kl", "levels": {"kind": "uniform"}},
            "training": {"images": 200_000, "batch": 128},
        }

    def fitted(self, items: Items | None) -> tuple["Dna", str | None]:
        """With all settings that a design needs: here the length, that of the first piece."""
        if self.length is not None:
            return self, None
        if items is None:
            raise InputError("the length of a stream is not known beforehand; give data.length")
        return self.model_copy(update={"length": len(items.item(0))}), None

    @property
    def shape(self) -> tuple[int, ...]:
        if self.length is None:
            raise InputError("the length of these pieces is not known yet; it is taken from the data")
        return (self.length,)

    @property
    def channels(self) -> None:
        return None  # z has no dimension of channels

    @property
    def classes(self) -> int:
        return len(BASES)  # None where z is made of numbers

    # Codec: items to stored values, values to z, and back

    def store(self, item: Any) -> Stored:
        if not isinstance(item, str) or set(item) - set(BASES):
            raise BadExampleError(f"{item!r} is no piece of DNA; its letters are {BASES}")
        if len(item) != self.shape[0]:
            raise BadExampleError(f"{item!r} has {len(item)} letters; these pieces have {self.shape[0]}")
        return Stored(np.array([BASES.index(letter) for letter in item], dtype=np.int64))

    def encode(self, values: Tensor) -> Tensor:
        return values.long()

    def decode(self, z: Tensor) -> Tensor:
        return z.long()

    def drawn(self, values: Tensor) -> list[str]:
        return ["".join(BASES[base] for base in row) for row in values.tolist()]

    # For people

    def given(self, words: Sequence[str]) -> list[Named]:
        """What a user writes at the command line: here the piece itself."""
        return [Named(word, word) for word in words]

    def show(self, values: Tensor, hidden: Hidden = None, how: How = None) -> list[Shown]:
        texts = self.drawn(values)
        if hidden is not None:
            rows = zip(texts, hidden.tolist(), strict=True)
            texts = ["".join("_" if h else t for t, h in zip(text, row, strict=True)) for text, row in rows]
        return [Shown("text/plain", f"{text}\n".encode(), text) for text in texts]

    def overview(self, values: Tensor, columns: int | None = None, hidden: Hidden = None, how: How = None) -> Shown:
        return self.together(self.show(values, hidden))

    # Masks: 1 = to be filled in, 0 = kept

    def mask(self, word: str, items: Sequence[Any]) -> tuple[Tensor, str | None]:
        """What a user writes for a mask: an underscore for each base to fill in, any other letter for one to keep."""
        if len(word) != self.shape[0] or "_" not in word:
            raise InputError(f"the pattern {word!r} needs {self.shape[0]} letters, at least one of them an underscore")
        return torch.tensor([letter == "_" for letter in word]), None

    def masks(self, tile: int, keep: float, n: int, *, seed: int = 0, first: int = 0) -> Tensor:
        return blocks(self.shape[0], tile, keep, n, seed=seed, first=first)

    # Scores by name, to choose and steer by; features have a default

    @property
    def scores(self) -> Mapping[str, Any]:
        return {"gc": lambda piece: float(sum(letter in "GC" for letter in piece))}
