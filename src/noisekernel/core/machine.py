"""What the machine has."""

import os

import torch


def memory_of(device: torch.device) -> int | None:
    """All the memory of a device, in bytes; None where that is not known."""
    if device.type == "cuda":
        return int(torch.cuda.get_device_properties(device).total_memory)
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # not every system tells
        return None
