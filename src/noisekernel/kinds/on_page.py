"""Examples of a kind on the studio's page: what comes in, what goes out, what is marked to be redone.

The studio knows of no kind. It hands what a browser sent to the `OnPage` of the model's kind (`Kind.on_page`), and
sends back what that returns. All methods take clean data z (or states x) of shape (n, *shape). The defaults suit kinds
that store strings and are shown as text. Another kind overrides what differs, and names the script by which the page
shows it: `Kind.viewer`, or a file of its own, `Kind.viewer_module`.
"""

import html
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor

from noisekernel.core.errors import BadExampleError, InputError, MissingError
from noisekernel.kinds.base import Kind
from noisekernel.kinds.exchanged import SUFFIXES, Shown

#: The media type of files whose names end like this.
MEDIA = {suffix: media for media, suffix in SUFFIXES.items()}


class OnPage:
    """Examples of one kind on the page. These are the defaults, for strings.

    Args:
        kind: The kind.
        length: The most characters of a string; by default those of z = 0, for kinds whose strings have one length.
    """

    #: The bytes that an upload may have.
    most_bytes: ClassVar[int] = 1_000_000
    #: How the names of films may end.
    films: ClassVar[tuple[str, ...]] = (".txt",)
    #: Whether what is redone can be blended in over a feather.
    feathers: ClassVar[bool] = False

    def __init__(self, kind: Kind, length: int | None = None) -> None:
        self.kind, self.length = kind, length

    def facts(self) -> dict[str, Any]:
        """What the page's viewer needs to know of the examples of a model, as JSON can hold it."""
        length = self.length
        if length is None:
            zero = torch.zeros(1, *self.kind.shape, dtype=torch.long if self.kind.categorical else torch.float32)
            length = len(self.texts(zero)[0])
        return {"length": length, "feather": self.feathers}

    def texts(self, z: Tensor) -> list[str]:
        """Each example as a line of text."""
        return [each.text for each in self.kind.show(self.values(z))]

    def values(self, z: Tensor) -> Tensor:
        """Clean data as values, which the methods of the kind take."""
        return self.kind.decode(self.kind.check_z(z))

    # What comes in ----------------------------------------------------------------------------------------------------

    def check_size(self, size: int) -> None:
        """Refuse an upload of so many bytes if that is more than is taken."""
        if size > self.most_bytes:
            raise InputError(f"the {self.kind.one} has {size:,} bytes; at most {self.most_bytes:,} are taken")

    def read(self, content: bytes, how: Mapping[str, Any]) -> Tensor:
        """What somebody sent, a file's content or typed text, as clean data: a batch of one.

        Never as the name of a file: what a browser sends must not open one of the server's.

        Args:
            content: The bytes that were sent.
            how: Settings of how to take them, which the page's viewer sent along. By default there are none.
        """
        self.check_size(len(content))
        if how:
            raise InputError(f"{self.kind.many} are taken as they are; leave out {', '.join(map(repr, how))}"[:300])
        return self.stored(self.item(content))

    def item(self, content: bytes) -> Any:
        """What was sent, as an item that the kind stores: by default one line of text."""
        lines = self.lines(content)
        if len(lines) > 1:
            raise InputError(f"the text has {len(lines)} lines; give one {self.kind.one}, on one line")
        return lines[0] if lines else ""

    def lines(self, content: bytes) -> list[str]:
        """What was sent, as lines of text."""
        try:
            return content.decode("utf-8-sig").splitlines()
        except UnicodeDecodeError:
            raise InputError(f"the {self.kind.one} is no text in UTF-8; type it, or send a text file") from None

    def stored(self, item: Any) -> Tensor:
        """An item as clean data, a batch of one; refused in a sentence if it is none of this kind."""
        try:
            z = self.kind.encode(torch.from_numpy(self.kind.store(item).values)[None])
        except BadExampleError as error:
            raise InputError(f"the {self.kind.one} cannot be used: {error}") from None
        self.kind.check_range(z, f"the {self.kind.one}")
        return z

    # What goes out ----------------------------------------------------------------------------------------------------

    def show(self, z: Tensor, how: Mapping[str, Any], scale: int = 1) -> Shown:
        """One example as a file.

        Args:
            z: A batch of one.
            how: How it was made, which goes into the file where its format has a place for that.
            scale: How many times larger than it is. By default only 1 is taken.
        """
        if scale > 1:
            raise InputError(f"scale is {scale}; {self.kind.many} are not enlarged, so leave it out")
        (shown,) = self.kind.show(self.values(z), how=how)
        return shown

    def shown_as(self, form: str, z: Tensor, how: Mapping[str, Any]) -> Shown:
        """One example in another form than `show` gives.

        Args:
            form: The name of the form: how its files end, without the dot. By default there is `json`, which is
                what `inline` tells.
            z: A batch of one.
            how: How it was made.
        """
        if form != "json":
            raise MissingError(f"there is no {form[:20]!r} of a {self.kind.one}")
        return Shown("application/json", json.dumps(self.inline(z)[0]).encode())

    def overview(self, z: Tensor, how: Mapping[str, Any]) -> Shown:
        """All of these examples in one file."""
        return self.kind.overview(self.values(z), how=how)

    def inline(self, z: Tensor) -> list[Any]:
        """Each example within an answer, as its viewer takes it: by default the text itself."""
        return self.texts(z)

    def markup(self, z: Tensor, names: Sequence[str]) -> list[str]:
        """Each example as a piece of HTML, for a page that is taken away; `names` for those who do not see it."""
        return [f"<pre>{html.escape(text) or ' '}</pre>" for text in self.texts(z)]

    def frame(self, clean: Tensor, noisy: Tensor) -> dict[str, Any]:
        """What a listener is shown of a round under way: its clean data, and the noisy states themselves."""
        return {"n": len(clean), "clean": self.inline(clean), "noisy": self.noisy(noisy)}

    def noisy(self, x: Tensor) -> list[Any]:
        """Each noisy state, as its viewer takes it: by default as text."""
        return [each.text for each in self.kind.show_state(x)]

    def film(self, frames: Sequence[Tensor], suffix: str, fps: float = 10.0) -> Shown:
        """Frames of a walk, each the `values` of a batch of one, as one file whose name ends so."""
        name = f"film{suffix}"
        if suffix not in self.films:
            raise MissingError(f"there is no {name}; films of {self.kind.many} are {' or '.join(self.films)}")
        self.kind.check_film(Path(name))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            self.write_film(frames, path, fps)
            return Shown(MEDIA[suffix], path.read_bytes())

    def write_film(self, frames: Sequence[Tensor], path: Path, fps: float) -> None:
        """Frames as a file."""
        self.kind.film(frames, path, fps)

    # What is marked to be redone --------------------------------------------------------------------------------------

    def read_mask(self, text: str) -> Tensor:
        """The mask that was sent, true where to redo, of a shape that expands to that of z.

        By default the text is what `Kind.mask` takes. A kind whose masks are files has to override this: what a browser
        sends must not open one of the server's.
        """
        return self.checked_mask(self.kind.mask(text, [])[0].bool())

    def checked_mask(self, mask: Tensor) -> Tensor:
        """A mask, if it marks something and fits."""
        try:
            mask.expand(self.kind.shape)
        except RuntimeError:
            raise InputError(
                f"the mask has shape {tuple(mask.shape)}; this {self.kind.one} has {self.kind.shape}"
            ) from None
        if not bool(mask.any()):
            raise InputError("nothing is marked, so there is nothing to redo; mark what is to be redone")
        return mask

    def kept_mask(self, text: str) -> str:
        """A mask as it is recorded, however it was sent: by default as it is, if it can be read."""
        self.read_mask(text)
        return text

    def check_feather(self, feather: float) -> None:
        """Refuse a feather for a kind that has none."""
        if feather and not self.feathers:
            raise InputError(f"the feather is {feather:g}; {self.kind.many} have no edges to soften, so leave it out")

    def blending(self, old: Tensor, mask: Tensor, feather: float) -> Callable[[Tensor], Tensor]:
        """How new data are put into the `old` ones, over a feather where the kind `feathers`."""
        self.check_feather(feather)
        return lambda new: torch.where(mask, new, old)
