"""Data: from a word, a path or an object to numbered examples. What the examples are is for a kind to say."""

from noisekernel.data.examples import Examples, InMemory, ReadAsNeeded, Streamed, Treatment
from noisekernel.data.opening import Data, load_data, open_source
from noisekernel.data.source import FarSource, Loaded, Source, Summary, load

__all__ = [
    "Data",
    "Examples",
    "FarSource",
    "InMemory",
    "Loaded",
    "ReadAsNeeded",
    "Source",
    "Streamed",
    "Summary",
    "Treatment",
    "load",
    "load_data",
    "open_source",
]
