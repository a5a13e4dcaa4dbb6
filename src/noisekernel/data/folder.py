"""A folder of pictures, of any nesting. Where every file lies in a subfolder, the first subfolder names its class."""

from collections.abc import Sequence
from pathlib import Path

from noisekernel.data.pictures import BadPictureError, Picture, Size, read_picture
from noisekernel.data.source import number_classes
from noisekernel.errors import InputError


class FolderSource:
    """All files below a folder, in the order of their names; hidden ones (.name) do not count."""

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            raise InputError(f"{root} is not a folder")
        files = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
        self.root = root
        self.files = sorted(path for path in files if not any(part.startswith(".") for part in path.parts))
        if not self.files:
            raise InputError(f"{root} holds no file")
        nested = all(len(path.parts) > 1 for path in self.files)
        self._numbers = number_classes(path.parts[0] for path in self.files) if nested else {}

    @property
    def classes(self) -> Sequence[str]:
        return tuple(self._numbers)

    def __len__(self) -> int:
        return len(self.files)

    def name(self, i: int) -> str:
        return str(self.files[i])

    def label(self, i: int) -> int | None:
        return self._numbers[self.files[i].parts[0]] if self._numbers else None

    def natural_size(self) -> None:
        return None

    def read(self, i: int, size: Size) -> Picture:
        try:
            content = (self.root / self.files[i]).read_bytes()
        except OSError as error:
            raise BadPictureError(f"cannot be opened ({error.strerror})") from None
        return read_picture(content, size)
