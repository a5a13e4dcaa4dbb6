"""The contract of a kind of data.

A kind says what the data are: how an example is read and stored, how it becomes clean data z and comes back, how people
see it, what hides parts of it, what it is judged by. Readers, training, tasks, models, commands and the studio ask it,
and never look themselves. A kind is settings too: its object is what stands under `data` in a recipe, and what a model
file keeps of the data that the model is for.

    item            whatever a source gives: a path, bytes, an array, a line of text, a row
    values          an example as it is stored: a compact array of one shape and dtype for all examples     `store`
    z               clean data, as kernels take it                                               `encode`, `decode`
    shown           what people see: media type, bytes, a line of text                                       `show`

A new kind is one folder (or file) with a subclass of `Kind`, and one line in `registry`; a package of someone else's
adds one by an entry point of the group `noisekernel.kinds`.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
import torch
from pydantic import Field
from torch import Tensor

from noisekernel.core.errors import DtypeError, InputError, ShapeError
from noisekernel.core.randomness import Randomness
from noisekernel.core.settings import Share, Strict
from noisekernel.files.formats import write_text
from noisekernel.kinds.augmentation import Augmentation
from noisekernel.kinds.components import component_features, learn_components
from noisekernel.kinds.exchanged import Features, Hidden, How, Items, Named, Rows, Shown, Stored

if TYPE_CHECKING:
    from noisekernel.kinds.on_page import OnPage
    from noisekernel.kinds.summary import Summary


#: What the elements of z are.
Sort: TypeAlias = Literal["numbers", "categories", "both"]


class Kind(Strict):
    """What the data are. Subclasses add their settings, and give `kind` one value that is theirs alone."""

    kind: str
    #: Learn the classes too, where the data has any, and forget this share of the labels so as to do without as well.
    labels: bool = False
    forget: Share = 0.5
    #: Names for the classes 0, 1, 2 …, where the data has none.
    class_names: tuple[str, ...] | None = None
    #: Who made the data, and under which licence: told with the model wherever it goes.
    credit: str = ""
    #: What to do with an example that cannot be read: stop, or leave it out and say so.
    bad: Literal["fail", "skip"] = "fail"
    #: Sets of up to so many MB live in memory; larger ones are read by `workers` processes as needed.
    memory: Annotated[int, Field(ge=0, strict=True)] = 4_000
    workers: Annotated[int, Field(ge=0, strict=True)] = 4

    #: One example and several, in sentences.
    one: ClassVar[str] = "example"
    many: ClassVar[str] = "examples"
    #: The settings that a model is made for, which its file keeps. Those that are None by default the data say.
    fixed: ClassVar[frozenset[str]] = frozenset()
    #: How the name of a file of one example ends; and whether the examples of a command go into one file together.
    suffix: ClassVar[str] = ".bin"
    gathered: ClassVar[bool] = False
    #: How the names of overviews and of films end.
    page: ClassVar[str] = ".txt"
    reel: ClassVar[str] = ".txt"
    #: The name of the script of the studio's page that shows examples of this kind (`studio/page/viewers`); or a file
    #: with a script of the kind's own, which the studio serves and whose export `viewer` the page takes.
    viewer: ClassVar[str] = "text"
    viewer_module: ClassVar[Path | None] = None
    #: Numbers of z are no larger: what is beyond was made by no model of this kind.
    largest: ClassVar[float] = 1e6

    # What the data are ------------------------------------------------------------------------------------------------

    @classmethod
    @abstractmethod
    def recognises(cls, items: Items) -> bool:
        """Whether these may be examples of this kind, from a look at some of them."""

    @classmethod
    def takes(cls, items: Items) -> bool:
        """Whether these can be read as examples of this kind where somebody says so; by default what it recognises."""
        return cls.recognises(items)

    @classmethod
    def lacks(cls, items: Items) -> str | None:
        """Why these, which look like examples of this kind, are none; None where they do not even look like it."""
        return None

    @classmethod
    def called(cls, beginning: bytes) -> str | None:
        """What to call a file that begins like this, if it is one of this kind: a PNG picture."""
        return None

    @classmethod
    @abstractmethod
    def recipe(cls, items: Items | None, on_cpu: bool) -> str | Mapping[str, Any]:
        """The recipe for data of this kind when none is asked for: its name, or a table of settings."""

    @classmethod
    def of_shape(cls, shape: tuple[int, ...], categories: int | None) -> "Kind | None":
        """The plainest kind of clean data of this shape, where nothing more need be known; by default none is."""
        return None

    @classmethod
    def of_signals(cls, shape: tuple[int, ...]) -> "Kind | None":
        """The kind of signals of this shape, from -1 to 1, that other libraries train networks on; by default none."""
        return None

    @classmethod
    def parts(cls, before: Mapping[str, Any], settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """What of a recipe has to change with settings of the data, as settings of a recipe; by default nothing.

        Args:
            before: The settings of this kind in the recipe.
            settings: Those that a user changed.
        """
        return {}

    @abstractmethod
    def fitted(self, items: Items | None) -> tuple[Self, str | None]:
        """This kind with all settings that a design needs, where need be by a look at the data.

        Also returns a sentence for the user, where something was decided that they may want otherwise. Without items
        (a stream), by what the settings say alone.
        """

    def excerpts(self, items: Any) -> Any:
        """A source of the examples that the items of a source are cut into; by default each item is one example.

        Those that overlap say which work each of them is from (`Excerpts`), so that whole works can be held out.
        """
        return items

    @property
    def window(self) -> int | None:
        """The last dimension of z, if a model of this kind may be given more than that; None where it may not."""
        return None

    @property
    def hop(self) -> int:
        """How much further each window begins than the one before, where there are several: half of one at most."""
        return max(1, (self.window or 2) // 2)

    def spanning(self, items: Sequence[Any]) -> Self:
        """This kind with as long a window as these items need; by default all examples have one length."""
        return self

    def of_length(self, length: int) -> Self:
        """This kind with examples of so many units that people count in: bars of music."""
        raise InputError(f"{self.many} have one length; leave out the length")

    def spanned(self, steps: int) -> Self:
        """This kind with a window of so many steps, or the next more that it can have (`window`)."""
        raise InputError(f"{self.many} have one length")

    def sizes(self, items: Items | None) -> "Sequence[Self]":
        """This kind at each size that these data can be made into, the smallest first; by default the one of `fitted`.

        A time budget chooses among them. Where the size was set, there is that one.
        """
        return [self.fitted(items)[0]]

    def resized(self, items: Items | None, to: Self) -> str | None:
        """What a time budget made of the examples by choosing the size `to`, in a sentence; None for nothing."""
        return None

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """The shape of one z."""

    @property
    @abstractmethod
    def channels(self) -> int | None:
        """The size of the first dimension of z if that is one of channels; None where it is not."""

    @property
    @abstractmethod
    def classes(self) -> int | None:
        """How many categories an element of z may be of; None for numbers, and until the data have said it."""

    @property
    def counts(self) -> tuple[int, ...] | None:
        """How many classes each element of z has, where they differ: it is never of another. 0 for a number.

        Such data have no channels, and take the head `columns`, or `product` where some elements are numbers. None
        where every element may be of all `classes`.
        """
        return None

    @property
    def ordered(self) -> tuple[int, ...]:
        """For data with `counts`: how many of the first classes of each element stand in an order, as bins do."""
        return (0,) * len(self.counts or ())

    @property
    def uniform(self) -> int:
        """So many elements at the end of z are uniform over their classes and independent of everything else.

        They are so by construction, and no network sees or predicts them. Only data with `counts` can have any.
        """
        return 0

    @property
    def categorical(self) -> bool:
        """Whether all elements of z are categories, which is known before the data are."""
        return self.classes is not None

    @property
    def made_of(self) -> Sort:
        """What the elements of z are: numbers, categories, or some of them numbers and some categories.

        Where they are both, z holds floating-point numbers, classes as whole ones, and `classes` is None.
        """
        return "categories" if self.categorical else "numbers"

    @property
    def bare(self) -> Self:
        """This kind with the settings alone that a model is made for."""
        return type(self).model_validate(self.model_dump(include={"kind", *self.fixed}))

    def following(self, other: Self, items: Items | None) -> Self:
        """These settings for data that a model of `other` data goes on with: fixed are those that data do not say.

        Where there is nothing to look at (a stream), the data are taken to be like the others.
        """
        fields, own = type(self).model_fields, {}
        for name in self.fixed:
            said = fields[name].default is None and items is not None
            own[name] = None if said else getattr(other, name)
        return self.model_copy(update=own)

    def channels_from(self, other: Self) -> Tensor | None:
        """Channels of such data made from those of `other` data: a matrix (channels, channels of the other), or None.

        By default the channels that both have, in order; those that the other has not are zero.
        """
        if (self.channels is None) != (other.channels is None):
            return None
        return torch.eye(self.channels or 1, other.channels or 1)

    def categories_from(self, other: Self) -> Tensor | None:
        """Which categories are those of `other` data: ones in a matrix (classes, classes of the other), or None.

        By default they are the same if there are as many.
        """
        return None if self.classes is None or self.classes != other.classes else torch.eye(self.classes)

    def described(self) -> str:
        """In a sentence: pictures of 3 x 32 x 32."""
        return f"{self.many} of {' x '.join(map(str, self.shape))}"

    # Codec ------------------------------------------------------------------------------------------------------------

    @abstractmethod
    def store(self, item: Any) -> Stored:
        """An item as it is stored; `BadExampleError`, with the reason, for what is no example of this kind."""

    @abstractmethod
    def encode(self, values: Tensor) -> Tensor:
        """Stored values (n, …) to clean data z (n, *shape)."""

    @abstractmethod
    def decode(self, z: Tensor) -> Tensor:
        """Clean data (n, *shape) back to values."""

    @abstractmethod
    def drawn(self, values: Tensor) -> list[Any]:
        """Stored values (n, …) as objects that people handle: pictures, strings, rows."""

    def kept(self, values: Tensor, given: Tensor, hidden: Hidden = None) -> Tensor:
        """Values of results, in which what has not changed since `given` is as it was stored there.

        For kinds whose values say more than z: what z has no room for comes back where z is the same and was not
        `hidden`. By default values are all that there is.

        Args:
            values: The values of results, (n, …).
            given: Those of the examples that they were made from, (n, …).
            hidden: Which elements of z were hidden from the model, (n, *shape); None for none.
        """
        return values

    def augmented(self, values: Tensor, chance: Tensor) -> Tensor:
        """Values for training, each changed or not by its uniform number `chance`; by default as they are."""
        return values

    @property
    def augmentation(self) -> Augmentation | None:
        """Ways to change values for training of which the network is told, so that it draws none; by default none."""
        return None

    @property
    def bytes_stored(self) -> int:
        """The bytes of one example as it is stored."""
        return int(np.prod(self.shape))

    # For people -------------------------------------------------------------------------------------------------------

    @abstractmethod
    def given(self, words: Sequence[str]) -> list[Named]:
        """The examples that arguments of a command mean: paths of files, or examples as text."""

    def differs(self, item: Any) -> str | None:
        """How an item will not be taken as it is (its size, say), in a few words; None if it will."""
        return None

    @abstractmethod
    def show(self, values: Tensor, hidden: Hidden = None, how: How = None) -> list[Shown]:
        """Each example, for people. Elements (of z) that are `hidden` are shown as missing.

        `how` the examples were made goes into the bytes where their format has a place for it.
        """

    def show_state(self, x: Tensor) -> list[Shown]:
        """Each noisy state (n, *shape), for people: elements that are masked are shown as missing."""
        if self.classes is None:
            return self.show(self.decode(x))
        masked = x >= self.classes
        return self.show(self.decode(torch.where(masked, 0, x)), masked)

    @abstractmethod
    def overview(self, values: Tensor, columns: int | None = None, hidden: Hidden = None, how: How = None) -> Shown:
        """All of these examples on one page, in rows of so many columns; the rest as for `show`."""

    def together(self, shown: Sequence[Shown]) -> Shown:
        """Several examples in one file, where a kind is `gathered`: by default a line of text each."""
        text = "\n".join(each.text for each in shown)
        return Shown("text/plain; charset=utf-8", f"{text}\n".encode(), text)

    def board(self, writer: Any, name: str, page: Shown, step: int) -> None:
        """An overview for TensorBoard's writer; by default as text."""
        writer.add_text(name, page.text or page.content.decode(errors="replace"), step)

    def check_film(self, path: Path) -> None:
        """Refuse, before any work is done, a film that could not be written."""
        if path.suffix != ".txt":
            raise InputError(f"{path.name}: walks of {self.many} are written as .txt")

    def film(self, frames: Iterable[Tensor], path: Path, fps: float) -> None:
        """Frames, each the values of several examples, as one file; by default a line of text per frame."""
        lines = ["\t".join(each.text for each in self.show(values)) for values in frames]
        write_text(path, "\n".join(lines) + "\n")

    @property
    def bytes_shown(self) -> int:
        """About the memory that an example takes, as data and on an overview."""
        return 8 * int(np.prod(self.shape))

    @property
    def on_page(self) -> "OnPage":
        """Examples of this kind on the studio's page. The defaults suit kinds that store strings."""
        from noisekernel.kinds.on_page import OnPage

        return OnPage(self)

    # Masks ------------------------------------------------------------------------------------------------------------

    @abstractmethod
    def mask(self, word: str, items: Sequence[Any]) -> tuple[Tensor, str | None]:
        """The mask that an argument of a command means, of the shape of z: 1 = to be filled in, 0 = kept.

        Also returns a sentence for the user, where the mask is not taken as it is.
        """

    @abstractmethod
    def masks(self, tile: int, keep: float, n: int, *, seed: int = 0, first: int = 0) -> Tensor:
        """`n` random masks (n, *shape): parts of side `tile`, of which a share `keep` is kept."""

    def holes(self, z: Tensor) -> Tensor | None:
        """The mask of what examples leave open, (n, *shape): 1 where there is nothing. None for kinds without holes."""
        return None

    def check_whole(self, z: Tensor) -> None:
        """Refuse clean data, (n, *shape), that leave something open. By default nothing can be open."""
        return

    def check_summary(self) -> None:
        """Refuse a summary of fills, before any work is done, where there is none. By default there is none."""
        raise InputError(f"fills of {self.many} have no summary; those of tables have one")

    def summarise(self, z: Tensor, hidden: Tensor, coverage: float) -> "Summary":
        """What fills say about each part that was filled in: alternatives, their probabilities, intervals.

        Args:
            z: Fills of each example, (examples, n, *shape).
            hidden: What was filled in, (examples, *shape).
            coverage: What intervals are to cover at least.
        """
        self.check_summary()
        raise NotImplementedError

    @property
    def hiding(self) -> Callable[[int, Randomness], Tensor] | None:
        """Draws for so many examples what people hide of such data: booleans, (n, *shape), some of them true.

        Objectives that can, train on it (`objective.parts`). None where nothing is known: then noise alone hides.
        """
        return None

    # Judging ----------------------------------------------------------------------------------------------------------

    def learn_features(self, values: Tensor, labels: Tensor | None, seed: int = 0) -> dict[str, Tensor]:
        """What the features of this kind are made of, learned from data: by default principal components of z."""
        return learn_components(self.flat(values), seed)

    def features(self, made: Mapping[str, Tensor], device: torch.device) -> Features:
        """Features from what `learn_features` made."""
        return component_features(self.flat, made, device)

    def check_features(self) -> None:
        """Refuse data from which features cannot be learned."""

    def flat(self, values: Tensor) -> Tensor:
        """One vector of floats per example: z itself, or where its elements are categories, which one each is."""
        z = self.encode(values)
        if self.classes is None:
            return z.flatten(1).float()
        return torch.nn.functional.one_hot(z.flatten(1), self.classes).flatten(1).float()

    def rows(self, values: Tensor) -> Rows | None:
        """Examples as rows of named columns, which are compared column by column; None for kinds without columns."""
        return None

    def named_features(self, name: str, device: torch.device) -> "tuple[Features, str] | None":
        """Features by a name of this kind's own, and what tells them from all others; None for a name it has not."""
        return None

    @property
    def scores(self) -> Mapping[str, Callable[[Any], float]]:
        """What one can choose by, by name: functions of what `judged` gives."""
        return {}

    def judged(self, drawn: Any) -> Any:
        """What scores are functions of, from an object that people handle; by default that object."""
        return drawn

    def characters(self, z: Tensor) -> Tensor | None:
        """How many characters each z counts as, (n,), where likelihood per character is a figure; else None."""
        return None

    def known(self, z: Tensor, visible: Tensor) -> Tensor:
        """Which elements of z are known from those that are visible, beside these; by default none."""
        return torch.zeros_like(visible)

    def barred(self, z: Tensor, hidden: Tensor) -> Tensor | None:
        """The classes that hidden elements of z cannot be of, given those that are not: (n, *shape, classes) or None.

        Where z is filled in, they get no probability. By default any class is possible.
        """
        return None

    # Shared -----------------------------------------------------------------------------------------------------------

    def check_z(self, z: Any) -> Tensor:
        """Clean data of this kind with any dimensions before, as a batch."""
        if not isinstance(z, Tensor):
            raise DtypeError(f"z is a {type(z).__name__}; give a torch.Tensor (torch.as_tensor makes one)")
        if z.ndim < len(self.shape) or tuple(z.shape[-len(self.shape) :]) != self.shape:
            raise ShapeError(
                f"z has shape {tuple(z.shape)}; this model draws samples of shape {self.shape}, with any dimensions "
                "before that"
            )
        return z.detach().cpu().reshape(-1, *self.shape)

    def check_range(self, z: Tensor, what: str) -> None:
        """Refuse numbers that no model of this kind could have made."""
        if z.is_floating_point() and not bool((z.abs() <= self.largest).all()):  # NaN is not
            raise InputError(
                f"{what} has values up to {float(z.abs().max()):.3g} as the chain sees it; those of {self.many} lie "
                f"near 1, and {self.largest:g} is the most that is taken"
            )


def counted(n: int, kind: Kind) -> str:
    """So many examples, in words: 1 picture, 1,000 pictures."""
    return f"{n:,} {kind.one if n == 1 else kind.many}"
