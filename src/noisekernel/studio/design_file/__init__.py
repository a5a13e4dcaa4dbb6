"""The design file: a whole design as one zip, to keep, to send, to replay.

    design.json        the design, its rounds and nodes in the order they came about, and a digest of every node's data
    z.safetensors      the clean data of every node, by its id

`nk replay` takes only the origins from it and computes the rest again; reading a file into a studio takes all, after
checking each against its digest. A file is read with suspicion: sizes are known before anything is unpacked, names are
never used as paths, and nothing in it can execute.
"""

from noisekernel.studio.design_file.reading import read_design
from noisekernel.studio.design_file.record import SUFFIX, DesignFile, DesignRecord, NodeRecord, RoundRecord
from noisekernel.studio.design_file.taking_in import take_in
from noisekernel.studio.design_file.writing import write_design

__all__ = [
    "SUFFIX",
    "DesignFile",
    "DesignRecord",
    "NodeRecord",
    "RoundRecord",
    "read_design",
    "take_in",
    "write_design",
]
