"""Everything that noisekernel raises on purpose.

    NoiseKernelError
    ├── StorageError                 a file cannot be written, read or believed
    ├── TrainingError                training cannot go on
    ├── MissingError                 what was asked for by its name or id is not there
    ├── FullError                    there is no room for more work now
    └── InputError (ValueError)      a value that was given is not allowed
        ├── ShapeError               … because of its shape
        ├── DtypeError               … because of its dtype
        └── ScheduleError            … because no kernel can follow these noise levels and lags
    Stopped                          training was asked to stop, and did: nothing went wrong
    Altered (UserWarning)            an example or a mask was not taken as it is: it was resized, say

Each message says what was given, what is allowed and what to do. `BadExampleError` stands apart: it never reaches a
user. It tells the code that reads many examples why one of them cannot be read.
"""


class NoiseKernelError(Exception):
    """The root: `except NoiseKernelError` catches every mistake that noisekernel can name.

    >>> from noisekernel.kernels import GaussianKernel
    >>> try:
    ...     GaussianKernel(lag=2.0)
    ... except NoiseKernelError as error:
    ...     print(type(error).__name__)
    InputError
    """


class StorageError(NoiseKernelError):
    """A file cannot be written (a full disk), read (missing, cut short), or believed (a pickle in place of weights)."""


class TrainingError(NoiseKernelError):
    """Training cannot go on: the loss is no longer a number."""


class MissingError(NoiseKernelError):
    """What was asked for by its name or id is not there."""


class FullError(NoiseKernelError):
    """There is no room for more work now."""


class InputError(NoiseKernelError, ValueError):
    """A value that was given is not allowed."""


class ShapeError(InputError):
    """A tensor that was given has a shape that is not allowed."""


class DtypeError(InputError):
    """A tensor that was given has a dtype that is not allowed."""


class ScheduleError(InputError):
    """Noise levels and lags that would need a negative variance, or a negative probability."""


class BadExampleError(Exception):
    """Why something cannot be read as an example. The code that reads many decides whether to stop or go on."""


class Altered(UserWarning):
    """An example or a mask that was given is not taken as it is. At the command line it is a line on stderr."""


class Stopped(Exception):  # noqa: N818 (nothing went wrong, so it is no NoiseKernelError either)
    """Training was asked to stop, and has written a checkpoint."""

    def __init__(self, signal_number: int, images: int) -> None:
        super().__init__(f"stopped after {images:,} images, with a checkpoint written")
        self.signal_number, self.images = signal_number, images
