"""Examples on one page, to look at: in a notebook by themselves, elsewhere as a file."""

import base64
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from noisekernel.core.errors import InputError
from noisekernel.files.formats import write_bytes
from noisekernel.kinds.exchanged import Shown


@dataclass(frozen=True, repr=False)
class Overview:
    """What `model.show` returns. A notebook displays it: as a picture, as a drawing, or as text.

    Args:
        page: The page, as the kind of data draws it.
        told: The page in a few words, where it cannot be displayed.
    """

    page: Shown
    told: str

    def __repr__(self) -> str:
        return self.page.text if self._media.startswith("text/") else f"<{self.told}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """The page for Jupyter: bytes in base64, drawings and text as they are, and text for who displays no others."""
        binary = self._media.startswith(("image/", "audio/", "video/")) and not self._media.endswith("+xml")
        content = self.page.content
        data = base64.b64encode(content).decode() if binary else content.decode(errors="replace")
        return {"text/plain": repr(self), self._media: data}

    def save(self, path: str | Path) -> Path:
        """Write the page as a file.

        Args:
            path: Where to; its name ends as this page's format does, or has no ending, which is then added.

        Returns:
            The path of the file.
        """
        path, suffix = Path(path), self.page.suffix
        if path.suffix not in ("", suffix):
            raise InputError(f"{path.name}: this page is {self._media}, so let the name end in {suffix}")
        path = path if path.suffix else path.with_name(path.name + suffix)
        write_bytes(path, self.page.content)
        return path

    @property
    def _media(self) -> str:
        return self.page.media.partition(";")[0]
