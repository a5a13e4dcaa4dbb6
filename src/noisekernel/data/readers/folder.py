"""A folder of files, one example each, of any nesting.

Where every file lies in a subfolder, the first subfolder names its class.
"""

from collections.abc import Sequence
from pathlib import Path

from noisekernel.core.errors import InputError
from noisekernel.data.source import number_classes

#: What systems leave in folders, beside hidden files.
LEFT_BY_SYSTEMS = ("Thumbs.db", "desktop.ini")


class FolderSource:
    """All files below a folder, in the order of their names; hidden ones (.name) do not count."""

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            raise InputError(f"{root} is not a folder")
        files = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
        self.root = root
        seen = (path for path in files if not any(part.startswith(".") for part in path.parts))
        self.files = sorted(path for path in seen if path.name not in LEFT_BY_SYSTEMS)
        if not self.files:
            raise InputError(f"{root} holds no file")
        #: A file that lies in no subfolder, because of which there are no classes.
        self.stray = next((path for path in self.files if len(path.parts) == 1), None)
        self._numbers = {} if self.stray else number_classes(path.parts[0] for path in self.files)

    @property
    def classes(self) -> Sequence[str]:
        return tuple(self._numbers)

    def __len__(self) -> int:
        return len(self.files)

    def name(self, i: int) -> str:
        return str(self.files[i])

    def label(self, i: int) -> int | None:
        return self._numbers[self.files[i].parts[0]] if self._numbers else None

    def item(self, i: int) -> Path:
        return self.root / self.files[i]
