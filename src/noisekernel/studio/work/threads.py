"""How many threads compute."""

import os

import torch


def use_threads(threads: int) -> None:
    """Compute with so many threads: the last bits of a sum may depend on it."""
    if torch.get_num_threads() != threads:
        torch.set_num_threads(threads)


def threads_to_spare() -> int:
    """The threads for the model: all cores but one, which answers the browsers."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores - 1)
