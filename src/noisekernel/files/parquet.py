"""Parquet files, through pyarrow where that is installed."""

from pathlib import Path
from typing import Any

from noisekernel.core.errors import InputError, NoiseKernelError


def rows_of_parquet(path: Path) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """The names of the columns of a Parquet file, and its rows."""
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import read_table
    except ImportError:
        raise NoiseKernelError("Parquet files need pyarrow: pip install 'noisekernel[tables]'") from None
    try:
        table = read_table(path)
    except (ArrowException, OSError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise InputError(f"{path.name} cannot be read as a Parquet file ({reason})") from None
    names = tuple(map(str, table.column_names))
    if len(set(names)) < len(names):
        raise InputError(f"{path.name}: two columns have the same name; give each its own: {', '.join(names)}")
    if table.num_rows == 0:
        raise InputError(f"{path.name} names columns but holds no row")
    return names, list(zip(*(column.to_pylist() for column in table.columns), strict=True))
