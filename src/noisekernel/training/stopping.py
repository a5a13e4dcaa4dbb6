"""The end of a run that was asked to stop."""


class Stopped(Exception):  # noqa: N818 (nothing went wrong)
    """Training was asked to stop, and has written a checkpoint."""

    def __init__(self, signal_number: int, images: int) -> None:
        super().__init__(f"stopped after {images:,} images, with a checkpoint written")
        self.signal_number, self.images = signal_number, images
