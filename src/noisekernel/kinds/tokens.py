"""Tokens: short strings, one per line, a character being a category.

All examples have one length, that of the longest and one more. A string ends with an end token, which also fills the
places after it; it is a category like the characters, masked and predicted as they are, so lengths are learned too.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import torch
from pydantic import Field, model_validator
from torch import Tensor

from noisekernel.core.errors import BadExampleError, InputError
from noisekernel.files.text import lines_in
from noisekernel.kinds.base import Kind
from noisekernel.kinds.exchanged import Hidden, How, Items, Named, Shown, Stored
from noisekernel.kinds.masking import blocks
from noisekernel.kinds.on_page import OnPage

#: The longest string that is trained on.
MOST = 256
#: What stands for a character that is hidden, in what is shown and in masks; and for anything from there on, in masks.
HOLE, REST = "_", "*"
#: What stands for a place of a noisy state that is masked.
DOT = "·"
#: Lines that are looked at to tell the kind.
LOOKED_AT = 50


class Tokens(Kind):
    """Short strings."""

    kind: Literal["tokens"] = "tokens"
    #: The characters there are, in order; by default those of the data.
    alphabet: Annotated[str, Field(min_length=1)] | None = None
    #: Places: the longest string and one more, for its end; by default those of the data.
    length: Annotated[int, Field(ge=2, le=MOST + 1, strict=True)] | None = None

    one: ClassVar[str] = "string"
    many: ClassVar[str] = "strings"
    fixed: ClassVar[frozenset[str]] = frozenset({"alphabet", "length"})
    suffix: ClassVar[str] = ".txt"
    gathered: ClassVar[bool] = True
    viewer: ClassVar[str] = "text"

    @model_validator(mode="after")
    def _each_once(self) -> "Tokens":
        if self.alphabet is not None and len(set(self.alphabet)) < len(self.alphabet):
            raise ValueError("data.alphabet has a character twice")
        return self

    # What the data are ------------------------------------------------------------------------------------------------

    @classmethod
    def recognises(cls, items: Items) -> bool:
        """Lines of text."""
        return all(isinstance(items.item(i), str) for i in range(min(len(items), LOOKED_AT)))

    @classmethod
    def recipe(cls, items: Items | None, on_cpu: bool) -> str:
        return "tokens"

    def fitted(self, items: Items | None) -> tuple["Tokens", str | None]:
        if self.alphabet is not None and self.length is not None:
            return self, None
        if items is None:
            raise InputError("the characters of a stream are not known beforehand; give data.alphabet and data.length")
        seen: set[str] = set()
        longest = 1
        for i in range(len(items)):
            text = items.item(i)
            if isinstance(text, str) and (self.length is not None or len(text) <= MOST):
                seen |= set(text)
                longest = max(longest, len(text))
        alphabet = self.alphabet or "".join(sorted(seen))
        if not alphabet:
            raise InputError("there is no character in these strings")
        length = self.length or longest + 1
        found = self.model_copy(update={"alphabet": alphabet, "length": length})
        return found, f"strings of up to {length - 1} of {len(alphabet)} characters"

    @property
    def letters(self) -> str:
        """The characters there are."""
        if self.alphabet is None:
            raise InputError("the characters of these strings are not known yet; they are taken from the data")
        return self.alphabet

    @property
    def end(self) -> int:
        """The category of the end token."""
        return len(self.letters)

    @property
    def shape(self) -> tuple[int, ...]:
        if self.length is None:
            raise InputError("the length of these strings is not known yet; it is taken from the data")
        return (self.length,)

    @property
    def channels(self) -> None:
        return None

    @property
    def classes(self) -> int | None:
        return None if self.alphabet is None else len(self.alphabet) + 1

    @property
    def categorical(self) -> bool:
        return True

    def categories_from(self, other: "Tokens") -> Tensor:
        """Characters are the same by name, and the end is the end."""
        same = [[float(own == letter) for letter in other.letters] for own in self.letters]
        return torch.block_diag(torch.tensor(same), torch.ones(1, 1))

    def described(self) -> str:
        return f"strings of up to {self.shape[0] - 1} of {len(self.letters)} characters"

    # Codec ------------------------------------------------------------------------------------------------------------

    def store(self, item: Any) -> Stored:
        if not isinstance(item, str):
            raise BadExampleError(f"a {type(item).__name__} is no string")
        if len(item) >= self.shape[0]:
            raise BadExampleError(f"it has {len(item)} characters; at most {self.shape[0] - 1} are allowed")
        places = {letter: i for i, letter in enumerate(self.letters)}
        odd = next((letter for letter in item if letter not in places), None)
        if odd is not None:
            raise BadExampleError(f"the character {odd!r} is none of {self.letters!r}")
        values = np.full(self.shape[0], self.end, dtype=np.int32)
        values[: len(item)] = [places[letter] for letter in item]
        return Stored(values)

    def encode(self, values: Tensor) -> Tensor:
        return values.long()

    def decode(self, z: Tensor) -> Tensor:
        """Whatever stands behind the first end is an end too."""
        return torch.where((z == self.end).cumsum(dim=-1) > 0, self.end, z).int()

    def drawn(self, values: Tensor) -> list[str]:
        return [self._text(row) for row in self.decode(values).tolist()]

    def _text(self, row: Sequence[int], hidden: Sequence[bool] | None = None) -> str:
        letters = self.letters
        found = []
        for i, token in enumerate(row):
            if hidden is not None and hidden[i]:
                found.append(HOLE)
            elif token == self.end:
                break
            else:
                found.append(letters[token])
        return "".join(found)

    @property
    def bytes_stored(self) -> int:
        return 4 * self.shape[0]

    # For people -------------------------------------------------------------------------------------------------------

    def given(self, words: Sequence[str]) -> list[Named]:
        """Strings themselves, or text files, each of whose lines is one."""
        found: list[Named] = []
        for word in words:
            if Path(word).is_file():
                stem = Path(word).stem
                found += [Named(f"{stem}-{i}", line) for i, (_, line) in enumerate(lines_in(Path(word)))]
            else:
                found.append(Named(word, word))
        return found

    def show(self, values: Tensor, hidden: Hidden = None, how: How = None) -> list[Shown]:
        """A line of text; what is hidden is an underscore."""
        lost = None if hidden is None else hidden.tolist()
        rows = self.decode(values).tolist()
        texts = [self._text(row, None if lost is None else lost[i]) for i, row in enumerate(rows)]
        return [Shown("text/plain; charset=utf-8", f"{text}\n".encode(), text) for text in texts]

    def overview(self, values: Tensor, columns: int | None = None, hidden: Hidden = None, how: How = None) -> Shown:
        """A line of text per row."""
        texts = [each.text for each in self.show(values, hidden)]
        columns = columns or 1
        lines = ["\t".join(texts[i : i + columns]) for i in range(0, len(texts), columns)]
        text = "\n".join(lines)
        return Shown("text/plain; charset=utf-8", f"{text}\n".encode(), text)

    def show_state(self, x: Tensor) -> list[Shown]:
        """A line of text, place by place: what is masked is a dot, an end between others a space."""
        marks = [*self.letters, " ", DOT]
        texts = ["".join(marks[token] for token in row).rstrip(" ") for row in x.tolist()]
        return [Shown("text/plain; charset=utf-8", f"{text}\n".encode(), text) for text in texts]

    @property
    def on_page(self) -> OnPage:
        return OnPage(self, length=self.shape[0] - 1)

    # Masks ------------------------------------------------------------------------------------------------------------

    def mask(self, word: str, items: Sequence[Any]) -> tuple[Tensor, str | None]:
        """A pattern: an underscore for each character to fill in, any other to keep; * at its end fills in the rest."""
        rest = word.endswith(REST)
        pattern = word.removesuffix(REST)
        if len(pattern) >= self.shape[0]:
            raise InputError(f"the pattern has {len(pattern)} characters; at most {self.shape[0] - 1} are allowed")
        fill = [letter == HOLE for letter in pattern] + [rest] * (self.shape[0] - len(pattern))
        if not any(fill):
            raise InputError(f"the pattern {word!r} has no {HOLE} and no {REST}, so there is nothing to fill in")
        return torch.tensor(fill), None

    def masks(self, tile: int, keep: float, n: int, *, seed: int = 0, first: int = 0) -> Tensor:
        return blocks(self.shape[0], tile, keep, n, seed=seed, first=first)

    # Judging ----------------------------------------------------------------------------------------------------------

    def known(self, z: Tensor, visible: Tensor) -> Tensor:
        """All elements behind a visible end."""
        return ((z == self.end) & visible).cumsum(dim=-1) > 0

    def barred(self, z: Tensor, hidden: Tensor) -> Tensor | None:
        """The end, before a character that is kept: whatever stands behind an end is cut off."""
        kept = (z != self.end) & ~hidden
        before = hidden & (kept.flip(-1).cumsum(dim=-1).flip(-1) > 0)
        return before[..., None] & (torch.arange(self.end + 1, device=z.device) == self.end)

    def characters(self, z: Tensor) -> Tensor:
        """How many characters each string has, its end counted as one: (n,)."""
        return (self.decode(z) != self.end).sum(dim=-1) + 1

    @property
    def scores(self) -> Mapping[str, Callable[[Any], float]]:
        return {"long": lambda text: float(len(text)), "short": lambda text: -float(len(text))}
