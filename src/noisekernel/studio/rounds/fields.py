"""Fields that the requests of several tasks have, and their bounds."""

import unicodedata
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from noisekernel.core.settings import Strict
from noisekernel.studio.ids import PATTERN

MOST_CANDIDATES = 64
MOST_STEPS = 5000
#: Below this a chain has nothing left to walk: reading out ends there.
LEAST_BETA = 0.002
MOST_SEED = 2**53 - 1

#: Characters that reverse or reorder what stands around them, so that a name would not read as it is written.
_REORDERING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_KINDS = {"Cc": "a control character", "Zl": "a line break", "Zp": "a line break"}


def _readable(name: str) -> str:
    """A name, if it is one line of text in any script: emoji that are joined and all kinds of spaces included."""
    for character in name:
        kind = "a mark that reorders text" if character in _REORDERING else _KINDS.get(unicodedata.category(character))
        if kind is not None:
            raise ValueError(f"the character U+{ord(character):04X} is {kind}; a name is one line of text")
    return name.strip()


Name = Annotated[str, Field(max_length=200), AfterValidator(_readable)]
Id = Annotated[str, Field(pattern=PATTERN, description="The id of a node.")]
Seed = Annotated[
    int | None,
    Field(ge=0, le=MOST_SEED, description="The same seed gives the same candidates; one is drawn if none is given."),
]
Count = Annotated[int, Field(ge=1, le=MOST_CANDIDATES, description="The number of candidates.")]
Steps = Annotated[int, Field(ge=1, le=MOST_STEPS)]
Beta = Annotated[float | None, Field(ge=LEAST_BETA, le=1.0, description="The noise level, if not by the strength.")]
Strength = Annotated[float | None, Field(ge=0.0, le=1.0, description="From subtle to bold.")]
Lag = Annotated[float | None, Field(ge=0.0, lt=1.0, description="How much of a state one step carries over.")]
Label = Annotated[str | None, Field(max_length=200, description="A class by name or number, where there are any.")]
Parents = Annotated[list[Id], Field(min_length=1, max_length=MOST_CANDIDATES)]
OneParent = Annotated[list[Id], Field(min_length=1, max_length=1)]


class Asked(Strict):
    """A request for a round. Each task has its own, in which `task` is a Literal: the task's name."""

    task: str
    seed: Seed = None

    @property
    def start(self) -> list[str]:
        """The nodes that the round starts from."""
        return getattr(self, "parents", [])

    @property
    def candidates(self) -> int:
        """The number of candidates: 1 where that is not asked."""
        return getattr(self, "n", 1)

    def settings(self) -> dict[str, Any]:
        """What a round records beside its task, seed, parents and number."""
        return self.model_dump(exclude={"task", "parents", "n", "seed"})
