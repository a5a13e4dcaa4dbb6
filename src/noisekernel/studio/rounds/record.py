"""What is known of rounds and nodes: by the store of a studio, or by a file that is replayed."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from torch import Tensor

from noisekernel.core.errors import InputError

#: Task, settings, seed, n, parents and made of a round.
Round = Mapping[str, Any]


class Known(Protocol):
    """What is known of nodes."""

    def clean_of(self, ids: Sequence[str]) -> Tensor:
        """Their clean data, as a batch."""

    def came_of(self, id: str) -> tuple[Round, int] | None:
        """The round that a node came of and its place there; None for an origin."""


def damaged(what: str) -> InputError:
    """What to raise for a design file with something wrong in it."""
    return InputError(f"the design file is damaged: {what}")
