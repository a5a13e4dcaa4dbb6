"""Everything that noisekernel raises on purpose.

    NoiseKernelError
    ├── StorageError                 a file cannot be written, read or believed
    ├── TrainingError                training cannot go on
    └── InputError (ValueError)      a value that was given is not allowed
        ├── ShapeError               … because of its shape
        ├── DtypeError               … because of its dtype
        └── ScheduleError            … because no kernel can follow these noise levels and lags

Each message says what was given, what is allowed and what to do.
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


class InputError(NoiseKernelError, ValueError):
    """A value that was given is not allowed."""


class ShapeError(InputError):
    """A tensor that was given has a shape that is not allowed."""


class DtypeError(InputError):
    """A tensor that was given has a dtype that is not allowed."""


class ScheduleError(InputError):
    """Noise levels and lags that would need a negative variance, or a negative probability."""
