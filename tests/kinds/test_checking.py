"""The checks that others run on their own kinds: the skeleton passes, and each way to break the contract is found."""

import pytest
import torch

from noisekernel.core.errors import InputError
from noisekernel.kinds import ContractError, Shown, Stored, check_kind
from skeletons import PIECES, skeleton

Dna = skeleton("my_kind").Dna
SAID = {"bad": ["ACGX", "AC", 3], "example": "ACGTAC", "mask": "AC__AC"}


def test_the_skeleton_keeps_the_contract():
    assert check_kind(Dna, PIECES, **SAID).length == 6
    assert check_kind(Dna(length=6), PIECES, **SAID).length == 6


def test_a_kind_is_not_checked_on_nothing():
    with pytest.raises(InputError, match="there are 2 items; give at least five"):
        check_kind(Dna, PIECES[:2])


class Blind(Dna):
    """Does not know its own examples."""

    @classmethod
    def recognises(cls, items):
        return False


class Turned(Dna):
    """Comes back as another piece."""

    def decode(self, z):
        return (z + 1) % 4


class Beyond(Dna):
    """Categories that there are not."""

    def encode(self, values):
        return values.long() + 1


class Floating(Dna):
    """Numbers where there are categories."""

    def encode(self, values):
        return values.float()


class Lower(Dna):
    """Draws what it cannot read as the same: everything reads as A."""

    def drawn(self, values):
        return ["A" * len(row) for row in values]


class Lenient(Dna):
    """Takes anything."""

    def store(self, item):
        try:
            return super().store(item)
        except Exception:
            return Stored(torch.zeros(self.shape, dtype=torch.int64).numpy())


class Curt(Dna):
    """Gives no reason."""

    def store(self, item):
        if item in SAID["bad"]:
            raise InputError("no")
        return super().store(item)


class Telling(Dna):
    """Shows what is hidden."""

    def show(self, values, hidden=None, how=None):
        return super().show(values)


class Unnamed(Dna):
    """Bytes of no known type."""

    def show(self, values, hidden=None, how=None):
        return [Shown("application/octet-stream", each.content) for each in super().show(values, hidden)]


class Narrow(Dna):
    """Masks of another shape."""

    def masks(self, tile, keep, n, *, seed=0, first=0):
        return super().masks(tile, keep, n, seed=seed, first=first)[:, :-1]


class Fickle(Dna):
    """Masks that depend on how many are asked for."""

    def masks(self, tile, keep, n, *, seed=0, first=0):
        return super().masks(tile, keep, n, seed=seed + n, first=first)


class Forgetful(Dna):
    """A model file would not keep the length."""

    fixed = frozenset()


class Hoarding(Dna):
    """A model file would keep how the data were read."""

    fixed = frozenset({"length", "bad"})


class Wordy(Dna):
    """A score that is no number."""

    @property
    def scores(self):
        return {"gc": lambda piece: piece}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (Blind, "recognises: "),
        (Turned, "decode: "),
        (Beyond, "encode: categories are 0 to 3"),
        (Floating, "encode: z is torch.float32"),
        (Lower, "drawn: "),
        (Lenient, "store: 'ACGX' is taken for an example"),
        (Curt, "store: 'ACGX' is refused without a reason"),
        (Telling, "show: hidden elements"),
        (Unnamed, "show: no bytes, or an unknown media type"),
        (Narrow, "masks: not n booleans"),
        (Fickle, "masks: number i"),
        (Hoarding, "fixed: settings that say how to read"),
        (Wordy, "scores: gc gives a str"),
    ],
    ids=lambda each: each.__name__ if isinstance(each, type) else "",
)
def test_a_broken_contract_is_found(wrong, said):
    with pytest.raises(ContractError, match=said):
        check_kind(wrong, PIECES, **SAID)


def test_a_setting_that_the_model_file_would_lose_is_found():
    with pytest.raises(InputError, match=r"length of these pieces is not known"):
        check_kind(Forgetful, PIECES, **SAID)
