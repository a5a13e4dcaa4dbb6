"""Pictures as films."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from PIL import Image

from noisekernel.core.errors import InputError, NoiseKernelError
from noisekernel.files.atomic import write_atomically


def check_film(path: Path) -> None:
    """Refuse, before any work is done, a film that could not be written."""
    if path.suffix not in (".gif", ".mp4"):
        raise InputError(f"{path.name}: films are .gif or .mp4")
    if path.suffix == ".mp4" and find_spec("imageio_ffmpeg") is None:
        raise NoiseKernelError("films in MP4 need ffmpeg: pip install 'noisekernel[video]'; or write a .gif")


def save_film(frames: Sequence[Image.Image], path: Path, fps: float = 12.0) -> None:
    """Frames as a film: .gif, or .mp4 where the `video` extra is installed."""
    check_film(path)
    if path.suffix == ".mp4":
        return write_atomically(path, lambda temporary: _write_mp4(frames, temporary, fps))
    first, *rest = [frame.convert("RGB") if frame.mode == "RGBA" else frame for frame in frames]
    write_atomically(
        path,
        lambda temporary: first.save(
            temporary, format="GIF", save_all=True, append_images=rest, duration=round(1000 / fps), loop=0
        ),
    )


def _write_mp4(frames: Sequence[Image.Image], path: Path, fps: float) -> None:
    import imageio_ffmpeg

    # The usual pixel format wants even sides: an odd one gets a line of background more.
    width, height = (side + side % 2 for side in frames[0].size)
    writer = imageio_ffmpeg.write_frames(
        str(path), (width, height), fps=fps, output_params=["-f", "mp4"], macro_block_size=2
    )
    writer.send(None)
    for frame in frames:
        even = Image.new("RGB", (width, height), "white")
        even.paste(frame.convert("RGB"))
        writer.send(even.tobytes())
    writer.close()
